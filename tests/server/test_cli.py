"""The console script: quick help, and every subcommand where the table says it is."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import click
import pytest
from click.testing import CliRunner

from app.base.rooms import Command
from app.server.cli import COMMANDS, LazyGroup, main


def test_the_help_lists_every_subcommand_with_its_line() -> None:
    shown = CliRunner().invoke(main, ["--help"])
    assert shown.exit_code == 0
    lines = [line.split(maxsplit=1) for line in shown.output.split("Commands:\n")[1].splitlines()]
    assert lines == [[name, COMMANDS[name].help] for name in sorted(COMMANDS)]


def test_the_help_imports_no_subcommand() -> None:
    code = """if True:
        import sys
        from app.server.cli import main
        main(["--help"], standalone_mode=False)
        heavy = ("engine", "flask", "sqlalchemy", "babel", "pydantic", "jinja2")
        light = ("app", "app.base.rooms", "app.server.cli", "app.server.registry")
        own = [name for name in sys.modules if name.split(".")[0] == "app" and not name.endswith(".register")]
        more = [name for name in own if name not in light and name.count(".") > 1]
        sys.exit(str([name for name in sys.modules if name.startswith(heavy)] + more or ""))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


def test_the_version_is_that_of_the_package() -> None:
    assert CliRunner().invoke(main, ["--version"]).output == f"postroad, version {version('postroad')}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_subcommand_is_where_the_table_says(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert CliRunner().invoke(main, [name, "--help"]).exit_code == 0


def test_an_unknown_subcommand_is_refused_with_a_sentence() -> None:
    answer = CliRunner().invoke(main, ["recrod"])
    assert answer.exit_code == 2
    assert "recrod" in answer.output and "Traceback" not in answer.output


def test_a_subcommand_of_the_usual_kind_stands_beside_the_lazy_ones() -> None:
    group = LazyGroup("sample", lazy={"later": Command("no.such.module:later", "Loaded when asked for.")})
    group.add_command(click.Command("now", callback=lambda: click.echo("here"), help="Always loaded."))
    assert CliRunner().invoke(group, ["now"]).output == "here\n"
    shown = CliRunner().invoke(group, ["--help"]).output
    assert "Always loaded." in shown and "Loaded when asked for." in shown
