"""A server on which something of every kind is going on, and what each of its people sees."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

import sqlalchemy as sa

from app.clocks.pace import DAY, Pace, Stage
from app.leagues.tables import PastPlace
from app.people.tables import Player
from app.play.turn import starting
from tests.support.hostile import Samples, Seen
from tests.support.people import BASE, Browser
from tests.support.world import (
    World,
    address,
    drafted,
    join,
    owner_of_a_club,
    pairings,
    prepared,
)

MEMBERS = ("ann", "bea", "carl", "dora")
ROLES = {
    "": "nobody", "ann": "player", "bea": "opponent", "eve": "spectator", "carl": "member", "olga": "organiser",
    "otto": "operator",
}  # fmt: skip
"""The owners of the browsers, and their roles in the games and the club."""
PAGES = (
    "/games", "/clubs", "/archive", "/tables", "/account", "/account/time", "/account/data", "/account/people",
    "/account/webhooks", "/account/feeds", "/account/mails", "/games/new", "/rules/acres", "/", "/watch", "/chance",
    "/learn/acres/1", "/learn/new-world/1", "/games/past", "/clubs/acres/members",
)  # fmt: skip
OPERATORS = (
    "/cases",
    "/cases/1",
    "/cases/2",
    "/outbox",
    "/server",
    "/moderation",
    "/games/1/turns/0.svg",
)


def settled(world: World, most_forms: int = 2, most: int = 4, seen: Seen | None = None) -> Samples:
    """Set everything up, and walk through it as each of them."""
    begun(world)
    return walked(world, ROLES, most_forms, most, seen)


def begun(world: World) -> None:
    """Set up a club with its events, games of all kinds, and everything else people have."""
    server = world.app.extensions["postroad"]
    olga = owner_of_a_club(world)
    join(world, olga, *MEMBERS)
    ann = world.people["ann"]
    for who in ("eve", "otto"):
        world.sign_in(who)
    with server.database.write() as session:
        session.execute(sa.update(Player).where(Player.address == address("otto")).values(role="operator"))
        session.execute(sa.update(Player).values(auto_leave=False))
        ann_id = session.scalar(sa.select(Player.id).where(Player.address == address("ann")))
        past = {"club_id": 1, "season": "2024", "taken_at": datetime.now(UTC)}
        session.add(PastPlace(place=1, player_id=ann_id, **past))
        session.add(PastPlace(place=2, name="Zoe", **past))
        session.commit()
    for do in ("claim", "organiser"):
        pace = Pace(decision=DAY, stages=(Stage(0, "flagged", (do,)),))
        seats = [("british", address("bea")), ("french", address("ann"))]
        starting.new_game(server.database, "acres", seats, now=datetime.now(UTC), pace=pace)
    world.deliver()
    world.pass_time(days=9)
    world.sweep()
    _rounds(world, olga)
    _own_things(world, ann)
    _reported(world)
    _finished(world)
    world.pass_time(minutes=3)  # mails of passed deadlines wait to go out together
    world.deliver()


def walked(
    world: World,
    roles: Iterable[str],
    most_forms: int,
    most: int,
    seen: Seen | None = None,
) -> Samples:
    """Return everything these people find, from the main pages and the links of their mails."""
    samples = Samples(world.app, most=most, most_forms=most_forms, seen=seen)
    texts = [(to.partition("@")[0], mail.text) for to, mails in world.mails.items() for mail in mails]
    links: dict[str, list[str]] = {}
    for to, text in texts:
        links.setdefault(to, [])[:0] = re.findall(rf"{BASE}(/\S+)", text)
    events = [
        f"/events/{n}/{page}"
        for n in range(1, 5)
        for page in ("late", "next", "rulings", "desk", "messages", "all-rounds")
    ]
    for who in filter(None, roles):
        own = [link for link in links.get(who, []) if "/sign-in/" not in link]
        samples.walk(who, world.people[who], *PAGES, *events, *(OPERATORS if who == "otto" else ()), *own)
    samples.walk("", Browser(world.app), *PAGES, "/sign-in", *(link for own in links.values() for link in own))
    return samples


def _rounds(world: World, olga: Browser) -> None:
    """Set up a round that is played, with a requested ruling; a draft; a ladder; a round robin; teams."""
    ann = world.people["ann"]
    event, round_at = drafted(world, olga, *MEMBERS)
    olga.get(round_at)
    world.send(olga, f"{round_at}/publish")
    world.read_mail()
    olga.get(round_at)
    one, other = pairings(olga)
    mine = one if "ann" in one.players else other
    ann.get(f"{event}/claim/{mine.match}")
    world.send(ann, f"{event}/claim/{mine.match}", reason="Bea has left.")
    over = other if mine is one else one
    world.resign(over.players[0], over.game or 0)
    drafted(world, olga, *MEMBERS, name="Second")
    prepared(world, olga, *MEMBERS, name="Third", format="ladder", rounds="")
    event, round_at = drafted(world, olga, *MEMBERS[:3], name="Fourth", format="round_robin", rounds="", legs="1")
    olga.get(round_at)
    world.send(olga, f"{round_at}/publish")
    _teams(world, olga)


def _teams(world: World, olga: Browser) -> None:
    """Set up two teams of one board and a substitute, whose first round is a draft."""
    event = prepared(world, olga, *MEMBERS[:2], name="Fifth", format="round_robin", rounds="", boards="1", legs="2")
    olga.get(f"{event}/teams")
    first, second = MEMBERS[:2]
    world.send(olga, f"{event}/teams", lines=f"Harbour: {address(first)}\nLantern: {address(second)}")
    olga.get(f"{event}/manage")
    world.send(olga, f"{event}/start")
    world.send(olga, f"{event}/pair")
    world.deliver()


def _reported(world: World) -> None:
    """Set up a reported line of the chat, whose author was then muted."""
    bea, ann, otto = (world.people[who] for who in ("bea", "ann", "otto"))
    bea.get("/games/1")
    world.send(bea, "/games/1/say", say="You play like a fish.")
    found = re.search(r'href="(/report/[^"/]+)"', ann.get("/games/1"))
    assert found
    ann.get(found[1])
    world.send(ann, found[1], why="rude")
    suspect = re.search(r'href="(/report/player/[^"]+)"', ann.get("/games/1"))
    assert suspect
    ann.get(suspect[1])
    world.send(ann, suspect[1], why="writes to me elsewhere, too")
    about = re.search(r'href="(/moderation/players/[0-9]+)"', otto.get("/moderation"))
    assert about
    otto.get(about[1])
    world.send(otto, about[1], kind="mute", reason="Rude to Ann.")


def _own_things(world: World, ann: Browser) -> None:
    """Set up tables, a proposal, a webhook, leave, links for a new address and for erasing."""
    for offers in ({"offer__french": "open"}, {"offer__french": "link"}, {"offer__french": "mail"}):
        asked = {"address__french": address("bea")} if offers["offer__french"] == "mail" else {}
        ann.get("/games/new/acres")
        world.send(ann, "/games/new/acres", offer__british="me", **offers, **asked)
    ann.get("/games/2")
    world.send(ann, "/games/2/propose", among={"kind": "agreed"}, kind="agreed")
    ann.get("/account/webhooks")
    ann.post("/account/webhooks", url="https://example.org/hook")
    ann.get("/account/time")
    ann.post("/account/time/leave", first="2027-06-01", last="2027-06-03")
    ann.get("/account")
    ann.post("/account/address", address="ann.other@example.org")
    ann.get("/account/data")
    ann.post("/account/erase")
    new = Browser(world.app)
    new.get("/sign-in")
    new.post("/sign-in", address="new@example.org")


def _finished(world: World) -> None:
    """Set up a running and a finished game of New World; of both titles they have some now."""
    database = world.app.extensions["postroad"].database
    for is_over in (False, True):
        seats = [("red", address("ann")), ("blue", address("bea"))]
        game = starting.new_game(database, "new-world", seats, now=datetime.now(UTC))
        if is_over:
            world.resign("bea", game)
