"""README and documents: no link in them is dead, and each command exists with the options that are named."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from app.server.cli import main
from app.titles.registry import TITLES
from engine.kernel import records
from engine.kernel.random_play import RandomGame
from engine.kernel.title import Choice
from tests.support.running import ROOT

DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("app/*/README.md")]
)
FENCED = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```", re.S | re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
COMMAND = re.compile(r"^(?:\S*/)?(?:postroad|run) |^python -m (?=tests\.|bench\.)")
FILE = re.compile(r"(?<![\w/.-])(?:app|engine|tests|bench|templates|migrations|deploy|docs)/[\w./-]*\w")
PLACEHOLDER = re.compile(r"/(TITLE|ROOM|KIND)\b|^app/templates$")
OF_CLONES = {"test"}
"""What `./run` does by itself."""


def names(document: Path) -> set[str]:
    """The anchors of its headings, as they are on the web."""
    text = FENCED.sub("", document.read_text(encoding="utf-8"))
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", one) for one in re.findall(r"^#+ (.+)$", text, re.M))
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in plain}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_link_is_dead(document: Path) -> None:
    text = FENCED.sub("", document.read_text(encoding="utf-8"))
    for link in (one or other for one, other in LINK.findall(text)):
        if re.match(r"https?:|mailto:", link):
            continue
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in names(target), link


def commands(document: Path) -> Iterator[str]:
    """The commands of ours in fenced lines and in spans of code."""
    text = document.read_text(encoding="utf-8")
    for _, language, block in FENCED.findall(text):
        if language in ("sh", ""):
            yield from (line.strip() for line in block.replace("\\\n", " ").splitlines())
    yield from (" ".join(one.split()) for one in re.findall(r"`([^`]+)`", FENCED.sub("", text)))


def option_names(command: click.Command) -> set[str]:
    return {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help", "-h", "--version"}


def unknown(line: str) -> str | None:
    """What of a command there is not; None if all is there."""
    if line.startswith("python -m"):
        module = line.split()[2]
        return None if module.endswith(".NAME") or find_spec(module) else line
    words = shlex.split(line.replace("...", ""), comments=True)[1:]
    found: click.Command = main
    while isinstance(found, click.Group) and words and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        if found is main and words[0] in OF_CLONES:
            return None
        inner = found.get_command(click.Context(found), words[0])
        if inner is None:
            return words[0]
        found, words = inner, words[1:]
    options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    return next(iter(options - option_names(found)), None)


def missing(text: str) -> list[str]:
    """The files and programs of ours that a document names, also in a diagram, and that are not there."""
    files = (one for one in FILE.findall(text) if not PLACEHOLDER.search(one) and not (ROOT / one).exists())
    tests = (one for one in re.findall(r"`(test_\w+\.py)`", text) if not any(ROOT.glob(f"tests/**/{one}")))
    programs = re.findall(r"`((?:bench|tests)(?:\.[a-z]\w*)+)(\()?", text)
    modules = (one.rpartition(".")[0] if called else one for one, called in programs)
    return [*files, *tests, *(one for one in modules if find_spec(one) is None)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_file_that_is_named_is_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    if document.name != "CHANGELOG.md":
        assert missing(FENCED.sub("", text) if document.name == "recipes.md" else text) == []


@pytest.mark.parametrize("named", ["(app/play/none.py)", "`test_r99_none.py`", "`bench.trials.none --games 2`"])
def test_a_file_that_is_not_there_is_found(named: str) -> None:
    assert missing(named)


def test_each_command_is_there_with_its_options() -> None:
    read = [
        (document, line) for document in DOCUMENTS if document.name != "CHANGELOG.md" for line in commands(document)
    ]
    ours = [(document, line) for document, line in read if COMMAND.match(line)]
    assert len(ours) > 60
    assert [(document.name, line, unknown(line)) for document, line in ours if unknown(line)] == []


@pytest.mark.parametrize(
    "line", ["postroad serv", "./run game start x", "postroad serve --prot 80", "python -m tests.none"]
)
def test_a_command_that_is_not_there_is_found(line: str) -> None:
    assert COMMAND.match(line) and unknown(line)


@pytest.mark.parametrize(("title", "heading"), [("acres", "A Few Acres of Snow"), ("new-world", "New World")])
def test_the_words_of_records_and_views_stand_in_their_document(title: str, heading: str) -> None:
    """A2: whatever a random game shows in `view`, `choices`, `setup`, `after` and `result` is explained."""
    document = (ROOT / "docs/records.md").read_text(encoding="utf-8")
    there = document.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rules = TITLES[title]
    game, used = RandomGame(rules, rules.read_options({}), rules.seats[:2], random.Random(3)), set[str]()
    for ply in game.plies(3_000):
        used |= rules.view(ply.before, ply.due.seat).keys()
        for item in ply.legal:
            used |= item.describe().keys() if isinstance(item, Choice) else set()
    record = json.loads(json.dumps(records.export(rules, game.log)))
    used |= (record["setup"].keys() | record["turns"][0]["after"].keys() | record["result"].keys()) - {*rules.seats}
    options = (ROOT / f"docs/titles/{title}.md").read_text(encoding="utf-8")
    assert [one.name for one in rules.option_fields({}) if f"`{one.name}`" not in options] == []
    assert len(used) > 20 and [word for word in sorted(used) if f"`{word}`" not in there] == []
    assert [word for word in (rules.facts() if title == "acres" else ()) if f"`{word}`" not in document] == []
