"""The first page: what this is, and a game at once."""

from __future__ import annotations

from typing import ClassVar

from flask import Blueprint, Response

from app.base.refusals import NoSuch
from app.games.store import GameStore
from app.people.pages import has_mailbox
from app.play import starting
from app.titles.registry import TITLES
from app.web import visit
from app.web.forms import Form, Typed, answers, on_to
from app.web.reader import house

blueprint = Blueprint("home", __name__)

EXAMPLES = ("alice@example.org", "bob@example.org")
"""Addresses of people who do not exist."""


class StartForm(Form):
    """A title, and the addresses of the players."""

    marks: ClassVar = {"table": "address"}

    title: Typed = ""
    address: list[str]


@blueprint.get("/")
def home() -> Response:
    """What this is, in three sentences, and how to begin."""
    most = max(title.most_seats for title in TITLES.values())
    form = StartForm.shown(address=[*EXAMPLES])
    addresses = [*form.address, *[""] * most][:most]
    return visit.show("home/home.html", quick=has_mailbox(), titles=titles(), form=form, addresses=addresses)


def titles() -> list[tuple[str, str]]:
    """All titles, by id and name."""
    voice = visit.voice()
    return [(title.id, voice.gettext(title.name)) for title in TITLES.values()]


@blueprint.post("/start")
@answers(StartForm, again=home, anyone=True)
def start(form: StartForm) -> Response:
    """A game between any addresses, at once: only where all mails stay in the embedded mailbox."""
    _need_mailbox()
    language = visit.voice().lang
    game_id = starting.new_game_between(house().database, form.title, form.address, language=language, now=visit.now())
    return on_to(".started", game_id=game_id)


def _need_mailbox() -> None:
    if not has_mailbox():
        raise NoSuch


@blueprint.get("/start/<number:game_id>")
def started(game_id: int) -> Response:
    """Where the first mail is."""
    _need_mailbox()
    with house().database.read() as session:
        game = GameStore(session).load(game_id)
    address = game.seated(game.decides).address if game.decides else ""
    return visit.show("home/started.html", game=game, address=address)
