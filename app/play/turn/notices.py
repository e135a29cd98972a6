"""Which mails follow from what happened. Pure: games in, planned mails out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from app.base.stored.mail_tables import OF_TIME
from app.base.stored.outbox import PlannedMail
from app.games.store import GameNow, SeatHolder

LEFT_ALONE = timedelta(minutes=5)
"""A player who answered a question and is then on turn sees the turn at once; without a move in this time, a mail
asks."""


def after_move(
    after: GameNow, actor: str | None, *, by_time: bool = False, on_turn_now: bool = False
) -> list[PlannedMail]:
    """Return the mails that a move of `actor` (None: the start) causes: to any other seat that owes now, and to all at
    the end. Ends `by_time` are told with everything else that follows from passed deadlines. `on_turn_now`: the actor
    owes another decision than the one it made, so it is mailed, too, unless it soon moves on."""
    if after.is_over:
        kind, wait = ("time_out", OF_TIME) if by_time else ("over", timedelta(0))
        told = (one for one in after.seats if one.player_id is not None)
        return [seat_mail(after, one, f"over:{after.id}:{one.seat}", kind, wait=wait) for one in told]
    assert after.decides is not None
    owes = after.seated(after.decides)
    if owes.player_id is None or (owes.seat == actor and not on_turn_now):
        return []
    mail = turn_mail(after, owes)
    # The computer answers in a moment, while a player may still be looking.
    return [replace(mail, wait=LEFT_ALONE) if owes.seat == actor or after.has_computer else mail]


def turn_mail(game: GameNow, owes: SeatHolder, *, again: str = "") -> PlannedMail:
    """Return the mail that asks a seat for the decision it owes; `again` makes another one (the link was requested
    again)."""
    key = f"turn:{game.id}:{game.number}" + (f":{again}" if again else "")
    return seat_mail(game, owes, key, "turn", {"again": True} if again else {}, number=game.number)


def seat_mail(
    game: GameNow,
    to: SeatHolder,
    key: str,
    kind: str,
    details: Mapping[str, Any] | None = None,
    *,
    number: int | None = None,
    wait: timedelta = timedelta(0),
) -> PlannedMail:
    """Return a mail about a game to the player in a seat."""
    return PlannedMail(key, kind, to.address, to.player_id, game.id, to.seat, number, details or {}, wait)
