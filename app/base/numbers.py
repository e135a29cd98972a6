"""Whole numbers that somebody typed, or that stand in a form or an address: read in one place and one way."""

from __future__ import annotations

LARGEST = 2**31 - 1
"""The largest number of a row; what PostgreSQL keeps in a column of them."""
_MOST_DIGITS = 10


def whole(text: str, most: int = LARGEST, least: int = 0) -> int | None:
    """The number from `least` to `most` that a text is, spaces around it aside; None for anything else.

    Only the digits 0 to 9, and ten of them at most: `²` and `٣` are digits to Python as well, and it refuses to read
    thousands of them.
    """
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        return None
    number = int(text)
    return number if least <= number <= most else None
