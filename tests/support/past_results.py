"""Events whose results were taken from a list, as versions before 1.1.0 stored them: no game of theirs is here."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from app.clocks.pace import DEFAULT
from app.games.work import Work
from app.leagues.clubs import members
from app.leagues.events import matches
from app.leagues.pure.formats import Format
from app.leagues.pure.model import PLAYED
from app.leagues.pure.term_kinds import read_points
from app.leagues.pure.terms import Terms
from app.leagues.results import outcomes
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Division,
    Entrant,
    EntrantStatus,
    RoundStatus,
    Season,
)
from app.play.turn import starting

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.stored.database import Database
    from engine.kernel.title import Title


@dataclass(frozen=True, slots=True)
class PastLine:
    """A game of the list."""

    season: str
    event: str
    round: int
    ended: datetime
    players: tuple[int, ...]
    points: tuple[Fraction, ...]


def store(
    database: Database, club_id: int, by_id: int, title_id: str, text: str, *, rated: bool, now: datetime
) -> list[int]:
    """Store ended events of a list (CSV with `event`, `round`, `player1` ..., `points1` ..., perhaps `season` and
    `date`; players by address or name), one for each name of an event; return their numbers.
    """
    with Work(database) as work:
        known = {}
        for one in members.members(work.session, club_id):
            known |= {one.address: one.player_id, one.name: one.player_id}
        by_event: dict[tuple[str, str], list[PastLine]] = {}
        for row in csv.DictReader(io.StringIO(text)):
            seats = [n for n in range(1, 6) if row.get(f"player{n}")]
            ended = datetime.combine(date.fromisoformat(row["date"]), time(12), UTC) if row.get("date") else now
            players = tuple(known[row[f"player{n}"]] for n in seats)
            points = tuple(read_points("points", row[f"points{n}"]) for n in seats)
            line = PastLine(row.get("season", ""), row["event"], int(row["round"]), ended, players, points)
            by_event.setdefault((line.season, line.event), []).append(line)
        made = {"club_id": club_id, "made_by": by_id, "made_at": now}
        title = starting.find_title(title_id)
        events = [_write(work.session, title, lines, made, rated=rated) for lines in by_event.values()]
        work.commit()
    return events


def _write(session: Session, title: Title, lines: Sequence[PastLine], made: Mapping[str, Any], *, rated: bool) -> int:
    """The event of these lines."""
    club_id, now = made["club_id"], made["made_at"]
    season, name = lines[0].season, lines[0].event
    tables = any(len(line.players) > 2 for line in lines)
    terms = Terms(rounds=max(line.round for line in lines), rated=rated, members_only=True)
    values = {
        **made,
        "season_id": _season(session, club_id, season),
        "name": name,
        "status": CompetitionStatus.OVER,
        "title_id": title.id,
        "options": title.keep_options(title.read_options({})),
        "pace": DEFAULT,
        "format": Format.TABLES if tables else Format.SWISS,
        "terms": terms,
        "lots": secrets.token_hex(16),
        "started_at": min(line.ended for line in lines),
        "ended_at": max(line.ended for line in lines),
    }
    event_id = int(session.exec(sa.insert(Competition).values(**values).returning(col(Competition.id))).scalar_one())
    part = {"event_id": event_id, "name": name, "level": 1, "promoted": 0, "relegated": 0}
    division = int(session.exec(sa.insert(Division).values(**part).returning(col(Division.id))).scalar_one())
    players = list(dict.fromkeys(player for line in lines for player in line.players))
    entrants = _write_entrants(session, event_id, division, players, now)
    for number in sorted({line.round for line in lines}):
        its = [line for line in lines if line.round == number]
        _write_round(session, event_id, division, number, its, entrants, now)
    return event_id


def _write_entrants(
    session: Session, event_id: int, division_id: int, players: Sequence[int], now: datetime
) -> dict[int, int]:
    """Write the entrants for these players and return them by player."""
    entrants: dict[int, int] = {}
    for player in players:
        row = {
            "event_id": event_id,
            "division_id": division_id,
            "player_id": player,
            "status": EntrantStatus.ENTERED,
            "seed": len(entrants) + 1,
            "joined_round": 1,
            "away": [],
            "byes": [],
            "entered_at": now,
        }
        entrants[player] = int(session.exec(sa.insert(Entrant).values(**row).returning(col(Entrant.id))).scalar_one())
    return entrants


def _write_round(
    session: Session,
    event_id: int,
    division_id: int,
    number: int,
    lines: Sequence[PastLine],
    entrants: Mapping[int, int],
    now: datetime,
) -> None:
    """Write a closed round with its matches and their results."""
    row = {
        "event_id": event_id,
        "division_id": division_id,
        "number": number,
        "status": RoundStatus.CLOSED,
        "why": {},
        "version": 1,
        "made_at": now,
        "published_at": min(line.ended for line in lines),
        "closed_at": max(line.ended for line in lines),
    }
    round_id = int(
        session.exec(sa.insert(CompetitionRound).values(**row).returning(col(CompetitionRound.id))).scalar_one()
    )
    for at, line in enumerate(lines, 1):
        seats = [entrants[player] for player in line.players]
        match = matches.write_match(session, round_id, at, seats, {})
        outcomes.settle(session, match, PLAYED, "import", line.points, line.ended)


def _season(session: Session, club_id: int, name: str) -> int | None:
    if not name:
        return None
    here = sa.and_(col(Season.club_id) == club_id, col(Season.name) == name)
    found = session.scalar(sa.select(col(Season.id)).where(here))
    if found is None:
        row = {"club_id": club_id, "name": name}
        found = session.exec(sa.insert(Season).values(**row).returning(col(Season.id))).scalar_one()
    return int(found)
