"""The desk of the operators, the link that claims a game, and the pace in the form of a new table."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from app.base.server import Server
from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import Pace, Stage, read_pace
from app.games.tables import Game
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.time import pending
from app.time.tables import Case
from tests.support.people import BASE, Browser, Enter, PostOffice, everything, text_of
from tests.support.tables import load, start, write

NOW = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
DAY = timedelta(days=1)
CLAIM = Pace(decision=DAY_SECONDS, stages=(Stage(0, "flagged", ("claim",)),))
ORGANISER = Pace(decision=DAY_SECONDS, stages=(Stage(0, "flagged", ("organiser",)),))


def late_game(server: Server, pace: Pace, seats: int = 2, title: str = "ferry") -> tuple[int, int]:
    """Return a game whose deadline passed a minute ago, and its case."""
    game_id = start(server.database, title, seats, pace=pace, now=NOW - DAY)
    with server.database.write() as session:
        session.execute(sa.update(Player).values(auto_leave=False))
        pending.start_clock(session, game_id, load_number(session, game_id), NOW - DAY)
        session.commit()
    assert sweep_cases(server.database, NOW) == 1
    with server.database.read() as session:
        case_id = session.scalars(sa.select(Case.id).where(Case.game_id == game_id)).one()
    assert case_id is not None
    return game_id, case_id


def load_number(session: Session, game_id: int) -> int:
    return session.scalars(sa.select(Game.number).where(Game.id == game_id)).one()


def operator(server: Server, enter: Enter, who: str = "olga") -> Browser:
    browser = enter(who)
    write(server.database, sa.update(Player).where(Player.address == f"{who}@example.org").values(role="operator"))
    return browser


# -- claiming -------------------------------------------------------------------------------------------


def test_the_opponent_claims_by_the_link_of_the_mail(server: Server, post: PostOffice, stranger: Browser) -> None:
    game_id, _ = late_game(server, CLAIM)
    mail = post.last("bob@example.org", "claim")
    assert mail["Subject"] == "You may claim Ferry against alice · #1"
    link = post.link("bob@example.org", "claim")
    before = everything(server)
    for _ in range(3):
        assert "you have won on time" in stranger.get(link)
    assert everything(server) == before, "looking changes nothing"
    assert "Choose one of what is offered" in stranger.post(link, 422)
    assert "Choose one of what is offered" in stranger.post(link, 422, answer="wait"), "nobody needs to say it"
    assert "The game is over, and you have won on time." in stranger.post(link, answer="claim")
    assert load(server.database, game_id).is_over
    assert "nothing to claim any more" in stranger.post(link, 410, answer="claim")
    assert "nothing to claim any more" in stranger.get(link, 410)
    assert str(post.last("alice@example.org")["Subject"]).startswith("You lost.")


def test_a_changed_link_claims_nothing(server: Server, post: PostOffice, stranger: Browser) -> None:
    late_game(server, CLAIM)
    link = post.link("bob@example.org", "claim")
    stranger.get(link[:-2] + ("xx" if link[-2:] != "xx" else "yy"), 404)
    for payload in ([1], ["1", "blue", 2], [1, "blue", 1], [99, "blue", 2], [1, "red", 2]):
        stranger.get(
            f"/claim/{server.links.sign('claim', payload)}", 404 if len(payload) < 3 or payload[0] == "1" else 410
        )


def test_of_three_the_others_go_on(server: Server, post: PostOffice, stranger: Browser) -> None:
    game_id, _ = late_game(server, CLAIM, 3, "new-world")
    link = post.link("carol@example.org", "claim")
    assert "leaves it, and you others go on" in stranger.get(link)
    assert "The late player has left the game" in stranger.post(link, answer="claim")
    assert load(server.database, game_id).status == "running"
    assert "You have left Carcassonne: New World" in " ".join(post.subjects("alice@example.org"))
    stranger.get(post.link("bob@example.org", "claim"), 410)


# -- the page of the game ---------------------------------------------------------------------------------


def test_the_page_of_the_game_tells_the_pace_the_case_and_what_has_happened(server: Server, enter: Enter) -> None:
    game_id, case_id = late_game(server, CLAIM)
    page = enter("bob").get(f"/games/{game_id}")
    assert "Pace: 1 day for each move" in page and "alice is late." in page
    assert "the others may claim the game or wait" in page
    assert "The time of alice is over: the others may claim the game, or wait." in page
    assert 'href="/claim/' in page and f'href="/cases/{case_id}"' not in page
    own = enter("alice").get(f"/games/{game_id}")
    assert 'href="/claim/' not in own and "alice is late." in own
    assert f'href="/cases/{case_id}"' in operator(server, enter).get(f"/games/{game_id}")


# -- the desk -----------------------------------------------------------------------------------------------


@pytest.mark.quick
def test_an_operator_rules_once(server: Server, enter: Enter, post: PostOffice) -> None:
    olga = operator(server, enter)
    game_id, case_id = late_game(server, ORGANISER)
    assert f"{BASE}/cases/{case_id}" in text_of(post.last("olga@example.org"))
    listed = olga.get("/cases")
    assert f'href="/cases/{case_id}"' in listed and "waits for a ruling" in listed
    page = olga.get(f"/cases/{case_id}")
    assert "alice@example.org" in page and "turn" in page and "in the mailbox" in page
    assert "Say why" in olga.post(f"/cases/{case_id}", 422, ruling="extend", days="3")
    again = olga.post(f"/cases/{case_id}", 422, ruling="extend", days="x", reason="Ill & away")
    assert "Ill & away" in again and "whole number from 1 to 60" in again
    assert "Your ruling holds" in olga.post(f"/cases/{case_id}", ruling="extend", days="3", reason="Ill & away")
    due = load(server.database, game_id).deadline_at
    for _ in range(3):
        text = olga.post(f"/cases/{case_id}", 409, ruling="extend", days="3", reason="Ill & away")
        assert "settled already" in text
    assert load(server.database, game_id).deadline_at == due
    assert len([s for s in post.subjects("bob@example.org") if s == "A ruling in Ferry · #1"]) == 1
    assert "alice was given more time: “Ill & away”" in enter("bob").get(f"/games/{game_id}")
    assert "There are none." in olga.get("/cases")


def test_nobody_else_sees_the_desk(server: Server, enter: Enter, stranger: Browser) -> None:
    _, case_id = late_game(server, ORGANISER)
    bob = enter("bob")
    for path in ("/cases", f"/cases/{case_id}"):
        bob.get(path, 403)
        stranger.get(path, 303)
    bob.get("/games")
    bob.post(f"/cases/{case_id}", 403, ruling="forfeit", reason="I want to win")
    assert "/cases" not in bob.get("/games")


def test_cases_that_do_not_exist(server: Server, enter: Enter) -> None:
    olga = operator(server, enter)
    for path in ("/cases/7", f"/cases/{2**31}", f"/cases/{10**30}"):
        olga.get(path, 404)
    olga.get("/cases")
    olga.post("/cases/7", 404, ruling="void", reason="why")
    late_game(server, ORGANISER)
    assert "form has expired" in olga.post("/cases/1", 400, ruling="void", reason="why", csrf_token="x")


# -- the form of a new table --------------------------------------------------------------------------------


def table(alice: Browser, **form: Any) -> int:
    alice.get("/games/new/ferry")
    alice.post("/games/new/ferry", **{"offer__red": "me", "offer__blue": "open", "days": "7", **form})
    return int(alice.page.request.path.rpartition("/")[2])


def pace_of(server: Server, game_id: int) -> Pace:
    with server.database.read() as session:
        return read_pace(session.scalars(sa.select(Game.pace).where(Game.id == game_id)).one())


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"days": "3"}, "3 days for each move"),
        ({"pace": "fischer"}, "20 days for all moves, 1 day more after each turn, at most 30 days"),
        ({"pace": "week-weekends"}, "7 days for each move, Saturday and Sunday free, days of Europe/Paris"),
        (
            {"days": "3", "pace__off": ["sat", "sun"], "pace__hour": "20:00"},
            "3 days for each move, Saturday and Sunday free, until 20:00 Europe/Paris",
        ),
        (
            {"days": "1", "pace__off": "fri", "pace__zone": "Asia/Kathmandu"},
            "1 day for each move, Friday free, days of Asia/Kathmandu",
        ),
        (
            {"days": "2", "pace__bank": "10", "pace__increment": "1", "pace__cap": "12", "pace__free": "6"},
            "2 days for each move, the first 6 hours of each move free, "
            "a bank of 10 days besides, 1 day more after each turn, at most 12 days",
        ),
        ({"pace": "correspondence"}, "10 days for each move"),
    ],
)
def test_a_table_says_its_pace(server: Server, enter: Enter, form: dict[str, Any], words: str) -> None:
    alice = enter("alice")
    write(server.database, sa.update(Player).values(zone="Europe/Paris"))
    game_id = table(alice, **form)
    assert f"Pace: {words}" in alice.get(f"/games/{game_id}")


def test_what_follows_a_deadline_can_be_chosen(server: Server, enter: Enter) -> None:
    alice = enter("alice")
    game_id = table(alice, pace="day", pace__course="strict")
    assert pace_of(server, game_id).stages[-1] == Stage(3600, "flagged", ("forfeit",))
    page = alice.get(f"/games/{game_id}")
    assert "When a deadline passes" in page and "all players are told; 1 hour later: the game is lost" in page


@pytest.mark.parametrize(
    "form",
    [
        {"days": "0"}, {"days": ""}, {"pace": "", "days": "x"}, {"pace__hour": "25:00"}, {"pace__zone": "Mars/Olympus"},
        {"pace__off": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]}, {"pace__off": "funday"},
        {"pace__bank": "-1"}, {"pace__bank": "x"}, {"pace__bank": "367"},
        {"pace__bank": "5", "pace__cap": "2"}, {"pace__increment": "1"},
    ],
)  # fmt: skip
def test_a_pace_that_makes_no_sense_comes_back_filled(server: Server, enter: Enter, form: dict[str, Any]) -> None:
    alice = enter("alice")
    alice.get("/games/new/ferry")
    before = everything(server)
    filled = {"offer__red": "me", "offer__blue": "open", "days": "7", "pace__free": "3", **form}
    page = alice.post("/games/new/ferry", 422, **filled)
    assert 'role="alert"' in page and 'name="pace.free" type="number" min="0" max="366" value="3"' in page
    after = everything(server)
    assert after["game"] == before["game"]


@pytest.mark.parametrize("language", ["fr", "es", "it"])
def test_the_pages_are_in_the_reader_s_language(server: Server, enter: Enter, post: PostOffice, language: str) -> None:
    olga = operator(server, lambda who: enter(who, language=language))
    game_id, case_id = late_game(server, ORGANISER)
    for path in ("/cases", f"/cases/{case_id}", f"/games/{game_id}", "/games/new/ferry"):
        page = olga.get(path)
        assert f'<html lang="{language}">' in page
        for english in ("Cases", "is late", "Pace:", "The clock", "both sides", "Free ", "deadline"):
            assert english not in page, (path, english)
