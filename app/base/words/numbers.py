"""Reading whole numbers from user input, a form or an address, in one place and one way."""

from __future__ import annotations

LARGEST = 2**31 - 1
"""The largest row number: what PostgreSQL's column type holds."""
_MOST_DIGITS = 10


def whole(text: str, most: int = LARGEST, least: int = 0) -> int | None:
    """Return the number from `least` to `most` that a text is, ignoring surrounding spaces; None for anything else.

    Only the digits 0 to 9, and ten of them at most: Python also counts `²` and `٣` as digits, and refuses to read
    thousands of them.
    """
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        return None
    number = int(text)
    return number if least <= number <= most else None
