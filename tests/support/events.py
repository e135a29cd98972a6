"""Events of Ferry made by the services: clubs, people, rounds that are paired, published and played."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from app.base.stored.database import Database
from app.games.store import GameStore
from app.games.work import Work
from app.leagues.clubs import club_rights, members
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.rounds import pairing_jobs, round_loop
from app.leagues.tables import Competition, CompetitionRound, Entrant, Role
from app.leagues.teams import rosters
from app.people.accounts import find_or_add
from app.play.agreed import results
from tests.support import pressed
from tests.support.tables import NOW


def people(database: Database, count: int) -> list[int]:
    with Work(database) as work:
        made = [find_or_add(work.session, f"p{n}@example.org", now=NOW) for n in range(count)]
        work.session.flush()
        numbers = [player.id for player in made]
        work.commit()
    return [number for number in numbers if number is not None]


def club(database: Database, owner: int, *others: int, slug: str = "vendee") -> int:
    """Return a club in which the others are members."""
    club_rights.make(database, owner, slug=slug, name="Vendée", now=NOW)
    club_id: int = read(database, lambda c: club_rights.find(c, slug)).id
    for player in others:
        members.join_by_link(database, club_id, player, 1, now=NOW)
    return club_id


def planned(
    database: Database, club_id: int, by: int, format: str = "round_robin", title: str = "ferry", **given: Any
) -> int:
    """Return an event that nobody has entered; beside what every event has, its terms are given."""
    said = {field: given.pop(field) for field in lifecycle.NewEvent.__dataclass_fields__ if field in given}
    draft = lifecycle.NewEvent(**{"name": "Cup", **said}, title_id=title, format=format, terms=given)
    return lifecycle.make(database, club_id, by, draft, now=NOW)


def started(database: Database, event_id: int, by: int, who: Sequence[int]) -> Competition:
    """Enter these players and start the event."""
    for player in who:
        pressed.sign_up(database, event_id, player, by_id=by, now=NOW)
    pressed.start(database, event_id, by, now=NOW)
    return read(database, lambda session: lifecycle.get(session, event_id))


def entered_teams(database: Database, event_id: int, by: int, lines: str) -> list[int]:
    """Enter teams as lines; return their numbers."""
    given = read(database, lambda c: rosters.read_lines(c, lifecycle.get(c, event_id), lines))
    return pressed.enter_teams(database, event_id, by, given, now=NOW)


def event(database: Database, who: list[int], format: str, title: str = "ferry", **terms: Any) -> Competition:
    """Return a running event of these players; the first of them is its organiser."""
    event_id = planned(database, club(database, who[0]), who[0], format, title, **terms)
    pressed.open_sign_up(database, event_id, who[0], now=NOW)
    return started(database, event_id, who[0], who)


def read(database: Database, ask: Any) -> Any:
    with database.read() as session:
        return ask(session)


def paired(database: Database, now: Competition, by: int) -> CompetitionRound:
    round_id = pressed.pair(database, now.divisions[0].id, by, now=NOW)
    return read(database, lambda session: round_rows.get(session, round_id))


def published(database: Database, now: Competition, by: int) -> CompetitionRound:
    draft = paired(database, now, by)
    pressed.publish(database, draft.id, by, draft.version, now=NOW)
    return read(database, lambda session: round_rows.get(session, draft.id))


def resign_all(database: Database, round: CompetitionRound, gone: tuple[int, ...] = ()) -> None:
    """The last seat of each game resigns first, until it is over."""
    for match in round.matches:
        for seat in reversed([seat for seat in match.seats if seat.player_id not in gone]):
            if match.game_id and not read(database, lambda c, m=match: GameStore(c).load(m.game_id)).is_over:
                results.resign(database, match.game_id, seat.player_id, now=NOW)


def play_round(database: Database, division_id: int, by: int) -> CompetitionRound:
    """Pair, publish, play and close; the last seat of each game resigns."""
    round_id = pressed.pair(database, division_id, by, now=NOW)
    draft = read(database, lambda c: round_rows.get(c, round_id))
    pressed.publish(database, round_id, by, draft.version, now=NOW)
    made: CompetitionRound = read(database, lambda c: round_rows.get(c, round_id))
    resign_all(database, made)
    pressed.close(database, round_id, by, now=NOW)
    return made


def league(database: Database, who: list[int], *, season: str = "Spring 2026", divisions: int = 2) -> Competition:
    """Return a running event of divisions of equal size; one goes up, one goes down."""
    club_id = club(database, *who)
    parts: list[dict[str, Any]] = [{"name": name} for name in ("First", "Second", "Third")[:divisions]]
    for upper, lower in pairwise(parts):
        upper["relegated"] = lower["promoted"] = 1
    event_id = planned(database, club_id, who[0], name="League", divisions=parts, season=season)
    for player in who:
        pressed.sign_up(database, event_id, player, by_id=who[0], now=NOW)
    into = [division.id for division in read(database, lambda c: lifecycle.get(c, event_id)).divisions]
    there = read(database, lambda c: entries.entrants(c, event_id))
    placed = {entrant.id: into[at * divisions // len(who)] for at, entrant in enumerate(there)}
    pressed.put_into_divisions(database, event_id, who[0], placed, now=NOW)
    pressed.start(database, event_id, who[0], now=NOW)
    made: Competition = read(database, lambda c: lifecycle.get(c, event_id))
    return made


def play(database: Database, now: Competition, by: int) -> None:
    for division in now.divisions:
        count = len(read(database, lambda c, d=division: entries.entrants(c, now.id, division_id=d.id)))
        for _ in range(count - 1 + count % 2):
            play_round(database, division.id, by)


def names(database: Database, event_id: int) -> list[tuple[str, list[int]]]:
    """Return the divisions of an event with their players."""
    with database.read() as session:
        return [
            (one.name, [entrant.player_id for entrant in entries.entrants(session, event_id, division_id=one.id)])
            for one in lifecycle.get(session, event_id).divisions
        ]


def crowd(database: Database, count: int, format: str = "swiss", title: str = "ferry", **terms: Any) -> Competition:
    """Return a running event of this many players; the first of them is its organiser."""
    who = people(database, count)
    event_id = planned(database, club(database, who[0]), who[0], format, title, **{"rounds": 3} | terms)
    pressed.open_sign_up(database, event_id, who[0], now=NOW)
    with database.read() as session:
        now = lifecycle.get(session, event_id)
    entered = {"event_id": event_id, "division_id": now.divisions[0].id, "status": "entered", "entered_at": NOW}
    with database.write() as session:
        rows = [entered | {"player_id": player, "away": [], "byes": []} for player in who]
        session.execute(sa.insert(Entrant), rows)
        session.commit()
    pressed.start(database, event_id, who[0], now=NOW)
    return read(database, lambda session: lifecycle.get(session, event_id))


def press(database: Database, division: int, by: int, once: str | None = None, at: datetime = NOW) -> int | None:
    """Press the button that pairs; return the number of the job, or None if it was quick."""
    with Work(database) as work:
        acting = lifecycle.allowed(work, round_loop.event_of_division(work.session, division), by, Role.DEPUTY, at)
        return pairing_jobs.pair(acting, division, once=once)[1]
