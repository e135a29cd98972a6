"""Replays of a running game show a seat exactly what its pages and mails showed then: whole games of both titles."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from html import unescape
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.server import Server
from app.games.store import GameNow, GameStore
from app.games.work import Work
from app.overdue import nudges
from app.play.agreed import results, takeback
from app.post.letters.writing import QueuedMail
from app.post.out import carrier
from app.post.out.sender import Sender
from app.time import pending
from app.time.away import leave
from app.time.tables import ClockNote
from app.titles.acres.ground import background, background_at
from app.titles.style import ground_address
from engine.kernel.title import Choice
from tests.support import acres_games
from tests.support.kept import as_in_another_process
from tests.support.people import Enter, text_of
from tests.support.tables import NOW, link_to, load, start

JSON = {"Accept": "application/json"}
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Shown:
    """What a page or a mail showed a seat when entry `entry` was the newest."""

    seat: str
    entry: int
    since: int
    """The entry after which its sentences begin."""
    board: str
    said: str
    hand: str = ""
    others: str = ""
    drawing: str = ""


def words(text: str) -> str:
    told = re.sub(r'<a href="#at-[^>]*>(.*?)</a>', r"\1", text)  # a place in a sentence
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", told)).split())


def section(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    return found[0] if found else ""


def fixed(page: str, name: str) -> str:
    """Return a section without what can be touched in it."""
    still = re.sub(r"</?a\b[^>]*>|<em class=\"part\">[^<]*</em>| fits(?=\")", " ", section(page, name))
    still = re.sub(r' id="fold-[^"]*" open', "", still.replace(' "', '"').replace(" data-swap", ""))
    still = re.sub(r"\s*(<[^>]*>)\s*", r"\1", re.sub(r"\s+", " ", still))
    return still.replace('<small class="printed"></small>', "")


def text_board(page: str) -> str:
    found = re.search(r"<pre tabindex=\"0\">(.*?)</pre>", page, re.DOTALL)
    assert found
    return unescape(found[1]).rstrip()


def described(drawn: str) -> str:
    return drawn.partition("<desc>")[2].partition("</desc>")[0]


def drawing(page: str) -> str:
    """Return the board with its background, without marks for new things or choices."""
    found = re.search(r"<svg xmlns.*?</svg>", section(page, "board"), re.DOTALL)
    assert found
    svg = found[0].replace(background_at(ground_address("acres")), background())
    svg = re.sub(r' role="\w+"| id="latest"|</?a\b[^>]*>', "", svg)
    svg = re.sub(r'<circle class="(?:halo|wax)"[^>]*/>|<path class="new"[^>]*/>', "", svg)
    svg = re.sub(r" New since the last turn: .*?(?=</desc>)", "", svg)
    svg = re.sub(r", new(?=,|</title>)|, can be chosen(?=</title>)", "", svg)
    if "new-world" in svg:  # what can be chosen makes the sheet larger: what lies on it, each with its name
        return "\n".join(sorted(re.findall(r"<title>(.*?)</title>", re.sub(r'<g class="cell.*?</g>', "", svg))))
    svg = re.sub(r' viewBox="[^"]*"|<g class="cell[^>]*>(<path[^>]*/>|<text[^>]*>[^<]*</text>)*', "", svg)
    return re.sub(r'</g>|<g class="place[^>]*>|<circle class="(hit|target)"[^>]*>', "", svg)


def sentences(page: str) -> str:
    """Return what the replay says about its step."""
    return " ".join(words(one) for one in re.findall(r"<li>(.*?)</li>", section(page, "now"), re.DOTALL))


def apart(said: str, names: Iterable[str]) -> str:
    """Return continuous sentences split, one for each thing that was done."""
    run = re.compile(rf"\b({'|'.join(names)}) (?:St\. |[^.])*;(?:St\. |[^.])*\.")
    return run.sub(lambda found: found[0].replace("; ", f". {found[1]} "), said)


def of_mail(server: Server, game: GameNow, since: int) -> Shown:
    """Return the mail that asks for the pending decision."""
    assert game.decides
    seat = game.seated(game.decides)
    waiting = QueuedMail(1, "turn", seat.address, seat.player_id, game.id, seat.seat, game.number, {}, NOW, 0)
    raw = carrier.render(Sender(server), waiting, NOW)
    assert raw
    mail = message_from_bytes(raw, policy=policy.default)
    assert isinstance(mail, EmailMessage)
    text = text_of(mail)
    rest = text.partition("The position\n\n")[2]
    head = "What happened\n\n" if "What happened\n\n" in text else "Since your last turn\n\n"
    said = text.partition(head)[2].partition("\n\n")[0]
    said = " ".join(line.removeprefix("- ").strip() for line in said.splitlines())
    return Shown(seat.seat, game.entries, since, rest, " ".join(said.split()))


def of_page(page: str, game: GameNow, since: int) -> Shown:
    assert game.decides
    said = section(page, "since").partition("<details>")[0].replace('<span class="mark">new</span>', "")
    said = " ".join(words(one) for one in re.findall(r"<li[^>]*>(.*?)</li>", said, re.DOTALL))
    return Shown(
        game.decides, game.entries, since, text_board(page), said, fixed(page, "hand"), fixed(page, "others"),
        drawing(page),
    )  # fmt: skip


def line_for(game: GameNow, chooser: random.Random) -> str:
    """Return a legal line; in Acres one of those that bring the game to its end."""
    if game.title.id == "acres":
        return game.title.write(game.state, acres_games.pick(chooser, game.state))
    actions: list[Any] = []
    for item in game.title.legal(game.state):
        actions += item.smallest() if isinstance(item, Choice) else [item]
    lines = [game.title.write(game.state, action) for action in actions]
    return chooser.choice([line for line in lines if line != "resign"])


def stir(server: Server, game_id: int, by: str, chooser: random.Random, number: int) -> bool:
    """Do things other than moves: time granted, a nudge, leave, an outage; and take back what `by` sent last if the
    rules of takebacks allow it.

    Returns whether something was taken back.
    """
    game, now = load(server.database, game_id), datetime.now(UTC)
    others = [seated.player_id or 0 for seated in game.seats if seated.seat != game.decides]
    if number % 4 == 1:
        nudges.extend(server.database, game_id, others[0], 1, number=game.number, granted=0, now=now)
    elif number % 4 == 2:
        leave.start_now(server.database, chooser.choice(others), 1, now=now, allowance=300)
    elif number % 4 == 3:
        with server.database.write() as session:
            decision = pending.owed(session, game_id)
            assert decision is not None
            details = {"from": (now - 2 * HOUR).isoformat(), "to": (now - HOUR).isoformat(), "job": "mail"}
            pending.note(session, decision, "credit", "outage", now, seconds=3600, details=details)
            session.commit()
    with Work(server.database) as work:
        game = work.store.load(game_id, for_writing=True)
        offer = takeback.offer(work.session, game, by)
        if offer is None or offer.why_not is not None or chooser.random() < 0.6:
            return False
        takeback.take_back(work, game, by, offer.back_to, now)
        work.commit()
    return True


@pytest.mark.parametrize(("title", "seats", "seed"), [("acres", 2, 5), ("new-world", 3, 2)])
def test_a_replay_shows_what_pages_and_mails_showed(
    app: Flask, server: Server, enter: Enter, title: str, seats: int, seed: int
) -> None:
    """Moves, takebacks, and the other events of the log of time; some later ones when all but one have given up."""
    game_id = start(server.database, title, seats=seats)
    chooser = random.Random(seed)
    names = [seated.name for seated in load(server.database, game_id).seats]
    browsers = {s.seat: enter(s.name) for s in load(server.database, game_id).seats}
    client = app.test_client()
    kept: list[Shown] = []
    compared = taken_back = 0

    def compare(then: Shown) -> None:
        browser = browsers[then.seat]
        page = browser.client.get(f"/games/{game_id}/replay/{then.entry}").get_data(as_text=True)
        if not then.hand:  # a mail: more follows there
            assert then.board.startswith(text_board(page) + "\n\n")
        else:
            assert text_board(page) == then.board
            assert (fixed(page, "hand"), fixed(page, "others")) == (then.hand, then.others)
            if " cut" in then.drawing:  # an answer is asked next to a part of the map; in words it is all there
                assert described(drawing(page)) == described(then.drawing) != ""
            else:
                assert drawing(page) == then.drawing
        told = [
            sentences(browser.client.get(f"/games/{game_id}/replay/{entry}").get_data(as_text=True))
            for entry in range(then.since + 1, then.entry + 1)
        ]
        assert apart(" ".join(one for one in told if one), names) == apart(then.said, names)

    while compared <= 20 or (title == "acres" and taken_back <= 4):  # with new-world almost every step draws a tile
        game = load(server.database, game_id)
        assert game.decides
        with server.database.read() as session:
            store = GameStore(session)
            own = store.own_answers(game_id, game.decides, 20)
        seen = own[0].last_entry if own else 0
        since = next((row.last_entry for row in own if row.turn < game.turn), 0)
        link = f"/t/{server.links.turn_token(link_to(game))}"
        kept.append(of_mail(server, game, seen))
        kept.append(of_page(client.get(f"{link}?open=all").get_data(as_text=True), game, since))
        answer = client.post(link, json={"orders": line_for(game, chooser), "decision": game.number}, headers=JSON)
        assert answer.status_code == 200, answer.text
        if not load(server.database, game_id).is_over:
            taken_back += stir(server, game_id, game.decides, chooser, game.number)
        if len(kept) % 4 == 0 and not load(server.database, game_id).is_over:  # one of those before, while it runs
            compare(chooser.choice(kept))
            compared += 1
    assert len({one.seat for one in kept}) == seats
    with server.database.read() as session:
        kinds = set(session.scalars(sa.select(ClockNote.kind).where(ClockNote.game_id == game_id)))  # type: ignore[call-overload, arg-type]
    assert kinds >= {"extension", "leave", "credit"}
    for seated in game.seats[1:]:
        results.resign(server.database, game_id, seated.player_id or 0, now=datetime.now(UTC))
    assert load(server.database, game_id).is_over
    as_in_another_process()
    for then in chooser.sample(kept, 10):
        browsers[then.seat].client.get(f"/games/{game_id}/replay?eyes={then.seat}")
        compare(then)
