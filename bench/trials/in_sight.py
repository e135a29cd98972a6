"""A player with one thumb: touches what is offered within the screen of a phone, at random but sooner what was seldom
touched, and never scrolls.

After every act the line must be in sight, and something to touch next. `python -m bench.trials.in_sight 1000` makes
so many decisions of each title. With `--purposeful` the player knows what to do, touches what leads there soonest, and
scrolls for it if it must: so the taps of a visit are counted.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import unquote

from flask import Flask
from playwright.sync_api import Browser, Error, Page

from app.base.process.config import load as load_config
from app.games.store import GameNow, GameStore
from app.play.turn.choosing import Choosing, TouchOption, touches_in
from app.play.turn.drafts import play_ahead
from app.server.factory import create_app
from app.titles.pages import pages_of
from app.titles.registry import TITLES
from app.upkeep import migrating
from bench.strength import Player
from bench.trials.touched_pages import _is_shown, _leads
from engine.acres.state import Question
from engine.kernel.search import levels_of
from tests.support.acres import acres, siege
from tests.support.new_world import play, three_completed
from tests.support.served import SIZES, browsing, shown
from tests.support.tables import KEYS, link_to
from tests.support.turn_driver import TurnDriver, turn_at

SEND, GO_ON = 6, 1
"""How much more often a button that adds or sends is touched than what chooses."""
GAME = 60
"""Decisions after which another game begins."""
MOST_ACTS = 40
"""Acts after which the player has lost the thread of one decision."""

_OFFERED = """() => {
  if (document.readyState !== 'complete') return null;
  const found = [];
  // While a step is chosen the sheet asks, and the head is one line.
  const asks = [...document.querySelectorAll('#line, #tray #tray-head, #tray .asks, #tray .step')];
  const seen = (node) => {
    const box = node.getBoundingClientRect();
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    if (!box.width || x < 0 || y < 0 || x > innerWidth || y > innerHeight) return null;
    const top = document.elementFromPoint(x, y);
    return top && (node.contains(top) || top.contains(node)) ? [x, y, box.height, box.width] : null;
  };
  const leads = (node) => node.getAttribute('href') || node.querySelector('input')?.dataset.at || '';
  const things =
    '#tray .offers a, #tray button, #tray .items label, #tray .nw-best li > a,'
    + '#tray .nw-rows a, #tray .nw-letters a, .nw-turn a, .settle label, .settle ~ p button, .settle button,'
    + '#kinds a, #hand > .cards > .card > a, .send .wax:not(.empty), .board a:has(> .cell)';
  for (const node of document.querySelectorAll(things)) {
    const at = seen(node);
    if (at && getComputedStyle(node).visibility !== 'hidden')
      found.push({
        x: at[0], y: at[1], high: at[2], does: node.matches('.ink, .wax'), at: leads(node), value: node.value || '',
        said: node.matches('.board a') ? 'cell' : node.textContent.trim(),
      });
  }
  const first = document.querySelector('#tray .offers a, #tray .offers button, #tray .items label, #tray .adds button');
  const line = asks.find((one) => seen(one));
  return {line: line ? line.innerText : '', found, buried: first && !seen(first) ? first.innerText : ''};
}"""


_EVERYTHING = """() => [...document.querySelectorAll(
    'main a[href^="?at="], #decide a[href^="?at="], #tray label, button[name=do]')]
  .filter((node) => node.checkVisibility({visibilityProperty: true}) && node.getBoundingClientRect().width > 9)
  .map((node, n) => { node.dataset.nth = n; return {
    n, at: node.getAttribute('href') || node.querySelector('input')?.dataset.at || '', value: node.value || '',
    said: node.textContent.trim(), high: node.getBoundingClientRect().height, does: node.matches('.ink, .wax')}; })"""


@dataclass
class Thumb:
    """A player of one served game, at both ends of the table."""

    desk: TurnDriver
    base: str
    page: Page
    chooser: random.Random
    scripts: bool = True
    kinds: Counter[str] = field(default_factory=Counter)
    """The decisions that were made, by kind."""
    steps: Counter[str] = field(default_factory=Counter)
    """The steps that were played in them, by kind."""
    touched: Counter[str] = field(default_factory=Counter)
    """How often each wording was touched."""
    acts: int = 0
    scrolls: int = 0
    """The acts that needed a scroll first."""
    visits: Counter[tuple[int, int, str | None]] = field(default_factory=Counter)
    """The taps of each turn, or answer in another's turn: by game, turn and seat."""

    def decide(self) -> None:
        """Open the page of the decision that is owed, by its link, and make it."""
        game, before = self.desk.game, self.acts
        self.page.goto(f"{self.base}/t/{self.desk.server.links.turn_token(link_to(game))}")
        for _ in range(MOST_ACTS):
            self.act()
            if self.desk.game.number != game.number:
                self.kinds[game.kind or ""] += 1
                self.visits[game.id, game.turn, game.decides] += self.acts - before
                self._count(game)
                self.in_sight()
                return
        raise AssertionError(f"{MOST_ACTS} acts without a decision: {self.page.url}")

    def _count(self, before: GameNow) -> None:
        with self.desk.server.database.read() as session:
            for _, _, step in GameStore(session).log(before.title, before.id, before.entries):
                if step.action is not None:
                    self.steps[type(step.action).__name__] += 1

    def in_sight(self) -> list[dict[str, object]]:
        """Return what can be touched within the screen; AssertionError without the line, or if a sheet is open and its
        first answer is not in sight."""
        offered = self._offered()
        assert offered["line"], f"the line is out of sight: {self.page.url}"
        assert not offered["buried"], f"the answers are out of sight: {offered['buried']}, {self.page.url}"
        found: list[dict[str, object]] = offered["found"]
        return found

    def _offered(self) -> Any:
        for _ in range(600):
            try:
                if offered := self.page.evaluate(_OFFERED):
                    return offered
            except Error:  # the page is just being left
                pass
            self.page.wait_for_timeout(100)
            self.page.wait_for_load_state("load")
        raise AssertionError("the page never settles")

    def act(self) -> None:
        """Touch something that is in sight."""
        found = self.in_sight()
        if not found and not self.page.locator("#decide").count():
            return  # what was touched last has just been sent
        assert found, f"nothing to touch is in sight: {self.page.url}\n{self.page.locator('#line').inner_text()}"
        self.tap(self.chooser.choices(found, [self._weight(it) for it in found])[0])

    def tap(self, one: dict[str, object]) -> None:
        """Touch it."""
        self.touched[_wording(one)] += 1
        assert not one["does"] or float(str(one["high"])) >= 43.5, f"{one['said']} is too small a target"
        self.acts += 1
        self.page.touchscreen.tap(float(str(one["x"])), float(str(one["y"])))
        self.page.wait_for_timeout(60 if self.scripts else 250)
        self.page.wait_for_load_state("load")
        if self.scripts:
            self.page.wait_for_function("() => document.body && !document.body.hasAttribute('aria-busy')")

    def _weight(self, one: dict[str, object]) -> float:
        return (SEND if one["does"] else GO_ON) / (1 + self.touched[_wording(one)])


