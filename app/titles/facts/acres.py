"""The cards of Acres as they are printed."""

from __future__ import annotations

from typing import Any

from engine.acres.data import CARDS, PLACES, SEATS, SYMBOLS, TRACK, Card


def facts() -> dict[str, Any]:
    """`cards` by side and card, `places`, and the ends of the siege `track` of each attacker."""
    return {
        "cards": {side: {name: _card(card) for name, card in CARDS[side].items()} for side in SEATS},
        "places": {name: {"points": place.points, "defence": place.defence} for name, place in PLACES.items()},
        "track": dict(TRACK),
    }


def _card(card: Card) -> dict[str, Any]:
    return {
        "location": card.location,
        "home": card.home,
        "symbols": [symbol for symbol in SYMBOLS if getattr(card, symbol)],
        "coins": card.coins,
        "strength": card.strength,
        "defence_only": card.siege == "defence",
        "cost": card.draft_cost,
        "siege_cost": card.play_cost if card.siege else 0,
        "ambushable": card.ambushable,
        "raids": card.raids,
        "ambushes": card.ambushes,
        "blocks_raid": card.blocks_raid,
        "blocks_ambush": card.blocks_ambush,
        "action": card.action,
        "free": card.free,
    }
