"""The chance of a game on its pages: its number and the root at the table, the proof after the end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import select

from app.base.server import Server
from app.base.stored.columns import moment
from app.base.words.i18n import LANGUAGES
from app.games import seeds
from app.games.tables import Game, LogEntry
from app.play.agreed import results
from app.play.fairness import ends
from app.play.past.records import import_record, record_of
from app.titles.registry import TITLES
from engine.acres import ACRES
from engine.kernel import records
from engine.kernel.records import end_of
from engine.kernel.records import load as load_record
from tests.support.people import BOTH, Browser, Enter, PostOffice, everything, make_table, text_of
from tests.support.proven import proven_game
from tests.support.tables import NOW, load, say, start, write

RECORDS = Path(__file__).resolve().parents[2] / "records"
HEX = re.compile(r"\b[0-9a-f]{64}\b")


def test_the_root_first_then_the_seed(server: Server, enter: Enter, post: PostOffice, stranger: Browser) -> None:
    """From the invitation to the end, as two people see it."""
    alice = enter("alice")
    game = make_table(alice, "acres", offer__british="me", offer__french="mail", address__french="bob@example.org")
    with server.database.read() as session:
        (root,) = [one.root for one in seeds.roots(session)]
    told = "seed number 1."
    assert told in alice.get(f"/games/{game}") and told in text_of(post.last("bob@example.org", "invitation"))
    [first] = post.all("bob@example.org")
    assert root in text_of(first), "at the foot of the first mail of the game"
    link = post.link("bob@example.org", "invitation")
    before = everything(server)
    assert told in stranger.get(link)
    for path in (f"/games/{game}/proof", "/chance"):
        assert HEX.findall(stranger.get(path)) == [root]
    assert everything(server) == before
    assert "waits for players" in stranger.get("/chance")
    stranger.post(link, answer="accept")
    begun = text_of(post.last("bob@example.org", "games"))
    assert told in begun.replace("\n", " ") and root not in begun
    page = stranger.get(f"/games/{game}/proof")
    assert set(HEX.findall(page)) == {root} and "secret until the game is over" in page
    alice.resign(game)
    seed = load(server.database, game).seed or ""
    page = stranger.get(f"/games/{game}/proof")
    hashes = HEX.findall(page)
    assert {root, seed} < {*hashes} and len({*hashes}) == 3 + 9, "the path of a tree of 512, and the end"
    assert "All 2 outcomes of chance follow from the seed" in page and "does not hold" not in page
    assert page.count('class="holds"') == 2 and "shuffle british: " in page
    last = text_of(post.all("bob@example.org")[-1])
    record = load_record(stranger.get(f"/games/{game}/record.json"), TITLES)
    assert f"/games/{game}/proof" in last and end_of(record) in last and end_of(record) in hashes
    assert root in last, "and of the last"


def test_a_table_that_is_called_off_shows_its_seed(server: Server, enter: Enter, stranger: Browser) -> None:
    alice = enter("alice")
    game = make_table(alice, "acres", offer__british="me", offer__french="open")
    with server.database.read() as session:
        seed = session.exec(select(Game.seed).where(Game.id == game)).one()
    assert seed and seed not in stranger.get(f"/games/{game}/proof")
    alice.get(f"/games/{game}")
    alice.post(f"/games/{game}/cancel")
    page = stranger.get(f"/games/{game}/proof")
    assert seed in page and "called off before its game began" in page
    assert "called off" in stranger.get("/chance")
    stranger.get("/chance?from=0", 404)


@BOTH
def test_the_public_list_says_when_a_game_ended_and_its_end(
    server: Server, enter: Enter, stranger: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    """The end named in its mail; also for a private game, but without names.

    A game that ended before the column existed gets its own, and an unreadable log delays no other.
    """
    alice, games = enter("alice"), [start(server.database, title) for title in ("ferry", "new-world", "acres", "ferry")]
    running, private, broken, *_ = games[3], games[1], games[2]
    write(
        server.database,
        sa.update(Game).where(Game.id == private).values(is_private=True),
        sa.delete(LogEntry).where(LogEntry.game_id == broken),
        sa.update(Game).where(Game.id == broken).values(entries=3),
    )
    for game in games[:2]:
        results.resign(server.database, game, load(server.database, game).seats[0].player_id or 0, now=NOW)
    with server.database.write() as session:
        over = {"status": "over", "decides": None, "ended_at": NOW}
        session.execute(sa.update(Game).where(Game.id == broken).values(**over))
        session.commit()
    numbers = {line["game"]: line for line in json.loads(stranger.get("/chance.json"))["numbers"]}
    assert [numbers[game]["end"] for game in games] == [None] * 4
    assert [ends.look(server.database, NOW) for _ in range(3)] == [2, 0, 0]
    assert caplog.text.count(f"ends: game {broken} could not be done") == 1
    numbers = {line["game"]: line for line in json.loads(stranger.get("/chance.json"))["numbers"]}
    page = stranger.get("/chance")
    for game in games[:2]:
        assert numbers[game]["ended"] == moment(NOW)
        assert numbers[game]["end"] == end_of(records.from_data(record_of(server.database, game), TITLES))
        assert page.count(numbers[game]["end"]) == 1
    assert page.count("ended: ") == 3 and numbers[games[0]]["seats"]
    hidden = numbers[private]
    assert (hidden["title"], hidden["seats"], hidden["opened_by"], hidden["seed"]) == ("", {}, None, None)
    assert numbers[running]["ended"] is None is numbers[running]["end"] is numbers[broken]["end"]
    assert numbers[games[0]]["end"] in alice.get(f"/games/{games[0]}/proof")


def test_the_program_can_be_had_there(server: Server, stranger: Browser) -> None:
    game = start(server.database)
    assert "prove.py" not in stranger.get(f"/games/{game}/proof")  # there is nothing to check yet
    while not load(server.database, game).is_over:
        state = load(server.database, game).state
        hand = state.sides[state.on_turn].hand
        say(server.database, game, f"drop {hand[0]}\ndrop {hand[1]}\nend")
    address = re.search(r'href="(/static/prove\.py[^"]+)"', stranger.get(f"/games/{game}/proof"))
    assert address
    assert "def check(record" in stranger.get(address[1])
    stranger.page.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_in_each_language(server: Server, app: object, language: str) -> None:
    reader = Browser(app, language)  # type: ignore[arg-type]
    game = start(server.database, "new-world")
    seen = {}
    assert "%(" not in reader.get("/chance")
    for _ in range(2):
        page = reader.get(f"/games/{game}/proof")
        assert "%(" not in page and f'<html lang="{language}"' in page
        assert (" the " in page) == (language == "en")
        seen[load(server.database, game).status] = page
        if not load(server.database, game).is_over:
            say(server.database, game, "resign")
    assert set(seen) == {"running", "over"} and "draw bag: nw-" in seen["over"]


def test_games_without_a_proof_or_with_a_wrong_one_say_so(server: Server, stranger: Browser) -> None:
    stranger.get("/games/77/proof", 404)
    stranger.get("/games/99999999999999/proof", 404)
    plain = json.loads((RECORDS / "acres" / "second-agreed.json").read_text(encoding="utf-8"))
    game = import_record(server.database, json.dumps(plain), now=NOW)
    assert "its record has no proof" in stranger.get(f"/games/{game}/proof")
    wrong = proven_game(ACRES, bytes(32))
    wrong["proof"]["commitment"] = "0" * 64
    game = import_record(server.database, json.dumps(wrong), now=NOW)
    page = stranger.get(f"/games/{game}/proof")
    assert "The commitment is not the SHA-256 of the seed." in page and 'class="holds"' not in page


@pytest.mark.parametrize("name", ["rare-siege-lifted-before-the-end", "first-revised-villages-placed"])
def test_a_long_record_of_acres_is_ten_kilobytes_on_the_wire(server: Server, stranger: Browser, name: str) -> None:
    game = import_record(server.database, (RECORDS / "acres" / f"{name}.json").read_bytes(), now=NOW)
    answer = stranger.client.get(f"/games/{game}/record.json", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip" and len(answer.data) <= 10_000
