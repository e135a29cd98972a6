"""The mails of clubs and events: invitations, rounds that begin, being entered into an event, cancellations."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlmodel import col

from app.base.mail_tables import MailGroup
from app.base.speech import Voice
from app.leagues.clubs import clubs, members
from app.leagues.events import entries, events, round_rows
from app.leagues.tables import STILL_IN, Competition, CompetitionRound, CompetitionStatus, EntrantStatus, Match
from app.people import unasked
from app.people.tables import Player
from app.post.message import WrittenMail
from app.post.writing import QueuedMail, finish, mail, reader_of
from app.time import calendars, leave
from app.time.digest import URGENT
from app.time.pace_words import pace_in_words
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links


def event_of(session: Session, event_id: int) -> Competition | None:
    """Return the event a mail is about; None if it no longer exists."""
    try:
        return events.get(session, event_id)
    except events.NoSuchCompetition:
        return None


def reader_and_event(session: Session, mail: QueuedMail, *, is_news: bool = False) -> tuple[Player, Competition] | None:
    """Return the reader and the event of a mail; None if one no longer exists or the reader wants no such news."""
    reader = reader_of(session, mail)
    if reader is None or (is_news and not mail.is_wanted(reader)):
        return None
    event = event_of(session, mail.details["event"])
    return None if event is None else (reader, event)


def asked_link(links: Links, kind: str, event: Competition, reader: Player) -> str:
    """Return where one press answers what a mail asks about an event."""
    assert reader.id is not None
    return f"{links.base_url}/asked/{kind}/{links.sign(kind, [event.id, reader.id])}"


def pace_of(session: Session, event: Competition, voice: Voice) -> str:
    """Return the pace of an event in words, with the name of its calendar."""
    calendar = next((one.name for one in calendars.every(session) if one.id == event.calendar_id), "")
    return pace_in_words(voice, event.pace, calendar)


def told_of(session: Session, event: Competition, voice: Voice) -> dict[str, Any]:
    """Return what a mail that presents an event says about it."""
    return {
        "club": clubs.get(session, event.club_id).name,
        "event": event.name,
        "season": event.season,
        "title": voice.gettext(event.title.name),
        "pace": pace_of(session, event, voice),
    }


def _of_others(session: Session, mail: QueuedMail, until: datetime) -> bool:
    """Who was put into a running event by an organiser is told at once."""
    return bool(mail.details["player"] != mail.player_id)


def _can_sign_up(session: Session, mail: QueuedMail, until: datetime) -> bool:
    """A day is left for signing up."""
    event = event_of(session, mail.details["event"])
    return event is None or event.sign_up_until is None or event.sign_up_until - until >= URGENT


@mail("club_invitation", words=N_("an invitation to a club"))
def _club_invitation(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Invite a person to a club."""
    reader = reader_of(session, mail)
    if reader is None or reader.id is None or not mail.is_wanted(reader):
        return None
    try:
        club = clubs.get(session, mail.details["club"])
    except clubs.NoSuchClub:
        return None
    if not members.is_invited(session, club.id, reader.id) or not unasked.may_go_out(session, reader, mail):
        return None
    voice = Voice(reader.language, reader.zone)
    by = session.scalar(select(col(Player.name)).where(col(Player.id) == mail.details["by"]))
    context = {
        "club": unasked.said_to(reader, club.name),
        "about": unasked.said_to(reader, club.about),
        "by": unasked.said_to(reader, voice.person(by)),
        "link": f"{links.base_url}/clubs/invitation/{links.sign('club_invitation', [club.id, reader.id])}",
    }
    return finish("club_invitation", context, reader, links, mail, group="news")


