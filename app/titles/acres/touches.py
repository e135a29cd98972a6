"""The touches that make up an action of A Few Acres of Snow: its kind, its place, and its cards by what they do."""

from __future__ import annotations

from app.titles.contract import KIND, ActionPart
from engine.acres import actions as act
from engine.acres.actions import Action
from engine.acres.choices import CardChoice
from engine.acres.management import HOME_SUPPORT

CARD, PLACE = "card", "place"
ITEMS = {"raid": "raider", "merchant": "goods", "trade": "furs", "discard": "away", "govern": "sent"}
"""The names of a free choice's cards in an address."""
NOUNS = {"at": PLACE, "out-of": PLACE, "take": "offer", "fetch": "discard"}
"""What a part is outside any action, by its role; a card, if its role is not here."""
_PARTS: dict[type, tuple[str, dict[str, str]]] = {
    act.Settle: ("settle", {"at": "place", "from": "card", "with": "carrier", "settler": "settler"}),
    act.Develop: ("develop", {"at": "place", "settler": "settler"}),
    act.Fortify: ("fortify", {"at": "place", "wall": "fortification"}),
    act.Besiege: ("besiege", {"at": "place", "from": "card", "with": "carrier", "force": "force"}),
    act.Reinforce: ("reinforce", {"at": "place", "force": "card"}),
    act.Ambush: ("ambush", {"raider": "card"}),
    act.Convert: ("convert", {"by": "card"}),
    act.TakeMoney: ("money", {"coins": "card"}),
    act.Piracy: ("piracy", {"with": "ship"}),
    act.Draft: ("draft", {"take": "card"}),
    act.Reserve: ("reserve", {"kept": "card"}),
    act.UseIntendant: ("intendant", {"fetch": "card"}),
    act.Pass: ("pass", {}),
    act.Retrieve: ("retrieve", {}),
    act.HomeSupport: ("home-support", {}),
    act.Withdraw: ("withdraw", {"at": "place", "lost": "remove"}),
    act.End: ("end", {}),
    act.Block: ("block", {"by": "card"}),
    act.Allow: ("allow", {}),
    act.Lose: ("lose", {"lost": "card", "out-of": "source"}),
    act.ShowHand: ("show-hand", {}),
    act.Occupy: ("occupy", {"at": "place", "settler": "settler"}),
    act.Leave: ("leave", {"at": "place"}),
}
"""The kind of each action, and by role the fields that are touched; one that is None is left out."""


def touches(item: Action | CardChoice) -> tuple[ActionPart, ...]:
    """Return the touches for an action, or for the fixed part of a choice of cards."""
    if isinstance(item, CardChoice):
        kind = ActionPart(KIND, item.kind)
        if not item.about:
            return (kind,)
        return kind, _part("at" if item.kind == "raid" else "ship", item.about)
    kind_name, fields = _PARTS[type(item)]
    named = [(role, getattr(item, field)) for role, field in fields.items()]
    if isinstance(item, act.HomeSupport):  # its card is always the same
        named.append(("by", HOME_SUPPORT))
    return ActionPart(KIND, kind_name), *[_part(role, value) for role, value in named if value is not None]


def _part(role: str, value: str) -> ActionPart:
    return ActionPart(role, value, "" if value in (act.HAND, act.RESERVE) else NOUNS.get(role, CARD))


def item_touch(choice: CardChoice, item: str) -> ActionPart:
    """Return the touch for one of its cards."""
    return _part(ITEMS[choice.kind], item)
