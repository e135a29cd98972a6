"""Standings in all their forms: page, CSV, JSON, Atom, paper, a frame; in four languages; and what all may read."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from dataclasses import dataclass
from fractions import Fraction
from xml.etree import ElementTree

import pytest
import sqlalchemy as sa
from flask import Flask
from playwright.sync_api import Browser as Chromium

from app.base.server import Server
from app.leagues.changes import leaving
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.tables import Competition
from app.web.visit import now
from tests.support.club_pages import club_of, draft, joined, play_out, running, take_list
from tests.support.english import FOREIGN, english_in, pieces_of_mail, pieces_of_page
from tests.support.once import made_once
from tests.support.people import Browser, Enter, PostOffice, everything
from tests.support.served import SIZES, overflow, violations
from tests.support.tables import write

ATOM = "{http://www.w3.org/2005/Atom}"


@dataclass
class Played:
    """An event of five with one round played out, another running and a third as a draft."""

    event: int
    alice: Browser
    draft: str
    published: str

    @property
    def public(self) -> list[str]:
        base = f"/events/{self.event}"
        files = ["standings.csv", "standings.json", "results.atom", "print", "embed"]
        return [base, self.published, *(f"{base}/{name}" for name in files)]

    @property
    def inside(self) -> list[str]:
        base = f"/events/{self.event}"
        return [
            "/clubs", "/clubs/vendee", "/clubs/vendee/members", "/clubs/vendee/audit", "/clubs/vendee/events/new",
            "/clubs/vendee/events/new?title=acres", "/clubs/vendee/ratings", "/clubs/vendee/members/2",
            f"{base}/players", f"{base}/manage", f"{base}/withdraw", self.draft,
        ]  # fmt: skip


@pytest.fixture
def played(app: Flask, server: Server, enter: Enter, post: PostOffice) -> Played:
    return made_once(app, play, server, enter, post)


def play(server: Server, enter: Enter, post: PostOffice) -> Played:
    names = ("bob", "carol", "dora", "=emil")
    alice = club_of(enter, *names[:3])
    take_list(alice, "vendee", "address,name\nemil@example.org,=Emil")
    others = [joined(post, enter, name.removeprefix("=")) for name in names]
    event = running(alice, alice, *others, title="acres")
    for _ in range(2):
        path = draft(alice, server, event)
        alice.get(path)
        alice.post(f"{path}/publish", version="1")
        play_out(server, path)
        alice.post(f"{path}/close")
    published = path
    last = draft(alice, server, event)
    return Played(event, alice, last, published)


def test_a_link_to_it_shows_the_table_and_robots_are_kept_from_private_pages_only(
    played: Played, stranger: Browser, server: Server
) -> None:
    """6.5: title and picture; times in the club's zone for visitors; the champion of a finished event is named."""
    base = f"/events/{played.event}"
    page = stranger.get(base)
    assert (
        'property="og:title" content="Cup"' in page
        and "noindex" not in page
        and "noindex" not in stranger.get("/clubs")
    )
    picture = re.search(r'og:image" content="http://post.example.org(/events/\d+/table.png\?lang=en)"', page)
    assert picture is not None and picture[1] in stranger.get("/clubs/vendee"), "the club shows its newest table"
    drawn = stranger.client.get(picture[1])
    assert drawn.mimetype == "image/png" and drawn.data[:8] == b"\x89PNG\r\n\x1a\n"
    assert "noindex" in played.alice.get(f"{base}/manage") and "noindex" in stranger.get("/sign-in")
    public = "/", "/rules", "/rules/acres", "/tables", "/watch", "/archive", "/chance"
    assert [path for path in public if "noindex" in stranger.get(path)] == []
    write(server.database, sa.update(Competition).values(status="sign_up", sign_up_until=now()))
    assert re.search(r"Sign-up until [^<]*\(CES?T\)", stranger.get(base)), "not UTC"
    write(server.database, sa.update(Competition).values(status="over", ended_at=now()))
    page = stranger.get(base)
    first = json.loads(stranger.get(f"{base}/standings.json"))["divisions"][0]["standings"][0]
    assert f">{first['name']}</a>" in page.partition("<h2")[0] and 'class="cup place-1"' in page.partition("<h2")[0]


