"""Every page that people see, on a server where something of every kind is going on.

`sights(world)` makes the server busy and yields the pages: those that walks find from the main pages and from the links
of mails, as a player, a member, an organiser, an operator and nobody; and the moments of a turn, an answer, a replay
and a pairing that no walk reaches. Pages without a sight are listed in `WITHOUT`, each with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from werkzeug.test import TestResponse

from app.leagues.tables import CompetitionRound, PairingJob
from app.people.tables import Player
from app.play.agreed import results
from app.play.turn import starting
from engine.acres.state import Question
from engine.kernel.text import Text
from tests.support.acres import acres
from tests.support.people import BASE, Browser
from tests.support.settled import MEMBERS, begun, walked
from tests.support.tables import load, possible, say, write
from tests.support.turn_driver import Form, TurnDriver, besieged
from tests.support.world import CLUB, World, address, html_of, number_in

LANGUAGES = ("en", "fr", "es", "it")
SEEN_BY = ("ann", "olga", "otto", "bea", "carl", "")
"""The walkers, those who see most first."""
WITHOUT = {
    "/clubs/<slug>/events.json", "/chance.json", "/clubs/<slug>/dates.ics",
    "/clubs/<slug>/news.atom",
    "/clubs/<slug>/members.csv", "/events/<number:event_id>/results.atom",
    "/events/<number:event_id>/standings.<any(csv, json):kind>",
    "/feeds/<token>/deadlines.ics", "/feeds/<token>/waiting.<any(atom, json):kind>",
    "/games/<number:game_id>/record.json",
    "/games/<number:game_id>/small.svg", "/games/<number:game_id>/turns/<number:turn>.<any(svg, png):kind>",
    "/health", "/health/live", "/metrics", "/static/<path:name>",
    "/rules/<title_id>/data.json", "/static/boards/<title_id>.<any(css, svg):kind>",
    "/icons/<purpose>-<number:size>.png", "/manifest.webmanifest", "/waits/<token>", "/worker.js",
    "/events/<number:event_id>/table.png",
    "/t/<token>/sent/<proof>",  # forms of the turn lead there
    # No pages.
    "/mailbox", "/mailbox/<number:mail_id>", "/mailbox/<number:mail_id>/html",
    "/start/<number:game_id>",
    # Only on a server without a mail host.
    "/language", "/looks", "/games/<number:game_id>/replay", "/games/<number:game_id>/turn",
    "/at-once/seat/<token>", "/games/next", "/games/<number:game_id>/resign",
    # They lead back to the page before, to a position of the replay, one's turn, table, next game and
    # to where a seat is resigned.
}  # fmt: skip


@dataclass(frozen=True)
class Sight:
    """A page as one visitor gets it."""

    name: str
    rule: str
    who: str
    get: Callable[[Browser], TestResponse]
    walked: bool = False
    """Found by a walk, not listed here."""

    def look(self, world: World, language: str) -> TestResponse:
        """Return the page in a language, which everybody on the server then uses (`speak`)."""
        browser = world.people.get(self.who) or Browser(world.app)
        browser.headers["Accept-Language"] = language
        return self.get(browser)


def speak(world: World, language: str) -> None:
    """Set everybody's language."""
    write(world.app.extensions["postroad"].database, sa.update(Player).values(language=language))


def sights(world: World, most: int = 1, seen_by: Sequence[str] = SEEN_BY) -> list[Sight]:
    """Return all of them, with at most this many addresses of a kind for each visitor who sees something different
    there.
    """
    own = Path(world.environ["POSTROAD_DATA"]) / "pages" / "imprint.md"
    own.parent.mkdir(exist_ok=True)
    own.write_text("# Imprint\n\nOlga, *Post Road*.\n", encoding="utf-8")
    begun(world)
    found = list(_moments(world))
    forms: dict[tuple[str, str], str] = {}

    def seen(who: str, path: str, answer: TestResponse) -> None:
        forms[who, path] = _form(answer)

    samples = walked(world, seen_by, 0, most, seen)
    known: set[tuple[str, str]] = set()
    for who in seen_by:
        for (visitor, rule), paths in sorted(samples.paths.items()):
            if visitor != who or rule in WITHOUT:
                continue
            for path in paths:
                form = forms[who, path]
                if form and (rule, form) not in known:
                    known.add((rule, form))
                    found.append(plain(f"{path} of {who or 'nobody'}", path, who, rule, walked=True))
    return found


