"""Ratings from the results of events: which games count, the current numbers, and how they came about.

They are always computed from scratch, title by title, from the matches played in rated events, so that a job after new
results, a corrected result and the command give the same numbers. One person is rated for each seat: after a
substitution the player who made most of its decisions if the event's sharing rule says so, else its final holder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.config import Config
from app.base.process.jobs import Run, job
from app.base.stored.database import Database, insert_into
from app.games.rating_tables import RatingSystem
from app.leagues.events import sharing
from app.leagues.pure import ratings
from app.leagues.pure.model import NOTHING, PLAYED
from app.leagues.pure.ratings import CountedGame, Ratings
from app.leagues.pure.terms import Terms
from app.leagues.results.rating_watch import RatingWatch
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Entrant,
    Match,
    MatchSeat,
    Member,
    MemberStatus,
    Rating,
    RatingChange,
    RoundStatus,
)
from app.people.tables import IS_PROGRAM, Player

SYSTEMS = tuple(RatingSystem)
MOST_ROWS = 500
"""The rows of one statement."""
MOST_CHANGES = 40
"""What the list of a club shows of its games."""


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A match that counts, with its game if it was played here."""

    played: CountedGame
    game_id: int | None
    at: datetime
    event_id: int


# -- what counts --------------------------------------------------------------------------------------


def _counting(title: str) -> sa.ColumnElement[bool]:
    return sa.and_(
        col(Competition.title_id) == title,
        col(Competition.status).in_((CompetitionStatus.RUNNING, CompetitionStatus.OVER)),
        col(CompetitionRound.status) != RoundStatus.DRAFT,
        col(Match.ended) == PLAYED,
        col(Match.ended_at).is_not(None),
    )


def games(session: Session, title: str) -> dict[str, list[RatedGame]]:
    """Return the matches of a title that count, by system: games of two by Glicko-2, tables by OpenSkill."""
    terms = {
        event.id: event.terms for event in session.exec(select(Competition).where(col(Competition.title_id) == title))
    }
    rows = session.exec(
        select(CompetitionRound.event_id, Match, MatchSeat)
        .join(Match, col(Match.round_id) == col(CompetitionRound.id))
        .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
        .join(MatchSeat, col(MatchSeat.match_id) == col(Match.id))
        .where(_counting(title))
        .order_by(col(Match.id), col(MatchSeat.place))
    ).all()
    matches: dict[int, tuple[int, Match, list[MatchSeat]]] = {}
    for event_id, match, seat in rows:
        if terms[event_id].rated:
            matches.setdefault(match.id, (event_id, match, []))[2].append(seat)
    divided = _divided(session, terms, rows)
    programs = {*session.exec(IS_PROGRAM)}
    found: dict[str, list[RatedGame]] = {system: [] for system in SYSTEMS}
    for event_id, match, seats in matches.values():
        assert match.ended_at is not None
        holders = [divided.get((match.id, seat.place), ((seat.player_id, 1.0),)) for seat in seats]
        if len({who for held in holders for who, _ in held}) < sum(map(len, holders)):
            continue  # a substitute who holds two seats of one game has no opponent
        points = [seat.points or NOTHING for seat in seats]
        places = tuple(1 + sum(other > mine for other in points) for mine in points)
        if not programs.isdisjoint(who for held in holders for who, _ in held):
            continue
        players = tuple(max(held, key=lambda part: part[1])[0] for held in holders)
        shares = tuple(holders) if any(len(held) > 1 for held in holders) else ()
        played = CountedGame(match.id, match.ended_at.date().toordinal(), players, places, shares)
        found[RatingSystem.GLICKO2 if len(seats) == 2 else RatingSystem.OPENSKILL].append(
            RatedGame(played, match.game_id, match.ended_at, event_id)
        )
    return found


