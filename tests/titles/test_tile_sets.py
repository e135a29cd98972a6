"""Tile sets of the operator: checked, installed once, known to every process, named by games and records."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.base.stored.database import Database
from app.play.turn import starting
from app.server.cli import main
from app.titles.new_world import installed_sets, shelf, tile_sets
from app.titles.registry import TITLES
from engine.kernel import records
from engine.kernel.chance import SeededChance
from engine.kernel.refusals import Unreadable
from engine.kernel.text import say
from engine.new_world import NEW_WORLD, tiles
from tests.support import fresh
from tests.support.acres import ENGLISH
from tests.support.running import ROOT, Install
from tests.support.tables import load

NOW = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
SEATS = [("red", "alice@example.org"), ("blue", "bob@example.org")]


def a_set(set_id: str, **changes: Any) -> dict[str, Any]:
    return tiles.shipped_data() | {"set_id": set_id} | changes


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin each test as a new process: with the shipped set alone, and no database."""
    monkeypatch.setattr(tiles, "_installed", {tiles.SHIPPED: tiles.tile_set(tiles.SHIPPED)})
    monkeypatch.setattr(shelf, "_kept_in", [])
    shelf.attach()
    yield
    tiles.ask_also(None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tiles.json"


def check(file: Path) -> Result:
    return CliRunner().invoke(main, ["tiles", "check", str(file)])


# -- checking -----------------------------------------------------------------------------------------


def test_a_good_file_passes(file: Path) -> None:
    file.write_text(json.dumps(a_set("club-tiles")), encoding="utf-8")
    answer = check(file)
    assert answer.exit_code == 0 and "club-tiles can be installed" in answer.output
    assert "95 tiles of 57 kinds, a reconstruction" in answer.output


def test_each_problem_is_a_line_with_the_tile_and_the_reason(file: Path) -> None:
    data = a_set("club-tiles")
    data["tiles"][0]["count"] = 0
    data["tiles"][7]["edges"] = "TTPP"
    data["tiles"][9]["segments"] = []
    file.write_text(json.dumps(data), encoding="utf-8")
    answer = check(file)
    lines = answer.output.splitlines()
    assert answer.exit_code == 1 and len(lines) >= 4
    for number in (0, 7, 9):
        assert any(line.startswith(data["tiles"][number]["id"]) and line.endswith(".") for line in lines)
    assert any("add up to" in line for line in lines)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"\xff\xfe\x00", b'{"a": NaN}', b"[" * 200_000, b'{"a": "\\ud800"}', b'{"n": ' + b"9" * 6000 + b"}",
        b" " * 1_000_001,
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["check", "install"])
def test_what_is_no_json_is_told_apart(file: Path, content: bytes, verb: str) -> None:
    file.write_bytes(content)
    answer = CliRunner().invoke(main, ["tiles", verb, str(file)])
    assert answer.exit_code == 2 and answer.output.startswith(f"{file}: The file ")
    assert len(answer.output.splitlines()) == 1 and isinstance(answer.exception, SystemExit)


def test_a_file_that_is_not_there_and_a_folder_are_told_apart(file: Path) -> None:
    assert check(file).exit_code == 2
    assert "cannot be read" in check(file.parent).output and check(file.parent).exit_code == 2


@pytest.mark.parametrize(
    "content", [[], 3, None, "tiles", {}, {"tiles": 7}, {"format": "new-world-tiles", "version": 1}]
)
def test_json_of_another_shape_is_a_list_of_problems(file: Path, content: Any) -> None:
    file.write_text(json.dumps(content), encoding="utf-8")
    answer = check(file)
    assert answer.exit_code == 1 and answer.output.strip() and isinstance(answer.exception, SystemExit)


# -- installing ---------------------------------------------------------------------------------------


def test_a_set_is_installed_once_and_never_changes(database: Database) -> None:
    data = a_set("club-tiles")
    first, second = (tile_sets.install(database, copy.deepcopy(data), now=NOW) for _ in range(2))
    assert (first.is_new, second.is_new, first.tiles.id) == (True, False, "club-tiles")
    with pytest.raises(tile_sets.NotInstalled) as refused:
        tile_sets.install(database, a_set("club-tiles", provenance="Typed in anew."), now=NOW)
    assert refused.value.problems == ("Another set named club-tiles is installed; give this one a name of its own.",)
    assert not tile_sets.install(database, data, now=NOW).is_new


def test_the_shipped_set_cannot_be_replaced(database: Database) -> None:
    assert not tile_sets.install(database, tiles.shipped_data(), now=NOW).is_new
    with pytest.raises(tile_sets.NotInstalled):
        tile_sets.install(database, a_set(tiles.SHIPPED, exact=True), now=NOW)
    assert shelf.Shelf().names() == ()


