"""Request limits: how much is parsed, and no undecodable text. On both databases."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from app.base.server import Server
from app.base.words.numbers import LARGEST, whole
from app.base.words.texts import said
from app.web.gates import request_limits
from tests.support.people import BOTH, Browser, PostOffice, everything, sign_in
from tests.support.tables import link_to, load, start

JSON = {"Accept": "application/json"}
FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), (" 12 ", 12), ("007", 7), (str(LARGEST), LARGEST), (str(LARGEST + 1), None), ("-1", None), ("", None),
     ("²", None), ("٣", None), ("1e3", None), ("1_0", None), ("9" * 5000, None), ("1\0", None), ("½", None)],
)  # fmt: skip
def test_a_number_is_ascii_digits_that_a_row_can_have(text: str, number: int | None) -> None:
    assert whole(text) == number


@BOTH
def test_a_number_of_any_size_in_any_address_leads_nowhere(app: Flask) -> None:
    """Every address with a number in it, of every method."""
    client, asked = app.test_client(), 0
    for rule in app.url_map.iter_rules():
        for argument in rule.arguments:
            if f"<number:{argument}>" not in rule.rule:
                continue
            for wrong in (str(LARGEST + 1), "9" * 19, "9" * 5000, "%C2%B2", "%D9%A3", "-1", "1%00"):
                path = rule.rule.replace(f"<number:{argument}>", wrong)
                for other in rule.arguments:
                    path = path.replace(f"<number:{other}>", "1").replace(f"<{other}>", "x")
                for method in (rule.methods or set()) & {"GET", "POST"}:
                    assert client.open(path, method=method).status_code == 404, (method, path)
                    asked += 1
    assert asked > 500


def test_null_characters_are_no_text(app: Flask, server: Server, stranger: Browser) -> None:
    token = server.links.turn_token(link_to(load(server.database, start(server.database, now=datetime.now(UTC)))))
    before = everything(server)
    assert "holds a null character" in stranger.get("/archive?name=%00", 400)
    assert "holds a null character" in stranger.get("/archive?%00=1", 400)
    stranger.get("/clubs/%00", 404)
    stranger.get("/static/%00.css", 404)
    stranger.get("/sign-in")
    assert "holds a null character" in stranger.post("/sign-in", 400, address="a\0b@example.org")
    file = {"address": "x", "file": (io.BytesIO(b"x"), "a\0b")}
    assert stranger.client.post("/sign-in", data=file, content_type="multipart/form-data").status_code == 400
    stranger.client.set_cookie("postroad_sign_in", '"\\000"')
    stranger.get("/games", 303)
    answer = stranger.client.post(f"/t/{token}", json={"orders": "peek\0", "decision": 1}, headers=JSON)
    assert (answer.status_code, answer.json["error"]["code"]) == (422, "orders.no_text")
    assert everything(server) == before


def test_json_that_is_too_deep_or_too_long_a_number_is_no_form(server: Server, stranger: Browser) -> None:
    token = server.links.turn_token(link_to(load(server.database, start(server.database, now=datetime.now(UTC)))))
    for body in ("[" * 60_000, '{"orders":' + "[" * 60_000, '{"orders": "x", "decision": ' + "9" * 5000 + "}", "\0"):
        answer = stranger.client.post(f"/t/{token}", data=body, content_type="application/json")
        assert (answer.status_code, answer.json["error"]["code"]) == (422, "body.form")


def test_lines_of_a_draft_are_not_counted_in_other_digits(server: Server, stranger: Browser) -> None:
    """What once was an error of the server: `undo:²`, and a number of 5,000 digits."""
    token = server.links.turn_token(link_to(load(server.database, start(server.database, now=datetime.now(UTC)))))
    stranger.get(f"/t/{token}")
    for number in ("²", "٣", "9" * 5000, "-1", ""):
        stranger.post(f"/t/{token}", 303, follow=False, decision="1", draft="peek", do=f"undo:{number}")


def test_addresses_that_cannot_be_taken_apart_lead_to_the_usual_page(
    app: Flask, post: PostOffice, stranger: Browser
) -> None:
    """A bracket without its other half is not a host, and Python will not read it."""
    stranger.get("/sign-in?then=http://[")
    stranger.post("/sign-in", address="alice@example.org", then="http://[")
    alice = sign_in(app, post, "alice@example.org", then="//[")
    assert alice.page.request.path == "/games"
    for host in ("[", "[::", "localhost:x", "a b"):
        assert stranger.client.get("/mailbox", headers={"Host": host}).status_code in (400, 404)


def test_a_host_that_is_none_and_doubled_slashes_lead_nowhere(stranger: Browser) -> None:
    """Neither is an error, and no answer names the host of the request."""
    for host in ("x" * 300, "a..b", ".."):
        answer = stranger.client.get("/", headers={"Host": host})
        assert answer.status_code == 400 and "could not be understood" in answer.text, host
    answer = stranger.client.get("/sign-in//x", headers={"Host": "elsewhere.example.net"})
    assert answer.status_code == 404 and "elsewhere" not in answer.text


def test_control_characters_are_not_shown_again(stranger: Browser) -> None:
    stranger.get("/sign-in")
    data = {"csrf_token": stranger.token, "address": "a\x07b\x0bc\x1b[2J\x85"}
    answer = stranger.client.post("/sign-in", data=data, headers=stranger.headers)
    assert answer.status_code == 422 and "ab c[2J" in answer.text and "\x1b" not in answer.text
    assert said("a\tb\r\nc\x0cd\x9be") == "a\tb\r\nc de"


@pytest.mark.parametrize("way", ["form", "multipart"])
def test_forms_of_very_many_fields_are_refused_unread(stranger: Browser, way: str) -> None:
    """413 with a sentence, and before anything is taken apart."""
    if way == "form":
        bodies, kind = [b"a=1&" * 700_000, b"a=&" * 5_000, b"address=" + b"x" * 100_000], FORM
    else:
        part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
        bodies, kind = [part * 400, part * 100_000], "multipart/form-data; boundary=x"
    for body in bodies:
        began = time.process_time()
        answer = stranger.client.post("/sign-in", data=body, content_type=kind, headers=stranger.headers)
        assert answer.status_code == 413 and "send less" in answer.text
        assert time.process_time() - began < 1


def test_what_a_kind_of_route_takes(app: Flask) -> None:
    limits = {rule.endpoint: request_limits.limits_of(rule.endpoint) for rule in app.url_map.iter_rules()}
    assert limits["people.ask_link"] == request_limits.SMALL and limits["turn.play"] == request_limits.TURN
    assert limits["game.note"] == request_limits.FORM and limits["clubs.read_list"] == request_limits.LEAGUE
    named = set(request_limits._BY_ENDPOINT)
    assert named < set(limits), "no route is called otherwise than the list says"


def test_a_league_form_may_have_a_field_for_everybody(enter: Callable[..., Browser]) -> None:
    alice: Any = enter("alice")
    alice.get("/account")
    many = {f"up.{n}": "0" for n in range(1, 3000)}
    assert "There is nothing at this address" in alice.post("/events/7/next", 404, **many)