def _divided(
    session: Session, terms: Mapping[int, Terms], seats: Iterable[tuple[int, Match, MatchSeat]]
) -> dict[tuple[int, int], tuple[tuple[int, float], ...]]:
    """Return who is rated for a seat that changed hands, and with which share, by match and place."""
    by_event: dict[int, list[tuple[Match, MatchSeat]]] = {}
    for event_id, match, seat in seats:
        if seat.played_by:
            by_event.setdefault(event_id, []).append((match, seat))
    shares: sharing.Shares = {}
    for event_id, held in by_event.items():
        shares |= sharing.shares_of(session, terms[event_id], held)
    entrants = {entrant for parts in shares.values() for entrant in parts}
    player = dict(session.exec(select(Entrant.id, Entrant.player_id).where(col(Entrant.id).in_(entrants))).all())
    return {
        at: tuple((player[entrant], float(part)) for entrant, part in parts.items() if part > 0)
        for at, parts in shares.items()
    }


# -- from scratch -------------------------------------------------------------------------------------


def titles(session: Session) -> list[str]:
    """Return the titles with an event or a rating."""
    return sorted(
        {*session.scalars(sa.select(col(Competition.title_id)).distinct())}
        | {*session.scalars(sa.select(col(Rating.title)).distinct())}
    )


def recompute(database: Database, title: str) -> int:
    """Recompute and store all ratings of a title; return how many rows changed."""
    with database.write() as session:
        changed = 0
        for system, counted in games(session, title).items():
            rate = ratings.rate_two if system == RatingSystem.GLICKO2 else ratings.rate_tables
            made = rate([game.played for game in counted], known=_known(session, counted))
            changed += _keep(session, title, system, counted, made)
        return changed


def _known(session: Session, counted: Sequence[RatedGame]) -> dict[int, float]:
    """Return the ratings from lists of clubs with which players came to the event of their first game that counts."""
    first: dict[int, int] = {}
    for game in sorted(counted, key=lambda one: (one.played.day, one.played.game)):
        for seat in game.played.holders():
            for who, _ in seat:
                first.setdefault(who, game.event_id)
    asked = select(Entrant).where(col(Entrant.event_id).in_({*first.values()}), col(Entrant.rating).is_not(None))
    there = session.exec(asked).all()
    return {one.player_id: float(one.rating or 0) for one in there if first.get(one.player_id) == one.event_id}


def _keep(session: Session, title: str, system: str, counted: Sequence[RatedGame], made: Ratings) -> int:
    by_number = {game.played.game: game for game in counted}
    last: dict[int, datetime] = {}
    history = []
    for change in made.history:
        game = by_number[change.game]
        last[change.player] = max(game.at, last.get(change.player, game.at))
        its = {name: getattr(change, name) for name in ("before", "after", "deviation")}
        row = {"player_id": change.player, "match_id": change.game, "game_id": game.game_id, "at": game.at}
        history.append({**row, **its, "title": title, "system": system})
    rows = [
        {
            "player_id": player,
            "title": title,
            "system": system,
            "rating": one.rating,
            "deviation": one.deviation,
            "volatility": one.volatility,
            "games": one.games,
            "changed_at": last[player],
        }
        for player, one in sorted(made.players.items())
    ]
    history.sort(key=lambda row: (row["match_id"], row["player_id"]))
    return _match(session, Rating, ("player_id", "title", "system"), rows, title, system) + _match(
        session, RatingChange, ("player_id", "match_id", "system"), history, title, system
    )


def _match(
    session: Session,
    model: type[Rating] | type[RatingChange],
    key: tuple[str, ...],
    rows: Sequence[dict[str, Any]],
    title: str,
    system: str,
) -> int:
    """Make a table match these rows, touching only those that differ.

    Two processes that do so at once write the same rows in the same order.
    """
    here = sa.and_(col(model.title) == title, col(model.system) == system)
    asked = select(model).where(here).order_by(col(model.id))
    there = {tuple(getattr(row, name) for name in key): row.model_dump(exclude={"id"}) for row in session.exec(asked)}
    wanted = {tuple(row[name] for name in key): row for row in rows}
    for gone in sorted(there.keys() - wanted.keys()):
        which = sa.and_(here, *(getattr(model, name) == value for name, value in zip(key, gone, strict=True)))
        session.exec(sa.delete(model).where(which))
    new = [row for number, row in wanted.items() if there.get(number) != row]
    for at in range(0, len(new), MOST_ROWS):
        statement = insert_into(session, model).values(new[at : at + MOST_ROWS])
        values = {name: statement.excluded[name] for name in new[0] if name not in key}
        session.execute(statement.on_conflict_do_update(index_elements=list(key), set_=values))
    return len(new) + len(there.keys() - wanted.keys())


