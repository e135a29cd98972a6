"""The words for A Few Acres of Snow that are the same on every page: kinds of action, their rules, what cards say."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from app.base.words.speech import capital
from app.web.wording import PageVoice
from engine.acres.data import SYMBOLS, Card

_DATA = tomllib.loads((Path(__file__).parents[1] / "kinds.toml").read_text(encoding="utf-8"))


class Kind(NamedTuple):
    """A kind of action in one language: its name, on a button, too, and its rule in a sentence, with its number."""

    name: str
    short: str = ""
    rule: str = ""
    number: str = ""


def kinds_of(words: PageVoice) -> dict[str, Kind]:
    """Return all kinds of action."""
    say = words.gettext
    return {
        kind: Kind(**{key: said if key == "number" else say(said) for key, said in about.items()})
        for kind, about in _DATA["kinds"].items()
    }


def question(role: str, words: PageVoice) -> str:
    """Return the question for a part of an action with this role."""
    asked = _DATA["questions"]
    return words.gettext(asked[role]) if role in asked else words.gettext("Which card?")


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
    if doing := _DATA["printed"].get(card.action):
        said.append(_(doing))
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
        said.append(f"{capital(_('blocks raids'))}.")
    if card.adds_raid_range:
        said.append(_("With a raider, takes a raid one connection further."))
    if doing := _DATA["does"].get(card.action):
        said.append(_(doing))
    if card.free:
        said.append(f"{capital(_('needs no action'))}.")
    if card.ambushable:
        said.append(_("The other side can take it by an ambush."))
    return said
