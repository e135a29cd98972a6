"""A page on which nothing has been touched yet, for trying what a title draws (`app.titles.contract.Touching`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from engine.kernel.title import Title


class Untouched:
    """What can be touched in a state, by the parts of all that is legal. Keeps what was linked."""

    looked_at: Sequence[str] = ()
    fresh: Collection[str] = ()
    is_open = tries = answers = False
    answering: Mapping[str, str] = {}
    touched: Sequence[str] = ()
    settled: Sequence[Any] = ()

    def __init__(self, title: Title, state: Any, ways: Sequence[Sequence[Any]]) -> None:
        self.title, self.state, self.fits = title, state, ways
        self._loose = {token: part.loose for way in ways for part in way for token in (part.token, part.loose)}
        self._things = {part.loose: part for way in ways for part in way if part.noun}
        self._linked: set[str] = set()

    @property
    def selection(self) -> Untouched:
        return self

    def can_touch(self, token: str) -> bool:
        return token in self._loose

    def ways(self, token: str) -> int:
        loose = self._loose.get(token)
        return sum(any(part.loose == loose for part in way) for way in self.fits)

    def is_touched(self, token: str) -> bool:
        return False

    def is_left_out(self, token: str) -> bool:
        return False

    def touch(self, token: str) -> str:
        if token in self._loose:
            self._linked.add(self._loose[token])
        return f"?at={token}"

    def unlinked(self, there: Collection[str]) -> list[str]:
        """Return the things in a view (`there`) that can be touched and have no link while others of their noun do."""
        nouns = {self._things[loose].noun for loose in self._linked if loose in self._things}
        return sorted(loose for loose, part in self._things.items()
                      if part.noun in nouns and part.value in there and loose not in self._linked)  # fmt: skip
