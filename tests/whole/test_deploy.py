"""Units, container and compose file name commands, settings and files that there are."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

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


@pytest.mark.systemd
def test_systemd_finds_no_fault_with_the_units_and_holds_them_to_be_shut_in(tmp_path: Path) -> None:
    """In a root of their own, where the program that they start stands. An exposure of 10 is that of a unit without
    any bounds; services of Debian have 9."""
    units, program = tmp_path / "etc/systemd/system", tmp_path / "srv/postroad/env/bin/postroad"
    for folder in (units, program.parent):
        folder.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS:
        shutil.copy(unit, units)
    verify = ["systemd-analyze", f"--root={tmp_path}", "--man=no", "--recursive-errors=no", "verify"]
    names = [unit.name for unit in UNITS]
    found = subprocess.run([*verify, *names], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout + found.stderr) == (0, "")
    security = ["systemd-analyze", f"--root={tmp_path}", "--offline=yes", "--no-pager", "--threshold=40", "security"]
    for name in names:
        judged = subprocess.run([*security, name], capture_output=True, text=True, check=False)
        assert judged.returncode == 0, judged.stdout[-200:]
    (units / names[0]).write_text(UNITS[0].read_text().replace("Restart=on-failure", "Restart=sometimes"))
    spoilt = subprocess.run([*verify, names[0]], capture_output=True, text=True, check=False)
    assert "sometimes" in spoilt.stderr, "a fault would be told"


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
