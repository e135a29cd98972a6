"""Reasons for pairings, stored as a code with values and shown as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.kernel.text import N_, Text

from .tie_break_names import TIE_BREAKS

PEOPLE = ("entrant", "opponent", "other")
"""Values of these names are numbers of entrants; the sentence has their names."""
ACTORS = ("by",)
"""Values of these names are numbers of players, who need not play in the event."""

SENTENCES: dict[str, str] = {
    # Byes and absences.
    "bye.requested": N_("{entrant} asked for a bye."),
    "bye.away": N_("{entrant} is away in this round."),
    "bye.odd": N_("The number of players is odd; {entrant} has the lowest score of those who can have the bye."),
    "bye.berger": N_("The table has no game for {entrant} in this round."),
    "bye.last": N_("There is nobody left to play against {entrant}."),
    "bye.again": N_("{entrant} has had a bye before; nobody else could have it."),
    "bye.seeded": N_("{entrant} is seeded high enough to go through without playing."),
    "bye.table": N_(
        "Tables of {least} to {most} cannot seat all {players}; {entrant} is among those with the fewest byes."
    ),
    # Round robin.
    "berger.row": N_("Round {round} of the Berger table for {players}: {first} against {second}."),
    "berger.return": N_("The return game of round {round}, with sides exchanged."),
    "berger.left": N_("One of the games that were still to be played from round {round} on."),
    # Boards of teams.
    "team.board": N_("Board {board} of {team} against {against}."),
    "team.empty": N_("Board {board} of {team} against {against}, who have nobody for it."),
    # Swiss: what speaks for a pair.
    "swiss.same_score": N_("Both have the score {points}."),
    "swiss.float": N_("{entrant} with the score {points} plays down against {opponent} with {fewer}."),
    "swiss.float_odd": N_("The score group of {entrant} is odd, so one of it has to play down."),
    "swiss.float_forced": N_("No complete pairing keeps {entrant} in their score group."),
    "swiss.natural": N_(
        "Number {place} of the score group against number {other_place}, upper half against lower half."
    ),
    "swiss.shifted": N_("Number {place} of the score group plays number {other_place} instead of {ideal}."),
    # Swiss: sides.
    "side.both": N_("Both get the side they should have."),
    "side.stronger": N_("{entrant} has the stronger claim to this side."),
    "side.alternate": N_("Sides are exchanged from the last round in which they differed."),
    "side.rank": N_("{entrant} is ranked higher and gets the side due."),
    "side.lot": N_("Neither has a claim to a side; seed number and lot decide."),
    # Against an opponent.
    "met": N_("They have met in round {round}."),
    "blocked": N_("They do not play each other."),
    "same_side": N_("Both must have the same side now."),
    "floats_more": N_("More players would have to play somebody of another score."),
    "side_due": N_("Somebody would not get the side that is due."),
    "side_due_strong": N_("Somebody would get the same side too often."),
    "float_again": N_("Somebody would play down or up again so soon."),
    "order": N_("The order within the score group prefers another pair."),
    "needed": N_("The round as a whole would be worse: {opponent} is needed against {other}."),
    "pair.by_hand": N_("{by} seated this by hand. The reason: “{reason}”"),
    # Warnings.
    "warn.repeat": N_("{entrant} and {opponent} meet again; no pairing avoids it."),
    "warn.blocked": N_("{entrant} and {opponent} do not want to play each other; no pairing avoids it."),
    "warn.side": N_("{entrant} gets the same side too often; no pairing avoids it."),
    "warn.bye": N_("{entrant} has a second bye; no pairing avoids it."),
    "warn.alone": N_("There is nobody to pair."),
    # Knock-out.
    "knockout.seeds": N_("Seed {first} against seed {second} in the bracket of {size}."),
    "knockout.winners": N_("The winners of matches {first} and {second}."),
    "knockout.losers": N_("The losers of matches {first} and {second} play for third place."),
    "knockout.waits": N_("Match {first} or match {second} is not decided yet."),
    "knockout.leg": N_("Leg {leg} of {legs}, with sides exchanged."),
    "knockout.points": N_("{entrant} won the match by {points} to {fewer}."),
    "knockout.walkover": N_("{opponent} withdrew; {entrant} goes through."),
    "knockout.score": N_("The match is drawn; {entrant} has more victory points over all legs."),
    "knockout.second_side": N_("The match is drawn; {entrant} scored more on the second side."),
    "knockout.seed": N_("The match is drawn; {entrant} is seeded higher."),
    "knockout.lot": N_("The match is drawn; the lot fell to {entrant}."),
    "knockout.extra": N_("The match is drawn; another game decides."),
    # Ladder.
    "ladder.challenge": N_("{entrant}, in place {place}, challenges {opponent}, in place {other_place}."),
    "ladder.self": N_("Nobody can challenge oneself."),
    "ladder.unknown": N_("{entrant} is not on the ladder."),
    "ladder.below": N_("{opponent} stands below {entrant}; challenges go upwards."),
    "ladder.too_far": N_("{opponent} stands {n} places above {entrant}; the reach is {most}."),
    "ladder.busy": N_("{entrant} has an open challenge already."),
    "ladder.again": N_("Days since the last game of {entrant} and {opponent}: {days}; there have to be {least}."),
    "ladder.takes": N_("{entrant} won and takes place {place}; those between move down by one."),
    "ladder.swaps": N_("{entrant} won and changes places with {opponent}."),
    "ladder.stays": N_("{opponent} kept the place."),
    # Tables of several.
    "tables.sizes": N_("{players} players make tables of {sizes}."),
    "tables.score": N_("The table is made of places {first} to {last} of the standings."),
    "tables.new": N_("Nobody at this table has met before."),
    "tables.met": N_(
        "{entrant} and {opponent} have met before (games: {n}); no better exchange between tables was found."
    ),
    "tables.seat": N_("{entrant} has seat {seat} of the turn order, one of the rarest so far (games there: {n})."),
    "tables.seat_more": N_("{entrant} has seat {seat} of the turn order again (games there: {n})."),
    # Why a place of the standings is above the next.
    **{f"place.{key}": one.why for key, one in TIE_BREAKS.items()},
    "place.direct_sure": N_(
        "Direct encounter: {entrant} is first among those equal so far, whatever games not played would have brought."
    ),
    "place.void": N_("{opponent} withdrew, and the games played until then do not count."),
    # Line-ups of teams: entrants are players of the team. Where a player plays next season. The new division may have
    # no name yet.
    "division.stays": N_("{entrant}, place {place} in {division}, stays."),
    "division.stays_free": N_("{entrant}, place {place} in {division}, stays because a place is free there."),
    "division.promoted": N_("{entrant}, place {place} in {division}, goes up to {other_division}."),
    "division.promoted_instead": N_(
        "{entrant}, place {place} in {division}, goes up to {other_division} instead of a player who leaves."
    ),
    "division.promoted_free": N_("{entrant}, place {place} in {division}, takes a free place in {other_division}."),
    "division.relegated": N_("{entrant}, place {place} in {division}, goes down to {other_division}."),
    "division.relegated_full": N_(
        "{entrant}, place {place} in {division}, goes down to {other_division}, since the division above is full."
    ),
    "division.leaves": N_("{entrant}, place {place} in {division}, leaves."),
    "division.joins": N_("{entrant} is new and begins in {division}, the lowest with a place."),
    "division.joins_free": N_("{entrant} is new and takes a free place in {division}."),
    "division.placed": N_("An organiser puts {entrant} into {division}."),
    "division.sizes": N_("Divisions of {least} to {most} cannot be made of so many players."),
}


class Reason:
    """A code of `SENTENCES` with its values: `Reason("met", round=3)`.

    `code` and `values` are plain data and can be stored as JSON; `Reason(code, **values)` makes the same again.
    """

    __slots__ = ("code", "values")

    def __init__(self, code: str, /, **values: object) -> None:
        if code not in SENTENCES:
            raise ValueError(f"{code!r} is not a reason")
        self.code = code
        self.values: dict[str, Any] = values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reason) and (self.code, self.values) == (other.code, other.values)

    def __hash__(self) -> int:
        return hash((self.code, tuple(sorted(self.values))))

    def __repr__(self) -> str:
        return f"Reason({self.code!r}, {self.values!r})"

    def named(self, names: Mapping[int, str]) -> Reason:
        """Return it with names instead of numbers of entrants, for those that are not entries of an event: teams."""
        values = {
            key: names[value] if key in PEOPLE and not isinstance(value, str) else value
            for key, value in self.values.items()
        }
        return Reason(self.code, **values)


def sentence(reason: Reason, names: Mapping[int, str], actors: Mapping[int, str] | None = None) -> Text:
    """Return the reason with the names of the entrants, and of the players responsible, to be shown in any language."""
    known = dict.fromkeys(PEOPLE, names) | dict.fromkeys(ACTORS, actors or {})
    values = {
        key: known[key][value] if key in known and not isinstance(value, str) else value
        for key, value in reason.values.items()
    }
    return Text(SENTENCES[reason.code], **values)
