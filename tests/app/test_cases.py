"""A passed deadline opens a case: what follows, when, and by whom."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import HOUR as HOUR_SECONDS
from app.clocks.pace import Pace, Stage
from app.db import Database
from app.models import Case, ClockEvent, Game, LogEntry, Outage, OutboxMail, Player
from app.services import cases, clocks, outages, results, rulings
from app.services.cases import sweep_cases
from app.services.games import verify
from app.services.people import NotAccepted
from app.services.records import record_of
from app.services.takeback import take_back
from app.services.turns import AlreadyDecided, LinkEnded, play_turn
from app.store import GameStore
from app.titles import TITLES
from app.work import Work
from engine.kernel import records
from tests.support.running import ROOT
from tests.support.tables import NOW, hand, link_to, load, say, start

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)
PACE = Pace(decision=3 * DAY_SECONDS)
DUE = NOW + 3 * DAY


def with_stages(*stages: tuple[int, str, Sequence[str]]) -> Pace:
    return replace(PACE, stages=tuple(Stage(after, state, tuple(do)) for after, state, do in stages))


def begin(database: Database, pace: Pace = PACE, seats: int = 2, title: str = "ferry", **options: Any) -> int:
    """A game whose clock runs from NOW; nobody has leave to take."""
    game_id = start(database, title, seats, pace=pace, options=options or None)
    with database.write() as connection:
        connection.execute(sa.update(Player).values(auto_leave=False))
        clocks.start_clock(connection, game_id, load_number(connection, game_id), NOW)
        connection.commit()
    return game_id


def load_number(connection: sa.Connection, game_id: int) -> int:
    return connection.scalars(sa.select(Game.number).where(Game.id == game_id)).one()


def operator(database: Database, who: str = "olga") -> int:
    with database.write() as connection:
        row = {"address": f"{who}@example.org", "address_key": f"{who}@example.org", "name": who, "role": "operator"}
        made = connection.execute(sa.insert(Player).values(**row, created_at=NOW).returning(Player.id))
        player_id = made.scalar_one()
        connection.commit()
    return player_id


def rows(database: Database, statement: Any) -> list[Any]:
    with database.read() as connection:
        return list(connection.execute(statement).all())


def case_of(database: Database, game_id: int) -> Any:
    """The newest case about a game; None when there has been none."""
    found = rows(database, sa.select(Case.__table__).where(Case.game_id == game_id).order_by(Case.id.desc()))
    return found[0] if found else None


def log(database: Database, game_id: int) -> list[tuple[str, str, datetime]]:
    asked = sa.select(ClockEvent.kind, ClockEvent.cause, ClockEvent.at)
    return [tuple(row) for row in rows(database, asked.where(ClockEvent.game_id == game_id).order_by(ClockEvent.id))]


def mails(database: Database, *kinds: str) -> list[tuple[str, str, datetime]]:
    """Kind, whom it is for and when it was written, in order."""
    asked = sa.select(OutboxMail.kind, OutboxMail.address, OutboxMail.made_at).order_by(OutboxMail.id)
    return [
        (row.kind, row.address.partition("@")[0], row.made_at)
        for row in rows(database, asked)
        if not kinds or row.kind in kinds
    ]


def check_at(database: Database, game_id: int) -> datetime | None:
    found: datetime | None = rows(database, sa.select(Game.check_at).where(Game.id == game_id))[0].check_at
    return found


def minutes(database: Database, game_id: int, until: datetime) -> None:
    """The sweep every hour, and in each moment for which a look is planned."""
    now = NOW
    while now <= until:
        sweep_cases(database, now)
        planned = check_at(database, game_id)
        following = now + HOUR
        now = min(following, planned) if planned is not None and planned > now else following


# -- the usual course -----------------------------------------------------------------------------------


def test_among_friends_a_warning_then_grace_then_the_flag(database: Database) -> None:
    game_id = begin(database)
    minutes(database, game_id, DUE + 4 * DAY)
    assert log(database, game_id) == [
        ("warned", "pace", DUE), ("grace", "pace", DUE + DAY), ("flagged", "pace", DUE + 2 * DAY),
    ]  # fmt: skip
    assert mails(database, "overdue", "late") == [
        ("overdue", "alice", DUE), ("late", "bob", DUE),
        ("overdue", "alice", DUE + DAY),
        ("overdue", "alice", DUE + 2 * DAY), ("late", "bob", DUE + 2 * DAY),
    ]  # fmt: skip
    case = case_of(database, game_id)
    assert (case.kind, case.cause, case.state, case.stage) == ("time", "player", "flagged", 3)
    assert (case.opened_at, case.deadline_at, case.ended_at) == (DUE, DUE, None)
    assert check_at(database, game_id) is None, "nothing more follows by itself"
    assert load(database, game_id).status == "running", "a game is not lost before somebody says so"


def test_nothing_happens_a_second_before_the_deadline(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database)
    assert sweep_cases(sqlite_database, DUE - SECOND) == 0
    assert case_of(sqlite_database, game_id) is None
    assert sweep_cases(sqlite_database, DUE) == 1
    assert case_of(sqlite_database, game_id).state == "warned"
    assert sweep_cases(sqlite_database, DUE) == 0


def test_a_move_closes_the_case(database: Database) -> None:
    game_id = begin(database)
    sweep_cases(database, DUE)
    say(database, game_id, "rob blue", now=DUE + HOUR)
    assert case_of(database, game_id).state == "closed"
    assert log(database, game_id)[-1] == ("closed", "player", DUE + HOUR)
    sweep_cases(database, DUE + 2 * DAY)
    assert [kind for kind, _, _ in log(database, game_id)] == ["warned", "closed"]


def test_a_turn_sent_in_parts_keeps_its_case(sqlite_database: Database) -> None:
    """The time of the turn runs on, so does what follows from it."""
    game_id = begin(sqlite_database)
    sweep_cases(sqlite_database, DUE)
    say(sqlite_database, game_id, "peek", now=DUE + HOUR)
    case = case_of(sqlite_database, game_id)
    assert (case.number, case.state, case.ended_at) == (2, "warned", None)
    sweep_cases(sqlite_database, DUE + 2 * HOUR)
    sweep_cases(sqlite_database, DUE + DAY)
    assert case_of(sqlite_database, game_id).state == "grace"
    assert log(sqlite_database, game_id) == [("warned", "pace", DUE), ("grace", "pace", DUE + DAY)]


def test_a_takeback_closes_the_case_of_the_seat_that_is_not_asked_any_more(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database)
    first, second, _ = hand(load(sqlite_database, game_id), "red")
    say(sqlite_database, game_id, f"drop {first}\ndrop {second}\nend")
    with sqlite_database.write() as connection:
        clocks.start_clock(connection, game_id, 2, NOW)
        connection.commit()
    sweep_cases(sqlite_database, DUE)
    assert case_of(sqlite_database, game_id).seat == "blue"
    with Work(sqlite_database) as work:
        take_back(work, work.store.load(game_id, for_writing=True), "red", 1, DUE + HOUR)
        work.commit()
    assert load(sqlite_database, game_id).decides == "red"
    assert case_of(sqlite_database, game_id).ended_at == DUE + HOUR
    assert check_at(sqlite_database, game_id) == DUE + HOUR + timedelta(seconds=PACE.mail_limit)


def test_more_time_closes_the_case_and_the_new_deadline_opens_another(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database)
    sweep_cases(sqlite_database, DUE)
    with sqlite_database.write() as connection:
        connection.execute(sa.update(Game).values(extra_seconds=2 * DAY_SECONDS))
        clocks.refresh_game(connection, game_id, DUE + HOUR)
        connection.commit()
    first = case_of(sqlite_database, game_id)
    assert (first.state, first.ended_at) == ("closed", DUE + HOUR)
    assert check_at(sqlite_database, game_id) == DUE + 2 * DAY
    sweep_cases(sqlite_database, DUE + 2 * DAY - SECOND)
    sweep_cases(sqlite_database, DUE + 2 * DAY)
    assert log(sqlite_database, game_id) == [
        ("warned", "pace", DUE), ("closed", "deadline", DUE + HOUR), ("warned", "pace", DUE + 2 * DAY),
    ]  # fmt: skip


def test_a_late_sweep_keeps_the_time_between_a_warning_and_what_it_warns_of(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database)
    late = DUE + 5 * DAY
    sweep_cases(sqlite_database, late)
    assert log(sqlite_database, game_id) == [("warned", "pace", late)]
    assert check_at(sqlite_database, game_id) == late + DAY
    minutes(sqlite_database, game_id, late + 3 * DAY)
    assert log(sqlite_database, game_id) == [
        ("warned", "pace", late), ("grace", "pace", late + DAY), ("flagged", "pace", late + 2 * DAY),
    ]  # fmt: skip


def test_automatic_leave_comes_first(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database)
    with sqlite_database.write() as connection:
        connection.execute(sa.update(Player).values(auto_leave=True))
        connection.commit()
    sweep_cases(sqlite_database, DUE)
    assert case_of(sqlite_database, game_id) is None
    assert check_at(sqlite_database, game_id) == DUE + DAY
    assert log(sqlite_database, game_id) == [("leave", "pace", DUE)]


# -- what a stage does ------------------------------------------------------------------------------------


def test_the_only_legal_action_is_played_for_the_late_seat(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database, with_stages((0, "warned", ["orders"])))
    say(sqlite_database, game_id, "rob blue", now=NOW)
    state = load(sqlite_database, game_id).state
    # Blue has lost all cards but one that does not block, as if it had been robbed before.
    lone = next(card for card in (*state.sides["blue"].hand, *state.pile) if not card.startswith("oak"))
    sides = {**state.sides, "blue": replace(state.sides["blue"], hand=(lone,))}
    with sqlite_database.write() as connection:
        store = GameStore(connection)
        store.keep_state(store.load(game_id), replace(state, sides=sides))
        clocks.start_clock(connection, game_id, 2, NOW)
        connection.commit()
    sweep_cases(sqlite_database, DUE)
    game = load(sqlite_database, game_id)
    assert game.decides == "red" and hand(game, "blue") == []
    entry = rows(sqlite_database, sa.select(LogEntry).order_by(LogEntry.id.desc()))[0]
    assert (entry.seat, entry.cause, entry.line) == ("blue", "time", f"yield {lone}")
    assert log(sqlite_database, game_id) == [("closed", "pace", DUE), ("warned", "pace", DUE)]
    assert ("turn", "alice", DUE) in mails(sqlite_database), "the next seat is asked"


def test_what_needs_a_mind_is_not_played(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database, with_stages((0, "warned", ["orders"])))
    sweep_cases(sqlite_database, DUE)
    assert load(sqlite_database, game_id).number == 1
    assert case_of(sqlite_database, game_id).state == "warned"


def test_a_turn_is_ended_where_the_rules_allow_it(database: Database) -> None:
    """acres R3: a player may pass both actions; the turn then ends."""
    game_id = begin(
        database, with_stages((0, "warned", ["remind"]), (DAY_SECONDS, "grace", ["forfeit_turn"])), 2, "acres"
    )
    first = load(database, game_id)
    minutes(database, game_id, DUE + DAY)
    after = load(database, game_id)
    assert after.turn == first.turn + 1 and after.decides != first.decides
    causes = {row.cause for row in rows(database, sa.select(LogEntry.cause).where(LogEntry.number > first.entries))}
    assert causes == {"time"}
    assert ("timeout", "player", DUE + DAY) in log(database, game_id)
    assert case_of(database, game_id).state == "closed"
    with database.read() as connection:
        rebuilt = GameStore(connection).rebuilt(after)
    assert rebuilt == after.state


def test_where_a_turn_cannot_be_ended_it_is_said(sqlite_database: Database) -> None:
    """A turn of Ferry cannot end before both actions are used."""
    game_id = begin(sqlite_database, with_stages((0, "grace", ["forfeit_turn"])))
    sweep_cases(sqlite_database, DUE)
    assert load(sqlite_database, game_id).number == 1
    event = rows(sqlite_database, sa.select(ClockEvent))[0]
    assert event.kind == "grace" and event.details["no_end"] is True
    assert mails(sqlite_database, "overdue") == [("overdue", "alice", DUE)]


def test_a_game_lost_on_time_has_that_as_its_reason(database: Database) -> None:
    game_id = begin(database, with_stages((0, "warned", ["remind"]), (HOUR_SECONDS, "flagged", ["forfeit"])))
    minutes(database, game_id, DUE + 2 * HOUR)
    game = load(database, game_id)
    assert game.status == "over" and game.result is not None
    outcome = game.title.outcome(game.state)
    assert (outcome.reason, outcome.winners) == ("time", ("blue",))
    last = rows(database, sa.select(LogEntry).order_by(LogEntry.id.desc()))[0]
    assert (last.cause, last.at) == ("time", DUE + HOUR)
    assert log(database, game_id) == [
        ("warned", "pace", DUE), ("timeout", "player", DUE + HOUR), ("flagged", "pace", DUE + HOUR),
    ]  # fmt: skip
    case = case_of(database, game_id)
    assert (case.state, case.ruling, case.ended_at) == ("ruled", "forfeit", DUE + HOUR)
    assert mails(database, "over") == [("over", "alice", DUE + HOUR), ("over", "bob", DUE + HOUR)]
    assert check_at(database, game_id) is None


@pytest.mark.parametrize("title", ["acres", "new-world"])
def test_the_record_of_a_game_lost_on_time_says_so_and_verifies(sqlite_database: Database, title: str) -> None:
    game_id = begin(sqlite_database, with_stages((0, "flagged", ["forfeit"])), 2, title)
    sweep_cases(sqlite_database, DUE)
    record = record_of(sqlite_database, game_id)
    assert record["result"]["reason"] == "time"
    assert verify(sqlite_database, game_id).differing == ()
    records.verify(records.load(json.dumps(record).encode(), TITLES))


def test_of_three_the_late_seat_leaves_and_the_others_go_on(sqlite_database: Database) -> None:
    """new_world: a seat that gives up is passed over from then on."""
    game_id = begin(sqlite_database, with_stages((0, "flagged", ["forfeit"])), 3, "new-world")
    late = load(sqlite_database, game_id).decides
    sweep_cases(sqlite_database, DUE)
    game = load(sqlite_database, game_id)
    assert late is not None and game.status == "running" and game.decides != late
    assert not results.still_plays(game, late)
    assert [row.cause for row in rows(sqlite_database, sa.select(LogEntry.cause).order_by(LogEntry.id))][-1] == "time"
    assert ("timeout", "player", DUE) in log(sqlite_database, game_id)
    assert ("late", "alice", DUE) in mails(sqlite_database), "who is out is told"
    assert ("turn", "bob", DUE) in mails(sqlite_database)


# -- claiming --------------------------------------------------------------------------------------------


def flagged(database: Database, seats: int = 2, title: str = "ferry") -> tuple[int, Any]:
    game_id = begin(database, with_stages((0, "flagged", ["claim"])), seats, title)
    sweep_cases(database, DUE)
    return game_id, case_of(database, game_id)


def player(database: Database, game_id: int, seat: str) -> int | None:
    return load(database, game_id).seated(seat).player_id


def test_the_opponent_claims_and_has_won_on_time(database: Database) -> None:
    game_id, case = flagged(database)
    bob = player(database, game_id, "blue")
    after = rulings.claim(database, case.id, "blue", bob, now=DUE + HOUR)
    assert after.is_over and after.title.outcome(after.state).reason == "time"
    assert after.title.outcome(after.state).winners == ("blue",)
    assert log(database, game_id) == [
        ("flagged", "pace", DUE), ("claimed", "opponent", DUE + HOUR), ("timeout", "player", DUE + HOUR),
    ]  # fmt: skip
    with pytest.raises(rulings.Settled):
        rulings.claim(database, case.id, "blue", bob, now=DUE + HOUR)
    case = case_of(database, game_id)
    assert (case.state, case.ruling, case.ruled_by) == ("ruled", "claim", bob)


def test_waiting_is_noted_once_and_claiming_stays_possible(sqlite_database: Database) -> None:
    game_id, case = flagged(sqlite_database)
    bob = player(sqlite_database, game_id, "blue")
    for minute in range(6):
        rulings.wait(sqlite_database, case.id, "blue", bob, now=DUE + timedelta(minutes=minute))
    assert log(sqlite_database, game_id) == [("flagged", "pace", DUE), ("flagged", "waits", DUE)]
    assert rulings.claim(sqlite_database, case.id, "blue", bob, now=DUE + DAY).is_over


def test_nobody_claims_before_the_flag_or_for_another(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database)
    sweep_cases(sqlite_database, DUE)
    case = case_of(sqlite_database, game_id)
    alice, bob = player(sqlite_database, game_id, "red"), player(sqlite_database, game_id, "blue")
    sweep_cases(sqlite_database, DUE + DAY)
    for seat, who in (("blue", bob), ("red", alice), ("blue", alice), ("gold", bob)):
        with pytest.raises(rulings.Settled):
            rulings.claim(sqlite_database, case.id, seat, who, now=DUE + DAY)
    sweep_cases(sqlite_database, DUE + 2 * DAY)
    for seat, who in (("red", alice), ("blue", alice), ("blue", None)):
        with pytest.raises(rulings.Settled):
            rulings.claim(sqlite_database, case.id, seat, who, now=DUE + 2 * DAY)
    assert rulings.claim(sqlite_database, case.id, "blue", bob, now=DUE + 2 * DAY).is_over


def test_who_moves_after_the_flag_is_back_in_the_game(sqlite_database: Database) -> None:
    game_id, case = flagged(sqlite_database)
    bob = player(sqlite_database, game_id, "blue")
    say(sqlite_database, game_id, "rob blue", now=DUE + HOUR)
    with pytest.raises(rulings.Settled):
        rulings.claim(sqlite_database, case.id, "blue", bob, now=DUE + 2 * HOUR)
    assert load(sqlite_database, game_id).status == "running"


def test_of_a_claim_and_a_move_at_once_exactly_one_wins(database: Database) -> None:
    for _ in range(4):
        game_id, case = flagged(database)
        bob, link, barrier = player(database, game_id, "blue"), link_to(load(database, game_id)), threading.Barrier(2)
        won = race(
            lambda barrier=barrier, link=link: (barrier.wait(), play_turn(database, link, "rob blue", now=DUE + HOUR)),
            lambda barrier=barrier, case_id=case.id, bob=bob: (
                barrier.wait(),
                rulings.claim(database, case_id, "blue", bob, now=DUE + HOUR),
            ),
        )
        assert len(won) == 1
        assert (load(database, game_id).status == "over") == (won == [1])


def race(*acts: Callable[[], Any]) -> list[int]:
    """The places of those that were not too late."""
    won: list[int] = []

    def run(place: int) -> None:
        with suppress(rulings.Settled, LinkEnded, AlreadyDecided):
            acts[place]()
            won.append(place)

    at_once(*[lambda place=place: run(place) for place in range(len(acts))])
    return won


def test_claims_of_two_at_once_are_one(database: Database) -> None:
    game_id, case = flagged(database, 3, "new-world")
    seats = [(s.seat, s.player_id) for s in load(database, game_id).others(case.seat)]
    barrier, done = threading.Barrier(2), []

    def claim(seat: str, who: int | None) -> None:
        barrier.wait()
        with suppress(rulings.Settled):
            done.append(rulings.claim(database, case.id, seat, who, now=DUE + HOUR))

    at_once(*[lambda seat=seat, who=who: claim(seat, who) for seat, who in seats])
    assert len(done) == 1
    assert [kind for kind, _, _ in log(database, game_id)].count("timeout") == 1


def at_once(*acts: Any) -> None:
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# -- mails that do not arrive -----------------------------------------------------------------------------


def fail_mail(database: Database, game_id: int, at: datetime) -> None:
    """As the sender does it when the host refuses for good."""
    with database.write() as connection:
        ours = sa.and_(OutboxMail.game_id == game_id, OutboxMail.kind == "turn", OutboxMail.state == "waiting")
        connection.execute(sa.update(OutboxMail).where(ours).values(state="failed", sent_at=at))
        clocks.mail_failed(connection, game_id, load_number(connection, game_id), at)
        connection.commit()


def test_a_mail_refused_for_good_opens_a_case_and_the_clock_stands(database: Database) -> None:
    operator(database)
    game_id = start(database, pace=PACE)
    fail_mail(database, game_id, NOW + HOUR)
    sweep_cases(database, NOW + HOUR)
    case = case_of(database, game_id)
    assert (case.kind, case.cause, case.state, case.deadline_at) == ("mail", "mail", "opened", None)
    assert log(database, game_id) == [("mail_failed", "mail", NOW + HOUR)]
    assert mails(database, "late", "case", "overdue") == [
        ("late", "bob", NOW + HOUR), ("case", "olga", NOW + HOUR),
    ]  # fmt: skip
    minutes(database, game_id, NOW + 20 * DAY)
    assert len(log(database, game_id)) == 1 and case_of(database, game_id).state == "opened"


def test_a_mail_that_nobody_takes_within_the_limit_opens_a_case(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, pace=replace(PACE, mail_limit=2 * DAY_SECONDS))
    assert sweep_cases(sqlite_database, NOW + 2 * DAY - SECOND) == 0
    assert sweep_cases(sqlite_database, NOW + 2 * DAY) == 1
    assert case_of(sqlite_database, game_id).kind == "mail"
    assert sweep_cases(sqlite_database, NOW + 3 * DAY) == 0


def test_a_mail_that_arrives_after_all_closes_its_case(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, pace=PACE)
    sweep_cases(sqlite_database, NOW + 3 * DAY)
    with sqlite_database.write() as connection:
        clocks.start_clock(connection, game_id, 1, NOW + 4 * DAY)
        connection.commit()
    assert case_of(sqlite_database, game_id).state == "closed"
    assert log(sqlite_database, game_id)[-1] == ("closed", "mail", NOW + 4 * DAY)
    assert check_at(sqlite_database, game_id) == NOW + 7 * DAY, "the whole time from the mail on"


def test_a_time_out_after_a_refused_mail_is_not_the_player_s(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database, with_stages((0, "flagged", ["forfeit"])))
    with sqlite_database.write() as connection:
        decision = clocks.owed(connection, game_id)
        assert decision is not None
        clocks.note(connection, decision, "mail_failed", "mail", NOW)
        connection.commit()
    sweep_cases(sqlite_database, DUE)
    assert ("timeout", "mail", DUE) in log(sqlite_database, game_id)


def test_a_time_out_soon_after_an_outage_is_not_the_player_s(sqlite_database: Database) -> None:
    game_id = begin(sqlite_database, with_stages((0, "flagged", ["forfeit"])))
    with sqlite_database.write() as connection:
        gap = {"job": "web", "from_at": DUE - 3 * HOUR, "to_at": DUE - HOUR, "noted_at": DUE, "is_credited": True}
        connection.execute(sa.insert(Outage).values(**gap))
        connection.commit()
    sweep_cases(sqlite_database, DUE)
    assert case_of(sqlite_database, game_id) is None, "the two hours are given back first"
    sweep_cases(sqlite_database, DUE + 2 * HOUR)
    assert ("timeout", "outage", DUE + 2 * HOUR) in log(sqlite_database, game_id)


def test_nothing_is_opened_or_claimed_while_something_is_down(sqlite_database: Database) -> None:
    game_id, case = flagged(sqlite_database)
    other = begin(sqlite_database)
    outages.beat(sqlite_database, "mail", "one", NOW)
    assert sweep_cases(sqlite_database, DUE + 10 * DAY) == 0
    assert case_of(sqlite_database, other) is None
    with pytest.raises(NotAccepted) as refused:
        rulings.claim(sqlite_database, case.id, "blue", player(sqlite_database, game_id, "blue"), now=DUE + 10 * DAY)
    assert refused.value.code == "clock.down"


# -- two processes, and killed ones -------------------------------------------------------------------------


def test_sweeps_at_once_carry_out_each_stage_once(database: Database) -> None:
    games = [begin(database, with_stages((0, "warned", ["remind"]), (0, "flagged", ["forfeit"]))) for _ in range(12)]
    barrier, looked = threading.Barrier(3), []

    def sweep() -> None:
        barrier.wait()
        looked.append(sweep_cases(database, DUE))

    at_once(sweep, sweep, sweep)
    assert sum(looked) == len(games)
    for game_id in games:
        assert [kind for kind, _, _ in log(database, game_id)] == ["warned", "timeout", "flagged"]
        assert load(database, game_id).status == "over"
    assert len(mails(database, "over")) == 2 * len(games)


KILLED_IN_A_SWEEP = """
import sys, time
from datetime import datetime
from app.db import Database
from app.services.cases import sweep_cases
from app.work import Work
from tests.support import tables

