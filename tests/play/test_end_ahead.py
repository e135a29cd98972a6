"""The end of a turn, sent with its last action: it is kept while another seat answers, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.clocks.pace import Pace
from app.games.tables import GameSeat, LogEntry
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.agreed import results
from app.play.turn import starting, turns
from app.time import pending
from tests.support import pressed
from tests.support.overdue import DUE, begin, with_stages
from tests.support.tables import NOW, deliver, give_standing, hand, link_to, load, say, start, write


def asked(database: Database, seats: int = 2, pace: Pace | timedelta = timedelta(days=3)) -> tuple[int, Any]:
    """Let red keep a card and rob blue with its last action, the end included; return the game and what red sent."""
    game_id = start(database, seats=seats, pace=pace)
    link = link_to(load(database, game_id))
    card = hand(load(database, game_id), "red")[0]
    played = turns.play_turn(database, link, f"keep {card}\nrob blue\nend", now=NOW)
    assert played.refused is None and played.played[-1] == "end" and played.game.decides == "blue"
    return game_id, played


def with_an_oak(database: Database, begun: Callable[[], int]) -> tuple[int, str]:
    """Return a game in which blue has been dealt an oak, which can block, and that card."""
    while True:
        game_id = begun()
        for card in hand(load(database, game_id), "blue"):
            if card.startswith("oak"):
                return game_id, card


def mails(database: Database) -> list[tuple[str, str, int | None]]:
    with database.read() as session:
        rows = sa.select(OutboxMail.kind, OutboxMail.seat, OutboxMail.number).order_by(OutboxMail.id)
        return [tuple(row) for row in session.execute(rows)]


def causes(database: Database, game_id: int) -> list[tuple[str | None, str, str | None]]:
    with database.read() as session:
        found = session.execute(
            sa.select(LogEntry.seat, LogEntry.cause, LogEntry.line).filter_by(game_id=game_id).order_by(LogEntry.number)
        )
        return [(row.seat, row.cause, row.line) for row in found][1:]


def test_the_end_holds_through_the_answer_and_needs_no_mail_more(database: Database) -> None:
    game_id, _ = asked(database)
    assert load(database, game_id).ends_ahead("red")
    card = hand(load(database, game_id), "blue")[0]
    answered = say(database, game_id, f"yield {card}")
    assert (answered.game.decides, answered.game.turn) == ("blue", 2)
    assert causes(database, game_id)[-2:] == [("blue", "seat", f"yield {card}"), ("red", "ahead", "end")]
    assert mails(database) == [("turn", "red", 1), ("turn", "blue", 2), ("turn", "blue", 4)], "red owes nothing"
    assert not load(database, game_id).ends_ahead("red")
    assert starting.verify(database, game_id) == []


def test_standing_orders_that_answer_at_once_leave_the_end_where_it_was_said(sqlite_database: Database) -> None:
    game_id, oak = with_an_oak(sqlite_database, lambda: start(sqlite_database))
    give_standing(sqlite_database, game_id, "blue", f"rob block {oak}")
    red = hand(load(sqlite_database, game_id), "red")
    assert say(sqlite_database, game_id, f"keep {red[0]}\nrob blue\nend").game.decides == "blue"
    assert [cause for _, cause, _ in causes(sqlite_database, game_id)] == ["seat", "seat", "standing", "seat"]


def test_without_the_end_the_seat_is_asked_again_and_says_it_then(sqlite_database: Database) -> None:
    game_id = start(sqlite_database)
    red = hand(load(sqlite_database, game_id), "red")
    say(sqlite_database, game_id, f"keep {red[0]}\nrob blue")
    say(sqlite_database, game_id, f"yield {hand(load(sqlite_database, game_id), 'blue')[0]}")
    assert load(sqlite_database, game_id).decides == "red"
    assert mails(sqlite_database)[-1] == ("turn", "red", 3)
    assert say(sqlite_database, game_id, "end").game.decides == "blue"


def test_the_end_is_refused_while_an_action_is_left(sqlite_database: Database) -> None:
    game_id = start(sqlite_database)
    played = say(sqlite_database, game_id, "rob blue\nend")
    assert played.refused and played.refused["code"] == "seat.not_to_decide" and played.played == ("rob blue",)
    assert not played.game.ends_ahead("red")


def test_the_same_orders_again_are_answered_alike_while_the_end_is_kept(database: Database) -> None:
    game_id, first = asked(database)
    before = causes(database, game_id), mails(database)
    again = turns.play_turn(database, first.link, "\n".join(first.played), now=NOW)
    assert again.played == first.played and again.game.ends_ahead("red")
    assert (causes(database, game_id), mails(database)) == before
    assert load(database, game_id).number == again.game.number


def test_the_seat_takes_it_back_and_is_asked_then(database: Database) -> None:
    game_id, _ = asked(database)
    game = load(database, game_id)
    with database.read() as session:
        red, blue = (turns.newest_link(session, game, seat) for seat in ("red", "blue"))
    with pytest.raises(NotAccepted):
        turns.keep_turn(database, blue)
    turns.keep_turn(database, red)
    with pytest.raises(NotAccepted):
        turns.keep_turn(database, red)
    say(database, game_id, f"yield {hand(load(database, game_id), 'blue')[0]}")
    assert load(database, game_id).decides == "red" and mails(database)[-1] == ("turn", "red", 3)
    assert say(database, game_id, "peek\nend").game.decides == "blue"


def test_a_takeback_takes_the_end_back_too(sqlite_database: Database) -> None:
    """Nothing is learned by asking, so it can be taken back; the turn is open again then."""
    game_id = start(sqlite_database)
    red, blue = (load(sqlite_database, game_id).seated(seat).player_id for seat in ("red", "blue"))
    assert red and blue
    say(sqlite_database, game_id, "drop " + hand(load(sqlite_database, game_id), "red")[0])
    say(sqlite_database, game_id, "rob blue\nend")
    results.propose(sqlite_database, game_id, red, "takeback", now=NOW)
    with sqlite_database.read() as session:
        proposed = results.waiting(session, load(sqlite_database, game_id))
    assert proposed is not None
    results.answer(sqlite_database, proposed.id, "blue", blue, True, now=NOW)
    game = load(sqlite_database, game_id)
    assert game.decides == "red" and not game.ends_ahead("red") and game.seated("red").ends_turn is None
    say(sqlite_database, game_id, "rob blue")
    assert not load(sqlite_database, game_id).ends_ahead("red")


def test_the_end_holds_when_the_answer_is_played_for_a_late_seat(sqlite_database: Database) -> None:
    pace = with_stages((0, "warned", ["orders"]))
    game_id, oak = with_an_oak(sqlite_database, lambda: begin(sqlite_database, pace))
    say(sqlite_database, game_id, "drop " + hand(load(sqlite_database, game_id), "red")[0])
    say(sqlite_database, game_id, "rob blue\nend")
    give_standing(sqlite_database, game_id, "blue", f"rob block {oak}")
    with sqlite_database.write() as session:
        pending.start_clock(session, game_id, load(sqlite_database, game_id).number, NOW)
        session.commit()
    sweep_cases(sqlite_database, DUE)
    assert [(seat, cause) for seat, cause, _ in causes(sqlite_database, game_id)][-2:] == [
        ("blue", "time"),
        ("red", "ahead"),
    ]
    assert mails(sqlite_database)[-1][:2] == ("turn", "blue"), "blue was not there, so it is asked by mail"


def test_the_increment_of_a_turn_that_ends_by_an_answer_is_its_own_seats(sqlite_database: Database) -> None:
    """Fischer time: red's turn ends while blue answers, and red gets what a turn gives."""
    pace = Pace(decision=0, bank=86_400, increment=3_600, cap=864_000)
    game_id, _ = asked(sqlite_database, pace=pace)

    def banks() -> dict[str, int]:
        with sqlite_database.read() as session:
            found = session.execute(sa.select(GameSeat.seat, GameSeat.bank_seconds).filter_by(game_id=game_id))
            return {row.seat: row.bank_seconds for row in found}

    assert banks() == {"red": 86_400, "blue": 86_400}
    say(sqlite_database, game_id, f"yield {hand(load(sqlite_database, game_id), 'blue')[0]}")
    assert banks() == {"red": 86_400 + 3_600, "blue": 86_400}


