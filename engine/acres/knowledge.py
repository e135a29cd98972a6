"""Who may know what (R1.5): hands belong to their owners, decks to nobody; everything else is open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

from engine.acres import events as ev
from engine.acres.data import OTHER, SEATS
from engine.acres.editions import switches
from engine.acres.ending import score
from engine.acres.management import HOME_SUPPORT
from engine.acres.rules import decision
from engine.acres.state import Cards, Player, State, siege_half

FEW_HANDS = 250
"""Up to this many possible hands of another seat are all examined; beyond it, those that differ in what matters."""
FREE_STEPS = (HOME_SUPPORT, "military-leader")
"""Cards that continue a turn when its actions are used up (R3.8): ending at once shows that they are not there."""


def view(state: State, seat: str | None) -> dict[str, Any]:
    """Return what a seat, or a spectator (None), may know.

    Cards that a player could work out by counting are included: `unseen` is what lies in hand and deck together (for
    the seat itself, in the deck), sorted. It follows from the open zones, as every card is somewhere.
    """
    due = decision(state)
    outcome = state.outcome
    return {
        "seat": seat,
        "edition": state.edition.edition,
        "switches": switches(state.edition),
        "turn": state.turn,
        "on_turn": state.on_turn,
        "actions_left": state.actions_left,
        "decision": None if due is None else {"seat": due.seat, "kind": due.kind, "place": _asked_place(state)},
        "two_sieges_end": state.two_due,
        "seats": {side: _side(state, side, own=side == seat) for side in SEATS},
        "neutral": list(state.neutral),
        "board": {
            place: {"owner": holding.owner, "piece": holding.piece, "fort": holding.fort}
            for place, holding in sorted(state.board.holdings.items())
        },
        "sieges": [
            {"attacker": attacker, "place": siege.place, "strength": siege.strength}
            for attacker, siege in sorted(state.sieges.items())
        ],
        "score": score(state),
        "outcome": None
        if outcome is None
        else {
            "winners": list(outcome.winners),
            "reason": outcome.reason,
            "scores": dict(outcome.scores),
            **{key: list(value) if isinstance(value, tuple) else value for key, value in outcome.detail.items()},
        },
    }


def _asked_place(state: State) -> str | None:
    if state.question is not None:
        return state.question.place or None
    return state.sieges[state.due[0]].place if state.due else None


def _side(state: State, side: str, *, own: bool) -> dict[str, Any]:
    player: Player = state.players[side]
    return {
        "money": player.money,
        "hand": list(player.hand) if own else None,
        "hand_count": len(player.hand),
        "deck_count": len(player.draw),
        "unseen": sorted(player.draw if own else player.draw + player.hand),
        "discard": list(player.discard),
        "reserve": list(player.reserve),
        "locations": list(player.locations),
        "empire": list(player.empire),
        "siege": {
            attacker: sorted(siege_half(siege, attacker, side)) for attacker, siege in sorted(state.sieges.items())
        },
        "villages": player.villages,
        "towns": player.towns,
        "captured_villages": player.captured_villages,
        "captured_towns": player.captured_towns,
    }


_PARTLY_HIDDEN = frozenset((ev.Opened, ev.Shuffled, ev.Drew, ev.HandShown))


def seen_by(event: Any, seat: str | None) -> Any:
    """Return the event as the seat sees it, without what it may not see."""
    if type(event) not in _PARTLY_HIDDEN:
        return event
    if isinstance(event, ev.Opened):
        hands = {side: cards for side, cards in event.hands.items() if side == seat}
        return replace(event, hands=hands, draws={})
    if isinstance(event, ev.Shuffled):
        return replace(event, cards=())
    if isinstance(event, ev.Drew) and event.seat != seat:
        return replace(event, cards=())
    if isinstance(event, ev.HandShown) and seat not in (event.seat, OTHER[event.seat]):
        return replace(event, cards=())
    return event


# -- what a seat takes for possible ----------------------------------------------------------------


def worlds(state: State, seat: str) -> Iterator[State]:
    """Yield other states with the same view for the seat; see `engine.kernel.title.Title.worlds`.

    Another card on top of its own deck, and other hands of its opponent: without each card and with as many of it as
    possible, without those of `FREE_STEPS`, and with a Military Leader beside each card that may reinforce.
    """
    own = state.players[seat]
    other_top = next((n for n, card in enumerate(own.draw) if card != own.draw[0]), None)
    if other_top is not None:
        draw = (own.draw[other_top], *own.draw[:other_top], *own.draw[other_top + 1 :])
        yield _with(state, seat, own._replace(draw=draw))
    other = OTHER[seat]
    player = state.players[other]
    unseen = tuple(sorted(player.hand + player.draw))
    looked_at = {player.hand}
    for hand in _hands(unseen, len(player.hand)):
        if hand not in looked_at:
            looked_at.add(hand)
            left = Counter(unseen)
            left.subtract(hand)
            yield _with(state, other, player._replace(hand=hand, draw=tuple(sorted(left.elements()))))


def _with(state: State, seat: str, player: Player) -> State:
    return state._replace(players={**state.players, seat: player})


def _hands(unseen: Cards, size: int) -> Iterator[Cards]:
    """Yield sorted hands of this size from these cards, some more than once. Hands without a card come first: what has
    been played from a hand was in it, so they show soonest that this was not known."""
    cards = dict.fromkeys(unseen)
    for card in cards:
        yield _hand(unseen, size, last=(card,))
    if comb(len(unseen), size) <= FEW_HANDS:
        yield from combinations(unseen, size)
        return
    yield _hand(unseen, size, last=FREE_STEPS)
    for card in cards:
        yield _hand(unseen, size, first=(card,))
        yield _hand(unseen, size, first=(FREE_STEPS[1], card))


def _hand(unseen: Cards, size: int, *, first: Cards = (), last: Cards = ()) -> Cards:
    """Return a hand that takes some cards first, or only when no others are left."""
    return tuple(sorted(sorted(unseen, key=lambda card: (card in last) - (card in first))[:size]))
