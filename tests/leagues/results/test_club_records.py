"""What a club remembers: winners and a player's card are those of the games; dates go out as a calendar."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from tests.support import past_results
from tests.support.people import Browser
from tests.support.world import CLUB, World, html_of, join, prepared

RESULTS = """season,event,round,date,player1,player2,points1,points2
2025,Shield,1,2025-03-01,ann,bea,1,0
2025,Shield,2,2025-04-01,bea,ann,0,1
2025,Shield,3,2025-05-01,ann,bea,1/2,1/2
2025,Shield,3,2025-05-02,bea,cleo,1,0
2025,Shield,3,2025-05-02,cleo,ann,0,1
2024,Old Shield,1,2024-05-01,bea,ann,1,0
"""


def _store(world: World, title: str, text: str) -> None:
    now = datetime.now(UTC)
    past_results.store(world.app.extensions["postroad"].database, 1, 1, title, text, rated=False, now=now)


def test_winners_a_card_and_the_calendar_are_for_everybody(world: World, olga: Browser) -> None:
    join(world, olga, "ann", "bea", "cleo")
    _store(world, "acres", RESULTS)
    until = datetime.now(UTC) + timedelta(days=60)
    event = prepared(world, olga, "ann", "bea", sign_up_until=f"{until:%Y-%m-%d}")
    guest = world.sign_in("guest")
    guest.get(CLUB)
    home = html_of(guest)
    for words in ("Plays A Few Acres of Snow", "Cup: sign-up ends", "place-1", "Shield"):
        assert words in home
    assert "Olga" not in home and "@" not in home, "members are for members"
    guest.get(f"{CLUB}/dates")
    assert f"{until:%b %Y}" in html_of(guest) and "Cup: sign-up ends" in html_of(guest)
    guest.get(f"{CLUB}/history")
    page = html_of(guest)
    assert "Trophies" in page and "Shield" in page and "1 title" in page and "@" not in page
    card = page[page.index("/players/") :].partition('"')[0]
    guest.get(f"{CLUB}{card}")
    page = html_of(guest)
    assert "<h1>ann</h1>" in page and "1 title" in page and "place 1 of 3" in page and "@example" not in page
    assert "place 2 of 2" in page and page.count('class="cup') == 1, "of two the second has no trophy"
    assert page.index("2025") < page.index("2024")
    assert guest.client.get(f"{CLUB}/players/99999", headers=guest.headers).status_code == 404
    dates = guest.client.get(f"{CLUB}/dates.ics", headers=guest.headers)
    assert dates.mimetype == "text/calendar" and "SUMMARY:Cup: sign-up ends" in dates.text and event in dates.text
    assert re.search(r"\r\nLAST-MODIFIED:[0-9TZ]+\r\nSEQUENCE:[0-9]+\r\n", dates.text)
