"""The order in which the players of an event are numbered and divided: by rating, or by their last season."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import NotAccepted
from app.leagues.events import entries
from app.leagues.pure.ratings import KNOWN_DEVIATION
from app.leagues.results import records
from app.leagues.results.records import FinalPlace
from app.leagues.tables import Competition, Entrant, EntrantStatus, MemberNote, Rating
from engine.kernel.text import Text

RATING, MEMBERS = "rating", "members"
"""Sources without a name: ratings, and the columns of the club's list of members."""
_BEHIND = 1_000_000
"""The rank of players who were not there: behind everybody who was."""


@dataclass(frozen=True, slots=True)
class LastPlace:
    """A place in the last season. `rank` counts through the divisions, from the highest."""

    rank: int
    division: str


@dataclass(frozen=True, slots=True)
class SeedSource:
    """A source for the order.

    `key` is `rating`, `event-12`, `season-NAME` or `members`; `name` is that of an event or a season, else empty.
    """

    key: str
    name: str = ""
    where: Mapping[int, LastPlace] | None = None
    """By player, if it is the table of a season."""


def sources(session: Session, event: Competition) -> list[SeedSource]:
    """Return the available sources.

    Seasons of the same game come first, newest first, with imported ones behind those played here, then last season
    from the list of members, then ratings.
    """
    return [*_seasons(session, event), SeedSource(RATING)]


def find(session: Session, event: Competition, key: str) -> SeedSource:
    """Return a source by its key. Raises NotAccepted."""
    for source in sources(session, event):
        if source.key == key:
            return source
    raise NotAccepted("numbers.source", Text("There is no season or list of this name to take numbers from."))


def order_of(session: Session, event: Competition, playing: Sequence[Entrant], source: SeedSource) -> list[Entrant]:
    """Return the players in the order of a source; those not in it come last, by rating less its deviation and then by
    lot."""
    rated = select(Rating).where(
        col(Rating.title) == event.title_id, col(Rating.system) == entries.systems_of(event)[0]
    )
    deviations = {row.player_id: row.deviation for row in session.exec(rated)}

    def surely(entrant: Entrant) -> float:
        least = deviations.get(entrant.player_id, KNOWN_DEVIATION)
        return 0 if entrant.rating is None else entrant.rating - least

    def rank(entrant: Entrant) -> int:
        found = (source.where or {}).get(entrant.player_id)
        return found.rank if found else _BEHIND

    return sorted(playing, key=lambda one: (rank(one), -surely(one), event.lot(one.id)))


def order_by_terms(session: Session, event: Competition, playing: Sequence[Entrant]) -> list[Entrant]:
    """Return the players in the order that the terms of the event say; by rating if there was no season."""
    there = sources(session, event) if event.terms.seeding == "last_season" else [SeedSource(RATING)]
    return order_of(session, event, playing, there[0])


# -- divisions ----------------------------------------------------------------------------------------


def divided(session: Session, event: Competition, key: str) -> dict[int, int]:
    """Return a division for each player, by the key of a source.

    By a season everybody goes where a division has the name of their last one; who was in no division of these comes
    into equal parts of the order if nobody fits, else into the lowest. Raises NotAccepted for an unknown source.
    """
    source = find(session, event, key)
    playing = [one for one in entries.entrants(session, event.id) if one.status == EntrantStatus.ENTERED]
    order = order_of(session, event, playing, source)
    named = {division.name.casefold(): division.id for division in event.divisions}
    fits = {
        one.id: named[last.division.casefold()]
        for one in order
        if (last := (source.where or {}).get(one.player_id)) and last.division.casefold() in named
    }
    if not fits:
        return _equal_parts(event, order)
    return {one.id: fits.get(one.id, event.divisions[-1].id) for one in order}


def _equal_parts(event: Competition, order: Sequence[Entrant]) -> dict[int, int]:
    """Return the players in order, in as many parts as there are divisions; the highest have one more if they must."""
    least, more = divmod(len(order), len(event.divisions))
    found: dict[int, int] = {}
    at = 0
    for number, division in enumerate(event.divisions):
        size = least + (number < more)
        found |= {one.id: division.id for one in order[at : at + size]}
        at += size
    return found


# -- seasons ------------------------------------------------------------------------------------------


def _seasons(session: Session, event: Competition) -> list[SeedSource]:
    here = (
        col(Competition.club_id) == event.club_id,
        col(Competition.title_id) == event.title_id,
        col(Competition.id) != event.id,
    )
    same_game = set(session.exec(select(Competition.id).where(*here)))
    tables: dict[tuple[int | None, str], list[FinalPlace]] = {}
    for line in records.finished(session, event.club_id):
        if line.event_id is None or line.event_id in same_game:
            tables.setdefault((line.event_id, line.season if line.event_id is None else ""), []).append(line)
    found = [
        SeedSource(
            f"season-{season}" if number is None else f"event-{number}",
            season if number is None else _named(lines[0]),
            _ranked(lines),
        )
        for (number, season), lines in tables.items()
    ]
    listed = _of_members(session, event)
    return found + ([SeedSource(MEMBERS, where=listed)] if listed else [])


def _named(line: FinalPlace) -> str:
    """Return the name of an event with its season, unless the name says it already."""
    return line.event if line.season in line.event else f"{line.event} {line.season}"


def _ranked(lines: Sequence[FinalPlace]) -> dict[int, LastPlace]:
    """Return the rank of each player from lines in order; equal places of a division share one rank."""
    found: dict[int, LastPlace] = {}
    rank, before = 0, ("", 0)
    for at, line in enumerate(lines):
        if (line.division, line.place) != before:
            rank, before = at, (line.division, line.place)
        if line.player_id is not None:
            found.setdefault(line.player_id, LastPlace(rank, line.division))
    return found


def _of_members(session: Session, event: Competition) -> dict[int, LastPlace]:
    """Return the last season from the club's list of members: by division, the event's own first and in its order, then
    by place.
    """
    levels = {division.name.casefold(): level for level, division in enumerate(event.divisions)}
    known = sa.or_(col(MemberNote.place).is_not(None), col(MemberNote.division) != "")
    asked = select(MemberNote).where(col(MemberNote.club_id) == event.club_id, known)
    notes = sorted(
        session.exec(asked),
        key=lambda note: (
            levels.get(note.division.casefold(), len(levels)),
            note.division.casefold(),
            note.place or _BEHIND,
        ),
    )
    lines = [FinalPlace("", "", None, one.division, one.place or 0, 0, one.player_id, "") for one in notes]
    return _ranked(lines)
