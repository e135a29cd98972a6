"""What a club remembers: winners, records and a player's card are those of the games; dates go out as a calendar."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from app.leagues.results.records import AtTables, Career, Score, best_of, met_most
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


def test_a_career_counts_games_sides_opponents_and_streaks() -> None:
    career = Career()
    for own, other, place, opponent in ((1, 0, 0, 5), (1, 0, 1, 5), (0, 1, 0, 6), (1, 0, 0, 6), ("1/2", "1/2", 1, 6)):
        career.add("ferry", place, opponent, Fraction(own), Fraction(other), season="2025" if opponent == 5 else "2026")
    assert career.seasons == {"2025": Score(2, 0, 0), "2026": Score(1, 1, 1)}
    assert career.score == Score(3, 1, 1) and career.score.games == 5
    assert career.sides == {("ferry", 0): Score(2, 0, 1), ("ferry", 1): Score(1, 1, 0)}
    assert career.against == {5: Score(2, 0, 0), 6: Score(1, 1, 1)}
    assert (career.longest, career.streak) == (2, 0)


def test_the_best_of_a_side_has_the_greatest_share_and_pairs_are_told_once() -> None:
    ann, bea, cleo = Career(), Career(), Career()
    for own, other in ((1, 0), (0, 1), (1, 0), ("1/2", "1/2")):
        ann.add("ferry", 0, 2, Fraction(own), Fraction(other))
        bea.add("ferry", 1, 1, Fraction(other), Fraction(own))
    for _ in range(3):
        cleo.add("ferry", 0, 4, Fraction(1), Fraction(0))
    cleo.add("ferry", 1, 4, Fraction(1), Fraction(0))
    careers = {1: ann, 2: bea, 3: cleo}
    best = best_of({who: one.sides for who, one in careers.items()})
    assert [who for who, _ in best["ferry", 0]] == [3, 1] and [who for who, _ in best["ferry", 1]] == [2]
    assert met_most(careers) == [(1, 2, Score(2, 1, 1)), (3, 4, Score(4, 0, 0))]


def test_at_tables_count_first_places_and_the_opponents_left_behind() -> None:
    there = AtTables().after(Fraction(1), [Fraction(2, 3), Fraction(1, 3), Fraction(0)])
    there = there.after(Fraction(1, 2), [Fraction(1), Fraction(1, 2), Fraction(0)])
    assert there == AtTables(2, 1, Fraction(3, 2)) and there.share == Fraction(3, 4)
    there = there.after(Fraction(1), [Fraction(1), Fraction(0)])
    assert there == AtTables(3, 2, Fraction(9, 4)), "a shared first place is one"
    careers = {1: Career(tables={"new-world": there}), 2: Career(tables={"new-world": AtTables(3, 3, Fraction(3))}),
               3: Career(tables={"new-world": AtTables(2, 2, Fraction(2))})}  # fmt: skip
    assert [who for who, _ in best_of({who: one.tables for who, one in careers.items()})["new-world"]] == [2, 1]


def test_games_of_more_than_two_have_records_of_their_own(world: World, olga: Browser) -> None:
    join(world, olga, "ann", "bea", "cleo")
    lines = "\n".join(f"Tables,{n},ann,bea,cleo,1,0.5,0" for n in (1, 2, 3))
    heading = "event,round,player1,player2,player3,points1,points2,points3"
    _store(world, "new-world", f"{heading}\n{lines}")
    olga.get(f"{CLUB}/history")
    page = html_of(olga)
    assert "At tables of three and more" in page and "Met most often" not in page
    for words in ("first in 3, ahead of 100 of 100", "first in 0, ahead of 50 of 100", "first in 0, ahead of 0 of 100"):
        assert f"3 games: {words} opponents" in page
    for name in ("ann", "bea"):
        card = re.search(rf'href="([^"]+/players/[0-9]+)">{name}<', page)
        assert card
        olga.get(card[1])
        assert "At tables of three and more" in html_of(olga) and "0 games" not in html_of(olga)


def test_winners_records_a_card_and_the_calendar_are_for_everybody(world: World, olga: Browser) -> None:
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
    assert "Met most often" in page and "Trophies" in page
    assert "Shield" in page and "2 games" in page and "5 games: 3 won, 1 drawn, 1 lost" in page and "@" not in page
    card = page[page.index("/players/") :].partition('"')[0]
    guest.get(f"{CLUB}{card}")
    page = html_of(guest)
    assert "<h1>ann</h1>" in page and "1 title" in page and "place 1 of 3" in page and "@example" not in page
    assert "place 2 of 2" in page and page.count('class="cup') == 1, "of two the second has no trophy"
    assert page.index('<th scope="row" class="who">2025</th>') < page.index('<th scope="row" class="who">2024</th>')
    assert guest.client.get(f"{CLUB}/players/99999", headers=guest.headers).status_code == 404
    dates = guest.client.get(f"{CLUB}/dates.ics", headers=guest.headers)
    assert dates.mimetype == "text/calendar" and "SUMMARY:Cup: sign-up ends" in dates.text and event in dates.text
    assert re.search(r"\r\nLAST-MODIFIED:[0-9TZ]+\r\nSEQUENCE:[0-9]+\r\n", dates.text)
