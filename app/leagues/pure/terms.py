"""The terms of an event as data: how it is played, what counts, and what happens when a player is late or leaves.

A term is declared once, as a field of `Terms`: its reader, its field in the form, its bounds, its sentence on the
event's page and its line in docs/terms.md follow from that.
"""

# ruff: noqa: RUF009  (`term` gives a field)

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any

from engine.kernel.text import N_, Counted, Text, quoted

from .formats import of_which
from .model import said_points
from .term_kinds import (
    DATES,
    PLACES,
    QUESTION,
    SIZES,
    USUAL_PLACES,
    WORTH,
    Plural,
    Term,
    Worth,
    WrongTerm,
    choice,
    flag,
    number,
    order,
    term,
)
from .tie_break_names import TEAM_TIE_BREAKS, TIE_BREAK_NAMES

_BY_POINTS = of_which(lambda one: one.by_points)
_BY_ROUND = of_which(lambda one: one.by_round)
_AT_TABLES = of_which(lambda one: one.at_tables)
_LAID_OUT = of_which(lambda one: one.is_laid_out)
_KNOCKOUTS = of_which(lambda one: one.has_bracket)
_STAGES = of_which(lambda one: one.stages is not None)
_LADDERS = of_which(lambda one: one.by_challenge)
_BUT_LADDERS = of_which(lambda one: not one.by_challenge)
_MEET_ALL = of_which(lambda one: one.of_tables.is_laid_out)
_IN_LEGS = of_which(lambda one: one.is_laid_out or one.has_bracket)
_YES_NO = {"no": N_("no"), "yes": N_("yes")}


# -- sentences about several terms ------------------------------------------------------------------------


def _boards(terms: Terms, format: str) -> Iterator[Text]:
    yield Counted(
        "Teams meet at {n} board.",
        "Teams meet at {n} boards, with sides changing from board to board.",
        n=terms.boards or 0,
    )
    if format in _BY_ROUND:
        yield Text("A team without an opponent has a bye, worth a match drawn on all boards.")
    elif terms.legs == 2:
        yield Text("Each pair of teams meets twice, the second time with sides exchanged.")
    yield Text("Players sit at the boards in the order in which their team was entered.")
    win, draw = said_points(MATCH_WORTH.win), said_points(MATCH_WORTH.draw)
    yield Text("A match won is worth {win} match points, a drawn one {draw}.", win=win, draw=draw)
    yield Text("Places of teams are decided, in this order, by {order}.", order=tuple(map(Text, TEAM_TIE_BREAKS)))


def _groups(terms: Terms, format: str) -> Iterator[Text]:
    yield Counted(
        "{groups} groups; the first of each plays the finals.",
        "{groups} groups; the first {n} of each play the finals.",
        n=terms.through,
        groups=terms.groups,
    )


def _worth(terms: Terms, format: str) -> Iterator[Text]:
    if format in _LADDERS or format in _AT_TABLES:
        return  # a ladder is ordered by who beats whom, tables have points by place
    win, draw, loss, bye, half = map(said_points, terms.worth)
    said = N_("A win is worth {win}, a draw {draw}, a loss {loss}, a bye {bye}, a bye on request {half}.")
    yield Text(said, win=win, draw=draw, loss=loss, bye=bye, half=half)


def _tie_breaks(terms: Terms, format: str) -> Iterator[Text]:
    of_teams = N_("Players of all teams are placed, in this order, by {order}.")
    of_players = N_("Places are decided, in this order, by {order}.")
    yield Text(of_teams if terms.boards else of_players, order=TERMS["tie_breaks"].kind.words(terms.tie_breaks))


def _withdrawal(terms: Terms, format: str) -> Iterator[Text]:
    names, rule = TERMS["withdrawal"].kind.names, terms.withdrawal
    if terms.boards or (rule == "half" and format not in _MEET_ALL):
        rule = "walkover"  # in other formats results stand
    yield Text(names[rule])


