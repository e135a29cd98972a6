"""Who may import whom, read from the sources."""

from __future__ import annotations

import sys
from functools import cache

import pytest

from tests.architecture.graph import (
    BY_NAME,
    INTO_LEAGUES,
    LEAGUES,
    ROOT,
    Arrow,
    Module,
    arrows,
    circles,
    imports,
    into_leagues,
    modules,
    reached,
    under,
)

# The engine gets chance, time and files from outside, so these parts of the standard library stay out too.
CLOCK_AND_ENTROPY = {"random", "secrets", "time", "datetime", "uuid", "os", "socket"}
STANDARD = set(sys.stdlib_module_names) - CLOCK_AND_ENTROPY
TITLES = {"engine.acres", "engine.new_world"} | {
    f"engine.{path.parent.name}" for path in (ROOT / "engine").glob("*/__init__.py") if path.parent.name != "kernel"
}
# The rooms of `app`, one for each subject, from the ground up: a room knows those before it and none after it.
ROOMS = (
    "clocks", "base", "titles", "games", "people", "time", "post", "play", "lobby", "computer", "overdue", "account",
    "leagues",
)  # fmt: skip
# What puts a server together, and its processes: they know every room, and no room knows them.
ABOVE = ("app.server", "app.tables", "app.upkeep")
KIT_OF_PAGES = "app.web"
KNOWN_TO_THE_KIT = ROOMS[: ROOMS.index("time") + 1]
# The rooms within the two largest rooms, from the ground up; their fronts are above all of them.
CHAINS = {
    "app.leagues": (
        "pure", "tables", "clubs", "events", "teams", "results", "rounds", "rulings", "seasons", "changes", "desk",
    ),
    "app.play": ("tables", "fairness", "turn", "agreed", "past"),
}  # fmt: skip
# In a room, from the ground up: its tables, what is done with them, and how people meet it.
TABLES, DEEDS, FRONT = 1, 2, 3
FRONTS = ("pages", "mails", "commands", "parts")
INSTALLED_SETS = "app.titles.new_world.installed_sets"
"""The only module below the pages of titles that knows a database."""
DATABASE_AND_PAGES = ("flask", "sqlalchemy", "sqlmodel", "werkzeug")


def room_and_floor(module: str) -> tuple[str, int]:
    """Return where a module of a room belongs."""
    _, room, *rest = module.split(".")
    if any(name in FRONTS for name in rest):
        return room, FRONT
    return room, TABLES if any(name == "tables" or name.endswith("_tables") for name in rest) else DEEDS


def may_import_of_app(module: str, name: str) -> bool:
    """Whether a module of a room, or of the kit of pages, may import this part of `app`."""
    if under(name, *ABOVE):
        return under(name, "app.server.commands.common") and room_and_floor(module)[1] == FRONT
    there, floor = room_and_floor(name) if name.count(".") else ("", DEEDS)
    if under(module, KIT_OF_PAGES):
        return under(name, KIT_OF_PAGES) or (there in KNOWN_TO_THE_KIT and floor != FRONT)
    here, own = room_and_floor(module)
    if there == here:
        return (floor <= own or here == "base" or under(name, f"app.{here}.pure")) and not runs_up(module, name)
    if there == "leagues" or here == "clocks":
        return False
    if own == TABLES:  # typed columns and relations need what is pure, and the tables below
        pure = there in ("base", "clocks") or under(name, "app.titles.registry")
        return pure or (floor == TABLES and ROOMS.index(there) < ROOMS.index(here))
    if own == FRONT:
        return True
    if under(name, KIT_OF_PAGES) or there not in ROOMS or floor == FRONT:
        return False
    return floor == TABLES or ROOMS.index(there) < ROOMS.index(here)


def runs_up(module: str, name: str) -> bool:
    """Whether a module names one of a room above its own in the same chain."""
    for top, chain in CHAINS.items():
        here, there = (next((at for at, room in enumerate(chain) if under(one, f"{top}.{room}")), -1)
                       for one in (module, name))  # fmt: skip
        if 0 <= here < there:
            return True
    return False


