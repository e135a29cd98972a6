"""Choosing an action by touching its parts in any order: what still fits, what can come next, what is chosen.

Everything follows from the title's own list of legal actions and from the parts of each
(`app.titles.pages.PlainPages.touches`). A selection is a list of touches as they stand in an address; nothing is
stored anywhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice
from typing import Any

from app.titles.contract import KIND, ActionPart, TitlePages
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Text
from engine.kernel.title import Choice, Title

MOST_TOUCHES, LONGEST_TOUCH = 40, 200
MOST_TRIED = 5_000
"""The number of subsets tried to find out whether a pick can still become an allowed one."""
FEW = 8
"""Up to this many ways of a kind are offered at once, with the kind itself, when several kinds are left."""


def touches_in(given: Iterable[str]) -> tuple[str, ...]:
    """Return the touches in the values of an address's `at`; far too many or too long ones are cut off."""
    found = [token for part in given for token in part.split(",") if token]
    return tuple([token[:LONGEST_TOUCH] for token in found[:MOST_TOUCHES]])


@dataclass(frozen=True)
class TouchOption:
    """Something that can be done: an action, or a choice with a free subset of items."""

    touches: tuple[ActionPart, ...]
    action: Any = None
    choice: Choice | None = None
    items: tuple[ActionPart, ...] = ()
    """What can be picked in a choice."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The item for each of their values."""

    @property
    def item(self) -> object:
        """The title's list entry for it."""
        return self.action if self.choice is None else self.choice

    @property
    def kind(self) -> str:
        """Its kind of action."""
        return self.touches[0].value

    @cached_property
    def tokens(self) -> frozenset[str]:
        """Every touch that is a part of it, with and without its role."""
        return frozenset([token for touch in (*self.touches, *self.items) for token in (touch.token, touch.loose)])

    def fit(self, tokens: Sequence[str]) -> Fit | None:
        """Return how it takes up these touches; None if one of them is not part of it."""
        if not tokens:  # as on every page that is opened: nothing new can be found
            return Fit(self, self.touches, (), self.items)
        if not self.tokens.issuperset(tokens):
            return None
        left, loose = list(self.touches), []
        for token in tokens:
            at = next((n for n, touch in enumerate(left) if touch.token == token), None)
            if at is None:
                loose.append(token)
            else:
                del left[at]
        picked: list[ActionPart] = []
        free = list(self.items)
        for token in loose:
            at = next((n for n, touch in enumerate(left) if touch.loose == token), None)
            if at is not None:
                del left[at]
                continue
            at = next((n for n, touch in enumerate(free) if token in (touch.token, touch.loose)), None)
            if at is None:
                return None
            picked.append(free.pop(at))
        fit = Fit(self, tuple(left), tuple(picked), tuple(free))
        return fit if not picked or fit.can_grow() else None


@dataclass(frozen=True, slots=True)
class Fit:
    """A way that takes up everything touched so far."""

    way: TouchOption
    left: tuple[ActionPart, ...]
    """Its parts that have not been touched."""
    picked: tuple[ActionPart, ...]
    """The items of a choice that have been touched."""
    free: tuple[ActionPart, ...]
    """The items that have not."""

    def items(self, parts: Iterable[ActionPart]) -> list[str]:
        """Return the items that these parts stand for."""
        return [self.way.names[part.value] for part in parts]

    def can_grow(self, more: Sequence[ActionPart] = ()) -> bool:
        """Return whether what is picked, with these, is allowed or can become so by picking more."""
        choice = self.way.choice
        assert choice is not None
        picked = self.items((*self.picked, *more))
        if choice.allows(picked):
            return True
        others = Counter(self.items(self.free))
        others.subtract(self.items(more))
        rest = sorted(others.elements())
        room = choice.most - len(picked)
        tried = (extra for n in range(1, room + 1) for extra in combinations(rest, n))
        return any(choice.allows([*picked, *extra]) for extra in islice(tried, MOST_TRIED))

    def open_items(self) -> tuple[ActionPart, ...]:
        """Return the items that can be picked next, each different one once."""
        different = dict.fromkeys(self.free)
        return tuple([touch for touch in different if self.can_grow((touch,))])


@dataclass(frozen=True, slots=True)
class NextTouch:
    """Something to touch next."""

    touch: ActionPart
    at: str
    """The selection with it, as it stands in an address."""
    ways: int
    """How many ways it leaves open."""
    only: TouchOption | None = None
    """The remaining way, if it is a single one that asks nothing more."""


