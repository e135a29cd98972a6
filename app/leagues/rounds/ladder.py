"""Ladders: who may challenge whom, challenges with their answers, and the order produced by the results.

Each challenge is a round of its own with one game: a draft until it is accepted, published while it is played, closed
by its result. The order is recomputed from the seeds and the results, so a corrected result corrects it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.base.words.speech import FORMER_PLAYER
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries, lifecycle, matches, round_rows
from app.leagues.pure.model import NOTHING, VOID, Points
from app.leagues.pure.pairing import ladder as rules
from app.leagues.pure.pairing.cards import cards
from app.leagues.pure.pairing.ladder import Ladder
from app.leagues.pure.terms import ANSWER_DAYS
from app.leagues.pure.why import Reason, sentence
from app.leagues.results import outcomes
from app.leagues.rounds import round_loop
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    Match,
    RoundStatus,
)
from app.people import accounts
from app.people.blocks import among
from engine.kernel.text import Text

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge: a question while its round is a draft, a game once that is published, a result when it is closed.
    `challenger` and `opponent` are entrants.
    """

    round: CompetitionRound
    match: Match
    challenger: int
    opponent: int
    answer_by: datetime

    @property
    def made(self) -> str:
        """Return its `stamp`."""
        return stamp(self.round.made_at)

    def waits(self, now: datetime) -> bool:
        """Whether the answer is still open; an unanswered challenge lapses."""
        return self.round.status == RoundStatus.DRAFT and now <= self.answer_by

    def is_open(self, now: datetime) -> bool:
        """Whether it counts among the open challenges of its players."""
        return self.waits(now) or (self.round.status == RoundStatus.PUBLISHED and not self.match.ended)

    def points(self) -> tuple[Points, Points]:
        """Return the points, the challenger's first."""
        found = {seat.entry_id: seat.points or NOTHING for seat in self.match.seats}
        return found.get(self.challenger, NOTHING), found.get(self.opponent, NOTHING)


@dataclass(frozen=True, slots=True)
class LadderChange:
    """The effect of one game on the order."""

    challenge: Challenge
    why: Reason


@dataclass(frozen=True, slots=True)
class CompetitionLadder:
    """The ladder of an event at a moment."""

    event: Competition
    people: Mapping[int, Entrant]
    ladder: Ladder
    challenges: tuple[Challenge, ...]
    """Challenges that wait and those that are being played, oldest first."""
    changes: tuple[LadderChange, ...]
    """The effects of results, newest first."""
    blocks: frozenset[frozenset[int]]

    def names(self) -> dict[int, str | Text]:
        """Return the names of all entrants; an erased account has none."""
        return {entrant: one.name or Text(FORMER_PLAYER) for entrant, one in self.people.items()}

    def why_not(self, challenger: int, opponent: int) -> Text | None:
        """Return, as a sentence, why a challenge cannot be made; None if it can."""
        reason = rules.why_not(self.ladder, challenger, opponent, self.event.terms, self.blocks)
        return None if reason is None else sentence(reason, self.names())  # type: ignore[arg-type]


# -- reading ------------------------------------------------------------------------------------------


def read(session: Session, event: Competition, now: datetime) -> CompetitionLadder:
    """Return the ladder of an event that has started."""
    people = {one.id: one for one in entries.entrants(session, event.id) if one.seed}
    found = _challenges(session, event)
    order = tuple(people)
    changes = []
    days: dict[frozenset[int], float] = {}
    ended = [(one.match.ended_at, one.round.id, one) for one in found if one.match.ended != VOID and one.match.ended_at]
    for at, _, one in sorted(ended, key=lambda row: row[:2]):
        if one.challenger in order and one.opponent in order:
            order, why = rules.after_game(order, one.challenger, one.opponent, one.points(), event.terms)
            changes.append(LadderChange(one, why))
        days[frozenset((one.challenger, one.opponent))] = (now - at) / DAY
    there = tuple(entrant for entrant in order if people[entrant].status == EntrantStatus.ENTERED)
    going = tuple(one for one in found if one.is_open(now))
    pairs = among(session, [one.player_id for one in people.values()])
    by_player = {one.player_id: one.id for one in people.values()}
    blocks = frozenset(frozenset(by_player[player] for player in pair) for pair in pairs)
    now_open = tuple((one.challenger, one.opponent) for one in going)
    return CompetitionLadder(event, people, Ladder(there, now_open, days), going, tuple(reversed(changes)), blocks)


def _challenges(session: Session, event: Competition) -> list[Challenge]:
    found = []
    for round in round_rows.rounds_of(session, event.divisions[0].id, drafts=True):
        for match in round.matches:
            players = next(reason.values for reason in match.reasons if reason.code == "ladder.challenge")
            until = round.made_at + timedelta(days=ANSWER_DAYS)
            found.append(Challenge(round, match, players["entrant"], players["opponent"], until))
    return found


# -- challenging --------------------------------------------------------------------------------------


def _last_number(session: Session, division_id: int) -> int:
    last = sa.select(sa.func.max(col(CompetitionRound.number))).where(col(CompetitionRound.division_id) == division_id)
    return session.scalar(last) or 0


