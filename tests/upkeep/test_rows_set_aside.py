"""One row that a job cannot process stops no other, is shown, and is processed when possible: for every job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from itertools import pairwise
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine

from app.base.process import jobs as declared
from app.base.server import Server
from app.base.stored import failing
from app.base.stored.database import Database
from app.computer import starting as computer
from app.computer.thinking import Thinker
from app.games.tables import Game
from app.leagues.changes import leaving, reserves
from app.leagues.desk import autopilot, weekly_mail
from app.leagues.events import round_rows
from app.leagues.results import casual, event_ratings
from app.leagues.results.rating_watch import RatingWatch
from app.leagues.rounds import pairing_jobs, publishing, round_loop
from app.leagues.rulings import round_ends
from app.leagues.tables import CompetitionRound, Entrant, Member, PairingJob, ReserveCall
from app.overdue import cases, left
from app.people import signin
from app.people.push_tables import PushDevice
from app.people.tables import Player, SignIn
from app.play.agreed import results
from app.play.fairness import ends
from app.play.turn import holding
from app.post.out import carrier
from app.post.push import telling
from app.post.push.delivering import Pusher
from app.post.webhooks import delivering, settings
from app.post.webhooks.delivering import Deliverer
from app.server.registry import register
from app.time import outages, pending
from app.time.reminding import digest, reminders
from app.time.tables import Outage
from app.upkeep import alarms, condition, health, jobs
from app.upkeep.doctor import machine
from tests.support import pressed
from tests.support.databases import ON_SQLITE
from tests.support.events import league, people, read
from tests.support.overdue import DUE, begin
from tests.support.people import Browser, Enter
from tests.support.season import season
from tests.support.tables import CONFIG, LINKS, NOW, deliver, hand, link_to, load, say, start, write

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
MONDAY = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
Spoil = Callable[[pytest.MonkeyPatch, str, list[str]], None]


@dataclass(frozen=True)
class Case:
    """A job with two rows that are due at a moment: `begin` makes them and names both, `spoil` has the first fail."""

    run: Callable[[Database, datetime], object]
    begin: Callable[[Database], tuple[str, str]]
    spoil: Spoil
    at: datetime = NOW + DAY


def at(place: Any, name: str, which: Callable[..., str]) -> Spoil:
    """Whatever this function is asked for the first row fails; what it has done is noted."""

    def spoil(patch: pytest.MonkeyPatch, first: str, done: list[str]) -> None:
        real = getattr(place, name)

        def broken(*args: Any, **named: Any) -> Any:
            what = which(*args)
            if what == first:
                raise RuntimeError(f"{what} is broken")
            made = real(*args, **named)
            done.append(what)
            return made

        patch.setattr(place, name, broken)

    return spoil


def _two_games(database: Database) -> tuple[str, str]:
    games = [start(database, pace=7 * DAY) for _ in range(2)]
    deliver(database, NOW)
    return f"game {games[0]}", f"game {games[1]}"


def _held(database: Database) -> tuple[str, str]:
    names = _two_games(database)
    write(database, sa.update(Player).values(hold_minutes=5))
    for game_id in (1, 2):
        game = load(database, game_id)
        one, other = hand(game, str(game.decides))[:2]
        pressed.seal(database, link_to(game), f"drop {one}\ndrop {other}\nend", now=NOW)
    return names


def _digests(database: Database) -> tuple[str, str]:
    start(database)
    with database.write() as session:
        for player in (1, 2):
            digest.settle(session, player, "8", True, NOW)
        session.commit()
    return "player 1", "player 2"


def _outage(database: Database) -> tuple[str, str]:
    _two_games(database)
    with database.write() as session:
        session.add(Outage(job="web", from_at=NOW + HOUR, to_at=NOW + 5 * HOUR, noted_at=NOW + 5 * HOUR))
        session.commit()
    return "outage 1 of game 1", "outage 1 of game 2"


def _over(database: Database) -> tuple[str, str]:
    names = _two_games(database)
    for game_id in (1, 2):
        results.resign(database, game_id, load(database, game_id).seats[0].player_id or 0, now=NOW)
    return names


def _calls(database: Database) -> tuple[str, str]:
    made = season(database, 4, reserves=2)
    with database.write() as session:
        for leaver, reserve in zip(made.players, made.reserves, strict=False):
            ids = {"leaver_id": made.entrant(leaver).id, "entry_id": made.entrant(reserve).id}
            session.add(ReserveCall(event_id=made.event, **ids, called_at=NOW, answer_by=NOW + HOUR))
        session.commit()
    return "call 1", "call 2"


def _drafts(database: Database) -> tuple[str, str]:
    who = people(database, 4)
    drafts = []
    for division in league(database, who).divisions:
        drafts.append(pressed.pair(database, division.id, who[0], now=NOW))
        version = read(database, lambda session: round_rows.get(session, drafts[-1]).version)
        pressed.name_hour(database, drafts[-1], who[0], version, NOW + HOUR, now=NOW)
    return f"round {drafts[0]}", f"round {drafts[1]}"


def _rounds(database: Database) -> tuple[str, str]:
    first, second = _drafts(database)
    publishing.sweep(database, NOW + HOUR)
    write(database, sa.update(CompetitionRound).values(due_at=NOW + 2 * HOUR))
    return first, second


def _events(database: Database) -> tuple[str, str]:
    made = [season(database, 2), season(database, 2, slug="angers")]
    return f"event {made[0].event}", f"event {made[1].event}"


def _holds(database: Database) -> tuple[str, str]:
    made = [season(database, 3), season(database, 3, slug="angers")]
    with database.write() as session:
        for one in made:
            first = sa.select(sa.func.min(Entrant.id)).where(Entrant.event_id == one.event).scalar_subquery()
            session.execute(sa.update(Entrant).where(Entrant.id == first).values(leaves_at=NOW))
    return f"event {made[0].event}", f"event {made[1].event}"


def _addresses(database: Database) -> tuple[str, str]:
    for number, player in enumerate(people(database, 2)):
        signin.move(database, player, f"new{number}@example.org", by="the operator", now=NOW)
    return "change 1", "change 2"


def _organisers(database: Database) -> tuple[str, str]:
    who = people(database, 4)
    league(database, who)
    write(database, sa.update(Member).where(Member.player_id == who[1]).values(role="organiser"))
    return f"player {who[0]}", f"player {who[1]}"


def _rated(database: Database) -> tuple[str, str]:
    for title in ("acres", "ferry"):
        start(database, title)
    with database.write() as session:
        over = {"is_rated": True, "status": "over", "decides": None, "ended_at": NOW, "result": {}}
        session.execute(sa.update(Game).values(**over))
        session.commit()
    return "acres", "ferry"


def _titles(database: Database) -> tuple[str, str]:
    season(database, 2, title="acres")
    season(database, 2, slug="angers")
    return "acres", "ferry"


def _pairings(database: Database) -> tuple[str, str]:
    event = league(database, people(database, 4))
    with database.write() as session:
        for division in event.divisions:
            session.add(PairingJob(event_id=event.id, division_id=division.id, number=1, asked_at=NOW, due_at=NOW))
        session.commit()
    return "job 1", "job 2"


def _mails(database: Database) -> tuple[str, str]:
    for _ in range(2):
        start(database)
    return "mail 1", "mail 2"


def _pushes(database: Database) -> tuple[str, str]:
    for number in (1, 2):
        start(database)
        with database.write() as session:
            sign_in = SignIn(token_hash=str(number), player_id=2, created_at=NOW, expires_at=NOW + 9 * DAY)
            session.add(sign_in)
            session.flush()
            device = {"public_key": "", "auth": "", "server_key": "", "made_at": NOW}
            at_host = {"endpoint": f"https://push.example.org/{number}", "host": "push.example.org"}
            session.add(PushDevice(player_id=2, sign_in_id=sign_in.id, **at_host, **device))
            session.commit()
    one, other = hand(load(database, 1), "red")[:2]
    say(database, 1, f"drop {one}\ndrop {other}\nend")
    return "push 1", "push 2"


def _calls_of_webhooks(database: Database) -> tuple[str, str]:
    for _ in range(2):
        start(database)
    settings.add(database, 2, "http://127.0.0.1:9/", private=True, now=NOW)
    for game_id in (1, 2):
        game = load(database, game_id)
        one, other = hand(game, str(game.decides))[:2]
        say(database, game_id, f"drop {one}\ndrop {other}\nend")
    return "call 1", "call 2"


def _make_calls(database: Database, now: datetime) -> None:
    Deliverer(Server(CONFIG, database, LINKS), lambda: now).deliver_due()


def _spoil_calls(patch: pytest.MonkeyPatch, first: str, done: list[str]) -> None:
    patch.setattr(delivering, "call", lambda *_, **__: None)
    at(delivering, "written", lambda session, base, owed, now: f"call {owed.call.id}")(patch, first, done)


def _spoil_alarms(patch: pytest.MonkeyPatch, first: str, done: list[str]) -> None:
    patch.setattr(condition, "ills", lambda *_: {"backup": "", "disk": ""})
    at(alarms, "_mail", lambda work, name, *rest: str(name))(patch, first, done)


def _spoil_tidying(patch: pytest.MonkeyPatch, first: str, done: list[str]) -> None:
    def noted(real: Callable[..., int], which: str) -> Callable[..., int]:
        @wraps(real)
        def forget(session: Any, now: datetime) -> int:
            if which == first:
                raise RuntimeError(f"{which} is broken")
            done.append(which)
            return real(session, now)

        return forget

    every = [noted(one, jobs._place_of(one)) for one in declared.TIDYING]
    patch.setattr(declared, "TIDYING", every)


def _tidied(database: Database) -> tuple[str, str]:
    first, second, *_ = declared.TIDYING
    return jobs._place_of(first), jobs._place_of(second)


def _pair(database: Database, now: datetime) -> None:
    while pairing_jobs.work_one(database, "test", lambda: now):
        pass


def _look(
    watch: Callable[[], RatingWatch],
) -> Callable[[Database, datetime], object]:
    def look(database: Database, now: datetime) -> None:
        with time_machine.travel(now, tick=False):
            watch().look(database)

    return look


def _next_task(session: Any, event: Any, division: int) -> str:
    return f"job {event.divisions.index(next(one for one in event.divisions if one.id == division)) + 1}"


def _against_the_computer(database: Database, **wish: Any) -> tuple[str, str]:
    games = [
        computer.start(database, computer.Wish(title_id="ferry", level="beginner", seat="blue", **wish), now=NOW)
        for _ in range(2)
    ]
    return f"game {games[0].game}", f"game {games[1].game}"


CASES = {
    "thinkers": Case(
        lambda database, now: Thinker(database, CONFIG, "test").work_off(now),
        _against_the_computer,
        at(Thinker, "_think", lambda _, row, __: f"game {row.game_id}"),
    ),
    "games that were left": Case(
        left.end_those_left,
        _against_the_computer,
        at(results, "void", lambda _, game, __: f"game {game.id}"),
        NOW + 31 * DAY,
    ),
    "reminders": Case(
        reminders.remind, _two_games, at(pending, "times", lambda _, one, *__: f"game {one.game_id}"), NOW + 4 * DAY
    ),
    "held turns": Case(holding.play_due, _held, at(holding, "play_held", lambda _, game, *__: f"game {game}")),
    "digests": Case(digest.send_due, _digests, at(digest, "_set_next", lambda _, player, *__: f"player {player}")),
    "cases": Case(
        cases.sweep_cases,
        lambda database: (f"game {begin(database)}", f"game {begin(database)}"),
        at(cases, "_look", lambda _, game, *__: f"game {game}"),
        DUE + HOUR,
    ),
    "beat": Case(
        outages.watch, _outage, at(outages, "_credit", lambda _, one, game, __: f"outage {one.id} of game {game}")
    ),
    "keep ends": Case(ends.look, _over, at(ends, "_keep", lambda _, game: f"game {game}")),
    "end calls": Case(reserves.sweep_calls, _calls, at(reserves, "_expire", lambda _, call, __: f"call {call}")),
    "end holds": Case(leaving.sweep_holds, _holds, at(leaving, "_end_hold", lambda _, event, *__: f"event {event}")),
    "addresses": Case(
        signin.change_due, _addresses, at(signin, "_change", lambda _, wish, __: f"change {wish.id}"), NOW + 4 * DAY
    ),
    "end rounds": Case(round_ends.sweep, _rounds, at(round_ends, "_act", lambda _, __, one, ___: f"round {one}")),
    "publish drafts": Case(publishing.sweep, _drafts, at(publishing, "_publish", lambda *of: f"round {of[2]}")),
    "run events": Case(autopilot.sweep, _events, at(autopilot, "_run", lambda _, event, __: f"event {event}")),
    "plan mondays": Case(
        weekly_mail.plan, _organisers, at(weekly_mail, "_planned", lambda row, _: f"player {row.id}"), MONDAY
    ),
    "CasualWatch.look": Case(_look(casual.watch), _rated, at(casual, "recompute", lambda _, title: str(title))),
    "Watch.look": Case(_look(event_ratings.watch), _titles, at(event_ratings, "recompute", lambda _, t: t)),
    "tidying": Case(jobs.tidy, _tidied, _spoil_tidying),
    "pairing": Case(_pair, _pairings, at(round_loop, "next_task", _next_task)),
    "mail": Case(deliver, _mails, at(carrier, "write_mail", lambda _, __, mail, ___: f"mail {mail.id}")),
    "hooks": Case(_make_calls, _calls_of_webhooks, _spoil_calls),
    "pushes": Case(
        lambda database, now: Pusher(Server(CONFIG, database, LINKS), lambda: now).deliver_due(),
        _pushes,
        at(telling, "told", lambda _, __, push, ___: f"push {push.push.id}"),
    ),
    "alarms": Case(
        lambda database, now: alarms.look(Server(CONFIG, database, LINKS), now),
        lambda _: ("backup", "disk"),
        _spoil_alarms,
    ),
}  # fmt: skip
WITHOUT_ROWS = {
    "pushes taken back": "writes all with one statement",
    "devices that were lost": "writes all with one statement",
    "seeds": "makes one tree of numbers",
    "backups": "writes one file",
    "log of the database": "cuts one file",
}


@pytest.mark.parametrize("name", CASES)
def test_the_second_row_is_done_and_the_first_is_shown_and_tried_again(
    name: str, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, done = CASES[name], list[str]()
    first, second = case.begin(sqlite_database)
    with monkeypatch.context() as patch:
        case.spoil(patch, first, done)
        for seconds in (0, 1):  # again before its rest is over
            case.run(sqlite_database, case.at + timedelta(seconds=seconds))
    assert second in done and first not in done
    with sqlite_database.read() as session:
        shown = {row.row: row for row in failing.listed(session, case.at)}
        assert shown[first].error == f"RuntimeError: {first} is broken" and second not in shown
        assert shown[first].times == 1, "it rests"
        found = health.look(session, case.at, host=None)
        assert found.failing == len(shown) and not found.is_well
    done.clear()
    with monkeypatch.context() as patch:
        case.spoil(patch, "", done)
        case.run(sqlite_database, case.at + HOUR)
    assert first in done, "nothing was lost"
    with sqlite_database.read() as session:
        assert failing.listed(session, case.at + HOUR) == []


def test_no_job_is_left_out(sqlite_database: Database) -> None:
    register()
    timed = {job.name for job in jobs.timetable(Server(CONFIG, sqlite_database, LINKS))}
    assert timed | {name for name, _ in declared.WORKERS} == CASES.keys() | WITHOUT_ROWS.keys()


@ON_SQLITE
def test_a_row_rests_longer_each_time_and_is_forgotten_when_nobody_tries_it_any_more(database: Database) -> None:
    now, tried = NOW, []

    def fail(row: str) -> None:
        tried.append(now)
        raise RuntimeError("no")

    while now < NOW + DAY:
        failing.over(database, "job", ["row 1"], str, fail, now)
        now += timedelta(minutes=1)
    pauses = [(later - earlier) // timedelta(minutes=1) for earlier, later in pairwise(tried)]
    assert pauses[:9] == [1, 2, 4, 8, 16, 32, 64, 128, 256] and set(pauses[9:]) == {360}
    with database.write() as session:
        assert failing.how_many(session, now) == 1
        assert failing.how_many(session, now + DAY) == 0, "it is not due any more"
        assert failing.forget(session, now + DAY) == 1


def test_operators_see_what_is_set_aside_and_programs_do(server: Server, enter: Enter, stranger: Browser) -> None:
    now = datetime.now(UTC)
    outages.beat(server.database, "scheduler", "test", now)
    assert stranger.client.get("/health").json["well"] is True
    failing.tell(server.database, "cases", "game 7", RuntimeError("the log is torn"), now)
    answer = stranger.client.get("/health")
    assert (answer.json["well"], answer.json["set_aside"], answer.json["down"]) == (False, 1, [])
    assert answer.status_code == 200, "a supervisor need not begin anew"
    olga = enter("olga")
    write(server.database, sa.update(Player).values(role="operator"))
    start(server.database, pace=7 * DAY)
    write(
        server.database, sa.update(Player).where(Player.address == "alice@example.org").values(zone="Atlantic/Lyonesse")
    )
    page = olga.get("/server")
    assert "cases, game 7" in page and "RuntimeError: the log is torn" in page and "failed once" in page
    assert "Atlantic/Lyonesse: 1 × player" in page and "All is well." not in page
    assert 'postroad_rows_set_aside{job="cases"} 1.0' in olga.get("/metrics")
    found = {one.check: one.why for one in machine.database(server, now) if one.well is False}
    assert found["set aside"].endswith("again now and then. 1") and "Atlantic/Lyonesse" in found["time zones"]
    failing.well(server.database, "cases", "game 7")
    assert stranger.client.get("/health").json["well"] is True
