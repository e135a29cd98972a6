"""`python -m tests.architecture.figures [FOLDER]`: figures of the shape of `app`, beside what they shall become.

FOLDER is the top of another tree of the project, such as one checked out at an older commit.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.architecture.graph import INTO_LEAGUES, ROOT, Arrow, Module, arrows, circles, into_leagues, modules


class Tree(NamedTuple):
    """The modules of `app` and their imports."""

    modules: Mapping[str, Module]
    arrows: list[Arrow]


def read(root: Path) -> Tree:
    """The tree of the project that stands at `root`."""
    found = modules(root, "app")
    return Tree(found, arrows(found))


# -- each figure --------------------------------------------------------------------------------------


def in_circles(tree: Tree) -> int:
    """Modules that import each other round about."""
    return sum(map(len, circles(tree.arrows)))


def hidden(tree: Tree) -> int:
    """Modules of `app` that are imported within functions, once for each place."""
    return len({(arrow.here, arrow.there, arrow.line) for arrow in tree.arrows if arrow.hidden})


def arrows_into_leagues(tree: Tree) -> int:
    """Pairs of a module outside of leagues and one within that it imports, for its types too."""
    return len(into_leagues(tree.arrows, INTO_LEAGUES))


def matches(pattern: str) -> Callable[[Tree], int]:
    """A figure: how often a pattern is found in the sources."""
    return lambda tree: sum(len(re.findall(pattern, module.source)) for module in tree.modules.values())


def digit_guards(tree: Tree) -> int:
    """Statements that test by hand whether a text is a whole number, or whether a number fits into a row."""
    return sum(_guards(ast.parse(module.source)) for module in tree.modules.values())


def _guards(tree: ast.Module) -> int:
    found = 0
    for statement in ast.walk(tree):
        if isinstance(statement, ast.stmt):
            own = [node for part in _expressions(statement) for node in ast.walk(part)]
            found += any(
                (isinstance(node, ast.Attribute) and node.attr in ("isdigit", "isdecimal"))
                or (isinstance(node, ast.Name) and node.id == "LARGEST_ID" and isinstance(node.ctx, ast.Load))
                for node in own
            )  # fmt: skip
    return found


def _expressions(statement: ast.stmt) -> Iterable[ast.expr]:
    """The expressions of a statement itself, without those of the statements within it."""
    for node in ast.iter_child_nodes(statement):
        if isinstance(node, ast.expr):
            yield node
        elif isinstance(node, ast.keyword | ast.withitem):
            yield from (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))


def names_of_two_classes(tree: Tree) -> int:
    """Names that belong to two or more classes."""
    names = Counter(
        node.name
        for module in tree.modules.values()
        for node in ast.walk(ast.parse(module.source))
        if isinstance(node, ast.ClassDef)
    )
    return sum(count > 1 for count in names.values())


def long_posts(tree: Tree) -> int:
    """Views of a POST with more than twelve lines below their docstring."""
    return sum(
        any(isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "post" for call in node.decorator_list)
        and _lines_of_body(node) > 12
        for node in _functions(tree)
    )


def long_functions(tree: Tree) -> int:
    """Functions of more than forty lines, their docstring counted."""
    return sum((node.end_lineno or 0) - node.lineno + 1 > 40 for node in _functions(tree))


def _functions(tree: Tree) -> Iterable[ast.FunctionDef]:
    nodes = (node for module in tree.modules.values() for node in ast.walk(ast.parse(module.source)))
    return (node for node in nodes if isinstance(node, ast.FunctionDef))


def signatures_with_any(tree: Tree) -> int:
    """Parameters and answers of functions that are `Any`, or that or something else."""
    nodes = [node for module in tree.modules.values() for node in ast.walk(ast.parse(module.source))]
    said = [node.annotation for node in nodes if isinstance(node, ast.arg)]
    said += [node.returns for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return sum("Any" in ast.unparse(one).split(" | ") for one in said if one is not None)


def _lines_of_body(node: ast.FunctionDef) -> int:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


TITLES = {"acres", "new-world"}


def registries_of_titles(tree: Tree) -> int:
    """Tables in the sources that have a title of ours among their keys, and modules that look for packages' titles."""
    tables = sum(
        not TITLES.isdisjoint({key.value for key in node.keys if isinstance(key, ast.Constant)})
        for module in tree.modules.values()
        for node in ast.walk(ast.parse(module.source))
        if isinstance(node, ast.Dict)
    )
    return tables + sum("entry_points(" in module.source for module in tree.modules.values())


def lines(tree: Tree) -> int:
    """Lines with code or a comment: neither blank nor of a docstring."""
    return sum(lines_of(module.source) for module in tree.modules.values())


def lines_of(source: str) -> int:
    """Lines of a source that are neither blank nor only of a docstring (a string that stands for itself)."""
    told: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            told |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    empty = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    written: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in empty:
            written |= set(range(token.start[0], token.end[0] + 1))
    return len(written - told)


# -- all of them --------------------------------------------------------------------------------------


class Figure(NamedTuple):
    """What is counted, how, what it was when the cleaning up began, and what it shall become."""

    what: str
    count: Callable[[Tree], int]
    began: int
    goal: str

    def holds(self, now: int) -> bool:
        """Whether the goal is reached; always true of one that is told as a difference."""
        if self.goal.startswith("under "):
            return now < int(self.goal.removeprefix("under "))
        return not self.goal.isdigit() or now == int(self.goal)


FIGURES = (
    Figure("modules in circles", in_circles, 52, "0"),
    Figure("imports inside functions", hidden, 150, "under 60"),
    Figure("arrows into leagues from outside", arrows_into_leagues, 26, "0"),
    Figure("__table__", matches(r"\b__table__\b"), 305, "under 20"),
    Figure("type: ignore in app", matches(r"# type: ignore\b"), 177, "under 20"),
    Figure("Any in signatures", signatures_with_any, 269, "under 15"),
    Figure("request.form reads", matches(r"\brequest\.form\b"), 173, "under 30"),
    Figure("digit guards", digit_guards, 70, "under 5"),
    Figure("blueprints exempt from CSRF", matches(r"\bcsrf\.exempt\("), 17, "1"),
    Figure("class names of two or more classes", names_of_two_classes, 26, "0"),
    Figure("views of a POST over 12 lines", long_posts, 30, "0"),
    Figure("abort(404)", matches(r"\babort\(404\)"), 55, "under 11"),
    Figure("read models …Now", matches(r"(?m)^class \w+Now\b"), 14, "under 5"),
    Figure("smallest, by name", matches(r"\bhasattr\([^)]*\"smallest\""), 27, "0"),
    Figure("# fmt: in app", matches(r"# fmt:"), 425, "under 40"),
    Figure("registries of titles", registries_of_titles, 5, "1"),
    Figure("functions over 40 lines", long_functions, 25, "none named"),
    Figure("lines of app", lines, 29606, "2500 fewer"),
)


def main(root: Path) -> None:
    """Print all figures of a tree."""
    tree = read(root)
    print(f"{'':36}{'began':>8}{'now':>8}  goal")
    for figure in FIGURES:
        now = figure.count(tree)
        print(f"{figure.what:36}{figure.began:>8}{now:>8}  {figure.goal}{'' if figure.holds(now) else '  MISSED'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
