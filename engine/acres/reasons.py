"""Why not here, why not with this: for a place, and for a card in the seat's hand, the kinds of action that it can take
part in now, and why not the others. The reasons are the bars by which actions are listed and judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from engine.acres import building, raids, settling, sieges
from engine.acres.actions import HAND, Block, Develop, Fortify, Lose, Occupy, cards_named, places_named
from engine.acres.choices import CardChoice
from engine.acres.data import Card
from engine.acres.position import Position
from engine.acres.routes import why_no_route
from engine.acres.rules import KINDS, Kind, decision, is_ever, judge, legal
from engine.acres.state import State
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text
from engine.kernel.title import Decision


class Reasons(NamedTuple):
    """The kinds of action, in the order of the rules."""

    can: tuple[str, ...]
    """Those with a legal action that involves the place or the card."""
    cannot: tuple[tuple[str, IllegalAction], ...]
    """Others in which it could take part at another time, each with the reason why not now."""


NO_REASONS = Reasons((), ())


def of_place(state: State, place: str) -> Reasons:
    """Return the reasons for the seat on turn; nothing while a seat owes an answer."""
    position = _position(state)
    if position is None:
        return NO_REASONS
    can = {name for name, actions in _legal_by_kind(state).items() if any(_is_at(one, place) for one in actions)}
    cannot = []
    for kind in KINDS:
        bar = _AT_PLACE.get(kind.name)
        if bar is not None and kind.name not in can:
            cannot.append((kind.name, bar(position, place) or _none(position, kind, place)))
    return Reasons(_in_order(can), tuple(cannot))


def of_card(state: State, card: str) -> Reasons:
    """Return the reasons for a card in the deciding seat's hand: in its own turn, or as an answer to what it is
    asked."""
    due = decision(state)
    if due is not None and due.kind != "action":
        return _as_answer(state, due, card)
    position = _position(state)
    if position is None or card not in position.me.hand:
        return NO_REASONS
    can = {name for name, actions in _legal_by_kind(state).items() if any(_has(one, card) for one in actions)}
    unusable = position.why_unusable(card)
    cannot = [
        (kind.name, unusable if unusable and kind.name in _USES else _none(position, kind))
        for kind in KINDS
        if kind.name not in can and is_ever(kind, position.seat) and _could(kind.name, position.kinds[card])
    ]
    return Reasons(_in_order(can), tuple(cannot))


def _as_answer(state: State, due: Decision, card: str) -> Reasons:
    """Return what a card can answer, and why not otherwise: the refusals that those answers would get."""
    if card not in state.players[due.seat].hand:
        return NO_REASONS
    place = state.question.place if state.question else state.sieges[state.due[0]].place
    can, cannot = [], []
    for name, action in _ANSWERS_WITH[due.kind](place, card):
        try:
            judge(state, due.seat, action)
        except IllegalAction as bar:
            cannot.append((name, bar))
        else:
            can.append(name)
    return Reasons(tuple(can), tuple(cannot))


_ANSWERS_WITH: dict[str, Callable[[str, str], list[tuple[str, Any]]]] = {
    "raid": lambda place, card: [("block", Block(card))],
    "ambush": lambda place, card: [("block", Block(card)), ("lose", Lose(card, HAND))],
    "convert": lambda place, card: [("lose", Lose(card, HAND))],
    "siege-loss": lambda place, card: [("lose", Lose(card, place))],
    "conquest": lambda place, card: [("occupy", Occupy(place, card))],
}
"""The answers that a card in the hand could take part in, by what is asked, for the place in question."""


def _position(state: State) -> Position | None:
    due = decision(state)
    return Position(state, due.seat) if due is not None and due.kind == "action" else None


def _legal_by_kind(state: State) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    names = {action: kind.name for kind in KINDS for action in kind.actions}
    for item in legal(state):
        name = item.kind if isinstance(item, CardChoice) else names.get(type(item))
        if name is not None:
            found.setdefault(name, []).append(item)
    return found


def _in_order(names: set[str]) -> tuple[str, ...]:
    return tuple(kind.name for kind in KINDS if kind.name in names)


def _is_at(item: Any, place: str) -> bool:
    if isinstance(item, CardChoice):
        return item.kind == "raid" and item.about == place
    return place in places_named(item)


def _has(item: Any, card: str) -> bool:
    if isinstance(item, CardChoice):
        return card in item.items or (item.kind != "raid" and item.about == card)
    # Developing or fortifying also plays the place's own card.
    return card in cards_named(item) or (type(item) in _PLAYS_ITS_CARD and card in places_named(item))


_PLAYS_ITS_CARD = (Develop, Fortify)


def _none(position: Position, kind: Kind, place: str = "") -> IllegalAction:
    """Return why nothing of a kind can be done when no bar applies at the place or to the card."""
    if not position.state.actions_left and kind.legal(position):
        return IllegalAction("turn.no_action_left", Text("Your actions are used up."), rule="R3.1")
    if kind.why_not is not None and not kind.legal(position):
        return kind.why_not(position)
    if place:
        return IllegalAction(
            f"{kind.name}.no_card", Text("The cards in your hand do not serve for it."), rule=kind.rule
        )
    return IllegalAction(f"{kind.name}.not_with", Text("Nothing in your hand goes with it for that."), rule=kind.rule)


# -- places ---------------------------------------------------------------------------------------

_Look = Callable[[Position, str], IllegalAction | None]


def _way(verb: str, rule: str) -> _Look:
    """Return why no card in the hand leads there."""

    def look(position: Position, place: str) -> IllegalAction | None:
        unconnected = Text("No usable card in your hand leads to {place}.", place=Name("place", place))
        return why_no_route(position, lambda _, other: other != place, verb, rule, unconnected)

    return look


def _its_card(position: Position, place: str) -> IllegalAction | None:
    """Bar an action unless the place's own card is in the hand and usable."""
    if place not in position.me.hand:
        return IllegalAction(
            "card.not_in_hand", Text("{card} is not in your hand.", card=Name("card", place)), rule="R1.5"
        )
    return position.why_unusable(place)


