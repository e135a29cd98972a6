"""A status is named by its enumeration wherever it is compared, set or looked for, so that mypy knows typos."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.graph import ROOT, modules

HELD_IN = {"status", "state"}
OTHERS = {"app.post.claims", "app.post.inbound.imap", "app.post.ledger"}
"""What an SMTP or IMAP host answered, and a filter of a page, are texts of their own."""


def statuses_as_text(source: str) -> list[int]:
    """The lines on which a status is a text: compared with one, looked for among some, or set to one."""
    return [text.lineno for node in ast.walk(ast.parse(source)) for part in _given(node) for text in _texts(part)]


def _given(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare) and _is_status(node.left):
        yield from node.comparators
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "in_":
        yield from node.args if _is_status(node.func.value) else ()
    elif isinstance(node, ast.keyword) and node.arg in HELD_IN:
        yield node.value
    elif isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value in HELD_IN)


def _is_status(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name) and node.func.id == "col":
        return _is_status(node.args[0])
    return getattr(node, "attr", getattr(node, "id", "")) in HELD_IN


def _texts(node: ast.expr) -> Iterator[ast.Constant]:
    """The texts that a value may be; an empty one stands for none."""
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
])  # fmt: skip
def test_a_status_that_is_a_text_is_found(source: str) -> None:
    assert statuses_as_text(source) == [1]


def test_what_is_no_status_or_named_by_its_enumeration_is_not() -> None:
    source = 'x = one.kind == "a" or status in ("", A.B) or {"status": A.B, "why": "so"} or f(status=A.B)'
    assert statuses_as_text(source) == []


def test_no_status_is_a_text() -> None:
    found = {name: statuses_as_text(module.source) for name, module in modules(ROOT, "app").items()}
    assert {name: lines for name, lines in found.items() if lines and name not in OTHERS} == {}
    assert all(found[name] for name in OTHERS)
