"""What can place one above another, in words."""

from __future__ import annotations

from typing import NamedTuple

from engine.kernel.text import N_


class TieBreak(NamedTuple):
    """What can place one above another, in words; what it is worth stands in `app.leagues.pure.tiebreaks`."""

    name: str
    short: str
    """Above its column."""
    help: str
    why: str
    """Why a player is above the next."""
    scale: int = 0
    """1 for a value in points, 2 for points times points, which the book scales as often; 0 for all others."""
    least_first: bool = False


TIE_BREAKS = {
    "points": TieBreak(
        N_("points"),
        N_("Pts"),
        N_("The points of all games and byes."),
        N_("Points: {entrant} has {value}, {opponent} {other_value}."),
        scale=1,
    ),
    "direct": TieBreak(
        N_("direct encounter"),
        N_("Direct"),
        N_("The points in the games among those who are equal so far."),
        N_("Direct encounter, games among those equal so far: {entrant} has {value} points, {opponent} {other_value}."),
        scale=1,
    ),
    "sonneborn_berger": TieBreak(
        N_("Sonneborn-Berger"),
        N_("S-B"),
        N_("The points of the beaten opponents and half of those drawn with."),
        N_("Sonneborn-Berger: {entrant} has {value}, {opponent} {other_value}."),
        scale=2,
    ),
    "buchholz": TieBreak(
        N_("Buchholz"),
        N_("Buch"),
        N_("The points of all opponents."),
        N_("Buchholz: {entrant} has {value}, {opponent} {other_value}."),
        scale=1,
    ),
    "buchholz_cut1": TieBreak(
        N_("Buchholz without the lowest"),
        N_("Buch-1"),
        N_("The points of all opponents but the weakest."),
        N_("Buchholz without the lowest: {entrant} has {value}, {opponent} {other_value}."),
        scale=1,
    ),
    "wins": TieBreak(
        N_("wins"),
        N_("Wins"),
        N_("How many games were won."),
        N_("Wins: {entrant} has {value}, {opponent} {other_value}."),
    ),
    "difference": TieBreak(
        N_("difference of victory points"),
        N_("Diff"),
        N_("Your victory points minus your opponents', over all games."),
        N_("Difference of victory points: {entrant} has {value}, {opponent} {other_value}."),
    ),
    "share": TieBreak(
        N_("share of the victory points"),
        N_("Share"),
        N_("A player’s own part of the victory points of all games."),
        N_("Share of the victory points: {entrant} has {value}, {opponent} {other_value}."),
    ),
    "timeouts": TieBreak(
        N_("fewest games lost by time"),
        N_("Time"),
        N_("How many games were lost by time; fewer is better."),
        N_("Games lost by time: {entrant} has {value}, {opponent} {other_value}."),
        least_first=True,
    ),
    "lots": TieBreak(
        N_("drawing of lots"),
        N_("Lot"),
        N_("The order of SHA-256 over the event’s lot and the number of the entry; everybody can check it."),
        N_("Nothing else tells them apart; the drawn lot puts {entrant} before {opponent}."),
        least_first=True,
    ),
}
"""In the order in which forms list them."""
TEAM_TIE_BREAKS = (
    N_("match points"),
    N_("board points"),
    N_("extended direct encounter"),
    N_("drawing of lots"),
)
"""What places a team above another, in this order (see `app.leagues.pure.teams.standings`)."""
TIE_BREAK_NAMES = {key: one.name for key, one in TIE_BREAKS.items()}
