"""All rounds of a round robin at once, as in correspondence chess: previewed, then paired and published in one act,
with one mail to each player that names all the games.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from app.base.words.refusals import Conflict, NotAccepted
from app.games.work import Work
from app.leagues.clubs.acting import Acting
from app.leagues.events import lifecycle, matches, round_rows
from app.leagues.pure.model import Round
from app.leagues.pure.pairing.tasks import Task
from app.leagues.rounds import pairing, publish_preview, round_loop, schedule
from app.leagues.tables import Competition, CompetitionStatus, Division, Entrant
from app.people import accounts
from app.people.tables import Player
from engine.kernel.text import Text


@dataclass(frozen=True, slots=True)
class GamesOfOne:
    """What one player gets when all rounds begin."""

    name: str
    games: int
    mail: bool
    """The mail that names all the games; not for players who want no news or have no address."""
    turns: int
    """Turn mails for games in which the player moves first; not for players who want none."""


@dataclass(frozen=True, slots=True)
class RoundsAhead:
    """All unpublished rounds of a division, as they would be published now."""

    rounds: Sequence[Round]
    names: Mapping[int, str]
    """By entrant."""
    players: Sequence[GamesOfOne]
    ends: datetime | None
    """The end of all rounds by the terms of the event; None if they do not say."""
    drawn: bool
    """Chance decides who moves first, and so who gets a turn mail."""

    @property
    def games(self) -> int:
        return sum(len(round.pairings) for round in self.rounds)

    @property
    def seen(self) -> str:
        """Return a token that identifies these pairings."""
        return _seen(self.rounds)


def why_not(session: Session, event: Competition, division: Division) -> NotAccepted | None:
    """Return why not all rounds of a division can begin at once; None if they can."""
    if not event.plays_in(division).is_laid_out or event.boards:
        return NotAccepted(
            "rounds.format", Text("Only a round robin, or a group, without teams can begin all its rounds at once.")
        )
    if event.status != CompetitionStatus.RUNNING:
        return NotAccepted("event.not_running", Text("The event is not running."))
    if pairing.open_job(session, division.id) is not None:
        return pairing.at_work()
    there = round_rows.rounds_of(session, division.id)
    if not schedule.left(session, event, division, there):
        return NotAccepted("round.last", lifecycle.all_paired(len(there)))
    return None


def foresee(session: Session, event: Competition, division: Division, now: datetime) -> RoundsAhead:
    """Return what beginning all rounds of a division would do now. Changes nothing. Raises NotAccepted."""
    if no := why_not(session, event, division):
        raise no
    people, left = _left(session, event, division)
    asked = select(Player).where(col(Player.id).in_({entrant.player_id for entrant in people}))
    accounts = {player.id: player for player in session.exec(asked)}
    opens = publish_preview.first_to_move(event, 2)
    names, players = {entrant.id: entrant.name for entrant in people}, []
    for entrant in people:
        mine = [pair.seats for round in left for pair in round.pairings if entrant.id in pair.seats]
        who = accounts.get(entrant.player_id)
        if not mine or who is None:
            continue
        reached = bool(who.address) and who.erased_at is None
        first = sum(opens is not None and seats[opens] == entrant.id for seats in mine)
        turns = first if reached and who.mail_turns else 0
        players.append(GamesOfOne(entrant.name, len(mine), reached and who.mail_news, turns))
    return RoundsAhead(left, names, players, usual_end(session, event, left, now), opens is None)


def usual_end(session: Session, event: Competition, left: Sequence[Round], now: datetime) -> datetime | None:
    """Return when rounds that begin together end: on the date of the last one, else after the total of their days."""
    if (dated := round_loop.dated_end(session, event, left[-1].number, now)) is not None:
        return dated
    return now + timedelta(days=event.terms.round_days * len(left)) if event.terms.round_days else None


def begin(
    acting: Acting, division: Division, *, seen: str | None = None, until: datetime | None = None
) -> tuple[int, int]:
    """Pair and publish all remaining rounds of a division of an event, which is locked; return how many rounds and
    games.

    An existing draft is replaced.

    `seen` (`RoundsAhead.seen`) ensures that these are the pairings that were previewed. `until`: when they end; None is
    `usual_end`. Raises NotAccepted.
    """
    session, event, now = acting.session, acting.event, acting.now
    if no := why_not(session, event, division):
        raise no
    if until is not None and until <= now:
        raise round_loop.end_passed()
    people, left = _left(session, event, division)
    if seen is not None and seen != _seen(left):
        raise Conflict("rounds.changed", Text("The rounds have changed meanwhile; look at them again."))
    for draft in round_rows.drafts_of(session, division.id):
        matches.delete_draft(session, draft.id)
    ends = until or usual_end(session, event, left, now)
    games = sum(_publish(acting, division, round, ends) for round in left)
    _tell(acting.work, event, division, left, people, now)
    return len(left), games


def _left(session: Session, event: Competition, division: Division) -> tuple[list[Entrant], list[Round]]:
    """Return who is in the table of a division, and its unpublished rounds."""
    people = schedule.people(session, event, division)
    order = [entrant.as_competitor() for entrant in people]
    return people, schedule.rest(session, event, order, round_rows.rounds_of(session, division.id))


def _seen(left: Sequence[Round]) -> str:
    pairings = [(one.number, [pair.seats for pair in one.pairings], [bye.entrant for bye in one.byes]) for one in left]
    return hashlib.sha256(repr(pairings).encode()).hexdigest()[:16]


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
