"""What the pages and a title tell each other: views, parts of an action that can be touched, sheets of a mail. What a
title shows is in `app.titles.parts` and `app.titles.pages`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from markupsafe import Markup

from app.base.words.speech import Voice
from app.titles.touch import UNTOUCHED, Touch
from engine.kernel.title import Title

View = Mapping[str, Any]
"""What a seat may know (`Title.view`)."""
Opaque = Any
"""A value whose type only the title knows: a state, an action. It is not `object`, since the pages of each title give
their own class in its place (`state: State`), and callers that pass one on have received it from that title."""
KIND = "kind"
"""The role of the kind of an action; its touch is written without its role, as the bare value."""


AT = "at"
"""The role of the place or cell of an action."""


@dataclass(frozen=True, slots=True)
class ActionPart:
    """A part of an action that can be touched: a place, a card, the kind itself.

    `role` is what it does in the action (`from`), `value` which one it is (`boston`), `noun` what it is outside any
    action (`card`): a reader who touches a card in the hand has not yet said what it is for.
    """

    role: str
    value: str
    noun: str = ""

    @property
    def token(self) -> str:
        """The touch in an address, with its role: `from.boston`, and a kind as `settle`."""
        return self.value if self.role == KIND else f"{self.role}.{self.value}"

    @property
    def loose(self) -> str:
        """The touch in an address, in any role: `card.boston`."""
        return f"{self.noun}.{self.value}" if self.noun else self.token


class Touched(Protocol):
    """What has been touched, and what it means (`app.play.turn.choosing.Selection`)."""

    @property
    def touched(self) -> Sequence[str]:
        """The tokens."""

    @property
    def settled(self) -> Sequence[ActionPart]:
        """The parts common to everything that is left."""

    @property
    def fits(self) -> Sequence[object]:
        """Everything that is left, one for each way."""


class Touching(Protocol):
    """What has been touched on a page and what can be, for code that draws its controls. A token is that of a touch
    with or without its role (`ActionPart.token`, `ActionPart.loose`)."""

    @property
    def title(self) -> Title:
        """The title being played."""

    @property
    def state(self) -> Opaque:
        """The state in which something is chosen."""

    @property
    def selection(self) -> Touched:
        """What has been touched of an action."""

    @property
    def looked_at(self) -> Sequence[str]:
        """The touches that only show something more closely."""

    @property
    def fresh(self) -> Collection[str]:
        """The cards that the seat has just drawn."""

    @property
    def is_open(self) -> bool:
        """Whether anything is touched, or was meant to be."""

    @property
    def tries(self) -> bool:
        """Whether what is chosen is only tried, in an analysis; nothing can be sent."""

    @property
    def answers(self) -> bool:
        """Whether an answer is chosen while another seat is on turn."""

    @property
    def answering(self) -> Mapping[str, str]:
        """The address of the page once the open question is answered, by the value of each answer: it may lie on the
        board as well."""

    def can_touch(self, token: str) -> bool:
        """Return whether it is part of any action at all."""

    def ways(self, token: str) -> int:
        """Return how many ways it leaves open together with what has been touched; 0 if it does not go with it."""

    def is_touched(self, token: str) -> bool:
        """Return whether it has been touched, or is a part of everything that is left."""

    def is_left_out(self, token: str) -> bool:
        """Return whether it was touched and does not go with the rest."""

    def touch(self, token: str) -> str:
        """Return the address of the page once this is touched; if it already was, without it."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table in a mail: a name, and rows of subject and words."""

    name: Markup
    rows: Sequence[tuple[Markup, Markup]]
    is_own: bool = False
    """Whether only the reader's seat may see it."""


class Asked(NamedTuple):
    """What a seat is asked, in plain words (not markup)."""

    question: str
    """A whole sentence: `Gwen raids Port Royal: do you block?`, `Your turn: 2 actions.`"""
    short: str
    """The same for the subject of a mail, without a full stop, so that a deadline can follow it: `Gwen raids Port
    Royal`."""


class TitlePages(Protocol):
    """What boards, rules and choosing need of the pages of a title: of `app.titles.pages.PlainPages`, which says what
    each of these is."""

    @property
    def folder(self) -> Path | None: ...

    @property
    def has_drawing(self) -> bool: ...

    def draw(self, view: View, voice: Voice, changed: frozenset[str], touch: Touch = UNTOUCHED) -> str: ...

    def ground(self) -> str: ...

    def crop(
        self, view: View, voice: Voice, prefix: str, changed: frozenset[str], box: tuple[int, int] | None = None
    ) -> str: ...

    def touches(self, title: Title, state: Opaque, item: Opaque) -> tuple[ActionPart, ...]: ...

    def item_touch(self, choice: Opaque, item: str) -> ActionPart: ...
