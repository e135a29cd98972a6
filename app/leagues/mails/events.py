"""The mails of events: rounds that begin, places in an event, who left it, its end, challenges."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.base.stored.mail_tables import MailGroup
from app.base.words.speech import Voice
from app.leagues.clubs import club_rights
from app.leagues.events import entries, invited, round_rows
from app.leagues.mails.of_events import EventMail, event_mail
from app.leagues.pure.standings import said_value
from app.leagues.rounds import ladder, length
from app.leagues.seasons import again
from app.leagues.tables import (
    STILL_IN,
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    Match,
    MatchSeat,
    RoundStatus,
)
from app.leagues.teams import rosters, team_rounds
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail
from app.time.away import leave
from app.time.reminding.digest import URGENT
from engine.kernel.text import N_


def _of_others(session: Session, mail: QueuedMail, until: datetime) -> bool:
    """Who was put into a running event by an organiser is told at once."""
    return bool(mail.details["player"] != mail.player_id)


def _can_sign_up(session: Session, mail: QueuedMail, until: datetime) -> bool:
    """A day is left for signing up."""
    event = session.get(Competition, mail.details["event"])
    return event is None or event.sign_up_until is None or event.sign_up_until - until >= URGENT


@event_mail("event_round", words=N_("the mail about the round"), group=MailGroup.NEWS, news=True)
def _event_round(told: EventMail) -> dict[str, Any] | WrittenMail | None:
    """Tell a player that a round has begun: opponents, sides, deadline and games, all legs in one mail. The turn has a
    mail of its own with its link."""
    event, voice = told.event, told.voice
    if "rounds" in told.given:
        return _all_rounds(told)
    found = told.match(told.given["match"])
    if found is None:
        return None
    round, match = found
    legs = told.given.get("legs", [match.id])  # a mail queued by an older version has none
    mine = [
        (one, seat)
        for one in round.matches
        for seat in one.seats
        if one.id in legs and seat.player_id == told.reader.id and (one.is_bye or not one.ended)
    ]
    if not mine or round.status == RoundStatus.DRAFT or event.status == CompetitionStatus.CANCELLED:
        return None
    match, own = mine[0]
    sides = [voice.name("seat", seat) for seat in event.title.seats]
    return {
        "title": told.title,
        "number": round.number,
        "division": told.division(round.division_id),
        "others": _others(match, own, voice),
        "seat": "" if match.is_bye else voice.join([sides[seat.place] for _, seat in mine]),
        "games": [
            {"number": one.game_id, "side": sides[seat.place], "link": f"{told.links.base_url}/games/{one.game_id}"}
            for one, seat in mine
            if one.game_id is not None
        ],
        "pace": told.pace,
        "due": round.due_at,
        "bye": match.is_bye,
        "through": match.is_bye and event.plays_in(event.division(round.division_id)).has_bracket,
        "points": said_value("points", own.points) if match.is_bye and own.points else "",
        "team": _team_match(told, round, match),
    }


def _team_match(told: EventMail, round: CompetitionRound, match: Match) -> tuple[int, str] | None:
    """Return the board of a match in an event of teams, and the teams that meet; None in other events."""
    if not told.event.boards:
        return None
    playing = rosters.of_event(told.session, told.event.id)
    boards = [
        (one.board, " – ".join(team.name for team in met.teams))
        for met in team_rounds.played(told.session, told.event, [round], playing)
        for one in met.boards
        if one.match is not None and one.match.id == match.id
    ]
    return boards[0] if boards else None


def _others(match: Match, own: MatchSeat, voice: Voice) -> str:
    """Return the names of the opponents in a match."""
    return voice.join([voice.person(seat.name) for seat in match.seats if seat is not own])


def _all_rounds(told: EventMail) -> WrittenMail | None:
    """List the reader's games of all rounds of a division that began at once, round by round, in one mail."""
    first, last = told.given["rounds"]
    there = round_rows.rounds_of(told.session, told.given["division"])
    begun = [one for one in there if first <= one.number <= last]
    sides = [told.voice.name("seat", seat) for seat in told.event.title.seats]
    games = [
        {
            "round": round.number,
            "number": match.game_id,
            "side": sides[own.place],
            "others": _others(match, own, told.voice),
            "link": f"{told.links.base_url}/games/{match.game_id}",
        }
        for round in begun
        for match in round.open_matches
        for own in match.seats
        if own.player_id == told.reader.id and match.game_id is not None
    ]
    if not games or told.event.status == CompetitionStatus.CANCELLED:
        return None
    context = {
        "title": told.title,
        "division": told.division(told.given["division"]),
        "games": games,
        "pace": told.pace,
        "due": max((one.due_at for one in begun if one.due_at is not None), default=None),
    }
    return told.finished(context, news=True, name="event_rounds")


