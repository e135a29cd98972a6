"""R3.5, R3.6 Drawing and shuffling."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.happening import Happenings
from engine.acres.state import State


def can_draw(state: State, seat: str, *, reshuffle: bool) -> bool:
    """Whether there is a card to draw, from the deck or, with `reshuffle`, from the discard pile."""
    player = state.players[seat]
    return bool(player.draw) or (reshuffle and bool(player.discard))


def draw(h: Happenings, seat: str, count: int, *, reshuffle: bool = True) -> None:
    """Up to `count` cards come into the hand.

    Without `reshuffle` only what is in the deck now is drawn. Shuffling on need or at once is the edition's (R3.6).
    """
    at_once = h.state.edition.reshuffle_at_once
    if not reshuffle:
        count = min(count, len(h.state.players[seat].draw))
    while count > 0:
        deck = h.state.players[seat].draw
        if not deck:
            if not h.state.players[seat].discard:
                return
            _shuffle(h, seat)
            continue
        cards = deck[:count]
        count -= len(cards)
        h.add(ev.Drew(seat, len(cards), cards))
        if at_once and len(cards) == len(deck) and h.state.players[seat].discard:
            _shuffle(h, seat)


def _shuffle(h: Happenings, seat: str) -> None:
    # Sorted, so that the outcome cannot depend on the order in which the cards were discarded.
    pile = tuple(sorted(h.state.players[seat].discard))
    h.add(ev.Shuffled(seat, len(pile), h.shuffle(seat, pile)))
