"""The front page: what this is, and a game at once."""

from __future__ import annotations

from typing import Any, ClassVar

from flask import Blueprint, Response
from markupsafe import Markup

from app.base.words.refusals import NoSuch
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.lobby import front, listing
from app.lobby.pages.open_games import about_table, titles
from app.lobby.pages.shown_titles import example, shown_titles
from app.play.turn import starting
from app.titles.boards import small_svg
from app.titles.registry import TITLES
from app.web import visit
from app.web.forms import Form, Typed, answers, on_to
from app.web.local_mailbox import has_mailbox
from app.web.reader import server

blueprint = Blueprint("home", __name__)

EXAMPLES = ("alice@example.org", "bob@example.org")
"""Addresses of fictitious people."""


class StartForm(Form):
    """A title, and the addresses of the players."""

    marks: ClassVar = {"table": "address"}

    title: Typed = ""
    address: list[str]


WATCHED, FREE = 4, 4
"""The number of games to watch, and of tables with a free seat."""
ENOUGH = 3
"""From this turn on there is something to see on a board in play."""
LARGE = (344, 336)
"""Width and height on a phone of the board in play."""


@blueprint.get("/")
def home() -> Response:
    """Show what this is, how to begin, a board in play, the games, free seats, and games to watch."""
    most = max(title.most_seats for title in TITLES.values())
    form = StartForm.shown(address=[*EXAMPLES])
    addresses = [*form.address, *[""] * most][:most]
    voice = visit.voice()
    with server().database.read() as session:
        me = visit.person(session)
        running = front.being_played(session, WATCHED)
        begun = next((game for game in running if game.turn >= ENOUGH), None)
        large = None if begun is None else _watched(begun, voice, "w-", LARGE)
        games = [_watched(game, voice, f"w{n}-") for n, game in enumerate(running) if game is not begun]
        tables = listing.open_tables(session, me.id if me else None)[:FREE]
        shown = shown_titles(session, voice)
    return visit.show(
        "lobby/home.html",
        quick=has_mailbox(),
        titles=titles(),
        form=form,
        addresses=addresses,
        games=games,
        tables=[about_table(table, voice) for table in tables],
        shown=shown,
        large=large,
        example="" if large else example(shown[0].title, voice.lang, LARGE),
        learns=[one for one in shown if one.learn],
    )


def _watched(game: GameNow, voice: Voice, prefix: str, box: tuple[int, int] | None = None) -> dict[str, Any]:
    """Return a running game as the front page shows it."""
    voice = voice.about(game.title)
    view = game.view(None)
    return {"game": game, "picture": Markup(small_svg(game.title.id, view, voice, prefix=prefix, box=box))}


@blueprint.post("/start")
@answers(StartForm, again=home, anyone=True)
def start(form: StartForm) -> Response:
    """Start a game between any addresses at once: only if all mails stay in the embedded mailbox."""
    _need_mailbox()
    language = visit.voice().lang
    game_id = starting.new_game_between(server().database, form.title, form.address, language=language, now=visit.now())
    return on_to(".started", game_id=game_id)


def _need_mailbox() -> None:
    if not has_mailbox():
        raise NoSuch


@blueprint.get("/start/<number:game_id>")
def started(game_id: int) -> Response:
    """Show where the first mail is."""
    _need_mailbox()
    with server().database.read() as session:
        game = GameStore(session).load(game_id)
    address = game.seated(game.decides).address if game.decides else ""
    return visit.show("lobby/started.html", game=game, address=address)