@dataclass(frozen=True, slots=True)
class Group:
    """Offers for one kind of action, when several kinds are left."""

    kind: NextTouch
    role: str
    """The subject of its next question; "" for none."""
    offers: tuple[NextTouch, ...]
    """What its next question offers, if that is little; else it is asked once the kind is chosen."""


@dataclass(frozen=True, slots=True)
class Question:
    """The next question, and the answers."""

    role: str
    offers: tuple[NextTouch, ...]


class Choosing:
    """Everything that the deciding seat may do in a state, by its parts."""

    def __init__(self, title: Title, pages: TitlePages, state: object) -> None:
        self._title = title
        self._state = state
        self.ways = tuple([_way(title, pages, state, item) for item in title.legal(state)])

    def at(self, tokens: Sequence[str]) -> Selection:
        """Return the selection of these touches, leaving out those that do not go with the ones before them."""
        kept: list[str] = []
        dropped: list[str] = []
        fits = self._fits(self.ways, ())
        for token in tokens:
            still = self._fits([fit.way for fit in fits], (*kept, token))
            if still:
                kept.append(token)
                fits = still
            else:
                dropped.append(token)
        return Selection(self, tuple(kept), tuple(dropped), tuple(fits))

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of action that are possible."""
        return frozenset([way.kind for way in self.ways])

    def line(self, action: object) -> str:
        """Return the line of notation of an action."""
        return self._title.write(self._state, action)

    @staticmethod
    def _fits(ways: Iterable[TouchOption], tokens: Sequence[str]) -> list[Fit]:
        found = [way.fit(tokens) for way in ways]
        return [fit for fit in found if fit is not None]

    @cached_property
    def loose(self) -> Mapping[str, str]:
        """Map every touch with a role to the one without."""
        return {touch.token: touch.loose for way in self.ways for touch in (*way.touches, *way.items)}

    @cached_property
    def known(self) -> Mapping[str, ActionPart]:
        """Everything that can be touched in some selection; a touch that does not say what it is for has no role."""
        every = dict.fromkeys([touch for way in self.ways for touch in (*way.touches, *way.items)])
        loose = {touch.loose: ActionPart("", touch.value, touch.noun) for touch in every if touch.noun}
        return loose | {touch.token: touch for touch in every}


class Selection:
    """What has been touched, what it means and what can follow."""

    def __init__(
        self, choosing: Choosing, touched: tuple[str, ...], dropped: tuple[str, ...], fits: tuple[Fit, ...]
    ) -> None:
        self._choosing = choosing
        self.touched = touched
        self.dropped = dropped
        self.fits = fits

    # -- addresses ----------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """It as it stands in an address."""
        return ",".join(self.touched)

    def toggled(self, token: str) -> str:
        """Return the selection in an address once this is touched: without it if it was already touched, with it if it
        fits, else with whatever goes together with it, if need be in another role than before."""
        if not self.touched:  # nothing to give up for it: it goes with no way at all, or is the first
            return token if token in self.open else ""
        touched = self.touched_as(token)
        if touched:
            return self.without(touched)
        if token in self.open:
            return ",".join((*self.touched, token))
        given: list[str] = []
        for one in self.touched:
            loose = self._choosing.loose.get(one, one)
            fits = one not in self._choosing.at((token, *given, one)).dropped
            given.append(one if fits else loose)
        kept = self._choosing.at((token, *given)).touched
        return ",".join((*kept[1:], *kept[:1])) if token in kept else self.address

    def touched_as(self, token: str) -> str:
        """Return the touch by which this is part of the selection, with or without its role; "" for none."""
        loose = self._choosing.loose
        return next((one for one in self.touched if token in (one, loose.get(one))), "")

    def without(self, token: str) -> str:
        """Return the selection in an address with this touch taken back."""
        left = list(self.touched)
        if token in left:
            left.remove(token)
        return ",".join(left)

    # -- what is left -------------------------------------------------------------------------------

    @cached_property
    def open(self) -> Mapping[str, int]:
        """Return, for everything that can be touched next and goes with what has been touched, how many ways it
        leaves."""
        ways: Counter[str] = Counter()
        for fit in self.fits:
            here = {token for touch in fit.left for token in (touch.token, touch.loose)}
            if fit.way.choice is not None:
                here |= {token for touch in fit.open_items() for token in (touch.token, touch.loose)}
            ways.update(here)
        return ways

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of action that are left, in the title's order."""
        return tuple(dict.fromkeys([fit.way.kind for fit in self.fits]))

    @cached_property
    def settled(self) -> tuple[ActionPart, ...]:
        """The parts that all remaining ways have in common: touched, or left as the only answer; picked items last."""
        return (*in_common(self.fits), *(self.fits[0].picked if len(self.fits) == 1 else ()))

    @cached_property
    def question(self) -> Question | None:
        """The first part that is not settled, with its answers; None if one way is left, or several kinds."""
        if len(self.fits) < 2 or len(self.kinds) > 1:
            return None
        return self._question_of(self.fits)

    def _question_of(self, fits: Sequence[Fit], before: Sequence[ActionPart] = ()) -> Question:
        role, values = next((role, values) for role in _roles(fits) if len(values := _values(fits, role)) > 1)
        offers = [self._offer(touch, self.with_touches((*before, touch)), ways) for touch, ways in values.items()]
        return Question(role, tuple(offers))

    def with_touches(self, touches: Iterable[ActionPart]) -> str:
        """Return the selection in an address with these additional touches, which must go with it. Touches without a
        role get theirs now."""
        given = list(self.touched)
        for touch in touches:
            if touch.token in given:
                continue
            if touch.loose in given:
                given[given.index(touch.loose)] = touch.token
            else:
                given.append(touch.token)
        return ",".join(given)

    def with_item(self, touch: ActionPart) -> str:
        """Return the selection in an address with one more item of a free choice."""
        return ",".join((*self.touched, touch.token))

    def _offer(self, touch: ActionPart, at: str, ways: Sequence[Fit]) -> NextTouch:
        only = ways[0].way if len(ways) == 1 and ways[0].way.choice is None else None
        return NextTouch(touch, at, len(ways), only)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """What can be done of each kind, when several are left."""
        found = []
        for kind in self.kinds if len(self.kinds) > 1 else ():
            fits = [fit for fit in self.fits if fit.way.kind == kind]
            touch = fits[0].way.touches[0]
            offer = self._offer(touch, self.with_touches((touch,)), fits)
            asked = self._question_of(fits, (touch,)) if len(fits) > 1 else Question("", ())
            found.append(Group(offer, asked.role, asked.offers if len(asked.offers) <= FEW else ()))
        return tuple(found)

    # -- one way is left ----------------------------------------------------------------------------

    @property
    def only(self) -> Fit | None:
        """The way that is left, if it is a single one."""
        return self.fits[0] if len(self.fits) == 1 else None

    @cached_property
    def action(self) -> object:
        """The chosen action; None while something is still asked. A picked free choice counts as soon as it is allowed,
        although more could be picked."""
        only = self.only
        if only is None:
            return None
        choice = only.way.choice
        if choice is None:
            return only.way.action
        picked = only.items(only.picked)
        if choice.allows(picked):
            return choice.action(picked)
        all_there_is = only.items((*only.picked, *only.free))
        if choice.least == len(all_there_is) and choice.allows(all_there_is):
            return choice.action(all_there_is)
        return None

    @cached_property
    def line(self) -> str:
        """The line of notation for what is chosen; "" while something is still asked."""
        return "" if self.action is None else self._choosing.line(self.action)


