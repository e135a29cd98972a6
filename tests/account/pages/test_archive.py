"""The pages of the archive and of profiles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.account import my_data
from app.base.server import Server
from app.play.agreed import results
from app.play.past.records import import_record
from tests.support.archive import add_over, person
from tests.support.people import BOTH, Browser, Enter, everything
from tests.support.tables import NOW, load, start

RECORDS = Path(__file__).resolve().parents[2] / "records"


def over(server: Server) -> int:
    game_id = start(server.database)
    results.resign(server.database, game_id, load(server.database, game_id).seats[0].player_id or 0, now=NOW)
    return game_id


@pytest.mark.quick
def test_anybody_finds_games_and_players(server: Server, stranger: Browser) -> None:
    game_id = over(server)
    page = stranger.get("/archive")
    assert f'href="/games/{game_id}"' in page and "bob won." in page and "ended by resignation" in page
    assert "alice" in page and "@example.org" not in page and "21 Nov 2026" in page
    assert re.search(r"<small>alice \d+ · bob \d+ · ended by resignation", page)
    page = stranger.get("/archive?name=ALI")
    profile = re.findall(r'href="(/players/\d+)">alice', page)[0]
    assert f'href="/archive?player={profile.rpartition("/")[2]}"' in page
    page = stranger.get(profile)
    assert "<h1>alice</h1>" in page and "0 time-outs." in page and "@example.org" not in page
    assert re.search(r'side-red">Red</span></th><td>0</td><td>1</td><td>0</td><td>1</td>', page)
    assert "Games of alice" in stranger.get(f"/archive?player={profile.rpartition('/')[2]}")
    assert "Nobody with such a name" in stranger.get("/archive?name=nobody")


@BOTH
def test_pages_are_fifty_games_long_and_keep_what_was_asked(server: Server, stranger: Browser) -> None:
    add_over(server.database, 70)
    first = stranger.get("/archive?title=ferry&year=2026")
    following = re.findall(r'href="(/archive\?[^"]+)">Older games', first)[0]
    second = stranger.get(following)
    games = [re.findall(r'href="/games/(\d+)"', page) for page in (first, second)]
    assert [len(one) for one in games] == [50, 20] and not set(games[0]) & set(games[1])
    assert '<option value="ferry" selected>' in second and "Older games" not in second


def test_what_there_is_not_is_left_open(server: Server, stranger: Browser) -> None:
    game_id = over(server)
    for asked in (
        "title=chess", "year=0", "year=99999999999", "year=x", "after=x",
        "after=2026_1", "after=_", "after=2026-11-21T20:00:00_5", "name=" + "x" * 500, "after=%F0_1",
    ):  # fmt: skip
        assert f'href="/games/{game_id}"' in stranger.get(f"/archive?{asked}")
    assert "holds a null character" in stranger.get("/archive?name=%00", 400)
    for asked in ("player=999", "player=99999999999", "player=0", "player=x"):
        assert "None here." in stranger.get(f"/archive?{asked}")
    for number in ("0", "999", "99999999999999"):
        stranger.get(f"/players/{number}", 404)


def test_a_profile_that_is_off_is_there_for_its_owner_only(server: Server, enter: Enter, stranger: Browser) -> None:
    game_id = over(server)
    alice = enter("alice")
    mine = re.findall(r'href="(/players/\d+)"', alice.get("/account"))[0]
    stranger.get(mine)
    page = alice.get("/account/data")
    assert 'name="public" checked' in page
    assert "Saved." in alice.post("/account/data/profile")
    stranger.get(mine, 404)
    assert "Only you see this page" in alice.get(mine)
    assert f'href="/games/{game_id}"' not in stranger.get("/archive")
    alice.get("/account/data")
    alice.post("/account/data/profile", public="on")
    stranger.get(mine)


def test_an_erased_player_has_no_page_and_games_stay(server: Server, stranger: Browser) -> None:
    game_id = over(server)
    alice = load(server.database, game_id).seats[0].player_id or 0
    my_data.erase(server.database, alice, now=NOW)
    page = stranger.get("/archive")
    assert f'href="/games/{game_id}"' in page and "a former player" in page and f"/players/{alice}" not in page
    stranger.get(f"/players/{alice}", 404)
    assert "None here." in stranger.get(f"/archive?player={alice}")


def test_a_profile_is_where_one_blocks(server: Server, enter: Enter) -> None:
    over(server)
    bob = person(server.database, "Bob")
    alice = enter("alice")
    assert " checked" not in alice.get(f"/players/{bob}")
    page = alice.post("/account/people", player=bob, block="on", then=f"/players/{bob}")
    assert "<h1>bob</h1>" in page and page.count(" checked") == 1
    assert "Only for you" not in enter("bob").get(f"/players/{bob}")


def test_looking_changes_nothing(server: Server, enter: Enter) -> None:
    over(server)
    alice = enter("alice")
    before = everything(server)
    for address in ("/archive", "/archive?title=ferry&name=b", "/players/1", "/players/2", "/account/people"):
        alice.get(address)
    assert everything(server) == before


@pytest.mark.parametrize("language", ["en", "fr", "es", "it"])
def test_the_pages_are_in_the_reader_s_language(language: str, server: Server, enter: Enter) -> None:
    import_record(server.database, (RECORDS / "acres/first-resignation.json").read_bytes(), now=NOW)
    alice = enter("alice", language=language)
    over(server)
    archive = alice.get("/archive?title=acres")
    assert ("A player whose name begins with" in archive) == (language == "en")
    assert ("ended by resignation" in archive) == (language == "en")
    me = re.findall(r'href="(/players/\d+)"', alice.get("/account"))[0]
    assert ("Here since" in alice.get(me)) == (language == "en")


def test_who_was_invited_and_never_came_has_no_page(server: Server, enter: Enter, stranger: Browser) -> None:
    """Their name is the beginning of an address typed by another person."""
    over(server)
    guest = person(server.database, "Zebulon")
    stranger.get(f"/players/{guest}", 404)
    assert "Nobody with such a name" in stranger.get("/archive?name=zeb")
    zebulon = enter("zebulon")
    assert "No game is over yet." in zebulon.get(f"/players/{guest}")