def one_of_each(found: list[Sight]) -> list[Sight]:
    """Return all moments, and of every other kind of address the first."""
    kinds = {one.rule for one in found if not one.walked}
    firsts = {one.rule: one for one in reversed(found) if one.rule not in kinds}
    return [one for one in found if not one.walked or firsts.get(one.rule) is one]


def rules(world: World) -> set[str]:
    """Return the kinds of address that give pages."""
    return {one.rule for one in world.app.url_map.iter_rules() if "GET" in (one.methods or ())} - WITHOUT


def _form(answer: TestResponse) -> str:
    """Return the structure of a page without its words; empty for anything else."""
    if answer.mimetype != "text/html" or answer.status_code in (303, 302):
        return ""
    main = answer.text.partition("<main")[2].partition("<svg")[0]
    return f"{answer.status_code} {sorted(set(re.findall(r'<[a-z]+|class=.[^>]*?.>', main)))}"


def plain(name: str, path: str, who: str = "ann", rule: str = "", *, walked: bool = False) -> Sight:
    """Return a page that is requested by its address."""

    def get(browser: Browser) -> TestResponse:
        return browser.client.get(path, headers=browser.headers, follow_redirects=True)

    return Sight(name, rule, who, get, walked)


def _sent(name: str, desk: TurnDriver, state: Any, rule: str, **fields: str) -> Sight:
    """Return the page after a form of the turn page is sent from this position."""

    def get(browser: Browser) -> TestResponse:
        desk.place(state)
        path = f"/t/{desk.token}"
        data = Form(browser.client.get(path, headers=browser.headers).text).sent | fields
        return browser.client.post(path, data=data, headers=browser.headers, follow_redirects=True)

    return Sight(name, rule, "", get)


def _moments(world: World) -> Iterator[Sight]:
    yield plain("a page that is not", "/nowhere", "", "404")
    yield plain("without a network", "/offline", "", "/offline")
    yield plain("the second sheet of an archive", "/archive?title=acres&name=b", "", "/archive")
    yield from _turns_of_acres(world)
    yield from _turns_of_new_world(world)
    yield from _replays(world)
    yield from _leagues(world)
    yield from _links(world)
    own = world.app.extensions["postroad"].links.sign("name", [1])
    yield plain("how somebody shall be called", f"/name/{own}", "", "/name/<token>")
    reported = re.search(r'href="(/report/[^"/]+)"', world.people["ann"].get("/games/1"))
    assert reported
    yield plain("a line of the chat to report", reported[1], "", "/report/<token>")
    suspect = re.search(r'href="(/report/player/[^"]+)"', world.people["ann"].get("/games/1"))
    assert suspect
    yield plain("a player to report", suspect[1], "", "/report/player/<token>")


def _game(world: World, title: str, *seats: str) -> TurnDriver:
    server = world.app.extensions["postroad"]
    who = [(seat, address(name)) for seat, name in zip(seats, ("ann", "bea", "carl"), strict=False)]
    game = starting.new_game(server.database, title, who, now=datetime.now(UTC))
    return TurnDriver(world.app.test_client(), server, game)


