"""The three rule editions as rows of switches. Each switch is also an option of its own (table "Edition switches")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from engine.kernel.refusals import Unreadable
from engine.kernel.text import N_, Name, Text
from engine.kernel.title import OptionField


@dataclass(frozen=True, slots=True)
class Edition:
    """What holds in one game."""

    edition: str
    french_initial_bateaux: bool  # D1, D2
    raid_range_bonus: int  # D3: added to the number of cards
    raid_siege_limits: bool  # D6: R10.7
    settling_capital_wins: bool  # D8
    merchant_max_coins: int | None  # D9: None for no limit
    withdraw_is_free: bool  # D10
    reinforce_from_new_york: bool  # D12
    reshuffle_at_once: bool  # D17
    reserve_limit: int | None  # D20: None for no limit
    reserve_location_cards: bool  # D20
    home_support_reshuffles: bool  # D21
    placement_end_needs_no_siege: bool  # D22
    siege_before_placement_end: bool  # D33
    conquest_is_optional: bool  # D19
    ambush_reaches_siege_cards: bool = False  # D26, C7
    siege_track: str = "capped"  # D15


FIRST = Edition(
    edition="first",
    french_initial_bateaux=True,
    raid_range_bonus=0,
    raid_siege_limits=False,
    settling_capital_wins=False,
    merchant_max_coins=None,
    withdraw_is_free=False,
    reinforce_from_new_york=True,
    reshuffle_at_once=True,
    reserve_limit=None,
    reserve_location_cards=True,
    home_support_reshuffles=True,
    placement_end_needs_no_siege=True,
    siege_before_placement_end=False,
    conquest_is_optional=False,
)
FIRST_REVISED = Edition(
    edition="first-revised",
    french_initial_bateaux=True,
    raid_range_bonus=0,
    raid_siege_limits=False,
    settling_capital_wins=False,
    merchant_max_coins=2,
    withdraw_is_free=True,
    reinforce_from_new_york=True,
    reshuffle_at_once=True,
    reserve_limit=5,
    reserve_location_cards=True,
    home_support_reshuffles=True,
    placement_end_needs_no_siege=False,
    siege_before_placement_end=True,
    conquest_is_optional=False,
)
SECOND = Edition(
    edition="second",
    french_initial_bateaux=False,
    raid_range_bonus=1,
    raid_siege_limits=True,
    settling_capital_wins=True,
    merchant_max_coins=2,
    withdraw_is_free=True,
    reinforce_from_new_york=False,
    reshuffle_at_once=False,
    reserve_limit=5,
    reserve_location_cards=False,
    home_support_reshuffles=False,
    placement_end_needs_no_siege=True,
    siege_before_placement_end=False,
    conquest_is_optional=True,
)
EDITIONS = {edition.edition: edition for edition in (FIRST, FIRST_REVISED, SECOND)}
KEPT = {
    name: replace(edition, siege_before_placement_end=False, conquest_is_optional=True)
    for name, edition in EDITIONS.items()
}
"""The editions for stored games: all of them were played this way before the two switches existed."""

_YES_NO = (True, False)
_LABELS: dict[str, tuple[tuple[str | int | bool | None, ...], bool, str]] = {
    "edition": (tuple(EDITIONS), False, N_("Edition of the rules")),
    "french_initial_bateaux": (_YES_NO, False, N_("Bateaux in the French initial deck")),
    "raid_range_bonus": ((0, 1), True, N_("Raid range: added to the number of cards")),
    "raid_siege_limits": (_YES_NO, False, N_("No raids into, from or past a besieged place")),
    "settling_capital_wins": (_YES_NO, False, N_("Settling a lost capital wins at once")),
    "merchant_max_coins": ((None, 2), True, N_("Merchant: most coin cards")),
    "withdraw_is_free": (_YES_NO, False, N_("Withdrawing is a free action")),
    "reinforce_from_new_york": (_YES_NO, False, N_("The British reinforce from New York too")),
    "reshuffle_at_once": (_YES_NO, False, N_("Shuffle as soon as the draw deck is empty")),
    "reserve_limit": ((None, 5), True, N_("Most cards in the reserve")),
    "reserve_location_cards": (_YES_NO, False, N_("Location cards may be reserved")),
    "home_support_reshuffles": (_YES_NO, False, N_("Home Support shuffles the discard pile in")),
    "placement_end_needs_no_siege": (_YES_NO, False, N_("The end by placed pieces waits for sieges")),
    "siege_before_placement_end": (_YES_NO, False, N_("Won sieges are settled before the end by placed pieces")),
    "conquest_is_optional": (_YES_NO, False, N_("A conquered place without settler symbol may be left neutral")),
    "ambush_reaches_siege_cards": (_YES_NO, False, N_("An ambush may take cards from a siege")),
    "siege_track": (("capped", "open"), False, N_("Ends of the siege track")),
}


def option_fields(given: Mapping[str, Any]) -> tuple[OptionField, ...]:
    """Return all options with the defaults of the edition that `given` names."""
    base = asdict(EDITIONS.get(given.get("edition", "second"), SECOND))
    return tuple(
        OptionField(name, values, base[name], label, whole_number=number)
        for name, (values, number, label) in _LABELS.items()
    )


def read_options(given: Mapping[str, Any], editions: Mapping[str, Edition] = EDITIONS) -> Edition:
    """Return the edition with the switches that `given` changes; pass `KEPT` for stored options."""
    name = given.get("edition", "second")
    if not isinstance(name, str) or name not in EDITIONS:
        raise Unreadable(
            "options.edition",
            Text("There is no edition “{given}”; the editions are {known}.", given=_shown(name), known=tuple(EDITIONS)),
        )
    for option, value in given.items():
        if option not in _LABELS:
            raise Unreadable(
                "options.unknown",
                Text("There is no option “{given}”; the options are {known}.", given=option, known=tuple(_LABELS)),
            )
        values, number, _ = _LABELS[option]
        is_number = number and type(value) is int and value >= 0
        # `True == 1` in Python, so the type is asked as well.
        if not is_number and not any(type(value) is type(v) and value == v for v in values):
            accepted = tuple(_shown(v) for v in values) + ((N_("or any whole number"),) if number else ())
            raise Unreadable(
                "options.value",
                Text("The option {option} cannot be “{given}”; it may be {accepted}.",
                     option=option, given=_shown(value), accepted=accepted),
            )  # fmt: skip
    return replace(editions[name], **given)


def write_options(edition: Edition) -> dict[str, Any]:
    """Return the edition's name and the switches that differ from it."""
    return {"edition": edition.edition, **switches(edition)}


