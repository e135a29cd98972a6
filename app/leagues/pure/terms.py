"""The terms of an event as data: how it is played, what counts, and what happens when a player is late or leaves."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, TypeGuard

from engine.kernel.refusals import Unreadable
from engine.kernel.text import N_, Text, quoted


class Format(StrEnum):
    """How an event is played."""

    ROUND_ROBIN = "round_robin"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    LADDER = "ladder"
    TABLES = "tables"
    STAGES = "stages"


FORMATS = tuple(Format)
BY_POINTS = (Format.ROUND_ROBIN, Format.SWISS, Format.TABLES, Format.STAGES)
"""Formats with a table of points; the groups of stages have one, their finals a bracket. In the others points only say
who goes on or up."""


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
TIE_BREAK_NAMES = {key: one.name for key, one in TIE_BREAKS.items()}
WITHDRAWALS = ("annul", "walkover", "half")
"""The games of a player who leaves: all void; open ones lost; void unless half of them were played (FIDE C.05.7)."""
TIMEOUTS = ("loss", "zero", "remove")
"""A game lost on time is a loss, or a loss that also costs the points of the place, or the second one removes."""
DRAWN_NAMES = {
    "score": N_("victory points"),
    "second_side": N_("victory points on the second side"),
    "extra": N_("one more game"),
    "seed": N_("the better seed"),
    "lot": N_("drawing of lots"),
}
"""What can decide a drawn match of a knock-out."""
ROUND_ENDS = ("nothing", "ruling", "adjudicate")
"""What the end of a round means for each running game: nothing, a ruling is opened, or a referee is asked to adjudicate
it, which is a ruling about the position.
"""
ON_WIN = ("takes", "swaps")
"""The effect of a challenger's win on a ladder."""
PAIRINGS = ("sides", "fide", "strength")
"""The priority of Swiss rounds: sides that stay within one of each other, FIDE's rules as they are written, or scores
and order alone, with sides assigned afterwards.
"""
FIRST_SIDES = ("first", "second")
"""The side that the lot gives number 1 of a Swiss event; even numbers begin on the other one (C.04.3, 5.2.5)."""
SEATINGS = ("opponents", "score")
"""Who sits together at tables: players who have not met, whatever their points, or neighbours in the standings."""
SEEDINGS = ("rating", "last_season")
"""The source of pairing numbers at the start: ratings, or the final table of the last season."""
BOARD_ORDERS = ("fixed", "rating")
"""Teams: players sit in the order in which the team was entered, or the stronger above the weaker."""
SHARES = ("seat", "both", "split")
"""The points of a seat that a substitute took over: the seat's alone, both get them, divided by decisions played."""