def chosen_line(title: Title, pages: TitlePages, state: object, tokens: Sequence[str]) -> str:
    """Return the line of what has been touched in a state. `IllegalAction` if something is still to be chosen, or does
    not fit."""
    selection = Choosing(title, pages, state).at(tokens)
    if selection.dropped:
        raise IllegalAction("touch.apart", Text("These cannot be chosen together, so nothing was added or sent."))
    if not selection.line:
        raise IllegalAction("touch.open", Text("Something is still asked here, so nothing was added or sent."))
    return selection.line


def in_common(fits: Sequence[Fit]) -> list[ActionPart]:
    """Return the parts that all these ways have."""
    if not fits:
        return []
    first, *others = fits
    return [touch for touch in first.way.touches if all(touch in fit.way.touches for fit in others)]


def _way(title: Title, pages: TitlePages, state: object, item: object) -> TouchOption:
    touches = pages.touches(title, state, item)
    if not isinstance(item, Choice):
        return TouchOption(touches, action=item)
    items = {one: pages.item_touch(item, one) for one in item.items}
    names = {part.value: one for one, part in items.items()}
    return TouchOption(touches, choice=item, items=tuple([items[one] for one in item.items]), names=names)


def _roles(fits: Sequence[Fit]) -> list[str]:
    """Return the parts that the ways have, in the order in which they are asked."""
    return list(dict.fromkeys([touch.role for fit in fits for touch in fit.way.touches if touch.role != KIND]))


def _values(fits: Sequence[Fit], role: str) -> dict[ActionPart, list[Fit]]:
    """Return the ways by what they have in a role."""
    found: dict[ActionPart, list[Fit]] = {}
    for fit in fits:
        for touch in fit.way.touches:
            if touch.role == role:
                found.setdefault(touch, []).append(fit)
    return found
