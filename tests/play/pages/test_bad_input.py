"""Bad input: the same page with the form still filled, one clear sentence, the right status, nothing stored.

For programs the same as JSON. Everything tested for one title is tested for all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from app.base.server import Server
from app.base.words import i18n
from app.base.words.speech import Voice
from app.play.turn.turns import play_turn
from tests.support.forms import Form, Page
from tests.support.people import everything
from tests.support.tables import link_to, load, start

JSON = {"Accept": "application/json"}
TITLES = {"ferry": 2, "acres": 2, "new-world": 3}
UNKNOWN = {"ferry": "keep rose-9", "acres": "money atlantis", "new-world": "place 1,99"}
"""A card or a place that does not exist."""
ILLEGAL = {"ferry": "rob red", "acres": "settle quebec", "new-world": "place 20,5 0"}
"""Valid lines that are not allowed."""
MEGABYTE = 1_000_000


@dataclass
class Turn:
    """A player at the page of a turn."""

    app: Flask
    server: Server
    game_id: int
    title: str
    client: Any = field(init=False)
    token: str = field(init=False)
    stored: Any = field(init=False)

    def __post_init__(self) -> None:
        self.client = self.app.test_client()
        self.token = self.server.links.turn_token(link_to(load(self.server.database, self.game_id)))
        form = self.form()
        self.stored = everything(self.server, but_seen=True)
        assert form.named("orders")

    @property
    def number(self) -> int:
        return load(self.server.database, self.game_id).number

    def legal(self) -> list[str]:
        return list(self.client.get(f"/t/{self.token}", headers=JSON).json["legal"])

    def harmless(self) -> list[str]:
        """Return lines that show nothing, so that none of them counts when a later one is refused."""
        game = load(self.server.database, self.game_id)
        read, seat = game.title.read, str(game.decides)
        return [line for line in self.legal() if not game.title.reveals(game.state, read(game.state, seat, line))]

    def form(self) -> Form:
        return Page(self.client.get(f"/t/{self.token}").text).form("orders")

    def send(self, without: str = "", **values: Any) -> tuple[int, str, Form]:
        """Fill the form, drop a field of it, send it; return the status, the complaint and the form that comes back."""
        sent: dict[str, list[str]] = {}
        for name, value in self.form().fill(**values):
            sent.setdefault(name, []).append(value)
        sent.pop(without, None)
        answer = self.client.post(f"/t/{self.token}", data=sent)
        found = re.search(r'role="alert"[^>]*>(.*?)</div>', answer.text, re.S)
        assert found, answer.text[:2000]
        said = " ".join(unescape(re.sub(r"<[^>]+>", "", found[1])).split())
        return answer.status_code, said, Page(answer.text).form("orders")

    def post(self, body: Any, **kwargs: Any) -> tuple[int, dict[str, Any]]:
        """Return what a program gets."""
        answer = self.client.post(f"/t/{self.token}", json=body, headers=JSON, **kwargs)
        return answer.status_code, answer.json["error"]

    def check_nothing_stored(self) -> None:
        assert everything(self.server, but_seen=True) == self.stored


@pytest.fixture(params=TITLES)
def turn(request: pytest.FixtureRequest, app: Flask) -> Turn:
    server = app.extensions["postroad"]
    game_id = start(server.database, request.param, seats=TITLES[request.param], now=datetime.now(UTC))
    return Turn(app, server, game_id, request.param)


@pytest.fixture
def long_turn(app: Flask) -> Turn:
    """A turn of two actions, so that the first of them shows nothing: the third of Acres."""
    server = app.extensions["postroad"]
    game_id = start(server.database, "acres", now=datetime.now(UTC))
    for _ in range(2):
        play_turn(server.database, link_to(load(server.database, game_id)), "pass\nend", now=datetime.now(UTC))
    return Turn(app, server, game_id, "acres")


def orders_of(form: Form) -> str:
    return form.named("orders")[0].value.replace("\r\n", "\n").strip()


@pytest.mark.parametrize("lines", [UNKNOWN, ILLEGAL, dict.fromkeys(TITLES, "dance on the table")])
@pytest.mark.parametrize("do", ["send", "add"])
def test_a_line_that_cannot_be_played_is_named(turn: Turn, lines: dict[str, str], do: str) -> None:
    wrong = lines[turn.title]
    status, said, form = turn.send(orders=wrong, do=do)
    assert status == 422 and orders_of(form) == wrong
    assert "Line 1:" in said and wrong in said and len(said) > len(wrong) + 20, said
    status, error = turn.post({"orders": wrong, "decision": turn.number})
    assert (status, error["line"]) == (422, 1) and error["code"] and error["message"] in said
    turn.check_nothing_stored()


def test_a_good_line_before_the_bad_one_is_not_stored_either(long_turn: Turn) -> None:
    turn = long_turn
    good = next(iter(turn.harmless()))
    orders = f"{good}\nnonsense"
    status, said, form = turn.send(orders=orders, do="send")
    assert status == 422 and "Line 2:" in said and orders_of(form) == orders
    status, error = turn.post({"orders": orders, "decision": turn.number})
    assert (status, error["line"]) == (422, 2)
    turn.check_nothing_stored()


@pytest.mark.parametrize(("line", "do"), [("pass\r\n", "send"), ("é", "add"), ("x", "send")])
def test_a_megabyte_of_orders(turn: Turn, line: str, do: str) -> None:
    orders = (line * MEGABYTE)[:MEGABYTE]
    status, said, form = turn.send(orders=orders, do=do)
    assert status == 422 and len(said) < 400 and orders_of(form)[:900] == orders.replace("\r", "")[:900]
    for length, wanted in ((MEGABYTE, (413, "http.413")), (10_001, (422, "orders.too_long"))):
        status, error = turn.post({"orders": orders[:length], "decision": turn.number})
        assert (status, error["code"]) == wanted and len(error["message"]) < 400
    turn.check_nothing_stored()


def test_half_a_character_is_no_text(turn: Turn) -> None:
    """JSON can hold it; no database, page or mail can"""
    for orders in ("\ud800", f"{turn.legal()[0]}\n\udc00"):
        status, error = turn.post({"orders": orders, "decision": turn.number})
        assert (status, error["code"]) == (422, "orders.no_text")
    turn.check_nothing_stored()


def test_more_than_a_server_takes_is_refused_unread(turn: Turn) -> None:
    for mimetype in ("application/json", "application/x-www-form-urlencoded"):
        answer = turn.client.post(f"/t/{turn.token}", data=b"orders=" + b"x" * 30_000_000, content_type=mimetype)
        assert answer.status_code in (413, 422)
    turn.check_nothing_stored()


@pytest.mark.parametrize("number", ["0", "-1", "2", "99999999999999999999", "one", "", None])
def test_another_decision_s_number(turn: Turn, number: str | None) -> None:
    line = turn.legal()[0]
    filled = {"orders": line, "do": "send"} | ({} if number is None else {"decision": number})
    status, said, form = turn.send("decision" if number is None else "", **filled)
    assert status == 409 and said and orders_of(form) == line
    assert form.named("decision")[0].value == str(turn.number), "the page that comes back can be sent"
    if number is None or not number.lstrip("-").isdigit():
        assert turn.post({"orders": line, "decision": number})[0] == 422
    else:
        status, error = turn.post({"orders": line, "decision": int(number)})
        assert (status, error["code"]) == (409, "decision.other") and number in error["message"]
    turn.check_nothing_stored()


@pytest.mark.parametrize("mark", ["", "x", "W10.forged", None])
def test_a_form_that_was_not_shown_by_this_page(turn: Turn, mark: str | None) -> None:
    line = turn.legal()[0]
    filled = {"orders": line, "do": "send"} | ({} if mark is None else {"csrf_token": mark})
    status, said, form = turn.send("csrf_token" if mark is None else "", **filled)
    assert status == 400 and said and orders_of(form) == line
    turn.check_nothing_stored()
    again = {"orders": line, "do": "send"}
    answer = turn.client.post(f"/t/{turn.token}", data=dict(form.fill(**again)))
    assert answer.status_code in (200, 303), "sent once more from there it counts"


def test_what_was_chosen_and_ticked_stays(long_turn: Turn) -> None:
    """Chosen by touch: the first kind of action with boxes to tick."""
    turn = long_turn
    address = f"/t/{turn.token}"
    kinds = re.findall(r'href="(\?at=[a-z-]+)#board"', turn.client.get(address).text)
    pages = (Page(turn.client.get(address + kind).text).form("orders") for kind in kinds)
    form = next(form for form in pages if form.named("touch"))
    ticked = form.offers("touch")[:1]
    sent = form.fill(orders="nonsense", do="choose", touch=ticked)
    answer = turn.client.post(address, data=MultiDict(sent))
    back = Page(answer.text).form("orders")
    assert answer.status_code == 422 and orders_of(back) == "nonsense"
    assert [control.value for control in back.named("touch") if control.on] == ticked
    turn.check_nothing_stored()


@pytest.mark.parametrize("field_name", ["say", "note"])
def test_what_stands_beside_the_game_comes_back_too(turn: Turn, field_name: str) -> None:
    page = Page(turn.client.get(f"/t/{turn.token}?open=all").text)
    form = page.form(field_name)
    typed = "word " * 5000
    sent = dict(form.fill(**{field_name: typed, "do": field_name}))
    answer = turn.client.post(f"/t/{turn.token}", data=sent)
    back = Page(answer.text).form(field_name)
    assert answer.status_code == 422 and 'role="alert"' in answer.text
    assert back.named(field_name)[0].value.split() == typed.split()
    now = everything(turn.server, but_seen=True)
    assert now | {"rate_count": []} == turn.stored, "an attempt to say something counts"


@pytest.mark.parametrize(
    "body", [[], "text", 7, {}, {"orders": None, "decision": 1}, {"orders": "x", "decision": True}]
)
def test_json_of_another_form(turn: Turn, body: Any) -> None:
    status, error = turn.post(body)
    assert (status, error["code"]) == (422, "body.form") and '"decision"' in error["message"]
    turn.check_nothing_stored()


@pytest.mark.parametrize("language", ["fr", "es", "it"])
def test_the_complaint_is_in_the_player_s_language(turn: Turn, language: str) -> None:
    with turn.server.database.write() as session:
        session.connection().exec_driver_sql("UPDATE player SET language = ?", (language,))
        session.commit()
    _, said, _ = turn.send(orders="nonsense\nmore", do="send")
    line = (Voice(language).gettext("Line %(n)s:") % {"n": 1}).replace("\xa0", " ").replace("\u202f", " ")
    assert line in said and "Line " not in said
    _, answer = turn.post({"orders": "nonsense", "decision": turn.number})
    assert " ".join(answer["message"].split()) in said
    for lost in ("decision", "csrf_token"):
        _, said, _ = turn.send(lost, orders="x", do="send")
        assert said in [" ".join(str(m.string).split()) for m in i18n.read_catalogue(language)]
