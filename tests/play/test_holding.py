"""A sealed turn that is held: nothing happens before its time, it can be taken back, and it is played once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import Conflict
from app.clocks.pace import Pace, simple
from app.games.tables import DecisionMade, Draft, GameSeat
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.agreed import results
from app.play.turn import chat_and_notes, drafts, holding, turns
from app.play.turn.holding import HeldTurn, play_due
from tests.support import pressed
from tests.support.tables import NOW, hand, link_to, load, possible, rows_of_games, say, start, write

MINUTE = timedelta(minutes=1)
LATER = NOW + timedelta(minutes=30)


def wish(database: Database, minutes: int = 5) -> None:
    write(database, sa.update(Player).values(hold_minutes=minutes))


def seal(database: Database, game_id: int, orders: str, now: datetime = NOW) -> Any:
    return pressed.seal(database, link_to(load(database, game_id)), orders, now=now)


def a_turn(database: Database, game_id: int) -> str:
    game = load(database, game_id)
    one, other = hand(game, str(game.decides))[:2]
    return f"drop {one}\ndrop {other}\nend"


def drafted(database: Database, game_id: int, seat: str = "red") -> tuple[str, ...]:
    """The draft on the page of the decision owed."""
    with database.read() as session:
        return chat_and_notes.beside(session, game_id, seat, load(database, game_id).number).draft


def mails(database: Database) -> list[tuple[str, str, int | None]]:
    with database.read() as session:
        rows = session.execute(sa.select(OutboxMail.kind, OutboxMail.seat, OutboxMail.number).order_by(OutboxMail.id))
        return [tuple(row) for row in rows]


def test_a_held_turn_is_played_by_one_of_several_workers_when_its_time_is_over(database: Database) -> None:
    """Until then no row has changed but the draft. Other orders have to wait, the same ones get the same answer."""
    game_id = start(database)
    wish(database)
    orders, before = a_turn(database, game_id), rows_of_games(database)
    held = seal(database, game_id, orders)
    assert isinstance(held, HeldTurn) and held.held_until == NOW + 5 * MINUTE
    assert rows_of_games(database)[:-1] == before[:-1], "only the draft is another"
    assert seal(database, game_id, orders, NOW + MINUTE).held_until == held.held_until
    with pytest.raises(turns.AlreadyHeld):
        seal(database, game_id, orders.removesuffix("\nend"))
    with pytest.raises(turns.AlreadyHeld):
        drafts.keep_draft(database, held.link, ["rob blue"], now=NOW)
    assert play_due(database, NOW + 4 * MINUTE) == 0
    database.close()  # a restart in between
    with ThreadPoolExecutor(4) as workers:
        done = list(workers.map(lambda _: play_due(database, NOW + 5 * MINUTE), range(4)))
    assert sorted(done) == [0, 0, 0, 1]
    game = load(database, game_id)
    assert (game.decides, game.number) == ("blue", 2) and mails(database) == [("turn", "red", 1), ("turn", "blue", 2)]
    with database.read() as session:
        made = session.execute(sa.select(DecisionMade.made_at, DecisionMade.orders)).one()
        assert made == (NOW, orders) and session.execute(sa.select(Draft.id)).all() == []
    again = pressed.seal(database, held.link, orders, now=LATER)
    assert isinstance(again, turns.TurnPlayed) and again.game.number == 2


def test_what_is_taken_back_is_a_draft_as_if_it_had_not_been_sent(database: Database) -> None:
    game_id = start(database)
    wish(database, 2)
    orders = a_turn(database, game_id)
    held = seal(database, game_id, orders)
    pressed.recall(database, held.link, now=NOW + MINUTE)
    assert drafted(database, game_id) == tuple(orders.splitlines()) and play_due(database, LATER) == 0
    with pytest.raises(Conflict):
        pressed.recall(database, held.link, now=NOW + MINUTE)
    with pytest.raises(Conflict):
        holding.send_now(database, held.link, now=NOW + MINUTE)
    seal(database, game_id, orders, NOW + 3 * MINUTE)
    with pytest.raises(Conflict) as gone:  # the job has not come by yet, and the time is over
        pressed.recall(database, held.link, now=NOW + 5 * MINUTE)
    assert gone.value.code == "hold.gone" and load(database, game_id).decides == "blue"
    blue = seal(database, game_id, a_turn(database, game_id), NOW + 6 * MINUTE)
    assert holding.send_now(database, blue.link, now=NOW + 7 * MINUTE).game.decides == "red"
    with pytest.raises(turns.LinkEnded):
        pressed.recall(database, blue.link, now=NOW + 7 * MINUTE)


def test_nothing_is_drawn_and_lines_after_that_are_judged_when_they_are_played(sqlite_database: Database) -> None:
    """What is refused before anything hidden shows is refused at once; the rest when its time comes.

    It is then the draft of the next decision, about which the seat gets a mail.
    """
    game_id = start(sqlite_database)
    wish(sqlite_database)
    before = rows_of_games(sqlite_database)
    with pytest.raises(turns.OrdersRefused):
        seal(sqlite_database, game_id, "drop gold-99\npeek")
    assert rows_of_games(sqlite_database) == before
    held = seal(sqlite_database, game_id, "peek\ndrop gold-99\nend")
    assert isinstance(held, HeldTurn) and rows_of_games(sqlite_database)[:-1] == before[:-1]
    assert play_due(sqlite_database, LATER) == 1
    assert load(sqlite_database, game_id).number == 2 and mails(sqlite_database)[-1] == ("turn", "red", 2)
    assert drafted(sqlite_database, game_id) == ("drop gold-99", "end")


def test_a_decision_that_has_changed_meanwhile_leaves_a_draft(database: Database) -> None:
    """Another seat gives up, which makes it another decision of the same seat."""
    game_id = start(database, "new-world", seats=3)
    wish(database)
    game = load(database, game_id)
    seat, line = str(game.decides), game.title.write(game.state, possible(game.title, game.state)[0])
    seal(database, game_id, line)
    other = next(one.player_id for one in game.seats if one.seat != seat)
    assert other
    results.resign(database, game_id, other, now=NOW + MINUTE)
    game = load(database, game_id)
    assert (game.decides, game.number) == (seat, 2) and drafted(database, game_id, seat) == (line,)
    assert pressed.held(database, link_to(game)) is None
    assert play_due(database, LATER) == 0 and drafted(database, game_id, seat) == (line,)
    assert load(database, game_id).number == 2


def banks(database: Database) -> dict[str, int]:
    with database.read() as session:
        return {row.seat: row.bank_seconds for row in session.execute(sa.select(GameSeat.seat, GameSeat.bank_seconds))}


def test_time_is_charged_until_the_turn_was_sealed(sqlite_database: Database) -> None:
    """Also where the decision goes on after what was played: its clock has stood still while the turn was held."""
    game_id = start(sqlite_database, pace=Pace(decision=0, bank=86_400, increment=0, cap=864_000))
    say(sqlite_database, game_id, a_turn(sqlite_database, game_id))
    say(sqlite_database, game_id, a_turn(sqlite_database, game_id))  # red is there, and its clock runs
    write(sqlite_database, sa.update(Player).values(hold_minutes=10), sa.text("UPDATE game SET mailed_at = asked_at"))
    full, sealed = banks(sqlite_database)["red"], NOW + 60 * MINUTE
    before = load(sqlite_database, game_id).deadline_at
    seal(sqlite_database, game_id, "peek", sealed)
    play_due(sqlite_database, sealed + 10 * MINUTE)
    game = load(sqlite_database, game_id)
    assert game.decides == "red" and before is not None and game.deadline_at == before + 10 * MINUTE
    seal(sqlite_database, game_id, a_turn(sqlite_database, game_id), sealed + 40 * MINUTE)
    play_due(sqlite_database, sealed + 50 * MINUTE)
    assert load(sqlite_database, game_id).decides == "blue"
    assert full - banks(sqlite_database)["red"] == 90 * 60, "an hour and the half hour between the two"


def test_no_turn_waits_past_its_deadline(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, pace=simple(timedelta(minutes=60)))
    wish(sqlite_database, 15)
    write(sqlite_database, sa.text("UPDATE game SET mailed_at = asked_at"))
    held = seal(sqlite_database, game_id, a_turn(sqlite_database, game_id), NOW + 50 * MINUTE)
    assert held.held_until == NOW + 59 * MINUTE
    pressed.recall(sqlite_database, held.link, now=NOW + 51 * MINUTE)
    assert isinstance(
        seal(sqlite_database, game_id, a_turn(sqlite_database, game_id), NOW + 59 * MINUTE), turns.TurnPlayed
    )


def test_what_was_sealed_in_time_is_in_time_after_an_outage(sqlite_database: Database) -> None:
    """Nothing ran when its time was over, and the deadline has passed: the sweep of cases plays it first."""
    game_id = start(sqlite_database, pace=simple(timedelta(minutes=60)))
    wish(sqlite_database, 15)
    write(sqlite_database, sa.text("UPDATE game SET mailed_at = asked_at, check_at = deadline_at"))
    seal(sqlite_database, game_id, a_turn(sqlite_database, game_id), NOW + 50 * MINUTE)
    sweep_cases(sqlite_database, NOW + 180 * MINUTE)
    assert load(sqlite_database, game_id).decides == "blue"
    assert [kind for kind, *_ in mails(sqlite_database)] == ["turn", "turn"]
