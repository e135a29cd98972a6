"""A player's public profile: results by title and side, answer times, time-outs. Never an address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from statistics import quantiles
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.games.rating_tables import CasualRating
from app.games.tables import DecisionMade, Game, GameSeat, GameStatus
from app.people.tables import Player
from app.play.lists.ends import winners_of
from app.play.lists.privacy import IS_PUBLIC
from app.play.lists.reliability import Reliability, reliability_of, timeouts
from app.titles.registry import TITLES

NEWEST_GAMES = 200
"""Answer times come from this many of the newest games: how the player plays now, at a bounded cost."""


@dataclass(frozen=True, slots=True)
class Results:
    """Finished games of one title on one side."""

    title: Any
    seat: str
    won: int
    shared: int
    """Won together with others."""
    lost: int
    nobody: int
    """Won by nobody."""

    @property
    def games(self) -> int:
        """All games."""
        return self.won + self.shared + self.lost + self.nobody


class Profile(NamedTuple):
    """What is shown of a player."""

    id: int
    name: str
    sign: str
    since: datetime
    is_public: bool
    program_of: str | None
    """Who runs the program that plays here."""
    running: int
    results: tuple[Results, ...]
    times: list[int]
    """A quarter, half and three quarters of the answers came within these seconds; nothing while there are none."""
    answers: int
    timeouts: int
    reliability: Reliability
    casual: tuple[CasualRating, ...]
    """Ratings of games outside events."""


def find(session: Session, player_id: int) -> Profile | None:
    """Return a player's profile, public or not; None if the player does not (or no longer) exist."""
    about = col(Player.name), col(Player.sign), col(Player.created_at), col(Player.profile_is_public)
    asked = sa.select(*about, col(Player.program_of))
    known = session.execute(asked.where(col(Player.id) == player_id, col(Player.erased_at).is_(None))).first()
    if known is None:
        return None
    running, results = _results(session, player_id)
    answers = _answers(session, player_id)
    return Profile(
        player_id,
        known.name,
        known.sign,
        known.created_at,
        known.profile_is_public,
        known.program_of,
        running,
        results,
        quartiles(answers),
        len(answers),
        _timeouts(session, player_id),
        reliability_of(session, player_id),
        _casual(session, player_id),
    )


def _casual(session: Session, player_id: int) -> tuple[CasualRating, ...]:
    asked = select(CasualRating).where(col(CasualRating.player_id) == player_id)
    rows = session.exec(asked.order_by(col(CasualRating.title), col(CasualRating.system))).all()
    return tuple(row for row in rows if row.title in TITLES)


def _results(session: Session, player_id: int) -> tuple[int, tuple[Results, ...]]:
    """Return how many games are running, and the results of finished ones."""
    asked = (
        sa.select(col(Game.title), col(Game.status), col(Game.result), col(GameSeat.seat))
        .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
        .where(col(GameSeat.player_id) == player_id, col(Game.status).in_([GameStatus.RUNNING, GameStatus.OVER]))
        .where(IS_PUBLIC)
    )
    running, counts = 0, dict[tuple[str, str], list[int]]()
    for row in session.execute(asked):
        if row.status == GameStatus.RUNNING:
            running += 1
        elif row.title in TITLES:
            winners = winners_of(row.result or {})
            what = (3 if not winners else 2) if row.seat not in winners else int(len(winners) > 1)
            counts.setdefault((row.title, row.seat), [0, 0, 0, 0])[what] += 1
    order = {(title_id, seat): at for title_id in TITLES for at, seat in enumerate(TITLES[title_id].seats)}
    places = {title_id: at for at, title_id in enumerate(TITLES)}
    keys = sorted(counts, key=lambda key: (places[key[0]], order.get(key, 99)))
    return running, tuple(Results(TITLES[title_id], seat, *counts[title_id, seat]) for title_id, seat in keys)


def _answers(session: Session, player_id: int) -> list[int]:
    """Return the seconds that each answer took to others; against the computer nobody waits."""
    newest = (
        sa.select(col(GameSeat.game_id), col(GameSeat.seat))
        .where(col(GameSeat.player_id) == player_id)
        .order_by(col(GameSeat.game_id).desc())
        .limit(NEWEST_GAMES)
        .subquery()
    )
    asked = (
        sa.select(
            col(DecisionMade.used_seconds),
            col(DecisionMade.asked_at),
            col(DecisionMade.mailed_at),
            col(DecisionMade.made_at),
        )
        .join(newest, sa.and_(newest.c.game_id == col(DecisionMade.game_id), newest.c.seat == col(DecisionMade.seat)))
        .join(Game, sa.and_(col(Game.id) == col(DecisionMade.game_id), col(Game.has_computer).is_(False)))
        .where(col(DecisionMade.orders).is_not(None))
    )
    return [_seconds(row) for row in session.execute(asked)]


def _seconds(row: sa.Row[int | None, datetime, datetime | None, datetime]) -> int:
    used, asked_at, mailed_at, made_at = row
    return used if used is not None else max(0, int((made_at - (mailed_at or asked_at)).total_seconds()))


def quartiles(values: list[int]) -> list[int]:
    """Return what divides values into quarters, with linear interpolation; nothing for no values."""
    found = quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return [round(one) for one in found]


def _timeouts(session: Session, player_id: int) -> int:
    """Return how often the player was late through their own fault."""
    return int(session.scalar(sa.select(sa.func.count()).select_from(timeouts(player_id).subquery())) or 0)
