"""The history of a club: winners by season, trophies and records, each with the names that are public."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlmodel import col, select

from app.leagues.results import records
from app.leagues.results.records import AtTables, FinalPlace, Score
from app.people.tables import Player

if TYPE_CHECKING:
    from sqlmodel import Session

MOST_LISTED = 5
"""The number of lines of each record."""
Named = tuple[int, str]
"""A player by number and name."""


@dataclass(frozen=True, slots=True)
class ClubMemory:
    """Winners by season, newest event first, and records, best first; former players are in no record."""

    winners: dict[str, list[FinalPlace]]
    titles: list[tuple[Named, int]]
    streaks: list[tuple[Named, int]]
    """The longest streaks of won games."""
    played: list[tuple[Named, Score]]
    sides: dict[tuple[str, int], list[tuple[Named, Score]]]
    """By title and place at the table."""
    tables: dict[str, list[tuple[Named, AtTables]]]
    """By title, of games of three players and more."""
    pairs: list[tuple[Named, Named, Score]]
    """The most frequent pairs of opponents; the score is the first one's."""


def read(session: Session, club_id: int) -> ClubMemory:
    """Read the whole history with a bounded number of statements."""
    places = records.finished(session, club_id)
    careers = records.careers(session, club_id)
    names = {one.player_id: one.name for one in places if one.player_id}
    names |= names_of(session, [who for who in careers if who not in names])
    known = {who: career for who, career in careers.items() if names.get(who)}
    titles: dict[int, int] = {}
    for one in places:
        if one.player_id and one.place == 1:
            titles[one.player_id] = titles.get(one.player_id, 0) + 1

    def named(who: int) -> Named:
        return who, names[who]

    return ClubMemory(
        winners=_by_season(winners(places)),
        titles=[(named(who), n) for who, n in _best(titles)],
        streaks=[(named(who), n) for who, n in _best({who: one.longest for who, one in known.items()}) if n > 1],
        played=[
            (named(who), known[who].score) for who, _ in _best({who: one.score.games for who, one in known.items()})
        ],
        sides={
            side: [(named(who), score) for who, score in best[:MOST_LISTED]]
            for side, best in records.best_by_side(known).items()
        },
        tables={
            title: [(named(who), there) for who, there in best[:MOST_LISTED]]
            for title, best in records.best_at_tables(known).items()
        },
        pairs=[(named(who), named(other), score) for who, other, score in records.met_most(known) if other in known][
            :MOST_LISTED
        ],
    )


def winners(places: Iterable[FinalPlace]) -> list[FinalPlace]:
    """Return the winner of each event and division; for an event of teams the team."""
    return [one for one in places if one.place == 1 and not one.team]


def names_of(session: Session, players: list[int]) -> dict[int, str]:
    """Return the names of players by number, without erased accounts."""
    asked = select(Player).where(col(Player.id).in_(players), col(Player.erased_at).is_(None))
    return {one.id: one.name for one in session.exec(asked) if one.id is not None}


def _by_season(first: Iterable[FinalPlace]) -> dict[str, list[FinalPlace]]:
    found: dict[str, list[FinalPlace]] = {}
    for one in first:
        found.setdefault(one.season, []).append(one)
    return found


def _best(found: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return the highest values, leaving out zeros."""
    order = sorted((one for one in found.items() if one[1]), key=lambda one: (-one[1], one[0]))
    return order[:MOST_LISTED]