def test_whoever_answers_into_a_turn_of_their_own_is_mailed_when_they_leave_it(sqlite_database: Database) -> None:
    """The page continues with the turn.

    If it is closed without a move, the mail comes some minutes later; if the turn is made, or sealed and held, none
    does.
    """
    for made in ("nothing", "a move", "a held move"):
        game_id, _ = asked(sqlite_database)
        deliver(sqlite_database, NOW)
        say(sqlite_database, game_id, f"yield {hand(load(sqlite_database, game_id), 'blue')[0]}")
        game = load(sqlite_database, game_id)
        assert game.decides == "blue" and game.mailed_at == NOW, "the clock runs already"
        turn = "drop {}\ndrop {}\nend".format(*hand(game, "blue"))
        if made == "a move":
            say(sqlite_database, game_id, turn, NOW + timedelta(minutes=1))
        elif made == "a held move":
            write(sqlite_database, sa.update(Player).values(hold_minutes=10))
            pressed.seal(sqlite_database, link_to(game), turn, now=NOW + timedelta(minutes=1))
        deliver(sqlite_database, NOW + timedelta(minutes=4))
        with sqlite_database.read() as session:
            mine = sa.select(OutboxMail.state, OutboxMail.due_at).filter_by(
                game_id=game_id, seat="blue", number=game.number
            )
            assert session.execute(mine).one() == ("waiting", NOW + timedelta(minutes=5))
        deliver(sqlite_database, NOW + timedelta(minutes=6))
        with sqlite_database.read() as session:
            state, _ = session.execute(mine).one()
        assert state == ("kept" if made == "nothing" else "dropped"), made
