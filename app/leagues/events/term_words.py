"""The terms of an event in words, for its page and its form."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from app.leagues.pure.standings import said_value
from app.leagues.pure.teams.terms import TEAM_TIE_BREAK_NAMES, TEAM_USUAL
from app.leagues.pure.terms import DRAWN_NAMES, TIE_BREAK_NAMES, USUAL, Format
from app.leagues.tables import Competition
from engine.kernel.text import N_, Counted, Text

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.leagues.pure.terms import Terms, WrongTerm

TERM_LABELS = {
    "rounds": N_("Rounds (needed for the Swiss system and for tables)"),
    "legs": N_("Games of each pair"),
    "round_days": N_("Days that a round should last"),
    "round_dates": N_("Or when each round ends, in the time of the club: 2027-01-31 20:00, 2027-02-28 20:00"),
    "first_side": N_("Swiss system: where number 1 and the other odd numbers start"),
    "round_end": N_("When games still run at the end of a round"),
    "round_remind": N_("Days before the end of a round when its players are reminded"),
    "round_extra": N_("Days that a round goes on, once, before anything follows"),
    "round_latest": N_("Days after the end of a round from which leave spares nobody (empty: it always does)"),
    "autopilot": N_("Autopilot: hours to look at a draft before it is published by itself (empty: none)"),
    "next_season": N_("Autopilot: days of sign-up for the next season, drafted at the end (empty: not by itself)"),
    "leave_days": N_("Days of leave a year that stop its clocks (empty: as the pace says)"),
    "auto_leave": N_("Leave taken by itself before somebody is late"),
    "seeding": N_("Pairing numbers at the start"),
    "sizes": N_("Sizes of tables, the best first"),
    "seating": N_("Tables: who sits together"),
    "win": N_("Win"),
    "draw": N_("Draw"),
    "loss": N_("Loss"),
    "bye": N_("Bye"),
    "half_bye": N_("Bye on request"),
    "own_byes": N_("Swiss system and tables: byes on request that a player can take without asking (0: none)"),
    "places": N_("Points by place at a table of {n}"),
    "tie_breaks": N_("What decides places, in this order"),
    "withdrawal": N_("When somebody leaves"),
    "timeout": N_("When a game is lost by time"),
    "share": N_("When a substitute takes over"),
    "appeal_days": N_("Days in which a ruling can be appealed"),
    "answer_days": N_("Days a called reserve has to reply"),
    "members_only": N_("Open to"),
    "limit": N_("Players at most"),
    "late_entries": N_("Last round in which a late entrant may start (0: no late entries)"),
    "running": N_("Most running games a player may have when signing up"),
    "floor": N_("The least rating"),
    "groups": N_("Groups, for groups and finals"),
    "through": N_("How many of each group play the finals"),
    "drawn": N_("Knock-out: what decides a drawn match, in this order"),
    "third_place": N_("Knock-out: a match for third place"),
    "boards": N_("Boards of a match of teams (empty: players play for themselves)"),
    "board_order": N_("Who sits at which board"),
    "captains_enter": N_("Who makes the teams"),
    "line_up_days": N_("Days for captains to choose their line-ups after a pairing (empty: 2 between two clubs)"),
    "reach": N_("Ladder: how many places above can be challenged"),
    "challenges": N_("Ladder: open challenges of a player"),
    "rest_days": N_("Ladder: days between two games of the same players"),
    "on_win": N_("Ladder: a challenger who wins"),
    "rated": N_("Games count for ratings"),
}
"""Every term as its form calls it; points by place have a field for each size of table."""
BYE_NAMES = {
    "pairing_bye": N_("bye"),
    "full_bye": N_("bye with full points"),
    "half_bye": N_("bye on request"),
    "zero_bye": N_("no game in this round"),
}
ENDING_NAMES = {
    "": N_("open"),
    "played": N_("played"),
    "walkover": N_("won without playing"),
    "double_forfeit": N_("lost by both without playing"),
    "void": N_("void"),
} | BYE_NAMES
WITHDRAWAL_NAMES = {
    "annul": N_("all games of a player who leaves are void"),
    "walkover": N_("open games of a player who leaves are lost"),
    "half": N_("who leaves before half of the games: all void; later: open games are lost"),
}
TIMEOUT_NAMES = {
    "loss": N_("a game lost by time is a loss"),
    "zero": N_("a game lost by time brings no points, whatever the place"),
    "remove": N_("a game lost by time is a loss, and the second one removes the player from the event"),
}
FIRST_SIDE_NAMES = {"first": N_("on the first side"), "second": N_("on the second side")}
SEATING_NAMES = {
    "opponents": N_("players who have not met yet, whatever their points"),
    "score": N_("players who are close in the standings"),
}
SEEDING_NAMES = {
    "rating": N_("by rating, then by lot"),
    "last_season": N_("by the final table of the last season, then by rating"),
}
SHARE_NAMES = {
    "seat": N_("the points of a substituted seat count for whoever holds it at the end"),
    "both": N_("both players of a substituted seat get its points, the one who left only after having moved"),
    "split": N_("the points of a substituted seat are divided by decisions played"),
}
ROUND_END_NAMES = {
    "nothing": N_("nothing follows"),
    "ruling": N_("a ruling is opened for each of them"),
    "adjudicate": N_("a referee adjudicates each of them by its position"),
}
BOARD_ORDER_NAMES = {
    "fixed": N_("players in the order in which their team was entered"),
    "rating": N_("players by their ratings, the highest first"),
}
ON_WIN_NAMES = {
    "takes": N_("a challenger who wins takes the place of the other, who moves down by one"),
    "swaps": N_("a challenger who wins changes places with the other"),
}


def names_of(voice: Voice, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return values with their words, to choose from."""
    return [(value, voice.gettext(name)) for value, name in names.items()]


