"""What cannot be done now, and why, as `play/turn/impossible.html` shows it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from app.base.words.speech import Voice
from app.titles.parts import PlainParts
from engine.kernel.title import Title


@dataclass(frozen=True, slots=True)
class Impossible:
    """Kinds of action that cannot be done, all for the same reason."""

    names: Sequence[str]
    why: str
    rule: str | None

    @property
    def count(self) -> int:
        """How many kinds they are."""
        return len(self.names)


def impossible_of(
    title: Title, state: object, seat: str, parts: PlainParts, voice: Voice, possible: Container[str]
) -> list[Impossible]:
    """Return the kinds of action that the seat cannot do now, besides the possible ones, but could at another time, and
    why."""
    reasons: dict[tuple[str, str | None], list[str]] = {}
    for name, refusal in title.impossible(state, possible):
        if name not in possible and parts.can_ever(name, seat):
            reasons.setdefault((voice.say(refusal.why), refusal.rule), []).append(name)
    return [Impossible(names, why, rule) for (why, rule), names in reasons.items()]
