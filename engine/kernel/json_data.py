"""What a value is as JSON data: its fields, the texts in it, and whether it comes back as it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def fields_of(value: Any) -> Sequence[str]:
    """Return the names of the fields of a named tuple or dataclass; nothing of another value."""
    return getattr(value, "_fields", None) or list(getattr(value, "__dataclass_fields__", ()))


def strings_of(value: Any) -> set[str]:
    """Return all texts in JSON data but its keys."""
    if isinstance(value, str):
        return {value}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return {text for part in parts for text in strings_of(part)}


def is_plain(value: Any) -> bool:
    """Return whether a value is JSON data, and comes back from it as it is."""
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError):
        return False
