"""The pages around seasons: what if, the draft of the next event, ladders, ratings, earlier results."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from app.house import House
from app.services.leagues import endings, events, rate, seasons
from tests.app.test_leagues import event, people, published, read, resign_all
from tests.app.test_seasons import league, names, play
from tests.support.forms import Page
from tests.support.people import Browser, everything
from tests.support.tables import NOW

Enter = Callable[..., Browser]
BOTH = pytest.mark.parametrize("place", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True)


def send(browser: Browser, path: str, expected: int = 200, **values: Any) -> str:
    """Fill in the form of the last page that has a hidden `once`, and send it."""
    form = Page(browser.page.get_data(as_text=True)).form("once")
    data: dict[str, Any] = {}
    for name, value in form.fill(**values):
        data.setdefault(name, []).append(value)
    data.pop("csrf_token")
    return browser.post(path, expected, **data)


@BOTH
def test_the_next_season_over_http(home: House, enter: Enter, stranger: Browser) -> None:
    who = people(home.database, 8)
    now = league(home.database, who)
    path = f"/events/{now.id}/next"
    owner = enter("p0")
    running = owner.get(path)
    assert "The event still runs" in running and 'value="make"' not in running
    play(home.database, now, who[0])
    endings.finish(home.database, now.id, who[0], now=NOW)
    assert f'href="{path}"' in owner.get(f"/events/{now.id}/manage")
    before = everything(home)
    page = owner.get(path)
    proposal = read(home.database, lambda c: seasons.propose(c, now, seasons.usual(c, now), NOW))
    best, last = proposal.finals[0].order[0], proposal.finals[1].order[-1]
    assert page.count("<small>goes up</small>") == 1 and page.count("<small>goes down</small>") == 1
    wanted: dict[str, Any] = {"act": "look", "leave": [str(best)], f"to__{last}": "1"}
    looked = send(owner, path, **wanted)
    assert "changed by your plan" in looked and "An organiser" in looked
    assert everything(home) == before, "looking writes nothing"
    refused = send(owner, path, 422, act="look", least="9", most="3")
    assert 'role="alert"' in refused and "smallest division" in refused
    owner.get(path)
    made = send(owner, path, act="make", leave=[str(best)], season="Spring 2027")
    assert "being prepared" in made
    event_id = int(re.search(r"/events/(\d+)/manage", owner.page.request.path)[1])  # type: ignore[index]
    assert sorted(player for _, players in names(home.database, event_id) for player in players) == sorted(
        set(who) - {best}
    )
    stranger.get(path, 303)
    other = enter("p1")
    other.get(path, 403)
    assert read(home.database, lambda c: events.get(c, event_id)).season == "Spring 2027"


def test_a_profile_shows_ratings_and_how_they_came_about(home: House, stranger: Browser) -> None:
    who = people(home.database, 4)
    now = event(home.database, who, "round_robin")
    for _ in range(3):
        resign_all(home.database, published(home.database, now, who[0]))
    rate.recompute(home.database, "ferry")
    best = read(home.database, lambda c: rate.table(c, "ferry", "glicko2"))[0]
    page = stranger.get(f"/players/{best.player_id}")
    assert f"<strong>{round(best.rating)}</strong> ± {round(best.deviation)}" in page and "3 rated games" in page
    assert '<svg class="rating"' in page and page.count('<td class="up">') >= 1
