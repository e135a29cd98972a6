"""The archive and profiles: what is listed, what it costs, how results and times are counted."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.account import archive, my_data, profiles
from app.account.archive import ArchiveFilter, Key
from app.base.stored.database import Database
from app.games.tables import DecisionMade, Game
from app.games.work import Work
from app.people import accounts
from app.people.tables import Player
from app.play.agreed import results
from app.play.lists.ends import winners_of
from app.play.past.records import import_record
from app.time.tables import ClockNote
from tests.support.archive import add_over, person
from tests.support.tables import NOW, load, start, write

RECORDS = Path(__file__).resolve().parents[1] / "records"


def page(database: Database, after: Key | None = None, **wanted: Any) -> archive.Page:
    with database.read() as session:
        return archive.page(session, ArchiveFilter(**wanted), after)


def ids(database: Database, **wanted: Any) -> list[int]:
    return [game.row.id for game in page(database, **wanted).games]


# -- pages --------------------------------------------------------------------------------------------


def test_pages_follow_each_other_without_gap_or_overlap(database: Database) -> None:
    """Also where several games ended at the same moment."""
    add_over(database, 60)
    add_over(database, 70, ended_at=NOW - timedelta(hours=30))
    seen: list[int] = []
    after: Key | None = None
    sizes = []
    while True:
        one = page(database, after)
        seen += [game.row.id for game in one.games]
        sizes.append(len(one.games))
        after = one.following
        if after is None:
            break
    assert sizes == [50, 50, 30] and len(set(seen)) == 130
    with database.read() as session:
        order = session.scalars(sa.select(Game.id).order_by(Game.ended_at.desc(), Game.id.desc())).all()  # type: ignore[union-attr, attr-defined]
    assert seen == list(order)


def test_only_what_is_over_is_listed(database: Database) -> None:
    game_id = start(database)
    assert ids(database) == []
    results.resign(database, game_id, load(database, game_id).seats[0].player_id or 0, now=NOW)
    assert ids(database) == [game_id]
    write(database, sa.update(Game).values(status="cancelled"))
    assert ids(database) == []


def test_filters_by_title_and_year(database: Database) -> None:
    made: dict[str, int] = {}
    for year, name in (
        (2024, "acres/second-boston-besieged"), (2025, "acres/first-resignation"), (2025, "acres/second-agreed"),
        (2026, "new_world/nw-four-shared-win"), (2026, "new_world/nw-two-on-time"),
    ):  # fmt: skip
        data = (RECORDS / f"{name}.json").read_bytes()
        made[name] = import_record(database, data, now=datetime(year, 6, 1, tzinfo=UTC))
    besieged, resigned, agreed, shared, late = made.values()
    assert ids(database) == [late, shared, agreed, resigned, besieged]
    assert ids(database, title="acres") == [agreed, resigned, besieged]
    assert ids(database, year=2025) == [agreed, resigned] and ids(database, year=2023) == []


def test_the_first_and_last_moment_of_a_year_are_in_it(database: Database) -> None:
    add_over(database, 1, ended_at=datetime(2025, 1, 1, tzinfo=UTC))
    add_over(database, 1, ended_at=datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC))
    assert [len(ids(database, year=year)) for year in (2024, 2025, 2026)] == [0, 2, 0]


def test_a_game_is_listed_while_all_its_players_let_themselves_be_seen(database: Database) -> None:
    alice, bob, carol = person(database, "Alice"), person(database, "Bob"), person(database, "Carol")
    both, hers = add_over(database, 1, players=(alice, bob)), add_over(database, 1, players=(alice, carol))
    assert set(ids(database, player_id=alice)) == {both, hers} and ids(database, player_id=bob) == [both]
    accounts.keep(database, bob, profile_is_public=False)
    assert ids(database) == [hers] and ids(database, player_id=bob) == []
    with database.read() as session:
        assert archive.people(session, "bob") == [] and archive.player(session, bob) is None
    my_data.erase(database, bob, now=NOW)
    assert set(ids(database)) == {both, hers}
    game = next(game for game in page(database).games if game.row.id == both)
    assert game.seats[1].name == "" and game.seats[1].player_id == bob


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (ArchiveFilter(), "ix_game_over"), (ArchiveFilter(title="acres"), "ix_game_over_title"),
        (ArchiveFilter(year=2026), "ix_game_over"), (ArchiveFilter(player_id=1), "ix_game_seat_player_id"),
    ],
)  # fmt: skip
def test_pages_follow_an_index(sqlite_database: Database, wanted: ArchiveFilter, index: str) -> None:
    said: list[tuple[str, Any]] = []

    def note(session: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        said.append((statement, parameters))

    sa.event.listen(sqlite_database.engine, "before_cursor_execute", note)
    with sqlite_database.read() as session:
        archive.page(session, wanted, Key(NOW, 7))
        statement, parameters = next(one for one in said if "game.result" in one[0])
        plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
    steps = [row[3] for row in plan]
    assert any(index in step for step in steps), steps
    assert not any(step.startswith("SCAN") for step in steps), steps
    assert ("USE TEMP B-TREE FOR ORDER BY" in steps) == (wanted.player_id is not None), steps


def test_looking_for_a_name_follows_its_index(sqlite_database: Database) -> None:
    said: list[tuple[str, Any]] = []
    sa.event.listen(sqlite_database.engine, "before_cursor_execute", lambda c, cu, s, p, *_: said.append((s, p)))
    with sqlite_database.read() as session:
        archive.people(session, "Al")
        statement, parameters = next(one for one in said if "name_key" in one[0])
        plan = [row[3] for row in session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    assert any("ix_player_name_key" in step for step in plan) and "USE TEMP B-TREE FOR ORDER BY" not in plan


# -- names --------------------------------------------------------------------------------------------


def test_names_are_found_by_their_beginning_whatever_case_and_accents(database: Database) -> None:
    for name in ("Élodie Martin", "eloise", "Bob", "100% Bob", "100_Bob", "ELO"):
        add_over(database, 1, players=(person(database, name),))
    person(database, "Elo who was invited and never came")

    def found(name: str) -> list[str]:
        with database.read() as session:
            return [one.name for one in archive.people(session, name)]

    assert found("elo") == ["ELO", "Élodie Martin", "eloise"] == found("  ÉLO ")
    assert found("élodie  m") == ["Élodie Martin"] and found("martin") == []
    assert found("100%") == ["100% Bob"] and found("100_") == ["100_Bob"] and found("%") == []
    assert found("") == [] and found("zzz") == []


def test_the_name_that_is_looked_for_follows_the_name(database: Database) -> None:
    alice = person(database, "Alice")
    with Work(database) as work:
        accounts.settle(work.session.get_one(Player, alice), name="Zoë")
        work.commit()
    add_over(database, 1, players=(alice,))
    with database.read() as session:
        assert [one.id for one in archive.people(session, "zoe")] == [alice] and not archive.people(session, "al")


# -- profiles -----------------------------------------------------------------------------------------


def find(database: Database, player_id: int) -> profiles.Profile:
    with database.read() as session:
        found = profiles.find(session, player_id)
    assert found is not None
    return found


def test_results_are_counted_by_title_and_side(database: Database) -> None:
    alice, bob = person(database, "Alice"), person(database, "Bob")
    add_over(database, 2, players=(alice, bob))
    add_over(database, 1, players=(alice, bob), result={"winners": ["red", "blue"]})
    add_over(database, 1, players=(alice, bob), result={"winners": []})
    add_over(database, 1, players=(bob, alice), result={"winners": ["red"]})
    add_over(database, 1, players=(alice, bob), status="cancelled")
    add_over(database, 1, players=(alice, bob), status="running", decides="red", result=None, ended_at=None)
    found = find(database, alice)
    rows = {(one.title.id, one.seat): (one.won, one.shared, one.lost, one.nobody) for one in found.results}
    assert rows == {("ferry", "red"): (2, 1, 0, 1), ("ferry", "blue"): (0, 0, 1, 0)} and found.running == 1
    assert {one.seat: one.won for one in find(database, bob).results} == {"red": 1, "blue": 0}


def test_the_winner_of_acres_is_read_too() -> None:
    assert winners_of({"winner": "french", "reason": "points"}) == ("french",) and winners_of({"winner": None}) == ()


def add_answers(database: Database, game_id: int, seat: str, *rows: dict[str, Any]) -> None:
    with database.write() as session:
        for number, row in enumerate(rows, 100):
            values = {
                "game_id": game_id, "number": number, "seat": seat, "kind": "turn", "turn": 1, "asked_at": NOW,
                "made_at": NOW, "orders": "end", "last_entry": 1, "next_number": number + 1, "played": 1,
            } | row  # fmt: skip
            session.execute(sa.insert(DecisionMade).values(**values))
        session.commit()


def test_answer_times_are_quartiles_of_the_player_s_own_answers(database: Database) -> None:
    alice, bob = person(database, "Alice"), person(database, "Bob")
    game_id = add_over(database, 1, players=(alice, bob))
    assert find(database, alice).times == []
    hour = timedelta(hours=1)
    add_answers(
        database, game_id, "red",
        {"used_seconds": 100}, {"used_seconds": 0},
        {"used_seconds": None, "mailed_at": NOW, "made_at": NOW + hour},  # no clock: from the mail on
        {"used_seconds": None, "asked_at": NOW - hour, "made_at": NOW + hour},  # nor a mail
        {"used_seconds": 5000}, {"orders": None, "used_seconds": 10**6},  # the server answered
    )  # fmt: skip
    add_answers(database, add_over(database, 1, players=(bob, alice)), "red", {"used_seconds": 10**6})
    assert (find(database, alice).times, find(database, alice).answers) == ([100, 3600, 5000], 5)


def test_quartiles_divide_the_answers() -> None:
    assert profiles.quartiles([1, 2, 3, 4, 5]) == [2, 3, 4] and profiles.quartiles([0, 100]) == [25, 50, 75]
    assert profiles.quartiles([7]) == [7, 7, 7] and profiles.quartiles([]) == []


def test_time_outs_by_lost_mail_or_outage_do_not_count(database: Database) -> None:
    alice, bob = person(database, "Alice"), person(database, "Bob")
    game_id = add_over(database, 1, players=(alice, bob))
    with database.write() as session:
        for number, (player, kind, cause) in enumerate(
            [(alice, "timeout", "player"), (alice, "timeout", "pace"), (alice, "timeout", "mail"),
             (alice, "timeout", "outage"), (alice, "warned", "player"), (bob, "timeout", "player")]
        ):  # fmt: skip
            row = {"game_id": game_id, "entry": 1, "number": number, "player_id": player, "kind": kind, "cause": cause}
            session.execute(sa.insert(ClockNote).values(**row, details={}, at=NOW))
        session.commit()
    assert find(database, alice).timeouts == 2 and find(database, bob).timeouts == 1


def test_nobody_has_no_profile(database: Database) -> None:
    alice = person(database, "Alice")
    my_data.erase(database, alice, now=NOW)
    with database.read() as session:
        assert profiles.find(session, alice) is None and profiles.find(session, 999) is None


def test_a_profile_holds_no_address(database: Database) -> None:
    alice = person(database, "Alice")
    assert "@" not in json.dumps(repr(find(database, alice)))
