"""The words for A Few Acres of Snow that are the same on every page: kinds of action, their rules, what cards say."""

from __future__ import annotations

from app.web.wording import PageVoice
from engine.acres.data import SYMBOLS, Card
from engine.kernel.text import N_


def kind_names(words: PageVoice) -> dict[str, str]:
    """Return the name of each kind of action."""
    _ = words.gettext
    return {
        "settle": _("Settle a location"),
        "develop": _("Develop a location"),
        "fortify": _("Fortify a location"),
        "besiege": _("Besiege a location"),
        "reinforce": _("Reinforce a siege"),
        "raid": _("Raid"),
        "ambush": _("Ambush"),
        "convert": _("Priest or Indian Leader"),
        "money": _("Take money"),
        "merchant": _("Merchant"),
        "trade": _("Trader"),
        "piracy": _("Piracy"),
        "draft": _("Draft an empire card"),
        "discard": _("Discard cards"),
        "reserve": _("Put a card into the reserve"),
        "retrieve": _("Retrieve the reserve"),
        "govern": _("Governor"),
        "intendant": _("Intendant"),
        "home-support": _("Home Support"),
        "withdraw": _("Withdraw from a siege"),
        "pass": _("Pass"),
        "end": _("End the turn"),
        "block": _("Block it"),
        "allow": _("Let it happen"),
        "lose": _("Give up a card"),
        "show-hand": _("Show your hand"),
        "occupy": _("Occupy the place"),
        "leave": _("Leave the place"),
    }


def short_names(words: PageVoice) -> dict[str, str]:
    """Return the name of each kind of action on a button."""
    _ = words.gettext
    return {
        "settle": _("Settle"),
        "develop": _("Develop"),
        "fortify": _("Fortify"),
        "besiege": _("Besiege"),
        "reinforce": _("Reinforce"),
        "draft": _("Draft"),
        "discard": _("Discard"),
        "reserve": _("Reserve"),
        "retrieve": _("Retrieve reserve"),
        "withdraw": _("Withdraw"),
        "end": _("End turn"),
    }


_KIND_RULES = {
    "settle": (
        N_(
            "A usable card that lists the place, a second card with the transport it names and, where the "
            "place has a settler sign, a settler. A village is placed and the card of the place comes to your"
            " discards."
        ),
        "R5",
    ),
    "develop": (
        N_(
            "The card of the place itself and a settler: the village becomes a town. Only places that are worth points."
        ),
        "R6.1",
    ),
    "fortify": (
        N_("A Fortification, the card of the place itself and 3 money: 2 more in defence, and safe from raids."),
        "R6.3",
    ),
    "besiege": (
        N_(
            "A usable card that lists the enemy place, a second card with that transport and a military card,"
            " which goes into the siege. One attack at a time."
        ),
        "R7",
    ),
    "reinforce": (
        N_("A military card goes into a siege; a ship too, where the place is a port. A Military Leader is free."),
        "R8",
    ),
    "raid": (
        N_(
            "Raiders against a place without a fort; each card reaches one connection further. It can be "
            "blocked from the hand. Native Americans cost 1 each."
        ),
        "R10.1",
    ),
    "ambush": (
        N_("The opponent blocks it from the hand, or loses a card with the ambush sign from hand or reserve."),
        "R10.13",
    ),
    "convert": (N_("The opponent hands over a neutral Native Americans card, or shows the hand."), "R10.16"),
    "money": (N_("Take the coins of one usable location card."), "R11.1"),
    "merchant": (N_("A ship and cards with coins: you take their sum. The ship’s own coins do not count."), "R11.2"),
    "trade": (N_("The Trader and usable cards with fur: 2 money for each."), "R11.10"),
    "piracy": (N_("Louisbourg and another ship: 2 money from the British."), "R11.11"),
    "draft": (N_("Pay the cost; the card goes on top of your discards."), "R11.5"),
    "discard": (N_("The first card is free, each further one costs 1."), "R11.6"),
    "reserve": (N_("The card lies open until you retrieve the whole reserve."), "R11.3"),
    "retrieve": (N_("Free of an action: pay 1 for each card and take the whole reserve into your hand."), "R11.4"),
    "govern": (N_("The Governor sends one or two other cards back to where they are on offer."), "R11.8"),
    "intendant": (N_("Pay 2 and take a card from your discards into your hand."), "R11.9"),
    "home-support": (N_("Free of an action: draw three cards."), "R11.7"),
    "withdraw": (N_("The siege is lost and you give up one empire card that lies in it."), "R12"),
    "pass": (N_("The action goes unused."), "R3.4"),
    "end": (N_("Your hand is filled up to five cards."), "R3.5"),
    "block": (N_("The card goes to your discards."), "R10.9"),
}


