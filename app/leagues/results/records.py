"""What a club remembers of its events: winners, final places, and the records of its members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from itertools import groupby
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import selectinload
from sqlmodel import Session, col, select

from app.leagues.clubs.audit import TEAMS
from app.leagues.events.lifecycle import of_club
from app.leagues.pure.model import PLAYED
from app.leagues.pure.standings import standings
from app.leagues.results import outcomes
from app.leagues.tables import (
    About,
    Audit,
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Entrant,
    Match,
    MatchSeat,
    PastPlace,
    Season,
)
from app.people.tables import Player

MOST_LISTED = 5
"""Of each record."""
Named = tuple[int, str]
"""A player by number and name."""
MOST_SEATS_READ = 20_000
"""The newest games that count; the records of a club with more leave out the oldest."""


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


@dataclass(frozen=True, slots=True)
class Score:
    """A player's games, or those against one opponent: won, drawn, lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def share(self) -> Fraction:
        """Return the share of the points, with half a point for a draw."""
        return Fraction(2 * self.won + self.drawn, 2 * self.games)

    def after(self, own: Fraction, other: Fraction) -> Score:
        """Return the score with one more game."""
        return Score(self.won + (own > other), self.drawn + (own == other), self.lost + (own < other))


@dataclass(frozen=True, slots=True)
class AtTables:
    """Games of three players and more: how many, how many were won or shared, and the opponents left behind.

    The last is the sum of each game's share, in which opponents with equal points count half.
    """

    games: int = 0
    first: int = 0
    behind: Fraction = Fraction(0)

    @property
    def share(self) -> Fraction:
        """Return the average share of opponents left behind."""
        return self.behind / self.games

    def after(self, own: Fraction, others: Sequence[Fraction]) -> AtTables:
        """Return the record with one more game."""
        behind = Fraction(sum(2 * (own > other) + (own == other) for other in others), 2 * len(others))
        return AtTables(self.games + 1, self.first + all(own >= other for other in others), self.behind + behind)


@dataclass(slots=True)
class Career:
    """The games of a player in a club's events that were played to an end.

    Those for two: `sides` by title and place at the table, `against` by player, `seasons` by name, the earliest first,
    with an empty name for events without a season. `tables` are the larger ones, by title.
    """

    score: Score = field(default_factory=Score)
    streak: int = 0
    longest: int = 0
    """Games won in a row."""
    sides: dict[tuple[str, int], Score] = field(default_factory=dict)
    against: dict[int, Score] = field(default_factory=dict)
    seasons: dict[str, Score] = field(default_factory=dict)
    tables: dict[str, AtTables] = field(default_factory=dict)

    def add(self, title: str, place: int, opponent: int, own: Fraction, other: Fraction, *, season: str = "") -> None:
        """Count the next game."""
        self.score = self.score.after(own, other)
        self.sides[title, place] = self.sides.get((title, place), Score()).after(own, other)
        self.against[opponent] = self.against.get(opponent, Score()).after(own, other)
        self.seasons[season] = self.seasons.get(season, Score()).after(own, other)
        self.streak = self.streak + 1 if own > other else 0
        self.longest = max(self.longest, self.streak)