def keep_options(edition: Edition) -> dict[str, Any]:
    """Return the same for storage."""
    return {"edition": edition.edition, **dict(_switches(edition, KEPT[edition.edition]))}


def kept_options(kept: Mapping[str, Any]) -> Edition:
    """Return the edition that `keep_options`, or an earlier version, wrote."""
    return read_options(kept, KEPT)


def switches(edition: Edition) -> dict[str, Any]:
    """Return the switches that differ from the named edition, each with its value."""
    return dict(_switches(edition, EDITIONS[edition.edition]))


def said_switch(name: str, value: str | int | bool | None) -> Text:
    """Say a switch in words: what it is about, and its value."""
    said: object = str(value)
    if value is None or isinstance(value, bool):
        said = Text(N_("none") if value is None else N_("yes") if value else N_("no"))
    elif isinstance(value, str):
        said = Name("option", value)
    return Text("{label}: {value}", label=Text(_LABELS[name][2]), value=said)


@lru_cache(maxsize=256)
def _switches(edition: Edition, base: Edition) -> tuple[tuple[str, Any], ...]:
    usual = asdict(base)
    return tuple((key, value) for key, value in asdict(edition).items() if value != usual[key])


def _shown(value: object) -> str:
    return "none" if value is None else ("yes" if value else "no") if isinstance(value, bool) else str(value)
