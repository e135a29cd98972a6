"""Turn links over HTTP: the JSON for programs, the page for people, and what links do not do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.base.links import Links, TurnLink
from app.base.server import Server
from app.post.out.sender import Sender
from tests.support.tables import hand, link_to, load, rows_of_games, start

JSON = {"Accept": "application/json"}
BASE = "http://post.example.org"


@pytest.fixture
def server(app: Flask) -> Server:
    return app.extensions["postroad"]


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def token(server: Server) -> Callable[[int], str]:
    return lambda game_id: server.links.turn_token(link_to(load(server.database, game_id)))


def post(client: FlaskClient, token: str, orders: str, decision: int) -> Any:
    return client.post(f"/t/{token}", json={"orders": orders, "decision": decision}, headers=JSON)


def pass_on(client: FlaskClient, token: str) -> None:
    """Answer until another seat decides."""
    while token:
        asked = client.get(f"/t/{token}", headers=JSON).json
        answered = post(client, token, asked["legal"][-1], asked["decision"])
        token = path(answered.json["next"]) if answered.json["next"] else ""


def csrf_token(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found
    return found[1]


def path(link: str) -> str:
    assert link.startswith(BASE)
    return link.removeprefix(f"{BASE}/t/")


@pytest.mark.quick
def test_a_game_is_played_by_its_links(client: FlaskClient, server: Server, token: Callable[[int], str]) -> None:
    game_id = start(server.database, seats=3, options={"turns": 2})
    while not load(server.database, game_id).is_over:
        at = token(game_id)
        while at:
            asked = client.get(f"/t/{at}", headers=JSON).json
            assert asked["to_decide"] and asked["deadline"].endswith("Z")
            answered = post(client, at, asked["legal"][-1], asked["decision"])
            assert answered.status_code == 200
            at = path(answered.json["next"]) if answered.json["next"] else ""
            assert answered.json["to_decide"] == bool(at)
    assert answered.json["over"] and answered.json["result"]["reason"] == "points"
    record = client.get(f"/games/{game_id}/record.json").json
    from app.titles.registry import TITLES
    from engine.kernel import records

    assert records.verify(records.load(json.dumps(record), TITLES)).turns == 6


def test_the_shape_of_a_turn(client: FlaskClient, server: Server, token: Callable[[int], str]) -> None:
    game_id = start(server.database)
    first = client.get(f"/t/{token(game_id)}", headers=JSON)
    body = first.json
    cards = hand(load(server.database, game_id), "red")
    assert list(body) == [
        "game", "title", "seat", "decision", "to_decide", "kind", "asked", "turn", "view", "legal", "choices",
        "end_ahead", "deadline", "deadline_provisional", "over", "result",
    ]  # fmt: skip
    assert (body["game"], body["title"], body["seat"], body["decision"]) == (game_id, "ferry", "red", 1)
    assert body["choices"] == {"drop": [{"kind": "drop", "items": cards, "least": 1, "most": 3}]}
    assert {f"keep {cards[0]}", f"drop {cards[2]}", "rob blue", "peek"} <= set(body["legal"])
    assert client.get(f"/t/{token(game_id)}", headers=JSON).data == first.data
    assert body["deadline_provisional"] is True, "its mail has not gone out"
    Sender(server).send_due(datetime.now(UTC))
    assert client.get(f"/t/{token(game_id)}", headers=JSON).json["deadline_provisional"] is False


def test_refusals_have_a_code_a_sentence_and_the_line(
    client: FlaskClient, server: Server, token: Callable[[int], str]
) -> None:
    game_id = start(server.database)
    at, before = token(game_id), rows_of_games(server.database)
    cases = [
        ({"orders": "dance", "decision": 1}, 422, "line.unknown"),
        ({"orders": "keep oak-1\nkeep oak-1", "decision": 1}, 422, "card.not_in_hand"),
        ({"orders": "", "decision": 1}, 422, "orders.empty"),
        ({"orders": "peek\n" * 3_000, "decision": 1}, 422, "orders.too_long"),
        ({"orders": "peek", "decision": 2}, 409, "decision.other"),
        ({"orders": "peek"}, 422, "body.form"),
        ({"orders": ["peek"], "decision": 1}, 422, "body.form"),
        ([], 422, "body.form"),
    ]
    for body, status, code in cases:
        answer = client.post(f"/t/{at}", json=body, headers=JSON)
        error = answer.json["error"]
        assert (answer.status_code, error["code"]) == (status, code) and error["message"]
    assert client.post(f"/t/{at}", data=b"{", content_type="application/json").status_code == 422
    large = client.post(f"/t/{at}", data=b"x" * 70_000, content_type="application/json")
    assert (large.status_code, large.json["error"]["code"]) == (413, "http.413"), "A13"
    other = client.post(f"/t/{at}", data={"orders": "peek", "decision": 1}, headers=JSON)
    assert (other.status_code, other.json["error"]["code"]) == (415, "body.type"), "A10"
    plain = client.post(f"/t/{at}", data='{"orders": "peek", "decision": 1}', headers={"Accept": "*/*"})
    assert (plain.status_code, plain.json["error"]["code"]) == (415, "body.type"), "as curl sends it"
    refused = post(client, at, "keep rose-9", 1).json
    assert refused["error"]["line"] == 1 and refused["played"] == [] and path(refused["next"]) == at
    assert rows_of_games(server.database) == before


def test_a_refusal_after_something_was_shown_says_what_was_played(
    client: FlaskClient, server: Server, token: Callable[[int], str]
) -> None:
    game_id = start(server.database)
    at = token(game_id)
    answer = post(client, at, "peek\npeek", 1)
    assert answer.status_code == 422 and answer.json["played"] == ["peek"] and answer.json["error"]["line"] == 2
    assert path(answer.json["next"]) == token(game_id)
    assert post(client, at, "peek\npeek", 1).data == answer.data


def test_the_same_post_again_gives_the_same_bytes_and_another_409(
    client: FlaskClient, server: Server, token: Callable[[int], str]
) -> None:
    game_id = start(server.database)
    at = token(game_id)
    first = post(client, at, "peek", 1)
    assert post(client, at, "peek", 1).data == first.data
    red = hand(load(server.database, game_id), "red")
    post(client, path(first.json["next"]), f"keep {red[0]}\nkeep {red[1]}", 2)
    assert post(client, at, " PEEK ".lower(), 1).data == first.data
    other = post(client, at, "rob blue", 1)
    assert other.status_code == 409 and other.json["error"]["code"] == "decision.made" and "next" in other.json, "A18"
    done = client.post(f"/t/{at}/current", headers=JSON)
    assert (done.status_code, done.json["done"]["code"], "error" in done.json) == (202, "mail.sent", False), "A3"
    assert client.get("/games/99/record.json").json["error"]["code"] == "http.404", "A14"


def test_an_ended_link_shows_what_a_spectator_may_see(
    client: FlaskClient, server: Server, token: Callable[[int], str]
) -> None:
    game_id = start(server.database)
    at = token(game_id)
    pass_on(client, at)
    answer = client.get(f"/t/{at}", headers=JSON)
    assert answer.status_code == 410 and answer.json["error"]["code"] == "link_ended" and answer.json["next"] is None
    assert "hand" not in json.dumps(answer.json)
    page = client.get(f"/t/{at}")
    assert page.status_code == 200 and "Mail me the current link" not in page.text, "N14: it owes nothing"
    assert not any(card in page.text for card in hand(load(server.database, game_id), "red"))


def test_a_link_leads_on_while_its_seat_still_decides_in_the_same_turn(
    client: FlaskClient, server: Server, token: Callable[[int], str]
) -> None:
    game_id = start(server.database)
    at = token(game_id)
    form = csrf_token(client.get(f"/t/{at}").text)
    post(client, at, "peek", 1)
    now = token(game_id)
    assert now != at and client.get(f"/t/{at}?at=peek").location == f"/t/{now}"
    assert client.get(f"/t/{at}", headers=JSON).json["next"] == f"{BASE}/t/{now}"
    before = rows_of_games(server.database)
    sent = client.post(f"/t/{at}", data={"csrf_token": form, "decision": "1", "do": "send", "orders": "pass"})
    assert sent.status_code == 409 and f"/t/{now}" in sent.text and rows_of_games(server.database) == before
    someone = server.links.turn_token(replace(link_to(load(server.database, game_id)), number=1, player=2))
    assert now not in client.get(f"/t/{someone}", follow_redirects=True).text
    pass_on(client, now)
    for ended in (at, now):
        assert client.get(f"/t/{ended}").status_code == 200


def test_the_current_link_is_mailed_once_to_the_seat_itself(
    client: FlaskClient, server: Server, token: Callable[[int], str]
) -> None:
    game_id = start(server.database)
    at = token(game_id)
    post(client, at, "peek", 1)
    Sender(server).send_due(datetime.now(UTC).replace(year=2027))
    for _ in range(3):
        assert client.post(f"/t/{at}/current").status_code == 202
    sender = Sender(server)
    assert sender.send_due(datetime.now(UTC)) == 1
    with server.database.read() as session:
        text = (
            session.connection()
            .exec_driver_sql("SELECT message FROM outbox_mail ORDER BY id DESC LIMIT 1")
            .scalar()
            .decode()
        )
    assert token(game_id)[:20] in text.replace("=\r\n", "") and "alice@example.org" in text


def test_links_that_are_not_ours_are_404(client: FlaskClient, server: Server, token: Callable[[int], str]) -> None:
    game_id = start(server.database)
    at = token(game_id)
    link = link_to(load(server.database, game_id))
    foreign = Links(BASE, ["another-server's-key"]).turn_token(link)
    wrong = server.links.unsubscribe(1, "turns").rpartition("/")[2]
    no_game = server.links.turn_token(TurnLink(999, "red", 1, 1))
    no_seat = server.links.turn_token(TurnLink(game_id, "purple", 1, 1))
    for bad in (at[:-1], "A" + at[1:], at + "x", foreign, wrong, no_game, no_seat, "x" * 5000):
        answer = client.get(f"/t/{bad}", headers=JSON)
        assert (answer.status_code, answer.json["error"]["code"]) == (404, "link_unknown")
        assert client.get(f"/t/{bad}").status_code == 404
        assert post(client, bad, "peek", 1).status_code == 404
    assert client.get("/t/%00").status_code == 404
    assert client.get(f"/t/{at}", headers=JSON).status_code == 200


def test_a_link_of_an_old_key_works_while_the_key_is_kept(server: Server) -> None:
    link = TurnLink(1, "red", 1, 1)
    old = Links(BASE, ["the-old-key-of-ours"]).turn_token(link)
    assert Links(BASE, ["the-old-key-of-ours", "the-new-key-of-ours"]).read_turn(old) == link
    assert Links(BASE, ["the-old-key-of-ours", "the-new-key-of-ours"]).turn_token(link) != old


def test_fifty_gets_of_every_link_change_nothing(
    client: FlaskClient, server: Server, token: Callable[[int], str]
) -> None:
    game_id = start(server.database)
    at = token(game_id)
    post(client, at, "peek", 1)
    before = rows_of_games(server.database)
    stop = server.links.unsubscribe(1, "turns").removeprefix(BASE)
    for _ in range(50):
        for address in (f"/t/{at}", f"/t/{token(game_id)}", stop, f"/games/{game_id}/record.json"):
            assert client.get(address, follow_redirects=True).status_code == 200
            client.head(address)
    assert rows_of_games(server.database) == before


def test_the_form_comes_back_filled_with_the_reason(
    client: FlaskClient, server: Server, token: Callable[[int], str]
) -> None:
    game_id = start(server.database)
    at = token(game_id)
    mark = csrf_token(client.get(f"/t/{at}").text)
    page = client.post(f"/t/{at}", data={"do": "send", "orders": "keep <rose>", "decision": "1", "csrf_token": mark})
    assert page.status_code == 422 and "keep &lt;rose&gt;" in page.text and 'role="alert"' in page.text
    page = client.post(f"/t/{at}", data={"do": "send", "orders": "peek", "decision": "7", "csrf_token": mark})
    assert page.status_code == 409 and "peek</textarea>" in page.text
    page = client.post(f"/t/{at}", data={"do": "send", "orders": "peek", "decision": "1"})
    assert page.status_code == 400 and "peek</textarea>" in page.text and 'role="alert"' in page.text
    page = client.post(f"/t/{at}", data={"do": "send", "orders": "peek", "decision": "1", "csrf_token": mark})
    assert page.status_code == 303 and page.headers["Location"] == f"/t/{token(game_id)}"
    assert page.headers["Referrer-Policy"] == "no-referrer"


def test_one_click_stops_the_mails_and_opening_the_link_does_not(client: FlaskClient, server: Server) -> None:
    start(server.database)
    address = server.links.unsubscribe(1, "turns").removeprefix(BASE)
    assert client.get(address).status_code == 200
    answer = client.post(address, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert Sender(server).send_due(datetime.now(UTC).replace(year=2027)) == 1
    with server.database.read() as session:
        assert session.connection().exec_driver_sql("SELECT state FROM outbox_mail").scalar() == "dropped"


@pytest.mark.parametrize(
    ("environ", "headers", "status"),
    [
        ({}, {}, 200),
        ({"REMOTE_ADDR": "10.0.0.7"}, {}, 404),
        ({"SERVER_NAME": "0.0.0.0"}, {}, 404),
        ({}, {"X-Forwarded-For": "127.0.0.1"}, 404),
        ({}, {"Forwarded": "for=10.0.0.7"}, 404),
        ({}, {"Host": "evil.example.org"}, 404),
    ],
)
def test_the_mailbox_is_there_only_on_this_machine(
    client: FlaskClient, server: Server, environ: dict[str, str], headers: dict[str, str], status: int
) -> None:
    start(server.database)
    Sender(server).send_due(datetime.now(UTC).replace(year=2027))
    environ = {"SERVER_NAME": "127.0.0.1", "REMOTE_ADDR": "127.0.0.1", **environ}
    headers = {"Host": "localhost:8000", **headers}
    for address in ("/mailbox", "/mailbox/1", "/mailbox/1/html"):
        answer = client.get(address, headers=headers, environ_overrides=environ)
        assert answer.status_code == status and ("Ferry" in answer.text) == (status == 200)


def test_the_mailbox_has_pages(client: FlaskClient, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.post.pages.mailbox.NEWEST", 2)
    for _ in range(3):
        start(server.database)
    Sender(server).send_due(datetime.now(UTC).replace(year=2027))
    here = {"headers": {"Host": "localhost:8000"}, "environ_overrides": {"REMOTE_ADDR": "127.0.0.1"}}
    address, numbers = "/mailbox", []
    while address:
        page = client.get(address, **here).text
        numbers += re.findall(r'href="/mailbox/(\d+)"', page)
        older = re.search(r'href="(/mailbox\?before=\d+)"', page)
        address = older[1] if older else ""
    assert len(numbers) >= 3 and numbers == [str(n) for n in range(len(numbers), 0, -1)]


def test_errors_are_in_the_reader_s_form(client: FlaskClient) -> None:
    assert client.get("/nowhere", headers=JSON).json["error"]["code"] == "http.404"
    assert "<h1>" in client.get("/nowhere").text
    assert client.delete("/health").status_code == 405
