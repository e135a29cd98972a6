"""Reasons: every code is used, and shown with names."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from string import Formatter

import pytest

import app.leagues.pure
from app.leagues.pure.model import HALF_BYE, VOID, Competitor, Points, Result, requested_byes, said_points
from app.leagues.pure.tie_break_names import TIE_BREAKS
from app.leagues.pure.why import PEOPLE, SENTENCES, Reason, sentence
from engine.kernel.text import PlainSpeaker, say

LEAGUES = Path(app.leagues.__file__).parent
SOURCES = {
    path: path.read_text(encoding="utf-8") for path in LEAGUES.parent.rglob("*.py") if path != LEAGUES / "pure/why.py"
}


def test_every_reason_is_given_somewhere() -> None:
    texts = {code for code in SENTENCES if any(f'"{code}"' in source for source in SOURCES.values())}
    deciders = {f"knockout.{decider}" for decider in ("score", "second_side", "seed", "lot")}
    places = {f"place.{name}" for name in (*TIE_BREAKS, "direct_sure", "void")}
    assert set(SENTENCES) - texts - deciders - places == set()


def test_reasons_are_given_with_the_values_of_their_sentence() -> None:
    """Wherever code and values are in one call."""
    checked = 0
    for name, source in SOURCES.items():
        for node in ast.walk(ast.parse(source)) if "Reason(" in source else ():
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Reason" and len(node.args) == 1):
                continue
            code = node.args[0]
            given = {keyword.arg for keyword in node.keywords}
            if isinstance(code, ast.Constant):
                wanted = {name for _, name, _, _ in Formatter().parse(SENTENCES[code.value]) if name}
                assert wanted <= given, (name, code.value, wanted - given)
                checked += 1
    assert checked > 30


def test_a_reason_survives_json_and_is_said_with_names() -> None:
    reason = Reason("warn.repeat", entrant=1, opponent=2)
    code, values = json.loads(json.dumps([reason.code, reason.values]))
    assert Reason(code, **values) == reason != Reason("met", round=1)
    text = sentence(reason, {1: "Alice", 2: "Bob"})
    speaker = PlainSpeaker(lambda kind, key, lang: key)
    assert say(text, speaker) == "Alice and Bob meet again; no pairing avoids it."
    assert set(PEOPLE) == {"entrant", "opponent", "other"}


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(ValueError):
        Reason("because")


@pytest.mark.parametrize(
    ("points", "said"), [(Points(0), "0"), (Points(1, 2), "½"), (Points(5, 2), "2½"), (Points(7, 3), "2⅓")]
)
def test_points_as_people_write_them(points: Points, said: str) -> None:
    assert said_points(points) == said


def test_a_result_that_cannot_be_is_refused() -> None:
    one = Points(1)
    for seats, points, ended in (
        ((1, 2), (one,), "played"),
        ((1, 1), (one, one), "played"),
        ((1, 2), (one, one), "finished"),
        ((1,), (one,), "played"),
        ((1, 2), (one, one), HALF_BYE),
    ):
        with pytest.raises(ValueError):
            Result(1, seats, points, ended)
    assert not Result(1, (1, 2), (one, one), VOID).was_played


def test_who_is_in_a_round() -> None:
    entrant = Competitor(1, "Alice", 1, joined=2, withdrawn_after=5, away=frozenset({3}), byes=frozenset({4}))
    assert [round for round in range(1, 8) if entrant.is_in(round)] == [2, 3, 4, 5]
    assert [round for round in range(1, 8) if entrant.is_paired_in(round)] == [2, 5]
    assert [bye.kind for round in range(1, 8) for bye in requested_byes([entrant], round)] == ["zero_bye", "half_bye"]
