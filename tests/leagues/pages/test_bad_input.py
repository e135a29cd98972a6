"""How clubs and events answer wrong lists, presses at the wrong time and two organisers at once: a clear sentence with
the right status, and nothing half done. Over HTTP and mail.
"""

from __future__ import annotations

import io
import re
from typing import Any

import pytest

from tests.support.at_once import at_once
from tests.support.forms import Page
from tests.support.people import Browser
from tests.support.world import (
    BOTH,
    CLUB,
    World,
    address,
    drafted,
    form_to,
    html_of,
    join,
    number_in,
    pairings,
    prepared,
    published,
    rows,
    second_organiser,
)  # fmt: skip

# -- lists ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("seat,name\nred,Anna\n", ["Line 2", "Not one member is called “Anna”"]),
        ("address\n", ["no lines below its heading"]),
        ("", ["no lines below its heading"]),
        ('address,name\na@example.org,"Anna\n', ["quotes"]),
        (
            "address,name\na@example.org,Anna\nnobody,Ben\nA@example.org,Again\n",
            ["Line 3", "Line 4", "stands in line 2 already"],
        ),
        ("address,role\na@example.org,king\n", ["Line 2", "The roles are"]),
        ("address,language\na@example.org,xx\n", ["Line 2"]),
    ],
)
def test_a_list_with_a_wrong_line_invites_nobody(world: World, olga: Browser, table: str, said: list[str]) -> None:
    olga.get(f"{CLUB}/members")
    world.deliver()
    before = rows(world)
    is_read = "quotes" not in said and "no lines below its heading" not in said
    page = olga.post(f"{CLUB}/members/list", 200 if is_read else 422, list=table)
    assert all(words in page for words in said), page
    if not is_read:
        typed = form_to(olga, f"{CLUB}/members/list", {}).named("list")[0].value
        assert typed.split() == table.split(), "what was typed is still there"
    elif "column" not in said[0]:
        world.send(olga, f"{CLUB}/members/list/take", 422, do="take")
    assert rows(world) == before and world.deliver() == []


def test_a_file_that_is_no_text_invites_nobody(world: World, olga: Browser) -> None:
    olga.get(f"{CLUB}/members")
    before = rows(world)
    for content, said in ((b"PK\x03\x04", "workbook"), (b"a" * 400_001, "too large")):
        form = {"csrf_token": olga.token, "list": "", "file": (io.BytesIO(content), "members.csv")}
        answer = olga.client.post(f"{CLUB}/members/list", data=form, headers=olga.headers)
        assert answer.status_code == 422 and said in answer.text
    assert rows(world) == before


def test_events_of_unknown_games_and_with_wrong_terms_are_not_made(world: World, olga: Browser) -> None:
    olga.get(f"{CLUB}/events/new?title=chess", 404)
    olga.get(f"{CLUB}/events/new?title=acres")
    before = rows(world)
    olga.post(f"{CLUB}/events/new", 404, title="chess", name="Cup", format="swiss", rounds="3")
    for wrong, said in (
        ({"format": "swiss"}, "Say how many rounds are played."),
        ({"format": "tables", "rounds": "3"}, "two seats"),
        ({"format": "lottery"}, "The formats are"),
        ({"format": "swiss", "rounds": "lots"}, "a whole number from 1 to 99"),
        ({"format": "swiss", "rounds": "3", "worth": "-1 0 0"}, "points such as 1, 0.5 or 1/3"),
        ({"format": "swiss", "rounds": "3", "sign_up_until": "soon"}, "not a date with an hour such as"),
        ({"format": "swiss", "rounds": "3", "name": " "}, "name"),
    ):
        olga.get(f"{CLUB}/events/new?title=acres")
        data = {"csrf_token": olga.token, "title": "acres", "name": "Cup", "days": "7", **wrong}
        answer = olga.client.post(f"{CLUB}/events/new", data=data, headers=olga.headers)
        assert answer.status_code == 422 and said in Page(answer.text).complaint, (wrong, Page(answer.text).complaint)
    assert rows(world) == before


# -- at the wrong time -----------------------------------------------------------------------------------


def test_the_last_opponent_cannot_be_withdrawn(world: World, olga: Browser) -> None:
    join(world, olga, "ann", "bea")
    event, _ = published(world, olga, "ann", "bea")
    bea = world.people["bea"]
    bea.get(f"{event}/withdraw")
    before = rows(world)
    assert "Tick the box first" in world.send(bea, f"{event}/withdraw", 422)
    page = world.send(bea, f"{event}/withdraw", 422, sure="yes")
    assert "Nobody would be left to play against" in page
    olga.get(f"{event}/players")
    link = next(link for link in Page(html_of(olga)).links if "withdraw?player=" in link)
    olga.get(link)
    page = world.send(olga, f"{event}/withdraw", 422, sure="yes", reason="Gone fishing.")
    assert "Nobody would be left to play against" in page
    assert rows(world) == before and world.deliver() == []


