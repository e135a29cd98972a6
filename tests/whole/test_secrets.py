"""Nothing that a seat is shown depends on what it may not see: random games, and twins that differ only in that."""

from __future__ import annotations

import io
import logging
import random
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from flask import Flask, url_for

from app.base.links import TurnLink
from app.base.process.config import load as load_config
from app.base.server import Server
from app.base.words.speech import Voice
from app.games.store import GameNow
from app.games.tables import Draft, Game, GameSeat
from app.play.agreed import results
from app.play.lists import my_games, scores
from app.play.pages.game_rows import stand
from app.play.pages.turn import page as turn_page
from app.play.tables import Note
from app.post.letters.writing import QueuedMail
from app.post.out import carrier
from app.post.out.sender import Sender
from app.server.factory import create_app
from engine.kernel.title import Choice
from tests.support.forms import Page
from tests.support.often import often
from tests.support.people import Browser, PostOffice
from tests.support.tables import KEYS, NOW, load, say, start, write
from tests.support.twins import acres_twin, ferry_twin, set_state

BASE = "http://post.example.org"
JSON = {"Accept": "application/json"}
SEEDS = ("0f" * 32, "1f" * 32)
SELECTIONS = re.compile(r'href="(\?at=[^"#]+)')
STANDING = {
    "ferry": ("rob block oak-1", "rob block oak-2"),
    "acres": ("raid: block with any", "ambush: ask"),
    "new-world": ("play my only action", "lay my only place without settler"),
}


def same(state: Any, seat: str, chooser: random.Random) -> Any:
    """Return the same state: nothing in New World is hidden; the bag's content is known, and what comes next is in no
    state.
    """
    return state


def hide(server: Server, game: GameNow, seat: str, variant: int) -> None:
    """Change what this seat may never see: the seed, and what the other seats keep for themselves."""
    others = [seated.seat for seated in game.seats if seated.seat != seat]
    line = STANDING[game.title.id][variant]
    with server.database.write() as session:
        run = session.execute
        run(sa.update(Game).where(Game.id == game.id).values(seed=SEEDS[variant]))
        run(sa.delete(Draft).where(Draft.game_id == game.id))  # this seat's too: it starts over
        run(sa.delete(Note).where(Note.game_id == game.id))
        for other in others:
            mine = {"game_id": game.id, "seat": other}
            run(sa.update(GameSeat).filter_by(**mine).values(standing=line))
            run(sa.insert(Note).values(**mine, text=f"secret plan {variant}", changed_at=NOW))
            lines = f"pass {variant}"
            run(sa.insert(Draft).values(**mine, number=game.number, lines=lines, changed_at=NOW))
        session.commit()


def shown(app: Any, server: Server, game_id: int, seat: str) -> list[Any]:
    """Return everything that the seat and a spectator get: JSON, pages, refusals, the mail, the record of a running
    game.
    """
    turn_page._kept.clear()
    scores._asked.clear()
    client = app.test_client()
    game = load(server.database, game_id)
    player = game.seated(seat).player_id
    out: list[Any] = []
    for number in (game.number, game.number - 1):
        at = server.links.turn_token(TurnLink(game_id, seat, number, player))
        for headers in (JSON, {}):
            answer = client.get(f"/t/{at}", headers=headers)
            out.append((answer.status_code, answer.text))
    if game.decides == seat:
        at = server.links.turn_token(TurnLink(game_id, seat, game.number, player))
        legal = client.get(f"/t/{at}", headers=JSON).json["legal"]
        wrong = "\nthis is no order"
        for line in legal[:8]:
            if not game.title.reveals(game.state, game.title.read(game.state, seat, line)):
                body = {"orders": line + wrong, "decision": game.number}
                answer = client.post(f"/t/{at}", json=body, headers=JSON)
                out.append((answer.status_code, answer.text))
                assert answer.status_code == 422 and answer.json["played"] == []
        page = client.get(f"/t/{at}").text
        # What can be touched, what is outlined, and the answers ahead are separate pages.
        for to in [*chosen(SELECTIONS.findall(page), 3), "?at=feature.A1", "?open=all", "/ahead"]:
            answer = client.get(f"/t/{at}{to}")
            out.append((to, answer.status_code, answer.text))
        sign = client.post(f"/t/{at}/seen")
        out.append((sign.status_code, sign.text))
        form = next(form for form in Page(page).forms if form.named("orders"))
        for line in (
            chosen(legal, 4) if "add" in form.offers("do") else ()
        ):  # drafts are played ahead, those too that show something when they are sent
            for do, orders in (("add", line), ("clear", ""), ("add", line + wrong)):
                answer = client.post(f"/t/{at}", data=dict(form.fill(do=["add"], orders=orders)) | {"do": do})
                out.append((answer.status_code, answer.text, client.get(f"/t/{at}").text))
        with app.test_request_context(), server.database.read() as session:
            out.append(stand(session, my_games.current(session, player or 0, NOW), Voice()))
        mail = QueuedMail(1, "turn", "a@example.org", player, game_id, seat, game.number, {}, NOW, 0)
        raw = carrier.render(Sender(server), mail, NOW)
        assert raw
        letter = message_from_bytes(raw, policy=policy.default)
        out += [part.get_content() for part in letter.walk() if part.get_content_maintype() == "text"]  # type: ignore[attr-defined]
    for address in (
        f"/games/{game_id}/record.json",
        f"/games/{game_id}",
        f"/games/{game_id}?at=feature.A1",
        f"/games/{game_id}/proof",
        "/tables",
    ):
        answer = client.get(address)
        out.append((answer.status_code, answer.text))
    assert not any("secret plan" in str(one) or game.seed in str(one) for one in out)
    return out