@event_mail("round_end", words=N_("a mail about the end of a round"))
def _round_end(told: EventMail) -> dict[str, Any] | None:
    """Tell a player whose game still runs when its round ends, or until when it was extended.

    Players who want no news get it too, because that end has consequences.
    """
    found = told.match(told.given["match"])
    if found is None:
        return None
    round, match = found
    own = next((seat for seat in match.seats if seat.player_id == told.reader.id), None)
    if own is None or match.ended or told.event.status != CompetitionStatus.RUNNING or round.due_at is None:
        return None
    return {
        "number": round.number,
        "longer": told.given["what"] == "longer",
        "others": _others(match, own, told.voice),
        "due": round.due_at,
        "then": told.event.terms.round_end,
        "link": f"{told.links.base_url}/games/{match.game_id}",
    }


@event_mail("event_entered", words=N_("the mail about a place in an event"))
def _event_entered(told: EventMail) -> dict[str, Any] | None:
    """Tell the reader which event an organiser has entered them into, and ask whether they play.

    Players who want no news get it too, since they did not sign up themselves.
    """
    entrant = entries.entrant_of(told.session, told.event.id, told.reader.id)
    if (
        entrant is None
        or entrant.status not in STILL_IN
        or told.event.status not in (CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING)
    ):
        return None
    return {
        **told.presented,
        "reserve": entrant.status == EntrantStatus.RESERVE,
        "division": told.division(entrant.division_id),
        "link": told.asked_link,
        "page": told.page,
    }


@event_mail(
    "sign_up_open", words=N_("a mail about an open sign-up"), group=MailGroup.NEWS, waits=_can_sign_up, news=True
)
def _sign_up_open(told: EventMail) -> dict[str, Any] | None:
    """Announce that sign-up of an event in the reader's club is open; None if it is over or the reader has signed up
    since.
    """
    event = told.event
    if event.status != CompetitionStatus.SIGN_UP:
        return None
    entrant = entries.entrant_of(told.session, event.id, told.reader.id)
    role = club_rights.role_in(told.session, event, told.reader.id)
    if role is None or (entrant is not None and entrant.status in STILL_IN):
        return None
    again = told.given.get("again", False)
    if again and told.reader.id in invited.who_said_no(told.session, event.id):
        return None
    return {
        **told.presented,
        "again": again,
        "until": event.sign_up_until,
        "lasts": length.of_event(told.session, event, told.voice),
        "link": told.asked_link,
        "page": told.page,
        "divisions": [one.name for one in event.divisions] if len(event.divisions) > 1 else [],
    }


@event_mail("event_late", words=N_("a mail about a new player in an event"), group=MailGroup.NEWS, waits=_of_others)
def _event_late(told: EventMail) -> WrittenMail | None:
    """Tell of a late entry: the player (even if they want no news, since an organiser did it), and those whose rounds
    are laid out again because of it.
    """
    given, event = told.given, told.event
    own = told.reader.id == given["player"]
    entrant = entries.entrant_of(told.session, event.id, told.reader.id)
    if (
        entrant is None
        or entrant.status != EntrantStatus.ENTERED
        or event.status != CompetitionStatus.RUNNING
        or given["division"] not in [one.id for one in event.divisions]
        or not (own or told.mail.is_wanted(told.reader))
    ):
        return None
    context = {
        **told.presented,
        "own": own,
        "who": told.who(given["player"]),
        "division": told.division(given["division"]),
        "begins": given["begins"],
        "rounds": (given["before"], given["after"]),
        "missed": given.get("missed", []),
        "paired": given.get("paired", False),
        "reason": given["reason"],
        "leave": f"{told.page}/withdraw",
    }
    return told.finished(context, news=not own)


