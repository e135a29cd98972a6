"""Writes the table of settings into the operators' reference: `python -m tests.support.settings_table`."""

from __future__ import annotations

import re

from app.base.config import PREFIX
from app.base.settings import FILE, SETTINGS
from tests.support.running import ROOT

REFERENCE = ROOT / "docs" / "operators-reference.md"


def renewed() -> str:
    """Return the reference with the table as the code has it."""
    rows = [f"| `{PREFIX}{one.name}` | {one.default} | {one.about} |\n" for one in (FILE, *SETTINGS)]
    text = REFERENCE.read_text(encoding="utf-8")
    return re.sub(rf"(?:^\| `{PREFIX}.*\n)+", lambda _: "".join(rows), text, count=1, flags=re.MULTILINE)


if __name__ == "__main__":
    REFERENCE.write_text(renewed(), encoding="utf-8")
