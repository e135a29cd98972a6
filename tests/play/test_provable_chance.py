"""Provable chance from the table to the record: the number of a seed, the root, the proof."""

from __future__ import annotations

import json
import random
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.games.store import LogBroken
from app.games.tables import Game
from app.games.work import Work
from app.lobby import listing, open_games, rematch
from app.lobby.open_games import Chair
from app.people.accounts import find_or_add
from app.play.agreed import results
from app.play.agreed.takeback import take_back
from app.play.past.records import GameProof, KnownRecord, import_record, proof_now, record_of
from app.play.tables import Proposal
from app.play.turn import starting
from app.server.cli import main
from app.time import paces
from app.titles.registry import TITLES
from engine.kernel import records
from engine.kernel.title import Choice
from tests.support.tables import CAST, NOW, address, load, say, start, write

ROOT = Path(__file__).resolve().parents[2]
check = runpy.run_path(str(ROOT / "app" / "static" / "prove.py"))["check"]
SEED = "5a" * 32


def player(database: Database, who: str) -> int:
    with Work(database) as work:
        found = find_or_add(work.session, address(who), now=NOW)
        work.commit()
        assert found.id is not None
        return found.id


def table(database: Database, title: str = "ferry", seats: int = 3, drawn: bool = False) -> int:
    """Open a table of Alice's with open seats for the others."""
    chairs = [Chair(seat, "open" if n else "me") for n, seat in enumerate(TITLES[title].seats[:seats])]
    pace = paces.read_days("7")
    host = player(database, "alice")
    return open_games.create(
        database,
        host,
        open_games.TableDraft(title_id=title, chairs=chairs, options={}, pace=pace, drawn=drawn),
        now=NOW,
    )


def seed_of(database: Database, game_id: int) -> str | None:
    with database.read() as session:
        return session.scalar(sa.select(Game.seed).where(Game.id == game_id))


def put_seed(database: Database, game_id: int, seed: str | None) -> None:
    write(database, sa.update(Game).where(Game.id == game_id).values(seed=seed, seed_number=None))


def find(database: Database, game_id: int) -> listing.OpenGame:
    with database.read() as session:
        return listing.find(session, game_id)


def play(database: Database, game_id: int, turns: int) -> None:
    """Play this many random answers, by the services."""
    source = random.Random(3)
    for _ in range(turns):
        game = load(database, game_id)
        if game.is_over:
            return
        entry = source.choice(game.title.legal(game.state))
        action = source.choice(entry.smallest()) if isinstance(entry, Choice) else entry
        say(database, game_id, game.title.write(game.state, action))


def over(database: Database, game_id: int) -> dict[str, Any]:
    """Let all seats but the last give up; return the record of the game, by way of its file."""
    for seated in load(database, game_id).seats[:-1]:
        if not load(database, game_id).is_over:
            results.resign(database, game_id, seated.player_id or 0, now=NOW)
    assert load(database, game_id).is_over
    data: dict[str, Any] = json.loads(json.dumps(record_of(database, game_id)))
    return data


def proves(data: Any) -> int:
    """Return how many outcomes hold, agreed by the engine and the downloadable program."""
    held = len(records.prove(records.from_data(data, TITLES)))
    assert int(check(data).split()[1]) == held
    return held


# -- the seed and its commitment ----------------------------------------------------------------------


def test_every_way_to_a_game_makes_a_seed_of_its_own(sqlite_database: Database) -> None:
    database = sqlite_database
    at_once, waiting = start(database, seats=2), table(database)
    results.resign(database, at_once, player(database, "alice"), now=NOW)
    again = rematch.offer_rematch(database, at_once, player(database, "bob"), now=NOW)
    seeds = [seed_of(database, game_id) for game_id in (at_once, waiting, again)]
    assert len({*seeds}) == 3 and all(seed and len(bytes.fromhex(seed)) == 32 for seed in seeds)
    numbers = [load(database, at_once).seed_number, find(database, waiting).row.seed_number]
    assert numbers == [1, 2] and find(database, again).row.seed_number == 3


