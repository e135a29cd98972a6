"""`postroad title`: the laws of a title, tried; and the package of a new one, which keeps them."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from engine.kernel.laws import Surroundings
    from engine.kernel.title import Title

FILES = {
    "pyproject.toml": "pyproject.toml",
    "things.py": "PACKAGE/things.py",
    "game.py": "PACKAGE/game.py",
    "pages.py": "PACKAGE/pages.py",
    "boards.css": "PACKAGE/boards.css",
    "rules.md": "PACKAGE/rules/en.md",
    "test_laws.py": "tests/test_laws.py",
}
"""Where the files of a new title come to stand."""
HOUSE = ("acres", "new-world")
"""Titles whose sentences stand in the server's own catalogues."""


@click.group()
def title() -> None:
    """Check a title by its laws, or begin a new one."""


@title.command()
@click.argument("name")
@click.option("--games", type=click.IntRange(min=1), default=60, show_default=True, help="Random games.")
@click.option(
    "--against", "records", multiple=True, type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A record from before that has to verify; several for several.",
)  # fmt: skip
def check(name: str, games: int, records: tuple[Path, ...]) -> None:
    """Try the laws of a title in random games of all its seats and options, and play older records again.

    Exits with 1 and says for each broken law what is wrong, in which method, and when it happened.
    """
    from app.titles.registry import TITLES
    from engine.kernel import laws

    if name not in TITLES:
        raise click.BadParameter(f"{name!r} is no title; known are {', '.join(TITLES)}.", param_hint="NAME")
    checked = TITLES[name]
    faults = laws.check(checked, list(_kinds(checked, games)), random.Random, surroundings(checked))
    faults += [fault for path in records if (fault := laws.against(checked, str(path), path.read_bytes()))]
    for fault in faults:
        click.echo(fault)
    click.echo(f"{games} games, {len(records)} records, {len(faults)} broken laws")
    sys.exit(bool(faults))


def _kinds(checked: Title, games: int) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Yield options and seats for so many games: all numbers of seats, with the defaults and with each other value."""
    fields = checked.option_fields({})
    given = [{}, *({field.name: value} for field in fields for value in field.values if value != field.default)]
    seats = range(checked.least_seats, checked.most_seats + 1)
    kinds = list(product(given, seats))
    for n in range(games):
        options, count = kinds[n % len(kinds)]
        yield checked.read_options(options), checked.seats[:count]


def surroundings(checked: Title) -> Surroundings:
    """Return what a title meets here: the speakers of all languages, the catalogues, and its pages."""
    from app.base.words.catalogues import untranslated
    from app.base.words.i18n import LANGUAGES, po_path, read_catalogue
    from app.base.words.speech import Voice
    from app.titles.pages import pages_of
    from engine.kernel.laws import Surroundings

    module = sys.modules[type(checked).__module__.partition(".")[0]]
    beside = Path(module.__path__[0]).resolve() / "translations"
    known: dict[str, set[str]] = {}
    for lang in LANGUAGES:
        if lang != "en" and po_path(lang, beside if checked.id not in HOUSE else None).exists():
            of = [read_catalogue(lang), *([] if checked.id in HOUSE else [read_catalogue(lang, beside)])]
            said = {one.id if isinstance(one.id, str) else one.id[0] for each in of for one in each if one.id}
            known[lang] = said - {english for each in of for english in untranslated(each)}

    def knows(lang: str, sentence: str) -> bool:
        return lang not in known or sentence in known[lang]

    speakers = {lang: Voice(lang, title=checked) for lang in LANGUAGES}
    return Surroundings(speakers, knows, pages_of(checked.id))


@title.command()
@click.argument("name")
@click.option("--seats", default="red,blue", show_default=True, help="The seats in turn order, with commas.")
def new(name: str, seats: str) -> None:
    """Lay the package of a new title in a folder postroad-NAME: a small card game with hidden hands that runs, to be
    changed into yours."""
    from app.base.process.places import folder

    named = seats.split(",")
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name):
        raise click.BadParameter("write it in small letters and hyphens, such as toll-road.", param_hint="NAME")
    if not 2 <= len(named) <= 6 or not all(re.fullmatch("[a-z]+", seat) for seat in named):
        raise click.BadParameter("two to six words in small letters, such as red,blue.", param_hint="--seats")
    from app.titles.registry import TITLES

    if name in TITLES:
        raise click.BadParameter(f"{name} is here already; a title needs an id of its own.", param_hint="NAME")
    target, package = Path(f"postroad-{name}"), f"postroad_{name.replace('-', '_')}"
    if target.exists():
        raise click.ClickException(f"{target} is there already.")
    spoken = name.replace("-", " ").title()
    words = {"PACKAGE": package, "CLASS": spoken.replace(" ", ""), "NAME": name, "TITLE": spoken}
    words["SEAT_LIST"] = ", ".join(f'"{seat}"' for seat in named)
    for source, place in FILES.items():
        text = (folder("templates") / "titles" / f"{source}.txt").read_text(encoding="utf-8")
        path = target / place.replace("PACKAGE", package)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(re.sub("|".join(words), lambda found: words[found[0]], text), encoding="utf-8")
    (target / package / "__init__.py").write_text(f'"""{words["TITLE"]}."""\n', encoding="utf-8")
    click.echo(f"pip install -e {target}, then postroad title check {name}, and change {target}/{package}/game.py")
