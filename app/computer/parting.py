"""The one sentence that the computer says, when its game is over: why, as it saw it."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.speech import Voice
from app.computer.choosing import RESIGNS
from app.computer.tables import ComputerDecision
from app.games.store import GameNow, SeatHolder
from app.games.tables import GameStatus
from app.play.tables import ChatMessage
from engine.kernel.text import N_

SURE, UNSURE = 0.6, 0.4
"""From where on it thinks that it stands better, and up to where worse."""
RESIGNED = N_("I give up: however the hidden things lie, I see no way back.")
WON = N_("I thought I stood better from decision {n} on, and it held.")
WON_LATE = N_("I did not think that I stood better until the very end.")
LOST = N_("I thought I stood worse from decision {n} on; you left me no way back.")
LOST_LATE = N_("I still thought I stood better at decision {n}; what came then I had not seen.")
EVEN = N_("I never saw either of us far ahead.")


def say(session: Session, game: GameNow, now: datetime) -> None:
    """Have each seat of the computer say its sentence in the language of the person who played; nothing about a game
    that was cancelled."""
    if game.status != GameStatus.OVER:
        return
    lang = next((one.language for one in game.seats if not one.computer), "en")
    for seated in game.seats:
        if seated.computer:
            text = _sentence(session, game, seated, Voice(lang))
            session.execute(sa.insert(ChatMessage).values(game_id=game.id, seat=seated.seat, text=text, at=now))


def said(session: Session, game: GameNow) -> list[tuple[SeatHolder, str]]:
    """Return what each seat of the computer said at the end."""
    asked = select(ChatMessage.seat, ChatMessage.text).where(col(ChatMessage.game_id) == game.id)
    rows = session.exec(asked.order_by(col(ChatMessage.id)))
    return [(game.seated(seat), text) for seat, text in rows if game.seated(seat).computer]


def _sentence(session: Session, game: GameNow, seated: SeatHolder, voice: Voice) -> str:
    outcome = game.title.outcome(game.state)
    winners = () if outcome is None else outcome.winners
    stood = course(session, game.id, seated.seat)
    if _gave_up(session, game.id, seated.seat):
        return voice.gettext(RESIGNED)
    if seated.seat in winners:
        since = _since(stood, above=True)
        return voice.gettext(WON, n=since) if since else voice.gettext(WON_LATE)
    since = _since(stood, above=False)
    if since:
        return voice.gettext(LOST, n=since)
    last = next((number for number, expected in reversed(stood) if expected >= SURE), 0)
    return voice.gettext(LOST_LATE, n=last) if last else voice.gettext(EVEN)


def course(session: Session, game_id: int, seat: str) -> list[tuple[int, float]]:
    """Return how a seat of the computer stood by its own judgement, decision by decision."""
    asked = select(ComputerDecision.number, ComputerDecision.expected).where(
        col(ComputerDecision.game_id) == game_id,
        col(ComputerDecision.seat) == seat,
        col(ComputerDecision.expected).is_not(None),
    )
    return [
        (number, expected or 0.0) for number, expected in session.exec(asked.order_by(col(ComputerDecision.number)))
    ]


def _gave_up(session: Session, game_id: int, seat: str) -> bool:
    mine = col(ComputerDecision.game_id) == game_id, col(ComputerDecision.seat) == seat
    gave_up = select(ComputerDecision.id).where(*mine, col(ComputerDecision.line) == RESIGNS).limit(1)
    return session.exec(gave_up).first() is not None


def _since(stood: list[tuple[int, float]], *, above: bool) -> int:
    """Return since which decision it stood better (or worse) throughout; 0 if it did not at the end."""
    since = 0
    for number, expected in reversed(stood):
        if expected < SURE if above else expected > UNSURE:
            break
        since = number
    return since
