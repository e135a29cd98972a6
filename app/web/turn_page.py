"""A turn as a page for a person: what happened, the position as text, and a box for orders."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Response, redirect, request

from app.links import TurnLink
from app.services import turns
from app.store import GameNow, GameStore, NoSuchGame
from app.web.reader import page, voice_of, voice_of_request
from app.web.turn_json import turn_as_json

if TYPE_CHECKING:
    from app.house import House


def show(
    house: House, token: str, game: GameNow, seat: str, *, orders: str = "", error: str = "", status: int = 200
) -> Response:
    """The decision that is asked, with the form; filled and with the reason after a refusal."""
    voice = voice_of(game.seated(seat), game.title)
    with house.database.read() as connection:
        store = GameStore(connection)
        happened = turns.what_happened(store, game, seat, voice, store.last_own_entry(game.id, seat))
    data = turn_as_json(game, seat)
    board = game.title.board(data["view"], voice)
    return page(
        "turn.html",
        voice,
        status,
        game=game,
        seat=voice.name("seat", seat),
        token=token,
        happened=happened,
        board=board,
        legal=data["legal"],
        orders=orders,
        error=error,
    )


def submit(house: House, token: str, link: TurnLink) -> Response:
    """The form was sent: on to the next decision, or back to the form with the reason."""
    from app.web.turn_api import next_link, unknown

    orders = request.form.get("orders", "")
    try:
        if request.form.get("decision") != str(link.number):
            game = turns.look(house.database, link)
            voice = voice_of(game.seated(link.seat))
            message = voice.gettext("The form was of another decision; look at this one and send it again.")
            return show(house, token, game, link.seat, orders=orders, error=message, status=409)
        played = turns.play_turn(house.database, link, orders, now=datetime.now(UTC))
    except NoSuchGame:
        return unknown()
    except turns.LinkEnded as over:
        return ended(house, token, over)
    except turns.AlreadyDecided as decided:
        return ended(house, token, turns.LinkEnded(decided.game, link.seat, decided.game.entries), status=409)
    except turns.OrdersRefused as refused:
        game = refused.game
        said = turns.refusal_in_words(voice_of(game.seated(link.seat), game.title), refused.refused)
        return show(
            house,
            token,
            game,
            link.seat,
            orders=orders,
            error=_in_line(voice_of(game.seated(link.seat)), said),
            status=422,
        )
    following = next_link(played)
    if played.refused is not None and following:
        next_token = following.rpartition("/")[2]
        voice = voice_of(played.game.seated(link.seat))
        kept = voice.ngettext(
            "{n} line was played and stays.",
            "{n} lines were played and stay.",
            len(played.played),
            n=len(played.played),
        )
        rest = "\n".join(orders.splitlines()[-1:])
        message = f"{_in_line(voice, played.refused)} {kept}"
        return show(house, next_token, played.game, link.seat, orders=rest, error=message, status=422)
    if following:
        return redirect(following.removeprefix(house.links.base_url), 303)  # type: ignore[return-value]
    return _done(house, played, link)


def _in_line(voice: Any, said: dict[str, Any]) -> str:
    return str(voice.gettext("Line {n}: {why}", n=said["line"], why=said["message"]))


def _done(house: House, played: turns.TurnPlayed, link: TurnLink) -> Response:
    game, voice = played.game, voice_of(played.game.seated(link.seat), played.game.title)
    view = game.title.view(game.state, link.seat)
    decides = voice.name("seat", game.decides) if game.decides else ""
    return page("turn_done.html", voice, game=game, board=game.title.board(view, voice), decides=decides)


def ended(house: House, token: str, over: turns.LinkEnded, status: int = 200) -> Response:
    """The link has ended: what a spectator may see, who moved since, and a button for the current link."""
    game = over.game
    voice = voice_of_request().about(game.title)
    with house.database.read() as connection:
        happened = turns.what_happened(GameStore(connection), game, None, voice, over.since)
    board = game.title.board(game.title.view(game.state, None), voice)
    return page("turn_ended.html", voice, status, game=game, token=token, happened=happened, board=board)