def is_of_another_title(module: str, name: str) -> bool:
    """Whether a module of one title names another one: `app.titles.acres` New World, or what all titles share any."""
    owner, other = (
        next((title for title in TITLES if under(one, of_title(title), title)), "") for one in (module, name)
    )
    return bool(other) and owner != other


def of_title(engine: str) -> str:
    """Return the folder that belongs to a title's engine."""
    return engine.replace("engine.", "app.titles.")


def may_import(module: str, name: str) -> bool:
    """Whether `module` may import `name`."""
    if under(module, "engine"):
        if under(module, "engine.kernel"):
            return under(name, "engine.kernel", *STANDARD)
        own = ".".join(module.split(".")[:2])
        if own in TITLES:
            return under(name, "engine.kernel", own, *STANDARD)
        return under(name, "engine", *STANDARD)  # a module next to the titles, such as a list of them
    if under(name, "tests", "bench"):
        return False
    if under(module, *ABOVE) or module == "app":
        return True
    if under(name, "app") and not may_import_of_app(module, name):
        return False
    if under(module, "app.leagues.pure"):
        return under(name, "app.leagues.pure", "engine.kernel.text", "engine.kernel.refusals", "openskill", *STANDARD)
    if under(module, "app.clocks") and not under(name, "app"):
        return under(name, "engine.kernel.text", "engine.kernel.refusals", "datetime", *STANDARD)
    here, floor = room_and_floor(module) if module.count(".") else ("", FRONT)
    if here == "titles":
        if floor == DEEDS and module != INSTALLED_SETS and under(name, *DATABASE_AND_PAGES):
            return False
        if is_of_another_title(module, name):
            return False
    return not (under(name, "flask") and here in ROOMS and floor != FRONT)


