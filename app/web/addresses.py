"""Numbers in addresses."""

from __future__ import annotations

from werkzeug.routing import BaseConverter


class Number(BaseConverter):
    """`<number:game_id>`: a number that a row can have. An address with any other one leads nowhere (404).

    Nine digits, which is less than `app.base.numbers.LARGEST`: what does not fit the pattern is no address for any
    method, while what a converter refuses later is one that "does not do that" (405).
    """

    regex = "[0-9]{1,9}"
    weight = 50  # as Werkzeug's own numbers: before texts

    def to_python(self, value: str) -> int:
        """The number of a part of an address."""
        return int(value)
