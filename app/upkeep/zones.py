"""Time zones that were stored and that this machine does not know (any more): their hours count as those of UTC."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import col

from app.clocks.zones import known
from app.games.tables import Game, GameStatus
from app.leagues.tables import Club, Competition, CompetitionStatus
from app.people.tables import Player
from app.time.tables import Leave

if TYPE_CHECKING:
    from sqlmodel import Session

_OVER = (CompetitionStatus.OVER, CompetitionStatus.CANCELLED)
_NAMED = {"players": Player, "clubs": Club, "stretches of leave": Leave}
_PACED = {
    "games": (Game.pace, col(Game.status).in_((GameStatus.OPEN, GameStatus.RUNNING))),
    "events": (Competition.pace, col(Competition.status).not_in(_OVER)),
}


def unknown(session: Session) -> dict[str, Counter[str]]:
    """The names, and how many rows of what have each: `{"Asia/Calcutta": {"players": 2, "games": 1}}`."""
    found: dict[str, Counter[str]] = {}

    def count(zone: str, what: str, number: int) -> None:
        if known(zone) is None:
            found.setdefault(zone, Counter())[what] += number

    for what, model in _NAMED.items():
        for zone, number in session.execute(sa.select(col(model.zone), sa.func.count()).group_by(col(model.zone))):
            count(zone, what, number)
    for what, (pace, is_current) in _PACED.items():
        raw = sa.type_coerce(pace, sa.Text)
        asked = sa.select(raw, sa.func.count()).where(is_current, raw.like('%"zone"%')).group_by(raw)
        for text, number in session.execute(asked):
            count(json.loads(text).get("zone", "UTC"), what, number)
    return found


def in_words(found: dict[str, Counter[str]]) -> str:
    """As operators read it: `Asia/Calcutta: 2 players, 1 games`."""
    return "; ".join(
        f"{zone}: {', '.join(f'{number} {what}' for what, number in counted.items())}"
        for zone, counted in sorted(found.items())
    )
