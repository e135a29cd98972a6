"""R2: the state before the first turn."""

from __future__ import annotations

from engine.acres import data
from engine.acres import events as ev
from engine.acres.data import NEUTRAL, SEATS, TOWN, VILLAGE
from engine.acres.editions import kept_options
from engine.acres.state import Board, Cards, Holding, Player, State


def opened(_: None, event: ev.Opened) -> State:
    edition = kept_options(event.options)
    players, holdings = {}, {}
    for place in data.PLACES.values():
        if place.owner is not None and place.piece is not None:
            holdings[place.id] = Holding(place.owner, place.piece)
    for seat in SEATS:
        mine = [holding.piece for holding in holdings.values() if holding.owner == seat]
        players[seat] = Player(
            money=data.FIRST_MONEY[seat],
            hand=tuple(sorted(event.hands[seat])),
            draw=tuple(event.draws[seat]),
            discard=(),
            reserve=(),
            locations=tuple(sorted(c.id for c in data.ALL_CARDS if c.home == seat and c.location and not c.initial)),
            empire=_on_offer(seat),
            villages=data.VILLAGES[seat] - mine.count(VILLAGE),
            towns=data.TOWNS[seat] - mine.count(TOWN),
            captured_villages=0,
            captured_towns=0,
        )
    return State(
        edition=edition,
        turn=0,
        on_turn=SEATS[0],
        actions_left=0,
        question=None,
        due=(),
        two_due=False,
        players=players,
        neutral=_on_offer(NEUTRAL),
        board=Board(holdings),
        sieges={},
        outcome=None,
    )


def _on_offer(home: str) -> Cards:
    """Return the empire cards on offer when the game begins: all but those of an initial deck (R2.3)."""
    return tuple(
        sorted(c.id for c in data.ALL_CARDS if c.home == home and c.empire for _ in range(c.copies - c.initial))
    )