@mail("event_round", words=N_("the mail about the round"), group=MailGroup.NEWS)
def _event_round(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell a player that a round has begun: opponents, sides, deadline and games, all legs in one mail.

    The turn has a mail of its own with its link.
    """
    told = reader_and_event(session, mail, is_news=True)
    if told is None:
        return None
    reader, event = told
    if "rounds" in mail.details:
        return _all_rounds(session, links, mail, reader, event)
    found = _match_of(session, mail.details["match"])
    if found is None:
        return None
    round, match = found
    legs = mail.details.get("legs", [match.id])  # a mail queued by an older version has none
    mine = [
        (one, seat)
        for one in round.matches
        for seat in one.seats
        if one.id in legs and seat.player_id == reader.id and (one.is_bye or not one.ended)
    ]
    if not mine or event.status == CompetitionStatus.CANCELLED:
        return None
    match, own = mine[0]
    voice = Voice(reader.language, reader.zone, event.title)
    others = [voice.person(seat.name) for seat in match.seats if seat is not own]
    sides = [voice.name("seat", seat) for seat in event.title.seats]
    context = {
        "event": event.name,
        "title": voice.gettext(event.title.name),
        "number": round.number,
        "division": event.division(round.division_id).name if len(event.divisions) > 1 else "",
        "others": voice.join(others),
        "seat": "" if match.is_bye else voice.join([sides[seat.place] for _, seat in mine]),
        "games": [
            {"number": one.game_id, "side": sides[seat.place], "link": f"{links.base_url}/games/{one.game_id}"}
            for one, seat in mine
            if one.game_id is not None
        ],
        "pace": pace_of(session, event, voice),
        "due": round.due_at,
        "bye": match.is_bye,
        "link": f"{links.base_url}/events/{event.id}",
    }
    return finish("event_round", context, reader, links, mail, group="news")


def _all_rounds(
    session: Session, links: Links, mail: QueuedMail, reader: Player, event: Competition
) -> WrittenMail | None:
    """List the reader's games of all rounds of a division that began at once, round by round, in one mail."""
    first, last = mail.details["rounds"]
    begun = [one for one in round_rows.rounds_of(session, mail.details["division"]) if first <= one.number <= last]
    voice = Voice(reader.language, reader.zone, event.title)
    sides = [voice.name("seat", seat) for seat in event.title.seats]
    games = [
        {
            "round": round.number,
            "number": match.game_id,
            "side": sides[own.place],
            "others": voice.join([voice.person(seat.name) for seat in match.seats if seat is not own]),
            "link": f"{links.base_url}/games/{match.game_id}",
        }
        for round in begun
        for match in round.open_matches
        for own in match.seats
        if own.player_id == reader.id and match.game_id is not None
    ]
    if not games or event.status == CompetitionStatus.CANCELLED:
        return None
    context = {
        "event": event.name,
        "title": voice.gettext(event.title.name),
        "division": event.division(mail.details["division"]).name if len(event.divisions) > 1 else "",
        "games": games,
        "pace": pace_of(session, event, voice),
        "due": max((one.due_at for one in begun if one.due_at is not None), default=None),
        "link": f"{links.base_url}/events/{event.id}",
    }
    return finish("event_rounds", context, reader, links, mail, group="news")


@mail("round_end", words=N_("a mail about the end of a round"))
def _round_end(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell a player whose game still runs when its round ends, or until when it was extended.

    Players who want no news get it too, because that end has consequences.
    """
    reader, given = reader_of(session, mail), mail.details
    event = None if reader is None else event_of(session, given["event"])
    found = None if event is None else _match_of(session, given["match"])
    if reader is None or event is None or found is None:
        return None
    round, match = found
    own = next((seat for seat in match.seats if seat.player_id == reader.id), None)
    if own is None or match.ended or event.status != CompetitionStatus.RUNNING or round.due_at is None:
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    context = {
        "event": event.name,
        "number": round.number,
        "longer": given["what"] == "longer",
        "others": voice.join([voice.person(seat.name) for seat in match.seats if seat is not own]),
        "due": round.due_at,
        "then": event.terms.round_end,
        "link": f"{links.base_url}/games/{match.game_id}",
    }
    return finish("round_end", context, reader, links, mail, group=None)


@mail("event_entered", words=N_("the mail about a place in an event"))
def _event_entered(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the reader which event, a draft until now, an organiser has entered them into, and how to leave it.

    Players who want no news get it too, since they did not sign up themselves.
    """
    told = reader_and_event(session, mail)
    if told is None:
        return None
    reader, event = told
    entrant = entries.entrant_of(session, event.id, reader.id)
    if (
        entrant is None
        or entrant.status not in STILL_IN
        or event.status not in (CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING)
    ):
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    divided = len(event.divisions) > 1 and entrant.division_id is not None
    context = {
        **told_of(session, event, voice),
        "reserve": entrant.status == EntrantStatus.RESERVE,
        "division": event.division(entrant.division_id).name if divided else "",
        "link": f"{links.base_url}/events/{event.id}",
        "leave": f"{links.base_url}/events/{event.id}/withdraw",
    }
    return finish("event_entered", context, reader, links, mail, group=None)


@mail("sign_up_open", words=N_("a mail about an open sign-up"), group=MailGroup.NEWS, waits=_can_sign_up)
def _sign_up_open(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Announce that sign-up of an event in the reader's club is open; None if it is over or the reader has signed up
    since.
    """
    told = reader_and_event(session, mail, is_news=True)
    if told is None:
        return None
    reader, event = told
    if event.status != CompetitionStatus.SIGN_UP:
        return None
    entrant = entries.entrant_of(session, event.id, reader.id)
    if clubs.role_in(session, event, reader.id) is None or (entrant is not None and entrant.status in STILL_IN):
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    context = {
        **told_of(session, event, voice),
        "until": event.sign_up_until,
        "link": asked_link(links, "sign_up_open", event, reader),
        "page": f"{links.base_url}/events/{event.id}",
        "divisions": [one.name for one in event.divisions] if len(event.divisions) > 1 else [],
    }
    return finish("sign_up_open", context, reader, links, mail, group="news")


@mail("event_late", words=N_("a mail about a new player in an event"), group=MailGroup.NEWS, waits=_of_others)
def _event_late(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell of a late entry: the player (even if they want no news, since an organiser did it), and those whose rounds
    are laid out again because of it.
    """
    reader, given = reader_of(session, mail), mail.details
    if reader is None or reader.id is None:
        return None
    own = reader.id == given["player"]
    try:
        event = events.get(session, given["event"])
        division = event.division(given["division"])
    except (events.NoSuchCompetition, KeyError):
        return None
    entrant = entries.entrant_of(session, event.id, reader.id)
    if (
        entrant is None
        or entrant.status != EntrantStatus.ENTERED
        or event.status != CompetitionStatus.RUNNING
        or not (own or mail.is_wanted(reader))
    ):
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    who = session.scalar(select(col(Player.name)).where(col(Player.id) == given["player"]))
    context = {
        "club": clubs.get(session, event.club_id).name,
        "event": event.name,
        "own": own,
        "title": voice.gettext(event.title.name),
        "who": voice.person(who),
        "division": division.name if len(event.divisions) > 1 else "",
        "begins": given["begins"],
        "rounds": (given["before"], given["after"]),
        "missed": given.get("missed", []),
        "paired": given.get("paired", False),
        "reason": given["reason"],
        "pace": pace_of(session, event, voice),
        "link": f"{links.base_url}/events/{event.id}",
        "leave": f"{links.base_url}/events/{event.id}/withdraw",
    }
    return finish("event_late", context, reader, links, mail, group=None if own else "news")


@mail("event_cancelled", words=N_("the mail about a cancelled event"), group=MailGroup.NEWS)
def _event_cancelled(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Say why the reader's event is cancelled and what happens to their games, also to players who want no news."""
    told = reader_and_event(session, mail)
    if told is None:
        return None
    reader, event = told
    voice = Voice(reader.language, reader.zone, event.title)
    by = session.scalar(select(col(Player.name)).where(col(Player.id) == mail.details["by"]))
    context = {
        "event": event.name,
        "title": voice.gettext(event.title.name),
        "reason": mail.details["reason"],
        "by": voice.person(by),
        "games": len(leave.running_in(session, reader.id, event.id)),
        "link": f"{links.base_url}/events/{event.id}",
    }
    return finish("event_cancelled", context, reader, links, mail, group=None)


def _match_of(session: Session, match_id: int) -> tuple[CompetitionRound, Match] | None:
    round_id = session.scalar(select(col(Match.round_id)).where(col(Match.id) == match_id))
    if round_id is None:  # seated again since
        return None
    round = round_rows.get(session, round_id)
    return round, next(match for match in round.matches if match.id == match_id)
