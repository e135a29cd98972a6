"""Why something is not done. Three kinds are enough.

Each refusal has a stable code for programs and tests, one plain sentence that names the card, place or limit and says
what would be right, and the number of the rule.
"""

from __future__ import annotations

from engine.kernel.text import Text


class Refusal(Exception):
    """The common part: `code` is stable, `why` is one sentence, `rule` cites the rules document."""

    def __init__(self, code: str, why: Text, *, rule: str | None = None, word: tuple[int, int] | None = None) -> None:
        """`word` is the span (start, end) of the offending characters in a line that a person typed."""
        super().__init__(code)
        self.code = code
        self.why = why
        self.rule = rule
        self.word = word

    def __str__(self) -> str:
        cited = f" ({self.rule})" if self.rule else ""
        return f"{self.code}{cited}: {self.why!r}"


class Unreadable(Refusal):
    """The words cannot be understood, or name something that this title does not have."""


class NotToDecide(Refusal):
    """The decision belongs to another seat, is of another kind, or the game is over."""


class IllegalAction(Refusal):
    """Understood, and for this seat to decide, but currently against the rules."""
