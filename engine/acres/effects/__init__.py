"""How each event changes the state. Must neither judge nor draw; unchanged parts are shared with the old state.

A module for each chapter of the rules; `zones` has the steps that they share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from engine.acres import events as ev
from engine.acres.effects import attacks, building, cards, opening, sieges, turns
from engine.acres.state import State
from engine.kernel import happenings
from engine.kernel.chance import Chance
from engine.kernel.title import GameEnded

Happenings: TypeAlias = happenings.Happenings[State, Any]
"""The events of one `play`, collected while the state moves on."""


def collector(state: State, chance: Chance) -> Happenings:
    """Return a collector in which nothing has happened yet."""
    return happenings.Happenings(state, apply, chance)


def apply(state: State | None, event: Any) -> State:
    """Return the state after the event; the first event of a game applies to None."""
    effect: Callable[[Any, Any], State] = EFFECTS[type(event)]
    return effect(state, event)


EFFECTS: dict[type, Callable[[Any, Any], State]] = {
    ev.Opened: opening.opened,
    ev.TurnBegan: turns.turn_began,
    ev.TurnEnded: turns.turn_ended,
    GameEnded: turns.game_ended,
    ev.Passed: turns.passed,
    ev.Drew: turns.drew,
    ev.Shuffled: turns.shuffled,
    ev.Settled: building.settled,
    ev.Developed: building.developed,
    ev.Fortified: building.fortified,
    ev.SiegeBegan: sieges.siege_began,
    ev.Reinforced: sieges.reinforced,
    ev.SiegeWon: sieges.siege_won,
    ev.Withdrew: sieges.withdrew,
    ev.Occupied: sieges.occupied,
    ev.LeftNeutral: sieges.left_neutral,
    ev.RaidBegan: attacks.raid_began,
    ev.RaidBlocked: attacks.blocked,
    ev.RaidSucceeded: attacks.raid_succeeded,
    ev.AmbushBegan: attacks.ambush_began,
    ev.AmbushBlocked: attacks.blocked,
    ev.CardAmbushed: attacks.card_ambushed,
    ev.ConversionBegan: attacks.conversion_began,
    ev.CardConverted: attacks.card_converted,
    ev.HandShown: attacks.hand_shown,
    ev.MoneyTaken: cards.money_taken,
    ev.MerchantSent: cards.sold,
    ev.FursTraded: cards.sold,
    ev.PiracyDone: cards.piracy_done,
    ev.Drafted: cards.drafted,
    ev.Discarded: cards.discarded,
    ev.Reserved: cards.reserved,
    ev.Retrieved: cards.retrieved,
    ev.Governed: cards.governed,
    ev.CardFetched: cards.card_fetched,
    ev.HomeSupportPlayed: cards.home_support_played,
    ev.HomeSupportDiscarded: cards.home_support_discarded,
}
