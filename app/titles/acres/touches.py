"""The touches that make up an action of A Few Acres of Snow: its kind, its place, and its cards by what they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.titles.contract import KIND, ActionPart
from engine.acres import actions as act
from engine.acres.actions import Action
from engine.acres.choices import CardChoice
from engine.acres.management import HOME_SUPPORT

CARD, PLACE = "card", "place"
ITEMS = {"raid": "raider", "merchant": "goods", "trade": "furs", "discard": "away", "govern": "sent"}
"""The names of a free choice's cards in an address."""


def _card(role: str, card: str) -> ActionPart:
    return ActionPart(role, card, CARD)


def _place(place: str) -> ActionPart:
    return ActionPart("at", place, PLACE)


def _settle(action: act.Settle) -> tuple[ActionPart, ...]:
    found = (_place(action.place), _card("from", action.card), _card("with", action.carrier))
    return found if action.settler is None else (*found, _card("settler", action.settler))


def _besiege(action: act.Besiege) -> tuple[ActionPart, ...]:
    cards = _card("from", action.card), _card("with", action.carrier), _card("force", action.force)
    return (_place(action.place), *cards)


def _lose(action: act.Lose) -> tuple[ActionPart, ...]:
    source = ActionPart("out-of", action.source, "" if action.source in (act.HAND, act.RESERVE) else PLACE)
    return _card("lost", action.card), source


def _occupy(action: act.Occupy) -> tuple[ActionPart, ...]:
    place = _place(action.place)
    return (place,) if action.settler is None else (place, _card("settler", action.settler))


def _withdraw(action: act.Withdraw) -> tuple[ActionPart, ...]:
    place = _place(action.place)
    return (place,) if action.remove is None else (place, _card("lost", action.remove))


def _nothing(action: Action) -> tuple[ActionPart, ...]:
    return ()


_PARTS: dict[type, tuple[str, Callable[[Any], tuple[ActionPart, ...]]]] = {
    act.Settle: ("settle", _settle),
    act.Develop: ("develop", lambda action: (_place(action.place), _card("settler", action.settler))),
    act.Fortify: ("fortify", lambda action: (_place(action.place), _card("wall", action.fortification))),
    act.Besiege: ("besiege", _besiege),
    act.Reinforce: ("reinforce", lambda action: (_place(action.place), _card("force", action.card))),
    act.Ambush: ("ambush", lambda action: (_card("raider", action.card),)),
    act.Convert: ("convert", lambda action: (_card("by", action.card),)),
    act.TakeMoney: ("money", lambda action: (_card("coins", action.card),)),
    act.Piracy: ("piracy", lambda action: (_card("with", action.ship),)),
    act.Draft: ("draft", lambda action: (ActionPart("take", action.card, "offer"),)),
    act.Reserve: ("reserve", lambda action: (_card("kept", action.card),)),
    act.UseIntendant: ("intendant", lambda action: (ActionPart("fetch", action.card, "discard"),)),
    act.Pass: ("pass", _nothing),
    act.Retrieve: ("retrieve", _nothing),
    act.HomeSupport: ("home-support", lambda _: (_card("by", HOME_SUPPORT),)),
    act.Withdraw: ("withdraw", _withdraw),
    act.End: ("end", _nothing),
    act.Block: ("block", lambda action: (_card("by", action.card),)),
    act.Allow: ("allow", _nothing),
    act.Lose: ("lose", _lose),
    act.ShowHand: ("show-hand", _nothing),
    act.Occupy: ("occupy", _occupy),
    act.Leave: ("leave", lambda action: (_place(action.place),)),
}


def touches(item: Action | CardChoice) -> tuple[ActionPart, ...]:
    """Return the touches for an action, or for the fixed part of a choice of cards."""
    if isinstance(item, CardChoice):
        kind = ActionPart(KIND, item.kind)
        if not item.about:
            return (kind,)
        return kind, _place(item.about) if item.kind == "raid" else _card("ship", item.about)
    kind_name, parts = _PARTS[type(item)]
    return ActionPart(KIND, kind_name), *parts(item)


def item_touch(choice: CardChoice, item: str) -> ActionPart:
    """Return the touch for one of its cards."""
    return _card(ITEMS[choice.kind], item)