def _has_end(terms: Terms) -> bool:
    return terms.round_days is not None or terms.round_dates != ()


# -- the terms --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything that an event's format needs to know. Times in days; points are fractions.

    The order is that of the form, and of the sentences in a group of it. Each term: its group, what the form calls it,
    its usual value, what it can be, and what the event's page says.
    """

    # fmt: off
    members_only: bool = term(
        "entry", N_("Open to"), True, flag({"members": N_("members of the club"), "everybody": N_("everybody")}),
        {True: N_("Only members of the club can sign up."), False: N_("Everybody can sign up.")})
    limit: int | None = term(
        "entry", N_("Players at most"), None, number(2, 1000, optional=True),
        N_("At most {n} play; those who come later are reserves."))
    late_entries: int | None = term(
        "entry", N_("Last round in which a late entrant may start (0: no late entries)"), None,
        number(0, 99, optional=True), N_("Somebody new can begin with round {n} at the latest."),
        zero=N_("Nobody new comes in after the start but as a reserve."))
    programs: bool = term(
        "entry", N_("Programs may enter"), False, flag(_YES_NO),
        {True: N_("Programs may enter; their games do not count for ratings.")})

    ask_line: str = term(
        "entry", N_("Ask whoever signs up, to be answered with a line"), "", QUESTION,
        N_("Whoever signs up is asked: {question}"))
    ask_yes_no: str = term(
        "entry", N_("Ask whoever signs up, to be answered with yes or no"), "", QUESTION,
        N_("Whoever signs up is asked: {question}"))

    rounds: int | None = term(
        "play", N_("Rounds (needed for the Swiss system and for tables)"), None, number(1, 99, optional=True),
        Plural("{n} round is played.", "{n} rounds are played."), formats=_BY_ROUND)
    boards: int | None = term(
        "play", N_("Boards of a match of teams (empty: players play for themselves)"), None,
        number(1, 20, optional=True), _boards, teams=True)
    groups: int | None = term(
        "play", N_("Groups, for groups and finals"), None, number(2, 32, optional=True), _groups,
        formats=_STAGES)
    through: int = term(
        "play", N_("How many of each group play the finals"), 2, number(1, 16), formats=_STAGES)
    legs: int = term(
        "play", N_("Games of each pair"), 1,
        number(1, 2, names={"1": N_("one"), "2": N_("two, with sides exchanged")}),
        {2: N_("Each pair plays both sides.")}, formats=_IN_LEGS,
        where=lambda terms: not terms.boards)
    sizes: tuple[int, ...] = term(
        "play", N_("Sizes of tables, the best first"), (4, 3, 5), SIZES,
        N_("Tables of {sizes}, in this order of preference."), formats=_AT_TABLES)
    seating: str = term(
        "play", N_("Tables: who sits together"), "opponents",
        choice({"opponents": N_("players who have not met yet, whatever their points"),
                "score": N_("players who are close in the standings")}),
        N_("A table seats {who}."), formats=_AT_TABLES)
    reach: int = term(
        "play", N_("Ladder: how many places above can be challenged"), 3, number(1, 100),
        Plural("Players up to {n} place above can be challenged.", "Players up to {n} places above can be challenged."),
        formats=_LADDERS)
    on_win: str = term(
        "play", N_("Ladder: a challenger who wins"), "takes",
        choice({"takes": N_("a challenger who wins takes the place of the other, who moves down by one"),
                "swaps": N_("a challenger who wins changes places with the other")}),
        "{rule}", formats=_LADDERS)
    seeding: str = term(
        "play", N_("Pairing numbers at the start"), "rating",
        choice({"rating": N_("by rating, then by lot"),
                "last_season": N_("by the final table of the last season, then by rating")}),
        {"last_season": N_("Pairing numbers go by the final table of the last season, then by rating.")}, teams=False)

    at_once: bool = term(
        "rounds", N_("Its rounds begin"), False, flag({"no": N_("one after another"), "yes": N_("all at once")}),
        {True: N_("All rounds begin at once.")}, formats=_LAID_OUT, teams=False)
    round_days: int | None = term(  # None: a round is over when its games are
        "rounds", N_("Days that a round should last"), None, number(1, 730, optional=True),
        Plural("A round lasts {n} day.", "A round lasts {n} days."))
    round_dates: tuple[str, ...] = term(  # rounds beyond, and those published after their date, end after `round_days`
        "rounds", N_("Or when each round ends, in the time of the club: 2027-01-31 20:00, 2027-02-28 20:00"), (), DATES,
        N_("Rounds end, in the time of the club: {dates}."), formats=_BUT_LADDERS)
    round_remind: int | None = term(
        "rounds", N_("Days before the end of a round when its players are reminded"), None,
        number(1, 60, optional=True),
        Plural("Players whose games still run are reminded {n} day before its end.",
               "Players whose games still run are reminded {n} days before its end."),
        formats=_BUT_LADDERS, where=_has_end)
    round_extra: int | None = term(
        "rounds", N_("Days that a round goes on, once, before anything follows"), None, number(1, 60, optional=True),
        Plural("A round whose games still run goes on for {n} day more, once.",
               "A round whose games still run goes on for {n} days more, once."),
        formats=_BUT_LADDERS, where=_has_end)
    round_end: str = term(
        "rounds", N_("When games still run at the end of a round"), "nothing",
        choice({"nothing": N_("nothing follows"), "ruling": N_("a ruling is opened for each of them"),
                "adjudicate": N_("a referee adjudicates each of them by its position")}),
        {"ruling": N_("For each game that still runs at the end of its round a ruling is opened."),
         "adjudicate": N_("Each game that still runs at the end of its round is adjudicated by a referee.")},
        formats=_BUT_LADDERS, where=_has_end)
    round_latest: int | None = term(
        "rounds", N_("Days after the end of a round from which leave spares nobody (empty: it always does)"), None,
        number(0, 366, optional=True),
        Plural("Leave puts that off for {n} day at most.", "Leave puts that off for {n} days at most."),
        formats=_BUT_LADDERS, zero=N_("Leave does not put that off."),
        where=lambda terms: _has_end(terms) and terms.round_end != "nothing")

    autopilot: int | None = term(  # None: organisers close, pair and publish (`app.leagues.desk.autopilot`)
        "itself", N_("Autopilot: hours to look at a draft before it is published by itself (empty: none)"), None,
        number(0, 336, optional=True),
        Plural("The server starts the event, closes and pairs its rounds, and publishes each {n} hour after pairing.",
               "The server starts the event, closes and pairs its rounds, and publishes each {n} hours after pairing."),
        formats=_BUT_LADDERS)
    next_season: int | None = term(
        "itself", N_("Autopilot: days of sign-up for the next season, sketched at the end (empty: not by itself)"),
        None,
        number(1, 180, optional=True),
        Plural("When it is over the server sketches the next season, whose sign-up is open for {n} day.",
               "When it is over the server sketches the next season, whose sign-up is open for {n} days."),
        formats=_BUT_LADDERS)

    places: Mapping[int, tuple[Fraction, ...]] = term(  # shared places share their points
        "points", N_("Points by place at a table of {n}"), USUAL_PLACES, PLACES, formats=_AT_TABLES)
    worth: Worth = term(  # a bye is allocated by the pairing; a win or loss without playing brings what it does else
        "points", N_("Points of a win, a draw, a loss (and of a bye and a bye on request, where they differ)"),
        Worth(Fraction(1), Fraction(1, 2), Fraction(0), Fraction(1), Fraction(1, 2)), WORTH, _worth)
    own_byes: int = term(
        "points", N_("Swiss system and tables: byes on request that a player can take without asking (0: none)"), 0,
        number(0, 9),
        Plural("A player can take {n} bye on request without asking, but not in the last round.",
               "A player can take {n} byes on request without asking, but not in the last round."),
        formats=_BY_ROUND, zero="")
    tie_breaks: tuple[str, ...] = term(
        "points", N_("What decides places, in this order"),
        ("points", "direct", "sonneborn_berger", "wins", "difference", "timeouts", "lots"), order(TIE_BREAK_NAMES),
        _tie_breaks, formats=_BY_POINTS)
    drawn: tuple[str, ...] = term(  # see `app.leagues.pure.pairing.knockout`
        "points", N_("Knock-out: what decides a drawn match, in this order"), ("score", "second_side", "seed"),
        order({"score": N_("victory points"), "second_side": N_("victory points on the second side"),
               "extra": N_("one more game"), "seed": N_("the better seed"), "lot": N_("drawing of lots")}),
        N_("A drawn match of the knock-out is decided, in this order, by {order}."), formats=_KNOCKOUTS)
    third_place: bool = term(
        "points", N_("Knock-out: a match for third place"), False, flag(_YES_NO),
        {True: N_("The losers of the semi-finals play for third place.")}, formats=_KNOCKOUTS)
    rated: bool = term(
        "points", N_("Games count for ratings"), True, flag(_YES_NO),
        {False: N_("The games do not count for ratings.")})

    timeout: str = term(
        "late", N_("When a game is lost by time"), "loss",
        choice({"loss": N_("a game lost by time is a loss"),
                "zero": N_("a game lost by time brings no points, whatever the place"),
                "remove": N_("a game lost by time is a loss, and the second one removes the player from the event")}),
        "{rule}")

    withdrawal: str = term(  # half: FIDE C.05.7
        "leaving", N_("When somebody leaves"), "half",
        choice({"annul": N_("all games of a player who leaves are void"),
                "walkover": N_("open games of a player who leaves are lost"),
                "half": N_("who leaves before half of the games: all void; later: open games are lost")}),
        _withdrawal)
    share: str = term(
        "leaving", N_("When a substitute takes over"), "split",
        choice({"seat": N_("the points of a substituted seat count for whoever holds it at the end"),
                "both":
                N_("both players of a substituted seat get its points, the one who left only after having moved"),
                "split": N_("the points of a substituted seat are divided by decisions played")}),
        "{rule}")

    leave_days: int | None = term(  # in a calendar year; None: as many as the pace has
        "leave", N_("Days of leave a year that stop its clocks (empty: as the pace says)"), None,
        number(0, 366, optional=True),
        Plural("Leave stops its clocks for {n} day a year.", "Leave stops its clocks for {n} days a year."),
        zero=N_("Leave stops no clock in this event."))
    auto_leave: bool = term(
        "leave", N_("Leave taken by itself before somebody is late"), False, flag(_YES_NO),
        {True: N_("Up to three days of leave in a row are taken by themselves before a player who wants that is late."),
         False: N_("No leave is taken by itself: leave has to be announced before the time is over.")},
        where=lambda terms: terms.leave_days != 0)
    # fmt: on

    gone: tuple[str, ...] = field(default=(), compare=False)
    """What its organisers are told of terms that this version has no more (`GONE`)."""


TERMS: Mapping[str, Term] = {one.name: one.metadata["term"] for one in fields(Terms) if one.metadata}
"""Every term by its name."""
USUAL = Terms()
APPEAL_DAYS = 7
"""How long a ruling can be appealed."""
REST_DAYS = 14
"""How long the same players of a ladder wait for their next game."""
ANSWER_DAYS = 3
"""How long a reserve who is called has to answer, and who is challenged on a ladder."""
MATCH_WORTH = Worth(Fraction(2), Fraction(1), Fraction(0), Fraction(1), Fraction(1))
"""Match points of teams; the bye brings those of a drawn match (FIDE C.04.6, article 1.4)."""


# -- as data --------------------------------------------------------------------------------------------


def write_terms(terms: Terms) -> dict[str, Any]:
    """Return the terms as plain JSON data, without those that have their usual value, but for `auto_leave`: see
    `read_stored`.
    """
    made: dict[str, Any] = {}
    for name in TERMS:
        value = getattr(terms, name)
        if value == getattr(USUAL, name) and name != "auto_leave":
            continue
        made[name] = _plain(value)
    return made


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Fraction) else value


def read_terms(data: Mapping[str, Any]) -> Terms:
    """Read the terms that the data describe. Raises WrongTerm, which names the first bad key and what is right."""
    for key in data:
        if key not in TERMS:
            raise WrongTerm(key, Text("one of {known}", known=quoted(sorted(TERMS))))
    return replace(USUAL, **{key: TERMS[key].read(key, value) for key, value in data.items()})


GONE: Mapping[str, tuple[object, str]] = {
    "running": (None, N_("Nothing asks for few running games at sign-up any more.")),
    "floor": (None, N_("Nothing asks for a least rating at sign-up any more.")),
    "pairing": ("sides", N_("Rounds are now paired by the one Swiss system that this server has.")),
    "first_side": ("first", N_("Number 1 starts on the first side now.")),
    "captains_enter": (False, N_("Organisers make the teams now.")),
    "line_up_days": (None, N_("No round waits for line-ups any more.")),
    "board_order": ("fixed", N_("Players now sit at the boards in the order in which their team was entered.")),
    "challenges": (1, N_("A player of a ladder now has one open challenge at a time.")),
    "rest_days": (14, N_("Between two games of the same players of a ladder there are now 14 days.")),
    "appeal_days": (7, N_("A ruling can now be appealed for 7 days.")),
    "answer_days": (3, N_("Reserves who are called and players who are challenged now have 3 days to answer.")),
}
"""Terms of earlier versions: their usual value, and what organisers are told where an event had another one."""
_PARTS_OF_WORTH = {"win": "1", "draw": "1/2", "loss": "0", "bye": "1", "half_bye": "1/2"}
"""Terms of earlier versions that `worth` has now, with what was usual."""


def read_stored(data: Mapping[str, Any]) -> Terms:
    """Read stored terms, also of earlier versions, as `read_terms` does; terms without `auto_leave` come from a time
    when leave was taken unless they said otherwise.
    """
    kept = {"auto_leave": True} | {key: value for key, value in data.items() if key not in {*GONE, *_PARTS_OF_WORTH}}
    if _PARTS_OF_WORTH.keys() & data.keys():
        kept["worth"] = [data.get(key, usual) for key, usual in _PARTS_OF_WORTH.items()]
    if data.get("line_up_days") and kept.get("autopilot") is not None:
        kept["autopilot"] = min(max(kept["autopilot"], 24 * data["line_up_days"]), 336)
    gone = tuple(said for key, (usual, said) in GONE.items() if data.get(key, usual) != usual)
    return replace(read_terms(kept), gone=gone)


def judge_terms(terms: Terms) -> None:
    """Raise WrongTerm if terms contradict each other; `read_terms`, which existing events must pass, does not."""
    for wrong in contradictions(terms):
        raise wrong


def contradictions(terms: Terms) -> Iterator[WrongTerm]:
    """Yield each contradiction of terms, each of them valid."""
    if not terms.worth.win >= terms.worth.draw >= terms.worth.loss < terms.worth.win:
        yield WrongTerm("worth", Text("points that do not rise from a win to a loss, with more for a win than a loss"))
    if terms.next_season is not None and terms.autopilot is None:
        yield WrongTerm("next_season", Text("empty where the event has no autopilot"))
    for size, points in terms.places.items():
        if list(points) != sorted(points, reverse=True) or points[0] == points[-1]:
            right = Text("points that do not rise from place to place, with more for the first than for the last")
            yield WrongTerm("places", right, str(size))