def finished(session: Session, club_id: int) -> list[FinalPlace]:
    """Return every place in the final standings of the club's events, newest event first, followed by imported earlier
    seasons.
    """
    is_final = col(Audit.act) == "event.standings", col(Audit.undone_by).is_(None)
    asked = (
        select(Competition, Audit)
        .options(selectinload(Competition.divisions))
        .outerjoin(Audit, sa.and_(col(Audit.event_id) == col(Competition.id), *is_final))
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
                [entrant.as_competitor(division.name) for entrant in there.get(division.id, ())],
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
    sizes: dict[tuple[str, str], int] = {}
    for row, _, _ in rows:
        sizes[row.season, row.division] = sizes.get((row.season, row.division), 0) + 1
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


def careers(session: Session, club_id: int) -> dict[int, Career]:
    """Return the games of every player in the events of a club, in the order in which they ended.

    Results without a game, games with the computer, and those with a seat that changed hands count for nobody.
    """
    asked: Any = (
        sa.select(
            col(Match.id),
            col(Competition.title_id),
            sa.func.coalesce(col(Season.name), "").label("season"),
            col(Match.ended_at),
            col(MatchSeat.place),
            col(MatchSeat.points),
            col(MatchSeat.played_by),
            col(Entrant.player_id),
            col(Entrant.computer),
        )
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
        .outerjoin(Season, col(Season.id) == col(Competition.season_id))
        .join(MatchSeat, col(MatchSeat.match_id) == col(Match.id))
        .join(Entrant, col(Entrant.id) == col(MatchSeat.entry_id))
        .where(
            of_club(club_id),
            col(Competition.status).in_((CompetitionStatus.RUNNING, CompetitionStatus.OVER)),
            col(Match.ended) == PLAYED,
        )
        .order_by(col(Match.ended_at).desc(), col(Match.id).desc(), col(MatchSeat.place))
        .limit(MOST_SEATS_READ)
    )
    found: dict[int, Career] = {}
    games = [list(seats) for _, seats in groupby(session.execute(asked).all(), key=lambda row: row.id)]
    for seats in reversed(games):
        if len(seats) < 2 or any(seat.points is None or seat.played_by or seat.computer for seat in seats):
            continue
        if len(seats) > 2:
            for own in seats:
                tables = found.setdefault(own.player_id, Career()).tables
                others = [other.points for other in seats if other is not own]
                tables[own.title_id] = tables.get(own.title_id, AtTables()).after(own.points, others)
            continue
        for own, other in (seats, seats[::-1]):
            career = found.setdefault(own.player_id, Career())
            career.add(own.title_id, own.place, other.player_id, own.points, other.points, season=own.season)
    return found


@dataclass(frozen=True, slots=True)
class ClubMemory:
    """Winners by season, the newest event first, and records, the best first; former players are in no record."""

    winners: dict[str, list[FinalPlace]]
    titles: list[tuple[Named, int]]
    streaks: list[tuple[Named, int]]
    """Games won one after the other."""
    played: list[tuple[Named, Score]]
    sides: dict[tuple[str, int], list[tuple[Named, Score]]]
    """By title and place at the table."""
    tables: dict[str, list[tuple[Named, AtTables]]]
    """By title, of games of three players and more."""
    pairs: list[tuple[Named, Named, Score]]
    """Who has met whom most often; the score is the first one's."""


def memory_of(session: Session, club_id: int) -> ClubMemory:
    """All of it; a bounded number of statements."""
    places = finished(session, club_id)
    played = careers(session, club_id)
    names = {one.player_id: one.name for one in places if one.player_id}
    names |= names_of(session, [who for who in played if who not in names])
    known = {who: career for who, career in played.items() if names.get(who)}
    titles: dict[int, int] = {}
    for one in places:
        if one.player_id and one.place == 1:
            titles[one.player_id] = titles.get(one.player_id, 0) + 1

    def named(who: int) -> Named:
        return who, names[who]

    def highest(found: Mapping[int, int], least: int = 1) -> list[tuple[int, int]]:
        """The highest of all, from this value on."""
        order = sorted((one for one in found.items() if one[1] >= least), key=lambda one: (-one[1], one[0]))
        return order[:MOST_LISTED]

    def best(had: Mapping[int, Mapping[Where, Had]]) -> dict[Where, list[tuple[Named, Had]]]:
        return {where: [(named(who), one) for who, one in there[:MOST_LISTED]] for where, there in best_of(had).items()}

    won: dict[str, list[FinalPlace]] = {}
    for one in winners(places):
        won.setdefault(one.season, []).append(one)
    longest = {who: one.longest for who, one in known.items()}
    games = {who: one.score.games for who, one in known.items()}
    pairs = [(named(who), named(other), score) for who, other, score in met_most(known) if other in known]
    return ClubMemory(
        winners=won,
        titles=[(named(who), n) for who, n in highest(titles)],
        streaks=[(named(who), n) for who, n in highest(longest, 2)],
        played=[(named(who), known[who].score) for who, _ in highest(games)],
        sides=best({who: one.sides for who, one in known.items()}),
        tables=best({who: one.tables for who, one in known.items()}),
        pairs=pairs[:MOST_LISTED],
    )


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


LEAST_GAMES = 3
"""How many games on a side before a player is listed among its best."""


Where = TypeVar("Where", str, tuple[str, int])
Had = TypeVar("Had", Score, AtTables)


def best_of(had: Mapping[int, Mapping[Where, Had]]) -> dict[Where, list[tuple[int, Had]]]:
    """Return for each title (and place at the table) the players with the greatest share, best first."""
    found: dict[Where, list[tuple[int, Had]]] = {}
    for who, own in had.items():
        for where, there in own.items():
            if there.games >= LEAST_GAMES:
                found.setdefault(where, []).append((who, there))
    for best in found.values():
        best.sort(key=lambda one: (-one[1].share, -one[1].games, one[0]))
    return dict(sorted(found.items()))


def met_most(careers: Mapping[int, Career]) -> list[tuple[int, int, Score]]:
    """Return the most frequent pairs of opponents, each with the score of the first, who has won more of the games."""
    pairs = [
        (who, other, score)
        for who, career in careers.items()
        for other, score in career.against.items()
        if score.games > 1 and (score.won, other) > (score.lost, who)
    ]
    return sorted(pairs, key=lambda one: (-one[2].games, one[0], one[1]))


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
