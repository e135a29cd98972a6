"""Events while their games are played: on PostgreSQL with two connections that want the same rows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

import pytest
import sqlalchemy as sa

from app.base.stored.database import Database
from app.leagues.changes import leaving
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import round_rows
from app.leagues.rulings import deciding
from app.leagues.rulings.applying import Verdict
from app.play.agreed import results
from bench.trials import crosswise
from tests.support import pressed
from tests.support.events import resign_all
from tests.support.season import DAY, Season, season, token
from tests.support.tables import NOW, load

LATER = NOW + DAY
_WAITING = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    """Both want their own rows there: SQLite has one writer, so nothing can come in between."""
    opened = Database(postgres_url)
    yield opened
    opened.close()


@contextmanager
def in_line(database: Database, game_id: int) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Lock a game until the end of the block, when both given functions wait: the first one given is first in line.

    An exception of one of them is raised then.
    """
    engine, failed = sa.create_engine(database.url), list[Exception]()
    threads: list[threading.Thread] = []

    def waiting() -> int:
        with engine.connect() as asking:
            return int(asking.scalar(_WAITING) or 0)

    def begin(do: Callable[[], object]) -> None:
        def run() -> None:
            try:
                do()
            except Exception as error:
                failed.append(error)

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        end = time.monotonic() + 60
        while waiting() < len(threads):
            assert time.monotonic() < end and not failed, failed
            time.sleep(0.01)

    with engine.connect() as held:
        held.execute(sa.text("SELECT id FROM game WHERE id = :game FOR UPDATE"), {"game": game_id})
        yield begin
        held.rollback()
    for thread in threads:
        thread.join(60)
    engine.dispose()
    if failed:
        raise failed[0]


def swapped(made: Season, number: int) -> tuple[int, Verdict]:
    """Request a ruling that reverses the result of a match."""
    match = made.match(number)
    ruling_id = deciding.claim(made.database, made.event, match.id, match.seats[1].player_id, "No.", now=LATER)
    return ruling_id, Verdict("result", points=tuple(seat.points or Fraction(0) for seat in reversed(match.seats)))


def test_two_rulings_about_both_halves_of_a_bracket_are_followed_one_after_the_other(database: Database) -> None:
    """Each alone would see the other half as it was, and make a final that nobody has qualified for."""
    made = season(database, 4, format="knockout")
    resign_all(database, made.round())
    losers = {seat.player_id for match in made.round().matches for seat in match.seats if not seat.points}
    pressed.close(database, made.round().id, made.organiser, now=NOW)
    round_id = pressed.pair(database, made.first.id, made.organiser, now=NOW)
    pressed.publish(database, round_id, made.organiser, 1, now=NOW)
    (final,) = made.read(lambda c: round_rows.get(c, round_id)).matches
    asked = [swapped(made, number) for number in (0, 1)]

    def decide(ruling_id: int, verdict: Verdict) -> None:
        asked = ActRequest(made.organiser, "so the rules say", token())
        assert pressed.decide(database, made.event, ruling_id, verdict, asked, now=LATER)

    with in_line(database, final.game_id or 0) as begin:
        for ruling_id, verdict in asked:
            begin(lambda ruling_id=ruling_id, verdict=verdict: decide(ruling_id, verdict))
    there = made.read(lambda c: round_rows.get(c, round_id)).open_matches
    assert [{seat.player_id for seat in match.seats} for match in there] == [losers]
    assert load(database, there[0].game_id).status == "running"


def test_whoever_leaves_as_the_game_ends_leaves_its_result(database: Database) -> None:
    made = season(database, 4)
    game, match = made.game(0), made.match(0)
    ends, leaves = (seated.player_id for seated in game.seats)
    with in_line(database, game.id) as begin:
        begin(lambda: results.resign(database, game.id, ends, now=LATER))
        begin(lambda: leaving.withdraw(database, made.event, leaves, leaves, reason="", now=LATER))
    after = made.match(0)
    assert (after.ended, after.source) == ("played", "game")
    assert [seat.points for seat in after.seats if seat.player_id == leaves] == [1]
    assert match.game_id == game.id and load(database, game.id).status == "over"


def test_what_is_done_at_once_is_done_or_refused_with_a_sentence(database: Database) -> None:
    """At length: `python -m bench.trials.crosswise`."""
    found = crosswise.try_all(database, 2, seed=1)
    assert found.complaints == []
    assert found.done.total() + found.refused.total() == 2 * crosswise.AT_ONCE
