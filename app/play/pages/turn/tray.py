"""What has been touched on a turn page, as it is shown: the question that follows, or the chosen step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markupsafe import Markup

from app.play.turn.choosing import Choosing, Fit, Group, NextTouch, Selection, TouchOption, in_common
from app.titles.contract import ActionPart, View
from app.titles.pages import PlainPages
from app.titles.parts import NOTHING, PlainParts
from engine.kernel.title import Title

MOST_ANSWERS = 16
"""More answers than this are chosen part by part."""


@dataclass(frozen=True, slots=True)
class TrayRow:
    """Something that can be touched next, as the tray shows it."""

    name: Markup
    detail: Markup
    """The whole step, if it is the only one left."""
    href: str
    ways: int
    line: str
    """The line of the step, if it is the only one left."""
    result: Markup = NOTHING
    """What would come of it (`PlainParts.result`), if it is the only one left."""
    shows: bool = False
    """Whether that step shows something hidden or asks another player: it is looked at before it is played."""


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """A kind of action with what is already settled, and what it asks next."""

    kind: TrayRow
    filled: Sequence[Markup]
    asks: Markup
    rows: Sequence[TrayRow]


@dataclass(frozen=True, slots=True)
class ChosenStep:
    """A chosen step: in words, as a line, and what it changes."""

    kind: Markup
    said: Markup
    line: str
    changes: Markup
    shows: bool
    """Whether it reveals something hidden or asks another player."""


@dataclass(frozen=True, slots=True)
class Tick:
    """An item of a free choice."""

    token: str
    name: Markup
    ticked: bool
    fits: bool
    """Whether it can be picked together with those already picked."""
    href: str


@dataclass
class Tray:
    """The tray of one page. `selection` is what has been touched; `address` is that of the page without it."""

    title: Title
    pages: PlainPages
    parts: PlainParts
    state: Any
    view: View
    seat: str
    address: str
    near: str
    """The same as used at the beginning of links: "" if the page is at that very address."""
    at: Sequence[str]
    answers: bool = False
    """Whether an answer is chosen while another seat is on turn: it is sent, not added to a draft."""
    fresh: Collection[str] = ()
    """The cards that have just been drawn."""
    tries: bool = False
    """Whether what is chosen is only tried, in an analysis."""
    looked_at: tuple[str, ...] = field(init=False)
    """The parts of it that are only looked at and belong to no action."""
    choosing: Choosing = field(init=False)
    selection: Selection = field(init=False)

    def __post_init__(self) -> None:
        self.choosing = Choosing(self.title, self.pages, self.state)
        self.looked_at = tuple([token for token in self.at if self.parts.looks_at(token)])
        self.selection = self.choosing.at([token for token in self.at if token not in self.looked_at])
        counted = self.title.actions_left(self.state) and not self.answers
        if counted and not self.is_open and len(self.choosing.ways) == 1:  # everything there is to answer or to do
            self.selection = self.choosing.at([self.choosing.ways[0].touches[0].token])

    # -- addresses ----------------------------------------------------------------------------------

    def to(self, at: str) -> str:
        """Return the address of this page with a selection."""
        if not at:
            return f"{self.address}#decide"
        return f"{self.near}?at={at}#{'tray' if self.tries else 'board'}"

    def touch(self, token: str) -> str:
        """Return the address of this page once this is touched, or taken back; for a part of no action, that of the
        page that says why."""
        return self.to(self.selection.toggled(token) if self.can_touch(token) else token)

    def can_touch(self, token: str) -> bool:
        """Return whether it can be touched at all."""
        return token in self.choosing.known

    def is_left_out(self, token: str) -> bool:
        """Return whether it was touched and does not go with the rest."""
        return token in self.selection.dropped

    def ways(self, token: str) -> int:
        """Return how many ways it leaves open together with what has been touched; 0 if it does not go with it."""
        return self.selection.open.get(token, 0)

    def is_touched(self, token: str) -> bool:
        """Return whether it has been touched, or is a part of everything that is left."""
        if self.selection.touched_as(token):
            return True
        return self.is_open and any(token in (touch.token, touch.loose) for touch in self.selection.settled)

    # -- what is touched ----------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether anything is touched, or was meant to be."""
        return bool(self.selection.touched or self.selection.dropped)

    @property
    def touched(self) -> list[tuple[ActionPart, Markup, str]]:
        """Each thing touched with its name and the address without it."""
        known, chosen = self.choosing.known, self.selection
        return [
            (known[token], self.parts.part(known[token], self.view, self.seat), self.to(chosen.without(token)))
            for token in chosen.touched
        ]

    @property
    def chips(self) -> list[tuple[ActionPart, Markup, str]]:
        """What can be taken back by a link: not what has a box, which alone says whether it is chosen."""
        left = self.bare.split(",") if self.ticks else self.selection.touched
        return [one for token, one in zip(self.selection.touched, self.touched, strict=True) if token in left]

    @property
    def told(self) -> list[tuple[Markup, Markup, Markup]]:
        """Return, for each thing touched that has a description, its name, what it is, what it is good for and what
        not."""
        found = [
            (name, self.parts.about(touch, self.view, self.seat), self.parts.why_not(touch, self.state))
            for touch, name, _ in self.touched
        ]
        return [one for one in found if one[1] or one[2]]

    @property
    def filled(self) -> list[Markup]:
        """The names of the parts that have one value left, so that nobody needs to touch them."""
        said = {name for _, name, _ in self.touched}  # Home Support is a kind and its only card
        return [name for name in self._filled(self.selection.fits) if name not in said]

    def _filled(self, fits: Sequence[Fit]) -> list[Markup]:
        loose = self.choosing.loose
        touched = {*self.selection.touched, *[loose.get(token) for token in self.selection.touched]}
        found = []
        for touch in in_common(fits):
            if touch.token not in touched and touch.loose not in touched:
                found.append(self.parts.part(touch, self.view, self.seat))
        return [name for name in found if name]

    @property
    def left_out(self) -> list[tuple[Markup, Markup]]:
        """What was touched and does not go with the rest: what it is, and what it is good for and what not."""
        return [
            (self.parts.about(touch, self.view, self.seat), self.parts.why_not(touch, self.state))
            for touch in self._left_out
        ]

    @property
    def _left_out(self) -> list[ActionPart]:
        """The same as it is outside any action."""
        parted = [token.partition(".") for token in self.selection.dropped]
        return [ActionPart(noun, value, noun) for noun, dot, value in parted if dot]

    @property
    def dropped(self) -> list[Markup]:
        """What was meant to be touched and does not fit, by name if it has one; without what the tray describes."""
        known = self.choosing.known
        told = {touch.token for touch in self._left_out if self.parts.about(touch, self.view, self.seat)}
        return [
            self.parts.part(known[token], self.view, self.seat) if token in known else Markup.escape(token[:40])
            for token in self.selection.dropped
            if token in known or token not in told
        ]

    # -- what follows -------------------------------------------------------------------------------

    @cached_property
    def drawn(self) -> Markup:
        """What the title itself draws in it; nothing for questions and their answers."""
        return self.parts.tray(self, self.view, self.seat)

    def row(self, offer: NextTouch) -> TrayRow:
        """Return an answer to a question, as it is shown."""
        name = self.parts.part(offer.touch, self.view, self.seat)
        if offer.only is None:
            return TrayRow(name, Markup(), self.to(offer.at), offer.ways, "")
        return self._step_row(offer.only, name, self.to(offer.at))

    def _step_row(self, way: TouchOption, name: Markup, href: str) -> TrayRow:
        """Return the row of a whole step below a name, which is not said again."""
        line, data = self.choosing.line(way.action), self.title.action_to_json(way.action)
        said = self.parts.option(data, line, self.view, self.seat)
        if said.startswith(name):
            said = Markup(said[len(name) :].lstrip(" ,:\u00a0"))
        return TrayRow(name, said, href, 1, line, self._result(way), self.title.reveals(self.state, way.action))

    def _result(self, way: TouchOption) -> Markup:
        after = (self.title.preview(self.state, way.action) or {}).get("view")
        data = self.title.action_to_json(way.action)
        return self.parts.result(after, self.view, self.seat, data) if after else NOTHING

    @cached_property
    def answer_rows(self) -> list[TrayRow]:
        """All answers to a question, in another seat's turn or one's own (a conquest), if none is touched and each is a
        step of its own: few enough to stand below each other."""
        ways = self.choosing.ways
        asked = self.answers or (not self.parts.draws_tray and self.parts.asked(self.view, False).short)
        if not asked or self.selection.touched or len(ways) > MOST_ANSWERS or any(way.choice for way in ways):
            return []
        return [self._step_row(way, self.parts.kind_name(way.kind), "") for way in ways]

    @property
    def rows(self) -> list[TrayRow]:
        """The answers to the next question."""
        asked = self.selection.question
        return [self.row(offer) for offer in asked.offers] if asked else []

    @property
    def is_listed(self) -> bool:
        """Whether the next question is about things that are not on the board, so that its answers may cover it."""
        asked = self.selection.question
        return asked is not None and all(offer.touch.noun != "place" for offer in asked.offers)

    @cached_property
    def answering(self) -> Mapping[str, str]:
        """The address of the page once the open question is answered, by the value of each answer."""
        if self.answer_rows:
            return {touch.value: self.to(touch.token) for way in self.choosing.ways for touch in way.touches[1:]}
        if self.ticks:
            return {tick.token.partition(".")[2]: tick.href for tick in self.ticks}
        asked = self.selection.question if self.is_open else None
        return {offer.touch.value: self.to(offer.at) for offer in asked.offers} if asked else {}

    @property
    def groups(self) -> list[ShownGroup]:
        """The kinds of action, if several are left, each with what it asks next."""
        return [self._group(one) for one in self.selection.groups]

    def _group(self, group: Group) -> ShownGroup:
        kind = group.kind.touch.value
        filled = self._filled([fit for fit in self.selection.fits if fit.way.kind == kind])[1:]
        asks = self.parts.asks(group.role, kind) if group.offers else Markup()
        return ShownGroup(self.row(group.kind), filled, asks, [self.row(offer) for offer in group.offers])

    @property
    def asks(self) -> Markup:
        """The next question."""
        asked = self.selection.question
        return self.parts.asks(asked.role, self.kind) if asked else Markup()

    @cached_property
    def kind_rows(self) -> list[tuple[TrayRow, bool, bool]]:
        """All kinds of action with the number of their ways, or what would come of the only one; whether each is
        chosen, and whether it still fits."""
        ways: dict[str, list[TouchOption]] = {}
        for way in self.choosing.ways:
            ways.setdefault(way.kind, []).append(way)
        open_, touched = self.selection.open, self.selection.touched
        return [
            (
                TrayRow(
                    self.parts.kind_short(kind),
                    Markup(),
                    self.touch(kind),
                    open_.get(kind) or len(found),
                    "",
                    self._result(found[0]) if len(found) == 1 and not found[0].choice else NOTHING,
                ),
                kind in touched,
                kind in open_ or kind in touched,
            )
            for kind, found in ways.items()
        ]

    @property
    def kind(self) -> str:
        """The kind of action, once it is settled; else empty."""
        kinds = self.selection.kinds
        return kinds[0] if len(kinds) == 1 else ""

    # -- a free choice, and the step that is chosen ---------------------------------------------------

    @cached_property
    def ticks(self) -> list[Tick]:
        """The items to pick from, if only a free choice is left."""
        only = self.selection.only
        if only is None or only.way.choice is None:
            return []
        if self.step is not None and only.way.choice.least == len(only.way.items):
            return []  # there is nothing to choose
        about = only.way.choice.describe()
        fits, picked = {touch.token for touch in only.open_items()}, list(only.picked)
        found = []
        for touch in only.way.items:
            ticked = touch in picked
            if ticked:
                picked.remove(touch)
            item = self.parts.item(only.way.kind, about, only.way.names[touch.value])
            at = self.selection.without(self._as_touched(touch)) if ticked else self.selection.with_item(touch)
            found.append(Tick(touch.token, item, ticked, ticked or touch.token in fits, self.to(at)))
        return found

    @property
    def bare(self) -> str:
        """The selection without the picked items."""
        only = self.selection.only
        left = list(self.selection.touched)
        for touch in only.picked if only else ():
            left.remove(touch.token if touch.token in left else touch.loose)
        return ",".join(left)

    @property
    def room(self) -> tuple[int, int]:
        """The least and the largest number of items to pick."""
        only = self.selection.only
        assert only is not None and only.way.choice is not None
        return only.way.choice.least, only.way.choice.most

    def _as_touched(self, touch: ActionPart) -> str:
        return touch.token if touch.token in self.selection.touched else touch.loose

    @cached_property
    def step(self) -> ChosenStep | None:
        """The chosen step, if nothing more is asked."""
        action = self.selection.action
        if action is None:
            return None
        line, data = self.selection.line, self.title.action_to_json(action)
        preview: Mapping[str, Any] = self.title.preview(self.state, action) or {}
        after = preview.get("view")
        return ChosenStep(
            self.parts.kind_name(self.kind),
            self.parts.option(data, line, self.view, self.seat),
            line,
            self.parts.changes(data, after, self.view, self.seat) if after else Markup(),
            self.title.reveals(self.state, action),
        )

    @property
    def completes(self) -> bool:
        """Whether the chosen step may be sent at once."""
        return self.parts.completes(self.kind, self.view)
