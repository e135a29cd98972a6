"""No input is an error of the server: hostile values in every address, argument and form, for an operator who runs a
club, a player of it with turn links, and somebody who is not signed in. On both databases.

The suite tries a sample, drawn anew by no run; `POSTROAD_SWEEP=50 pytest tests/whole/test_hostile.py` tries fifty times
as much of each page and form.
"""

from __future__ import annotations

import os
import random
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.clocks.pace import DAY, Pace, Stage
from app.people.tables import Player
from app.play import starting
from tests.support.databases import BOTH
from tests.support.hostile import TEXTS, VALUES, Samples, hostile_gets, hostile_posts, known_names
from tests.support.people import BASE, Browser
from tests.support.world import (
    World,
    address,
    drafted,
    join,
    owner_of_a_club,
    pairings,
    prepared,
    world_at,
)

EACH = int(os.environ.get("POSTROAD_SWEEP", "1"))
SLOW = 3.0
"""Seconds of this process for one request."""
PLAYERS = ("ann", "bea", "carl", "dora")


def settled(world: World) -> Samples:
    """A server on which something of every kind is going on, and what its people see of it."""
    house = world.app.extensions["postroad"]
    olga = owner_of_a_club(world)
    join(world, olga, *PLAYERS)
    ann = world.people["ann"]
    with house.database.write() as session:
        session.execute(sa.update(Player).where(Player.address == address("olga")).values(role="operator"))
        session.execute(sa.update(Player).values(auto_leave=False))
        session.commit()
    for do in ("claim", "organiser"):
        pace = Pace(decision=DAY, stages=(Stage(0, "flagged", (do,)),))
        seats = [("british", address("bea")), ("french", address("ann"))]
        starting.new_game(house.database, "acres", seats, now=datetime.now(UTC), pace=pace)
    world.deliver()
    world.pass_time(days=9)
    world.sweep()
    olga.get("/calendars")
    olga.post("/calendars", name="Club", days="2027-12-25")
    _rounds(world, olga)
    _own_things(world, ann)
    world.deliver()
    samples = Samples(world.app, most_forms=2 if EACH == 1 else 4)
    texts = [mail.text for mails in world.mails.values() for mail in mails]
    links = [link for text in texts for link in re.findall(rf"{BASE}(/\S+)", text)][::-1]
    pages = (
        "/games", "/clubs", "/archive", "/tables", "/account", "/account/time", "/account/data", "/account/people",
        "/account/webhooks", "/account/feeds", "/cases", "/calendars", "/games/new", "/rules/acres", "/",
    )  # fmt: skip
    more = [f"/events/{n}/{page}" for n in range(1, 5) for page in ("late", "next", "rulings", "desk", "messages")]
    for who in ("olga", "ann"):
        own = [link for link in links if "/sign-in/" not in link]
        samples.walk(who, world.people[who], *pages, *more, "/cases/1", "/cases/2", "/games/1/turns/0.svg", *own)
    samples.walk("", Browser(world.app), *pages, "/sign-in", *links)
    return samples


def _rounds(world: World, olga: Browser) -> None:
    """A round that is played, with a ruling asked for; one that is a draft; a ladder; a round robin that runs."""
    ann = world.people["ann"]
    event, round_at = drafted(world, olga, *PLAYERS)
    olga.get(f"{round_at}/publish")
    world.send(olga, f"{round_at}/publish")
    world.read_mail()
    olga.get(round_at)
    one, other = pairings(olga)
    mine = one if "ann" in one.players else other
    ann.get(f"{event}/claim/{mine.match}")
    world.send(ann, f"{event}/claim/{mine.match}", reason="Bea has left.")
    over = other if mine is one else one
    world.resign(over.players[0], over.game or 0)
    drafted(world, olga, *PLAYERS, name="Second")
    prepared(world, olga, *PLAYERS, name="Third", format="ladder")
    event, round_at = drafted(world, olga, *PLAYERS[:3], name="Fourth", format="round_robin", rounds="", legs="1")
    olga.get(f"{round_at}/publish")
    world.send(olga, f"{round_at}/publish")


def _own_things(world: World, ann: Browser) -> None:
    """Tables, a proposal, a webhook, leave, links for a new address and for erasing."""
    for offers in ({"offer__french": "open"}, {"offer__french": "link"}, {"offer__french": "mail"}):
        asked = {"address__french": address("bea")} if offers["offer__french"] == "mail" else {}
        ann.get("/games/new/acres")
        world.send(ann, "/games/new/acres", offer__british="me", **offers, **asked)
    ann.get("/games/2")
    world.send(ann, "/games/2/propose", among={"kind": "agreed"}, kind="agreed")
    ann.get("/account/webhooks")
    ann.post("/account/webhooks", kind="json", url="https://example.org/hook")
    ann.get("/account/time")
    ann.post("/account/time/leave", first="2027-06-01", last="2027-06-03")
    ann.get("/account")
    ann.post("/account/address", address="ann.other@example.org")
    ann.get("/account/data")
    ann.post("/account/erase")
    new = Browser(world.app)
    new.get("/sign-in")
    new.post("/sign-in", address="new@example.org")


@pytest.mark.parametrize("kind", BOTH)
def test_hostile_values_anywhere_are_no_error_of_the_server(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chooser = random.Random(f"{EACH}")
    with world_at(tmp_path, request.getfixturevalue(f"{kind}_url")) as world:
        samples = settled(world)
        rules = {rule.rule for rule in world.app.url_map.iter_rules() if "POST" in (rule.methods or set())}
        seen = {rule for _, rule in samples.forms}
        assert len(seen) > 50, sorted(rules - seen)
        assert len(known_names()) > 60
        browsers = {**world.people, "": Browser(world.app)}
        asked = 0

        def look(who: str, path: str, **sent: object) -> None:
            nonlocal asked
            asked += 1
            began = time.process_time()
            ask = browsers[who].client.post if sent else browsers[who].client.get
            answer = ask(path, headers=browsers[who].headers, **sent)
            answer.close()
            assert answer.status_code < 500, (who, path[:300], str(sent)[:3000])
            assert time.process_time() - began < SLOW, (who, path[:300], str(sent)[:3000])

        for who, path in hostile_gets(samples, chooser, EACH):
            look(who, path)
        for rule in sorted(rules):  # whoever asks, with what no page of theirs would send
            for who in ("", "ann", "olga") * EACH:
                data = {name: chooser.choice(TEXTS) for name in chooser.sample(known_names(), 20)}
                look(who, re.sub(r"<[^>]+>", "1", rule), data=data | {"csrf_token": browsers[who].token})
        for who, path, data in hostile_posts(samples, chooser, EACH):
            if asked % 20 == 0:
                world.pass_time(minutes=20)  # no more often than is allowed
            look(who, path, data=data)
        for value in VALUES:
            if value.isprintable():
                names = ("Accept", "Accept-Language", "X-Forwarded-For", "Cookie", "Content-Type", "If-None-Match")
                headers = {name: value.encode().decode("latin-1") for name in names}
                for path in ("/", "/sign-in", "/archive"):
                    assert browsers[""].client.get(path, headers=headers).status_code < 500, value
        assert asked > 700
    assert not [record for record in caplog.records if record.exc_info]
