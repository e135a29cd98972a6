"""Rounds are found by their number in the event; addresses in older mails lead to the right one, or ask."""

from __future__ import annotations

import re

import sqlalchemy as sa

from app.base.server import Server
from app.leagues.events import round_rows
from app.leagues.tables import Competition, CompetitionRound
from tests.support import pressed
from tests.support.events import event, league, people, planned, play_round, published, read, started
from tests.support.people import BOTH, Browser, Enter
from tests.support.tables import NOW


def one_more(server: Server, first: Competition, who: list[int]) -> Competition:
    """Another Swiss event of the club, which runs."""
    made = planned(server.database, first.club_id, who[0], "swiss", name="Plate", rounds=9)
    return started(server.database, made, who[0], who)


def heading(page: str) -> str:
    found = re.search(r"<h2>(Round \d+)", page)
    return found[1] if found else ""


def from_before(server: Server, *rows: int) -> None:
    with server.database.write() as session:
        old = sa.update(CompetitionRound).where(CompetitionRound.id.in_(rows))  # type: ignore[attr-defined]
        session.execute(old.values(was_by_row=True))
        session.commit()


def test_a_round_is_found_by_its_number(server: Server, stranger: Browser, enter: Enter) -> None:
    who = people(server.database, 4)
    cup = event(server.database, who, "swiss", rounds=3)
    play_round(server.database, cup.divisions[0].id, who[0])
    plate = one_more(server, cup, who)
    first, second = (play_round(server.database, plate.divisions[0].id, who[0]) for _ in range(2))
    assert (first.id, second.id) == (2, 3), "the rows of the server"
    page = f"/events/{plate.id}/rounds"
    assert heading(stranger.get(f"{page}/1")) == "Round 1" and heading(stranger.get(f"{page}/2")) == "Round 2"
    stranger.get(f"{page}/3", 404)
    draft = pressed.pair(server.database, plate.divisions[0].id, who[0], now=NOW)
    assert read(server.database, lambda c: round_rows.place_of(c, draft)) == "rounds/3"
    stranger.get(f"{page}/3", 404)
    assert f"{page}/3/publish" in enter("p0").get(f"{page}/3")


@BOTH
def test_an_address_of_before_leads_to_its_round_or_asks(server: Server, stranger: Browser, enter: Enter) -> None:
    who = people(server.database, 4)
    cup = event(server.database, who, "swiss", rounds=3)
    play_round(server.database, cup.divisions[0].id, who[0])
    plate = one_more(server, cup, who)
    one, two = (play_round(server.database, plate.divisions[0].id, who[0]) for _ in range(2))
    from_before(server, 1, one.id, two.id)
    page = f"/events/{plate.id}"
    stranger.get(f"{page}/rounds/{two.id}", 303)
    assert stranger.page.headers["Location"] == f"{page}/divisions/1/rounds/2", "the second row was the first round"
    stranger.get(f"{page}/rounds/99", 404)
    three = published(server.database, plate, who[0])
    asks = stranger.get(f"{page}/rounds/3")
    assert f'href="{page}/divisions/1/rounds/3"' in asks and heading(asks) == ""
    assert three.place == "divisions/1/rounds/3" and heading(stranger.get(f"{page}/{three.place}")) == "Round 3"
    boss = enter("p0")
    boss.get(f"{page}/{three.place}")
    boss.post(f"{page}/rounds/3/close", 404)
    assert read(server.database, lambda c: round_rows.get(c, three.id)).closed_at is None


def test_with_divisions_the_address_has_the_division(server: Server, stranger: Browser) -> None:
    who = people(server.database, 8)
    now = league(server.database, who)
    places = []
    for division in now.divisions:
        places.append(play_round(server.database, division.id, who[0]).place)
    assert places == ["divisions/1/rounds/1", "divisions/2/rounds/1"]
    asks = stranger.get(f"/events/{now.id}/rounds/1")
    assert all(f'href="/events/{now.id}/{place}"' in asks for place in places)
    assert "Second" in stranger.get(f"/events/{now.id}/{places[1]}")
    stranger.get(f"/events/{now.id}/divisions/3/rounds/1", 404)