def test_the_seed_is_in_no_mail_and_the_commitment_in_the_first_of_each_seat(sqlite_database: Database) -> None:
    from app.base.links import Links
    from app.post.letters.writing import QueuedMail, write_mail
    from tests.support.tables import KEYS

    game_id = start(sqlite_database, "acres")
    links, seed = Links("http://post.example.org", KEYS), seed_of(sqlite_database, game_id) or ""
    told = []
    for _ in range(4):
        game = load(sqlite_database, game_id)
        seat = game.seated(game.decides or "")
        mail = QueuedMail(1, "turn", seat.address, seat.player_id, game_id, seat.seat, game.number, {}, NOW, 0)
        with sqlite_database.read() as session:
            letter = write_mail(session, links, mail, NOW)
        assert letter is not None
        body = letter.body()
        assert seed not in body.text + body.html + letter.subject
        told.append((seat.seat, "seed number 1." in body.text, f"/games/{game_id}/proof" in body.html))
        while load(sqlite_database, game_id).decides == seat.seat:
            play(sqlite_database, game_id, 1)
    assert told == [
        ("british", True, True),
        ("french", True, True),
        ("british", False, False),
        ("french", False, False),
    ]


# -- the whole way ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("title", "seats", "turns"), [("acres", 2, 60), ("new-world", 4, 60), ("ferry", 3, 6)])
@pytest.mark.parametrize("drawn", [False, True])
def test_a_game_that_was_played_is_proven(
    sqlite_database: Database, title: str, seats: int, turns: int, drawn: bool
) -> None:
    """Salts hold at the start and for every move after it; the log is consistent."""
    game_id = table(sqlite_database, title, seats, drawn)
    for n, who in enumerate(CAST[1:seats], 1):
        open_games.join(sqlite_database, game_id, n, player(sqlite_database, who), now=NOW)
    play(sqlite_database, game_id, turns)
    running = record_of(sqlite_database, game_id)["proof"]
    assert set(running) == {"algorithm", "number", "root", "tree"}
    data = over(sqlite_database, game_id)
    assert ("sides" in data["proof"]) == drawn
    assert proves(data) == load(sqlite_database, game_id).chance_used == len(data["proof"]["outcomes"])
    assert all(step in running.items() for step in data["proof"].items() if step[0] in running)
    starting.verify(sqlite_database, game_id)
    shown = proof_now(sqlite_database, game_id)
    assert shown.failed is None and all(outcome.holds for outcome in shown.outcomes)
    assert len(shown.outcomes) == proves(data) and shown.seed == data["proof"]["seed"] and shown.drawn == drawn


@pytest.mark.parametrize("title", ["acres", "new-world"])
def test_a_game_that_all_agreed_to_cancel_is_proven_too(sqlite_database: Database, title: str) -> None:
    """Whatever way a game ends, its seed is shown."""
    game_id = start(sqlite_database, title)
    play(sqlite_database, game_id, 9)
    first, second = load(sqlite_database, game_id).seats
    results.propose(sqlite_database, game_id, first.player_id or 0, "cancel", now=NOW)
    with sqlite_database.read() as session:
        proposal = session.scalar(sa.select(sa.func.max(Proposal.id)))
    results.answer(sqlite_database, proposal or 0, second.seat, second.player_id, True, now=NOW)
    data = json.loads(json.dumps(record_of(sqlite_database, game_id)))
    assert "result" not in data and proves(data) == load(sqlite_database, game_id).chance_used


def test_drawn_sides_follow_from_the_seed_too(sqlite_database: Database) -> None:
    """The first outcome says whose chair each seat goes to."""
    seen = set()
    for n in range(12):
        game_id = table(sqlite_database, "acres", 2, drawn=True)
        put_seed(sqlite_database, game_id, f"{n:02}" * 32)
        open_games.join(sqlite_database, game_id, 1, player(sqlite_database, "bob"), now=NOW)
        sides = over(sqlite_database, game_id)["proof"]["sides"]
        names = [seated.name for seated in load(sqlite_database, game_id).seats]
        assert names == [{"british": "alice", "french": "bob"}[chair] for chair in sides]
        seen.add(tuple(names))
    assert len(seen) == 2


