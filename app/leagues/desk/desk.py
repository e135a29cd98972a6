"""The desk: everything that blocks a round of an event, with what is known about it and the next step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlmodel import col, select

from app.base.mail_tables import MailState, OutboxMail
from app.clocks.leave import DAYS_A_YEAR
from app.games.store import GameStore, NoSuchGame
from app.games.tables import Game
from app.leagues.changes import reserves
from app.leagues.desk import signs
from app.leagues.desk.signs import NO_SIGNS, LastSigns
from app.leagues.events import round_rows
from app.leagues.rounds import brackets
from app.leagues.rulings import deciding, opening
from app.leagues.tables import (
    CallStatus,
    Competition,
    CompetitionRound,
    Division,
    Match,
    ReserveCall,
    RoundStatus,
    Ruling,
)
from app.play.agreed.results import still_plays
from app.time import automatic, pending
from app.time.tables import Case, CaseKind, ClockNote, Leave, LeaveKind, NoteKind

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.leagues.tables import MatchSeat
    from app.time.automatic import Silence
    from app.time.decisions import PendingDecision

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
REMINDING = ("reminder", "nudge", "overdue")
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


@dataclass(frozen=True, slots=True)
class Problem:
    """An open match of a published round. `finding` is of `FINDINGS`; `step` says what to do next: `report` (take the
    game's result over), open a `ruling`, call a `reserve`, `rule` on what is open, mail `again`, `nudge`, or `wait`."""

    match_id: int
    division_id: int
    division: str
    round: int
    due_at: datetime | None
    game_id: int | None
    players: tuple[str, ...]
    finding: str
    step: str
    owes: str = ""
    """The name of the player who owes the decision, or who is gone."""
    mover: str = ""
    """Who has to move: usually the same, unless another player is gone."""
    owes_id: int | None = None
    entry_id: int | None = None
    """The entrant of that player."""
    asked_by: str = ""
    """The seat on turn, where the decision answers a question of its turn."""
    since: datetime | None = None
    """When the clock started, or when the decision was requested."""
    started: bool = False
    """Whether the clock runs."""
    deadline: datetime | None = None
    left: int | None = None
    """Seconds to the deadline; negative when it has passed."""
    mail: OutboxMail | None = None
    reminders: tuple[tuple[str, datetime], ...] = ()
    """Nudges, reminders and warnings of this decision, each with its moment."""
    signs: LastSigns = NO_SIGNS
    """The latest signs of the player on turn in the event; none if the step is to wait."""
    leave: tuple[datetime, datetime] | None = None
    credit: int = 0
    """Seconds given back for outages."""
    case: str = ""
    case_id: int | None = None
    ruling_id: int | None = None
    call_id: int | None = None
    call_until: datetime | None = None
    reserves: int = 0
    """Reserves who could still be called for this seat."""
    title: Any = field(default=None, repr=False)
    on_turn: str | None = None
    budget: int = 0
    """Seconds for the decision in total."""
    used: float = 0.0
    """The share of its clock that is used, from 0 to 1."""
    silence: Silence | None = None
    """For a late or silent mover: how long they have been so, and how long it can go on."""
    state: State = State.CALM
    pressure: float = 0.0
    """The greater of two shares: of the clock used, and of the round elapsed since this decision was requested. 0 has
    just begun, 1 is out of time.
    """


@dataclass(frozen=True, slots=True)
class Data:
    """The data of an event, read once for its desk, its forecast, and the acts that can be undone."""

    rounds: Mapping[int, Sequence[CompetitionRound]]
    """By division."""
    owed: Mapping[int, PendingDecision]
    """The decisions its running games wait for, by game."""
    reserves: reserves.Reserves
    rulings: Sequence[Ruling]
    """The rulings that wait, and those that can still be appealed against."""
    drafts: Sequence[CompetitionRound]
    """Its rounds that only organisers can see."""

    @property
    def waiting(self) -> list[Ruling]:
        """Return the rulings that wait for a decision."""
        return [one for one in self.rulings if one.status in opening.WAITING]


@dataclass(frozen=True, slots=True)
class _About:
    """Data on all open games, read at once to avoid a statement for each."""

    owed: Mapping[int, PendingDecision]
    mails: Mapping[int, Sequence[OutboxMail]]
    events: Mapping[int, Sequence[Any]]
    cases: Mapping[int, Any]
    leaves: Mapping[int, Sequence[Any]]
    rulings: Mapping[int, Ruling]
    calls: Mapping[int, ReserveCall]
    reserves: reserves.Reserves


def read(session: Session, event: Competition, now: datetime) -> Data:
    """Read the data for the desk of an event."""
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
    return Data(rounds, owed, *asked, drafts)


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
    about = _about(session, event, [match for _, _, match in there], data)
    found = [_problem(session, event, division, round, match, about, now) for division, round, match in there]
    found = _with_silence(session, _with_signs(session, event, found, data), data, allowance, now)
    found.sort(key=lambda one: (FINDINGS.index(one.finding), -one.pressure, one.deadline or now, one.match_id))
    return found


class _OfGame(Protocol):
    @property
    def game_id(self) -> int | None: ...


G = TypeVar("G", bound=_OfGame)


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


def _about(session: Session, event: Competition, matches: Sequence[Match], data: Data) -> _About:
    games = [match.game_id for match in matches if match.game_id in data.owed]
    # Only of players whose leave, or an outage, touches the decision: leave that ended earlier is not read.
    players = [one.player_id for one in data.owed.values() if one.stands and one.player_id is not None]

    cases = session.exec(select(Case).where(col(Case.game_id).in_(games), col(Case.ended_at).is_(None))).all()
    return _About(
        data.owed,
        _mails_of(session, games),
        _notes_of(session, games),
        {row.game_id: row for row in cases},
        _leaves_of(session, event, players),
        {row.match_id: row for row in data.waiting},
        {call.leaver_id: call for call in data.reserves.calls if call.status == CallStatus.CALLED},
        data.reserves,
    )


def _with_signs(session: Session, event: Competition, found: Sequence[Problem], data: Data) -> list[Problem]:
    """Add the latest signs of the player on turn to the matches that need attention."""
    movers = {
        one.match_id: decision.player_id
        for one in found
        if one.step != "wait" and (decision := data.owed.get(one.game_id or 0)) is not None
    }
    matches = [match for there in data.rounds.values() for round in there for match in round.matches]
    there = signs.last(session, event, matches, set(movers.values()))
    return [replace(one, signs=there.get(movers.get(one.match_id) or 0, NO_SIGNS)) for one in found]


def _with_silence(
    session: Session, found: Sequence[Problem], data: Data, allowance: int, now: datetime
) -> list[Problem]:
    """Add how long late or silent players have been silent, and the state that follows."""
    late = [data.owed[one.game_id or 0] for one in found if one.finding in LATE and one.game_id in data.owed]
    there = automatic.silences(session, late, allowance=allowance)
    silent = [replace(one, silence=there.get(one.game_id or 0)) for one in found]
    return [replace(one, state=_state(one, now)) for one in silent]


def _state(one: Problem, now: datetime) -> State:
    if one.started and one.left is not None and one.left <= 0:
        return State.OUT
    if one.silence is not None and now - one.silence.since >= A_DAY:
        return State.SILENT
    return State.CALM if one.step == "wait" else State.SLOW


def silent_players(session: Session, event: Competition, now: datetime) -> dict[int, datetime]:
    """Return the players of an event who owe a move and are out of time or silent, each with the last sign of them."""
    found: dict[int, datetime] = {}
    for one in blocking(session, event, now):
        if one.silence is not None and one.state in (State.OUT, State.SILENT):
            player_id = one.silence.decision.player_id or 0
            found[player_id] = max(one.silence.since, found.get(player_id, one.silence.since))
    return found


def _problem(
    session: Session,
    event: Competition,
    division: Division,
    round: CompetitionRound,
    match: Match,
    about: _About,
    now: datetime,
) -> Problem:
    values: dict[str, Any] = {
        "match_id": match.id,
        "division_id": division.id,
        "division": division.name,
        "round": round.number,
        "due_at": round.due_at,
        "game_id": match.game_id,
        "players": tuple(seat.name for seat in match.seats),
        "title": event.title,
    }
    decision = about.owed.get(match.game_id or 0)
    ruling = about.rulings.get(match.id)
    if ruling is not None:
        values["ruling_id"] = ruling.id
    if match.ended:
        return Problem(**values, finding="undecided", step="ruling" if ruling is None else "rule")
    if decision is None:  # a running game always waits for one
        step = "ruling" if match.game_id is None else "report"
        return Problem(**values, finding="unreported", step="rule" if ruling is not None else step)
    gone = _gone(session, match, about)
    mover = next((one for one in match.seats if one.player_id == decision.player_id), None)
    seat = gone or mover
    if seat is not None:
        values |= {"owes": seat.name, "owes_id": seat.player_id, "entry_id": seat.entry_id}
        values["reserves"] = len(about.reserves.left(seat.entry_id))
        call = about.calls.get(seat.entry_id)
        if call is not None:
            values |= {"call_id": call.id, "call_until": call.answer_by}
    values["mover"] = "" if mover is None else mover.name
    values |= _of_clock(decision, about, now)
    leaves = [one for one in about.leaves.get(decision.player_id or 0, ()) if one.game_id in (None, decision.game_id)]
    values |= {"budget": decision.budget, "used": _pressure(decision, None, leaves, now)}
    values["pressure"] = _pressure(decision, values["due_at"], leaves, now)
    finding, step = _judged(values, gone is not None, ruling is not None, decision, about, now)
    return Problem(**values, finding=finding, step=step)


def _gone(session: Session, match: Match, about: _About) -> MatchSeat | None:
    """Return the seat in a running game whose player has left the event or the server, while the seat still plays."""
    for seat in match.seats:
        if seat.entry_id not in about.reserves.gone:
            continue
        try:
            game = GameStore(session).load(match.game_id or 0)
        except NoSuchGame:
            return seat
        if still_plays(game, game.seats[seat.place].seat):
            return seat
    return None


def _leave_before_deadline(decision: PendingDecision, about: _About, now: datetime) -> tuple[datetime, datetime] | None:
    """The leave that the seat has taken and that is not over, from and to."""
    until = decision.deadline_at
    for one in about.leaves.get(decision.player_id or 0, ()):
        if one.kind != LeaveKind.AUTOMATIC and one.to_at > now and (until is None or one.from_at < until):
            return one.from_at, one.to_at
    return None


def _of_clock(decision: PendingDecision, about: _About, now: datetime) -> dict[str, Any]:
    mails = [
        mail
        for mail in about.mails.get(decision.game_id, ())
        if mail.seat == decision.seat and mail.player_id == decision.player_id
    ]
    events = [one for one in about.events.get(decision.game_id, ()) if one.number == decision.number]
    last = mails[-1] if mails else None
    refused = next((mail for mail in reversed(mails) if mail.kind == "turn"), None)
    if decision.mailed_at is None and refused is not None:
        last = refused  # the mail that matters while the clock has not started
    case = about.cases.get(decision.game_id)
    nudges = [("nudge", one.at) for one in events if one.kind == NoteKind.NUDGE]
    sent = [
        (mail.kind, mail.sent_at or mail.made_at) for mail in mails if mail.kind in REMINDING and mail.kind != "nudge"
    ]
    return {
        "since": decision.started_at,
        "started": decision.mailed_at is not None,
        "deadline": decision.deadline_at,
        "left": None if decision.deadline_at is None else int((decision.deadline_at - now).total_seconds()),
        "mail": last,
        "reminders": tuple(sorted((*nudges, *sent), key=lambda one: one[1])),
        "leave": _leave_before_deadline(decision, about, now),
        "credit": sum(one.seconds or 0 for one in events if one.kind == NoteKind.CREDIT),
        "case": "" if case is None else case.state,
        "case_id": None if case is None else case.id,
        "asked_by": decision.on_turn if decision.on_turn not in (None, decision.seat) else "",
        "on_turn": decision.on_turn,
    }


def _pressure(decision: PendingDecision, round_ends: datetime | None, leaves: Sequence[Any], now: datetime) -> float:
    """Return how pressing a decision with a running clock is; 0 before.

    A day of leave taken automatically counts as used.
    """
    if decision.mailed_at is None or decision.deadline_at is None:
        return 0.0
    since, due = decision.started_at, decision.deadline_at
    if now >= due or (round_ends is not None and now >= round_ends):
        return 1.0
    by_itself = sum(
        (
            max(timedelta(0), min(one.to_at, due) - max(one.from_at, now))
            for one in leaves
            if one.kind == LeaveKind.AUTOMATIC
        ),
        timedelta(0),
    )
    left = (due - now - by_itself).total_seconds()
    shares = [1 - left / max(decision.budget, 1)]
    if round_ends is not None and round_ends > since:
        shares.append((now - since) / (round_ends - since))
    return min(1.0, max(0.0, *shares))


def _judged(
    values: Mapping[str, Any], gone: bool, claimed: bool, decision: PendingDecision, about: _About, now: datetime
) -> tuple[str, str]:
    """Return what holds the match up, and the next step."""
    if claimed:
        return "claim", "rule"
    if values.get("call_id") is not None:
        return "called", "wait"
    if gone:
        return ("withdrawn", "reserve") if values["reserves"] else ("no_reserve", "ruling")
    mail, case = values["mail"], about.cases.get(decision.game_id)
    if not values["started"]:
        refused = mail is not None and mail.state == MailState.FAILED
        failed = refused or (case is not None and case.kind == CaseKind.MAIL)
        return ("bounced", "again") if failed else ("unmailed", "wait")
    if values["left"] is not None and values["left"] <= 0:
        return "flag", "ruling"
    if values["leave"] is not None:
        return "leave", "wait"
    nudged = any(kind == "nudge" and at.date() == now.date() for kind, at in values["reminders"])
    if values["asked_by"]:
        return "question", "wait" if nudged else "nudge"
    if values["pressure"] >= PRESSING:
        return "unread", "wait" if nudged else "nudge"
    return ("credit" if values["credit"] else "running"), "wait"
