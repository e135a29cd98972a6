"""Numbered seeds as the server stores them: no gaps, bound early, committed to before they are given."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.games import seeds
from app.games.seed_tables import SeedBlock, SeedTree
from app.games.tables import Game
from app.games.work import Work
from app.lobby import open_games
from app.play.fairness import seed_list
from app.play.past.records import proof_of_called_off
from app.play.turn import starting
from app.time import paces
from engine.kernel.seeds import root_by
from tests.support.tables import NOW, load, say, start


def blocks(database: Database) -> list[tuple[int, int]]:
    with database.read() as session:
        return [tuple(row) for row in session.execute(sa.select(SeedBlock.first, SeedBlock.last).order_by("first"))]


@pytest.fixture(autouse=True)
def _trees_of_2048() -> None:
    seeds.make_trees_of(2048)


def table(database: Database, host: int) -> int:
    chairs = [open_games.Chair("red", "me"), open_games.Chair("blue", "open")]
    pace = paces.read_days("7")
    return open_games.create(
        database,
        host,
        open_games.TableDraft(title_id="ferry", chairs=chairs, options={}, pace=pace, drawn=False),
        now=NOW,
    )


def test_a_server_is_set_up_once_and_its_next_tree_comes_before_the_first_runs_out(database: Database) -> None:
    assert seeds.set_up(database, NOW) and not seeds.set_up(database, NOW)
    with database.write() as session:
        (first,) = seeds.roots(session)
        assert (first.first, first.last) == (1, 2048)
        seeds.jump(session, 2048 - 255, NOW)
        session.commit()
    assert seeds.set_up(database, NOW) and not seeds.set_up(database, NOW)
    with database.write() as session:
        assert [one.first for one in seeds.roots(session)] == [1, 2049], (
            "mails show both before one of the second is given"
        )
        seeds.jump(session, 300, NOW)
        assert [one.first for one in seeds.roots(session)] == [2049]
        assert len(seeds.all_roots(session)) == 2


def test_every_seed_leads_to_the_root_that_was_mailed_before(database: Database) -> None:
    games = [start(database, seats=2) for _ in range(3)]
    with database.read() as session:
        (root,) = seeds.roots(session)
        for number, game_id in enumerate(games, 1):
            game = load(database, game_id)
            assert game.seed_number == number and game.seed
            assert seeds.place_of(session, number, is_open=False).path == ()
            place = seeds.place_of(session, number, is_open=True)
            assert root_by(bytes.fromhex(game.seed), number, place.first, place.count, place.path) == root.root


def test_numbers_have_no_gaps_and_a_table_called_off_keeps_its_line(database: Database) -> None:
    start(database, seats=2)
    host = load(database, 1).seats[0].player_id or 0
    game_id = table(database, host)
    with pytest.raises(KeyboardInterrupt), Work(database) as work:  # a transaction that is given up
        game = Game(title="ferry", options={}, pace={}, created_at=NOW)
        seeds.bind(work.session, work.store.make(game, [("red", None)]), NOW)
        raise KeyboardInterrupt
    with Work(database) as work:
        open_games.cancel(work, host, game_id, NOW)
    start(database, seats=2)
    assert blocks(database) == [(1, 1), (2, 2), (3, 3)]
    with database.read() as session:
        shown = proof_of_called_off(session, game_id)
        assert shown.seed and shown.place and shown.place.path and shown.place.number == 2
        listed = [(line.first, line.game_id, line.status) for line in seed_list.lines(session)]
        older = [line.first for line in seed_list.lines(session, 2)]
    assert [number for number, _, _ in listed] == [3, 2, 1] and listed[1] == (2, game_id, "cancelled")
    assert older == [2, 1]


def test_games_of_an_event_take_the_numbers_that_were_bound_to_it(database: Database) -> None:
    """Opening a table in between does not affect them; the next block comes when half of one is used."""
    with database.write() as session:
        seeds.reserve(session, 7, NOW)
        seeds.reserve(session, 7, NOW)
        session.commit()
    start(database, seats=2)
    assert blocks(database) == [(1, 256), (257, 257)]
    with Work(database) as work:
        numbers = [one.number for many in (1, 129, 1) for one in seeds.take_of_event(work.session, 7, many, NOW)]
        game = Game(title="ferry", options={}, pace={}, created_at=NOW, seed_number=numbers[0])
        work.store.make(game, [("red", None), ("blue", None)])
        work.commit()
    assert numbers == [*range(1, 132)]
    assert blocks(database) == [(1, 256), (257, 257), (258, 513)]
    with database.read() as session:
        newest, *_ = seed_list.lines(session)
        oldest = seed_list.lines(session, 1)[0]
    assert (newest.first, newest.last, newest.event_id, newest.game_id) == (258, 513, 7, None)
    assert oldest.game_id


def test_a_restored_server_jumps_in_public(database: Database) -> None:
    with database.write() as session:
        seeds.reserve(session, 7, NOW)
        jumped = seeds.jump(session, 1000, NOW)
        assert (jumped.first, jumped.last) == (257, 1256)
        session.commit()
    game_id = start(database, seats=2)
    assert load(database, game_id).seed_number == 1257
    with Work(database) as work:
        (taken,) = seeds.take_of_event(work.session, 7, 1, NOW)
        assert taken.number == 1258, "of a new block: the old one may have been used elsewhere"
        lines = seed_list.lines(work.session)
    assert [(line.first, line.last) for line in lines if line.is_left_out] == [(257, 1256), (1, 256)]


@pytest.mark.parametrize("salt", ["", "Québec"])
def test_a_game_of_the_first_algorithm_goes_on_as_it_began(database: Database, salt: str) -> None:
    """A table made before seeds had numbers starts, is played and is proven with its own seed and salts."""
    host_game = start(database, seats=2)
    people = [seated.player_id or 0 for seated in load(database, host_game).seats]
    game_id = table(database, people[0])
    with database.write() as session:
        here = sa.update(Game).where(Game.id == game_id)
        session.execute(here.values(seed="5a" * 32, seed_number=None))
        session.execute(
            sa.text("UPDATE game_seat SET salt = :salt WHERE game_id = :id AND place = 0"),
            {"salt": salt or None, "id": game_id},
        )
        session.commit()
    assert open_games.join(database, game_id, 1, people[1], now=NOW)
    while not load(database, game_id).is_over:
        state = load(database, game_id).state
        hand = state.sides[state.on_turn].hand
        say(database, game_id, f"drop {hand[0]}\ndrop {hand[1]}\nend")
    starting.verify(database, game_id)
    with database.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(SeedTree)) == 1


def test_a_round_may_need_more_numbers_than_a_block_or_a_tree_has(database: Database) -> None:
    with database.write() as session:
        taken = seeds.take_of_event(session, 7, 2100, NOW)
        session.commit()
        assert [one.number for one in taken] == [*range(1, 2101)] and len({one.seed for one in taken}) == 2100
        assert [one.first for one in seeds.all_roots(session)] == [1, 2049]
        assert taken[2099].seed == seeds.seed_of(session, 2100, NOW)


def test_numbers_that_are_taken_before_there_is_a_tree_are_in_the_first_one(database: Database) -> None:
    with database.write() as session:
        seeds.reserve(session, 7, NOW)
        session.commit()
    assert seeds.set_up(database, NOW)
    with database.write() as session:
        (taken,) = seeds.take_of_event(session, 7, 1, NOW)
        assert [one.first for one in seeds.all_roots(session)] == [1]
        assert taken == (1, seeds.seed_of(session, 1, NOW))


def test_numbers_that_an_earlier_version_left_without_a_tree_get_one_of_their_own(database: Database) -> None:
    with database.write() as session:
        seeds.reserve(session, 7, NOW)
        session.add(seeds._grown(257, NOW))
        session.flush()
        (taken,) = seeds.take_of_event(session, 7, 1, NOW)
        assert [(one.first, one.last) for one in seeds.all_roots(session)] == [(1, 256), (257, 2304)]
        place = seeds.place_of(session, taken.number, is_open=True)
        assert root_by(bytes.fromhex(taken.seed), 1, place.first, place.count, place.path) == place.root


def test_commands_that_start_at_once_on_a_new_database_make_one_tree_of_seeds(database: Database) -> None:
    """All have seen that there is none before the first has written it."""
    together = threading.Barrier(3, timeout=60)

    def grown(first: int, now: datetime, most: int | None = None) -> SeedTree:
        together.wait()
        return SeedTree(first=first, count=4, secret="00" * 32, tops="", root="", made_at=now)

    with pytest.MonkeyPatch.context() as patched, ThreadPoolExecutor(3) as pool:
        patched.setattr(seeds, "_grown", grown)
        made = list(pool.map(lambda _: seeds.set_up(database, NOW), range(3)))
    assert sorted(made) == [False, False, True]