def test_a_tampered_log_is_told_on_the_page_s_data(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, "new-world")
    play(sqlite_database, game_id, 5)
    over(sqlite_database, game_id)
    write(sqlite_database, sa.update(Game).where(Game.id == game_id).values(seed=SEED))
    assert not all(outcome.holds for outcome in proof_now(sqlite_database, game_id).outcomes)
    with pytest.raises(LogBroken, match="outcome 0 of chance does not follow from the seed"):
        starting.verify(sqlite_database, game_id)


def test_what_was_taken_back_changes_no_ordinal(sqlite_database: Database) -> None:
    """A takeback never includes an outcome of chance, so that the numbers continue as the record has them."""
    game_id = start(sqlite_database, "acres")
    taken = 0
    for _ in range(60):
        before = load(sqlite_database, game_id)
        play(sqlite_database, game_id, 1)
        after = load(sqlite_database, game_id)
        if after.is_over:
            break
        if after.chance_used == before.chance_used and taken < 5:
            with Work(sqlite_database) as work:
                game = work.store.load(game_id, for_writing=True)
                take_back(work, game, before.decides or "", before.entries, NOW)
                work.commit()
            taken += 1
            play(sqlite_database, game_id, 2)
    data = over(sqlite_database, game_id)
    assert taken == 5 and proves(data) == load(sqlite_database, game_id).chance_used > 4
    starting.verify(sqlite_database, game_id)
    assert all(outcome.holds for outcome in proof_now(sqlite_database, game_id).outcomes)


# -- records that come from elsewhere -----------------------------------------------------------------


def test_an_imported_record_keeps_its_proof_and_what_else_it_holds(database: Database) -> None:
    game_id = start(database, "acres")
    play(database, game_id, 12)
    data = over(database, game_id) | {"remark": {"of": "somebody"}}
    again = record_of(database, read_in(database, data))
    assert again == data and proves(json.loads(json.dumps(again)))


def read_in(database: Database, data: dict[str, Any]) -> int:
    """Read a record in, though its game is here already; return the number of the second one."""
    write(database, sa.update(Game).values(end_hash=sa.cast(Game.id, sa.String)))
    return import_record(database, json.dumps(data), now=NOW)


def imported(database: Database, data: dict[str, Any]) -> GameProof:
    """Return the proof of a record that is read in, though its game is here already."""
    return proof_now(database, read_in(database, data))


def test_the_same_game_is_read_in_once_with_the_names_of_its_players(database: Database) -> None:
    """A6, A17"""
    game_id = start(database, "acres")
    play(database, game_id, 12)
    data = over(database, game_id)
    named = {seat: player["name"] for seat, player in data["played"]["players"].items()}
    with pytest.raises(KnownRecord) as known:  # though its end is not kept yet
        import_record(database, json.dumps(data), now=NOW)
    assert known.value.args == (game_id,)
    again = read_in(database, data)
    assert {one.seat: one.name for one in load(database, again).seats} == named and "alice" in named.values()
    by_hand = {key: data[key] for key in ("format", "version", "game", "options", "seats", "setup", "turns", "result")}
    for one in (data, by_hand):
        number = import_record(database, json.dumps(one), now=NOW) if one is by_hand else again
        with pytest.raises(KnownRecord) as known:
            import_record(database, json.dumps(one), now=NOW)
        assert known.value.args == (number,)
    data["played"]["ended"] = "yesterday"
    with pytest.raises(records.RecordRefused):
        import_record(database, json.dumps(data), now=NOW)


def test_an_imported_proof_is_checked_by_playing(sqlite_database: Database) -> None:
    game_id = start(sqlite_database, "acres")
    play(sqlite_database, game_id, 12)
    data = over(sqlite_database, game_id)
    good = imported(sqlite_database, data)
    assert good.failed is None and len(good.outcomes) == len(data["proof"]["outcomes"])
    data["proof"]["outcomes"][0]["items"].pop()
    bad = imported(sqlite_database, data)
    assert bad.failed is not None and bad.failed.template.startswith("Outcome {n}")
    data["proof"] = "nothing"
    none = imported(sqlite_database, data)
    assert none.failed is not None and none.commitment == ""
    del data["proof"]
    nothing = imported(sqlite_database, data)
    assert nothing.failed is None and nothing.commitment == ""


