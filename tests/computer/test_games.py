"""Games with the computer: it is asked in the transaction that asks, thinks once, and plays as a person does."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

from app.account import profiles
from app.base.links import TurnLink
from app.base.process.config import load as load_config
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted, TooOften
from app.computer import looking_back, processes, starting, thinking
from app.computer.choosing import RESIGNS
from app.computer.queue import LASTS
from app.computer.tables import ComputerDecision, LookBack, WorkState
from app.computer.thinking import Thinker
from app.games.store import GameNow
from app.games.tables import DecisionMade, Game, GameStatus
from app.lobby import front
from app.overdue import left
from app.overdue.cases import sweep_cases
from app.people import accounts
from app.play.agreed import results
from app.play.lists import my_games
from app.play.lists.reliability import reliability_of
from app.play.tables import ChatMessage, ProposalKind
from app.play.turn import starting as games
from app.play.turn import turns
from app.server.registry import open_server
from app.time.tables import Case, Leave
from engine.kernel.search import levels_of, see, think
from tests.support.running import Install
from tests.support.tables import CONFIG, KEYS, NOW, address, deliver, load, start, write

SECOND = timedelta(seconds=1)


def player(database: Database, who: str = "alice") -> int:
    with database.write() as session:
        found = accounts.find_or_add(session, address(who), now=NOW, name=who.title())
        session.commit()
        return found.id


def begin(database: Database, title: str = "ferry", level: str = "beginner", **wish: Any) -> TurnLink:
    if "place" not in wish:
        wish.setdefault("player_id", player(database))
    return starting.start(database, starting.Wish(title_id=title, level=level, **wish), now=NOW)


def thinker(database: Database, name: str = "one") -> Thinker:
    return Thinker(database, CONFIG, name)


def decisions(database: Database) -> list[ComputerDecision]:
    with database.read() as session:
        return list(session.exec(select(ComputerDecision).order_by(col(ComputerDecision.id))))


def answer(database: Database, link: TurnLink, now: datetime) -> GameNow:
    """The person plays as a beginner does."""
    game = load(database, link.game)
    level = levels_of(game.title)[0]
    action = think(game.title, see(level.mind, game.state, link.seat), level, b"person").action
    line = game.title.write(game.state, action)
    return turns.play_turn(database, replace(link, number=game.number), line, now=now).game


def played_out(database: Database, link: TurnLink) -> tuple[GameNow, datetime]:
    """Return the game at its end: whoever owes a decision answers it."""
    works, now = thinker(database), NOW
    for _ in range(2000):
        game = load(database, link.game)
        if game.is_over:
            return game, now
        now += SECOND
        if game.decides == link.seat:
            answer(database, link, now)
        else:
            works.work_off(now)
    raise AssertionError("it never ends")


# -- whole games --------------------------------------------------------------------------------------


def test_a_whole_game_on_either_database(database: Database) -> None:
    link = begin(database, seat="blue")
    game, _ = played_out(database, link)
    games.verify(database, game.id)
    rows = decisions(database)
    assert rows and all(row.state == WorkState.DONE and row.seat == "red" for row in rows)
    assert len({row.number for row in rows}) == len(rows)
    with database.read() as session:
        made = select(DecisionMade.number).where(col(DecisionMade.seat) == "red", col(DecisionMade.orders).is_not(None))
        assert set(session.exec(made)) <= {row.number for row in rows}


@pytest.mark.parametrize(
    ("title", "wish"), [("acres", {"options": {"edition": "first"}, "seat": "french"}), ("new-world", {"seats": 3})]
)
def test_a_whole_game_of_each_title(sqlite_database: Database, title: str, wish: dict[str, Any]) -> None:
    game, _ = played_out(sqlite_database, begin(sqlite_database, title, **wish))
    games.verify(sqlite_database, game.id)
    assert game.status == GameStatus.OVER


@pytest.mark.parametrize("level", ["club", "strong"])
def test_other_levels_play_too(sqlite_database: Database, level: str) -> None:
    """Some moves of a search; levels of a title from elsewhere may have other names."""
    title = "new-world" if level == "club" else "ferry"
    link = begin(sqlite_database, title, level)
    while answer(sqlite_database, link, NOW).decides == link.seat:
        pass
    assert thinker(sqlite_database).work_off(NOW) >= 2
    assert load(sqlite_database, link.game).decides == link.seat


def test_each_computer_has_its_level(sqlite_database: Database) -> None:
    link = begin(sqlite_database, "new-world", "club", seats=4, seat="blue", others=("", "beginner"))
    held = {one.seat: one.computer for one in load(sqlite_database, link.game).seats}
    assert held == {"red": "club", "blue": "", "green": "club 2", "yellow": "beginner 3"}
    thinker(sqlite_database).work_off(NOW)
    assert load(sqlite_database, link.game).decides == "blue"


def test_the_same_game_is_played_again(database: Database) -> None:
    """The same thought, whoever has it: chance comes from a seed of the decision."""
    link = begin(database, seat="blue")
    works = thinker(database)
    works.work(lambda: NOW)
    first = decisions(database)[0].line
    write(database, sa.update(ComputerDecision).values(line=None, due_at=NOW))
    thinker(database, "other").work(lambda: NOW)
    assert first and decisions(database)[0].line == first
    assert link.number == load(database, link.game).number


# -- leases -------------------------------------------------------------------------------------------


def test_a_killed_process_leaves_nothing_undone_and_nothing_is_played_twice(database: Database) -> None:
    link = begin(database, seat="blue")
    killed = thinker(database, "killed")
    row = thinking.DECISIONS.take(database, "killed", NOW, 1)[0]
    other, later = thinker(database, "other"), NOW + LASTS + SECOND
    assert not other.work(lambda: NOW + SECOND)  # it is leased
    while other.work_off(later):
        later += SECOND
    before = load(database, link.game)
    assert before.decides == link.seat
    # The killed one was only slow, and comes with its move now.
    row.line = decisions(database)[0].line
    killed._play(row, lambda: later)
    killed._think(row, lambda: later)
    assert load(database, link.game).entries == before.entries
    assert [one.state for one in decisions(database)] == [WorkState.DONE] * len(decisions(database))


def test_a_process_thinks_only_while_there_is_something_to_think_about(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in Install(tmp_path, DATABASE_URL=sqlite_url, SECRET_KEY=KEYS[0]).environ.items():
        monkeypatch.setenv(name, value)
    server = open_server(load_config(os.environ, tmp_path))
    keeps, stop = processes.Thinkers(server), threading.Event()
    keeps._look_after()
    assert not keeps._children
    link = begin(server.database, "acres", seat="french")
    keeps._look_after()
    [child] = keeps._children.values()
    keeps._look_after()  # one is enough, and its lease is its own
    elsewhere = processes.Thinkers(server)  # another machine of the same server
    elsewhere._look_after()
    assert not elsewhere._children and not elsewhere._holds(0, datetime.now(UTC))
    while load(server.database, link.game).decides != link.seat:
        assert child.poll() is None
        time.sleep(0.05)
    keeps._end()
    assert child.returncode is not None
    assert elsewhere._holds(0, datetime.now(UTC)) and not keeps._holds(0, datetime.now(UTC))
    assert keeps._holds(0, datetime.now(UTC) + processes.HELD), "its process has been silent for so long"
    processes.think(server, stop, 0.0)
    assert stop.is_set()
    server.database.close()


def test_it_does_not_play_what_is_no_longer_asked(database: Database) -> None:
    link = begin(database, seat="blue")
    works = thinker(database)
    works.work(lambda: NOW)
    results.resign(database, link.game, link.player, now=NOW)
    entries = load(database, link.game).entries
    works.work_off(NOW + LASTS)
    assert load(database, link.game).entries == entries


def test_it_answers_after_a_while_that_tells_nothing(sqlite_database: Database) -> None:
    link = begin(sqlite_database, seat="blue")
    works = thinker(sqlite_database)
    assert works.work(lambda: NOW)
    assert not works.work(lambda: NOW + SECOND)
    assert works.work(lambda: NOW + 2 * SECOND)
    assert load(sqlite_database, link.game).number > link.number


def test_a_day_has_its_budget(sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(sqlite_database, "acres", "strong", seat="french")
    works = Thinker(sqlite_database, replace(CONFIG, thinking_hours=0), "one")
    works.work(lambda: NOW)
    assert decisions(sqlite_database)[0].cpu_seconds < 0.2


# -- people -------------------------------------------------------------------------------------------


def test_it_is_never_mailed_and_counts_for_nothing(sqlite_database: Database) -> None:
    database = sqlite_database
    link = begin(database, "ferry", seats=3)
    game, now = played_out(database, link)
    deliver(database, now + timedelta(days=30))
    with database.read() as session:
        assert set(session.scalars(sa.select(col(OutboxMail.player_id)))) <= {link.player}
        assert reliability_of(session, link.player or 0).games == 0
        assert front.being_played(session, 9) == [] and my_games.to_watch(session, 9, 1) == []
        shown = profiles.of(session, link.player or 0) if hasattr(profiles, "of") else None
    assert shown is None or not shown.results
    assert not game.is_rated


def test_a_turn_is_mailed_only_when_the_person_is_not_there(sqlite_database: Database) -> None:
    database = sqlite_database
    link = begin(database, seat="blue")
    thinker(database).work_off(NOW)
    assert load(database, link.game).decides == "blue"
    assert deliver(database, NOW + timedelta(minutes=1)) == 0
    answer(database, link, NOW + timedelta(minutes=2))
    thinker(database).work_off(NOW + timedelta(minutes=2))
    sent = deliver(database, NOW + timedelta(minutes=30))
    assert sent <= 1  # of two turns, the one that is still owed


def test_names_are_marked_in_every_language(sqlite_database: Database) -> None:
    from app.base.words.speech import Voice

    link = begin(sqlite_database, "ferry", "beginner", seats=3)
    game = load(sqlite_database, link.game)
    said = [[Voice(lang).who(one) for one in game.others(link.seat)] for lang in ("en", "fr")]
    assert said[0] == ["Computer (beginner)", "Computer (beginner) 2"]
    assert all("rdinateur" in one for one in said[1])
    with sqlite_database.read() as session:
        mine = my_games.current(session, link.player or 0, NOW)[0]
    assert [Voice().called(*one) for one in mine.opponents] == said[0]


# -- what is agreed -----------------------------------------------------------------------------------


def test_it_lets_a_move_be_taken_back_and_a_game_be_cancelled(sqlite_database: Database) -> None:
    database = sqlite_database
    link = begin(database)
    game = load(database, link.game)
    taken = _something_to_take_back(database, link)
    if taken is not None:
        results.propose_takeback(database, taken, now=NOW)
        assert load(database, link.game).decides == link.seat
    results.propose(database, game.id, link.player, ProposalKind.CANCEL, now=NOW)
    assert load(database, game.id).status == GameStatus.CANCELLED


def _something_to_take_back(database: Database, link: TurnLink) -> TurnLink | None:
    game = load(database, link.game)
    for line in [
        str(game.title.write(game.state, one)) for one in game.title.legal(game.state) if not hasattr(one, "smallest")
    ]:
        if line == "resign":
            continue
        turns.play_turn(database, link, line, now=NOW)
        with database.read() as session:
            offer = results.may_take_back(session, load(database, link.game), link.seat)
        return link if offer is not None and offer.why_not is None else None
    return None


def test_it_agrees_to_a_result_that_is_no_worse_than_what_it_expects(sqlite_database: Database) -> None:
    database = sqlite_database
    link = begin(database)
    game = load(database, link.game)
    other = game.others(link.seat)[0].seat
    results.propose(database, game.id, link.player, ProposalKind.AGREED, [link.seat], now=NOW)
    assert not load(database, game.id).is_over
    results.propose(database, game.id, link.player, ProposalKind.AGREED, [other], now=NOW)
    over = load(database, game.id)
    assert over.is_over
    with database.read() as session:
        said = session.exec(select(ChatMessage.text).where(col(ChatMessage.game_id) == game.id)).all()
    assert len(said) == 1


def test_it_resigns_what_is_lost(sqlite_database: Database) -> None:
    database = sqlite_database
    link = begin(database, seat="blue")
    works = thinker(database)
    works.work(lambda: NOW)
    write(database, sa.update(ComputerDecision).values(line=RESIGNS))
    works.work_off(NOW + 5 * SECOND)
    over = load(database, link.game)
    outcome = over.title.outcome(over.state)
    assert outcome is not None and outcome.winners == ("blue",)
    with database.read() as session:
        assert session.exec(select(ChatMessage.text)).one().startswith("I give up")


# -- without an account -------------------------------------------------------------------------------


def test_somebody_without_an_account_plays_by_the_link(sqlite_database: Database) -> None:
    database = sqlite_database
    link = begin(database, place="192.0.2.1", language="fr")
    assert link.player is None
    game, _ = played_out(database, link)
    assert game.seated(link.seat).is_guest and game.seated(link.seat).language == "fr"
    with database.read() as session:
        assert session.exec(select(OutboxMail)).all() == []


def test_a_link_without_a_player_opens_no_seat_of_the_computer(sqlite_database: Database) -> None:
    link = begin(sqlite_database, place="192.0.2.1")
    game = load(sqlite_database, link.game)
    other = game.others(link.seat)[0].seat
    assert turns.holds_seat(game, link)
    assert not turns.holds_seat(game, replace(link, seat=other))


def test_places_without_accounts_have_a_limit(sqlite_database: Database) -> None:
    with pytest.raises(TooOften):
        for _ in range(starting.GUESTS.most + 1):
            begin(sqlite_database, place="192.0.2.1")


def test_a_game_without_an_account_is_kept_for_thirty_days(sqlite_database: Database) -> None:
    database = sqlite_database
    guest, own = begin(database, place="192.0.2.1"), begin(database)
    assert left.end_those_left(database, NOW + timedelta(days=29)) == 0
    assert left.end_those_left(database, NOW + timedelta(days=31)) == 1
    assert [load(database, one.game).status for one in (guest, own)] == [GameStatus.CANCELLED, GameStatus.RUNNING]


def test_who_leaves_a_game_with_it_lying_there_loses_no_leave_and_is_never_late(sqlite_database: Database) -> None:
    database = sqlite_database
    link = begin(database)
    for day in range(0, 91, 3):
        deliver(database, NOW + timedelta(days=day))
        sweep_cases(database, NOW + timedelta(days=day))
    with database.read() as session:
        assert session.exec(select(Leave)).all() == [] and session.exec(select(Case)).all() == []
    assert left.end_those_left(database, NOW + timedelta(days=89)) == 0
    assert left.end_those_left(database, NOW + timedelta(days=91)) == 1
    assert load(database, link.game).status == GameStatus.CANCELLED


@pytest.mark.parametrize(
    "wish", [{"others": ("grand",)}, {"level": "grandmaster"}, {"seat": "green"}, {"title": "chess"}]
)
def test_a_wish_that_cannot_be_is_refused(sqlite_database: Database, wish: dict[str, str]) -> None:
    with pytest.raises(NotAccepted):
        begin(sqlite_database, **wish)


# -- looking back -------------------------------------------------------------------------------------


def test_a_game_with_it_is_looked_back_on_by_itself(database: Database) -> None:
    link = begin(database)
    game, now = played_out(database, link)
    thinker(database).work_off(now)
    with database.read() as session:
        kept = looking_back.kept(session, game.id)
    assert kept is not None and kept.state == WorkState.DONE and kept.found is not None
    assert len(kept.found["turning_points"]) == 3
    assert {one["seat"] for one in kept.found["course"]} == {"red", "blue"}


def test_a_game_between_people_is_looked_back_on_when_one_of_them_asks(sqlite_database: Database) -> None:
    database = sqlite_database
    game_id = start(database)
    alice, other = load(database, game_id).seats[0].player_id, player(database, "emil")
    with pytest.raises(NotAccepted):
        looking_back.ask(database, game_id, alice, now=NOW)  # it is running
    results.resign(database, game_id, alice or 0, now=NOW)
    with pytest.raises(NotAccepted):
        looking_back.ask(database, game_id, other, now=NOW)
    for _ in range(2):
        looking_back.ask(database, game_id, alice, now=NOW)
    with database.read() as session:
        assert len(session.exec(select(LookBack)).all()) == 1
    assert thinker(database).work(lambda: NOW)


def test_games_with_it_are_of_no_event(sqlite_database: Database) -> None:
    """Nothing in an event can name it: entrants are players, and it is none."""
    begin(sqlite_database)
    with sqlite_database.read() as session:
        assert session.exec(select(Game.has_computer)).all() == [True]
        assert session.scalar(sa.text("SELECT count(*) FROM player")) == 1


def test_the_levels_of_every_title_have_words(sqlite_database: Database) -> None:
    from app.base.words.speech import COMPUTERS
    from app.titles.registry import TITLES

    assert all({level.name for level in levels_of(TITLES[one])} <= set(COMPUTERS) for one in ("acres", "new-world"))
