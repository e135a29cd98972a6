"""Writes the table of settings into the operators' reference: `python -m tests.support.settings_table`."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise

from app.base.process.config import Config
from app.base.process.mail_settings import MailIn
from app.base.process.settings import PREFIX, declared
from tests.support.running import ROOT

REFERENCE = ROOT / "docs" / "operators-reference.md"


def docstrings(kind: type) -> dict[str, str]:
    """Return what stands below each field of a class, as one line."""
    body = next(iter(ast.parse(inspect.getsource(kind)).body)).body  # type: ignore[attr-defined]
    return {
        field.target.id: " ".join(said.value.value.split())
        for field, said in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(said, ast.Expr)
    }


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield name, default and words of each setting."""
    for kind in (Config, MailIn):
        said = docstrings(kind)
        for field, one in declared(kind):
            if one.name not in ("RESOLVER", "SEEDS"):  # what tests set, and hardly anybody else
                yield one.name, one.usual, said[field]


def renewed() -> str:
    """Return the reference with the table as the code has it."""
    table = "".join(f"| `{PREFIX}{name}` | {usual} | {about} |\n" for name, usual, about in rows())
    text = REFERENCE.read_text(encoding="utf-8")
    return re.sub(rf"(?:^\| `{PREFIX}.*\n)+", lambda _: table, text, count=1, flags=re.MULTILINE)


if __name__ == "__main__":
    REFERENCE.write_text(renewed(), encoding="utf-8")
