"""The kinds of events that a form offers: each with a sentence, the terms it knows, and sensible ones to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.leagues.pure.formats import FORMATS, Format
from app.leagues.pure.terms import TERMS
from engine.kernel.text import N_
from engine.kernel.title import Title

_LEAGUE = FORMATS[Format.ROUND_ROBIN]
KINDS = {
    "league": _LEAGUE,
    **{key: FORMATS[key] for key in ("swiss", "knockout", "ladder")},
    "teams": replace(
        _LEAGUE,
        title=N_("Teams"),
        about=N_("Teams meet each other, board against board."),
        usual={**_LEAGUE.usual, "boards": 4},
    ),
    **{key: FORMATS[key] for key in ("stages", "tables")},
}
"""The formats as people speak of them; teams are a kind of their own, whichever format they play."""


def of(format: str, *, teams: bool) -> str:
    """Return the kind of an event of this format."""
    return "teams" if teams else next((key for key, one in KINDS.items() if one.key == format), "league")


def open_to(title: Title) -> list[str]:
    """Return the kinds that can be played with a title."""
    return [key for key, one in KINDS.items() if (title.most_seats > 2 if one.at_tables else title.least_seats <= 2)]


# -- which fields belong to which sentence ----------------------------------------------------------------

GROUPS = ("entry", "divisions", "play", "rounds", "itself", "late", "leave", "leaving", "points", "rules")


def fields_of(kind: str, format: str) -> dict[str, Sequence[str]]:
    """Return the sentences of a kind of event, each with the terms that can be changed in it."""
    teams = kind == "teams"
    fitting = [(name, one) for name, one in TERMS.items() if one.label and one.fits(format, teams=teams)]
    found: dict[str, Sequence[str]] = {key: [name for name, one in fitting if one.group == key] for key in GROUPS}
    return {key: names for key, names in found.items() if names or key == "rules" or (key == "divisions" and not teams)}
