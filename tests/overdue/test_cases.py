"""A passed deadline opens a case: what follows, when, and by whom."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.base.stored import failing
from app.base.stored.database import Database
from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import HOUR as HOUR_SECONDS
from app.games.store import GameStore
from app.games.tables import Game, LogEntry
from app.games.work import Work
from app.overdue import cases, left
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.agreed import results
from app.play.agreed.takeback import take_back
from app.play.past.records import record_of
from app.play.turn.starting import verify
from app.time import pending
from app.time.tables import Case, ClockNote
from app.titles.registry import TITLES
from engine.kernel import records
from tests.support.at_once import at_once
from tests.support.killed import IN_A_COMMIT, killed_in_the_middle
from tests.support.overdue import (
    DAY,
    DUE,
    HOUR,
    PACE,
    SECOND,
    begin,
    case_of,
    check_at,
    log,
    mails,
    minutes,
    rows,
    with_stages,
)
from tests.support.sqlite_steps import steps_with_few_and_many
from tests.support.tables import NOW, hand, load, say, start, write


def test_a_game_that_all_have_left_ends_half_a_year_later_and_one_with_somebody_there_does_not(
    sqlite_database: Database,
) -> None:
    database, later = sqlite_database, NOW + timedelta(days=183)
    one, other = begin(database), start(database, seats=3)
    with database.write() as session:
        third = load(database, other).seats[2].player_id
        session.execute(sa.update(Player).where(Player.id == third).values(acted_at=NOW + timedelta(days=2)))
        session.commit()
    assert left.end_those_left(database, NOW + timedelta(days=181)) == 0
    assert left.end_those_left(database, later) == 1 and left.end_those_left(database, later) == 0
    assert [load(database, game).status for game in (one, other)] == ["cancelled", "running"]


# -- the usual course -----------------------------------------------------------------------------------


def test_among_friends_a_warning_then_grace_then_the_flag(database: Database) -> None:
    game_id = begin(database)
    minutes(database, game_id, DUE + 4 * DAY)
    assert log(database, game_id) == [
        ("warned", "pace", DUE), ("grace", "pace", DUE + DAY), ("flagged", "pace", DUE + 2 * DAY),
    ]  # fmt: skip
    assert mails(database, "overdue", "late") == [
        ("overdue", "alice", DUE), ("late", "bob", DUE),
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
    """The time of the turn runs on, and so do its consequences."""
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
    with sqlite_database.write() as session:
        pending.start_clock(session, game_id, 2, NOW)
        session.commit()
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
    with sqlite_database.write() as session:
        session.execute(sa.update(Game).values(extra_seconds=2 * DAY_SECONDS))
        pending.refresh_game(session, game_id, DUE + HOUR)
        session.commit()
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
    write(sqlite_database, sa.update(Player).values(auto_leave=True))
    sweep_cases(sqlite_database, DUE)
    assert case_of(sqlite_database, game_id) is None
    assert check_at(sqlite_database, game_id) == DUE + DAY
    assert log(sqlite_database, game_id) == [("leave", "pace", DUE)]


# -- what a stage does ------------------------------------------------------------------------------------


def test_what_a_hidden_hand_leaves_as_the_only_answer_is_not_played(sqlite_database: Database) -> None:
    """Whether a passed deadline plays something must not tell what the hand holds."""
    game_id = begin(sqlite_database, with_stages((0, "warned", ["orders"])))
    say(sqlite_database, game_id, "rob blue", now=NOW)
    state = load(sqlite_database, game_id).state
    # Blue has lost all cards but one that does not block, as if it had been robbed before.
    lone = next(card for card in (*state.sides["blue"].hand, *state.pile) if not card.startswith("oak"))
    sides = {**state.sides, "blue": replace(state.sides["blue"], hand=(lone,))}
    with sqlite_database.write() as session:
        store = GameStore(session)
        store.keep_state(store.load(game_id), replace(state, sides=sides))
        pending.start_clock(session, game_id, 2, NOW)
        session.commit()
    sweep_cases(sqlite_database, DUE)
    game = load(sqlite_database, game_id)
    assert game.decides == "blue" and hand(game, "blue") == [lone]


@pytest.mark.parametrize("peeked", [False, True])
def test_the_end_of_a_turn_is_played_for_the_late_seat_whatever_else_it_could_do(
    sqlite_database: Database, peeked: bool
) -> None:
    game_id = begin(sqlite_database, with_stages((0, "warned", ["orders"])))
    red = hand(load(sqlite_database, game_id), "red")
    say(sqlite_database, game_id, f"keep {red[0]}\nkeep {red[1]}" + "\npeek" * peeked, now=NOW)
    assert load(sqlite_database, game_id).decides == "red"
    sweep_cases(sqlite_database, DUE)
    entry = rows(sqlite_database, sa.select(LogEntry).order_by(LogEntry.id.desc()))[0]
    assert (entry.seat, entry.cause, entry.line) == ("red", "time", "end")
    assert log(sqlite_database, game_id) == [("closed", "pace", DUE), ("warned", "pace", DUE)]
    assert ("turn", "bob", DUE) in mails(sqlite_database), "the next seat is asked"


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
    with database.read() as session:
        rebuilt = GameStore(session).rebuilt(after)
    assert rebuilt == after.state


def test_where_a_turn_cannot_be_ended_it_is_said(sqlite_database: Database) -> None:
    """A turn of Ferry cannot end before both actions are used."""
    game_id = begin(sqlite_database, with_stages((0, "grace", ["forfeit_turn"])))
    sweep_cases(sqlite_database, DUE)
    assert load(sqlite_database, game_id).number == 1
    event = rows(sqlite_database, sa.select(ClockNote))[0]
    assert event.kind == "grace" and event.details["no_end"] is True
    assert mails(sqlite_database, "overdue") == [], "nothing has come of it"


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
    assert mails(database, "time_out") == [("time_out", "alice", DUE + HOUR), ("time_out", "bob", DUE + HOUR)]
    assert check_at(database, game_id) is None


@pytest.mark.parametrize("title", ["acres", "new-world"])
def test_the_record_of_a_game_lost_on_time_says_so_and_verifies(sqlite_database: Database, title: str) -> None:
    game_id = begin(sqlite_database, with_stages((0, "flagged", ["forfeit"])), 2, title)
    sweep_cases(sqlite_database, DUE)
    record = record_of(sqlite_database, game_id)
    assert record["result"]["reason"] == "time"
    assert verify(sqlite_database, game_id) == []
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


# -- two processes, and killed ones -------------------------------------------------------------------------


def test_sweeps_at_once_carry_out_each_stage_once(database: Database) -> None:
    games = [begin(database, with_stages((0, "warned", ["remind"]), (0, "flagged", ["forfeit"]))) for _ in range(12)]
    assert sum(at_once(*[lambda: sweep_cases(database, DUE)] * 3)) == len(games)
    for game_id in games:
        assert [kind for kind, _, _ in log(database, game_id)] == ["warned", "timeout", "flagged"]
        assert load(database, game_id).status == "over"
    assert len(mails(database, "time_out")) == 2 * len(games)


def test_a_sweep_killed_in_the_middle_of_a_case_has_done_nothing_of_it(database_url: str, database: Database) -> None:
    games = [begin(database, with_stages((0, "flagged", ["forfeit"]))) for _ in range(4)]
    sweep = IN_A_COMMIT.format(module="app.overdue.cases", sweep="sweep_cases", after=2)
    killed_in_the_middle(sweep, database_url, DUE)
    assert [load(database, game_id).status for game_id in games].count("over") == 2
    assert len(rows(database, sa.select(Case.id))) == 2 and len(mails(database, "time_out")) == 4
    assert sweep_cases(database, DUE + SECOND) == 2
    assert [load(database, game_id).status for game_id in games] == ["over"] * 4
    assert len(mails(database, "time_out")) == 8 and len(rows(database, sa.select(Case.id))) == 4


def test_a_game_that_cannot_be_looked_at_does_not_hold_up_the_others(sqlite_database: Database) -> None:
    broken, good = begin(sqlite_database), begin(sqlite_database)
    write(sqlite_database, sa.update(Game).where(Game.id == broken).values(pace={"decision": "never"}))
    sweep_cases(sqlite_database, DUE)
    assert case_of(sqlite_database, good).state == "warned"
    with sqlite_database.read() as session:
        assert [(one.job, one.row) for one in failing.listed(session, DUE)] == [("cases", f"game {broken}")]
    assert check_at(sqlite_database, broken) == DUE, "it is looked at again after a rest"


def test_the_sweep_costs_what_is_due_not_what_exists(sqlite_database: Database) -> None:
    few, many = steps_with_few_and_many(sqlite_database, {"check_at": NOW + DAY}, cases.ANY_DUE, cases.DUE)
    assert few == many


def test_a_look_reads_the_decision_and_its_case_once_and_again_after_a_stage(sqlite_database: Database) -> None:
    begin(sqlite_database, with_stages((0, "warned", ["remind"]), (DAY_SECONDS, "ruled", ["forfeit"])))
    said: list[str] = []
    sqlite_database.close()
    sa.event.listen(sqlite_database.engine, "connect", lambda raw, _: raw.set_trace_callback(said.append))

    def reads() -> tuple[int, int]:
        """Of what is owed, and of the case, in the statements since the last time."""
        seen = [" ".join(one.split()) for one in said]
        said.clear()
        return (
            sum("game.extra_seconds" in one and one.startswith("SELECT") for one in seen),
            sum(one.startswith("SELECT") and "FROM overdue_case" in one for one in seen),
        )

    sweep_cases(sqlite_database, DUE - HOUR)
    assert reads() == (0, 0), "nothing is due"
    sweep_cases(sqlite_database, DUE)
    assert reads() == (3, 2), "leave reads it, too, once the player is locked"
    sweep_cases(sqlite_database, DUE + DAY)
    assert reads() == (2, 3), "the game moves on with its case"