@event_mail("event_left", words=N_("a mail about a player who left an event"), group=MailGroup.NEWS)
def _event_left(told: EventMail) -> dict[str, Any] | None:
    """Say what it means for the reader that a player has left or was taken out. Players who want no news get it too."""
    given = told.given
    entrant = told.session.get(Entrant, given["entry"])
    if entrant is None or told.event.status == CompetitionStatus.CANCELLED:
        return None
    before, after = given.get("points", ("", ""))
    return {
        **dict.fromkeys(("lost", "void", "ahead"), 0),
        **given,
        "event": told.event.name,
        "who": told.voice.person(entrant.name),
        "number": entrant.seed,
        "division": told.division(entrant.division_id),
        "for_members": given.get("club", False) and given["leaver"],
        "before": before,
        "after": after,
        "games": [(one, f"{told.links.base_url}/games/{one}") for one in given.get("over", ())],
        "link": f"{told.page}/manage" if given["organises"] else told.page,
    }


@event_mail("event_cancelled", words=N_("the mail about a cancelled event"), group=MailGroup.NEWS)
def _event_cancelled(told: EventMail) -> dict[str, Any]:
    """Say why the reader's event is cancelled and what happens to their games, also to players who want no news."""
    return {
        "title": told.title,
        "reason": told.given["reason"],
        "by": told.who(told.given["by"]),
        "ended": told.given.get("ended", 0),
        "games": len(leave.running_in(told.session, told.reader.id, told.event.id)),
    }


@event_mail("event_over", words=N_("the mail about the end of an event"), group=MailGroup.NEWS, news=True)
def _event_over(told: EventMail) -> dict[str, Any] | None:
    """Tell a player the place reached, whether it leads up or down, and when the next season begins."""
    if told.event.status != CompetitionStatus.OVER:
        return None
    after = again.next_event(told.session, told.event)
    begins = after.sign_up_until if after is not None else None
    about = {"event": told.event.name, "title": told.title, "begins": begins}
    return told.given | about | {"link": told.asked_link, "page": told.page}


@event_mail("event_back", words=N_("a mail about a step that was taken back"))
def _event_back(told: EventMail) -> dict[str, Any]:
    """Say that a round is a draft again, or that an event that was over goes on, also to players who want no news."""
    return {"by": told.who(told.given["by"]), "number": told.given.get("number", 0)}


# -- ladders ----------------------------------------------------------------------------------------


@event_mail("challenge", words=N_("a challenge"), news=True)
def _challenge(told: EventMail) -> dict[str, Any] | None:
    """Tell a player of a challenge, with a link for the answer."""
    round_id, made = told.given["round"], told.given["made"]
    assert told.mail.handed_over_at is not None
    found = ladder.waiting(told.session, round_id, made, told.mail.handed_over_at)
    if found is None:
        return None
    there, one = found
    if there.people[one.opponent].player_id != told.reader.id:
        return None
    return {
        "title": told.title,
        "challenger": told.voice.person(there.people[one.challenger].name),
        "until": one.answer_by,
        "places": (there.ladder.place(one.challenger), there.ladder.place(one.opponent)),
        "pace": told.pace,
        "link": told.signed("challenge", "challenge", round_id, made),
    }


@event_mail("challenge_declined", words=N_("the answer to a challenge"), group=MailGroup.NEWS, news=True)
def _declined(told: EventMail) -> dict[str, Any]:
    """Tell the challenger that there will be no game."""
    return {"opponent": told.who(told.given["by"])}
