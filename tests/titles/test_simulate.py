"""`bench.simulate`: figures, records of its games, and its answers to wrong words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.server.cli import main
from bench.simulate import simulate


def run(*words: str | Path) -> Result:
    result = CliRunner().invoke(simulate, [*map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def figures(output: str) -> list[str]:
    """Return the lines without times."""
    return [line for line in output.splitlines() if "CPU-second" not in line]


@pytest.mark.parametrize("edition", ["first", "first-revised", "second"])
def test_random_games_of_acres_end_and_are_counted(edition: str) -> None:
    result = run("acres", "--games", "3", "--seed", "7", "--option", f"edition={edition}")
    assert result.exit_code == 0
    assert result.output.startswith("games 3, plies ")
    for heading in ("results:", "ends:", "actions and answers:", "events:"):
        assert heading in result.output
    assert "action: Settle" in result.output and "TurnEnded" in result.output


def test_random_games_of_new_world_end_for_five_seats() -> None:
    result = run("new-world", "--games", "1", "--seats", "red,blue,green,yellow,black")
    assert result.exit_code == 0
    assert "action" in result.output


def test_the_same_seed_plays_the_same_games() -> None:
    once, again, other = (run("acres", "--games", "2", "--seed", seed).output for seed in ("5", "5", "6"))
    assert figures(once) == figures(again) != figures(other)


def test_saved_games_are_records_that_pass(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    assert run("acres", "--games", "2", "--seed", "5", "--save", folder).exit_code == 0
    files = sorted(folder.glob("*.json"))
    assert len(files) == 2
    verified = CliRunner().invoke(main, ["record", "verify", *map(str, files)])
    assert verified.output.splitlines()[-1] == "2 passed, 0 failed"


def test_options_are_words_numbers_yes_no_and_none(tmp_path: Path) -> None:
    given = [
        "edition=first",
        "withdraw_is_free=yes",
        "reshuffle_at_once=no",
        "merchant_max_coins=4",
        "reserve_limit=none",
    ]
    words = [word for option in given for word in ("--option", option)]
    assert run("acres", "--games", "1", *words, "--save", tmp_path).exit_code == 0
    (path,) = tmp_path.glob("*.json")
    assert json.loads(path.read_text(encoding="utf-8"))["options"] == {
        "edition": "first",
        "withdraw_is_free": True,
        "reshuffle_at_once": False,
        "merchant_max_coins": 4,
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chess"], "'chess' is no title; known are acres,"),
        (["acres", "--option", "edition=third"], "There is no edition “third”"),
        (["acres", "--option", "house_rules=yes"], "There is no option “house_rules”"),
        (["acres", "--option", "reserve_limit=many"], "reserve_limit cannot be “many”"),
        (["acres", "--option", "edition"], "NAME=VALUE"),
        (["acres", "--seats", "british,red"], "The seats are british and french"),
        (["acres", "--seats", "french,british"], "The seats are british and french"),
        (["acres", "--games", "0"], "--games"),
        (["acres", "--games", "many"], "--games"),
        (["acres", "--seed", "x"], "--seed"),
        ([], "TITLE"),
    ],
)
def test_a_wrong_word_is_refused_with_a_sentence(words: list[str], said: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert said in result.output


def test_a_limit_of_plies_is_no_end() -> None:
    result = run("acres", "--games", "1", "--most", "10")
    assert result.exit_code == 1
    assert "1 games did not end within 10 plies" in result.output


def test_a_broken_game_is_kept_as_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.acres import title

    def broken(state: object) -> None:
        assert getattr(state, "turn", 0) < 5, "a piece too many"

    monkeypatch.setattr(title, "check_invariants", broken)
    result = run("acres", "--games", "1", "--save", tmp_path)
    assert result.exit_code == 1
    assert "a piece too many" in result.output
    (path,) = tmp_path.glob("*broken*.json")
    assert len(json.loads(path.read_text(encoding="utf-8"))["turns"]) >= 4
