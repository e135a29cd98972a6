"""Ladders and knock-outs in their own order: as CSV, JSON, on paper, in a frame, by the command."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser as Chromium

from app.base.server import Server
from app.leagues.changes import leaving
from app.leagues.events import round_rows
from app.leagues.rounds import final_places
from app.leagues.seasons import next_season
from app.play.agreed import results
from tests.support import pressed
from tests.support.events import event, people, play_round, read
from tests.support.ladder import order as ladder_order
from tests.support.ladder import played as challenge_played
from tests.support.people import Browser, Enter
from tests.support.served import SIZES, overflow, violations
from tests.support.tables import NOW, write


def forms_of(stranger: Browser, number: int) -> tuple[list[list[str]], list[dict[str, Any]], str, str]:
    """Return the rows of the CSV, the divisions of the JSON, the page to print and the table to embed."""
    base = f"/events/{number}"
    rows = list(csv.reader(io.StringIO(stranger.get(f"{base}/standings.csv"))))
    data = json.loads(stranger.get(f"{base}/standings.json"))
    return rows, data["divisions"], stranger.get(f"{base}/print"), stranger.get(f"{base}/embed")


def test_a_ladder_is_shown_in_its_order(server: Server, stranger: Browser) -> None:
    who = people(server.database, 4)
    now = event(server.database, who, "ladder", reach=3)
    before = ladder_order(server.database, now.id)
    challenge_played(server.database, now.id, before[3], before[0], before[0])
    order = [f"p{who.index(player)}" for player in (before[3], *before[:3])]
    rows, (division,), paper, frame = forms_of(stranger, now.id)
    assert rows[0] == ["division", "place", "name", "withdrawn_after"]
    assert [row[1:3] for row in rows[1:]] == [[str(at), name] for at, name in enumerate(order, 1)]
    assert [(line["place"], line["name"]) for line in division["standings"]] == list(enumerate(order, 1))
    assert [len(round["matches"]) for round in division["rounds"]] == [1]
    for page in (paper, frame):
        places = [page.index(f'class="who">{name}<') for name in order]
        assert places == sorted(places) and "Pts" not in page
    assert "<form" not in frame


def test_who_has_left_a_ladder_is_named_below_it(server: Server, stranger: Browser) -> None:
    who = people(server.database, 4)
    now = event(server.database, who, "ladder", reach=3)
    assert "Withdrawn" not in stranger.get(f"/events/{now.id}")
    leaving.withdraw(server.database, now.id, who[2], who[2], reason="", now=NOW)
    page = stranger.get(f"/events/{now.id}")
    assert '<h3>Withdrawn</h3><ul class="names"><li>p2</li></ul>' in page and page.count("p2") == 1


def test_who_has_left_a_knock_out_is_marked_with_the_round(server: Server, stranger: Browser) -> None:
    who = people(server.database, 4)
    now = event(server.database, who, "knockout")
    play_round(server.database, now.divisions[0].id, who[0])
    leaving.withdraw(server.database, now.id, who[3], who[3], reason="", now=NOW)
    rows, (division,), paper, frame = forms_of(stranger, now.id)
    for shown in (stranger.get(f"/events/{now.id}"), paper, frame):
        assert shown.count('class="who">p3 <small>withdrawn after round 1</small></th>') == 1
    assert {row[2]: row[3] for row in rows[1:]} == {"p0": "", "p1": "", "p2": "", "p3": "1"}
    assert {line["name"]: line["withdrawn_after"] for line in division["standings"]}["p3"] == 1


def test_a_knock_out_is_shown_with_the_places_reached(server: Server, enter: Enter, stranger: Browser) -> None:
    who = people(server.database, 4)
    now = event(server.database, who, "knockout", third_place=True)
    assert "still in" in stranger.get(f"/events/{now.id}/embed")
    assert "Come as a reserve" in enter("p9").get(f"/events/{now.id}")
    play_round(server.database, now.divisions[0].id, who[0])
    rows, (division,), paper, frame = forms_of(stranger, now.id)
    assert [row[1] for row in rows[1:]] == ["", "", "", ""], "the losers play for third place"
    assert "Semi-finals" in paper and "goes through" in paper and "still in" in frame
    play_round(server.database, now.divisions[0].id, who[0])
    rows, (division,), paper, frame = forms_of(stranger, now.id)
    page = stranger.get(f"/events/{now.id}")
    for shown in (page, paper, frame):
        assert shown.count('class="standings') == shown.count('class="standings reached"') == 1, "no table of points"
        assert shown.index("Third place") and "Crosstable" not in shown and "Why in this order" not in shown
    assert page.count("Why these pairings") == 2, "a link for each round"
    assert "½§ set by a ruling." not in page and "Come as a reserve" not in enter("p9").get(f"/events/{now.id}")
    write(
        server.database,
        sa.text("UPDATE event_match SET source = 'ruling' WHERE id = (SELECT min(id) FROM event_match)"),
    )
    assert "<span>1§</span>" in stranger.get(f"/events/{now.id}"), "club review, Minor"
    assert [row[1] for row in rows[1:]] == ["1", "2", "3", "4"] and rows[0][:3] == ["division", "place", "name"]
    assert [line["place"] for line in division["standings"]] == [1, 2, 3, 4]
    semis, finals = division["bracket"]
    assert [len(semis), len(finals)] == [2, 2] and [one["for_third_place"] for one in finals] == [False, True]
    champion = division["standings"][0]
    assert finals[0]["winner"] == champion["entry"] and champion["name"] == rows[1][2]
    assert f'<td>1</td><th scope="row" class="who">{champion["name"]}<' in frame and "still in" not in frame


def test_who_is_still_in_stands_above_who_went_out(server: Server, stranger: Browser) -> None:
    who = people(server.database, 6)
    now = event(server.database, who, "knockout")
    play_round(server.database, now.divisions[0].id, who[0])
    order = [one.name for _, one in read(server.database, lambda c: final_places.tables(c, now, NOW))[0].lines]
    page = stranger.get(f"/events/{now.id}")
    table = page[page.index('<table class="standings') :]
    assert [table.index(f'class="who">{name}<') for name in order] == sorted(
        table.index(f'class="who">{name}<') for name in order
    )
    assert "still in" in table and "Pts" not in table, "not by points: who needed no game to go through has none"
    [(_, entries_then)] = read(server.database, lambda c: next_season.final_order(c, now, NOW))
    lines = read(server.database, lambda c: final_places.tables(c, now, NOW))[0].lines
    assert entries_then == [one.id for _, one in lines], "what would follow if it ended now"


def test_finals_stand_before_the_groups(server: Server, stranger: Browser) -> None:
    who = people(server.database, 6)
    now = event(server.database, who, "stages", groups=2, through=1)
    rows, divisions, _, _ = forms_of(stranger, now.id)
    assert [one["division"] for one in divisions] == [one.name for one in now.divisions[1:]], "no finals yet"
    for group in now.divisions[1:]:
        for _ in range(3):
            play_round(server.database, group.id, who[0])
    play_round(server.database, now.divisions[0].id, who[0])
    rows, divisions, paper, _ = forms_of(stranger, now.id)
    assert [one["division"] for one in divisions] == [one.name for one in now.divisions]
    assert [row[1] for row in rows[1:3]] == ["1", "2"] and {len(row) for row in rows} == {len(rows[0])}
    assert len(rows) == 1 + 2 + 6 and "bracket" in divisions[0] and set(divisions[1]["tie_breaks"]) <= set(rows[0])
    assert paper.count("Crosstable of") >= 2
    page = stranger.get(f"/events/{now.id}")
    places = [page.index(f'<section id="d{one.id}">') for one in now.divisions]
    assert places == sorted(places) and page.index("Places reached") < places[1] < page.index("Crosstable of")
    assert page.count("Why these pairings") == 1 + 3 + 3, "those of the finals too"


def test_who_gives_the_final_up_is_second(server: Server) -> None:
    who = people(server.database, 2)
    now = event(server.database, who, "knockout")
    round_id = pressed.pair(server.database, now.divisions[0].id, who[0], now=NOW)
    pressed.publish(server.database, round_id, who[0], 1, now=NOW)
    (match,) = read(server.database, lambda c: round_rows.get(c, round_id)).matches
    results.resign(server.database, match.game_id or 0, match.seats[0].player_id, now=NOW)
    pressed.close(server.database, round_id, who[0], now=NOW)
    pressed.finish(server.database, now.id, who[0], now=NOW)
    (order,) = read(server.database, lambda c: final_places.tables(c, now, NOW))
    assert [(place, one.player_id) for place, one in order.lines] == [
        (1, match.seats[1].player_id), (2, match.seats[0].player_id)
    ]  # fmt: skip


@pytest.mark.browser
@pytest.mark.parametrize("size", ["phone", "desk"])
def test_brackets_and_orders_fit_and_are_accessible(server: Server, served: str, browser: Chromium, size: str) -> None:
    who = people(server.database, 9)
    now = event(server.database, who, "knockout", third_place=True)
    play_round(server.database, now.divisions[0].id, who[0])
    base = f"{served}/events/{now.id}"
    page = browser.new_page(viewport=SIZES[size])
    for path in (base, f"{base}/print", f"{base}/embed"):
        page.goto(path)
        assert overflow(page) == 0 and (size == "phone" or violations(page) == []), path
    fits = page.locator(".bracket").evaluate("it => it.parentElement.scrollWidth <= it.parentElement.clientWidth")
    assert page.locator(".bracket").is_visible() == (size == "desk") and fits, "drawn in a frame where it fits"
