"""What must hold in every state: cards, pieces and forts are conserved. For tests and the simulator."""

from __future__ import annotations

from collections import Counter

from engine.acres.data import ALL_CARDS, FORTS, NEUTRAL, SEATS, TOWN, TOWNS, VILLAGE, VILLAGES
from engine.acres.state import State, siege_half


def cards_in_play(state: State) -> Counter[tuple[str, str]]:
    """Every card with its home (a side or NEUTRAL), wherever it is."""
    found: Counter[tuple[str, str]] = Counter((NEUTRAL, card) for card in state.neutral)
    homes = {(card.home, card.id) for card in ALL_CARDS}
    for seat in SEATS:
        player = state.players[seat]
        zones = [player.hand, player.draw, player.discard, player.reserve, player.locations, player.empire]
        zones += [siege_half(siege, attacker, seat) for attacker, siege in state.sieges.items()]
        for zone in zones:
            for card in zone:
                found[(seat, card) if (seat, card) in homes else (NEUTRAL, card)] += 1
    return found


def all_cards(state: State) -> Counter[tuple[str, str]]:
    """The cards that the edition has (R1.10, D1)."""
    return Counter(
        {
            (card.home, card.id): card.copies
            for card in ALL_CARDS
            if not card.only_with or getattr(state.edition, card.only_with)
        }
    )


def check_invariants(state: State) -> None:
    """Raise AssertionError when something does not add up."""
    assert cards_in_play(state) == all_cards(state), cards_in_play(state) - all_cards(state)
    held = list(state.board.holdings.values())
    for seat in SEATS:
        player, enemy = state.players[seat], state.players[SEATS[1 - SEATS.index(seat)]]
        pieces = Counter(holding.piece for holding in held if holding.owner == seat)
        assert player.villages + pieces[VILLAGE] + enemy.captured_villages == VILLAGES[seat]
        assert player.towns + pieces[TOWN] + enemy.captured_towns == TOWNS[seat]
        assert min(player.villages, player.towns, player.money) >= 0
        assert player.hand == tuple(sorted(player.hand)) and player.reserve == tuple(sorted(player.reserve))
        limit = state.edition.reserve_limit
        assert limit is None or len(player.reserve) <= limit
    assert state.board.forts() <= FORTS
    for attacker, siege in state.sieges.items():
        holding = state.board.holdings.get(siege.place)
        assert holding is not None and holding.owner != attacker, siege
    assert 0 <= state.actions_left <= 2
