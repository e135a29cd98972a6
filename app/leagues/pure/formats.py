"""The formats of events: what is true of each stands here, and everything else asks.

A format is asked through its event (`Competition.plays`) or through a division (`Competition.plays_in`): an event of
groups and finals has divisions of two formats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from engine.kernel.text import N_


class Format(StrEnum):
    """How an event is played."""

    ROUND_ROBIN = "round_robin"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    LADDER = "ladder"
    TABLES = "tables"
    STAGES = "stages"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayFormat:
    """What is true of a format, and how a form offers it."""

    key: Format
    name: str
    title: str
    """What a form calls an event of this format."""
    about: str
    """The sentence under it."""
    usual: Mapping[str, Any] = field(default_factory=dict)
    """The terms that a form begins with where they differ from the usual ones."""
    by_points: bool = False
    """Points decide the places; in the others they only say who goes on or up."""
    is_laid_out: bool = False
    """Everybody meets everybody: all rounds follow from the players alone, and none waits for results."""
    by_round: bool = False
    """As many rounds as the terms say, each paired when it comes; players can miss one, and come in later."""
    at_tables: bool = False
    """Games have the sizes that the terms say, not two seats."""
    has_bracket: bool = False
    """Losers are out, so that each match needs a winner."""
    by_challenge: bool = False
    """Players begin games by themselves, and go up by them; there are no rounds, and no end."""
    for_teams: bool = False
    """Teams can play it, board against board."""
    stages: tuple[Format, Format] | None = None
    """The format of its groups and that of their finals, if it is played in two stages."""

    @property
    def of_tables(self) -> PlayFormat:
        """Return the format by which the players of a division play, who are in groups where it has stages."""
        return self if self.stages is None else FORMATS[self.stages[0]]

    def of_division(self, level: int) -> PlayFormat:
        """Return the format of a division at this level; the finals are above the groups."""
        return FORMATS[self.stages[1]] if self.stages and level == 1 else self.of_tables


_ENDS = {"round_end": "ruling", "round_remind": 3}
"""Terms under which a round ends."""
FORMATS: Mapping[str, PlayFormat] = {
    one.key: one
    for one in (
        PlayFormat(
            key=Format.ROUND_ROBIN,
            name=N_("Round robin"),
            title=N_("League"),
            about=N_("Everybody in a division meets everybody; the best go up, the last go down."),
            usual=_ENDS,
            by_points=True,
            is_laid_out=True,
            for_teams=True,
        ),
        PlayFormat(
            key=Format.SWISS,
            name=N_("Swiss system"),
            title=N_("Swiss"),
            about=N_("As many rounds as you like: each time you meet somebody with as many points. Nobody drops out."),
            usual=_ENDS | {"rounds": 5},
            by_points=True,
            by_round=True,
            for_teams=True,
        ),
        PlayFormat(
            key=Format.KNOCKOUT,
            name=N_("Knock-out"),
            title=N_("Knock-out"),
            about=N_("Who loses is out. It ends with a final."),
            usual=_ENDS,
            has_bracket=True,
        ),
        PlayFormat(
            key=Format.LADDER,
            name=N_("Ladder"),
            title=N_("Ladder"),
            about=N_("Challenge somebody a few places above you, whenever you like. It never ends."),
            by_challenge=True,
        ),
        PlayFormat(
            key=Format.TABLES,
            name=N_("Tables of three to five"),
            title=N_("Tables of three to five"),
            about=N_("Three to five play together, with others in each round."),
            usual=_ENDS | {"rounds": 3},
            by_points=True,
            by_round=True,
            at_tables=True,
        ),
        PlayFormat(
            key=Format.STAGES,
            name=N_("Groups, then finals"),
            title=N_("Groups, then finals"),
            about=N_("Everybody meets everybody in a small group; the two best of each go on to a knock-out."),
            usual=_ENDS | {"groups": 2},
            by_points=True,
            has_bracket=True,
            stages=(Format.ROUND_ROBIN, Format.KNOCKOUT),
        ),
    )
}


def of_which(asked: Callable[[PlayFormat], bool]) -> tuple[Format, ...]:
    """Return the formats of which something is true."""
    return tuple(one.key for one in FORMATS.values() if asked(one))