class WrongTerm(Unreadable):
    """A value that a term cannot have.

    `key` is the term in the data, `part` the part of it (a size of table), and `right` says what it should be. The
    sentence is for people who write data; a form calls the term by its label, and `shown` is the expected value with
    the names of choices.
    """

    def __init__(self, key: str, right: Text, part: str = "", *, shown: Text | None = None) -> None:
        said = f"{key[:40]}.{part}" if part else key[:40]
        super().__init__("terms.value", Text("The terms' “{key}” should be {right}.", key=said, right=right))
        self.key = key
        self.part = part
        self.shown = shown or right


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything that an event's format needs to know. Times in days; points are fractions."""

    rounds: int | None = None
    """The rounds of a Swiss event or one of tables; None if the number of entrants determines it."""
    legs: int = 1
    """Games of a pairing: 2 plays both sides."""
    boards: int | None = None
    """Round robin and Swiss: teams meet at so many boards; None: players play for themselves."""
    board_order: str = "fixed"
    """Teams: one of `BOARD_ORDERS`."""
    captains_enter: bool = False
    """Teams: whether players who have signed up can make a team of their own before the start."""
    line_up_days: int | None = None
    """Teams: for how many days after the pairing a round waits until all captains have chosen; None: two in a match of
    two clubs, else none.
    """
    round_days: int | None = None
    """A round should be over after this; None: when its games are."""
    round_dates: tuple[str, ...] = ()
    """When each round ends, in order and in the time of the club, such as `2027-01-31 20:00`; rounds beyond, and those
    whose date is over when they are published, end after `round_days`."""
    pairing: str = "sides"
    """Swiss: what events of versions before 1.1 put first, one of `PAIRINGS`; it changes nothing any more."""
    first_side: str = "first"
    """Swiss: one of `FIRST_SIDES`."""
    round_end: str = "nothing"
    """What follows when a round should be over and games still run."""
    round_remind: int | None = None
    """How many days before its end the players of a round's open games are reminded; None: they are not."""
    round_extra: int | None = None
    """How many days a round whose games still run is extended, once, before anything follows from its end."""
    round_latest: int | None = None
    """For how many days after the end of a round leave still spares a player; None: always."""
    autopilot: int | None = None
    """Hours in which organisers can look at a draft before it is published automatically; None: organisers close, pair
    and publish (`app.leagues.desk.autopilot`).
    """
    next_season: int | None = None
    """With an autopilot: days of sign-up for the next season, drafted when the event has ended; None: organisers
    draft it."""
    leave_days: int | None = None
    """The days of leave in a calendar year that stop the clocks of its games; None: as many as the pace has."""
    auto_leave: bool = False
    """Whether a day of leave is taken automatically before a player who wants that would be late."""
    seeding: str = "rating"
    """One of `SEEDINGS`."""
    sizes: tuple[int, ...] = (4, 3, 5)
    """Of tables, the best first."""
    seating: str = "opponents"
    """Of tables: one of `SEATINGS`."""
    win: Fraction = Fraction(1)
    draw: Fraction = Fraction(1, 2)
    loss: Fraction = Fraction(0)
    bye: Fraction = Fraction(1)
    """Points of a pairing-allocated bye; a game won or lost without playing brings what a win or a loss does."""
    half_bye: Fraction = Fraction(1, 2)
    own_byes: int = 0
    """Swiss and tables: how many byes everybody may request without asking, but not in the last round."""
    places: Mapping[int, tuple[Fraction, ...]] = None  # type: ignore[assignment]  # set in __post_init__
    """At tables: points by place for each size of table; shared places share them."""
    tie_breaks: tuple[str, ...] = ("points", "direct", "sonneborn_berger", "wins", "difference", "timeouts", "lots")
    withdrawal: str = "half"
    timeout: str = "loss"
    share: str = "split"
    appeal_days: int = 7
    answer_days: int = 3
    """For a reserve who is called, and for other questions by mail."""
    limit: int | None = None
    """The most entrants; later ones are reserves."""
    late_entries: int | None = None
    """The last round in which a late entry can begin; 0: none. None: any."""
    running: int | None = None
    """The most running games that a player who signs up may have."""
    members_only: bool = True
    floor: float | None = None
    """The minimum rating for entry."""
    groups: int | None = None
    """Stages: how many groups, and how many go through from each."""
    through: int = 2
    drawn: tuple[str, ...] = ("score", "second_side", "seed")
    """Knock-out: the ways to decide a drawn match (see `app.leagues.pure.knockout`)."""
    third_place: bool = False
    """Knock-out: whether the losers of the semi-finals play for third place."""
    reach: int = 3
    """Ladder: how many places above may be challenged."""
    challenges: int = 1
    """Ladder: how many challenges a player may have open."""
    rest_days: int = 14
    """Ladder: days between two games of the same players."""
    on_win: str = "takes"
    """Ladder: a winning challenger takes the place, or swaps places."""
    rated: bool = True
    """Whether its games count for ratings."""

    def __post_init__(self) -> None:
        if self.places is None:
            object.__setattr__(self, "places", _USUAL_PLACES)


_USUAL_PLACES: Mapping[int, tuple[Fraction, ...]] = {
    size: tuple(Fraction(size - 1 - place, size - 1) for place in range(size)) for size in (2, 3, 4, 5)
}
"""1 for the first, 0 for the last, evenly between: a win is worth the same at each table."""
USUAL = Terms()


