"""What a screen reader finds on the pages of one turn, from opening its link to sending it, as text.

`python -m tests.support.heard` writes `tests/browser/heard/`, which a test compares with the pages: read it after a
change as somebody would hear it.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from app.base.process.config import load as load_config
from app.server.factory import create_app
from app.upkeep import migrating
from tests.support.acres import acres
from tests.support.seeds import fix_seed
from tests.support.served import browsing, served
from tests.support.tables import KEYS
from tests.support.turn_driver import turn_at

FOLDER = Path(__file__).parent.parent / "browser" / "heard"
HAND = ["boston", "new-haven", "norfolk", "philadelphia", "militia"]
TURNS = {
    "acres": (
        "#at-baltimore",
        "#tray .offers a",
        "#tray .ink",
        "#kinds a:has-text('Take money')",
        "#tray .ink",
        "#decide .wax",
    ),
    "new-world": (".nw-best a", ".nw-rows a", ".nw-lay .wax"),
}
"""The controls that are touched in a turn of each title, by selector."""
_TIMES = re.compile(r"\d+ days? \d+ hr|\w{3} \d+ \w{3}, \d\d:\d\d")


def heard(page: Page, title: str, address: str) -> str:
    """Play a turn and return all that can be read out: the whole first and last page, and what changes in between."""
    page.goto(address)
    told = [f"# The link is opened: {page.title()}", *[_read(page, part) for part in (".brand", "main")]]
    *acts, send = TURNS[title]
    for act in acts:
        page.locator(act).first.click()
        page.wait_for_function("() => !document.body.hasAttribute('aria-busy')")
        told += [f"# {act} is touched; told: {page.locator('#told').inner_text()}"]
        told += [_read(page, part) for part in (".brand", "#tray-place", "#decide")]
    page.locator(send).first.click()
    page.locator("#line", has_text="Sent.").wait_for()
    told += [f"# It is sent: {page.title()}", *[_read(page, part) for part in (".brand", "main")]]
    return _TIMES.sub("(time)", "\n".join(told)) + "\n"


def _read(page: Page, selector: str) -> str:
    found = page.locator(selector)
    lines = found.aria_snapshot().splitlines() if found.count() else []
    return "\n".join([line for line in lines if not re.match(r"\s*- /(url|placeholder):", line)])


def turn_heard(browser: Browser, folder: Path, title: str) -> str:
    """Return what is heard in a turn that is always the same."""
    url = f"sqlite:///{folder}/heard.db"
    migrating.upgrade(url)
    environ = {
        "POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": "http://127.0.0.1", "POSTROAD_SECRET_KEY": KEYS[0],
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        fix_seed(patch, "05" * 32)
        app = create_app(load_config(environ, folder))
        with served(app) as base:
            desk = turn_at(app, title)
            if title == "acres":
                desk.place(acres(british_hand=HAND))
            context = browser.new_context(viewport={"width": 1280, "height": 850}, locale="en-GB")
            try:
                return heard(context.new_page(), title, f"{base}/t/{desk.token}")
            finally:
                context.close()


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(exist_ok=True)
    for title in TURNS:
        with tempfile.TemporaryDirectory() as folder, browsing() as browser:
            (FOLDER / f"{title}.txt").write_text(turn_heard(browser, Path(folder), title), encoding="utf-8")


if __name__ == "__main__":
    main()
