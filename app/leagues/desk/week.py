"""The week of a club: what can be closed, paired and published in all its events, and the games that need attention.

Several acts at once use the single services, each in its own transaction: a refusal is reported and stops no other act.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from app.base.stored.database import Database
from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.clocks.leave import DAYS_A_YEAR
from app.games.work import Work
from app.leagues.changes import reserves
from app.leagues.desk import desk_acts, people, trouble
from app.leagues.desk.trouble import Problem
from app.leagues.events import lifecycle, round_rows
from app.leagues.results import records
from app.leagues.results.records import ClubDate
from app.leagues.rounds import brackets, pairing, pairing_jobs, publishing, round_loop, schedule, stages
from app.leagues.tables import Competition, CompetitionRound, CompetitionStatus, Division, Role, RoundStatus
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text

EXTRA, CLOSE, PAIR, PUBLISH = "extra", "close", "pair", "publish"
A_WEEK = timedelta(days=7)
KINDS = (EXTRA, CLOSE, PAIR, PUBLISH)
"""The order of execution: deciding games of a knock-out start first, and what is closed is then paired."""


@dataclass(frozen=True, slots=True)
class EventTask:
    """What is to be done next in an event, by those who run it or by its autopilot (`at`, `asks`, `why`)."""

    kind: str
    event: Competition
    division: Division | None = None
    """None for the event as a whole."""
    number: int = 0
    """The number of the round."""
    round: CompetitionRound | None = None
    after_close: bool = False
    """A pairing that waits until the previous round is closed."""
    at: datetime | None = None
    """When the autopilot does it; None for at once."""
    asks: bool = False
    """Whether something is unusual, so that the autopilot leaves it to the organisers."""
    why: Text | None = None
    """What is unusual, if no page explains it."""

    @property
    def planned(self) -> datetime | None:
        """Return the hour at which a draft is published automatically, if an organiser has set one."""
        return None if self.round is None else self.round.publish_at

    @property
    def part(self) -> str:
        """Return the name of its division; empty in an event that is not divided."""
        return self.division.name if self.division is not None and len(self.event.divisions) > 1 else ""

    @property
    def key(self) -> tuple[str, int, int, int]:
        """Return what identifies it within its event; a changed draft counts as another task."""
        division = 0 if self.division is None else self.division.id
        return self.kind, division, self.number, 0 if self.round is None else self.round.version

    @property
    def name(self) -> str:
        """Return how a form names it: pairing by its division, the others by their round; a draft with its version."""
        _, division, number, version = self.key
        return f"{self.kind}-{division}-{number}" if self.round is None else f"{self.kind}-{self.round.id}-{version}"

    def is_due(self, now: datetime) -> bool:
        """Whether the autopilot does it now."""
        return self.at is None or self.at <= now


@dataclass(frozen=True, slots=True)
class ClubWeek:
    """Everything in a club that needs attention."""

    tasks: Sequence[EventTask]
    """In the order of execution; what is closed is paired too."""
    late: Sequence[Problem]
    """The games that need attention, most urgent first."""
    calm: Mapping[int, int]
    """By running event: how many games only wait for their players."""
    hands: Mapping[int, int]
    """By running event: how many games need those who run it."""
    seen: Mapping[int, int]
    """By match: the number of its last act, as `desk_acts.last_act`."""
    running: Sequence[Competition]
    ahead: Sequence[Competition]
    """Drafts and events in sign-up, newest first."""
    dates: Sequence[tuple[ClubDate, int]] = ()
    """What ends within a week, with how many of its games are open."""
    reserves: bool = False
    """Whether a running event has reserves who could be called."""
    played_out: Sequence[Competition] = ()
    """The running events that only have to be ended."""


BatchOutcome = bool | Refusal
"""The outcome of one act of several: done, done before (False), or refused with the reason."""


def read(session: Session, club_id: int, now: datetime, *, allowance: int = DAYS_A_YEAR) -> ClubWeek:
    """Read the week of a club.

    The cost grows with its running events, not with their games; `allowance` is how many days of leave a player has in
    a year.
    """
    unfinished = lifecycle.unfinished_of(session, club_id)
    running = [one for one in unfinished if one.status == CompetitionStatus.RUNNING]
    ahead = [one for one in unfinished if one.status != CompetitionStatus.RUNNING]
    found: list[Problem] = []
    still = Counter[int]()
    tasks: list[EventTask] = []
    played: list[CompetitionRound] = []
    calm: dict[int, int] = {}
    hands: dict[int, int] = {}
    ended: list[Competition] = []
    ready = False
    for event in running:
        data = trouble.read(session, event, now)
        problems = trouble.blocking(session, event, now, data, allowance=allowance)
        needs = [one for one in problems if one.step != "wait"]
        calm[event.id] = len(problems) - len(needs)
        hands[event.id] = data.hands(problems)
        ready = ready or bool(data.reserves.left(0))
        found += needs
        played += [one for there in data.rounds.values() for one in there]
        still.update(one.round.id for one in problems)
        ready_here = [
            task for division in event.divisions for task in tasks_of(session, event, division, data.there(division))
        ]
        tasks += ready_here
        if not ready_here and not problems and is_played_out(session, event, data):
            ended.append(event)
    found.sort(key=lambda one: one.urgency)
    tasks.sort(key=lambda one: KINDS.index(one.kind))
    last = desk_acts.last_acts(session, [one.match_id for one in found])
    dates = [
        (one, still[one.round.id] if one.round else 0)
        for one in records.dates_of(unfinished, played)
        if now < one.at <= now + A_WEEK
    ]
    seen = {one.match_id: last.get(one.match_id, 0) for one in found}
    return ClubWeek(tasks, found, calm, hands, seen, running, ahead, dates, ready, ended)


def is_played_out(session: Session, event: Competition, data: trouble.Data | None = None) -> bool:
    """Whether every division has had rounds, all of them are closed, and none is being paired; `data` is that of the
    event if it has been read already."""
    if event.plays.by_challenge:
        return False
    there, drafts = (data.rounds, data.drafts) if data else round_rows.of_event(session, event.id)
    closed = all(one.status == RoundStatus.CLOSED for rounds in there.values() for one in rounds)
    return (
        closed
        and not drafts
        and len(there) == len(event.divisions)
        and all(pairing.open_job(session, division.id) is None for division in event.divisions)
    )


def tasks_of(
    session: Session, event: Competition, division: Division, there: Sequence[CompetitionRound]
) -> list[EventTask]:
    """Return the tasks that are ready for a division of a running event with these rounds."""
    if event.plays.by_challenge:
        return []
    drafts = [one for one in there if one.status == RoundStatus.DRAFT]
    if drafts:
        return [EventTask(PUBLISH, event, division, one.number, one) for one in drafts]
    played = [one for one in there if one.status == RoundStatus.PUBLISHED]
    stuck = brackets.undecided(session, event, played)
    over = [one for one in played if not one.open_matches and not stuck]
    drawn = {one.id for one in over if brackets.missing_games(session, event, one)}
    tasks = [EventTask(EXTRA if one.id in drawn else CLOSE, event, division, one.number, one) for one in over]
    if not drawn and len(over) == len(played) and _has_more(session, event, division, there, bool(played)):
        tasks.append(EventTask(PAIR, event, division, len(there) + 1, after_close=bool(played)))
    return tasks


def _has_more(
    session: Session, event: Competition, division: Division, there: Sequence[CompetitionRound], closes: bool
) -> bool:
    """Whether another round can be paired once those that are over are closed."""
    if event.plays_in(division).is_laid_out:
        return schedule.left(session, event, division, there) > 0
    if event.finals and not there:  # the finals begin when all groups are over
        return not any(stages.still_plays(session, event, group) for group in event.entry_divisions)
    if closes and event.plays.by_round:
        return len(there) < (event.terms.rounds or len(there) + 1)
    drawn = brackets.bracket_of(session, event, division) if closes else None
    if drawn is not None:
        return len(there) < drawn.rounds
    if pairing.open_job(session, division.id) is not None:
        return False
    try:
        round_loop.next_task(session, event, division.id)
    except Refusal:
        return False
    return True


# -- several acts at once -------------------------------------------------------------------------------


class TaskDetails(NamedTuple):
    """What a form says about tasks."""

    at: datetime | None
    """When drafts are published; None: at once."""
    until: datetime | None
    """When their rounds end; None: as the terms say."""
    out: Sequence[int] = ()
    """Who is left out when a round is paired; a draft is paired again without them, to be looked at."""


def do_task(
    database: Database,
    club_id: int,
    name: str,
    by_id: int,
    *,
    how: TaskDetails,
    now: datetime,
) -> BatchOutcome:
    """Do the task that a form names (`EventTask.name`), by the service of the single act."""
    kind, _, key = name.partition("-")
    first, second = map(whole, (key.partition("-")[0], key.partition("-")[2]))
    if kind not in KINDS or first is None or second is None:
        return NotAccepted("form.choice", Text("Choose one of what is offered."))

    def act() -> bool:
        if kind == PAIR:
            return _pair(database, club_id, first, second, by_id, now, how.out)
        with database.read() as session:
            _need_of_club(session, club_id, round_rows.get(session, first).event_id, by_id)
        with Work(database) as work:
            if kind == EXTRA:
                return brackets.add_extra(*round_loop.locked(work, first, by_id, now)) > 0
            if kind == CLOSE:
                round_loop.close(*round_loop.locked(work, first, by_id, now))
                return True
            draft = round_loop.lock_draft(work, first, by_id, second, now)
            if how.out:
                people.leave_out(draft[0], draft[1].number, how.out)
                pairing_jobs.pair(draft[0], draft[1].division_id)
                return True
            if how.at is not None:
                return publishing.name_hour(*draft, how.at, until=how.until)
            round_loop.publish(*draft, until=how.until)
        return True

    return attempt(act)


def _pair(
    database: Database, club_id: int, division_id: int, number: int, by_id: int, now: datetime, out: Sequence[int]
) -> bool:
    with Work(database) as work:
        event_id = round_loop.event_of_division(work.session, division_id)
        _need_of_club(work.session, club_id, event_id, by_id)
        acting = lifecycle.allowed(work, event_id, by_id, Role.DEPUTY, now)
        if len(round_rows.rounds_of(work.session, division_id, drafts=True)) >= number:
            return False  # by the same button pressed twice, or by another person
        people.leave_out(acting, number, out)
        pairing_jobs.pair(acting, division_id)
        return True


def _need_of_club(session: Session, club_id: int, event_id: int, by_id: int) -> None:
    if club_id not in lifecycle.need(session, event_id, by_id, Role.DEPUTY).club_ids:
        raise lifecycle.NoSuchCompetition(event_id)


def do_late(
    database: Database,
    club_id: int,
    act: str,
    event_id: int,
    match_id: int,
    form: desk_acts.DeskRequest,
    *,
    now: datetime,
) -> BatchOutcome:
    """Do an act of the desk for one game of several: nudge, give more time, call a reserve, or open a ruling."""

    def press() -> bool:
        with database.read() as session:
            _need_of_club(session, club_id, event_id, form.by_id)
        if act == "ruling":
            return desk_acts.open_ruling(database, event_id, match_id, form, now=now) > 0
        return do_act(database, event_id, match_id, act, form, now=now)

    return attempt(press)


def do_act(
    database: Database, event_id: int, match_id: int, act: str, form: desk_acts.DeskRequest, *, now: datetime
) -> bool:
    """Do one act of the desk by its name (not `ruling`, which has a number); return False if it was done before.

    Raises NoSuchCompetition, NotAllowed, NotAccepted.
    """
    return _ACTS[act](database, event_id, match_id, form, now=now)


def call_reserve(
    database: Database, event_id: int, match_id: int, form: desk_acts.DeskRequest, *, now: datetime
) -> bool:
    """Ask the first reserve to take over the seat that owes a match's decision; return False if the button was pressed
    before.

    Raises NoSuchCompetition, NotAllowed, NotAccepted.
    """
    with database.read() as session:
        problems = trouble.blocking(session, lifecycle.get(session, event_id), now)
    one = next((one for one in problems if one.match_id == match_id), None)
    if one is None or one.owes is None:
        raise NotAccepted("desk.nothing", Text("This game waits for nobody now."))
    made = reserves.call(database, event_id, one.owes.entry_id, form, now=now)
    return made is not None


_ACTS = {
    "nudge": desk_acts.nudge,
    "again": desk_acts.send_again,
    "extend": desk_acts.extend,
    "leave": desk_acts.grant_leave,
    "report": desk_acts.report,
    "reserve": call_reserve,
}


def attempt(act: Callable[[], bool]) -> BatchOutcome:
    """Do one act of several; a refusal becomes its outcome and stops no other."""
    try:
        return act()
    except Refusal as no:
        return no