# -- the command --------------------------------------------------------------------------------------


def test_the_command_proves_files_and_says_what_differs(sqlite_database: Database, tmp_path: Path) -> None:
    game_id = start(sqlite_database, "new-world")
    play(sqlite_database, game_id, 8)
    data = over(sqlite_database, game_id)
    good, bad, none = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "none.json"
    good.write_text(json.dumps(data), encoding="utf-8")
    lines = [step for turn in data["turns"] for step in turn["steps"] if "chance" in step]
    drawn = lines[3]["chance"].removeprefix("draw ")
    other = next(tile for tile in data["proof"]["outcomes"][3]["items"] if tile != drawn)
    lines[3]["chance"] = f"draw {other}"
    none.write_text("{}", encoding="utf-8")
    plain = ROOT / "tests" / "records" / "acres" / "second-agreed.json"
    root = data["proof"]["root"]

    end = records.end_of(records.load(good.read_bytes(), TITLES))

    def run(*words: Any) -> Any:
        return CliRunner().invoke(main, ["record", "prove", "--root", root, *map(str, words)])

    done = run("--end", end, good)
    assert done.exit_code == 0 and done.output.splitlines()[-1] == "1 passed, 0 failed"
    assert "outcomes follow from the seed" in done.output and f"seed 1 of root {root}" in done.output
    assert f"game {game_id}, {len(data['turns'])} turns, over 2" in done.output
    assert f"end {end}" in done.output
    short = json.loads(good.read_bytes())
    for _ in [step for step in short["turns"].pop()["steps"] if "chance" in step]:
        short["proof"]["outcomes"].pop()
    bad.write_text(json.dumps(short), encoding="utf-8")
    assert run("--end", records.end_of(records.load(bad.read_bytes(), TITLES)), bad).exit_code == 0, "sound in itself"
    assert (
        "Give the end that you were mailed"
        in CliRunner().invoke(main, ["record", "prove", "--root", root, str(bad)]).output
    )
    cut = run("--end", end, bad)
    assert cut.exit_code == 1 and "it was cut or changed" in cut.output
    unknown = CliRunner().invoke(main, ["record", "prove", str(good)])
    assert unknown.exit_code == 1 and "Give the root that you were mailed" in unknown.output
    bad.write_text(json.dumps(data), encoding="utf-8")
    done = run("--end", end, good, bad)
    sentence = f"Outcome 3 (draw bag) differs at place 1: the record has {other}; seed and salts give {drawn}."
    assert done.exit_code == 1 and f"FAILED {bad}: {sentence}" in done.output
    done = run("--json", bad, plain)
    told = [json.loads(line) for line in done.output.splitlines()]
    assert (told[0]["ordinal"], told[0]["why"]) == (3, sentence)
    assert told[1]["why"] == "The record has no proof." and told[2] == {"passed": 0, "failed": 2}
    done = run(none, good)
    assert done.exit_code == 2 and "NO RECORD" in done.output


def test_a_seed_is_nowhere_but_in_its_row_while_the_game_runs(sqlite_database: Database) -> None:
    """No mail in the outbox, no log entry, no state holds it."""
    from tests.support.people import everything

    game_id = start(sqlite_database, "acres")
    play(sqlite_database, game_id, 20)
    seed = seed_of(sqlite_database, game_id) or ""

    class Home:
        database = sqlite_database

    rows = everything(Home())  # type: ignore[arg-type]
    held = [(name, row) for name, found in rows.items() for row in found if seed in str(row)]
    assert [name for name, _ in held] == ["game"] and rows[OutboxMail.__tablename__]


def test_the_seeds_of_a_server_are_secret() -> None:
    """Asked of two processes of their own, since games of the tests have the same chance at every run"""
    program = "from app.games.seeds import new_secret as new; print(new().hex()); print(new().hex())"
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in "ab"]
    seeds = [seed for run in runs for seed in run.stdout.split()]
    assert len(set(seeds)) == 4 and all(len(bytes.fromhex(seed)) == 32 for seed in seeds)
