"""R3.5, R3.6 Drawing and shuffling."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.effects import Happenings
from engine.acres.state import State


def can_draw(state: State, seat: str, *, reshuffle: bool) -> bool:
    """Return whether there is a card to draw, from the deck or, with `reshuffle`, from the discard pile."""
    player = state.players[seat]
    return bool(player.draw) or (reshuffle and bool(player.discard))


def draw(happened: Happenings, seat: str, count: int, *, reshuffle: bool = True) -> None:
    """Draw up to `count` cards into the hand.

    Without `reshuffle` only what is in the deck now is drawn. The edition says whether to shuffle when needed or at
    once (R3.6).
    """
    at_once = happened.state.edition.reshuffle_at_once
    if not reshuffle:
        count = min(count, len(happened.state.players[seat].draw))
    while count > 0:
        deck = happened.state.players[seat].draw
        if not deck:
            if not happened.state.players[seat].discard:
                return
            _shuffle(happened, seat)
            continue
        cards = deck[:count]
        count -= len(cards)
        happened.add(ev.Drew(seat, len(cards), cards))
        if at_once and len(cards) == len(deck) and happened.state.players[seat].discard:
            _shuffle(happened, seat)


def _shuffle(happened: Happenings, seat: str) -> None:
    # Sorted, so that the outcome cannot depend on the order in which the cards were discarded.
    pile = tuple(sorted(happened.state.players[seat].discard))
    happened.add(ev.Shuffled(seat, len(pile), happened.shuffle(seat, pile)))