def wrong_in_words(wrong: WrongTerm) -> Text:
    """Return what is wrong with a term, by the name its form uses."""
    label = TERM_LABELS.get(wrong.key)
    if label is None:
        return wrong.why
    called = Text(label, n=wrong.part) if wrong.part else Text(label)
    return Text("“{label}” should be {right}.", label=called, right=wrong.shown)


def points_in_words(points: Fraction) -> str:
    """Return points as people write them."""
    return said_value("points", points)


def terms_in_words(event: Competition, voice: Voice) -> list[str]:
    """Return an event's format and terms, a sentence each."""
    return said_terms(event.format, event.terms, voice)


def said_terms(format: str, terms: Terms, voice: Voice) -> list[str]:
    """Return the terms of an event of this format, a sentence each."""
    return [sentence for group in by_group(format, terms, voice).values() for sentence in group]


def by_group(format: str, terms: Terms, voice: Voice) -> dict[str, list[str]]:
    """Return the same by subject: play, rounds, autopilot, points, lateness, those who leave, leave, sign-up."""
    by_half = format in (Format.ROUND_ROBIN, Format.STAGES)  # in other formats results stand
    withdrawal = "walkover" if terms.boards or (terms.withdrawal == "half" and not by_half) else terms.withdrawal
    leaving = [_sentence(voice.gettext(rule)) for rule in (WITHDRAWAL_NAMES[withdrawal], SHARE_NAMES[terms.share])]
    appeal = Counted(
        "A ruling can be appealed for {n} day.", "A ruling can be appealed for {n} days.", n=terms.appeal_days
    )
    leaving.append(voice.say(appeal))
    if not terms.boards:
        leaving.append(voice.say(_answer(terms)))
    return {
        "play": _play(format, terms, voice),
        "rounds": _round_times(terms, voice),
        "itself": _by_itself(terms, voice),
        "points": _counting(format, terms, voice),
        "late": [_sentence(voice.gettext(TIMEOUT_NAMES[terms.timeout]))],
        "leaving": leaving,
        "leave": _leave(terms, voice),
        "sign_up": _sign_up(terms, voice),
    }


def _counting(format: str, terms: Terms, voice: Voice) -> list[str]:
    said = [_points(format, terms, voice)]
    if terms.own_byes and format in (Format.SWISS, Format.TABLES):
        own = Counted(
            "A player can take {n} bye on request without asking, but not in the last round.",
            "A player can take {n} byes on request without asking, but not in the last round.",
            n=terms.own_byes,
        )
        said.append(voice.say(own))
    if format not in (Format.LADDER, Format.KNOCKOUT):
        order = voice.join([voice.gettext(TIE_BREAK_NAMES[name]) for name in terms.tie_breaks])
        said.append(
            voice.gettext("Players of all teams are placed, in this order, by {order}.", order=order)
            if terms.boards
            else voice.gettext("Places are decided, in this order, by {order}.", order=order)
        )
    if format in (Format.KNOCKOUT, Format.STAGES):
        order = voice.join([voice.gettext(DRAWN_NAMES[name]) for name in terms.drawn])
        said.append(voice.gettext("A drawn match of the knock-out is decided, in this order, by {order}.", order=order))
        if terms.third_place:
            said.append(voice.gettext("The losers of the semi-finals play for third place."))
    if not terms.rated:
        said.append(voice.gettext("The games do not count for ratings."))
    return said