def breaches(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """Return the forbidden imports of a module, as `module:line name`."""
    found = imports(source, module, is_package=is_package)
    return [f"{module}:{one.line} {one.name}" for one in found if not may_import(module, one.name)]


SOURCES = modules(ROOT, "engine", "app")


@cache
def arrows_here() -> list[Arrow]:
    """Return all arrows of this tree: computed for the first test that needs them, not whenever tests are collected."""
    return arrows(SOURCES)


def test_no_module_reaches_across_a_boundary() -> None:
    read = [
        breach
        for name, module in SOURCES.items()
        for breach in breaches(module.source, name, is_package=module.is_package)
        if under(name, "engine") or breach.split()[-1] not in BY_NAME
    ]
    assert read == []


def test_the_sources_are_really_read() -> None:
    read = {
        one.name
        for name, module in SOURCES.items()
        for one in imports(module.source, name, is_package=module.is_package)
    }
    assert {"click", "babel.support.Translations"} <= read


def test_every_part_with_rules_is_there() -> None:
    chained = {f"{top}.{room}" for top, chain in CHAINS.items() for room in chain}
    parts = {*(f"app.{room}" for room in ROOMS), *ABOVE, *LEAGUES, KIT_OF_PAGES, *chained}
    assert parts == {part for part in parts if any(under(name, part) for name in SOURCES)}


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("engine.kernel.replay", "import flask"),
        ("engine.kernel.replay", "from sqlmodel import Session"),
        ("engine.kernel.replay", "from sqlalchemy.orm import Session"),
        ("engine.kernel.replay", "import random"),
        ("engine.kernel.replay", "from random import shuffle"),
        ("engine.kernel.replay", "import os.path"),
        ("engine.kernel.replay", "from datetime import UTC"),
        ("engine.kernel.replay", "from engine import acres"),
        ("engine.kernel.replay", "from engine.acres import rules"),
        ("engine.kernel.replay", "from ..acres import rules"),
        ("engine.kernel.replay", "def late():\n    import secrets"),
        ("engine.kernel.replay", "__import__('time')"),
        ("engine.acres.rules", "import engine.new_world.rules"),
        ("engine.acres.rules", "from ..new_world.rules import play"),
        ("engine.acres.rules", "from .. import new_world"),
        ("engine.acres.rules", "from app.games.store import Store"),
        ("engine.acres.rules", "import importlib\nimportlib.import_module('uuid')"),
        ("engine.new_world.rules", "from engine import acres"),
        ("engine.new_world.rules", "import socket"),
        ("engine.titles", "import app"),
        ("app.games.tables", "from app.play import turns"),
        ("app.games.tables", "from ..web import pages"),
        ("app.games.tables", "from app.people.tables import Player"),
        ("app.play.turn.turns", "from app.web.pages import page"),
        ("app.play.turn.turns", "from app.overdue import cases"),
        ("app.play.turn.turns", "from app.lobby import open_games"),
        ("app.play.turn.turns", "from app.play.pages import game"),
        ("app.time.pending", "from app.play import turns"),
        ("app.base.links", "from app.people.accounts import find"),
        ("app.leagues.pure.pairing.swiss", "import random"),
        ("app.leagues.pure.pairing.swiss", "from app.play.tables import Proposal"),
        ("app.leagues.pure.pairing.swiss", "from engine.kernel.chance import Chance"),
        ("app.web.pages", "from tests.support import tools"),
        ("app.web.pages", "from app.play import turns"),
        ("app.web.reader", "from app.people.pages import blueprint"),
        ("app.clocks.clock", "from app.games.tables import Game"),
        ("app.clocks.clock", "import time"),
        ("app.clocks.clock", "from sqlalchemy import select"),
        ("app.titles.acres.drawing", "from app.play import playing"),
        ("app.titles.acres.drawing", "from sqlalchemy import Connection"),
        ("app.titles.acres.drawing", "from app.titles import pages"),
        ("app.titles.acres.drawing", "def late():\n    from flask import request"),
        ("app.titles.acres.pages.parts", "from app.titles.new_world import tiles"),
        ("app.titles.acres.pages.parts", "from engine.new_world.tiles import tile_set"),
        ("app.titles.registry", "from app.titles.acres.pages import PAGES"),
        ("app.titles.pages", "from engine.acres.data import CARDS"),
        ("app.games.store", "from app.play import turns"),
        ("app.games.work", "from app.play.turn.moves import move_on"),
        ("app.games.work", "from app.post.out.sender import Sender"),
        ("app.base.stored.outbox", "from app.post import owed"),
        ("app.post.owed", "from app.play import turns"),
        ("app.post.letters.writing", "from app.web import session"),
        ("app.post.letters.writing", "import flask"),
        ("app.post.letters.writing", "from app.server.registry import register"),
        ("app.play.turn.turns", "from app.play.mails import asking"),
        ("app.play.turn.turns", "from app.leagues import outcomes"),
        ("app.play.turn.turns", "def late():\n    from app import registry"),
        ("app.play.pages.game", "from app.leagues.pages import shown"),
        ("app.web.visit", "from app.server.factory import create_app"),
        ("app.web.visit", "from app.server.commands import common"),
        ("app.leagues.events.entries", "from app.leagues.rounds import round_loop"),
        ("app.leagues.results.standings", "from app.leagues.desk.people import quiet"),
        ("app.play.turn.turns", "from app.play.past.records import read"),
    ],
)
def test_a_bad_import_is_caught(module: str, line: str) -> None:
    assert breaches(line, module) != []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("engine.kernel.replay", "from collections import deque"),
        ("engine.kernel.replay", "from . import text\nfrom .text import Text"),
        (
            "engine.acres.rules",
            "from engine.kernel.text import Text\nfrom .state import State\nfrom engine.kernel import x",
        ),
        ("engine.new_world.rules", "from ..kernel.chance import Chance\nfrom . import state"),
        ("engine.titles", "from engine import acres, new_world"),
        ("app.play.turn.turns", "from engine.acres import rules\nfrom app.games.store import Store"),
        ("app.games.tables", "from sqlmodel import SQLModel\nimport datetime"),
        ("app.web.pages", "from flask import Blueprint\nfrom app.time import pace_words"),
        ("app.play.pages.game", "from flask import Blueprint\nfrom app.overdue import cases"),
        ("app.people.commands", "from app.server.commands.common import open_server"),
        (
            "app.leagues.rounds.round_loop",
            "from app.play.turn import moves\nfrom app.leagues.events import entries",
        ),
        ("app.server.factory", "from app.server.registry import open_house"),
        ("app.clocks.clock", "from datetime import UTC\nfrom app.clocks.pace import Pace"),
        ("app.play.turn.turns", "from app.base.stored.outbox import PlannedMail\nfrom sqlalchemy import select"),
        ("app.games.work", "from app.base.stored.outbox import Outbox"),
        (
            "app.leagues.pure.pairing.swiss",
            "from .why import Reason\nfrom fractions import Fraction\nfrom engine.kernel.text import N_",
        ),
    ],
)
def test_a_good_import_is_left_alone(module: str, line: str) -> None:
    assert breaches(line, module) == []


