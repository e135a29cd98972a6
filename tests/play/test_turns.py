"""Turns as services, without HTTP: what is stored, what is not, and who is asked. Played with Ferry."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.games.store import GameStore, LogBroken
from app.games.tables import DecisionMade, GameState, LogEntry
from app.play.turn import starting, turns
from app.play.turn.playing import Play, shown_by_last
from app.titles.registry import TITLES
from engine.kernel.chance import SeededChance
from tests.support.at_once import at_once
from tests.support.databases import ON_SQLITE
from tests.support.tables import (
    NOW,
    give_standing,
    hand,
    link_to,
    load,
    possible,
    random_line,
    rows_of_games,
    say,
    start,
)


def count(database: Database, table: Any) -> int:
    with database.read() as session:
        return session.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def mails(database: Database) -> list[tuple[str, str, int | None]]:
    with database.read() as session:
        rows = session.execute(sa.select(OutboxMail.kind, OutboxMail.seat, OutboxMail.number).order_by(OutboxMail.id))
        return [tuple(row) for row in rows]


@pytest.mark.parametrize("seats", [2, 3, 4])
@ON_SQLITE
def test_a_whole_game_is_kept_and_agrees_with_its_log(database: Database, seats: int) -> None:
    game_id = start(database, seats=seats, options={"turns": 2})
    chooser = random.Random(seats)
    while not (game := load(database, game_id)).is_over:
        say(database, game_id, random_line(game, chooser))
    assert game.result and game.result["reason"] == "points"
    assert starting.verify(database, game_id) == []
    assert not starting.rebuild(database, game_id)
    assert mails(database)[-seats:] == [("over", seat.seat, None) for seat in game.seats]


def test_the_start_asks_the_first_seat_by_mail(database: Database) -> None:
    start(database)
    assert mails(database) == [("turn", "red", 1)]


def test_one_line_of_a_turn_leaves_the_rest_to_the_same_seat_without_a_mail(sqlite_database: Database) -> None:
    game_id = start(sqlite_database)
    played = say(sqlite_database, game_id, f"keep {hand(load(sqlite_database, game_id), 'red')[0]}")
    assert played.next_number == 2 and len(mails(sqlite_database)) == 1
    assert played.game.deadline_at == load(sqlite_database, game_id).deadline_at == NOW + timedelta(days=7)


def test_a_turn_ends_when_its_seat_says_so_whether_a_free_step_is_left_or_not(sqlite_database: Database) -> None:
    game_id = start(sqlite_database)
    red = hand(load(sqlite_database, game_id), "red")
    played = say(sqlite_database, game_id, f"keep {red[0]}\nkeep {red[1]}")
    assert played.next_number == 2  # peek is still possible, so the seat says `end`
    assert say(sqlite_database, game_id, "end").game.decides == "blue"
    blue = hand(load(sqlite_database, game_id), "blue")
    played = say(sqlite_database, game_id, f"peek\nkeep {blue[0]}\n\n  KEEP   {blue[1]}  ")
    assert played.game.decides == "blue" and len(played.played) == 3
    assert mails(sqlite_database)[1:] == [("turn", "blue", 3)], "it is on turn as before"
    assert say(sqlite_database, game_id, " End ").game.decides == "red"
    assert mails(sqlite_database)[2:] == [("turn", "red", 5)]


def test_an_error_in_a_draft_stores_nothing(database: Database) -> None:
    game_id = start(database)
    before = rows_of_games(database)
    red = hand(load(database, game_id), "red")
    for orders in (f"keep {red[0]}\nkeep {red[0]}", f"keep {red[0]}\ndance", "keep rose-1", "", " \n "):
        with pytest.raises(turns.OrdersRefused) as refused:
            say(database, game_id, orders)
    assert refused.value.refused.refusal.code == "orders.empty"
    with pytest.raises(turns.OrdersRefused) as refused:
        say(database, game_id, f"keep {red[0]}\n\nkeep {red[0]}")
    assert (refused.value.refused.number, refused.value.refused.refusal.code) == (2, "card.not_in_hand")
    assert rows_of_games(database) == before


def test_an_error_after_something_was_shown_keeps_what_was_played(sqlite_database: Database) -> None:
    game_id = start(sqlite_database)
    red = hand(load(sqlite_database, game_id), "red")
    orders = f"keep {red[0]}\npeek\nkeep {red[1]}\nkeep {red[1]}"
    first = say(sqlite_database, game_id, orders)
    assert first.played == (f"keep {red[0]}", "peek") and first.next_number == 2
    assert first.refused and (first.refused["code"], first.refused["line"]) == ("card.not_in_hand", 4)
    assert red[1] in hand(load(sqlite_database, game_id), "red")
    again = turns.play_turn(sqlite_database, replace(link_to(first.game), number=1), orders, now=NOW)
    assert (again.played, again.refused, again.next_number) == (first.played, first.refused, first.next_number)


def test_the_same_orders_again_give_the_first_result_and_other_orders_do_not(database: Database) -> None:
    game_id = start(database)
    link = link_to(load(database, game_id))
    red = hand(load(database, game_id), "red")
    orders = f"peek\nkeep {red[0]}\nkeep {red[1]}\nend"
    first = turns.play_turn(database, link, orders, now=NOW)
    say(database, game_id, f"drop {hand(first.game, 'blue')[0]}")  # the game has moved on since
    before = rows_of_games(database)
    again = turns.play_turn(database, link, f" {orders}\n", now=NOW)
    assert (again.game.state, again.game.number, again.played) == (first.game.state, 2, first.played)
    with pytest.raises(turns.AlreadyDecided):
        turns.play_turn(database, link, "peek", now=NOW)
    assert rows_of_games(database) == before


def test_asking_another_seat_hands_the_decision_over(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, seats=3)
    played = say(sqlite_database, game_id, "rob green\npeek")
    assert played.game.decides == "green" and played.played == ("rob green",)
    assert played.refused and played.refused["code"] == "seat.not_to_decide"
    green = hand(played.game, "green")[0]
    assert say(sqlite_database, game_id, f"yield {green}").game.decides == "red"
    assert mails(sqlite_database) == [("turn", "red", 1), ("turn", "green", 2), ("turn", "red", 3)]


def test_standing_orders_answer_at_once_and_the_log_looks_as_if_the_seat_had(sqlite_database: Database) -> None:
    logs = []
    for standing in (True, False):
        game_id = start(sqlite_database)
        game = load(sqlite_database, game_id)
        blocks = [card for card in hand(game, "blue") if card.startswith("oak")]
        while not blocks:  # the seed is the game's secret, so search for a fitting hand
            game_id = start(sqlite_database)
            blocks = [card for card in hand(load(sqlite_database, game_id), "blue") if card.startswith("oak")]
        if standing:
            give_standing(sqlite_database, game_id, "blue", f"rob block {blocks[0]}")
            played = say(sqlite_database, game_id, "rob blue\npeek")
            assert played.refused is None and played.next_number == 4
        else:
            say(sqlite_database, game_id, "rob blue")
            say(sqlite_database, game_id, f"block {blocks[0]}")
            say(sqlite_database, game_id, "peek")
        with sqlite_database.read() as session:
            log = GameStore(session).log(game.title, game_id)
        logs.append([(step.decision, step.seat, step.kind, (step.line or "").split(" ")[0]) for _, _, step in log])
    assert logs[0] == logs[1]


def test_standing_orders_that_cannot_be_read_any_more_stop_nobody(sqlite_database: Database) -> None:
    """A changed notation must not break a running game: the seat is asked."""
    game_id = start(sqlite_database)
    give_standing(sqlite_database, game_id, "blue", "rob block by an old word", "rob block oak-1")
    assert say(sqlite_database, game_id, "peek").refused is None


def test_a_forced_answer_is_given_by_the_server(sqlite_database: Database) -> None:
    game_id = start(sqlite_database)
    for card in hand(load(sqlite_database, game_id), "red")[:2]:
        say(sqlite_database, game_id, f"keep {card}")
    say(sqlite_database, game_id, "end")
    blue = hand(load(sqlite_database, game_id), "blue")
    say(sqlite_database, game_id, f"drop {', '.join(blue)}\nrob red")  # blue's hand is empty until its turn ends
    say(sqlite_database, game_id, f"yield {hand(load(sqlite_database, game_id), 'red')[0]}")
    game = load(sqlite_database, game_id)
    assert game.decides == "blue" and game.number == 6


@pytest.mark.parametrize("same", [True, False])
def test_of_two_posts_at_once_exactly_one_wins(database: Database, same: bool) -> None:
    game_id = start(database)
    game = load(database, game_id)
    cards = hand(game, "red")
    link = link_to(game)
    orders = [f"keep {cards[0 if same else i % 2]}\npeek" for i in range(4)]
    posts = [lambda each=each: turns.play_turn(database, link, each, now=NOW) for each in orders]
    results = at_once(*posts, but=turns.AlreadyDecided)
    assert count(database, LogEntry) == 3 and count(database, DecisionMade) == 1
    won = [result for result in results if isinstance(result, turns.TurnPlayed)]
    assert len(results) == 4 and len(won) == (4 if same else 2)
    assert len({each.played for each in won}) == 1


def test_a_link_serves_its_own_seat_and_decision_only(sqlite_database: Database) -> None:
    game_id = start(sqlite_database)
    link = link_to(load(sqlite_database, game_id))
    blue = load(sqlite_database, game_id).seated("blue")
    for other in (replace(link, seat="blue", player=blue.player_id), replace(link, player=blue.player_id)):
        with pytest.raises(turns.LinkEnded):
            turns.look(sqlite_database, other)
        with pytest.raises(turns.LinkEnded):
            turns.play_turn(sqlite_database, other, "peek", now=NOW)


def test_verify_finds_a_state_that_is_not_the_logs_and_rebuild_mends_it(sqlite_database: Database) -> None:
    game_id = start(sqlite_database)
    say(sqlite_database, game_id, "peek")
    with sqlite_database.write() as session:
        session.execute(sa.update(GameState).values(state=GameState.state))
        text = session.scalar(sa.select(GameState.state))
        session.execute(sa.update(GameState).values(state=text.replace('"peeked":true', '"peeked":false')))
        session.commit()
    with pytest.raises(LogBroken, match="rebuild"):
        starting.verify(sqlite_database, game_id)
    assert starting.rebuild(sqlite_database, game_id)
    assert starting.verify(sqlite_database, game_id) == []


def test_a_correction_of_the_rules_leaves_a_running_game_alone(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = start(sqlite_database)
    say(sqlite_database, game_id, "peek")
    title = load(sqlite_database, game_id).title

    def stricter(*args: Any) -> Any:
        raise AssertionError("peeking is no longer allowed")

    monkeypatch.setattr(type(title), "play", stricter)
    assert starting.verify(sqlite_database, game_id) == [2]
    assert not starting.rebuild(sqlite_database, game_id)


def test_sides_know_of_events_only_what_they_saw(sqlite_database: Database) -> None:
    from app.base.words.speech import Voice

    game_id = start(sqlite_database)
    top = load(sqlite_database, game_id).state.pile[0]
    say(sqlite_database, game_id, "peek")
    with sqlite_database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        told = {
            seat: turns.what_happened(store, game, seat, Voice("en", "UTC", game.title), 0)
            for seat in ("red", "blue", None)
        }
    assert top in told["red"][0] and top not in told["blue"][0] and top not in told[None][0]


def test_an_end_after_a_turn_that_ended_by_itself_is_no_mistake(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, "acres")
    played = say(sqlite_database, game_id, "pass\nend")
    assert played.refused is None and played.played == ("pass", "end") and played.game.decides == "french"


@pytest.mark.parametrize("title", ["acres", "new-world", "ferry"])
def test_what_came_of_an_action_tells_whether_it_can_be_taken_back(title: str) -> None:
    """Lines that are played are judged by what happened, those of a page by `Title.reveals`"""
    chooser = random.Random(11)
    told: Counter[bool] = Counter()
    for n in range(6):
        play = Play(TITLES[title], None, 0, SeededChance(bytes([n]) * 32))
        play.open(play.title.read_options({}), play.title.seats[:2])
        while len(play.steps) < 90 and (due := play.title.decision(play.state)) is not None:
            before = play.state
            some = chooser.sample(every := possible(play.title, before), min(len(every), 300))
            action = next((one for one in some if not play.title.reveals(before, one)), some[0])
            play.act(due.seat, action, "seat")
            told[shown_by_last(play)] += 1
            assert shown_by_last(play) == play.title.reveals(before, action), (before, action)
    assert told[True] and told[False], told
