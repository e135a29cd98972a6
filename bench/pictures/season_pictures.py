"""Takes the pictures of the guide "Your first season" from the demo club, as a phone shows its pages.

python -m bench.pictures.season_pictures [FOLDER]
"""

from __future__ import annotations

import argparse
import io
import re
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, Page

from app.leagues.commands.demo_club import OWNER
from bench.pictures.first_page import text
from tests.support.running import ROOT, Install
from tests.support.served import browsing

TO = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 390, 560
CLUB = "/clubs/harbour"
PAGES = {
    "members": f"{CLUB}/members",
    "questions": f"{CLUB}/events/new",
    "terms": f"{CLUB}/events/new?title=acres&kind=round_robin&weeks=8&days=5",
    "players": "/events/2/players",
    "draft": "",
    "week": f"{CLUB}/week",
    "ruling": "/events/1/rulings/1",
    "table": "/events/1",
    "next": "/events/1/next",
}
"""What the pictures show, beside the mail that asks."""
ASKS = "Do you play in Harbour Cup?"


def main() -> None:
    """Write all of them."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("folder", type=Path, nargs="?", default=TO)
    to: Path = asked.parse_args().folder
    to.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, browsing() as browser:
        demo = Install(Path(folder))
        demo.command("demo", "--club")
        with demo.serving():
            page = signed_in(browser, demo.base_url)
            page.goto(demo.base_url + PAGES["week"])
            PAGES["draft"] = str(page.get_by_role("link", name="Look at it").first.get_attribute("href"))
            for name, path in PAGES.items():
                page.goto(demo.base_url + path, wait_until="networkidle")
                keep(page, to / f"season-{name}.webp")
            number = mail_to(demo.base_url, ASKS)
            page.goto(f"{demo.base_url}/mailbox/{number}/html")
            keep(page, to / "season-mail.webp")


def keep(page: Page, to: Path) -> None:
    Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(to, quality=60, method=6)


def mail_to(base: str, subject: str, seconds: float = 60) -> str:
    """Return the number of the newest mail with this subject, once it is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := re.search(rf'href="/mailbox/(\d+)">{re.escape(subject)}', text(f"{base}/mailbox")):
            return found.group(1)
        time.sleep(0.5)
    raise AssertionError(f"There is no mail “{subject}”.")


def signed_in(browser: Browser, base: str) -> Page:
    """Return a page on which the owner of the demo club is signed in."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", locale="en-GB", timezone_id="Europe/Berlin"
    )
    page = context.new_page()
    page.goto(f"{base}/sign-in")
    page.get_by_label("Your email address").fill(OWNER[0])
    page.get_by_role("button", name="link").click()
    number = mail_to(base, "Sign in")
    [link] = re.findall(rf"{base}/sign-in/[\w.?=&;%/-]+", text(f"{base}/mailbox/{number}"))[:1]
    page.goto(link.replace("&amp;", "&"))
    page.get_by_role("button", name="Sign in").first.click()
    page.wait_for_load_state("networkidle")
    return page


if __name__ == "__main__":
    main()
