"""The wheel: once installed with `pip install` it runs in an empty folder, without a checkout."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.running import ROOT, Install


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of this checkout with the tools of the lock file, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


class Installed(Install):
    """The wheel in an environment of its own. The libraries are those of the tests: they are not part of the wheel."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        super().__init__(folder)
        del self.environ["PYTHONPATH"]
        venv.create(folder / "env")
        python = folder / "env" / "bin" / "python"
        into = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "env")}))
        # Paths named in a file like this are not searched for such files, so the pointer to this checkout is not seen.
        (into / "libraries.pth").write_text(sysconfig.get_path("purelib"))
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--no-deps", str(wheel)]
        subprocess.run(pip, check=True, capture_output=True)
        self.program = (str(folder / "env" / "bin" / "postroad"),)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Installed:
    return Installed(tmp_path_factory.mktemp("empty"), wheel)


@pytest.fixture(scope="module")
def address(installed: Installed) -> Iterator[str]:
    """Run the server of the wheel, with a game; yield its address."""
    with installed.serving():
        installed.command("game", "new", "acres", "--seat", "british=a@example.org", "--seat", "french=b@example.org")
        yield installed.base_url


def page(address: str, language: str = "en") -> str:
    asked = urllib.request.Request(address, headers={"Accept-Language": language})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        assert answer.status == 200
        return str(answer.read().decode(errors="replace"))


def test_the_wheel_holds_the_program_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"app", "engine", "postroad"}
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]
    assert any(name.startswith("app/templates/") for name in names)
    assert any(name.startswith("app/migrations/versions/") for name in names)


def test_an_installed_server_answers_in_each_language_and_asks_for_a_move(address: str) -> None:
    assert page(f"{address}/health")
    assert len({page(address, language) for language in ("en", "fr", "es", "it")}) == 4
    assert "A Few Acres of Snow" in page(f"{address}/mailbox")


def test_an_installed_server_has_its_style_sheets_and_pictures(address: str) -> None:
    front = page(address)
    sheets = [part.split('"')[0] for part in front.split('href="')[1:] if ".css" in part.split('"')[0]]
    assert sheets and all(page(address + sheet) for sheet in sheets)


def test_the_commands_of_an_installed_program_find_both_titles(installed: Installed) -> None:
    for title in ("acres", "new-world"):
        assert "0 broken laws" in installed.command("title", "check", title, "--games", "1")
    installed.command("db", "check")
