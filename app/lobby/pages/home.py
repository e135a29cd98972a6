"""The first page: what this is, and a game at once."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, request

from app.base.refusals import NotAccepted
from app.games.store import GameStore, NoSuchGame
from app.people.accounts import read_address
from app.people.pages import has_mailbox
from app.play import starting
from app.titles.registry import TITLES
from app.web import visit
from app.web.csrf import csrf
from app.web.reader import house
from engine.kernel.text import Text

blueprint = Blueprint("home", __name__)
csrf.exempt(blueprint)  # the form goes through `session.attempt`, which keeps what was typed

EXAMPLES = ("alice@example.org", "bob@example.org")
"""Addresses of people who do not exist."""


@blueprint.get("/")
def home() -> Response:
    """What this is, in three sentences, and how to begin."""
    return _home()


def titles() -> list[tuple[str, str]]:
    """All titles, by id and name."""
    voice = visit.voice()
    return [(title.id, voice.gettext(title.name)) for title in TITLES.values()]


def _home(error: str = "", status: int = 200) -> Response:
    quick = has_mailbox()
    most = max(title.most_seats for title in TITLES.values())
    typed = request.form.getlist("address") if request.method == "POST" else list(EXAMPLES)
    addresses = [*typed, *[""] * most][:most]
    filled = {"title": request.form.get("title", ""), "addresses": addresses}
    return visit.show("home/home.html", status, quick=quick, titles=titles(), filled=filled, error=error)


@blueprint.post("/start")
def start() -> Response:
    """A game between any addresses, at once: only where all mails stay in the embedded mailbox."""
    if not has_mailbox():
        abort(404)

    def act() -> Response:
        title = starting.find_title(request.form.get("title", ""))
        addresses = [read_address(given) for given in request.form.getlist("address") if given.strip()]
        if len({address.lower() for address in addresses}) < len(addresses):
            raise NotAccepted("table.address_twice", Text("Each address can be invited to one seat only."))
        if not title.least_seats <= len(addresses) <= title.most_seats:
            raise NotAccepted(
                "table.seats",
                Text(
                    "{title} is for {least} to {most} players, and here are {n} addresses.",
                    title=Text(title.name), least=title.least_seats, most=title.most_seats, n=len(addresses),
                ),
            )  # fmt: skip
        seats = list(zip(title.seats, addresses, strict=False))
        language = visit.voice().lang
        game_id = starting.new_game(house().database, title.id, seats, language=language, now=visit.now())
        return redirect(f"/start/{game_id}", 303)  # type: ignore[return-value]

    return visit.attempt(act, _home)


@blueprint.get("/start/<number:game_id>")
def started(game_id: int) -> Response:
    """Where the first mail is."""
    if not has_mailbox():
        abort(404)
    try:
        with house().database.read() as session:
            game = GameStore(session).load(game_id)
    except NoSuchGame:
        abort(404)
    address = game.seated(game.decides).address if game.decides else ""
    return visit.show("home/started.html", game=game, address=address)
