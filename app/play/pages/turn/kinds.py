"""What can be done now, by kind of action, and what cannot be done and why: listed, and as
`play/turn/kinds.html` shows it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from app.base.numbers import whole
from app.titles import rule_texts
from app.titles.contract import Section
from app.web.wording import page_voice
from engine.kernel.text import N_
from engine.kernel.title import Choice

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.play.pages.turn.form import FilledTurn
    from app.titles.contract import Parts, View
    from engine.kernel.title import Title

FEW_KINDS, FEW_WAYS = 3, 12
"""At most this many kinds with this many ways are expanded at once."""


class ListedWay:
    """One action that can be chosen."""

    def __init__(self, title: Title, line: str, action: object) -> None:
        self.line = line
        self._title = title
        self._action = action

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The action as JSON data."""
        return self._title.action_to_json(self._action)


@dataclass(slots=True)
class FreeChoice:
    """An action with a free subset of items."""

    name: str
    """The name of the form's fields."""
    about: Mapping[str, Any]
    items: Sequence[str]
    least: int
    most: int


@dataclass(slots=True)
class Kind:
    """What can be done, for one kind of action."""

    name: str
    options: list[ListedWay] = field(default_factory=list)
    choices: list[FreeChoice] = field(default_factory=list)

    @property
    def count(self) -> int:
        """In how many ways it can be done."""
        return len(self.options) + len(self.choices)


@dataclass(frozen=True, slots=True)
class Impossible:
    """Kinds of action that cannot be done, all for the same reason."""

    names: Sequence[str]
    why: str
    rule: str | None


def kinds_of(title: Title, state: object, seat: str, voice: Voice) -> tuple[list[Kind], list[Impossible]]:
    """Return what the seat can do now, by kind of action, and which kinds cannot be done and why."""
    due = title.decision(state)
    if due is None or due.seat != seat:
        return [], []
    kinds: dict[str, Kind] = {}
    choices = 0
    for item in title.legal(state):
        if isinstance(item, Choice):
            choice = FreeChoice(f"choice:{choices}", item.describe(), item.items, item.least, item.most)
            choices += 1
            _kind(kinds, item.kind).choices.append(choice)
        else:
            line = title.write(state, item)
            _kind(kinds, line.partition(" ")[0]).options.append(ListedWay(title, line, item))
    return list(kinds.values()), impossible_of(title, state, voice, kinds)


def impossible_of(title: Title, state: object, voice: Voice, possible: Container[str]) -> list[Impossible]:
    """Return the kinds of action that cannot be done, besides the possible ones, and why."""
    reasons: dict[tuple[str, str | None], list[str]] = {}
    for name, refusal in title.impossible(state, possible):
        if name not in possible:
            reasons.setdefault((voice.say(refusal.why), refusal.rule), []).append(name)
    return [Impossible(names, why, rule) for (why, rule), names in reasons.items()]


def ever_possible(impossible: Sequence[Impossible], parts: Parts, seat: str) -> list[Impossible]:
    """Return what the seat cannot do now but could at another time."""
    left = [([name for name in one.names if parts.can_ever(name, seat)], one.why, one.rule) for one in impossible]
    return [Impossible(*one) for one in left if one[0]]


def chosen_line(title: Title, state: object, filled: FilledTurn, section: str = "") -> str:
    """Return the line that is chosen in a section, or with "" outside the folding sections; "" for none. Ticked cards
    alone are enough if they belong to only one action of the section."""
    pick = filled.picks.get(section, "")
    if pick and not pick.startswith("choice:"):
        return " ".join(pick.split())
    if not (pick or section):
        due = title.decision(state)
        if due is None or due.seat == due.on_turn:
            return ""  # ticks of sections, which may be closed
    choices = [item for item in title.legal(state) if isinstance(item, Choice)]
    if not pick:
        here = section.partition("/")[0]
        names = [f"choice:{n}" for n, choice in enumerate(choices) if not section or choice.kind == here]
        ticked = [name for name in names if filled.items.get(name)]
        if len(ticked) != 1:
            return ""
        pick = ticked[0]
    number = whole(pick.removeprefix("choice:"), most=len(choices) - 1)
    if number is None:
        return pick  # an unreadable line, so that the reader is told
    choice = choices[number]
    picked = filled.items.get(pick, [])
    if not picked and len(choice.smallest()) == 1:
        return title.write(state, choice.smallest()[0])
    if not picked:
        return str(choice.kind)
    return title.write(state, choice.action(picked))


def _kind(kinds: dict[str, Kind], name: str) -> Kind:
    kind = kinds.get(name)
    if kind is None:
        kind = kinds[name] = Kind(name)
    return kind


