"""A finding about one thing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One line. `well` is None for what could not be checked, or is not used here."""

    check: str
    well: bool | None
    why: str
    do: str = ""

    @property
    def line(self) -> str:
        """It for people."""
        word = {True: "well    ", False: "NOT WELL", None: "-       "}[self.well]
        return f"{word}  {self.check}: {self.why}" + (f"\n          -> {self.do}" if self.do else "")


def well(check: str, why: str) -> Finding:
    """Report that it is as it should be."""
    return Finding(check, True, why)


def ill(check: str, why: str, do: str) -> Finding:
    """Report that it is not."""
    return Finding(check, False, why, do)


def unknown(check: str, why: str, do: str = "") -> Finding:
    """Report that it cannot be determined."""
    return Finding(check, None, why, do)