def _first(*looks: _Look) -> _Look:
    return lambda position, place: next((bar for look in looks if (bar := look(position, place))), None)


def _besieging(position: Position, place: str) -> IllegalAction | None:
    if sieges.NOT_BESIEGED.stops(position, place):
        return sieges.NOT_BESIEGED.refusal(position, place)
    return sieges.BESIEGING.refusal(position) if sieges.BESIEGING.stops(position) else None


def _no_siege(position: Position, place: str) -> IllegalAction | None:
    return sieges.NO_SIEGE.refusal(position, place) if sieges.NO_SIEGE.stops(position, place) else None


_AT_PLACE: dict[str, _Look] = {
    "settle": _first(settling.NOT_SETTLED.first, _way("settle", "R5.1")),
    "develop": _first(building.NOT_DEVELOPED.first, _its_card),
    "fortify": _first(building.NOT_FORTIFIED.first, _its_card),
    "besiege": _first(_besieging, _way("besiege", "R7.1")),
    "reinforce": _no_siege,
    "raid": raids.NOT_RAIDED.first,
}
"""What can be done at a place, and what bars it there."""


# -- cards ----------------------------------------------------------------------------------------

_USES = frozenset(
    ("settle", "develop", "fortify", "besiege", "reinforce", "money", "merchant", "trade", "piracy", "raid", "ambush")
)
"""Kinds for which a card has to be usable (R4.1); any card can be discarded or sent back."""


def _could(name: str, card: Card) -> bool:
    """Return whether a card has what a kind of action needs from one of its cards."""
    carries = card.bateaux or card.ship or card.wagon
    asked = {
        "settle": bool(card.reaches) or carries or card.settler,
        "develop": card.settler or card.location,
        "fortify": card.is_fortification or card.location,
        "besiege": bool(card.reaches) or carries or bool(card.siege),
        "reinforce": bool(card.siege),
        "raid": card.raids or card.adds_raid_range,
        "ambush": card.ambushes,
        "convert": card.action == "convert",
        "money": bool(card.coins),
        "merchant": card.ship or bool(card.coins),
        "trade": card.fur or card.action == "trade",
        "piracy": card.ship,
        "reserve": True,
        "discard": True,
        "govern": card.action == "govern",
        "intendant": card.action == "intendant",
        "home-support": card.action == "home-support",
    }
    return asked.get(name, False)
