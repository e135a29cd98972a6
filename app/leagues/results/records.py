"""What a club remembers of its events: winners and final places; and its dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import selectinload
from sqlmodel import Session, col, select

from app.leagues.clubs.audit import IS_FINAL, TEAMS
from app.leagues.events.lifecycle import of_club
from app.leagues.pure.standings import standings
from app.leagues.results import outcomes
from app.leagues.tables import About, Audit, Competition, CompetitionRound, CompetitionStatus, Entrant, PastPlace
from app.people.tables import Player

MOST_LISTED = 5
"""Of those who have come first."""
Named = tuple[int, str]
"""A player by number and name."""


@dataclass(frozen=True, slots=True)
class FinalPlace:
    """A place in an event that is over, or in a table of an earlier season (`event_id` None).

    `name` is empty for a former player.
    """

    season: str
    event: str
    event_id: int | None
    division: str
    place: int
    of: int
    player_id: int | None
    name: str
    team: str = ""
    """The player who came there with the team; the line of the team itself has only its name."""


def finished(session: Session, club_id: int) -> list[FinalPlace]:
    """Return every place in the final standings of the club's events, newest event first, followed by imported earlier
    seasons.
    """
    asked = (
        select(Competition, Audit)
        .options(selectinload(Competition.divisions))
        .outerjoin(Audit, sa.and_(col(Audit.event_id) == col(Competition.id), IS_FINAL))
        .where(of_club(club_id), col(Competition.status) == CompetitionStatus.OVER)
        .order_by(col(Competition.ended_at).desc(), col(Competition.id).desc())
    )
    ended = session.exec(asked).all()
    people = _people(session, [event.id for event, _ in ended])
    taken_over = _of_lists(session, [event for event, act in ended if act is None])
    found: list[FinalPlace] = []
    for event, act in ended:
        kept = {} if act is None else act.after or {}
        if TEAMS in kept:
            found += _of_teams(event, kept[TEAMS], people)
            continue
        orders = taken_over | {int(division): [entrant for entrant, _ in order] for division, order in kept.items()}
        for division in event.divisions:
            order = orders.get(division.id, [])
            name = division.name if len(event.divisions) > 1 else ""
            for place, entrant in enumerate(order, 1):
                player, who = people.get(entrant, (None, ""))
                found.append(FinalPlace(event.season, event.name, event.id, name, place, len(order), player, who))
    return found + _from_lists(session, club_id)


def _of_teams(
    event: Competition, kept: Sequence[Sequence[Any]], people: Mapping[int, tuple[int | None, str]]
) -> list[FinalPlace]:
    """Return the places of teams, each followed by those of its players."""
    found = []
    for place, (team, _, players) in enumerate(kept, 1):
        line = FinalPlace(event.season, event.name, event.id, "", place, len(kept), None, team)
        found.append(line)
        for entrant in players:
            player, name = people.get(entrant, (None, ""))
            found.append(replace(line, player_id=player, name=name, team=team))
    return found


def _people(session: Session, events: Sequence[int]) -> dict[int, tuple[int | None, str]]:
    asked: Any = (
        sa.select(col(Entrant.id), col(Player.id).label("player"), col(Player.name), col(Player.erased_at))
        .join(Player, col(Player.id) == col(Entrant.player_id))
        .where(col(Entrant.event_id).in_(events))
    )
    return {row.id: (row.player if row.erased_at is None else None, row.name) for row in session.execute(asked)}


def _of_lists(session: Session, taken: Sequence[Competition]) -> dict[int, list[int]]:
    """Return the final order of events imported from lists of results, by division; three statements at most."""
    results = outcomes.results_by_division(session, [division.id for event in taken for division in event.divisions])
    asked = select(Entrant).where(col(Entrant.event_id).in_([event.id for event in taken])).order_by(col(Entrant.seed))
    there: dict[int | None, list[Entrant]] = {}
    for entrant in session.exec(asked) if taken else ():
        there.setdefault(entrant.division_id, []).append(entrant)
    return {
        division.id: [
            place.entrant
            for place in standings(
                [entrant.as_competitor() for entrant in there.get(division.id, ())],
                results.get(division.id, []),
                event.terms,
                event.lots,
                format=event.format,
            )
        ]
        for event in taken
        for division in event.divisions
    }


def _from_lists(session: Session, club_id: int) -> list[FinalPlace]:
    asked: Any = (
        sa.select(PastPlace, col(Player.name), col(Player.erased_at))
        .outerjoin(Player, col(Player.id) == col(PastPlace.player_id))
        .where(col(PastPlace.club_id) == club_id)
        .order_by(col(PastPlace.season).desc(), col(PastPlace.level), col(PastPlace.place), col(PastPlace.id))
    )
    rows = session.execute(asked).all()
    sizes = Counter((row.season, row.division) for row, _, _ in rows)
    return [
        FinalPlace(
            row.season,
            "",
            None,
            row.division,
            row.place,
            sizes[row.season, row.division],
            None if erased else row.player_id,
            "" if erased else name or row.name,
        )
        for row, name, erased in rows
    ]


def memory_of(session: Session, club_id: int) -> tuple[dict[str, list[FinalPlace]], list[tuple[Named, int]]]:
    """Return the winners by season, the newest event first, and who has come first most often, without former players;
    a bounded number of statements."""
    places = finished(session, club_id)
    won: dict[str, list[FinalPlace]] = {}
    for one in winners(places):
        won.setdefault(one.season, []).append(one)
    titles = Counter((one.player_id, one.name) for one in places if one.player_id and one.place == 1)
    return won, sorted(titles.items(), key=lambda one: (-one[1], one[0]))[:MOST_LISTED]


def winners(places: Iterable[FinalPlace]) -> list[FinalPlace]:
    """Who came first, in each event and division; of an event of teams the team."""
    return [one for one in places if one.place == 1 and not one.team]


def winners_of(session: Session, event: Competition) -> list[FinalPlace]:
    """Return who came first in each division of an event that is over; the division is named if there are several."""
    found = [one for one in winners(finished(session, event.club_id)) if one.event_id == event.id]
    return found if len(found) > 1 else [replace(one, division="") for one in found]


def names_of(session: Session, players: list[int]) -> dict[int, str]:
    """The names of players by number, without erased accounts."""
    asked = select(Player).where(col(Player.id).in_(players), col(Player.erased_at).is_(None))
    return {one.id: one.name for one in session.exec(asked) if one.id is not None}


@dataclass(frozen=True, slots=True)
class ClubDate:
    """A date of a club: the end of an event's sign-up, or the day on which a round of it should be over."""

    event: Competition
    round: CompetitionRound | None = None
    acted_at: datetime | None = None
    """When something was last done to the event or one of its rounds."""

    @property
    def at(self) -> datetime:
        at = self.event.sign_up_until if self.round is None else self.round.due_at
        assert at is not None
        return at

    @property
    def division(self) -> str:
        """The division of the round; empty in an event that is not divided."""
        divided = self.round is not None and len(self.event.divisions) > 1
        return self.event.division(self.round.division_id).name if self.round and divided else ""

    @property
    def changed_at(self) -> datetime:
        """When its event or one of its rounds last changed."""
        since = None if self.round is None else self.round.published_at
        return max(since or self.event.made_at, self.acted_at or self.event.made_at)


