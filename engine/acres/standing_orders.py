"""Answers given ahead of time: which answer standing orders give.

Standing orders are lines such as

    raid on pemaquid: block with any except rangers
    raid: allow
    ambush: block with militia, native-americans
    ambush: lose militia, regular-infantry from reserve
    convert: lose from reserve
    siege of louisbourg: lose militia
    conquest of halifax: occupy with boston, settlers
    ambush: ask

The first line that fits the question and gives a legal answer decides; `ask` stops the search. `allow` to an ambush
means not to block; if more than one card could be lost, the next lines choose it. `engine.acres.foreseeing` says what a
seat can order now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.acres import actions as act
from engine.acres.rules import decision, legal
from engine.acres.state import State

ASK, ALLOW, BLOCK, LOSE, OCCUPY, LEAVE = "ask", "allow", "block", "lose", "occupy", "leave"
QUESTIONS = {  # the word of the line → the kind of decision and what may be ordered
    "raid": ("raid", (ASK, ALLOW, BLOCK)),
    "ambush": ("ambush", (ASK, ALLOW, BLOCK, LOSE)),
    "convert": ("convert", (ASK, LOSE)),
    "siege": ("siege-loss", (ASK, LOSE)),
    "conquest": ("conquest", (ASK, OCCUPY, LEAVE)),
}
_WORD_OF = {kind: word for word, (kind, _) in QUESTIONS.items()}


@dataclass(frozen=True, slots=True)
class Order:
    """One line. Empty `places` means everywhere. `cards` are in order of preference, empty for any; a card may carry a
    source."""

    word: str
    do: str
    places: tuple[str, ...] = ()
    cards: tuple[tuple[str, str], ...] = ()
    """Card and where it comes from (HAND, RESERVE or "" for either); the card is "" for `lose from reserve`."""
    never: tuple[str, ...] = ()
    """Cards never to be used: `any except ...`."""


StandingOrders = tuple[Order, ...]


# -- picking the answer ---------------------------------------------------------------------------


def answer(state: State, seat: str, orders: StandingOrders) -> act.Action | None:
    """Return the answer that the orders give to this seat's question; None if the seat must be asked."""
    due = decision(state)
    if due is None or due.seat != seat or due.kind == "action":
        return None
    word = _WORD_OF[due.kind]
    place = state.question.place if state.question else state.sieges[state.due[0]].place
    choices = legal(state)
    for order in orders:
        if order.word != word or (order.places and place not in order.places):
            continue
        if order.do == ASK:
            return None
        found: act.Action | None = _PICK[order.do](order, choices)
        if found is not None:
            return found
    return None


def _allow(order: Order, choices: list[Any]) -> Any | None:
    unblocked = [choice for choice in choices if not isinstance(choice, act.Block)]
    return unblocked[0] if len(unblocked) == 1 else None


def _block(order: Order, choices: list[Any]) -> Any | None:
    blocks = {choice.card: choice for choice in choices if isinstance(choice, act.Block)}
    wanted = [card for card, _ in order.cards] or list(blocks)
    return next((blocks[card] for card in wanted if card in blocks and card not in order.never), None)


def _lose(order: Order, choices: list[Any]) -> Any | None:
    losable = [choice for choice in choices if isinstance(choice, act.Lose)]
    for card, source in order.cards or (("", ""),):
        for choice in losable:
            if card in ("", choice.card) and source in ("", choice.source) and choice.card not in order.never:
                return choice
    return None


def _occupy(order: Order, choices: list[Any]) -> Any | None:
    ways = {choice.settler: choice for choice in choices if isinstance(choice, act.Occupy)}
    if None in ways:
        return ways[None]
    wanted = [card for card, _ in order.cards] or [card for card in ways if card is not None]
    return next((ways[card] for card in wanted if card in ways and card not in order.never), None)


def _leave(order: Order, choices: list[Any]) -> Any | None:
    return next((choice for choice in choices if isinstance(choice, act.Leave)), None)


_PICK = {ALLOW: _allow, BLOCK: _block, LOSE: _lose, OCCUPY: _occupy, LEAVE: _leave}
