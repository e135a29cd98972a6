"""All rounds of a round robin at once, as in correspondence chess: paired and published in one act, with one mail to
each player that names all the games.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session

from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs.acting import Acting
from app.leagues.events import lifecycle, matches, round_rows
from app.leagues.pure.model import Round
from app.leagues.pure.pairing.tasks import Task
from app.leagues.rounds import pairing, round_loop, schedule
from app.leagues.tables import Competition, CompetitionStatus, Division, Entrant
from app.people import accounts
from engine.kernel.text import Text

Left = Sequence[tuple[Division, Sequence[Entrant], Sequence[Round]]]
"""The divisions with unpublished rounds that can all begin: who is in the table, and the rounds."""


def left(session: Session, event: Competition) -> Left:
    """Return all rounds of an event that could begin at once; empty for one that does not run or has no such rounds."""
    if event.status != CompetitionStatus.RUNNING or event.boards:
        return ()
    found = []
    for division in event.divisions:
        if event.plays_in(division).is_laid_out:
            people = schedule.people(session, event, division)
            order = [entrant.as_competitor() for entrant in people]
            if rounds := schedule.rest(session, event, order, round_rows.rounds_of(session, division.id)):
                found.append((division, people, rounds))
    return found


def _need_left(session: Session, event: Competition) -> Left:
    """Return what is left of an event; raise NotAccepted if nothing can begin at once."""
    if event.boards or not any(event.plays_in(division).is_laid_out for division in event.divisions):
        raise NotAccepted(
            "rounds.format", Text("Only a round robin, or a group, without teams can begin all its rounds at once.")
        )
    if event.status != CompetitionStatus.RUNNING:
        raise NotAccepted("event.not_running", Text("The event is not running."))
    found = left(session, event)
    if not found:
        there = round_rows.rounds_of(session, event.divisions[-1].id)
        raise NotAccepted("round.last", lifecycle.all_paired(len(there)))
    if any(pairing.open_job(session, division.id) is not None for division, _, _ in found):
        raise pairing.at_work()
    return found


def foresee(session: Session, event: Competition, now: datetime) -> tuple[int, datetime | None]:
    """Return how many games would begin now, and when they end by the terms. Raises NotAccepted."""
    found = _need_left(session, event)
    games = sum(len(round.pairings) for _, _, rounds in found for round in rounds)
    return games, _usual_end(session, event, found, now)


def _usual_end(session: Session, event: Competition, found: Left, now: datetime) -> datetime | None:
    """Return when rounds that begin together end: as the last of them does that begins now."""
    return round_loop.usual_end(session, event, max(rounds[-1].number for _, _, rounds in found), now)


def begin(acting: Acting, *, until: datetime | None = None) -> int:
    """Pair and publish all remaining rounds of an event, which is locked; return how many games start.

    Existing drafts are replaced. `until`: when they end; None is the end of `foresee`. Raises NotAccepted.
    """
    session, event, now = acting.session, acting.event, acting.now
    found = _need_left(session, event)
    if until is not None and until <= now:
        raise round_loop.end_passed()
    ends = until or _usual_end(session, event, found, now)
    games = 0
    for division, people, rounds in found:
        for draft in round_rows.drafts_of(session, division.id):
            matches.delete_draft(session, draft.id)
        games += sum(_publish(acting, division, round, ends) for round in rounds)
        _tell(acting.work, event, division, rounds, people, now)
    return games


def _publish(acting: Acting, division: Division, round: Round, ends: datetime | None) -> int:
    made = round_loop.keep_draft(acting, division.id, Task(round.number, made=round), round, None)
    return round_loop.put_out(acting, round_rows.get(acting.session, made, lock=True), ends, tells=False)


def _tell(
    work: Work, event: Competition, division: Division, left: Sequence[Round], people: Sequence[Entrant], now: datetime
) -> None:
    """Mail all the games to each player, once."""
    playing = {entrant for round in left for pair in round.pairings for entrant in pair.seats}
    first, last = left[0].number, left[-1].number
    details = {"event": event.id, "division": division.id, "rounds": [first, last]}
    told = accounts.addresses(work.session, [one.player_id for one in people if one.id in playing])
    work.outbox.tell(told, "event_round", f"event_rounds:{division.id}:{first}", details, now)