commit, committed = Work.commit, []

def late(work):
    if len(committed) == 2:
        print("in the middle", flush=True)
        time.sleep(60)
    committed.append(commit(work))

Work.commit = late
sweep_cases(Database(sys.argv[1]), datetime.fromisoformat(sys.argv[2]))
"""
"""A sweep that stops in its third case, with all of it written but not committed."""


def test_a_sweep_killed_in_the_middle_of_a_case_has_done_nothing_of_it(database_url: str, database: Database) -> None:
    games = [begin(database, with_stages((0, "flagged", ["forfeit"]))) for _ in range(4)]
    line = [sys.executable, "-c", KILLED_IN_A_SWEEP, database_url, DUE.isoformat()]
    sweep = subprocess.Popen(line, stdout=subprocess.PIPE, cwd=ROOT)
    assert sweep.stdout is not None
    with sweep.stdout:
        assert sweep.stdout.readline() == b"in the middle\n"
        sweep.kill()
    assert sweep.wait(20) == -signal.SIGKILL
    assert [load(database, game_id).status for game_id in games].count("over") == 2
    assert len(rows(database, sa.select(Case.id))) == 2 and len(mails(database, "over")) == 4
    assert sweep_cases(database, DUE + SECOND) == 2
    assert [load(database, game_id).status for game_id in games] == ["over"] * 4
    assert len(mails(database, "over")) == 8 and len(rows(database, sa.select(Case.id))) == 4


def test_a_game_that_cannot_be_looked_at_does_not_hold_up_the_others(sqlite_database: Database) -> None:
    broken, good = begin(sqlite_database), begin(sqlite_database)
    with sqlite_database.write() as connection:
        connection.execute(sa.update(Game).where(Game.id == broken).values(pace={"decision": "never"}))
        connection.commit()
    sweep_cases(sqlite_database, DUE)
    assert case_of(sqlite_database, good).state == "warned"
    assert check_at(sqlite_database, broken) == DUE + cases.AGAIN


def test_the_sweep_costs_what_is_due_not_what_exists(sqlite_database: Database) -> None:
    def steps() -> int:
        with sqlite_database.read() as connection:
            raw: Any = connection.connection.dbapi_connection
            counted = [0]

            def tick() -> int:
                counted[0] += 1
                return 0

            raw.set_progress_handler(tick, 1)
            connection.execute(cases.ANY_DUE, {"now": NOW}).all()
            connection.execute(cases.DUE, {"now": NOW}).all()
            raw.set_progress_handler(None, 0)
            return counted[0]

    def add(games: int) -> None:
        with sqlite_database.write() as connection:
            row = connection.execute(sa.select(Game.__table__).limit(1)).mappings().one()
            later = {key: value for key, value in row.items() if key != "id"} | {"check_at": NOW + DAY}
            connection.execute(sa.insert(Game), [later] * games)
            connection.commit()

    start(sqlite_database, now=NOW - 10 * DAY)
    add(20)
    steps()  # a new connection reads the schema first
    few = steps()
    add(2000)
    assert steps() == few
