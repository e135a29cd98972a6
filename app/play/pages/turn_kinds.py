"""What can be done now, by kind of action, and what cannot be done and why: listed, and as markup.

The markup is put together from strings: a page has dozens of these lines, and loops in a template take ten times as
long.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from app.base.numbers import whole
from app.titles import rule_texts
from app.titles.contract import Section
from app.web.wording import PageVoice, page_voice
from engine.kernel.text import N_
from engine.kernel.title import Choice

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.play.pages.turn_form import FilledTurn
    from app.titles.contract import Parts, View
    from engine.kernel.title import Title

FEW_KINDS, FEW_WAYS = 3, 12
"""So few kinds with so few ways stand open at once."""


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
    """What the fields of the form are called."""
    about: Mapping[str, Any]
    items: Sequence[str]
    least: int
    most: int


@dataclass(slots=True)
class Kind:
    """What can be done of one kind."""

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
    """What the seat can do now, by kind of action, and which kinds cannot be done and why."""
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
    """The kinds of action that cannot be done, besides the possible ones, and why."""
    reasons: dict[tuple[str, str | None], list[str]] = {}
    for name, refusal in title.impossible(state, possible):
        if name not in possible:
            reasons.setdefault((voice.say(refusal.why), refusal.rule), []).append(name)
    return [Impossible(names, why, rule) for (why, rule), names in reasons.items()]


def ever_possible(impossible: Sequence[Impossible], parts: Parts, seat: str) -> list[Impossible]:
    """What the seat cannot do now and could at another time."""
    left = [([name for name in one.names if parts.can_ever(name, seat)], one.why, one.rule) for one in impossible]
    return [Impossible(*one) for one in left if one[0]]


def chosen_line(title: Title, state: object, filled: FilledTurn, section: str = "") -> str:
    """The line that is chosen in a section, or with "" where nothing folds away; "" for none.

    Ticked cards alone are enough where they belong to one action of the section only.
    """
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
        return pick  # a line that cannot be read, so that the reader hears of it
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


@cache
def _known_kinds(title_id: str, lang: str) -> dict[str, tuple[str, str]]:
    """Names and rules of the kinds of action that have been drawn so far."""
    return {}


class Chooser:
    """Draws what can be chosen for one reader of one page.

    On the own turn each kind folds up and is a section with its own button, so that nothing that cannot be seen is
    sent. An answer is chosen where all of it can be seen.
    """

    def __init__(
        self,
        parts: Parts,
        filled: FilledTurn,
        view: View,
        seat: str,
        voice: Voice,
        own_turn: bool,
        add: str = N_("Add to draft"),
        send: str = "",
    ) -> None:
        """`add` is the message on the button that adds what is chosen, `send` on the one that sends it at once."""
        assert voice.title is not None
        self._of = voice.title.id, voice.lang
        self._words: PageVoice = page_voice(*self._of)
        self._known = _known_kinds(voice.title.id, voice.lang)
        self._parts = parts
        self._filled = filled
        self._own_turn = own_turn
        self._add = self._words.gettext(add)
        self._send = self._words.gettext(send) if send else ""
        self._view = view
        self._seat = seat

    def kinds(self, kinds: Sequence[Kind]) -> Markup:
        """All that can be done: on the own turn a kind folds up, unless there are few or something in it is chosen."""
        ways = sum(kind.count for kind in kinds)
        few = len(kinds) == 1 or (len(kinds) <= FEW_KINDS and ways <= FEW_WAYS)
        shown = []
        for kind in kinds:
            name, rule = self._known.get(kind.name) or self._learn(kind.name)
            top = f'<p class="rule">{rule}</p>\n' if rule else ""
            if not self._own_turn:
                picks = self._filled.picks
                if ways == 1 and kind.options:
                    picks = {"": kind.options[0].line}
                inside = self._inside(kind, Section("", picks, self._add))
                shown.append(f'<fieldset class="kind"><legend>{name}</legend>\n{top}{inside}</fieldset>\n')
                continue
            is_open = " open" if few or self._is_chosen(kind) else ""
            many = kind.count > 1 and len(kinds) > 1
            count = self._words.ngettext("%(num)s way", "%(num)s ways", kind.count) if many else ""
            send = self._send if self._parts.completes(kind.name, self._view) else ""
            inside = self._inside(kind, Section(kind.name, self._filled.picks, self._add, send))
            shown.append(
                f'<details class="kind" aria-label="{name}"{is_open}>\n'
                f'<summary>{name} <span class="count">{count}</span></summary>\n{top}{inside}</details>\n'
            )
        return Markup("".join(shown))

    def _inside(self, kind: Kind, section: Section) -> str:
        """The ways of a kind, and its buttons."""
        if section.name and kind.count == 1 and kind.options and not self._parts.adds_by_itself(kind.name):
            one = kind.options[0]
            said = self._parts.option(one.data, one.line, self._view, self._seat)
            return f'<p class="only">{said}</p>\n{section.buttons(one.line)}'
        shown: list[str] = []
        if kind.options:
            shown.append(self._parts.options(kind.name, kind.options, section, self._view, self._seat))
        with_radio = not section.name or kind.count > 1
        shown += [self._choice(kind.name, choice, section, with_radio) for choice in kind.choices]
        if section.name and not self._parts.adds_by_itself(kind.name) and not self._folds_further(kind):
            if with_radio:
                shown.append(section.none(self._words.gettext("none of these")))
            shown.append(section.buttons())
        return "".join(shown)

    def _folds_further(self, kind: Kind) -> bool:
        """Whether its ways are sections themselves."""
        return self._parts.folds_further(kind.name, kind.options) and not kind.choices

    def _learn(self, kind: str) -> tuple[str, str]:
        """A kind's name and its rule in a sentence, as markup."""
        known = str(self._parts.kind_name(kind)), str(self._parts.kind_rule(kind))
        self._known[kind] = known
        return known

    def _is_chosen(self, kind: Kind) -> bool:
        picks, items = self._filled.picks, self._filled.items
        if any(items.get(choice.name) for choice in kind.choices):
            return True
        return any(pick and section.partition("/")[0] == kind.name for section, pick in picks.items())

    def _choice(self, kind: str, choice: FreeChoice, section: Section, with_radio: bool) -> str:
        parts, name = self._parts, choice.name
        if choice.least == choice.most:
            number = self._words.ngettext("choose %(num)s", "choose %(num)s", choice.least)
        else:
            number = self._words.gettext("choose %(least)s to %(most)s", least=choice.least, most=choice.most)
        head: str = parts.choice_head(kind, choice.about)
        if with_radio:
            picked = " checked" if section.picked == name else ""
            head = f'<label><input type="radio" name="{section.field}" value="{name}"{picked}> {head}</label>'
        ticked = self._filled.items.get(name, ())
        shown = [
            f'<fieldset class="choice"><legend>{head} <small>{number}</small></legend>\n<ul class="items">\n',
        ]
        for item in choice.items:
            said = parts.item(kind, choice.about, item)
            box = f'<input type="checkbox" name="{name}" value="{escape(item)}"{" checked" if item in ticked else ""}>'
            shown.append(f"<li><label>{box} {said}</label></li>\n")
        shown.append("</ul></fieldset>\n")
        return "".join(shown)

    def impossible(self, impossible: Sequence[Impossible]) -> Markup:
        """What cannot be done, with the reason, folded; nothing where all can be done."""
        if not impossible:
            return Markup()
        shown, many = [], sum([len(one.names) for one in impossible])
        for one in impossible:
            names = ", ".join([f"<b>{(self._known.get(name) or self._learn(name))[0]}</b>" for name in one.names])
            rule = f" <small>{rule_texts.cited(*self._of, one.rule)}</small>" if one.rule else ""
            said = self._words.gettext("%(who)s: %(why)s", who=names, why=escape(one.why))
            shown.append(f"<li>{said}{rule}</li>\n")
        head = self._words.gettext("Not possible now")
        summary = f'<summary>{head} <span class="count">{many}</span></summary>'
        return Markup(f'<details class="kind">{summary}\n<ul class="not-now">\n{"".join(shown)}</ul></details>\n')
