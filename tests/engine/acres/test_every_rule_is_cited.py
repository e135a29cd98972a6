"""Every numbered rule, example and fact of the rules document is cited by a test, in its docstring."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

RULES_IN_CHAPTER = {1: 10, 2: 5, 3: 9, 4: 8, 5: 6, 6: 6, 7: 8, 8: 6, 9: 8, 10: 16, 11: 11, 12: 4, 13: 5}
RULES = [f"R{chapter}.{n}" for chapter, last in RULES_IN_CHAPTER.items() for n in range(1, last + 1)]
EXAMPLES = [f"E{n}" for n in range(1, 37)]
SUB_CASES = ["E1b", "E1c", "E10b", "E10c", "E11b", "E15b", "E15c", "E20b", "E23b", "E33b", "E33c",
             "E33d", "E35b", "E35c", "E36b", "E36c"]  # fmt: skip
FACTS = [f"F{n}" for n in range(1, 22)]

# Rules that no test can cite, with the reason. There is none: every rule shows in the data, in what is accepted,
# or in what happens.
NOT_TESTED: dict[str, str] = {}

CITATION = re.compile(r"\b(?:R\d+\.\d+|E\d+[a-d]?|F\d+)\b")


def citations(source: str) -> Iterator[str]:
    """The numbers in the docstrings of a file's tests that begin with the title's name."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            cited = ast.get_docstring(node) or ""
            if cited.startswith("acres "):
                yield from CITATION.findall(cited)


@cache
def cited() -> set[str]:
    files = sorted(Path(__file__).parent.glob("test_*.py"))
    return {number for path in files for number in citations(path.read_text(encoding="utf-8"))}


def test_every_rule_is_cited():
    assert [rule for rule in RULES if rule not in cited() and rule not in NOT_TESTED] == []


def test_every_example_with_its_cases_is_cited():
    assert [case for case in EXAMPLES + SUB_CASES if case not in cited()] == []


def test_every_fact_is_cited():
    assert [fact for fact in FACTS if fact not in cited()] == []


def test_nothing_is_cited_that_does_not_exist():
    assert cited() - set(RULES) - set(EXAMPLES) - set(SUB_CASES) - set(FACTS) == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('def test_x():\n    """acres E7, R7.4"""', ["E7", "R7.4"]),
        ('def test_x():\n    """R7.4"""', []),
        ('def helper():\n    """acres R7.4"""', []),
        ("def test_x():\n    pass", []),
    ],
)
def test_only_the_docstring_of_a_test_cites(source, found):
    assert list(citations(source)) == found
