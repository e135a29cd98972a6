"""The desk: everything that blocks a round of an event, with what is known about it and the next step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.mail_tables import MailState, OutboxMail
from app.clocks.leave import DAYS_A_YEAR
from app.games.store import GameStore, NoSuchGame
from app.games.tables import Game
from app.leagues.changes import reserves
from app.leagues.events import round_rows
from app.leagues.rounds import brackets
from app.leagues.rulings import deciding, opening
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    Division,
    Match,
    MatchSeat,
    ReserveCall,
    RoundStatus,
    Ruling,
)
from app.play.agreed.results import still_plays
from app.time import pending
from app.time.away import automatic
from app.time.away.automatic import Silence
from app.time.decisions import PendingDecision
from app.time.tables import Case, CaseKind, ClockNote, Leave, LeaveKind, NoteKind

FINDINGS = (
    "undecided", "unreported", "no_reserve", "withdrawn", "claim", "bounced", "flag", "called", "question", "unread",
    "unmailed", "leave", "credit", "running",
)  # fmt: skip
"""What holds a match up, in the order of the desk: a game of a knock-out that does not count, over without a result, a
player gone (without or with a reserve to call), a claim that waits for a ruling, a mail refused, a deadline passed, a
reserve who is being asked, a question to a seat that is not on turn, a turn without a sign of its player, a mail on its
way, leave, time given back, nothing.
"""
PRESSING = 0.5
"""From this share of its clock on, or of the time left until the end of its round, a turn is worth a nudge."""
ASKING = ("turn", "reminder", "nudge", "extension", "overdue", "auto_leave", "desk_act")
"""The kinds of mail that tell a seat about its pending decision."""
LATE = ("flag", "question", "unread")
"""The findings that mean a player is late or silent."""
REMINDING = ("reminder", "overdue")
A_DAY = timedelta(days=1)


class State(StrEnum):
    """How a match stands, the most urgent first."""

    OUT = "out"
    """The time of its player is over."""
    SILENT = "silent"
    """Its player has given no sign for a day or longer, though half of the time is over."""
    SLOW = "slow"
    """It waits for something else than a move."""
    CALM = "calm"
    """It waits for nothing but its player."""


@dataclass
class Problem:
    """An open match of a published round: the rows that tell what holds it up, and what follows from them. This is the
    one place where that is worked out; the week, Monday's mail, messages and the late table read it."""

    event: Competition
    division: Division
    round: CompetitionRound
    match: Match
    now: datetime
    ruling: Ruling | None
    """The ruling that waits for a decision."""
    decision: PendingDecision | None = None
    """What its game waits for; a running game always waits for something."""
    mover: MatchSeat | None = None
    """The seat that owes the decision."""
    gone: MatchSeat | None = None
    """A seat that still plays, though its player has left the event or the server."""
    call: ReserveCall | None = None
    """The reserve who is being asked to take over."""
    reserves: int = 0
    """Reserves who could still be called for this seat."""
    case: Case | None = None
    mails: Sequence[OutboxMail] = ()
    """The mails that ask for the decision, oldest first."""
    notes: Sequence[ClockNote] = ()
    """What its clock has met."""
    leaves: Sequence[Leave] = ()
    """The leave of its player."""
    silence: Silence | None = None
    """For a late or silent mover: how long they have been so, and how long it can go on."""

    @property
    def match_id(self) -> int:
        return self.match.id

    @property
    def owes(self) -> MatchSeat | None:
        """Whose seat is waited for: that of who is gone, else of who has to move."""
        return self.gone or self.mover

    @property
    def started(self) -> bool:
        """Whether the clock runs."""
        return self.decision is not None and self.decision.mailed_at is not None

    @property
    def deadline(self) -> datetime | None:
        return None if self.decision is None else self.decision.deadline_at

    @property
    def left(self) -> int | None:
        """Seconds to the deadline; negative when it has passed."""
        return None if self.deadline is None else int((self.deadline - self.now).total_seconds())

    @property
    def is_out(self) -> bool:
        """Whether the time of its player is over."""
        return self.started and self.left is not None and self.left <= 0

    @property
    def mail(self) -> OutboxMail | None:
        """The last mail; the one that asks for the move as long as it keeps the clock from starting."""
        asks = [] if self.started else [mail for mail in self.mails if mail.kind == "turn"]
        return next(reversed(asks or self.mails), None)

    @property
    def reminders(self) -> tuple[tuple[str, datetime], ...]:
        """Nudges, reminders and warnings of this decision, each with its moment."""
        nudges = [("nudge", note.at) for note in self.notes if note.kind == NoteKind.NUDGE]
        sent = [(mail.kind, mail.sent_at or mail.made_at) for mail in self.mails if mail.kind in REMINDING]
        return tuple(sorted((*nudges, *sent), key=lambda one: one[1]))

    @property
    def leave(self) -> Leave | None:
        """The leave that the player on turn has taken and that is not over."""
        taken = [one for one in self.leaves if one.kind != LeaveKind.AUTOMATIC and one.to_at > self.now]
        return next((one for one in taken if self.deadline is None or one.from_at < self.deadline), None)

    @property
    def credit(self) -> int:
        """Seconds given back for outages."""
        return sum(note.seconds or 0 for note in self.notes if note.kind == NoteKind.CREDIT)

    @property
    def asked_by(self) -> str:
        """The seat on turn, where the decision answers a question of its turn."""
        on_turn = None if self.decision is None else self.decision.on_turn
        return "" if self.decision is None or on_turn in (None, self.decision.seat) else on_turn or ""

    @cached_property
    def pressure(self) -> float:
        """How pressing a decision with a running clock is: the greater of two shares, of the clock used, and of the
        round elapsed since the decision was requested. 0 has just begun, 1 is out of time. A day of leave taken
        automatically counts as used.
        """
        if self.decision is None or self.decision.mailed_at is None or self.deadline is None:
            return 0.0
        now, since, due, round_ends = self.now, self.decision.started_at, self.deadline, self.round.due_at
        if now >= due or (round_ends is not None and now >= round_ends):
            return 1.0
        automatic = [one for one in self.leaves if one.kind == LeaveKind.AUTOMATIC]
        taken = (max(timedelta(0), min(one.to_at, due) - max(one.from_at, now)) for one in automatic)
        shares = [1 - (due - now - sum(taken, timedelta(0))).total_seconds() / max(self.decision.budget, 1)]
        if round_ends is not None and round_ends > since:
            shares.append((now - since) / (round_ends - since))
        return min(1.0, max(0.0, *shares))

    @cached_property
    def judged(self) -> tuple[str, str]:
        """What holds the match up, of `FINDINGS`, and what to do next: `report` (take the game's result over), open a
        `ruling`, call a `reserve`, `rule` on what is open, mail `again`, `nudge`, or `wait`."""
        if self.match.ended:
            return "undecided", "ruling" if self.ruling is None else "rule"
        if self.decision is None:
            step = "ruling" if self.match.game_id is None else "report"
            return "unreported", step if self.ruling is None else "rule"
        if self.ruling is not None:
            return "claim", "rule"
        if self.call is not None:
            return "called", "wait"
        if self.gone is not None:
            return ("withdrawn", "reserve") if self.reserves else ("no_reserve", "ruling")
        if not self.started:
            refused = self.mail is not None and self.mail.state == MailState.FAILED
            failed = refused or (self.case is not None and self.case.kind == CaseKind.MAIL)
            return ("bounced", "again") if failed else ("unmailed", "wait")
        if self.is_out:
            return "flag", "ruling"
        if self.leave is not None:
            return "leave", "wait"
        nudged = any(kind == "nudge" and at.date() == self.now.date() for kind, at in self.reminders)
        if self.asked_by or self.pressure >= PRESSING:
            return "question" if self.asked_by else "unread", "wait" if nudged else "nudge"
        return ("credit" if self.credit else "running"), "wait"

    @property
    def finding(self) -> str:
        return self.judged[0]

    @property
    def step(self) -> str:
        return self.judged[1]

    @property
    def state(self) -> State:
        """How urgent it is."""
        if self.is_out:
            return State.OUT
        if self.silence is not None and self.now - self.silence.since >= A_DAY:
            return State.SILENT
        return State.CALM if self.step == "wait" else State.SLOW

    @property
    def urgency(self) -> tuple[int, float, datetime, int]:
        """Its place in a list that begins with the most urgent."""
        return FINDINGS.index(self.finding), -self.pressure, self.deadline or self.now, self.match.id


