"""The kinds of events that a form offers: each with a sentence, the terms it knows, and sensible ones to begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.leagues.pure.terms import TERMS, Format
from engine.kernel.text import N_

if TYPE_CHECKING:
    from engine.kernel.title import Title


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event as people speak of it."""

    format: Format
    name: str
    about: str
    usual: Mapping[str, Any] = field(default_factory=dict)
    """Terms that differ from the usual ones."""


ENDS = {"round_end": "ruling", "round_remind": 3}
"""Terms under which a round ends."""
KINDS = {
    "league": Kind(
        Format.ROUND_ROBIN,
        N_("League"),
        N_("Everybody in a division meets everybody; the best go up, the last go down."),
        ENDS,
    ),
    "swiss": Kind(
        Format.SWISS,
        N_("Swiss"),
        N_("As many rounds as you like: each time you meet somebody with as many points. Nobody drops out."),
        ENDS | {"rounds": 5},
    ),
    "knockout": Kind(Format.KNOCKOUT, N_("Knock-out"), N_("Who loses is out. It ends with a final."), ENDS),
    "ladder": Kind(
        Format.LADDER, N_("Ladder"), N_("Challenge somebody a few places above you, whenever you like. It never ends.")
    ),
    "teams": Kind(
        Format.ROUND_ROBIN,
        N_("Teams"),
        N_("Teams meet each other, board against board."),
        ENDS | {"boards": 4},
    ),
    "stages": Kind(
        Format.STAGES,
        N_("Groups, then finals"),
        N_("Everybody meets everybody in a small group; the two best of each go on to a knock-out."),
        ENDS | {"groups": 2},
    ),
    "tables": Kind(
        Format.TABLES,
        N_("Tables of three to five"),
        N_("Three to five play together, with others in each round."),
        ENDS | {"rounds": 3},
    ),
}


def of(format: str, *, teams: bool) -> str:
    """Return the kind of an event of this format."""
    return "teams" if teams else next((key for key, one in KINDS.items() if one.format == format), "league")


def open_to(title: Title) -> list[str]:
    """Return the kinds that can be played with a title."""
    return [
        key
        for key, one in KINDS.items()
        if (title.most_seats > 2 if one.format == Format.TABLES else title.least_seats <= 2)
    ]


# -- which fields belong to which sentence ----------------------------------------------------------------

GROUPS = ("entry", "divisions", "play", "rounds", "itself", "late", "leave", "leaving", "points", "rules")


def fields_of(kind: str, format: str) -> dict[str, Sequence[str]]:
    """Return the sentences of a kind of event, each with the terms that can be changed in it."""
    teams = kind == "teams"
    fitting = [(name, one) for name, one in TERMS.items() if one.label and one.fits(format, teams=teams)]
    found: dict[str, Sequence[str]] = {key: [name for name, one in fitting if one.group == key] for key in GROUPS}
    return {key: names for key, names in found.items() if names or key == "rules" or (key == "divisions" and not teams)}
