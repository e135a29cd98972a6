"""What players and organisers do by their pages, each in a transaction of its own, with the errors of the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.games.work import Work
from app.leagues.changes import reserves
from app.leagues.clubs import club_rights, lists, members, sheets
from app.leagues.desk import autopilot
from app.leagues.events import computers, entries, lifecycle
from app.leagues.rounds import all_rounds, brackets, ladder, pairing_jobs, publishing, round_loop
from app.leagues.rulings import deciding
from app.leagues.seasons import endings, next_season
from app.leagues.tables import CompetitionStatus, Role
from app.leagues.teams import captains, rosters
from app.play.turn import holding, turns

if TYPE_CHECKING:
    from app.base.links import TurnLink
    from app.base.process.config import Config
    from app.base.stored.database import Database
    from app.games.store import GameNow
    from app.leagues.clubs.acting import Acting, ActRequest
    from app.leagues.rulings.applying import Verdict
    from app.leagues.seasons.next_season import Plan, SeasonNames
    from app.leagues.teams.rosters import NewTeam


def take_list(database: Database, club_id: int, by_id: int, text: str, *, now: datetime) -> int:
    """Invite everybody on a list as it would be understood; return how many are."""
    return take(database, club_id, by_id, lists.guessed(sheets.read_text(text)), now=now)[1]


def take(
    database: Database, club_id: int, by_id: int, given: lists.GivenList, *, now: datetime, skip: bool = False
) -> tuple[int, int]:
    """Take a list; return how many lines of it, and how many people are invited."""
    with Work(database) as work:
        found, invited = lists.take(club_rights.allowed(work, club_id, by_id, Role.DEPUTY, now), given, skip=skip)
        return len(found.people), invited


def sign_up(database: Database, event_id: int, player_id: int, *, now: datetime, by_id: int | None = None) -> str:
    with Work(database) as work:
        return entries.sign_up(work, event_id, player_id, now=now, by_id=by_id)


def open_sign_up(database: Database, event_id: int, by_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        lifecycle.set_status(lifecycle.allowed(work, event_id, by_id, Role.ORGANISER, now), CompetitionStatus.SIGN_UP)


def sign_up_as_reserve(database: Database, event_id: int, player_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        entries.sign_up_as_reserve(lifecycle.allowed(work, event_id, player_id, None, now), player_id)


def set_rounds_off(
    database: Database, event_id: int, player_id: int, *, by_id: int, now: datetime, **off: Sequence[int]
) -> None:
    with Work(database) as work:
        entries.set_rounds_off(lifecycle.allowed(work, event_id, by_id, None, now), player_id, **off)


def enter_teams(database: Database, event_id: int, by_id: int, given: Sequence[NewTeam], *, now: datetime) -> list[int]:
    with Work(database) as work:
        return rosters.enter(lifecycle.allowed(work, event_id, by_id, None, now), given)


def take_team_out(database: Database, event_id: int, team_id: int, by_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        rosters.take_out(lifecycle.allowed(work, event_id, by_id, None, now), team_id)


def set_line_up(
    database: Database, event_id: int, team_id: int, by_id: int, number: int, chosen: Sequence[int], *, now: datetime
) -> tuple[int | None, ...]:
    with Work(database) as work:
        return captains.set_line_up(lifecycle.allowed(work, event_id, by_id, None, now), team_id, number, chosen)


def name_captain(database: Database, event_id: int, team_id: int, by_id: int, player_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        captains.name(lifecycle.allowed(work, event_id, by_id, None, now), team_id, player_id)


def challenge(database: Database, event_id: int, player_id: int, opponent: int, *, now: datetime) -> int:
    with Work(database) as work:
        return ladder.challenge(lifecycle.allowed(work, event_id, player_id, None, now), opponent)


def enter_computer(database: Database, config: Config, event_id: int, level: str, by_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        computers.enter(lifecycle.allowed(work, event_id, by_id, Role.DEPUTY, now), config, level)


def put_into_divisions(
    database: Database, event_id: int, by_id: int, placed: Mapping[int, int], *, now: datetime
) -> None:
    with Work(database) as work:
        round_loop.put_into_divisions(lifecycle.allowed(work, event_id, by_id, Role.ORGANISER, now), placed)


def start(database: Database, event_id: int, by_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        round_loop.start(lifecycle.allowed(work, event_id, by_id, Role.ORGANISER, now))


def cancel(database: Database, event_id: int, by_id: int, *, reason: str, ends: bool = False, now: datetime) -> None:
    with Work(database) as work:
        endings.cancel(lifecycle.allowed(work, event_id, by_id, Role.ORGANISER, now), reason=reason, ends=ends)


def pause(database: Database, event_id: int, by_id: int, *, paused: bool, now: datetime) -> bool:
    with Work(database) as work:
        return autopilot.pause(lifecycle.allowed(work, event_id, by_id, Role.ORGANISER, now), paused=paused)


def finish(database: Database, event_id: int, by_id: int, *, now: datetime, sure: bool = False) -> None:
    with Work(database) as work:
        endings.finish(lifecycle.allowed(work, event_id, by_id, Role.ORGANISER, now), sure=sure)


def make_next(
    database: Database, event_id: int, by_id: int, plan: Plan, called: SeasonNames, *, token: str, now: datetime
) -> int:
    with Work(database) as work:
        return next_season.make(
            lifecycle.allowed(work, event_id, by_id, Role.ORGANISER, now), plan, called, token=token
        )


def _in_division(work: Work, division_id: int, by_id: int, now: datetime) -> Acting:
    return lifecycle.allowed(work, round_loop.event_of_division(work.session, division_id), by_id, Role.DEPUTY, now)


def pair(database: Database, division_id: int, by_id: int, *, now: datetime) -> int:
    """Pair the next round of a division at once, however long that takes; the number of its draft."""
    with Work(database) as work:
        acting = _in_division(work, division_id, by_id, now)
        task, draft = round_loop.next_task(work.session, acting.event, division_id)
        return round_loop.keep_draft(acting, division_id, task, task.work_out(), draft)


def stop_pairing(database: Database, job_id: int, by_id: int, *, now: datetime) -> bool:
    with Work(database) as work:
        job = pairing_jobs.get(work.session, job_id)
        return pairing_jobs.cancel(lifecycle.allowed(work, job.event_id, by_id, Role.DEPUTY, now), job)


def begin_all(database: Database, event_id: int, by_id: int, *, now: datetime, **how: Any) -> int:
    with Work(database) as work:
        return all_rounds.begin(lifecycle.allowed(work, event_id, by_id, Role.DEPUTY, now), **how)


def edit(
    database: Database,
    round_id: int,
    version: int,
    seated: Sequence[Sequence[int]],
    free: Sequence[tuple[int, str]],
    asked: ActRequest,
    *,
    now: datetime,
) -> None:
    with Work(database) as work:
        round_loop.edit(*round_loop.lock_draft(work, round_id, asked.by_id, version, now), seated, free, asked.reason)


def name_hour(
    database: Database,
    round_id: int,
    by_id: int,
    version: int,
    at: datetime,
    *,
    until: datetime | None = None,
    now: datetime,
) -> bool:
    with Work(database) as work:
        return publishing.name_hour(*round_loop.lock_draft(work, round_id, by_id, version, now), at, until=until)


def call_off(database: Database, round_id: int, by_id: int, version: int, *, now: datetime) -> bool:
    with Work(database) as work:
        return publishing.call_off(*round_loop.lock_draft(work, round_id, by_id, version, now))


def publish(database: Database, round_id: int, by_id: int, version: int, *, now: datetime) -> int:
    with Work(database) as work:
        return round_loop.publish(*round_loop.lock_draft(work, round_id, by_id, version, now))


def close(database: Database, round_id: int, by_id: int, *, now: datetime) -> None:
    with Work(database) as work:
        round_loop.close(*round_loop.locked(work, round_id, by_id, now))


def add_extra(database: Database, round_id: int, by_id: int, *, now: datetime) -> int:
    with Work(database) as work:
        return brackets.add_extra(*round_loop.locked(work, round_id, by_id, now))


def decide(
    database: Database, event_id: int, ruling_id: int, verdict: Verdict, asked: ActRequest, *, now: datetime
) -> bool:
    with Work(database) as work:
        return deciding.decide(work, event_id, ruling_id, verdict, asked, now=now)


def answer_invitation(database: Database, club_id: int, player_id: int, *, joins: bool, now: datetime) -> bool:
    with Work(database) as work:
        return members.answer(work, club_id, player_id, joins=joins, now=now)


def answer_call(database: Database, call_id: int, player_id: int | None, *, accepts: bool, now: datetime) -> list[int]:
    with Work(database) as work:
        return reserves.answer(work, call_id, player_id, accepts=accepts, now=now)


def seal(
    database: Database, link: TurnLink, orders: str, *, now: datetime, **how: Any
) -> turns.TurnPlayed | holding.HeldTurn:
    return turns.answer(
        database, link, orders, lambda work, game, lines: holding.seal(work, game, link, lines, now=now, **how)
    )


def held(database: Database, link: TurnLink) -> holding.HeldTurn | None:
    with database.read() as session:
        return holding.held(session, turns.look_at(session, link), link)


def recall(database: Database, link: TurnLink, *, now: datetime) -> GameNow:
    with Work(database) as work:
        there = holding.held_for_writing(work, link)
        taken_back = holding.recall(work, there, now)
    if not taken_back:
        raise holding.GONE_OUT
    return there.game
