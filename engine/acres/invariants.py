"""What must hold in every state: cards, pieces and forts are conserved. For tests and the simulator."""

from __future__ import annotations

from functools import lru_cache

from engine.acres.data import ALL_CARDS, CARDS, FORTS, NEUTRAL, OTHER, SEATS, TOWN, TOWNS, VILLAGE, VILLAGES
from engine.acres.editions import Edition
from engine.acres.state import State, siege_half


def cards_in_play(state: State) -> list[str]:
    """Return every card, as `home card`, wherever it is; sorted."""
    found = [_LABEL[NEUTRAL, card] for card in state.neutral]
    for seat in SEATS:
        player = state.players[seat]
        zones = [player.hand, player.draw, player.discard, player.reserve, player.locations, player.empire]
        zones += [siege_half(siege, attacker, seat) for attacker, siege in state.sieges.items()]
        found += [_LABEL[seat, card] for zone in zones for card in zone]
    return sorted(found)


_LABEL = {(side, card): f"{kind.home} {card}" for side, kinds in CARDS.items() for card, kind in kinds.items()}
_LABEL |= {(NEUTRAL, card.id): f"{NEUTRAL} {card.id}" for card in ALL_CARDS if card.home == NEUTRAL}


@lru_cache(maxsize=256)
def all_cards(edition: Edition) -> list[str]:
    """Return the cards that the edition has (R1.10, D1), as `cards_in_play` writes them."""
    return sorted(
        f"{card.home} {card.id}"
        for card in ALL_CARDS
        if not card.only_with or getattr(edition, card.only_with)
        for _ in range(card.copies)
    )


def check_invariants(state: State) -> None:
    """Raise AssertionError when something does not add up."""
    assert cards_in_play(state) == all_cards(state.edition), "the cards are not conserved"
    held = list(state.board.holdings.values())
    for seat in SEATS:
        player, enemy = state.players[seat], state.players[OTHER[seat]]
        pieces = [holding.piece for holding in held if holding.owner == seat]
        assert player.villages + pieces.count(VILLAGE) + enemy.captured_villages == VILLAGES[seat]
        assert player.towns + pieces.count(TOWN) + enemy.captured_towns == TOWNS[seat]
        assert min(player.villages, player.towns, player.money) >= 0
        assert player.hand == tuple(sorted(player.hand)) and player.reserve == tuple(sorted(player.reserve))
        limit = state.edition.reserve_limit
        assert limit is None or len(player.reserve) <= limit
    assert state.board.forts() <= FORTS
    for attacker, siege in state.sieges.items():
        holding = state.board.holdings.get(siege.place)
        assert holding is not None and holding.owner != attacker, siege
    assert 0 <= state.actions_left <= 2