def _signatures(session: Session) -> dict[str, tuple[Any, ...]]:
    return {title: _signature(session, title) for title in titles(session)}


def _signature(session: Session, title: str) -> tuple[Any, ...]:
    return tuple(
        session.execute(
            sa.select(sa.func.count(), sa.func.max(col(Match.ended_at)), sa.func.sum(col(Match.id)))
            .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
            .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
            .where(_counting(title))
        ).one()
    )


def watch() -> RatingWatch:
    """Return what looks for new results of events."""
    return RatingWatch("ratings", _signatures, recompute)


@job("Watch.look", every=60, at_once=False).begun
def _watch(config: Config) -> Run:
    events = watch()
    return lambda database, now: len(events.look(database))


# -- reading ------------------------------------------------------------------------------------------


def table(session: Session, title: str, system: str, *which: sa.ColumnElement[bool]) -> list[Rating]:
    """Return the ratings of a title, or these of them, best first; former players are left out."""
    asked = (
        select(Rating)
        .join(Player, col(Player.id) == col(Rating.player_id))
        .where(col(Rating.title) == title, col(Rating.system) == system, col(Player.erased_at).is_(None), *which)
    )
    return list(session.exec(asked.order_by(col(Rating.rating).desc(), col(Rating.player_id))))


def of_club(session: Session, club_id: int) -> Sequence[tuple[str, RatingSystem, list[Rating], list[RatingChange]]]:
    """Return the ratings of a club's members at each title and system that they have played, best first, and what its
    newest games have changed.
    """
    members = sa.select(col(Member.player_id)).where(
        col(Member.club_id) == club_id, col(Member.status) == MemberStatus.MEMBER
    )
    its = (
        sa.select(col(Match.id))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
        .where(col(Competition.club_id) == club_id)
    )
    found = []
    for title in titles(session):
        for system in SYSTEMS:
            newest = (
                select(RatingChange)
                .where(col(RatingChange.title) == title, col(RatingChange.system) == system)
                .where(col(RatingChange.player_id).in_(members), col(RatingChange.match_id).in_(its))
                .order_by(col(RatingChange.at).desc(), col(RatingChange.match_id).desc(), col(RatingChange.id))
            )
            changes = list(session.exec(newest.limit(MOST_CHANGES)))
            if changes:
                rows = table(session, title, system, col(Rating.player_id).in_(members))
                found.append((title, system, rows, changes))
    return found


def ratings_of(session: Session, player_id: int) -> list[tuple[Rating, list[tuple[RatingChange, int, str]]]]:
    """Return all ratings of a player, by title, each with what its games have changed, the oldest first, and the number
    and name of their events.
    """
    steps: dict[tuple[str, str], list[tuple[RatingChange, int, str]]] = {}
    asked = (
        select(RatingChange, Competition.id, Competition.name)
        .join(Match, col(Match.id) == col(RatingChange.match_id))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
        .where(col(RatingChange.player_id) == player_id)
        .order_by(col(RatingChange.at), col(RatingChange.match_id))
    )
    for row, event_id, event in session.exec(asked):
        steps.setdefault((row.title, row.system), []).append((row, event_id, event))
    rows = session.exec(
        select(Rating).where(col(Rating.player_id) == player_id).order_by(col(Rating.title), col(Rating.system))
    )
    return [(row, steps.get((row.title, row.system), [])) for row in rows]
