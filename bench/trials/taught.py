"""A newcomer with one thumb: does each step of each lesson by what its line names, and never scrolls.

`python -m bench.trials.taught` walks both lessons on phones of three sizes, with and without the script, in four
languages; says for each walk how many steps there were, how many could not be done, how often the line was out of
sight, and how many lines name what is not on the page.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Page

from app.base.process.config import load as load_config
from app.base.words.i18n import LANGUAGES
from app.server.factory import create_app
from app.upkeep import migrating
from tests.support.served import browsing, shown
from tests.support.tables import KEYS

TITLES = ("acres", "new-world")
PHONES = ((360, 640), (360, 740), (390, 844))
MOST_TAPS = 12

_SEEN = """() => {
  const at = (node, target = node) => {
    const box = target.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const inside = x > 0 && y > 8 && x < innerWidth && y < innerHeight - 8;
    const tops = [-8, 0, 8].map((off) => inside && document.elementFromPoint(x, y + off));
    return tops.every((top) => top && (node.contains(top) || top.contains(node))) ? [x, y] : null;
  };
  const line = document.querySelector('#line');
  if (document.readyState !== 'complete' || !line) return null;
  const box = line.getBoundingClientRect();
  const whole = at(line) && box.top >= 0 && box.bottom <= innerHeight;
  const controls = '#board svg a, #kinds a, #hand .card > a, #tray a:not(.chip, .close), #tray button, .items label,'
    + ' #send .wax:not(.empty)';
  const found = [];
  for (const node of document.querySelectorAll(controls)) {
    const target = node.querySelector?.('.hit, use') || node;
    const row = node.closest('button') && node.closest('.answers li')?.querySelector('p');
    const say = (row && [...row.querySelectorAll('b, small')].map((one) => one.innerText).join(' '))
      || (node.getAttribute('aria-label') || node.querySelector?.('title')?.textContent)?.split(',')[0]
      || node.querySelector?.('b:not(.letter)')?.innerText || node.innerText || node.textContent;
    const chosen = node.getAttribute('aria-current') === 'true' || node.querySelector?.('input')?.checked;
    const does = node.matches('.ink, .wax');
    found.push({said: say.trim(), at: at(node, target), does, chosen, row: !!row});
  }
  const turned = document.querySelector('.nw-turn span');
  const turn = document.querySelector('.nw-turn a:last-child');
  return {line: line.innerText, whole, found, turned: turned?.innerText, turn: turn && at(turn)};
}"""


@dataclass
class Walk:
    """One walk through a lesson."""

    steps: int = 0
    blocked: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    """Where the line was out of sight."""
    missing: list[str] = field(default_factory=list)
    """Lines that name something that is not on the page."""
    taps: int = 0


def walk(page: Page, base: str, title: str, scripts: bool) -> Walk:
    """Do all steps of a lesson by touch."""
    done = Walk()
    page.goto(f"{base}/learn/{title}/1")
    while True:
        page.wait_for_load_state("load")
        if not page.locator("#lesson").count():
            return done
        here, done.steps = page.url.partition("?")[0], done.steps + 1
        touched: set[str] = set()
        for _ in range(MOST_TAPS):
            seen = _seen(page)
            if not seen["whole"]:
                done.unseen.append(page.url)
            one = _next(seen, touched)
            if one is None:
                break
            before = page.url
            page.touchscreen.tap(*one["at"])
            touched.add(_name(one.get("said", "")))
            done.taps += 1
            with suppress(Error):  # a touch that led nowhere
                page.wait_for_url(lambda url, before=before: url != before, timeout=5000)
            page.wait_for_load_state("load")
            if scripts:
                page.wait_for_function("() => document.body && !document.body.hasAttribute('aria-busy')")
            if page.url.partition("?")[0] != here:
                break
        if page.url.partition("?")[0] == here:
            (done.blocked if _places(seen) else done.missing).append(f"{page.url}: {seen['line']!r}")
            page.goto(here)
            page.locator("#show-me a").click()
            page.locator("#tray .ink, #tray .wax").first.click()
            page.wait_for_url(lambda url, here=here: url.partition("?")[0] != here)


def _seen(page: Page) -> dict[str, Any]:
    for _ in range(100):
        with suppress(Error):  # the page is just being left
            page.wait_for_load_state("load")
            if seen := page.evaluate(_SEEN):
                found: dict[str, Any] = seen
                return found
        page.wait_for_timeout(50)
    raise AssertionError("the page never settles")


def _next(seen: dict[str, Any], touched: set[str]) -> dict[str, Any] | None:
    """Return what to touch: of what the line names the first that is not chosen yet; if nothing is left, what turns a
    tile, adds or sends."""
    places = {name: at for name, at in _places(seen).items() if name not in touched}
    offered = [one for one in seen["found"] if one["at"] and not one["chosen"] and _name(one["said"]) in places]
    named = [one for one in offered if one["row"] or not one["does"]]
    if seen["turned"] and seen["turned"] not in seen["line"]:
        return {"at": seen["turn"]} if seen["turn"] else None
    if named:
        return min(named, key=lambda one: places[_name(one["said"])])
    return next((one for one in seen["found"] if one["does"] and one["at"] and not one["row"]), None)


def _places(seen: dict[str, Any]) -> dict[str, int]:
    """Return where the line names each thing on the page, the longer of two names first: `Fort Halifax` does not name
    Halifax."""
    line, found = seen["line"], {}
    for name in sorted({_name(one["said"]) for one in seen["found"]}, key=len, reverse=True):
        match = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line, re.IGNORECASE) if len(name) > 1 else None
        if match:
            found[name] = match.start()
            line = re.sub(
                rf"(?<![\w-]){re.escape(name)}(?![\w-])", lambda it: "." * len(it[0]), line, flags=re.IGNORECASE
            )
    return found


def _name(said: str) -> str:
    """Return what a control is called, without what is said about it."""
    return re.split(r"[\n·:(]|\s[+\d]", " ".join(said.split()))[0].strip(" ,")


@contextmanager
def taught(browser: Browser) -> Iterator[str]:
    """Serve an empty house."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/postroad.db"
        migrating.upgrade(url)
        environ = {
            "POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": "http://127.0.0.1", "POSTROAD_SECRET_KEY": KEYS[0],
        }  # fmt: skip
        with shown(create_app(load_config(environ, Path(folder))), browser) as base:
            yield base