def challenge(acting: Acting, opponent: int) -> int:
    """Challenge an entrant of a ladder, which is locked; the challenged player is asked by mail. Returns the number of
    the challenge.

    Raises NotAccepted with the reason why not.
    """
    session, event, now = acting.session, acting.event, acting.now
    if not event.plays.by_challenge or event.status != CompetitionStatus.RUNNING:
        raise NotAccepted("ladder.not_running", Text("This ladder is not running."))
    there = read(session, event, now)
    mine = _mine(there, acting.by_id)
    no = there.why_not(mine.id, opponent) if opponent in there.people else Text("This player is not on the ladder.")
    if no is not None:
        raise NotAccepted("ladder.no", no)
    division = event.divisions[0]
    _forget_lapsed(session, event, now)
    held = cards([one.as_competitor() for one in there.people.values()], outcomes.results_of(session, division.id))
    pairing = rules.pair(there.ladder, held[mine.id], held[opponent])
    number = _last_number(session, division.id) + 1
    made = CompetitionRound(event_id=event.id, division_id=division.id, number=number, why={}, made_at=now)
    session.add(made)
    session.flush()
    matches.write_match(session, made.id, 1, pairing.seats, matches.why_of(pairing))
    acting.write("ladder.challenged", audit.entrant(opponent))
    details = {"event": event.id, "round": made.id, "made": stamp(now), "by": mine.player_id}
    _tell(acting.work, there.people[opponent].player_id, "challenge", details, now)
    return made.id


def _mine(there: CompetitionLadder, player_id: int | None) -> Entrant:
    for one in there.people.values():
        if one.player_id == player_id and one.status == EntrantStatus.ENTERED:
            return one
    raise NotAccepted("ladder.not_on", Text("You are not on this ladder."))


def _forget_lapsed(session: Session, event: Competition, now: datetime) -> None:
    for one in _challenges(session, event):
        if one.round.status == RoundStatus.DRAFT and not one.waits(now):
            matches.delete_draft(session, one.round.id)


def stamp(at: datetime) -> str:
    """Return a moment as links and keys of mails name it: numbers of lapsed challenges may be reused."""
    return f"{at:%Y%m%d%H%M%S%f}"


def _tell(work: Work, player_id: int, kind: str, details: Mapping[str, Any], now: datetime) -> None:
    key = f"{kind}:{details['round']}:{details['made']}"
    work.outbox.tell(accounts.addresses(work.session, [player_id]), kind, key, details, now)


# -- answering ----------------------------------------------------------------------------------------


def waiting(session: Session, round_id: int, made: str, now: datetime) -> tuple[CompetitionLadder, Challenge] | None:
    """Return a waiting challenge by its number and the stamp of its creation; None if it no longer exists."""
    row = session.execute(
        sa.select(col(CompetitionRound.event_id), col(CompetitionRound.made_at)).where(
            col(CompetitionRound.id) == round_id
        )
    ).first()
    if row is None or stamp(row.made_at) != made:
        return None
    event = lifecycle.get(session, row.event_id)
    if event.status != CompetitionStatus.RUNNING or not event.plays.by_challenge:
        return None
    there = read(session, event, now)
    found = next((one for one in there.challenges if one.round.id == round_id and one.waits(now)), None)
    return None if found is None else (there, found)


def answer(database: Database, round_id: int, made: str, player_id: int, *, accepts: bool, now: datetime) -> int | None:
    """Do the same as `answer_within` in a transaction of its own."""
    with Work(database) as work:
        return answer_within(work, round_id, made, player_id, accepts=accepts, now=now)


def answer_within(work: Work, round_id: int, made: str, player_id: int, *, accepts: bool, now: datetime) -> int | None:
    """Accept a challenge, which starts its game, or decline it; return the number of the game.

    A challenger who declines withdraws the challenge. Raises NotAccepted if it no longer waits or belongs to other
    players.
    """
    session = work.session
    event_id = session.scalar(sa.select(col(CompetitionRound.event_id)).where(col(CompetitionRound.id) == round_id))
    if event_id is not None:
        lifecycle.get(session, event_id, lock=True)  # one answer after the other
    found = waiting(session, round_id, made, now)
    if found is None:
        raise NotAccepted("ladder.answered", Text("This does not wait for your answer any more."))
    there, one = found
    event, challenger, opponent = there.event, there.people[one.challenger], there.people[one.opponent]
    takes_back = player_id == challenger.player_id and not accepts
    if player_id != opponent.player_id and not takes_back:
        raise NotAccepted("ladder.not_yours", Text("This challenge is for somebody else to answer."))
    game_id = None
    if accepts:
        round = round_rows.get(session, round_id, lock=True)
        round_loop.put_out(Acting(work, event, player_id, now), round)
        game_id = round_rows.get(session, round_id).matches[0].game_id
    else:
        matches.delete_draft(session, round_id)
        details = {"event": event.id, "round": round_id, "made": made, "by": player_id}
        if not takes_back:
            _tell(work, challenger.player_id, "challenge_declined", details, now)
        act = "ladder.taken_back" if takes_back else "ladder.declined"
        Acting(work, event, player_id, now).write(act, audit.entrant(one.opponent if takes_back else one.challenger))
    return game_id


def close_down(session: Session, event: Competition) -> None:
    """Throw away challenges nobody has accepted, before the event ends."""
    for one in _challenges(session, event):
        if one.round.status == RoundStatus.DRAFT:
            matches.delete_draft(session, one.round.id)
