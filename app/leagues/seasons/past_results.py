"""Imports earlier results: a list (CSV) of games played elsewhere becomes ended events of the club.

Columns: `season`, `event`, `round`, one for each player (`player1` ... `player5`, an address or the name of a member)
and one for each result (`points1` ...). `date` says when a game ended. All or nothing: bad lines are named.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.clocks.pace import DEFAULT
from app.games.work import Work
from app.leagues.clubs import audit, clubs
from app.leagues.clubs.acting import ClubActing
from app.leagues.clubs.members import BadLines, read_list
from app.leagues.events import matches
from app.leagues.pure.model import PLAYED
from app.leagues.pure.terms import Format, Terms, read_points
from app.leagues.results import outcomes
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Division,
    Entrant,
    EntrantStatus,
    Member,
    MemberStatus,
    Role,
    RoundStatus,
    Season,
)
from app.people.accounts import read_name
from app.people.tables import Player
from app.play.turn import starting
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database
    from engine.kernel.title import Title

MOST_SEATS = 5
NEEDED = ("event", "round", "player1", "player2", "points1", "points2")
COLUMNS = (
    "season",
    "event",
    "round",
    "date",
    *(f"player{n}" for n in range(1, MOST_SEATS + 1)),
    *(f"points{n}" for n in range(1, MOST_SEATS + 1)),
)
LAST_ROUND = 99


@dataclass(frozen=True, slots=True)
class PastLine:
    """A game of the list."""

    season: str
    event: str
    round: int
    ended: datetime
    players: tuple[int, ...]
    points: tuple[Fraction, ...]


def import_results(
    database: Database, club_id: int, by_id: int, title_id: str, text: str, *, rated: bool, now: datetime
) -> list[int]:
    """Make ended events from a list of results, one for each name of an event; return their numbers.

    They have standings like others, and count for ratings when `rated`. Importing the same list twice is refused, since
    its events exist.

    Raises NotAllowed, NotAccepted; BadLines names every bad line, and nothing is imported.
    """
    title = starting.find_title(title_id)
    rows = read_list(text, COLUMNS, needed=NEEDED)
    with Work(database) as work:
        session = work.session
        acting = clubs.allowed(work, club_id, by_id, Role.ORGANISER, now)
        known = members_by_name(session, club_id)
        lines: list[tuple[int, PastLine]] = []
        complaints: list[tuple[int, Text]] = []
        for number, row in rows:
            try:
                lines.append((number, _line(row, title, known, now)))
            except NotAccepted as no:
                complaints.append((number, no.why))
        complaints += _twice(lines)
        if complaints:
            raise BadLines(sorted(complaints, key=lambda one: one[0]))
        by_event: dict[tuple[str, str], list[PastLine]] = {}
        for _, line in lines:
            by_event.setdefault((line.season, line.event), []).append(line)
        _refuse_known(session, club_id, list(by_event))
        made = [_write(acting, title, its, rated=rated) for its in by_event.values()]
        work.commit()
    return made


def members_by_name(session: Session, club_id: int) -> dict[str, list[int]]:
    """Return the members of a club by address and by each spelling of their name; several can share a name."""
    rows = session.execute(
        sa.select(col(Player.id), col(Player.address), col(Player.name))
        .join(Member, col(Member.player_id) == col(Player.id))
        .where(col(Member.club_id) == club_id, col(Member.status) != MemberStatus.LEFT, col(Player.erased_at).is_(None))
    )
    found: dict[str, list[int]] = {}
    for row in rows:
        for key in {row.address.lower(), *_spellings(row.name)}:
            found.setdefault(key, []).append(row.id)
    return found


def named(known: Mapping[str, Sequence[int]], name: str) -> set[int]:
    """Return the members of `members_by_name` with this name: “Quill, Ada” is also “Ada Quill” and “Quill Ada”."""
    return {player for key in _spellings(name) for player in known.get(key, ())}


def _spellings(name: str) -> set[str]:
    family, comma, first = unicodedata.normalize("NFC", name).lower().partition(",")
    parts = ([family, first], [first, family]) if comma else ([family],)
    return {" ".join(" ".join(words).split()) for words in parts}


def _line(row: Mapping[str, str], title: Title, known: Mapping[str, Sequence[int]], now: datetime) -> PastLine:
    players: list[int] = []
    points: list[Fraction] = []
    for seat in range(1, MOST_SEATS + 1):
        name, given = row.get(f"player{seat}", ""), row.get(f"points{seat}", "")
        if not name and not given:
            continue
        if not name or not given or seat != len(players) + 1:
            raise NotAccepted("past.pair", Text("Each player needs points, and no player is left out between others."))
        found = named(known, name)
        if len(found) != 1:
            what = (
                Text("Several members are called “{name}”; write the address.", name=name[:60])
                if found
                else Text("Nobody in the club has the name or the address “{name}”.", name=name[:60])
            )
            raise NotAccepted("past.player", what)
        players.append(found.pop())
        points.append(_points(given))
    if len(set(players)) < len(players):
        raise NotAccepted("past.twice", Text("The same player has two seats."))
    if not title.least_seats <= len(players) <= title.most_seats:
        raise NotAccepted(
            "past.seats",
            Text("A game has {least} to {most} players.", least=title.least_seats, most=title.most_seats),
        )
    return PastLine(
        read_name(row["season"]) if row.get("season") else "",
        read_name(row["event"]),
        _round(row["round"]),
        _ended(row.get("date", ""), now),
        tuple(players),
        tuple(points),
    )


def _points(given: str) -> Fraction:
    try:
        return read_points("points", given.replace(",", "."))
    except Unreadable:
        raise NotAccepted(
            "past.points", Text("“{given}” is not a number of points such as 1, 0.5 or 1/3.", given=given[:20])
        ) from None


def _round(given: str) -> int:
    round = whole(given, least=1, most=LAST_ROUND)
    if round is None:
        raise NotAccepted("past.round", Text("The round is a whole number from 1 to {most}.", most=LAST_ROUND))
    return round


def _ended(given: str, now: datetime) -> datetime:
    if not given:
        return now
    try:
        ended = datetime.combine(date.fromisoformat(given), time(12), UTC)
    except ValueError:
        raise NotAccepted("past.date", Text("“{given}” is not a date such as 2026-12-24.", given=given[:20])) from None
    if ended > now:
        raise NotAccepted("past.future", Text("{given} has not come yet.", given=given))
    return ended


def _twice(lines: Sequence[tuple[int, PastLine]]) -> list[tuple[int, Text]]:
    """Return the lines of repeated games: the same opponents may meet twice in a round (both sides), but not a third
    time.
    """
    seen: Counter[Any] = Counter()
    found = []
    for number, line in lines:
        seen[key := (line.season, line.event, line.round, frozenset(line.players))] += 1
        if seen[key] > 2:
            found.append((number, Text("These players have two games in this round already.")))
    return found


def _refuse_known(session: Session, club_id: int, wanted: Sequence[tuple[str, str]]) -> None:
    rows = session.execute(
        sa.select(col(Competition.name), col(Season.name).label("season"))
        .outerjoin(Season, col(Season.id) == col(Competition.season_id))
        .where(col(Competition.club_id) == club_id, col(Competition.status) != CompetitionStatus.CANCELLED)
    )
    there = {(row.season or "", row.name) for row in rows}
    for season, name in wanted:
        if (season, name) in there:
            raise NotAccepted("past.there", Text("The club has an event “{name}” in this season already.", name=name))


def _write(acting: ClubActing, title: Title, lines: Sequence[PastLine], *, rated: bool) -> int:
    """The event of these lines."""
    session, club_id, now = acting.session, acting.club_id, acting.now
    season, name = lines[0].season, lines[0].event
    tables = any(len(line.players) > 2 for line in lines)
    terms = Terms(rounds=max(line.round for line in lines), rated=rated, members_only=True)
    values = {
        "club_id": club_id,
        "season_id": _season(session, club_id, season),
        "name": name,
        "status": CompetitionStatus.OVER,
        "title_id": title.id,
        "options": title.keep_options(title.read_options({})),
        "pace": DEFAULT,
        "format": Format.TABLES if tables else Format.SWISS,
        "terms": terms,
        "lots": secrets.token_hex(16),
        "made_by": acting.by_id,
        "made_at": now,
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
    after = {"games": len(lines), "players": len(entrants)}
    replace(acting, event_id=event_id).write("results.imported", audit.named(name), after=after)
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