@dataclass
class Purposeful(Thumb):
    """A player who wants what the computer thinks best at first sight; where that is not offered in so many words, any
    kind of action is as likely as another."""

    wanted: dict[tuple[int, tuple[str, ...]], Any] = field(default_factory=dict)
    """What the player wants to do, by decision and draft."""

    def act(self) -> None:
        """Touch what is in sight and leads to the wanted action soonest; scroll if nothing there does."""
        found = self.in_sight()
        game, form = self.desk.game, self.page.locator("#decide input[name=draft]")
        if not form.count():
            return  # what was touched last has just been sent
        draft = tuple(form.first.input_value().splitlines())
        ahead = play_ahead(game.title, game.state, game.decides or "", draft)
        if ahead.left == 0 or ahead.shows_at is not None:
            return self._first([one for one in self._all(found) if one["value"] == "send"])
        choosing = Choosing(game.title, pages_of(game.title.id), ahead.state)
        if (game.number, draft) not in self.wanted:
            self.wanted[game.number, draft] = self._wish(choosing, game, ahead.state)
        action = self.wanted[game.number, draft]
        n = next(n for n, way in enumerate(choosing.ways) if action in _actions(way))
        line, here = choosing.line(action), touches_in([self._here()])
        sends, adds = (f"play:{line}", "choose-send"), (f"add:{line}", "choose")
        wanted = sends if ahead.left in (None, 1) else adds
        for values in (wanted, adds, sends):
            buttons = [one for one in self._all(found) if one["value"] in values]
            laid = [choosing.at(touches_in([at])).action for at in (self._laid(), self._here())]
            buttons = [one for one in buttons if ":" in str(one["value"]) or action in laid]
            if buttons:
                return self._first(buttons)
        links = [one for one in found if self._leads(choosing, one, n, action, here)]
        if not links:
            links = [one for one in found if "↻" in str(one["said"])]
        if not links and self._sees_the_whole():
            return
        if not links:
            links = [one for one in self._all([]) if self._leads(choosing, one, n, action, here)]
        assert links, f"nothing leads to {line}: {self.page.url}"
        self._first(sorted(links, key=lambda one: len(choosing.at(_touches(one)).fits)))

    def _wish(self, choosing: Choosing, game: GameNow, state: Any) -> Any:
        ways = [way for way in choosing.ways if _is_shown(state, way.item)]
        due = game.title.decision(state)
        assert due
        computer = Player(levels_of(game.title)[-1], playouts=0)
        best = computer.choose(game.title, state, due.seat, self.chooser.randbytes(8))
        if any(best in _actions(way) for way in ways):
            return best
        kind = self.chooser.choice(sorted({way.kind for way in ways}))
        return self.chooser.choice(_actions(self.chooser.choice([way for way in ways if way.kind == kind])))

    def _sees_the_whole(self) -> bool:
        """Choose the whole map, which the browser remembers; return whether that was possible without a scroll."""
        whole = self.page.locator('.sizes label:has([value="whole"]:not(:checked))')
        box = whole.bounding_box() if whole.count() else None
        tray = self.page.locator("#tray").bounding_box() if box else None
        if box is None or box["y"] < 0 or (tray and box["y"] + box["height"] > tray["y"]):
            return False
        self.tap({"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "said": "whole", "does": False})
        return True

    def _all(self, found: Sequence[dict[str, object]]) -> list[dict[str, object]]:
        """What can be touched: first what is in sight."""
        return [*found, *self.page.evaluate(_EVERYTHING)]

    def _here(self) -> str:
        return self.page.url.partition("?at=")[2].partition("#")[0]

    def _laid(self) -> str:
        given = self.page.locator("input[name=at]")
        return given.last.input_value() if given.count() else ""

    def _leads(self, choosing: Choosing, one: dict[str, object], n: int, action: Any, here: Sequence[str]) -> bool:
        tokens = _touches(one)
        if not tokens or not _leads(choosing, ",".join(tokens), n, set(here)):
            return False
        fit = next(fit for fit in choosing.at(tokens).fits if fit.way is choosing.ways[n])
        choice = fit.way.choice
        if choice is None:
            return True
        return any(choice.action(fit.items((*fit.picked, *more))) == action for more in _subsets(fit.free))

    def _first(self, ones: Sequence[dict[str, object]]) -> None:
        one = ones[0]
        if "n" in one:
            node = self.page.locator(f'[data-nth="{one["n"]}"]')
            node.scroll_into_view_if_needed()
            box = node.bounding_box()
            assert box
            one = {**one, "x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
            self.scrolls += 1
            print("scrolled to", one["said"], one["value"], one["at"], self.page.url, flush=True)
        self.tap(one)


def _touches(one: dict[str, object]) -> tuple[str, ...]:
    at = unquote(str(one["at"]))
    return touches_in([at.removeprefix("?at=").partition("#")[0]]) if at.startswith("?at=") else ()


def _subsets(items: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    return (some for n in range(len(items) + 1) for some in combinations(items, n))


def _actions(way: TouchOption) -> list[Any]:
    return [way.action] if way.choice is None else list(way.choice.smallest())


def _wording(one: dict[str, object]) -> str:
    return re.sub(r"[\W\d]+", " ", str(one["said"]))


def thumb(
    desk: TurnDriver, base: str, browser: Browser, seed: int, scripts: bool = True, *, purposeful: bool = False
) -> Thumb:
    """Return a player with a phone in portrait; who is `purposeful` has a larger one."""
    size = {"width": 390, "height": 844} if purposeful else SIZES["phone"]
    context = browser.new_context(viewport=size, has_touch=True, java_script_enabled=scripts, locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(60_000)
    return (Purposeful if purposeful else Thumb)(desk, base, page, random.Random(seed), scripts)


def rare(title: str) -> list[Any]:
    """Return positions of a title for two in which something is asked that chance seldom brings."""
    if title != "acres":
        return [play(three_completed(), "place 2,4 90 settle t1")]
    held = {"british_hand": ["boston", "militia", "rangers"], "british_places": ["boston", "pemaquid"]}
    lost = {"british": siege("louisbourg", -1, ["militia", "regular-infantry"])}
    return [
        acres(british_hand=["boston", "home-support", "norfolk"]),
        acres("french", **held)._replace(question=Question("raid", "british", "pemaquid")),
        acres("french", **held)._replace(question=Question("ambush", "british", "")),
        acres("french", british_hand=["boston"], sieges=lost)._replace(due=("british",)),
        acres(british_hand=["native-americans", "boston", "pemaquid"]),
    ]


def main(decisions: int, titles: Sequence[str], scripts: bool, purposeful: bool = False) -> int:
    """Make so many decisions of each title, in game after game of one server, and say what was met; return the number
    of games that ended with a finding.
    """
    with tempfile.TemporaryDirectory() as folder, browsing() as browser:
        url = f"sqlite:///{folder}/postroad.db"
        migrating.upgrade(url)
        environ = {
            "POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": "http://127.0.0.1", "POSTROAD_SECRET_KEY": KEYS[0],
        }  # fmt: skip
        app = create_app(load_config(environ, Path(folder)))
        with shown(app, browser) as base:
            return sum(_play(app, base, browser, title, decisions, scripts, purposeful) for title in titles)


def _play(app: Flask, base: str, browser: Browser, title: str, decisions: int, scripts: bool, purposeful: bool) -> int:
    made, steps, touched, taps = Counter[str](), Counter[str](), Counter[str](), list[int]()
    acts = seed = findings = scrolls = 0
    most = len(TITLES[title].seats)
    while made.total() < decisions:
        seed += 1
        begins = rare(title)[seed // 2 % len(rare(title))] if seed % 2 else None
        seats = 2 if begins else 2 + seed % (most - 1)
        player = thumb(turn_at(app, title, seats=seats), base, browser, seed, scripts, purposeful=purposeful)
        player.touched = touched
        if begins:
            player.desk.place(begins)
        try:
            while not player.desk.game.is_over and player.kinds.total() < min(GAME, decisions - made.total()):
                player.decide()
        except (AssertionError, Error) as found:
            findings += 1
            picture = Path(tempfile.gettempdir()) / f"in-sight-{title}-{seed}.png"
            player.page.screenshot(path=picture)
            print(found, picture, flush=True)
        made, steps, acts = made + player.kinds, steps + player.steps, acts + player.acts
        player.page.context.close()
        taps += player.visits.values()
        scrolls += player.scrolls
        print(title, made.total(), "decisions", acts, "taps", dict(made), dict(steps), flush=True)
        print(f"a visit has {median(taps):g} taps at the median; {scrolls} scrolls", flush=True)
    return findings


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("decisions", type=int)
    asked.add_argument("--title", action="append", choices=("acres", "new-world"))
    asked.add_argument("--no-script", action="store_true")
    asked.add_argument("--purposeful", action="store_true")
    given = asked.parse_args()
    titles = given.title or ("acres", "new-world")
    raise SystemExit(main(given.decisions, titles, not given.no_script, given.purposeful) > 0)
