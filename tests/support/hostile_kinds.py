"""The kinds of hostile inputs: how each is made, what reads it, and which exceptions that may raise."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import Message
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from flask import Flask
from werkzeug.datastructures import MultiDict

from app.base.links import TurnLink
from app.base.stored.database import Database
from app.base.words.numbers import whole
from app.base.words.refusals import NoSuch
from app.clocks.pace import DAY, Pace, Stage, read_ladder, read_pace, write_pace
from app.leagues.clubs import lists, sheets
from app.leagues.clubs.members import BadLines
from app.leagues.pure.term_kinds import read_points
from app.leagues.pure.terms import read_terms
from app.people.accounts import read_address, read_name
from app.play.replies import words
from app.play.turn.playing import read_standing
from app.post.inbound import gate, reading, reports
from app.post.inbound.above import OurMarkers
from app.post.inbound.incoming import Incoming
from app.post.letters.reply_addresses import REPLIES, Tags
from app.post.webhooks import wire
from app.time.paces import read_days, read_json
from app.titles.registry import TITLES
from app.web import visit
from app.web.gates import request_limits
from engine.kernel import records
from engine.kernel.records import NotARecord, RecordRefused
from engine.kernel.refusals import Refusal
from tests.support.acres_games import positions
from tests.support.asked import hostile_files, spoilt
from tests.support.hostile import NUMBERS, VALUES, all_forms
from tests.support.inbound import way_in
from tests.support.letters import ORDERS, SAID, Writer
from tests.support.new_world_games import random_game
from tests.support.tables import KEYS, LINKS, NOW, load, start
from tests.support.watchful import MARKED

RECORDS = Path(__file__).resolve().parents[1] / "records"
LETTERS = "abc é½²٣,;:\"'<>&\\/()[]{}\t\n\r%+-=*@.0199\u202e\ufeff\x07\x7f😀ßİ\ud800"
PLACES = ("", " ", "\n", ",", ";", ":", "(", ")", "and", "x2", "#", "//", "-", "2", "²", "12")


@dataclass(frozen=True)
class Kind:
    """A kind of input. `share` is its number relative to the others."""

    name: str
    share: int
    make: Callable[[random.Random], Any]
    read: Callable[[Any], object]
    refuses: tuple[type[Exception], ...] = (Refusal,)


# -- how inputs are made ------------------------------------------------------------------------------


def value(chooser: random.Random) -> str:
    """Return one of the prepared values."""
    return chooser.choice(MARKED if chooser.random() < 0.3 else VALUES)


def bent(text: str, chooser: random.Random) -> str:
    """Return a text with letters cut out, doubled, swapped or foreign."""
    for _ in range(chooser.choice((1, 1, 2, 4))):
        at = chooser.randrange(len(text) + 1)
        end = min(len(text), at + chooser.randint(1, 12))
        way = chooser.randrange(7)
        if way == 0:
            text = text[:at] + text[end:]
        elif way == 1:
            text = text[:end] + text[at:]
        elif way == 2:
            text = text[:at] + chooser.choice(LETTERS) + text[at:]
        elif way == 3:
            text = text[:at] + chooser.choice(LETTERS) + text[at + 1 :]
        elif way == 4:
            text = text[:at] + value(chooser)[:300] + text[end:]
        elif way == 5:
            text = text[:at] + chooser.choice(PLACES) + text[at:]
        else:
            parts = text.split(" ")
            chooser.shuffle(parts)
            text = " ".join(parts)
    return text


def bent_data(data: Any, chooser: random.Random) -> Any:
    """Return JSON data with one place replaced."""
    if isinstance(data, dict) and data and chooser.random() < 0.9:
        key = chooser.choice(list(data))
        way = chooser.random()
        if way < 0.1:
            return {name: one for name, one in data.items() if name != key}
        if way < 0.15:
            return {**data, value(chooser)[:50]: data[key]}
        return {**data, key: bent_data(data[key], chooser)}
    if isinstance(data, list) and data and chooser.random() < 0.9:
        at = chooser.randrange(len(data))
        way = chooser.random()
        if way < 0.1:
            return data[:at] + data[at + 1 :]
        if way < 0.15:
            return [*data[: at + 1], *data[at:]]
        return [*data[:at], bent_data(data[at], chooser), *data[at + 1 :]]
    if isinstance(data, str) and chooser.random() < 0.6:
        return bent(data, chooser)
    if isinstance(data, int) and chooser.random() < 0.5:
        return data + chooser.choice((-1, 1, 10**9, -(10**20)))
    return chooser.choice((None, True, 0, -1, 1.5, 1e308, [], {}, [[]], {"a": 1}, "", data, [data], value(chooser)))


# -- orders, records ----------------------------------------------------------------------------------


@cache
def _positions() -> list[tuple[Any, Any, str, list[str]]]:
    """Return titles and states of their games, with who decides and playable lines."""
    found: list[tuple[Any, Any]] = [(TITLES["acres"], state) for state in positions("first", 2, 31)]
    for seats in (2, 4):
        random_game(seats, seats, look=lambda state: found.append((TITLES["new-world"], state)))
    some = []
    for title, state in random.Random(1).sample(found, 150):
        due = title.decision(state)
        if due is None:
            continue
        legal = [one for item in title.legal(state) for one in getattr(item, "smallest", lambda item=item: [item])()]
        some.append((title, state, due.seat, [title.write(state, one) for one in legal[:40]]))
    return some


def _line(chooser: random.Random) -> tuple[Any, ...]:
    title, state, seat, lines = chooser.choice(_positions())
    other = chooser.choice(_positions())[3]
    line = chooser.choice(lines if chooser.random() < 0.8 else other)
    return title, state, seat, value(chooser) if chooser.random() < 0.1 else bent(line, chooser)


def _read_line(given: tuple[Any, ...]) -> None:
    title, state, seat, line = given
    action = title.read(state, seat, line)
    title.check(state, seat, action)
    title.read(state, seat, title.write(state, action))


def _standing(chooser: random.Random) -> tuple[Any, list[str]]:
    title, _, _, lines = chooser.choice(_positions())
    known = (
        "play my only action", "lay my only place without settler", "raid on pemaquid: block with any except rangers",
        "raid: ask", "siege of quebec: leave", lines[0],
    )  # fmt: skip
    lines = chooser.sample(known, chooser.randint(1, 2))
    return title, [line if chooser.random() < 0.4 else bent(line, chooser) for line in lines]


@cache
def _records() -> list[Any]:
    """Return short games: of long ones the first turns."""
    found = []
    for path in sorted(RECORDS.glob("*/*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        for most in (2, 6):
            found.append({**data, "turns": data["turns"][:most], "result": None})
    return found


def _record(chooser: random.Random) -> str:
    data = chooser.choice(_records())
    for _ in range(chooser.choice((1, 1, 2))):
        data = bent_data(data, chooser)
    text = json.dumps(data)
    return bent(text, chooser) if chooser.random() < 0.1 else text


def _read_record(text: str) -> None:
    records.verify(records.load(text, TITLES))


# -- links, addresses, numbers ------------------------------------------------------------------------

_TAGS = Tags("Post Road <post@example.org>", KEYS)


@cache
def _tokens() -> list[str]:
    turn = LINKS.turn_token(TurnLink(1, "british", 1, 1))
    more = [LINKS.unsubscribe(1, "turns"), LINKS.turns_again(1), LINKS.erase(1, 5), LINKS.leave(1, NOW, 1, 1)]
    return [turn, *(one.rpartition("/")[2] for one in more), LINKS.sign("waiting", [1, 1])]


def _token(chooser: random.Random) -> str:
    token = chooser.choice(_tokens())
    return token if chooser.random() < 0.05 else bent(token, chooser)


def _read_token(token: str) -> None:
    for read in _READERS:
        try:
            read(token)
        except NoSuch:
            continue


_READERS: tuple[Callable[[str], object], ...] = (
    LINKS.read_turn, LINKS.read_unsubscribe, LINKS.read_turns_again, LINKS.read_leave,
    lambda token: LINKS.read_asked("erase", token), lambda token: LINKS.read_asked("waiting", token),
    lambda token: LINKS.read("zone", token),
)  # fmt: skip


def _address(chooser: random.Random) -> str:
    return bent(chooser.choice(("ann@example.org", _TAGS.address(REPLIES, 3), "á@münchen.example", "a.b@c")), chooser)


def _read_address(text: str) -> None:
    _TAGS.read(text)
    _TAGS.is_ours(text)
    read_address(text)


_SMALL: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("Ann Smith", read_name), ("12", whole), ("0.5", lambda text: read_points("on_win", text)), ("7", read_days),
    ("https://example.org/hook?a=b", wire.read_url),
    ("/clubs/acres?x=1", visit.local_path), ("end", words.read), (SAID, words.read),
)  # fmt: skip


def _small(chooser: random.Random) -> tuple[Callable[[str], object], str]:
    good, read = chooser.choice(_SMALL)
    return read, value(chooser) if chooser.random() < 0.2 else bent(good, chooser)


_LATE = Stage(0, "late", ("claim",))
_PACE = write_pace(Pace(decision=7 * DAY, bank=2 * DAY, increment=DAY, cap=9 * DAY, stages=(_LATE,)))
_TERMS = {
    "rounds": 3, "legs": 2, "worth": ["3", 1, 0], "sizes": [3, 4, 5], "places": {"4": [3, 2, 1, 0]},
    "withdrawal": "annul", "limit": 5, "reach": 2, "on_win": "takes", "rated": True,
}  # fmt: skip
_DATA: tuple[tuple[Any, Callable[[Any], object]], ...] = (
    (_PACE, read_pace), (json.dumps(_PACE), read_json), ([{"before": "P1D"}], read_ladder), (_TERMS, read_terms),
)  # fmt: skip


def _data(chooser: random.Random) -> tuple[Callable[[Any], object], Any]:
    good, read = chooser.choice(_DATA)
    if isinstance(good, str):
        return read, bent(json.dumps(bent_data(json.loads(good), chooser)), chooser)
    return read, bent_data(good, chooser)


def _apply(given: tuple[Callable[[Any], object], Any]) -> None:
    read, what = given
    if read in (read_pace, read_terms) and not isinstance(what, Mapping):
        return  # they get what `read_json` or a form has made
    read(what)


# -- forms, JSON, files -------------------------------------------------------------------------------


def _form(chooser: random.Random) -> tuple[Any, MultiDict[str, str]]:
    form = chooser.choice(sorted(all_forms(), key=lambda one: f"{one.__module__}.{one.__qualname__}"))
    sent = []
    for name, about in form.model_fields.items():
        for _ in range(chooser.choice((0, 1, 1, 1, 2))):
            text = chooser.choice(NUMBERS) if chooser.random() < 0.2 else value(chooser)
            sent.append((chooser.choice((about.alias or name, f"{about.alias or name}.{text[:30]}")), text))
    return form, MultiDict(sent)


def _read_form(given: tuple[Any, MultiDict[str, str]]) -> None:
    form, sent = given
    with _APP.test_request_context("/", method="POST"):
        form.of(sent)


def _json(chooser: random.Random) -> bytes:
    good = {"orders": "\n".join(ORDERS), "decision": 1, "seen": [1, {"a": None}]}
    text = json.dumps(bent_data(good, chooser))
    return spoilt(text.encode(), chooser) if chooser.random() < 0.5 else text.encode()


def _read_json(body: bytes) -> None:
    with _APP.test_request_context("/", method="POST", data=body, content_type="application/json"):
        request_limits.json_object()


_APP = Flask(__name__)
_APP.request_class = request_limits.Intake
_ROWS = 'address,name,role,language\nann@example.org,Ann,member,en\nbea@example.org,"Bea, B.",organiser,fr\n'


def _list(chooser: random.Random) -> str:
    return value(chooser) if chooser.random() < 0.05 else bent(_ROWS, chooser)


def _read_list(text: str) -> None:
    lists.guessed(sheets.read_text(text))


def _file(chooser: random.Random) -> bytes:
    small = [one for one in hostile_files() if len(one) < 20_000]
    content = chooser.choice(small if chooser.random() < 0.98 else hostile_files())
    return content if chooser.random() < 0.05 else spoilt(content, chooser)


def _read_file(content: bytes) -> None:
    sheet = sheets.read(content)
    again = sheets.read_text(sheet.text)
    assert again.heading == sheet.heading and again.rows == sheet.rows, "not the same when it comes back"
    lists.guessed(sheet)


# -- mails --------------------------------------------------------------------------------------------


def mail(chooser: random.Random, numbers: Iterator[int], texts: tuple[str, ...] = ORDERS) -> bytes:
    """Return a mail of a person or a program, spoilt."""
    writer = Writer(next(numbers))
    text = "\n".join(bent(chooser.choice(texts), chooser) for _ in range(chooser.randint(1, 3)))
    text = text.encode("utf-8", "replace").decode()
    good = writer.text(text)
    if chooser.random() < 0.3:
        kind = chooser.choice(("text/html", "text/plain; charset=x", "multipart/mixed; boundary=a", "message/rfc822"))
        good = writer.raw(kind, chooser.choice(("base64", "8bit", "quoted-printable", "x")), text.encode(), "X: y")
    head, mark, body = good.partition(b"\n\n")
    way = chooser.random()
    if way < 0.3:
        return spoilt(head, chooser) + mark + body
    if way < 0.6:
        return head + mark + spoilt(body, chooser)
    return spoilt(good, chooser) if way < 0.9 else good


def _read_mail(raw: bytes) -> None:
    """Read everything that is read from a mail before its player is known."""
    came = Incoming(raw, None, None)
    assert isinstance(came.message, Message)
    said = came.key, came.author, came.envelope_sender, came.recipients
    assert said and came.is_report | came.is_automatic | came.is_bulk in (True, False)
    reports.read(came)
    reading.read(came.message, OurMarkers(_TAGS.is_ours, "post@example.org", ("-- write above --",)))


@contextmanager
def on_database(url: str) -> Iterator[list[Kind]]:
    """Yield the kinds of incoming mails, to a server with games of both titles on this database."""
    database, numbers, moments = Database(url), count(1), count(1)
    games = [start(database, "acres"), start(database, "new-world")]
    with way_in(database) as way:
        way.send(NOW)

        def make(chooser: random.Random) -> tuple[bytes, str, str]:
            game = load(database, chooser.choice(games))
            _, _, _, lines = chooser.choice(_positions())
            raw = mail(chooser, numbers, (*lines, "preview", "undo", "help", "chat hello", "yes", "end"))
            to = way.reply_address(chooser.randrange(len(way.sink.taken))) if game else ""
            to = bent(to, chooser) if chooser.random() < 0.2 else to
            return raw, to, value(chooser) if chooser.random() < 0.1 else "alice@example.org"

        def read(given: tuple[bytes, str, str]) -> None:
            raw, to, sender = given
            gate.take(way.server, Incoming(raw, sender, to), _moment(next(moments)))

        yield [Kind("mails", 20, make, read)]
    database.close()


def _moment(number: int) -> datetime:
    return NOW + timedelta(minutes=number)


KINDS = (
    Kind("orders", 400, _line, _read_line),
    Kind("standing", 40, _standing, lambda given: read_standing(*given)),
    Kind("records", 20, _record, _read_record, (NotARecord, RecordRefused, Refusal)),
    Kind("links", 100, _token, _read_token),
    Kind("addresses", 100, _address, _read_address),
    Kind("small", 150, _small, _apply, (Refusal, wire.BadUrl)),
    Kind("terms", 60, _data, _apply),
    Kind("forms", 60, _form, _read_form),
    Kind("json", 40, _json, _read_json),
    Kind("lists", 40, _list, _read_list, (Refusal, BadLines)),
    Kind("files", 10, _file, _read_file),
    Kind("letters", 30, lambda chooser: mail(chooser, count(1)), _read_mail),
)
