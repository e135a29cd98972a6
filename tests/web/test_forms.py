"""The kit of forms: types of fields, a form that comes back, tokens, and refusals with their status."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import pytest
from flask import Flask, Response
from jinja2 import ChoiceLoader, FileSystemLoader
from werkzeug.datastructures import MultiDict

from app.base.process.config import load
from app.base.words.i18n import LANGUAGES
from app.base.words.refusals import Conflict, LinkExpired, NoSuch, NotAccepted, NotAllowed
from app.base.words.speech import Voice
from app.server.factory import create_app
from app.web import visit
from app.web.forms import (
    Count,
    Day,
    Field,
    Form,
    Id,
    Ids,
    Line,
    Lines,
    Numbers,
    Reads,
    Says,
    Tick,
    Typed,
    answers,
    read_count,
)
from app.web.reader import page
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Text
from tests.support.people import BASE
from tests.support.tables import KEYS


class Everything(Form):
    """A field of each type."""

    marks: ClassVar = {"engine": "name"}

    id: Id = 1
    ids: Ids
    rounds: Annotated[Sequence[int], Numbers(99)] = ()
    even: Annotated[int, Reads(lambda given: read_count(given) * 2)] = 2
    days: Annotated[int, Count(1, 60)] = 7
    name: Annotated[str, Line(10)] = Field("", title="Name", description="As the others see it")
    text: Annotated[str, Lines(20)] = ""
    until: Day | None = None
    sure: Tick
    kind: Literal["round", "square"] = "round"
    answer: Annotated[Literal["yes", "no"], Says("answer.none", Text("There is nothing at this address."))] = "no"
    free: Typed = Field("", alias="pace.free")
    offer: dict[str, str]


def test_a_form_is_read_once_and_then_typed() -> None:
    sent = MultiDict(
        [
            ("id", " 12 "), ("ids", "3"), ("ids", "4"), ("days", "60"), ("rounds", "3, 5 7"), ("even", "4"),
            ("name", " a \u202e b\n"), ("text", "\r\na\r\nb\r\n"),
            ("until", "2026-12-24"), ("sure", "on"), ("kind", "square"), ("answer", "yes"), ("pace.free", " x"),
            ("offer.british", "me"), ("offer.french", "mail"), ("other", "1"),
        ]
    )  # fmt: skip
    assert Everything.of(sent) == Everything(
        id=12, ids=[3, 4], rounds=[3, 5, 7], even=8, days=60,
        name="a b", text="a\nb", until=date(2026, 12, 24), sure=True, kind="square",
        answer="yes", free=" x", offer={"british": "me", "french": "mail"},
    )  # fmt: skip


def test_an_empty_field_is_its_default() -> None:
    empty = MultiDict({"id": "", "days": "  ", "until": "", "kind": ""})
    assert Everything.of(empty) == Everything(ids=[], sure=False, offer={})


@pytest.mark.parametrize(
    ("name", "typed", "code", "said"),
    [
        ("id", "²", "form.number", "“²” is not a whole number (0 or more)."),
        ("id", "9" * 11, "form.number", "“99999999999” is not a whole number (0 or more)."),
        ("rounds", "3, 100", "form.numbers", "Write whole numbers with commas between them, such as 3, 5."),
        ("even", "x", "form.number", "“x” is not a whole number (0 or more)."),
        ("ids", "x", "form.number", "“x” is not a whole number (0 or more)."),
        ("days", "61", "form.number", "“61” is not a whole number from 1 to 60."),
        ("name", "x" * 11, "form.long", "Your text has 11 characters; the limit is 10."),
        ("text", "x" * 21, "form.long", "Your text has 21 characters; the limit is 20."),
        ("until", "2026-02-30", "form.day", "“2026-02-30” is not a date such as 2026-12-24."),
        ("kind", "oval", "form.choice", "Choose one of what is offered."),
        ("answer", "perhaps", "answer.none", "There is nothing at this address."),
    ],
)
def test_bad_input_is_refused_with_a_sentence_in_every_language(name: str, typed: str, code: str, said: str) -> None:
    with pytest.raises(NotAccepted) as no:
        Everything.of(MultiDict({name: typed}))
    assert (no.value.code, no.value.field, Voice().say(no.value.why)) == (code, name, said)
    assert len({Voice(lang).say(no.value.why) for lang in LANGUAGES}) == len(LANGUAGES)


# -- on pages -------------------------------------------------------------------------------------------

REFUSED = {
    "engine": IllegalAction("engine.rule", Text("“{zone}” is a word.", zone="x")),
    "late": Conflict("late.changed", Text("“{zone}” is a word.", zone="x")),
    "role": NotAllowed("club.role", Text("Only an owner of the club gives roles.")),
    "gone": LinkExpired("link.over", Text("This case is settled already; nothing was changed.")),
    "missing": NoSuch(7),
}


@pytest.fixture
def app(sqlite_url: str, tmp_path: Path) -> Iterator[Flask]:
    """The server with one page more, whose form is refused as its name says."""
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load(environ, tmp_path))
    (tmp_path / "form.html").write_text(
        "{% extends 'web/frame.html' %}{% block main %}{{ complaint(error) }}{{ token() }}"
        "{{ field(form, 'name') }}{{ field(form, 'days', 'number') }}{{ field(form, 'sure', 'tick', label='Sure') }}"
        "{{ field(form, 'kind', 'choice', [('round', 'R'), ('square', 'S')], label='Kind') }}"
        "[{{ where }}]{% endblock %}"
    )
    assert app.jinja_loader is not None
    app.jinja_loader = ChoiceLoader([app.jinja_loader, FileSystemLoader(tmp_path)])

    @app.get("/form/<number:which>")
    def shown(which: int) -> Response:
        return visit.show("form.html", form=Everything.shown(name="Ann", days=which))

    @app.post("/form/<number:which>/<part>")
    @answers(Everything, again=shown, where="here", anyone=True)
    def act(form: Everything, which: int, part: str) -> Response:
        if form.name in REFUSED:
            raise REFUSED[form.name]
        return page("message.html", Voice(), heading="", message=f"{form.name}, {form.days}")

    yield app
    app.extensions["postroad"].database.close()


def post(app: Flask, name: str, days: str = "3", token: str | None = None) -> tuple[int, str]:
    """Status and page after a form was sent, with the token of its page where none is given."""
    client = app.test_client()
    found = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/form/5").text)
    assert found
    data = {"name": name, "days": days, "kind": "square", "csrf_token": found[1] if token is None else token}
    answer = client.post("/form/5/x", data=data)
    return answer.status_code, answer.text


def test_a_form_shows_what_stands_there_with_label_and_hint(app: Flask) -> None:
    text = app.test_client().get("/form/5").text
    assert '<label for="name">Name</label>' in text
    assert '<p class="hint" id="name-hint">As the others see it</p>' in text
    assert '<input type="text" id="name" name="name" value="Ann" aria-describedby="name-hint">' in text
    assert '<input type="number" id="days" name="days" value="5">' in text and "aria-invalid" not in text


def test_a_form_that_is_right_is_acted_on(app: Flask) -> None:
    status, text = post(app, "Bea")
    assert status == 200 and "Bea, 3" in text


@pytest.mark.parametrize(
    ("name", "days", "wrong", "status"),
    [("Bea", "²", "days", 422), ("engine", "9", "name", 422), ("late", "9", "", 409)],
)
def test_a_form_that_is_refused_comes_back_filled_with_its_field_marked(
    app: Flask, name: str, days: str, wrong: str, status: int
) -> None:
    answer, text = post(app, name, days)
    assert answer == status and 'id="complaint" role="alert"' in text and "[here]" in text
    assert f'value="{name}"' in text and f'value="{days}"' in text and '<option value="square" selected>' in text
    marked = re.findall(r'name="(\w+)" value="[^"]*" aria-invalid="true" aria-describedby="[^"]*complaint"', text)
    assert marked == ([wrong] if wrong else [])


def test_without_its_token_a_form_comes_back_filled(app: Flask) -> None:
    status, text = post(app, "Bea", "4", token="x")
    assert status == 400 and "form has expired" in text and 'value="Bea"' in text and 'value="4"' in text


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("role", 403, "Only an owner of the club gives roles."),
        ("missing", 404, "There is nothing at this address."),
        ("gone", 410, "This case is settled already; nothing was changed."),
    ],
)
def test_what_no_form_can_mend_has_a_page_of_its_own(app: Flask, name: str, status: int, said: str) -> None:
    answer, text = post(app, name)
    assert answer == status and said in text and "<form" not in text.partition("<main")[2].partition("</main>")[0]
    client = app.test_client()
    found = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/form/5").text)
    assert found
    data, headers = {"name": name, "csrf_token": found[1]}, {"Accept": "application/json"}
    told = client.post("/form/5/x", data=data, headers=headers)
    assert told.status_code == status and told.get_json()["error"]["message"] == said