def write_terms(terms: Terms) -> dict[str, Any]:
    """Return the terms as plain JSON data, without those that have their usual value, but for `auto_leave`: see
    `read_stored`.
    """
    made: dict[str, Any] = {}
    for item in fields(Terms):
        value = getattr(terms, item.name)
        if value == getattr(USUAL, item.name) and item.name != "auto_leave":
            continue
        if isinstance(value, Fraction):
            value = str(value)
        elif isinstance(value, Mapping):
            value = {str(size): [str(points) for points in given] for size, given in value.items()}
        elif isinstance(value, tuple):
            value = list(value)
        made[item.name] = value
    return made


def read_terms(data: Mapping[str, Any]) -> Terms:
    """Read the terms that the data describe. Raises WrongTerm, which names the first bad key and what is right."""
    made: dict[str, Any] = {}
    for key, value in data.items():
        if key not in _READERS:
            raise WrongTerm(key, Text("one of {known}", known=quoted(sorted(_READERS))))
        made[key] = _READERS[key](key, value)
    return replace(USUAL, **made)


def read_stored(data: Mapping[str, Any]) -> Terms:
    """Read stored terms as `read_terms` does; terms without `auto_leave` come from a time when leave was taken unless
    they said otherwise.
    """
    return read_terms({"auto_leave": True, **data})


def judge_terms(terms: Terms) -> None:
    """Raise WrongTerm if terms contradict each other; `read_terms`, which existing events must pass, does not."""
    for wrong in contradictions(terms):
        raise wrong


def contradictions(terms: Terms) -> Iterator[WrongTerm]:
    """Yield each contradiction of terms, each of them valid."""
    if terms.win < terms.draw:
        yield WrongTerm("win", Text("at least as much as a draw"))
    elif terms.draw < terms.loss:
        yield WrongTerm("draw", Text("at least as much as a loss"))
    elif terms.win == terms.loss:
        yield WrongTerm("win", Text("more than a loss"))
    if terms.next_season is not None and terms.autopilot is None:
        yield WrongTerm("next_season", Text("empty where the event has no autopilot"))
    for size, points in terms.places.items():
        if list(points) != sorted(points, reverse=True) or points[0] == points[-1]:
            right = Text("points that do not rise from place to place, with more for the first than for the last")
            yield WrongTerm("places", right, str(size))


def read_number(least: int, most: int, *, optional: bool = False) -> Callable[[str, Any], int | None]:
    """Return a reader of whole numbers in these bounds; with `optional` also of none."""

    def read(key: str, value: object) -> int | None:
        if value is None and optional:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise WrongTerm(key, Text("a whole number from {least} to {most}", least=least, most=most))
        return value

    return read


_POINTS = re.compile(r"[0-9]{0,9}\.[0-9]{1,20}|[0-9]{1,9}(?:\.|/[0-9]{1,9})?")


def read_points(key: str, value: object, part: str = "") -> Fraction:
    """Read points from 0 to 1000, as a number or a fraction such as 1/2. Raises WrongTerm."""
    text = str(value).strip()
    try:
        # Not everything that Fraction can read: 1e9999999 is a number of ten million digits.
        points = Fraction(text if _POINTS.fullmatch(text) else -1)
    except ZeroDivisionError:
        points = Fraction(-1)
    if not 0 <= points <= 1000:
        raise WrongTerm(key, Text("points such as 1, 0.5 or 1/3"), part)
    return points


def read_choice(known: tuple[str, ...]) -> Callable[[str, Any], str]:
    """Return a reader of one of these words."""

    def read(key: str, value: object) -> str:
        if not isinstance(value, str) or value not in known:
            raise WrongTerm(key, Text("one of {known}", known=quoted(known)), shown=Text("one of the list"))
        return str(value)

    return read


def _is_selection(value: object, known: Collection[str | int]) -> TypeGuard[list[Any]]:
    """Whether a value is a list of some of these, each once."""
    return (
        isinstance(value, list)
        and value != []
        and all(isinstance(one, str | int) and one in known for one in value)
        and len(set(value)) == len(value)
    )


def read_selection(known: Mapping[str, str]) -> Callable[[str, Any], tuple[str, ...]]:
    """Return a reader of some of these words, each once, in any order."""

    def read(key: str, value: object) -> tuple[str, ...]:
        if not _is_selection(value, known):
            right = Text("some of {known}, each once, in the order in which they count", known=quoted(known))
            raise WrongTerm(key, right, shown=Text("some of the list, each once, in the order in which they count"))
        return tuple(value)

    return read


