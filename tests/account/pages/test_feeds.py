"""Atom (RFC 4287) and iCalendar (RFC 5545) under private keys."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
import sqlalchemy as sa
import time_machine
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from app.account import feeds, my_data
from app.account.pages.calendar_lines import calendar, escaped, folded, utc
from app.base.server import Server
from app.clocks.pace import DEFAULT
from app.games.tables import Game
from app.games.work import Work
from app.lobby import open_games
from app.lobby.open_games import Chair
from app.overdue import nudges
from app.people import accounts
from app.people.tables import Player
from app.play.agreed import results
from app.play.turn import starting
from app.time import pending
from app.time.away import leave
from app.time.tables import HolidayCalendar
from tests.support.people import BASE, BOTH, Browser, Enter, PostOffice, everything
from tests.support.tables import NOW, address, hand, load, say, start

A = "{http://www.w3.org/2005/Atom}"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def addresses(page: str) -> tuple[str, str]:
    """Return the addresses of the Atom feed and of the calendar."""
    atom, ical = re.findall(r'readonly value="([^"]+)"', page)
    return atom.removeprefix(BASE), ical.removeprefix(BASE)


def read_atom(text: str) -> ElementTree.Element:
    """Parse the feed and check what RFC 4287 demands of a feed and of every entry: it is there, once."""
    root = ElementTree.fromstring(text.encode())
    assert root.tag == f"{A}feed"
    for one in (root, *root.findall(f"{A}entry")):
        for name in ("id", "title", "updated"):
            assert len(one.findall(A + name)) == 1, name
        assert MOMENT.fullmatch(one.findtext(f"{A}updated") or "")
        assert (one.findtext(f"{A}id") or "").startswith("tag:post.example.org,2026:")
        assert one.find(f"{A}link[@rel='alternate']") is not None
    assert root.findtext(f"{A}author/{A}name") and root.find(f"{A}link[@rel='self']") is not None
    ids = [entry.findtext(f"{A}id") for entry in root.findall(f"{A}entry")]
    assert len(set(ids)) == len(ids)
    return root


LINE = re.compile(r"([A-Z-]+)((?:;[A-Z-]+=[^\":;,]+)*):(.*)")


def read_calendar(raw: bytes) -> list[dict[str, str]]:
    """Parse the events strictly: CRLF, at most 75 octets, balanced, escaped, UTC; what 3.6 and 3.6.1 demand."""
    assert raw.endswith(b"\r\n") and b"\n" not in raw.replace(b"\r\n", b"") and b"\r" not in raw.replace(b"\r\n", b"")
    for physical in raw.split(b"\r\n"):
        assert len(physical) <= 75
        physical.decode()  # no character is cut
    lines = raw.decode().replace("\r\n ", "").removesuffix("\r\n").split("\r\n")
    stack: list[str] = []
    events: list[dict[str, str]] = []
    heading: dict[str, str] = {}
    components = 0
    for line in lines:
        match = LINE.fullmatch(line)
        assert match, line
        name, _, value = match.groups()
        if name == "BEGIN":
            stack.append(value)
            components += len(stack) == 2
            if value == "VEVENT":
                events.append({})
        elif name == "END":
            assert stack.pop() == value
        elif stack[-1] == "VEVENT":
            assert name not in events[-1]
            events[-1][name] = value
        elif stack == ["VCALENDAR"]:
            heading[name] = value
    assert stack == [] and lines[0] == "BEGIN:VCALENDAR" and lines[-1] == "END:VCALENDAR"
    assert heading["VERSION"] == "2.0" and heading["PRODID"] and components >= 1
    for event in events:
        assert {"UID", "DTSTAMP", "DTSTART", "SUMMARY"} <= event.keys()
        assert all(re.fullmatch(r"\d{8}T\d{6}Z", event[name]) for name in ("DTSTAMP", "DTSTART"))
        for name in ("SUMMARY", "DESCRIPTION"):
            assert not re.search(r"(?<!\\)(?:\\\\)*[;,]", event[name]) and re.fullmatch(
                r"(?:[^\\]|\\[\\;,n])*", event[name]
            )
    assert len({event["UID"] for event in events}) == len(events)
    return events


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], text)


# -- the lines of a calendar --------------------------------------------------------------------------


@given(st.text())
def test_folded_lines_are_short_and_unfold_to_what_they_were(text: str) -> None:
    """RFC 5545 3.1"""
    line = "SUMMARY:" + escaped(text.replace("\r", ""))
    pieces = folded(line).encode().split(b"\r\n")
    assert all(len(piece) <= 75 for piece in pieces) and all(piece[:1] == b" " for piece in pieces[1:])
    assert (pieces[0] + b"".join(piece[1:] for piece in pieces[1:])).decode() == line


@given(st.text(st.characters(exclude_characters="\r", exclude_categories=("Cs", "Cc"), include_characters="\n")))
def test_escaped_texts_come_back(text: str) -> None:
    """RFC 5545 3.3.11"""
    raw = calendar(
        [("VERSION", "2.0"), ("PRODID", "x")],
        [[("UID", "1"), ("DTSTAMP", utc(NOW)), ("DTSTART", utc(NOW)), ("SUMMARY", escaped(text)), ("DESCRIPTION", "")]],
    ).encode()  # fmt: skip
    assert unescaped(read_calendar(raw)[0]["SUMMARY"]) == text


def test_moments_are_in_utc() -> None:
    from zoneinfo import ZoneInfo

    assert utc(datetime(2026, 3, 29, 4, 30, tzinfo=ZoneInfo("Europe/Paris"))) == "20260329T023000Z"


# -- what they show -----------------------------------------------------------------------------------


@BOTH
def test_the_feed_shows_what_waits_and_the_calendar_all_deadlines(
    server: Server, enter: Enter, stranger: Browser
) -> None:
    alice = enter("alice")
    mine = start(server.database, pace=timedelta(days=3))
    theirs = start(server.database, "acres")
    for game_id in (mine, theirs):
        game = load(server.database, game_id)
        assert game.decides == game.seats[0].seat
    with Work(server.database) as work:
        bob = accounts.find_or_add(work.session, address("bob"), now=NOW)
        accounts.settle(bob, name="Bob; of, York\\")
        work.session.add(bob)
        work.commit()
        bob_id = bob.id or 0
    open_games.create(
        server.database,
        bob_id,
        open_games.TableDraft(
            title_id="ferry",
            chairs=[Chair("red", "me"), Chair("blue", "mail", address("alice"))],
            options={},
            pace=DEFAULT,
            drawn=False,
        ),
        now=NOW,
    )
    results.propose(server.database, theirs, bob_id, "cancel", now=NOW)
    atom, ical = addresses(alice.get("/account/feeds"))
    root = read_atom(stranger.get(atom))
    assert stranger.page.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    titles = {entry.findtext(f"{A}id"): entry.findtext(f"{A}title") for entry in root.findall(f"{A}entry")}
    game = load(server.database, mine)
    assert titles[f"tag:post.example.org,2026:game/{mine}/decision/{game.number}"] == (
        "Your decision in Ferry against Bob; of, York\\"
    )
    assert sorted(title.split(" in ")[0] for title in titles.values() if title) == [
        "Bob; of, York\\ invites you to Ferry", "Bob; of, York\\ proposes how to end A Few Acres of Snow",
        "Your decision", "Your decision",
    ]  # fmt: skip
    stranger.get(ical)
    assert stranger.page.headers["Content-Type"] == "text/calendar; charset=utf-8"
    events = {event["UID"]: event for event in read_calendar(stranger.page.data)}
    event = events[f"game-{mine}-decision-{game.number}@post.example.org"]
    assert game.deadline_at is not None and event["DTEND"] == f"{game.deadline_at:%Y%m%dT%H%M%SZ}"
    assert event["DTSTART"] == f"{game.deadline_at - timedelta(minutes=30):%Y%m%dT%H%M%SZ}"
    assert unescaped(event["SUMMARY"]) == "Your decision in Ferry against Bob; of, York\\"
    assert event["URL"] == f"{BASE}/games/{mine}" and len(events) == 2
    # after the answer it is Bob's turn: gone from the feed, another event in the calendar
    cards = hand(game, game.decides or "")
    say(server.database, mine, f"drop {cards[0]}\ndrop {cards[1]}\nend")
    assert f"game/{mine}/decision" not in stranger.get(atom)
    stranger.get(ical)
    after = [event for event in read_calendar(stranger.page.data) if f"game-{mine}-" in event["UID"]]
    assert unescaped(after[0]["SUMMARY"]) == "Bob; of, York\\ decides in Ferry"
    assert after[0]["UID"] != event["UID"]


def test_feeds_hold_no_link_that_answers_and_no_card(server: Server, enter: Enter, stranger: Browser) -> None:
    alice = enter("alice")
    game_id = start(server.database)
    game = load(server.database, game_id)
    atom, ical = addresses(alice.get("/account/feeds"))
    for at in (atom, ical):
        text = stranger.get(at)
        assert "/t/" not in text and "@example.org" not in text
        assert not any(card in text for seat in ("red", "blue") for card in hand(game, seat))
        links = re.findall(r"http://post\.example\.org(/[^\s\"<\\]*)", text.replace("\r\n ", ""))
        assert {link for link in links if not link.startswith("/feeds/")} <= {"/games", f"/games/{game_id}"}


def test_an_empty_calendar_is_still_one(server: Server, enter: Enter, stranger: Browser) -> None:
    atom, ical = addresses(enter("alice").get("/account/feeds"))
    stranger.get(ical)
    assert read_calendar(stranger.page.data) == []
    assert read_atom(stranger.get(atom)).findall(f"{A}entry") == []


@BOTH
def test_whatever_an_entry_says_its_revision_moves_with_it(server: Server, enter: Enter, stranger: Browser) -> None:
    """RFC 5545 3.8.7.2 to 3.8.7.4, RFC 4287 4.2.15: the start of a clock, more time, leave, a calendar, names, the
    reader's language; and it stays the same otherwise.
    """
    alice, database = enter("alice"), server.database
    enter("bob")
    game_id = start(database, pace=timedelta(days=7))
    atom, ical = addresses(alice.get("/account/feeds"))
    now = datetime.now(UTC)
    with database.read() as session:
        ids = {player.name: player.id for player in session.scalars(sa.select(Player))}

    def said() -> tuple[dict[str, str], list[str]]:
        root = read_atom(stranger.get(atom))
        stranger.get(ical)
        [event] = read_calendar(stranger.page.data)
        [entry] = root.findall(f"{A}entry")
        texts = [entry.findtext(A + name) or "" for name in ("updated", "title", "summary")]
        return event, [*texts, root.findtext(f"{A}updated") or ""]

    def settle(who: str, **values: str) -> None:
        with Work(database) as work:
            accounts.settle(work.session.get_one(Player, ids[who]), **values)
            work.commit()

    def holiday() -> None:
        with Work(database) as work:
            work.session.add(HolidayCalendar(name="H", days=[f"{now + timedelta(days=4):%Y-%m-%d}"], changed_at=now))
            work.session.flush()
            work.session.execute(sa.update(Game).values(calendar_id=1))
            pending.refresh_game(work.session, game_id, datetime.now(UTC))
            work.commit()

    def begin() -> None:
        with Work(database) as work:
            pending.start_clock(work.session, game_id, load(database, game_id).number, datetime.now(UTC))
            work.commit()

    changes = {
        "the clock starts": begin,
        "more time": lambda: nudges.extend(
            database, game_id, ids["bob"], 3, number=1, granted=0, now=datetime.now(UTC)
        ),
        "leave": lambda: leave.start_now(database, ids["alice"], 2, now=datetime.now(UTC), allowance=30),
        "a calendar": holiday,
        "another name": lambda: settle("bob", name="Robert"),
        "another zone": lambda: settle("alice", zone="Asia/Tokyo"),
    }
    event, entry = said()
    for hours, (what, change) in enumerate(changes.items(), 1):
        with time_machine.travel(now + timedelta(hours=hours), tick=False):
            change()
            after, changed = said()
            assert after["UID"] == event["UID"] and (after, changed[:3]) != (event, entry[:3]), what
            for name in ("DTSTAMP", "LAST-MODIFIED"):
                assert after[name] == f"{now + timedelta(hours=hours):%Y%m%dT%H%M%SZ}" > event[name], (what, name)
            assert int(after["SEQUENCE"]) > int(event["SEQUENCE"]) and changed[0] == changed[3] > entry[0], what
            event, entry = after, changed
        with time_machine.travel(now + timedelta(hours=hours, minutes=30), tick=False):
            assert said() == (event, entry), what


# -- keys ---------------------------------------------------------------------------------------------


@pytest.mark.quick
@BOTH
def test_new_keys_end_the_old_ones(server: Server, enter: Enter, stranger: Browser) -> None:
    alice = enter("alice")
    before = addresses(alice.get("/account/feeds"))
    page = alice.post("/account/feeds/keys")
    after = addresses(page)
    assert "new addresses" in page and not set(before) & set(after)
    for at in before:
        stranger.get(at, 404)
    for at in after:
        stranger.get(at)
    alice.token = "none"
    alice.post("/account/feeds/keys", 400)


def test_keys_open_their_own_feed_only(server: Server, enter: Enter, stranger: Browser) -> None:
    atom, ical = addresses(enter("alice").get("/account/feeds"))
    stranger.get(atom.replace("waiting.atom", "deadlines.ics"), 404)
    stranger.get(ical.replace("deadlines.ics", "waiting.atom"), 404)
    stranger.get(atom.replace("/feeds/", "/feeds/x"), 404)
    stranger.get("/feeds/" + "x" * 500 + "/waiting.atom", 404)
    stranger.get("/account/feeds", 303)


def test_an_erased_account_has_no_feeds(server: Server, enter: Enter, stranger: Browser) -> None:
    atom, _ = addresses(enter("alice").get("/account/feeds"))
    with server.database.read() as session:
        assert feeds.reader(session, 1, 1)
    my_data.erase(server.database, 1, now=NOW)
    stranger.get(atom, 404)


# -- asked again --------------------------------------------------------------------------------------


def test_who_has_it_already_gets_304_until_it_changes(server: Server, enter: Enter, stranger: Browser) -> None:
    """RFC 9110 13.1.2"""
    alice = enter("alice")
    game_id = start(server.database)
    for at in addresses(alice.get("/account/feeds")):
        client, before = stranger.client, everything(server)
        first = client.get(at)
        tag = first.headers["ETag"]
        assert first.status_code == 200 and client.get(at).data == first.data
        same = client.get(at, headers={"If-None-Match": tag})
        assert same.status_code == 304 and same.data == b"" and same.headers["ETag"] == tag
        assert everything(server) == before
        game = load(server.database, game_id)
        cards = hand(game, game.decides or "")
        say(server.database, game_id, f"drop {cards[0]}\ndrop {cards[1]}\nend")
        with time_machine.travel(datetime.now(UTC) + timedelta(minutes=9), tick=False):
            changed = client.get(at, headers={"If-None-Match": tag})
            assert changed.status_code == 200 and changed.data != first.data
        game = load(server.database, game_id)
        cards = hand(game, game.decides or "")
        say(server.database, game_id, f"drop {cards[0]}\ndrop {cards[1]}\nend")


@pytest.mark.parametrize("language", ["en", "fr", "es", "it"])
def test_feeds_are_in_the_player_s_language(
    language: str, app: Flask, server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = enter("alice", language=language)
    starting.new_game(server.database, "acres", [("british", address("alice")), ("french", address("bob"))], now=NOW)
    page = alice.get("/account/feeds")
    assert ("Two private addresses" in page) == (language == "en")
    root = read_atom(stranger.get(addresses(page)[0]))
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == language
    assert ("Your decision in" in stranger.get(addresses(page)[0])) == (language == "en")


def test_feeds_end_with_the_address(server: Server, enter: Enter, stranger: Browser, post: PostOffice) -> None:
    """Whoever reads the old mailbox has their addresses."""
    alice = enter("alice")
    before = addresses(alice.get("/account/feeds"))
    alice.get("/account")
    alice.post("/account/address", address="alice@new.example")
    for to in ("alice@example.org", "alice@new.example"):
        link = post.link(to, "address")
        assert stranger.client.get(before[0].removeprefix(BASE)).status_code == 200
        stranger.get(link)
        stranger.post(link, sure="yes")
    assert [stranger.client.get(one.removeprefix(BASE)).status_code for one in before] == [404, 404]