@pytest.mark.parametrize(
    "changes", [{"tiles": []}, {"set_id": "x" * 61}, {"set_id": "a b"}, {"provenance": ""}, {"start": {"rows": []}}]
)
def test_an_inconsistent_set_is_not_installed(sqlite_database: Database, changes: dict[str, Any]) -> None:
    with pytest.raises(tile_sets.NotInstalled):
        tile_sets.install(sqlite_database, a_set("club-tiles") | changes, now=NOW)
    assert shelf.Shelf().names() == () and tiles.installed() == (tiles.SHIPPED,)


def test_a_later_process_knows_the_set_when_a_game_names_it(database: Database) -> None:
    tile_sets.install(database, a_set("club-tiles", exact=True), now=NOW)
    game = starting.new_game(database, "new-world", SEATS, options={"tile_set": "club-tiles"}, now=NOW)
    tiles._installed.pop("club-tiles")  # what a new process has not read yet
    field = NEW_WORLD.option_fields({})[0]
    assert field.values == (tiles.SHIPPED, "club-tiles") and field.default == tiles.SHIPPED
    assert load(database, game).state.board.tiles.exact
    assert load(database, game).options["tile_set"] == "club-tiles"


def test_a_set_that_is_not_installed_is_refused_with_a_sentence(sqlite_database: Database) -> None:
    tile_sets.install(sqlite_database, a_set("club-tiles"), now=NOW)
    with pytest.raises(Unreadable) as refused:
        starting.new_game(sqlite_database, "new-world", SEATS, options={"tile_set": "other-tiles"}, now=NOW)
    assert say(refused.value.why, ENGLISH) == (
        "The tile set “other-tiles” is not installed here; installed are nw-reconstruction-1, club-tiles."
    )


def test_reading_a_stored_game_asks_the_database_for_its_set_once(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tile_sets.install(sqlite_database, a_set("club-tiles"), now=NOW)
    game = load(
        sqlite_database,
        starting.new_game(sqlite_database, "new-world", SEATS, options={"tile_set": "club-tiles"}, now=NOW),
    )
    tiles._installed.pop("club-tiles")
    asked: list[Any] = []
    for name in ("names", "content"):
        real = getattr(installed_sets, name)
        monkeypatch.setattr(installed_sets, name, lambda *about, real=real: asked.append(1) or real(*about))
    for _ in range(3):
        state = NEW_WORLD.state_from_json(json.loads(game.state_text))
        NEW_WORLD.view(state, "red")
    assert len(asked) == 1


# -- as commands --------------------------------------------------------------------------------------


def test_install_play_and_verify_as_an_operator_does(tmp_path: Path) -> None:
    file, other = tmp_path / "club.json", tmp_path / "other.json"
    file.write_text(json.dumps(a_set("club-tiles")), encoding="utf-8")
    other.write_text(json.dumps(a_set("club-tiles", provenance="Another one.")), encoding="utf-8")
    install = Install(tmp_path)
    assert "The set club-tiles is installed." in install.command("tiles", "install", str(file))
    assert "was installed already" in install.command("tiles", "install", str(file))
    refused = run(install, "tiles", "install", str(other))
    assert refused.returncode == 1 and "Another set named club-tiles" in refused.stdout
    game = install.command(
        "game", "new", "new-world", "--seat", "red=alice@example.org", "--seat", "blue=bob@example.org",
        "--option", "tile_set=club-tiles",
    )  # fmt: skip
    assert json.loads(install.command("game", "record", game))["options"] == {"tile_set": "club-tiles"}
    (tmp_path / "game.json").write_text(json.dumps(a_record("club-tiles")), encoding="utf-8")
    install.command("record", "verify", str(tmp_path / "game.json"))
    (tmp_path / "elsewhere").mkdir()
    elsewhere = Install(tmp_path / "elsewhere")
    stranger = run(elsewhere, "record", "verify", str(tmp_path / "game.json"))
    assert stranger.returncode != 0 and "“club-tiles” is not installed here" in stranger.stdout
    assert list((tmp_path / "elsewhere").iterdir()) == [], "looking at a record makes no files"


def a_record(set_id: str) -> dict[str, Any]:
    """The record of a game that is given up at once."""
    tiles.install(a_set(set_id))
    opened = NEW_WORLD.open(NEW_WORLD.read_options({"tile_set": set_id}), ("red", "blue"), SeededChance(b"club"))
    state: Any = None
    for event in opened:
        state = NEW_WORLD.apply(state, event)
    given_up = NEW_WORLD.resign(state, "red")
    return records.export(NEW_WORLD, [records.Entry(None, None, opened), records.Entry(None, None, given_up)])


def run(install: Install, *words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "app.server.cli", *words]
    return fresh.run(line, env=install.environ, cwd=install.folder)


def test_the_title_of_the_server_asks_the_database() -> None:
    code = (
        "from app.titles.registry import TITLES; TITLES['new-world']; "
        "from engine.new_world import tiles; print(tiles._shelves)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "Shelf" in done.stdout and TITLES["new-world"] is NEW_WORLD