@dataclass(frozen=True, slots=True)
class Data:
    """The data of an event, read once for what holds its rounds up, and the acts that can be undone."""

    rounds: Mapping[int, Sequence[CompetitionRound]]
    """By division, without drafts."""
    drafts: Sequence[CompetitionRound]
    owed: Mapping[int, PendingDecision]
    """The decisions its running games wait for, by game."""
    reserves: reserves.Reserves
    rulings: Sequence[Ruling]
    """The rulings that wait, and those that can still be appealed against."""

    @property
    def waiting(self) -> list[Ruling]:
        """Return the rulings that wait for a decision."""
        return [one for one in self.rulings if one.status in opening.WAITING]

    def there(self, division: Division) -> list[CompetitionRound]:
        """Return the rounds of a division with its drafts."""
        return [*self.rounds.get(division.id, ()), *(one for one in self.drafts if one.division_id == division.id)]

    def hands(self, problems: Sequence[Problem]) -> int:
        """Return how many games need those who run the event: to rule, to call a reserve, to send again."""
        needs = {one.match_id for one in problems if one.step not in ("wait", "nudge")}
        return len(needs | {one.match_id for one in self.waiting})


def read(session: Session, event: Competition, now: datetime) -> Data:
    """Read what is known about the rounds of an event."""
    rounds, drafts = round_rows.of_event(session, event.id)
    games = [
        match.game_id
        for there in rounds.values()
        for round in there
        for match in round.open_matches
        if match.game_id is not None
    ]
    owed = pending.owed_by_game(session, games) if games else {}
    asked = reserves.of_event(session, event.id), deciding.not_final(session, event.id, now)
    return Data(rounds, drafts, owed, *asked)


