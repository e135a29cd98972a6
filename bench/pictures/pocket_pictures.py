"""Draws the three pictures of "On your home screen" in `docs/players.md`: what is pressed on each kind of device.

python -m bench.pictures.pocket_pictures [FOLDER]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from app.web.pages import STATIC
from app.web.pocket import PAPER, WAX
from tests.support.running import ROOT

TO = ROOT / "docs" / "pictures"
INK, PALE, EDGE = "#2b2417", "#efe6d2", "#b9ab8d"
PHONE, DESK = (140, 210), (250, 160)
GAP = 30
SHARE = "M-6 -2H-9V11H9V-2H6M0 5V-11M-5 -6 0 -11 5 -6"
INSTALL = "M-11 -8H11V6H-11ZM-5 11H5M0 -5V3M-4 -1 0 3 4 -1"
PLUS = "M-8 -8H8V8H-8ZM0 -4V4M-4 0H4"


def main() -> None:
    to = Path(sys.argv[1]) if len(sys.argv) > 1 else TO
    pictures = {
        "iphone": (PHONE, [_sign(70, 188, SHARE), _menu(8, 118, "Add to Home Screen", PLUS), _home(70, 55)]),
        "android": (PHONE, [_dots(118, 24), _menu(8, 30, "Install app", INSTALL), _home(70, 55)]),
        "desktop": (DESK, [_sign(226, 22, INSTALL), _menu(118, 30, "Install", INSTALL), _home(125, 130)]),
    }
    for name, (size, steps) in pictures.items():
        (to / f"home-screen-{name}.svg").write_text(_picture(size, steps) + "\n", encoding="utf-8")


def _picture(size: tuple[int, int], steps: list[str]) -> str:
    """Return the steps beside each other, each on a screen of this size."""
    width, height = size
    whole = len(steps) * (width + GAP) - GAP + 4
    drawn = []
    for at, step in enumerate(steps):
        screen = f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}" stroke="{INK}" stroke-width="2"/>'
        drawn.append(f'<g transform="translate({2 + at * (width + GAP)} 2)">{screen}{_page(size, at)}{step}</g>')
        if at:
            x = 2 + at * (width + GAP) - GAP / 2
            drawn.append(
                f'<path d="M{x - 7} {height / 2}h14m-5 -5 5 5 -5 5" fill="none" stroke="{EDGE}" stroke-width="2"/>'
            )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {height + 4}" width="{whole}"'
    return f'{head} font-family="sans-serif" font-size="10" fill="{INK}">{"".join(drawn)}</svg>'


def _page(size: tuple[int, int], at: int) -> str:
    """Return the lines of a page, but for the last screen."""
    width, height = size
    if at == 2:
        return ""
    bar = f'<rect x="8" y="10" width="{width - 60}" height="22" rx="11" fill="{PALE}"/>' if width > PHONE[0] else ""
    rows = range(50, height - 40, 18)
    return bar + "".join(f'<rect x="12" y="{y}" width="{width - 24}" height="8" rx="2" fill="{PALE}"/>' for y in rows)


def _pressed(x: float, y: float) -> str:
    return f'<circle cx="{x}" cy="{y}" r="17" fill="{PAPER}" stroke="{WAX}" stroke-width="3"/>'


def _line(x: float, y: float, path: str) -> str:
    return f'<path transform="translate({x} {y})" d="{path}" fill="none" stroke="{INK}" stroke-width="1.5"/>'


def _sign(x: float, y: float, path: str) -> str:
    return _pressed(x, y) + _line(x, y, path)


def _dots(x: float, y: float) -> str:
    x -= 8
    return _pressed(x, y) + "".join(f'<circle cx="{x}" cy="{y + at}" r="2"/>' for at in (-6, 0, 6))


def _menu(x: float, y: float, words: str, path: str) -> str:
    """Return a menu whose first line is pressed."""
    box = f'<rect x="{x}" y="{y}" width="124" height="78" rx="6" fill="#fff" stroke="{EDGE}"/>'
    first = f'<rect x="{x + 4}" y="{y + 4}" width="116" height="26" rx="5" fill="none" stroke="{WAX}"'
    rest = "".join(f'<rect x="{x + 10}" y="{y + at}" width="80" height="7" rx="2" fill="{PALE}"/>' for at in (40, 58))
    said = f'<text x="{x + 9}" y="{y + 20}" font-size="9">{words}</text>'
    sign = f'<g transform="translate({x + 109} {y + 17}) scale(.6)">{_line(0, 0, path)}</g>'
    return f'{box}{first} stroke-width="2.5"/>{said}{sign}{rest}'


def _home(x: float, y: float) -> str:
    """Return our seal among other signs, with the number of games that wait."""
    others = [(x - 44, y), (x + 44, y), *([(x + at, y + 52) for at in (-44, 0, 44)] if y < 100 else ())]
    drawn = [f'<rect x="{a - 15}" y="{b - 15}" width="30" height="30" rx="7" fill="{PALE}"/>' for a, b in others]
    seal = re.sub(r"^<svg[^>]*>|</svg>\s*$", "", (STATIC / "seal.svg").read_text(encoding="utf-8").strip())
    badge = f'<circle cx="{x + 15}" cy="{y - 14}" r="8" fill="{INK}"/><text x="{x + 15}" y="{y - 10.5}"'
    count = f'{badge} fill="{PAPER}" text-anchor="middle">2</text>'
    return "".join(drawn) + f'<g transform="translate({x - 18} {y - 18}) scale(1.125)">{seal}</g>{count}'


if __name__ == "__main__":
    main()
