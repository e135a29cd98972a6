"""`postroad league club` and `postroad league season`: a club founded, the next season tried out and drafted."""

from __future__ import annotations

import pytest

from app.games.work import Work
from app.leagues.seasons import endings
from app.people.accounts import find_or_add
from app.server.commands.common import open_server
from tests.support.commands import Run, data
from tests.support.events import league, play
from tests.support.people import everything
from tests.support.tables import NOW


def test_a_club_is_founded_with_its_owner(run: Run) -> None:
    made = data(run("club", "new", "nantes", "--name", "Nantes", "--owner", "New@example.org", "--zone", "Europe/Paris",
                    "--json"))  # fmt: skip
    assert made == {"club": "nantes", "page": "/clubs/nantes"}
    listed = data(run("club", "list", "--json"))
    assert [(one["club"], one["zone"]) for one in listed] == [("nantes", "Europe/Paris"), ("vendee", "UTC")]
    (owner,) = data(run("members", "list", "nantes", "--json"))
    assert (owner["address"].lower(), owner["role"], owner["status"]) == ("new@example.org", "owner", "member")
    assert "nantes  Nantes" in run("club", "list").output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("vendee", "--name", "X", "--owner", "a@example.org"), "There is a club at"),
        (("Not a slug", "--name", "X", "--owner", "a@example.org"), "small letters"),
        (("x", "--name", "X", "--owner", "nobody"), "is not an email address"),
        (("x", "--name", "X", "--owner", "a@example.org", "--language", "tlh"), "The languages are"),
    ],
)
def test_a_club_that_cannot_be(run: Run, words: tuple[str, ...], said: str) -> None:
    with open_server() as server:
        before = everything(server)
    result = run("club", "new", *words)
    assert result.exit_code == 1 and said in result.output
    with open_server() as server:
        assert everything(server) == before, "no owner without a club"


@pytest.fixture
def played(run: Run) -> tuple[Run, int, list[int]]:
    """A league of two divisions of four, over."""
    with open_server() as server:
        with Work(server.database) as work:
            found = [find_or_add(work.session, f"p{n}@example.org", now=NOW) for n in range(9)]
            work.session.flush()
            who = [player.id or 0 for player in found]
            work.commit()
        with server.database.write() as session:
            session.connection().exec_driver_sql("UPDATE club SET slug = 'other', name = 'Other'")
            session.commit()
        now = league(server.database, who[:8])
        play(server.database, now, who[0])
        endings.finish(server.database, now.id, who[0], now=NOW)
    return run, now.id, who


def test_the_next_season_is_tried_out_and_drafted(played: tuple[Run, int, list[int]]) -> None:
    run, number, who = played
    usual = data(run("season", "plan", str(number), "--json"))
    first, second = usual["divisions"]
    assert [len(first["players"]), len(second["players"])] == [4, 4] and usual["leaving"] == []
    moves = [one["move"] for part in usual["divisions"] for one in part["players"]]
    assert sorted(moves) == ["down", *["same"] * 6, "up"]
    best = next(one for one in first["players"] if one["move"] == "same")
    address = f"p{who.index(best['player'])}@example.org"
    last = second["players"][-1]["player"]
    tried = data(
        run("season", "plan", str(number), "--leave", address, "--to", f"{last}:1", "--sizes", "4,3", "--json")
    )
    assert [one["player"] for one in tried["leaving"]] == [best["player"]]
    assert last in [one["player"] for one in tried["divisions"][0]["players"]]
    assert [one["id"] for one in data(run("event", "list", "vendee", "--json"))] == [number], "nothing is written"
    assert "leaves: " in run("season", "plan", str(number), "--leave", address).output
    options = ("--season", "Spring 2027", "--leave", address, "--token", "onceonly1", "--json")
    made = data(run("season", "make", str(number), *options))["event"]
    assert data(run("season", "make", str(number), *options)) == {"event": made}, "given twice"
    shown = data(run("event", "show", str(made), "--json"))
    assert (shown["status"], shown["season"], len(shown["entries"])) == ("draft", "Spring 2027", 7)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--leave", "nobody@example.org"), 1, "Nobody of the event or the club"),
        (("--sizes", "4,x"), 2, "whole numbers"),
        (("--moving", "1:2"), 2, "LEVEL:UP:DOWN"),
        (("--to", "p1@example.org:0"), 1, "counted from 1"),
        (("--least", "9", "--most", "3"), 1, "smallest division"),
    ],
)
def test_a_plan_that_cannot_be(
    played: tuple[Run, int, list[int]], words: tuple[str, ...], status: int, said: str
) -> None:
    run, number, _ = played
    result = run("season", "plan", str(number), *words)
    assert result.exit_code == status and said in result.output


def test_who_may_draft_and_of_what(played: tuple[Run, int, list[int]]) -> None:
    run, number, _ = played
    refused = run("season", "make", str(number), "--season", "2027", "--as", "p3@example.org")
    assert refused.exit_code == 1 and "needs the role" in refused.output
    assert run("season", "plan", "99").exit_code == 1
    made = data(run("season", "make", str(number), "--season", "2027", "--json"))["event"]
    assert "has not been played" in run("season", "plan", str(made)).output
