"""Numbers in addresses."""

from __future__ import annotations

from werkzeug.routing import BaseConverter, ValidationError

from app.numbers import whole


class Number(BaseConverter):
    """`<number:game_id>`: a number that a row can have. An address with any other one leads nowhere (404)."""

    regex = "[0-9]+"
    weight = 50  # as Werkzeug's own numbers: before texts

    def to_python(self, value: str) -> int:
        """The number of a part of an address."""
        number = whole(value)
        if number is None:
            raise ValidationError
        return number
