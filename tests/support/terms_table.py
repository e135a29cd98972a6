"""Writes the table of an event's terms into its page of the documents: `python -m tests.support.terms_table`."""

from __future__ import annotations

import re

from app.base.words.speech import Voice
from app.leagues.pages.events import term_texts
from app.leagues.pure.formats import FORMATS
from app.leagues.pure.term_kinds import Term
from app.leagues.pure.terms import TERMS, USUAL
from tests.support.running import ROOT

PAGE = ROOT / "docs" / "terms.md"


def renewed() -> str:
    """Return the page with the table as the code has it."""
    rows = [
        f"| `{name}` | {one.label} | {_values(name)} | {_only(one)} |\n" for name, one in TERMS.items() if one.label
    ]
    text = PAGE.read_text(encoding="utf-8")
    return re.sub(r"(?:^\| `.*\n)+", lambda _: "".join(rows), text, count=1, flags=re.MULTILINE)


def _values(name: str) -> str:
    kind, usual = TERMS[name].kind, term_texts.shown(USUAL).get(name, "")
    if kind.name == "order":
        return "; ".join(kind.names.values())
    if kind.names:
        return "; ".join(f"**{word}**" if value == usual else word for value, word in kind.names.items())
    said = f"{kind.bounds[0]} to {kind.bounds[1]}" if kind.bounds else Voice().say(kind.right)
    return f"{said}; **{usual}**" if usual else said


def _only(one: Term) -> str:
    found = {True: ["teams"], False: ["players"], None: []}[one.teams]
    left_out = set(FORMATS) - set(one.formats or FORMATS)
    if len(left_out) < 3:
        return ", ".join([*found, *(f"no {FORMATS[format].name}" for format in FORMATS if format in left_out)])
    return ", ".join(FORMATS[format].name for format in one.formats or ())


if __name__ == "__main__":
    PAGE.write_text(renewed(), encoding="utf-8")
