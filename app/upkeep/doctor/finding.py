"""What was found about one thing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One line. `well` is None for what could not be looked at, or is not used here."""

    check: str
    well: bool | None
    why: str
    do: str = ""

    @property
    def line(self) -> str:
        """As people read it."""
        word = {True: "well    ", False: "NOT WELL", None: "-       "}[self.well]
        return f"{word}  {self.check}: {self.why}" + (f"\n          -> {self.do}" if self.do else "")

    @property
    def data(self) -> dict[str, Any]:
        """As programs read it."""
        return asdict(self)


def well(check: str, why: str) -> Finding:
    """It is as it should be."""
    return Finding(check, True, why)


def ill(check: str, why: str, do: str) -> Finding:
    """It is not."""
    return Finding(check, False, why, do)


def unknown(check: str, why: str, do: str = "") -> Finding:
    """It cannot be told."""
    return Finding(check, None, why, do)