def kind_rules(words: PageVoice) -> dict[str, tuple[str, str]]:
    """The rule of each kind of action in a sentence, with its number."""
    return {kind: (words.gettext(said), rule) for kind, (said, rule) in _KIND_RULES.items()}


def printed_words(card: Card, words: PageVoice, cost: bool) -> list[str]:
    """Return what is printed on a card, piece by piece; `cost` for cards on offer."""
    _ = words.gettext
    said = []
    if cost:
        said.append(_("costs %(n)s", n=card.draft_cost) if card.draft_cost else _("free"))
    said += [words.name("symbol", symbol) for symbol in SYMBOLS if getattr(card, symbol)]
    if card.coins:
        said.append(words.ngettext("%(num)s coin", "%(num)s coins", card.coins))
    if card.strength and card.siege == "defence":
        said.append(_("strength %(n)s in defence", n=card.strength))
    elif card.strength:
        said.append(_("strength %(n)s", n=card.strength))
    if card.siege and card.play_cost:
        said.append(_("%(n)s each time", n=card.play_cost))
    if card.raids:
        said.append(_("raids, ambushes"))
    if card.blocks_ambush:
        said.append(_("blocks both"))
    elif card.blocks_raid:
        said.append(_("blocks raids"))
    doing = {
        "trade": _("trades furs"),
        "govern": _("sends cards back"),
        "intendant": _("fetches a discard"),
        "home-support": _("draws three cards"),
        "convert": _("takes Native Americans"),
        "fortify": _("fortifies"),
    }
    if card.action in doing:
        said.append(doing[card.action])
    if card.free:
        said.append(_("needs no action"))
    if card.ambushable:
        said.append(_("can be ambushed"))
    return said


def symbols_of(card: Card, words: PageVoice) -> list[tuple[str, int, str]]:
    """Return the symbols printed on a card: which, how many (0 if no number stands beside it), and both in words."""
    shown = [(symbol, 0, words.name("symbol", symbol)) for symbol in SYMBOLS if getattr(card, symbol)]
    if card.strength:
        shown.append(("strength", card.strength, words.gettext("strength %(n)s", n=card.strength)))
    if card.coins:
        shown.append(("coins", card.coins, words.ngettext("%(num)s coin", "%(num)s coins", card.coins)))
    return shown


_DOES = {
    "trade": N_("Sells furs for 2 coins each."),
    "govern": N_("Sends one or two of your cards back to where they came from."),
    "intendant": N_("Fetches one of your discards, for 2 coins."),
    "home-support": N_("Draws three cards."),
    "convert": N_("Takes Native Americans from the other side."),
    "fortify": N_("Fortifies a place, for 3 coins."),
}


def card_rules(card: Card, words: PageVoice) -> list[str]:
    """Return what a card does besides its symbols, in sentences."""
    _, said = words.gettext, []
    if card.siege == "defence":
        said.append(_("Strength only in defence."))
    if card.siege == "ship" and card.empire:
        said.append(_("Strength 1 in a siege of a port."))
    if card.siege and card.play_cost:
        said.append(
            words.ngettext(
                "Each time it joins a siege it costs %(num)s coin.",
                "Each time it joins a siege it costs %(num)s coins.",
                card.play_cost,
            )
        )
    if card.raids and card.warpath_cost:
        said.append(
            words.ngettext(
                "Raids and ambushes, for %(num)s coin each time.",
                "Raids and ambushes, for %(num)s coins each time.",
                card.warpath_cost,
            )
        )
    elif card.raids:
        said.append(_("Raids and ambushes."))
    if card.blocks_ambush:
        said.append(_("Blocks raids and ambushes."))
    elif card.blocks_raid:
        said.append(_("Blocks raids."))
    if card.adds_raid_range:
        said.append(_("With a raider, takes a raid one connection further."))
    if card.action in _DOES:
        said.append(_(_DOES[card.action]))
    if card.free:
        said.append(_("Needs no action."))
    if card.ambushable:
        said.append(_("The other side can take it by an ambush."))
    return said
