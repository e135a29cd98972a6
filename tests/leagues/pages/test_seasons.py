"""The pages around seasons: what if, the draft of the next event, ladders, ratings."""

from __future__ import annotations

import re
from typing import Any

from app.base.server import Server
from app.leagues.events import lifecycle, round_rows
from app.leagues.results import event_ratings
from app.leagues.rounds import ladder
from app.leagues.seasons import next_season
from tests.support import pressed
from tests.support.events import club, event, league, names, people, planned, play, published, read, resign_all
from tests.support.forms import Page
from tests.support.people import Browser, Enter, PostOffice, everything
from tests.support.season import season
from tests.support.tables import NOW


def send(browser: Browser, path: str, expected: int = 200, **values: Any) -> str:
    """Fill in the form of the last page that has a hidden `once`, and send it."""
    form = Page(browser.page.get_data(as_text=True)).form("once")
    data: dict[str, Any] = {}
    for name, value in form.fill(**values):
        data.setdefault(name, []).append(value)
    data.pop("csrf_token")
    return browser.post(path, expected, **data)


def test_the_next_season_over_http(server: Server, enter: Enter, stranger: Browser) -> None:
    who = people(server.database, 8)
    now = league(server.database, who)
    path = f"/events/{now.id}/next"
    owner = enter("p0")
    running = owner.get(path)
    assert "The event still runs" in running and 'value="make"' not in running
    play(server.database, now, who[0])
    pressed.finish(server.database, now.id, who[0], now=NOW)
    assert f'href="{path}"' in owner.get(f"/events/{now.id}/manage")
    before = everything(server)
    page = owner.get(path)
    proposal = read(server.database, lambda c: next_season.propose(c, now, next_season.usual(c, now), NOW))
    best, last = proposal.finals[0].order[0], proposal.finals[1].order[-1]
    assert page.count("<small>goes up</small>") == 1 and page.count("<small>goes down</small>") == 1
    table = page.partition("moves")[2].partition("</table>")[0]
    assert table.count('<tr class="up">') == table.count('<tr class="down">') == 1, "who moves, in one table"
    wanted: dict[str, Any] = {"act": "look", "leave": [str(best)], f"to__{last}": "1"}
    looked = send(owner, path, **wanted)
    assert "changed by your plan" in looked and "An organiser" in looked
    assert everything(server) == before, "looking writes nothing"
    refused = send(owner, path, 422, act="look", least="9", most="3")
    assert 'role="alert"' in refused and "smallest division" in refused
    owner.get(path)
    made = send(owner, path, act="make", leave=[str(best)], season="Spring 2027")
    assert "sketch" in made
    event_id = int(re.search(r"/events/(\d+)/manage", owner.page.request.path)[1])  # type: ignore[index]
    assert sorted(player for _, players in names(server.database, event_id) for player in players) == sorted(
        set(who) - {best}
    )
    stranger.get(path, 303)
    other = enter("p1")
    other.get(path, 403)
    assert read(server.database, lambda c: lifecycle.get(c, event_id)).season == "Spring 2027"


def test_an_event_that_ends_early_is_told_from_one_that_is_cancelled(server: Server, enter: Enter) -> None:
    now = season(server.database, 2)
    manage = f"/events/{now.event}/manage"
    boss = enter("p0")
    assert "to end it early with its standings, close the rounds" in boss.get(manage)
    resign_all(server.database, now.round())
    pressed.close(server.database, now.round().id, now.organiser, now=NOW)
    page = boss.get(manage)
    assert "By the terms 2 more rounds are played." in page and "End the event: the standings are final" in page


def test_an_event_that_has_not_started_has_no_next_season(server: Server, enter: Enter) -> None:
    who = people(server.database, 4)
    club_id, terms = club(server.database, who[0]), {"legs": 2}
    made = planned(server.database, club_id, who[0], **terms)
    owner = enter("p0")
    said = owner.get(f"/events/{made}/next", 422)
    assert "An event that has not been played has no next season." in said and "Open sign-up" in said
    for act in ("look", "make"):
        assert "has no next season" in owner.post(f"/events/{made}/next", 422, act=act)


def test_a_profile_shows_ratings_and_how_they_came_about(server: Server, stranger: Browser) -> None:
    who = people(server.database, 4)
    now = event(server.database, who, "round_robin")
    for _ in range(3):
        resign_all(server.database, published(server.database, now, who[0]))
    event_ratings.recompute(server.database, "ferry")
    best = read(server.database, lambda c: event_ratings.table(c, "ferry", "glicko2"))[0]
    page = stranger.get(f"/players/{best.player_id}")
    assert f"<strong>{round(best.rating)}</strong> ± {round(best.deviation)}" in page and "3 rated games" in page
    assert '<svg class="rating"' in page and page.count('<td class="up">') >= 1


def test_a_challenge_is_made_on_the_page_and_accepted_from_the_mail(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    who = people(server.database, 4)
    now = event(server.database, who, "ladder", reach=2)
    path = f"/events/{now.id}"
    there = read(server.database, lambda c: ladder.read(c, now, NOW))
    top = [there.people[entrant] for entrant in there.ladder.order]
    low = enter(top[3].name)
    page = low.get(path)
    assert page.count(">Challenge<") == 2 and "stands 3 places above" in page
    assert "the reach is 2" in low.post(f"{path}/challenge", 422, entry=str(top[0].id))
    page = low.post(f"{path}/challenge", entry=str(top[1].id))
    assert "The challenge is on its way" in page and "Withdraw the challenge" in page
    link, before = post.link(f"{top[1].name}@example.org", "challenge"), everything(server)
    for _ in range(3):
        assert f"{top[3].name} challenges {top[1].name}" in stranger.get(link)
    assert everything(server) == before, "opening a link plays nothing"
    stranger.post(link, 422)
    assert "Decide later" in stranger.post(link, answer="later")
    assert "the game has begun" in stranger.post(link, answer="accept")
    stranger.get(link, 410)
    stranger.get(link[:-2], 404)
    assert "1 open" in low.get(path) or "game 1" in low.get(path)
    two = enter(top[2].name)
    two.get(path)
    two.post(f"{path}/challenge", entry=str(top[0].id))
    first = enter(top[0].name)
    form = Page(first.get(path)).form("made")
    values = {control.name: control.value for control in form.controls if control.kind == "hidden"}
    assert "declined" in first.post(
        f"{path}/challenges/answer", round=values["round"], made=values["made"], answer="decline"
    )
    assert "declined your challenge in Cup" in post.subjects(f"{top[2].name}@example.org")[-1]


def test_a_bracket_is_shown_with_who_goes_through(server: Server, enter: Enter, stranger: Browser) -> None:
    who = people(server.database, 3)
    now = event(server.database, who, "knockout", legs=1, drawn=["extra", "seed"], third_place=True)
    round_id = pressed.pair(server.database, now.divisions[0].id, who[0], now=NOW)
    pressed.publish(server.database, round_id, who[0], 1, now=NOW)
    page = stranger.get(f"/events/{now.id}")
    assert "Semi-finals" in page and "Third place" in page and "no opponent" in page
    resign_all(server.database, read(server.database, lambda c: round_rows.get(c, round_id)))
    assert "won the match by 1 to 0" in stranger.get(f"/events/{now.id}")
    owner = enter("p0")
    assert "one more game" in owner.get(f"/events/{now.id}/rounds/1")
    assert "The deciding games have begun" in owner.post(f"/events/{now.id}/rounds/1/extra")
