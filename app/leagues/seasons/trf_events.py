"""Makes an event from FIDE's report file: its players are club members, its rounds are closed, and it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from app.base.refusals import Conflict, NotAccepted
from app.games.work import Work
from app.leagues.clubs import members
from app.leagues.events import entries, events, matches, two_clubs
from app.leagues.events.term_words import points_in_words
from app.leagues.pure import trf
from app.leagues.pure.model import BYES, Result
from app.leagues.pure.terms import FIRST_SIDES, Format
from app.leagues.pure.trf import CompetitionFile, Scoring
from app.leagues.results import outcomes
from app.leagues.seasons import imports
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    EntrantStatus,
    MemberStatus,
    Role,
    RoundStatus,
    Source,
)
from app.people import sanctions
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file, with the club member that each of its numbers seems to be."""

    made: CompetitionFile
    meant: Mapping[int, int]
    """The players, by the numbers whose name belongs to exactly one member."""


def why_not(event: Competition) -> Text | None:
    """Return why an event cannot be filled from a file; None if it can."""
    if event.status != CompetitionStatus.DRAFT:
        return Text("The event is not a draft any more; a file is taken over before sign-up opens.")
    if event.format != Format.SWISS or len(event.divisions) > 1:
        return Text("Only a Swiss event of one division takes such a file.")
    return None


def read(session: Session, event: Competition, text: str) -> FileRead:
    """Read a file for an event. Changes nothing. Raises NotAccepted if the event cannot take it."""
    against = why_not(event)
    if against is not None:
        raise Conflict("trf.event", against)
    try:
        made = trf.read(text)
    except Unreadable as no:
        raise NotAccepted(no.code, no.why) from None
    if made.against:
        raise NotAccepted(made.against[0].code, made.against[0].why)
    if made.lost:
        raise NotAccepted("trf.lost", made.lost)
    if made.scoring != (scoring := scoring_of(event)) or event.terms.half_bye != scoring.draw:
        raise NotAccepted("trf.scoring", _other_points(made.scoring))
    rounds = event.terms.rounds or 0
    if made.played > rounds:
        why = Text("The file has {n} rounds with results, and the event {m} rounds.", n=made.played, m=rounds)
        raise NotAccepted("trf.rounds", why)
    playing = {player for player, _ in choices(session, event)}
    known = imports.members_by_name(session, event.club_id)
    meant = {}
    for one in made.entrants:
        found = imports.named(known, one.name) & playing
        if len(found) == 1:
            meant[one.id] = found.pop()
    return FileRead(made, meant)


def scoring_of(event: Competition) -> Scoring:
    """Return the points of each result in an event, as a file states them."""
    terms = event.terms
    return Scoring(terms.win, terms.draw, terms.loss, terms.bye)


def _other_points(scoring: Scoring) -> Text:
    points = {name: points_in_words(getattr(scoring, name)) for name in ("win", "draw", "loss", "bye")}
    return Text(
        "The file counts {win} for a win, {draw} for a draw or a bye on request, {loss} for a loss and {bye} for a bye;"
        " give the event the same points first.",
        **points,
    )


def take(
    database: Database, event_id: int, by_id: int, text: str, chosen: Mapping[int, int | None], *, now: datetime
) -> int:
    """Fill an event from a file and start it; return how many rounds were played.

    `chosen` names the member for each number.

    Everybody in it gets the mail for players whom an organiser enters. Raises NoSuchCompetition, NotAllowed;
    NotAccepted for unknown or repeated players, and for players of the event who are not in the file.
    """
    with Work(database) as work:
        session = work.session
        acting = events.allowed(work, event_id, by_id, Role.ORGANISER, now)
        event = acting.event
        two_clubs.need_unbound(session, event)
        made = read(session, event, text).made
        players = _judge(session, event, made, chosen)
        for one in made.entrants:
            sanctions.need_free(session, players[one.id], now)
            values: dict[str, Any] = {
                "status": EntrantStatus.ENTERED,
                "division_id": event.divisions[0].id,
                "seed": one.seed,
                "rating": one.rating,
                "joined_round": 1,
                "away": sorted(one.away),
                "byes": sorted(one.byes),
                "entered_at": now,
            }
            mine = entries.entrant_of(session, event.id, players[one.id])
            entries.write_entry(session, event.id, players[one.id], mine, values)
        by_seed = {one.seed: one.id for one in entries.entrants(session, event.id) if one.seed}
        numbers = {one.id: by_seed[one.seed] for one in made.entrants}
        first_side = FIRST_SIDES[made.first_side]
        if made.results and first_side != event.terms.first_side:
            terms = replace(event.terms, first_side=first_side)
            session.exec(sa.update(Competition).where(col(Competition.id) == event.id).values(terms=terms))
        for number in range(1, made.played + 1):
            there = [one for one in made.results if one.round == number]
            _write_round(session, event, number, there, numbers, now)
        after = {"players": len(players), "rounds": made.played}
        acting.write("event.from_file", after=after)
        events.set_status(acting, CompetitionStatus.RUNNING)
        work.commit()
        return made.played


def _judge(
    session: Session, event: Competition, made: CompetitionFile, chosen: Mapping[int, int | None]
) -> dict[int, int]:
    """Return the players by number. Raises NotAccepted."""
    known = {player for player, _ in choices(session, event)}
    missing = tuple(one.name for one in made.entrants if chosen.get(one.id) not in known)
    if missing:
        raise NotAccepted("trf.player", Text("Choose a member of the club for {players}.", players=missing))
    players = {one.id: player for one in made.entrants if (player := chosen.get(one.id)) is not None}
    twice = tuple(one.name for one in made.entrants if list(players.values()).count(players[one.id]) > 1)
    if twice:
        raise NotAccepted("trf.twice", Text("{players} are the same member; choose another one.", players=twice))
    left = tuple(
        one.name
        for one in entries.entrants(session, event.id)
        if one.status == EntrantStatus.ENTERED and one.player_id not in players.values()
    )
    if left:
        why = Text("The file has no {players}, who are in the event; take them out of it first.", players=left)
        raise NotAccepted("trf.left", why)
    return players


def _write_round(
    session: Session,
    event: Competition,
    number: int,
    results: Sequence[Result],
    entrant: Mapping[int, int],
    now: datetime,
) -> None:
    row = {
        "event_id": event.id,
        "division_id": event.divisions[0].id,
        "number": number,
        "status": RoundStatus.CLOSED,
        "why": {},
        "version": 1,
        "made_at": now,
        "published_at": now,
        "closed_at": now,
    }
    round_id = int(
        session.exec(sa.insert(CompetitionRound).values(**row).returning(col(CompetitionRound.id))).scalar_one()
    )
    games_first = sorted(results, key=lambda one: (len(one.seats) == 1, one.seats))
    for at, result in enumerate(games_first, 1):
        match = matches.write_match(session, round_id, at, [entrant[who] for who in result.seats], {})
        source = Source.BYE if result.ended in BYES else Source.IMPORT
        outcomes.settle(session, match, result.ended, source, list(result.points), now)


def choices(session: Session, event: Competition) -> list[tuple[int, str]]:
    """Return the members of the club to choose from for a number: players with their names, by name."""
    there = members.members(session, event.club_id)
    return [(one.player_id, one.name) for one in there if one.status == MemberStatus.MEMBER]
