"""The console script: quick help, and every subcommand where the table says it is."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.base.process import env_file
from app.server.cli import COMMANDS, main


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
        light = ("app", *("app.base." + name for name in ("rooms", "process", "process.env_file", "process.private")),
                 *("app.server." + name for name in ("cli", "registry", "own_settings")))
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


def asked(folder: Path, file: str | None, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the console script in a folder, with a file of settings."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("POSTROAD_")}
    if file is not None:
        (folder / "own.env").write_text(file, encoding="utf-8")
        own["POSTROAD_ENV_FILE"] = str(folder / "own.env")
    line = [sys.executable, "-P", "-m", "app.server.cli", *words]
    return subprocess.run(line, cwd=folder, env=own | environ, capture_output=True, text=True, check=False)


def test_commands_take_the_settings_of_their_file_and_the_environment_wins(tmp_path: Path) -> None:
    file = f'# ours\nPOSTROAD_DATA="{tmp_path}/a b"\nPOSTROAD_SEEDS=2048\nPOSTROAD_LANGUAGE=xx\n'
    assert "POSTROAD_LANGUAGE is 'xx'" in asked(tmp_path, file, "db", "upgrade").stderr
    done = asked(tmp_path, file, "db", "upgrade", POSTROAD_LANGUAGE="fr")
    assert done.returncode == 0 and (tmp_path / "a b" / "postroad.db").exists(), done.stderr


def test_a_terminal_of_another_alphabet_ends_no_command(tmp_path: Path) -> None:
    words = ("player", "set", "alice@example.org", "--name", "漢字", "--new")
    done = asked(tmp_path, None, *words, PYTHONIOENCODING="latin-1", POSTROAD_DATA=str(tmp_path))
    assert done.returncode == 0 and "alice@example.org: \\u6f22\\u5b57, en" in done.stdout, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_as_root_a_command_becomes_the_user_whose_data_it_is(tmp_path: Path) -> None:
    """Without the command itself: the interpreter of a developer may be hidden from others."""
    data = tmp_path / "data"
    data.mkdir()
    os.chown(data, 65534, 65534)
    (tmp_path / "own.env").write_text(f"POSTROAD_DATA={data}\n")
    code = (
        "import os; from app.server.own_settings import take_up; print(take_up(['db']), os.getresuid(), os.getgroups())"
    )
    own = {**os.environ, "POSTROAD_ENV_FILE": str(tmp_path / "own.env")}
    done = subprocess.run([sys.executable, "-c", code], env=own, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("None (65534, 65534, 65534)") and "0" not in done.stdout.split("[")[1].split(", ")
    of_root = subprocess.run(
        [sys.executable, "-c", code.replace("db", "record")], env=own, capture_output=True, text=True, check=True
    )
    assert of_root.stdout.startswith("None (0, 0, 0)"), "and stays where root's files are"
    with (tmp_path / "club.zip").open("w") as file:
        os.fchmod(file.fileno(), 0o644)
        subprocess.run([sys.executable, "-c", code.replace("db", "backup")], env=own, stdout=file, check=True)
    assert (tmp_path / "club.zip").stat().st_mode & 0o777 == 0o600, "root's shell has made it, and it has the key in it"


def test_a_file_that_cannot_be_read_is_named_in_one_sentence(tmp_path: Path) -> None:
    assert "line 1 (POSTROAD_DATA) has a quote" in asked(tmp_path, 'POSTROAD_DATA="x', "db", "check").stderr
    (tmp_path / "own.env").unlink()
    gone = asked(tmp_path, None, "db", "check", POSTROAD_ENV_FILE=str(tmp_path / "own.env"))
    assert gone.returncode == 1 and "There is no file" in gone.stderr and gone.stderr.count("\n") == 1


VALUES = (
    "",
    "plain",
    "two words",
    "Post Road <a@b.example>",
    "p$a`s\"s\\w'rd!#;&*",
    "é ü",
    " edges ",
    "smtp://a:b@c:587?tls=required",
)


def test_a_file_of_settings_reads_alike_here_and_in_a_shell(tmp_path: Path) -> None:
    text = env_file.changed("", {f"V{n}": value for n, value in enumerate(VALUES)})
    (tmp_path / "file").write_text(text)
    assert list(env_file.parse(text).values()) == list(VALUES)
    shown = "".join(f'printf "%s\\0" "$V{n}"; ' for n in range(len(VALUES)))
    said = subprocess.run(["sh", "-c", f". ./file; {shown}"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout.split("\0")[:-1] == list(VALUES)


def test_a_changed_file_keeps_its_comments_and_what_it_does_not_know() -> None:
    old = "# mine\nOTHER=1\nPOSTROAD_MAIL_FROM=Post Road <a@b.example>\nexport X=2\nPOSTROAD_LMTP=/x\n"
    new = env_file.changed(old, {"POSTROAD_MAIL_FROM": "B <b@b.example>", "POSTROAD_LMTP": None, "POSTROAD_DATA": "/d"})
    assert new == '# mine\nOTHER=1\nPOSTROAD_MAIL_FROM="B <b@b.example>"\nexport X=2\nPOSTROAD_DATA=/d\n'