def dates(session: Session, club_id: int) -> list[ClubDate]:
    """Return the dates of a club's open and running events, earliest first."""
    asked = (
        select(Competition)
        .options(selectinload(Competition.divisions))
        .where(of_club(club_id), col(Competition.status).in_((CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING)))
    )
    there = session.exec(asked).all()
    its = [event.id for event in there]
    acts = (
        select(Audit.event_id, sa.func.max(Audit.at))
        .where(col(Audit.event_id).in_(its), sa.or_(col(Audit.about).is_(None), col(Audit.about) == About.ROUND))
        .group_by(col(Audit.event_id))
    )
    latest = dict(session.exec(acts).all())
    rounds = select(CompetitionRound).where(
        col(CompetitionRound.event_id).in_(its), col(CompetitionRound.published_at).is_not(None)
    )
    found = dates_of(there, session.exec(rounds).all())
    return [replace(one, acted_at=latest.get(one.event.id)) for one in found]


def dates_of(events: Sequence[Competition], rounds: Sequence[CompetitionRound]) -> list[ClubDate]:
    """Return the ends of these events' sign-ups and of their published rounds that are open; earliest first."""
    there = {event.id: event for event in events}
    found = [
        ClubDate(event)
        for event in events
        if event.status == CompetitionStatus.SIGN_UP and event.sign_up_until is not None
    ]
    found += [ClubDate(there[one.event_id], one) for one in rounds if one.due_at is not None and one.closed_at is None]
    return sorted(found, key=lambda one: (one.at, one.event.id, one.division))
