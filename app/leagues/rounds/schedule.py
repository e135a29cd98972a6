"""When rounds can be paired, and the rest of a round robin: by its table, or laid out again after a late entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlmodel import Session

from app.base.words.refusals import NotAccepted
from app.leagues.events import lifecycle, round_rows, seat_changes
from app.leagues.pure.model import DOUBLE_FORFEIT, NOTHING, PLAYED, VOID, Competitor, Result, Round
from app.leagues.pure.pairing import berger
from app.leagues.pure.tiebreaks import holder_of
from app.leagues.results import standings
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Division,
    Entrant,
    Match,
    RoundStatus,
    Source,
)
from app.leagues.teams import team_rounds
from engine.kernel.text import Text


def people(session: Session, event: Competition, division: Division) -> list[Entrant]:
    """Return who is in the table of a division, by number: players who left too, but not those whom a substitute has
    replaced.
    """
    gone = seat_changes.substitutes(session, event.id)
    return [entrant for entrant in standings.people_of(session, event, division) if entrant.id not in gone]


def published(there: Sequence[CompetitionRound]) -> list[CompetitionRound]:
    """Return the rounds of a division without the draft."""
    return [round for round in there if round.status != RoundStatus.DRAFT]


def rest(
    session: Session, event: Competition, order: Sequence[Competitor], there: Sequence[CompetitionRound]
) -> list[Round]:
    """Return the rounds of a division (`there`) that are not published yet, for the entrants of `people`."""
    substitutes = seat_changes.substitutes(session, event.id)
    before = published(there)
    dealt = [
        Result(round.number, seats, (NOTHING, NOTHING), _counts_as(match))
        for round in before
        for match in round.matches
        if len(seats := tuple(holder_of(substitutes, seat.entry_id) for seat in match.seats)) == 2
    ]
    return berger.rest(order, dealt, len(before) + 1, double=event.terms.legs == 2)


def why_not_yet(event: Competition, division: Division, there: Sequence[CompetitionRound]) -> Text | None:
    """Return why the next round of a division cannot be paired yet, if the one before has to be closed first."""
    before = published(there)
    if event.plays_in(division).is_laid_out or not before or before[-1].status == RoundStatus.CLOSED:
        return None
    return Text("Close round {n} first; this format needs its results.", n=before[-1].number)


def left(session: Session, event: Competition, division: Division, there: Sequence[CompetitionRound]) -> int:
    """Return how many rounds of a division are still to be published; 0 for a format that makes them one by one."""
    if not event.plays_in(division).is_laid_out:
        return 0
    if event.boards:
        return len(team_rounds.rest(session, event, there))
    order = [entrant.as_competitor() for entrant in people(session, event, division)]
    return len(rest(session, event, order, there))


def more_rounds(session: Session, event: Competition, entrant: Entrant) -> int:
    """Return how many more rounds a division needs if a reserve takes over the place of this player."""
    if not event.plays.is_laid_out or event.boards or entrant.withdrawn_after is None or entrant.division_id is None:
        return 0
    division = event.division(entrant.division_id)
    there = round_rows.rounds_of(session, division.id, drafts=True)
    order = [one.as_competitor() for one in people(session, event, division)]
    back = [replace(one, withdrawn_after=None) if one.id == entrant.id else one for one in order]
    return len(rest(session, event, back, there)) - len(rest(session, event, order, there))


def has_more_to_play(session: Session, event: Competition, entry_id: int) -> bool:
    """Whether an entrant leaves something for a substitute: running games, or a place in unpublished rounds of a format
    in which the place goes on independently of results.
    """
    if event.status != CompetitionStatus.RUNNING:
        return False
    if seat_changes.running_games(session, event.id, entry_id):
        return True
    if event.boards:
        return False
    entrant = session.get(Entrant, entry_id)
    if (
        entrant is None
        or not entrant.seed
        or entrant.division_id is None
        or entry_id in seat_changes.substitutes(session, event.id)
    ):
        return False
    division = event.division(entrant.division_id)
    there = published(round_rows.rounds_of(session, division.id))
    if event.plays.is_laid_out:
        return left(session, event, division, there) > 0
    return event.plays.by_round and len(there) < (event.terms.rounds or len(there) + 1)


def _counts_as(match: Match) -> str:
    """Return how a match counts: an open one will be played; a void one only if the player who left is back."""
    if match.ended == VOID and match.source != Source.WITHDRAWAL:
        return DOUBLE_FORFEIT
    return match.ended or PLAYED


def next_of(rest: Sequence[Round], number: int) -> Round:
    """Return the first of the remaining rounds. Raises NotAccepted if there is none."""
    if not rest:
        raise NotAccepted("round.last", lifecycle.all_paired(number - 1))
    return rest[0]
