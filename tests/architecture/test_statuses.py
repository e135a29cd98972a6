"""Values of a closed set (a status, a format, a role) are named by their enumeration wherever they are compared, set or
searched, so that mypy finds typos.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from sqlmodel import SQLModel

import app.tables  # noqa: F401  all models
from app.base.stored.columns import Status, columns_of
from tests.architecture.graph import ROOT, modules

ENUMERATED = {
    (mapper.class_.__name__, column.key)
    for mapper in SQLModel._sa_registry.mappers
    for column in columns_of(mapper.class_)
    if isinstance(column.type, Status)
}
"""Models with their columns of a closed set."""
BY_MODEL_ONLY = {"kind", "step"}
"""Common words: checked only where the model precedes them."""
HELD_IN = {column for _, column in ENUMERATED} - BY_MODEL_ONLY
OTHERS = {
    "app.server.commands.serve": "role",  # of a process
    "app.leagues.clubs.headings": "role",  # the heads of a column in a file
    "app.post.out.mail_leases": "state",  # what a host answered
    "app.post.inbound.imap": "status",  # what a host answered
    "app.post.kept.ledger": "state",  # a filter of a page
    "app.static.prove": "purpose",  # of an outcome of chance
    "app.titles.acres.pages.touching": "role",  # of a part of an action
    "app.titles.parts": "role",  # of a part of an action
    "app.upkeep.server_pages": "format",  # of a number
    "app.web.pocket": "purpose",  # of an icon
}
"""Texts of their own."""


def texts_of_enumerations(source: str) -> list[int]:
    """Return the lines on which such a value is a text: compared with one, searched for among some, or set to one."""
    return [text.lineno for node in ast.walk(ast.parse(source)) for part in _given(node) for text in _texts(part)]


def _given(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare) and _is_enumerated(node.left):
        yield from node.comparators
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("in_", "not_in"):
        yield from node.args if _is_enumerated(node.func.value) else ()
    elif isinstance(node, ast.keyword) and node.arg in HELD_IN:
        yield node.value
    elif isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value in HELD_IN)


def _is_enumerated(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name) and node.func.id == "col":
        return _is_enumerated(node.args[0])
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in BY_MODEL_ONLY:
        return (node.value.id, node.attr) in ENUMERATED
    return getattr(node, "attr", getattr(node, "id", "")) in HELD_IN


def _texts(node: ast.expr) -> Iterator[ast.Constant]:
    """Yield the texts that a value may be; an empty one means none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        yield from (text for part in node.elts for text in _texts(part))
    elif isinstance(node, ast.IfExp):
        yield from (text for part in (node.body, node.orelse) for text in _texts(part))


@pytest.mark.parametrize("source", [
    'if event.status == "runing": pass',
    'if "x" and status in (A.B, "over"): pass',
    'asked.where(col(Game.status) != "over")',
    'asked.where(col(Game.status).in_(["over"]))',
    'make(status="left" if gone else A.B)',
    'row = {"state": "open"}',
    'if event.format in ("swiss", Format.STAGES): pass',
    'asked.where(col(ClockNote.kind) == "timeot")',
    'asked.where(col(ClockNote.cause).not_in(("mail",)))',
])  # fmt: skip
def test_a_value_that_is_a_text_is_found(source: str) -> None:
    assert texts_of_enumerations(source) == [1]


def test_what_is_of_no_closed_set_or_named_by_its_enumeration_is_not() -> None:
    source = 'x = one.kind == "a" or status in ("", A.B) or {"status": A.B, "why": "so"} or f(status=A.B)'
    assert texts_of_enumerations(source) == []


@pytest.mark.slow
def test_no_value_of_a_closed_set_is_a_text() -> None:
    found = {name: texts_of_enumerations(module.source) for name, module in modules(ROOT, "app").items()}
    assert {name: lines for name, lines in found.items() if lines and name not in OTHERS} == {}
    assert all(found[name] for name in OTHERS)
