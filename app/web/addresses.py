"""Addresses: numbers in them, and how they are made."""

from __future__ import annotations

from collections.abc import Callable

from werkzeug.routing import BaseConverter, Rule


class Number(BaseConverter):
    """`<number:game_id>`: a number that a row can have. An address with any other number leads nowhere (404).

    Nine digits, which is less than `app.base.words.numbers.LARGEST`: what does not fit the pattern is not an address
    for any method, while what a converter refuses later is one that "does not do that" (405).
    """

    regex = "[0-9]{1,9}"
    weight = 50  # as Werkzeug's own numbers: before texts

    def to_python(self, value: str) -> int:
        """Return the number in a part of an address."""
        return int(value)


class PlaceOfRound(BaseConverter):
    """`<round:place>`: a round under its event, as `CompetitionRound.place` has it."""

    part_isolating = False
    regex = "(?:divisions/[0-9]{1,9}/)?rounds/[0-9]{1,9}"

    def to_url(self, value: str) -> str:
        """Return the part of an address for a round; its slashes stay."""
        return value


class Address(Rule):
    """A URL rule that compiles its address builders only when one is needed.

    Werkzeug compiles two functions for each rule when it is added, 0.4 ms each: with our 270 rules that is most of the
    time in which an app is made. If a later Werkzeug no longer calls this method, apps are only made more slowly.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compile_now = super()._compile_builder
        compiled: list[Callable[..., tuple[str, str]]] = []

        def build(rule: Rule, /, **values: object) -> tuple[str, str]:
            if not compiled:
                compiled.append(compile_now(append_unknown))
            return compiled[0](rule, **values)

        return build
