"""A game stepped through: addresses of turns and steps, whose eyes, takebacks, notes, pictures."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from app.base.server import Server
from app.base.stored import limits
from app.games.store import GameStore
from app.games.work import Work
from app.play.agreed import results
from app.play.agreed.takeback import take_back
from app.play.pages.past.pictures import PICTURES
from app.play.past import replay
from app.post.letters import picture_process
from app.titles import pictures
from app.titles.pages import PlainPages
from app.titles.registry import PAGES
from tests.support.forms import Page
from tests.support.kept import as_in_another_process
from tests.support.people import Browser, Enter, everything
from tests.support.tables import NOW, load, played, random_line, say


def stops(server: Server, game_id: int) -> replay.Timeline:
    with server.database.read() as session:
        return replay.course_of(session, game_id)


def told_in(items: str) -> str:
    """Return list items in words, without their small print."""
    told = [re.sub(r"<[^>]*>", " ", one.partition("<small>")[0]) for one in items.split("<li>")[1:]]
    return " ".join(" ".join(told).split())


def at_of(page: str) -> tuple[int, int]:
    """Return the step that a page shows, and how many there are."""
    found = re.search(r"step (\d+) of (\d+)", page)
    assert found
    return int(found[1]), int(found[2])


def ways(page: str) -> dict[str, str]:
    """Return the links of the bar, by their names."""
    bar = page.partition('<nav class="steps-nav"')[2].partition("</nav>")[0]
    return {
        name.strip(): address
        for address, name in re.findall(r'<a href="([^"]+)"[^>]*><span[^>]*>[^<]*</span> ([^<]+)</a>', bar)
    }


# -- stepping -----------------------------------------------------------------------------------------


def test_a_game_is_walked_from_end_to_end_by_links_alone(server: Server, stranger: Browser) -> None:
    game_id = played(server)
    course = stops(server, game_id)
    page = stranger.get(f"/games/{game_id}/replay")
    assert at_of(page) == (course.last, course.last)
    assert {"First", "Turn back", "Step back"} == ways(page).keys()
    page = stranger.get(ways(page)["First"])
    assert at_of(page)[0] == 1 and {"Step forward", "Turn forward", "Last"} == ways(page).keys()
    walked = [1]
    while "Step forward" in ways(page):
        page = stranger.get(ways(page)["Step forward"])
        walked.append(at_of(page)[0])
    assert walked == list(range(1, course.last + 1))
    back = [at_of(page)[0]]
    while "Turn back" in ways(page):
        page = stranger.get(ways(page)["Turn back"])
        back.append(at_of(page)[0])
    assert back == sorted(course.turn_ends, reverse=True)
    assert len(course.turn_ends) < course.last, "no turn of several steps was met"
    forward = [1]
    while "Turn forward" in ways(page):
        page = stranger.get(ways(page)["Turn forward"])
        forward.append(at_of(page)[0])
    assert forward == list(course.turn_ends)


def test_the_bar_has_keys_and_the_head_says_what_is_before_and_after(server: Server, stranger: Browser) -> None:
    game_id = played(server)
    page = stranger.get(f"/games/{game_id}/replay?turn=2")
    keys = re.findall(r'accesskey="(\w)"', page)
    assert len(keys) == len(set(keys)) == 6
    assert f'<link rel="prev" href="/games/{game_id}/replay?turn=1">' in page
    assert f'<link rel="next" href="/games/{game_id}/replay?turn=3">' in page
    assert f'rel="canonical" href="http://post.example.org/games/{game_id}/replay?turn=2"' in page
    form = Page(page).form("turn")
    assert form.method == "get" and form.action == f"/games/{game_id}/replay" and form.named("turn")[0].value == "2"
    script = re.search(r'<script src="(/static/steps\.js\?[^"]+)" defer></script>', page)
    assert script
    policy = stranger.page.headers["Content-Security-Policy"]
    with stranger.client.get(script[1]) as answer:
        assert answer.status_code == 200
    assert "script-src 'self';" in policy and "unsafe" not in policy and "default-src 'none'" in policy
    assert "script-src" not in stranger.client.get(f"/games/{game_id}").headers["Content-Security-Policy"]


@pytest.mark.parametrize("title", ["acres", "new-world"])
def test_a_turn_is_where_its_last_step_is(server: Server, stranger: Browser, title: str) -> None:
    game_id = played(server, title, moves=14)
    course = stops(server, game_id)
    for turn in range(1, course.turns + 1):
        page = stranger.get(f"/games/{game_id}/replay?turn={turn}")
        last = max(stop.entry for stop in course.stops if stop.turn == turn)
        assert at_of(page)[0] == last
        assert f"<h1>Turn {turn} " in page


@pytest.mark.parametrize("asked", ["?turn=99", "?turn=x", "?turn=-1", "?turn=²", "/0", "/999", "?turn=123456789012"])
def test_what_is_not_there_is_said_in_a_sentence(server: Server, stranger: Browser, asked: str) -> None:
    game_id = played(server, moves=3)
    assert "so far; there is no such one." in stranger.get(f"/games/{game_id}/replay{asked}", 404)


def test_games_that_are_not_there_or_have_not_begun(server: Server, stranger: Browser) -> None:
    for game in (999, 2**40):
        for rest in ("replay", "replay/1", "turns/1.svg", "turns/1.png", "plan/1"):
            assert stranger.client.get(f"/games/{game}/{rest}").status_code in (303, 404)


def test_the_log_of_a_game_leads_to_its_positions(server: Server, stranger: Browser) -> None:
    game_id = played(server)
    page = stranger.get(f"/games/{game_id}")
    log = page.partition('id="log"')[2].partition("</section>")[0]
    turns = [int(n) for n in re.findall(r"<h3>Turn (\d+)</h3>", log)]
    assert len(turns) > 2 and turns == sorted(turns, reverse=True), "the newest turn is on top"
    newest = log.partition("<ul")[2].partition("</ul>")[0]
    entries = [int(n) for n in re.findall(rf'href="/games/{game_id}/replay/(\d+)"', newest)]
    assert entries == sorted(entries) and entries[-1] == load(server.database, game_id).entries
    there = stranger.get(f"/games/{game_id}/replay?turn={turns[0]}").partition('id="now"')[2].partition("</section>")[0]
    assert told_in(newest) == told_in(there.partition("</ul>")[0]) != ""


def test_no_get_changes_anything(server: Server, enter: Enter) -> None:
    game_id = played(server)
    alice = enter("alice")
    alice.get(f"/games/{game_id}/replay/3")
    alice.post(f"/games/{game_id}/replay/3/plan")
    plan = alice.page.request.path
    before = everything(server)
    for path in (f"/games/{game_id}/replay", f"/games/{game_id}/replay/2", f"/games/{game_id}/turns/1.svg", plan):
        alice.client.get(path)
    assert everything(server) == before


# -- whose eyes ---------------------------------------------------------------------------------------


def test_while_it_runs_players_see_themselves_and_others_what_is_open(
    server: Server, enter: Enter, stranger: Browser
) -> None:
    game_id = played(server, "acres", moves=8)
    alice, bob = enter("alice"), enter("bob")
    assert 'id="hand"' in alice.get(f"/games/{game_id}/replay/5") and 'id="hand"' in bob.get(
        f"/games/{game_id}/replay/5"
    )
    assert alice.get(f"/games/{game_id}/replay/5") != bob.get(f"/games/{game_id}/replay/5")
    for browser, forbidden in (
        (alice, ("french", "all")), (bob, ("british", "all")), (stranger, ("british", "french", "all", "nobody")),
    ):  # fmt: skip
        for eyes in forbidden:
            page = browser.get(f"/games/{game_id}/replay/5?eyes={eyes}", 403)
            assert "While the game runs" in page
    page = stranger.get(f"/games/{game_id}/replay/5")
    assert 'id="hand' not in page and 'id="notes"' not in page and 'id="branches"' not in page
    board = re.compile(r"<pre.*?</pre>", re.DOTALL)
    assert board.search(alice.get(f"/games/{game_id}/replay/5?eyes=spectator"))[0] == board.search(page)[0]  # type: ignore[index]


def test_after_the_end_everybody_sees_everything(server: Server, enter: Enter, stranger: Browser) -> None:
    game_id = played(server, "acres", moves=8)
    results.resign(server.database, game_id, load(server.database, game_id).seats[0].player_id or 0, now=NOW)
    as_in_another_process()
    page = stranger.get(f"/games/{game_id}/replay/5")
    assert 'id="hand-british"' in page and 'id="hand-french"' in page
    with server.database.read() as session:
        game = GameStore(session).load(game_id)
        state = GameStore(session).rebuilt(game, 5)
    assert all(f'"{card}"' in page for card in state.players["french"].draw)
    own = enter("alice").get(f"/games/{game_id}/replay/5")
    assert 'id="hand"' in own and 'id="hand-french"' not in own, "what she knew then comes first"
    assert 'id="hand-french"' in stranger.get(f"/games/{game_id}/replay/5?eyes=french")
    # The view stays the same while stepping.
    page = stranger.get(f"/games/{game_id}/replay/5?eyes=french")
    assert all("eyes=french" in address for address in ways(page).values())
    assert "Then the game was over." in stranger.get(f"/games/{game_id}/replay")


def test_a_title_without_secrets_offers_no_other_eyes(server: Server, stranger: Browser) -> None:
    game_id = played(server, "new-world", moves=4)
    page = stranger.get(f"/games/{game_id}/replay")
    assert "Seen by:" not in page
    stranger.get(f"/games/{game_id}/replay?eyes=all", 403)


def test_a_turn_link_opens_no_past(server: Server, stranger: Browser) -> None:
    """The right to one decision does not include what the seat knew: only signed-in players are recognised here."""
    from tests.support.tables import link_to

    game_id = played(server, "acres", moves=6)
    stranger.get(f"/t/{server.links.turn_token(link_to(load(server.database, game_id)))}")
    assert 'id="hand' not in stranger.get(f"/games/{game_id}/replay/3")


# -- takebacks ----------------------------------------------------------------------------------------


def test_a_takeback_is_a_step_of_its_own_with_the_position_before(server: Server, stranger: Browser) -> None:
    game_id = played(server, moves=7)
    with Work(server.database) as work:
        game = work.store.load(game_id, for_writing=True)
        was = game.title.view(work.store.rebuilt(game, game.entries - 2), None)
        take_back(work, game, "red", game.entries - 2, NOW)
        work.commit()
    chooser = random.Random(9)
    for _ in range(3):
        say(server.database, game_id, random_line(load(server.database, game_id), chooser))
    course = stops(server, game_id)
    restored = next(stop for stop in course.stops if stop.back_to is not None)
    assert restored.entry in course.turn_ends and restored.entry - 1 in course.turn_ends
    page = stranger.get(f"/games/{game_id}/replay/{restored.entry}")
    assert f"Here the position of step {restored.back_to} was restored." in page
    assert f'href="/games/{game_id}/replay/{restored.back_to}"' in page
    with server.database.read() as session:
        game = GameStore(session).load(game_id)
        for _ in range(2):  # as another process computes it, and from the cache
            for entry in (restored.entry, 2, restored.entry - 1, course.last - 1, restored.entry):
                state = replay.state_after(session, game, course, entry)
                assert state == GameStore(session).rebuilt(game, entry), entry
        assert game.title.view(replay.state_after(session, game, course, restored.entry), None) == was
        as_in_another_process()
        assert replay.state_after(session, game, course, course.last) == game.state


def test_positions_are_those_of_the_log_in_any_order(server: Server) -> None:
    game_id = played(server, "acres", moves=60)
    course = stops(server, game_id)
    with server.database.read() as session:
        game = GameStore(session).load(game_id)
        expected = {entry: GameStore(session).rebuilt(game, entry) for entry in range(1, course.last + 1)}
        order = list(expected) * 2
        random.Random(2).shuffle(order)
        as_in_another_process()
        for entry in order:
            assert replay.state_after(session, game, course, entry) == expected[entry]


# -- notes --------------------------------------------------------------------------------------------


def test_notes_of_a_position_are_the_seats_own(server: Server, enter: Enter, stranger: Browser) -> None:
    game_id = played(server)
    alice, bob = enter("alice"), enter("bob")
    alice.get(f"/games/{game_id}")
    alice.post(f"/games/{game_id}/note", note="of the whole game")
    alice.get(f"/games/{game_id}/replay/4")
    page = alice.post(f"/games/{game_id}/replay/4/note", note="here I slept")
    assert "here I slept" in page and "Your notes are kept." in page and "with your notes" in page
    alice.get(f"/games/{game_id}/replay/5")
    alice.post(f"/games/{game_id}/replay/5/note", note="and here")
    assert "here I slept" in alice.get(f"/games/{game_id}/replay/4")
    assert "of the whole game" in alice.get(f"/games/{game_id}") and "slept" not in alice.get(f"/games/{game_id}")
    for browser in (bob, stranger):
        assert "slept" not in browser.get(f"/games/{game_id}/replay/4")
    results.resign(server.database, game_id, load(server.database, game_id).seats[0].player_id or 0, now=NOW)
    assert "slept" not in bob.get(f"/games/{game_id}/replay/4?eyes=red")
    assert "slept" not in stranger.get(f"/games/{game_id}/replay/4")


def test_notes_come_back_with_the_reason(server: Server, enter: Enter) -> None:
    game_id = played(server, moves=3)
    alice, carol = enter("alice"), enter("carol")
    alice.get(f"/games/{game_id}/replay/2")
    page = alice.post(f"/games/{game_id}/replay/2/note", 422, note="x" * 10_001)
    assert "the limit is 10000" in page and "x" * 10_001 in page
    assert "This game has no step 99." not in page
    alice.post(f"/games/{game_id}/replay/99/note", 404, note="x")
    before = everything(server)
    alice.token = "wrong"
    assert "mine" in alice.post(f"/games/{game_id}/replay/2/note", 400, note="mine")
    carol.get("/account")
    assert "You do not play in this game." in carol.post(f"/games/{game_id}/replay/2/note", 422, note="theirs")
    assert everything(server) == before


# -- pictures -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["acres", "new-world"])
def test_every_turn_has_a_picture(server: Server, stranger: Browser, title: str) -> None:
    game_id = played(server, title, moves=6)
    for turn in range(stops(server, game_id).turns + 1):
        answer = stranger.client.get(f"/games/{game_id}/turns/{turn}.svg")
        assert answer.mimetype == "image/svg+xml" and answer.text.startswith("<svg xmlns")
        assert "var(" not in answer.text and "<script" not in answer.text
        assert 'href="#cell' not in answer.text
        assert answer.headers["Cache-Control"] == "public, no-cache"
    assert stranger.client.get(f"/games/{game_id}/turns/99.svg").status_code == 404
    said = {lang: stranger.client.get(f"/games/{game_id}/turns/1.svg?lang={lang}").text for lang in ("en", "fr")}
    assert said["en"] != said["fr"]


def test_the_style_of_a_picture_is_allowed_by_its_policy(server: Server, stranger: Browser) -> None:
    import base64
    import hashlib

    answer = stranger.client.get(f"/games/{played(server, 'acres', moves=2)}/turns/1.svg")
    style = answer.text.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in answer.headers["Content-Security-Policy"]


def test_pictures_of_a_finished_game_may_be_kept_by_others(server: Server, stranger: Browser) -> None:
    game_id = played(server, "acres", moves=4)
    results.resign(server.database, game_id, load(server.database, game_id).seats[0].player_id or 0, now=NOW)
    answer = stranger.client.get(f"/games/{game_id}/turns/1.svg?lang=en")
    assert answer.headers["Cache-Control"] == "public, max-age=86400"
    assert stranger.client.get(f"/games/{game_id}/turns/1.svg").headers["Cache-Control"] == "public, no-cache", (
        "by reader"
    )


@pytest.mark.parametrize(("page", "moves"), [("/replay?turn=1", 4), ("", 0), ("", 4), ("", 5)])
def test_a_shared_link_shows_the_picture(server: Server, stranger: Browser, page: str, moves: int) -> None:
    """6.5: of a turn, and of a game that has just begun, goes on or is over; robots may read both."""
    game_id = played(server, "acres", moves=moves)
    if moves == 5:
        results.resign(server.database, game_id, load(server.database, game_id).seats[0].player_id or 0, now=NOW)
    text = stranger.get(f"/games/{game_id}{page}")
    found = re.search(r'<meta property="og:image" content="http://post.example.org(/[^"]+)">', text)
    assert found and 'property="og:title" content="A Few Acres of Snow ·' in text and "noindex" not in text
    answer = stranger.client.get(found[1])
    assert answer.mimetype == "image/png" and answer.data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", answer.data[16:24])
    assert width == pictures.WIDTH and 500 < height < 1600


def test_the_words_of_a_picture_are_drawn_with_the_fonts_of_the_program() -> None:
    frame = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30">{}</svg>'
    words = '<text x="2" y="20" font-family="{}" font-weight="{}">Post</text>'
    looks = {
        pictures.png(frame.format(words.format(family, weight)), 90)
        for family, weight in (("Georgia, serif", 400), ("Arial, sans-serif", 400), ("Arial, sans-serif", 600))
    }
    assert len(looks) == 3 and pictures.png(frame.format(""), 90) not in looks


@pytest.fixture
def painter() -> Iterator[None]:
    yield
    picture_process.stop()


def test_a_turn_is_painted_once_and_nobody_waits_for_the_painter(
    server: Server, stranger: Browser, painter: None
) -> None:
    game_id = played(server, "acres", moves=2, seed=77)
    picture_process.start()
    busy = picture_process._painter
    assert busy is not None
    with busy._lock:
        answer = stranger.client.get(f"/games/{game_id}/turns/1.png")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    drawn = stranger.client.get(f"/games/{game_id}/turns/1.png")
    assert drawn.status_code == 200 and drawn.data[:8] == b"\x89PNG\r\n\x1a\n"
    with busy._lock:  # kept: it takes no painter
        assert stranger.client.get(f"/games/{game_id}/turns/1.png").data == drawn.data
        assert stranger.client.get(f"/games/{game_id}/turns/1.png?lang=fr").status_code == 503


def test_a_network_without_an_account_gets_few_new_pictures(
    server: Server, stranger: Browser, enter: Enter, painter: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id = played(server, "acres", moves=2, seed=77)
    few = limits.OfProcess(replace(PICTURES.limit, most=1))
    monkeypatch.setattr("app.play.pages.past.pictures.PICTURES", few)
    address = f"/games/{game_id}/turns/1.png?lang="
    said = [stranger.client.get(address + lang).status_code for lang in ("en", "fr", "en", "es")]
    assert said == [200, 429, 200, 429], "what is kept costs nothing"
    assert enter("alice").client.get(address + "it").status_code == 200


def test_a_title_without_a_drawing_has_its_text(
    server: Server, stranger: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PAGES._loaded, "ferry", PlainPages())
    game_id = played(server, moves=2)
    page = stranger.get(f"/games/{game_id}/replay")
    assert "<svg" not in page and "og:image" not in page and "<pre" in page
    assert stranger.client.get(f"/games/{game_id}/turns/1.svg").status_code == 404


# -- words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lang", "said"), [("fr", "Étape suivante"), ("es", "Paso siguiente"), ("it", "Passo successivo")]
)
def test_the_pages_speak_four_languages(app: Flask, server: Server, lang: str, said: str) -> None:
    game_id = played(server, "acres", moves=5)
    page = Browser(app, lang).get(f"/games/{game_id}/replay?turn=1")
    assert said in page and f'<html lang="{lang}">' in page
    for word in ("Step back", "Seen by", "What happened", "Step by step"):
        assert word not in page


def test_imported_games_are_stepped_through_too(server: Server, stranger: Browser) -> None:
    from app.play.past.records import import_record

    record = next(Path("tests/records/acres").glob("*.json")).read_bytes()
    game_id = import_record(server.database, record, now=NOW)
    course = stops(server, game_id)
    assert course.turns > 5
    page = stranger.get(f"/games/{game_id}/replay?turn=5")
    assert 'id="hand-british"' in page
    assert at_of(page)[0] == course.end_of_turn(5)
