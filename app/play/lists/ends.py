"""How a game has ended, in words: for one who played in it, or for those who watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from app.base.words.speech import Voice
from app.games.store import GameNow
from app.play.lists.scores import points


def winners_of(result: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the winners in a record's result, however the title writes it."""
    if "winners" in result:
        return tuple(result["winners"])
    return (result["winner"],) if result.get("winner") else ()


def in_words(result: Mapping[str, Any], seat: str | None, names: Mapping[str, str], voice: Voice) -> str:
    """Return a record's result for a seat (None: a spectator), with the points if they decided between two: `You lost,
    32 to 45.` `names` are those who played, by their seats."""
    won, scored = winners_of(result), points(result)
    if not won:
        return voice.gettext("Nobody has won.")
    others = voice.join([names[one] for one in won if one != seat])
    if len(won) == 1 and len(scored) == 2 and result.get("reason", "points") == "points":
        most, least = scored[won[0]], next(n for one, n in scored.items() if one != won[0])
        if seat is None:
            return voice.gettext("{name} won, {points} to {fewer}.", name=others, points=most, fewer=least)
        if seat in won:
            return voice.gettext("You won, {points} to {fewer}.", points=most, fewer=least)
        return voice.gettext("You lost, {points} to {more}.", points=least, more=most)
    if seat in won:
        return voice.gettext("You share the win with {others}.", others=others) if others else voice.gettext("You won.")
    lost = voice.gettext("You lost.")
    if seat is not None and len(names) == 2:
        return lost
    said = voice.ngettext("{winners} won.", "{winners} share the win.", len(won)).format(winners=others)
    return said if seat is None else f"{lost} {said}"


def of_game(game: GameNow, seat: str | None, voice: Voice) -> str:
    """Return the same of a game that is over."""
    if not game.result:
        return voice.gettext("The game is over.")
    return in_words(game.result, seat, {one.seat: voice.who(one) for one in game.seats}, voice)


def why(game: GameNow, seat: str | None, voice: Voice) -> str:
    """Return why a game has ended, as a sentence with its rule; empty while it runs, or if the title does not say."""
    outcome = game.title.outcome(game.state)
    if outcome is None:
        return ""
    lost = [one for one in game.seats if one.seat not in outcome.winners]
    name = voice.who(lost[0]) if len(lost) == 1 else ""
    mine = bool(name) and lost[0].seat == seat
    match outcome.reason:
        case "agreed":
            return voice.gettext("It was ended by agreement.")
        case "ruling":
            return voice.gettext("It was ended by a ruling.")
        case "resignation" | "time" if not name:
            return voice.gettext("All others have left the game.")
        case "resignation":
            return voice.gettext("You have resigned.") if mine else voice.gettext("{name} resigned.", name=name)
        case "time":
            return voice.gettext("Your time ran out.") if mine else voice.gettext("{name} ran out of time.", name=name)
    said = game.title.why_ended(outcome)
    return "" if said is None else voice.among(game.seats).say(said)


class PointsTable(NamedTuple):
    """Where the points of a finished game come from: seats and their players, the winners first, then by points; and
    rows of their points, the last of them all."""

    heads: list[tuple[str, str]]
    rows: list[tuple[str, list[int]]]


def table(game: GameNow, reckoned: Sequence[tuple[str, Mapping[str, int]]], voice: Voice) -> PointsTable | None:
    """Return the points by what they were got for (`PlainParts.reckoned`); None for a title that counts none."""
    result = game.result or {}
    won, scored = winners_of(result), points(result)
    if not scored:
        return None
    seats = sorted(scored, key=lambda one: (one not in won, -scored[one]))
    kinds = [*reckoned, (voice.gettext("Points"), scored)]
    rows = [(kind, [earned.get(one, 0) for one in seats]) for kind, earned in kinds]
    return PointsTable([(one, voice.who(game.seated(one))) for one in seats], rows)