def _turns_of_acres(world: World) -> Iterator[Sight]:
    rule = "/t/<token>"
    hand = ["boston", "new-haven", "norfolk", "philadelphia", "militia"]
    own = _game(world, "acres", "british", "french")
    own.place(acres(british_hand=hand))
    yield plain("a turn of Acres", f"/t/{own.token}", "", rule)
    for at in ("place.baltimore", "card.boston", "discard,away.militia", "money,coins.boston"):
        yield plain(f"a turn of Acres, {at}", f"/t/{own.token}?at={at}", "", rule)
    yield plain("a running game of Acres", f"/games/{own.game_id}", "bea", "/games/<number:game_id>")
    siege = _game(world, "acres", "british", "french")
    siege.place(besieged())
    yield plain("a siege and a foreseen question", f"/t/{siege.token}", "", rule)
    yield plain("answers ahead", f"/t/{siege.token}/ahead", "", "/t/<token>/ahead")
    other = _game(world, "acres", "british", "french")
    zones: dict[str, Any] = {"british_hand": ["boston", "militia", "pemaquid", "rangers", "settlers"]}
    places = ["boston", "new-york", "norfolk", "pemaquid", "philadelphia"]
    asked = acres("french", british_places=places, **zones)._replace(question=Question("raid", "british", "pemaquid"))
    other.place(asked)
    yield plain("an answer of Acres", f"/t/{other.token}", "", rule)
    yield plain("an answer of Acres, a card", f"/t/{other.token}?at=card.militia", "", rule)
    tried = _game(world, "acres", "british", "french")
    start = acres(british_hand=hand)
    yield _sent("a turn of Acres, refused", tried, start, rule, orders="pass\nraid québec", do="send")
    yield _sent("a turn of Acres, drafted", tried, start, rule, orders="pass\npass", do="check")
    yield _sent("a turn of Acres, sealed", tried, start, rule, orders="pass\npass", do="send")
    ended = _game(world, "acres", "british", "french")
    ended.place(start)
    path = f"/t/{ended.token}"
    ended.send(orders="pass\npass")
    yield plain("a link that has ended", path, "", rule)
    given_up = _game(world, "acres", "british", "french")
    path = f"/t/{given_up.token}"
    results.resign(given_up.server.database, given_up.game_id, 2, now=datetime.now(UTC))
    yield plain("once more", f"{path}/rematch", "", "/t/<token>/<any(resign, propose, rematch):what>")
    yield plain("a link to a game that is over", path, "", rule)
    yield _held(world, start)


def _held(world: World, start: Any) -> Sight:
    """Return a turn that waits some minutes."""
    desk, server = _game(world, "acres", "british", "french"), world.app.extensions["postroad"]
    desk.place(start)
    for minutes in (10, 0):
        write(server.database, sa.update(Player).values(hold_minutes=minutes))
        if minutes:
            desk.send(orders="pass\npass")
    return plain("a turn of Acres, held", f"/t/{desk.token}", "", "/t/<token>")


def _turns_of_new_world(world: World) -> Iterator[Sight]:
    desk, rule = _game(world, "new-world", "red", "blue", "green"), "/t/<token>"
    _play_on(desk, 40)
    yield plain("a turn of New World", f"/t/{desk.token}", "", rule)
    yield plain("a running game of New World", f"/games/{desk.game_id}", "bea", "/games/<number:game_id>")
    first = re.search(r'href="\?at=(at\.[^"#]*)', desk.page())
    assert first
    yield plain("a turn of New World, a cell", f"/t/{desk.token}?at={first[1]}", "", rule)
    line = desk.game.title.write(desk.game.state, possible(desk.game.title, desk.game.state)[0])
    yield _sent("a turn of New World, looked ahead", desk, desk.game.state, rule, orders=line, do="check")
    over = _game(world, "new-world", "red", "blue")
    _play_on(over, 1000)
    assert over.game.is_over
    yield plain("a game of New World that is over", f"/games/{over.game_id}", "ann", "/games/<number:game_id>")


def _play_on(desk: TurnDriver, moves: int) -> None:
    """Play this many moves, always of the first kind other than giving up."""
    for n in range(moves):
        game = desk.game
        if game.is_over:
            return
        ways = possible(game.title, game.state)
        say(desk.server.database, game.id, game.title.write(game.state, ways[n % len(ways)]), now=datetime.now(UTC))


