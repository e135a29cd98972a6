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


class StoredOtherwise(Exception):
    """The classes of a title cannot hold what an earlier version of it has stored; the message says which, and what its
    author does about it."""


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
        """Return the value; lists come back as tuples. Raises StoredOtherwise."""
        kind = type(data)
        if kind is dict:  # as it comes from the database, thousands of times
            read = {key: self.from_json(item) if type(item) in _NESTED else item for key, item in data.items()}
            if "is" not in read:
                return read
            name = read.pop("is")
            try:
                return self._by_name[name](**read)
            except (KeyError, TypeError) as error:
                raise StoredOtherwise(self._why_not(name, read, error)) from error
        if kind is list:
            return tuple([self.from_json(item) if type(item) in _NESTED else item for item in data])
        if isinstance(data, Mapping):
            return self.from_json(dict(data))
        return data

    def _why_not(self, name: str, stored: Mapping[str, Any], error: Exception) -> str:
        """Return what differs between a class and what is stored of it, and what to do."""
        if name not in self._by_name:
            return f"there is no class {name} in its codec (any more), which older games have; bring it back"
        known = dict(self._fields[self._by_name[name]])
        lacking = [field for field, default in known.items() if default is MISSING and field not in stored]
        if lacking:
            return f"{name} is stored without {', '.join(lacking)}; give what came later a default"
        gone = [field for field in stored if field not in known]
        return f"{name} is stored with {', '.join(gone)}, which has to stay" if gone else f"{name}: {error}"