def _points(format: str, terms: Terms, voice: Voice) -> str:
    if format == Format.TABLES:
        by_size = [f"{size}: " + ", ".join(map(points_in_words, terms.places[size])) for size in sorted(terms.sizes)]
        return voice.gettext("Points by place: {points}.", points=voice.clauses(by_size))
    return voice.gettext(
        "A win is worth {win}, a draw {draw}, a loss {loss}, a bye {bye}, a bye on request {half}.",
        win=points_in_words(terms.win),
        draw=points_in_words(terms.draw),
        loss=points_in_words(terms.loss),
        bye=points_in_words(terms.bye),
        half=points_in_words(terms.half_bye),
    )


def _answer(terms: Terms) -> Counted:
    return Counted(
        "A reserve who is called has {n} day to answer.",
        "A reserve who is called has {n} days to answer.",
        n=terms.answer_days,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _play(format: str, terms: Terms, voice: Voice) -> list[str]:
    said = []
    if terms.rounds is not None:
        said.append(voice.say(Counted("{n} round is played.", "{n} rounds are played.", n=terms.rounds)))
    if format == Format.TABLES:
        said.append(
            voice.gettext(
                "Tables of {sizes}, in this order of preference.", sizes=voice.join(list(map(str, terms.sizes)))
            )
        )
        said.append(voice.gettext("A table seats {who}.", who=voice.gettext(SEATING_NAMES[terms.seating])))
    elif terms.boards is not None:
        said += _teams(format, terms, voice)
    elif terms.legs == 2:
        said.append(voice.gettext("Each pair plays both sides."))
    if format == Format.SWISS:
        if terms.pairing != USUAL.pairing:
            said.append(voice.gettext("Rounds are now paired by the one Swiss system that this server has."))
        if terms.first_side == "second":
            said.append(voice.gettext("Number 1 starts on the second side."))
    if terms.seeding == "last_season" and terms.boards is None:
        said.append(voice.gettext("Pairing numbers go by the final table of the last season, then by rating."))
    if terms.groups is not None:
        through = Counted(
            "{groups} groups; the first of each plays the finals.",
            "{groups} groups; the first {n} of each play the finals.",
            n=terms.through,
            groups=terms.groups,
        )
        said.append(voice.say(through))
    if format == Format.LADDER:
        said += _ladder(terms, voice)
    return said


def _by_itself(terms: Terms, voice: Voice) -> list[str]:
    """Return what the autopilot does; empty without one."""
    said = []
    if terms.autopilot is not None:
        hours = Counted(
            "The server starts the event, closes and pairs its rounds, and publishes each {n} hour after pairing.",
            "The server starts the event, closes and pairs its rounds, and publishes each {n} hours after pairing.",
            n=terms.autopilot,
        )
        said.append(voice.say(hours))
    if terms.next_season is not None:
        next_one = Counted(
            "When it is over the server drafts the next season, whose sign-up is open for {n} day.",
            "When it is over the server drafts the next season, whose sign-up is open for {n} days.",
            n=terms.next_season,
        )
        said.append(voice.say(next_one))
    return said


def _round_times(terms: Terms, voice: Voice) -> list[str]:
    """Return how long rounds last and what ends them; empty if the terms do not say."""
    said, days = [], terms.round_days
    if days is not None:
        said.append(voice.say(Counted("A round lasts {n} day.", "A round lasts {n} days.", n=days)))
    if terms.round_dates:
        said.append(voice.gettext("Rounds end, in the time of the club: {dates}.", dates=", ".join(terms.round_dates)))
    return said + _round_end(terms, voice) if said else said


def _teams(format: str, terms: Terms, voice: Voice) -> list[str]:
    matches = Counted(
        "Teams meet at {n} board.",
        "Teams meet at {n} boards, with sides changing from board to board.",
        n=terms.boards or 0,
    )
    order = voice.join([voice.gettext(TEAM_TIE_BREAK_NAMES[name]) for name in TEAM_USUAL.tie_breaks])
    said = [voice.say(matches)]
    if format == Format.SWISS:
        said.append(voice.gettext("A team without an opponent has a bye, worth a match drawn on all boards."))
    elif terms.legs == 2:
        said.append(voice.gettext("Each pair of teams meets twice, the second time with sides exchanged."))
    said += [
        voice.gettext("At the boards sit {who}.", who=voice.gettext(BOARD_ORDER_NAMES[terms.board_order])),
        voice.gettext(
            "A match won is worth {win} match points, a drawn one {draw}.",
            win=points_in_words(TEAM_USUAL.win),
            draw=points_in_words(TEAM_USUAL.draw),
        ),
        voice.gettext("Places of teams are decided, in this order, by {order}.", order=order),
    ]
    if terms.line_up_days:
        said.append(
            voice.say(
                Counted(
                    "Captains have {n} day from the pairing on to choose their line-ups.",
                    "Captains have {n} days from the pairing on to choose their line-ups.",
                    n=terms.line_up_days,
                )
            )
        )
    if terms.captains_enter:
        said.append(voice.gettext("Whoever has signed up can make a team of others who have, and is its captain."))
    return said


def _round_end(terms: Terms, voice: Voice) -> list[str]:
    said = []
    if terms.round_remind is not None:
        said.append(
            voice.say(
                Counted(
                    "Players whose games still run are reminded {n} day before its end.",
                    "Players whose games still run are reminded {n} days before its end.",
                    n=terms.round_remind,
                )
            )
        )
    if terms.round_extra is not None:
        said.append(
            voice.say(
                Counted(
                    "A round whose games still run goes on for {n} day more, once.",
                    "A round whose games still run goes on for {n} days more, once.",
                    n=terms.round_extra,
                )
            )
        )
    if terms.round_end != "nothing":
        said.append(
            voice.gettext("For each game that still runs at the end of its round a ruling is opened.")
            if terms.round_end == "ruling"
            else voice.gettext("Each game that still runs at the end of its round is adjudicated by a referee.")
        )
        if terms.round_latest == 0:
            said.append(voice.gettext("Leave does not put that off."))
        elif terms.round_latest is not None:
            days = Counted(
                "Leave puts that off for {n} day at most.",
                "Leave puts that off for {n} days at most.",
                n=terms.round_latest,
            )
            said.append(voice.say(days))
    return said


def _leave(terms: Terms, voice: Voice) -> list[str]:
    said = []
    if terms.leave_days == 0:
        said.append(voice.gettext("Leave stops no clock in this event."))
    elif terms.leave_days is not None:
        days = Counted(
            "Leave stops its clocks for {n} day a year.",
            "Leave stops its clocks for {n} days a year.",
            n=terms.leave_days,
        )
        said.append(voice.say(days))
    if terms.leave_days != 0:
        said.append(
            voice.gettext(
                "Up to three days of leave in a row are taken by themselves before a player who wants that is late."
            )
            if terms.auto_leave
            else voice.gettext("No leave is taken by itself: leave has to be announced before the time is over.")
        )
    return said


def _ladder(terms: Terms, voice: Voice) -> list[str]:
    reach = Counted(
        "Players up to {n} place above can be challenged.",
        "Players up to {n} places above can be challenged.",
        n=terms.reach,
    )
    open_ones = Counted(
        "A player has at most {n} open challenge.", "A player has at most {n} open challenges.", n=terms.challenges
    )
    rest = Counted(
        "Between two games of the same players there is {n} day.",
        "Between two games of the same players there are {n} days.",
        n=terms.rest_days,
    )
    said = [voice.say(one) for one in (reach, open_ones)]
    if terms.rest_days:
        said.append(voice.say(rest))
    return [*said, _sentence(voice.gettext(ON_WIN_NAMES[terms.on_win]))]


def _sign_up(terms: Terms, voice: Voice) -> list[str]:
    said = [
        voice.gettext("Only members of the club can sign up.")
        if terms.members_only
        else voice.gettext("Everybody can sign up.")
    ]
    if terms.limit is not None:
        said.append(voice.gettext("At most {n} play; those who come later are reserves.", n=terms.limit))
    if terms.late_entries == 0:
        said.append(voice.gettext("Nobody new comes in after the start but as a reserve."))
    elif terms.late_entries is not None:
        said.append(voice.gettext("Somebody new can begin with round {n} at the latest.", n=terms.late_entries))
    if terms.running is not None:
        most = Counted(
            "Players who sign up may have at most {n} running game.",
            "Players who sign up may have at most {n} running games.",
            n=terms.running,
        )
        said.append(voice.say(most))
    if terms.floor is not None:
        said.append(voice.gettext("A rating of {n} or more is needed.", n=f"{terms.floor:g}"))
    return said