def chosen(lines: list[str], n: int) -> list[str]:
    """Return this many of them, of as many kinds as there are."""
    first = {re.split(r"[ .]", line)[0]: line for line in lines}
    return list(dict.fromkeys([*first.values(), *lines]))[:n]


def seed_of(server: Server, game_id: int) -> str:
    """The seed, which the game goes on with."""
    with server.database.read() as session:
        return session.scalar(sa.select(Game.seed).where(Game.id == game_id))  # type: ignore[return-value]


def put_back(server: Server, game_id: int, seed: str) -> None:
    """Restore the seed, and delete standing orders that would play automatically."""
    write(
        server.database,
        sa.update(Game).where(Game.id == game_id).values(seed=seed),
        sa.update(GameSeat).where(GameSeat.game_id == game_id).values(standing=""),
        sa.delete(Draft).where(Draft.game_id == game_id),
    )


@pytest.mark.parametrize(
    ("title", "seats", "twin", "turns"),
    [("ferry", 2, ferry_twin, 5), ("acres", 2, acres_twin, 8), ("new-world", 3, same, 4)],
)
def test_outputs_of_twins_are_equal(
    tmp_path: Path, sqlite_url: str, title: str, seats: int, twin: Callable[..., Any], turns: int
) -> None:
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    server = app.extensions["postroad"]
    chooser = random.Random(7)
    game_id = start(server.database, title, seats=seats)
    compared = 0
    for turn in range(often(turns)):
        game = load(server.database, game_id)
        if game.is_over:
            break
        for seat in watching(game, turn):
            other = twin(game.state, seat, chooser)
            if game.title.view(other, seat) != game.title.view(game.state, seat):
                continue
            kept = seed_of(server, game_id)
            with time_machine.travel(NOW, tick=False):
                hide(server, game, seat, 0)
                before = shown(app, server, game_id, seat)
                hide(server, game, seat, 1)
                set_state(server.database, game_id, other)
                after = shown(app, server, game_id, seat)
            assert len(after) == len(before)
            for one, other_one in zip(before, after, strict=True):
                assert one == other_one
            set_state(server.database, game_id, game.state)
            put_back(server, game_id, kept)
            compared += 1
        legal = [
            a
            for item in game.title.legal(game.state)
            for a in (item.smallest() if isinstance(item, Choice) else [item])
        ]
        say(server.database, game_id, game.title.write(game.state, chooser.choice(legal)))
    assert compared > turns / 2
    server.database.close()


def watching(game: GameNow, turn: int) -> list[str]:
    """The seat that decides, and every third time all of them."""
    return [seated.seat for seated in game.seats if seated.seat == game.decides or turn % 3 == 0]


def everything_in(answer: Any) -> str:
    """The text of an answer, or of all files in it."""
    data = answer.get_data()
    answer.close()
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as files:
            data = b"\n".join(files.read(name) for name in files.namelist())
    return str(data.decode("utf-8", "replace"))


def test_no_address_mail_or_log_shows_the_seed_of_a_game_that_is_not_over(
    app: Flask, server: Server, enter: Callable[..., Browser], post: PostOffice, caplog: pytest.LogCaptureFixture
) -> None:
    """Every address that answers to GET, for a stranger and two players; all mails; what is logged."""
    caplog.set_level(logging.DEBUG)
    alice, bob = enter("alice"), enter("bob")
    running, over = start(server.database, "acres", now=datetime.now(UTC)), start(server.database, "acres")
    alice.get("/games/new/acres")
    seats = {"offer.british": "me", "offer.french": "mail", "address.french": "bob@example.org"}
    alice.post("/games/new/acres", days="7", **seats)
    table = int(alice.page.request.path.rpartition("/")[2])
    results.resign(server.database, over, load(server.database, over).seats[0].player_id or 0, now=datetime.now(UTC))
    seeds = {number: seed_of(server, number) for number in (running, over, table)}
    game = load(server.database, running)
    links = {
        "/t/": post.link("alice@example.org", "t").removeprefix("/t/"),
        "/invitation/": post.link("bob@example.org", "invitation").removeprefix("/invitation/"),
    }
    assert game.decides == "british" and seeds[running]
    seen, asked = Counter(), 0
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.rule.startswith("/static/"):
            continue
        token = next((value for start_of, value in links.items() if rule.rule.startswith(start_of)), "x")
        for number in (running, over, table):
            values = {name: number if name == "game_id" else 1 for name in rule.arguments}
            values |= (
                {name: token for name in rule.arguments & {"token", "key"}}
                | ({"title_id": "acres"} if "title_id" in rule.arguments else {})
                | {name: first for first, name in re.findall(r"<any\((\w+)[^>]*:(\w+)>", rule.rule)}
                | ({"place": "1"} if "place" in rule.arguments else {})
            )
            with app.test_request_context():
                path = url_for(rule.endpoint, **values)
            for browser in (Browser(app), alice, bob):
                shown = everything_in(browser.client.get(path))
                asked += 1
                seen.update(n for n, seed in seeds.items() if seed in shown)
                assert seeds[running] not in shown and seeds[table] not in shown, path
    alice.get("/account/data")
    file = everything_in(alice.client.post("/account/data", data={"csrf_token": alice.token}))
    assert "postroad-record" in file
    assert seeds[running] not in file and seeds[table] not in file
    assert asked > 300 and seen[over] >= 6  # its record and its proof show the seed that they should
    mails = "".join(mail.as_string() for mail in post.all())
    assert not any(seed in mails + caplog.text for seed in seeds.values())
