"""`postroad record`: its output and exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.server.cli import main
from app.titles.registry import TITLES

RECORDS = Path(__file__).resolve().parents[2] / "records"
GOOD = RECORDS / "acres" / "second-resignation.json"
OTHER = RECORDS / "acres" / "first-running.json"


def run(*words: str | Path) -> Result:
    result = CliRunner().invoke(main, ["record", *map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def spoiled(tmp_path: Path) -> Any:
    """Makes a copy of a good record with something changed."""

    def make(change: Any) -> Path:
        data = json.loads(GOOD.read_text(encoding="utf-8"))
        change(data)
        path = tmp_path / "spoiled.json"
        path.write_text(json.dumps(data), encoding="utf-8")
        return path

    return make


def illegal(data: dict[str, Any]) -> None:
    data["turns"][2]["steps"][0]["do"] = "discard siege-artillery"


def test_good_records_pass() -> None:
    result = run("verify", GOOD, OTHER)
    lines = result.output.splitlines()
    assert result.exit_code == 0
    assert lines[0].startswith(f"ok {GOOD}: acres, 17 turns, ")
    assert (len(lines), lines[-1]) == (3, "2 passed, 0 failed")


def test_all_records_of_the_project_pass() -> None:
    files = sorted(RECORDS.rglob("*.json"))
    result = run("verify", *files)
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, f"{len(files)} passed, 0 failed")


def test_an_illegal_step_fails_with_turn_and_step(spoiled: Any) -> None:
    path = spoiled(illegal)
    result = run("verify", path, GOOD)
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0].startswith(f"FAILED {path}: turn 3, step 1: Siege Artillery is not in your hand.")
    assert lines[-1] == "1 passed, 1 failed"


def test_a_differing_state_fails_with_path_and_both_values(spoiled: Any) -> None:
    def richer(data: dict[str, Any]) -> None:
        data["turns"][5]["after"]["seats"]["french"]["money"] = 99

    result = run("verify", spoiled(richer))
    assert result.exit_code == 1
    assert "turn 6, step" in result.output
    assert "after.seats.french.money: recorded 99, computed " in result.output


def test_an_unknown_edition_fails_before_the_first_turn(spoiled: Any) -> None:
    result = run("verify", spoiled(lambda data: data["options"].update(edition="third")))
    assert result.exit_code == 1
    assert "before the first turn: There is no edition “third”" in result.output


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"[]", b'{"format": "chess"}', b"[" * 200_000, b"x" * (21 * 1024 * 1024)],
    ids=["empty", "cut", "binary", "list", "format", "deep", "large"],
)
def test_what_is_no_record_counts_as_failed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    result = run("verify", path, GOOD)
    assert result.exit_code == 2
    assert result.output.splitlines()[0].startswith(f"NO RECORD {path}: ")
    assert result.output.splitlines()[-1] == "1 passed, 1 failed"


def test_a_file_that_is_not_there_is_no_record(tmp_path: Path) -> None:
    assert run("verify", tmp_path / "missing.json").exit_code == 2
    assert run("verify", tmp_path).exit_code == 2


def test_a_broken_file_does_not_stop_those_after_it(
    tmp_path: Path, spoiled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A17: a lone surrogate, a number that is none, a moment that is none, a title that fails"""
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": "postroad-record", "version": 1, "game": "\\ud800"}')
    infinite = tmp_path / "infinite.json"
    infinite.write_text('{"format": "postroad-record", "version": NaN}')
    late = spoiled(lambda data: data.update(played={"number": 1, "state": "over", "started": "x", "ended": "gestern"}))
    told = run("verify", broken, infinite, late, GOOD)
    assert told.exception is None or isinstance(told.exception, SystemExit)
    lines = told.output.splitlines()
    assert [line.split()[0] for line in lines] == ["NO", "NO", "FAILED", "ok", "1"], told.output
    monkeypatch.setattr(type(TITLES["acres"]), "begin", lambda *_: 1 / 0)
    assert "ZeroDivisionError" in run("verify", GOOD, broken).output.splitlines()[0]


def test_no_record_outweighs_a_failure(tmp_path: Path, spoiled: Any) -> None:
    assert run("verify", tmp_path / "missing.json", spoiled(illegal)).exit_code == 2
    assert run("verify", spoiled(illegal), tmp_path / "missing.json").exit_code == 2


def test_programs_get_one_object_a_file_and_the_totals(tmp_path: Path, spoiled: Any) -> None:
    result = run("verify", "--json", GOOD, spoiled(illegal), tmp_path / "missing.json")
    good, bad, missing, totals = (json.loads(line) for line in result.output.splitlines())
    assert (good["passed"], good["game"], good["turns"]) == (True, "acres", 17)
    assert (bad["passed"], bad["record"], bad["turn"], bad["step"]) == (False, True, 3, 1)
    assert (missing["passed"], missing["record"]) == (False, False) and missing["why"]
    assert totals == {"passed": 1, "failed": 2}
    assert result.exit_code == 2


def test_verifying_nothing_is_a_mistake() -> None:
    assert run("verify").exit_code == 2