def test_a_relative_import_in_a_package_counts_from_the_package() -> None:
    for_package = imports("from .text import Text", "engine.kernel", is_package=True)
    assert [one[:2] for one in for_package] == [(1, "engine.kernel.text.Text")]
    for_module = imports("from .text import Text", "engine.kernel.title")
    assert [one[:2] for one in for_module] == [(1, "engine.kernel.text.Text")]


# -- circles ------------------------------------------------------------------------------------------


def tree(**sources: str) -> dict[str, Module]:
    """Return modules of a package `app` by their last names; `init` is the package itself."""
    named = {f"app.{name}": Module(source) for name, source in sources.items() if name != "init"}
    return {"app": Module(sources.get("init", ""), is_package=True), **named}


def test_no_module_imports_itself_round_about() -> None:
    assert circles(arrows_here()) == []


@pytest.mark.parametrize(
    ("sources", "circle"),
    [
        ({"a": "import app.b", "b": "import app.a"}, ["app.a", "app.b"]),
        ({"a": "from app import b", "b": "from app.a import x"}, ["app.a", "app.b"]),
        ({"a": "from . import b", "b": "from .a import x"}, ["app.a", "app.b"]),
        ({"a": "from app.b import x", "b": "from app import c", "c": "from app import a"}, ["app.a", "app.b", "app.c"]),
        ({"a": "def late():\n    from app import b", "b": "from app import a"}, ["app.a", "app.b"]),
        ({"a": "class A:\n    def late(self):\n        from .b import x", "b": "import app.a"}, ["app.a", "app.b"]),
        ({"a": "if TYPE_CHECKING:\n    pass\nelse:\n    import app.b", "b": "import app.a"}, ["app.a", "app.b"]),
        ({"init": "from app.a import x", "a": "from app import y"}, ["app", "app.a"]),
        ({"init": "from app.b import x", "a": "from app import x", "b": "import app.a"}, ["app", "app.a", "app.b"]),
    ],
)
def test_a_circle_is_found(sources: dict[str, str], circle: list[str]) -> None:
    assert circles(arrows(tree(**sources))) == [circle]


def test_two_circles_are_told_apart() -> None:
    two = tree(a="import app.b", b="import app.a\nimport app.c", c="import app.d", d="import app.c")
    assert circles(arrows(two)) == [["app.a", "app.b"], ["app.c", "app.d"]]


@pytest.mark.parametrize(
    "sources",
    [
        {"a": "import app.b", "b": "import app.c", "c": "import flask"},
        {"a": "import app.b", "b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from app.a import A"},
        {"a": "import app.b", "b": "import typing\nif typing.TYPE_CHECKING:\n    import app.a"},
        {"init": "from app.a import x", "a": "from app.b import y", "b": ""},
    ],
)
def test_what_runs_one_way_is_no_circle(sources: dict[str, str]) -> None:
    assert circles(arrows(tree(**sources))) == []


