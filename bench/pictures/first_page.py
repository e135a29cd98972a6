"""Takes the picture of the README: a turn mail on a phone beside the board on a desk, from a demo, light and dark.

python -m bench.pictures.first_page
"""

from __future__ import annotations

import io
import re
import time
import urllib.request
from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser

from app.play.demo import PEOPLE, RUNNING_MOVES
from tests.support.running import ROOT, Install
from tests.support.served import browsing

TO = ROOT / "docs" / "pictures"
TURN = re.compile(rf'href="/mailbox/(\d+)">Your turn [^<]*#{len(RUNNING_MOVES)}, ')
"""The mail of the running game of the first title that has most moves."""
SIZE = {"width": 1200, "height": 690}
PAPER = {"light": "#d9d3c3", "dark": "#0c0e10"}
PAGE = """<style>
body {{ margin: 0; background: {paper}; }}
img {{ position: absolute; display: block; object-fit: cover; object-position: top; }}
.desk {{ left: 24px; top: 24px; width: 960px; height: 642px; border-radius: 8px; box-shadow: 0 4px 18px #0007; }}
.phone {{ right: 24px; top: 60px; width: 288px; height: 592px; border: 9px solid #1b1c1e; border-radius: 30px;
  box-shadow: 0 6px 24px #000a; }}
</style><img class="desk" src="{desk}"><img class="phone" src="{phone}">"""


def main() -> None:
    """Write both pictures."""
    TO.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, browsing() as browser:
        demo = Install(Path(folder), MAIL_PICTURES="send")
        demo.command("demo")
        for address, *_ in PEOPLE:
            demo.command("player", "set", address, "--language", "en")
        with demo.serving():
            mail = turn_mail(demo.base_url)
            for scheme in PAPER:
                picture = whole(browser, demo.base_url, mail, scheme)
                picture.save(TO / f"first-page-{scheme}.webp", quality=82, method=6)


def turn_mail(base: str, seconds: float = 120) -> str:
    """Return the number of the mail, once it is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := TURN.search(text(f"{base}/mailbox")):
            return found.group(1)
        time.sleep(0.5)
    raise AssertionError("The demo wrote no mail of that game.")


def text(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as answer:
        return str(answer.read().decode())


def whole(browser: Browser, base: str, mail: str, scheme: str) -> Image.Image:
    """Return the mail and the page that its link opens, put together."""
    [link] = re.findall(rf"{base}/t/[\w.-]+", text(f"{base}/mailbox/{mail}"))[:1]
    desk = shot(browser, link, 1280, 856, scheme)
    phone = shot(browser, f"{base}/mailbox/{mail}/html", 360, 740, scheme)
    page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
    page.set_content(PAGE.format(paper=PAPER[scheme], desk=desk, phone=phone))
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def shot(browser: Browser, address: str, width: int, height: int, scheme: str) -> str:
    context = browser.new_context(
        viewport={"width": width, "height": height}, device_scale_factor=2, color_scheme=scheme, locale="en-GB"
    )  # type: ignore[call-overload]
    page = context.new_page()
    page.goto(address, wait_until="networkidle")
    picture = page.screenshot()
    context.close()
    return f"data:image/png;base64,{b64encode(picture).decode()}"


if __name__ == "__main__":
    main()
