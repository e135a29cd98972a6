"""The printed names of seats, settlers, features and places in the four languages."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "fr", "es", "it")


@cache
def _table() -> dict[tuple[str, str, str], str]:
    """Map kind, id and language to a name."""
    path = Path(__file__).parent / "data" / "names.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {(row["kind"], row["id"], lang): row[lang] for row in csv.DictReader(file) for lang in LANGUAGES}


def name_of(kind: str, key: str, lang: str) -> str:
    """Return the name in a language; a thing of an installed tile set without a name in the table is called by its
    id."""
    table = _table()
    return (
        table.get((kind, key, lang))
        or table.get((kind, key, "en"))
        or (key.replace("-", " ") if kind == "place" else key)
    )


def names_of(kind: str, key: str) -> tuple[str, ...]:
    """Return all names of a thing, for reading what people type."""
    return tuple(name_of(kind, key, lang) for lang in LANGUAGES)