def test_the_table_is_the_same_in_every_form(played: Played, stranger: Browser) -> None:
    base = f"/events/{played.event}"
    data = json.loads(stranger.get(f"{base}/standings.json"))
    lines = data["divisions"][0]["standings"]
    assert [line["place"] for line in lines] == [1, 2, 3, 4, 5]
    listed = json.loads(stranger.get("/clubs/vendee/events.json"))["events"]
    assert [one["standings"] for one in listed] == [f"http://post.example.org{base}/standings.json"], "A7"
    assert f'<link rel="alternate" type="application/atom+xml" title="{data["name"]}" href="{base}/results.atom">' in (
        stranger.get(base)
    )
    first = data["divisions"][0]["rounds"][0]
    assert first["published_at"].endswith("Z") and first["matches"][0]["ended_at"].endswith("Z")
    assert [seat["seat"] for seat in first["matches"][0]["seats"]] == ["british", "french"], "A5"
    whose = {seat["entry"]: seat["player"] for match in first["matches"] for seat in match["seats"]}
    assert {line["entry"]: line["player"] for line in lines} == whose and None not in whose.values(), "A5"
    record = json.loads(stranger.get(f"/games/{first['matches'][0]['game']}/record.json"))["played"]
    assert record["event"] == played.event, "A6"
    assert {one["player"] for one in record["players"].values()} <= set(whose.values())
    assert sum(Fraction(line["points"]) for line in lines) == 6, "two rounds of two games and a bye"
    assert all(Fraction(value) is not None for line in lines for value in line["values"].values() if value), "A4"
    rows = list(csv.reader(io.StringIO(stranger.get(f"{base}/standings.csv"))))
    assert ",".join(rows[0]) == (
        "division,place,name,played,won,drawn,lost,without_playing,points,of_divided_seats,wins,lots,above_the_next_by,withdrawn_after"
    )
    assert [row[2].removeprefix("'") for row in rows[1:]] == [line["name"] for line in lines]
    assert any(row[2] == "'=Emil" for row in rows), "no cell is a formula"
    counts = [[line[name] for name in ("played", "won", "drawn", "lost", "without_playing")] for line in lines]
    assert [list(map(int, row[3:8])) for row in rows[1:]] == counts
    assert [sum(column) for column in zip(*counts, strict=True)] == [8, 4, 0, 4, 2], "two rounds of two games and a bye"
    assert [row[-2] for row in rows[1:]] == [line["above_the_next_by"] or "" for line in lines]
    page = stranger.get(base)
    assert page.index(lines[0]["name"]) < page.index("Why in this order")
    assert page.count("<li>Points:") + page.count("<li>Wins:") + page.count("<li>Nothing else") == 4
    assert "example.org" not in page.replace("post.example.org", "")


def test_who_has_left_is_marked_in_every_form(server: Server, played: Played, stranger: Browser) -> None:
    base = f"/events/{played.event}"
    mark = "<small>withdrawn after round 2</small>"
    assert mark not in stranger.get(base)
    with server.database.read() as session:
        entry = next(one for one in entries.entrants(session, played.event) if one.name == "Dora")
        (by,) = (one.player_id for one in entries.entrants(session, played.event) if one.name == "alice")
    leaving.withdraw(server.database, played.event, entry.player_id, by, reason="has moved away", now=now())
    for path, tables in ((base, 2), (f"{base}/print", 2), (f"{base}/embed", 1)):
        page = stranger.get(path)
        assert page.count(mark) == page.count(f'class="who">Dora {mark}') == tables, path
    lines = json.loads(stranger.get(f"{base}/standings.json"))["divisions"][0]["standings"]
    assert {line["name"]: line["withdrawn_after"] for line in lines if line["withdrawn_after"] is not None} == {
        "Dora": 2
    }
    rows = list(csv.DictReader(io.StringIO(stranger.get(f"{base}/standings.csv"))))
    assert {row["name"]: row["withdrawn_after"] for row in rows if row["withdrawn_after"]} == {"Dora": "2"}


def test_the_feed_has_the_results(played: Played, stranger: Browser) -> None:
    feed = ElementTree.fromstring(stranger.get(f"/events/{played.event}/results.atom"))
    assert stranger.page.mimetype == "application/atom+xml"
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == 4 and len({entry.findtext(f"{ATOM}id") for entry in entries}) == 4
    moments = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert moments == sorted(moments, reverse=True) and feed.findtext(f"{ATOM}updated") == moments[0]
    assert all(" 1 – " in f"{entry.findtext(f'{ATOM}title')} – " for entry in entries)


def test_only_the_table_to_embed_may_be_framed(played: Played, stranger: Browser) -> None:
    for path in played.public:
        stranger.get(path)
        headers = stranger.page.headers
        framed = path.endswith("/embed")
        assert ("frame-ancestors *" in headers["Content-Security-Policy"]) == framed, path
        assert ("X-Frame-Options" not in headers) == framed, path
    page = stranger.get(f"/events/{played.event}/embed")
    assert "<form" not in page and "csrf_token" not in page


def test_looking_changes_nothing_and_drafts_stay_inside(server: Server, played: Played, stranger: Browser) -> None:
    before = everything(server)
    for path in played.public:
        stranger.get(path)
    for path in (*played.public, *played.inside):
        played.alice.get(path)
    assert everything(server) == before
    data = json.loads(stranger.get(f"/events/{played.event}/standings.json"))
    assert [round["number"] for round in data["divisions"][0]["rounds"]] == [1, 2]
    stranger.get(played.draft, 404)