def blocking(
    session: Session,
    event: Competition,
    now: datetime,
    data: Data | None = None,
    *,
    allowance: int = DAYS_A_YEAR,
) -> list[Problem]:
    """Return all open matches of an event's published rounds, and those of a knock-out that nobody can go through from;
    urgent ones first.

    `data` is that of the event if it has been read already; `allowance` is how many days of leave a player has in a
    year.
    """
    data = read(session, event, now) if data is None else data
    there: list[tuple[Division, CompetitionRound, Match]] = []
    for division in event.divisions:
        played = data.rounds.get(division.id, ())
        stuck = {match.id for match in brackets.undecided(session, event, played)}
        there += [
            (division, round, match)
            for round in played
            for match in round.matches
            if match.id in stuck or (round.status == RoundStatus.PUBLISHED and not match.ended and not match.is_bye)
        ]
    if not there:
        return []
    waiting = {row.match_id: row for row in data.waiting}
    found = [
        Problem(event, division, round, match, now, waiting.get(match.id), data.owed.get(match.game_id or 0))
        for division, round, match in there
    ]
    _add_rows(session, event, [one for one in found if one.decision is not None], data)
    late = [one.decision for one in found if one.decision is not None and one.finding in LATE]
    silences = automatic.silences(session, late, allowance=allowance)
    for one in found:
        one.silence = silences.get(one.match.game_id or 0)
    return sorted(found, key=lambda one: one.urgency)


G = TypeVar("G", OutboxMail, ClockNote)


def _by_game(rows: Iterable[G]) -> dict[int, list[G]]:
    found: dict[int, list[G]] = {}
    for row in rows:
        if row.game_id is not None:
            found.setdefault(row.game_id, []).append(row)
    return found