def _replays(world: World) -> Iterator[Sight]:
    ann = world.people["ann"]
    for title, seats in (("acres", ("british", "french")), ("new-world", ("red", "blue", "green"))):
        desk = _game(world, title, *seats)
        for n in range(24):
            game = desk.game
            ways = [game.title.write(game.state, way) for way in possible(game.title, game.state)]
            ways = [way for way in ways if way != "resign"]
            say(desk.server.database, game.id, ways[n * 7 % len(ways)], now=datetime.now(UTC))
        entry = load(desk.server.database, desk.game_id).entries
        path = f"/games/{desk.game_id}/replay"
        rule = "/games/<number:game_id>/replay/<number:entry>"
        yield plain(f"a replay of {title}", f"{path}?turn=5", "ann", rule)
        yield plain(f"a replay of {title}, as others see it", f"{path}/3?eyes=spectator", "ann", rule)
        ann.get(f"{path}/{entry}")
        ann.post(f"{path}/{entry}/plan")
        there = "/games/<number:game_id>/plan/<number:branch_id>"
        yield plain(f"a branch of {title}", ann.page.request.path, "ann", there)
        yield plain(f"a page of {title} after some turns", f"/games/{desk.game_id}", "eve", "/games/<number:game_id>")


def _leagues(world: World) -> Iterator[Sight]:
    """A draft to publish, an act to undo, pairings that are worked out, a challenge, a call for a reserve."""
    server = world.app.extensions["postroad"]
    with server.database.read() as session:
        drafts = session.execute(
            sa.select(CompetitionRound.event_id, CompetitionRound.place, CompetitionRound.division_id).where(
                CompetitionRound.status == "draft"
            )
        ).all()
    event, place, division = drafts[0]
    yield plain("a round to publish", f"/events/{event}/{place}", "olga", "/events/<number:event_id>/<round:place>")
    ticked = re.findall(r'name="(task\.[^"]+)"', world.people["olga"].get(f"{CLUB}/week"))
    check = f"{CLUB}/week/check?" + "&".join(f"{name}=1" for name in ticked)
    yield plain("what a week's acts would do", check, "olga", "/clubs/<slug>/week/check")
    now = datetime.now(UTC)
    failed = {"state": "failed", "why": Text("The event is not running.")}
    for values in ({"step": "waiting"}, {"step": "pairing", "share": 37}, failed, {"state": "cancelled"}):
        with server.database.write() as session:
            session.execute(sa.update(PairingJob).where(PairingJob.state == "open").values(state="cancelled"))
            job = PairingJob(event_id=event, division_id=division, number=2, asked_by=1, asked_at=now, due_at=now)
            session.add(job)
            session.flush()
            session.execute(sa.update(PairingJob).where(PairingJob.id == job.id).values(**values))
            number = job.id
            session.commit()
        path = f"/events/{event}/pairings/{number}?still=1"
        yield plain(f"a pairing, {values}", path, "olga", "/events/<number:event_id>/pairings/<number:job_id>")
    yield from _calls(world)


