"""Units, container and compose file name commands, settings and files that there are."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from app.base.config import NAMES, PREFIX
from app.cli import main
from tests.support.running import ROOT

DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))


def command_of(words: list[str]) -> click.Command:
    """The command that words lead to; its options are read, nothing is run."""
    found: click.Command = main
    context = click.Context(main)
    while isinstance(found, click.Group):
        inner = found.get_command(context, words.pop(0))
        assert inner is not None
        found = inner
    found.make_context("postroad", list(words), resilient_parsing=False)
    return found


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_a_unit_starts_a_command(unit: object) -> None:
    text = (DEPLOY / getattr(unit, "name")).read_text()  # noqa: B009
    [line] = re.findall(r"^ExecStart=/srv/postroad/env/bin/postroad (.+)$", text, re.MULTILINE)
    command_of(shlex.split(line))
    sections = re.findall(r"^\[(\w+)\]$", text, re.MULTILINE)
    assert sections == ["Unit", "Service", "Install"] and "Restart=on-failure" in text


def test_container_and_compose_name_what_there_is() -> None:
    container = (ROOT / "Containerfile").read_text()
    for line in re.findall(r"^COPY (.+)$", container, re.MULTILINE):
        assert all((ROOT / name).exists() for name in line.split()[:-1]), line
    assert container.index("ARG BASE=") < container.index("FROM ${BASE}")
    compose = (DEPLOY / "compose.yaml").read_text()
    for line in [*re.findall(r"command: \[(.+)\]", compose), *re.findall(r"^CMD \[(.+)\]$", container, re.MULTILINE)]:
        command_of([word.strip(' "') for word in line.split(",")])
    for text in (container, compose, (DEPLOY / "postroad.env").read_text()):
        named = set(re.findall(rf"\b{PREFIX}([A-Z_]+)\b(?=[=:])", text))
        assert named and named <= set(NAMES)
