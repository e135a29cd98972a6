"""Takes pictures of the main pages, on a phone and on a desktop, light and dark, and puts them on contact sheets.

    python -m bench.pictures.main_pages FOLDER [--languages en,fr] [--only WORDS] [--height N]

A sheet holds six pages side by side, each N pixels long.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from PIL import Image

from bench.trials.axe_everywhere import Onlooker, busy_world
from tests.support.every_page import Sight, plain, sights, speak
from tests.support.served import SIZES, browsing

MOMENTS = (
    "a turn of Acres", "an answer of Acres", "a turn of Acres, place.baltimore", "a turn of Acres, sealed",
    "a turn of New World", "a turn of New World, a cell", "a running game of Acres",
    "a page of new-world after some turns",
    "a game of New World that is over", "a replay of acres", "a round to publish", "a page that is not",
)  # fmt: skip
"""By their names in `every_page`."""
PAGES = {
    "": ("/", "/sign-in", "/tables", "/rules", "/rules/acres", "/rules/acres/reference", "/rules/new-world", "/chance",
         "/watch", "/archive", "/learn/acres/1", "/clubs/acres"),
    "ann": ("/games", "/games/new", "/games/new/acres", "/account", "/players/2", "/events/1",
            "/account/time"),
    "olga": ("/events/1/desk", "/events/1/manage", "/clubs/acres/members"),
    "otto": ("/server", "/outbox", "/cases"),
}  # fmt: skip
"""By visitor."""
A_ROW = {"phone": 6, "desk": 3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--languages", default="en")
    parser.add_argument("--only", default="")
    parser.add_argument("--height", type=int, default=1800)
    told = parser.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    with busy_world() as world, browsing() as browser:
        named = {one.name: one for one in sights(world)}
        shown = [named[name] for name in MOMENTS]
        shown += [plain(path, path, who) for who, paths in PAGES.items() for path in paths]
        shown = [one for one in shown if told.only in one.name]
        onlooker = Onlooker(world, browser)
        for language in told.languages.split(","):
            speak(world, language)
            for size in SIZES:
                for scheme in ("light", "dark"):
                    taken = [_picture(onlooker, one, language, size, scheme) for one in shown]
                    for n in range(0, len(taken), A_ROW[size]):
                        sheet = told.folder / f"{language}-{size}-{scheme}-{n // A_ROW[size]}.png"
                        _sheet(taken[n : n + A_ROW[size]], told.height).save(sheet)
                        print(sheet, *[one.name for one in shown[n : n + A_ROW[size]]], sep="; ")


def _picture(onlooker: Onlooker, sight: Sight, language: str, size: str, scheme: str) -> Image.Image:
    onlooker.open(sight, language)
    onlooker.page.set_viewport_size(SIZES[size])  # type: ignore[arg-type]
    onlooker.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    return Image.open(io.BytesIO(onlooker.page.screenshot(full_page=True)))


def _sheet(pictures: list[Image.Image], most: int) -> Image.Image:
    cut = [one.crop((0, 0, one.width, min(one.height, most))) for one in pictures]
    made = Image.new("RGB", (sum(one.width + 12 for one in cut), max(one.height for one in cut)), "#888")
    left = 0
    for one in cut:
        made.paste(one, (left, 0))
        left += one.width + 12
    return made


if __name__ == "__main__":
    main()