def _calls(world: World) -> Iterator[Sight]:
    """Yield what the organiser asks of people, and what they ask of each other."""
    olga, dora = world.people["olga"], world.people["dora"]
    events = [int(n) for n in set(re.findall(r"/events/(\d+)\W", olga.get(CLUB)))]
    cup, *_, ladder, robin, _ = sorted(events)  # the last one is of teams
    over = number_in(olga.get(f"/events/{cup}/rulings"), rf"/events/{cup}/claim/(\d+)")
    olga.get(f"/events/{cup}/claim/{over}")
    world.send(olga, f"/events/{cup}/claim/{over}", reason="They wrote to me.")
    decided = f"/events/{cup}/rulings/{number_in(html_of(olga), rf'/events/{cup}/rulings/([0-9]+)')}"
    world.send(olga, decided, decision="dismissed", reason="It stands as it is.")
    rule = "/events/<number:event_id>/rulings/<number:ruling_id>"
    yield plain("a decision to take back", decided, "olga", rule)
    dora.get(f"/events/{robin}")
    world.send(dora, f"/events/{robin}/sign-up", among={"as": "reserve"})
    desk = olga.get(f"/events/{robin}/manage")
    match = number_in(desk, rf"/events/{robin}/desk/(\d+)/extend")
    for act, values in (("extend", {"days": "3"}), ("reserve", {})):
        olga.get(f"/events/{robin}/desk/{match}/{act}")
        world.send(olga, f"/events/{robin}/desk/{match}/{act}", reason="A funeral.", **values)
    undo = number_in(olga.get(f"/events/{robin}/manage"), rf"/events/{robin}/desk/undo/(\d+)")
    rule = "/events/<number:event_id>/desk/undo/<number:act_id>"
    yield plain("an act to undo", f"/events/{robin}/desk/undo/{undo}", "olga", rule)
    manage = olga.get(f"/events/{robin}/players")
    path = f"/events/{robin}/replace?player={number_in(manage, r'/replace.player=([0-9]+)')}"
    yield plain("a reserve to call", path, "olga", "/events/<number:event_id>/replace")
    yield plain("called as a reserve", world.link("dora", "reserve"), "", "/reserve/<token>")
    olga.get(f"/events/{ladder}/manage")
    world.send(olga, f"/events/{ladder}/start")
    for who in map(world.people.get, MEMBERS):
        found = re.search(r'name="entry" value="(\d+)"', who.get(f"/events/{ladder}")) if who else None
        if who and found:
            who.post(f"/events/{ladder}/challenge", entry=found[1])
            break
    (challenge,) = _links_in(world, "challenge")
    yield plain("a challenge", challenge, "", "/challenge/<token>")
    new = "/clubs/<slug>/events/new"
    yield plain("a new event", f"{CLUB}/events/new", "olga", new)
    for kind in ("league", "stages"):
        yield plain(f"the terms of a new event, {kind}", f"{CLUB}/events/new?title=acres&kind={kind}", "olga", new)
    olga.get(f"{CLUB}/events/new?title=acres&kind=swiss")
    world.send(olga, f"{CLUB}/events/new", name="Seventh")
    seventh = number_in(html_of(olga), r"/events/([0-9]+)/open")  # not open, so that walks begin with those that run
    yield plain("terms before the start", f"/events/{seventh}/terms", "olga", "/events/<number:event_id>/terms")


def _links_in(world: World, kind: str) -> list[str]:
    """Return all mailed links of a kind, the newest last."""
    world.deliver()
    texts = [mail.text for mails in world.mails.values() for mail in mails]
    return [link for text in texts for link in re.findall(rf"{BASE}(/{kind}/\S+)", text)]


def _links(world: World) -> Iterator[Sight]:
    """Yield pages that links of mails and of other pages lead to, and that no walk finds."""
    server, ann, olga = world.app.extensions["postroad"], world.people["ann"], world.people["olga"]
    ann.get("/account/mails")
    ann.post("/account/second-address", address="ann@elsewhere.org")
    second = _links_in(world, "second-address")[-1]
    yield plain("a second address to confirm", second, "", "/second-address/<token>")
    not_mine = f"/not-me/{server.links.sign('not-me', [1, 'ann@elsewhere.org'])}"
    yield plain("a second address that was not mine", not_mine, "", "/not-me/<token>")
    game = next(n for n in range(1, 9) if "/claim/" in ann.client.get(f"/games/{n}", headers=ann.headers).text)
    claim = re.search(r"(/claim/[^\s\"<]+)", ann.get(f"/games/{game}"))
    assert claim
    yield plain("a claim", claim[1], "", "/claim/<token>")
    asked = server.links.sign("sign_up_open", [1, 1])
    yield plain("a mail that asks", f"/asked/sign_up_open/{asked}", "", "/asked/<kind>/<token>")
    yield plain("the end of an event", "/events/1/finish", "olga", "/events/<number:event_id>/finish")
    yield plain("mails again", server.links.turns_again(1).removeprefix(BASE), "", "/mails-again/<token>")
    found = re.findall(r"(/clubs/join/[^\s\"<]+)", olga.get(f"{CLUB}/members"))
    yield plain("a link into the club", found[0], "", "/clubs/join/<token>")
    tables = [ann.client.get(f"/games/{n}", headers=ann.headers).text for n in range(1, 16)]
    found = re.findall(r"(/join/[^\s\"<]+)", "".join(tables))
    yield plain("a link to a private table", found[0], "", "/join/<token>")
    yield plain("a page of the operator's own", "/about/imprint", "", "/about/<name>")
