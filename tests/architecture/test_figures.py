"""The figures of the shape of `app` count what they say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.architecture import figures
from tests.architecture.figures import Tree
from tests.architecture.graph import ROOT, Module, arrows


def tree(**sources: str) -> Tree:
    found = {f"app.{name}": Module(source) for name, source in sources.items()}
    return Tree(found, arrows(found))


A_FUNCTION = '''"""What it is.

Two lines of it.
"""

# A comment.
def f() -> str:
    """What it does."""

    return """a text
of two lines"""
'''


@pytest.mark.parametrize(
    ("source", "count"),
    [("", 0), ('"""Only what it is."""\n', 0), ("x = 1\n\n\ny = 2  # more\n", 2), (A_FUNCTION, 4)],
)
def test_lines_are_those_of_code_and_comments(source: str, count: int) -> None:
    assert figures.lines_of(source) == count


GUARDED = """
def read(given):
    if given.isascii() and given.isdigit() and len(given) < 9:
        return int(given)
    number = int(given) if given.isdecimal() else -1
    return number if number <= LARGEST_ID else None
"""

LONG = (
    """
@blueprint.post("/")
def f():
    '''What it does.'''
"""
    + "    x = 1\n" * 13
)


@pytest.mark.parametrize(
    ("figure", "sources", "count"),
    [
        (figures.in_circles, {"a": "import app.b", "b": "import app.a", "c": "import app.a"}, 2),
        (figures.hidden, {"a": "def f():\n    import app.b\n    import os", "b": "def g(): from app import a"}, 2),
        (
            figures.arrows_into_leagues,
            {"leagues": "", "a": "import app.leagues", "registry": "import app.leagues"},
            2,
        ),
        (figures.arrows_into_leagues, {"pairer": "", "leagues": "from app import pairer"}, 0),
        (figures.matches("__table__"), {"a": "_A, _B = A.__table__, B.__table__", "b": ""}, 2),
        (figures.digit_guards, {"a": GUARDED}, 3),
        (figures.digit_guards, {"a": "LARGEST_ID = 2**31 - 1\nfrom app.b import LARGEST_ID", "b": ""}, 0),
        (figures.names_of_two_classes, {"a": "class A: ...\nclass B: ...", "b": "def f():\n    class A: ..."}, 1),
        (figures.long_posts, {"a": LONG, "b": LONG.replace("post", "get"), "c": LONG.replace("    x = 1\n", "", 1)}, 1),
        (figures.long_functions, {"a": LONG, "b": LONG + "    y = 2\n" * 26, "c": "x = 1\n" * 50}, 1),
        (
            figures.signatures_with_any,
            {"a": "def f(x: Any, *, y: list[Any]) -> Any | None: ...", "b": "async def g(*z: Any) -> int: ..."},
            3,
        ),
        (figures.registries_of_titles, {"a": 'A = {"acres": 1}', "b": 'B = {"new-world": 1}\nC = {1: 2}'}, 2),
    ],
)
def test_a_figure_counts(figure: Callable[[Tree], int], sources: dict[str, str], count: int) -> None:
    assert figure(tree(**sources)) == count


@pytest.mark.slow
def test_all_figures_of_this_tree_are_printed_and_hold(capsys: pytest.CaptureFixture[str]) -> None:
    figures.main(ROOT)
    printed = capsys.readouterr().out
    assert all(figure.what in printed for figure in figures.FIGURES)
    assert "modules in circles                        52       0  0\n" in printed
    assert "MISSED" not in printed


def test_a_figure_knows_whether_its_goal_is_reached() -> None:
    goals = ("0", "under 5", "2500 fewer")
    held = [figures.Figure("", lambda tree: 0, 9, goal).holds(now) for goal in goals for now in (0, 5)]
    assert held == [True, False, True, False, True, True]