# Who may import within a function: commands and what rooms bring, so that a help page is quick; a server that needs no
# pages; tile sets, so that records can be read without a database; what few servers need and takes MiB: what asks name
# servers 4, what encrypts for devices 5.
MAY_HIDE = (
    "app.computer.register", "app.leagues.register", "app.play.register", "app.post.register", "app.server.registry",
    "app.post.inbound.sender_check", "app.post.push", "app.server.serve", "app.titles.new_world.shelf",
    "app.upkeep.server_pages",
)  # fmt: skip


def test_modules_import_at_their_top() -> None:
    hidden = {arrow.here for arrow in arrows_here() if arrow.hidden and under(arrow.here, "app")}
    assert [here for here in sorted(hidden) if not under(here, *MAY_HIDE) and "commands" not in here] == []
    assert [part for part in MAY_HIDE if not any(under(here, part) for here in hidden)] == []


EXAMINES = "app.upkeep.doctor.examination"
"""What a page asks when it is asked to examine the server."""


def test_what_answers_pages_loads_nothing_that_only_commands_need() -> None:
    """Alembic, with its templates, is 8 MB in each process."""
    leads: dict[str, set[str]] = {}
    for arrow in arrows_here():
        if not arrow.hidden and not arrow.for_types:
            leads.setdefault(arrow.here, set()).add(arrow.there)
    pages = [
        here
        for here in leads
        if "pages" in here.split(".") or here in (EXAMINES, "app.upkeep.server_pages", "app.server.factory")
    ]
    assert "app.upkeep.doctor.machine" in reached(leads, EXAMINES)
    assert [here for here in pages if "app.upkeep.migrating" in reached(leads, here)] == []
    assert "app.upkeep.migrating" in reached(leads, "app.upkeep.backups.restoring"), "commands do"


# -- leagues ------------------------------------------------------------------------------------------


def test_nothing_outside_of_leagues_knows_them() -> None:
    """Except for what puts the server together, and the list of all tables."""
    assert into_leagues(arrows_here(), INTO_LEAGUES) == []
    assert {(arrow.here, arrow.there) for arrow in arrows_here()} >= INTO_LEAGUES


@pytest.mark.parametrize(
    ("here", "line"),
    [
        ("app.play.turn.moves", "from app.leagues import outcomes"),
        ("app.play.turn.moves", "from ...leagues.results.outcomes import Place"),
        ("app.play.turn.moves", "def late():\n    import app.leagues.results.outcomes"),
        ("app.play.turn.moves", "if TYPE_CHECKING:\n    from app.leagues.results.outcomes import Place"),
        ("app.play.turn.moves", "from app.tables import leagues\nimport app.leagues.tables"),
        ("app.play.turn.moves", "from app.leagues.tables.rounds import Match"),
        ("app.post.letters.writing", "from app.leagues.mails import events"),
        ("app.play.pages.game", "from app.leagues.pure.standings import said_value"),
        ("app.play.pages.game", "from app.leagues.pages.shown.divisions import shown"),
        ("app.server.registry", "from app.leagues import outcomes"),
        ("app.upkeep.jobs", "from app.leagues.rounds.pairing_jobs import Pairer"),
        ("app.play.commands.game", "from app.leagues.commands.league import club"),
    ],
)
def test_who_knows_leagues_is_found(here: str, line: str) -> None:
    assert len(into_leagues(arrows({**SOURCES, here: Module(line)}), INTO_LEAGUES)) == 1


@pytest.mark.parametrize(
    ("here", "line"),
    [
        (
            "app.leagues.rounds.round_loop",
            "from app.leagues import outcomes\nfrom app.leagues.tables import Match",
        ),
        ("app.leagues.commands.league", "from app.leagues import rounds"),
        ("app.play.turn.moves", "from app.games import competitions\nfrom app.games.tables import Game"),
        ("app.server.registry", "from app.leagues import register"),
    ],
)
def test_leagues_and_those_who_ask_by_the_port_are_left_alone(here: str, line: str) -> None:
    assert into_leagues(arrows({**SOURCES, here: Module(line)}), INTO_LEAGUES) == []
