"""The turn page while a sealed turn is held: when it will be played, its contents, and the two buttons."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Response
from sqlmodel import Session

from app.games.store import GameStore
from app.play.lists.scores import points
from app.play.pages.onward import onward
from app.play.pages.turn.page import drafted_lines
from app.play.turn import drafts
from app.play.turn.holding import HeldTurn
from app.titles.boards import board_svg
from app.titles.pages import parts_of
from app.web.reader import name_asked, page, voice_of, without_turns
from engine.kernel.text import N_

ALREADY_HELD = N_("Your turn is sealed already and goes out soon. Take it back first to send other orders.")


def drawn(session: Session, token: str, held: HeldTurn, *, sent: bool = False, status: int = 200) -> Response:
    """Show what is held, as far as possible without chance or anybody's answer: its lines in words, and the board as
    they leave it until then."""
    game, seat = held.game, held.link.seat
    voice = voice_of(game.seated(seat), game.title)
    me, following = onward(session, voice, game.id, held.link.player, by_link=sent)
    answered = GameStore(session).own_answers(game.id, seat, 1)
    ahead = drafts.play_ahead(game.title, game.state, seat, held.lines)
    drafted = drafted_lines(game.title, ahead)
    view, seated = game.title.view(ahead.state, seat), game.seated(seat)
    after = next((one["preview"]["view"] for one in drafted if one["shows"] and one["preview"]), view)
    return page(
        "play/turn/held.html",
        voice,
        status,
        game=game,
        token=token,
        seat=seat,
        held=held,
        now=datetime.now(UTC),
        complaint=voice.gettext(ALREADY_HELD) if status == 409 else "",
        drafted=drafted,
        parts=parts_of(game.title.id, voice.lang).among(voice.names_of(game.seats)),
        view=view,
        picture=board_svg(game.title.id, after, voice),
        text_board=game.title.board(after, voice.among(game.seats), faces=True),
        me=me,
        next=following,
        points=points(game.view(seat)),
        chooses=seated.player_id is not None and seated.hold_minutes is None,
        turns_again=without_turns(seated.player_id, wants=seated.wants_turns),
        naming=None if answered else name_asked(seated.player_id, seated.name, f"/t/{token}"),
    )