def _sizes(key: str, value: object) -> tuple[int, ...]:
    if not _is_selection(value, (2, 3, 4, 5)):
        raise WrongTerm(key, Text("some of 2, 3, 4 and 5, the best size first"))
    return tuple(value)


_DATE = re.compile(r"(20[0-9]{2}|2[1-9][0-9]{2})-(0[1-9]|1[0-2])-([0-3][0-9])[ T]([01][0-9]|2[0-3]):([0-5][0-9])")


def _dates(key: str, value: object) -> tuple[str, ...]:
    right = Text("dates with an hour, one after the other, such as 2027-01-31 20:00")
    if not isinstance(value, list | tuple) or len(value) > 99:
        raise WrongTerm(key, right)
    found = [_DATE.fullmatch(str(given).strip()) for given in value]
    there = [one for one in found if one and 1 <= int(one[3]) <= monthrange(int(one[1]), int(one[2]))[1]]
    read = [one[0].replace("T", " ") for one in there]
    if len(read) < len(value) or any(one >= other for one, other in pairwise(read)):
        raise WrongTerm(key, right)
    return tuple(read)


def _places(key: str, value: object) -> Mapping[int, tuple[Fraction, ...]]:
    right = Text("for each size of table the points of its places, such as 4: 3, 2, 1, 0")
    if not isinstance(value, Mapping):
        raise WrongTerm(key, right)
    made = dict(_USUAL_PLACES)
    for size, given in value.items():
        if str(size) not in {"2", "3", "4", "5"}:
            raise WrongTerm(key, right)
        if not isinstance(given, list) or len(given) != int(size):
            raise WrongTerm(
                key, Text("the points of its {n} places, those of the first place first", n=int(size)), str(size)
            )
        made[int(size)] = tuple(read_points(key, points, str(size)) for points in given)
    return made


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongTerm(key, Text("“true” or “false”"))
    return value


def _rating(key: str, value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not -10_000 < value < 10_000:
        raise WrongTerm(key, Text("a rating such as 1500"))
    return float(value)


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "rounds": read_number(1, 99, optional=True),
    "legs": read_number(1, 2),
    "boards": read_number(1, 20, optional=True),
    "board_order": read_choice(BOARD_ORDERS),
    "captains_enter": _flag,
    "line_up_days": read_number(0, 30, optional=True),
    "round_days": read_number(1, 730, optional=True),
    "round_dates": _dates,
    "pairing": read_choice(PAIRINGS),
    "first_side": read_choice(FIRST_SIDES),
    "round_end": read_choice(ROUND_ENDS),
    "round_remind": read_number(1, 60, optional=True),
    "round_extra": read_number(1, 60, optional=True),
    "round_latest": read_number(0, 366, optional=True),
    "autopilot": read_number(0, 336, optional=True),
    "next_season": read_number(1, 180, optional=True),
    "leave_days": read_number(0, 366, optional=True),
    "auto_leave": _flag,
    "seeding": read_choice(SEEDINGS),
    "sizes": _sizes,
    "seating": read_choice(SEATINGS),
    "win": read_points,
    "draw": read_points,
    "loss": read_points,
    "bye": read_points,
    "half_bye": read_points,
    "own_byes": read_number(0, 9),
    "places": _places,
    "tie_breaks": read_selection(TIE_BREAK_NAMES),
    "withdrawal": read_choice(WITHDRAWALS),
    "timeout": read_choice(TIMEOUTS),
    "share": read_choice(SHARES),
    "appeal_days": read_number(0, 90),
    "answer_days": read_number(1, 60),
    "limit": read_number(2, 1000, optional=True),
    "late_entries": read_number(0, 99, optional=True),
    "running": read_number(0, 100, optional=True),
    "members_only": _flag,
    "floor": _rating,
    "groups": read_number(2, 32, optional=True),
    "through": read_number(1, 16),
    "drawn": read_selection(DRAWN_NAMES),
    "third_place": _flag,
    "reach": read_number(1, 100),
    "challenges": read_number(1, 10),
    "rest_days": read_number(0, 365),
    "on_win": read_choice(ON_WIN),
    "rated": _flag,
}