@pytest.mark.parametrize("language", FOREIGN)
def test_the_pages_are_in_the_readers_language(played: Played, language: str) -> None:
    played.alice.get("/account")
    played.alice.post("/account", name="alice", language=language, zone="Europe/Paris", turns="on")
    for path in (*played.inside, *[path for path in played.public if "." not in path]):
        played.alice.get(path)
        assert english_in(pieces_of_page(played.alice.page, language), "acres", language) == set(), path


@pytest.mark.parametrize("language", FOREIGN)
def test_the_mails_are_in_the_readers_language(server: Server, enter: Enter, post: PostOffice, language: str) -> None:
    """A club invites in its own language; the mails of a round are in each player's."""
    alice = enter("alice", language=language)
    alice.get("/clubs")
    alice.post("/clubs", slug="vendee", name="Vendée", about="1998", language=language, zone="Europe/Paris")
    take_list(alice, "vendee", "address,name\nbob@example.org,Bob\ncarol@example.org,Carol")
    others = [joined(post, enter, name) for name in ("bob", "carol")]
    event = running(alice, alice, *others, title="acres")
    path = draft(alice, server, event)
    alice.get(path)
    alice.post(f"{path}/publish", version="1")
    told = [mail for who in ("alice", "bob", "carol") for mail in post.all(f"{who}@example.org")]
    rounds_told = [mail for mail in told if "Cup" in str(mail["Subject"])]
    invited = [mail for mail in told if "Vendée" in str(mail["Subject"])]
    assert len(rounds_told) == 3 and len(invited) == 2, "two who play and one who has a bye"
    for mail in (*rounds_told, *invited):
        assert english_in(pieces_of_mail(mail, language), "acres", language) == set(), mail["Subject"]


@pytest.mark.browser
@pytest.mark.parametrize(("size", "scheme"), [("phone", "light"), ("desk", "dark")])
def test_the_pages_fit_and_are_accessible(
    served: str, browser: Chromium, played: Played, size: str, scheme: str
) -> None:
    cookie = played.alice.client.get_cookie("postroad_sign_in")
    assert cookie
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme)
    context.add_cookies([{"name": "postroad_sign_in", "value": cookie.value, "url": served}])
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    for path in (*played.inside, *[path for path in played.public if "." not in path]):
        answer = page.goto(served + path)
        assert answer is not None and answer.status == 200, path
        page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true })")
        assert scheme == "dark" or violations(page) == [], path  # dark pages are those of test_every_page
        assert overflow(page) == 0, path
    page.goto(f"{served}/events/{played.event}")
    wide = page.evaluate("document.querySelector('table.standings').closest('section').clientWidth / 16")
    assert (wide > 44) == (SIZES[size]["width"] > 1000), "tables use the width of the page"
    assert said == []


def test_a_round_that_was_published_says_who_met_before(server: Server, played: Played) -> None:
    with server.database.read() as session:
        division = lifecycle.get(session, played.event).divisions[0].id
        there = round_rows.rounds_of(session, division, drafts=True)
    met = [frozenset(seat.entry_id for seat in match.seats) for round in there for match in round.matches]
    pairs = [pair for pair in met if len(pair) == 2]
    assert len(pairs) == len(set(pairs)), "nobody meets twice in three rounds of five"


def test_what_is_public_is_kept_compressed_and_read_by_other_sites(played: Played, stranger: Browser) -> None:
    """A8, A19; which addresses are public, and that nothing else is kept so: tests/whole/test_rights.py"""
    zipped = {"Accept-Encoding": "gzip"}
    for path in (f"/events/{played.event}/standings.json", f"/events/{played.event}/results.atom", "/chance.json"):
        first = stranger.client.get(path, headers=zipped)
        assert first.headers["Access-Control-Allow-Origin"] == "*" and "Set-Cookie" not in first.headers
        assert first.headers["Cache-Control"] == "public, no-cache" and first.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(first.data) == stranger.client.get(path).data
        again = stranger.client.get(path, headers=zipped | {"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        asked = stranger.client.options(path, headers={"Access-Control-Request-Headers": "if-none-match"})
        missing = stranger.client.get(
            path.replace(f"/{played.event}/", "/999/").replace("chance.json", "rules/x/data.json")
        )
        assert missing.status_code == 404
        for one in (first, again, asked, missing):
            assert one.headers["Access-Control-Allow-Origin"] == "*", "a page of another site is told"
            assert one.headers["Access-Control-Expose-Headers"] == "ETag"
            assert one.headers["Access-Control-Allow-Headers"] == "If-None-Match"
        assert "Access-Control-Allow-Origin" not in played.alice.client.get(f"{path}/x").headers
        assert played.alice.client.get(path).headers["Cache-Control"] == "no-store", "who is signed in"