@dataclass(frozen=True, slots=True)
class ShownKind:
    """A kind as `play/turn/kinds.html` shows it."""

    name: Markup
    rule: Markup
    """The rule of the kind in a sentence, if it has one."""
    section: Section
    count: int
    """The number of ways beside its name; 0 if none is shown."""
    is_open: bool
    only: str
    """The line of its only way, if nothing has to be chosen in it; empty otherwise."""
    ways: Markup
    """The words of that only way, or else all ways to choose one from."""
    choices: Sequence[ShownChoice]
    is_picked: bool
    """Whether one of its ways is chosen with a radio button."""
    has_buttons: bool
    """Whether its buttons are below it; otherwise its ways have their own."""


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """A free subset of items to tick."""

    choice: FreeChoice
    head: Markup
    items: Sequence[tuple[str, Markup, bool]]
    """Each with its name and whether it is ticked."""


class Chooser:
    """What one reader of one page can choose.

    In the seat's own turn each kind folds up and is a section with its own button, so that nothing invisible is sent.
    An answer is chosen with everything in view.
    """

    def __init__(
        self,
        parts: Parts,
        filled: FilledTurn,
        view: View,
        seat: str,
        voice: Voice,
        own_turn: bool,
        tries: bool = False,
    ) -> None:
        """`tries`: what is chosen is only tried, in an analysis; nothing can be sent."""
        assert voice.title is not None
        self._of = voice.title.id, voice.lang
        self._words = words = page_voice(*self._of)
        self._parts = parts
        self._filled = filled
        self.folds = own_turn
        """Whether kinds fold up."""
        self._add = Markup(words.gettext(N_("Try it") if tries else N_("Add to draft")))
        self._send = "" if tries else Markup(words.gettext(N_("Add and send")))
        self._view = view
        self._seat = seat

    def shown(self, kinds: Sequence[Kind]) -> list[ShownKind]:
        """Return everything that can be done: in the seat's own turn a kind folds up, unless there are few or something
        in it is chosen."""
        ways = sum(kind.count for kind in kinds)
        few = len(kinds) == 1 or (len(kinds) <= FEW_KINDS and ways <= FEW_WAYS)
        return [self._shown(kind, self._section(kind, ways), few, len(kinds) > 1) for kind in kinds]

    def _section(self, kind: Kind, ways: int) -> Section:
        if self.folds:
            send = self._send if self._parts.completes(kind.name, self._view) else ""
            return Section(kind.name, self._filled.picks, self._add, send)
        picks = {"": kind.options[0].line} if ways == 1 and kind.options else self._filled.picks
        return Section("", picks, self._add)

    def _shown(self, kind: Kind, section: Section, few: bool, counts: bool) -> ShownKind:
        parts, view, seat = self._parts, self._view, self._seat
        with_buttons = self.folds and not parts.adds_by_itself(kind.name)
        only = kind.options[0] if with_buttons and kind.count == 1 and kind.options else None
        if only is not None:
            shown = parts.option(only.data, only.line, view, seat)
        else:
            shown = parts.options(kind.name, kind.options, section, view, seat) if kind.options else Markup()
        further = parts.folds_further(kind.name, kind.options) and not kind.choices
        return ShownKind(
            name=parts.kind_name(kind.name),
            rule=parts.kind_rule(kind.name),
            section=section,
            count=kind.count if counts and kind.count > 1 else 0,
            is_open=few or self._is_chosen(kind),
            only=only.line if only else "",
            ways=shown,
            choices=[self._choice(kind.name, choice) for choice in kind.choices],
            is_picked=not self.folds or kind.count > 1,
            has_buttons=with_buttons and not further,
        )

    def _is_chosen(self, kind: Kind) -> bool:
        picks, items = self._filled.picks, self._filled.items
        if any(items.get(choice.name) for choice in kind.choices):
            return True
        return any(pick and section.partition("/")[0] == kind.name for section, pick in picks.items())

    def _choice(self, kind: str, choice: FreeChoice) -> ShownChoice:
        ticked = self._filled.items.get(choice.name, ())
        items = [(item, self._parts.item(kind, choice.about, item), item in ticked) for item in choice.items]
        return ShownChoice(choice, self._parts.choice_head(kind, choice.about), items)

    def barred(self, impossible: Sequence[Impossible]) -> list[tuple[Markup, Markup | None]]:
        """Return what cannot be done: the kinds with the reason, and the number of its rule with a link."""
        return [(self._why(one), rule_texts.cited(*self._of, one.rule) if one.rule else None) for one in impossible]

    def many(self, impossible: Sequence[Impossible]) -> int:
        """Return how many kinds cannot be done."""
        return sum([len(one.names) for one in impossible])

    def _why(self, one: Impossible) -> Markup:
        names = ", ".join([f"<b>{self._parts.kind_name(kind)}</b>" for kind in one.names])
        return Markup(self._words.gettext("%(who)s: %(why)s", who=names, why=escape(one.why)))
