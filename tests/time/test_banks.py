"""Banks of time: what a turn adds, and that taking a move back gains nothing."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.base.stored.database import Database
from app.clocks.pace import Pace
from app.games.store import GameNow, GameStore
from app.games.work import Work
from app.play.agreed.takeback import take_back
from app.time import pending
from tests.support.tables import NOW, hand, load, say, start

HOUR, DAY = 3600, 86400
FISCHER = Pace(decision=0, bank=20 * DAY, increment=DAY, cap=30 * DAY)


def banks(database: Database, game_id: int) -> dict[str, int]:
    found = load(database, game_id).banks
    assert found is not None
    return found


def clock_starts(database: Database, game_id: int, at: datetime) -> None:
    """Let the mail of the pending decision be accepted."""
    with database.write() as session:
        pending.start_clock(session, game_id, load(database, game_id).number, at)
        session.commit()


def undo(database: Database, game_id: int, seat: str, back_to: int, at: datetime) -> GameNow:
    """Let the seat take back what came after an entry, with everybody's agreement."""
    with Work(database) as work:
        after = take_back(work, work.store.load(game_id, for_writing=True), seat, back_to, at)
        work.commit()
    return after


def whole_turn(database: Database, game_id: int) -> str:
    """Return orders that end the turn of Ferry."""
    game = load(database, game_id)
    assert game.decides is not None
    cards = hand(game, game.decides)
    return f"drop {cards[0]}\ndrop {cards[1]}\nend"


def test_the_increment_of_a_turn_goes_back_with_it(database: Database) -> None:
    """Twenty days, two of them used: 18, and 19 at the end of the turn; taken back 18 again, with no charge for the
    five days until everybody has agreed."""
    game_id = start(database, pace=FISCHER)
    clock_starts(database, game_id, NOW)
    say(database, game_id, whole_turn(database, game_id), now=NOW + timedelta(days=2))
    assert banks(database, game_id) == {"red": 19 * DAY, "blue": 20 * DAY}
    after = undo(database, game_id, "red", 1, NOW + timedelta(days=7))
    assert banks(database, game_id) == after.banks == {"red": 18 * DAY, "blue": 20 * DAY}
    clock_starts(database, game_id, NOW + timedelta(days=7))
    assert load(database, game_id).deadline_at == NOW + timedelta(days=7 + 18)


def test_a_bank_that_the_cap_had_cut_is_restored_exactly(database: Database) -> None:
    """29.5 days: of the increment only half fitted in, and only half goes out again."""
    game_id = start(database, pace=Pace(decision=0, bank=29 * DAY + 12 * HOUR, increment=DAY, cap=30 * DAY))
    clock_starts(database, game_id, NOW)
    say(database, game_id, whole_turn(database, game_id), now=NOW)
    assert banks(database, game_id)["red"] == 30 * DAY
    undo(database, game_id, "red", 1, NOW)
    assert banks(database, game_id)["red"] == 29 * DAY + 12 * HOUR


def test_the_time_of_a_part_of_a_turn_runs_on_when_it_is_taken_back(database: Database) -> None:
    """A turn in parts is one decision: nothing is charged before it ends, so nothing has to come back."""
    game_id = start(database, pace=FISCHER)
    clock_starts(database, game_id, NOW)
    card = hand(load(database, game_id), "red")[0]
    say(database, game_id, f"drop {card}", now=NOW + timedelta(days=1))
    after = undo(database, game_id, "red", 1, NOW + timedelta(days=2))
    assert after.banks == {"red": 20 * DAY, "blue": 20 * DAY}
    say(database, game_id, whole_turn(database, game_id), now=NOW + timedelta(days=3))
    assert banks(database, game_id) == {"red": (20 - 3 + 1) * DAY, "blue": 20 * DAY}


def test_a_question_that_is_taken_back_costs_what_the_turn_had_used(database: Database) -> None:
    game_id = start(database, pace=FISCHER)
    clock_starts(database, game_id, NOW)
    say(database, game_id, "rob blue", now=NOW + timedelta(days=4))
    assert banks(database, game_id) == {"red": 16 * DAY, "blue": 20 * DAY}
    undo(database, game_id, "red", 1, NOW + timedelta(days=6))
    assert banks(database, game_id) == {"red": 16 * DAY, "blue": 20 * DAY}


def test_a_turn_that_ends_with_anothers_answer_has_its_increment_too(database: Database) -> None:
    """Who answered pays for the answer, and whose turn has ended gets the increment."""
    game_id = start(database, pace=FISCHER)
    clock_starts(database, game_id, NOW)
    say(database, game_id, "rob blue", now=NOW)
    with database.write() as session:
        game = GameStore(session).load(game_id)
        assert (game.on_turn, game.decides) == ("red", "blue")
        after = pending.charge(session, game, 3 * DAY, turn_ended=True)
        session.commit()
    assert banks(database, game_id) == after.banks == {"red": 21 * DAY, "blue": 17 * DAY}


whole_days = st.integers(0, 20).map(lambda n: n * DAY // 2)
paces = st.builds(
    lambda decision, free, bank, increment, cap: Pace(
        decision=decision + (decision + free + bank == 0), free=free, bank=bank, increment=increment, cap=bank + cap
    ),
    st.sampled_from([0, DAY, 7 * DAY]), whole_days, whole_days, whole_days, whole_days.map(lambda n: n + 1),
)  # fmt: skip
rounds = st.lists(st.tuples(whole_days, whole_days), min_size=1, max_size=4)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pace=paces, uses=rounds)
def test_turn_and_takeback_any_number_of_times_gain_no_time(
    sqlite_database: Database, pace: Pace, uses: list[tuple[int, int]]
) -> None:
    """Each round takes some time and then has to wait for the others: the bank shrinks only by what was used beyond the
    time of the decision. The turn that counts gets one increment.
    """
    game_id, at, wanted = start(sqlite_database, pace=pace), NOW, pace.bank
    for used, waited in uses:
        clock_starts(sqlite_database, game_id, at)
        at += timedelta(seconds=used)
        back_to = load(sqlite_database, game_id).entries
        say(sqlite_database, game_id, whole_turn(sqlite_database, game_id), now=at)
        wanted = max(0, wanted - max(0, used - pace.decision - pace.free))
        assert banks(sqlite_database, game_id) == {"red": min(pace.cap, wanted + pace.increment), "blue": pace.bank}
        at += timedelta(seconds=waited)
        undo(sqlite_database, game_id, "red", back_to, at)
        assert banks(sqlite_database, game_id) == {"red": wanted, "blue": pace.bank}
    clock_starts(sqlite_database, game_id, at)
    say(sqlite_database, game_id, whole_turn(sqlite_database, game_id), now=at)
    assert banks(sqlite_database, game_id)["red"] == min(pace.cap, wanted + pace.increment)
