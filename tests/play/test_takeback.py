"""Takebacks as services: offered, agreed to, and their effect on log, links, mails and records."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.games.tables import GameSeat, LogEntry
from app.play.agreed import results
from app.play.agreed.takeback import Offer
from app.play.past import records
from app.play.tables import Proposal
from app.play.turn import starting, turns
from app.server.cli import main
from app.titles.registry import TITLES
from engine.kernel import records as kernel_records
from engine.kernel.text import PlainSpeaker
from engine.kernel.text import say as in_words
from engine.kernel.title import Choice
from tests.support.at_once import at_once
from tests.support.ferry import FERRY
from tests.support.tables import NOW, give_standing, hand, link_to, load, say, start


def offered(database: Database, game_id: int, seat: str) -> Offer | None:
    with database.read() as session:
        return results.may_take_back(session, GameStore(session).load(game_id), seat)


def why_not(database: Database, game_id: int, seat: str) -> str:
    """The reason in English; empty when it is offered."""
    offer = offered(database, game_id, seat)
    assert offer is not None
    return "" if offer.why_not is None else in_words(offer.why_not, PlainSpeaker(FERRY.name_of))


def player(game: GameNow, seat: str) -> int:
    found = game.seated(seat).player_id
    assert found is not None
    return found


def ask(database: Database, game_id: int, seat: str) -> int:
    """The seat asks to take back; the number of the proposal."""
    results.propose(database, game_id, player(load(database, game_id), seat), "takeback", now=NOW)
    with database.read() as session:
        return session.scalar(sa.select(sa.func.max(Proposal.id))) or 0


def agree(database: Database, proposal: int, game_id: int, seat: str, agrees: bool = True) -> GameNow:
    return results.answer(database, proposal, seat, player(load(database, game_id), seat), agrees, now=NOW)


def take_back(database: Database, game_id: int, seat: str) -> GameNow:
    """Ask as the seat, and let all others agree."""
    proposal = ask(database, game_id, seat)
    game = load(database, game_id)
    for other in game.others(seat):
        game = agree(database, proposal, game_id, other.seat)
    return game


def mails(database: Database) -> list[tuple[str, str, int | None]]:
    with database.read() as session:
        asked = sa.select(OutboxMail.kind, OutboxMail.seat, OutboxMail.number).order_by(OutboxMail.id)
        return [tuple(row) for row in session.execute(asked)]


def views(game: GameNow) -> list[Any]:
    return [game.title.view(game.state, seated.seat) for seated in game.seats]


def test_what_was_played_is_taken_back_when_the_other_agrees(database: Database) -> None:
    game_id = start(database)
    before = load(database, game_id)
    link = link_to(before)
    say(database, game_id, "rob blue")
    dead = link_to(load(database, game_id))
    assert (dead.seat, dead.number) == ("blue", 2)
    proposal = ask(database, game_id, "red")
    after = agree(database, proposal, game_id, "blue")
    assert (after.decides, after.number, after.entries) == ("red", 3, 3)
    kept = load(database, game_id)
    assert kept.state == before.state and views(kept) == views(before)
    assert (kept.turn, kept.kind, kept.chance_used) == (before.turn, before.kind, before.chance_used)
    assert kept.asked_at == NOW and kept.deadline_at == NOW + timedelta(days=7)
    assert mails(database) == [
        ("turn", "red", 1), ("turn", "blue", 2), ("proposal", "blue", None), ("turn", "red", 3),
    ]  # fmt: skip
    with database.read() as session:
        row = session.execute(sa.select(LogEntry.__table__).where(LogEntry.number == 3)).one()  # type: ignore[attr-defined]
    assert (row.cause, row.back_to, row.seat, row.events, row.action) == ("takeback", 1, "red", [], None)
    for old in (link, dead):  # neither link of a decision that was taken back answers anything
        with pytest.raises(turns.LinkEnded):
            turns.look(database, old)
        with pytest.raises((turns.LinkEnded, turns.AlreadyDecided)):
            turns.play_turn(database, old, f"yield {hand(kept, 'blue')[0]}", now=NOW)
    assert starting.verify(database, game_id) == []
    assert not starting.rebuild(database, game_id)
    assert say(database, game_id, "rob blue").game.decides == "blue"


def test_the_same_orders_again_are_answered_as_they_were_also_when_taken_back(database: Database) -> None:
    game_id = start(database)
    link = link_to(load(database, game_id))
    first = turns.play_turn(database, link, "rob blue", now=NOW)
    take_back(database, game_id, "red")
    again = turns.play_turn(database, link, "rob blue", now=NOW)
    assert (again.game.state, again.game.number, again.played) == (first.game.state, 2, first.played)
    assert load(database, game_id).number == 3


def test_what_happened_says_so_and_the_log_is_complete(database: Database) -> None:
    game_id = start(database, seats=3)
    say(database, game_id, "rob green")
    take_back(database, game_id, "red")
    say(database, game_id, f"keep {hand(load(database, game_id), 'red')[0]}")
    with database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        told = turns.what_happened(store, game, "green", Voice("en", "UTC", game.title), 1)
        since = turns.what_happened(store, game, "red", Voice("en", "UTC", game.title), 2)
    assert told[:2] == ["Red robbed Green.", "Red: the last move is taken back; everybody has agreed."]
    assert told[2].startswith("Red kept ") and since == told[1:]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_takeback_is_offered_while_nobody_has_learned_anything(sqlite_database: Database, seats: int) -> None:
    """A robbery is public; a kept card came from a hidden hand; a peek and a refilled hand are new to their seat."""
    database = sqlite_database
    reasons = {}
    for line in ("rob blue", "keep {0}", "peek", "drop {0}, {1}", "rob blue\npeek"):
        game_id = start(database, seats=seats)
        assert offered(database, game_id, "red") is None  # nothing was sent yet
        say(database, game_id, line.format(*hand(load(database, game_id), "red")))
        reasons[line] = why_not(database, game_id, "red")
        assert offered(database, game_id, "blue") is None
    assert reasons.pop("rob blue") == reasons.pop("rob blue\npeek") == ""  # the rest waits for the answer
    assert reasons.pop("peek") == (
        "You may know something now that you did not know before, such as a card that you drew."
    )
    assert set(reasons.values()) == {
        "Blue may know something now that was hidden before, such as a card that was played from a hand."
    }


def test_answers_and_moves_of_others_end_the_offer(database: Database) -> None:
    game_id = start(database)
    say(database, game_id, "rob blue")
    say(database, game_id, f"yield {hand(load(database, game_id), 'blue')[0]}")
    assert why_not(database, game_id, "red") == "Blue has decided something since."
    with pytest.raises(NotAccepted) as refused:
        ask(database, game_id, "red")
    assert refused.value.code == "takeback.learned"


def test_an_order_given_ahead_that_answered_ends_the_offer(database: Database) -> None:
    """The answer shows what its seat had decided."""
    game_id = start(database, seats=3)
    oak = next((c for c in hand(load(database, game_id), "blue") if c.startswith("oak")), None)
    while oak is None:
        game_id = start(database, seats=3)
        oak = next((c for c in hand(load(database, game_id), "blue") if c.startswith("oak")), None)
    give_standing(database, game_id, "blue", f"rob block {oak}")
    say(database, game_id, "rob blue")
    assert load(database, game_id).decides == "red"
    assert why_not(database, game_id, "red") == "Blue has decided something since."


def test_a_part_of_a_turn_is_taken_back_while_the_seat_is_still_on_turn(sqlite_database: Database) -> None:
    """New World: a tile that leaves an order of scoring to choose (new_world R9.7) draws no other tile."""
    game_id, before = new_world_with_an_order_to_choose(sqlite_database, 2)
    game = load(sqlite_database, game_id)
    seat = game.decides
    assert seat is not None and game.kind == "score"
    after = take_back(sqlite_database, game_id, seat)
    assert (after.decides, after.kind, after.number) == (seat, "place", game.number + 1)
    assert after.state == before.state and mails(sqlite_database)[-1] == ("turn", seat, after.number)
    assert say(sqlite_database, game_id, some_line(after, random.Random(1))).game.number > after.number
    starting.verify(sqlite_database, game_id)


def some_line(game: GameNow, source: random.Random) -> str:
    actions = game.title.legal(game.state)
    quiet = [a for a in source.sample(actions, min(60, len(actions))) if not isinstance(a, Choice)]
    free = next((a for a in quiet if game.kind == "place" and not game.title.reveals(game.state, a)), None)
    item = free or source.choice(actions)
    return str(game.title.write(game.state, source.choice(item.smallest()) if isinstance(item, Choice) else item))


def new_world_with_an_order_to_choose(database: Database, seats: int) -> tuple[int, GameNow]:
    """Return a game of New World in which a placement has just completed several features, and the game before it."""
    cast = [(seat, f"{seat}@example.org") for seat in TITLES["new-world"].seats[:seats]]
    for seed in range(20):
        source = random.Random(seed)
        game_id = starting.new_game(database, "new-world", cast, now=NOW)
        while not (game := load(database, game_id)).is_over:
            if say(database, game_id, some_line(game, source)).game.kind == "score":
                return game_id, game
    raise AssertionError("no placement completed several features")


@pytest.mark.parametrize("seats", [3, 5])
def test_all_of_three_and_of_five_seats_have_to_agree(sqlite_database: Database, seats: int) -> None:
    game_id, before = new_world_with_an_order_to_choose(sqlite_database, seats)
    game = load(sqlite_database, game_id)
    assert game.decides is not None
    proposal = ask(sqlite_database, game_id, game.decides)
    others = [seated.seat for seated in game.others(game.decides)]
    assert len(others) == seats - 1
    for seat in others[:-1]:
        assert agree(sqlite_database, proposal, game_id, seat).entries == game.entries
        with pytest.raises(results.ProposalOver) as settled:
            agree(sqlite_database, proposal, game_id, seat)
        assert settled.value.became == "answered"
    after = agree(sqlite_database, proposal, game_id, others[-1])
    assert after.entries == game.entries + 1 and after.state == before.state
    with pytest.raises(results.ProposalOver) as settled:
        agree(sqlite_database, proposal, game_id, others[-1])
    assert settled.value.became == "accepted"
    starting.verify(sqlite_database, game_id)


def test_a_move_makes_the_question_void_and_another_one_possible(database: Database) -> None:
    game_id = start(database)
    say(database, game_id, "rob blue")
    proposal = ask(database, game_id, "red")
    say(database, game_id, f"yield {hand(load(database, game_id), 'blue')[0]}")
    with pytest.raises(results.ProposalOver) as settled:
        agree(database, proposal, game_id, "blue")
    assert settled.value.became == "void"
    with database.read() as connection:
        assert results.waiting(connection, GameStore(connection).load(game_id)) is None
    say(database, game_id, "rob blue")
    assert ask(database, game_id, "red") > proposal
    with database.read() as session:
        statuses = session.scalars(sa.select(Proposal.status).order_by(Proposal.id)).all()
    assert statuses == ["withdrawn", "waiting"]


def test_whoever_declines_is_not_asked_again(database: Database) -> None:
    game_id = start(database, seats=3)
    say(database, game_id, "rob blue")
    proposal = ask(database, game_id, "red")
    agree(database, proposal, game_id, "green")
    game = agree(database, proposal, game_id, "blue", agrees=False)
    assert (game.number, game.entries) == (2, 2)
    assert mails(database)[-1][:2] == ("proposal_declined", "red")
    assert why_not(database, game_id, "red") == "Another player has declined."
    with pytest.raises(NotAccepted):
        ask(database, game_id, "red")
    say(database, game_id, f"yield {hand(load(database, game_id), 'blue')[0]}")  # the game goes on


def test_the_question_is_withdrawn_and_asked_again(database: Database) -> None:
    game_id = start(database)
    say(database, game_id, "rob blue")
    proposal = ask(database, game_id, "red")
    with pytest.raises(NotAccepted) as refused:
        ask(database, game_id, "red")
    assert refused.value.code == "proposal.waits"
    results.withdraw(database, game_id, player(load(database, game_id), "red"), now=NOW)
    with pytest.raises(results.ProposalOver):
        agree(database, proposal, game_id, "blue")
    assert take_back(database, game_id, "red").decides == "red"
    with pytest.raises(NotAccepted) as refused:
        ask(database, game_id, "red")
    assert refused.value.code == "takeback.nothing"  # it has been taken back already


def test_a_seat_without_a_player_is_not_asked_and_alone_there_is_nobody_to_agree(database: Database) -> None:
    """Erased players: nobody learned anything there."""
    game_id = start(database, seats=3)
    say(database, game_id, "rob blue")
    leave(database, game_id, "green")
    proposal = ask(database, game_id, "red")
    assert agree(database, proposal, game_id, "blue").decides == "red"
    say(database, game_id, "rob blue")
    leave(database, game_id, "blue")
    assert why_not(database, game_id, "red") == "Nobody sits there who could agree."


def leave(database: Database, game_id: int, seat: str) -> None:
    with database.write() as session:
        where = (GameSeat.game_id == game_id, GameSeat.seat == seat)
        session.execute(sa.update(GameSeat).where(*where).values(player_id=None))
        session.commit()


@pytest.mark.parametrize("attempt", range(4))
def test_of_an_agreement_and_a_move_at_once_exactly_one_counts(database: Database, attempt: int) -> None:
    game_id = start(database)
    say(database, game_id, "rob blue")
    proposal = ask(database, game_id, "red")
    game = load(database, game_id)
    link, line = link_to(game), f"yield {hand(game, 'blue')[0]}"
    late = (results.ProposalOver, turns.LinkEnded)
    deeds = [
        lambda: agree(database, proposal, game_id, "blue"),
        lambda: turns.play_turn(database, link, line, now=NOW),
    ]
    way = 1 if attempt % 2 else -1
    agreed, moved = [not isinstance(one, late) for one in at_once(*deeds[::way], but=late)][::way]
    assert agreed != moved
    game = load(database, game_id)
    assert (game.decides, game.entries, game.number) == ("red", 3, 3)
    starting.verify(database, game_id)
    assert (game.state.actions == 2) == agreed


def test_two_that_agree_at_once_take_back_once(database: Database) -> None:
    game_id = start(database, seats=3)
    say(database, game_id, "rob blue")
    proposal = ask(database, game_id, "red")
    yes = [lambda seat=seat: agree(database, proposal, game_id, seat) for seat in ("blue", "green") * 2]
    settled = [isinstance(one, results.ProposalOver) for one in at_once(*yes, but=results.ProposalOver)]
    assert load(database, game_id).entries == 3 and sum(settled) == 2
    assert [kind for kind, seat, _ in mails(database) if seat == "red"] == ["turn", "turn"]
    starting.verify(database, game_id)


@pytest.mark.parametrize(("title", "seats", "seed"), [
    ("ferry", 2, 1), ("ferry", 4, 3), ("acres", 2, 4), ("new-world", 3, 6),
])  # fmt: skip
def test_games_with_takebacks_restore_all_views_and_stay_whole(
    sqlite_database: Database, title: str, seats: int, seed: int
) -> None:
    """Random games, in which everything that can be taken back sometimes is: views of all seats are restored, and
    log, cache, record and the positions of old decisions agree to the end."""
    database, source = sqlite_database, random.Random(seed)
    options = {"turns": 12} if title == "ferry" else {}
    taken, refused, seen = 0, 0, {}
    if title == "new-world":  # where it is rare
        game_id, before = new_world_with_an_order_to_choose(database, seats)
        assert before.decides is not None
        seen[take_back(database, game_id, before.decides).number] = load(database, game_id)
        taken = 1
    else:
        game_id = start(database, title, seats, options=options)
    for _ in range(120):
        before = load(database, game_id)
        if before.is_over:
            break
        seat = before.decides
        assert seat is not None
        seen[before.number] = before
        after = say(database, game_id, line_of(before, source)).game
        offer = None if after.is_over else offered(database, game_id, seat)
        if offer is None or offer.why_not is not None:
            refused += 1
            continue
        assert offer.back_to == before.entries
        if source.random() < 0.7:
            restored = take_back(database, game_id, seat)
            assert views(restored) == views(before) and restored.state == before.state
            assert (restored.decides, restored.kind, restored.turn) == (before.decides, before.kind, before.turn)
            assert restored.number > after.number and restored.chance_used == before.chance_used
            taken += 1
            seen[restored.number] = restored
            say(database, game_id, line_of(restored, source))
    assert taken >= (1 if title == "new-world" else 2) and refused >= 2
    assert starting.verify(database, game_id) == []
    assert not starting.rebuild(database, game_id)
    with database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        for number, then in list(seen.items())[::5]:
            assert store.as_of(game, then.entries, number).state == then.state
    if not game.is_over:
        results.resign(database, game_id, player(game, game.seats[0].seat), now=NOW)
        game = load(database, game_id)
    if game.is_over:
        record = records.record_of(database, game_id)
        assert len(record["takebacks"]) == taken
        read = kernel_records.load(json.dumps(record), TITLES)
        *_, last = kernel_records.replay(read)
        assert last.state == game.state
        kernel_records.verify(read)


def line_of(game: GameNow, source: random.Random) -> str:
    """Return a line of a random kind, often one that shows nothing."""
    kinds: dict[str, list[Any]] = {}
    legal = game.title.legal(game.state)
    if game.title.id == "new-world":
        return some_line(game, source)
    for item in legal:
        kinds.setdefault(getattr(item, "kind", None) or type(item).__name__, []).append(item)
    quiet = [kind for kind in kinds if kind in ("Draft", "Retrieve", "Withdraw", "Rob")]
    kind = source.choice(quiet) if quiet and source.random() < 0.5 else source.choice(list(kinds))
    item = source.choice(kinds[kind])
    return str(game.title.write(game.state, source.choice(item.smallest()) if isinstance(item, Choice) else item))


def test_the_record_keeps_what_was_taken_back(database: Database) -> None:
    """An additive key: the turns hold what counts."""
    game_id = start(database)
    say(database, game_id, "rob blue")
    take_back(database, game_id, "red")
    say(database, game_id, f"keep {hand(load(database, game_id), 'red')[0]}")
    say(database, game_id, "rob blue")
    take_back(database, game_id, "red")
    record = records.record_of(database, game_id)
    assert record["takebacks"] == [{"turn": 1, "seat": "red", "lines": ["rob blue"]}] * 2
    assert [step["do"].split()[0] for step in record["turns"][0]["steps"]] == ["keep"]
    results.resign(database, game_id, player(load(database, game_id), "red"), now=NOW)
    read = kernel_records.load(json.dumps(records.record_of(database, game_id)), TITLES)
    kernel_records.verify(read)
    assert read.other["takebacks"] == record["takebacks"]


def test_the_commands_accept_a_game_with_takebacks(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`postroad game verify`, `game rebuild`, `record verify` and `record prove`, as an operator runs them."""
    game_id = start(database, "acres")
    say(database, game_id, "draft regular-infantry")
    take_back(database, game_id, "british")
    say(database, game_id, "draft regular-infantry")
    results.resign(database, game_id, player(load(database, game_id), "french"), now=NOW)
    record = tmp_path / "record.json"
    data = records.record_of(database, game_id)
    record.write_text(json.dumps(data), encoding="utf-8")
    end = kernel_records.end_of(kernel_records.load(record.read_bytes(), TITLES))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POSTROAD_DATABASE_URL", database.url)
    for line in (
        f"game verify {game_id}",
        f"game rebuild {game_id}",
        f"record verify {record}",
        f"record prove --root {data['proof']['root']} --end {end} {record}",
    ):
        done = CliRunner().invoke(main, line.split())
        assert done.exit_code == 0, (line, done.output)


def test_verify_finds_a_takeback_that_does_not_fit(database: Database) -> None:
    game_id = start(database)
    say(database, game_id, "rob blue")
    take_back(database, game_id, "red")
    with database.write() as session:
        where = (LogEntry.game_id == game_id, LogEntry.number == 3)
        session.execute(sa.update(LogEntry).where(*where).values(back_to=7))
        session.commit()
    with pytest.raises(starting.LogBroken, match="entry 3 takes back to 7"):
        starting.verify(database, game_id)


def test_a_link_of_the_decision_before_the_last_asks_for_nothing(database: Database) -> None:
    """The link of one decision does not allow taking back the answer to another."""
    game_id = start(database)
    old = link_to(load(database, game_id))
    say(database, game_id, f"keep {hand(load(database, game_id), 'red')[0]}")
    new = link_to(load(database, game_id))
    say(database, game_id, "rob blue")
    assert old.player is not None and new == replace(old, number=2)
    with pytest.raises(NotAccepted) as refused:
        results.propose(database, game_id, old.player, "takeback", number=old.number, now=NOW)
    assert refused.value.code == "takeback.nothing"
    results.propose(database, game_id, old.player, "takeback", number=new.number, now=NOW)
