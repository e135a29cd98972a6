"""What the pages say about the things of a title beyond its views: facts printed on cards, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

MODULES = {"acres": "app.titles.facts.acres", "new-world": "app.titles.facts.new_world"}


@cache
def facts_of(title_id: str) -> Mapping[str, Any]:
    """The facts that the templates of a title use; none for a title without a module here."""
    name = MODULES.get(title_id)
    facts: Mapping[str, Any] = import_module(name).facts() if name else {}
    return facts
