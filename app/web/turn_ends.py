"""Turn pages with nothing to decide: the orders are on their way, or the link has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response

from app.services import turns
from app.store import GameNow, GameStore
from app.web.reader import page, voice_of, voice_of_request
from app.web.turn_page import picture

if TYPE_CHECKING:
    from app.house import House
    from app.speech import Voice
    from app.web.turn_form import Complaint

MOST_SINCE = 60


def done(house: House, played: turns.TurnPlayed, complaint: Complaint | None) -> Response:
    """The orders are on their way: what they brought, and who decides now."""
    game, seat = played.game, played.seat
    voice = voice_of(game.seated(seat), game.title)
    with house.database.read() as connection:
        store = GameStore(connection)
        happened = turns.what_happened(store, game, seat, voice, store.entry_before_own(game.id, seat))
    view = game.title.view(game.state, seat)
    return page(
        "turn/done.html", voice, 200 if complaint is None else 422,
        game=game, complaint=complaint, happened=happened, decides=_who(game, voice, game.decides),
        picture=picture(game.title, view, voice, frozenset()), text_board=game.title.board(view, voice),
    )  # fmt: skip


def _who(game: GameNow, voice: Voice, seat: str | None) -> str:
    """The player in a seat by name, or the seat's name where nobody sits."""
    return "" if seat is None else voice.who(game.seated(seat))


def ended(house: House, token: str, over: turns.LinkEnded, status: int = 200) -> Response:
    """The link has ended: what a spectator may see, who moved since, and a button for the current link."""
    game = over.game
    voice = voice_of_request().about(game.title)
    since = []
    with house.database.read() as connection:
        for _, at, step in GameStore(connection).log(game.title, game.id, over.since):
            said = turns.said_of(game, step.told, None, voice)
            if said:
                since.append({"who": _who(game, voice, step.seat), "at": at, "said": said})
    view = game.title.view(game.state, None)
    return page(
        "turn/ended.html", voice, status,
        game=game, token=token, since=since[-MOST_SINCE:], decided=status == 409,
        decides=_who(game, voice, game.decides),
        picture=picture(game.title, view, voice, frozenset()), text_board=game.title.board(view, voice),
    )  # fmt: skip
