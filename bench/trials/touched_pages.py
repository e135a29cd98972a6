"""Actions put together on the real pages of a turn: by requests, and by touching links in Chromium.

`python -m bench.trials.touches 0 --http 50 --chromium 10` does so in random positions of each title.
"""

from __future__ import annotations

import html
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations, islice
from pathlib import Path
from typing import Any

from flask import Flask
from playwright.sync_api import Browser, Page

from app.base.process.config import load as load_config
from app.play.turn import chat_and_notes
from app.play.turn.choosing import Choosing, touches_in
from app.server.factory import create_app
from app.titles.new_world.pages.touching import look_alike
from app.titles.pages import pages_of
from app.upkeep import migrating
from engine.kernel.title import Choice, Title
from engine.new_world.actions import Place
from tests.support.tables import KEYS
from tests.support.turn_driver import Form, TurnDriver, turn_at

MOST_WALKS = 12
"""How many actions of a position are reached by the links of its pages, drawn by lot if there are more."""
MOST_STEPS = 14


@contextmanager
def server() -> Iterator[Flask]:
    """Yield a server with an empty database."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/postroad.db"
        migrating.upgrade(url)
        environ = {
            "POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": "http://127.0.0.1", "POSTROAD_SECRET_KEY": KEYS[0],
        }  # fmt: skip
        yield create_app(load_config(environ, Path(folder)))


@dataclass
class Desks:
    """A game for each title and number of seats, in which positions are set up."""

    app: Flask
    found: dict[tuple[str, int], TurnDriver] = field(default_factory=dict)

    def at(self, title: Title, state: Any) -> TurnDriver:
        """Return the page of the player who decides in this position."""
        seats = len(getattr(state, "seats", ("british", "french")))
        key = title.id, seats
        if key not in self.found:
            self.found[key] = turn_at(self.app, title.id, seats=seats)
        desk = self.found[key]
        desk.place(state)
        return desk


def by_requests(desk: TurnDriver, title: Title, state: Any, source: random.Random) -> int:
    """Draft every action by its touches in any order, and check that a jumble of two is refused; return how many were
    tried.
    """
    choosing = Choosing(title, pages_of(title.id), state)
    address = f"/t/{desk.token}"

    def open_at(at: str) -> str:
        answer = desk.client.get(f"{address}?at={at}")
        assert answer.status_code == 200
        return str(answer.text)

    due = title.decision(state)
    own_turn = due is not None and due.seat == due.on_turn  # an answer is sent at once, and no draft of it is kept
    drafted = _drafts(desk, title, state, choosing, source) if own_turn else 0
    return drafted + _walks(title, state, choosing, source, open_at)


def _drafts(desk: TurnDriver, title: Title, state: Any, choosing: Choosing, source: random.Random) -> int:
    """Draft every action by sending its parts; the parts of two that form no third are refused."""
    address = f"/t/{desk.token}"
    form = Form(desk.client.get(address).text).sent
    wanted = [(way.touches, item) for way, item in zip(choosing.ways, title.legal(state), strict=True)]
    for n, (touches, item) in enumerate(wanted):
        action, tokens = item, [touch.token for touch in touches]
        if isinstance(item, Choice):
            picked = _some(item, source)
            action = item.action(picked)
            tokens += [pages_of(title.id).item_touch(item, one).token for one in picked]
        sent = {**form, "draft": "", "at": ",".join(source.sample(tokens, len(tokens))), "do": "choose"}
        answer = desk.client.post(address, data=sent)
        assert answer.status_code == 303, f"{tokens} gives {answer.status_code}"
        game = desk.game
        with desk.server.database.read() as session:
            draft = chat_and_notes.beside(session, game.id, game.decides or "", game.number).draft
        assert list(draft) == [title.write(state, action)], (tokens, draft)
        other = source.choice(wanted)[0]
        jumble = [*tokens[: len(tokens) // 2 + 1], *[touch.token for touch in other]] if n % 4 == 0 else []
        if jumble and choosing.at(jumble).action is None:
            answer = desk.client.post(address, data={**sent, "at": ",".join(jumble)})
            assert answer.status_code == 422, f"{jumble} is taken up"
    with desk.server.database.write() as session:
        session.connection().exec_driver_sql("DELETE FROM draft")
        session.commit()
    return len(wanted)


def _some(item: Choice, source: random.Random) -> list[str]:
    """Return some allowed subset of a free choice."""
    subsets = [pick for n in range(1, len(item.items) + 1) for pick in islice(combinations(item.items, n), 500)]
    return list(source.choice([pick for pick in subsets if item.allows(pick)]))


def _walks(title: Title, state: Any, choosing: Choosing, source: random.Random, open_at: Callable[[str], str]) -> int:
    """Reach actions by what the pages offer; no page offers a step that is not legal."""
    ways = [n for n, item in enumerate(title.legal(state)) if not isinstance(item, Choice) and _is_shown(state, item)]
    ways = source.sample(ways, min(MOST_WALKS, len(ways)))
    known = {title.write(state, way.action) for way in choosing.ways if way.action is not None}
    for n in ways:
        way, at = choosing.ways[n], ""
        line = title.write(state, way.action)
        for _ in range(MOST_STEPS):
            page = open_at(at)
            offered = set(map(html.unescape, re.findall(r'value="(?:add|play):([^"]*)"', page)))
            assert offered <= known, offered - known
            if line in offered or _laid(page, choosing) == way.action:
                break
            here = set(touches_in([at]))
            going = [to for to in _links(page) if set(touches_in([to])) != here and _leads(choosing, to, n, here)]
            assert going, f"{line}: nothing leads on from {at!r}"
            at = source.choice(going)
        else:
            raise AssertionError(f"{line} is not reached")
    return len(ways)


def _is_shown(state: Any, item: Any) -> bool:
    """Whether an item is shown: turns of a tile that look alike are one on the page."""
    if not isinstance(item, Place):
        return True
    kind = state.board.tiles.kinds[state.tile]
    return look_alike(kind, kind.rotations)[item.rotation] == item.rotation


def _leads(choosing: Choosing, to: str, way: int, here: set[str]) -> bool:
    """Whether this selection has one more part of that way, or names the purpose of one."""
    tokens = touches_in([to])
    selection = choosing.at(tokens)
    loose = set(choosing.loose.values())
    return (
        (len(tokens), -len(loose.intersection(tokens))) > (len(here), -len(loose & here))
        and not selection.dropped
        and any(fit.way is choosing.ways[way] for fit in selection.fits)
    )


def _links(page: str) -> list[str]:
    """Return the selections that a page links to."""
    return [html.unescape(found) for found in re.findall(r'"\?at=([^"#]*)', page.partition("<main")[2])]


def _laid(page: str, choosing: Choosing) -> Any:
    """Return the action that the one button of a tray would send, if there is such a button."""
    found = re.search(r'<p class="nw-lay"><input[^>]*value="([^"]*)"', page)
    return choosing.at(touches_in([html.unescape(found[1])])).action if found else None


def in_chromium(browser: Browser, base: str, desk: TurnDriver, state: Any, source: random.Random, scripts: bool) -> int:
    """Do the same by touching what a page shows, on a phone."""
    title = desk.game.title
    choosing = Choosing(title, pages_of(title.id), state)
    context = browser.new_context(viewport={"width": 360, "height": 740}, java_script_enabled=scripts)
    page: Page = context.new_page()
    address = f"{base}/t/{desk.token}"

    def open_at(at: str) -> str:
        if not at:
            page.goto(address)
        else:
            link = page.locator(f'main a[href="?at={at}"], main a[href^="?at={at}#"]').first
            link.evaluate(
                "one => one.click ? one.click() : one.dispatchEvent(new MouseEvent('click', {bubbles: true}))"
            )
            page.wait_for_url(lambda url: url.partition("?at=")[2].partition("#")[0] == at)
            page.locator("body:not([aria-busy])").wait_for()
        return page.content()

    try:
        return _walks(title, state, choosing, source, open_at)
    finally:
        context.close()