def _mails_of(session: Session, games: Sequence[int | None]) -> dict[int, list[OutboxMail]]:
    """The mails that ask for the decisions of these games."""
    asked = (
        select(OutboxMail)
        .join(Game, col(Game.id) == col(OutboxMail.game_id))
        .where(
            col(OutboxMail.game_id).in_(games),
            col(OutboxMail.number) == col(Game.number),
            col(OutboxMail.kind).in_(ASKING),
        )
        .order_by(col(OutboxMail.id))
    )
    return _by_game(session.exec(asked))


def _notes_of(session: Session, games: Sequence[int | None]) -> dict[int, list[ClockNote]]:
    """What the clocks of these decisions have met."""
    asked = (
        select(ClockNote)
        .join(Game, col(Game.id) == col(ClockNote.game_id))
        .where(col(ClockNote.game_id).in_(games), col(ClockNote.number) == col(Game.number))
        .order_by(col(ClockNote.id))
    )
    return _by_game(session.exec(asked))


def _leaves_of(session: Session, event: Competition, players: Sequence[int]) -> dict[int, list[Leave]]:
    """The leave of players that holds in an event."""
    found: dict[int, list[Leave]] = {}
    here = sa.or_(col(Leave.event_id).is_(None), col(Leave.event_id) == event.id)
    asked = select(Leave).where(col(Leave.player_id).in_(players), col(Leave.to_at) > col(Leave.from_at), here)
    for row in session.exec(asked.order_by(col(Leave.from_at))) if players else ():
        found.setdefault(row.player_id, []).append(row)
    return found


def _add_rows(session: Session, event: Competition, found: Sequence[Problem], data: Data) -> None:
    """Add what is known about the decisions of running games, read at once to avoid a statement for each."""
    games = [one.match.game_id for one in found]
    mails, notes = _mails_of(session, games), _notes_of(session, games)
    asked = select(Case).where(col(Case.game_id).in_(games), col(Case.ended_at).is_(None))
    cases = {row.game_id: row for row in session.exec(asked)}
    # Only of players whose leave, or an outage, touches the decision: leave that ended earlier is not read.
    owed = [one for one in data.owed.values() if one.stands and one.player_id is not None]
    leaves = _leaves_of(session, event, [one.player_id for one in owed if one.player_id is not None])
    for one in found:
        decision = one.decision
        assert decision is not None
        its = decision.game_id
        one.mover = next((seat for seat in one.match.seats if seat.player_id == decision.player_id), None)
        one.gone = _gone(session, one.match, data.reserves)
        if one.owes is not None:
            one.call = data.reserves.open_call(one.owes.entry_id)
            one.reserves = len(data.reserves.left(one.owes.entry_id))
        one.case = cases.get(its)
        theirs = decision.seat, decision.player_id
        one.mails = [mail for mail in mails.get(its, ()) if (mail.seat, mail.player_id) == theirs]
        one.notes = [note for note in notes.get(its, ()) if note.number == decision.number]
        one.leaves = [leave for leave in leaves.get(decision.player_id or 0, ()) if leave.game_id in (None, its)]


def _gone(session: Session, match: Match, there: reserves.Reserves) -> MatchSeat | None:
    """Return the seat in a running game whose player has left the event or the server, while the seat still plays."""
    for seat in match.seats:
        if seat.entry_id not in there.gone:
            continue
        try:
            game = GameStore(session).load(match.game_id or 0)
        except NoSuchGame:
            return seat
        if still_plays(game, game.seats[seat.place].seat):
            return seat
    return None


def silent_players(session: Session, event: Competition, now: datetime) -> dict[int, datetime]:
    """Return the players of an event who owe a move and are out of time or silent, each with the last sign of them."""
    found: dict[int, datetime] = {}
    for one in blocking(session, event, now):
        if one.silence is not None and one.state in (State.OUT, State.SILENT):
            player_id = one.silence.decision.player_id or 0
            found[player_id] = one.silence.quiet_since
    return found