def phone(browser: Browser, size: tuple[int, int], language: str, scripts: bool) -> Page:
    """Return a page on a phone of this size."""
    viewport: Any = {"width": size[0], "height": size[1]}
    context = browser.new_context(viewport=viewport, has_touch=True, java_script_enabled=scripts, locale=language)
    page = context.new_page()
    page.set_default_timeout(30_000)
    return page


def main(sizes: Sequence[tuple[int, int]], languages: Sequence[str], scripts: Sequence[bool]) -> int:
    """Walk all, and say what was met; return how much."""
    met = 0
    with browsing() as browser, taught(browser) as base:
        for language in languages:
            for size in sizes:
                for script in scripts:
                    for title in TITLES:
                        page = phone(browser, size, language, script)
                        done = walk(page, base, title, script)
                        page.context.close()
                        found = [*done.blocked, *done.missing, *done.unseen]
                        met += len(found)
                        counts = len(done.blocked), len(done.unseen), len(done.missing)
                        walked = language, size, "script" if script else "none", title, done.steps, done.taps
                        print(*walked, *counts, *found[:4], sep=" | ", flush=True)
    return met


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--language", action="append", choices=LANGUAGES)
    asked.add_argument("--quick", action="store_true", help="one size")
    given = asked.parse_args()
    raise SystemExit(main(PHONES[: 1 if given.quick else None], given.language or list(LANGUAGES), (True, False)) > 0)
