"""N4: every kind of end, as it is told to both sides, on the page and by mail, in four languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.base.server import Server
from app.base.words.i18n import LANGUAGES
from app.games.rows import GameStatus
from app.games.store import GameStore
from app.games.tables import Game
from app.people.tables import Player
from app.post.letters.writing import QueuedMail, write_one
from engine.acres import ACRES, ending
from engine.kernel.title import GameEnded
from engine.new_world import NEW_WORLD
from tests.support.acres import acres
from tests.support.new_world_games import random_game
from tests.support.people import Enter
from tests.support.tables import load, start, write

SNAPSHOT = Path(__file__).parent / "snapshots" / "ends.txt"
Ended = tuple[str, int, Any, Any]
"""A kind of end, how many sit there, the state before, and the events."""


def ends_of_acres() -> Iterator[Ended]:
    state = acres(french_places=["halifax", "louisbourg", "oswego"])
    yield "points, villages", 2, state, (ending.end_on_points(state, "french", ("villages-placed",)),)
    yield "points, towns", 2, state, (ending.end_on_points(state, "british", ("towns-placed", "captured-points")),)
    yield "points, captured", 2, state, (ending.end_on_points(state, "french", ("captured-points",)),)
    yield "victory at once", 2, state, (ending.home_taken(state, "british", "quebec"),)
    yield "resignation", 2, state, ACRES.resign(state, "french")
    yield "time", 2, state, ACRES.conclude(state, "time", ["british"])
    yield "agreed", 2, state, ACRES.conclude(state, "agreed", ["french"])
    yield "agreed, nobody", 2, state, ACRES.conclude(state, "agreed", [])


def ends_of_new_world() -> Iterator[Ended]:
    for seats in (2, 3):
        state: Any = None
        log = random_game(7, seats)
        events = [event for entry in log for event in entry.events]
        for event in events:
            if isinstance(event, GameEnded):
                yield "points", seats, state, (event,)
            state = NEW_WORLD.apply(state, event)
    begun: Any = None
    for event in random_game(7)[0].events:
        begun = NEW_WORLD.apply(begun, event)
    yield "points, level", 2, begun, NEW_WORLD.conclude(begun, "points", ["red", "blue"])
    yield "resignation", 2, begun, NEW_WORLD.resign(begun, "blue")
    yield "time", 2, begun, NEW_WORLD.conclude(begun, "time", ["red"])
    yield "agreed", 2, begun, NEW_WORLD.conclude(begun, "agreed", ["red"])


def end(server: Server, title: Any, seats: int, state: Any, events: Sequence[Any]) -> int:
    """Return a game that has ended so."""
    game = load(server.database, start(server.database, title.id, seats))
    values = {"status": GameStatus.OVER, "decides": None, "deadline_at": None, "ended_at": datetime.now(UTC)}
    with server.database.write() as session:
        for event in events:
            state = title.apply(state, event)
        GameStore(session).keep_state(game, state)
        values["result"] = title.result_to_record(title.outcome(state))
        session.execute(sa.update(Game).where(Game.id == game.id).values(**values))
        session.execute(sa.update(Player).values(mail_shows="link"))
        session.commit()
    return game.id


def lines_of(markup: str) -> list[str]:
    """Return headings, paragraphs and rows of tables in words."""
    found = re.findall(r"<(h1|p|tr)\b[^>]*>((?:(?!<(?:h1|p|tr)\b).)*?)</\1>", markup, re.DOTALL)
    said = [
        " ".join(unescape(re.sub(r"</?t[dh][^>]*>|\n", " ", re.sub(r"</?(?!t[dh])[^>]*>", "", one))).split())
        for _, one in found
    ]
    return [one for one in said if one]


def test_an_end_says_who_won_why_and_what_for(server: Server, enter: Enter) -> None:
    """To renew the snapshot after a wanted change, delete it and run twice."""
    told = []
    browsers = {who: enter(who) for who in ("alice", "bob")}
    for title, ends in ((ACRES, ends_of_acres()), (NEW_WORLD, ends_of_new_world())):
        for kind, seats, state, events in ends:
            game = end(server, title, seats, state, events)
            for lang in LANGUAGES:
                for seated in load(server.database, game).seats[:2]:
                    write(server.database, sa.update(Player).values(language=lang))
                    page = browsers[seated.name].get(f"/games/{game}").partition('<div class="status">')[2]
                    said = lines_of(page.partition('<p class="hint">')[0])
                    now = datetime.now(UTC)
                    who = seated.address, seated.player_id, game, seated.seat
                    mail = QueuedMail(1, "over", *who, None, {}, now, 1, handed_over_at=now)
                    with server.database.read() as session:
                        written = write_one(session, server.links, mail)
                    assert written is not None
                    body = written.body()
                    assert written.subject.startswith(said[0])
                    assert {*said[:2]} <= {" ".join(line.split()) for line in body.text.splitlines()}
                    assert {*said} <= {*lines_of(body.html)}
                    told.append("\n".join([f"== {title.id}, {kind}, {seats} seats: {seated.name}, {lang}", *said, ""]))
    shown = "\n".join(told)
    if not SNAPSHOT.exists():
        SNAPSHOT.parent.mkdir(exist_ok=True)
        SNAPSHOT.write_text(shown, encoding="utf-8")
    assert shown == SNAPSHOT.read_text(encoding="utf-8")