def test_a_round_with_running_games_is_not_closed(world: World, olga: Browser) -> None:
    join(world, olga, "ann", "bea", "carl", "dora")
    event, round_at = published(world, olga, "ann", "bea", "carl", "dora")
    olga.get(round_at)
    one, other = pairings(olga)
    world.resign(one.players[0], one.game or 0)
    olga.get(round_at)
    before = rows(world)
    page = world.send(olga, f"{round_at}/close", 422)
    assert str(other.game) in Page(html_of(olga)).complaint and "open a ruling for it" in page
    assert "Close round 1 first" in olga.get(f"{event}/manage")
    assert "Close round 1 first" in olga.post(f"{event}/pair", 422, division="1")
    olga.post(f"{event}/finish", 422)
    assert rows(world) == before, "neither closed nor paired nor over"
    world.resign(other.players[0], other.game or 0)
    olga.get(round_at)
    assert "The round is closed" in world.send(olga, f"{round_at}/close")


def test_an_event_without_players_does_not_start(world: World, olga: Browser) -> None:
    event = prepared(world, olga)
    before = rows(world)
    assert "2 are needed" in olga.post(f"{event}/start", 422)
    assert rows(world) == before


# -- two organisers ----------------------------------------------------------------------------------------


def both(first: Browser, second: Browser, action: str) -> list[tuple[int, str]]:
    """Let both press the button of the open page; return the statuses and pages, the lower status first."""
    forms = [(browser, form_to(browser, action, {}).fill()) for browser in (first, second)]

    def press(browser: Browser, form: Any) -> tuple[int, str]:
        answer = browser.client.post(action, data=dict(form), headers=browser.headers, follow_redirects=True)
        return answer.status_code, answer.text

    return sorted(at_once(*[lambda one=one: press(*one) for one in forms]))


@BOTH
def test_two_organisers_publish_at_once(world: World, olga: Browser) -> None:
    join(world, olga, "ann", "bea", "carl", "dora")
    pia = second_organiser(world, olga)
    event, round_at = drafted(world, olga, "ann", "bea", "carl", "dora")
    for browser in (olga, pia):
        browser.get(round_at)
    (done, _), (late, said) = both(olga, pia, f"{round_at}/publish")
    assert (done, late) == (200, 409) and "has been done already" in said
    told = [mail for mail in world.deliver() if "round 1" in mail.subject]
    assert sorted(mail.to for mail in told) == [address(who) for who in ("ann", "bea", "carl", "dora")]
    assert [trail_of(pia, event).count(act) for act in ("published round 1", "paired round 1")] == [1, 1]
    assert len(pairings_of(pia, round_at)) == 2


def trail_of(browser: Browser, event: str) -> str:
    """The audit trail of an event in words."""
    page = browser.get(f"{CLUB}/audit?event={event.rpartition('/')[2]}")
    return " ".join(re.sub(r"<[^>]*>", "", page).split()).lower()


def pairings_of(browser: Browser, round_at: str) -> list[Any]:
    browser.get(round_at)
    return pairings(browser)


@BOTH
def test_two_organisers_close_at_once_and_start_at_once(world: World, olga: Browser) -> None:
    join(world, olga, "ann", "bea")
    pia = second_organiser(world, olga)
    event = prepared(world, olga, "ann", "bea")
    pia.get(f"{event}/manage")
    assert [status for status, _ in both(olga, pia, f"{event}/start")] == [200, 200], "both see that it runs"
    olga.get(f"{event}/manage")
    world.send(olga, f"{event}/pair")
    round_at = f"{event}/rounds/{number_in(html_of(olga), r'/rounds/([0-9]+)/publish')}"
    olga.get(round_at)
    world.send(olga, f"{round_at}/publish")
    world.read_mail()
    [pairing] = pairings_of(olga, round_at)
    world.resign("ann", pairing.game or 0)
    for browser in (olga, pia):
        browser.get(round_at)
    assert [status for status, _ in both(olga, pia, f"{round_at}/close")] == [200, 200]
    trail = trail_of(pia, event)
    assert [trail.count(act) for act in ("started the event", "closed round 1")] == [1, 1]


def test_a_draft_that_was_paired_anew_is_not_published_unseen(world: World, olga: Browser) -> None:
    join(world, olga, "ann", "bea", "carl", "dora")
    pia = second_organiser(world, olga)
    event, round_at = drafted(world, olga, "ann", "bea", "carl", "dora")
    olga.get(round_at)
    pia.get(f"{event}/manage")
    world.send(pia, f"{event}/pair")
    before = rows(world)
    assert "This has been changed meanwhile" in world.send(olga, f"{round_at}/publish", 409)
    assert rows(world) == before and world.deliver() == []


def test_two_organisers_nudge_from_the_desk(world: World, olga: Browser) -> None:
    join(world, olga, "ann", "bea")
    pia = second_organiser(world, olga)
    event, round_at = published(world, olga, "ann", "bea")
    [pairing] = pairings_of(olga, round_at)
    world.pass_time(days=2)
    world.sweep()
    nudge = f"{event}/desk/{pairing.match}/nudge"
    for browser in (olga, pia):
        browser.get(nudge)
    form = dict(form_to(olga, nudge, {}).fill(reason="We wait for you."))
    assert "The mail is on its way" in world.send(olga, nudge, reason="We wait for you.")
    again = olga.client.post(nudge, data=form, headers=olga.headers, follow_redirects=True)
    assert again.status_code == 200 and "This was done before; nothing more has happened." in again.text
    late = pia.client.post(nudge, data=dict(form_to(pia, nudge, {}).fill(reason="Please play.")), headers=pia.headers)
    assert late.status_code == 409 and "look at it again" in late.text
    assert len([mail for mail in world.deliver() if "We wait for you." in mail.text]) == 1
