"""The printed names of cards, places, seats and symbols in four languages."""

from __future__ import annotations

from engine.acres.data import table

_NAMES: dict[tuple[str, str], dict[str, str]] = {}
for _row in table("names.csv"):
    _NAMES[_row["kind"], _row["id"]] = {lang: _row[lang] for lang in ("en", "fr", "es", "it")}
    if _row["kind"] == "place":  # a location card is printed with its location's name
        _NAMES["card", _row["id"]] = _NAMES["place", _row["id"]]


def name_of(kind: str, key: str, lang: str) -> str:
    """Return the printed name of a card, place or seat; `KeyError` for a thing that does not exist."""
    return _NAMES[kind, key].get(lang) or _NAMES[kind, key]["en"]


def printed_names(kind: str) -> dict[str, tuple[str, ...]]:
    """Return all names in any language for each id of this kind."""
    return {key: tuple(dict.fromkeys(row.values())) for (its, key), row in _NAMES.items() if its == kind}
