"""Which module imports which, read from the sources: for the test of boundaries and for the figures.

Imports only for types (under `if TYPE_CHECKING:`) never run and cannot form a circle at run time, but a reader sees
them, so that boundaries count them. That a module makes its package run first is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

LEAGUES = ("app.leagues",)

INTO_LEAGUES = {("app.server.registry", "app.leagues.register"), ("app.tables", "app.leagues.tables")}
"""The two arrows allowed to lead there: the server is put together, and the tables are known to its migrations."""

# Ways to import that cannot be found by reading sources.
BY_NAME = {"__import__", "import_module"}


class Import(NamedTuple):
    """One name that a module imports. `from engine.kernel import text` gives `engine.kernel.text`, since that may be a
    module."""

    line: int
    name: str
    hidden: bool = False
    """Within a function."""
    for_types: bool = False
    """Under `if TYPE_CHECKING:`, where nothing runs."""


@dataclass(frozen=True, slots=True)
class Module:
    """The source of a module."""

    source: str
    is_package: bool = False


def under(name: str, *packages: str) -> bool:
    """Whether a full name is one of the packages or inside one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def is_of_leagues(name: str) -> bool:
    """Whether a module belongs to leagues."""
    return under(name, *LEAGUES)


def modules(root: Path, *folders: str) -> dict[str, Module]:
    """Return the modules of some folders of a tree, by their full names."""
    found = {}
    for path in (path for folder in folders for path in sorted((root / folder).rglob("*.py"))):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        found[name] = Module(path.read_text(encoding="utf-8"), path.name == "__init__.py")
    return found


@cache
def imports(source: str, module: str, *, is_package: bool = False) -> tuple[Import, ...]:
    """Return everything that a module imports, at its top or within a function."""
    looks_at = ast.AST if any(name in source for name in BY_NAME) else _HOLDS_STATEMENTS
    return tuple(_imports(ast.parse(source), module, is_package, looks_at))


_HOLDS_STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)
"""Where a statement can occur: not in an expression, of which there are ten times as many."""


def _imports(
    node: ast.AST,
    module: str,
    is_package: bool,
    looks_at: type[ast.AST] | tuple[type[ast.AST], ...],
    hidden: bool = False,
    for_types: bool = False,
) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(node.lineno, alias.name, hidden, for_types)
    elif isinstance(node, ast.ImportFrom):
        package = module.split(".")
        package = package[: len(package) + is_package - node.level] if node.level else []
        base = ".".join([*package, *([node.module] if node.module else [])])
        for alias in node.names:
            yield Import(node.lineno, f"{base}.{alias.name}", hidden, for_types)
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in BY_NAME:
            yield Import(node.lineno, name, hidden, for_types)
    hidden = hidden or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, looks_at):
            types = for_types or (isinstance(node, ast.If) and child in node.body and _asks_for_types(node.test))
            yield from _imports(child, module, is_package, looks_at, hidden, types)


def _asks_for_types(test: ast.expr) -> bool:
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


# -- arrows -------------------------------------------------------------------------------------------


class Arrow(NamedTuple):
    """One module imports another of the same tree."""

    here: str
    there: str
    line: int
    hidden: bool
    for_types: bool


def arrows(tree: Mapping[str, Module]) -> list[Arrow]:
    """Return who imports whom. A name that a package re-exports from one of its modules leads to both."""
    read = {name: imports(module.source, name, is_package=module.is_package) for name, module in tree.items()}
    handed_on = {
        f"{package}.{one.name.rpartition('.')[2]}": _modules_of(one.name, tree)
        for package, module in tree.items()
        if module.is_package
        for one in read[package]
        if not one.hidden and not one.for_types
    }
    return [
        Arrow(here, there, one.line, one.hidden, one.for_types)
        for here, found in read.items()
        for one in found
        for there in [*_modules_of(one.name, tree), *handed_on.get(one.name, [])]
        if there != here
    ]


def _modules_of(name: str, tree: Mapping[str, Module]) -> list[str]:
    """Return the module that a full name is, or belongs to; None for an external one."""
    if name in tree:
        return [name]
    package = name.rpartition(".")[0]
    return [package] if package in tree else []


def circles(found: Iterable[Arrow]) -> list[list[str]]:
    """Return the groups of modules that import each other in a circle, at run time or in a function."""
    leads: dict[str, set[str]] = {}
    for arrow in found:
        if not arrow.for_types:
            leads.setdefault(arrow.here, set()).add(arrow.there)
            leads.setdefault(arrow.there, set())
    within = {module: reached(leads, module) for module in leads}
    groups = {
        frozenset(other for other in within[module] if module in within[other])
        for module in leads
        if module in within[module]
    }
    return sorted(sorted(group) for group in groups)


def reached(leads: Mapping[str, set[str]], module: str) -> set[str]:
    """Return where the arrows lead from a module, in one step or more."""
    seen: set[str] = set()
    ahead = [module]
    while ahead:
        for there in leads.get(ahead.pop(), set()) - seen:
            seen.add(there)
            ahead.append(there)
    return seen


def into_leagues(found: Iterable[Arrow], allowed: Sequence[tuple[str, str]] | set[tuple[str, str]]) -> list[str]:
    """Return the arrows from outside of leagues into them, each once, as `here -> there`."""
    pairs = {(arrow.here, arrow.there) for arrow in found if is_of_leagues(arrow.there)}
    return sorted(f"{here} -> {there}" for here, there in pairs - set(allowed) if not is_of_leagues(here))
