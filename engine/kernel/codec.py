"""Frozen data classes to JSON data and back: `{"is": "Settled", "seat": "british", ...}`.

Fields hold strings, numbers, booleans, None, tuples (lists in JSON), string-keyed mappings, and other
data classes known to the same codec. Fields at their default are left out, so that a field added later
does not change how an old log reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any

_NESTED = frozenset((dict, list))


class Codec:
    """Converts the classes it was made with, known by their names."""

    def __init__(self, classes: Iterable[type]) -> None:
        self._by_name: dict[str, type] = {}
        self._fields: dict[type, list[tuple[str, Any]]] = {}
        for cls in classes:
            if cls.__name__ in self._by_name:
                raise ValueError(f"two classes are named {cls.__name__}")
            self._by_name[cls.__name__] = cls
            self._fields[cls] = [
                (f.name, f.default_factory() if f.default_factory is not MISSING else f.default) for f in fields(cls)
            ]

    def to_json(self, value: Any) -> Any:
        """Return plain JSON data."""
        if value is None or isinstance(value, (str, int, bool)):
            return value
        known = self._fields.get(type(value))
        if known is not None:
            data = {"is": type(value).__name__}
            for name, default in known:
                item = getattr(value, name)
                if item != default or default is MISSING:
                    data[name] = self.to_json(item)
            return data
        if isinstance(value, (tuple, list)):
            return [self.to_json(item) for item in value]
        if isinstance(value, Mapping):
            return {key: self.to_json(item) for key, item in value.items()}
        raise TypeError(f"{type(value).__name__} cannot be written as JSON")

    def from_json(self, data: Any) -> Any:
        """Return the value; lists come back as tuples. An unknown class name is a KeyError."""
        kind = type(data)
        if kind is dict:  # as it comes from the database, thousands of times
            read = {key: self.from_json(item) if type(item) in _NESTED else item for key, item in data.items()}
            return self._by_name[read.pop("is")](**read) if "is" in read else read
        if kind is list:
            return tuple([self.from_json(item) if type(item) in _NESTED else item for item in data])
        if isinstance(data, Mapping):
            return self.from_json(dict(data))
        return data
