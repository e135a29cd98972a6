"""A late entry to an event, over HTTP and mail: the preview, the button, what everybody is told."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from tests.support.people import Browser
from tests.support.world import (
    CLUB,
    World,
    form_to,
    html_of,
    join,
    number_in,
    pairings,
    published,
    rows,
    second_organiser,
)

FOUR = ("ann", "bea", "carl", "dora")


def late(world: World, olga: Browser, legs: int = 1, **terms: str) -> str:
    """Set up a round robin of four whose first round is published, and Eva, who wants to come in; return the event's
    address.
    """
    join(world, olga, *FOUR, "eva")
    event, _ = published(world, olga, *FOUR, format="round_robin", rounds="", legs=str(legs), **terms)
    return event


def look(browser: Browser, event: str, who: str = "eva") -> str:
    """Return the preview, by the form that chooses."""
    browser.get(f"{event}/late")
    player = number_in(html_of(browser), rf'<option value="([0-9]+)"[^>]*>{who}')
    division = number_in(html_of(browser), r'name="division" value="([0-9]+)"')
    return browser.get(f"{event}/late?player={player}&division={division}")


def publish_next(world: World, olga: Browser, event: str) -> None:
    """Pair the next round, publish it and open it."""
    olga.get(f"{event}/manage")
    world.send(olga, f"{event}/pair")
    round_at = f"{event}/rounds/{number_in(html_of(olga), r'/rounds/([0-9]+)/publish')}"
    olga.get(round_at)
    world.send(olga, f"{round_at}/publish")
    olga.get(round_at)


def test_a_late_entry_meets_everybody(world: World, olga: Browser) -> None:
    event = late(world, olga)
    text = look(olga, event)
    assert "The published round stays as it is." in text and "eva plays 4 games, from round 2 on." in text
    assert "There are 5 rounds then, after 3 until now." in text
    assert "A mail with your reason goes to 5 players:" in text and "eva, ann, bea, carl, and dora" in text
    assert "Player added" in world.send(olga, f"{event}/late", among={"reason": ""}, reason="Asked on Sunday.")
    mine, other = world.mail("eva", subject="You play in Cup"), world.mail("ann", subject="eva has come into Cup")
    assert "its organisers have taken you in after the start" in " ".join(mine.text.split())
    assert "/withdraw" in mine.text and "Asked on Sunday." in mine.text and "Asked on Sunday." in other.text
    assert "Rounds in all: 5; before: 3" in other.text
    assert "took eva in after the start." in olga.get(f"{CLUB}/audit")
    games: Counter[frozenset[str]] = Counter()
    assert "4 rounds are still to be published." in olga.get(f"{event}/manage")
    olga.get(f"{event}/rounds/{number_in(html_of(olga), r'/rounds/([0-9]+)')}")
    games.update(frozenset(one.players) for one in pairings(olga) if one.game)
    for _ in range(2, 6):
        publish_next(world, olga, event)
        games.update(frozenset(one.players) for one in pairings(olga) if one.game)
    assert games == {frozenset(pair): 1 for pair in combinations((*FOUR, "eva"), 2)}
    olga.get(f"{event}/manage")
    assert "still to be published" not in html_of(olga)
    assert "All 5 rounds of this event are paired." in world.send(olga, f"{event}/pair", 422)


def test_a_late_entry_to_a_swiss_event_sees_what_is_lost(world: World, olga: Browser) -> None:
    join(world, olga, *FOUR, "eva")
    event, _ = published(world, olga, *FOUR, format="swiss", rounds="3")
    assert "Enter a member" not in olga.get(f"{event}/manage")
    text = look(olga, event)
    assert "eva plays from round 2 on, of 3." in text and "5 players are in the division then." in text
    assert "1 round is lost: it brings eva no points, and no bye with points." in text
    assert "A mail with your reason goes to 1 player:" in text
    world.send(olga, f"{event}/late", among={"reason": ""}, reason="Asked on Sunday.")
    [mine] = [mail for mail in world.deliver() if mail.to == "eva@example.org" and mail.subject == "You play in Cup"]
    told = " ".join(mine.text.split())
    assert "Rounds without you, which bring no points: 1" in told and "Rounds in all: 3" in told
    assert "meet everybody" not in told and "Each round is announced by mail." in told


def test_two_organisers_take_somebody_in_at_once(world: World, olga: Browser) -> None:
    """One does; the other is told. The same form sent again says that it is done, and does nothing."""
    event = late(world, olga)
    pia = second_organiser(world, olga)
    pages = [(browser, look(browser, event)) for browser in (olga, pia)]
    forms = [form_to(browser, f"{event}/late", {"reason": ""}).fill(reason="late") for browser, _ in pages]
    first, again, second = (
        browser.client.post(f"{event}/late", data=dict(form), headers=browser.headers, follow_redirects=True)
        for browser, form in ((olga, forms[0]), (olga, forms[0]), (pia, forms[1]))
    )
    assert (first.status_code, again.status_code, second.status_code) == (200, 200, 409)
    assert "plays in the event already" in second.text
    assert olga.get(f"{CLUB}/audit").count("took eva in") == 1
    assert [mail.to for mail in world.deliver() if "You play in Cup" in mail.subject] == ["eva@example.org"]


def test_a_preview_that_is_out_of_date_is_shown_again(world: World, olga: Browser) -> None:
    event = late(world, olga)
    pia = second_organiser(world, olga)
    look(pia, event)
    publish_next(world, olga, event)
    text = world.send(pia, f"{event}/late", 409, among={"reason": ""}, reason="She asked me.")
    assert "has been changed meanwhile" in text and "from round 3 on" in text and "She asked me." in text
    assert "Player added" in world.send(pia, f"{event}/late", among={"reason": "She asked me."})


def test_the_terms_forbid_it(world: World, olga: Browser) -> None:
    event = late(world, olga, late_entries="0")
    assert "nobody new comes in after the start" in olga.get(f"{event}/late")
    assert "Nobody new comes in after the start but as a reserve." in olga.get(event)
    before = olga.get(f"{event}/manage")
    olga.post(f"{event}/late", 422, player="1", division="1", reason="x", once="0123456789", seen="")
    assert olga.get(f"{event}/manage").count("number ") == before.count("number ")


def test_only_organisers_take_somebody_in(world: World, olga: Browser) -> None:
    event = late(world, olga)
    eva = world.people["eva"]
    eva.get(f"{event}/late", 403)
    eva.post(f"{event}/late", 403, player="1", division="1", reason="x", once="0123456789", seen="")
    Browser(world.app).get(event)
    olga.get(f"{event}/late?player=99999&division=1", 422)
    olga.get(f"{event}/late?player=x&division=x")
    olga.post(f"{event}/late", 422, player="x", division="1", reason="x", once="0123456789", seen="")


def test_looking_changes_nothing(world: World, olga: Browser) -> None:
    event = late(world, olga)
    before = rows(world)
    look(olga, event)
    assert rows(world) == before and world.deliver() == []


def test_rounds_that_are_left_are_named_before_the_event_is_ended(world: World, olga: Browser) -> None:
    event = late(world, olga)
    olga.get(f"{event}/manage")
    round_at = f"{event}/rounds/{number_in(html_of(olga), r'/rounds/([0-9]+)')}"
    olga.get(round_at)
    for game in pairings(olga):
        world.resign(game.players[0], game.game or 0)
    olga.get(round_at)
    world.send(olga, f"{round_at}/close")
    assert "2 rounds are still to be paired" in olga.get(f"{event}/manage")
    look(olga, event)
    world.send(olga, f"{event}/late", among={"reason": ""}, reason="late")
    assert "4 rounds are still to be paired" in olga.get(f"{event}/manage")
