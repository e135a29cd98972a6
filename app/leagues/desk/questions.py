"""What a mail of a club asks of one person, and what follows from yes or no: by a link of the mail or by a reply.

Nobody has to sign in: the mail is the proof. Each does what it does in the caller's transaction, and returns the
outcome in words. Nothing is written where one raises a refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial

from app.base.stored.mail_tables import OutboxMail
from app.games.work import Work
from app.leagues.changes import holdings, leaving, reserves
from app.leagues.clubs import club_rights, members
from app.leagues.clubs.acting import Acting
from app.leagues.desk import autopilot
from app.leagues.events import invited, lifecycle
from app.leagues.rounds import ladder
from app.leagues.seasons import again
from app.leagues.tables import EntrantStatus, Role
from app.post.inbound import port
from app.post.inbound.port import Result
from engine.kernel.text import Text

SIGN_UP, ENTERED, DRAFT, OVER = "sign_up_open", "event_entered", "event_draft", "event_over"
"""The kinds of mails that ask something about an event."""

Follows = Callable[["Work", int, int, bool, datetime], Result]
"""From a transaction, an event, a player and whether they say yes to the outcome."""


def _sign_up(work: Work, event_id: int, player_id: int, is_yes: bool, now: datetime) -> Result:
    event = lifecycle.get(work.session, event_id)
    status = invited.answer(work, event_id, player_id, plays=is_yes, now=now)
    said = {
        EntrantStatus.ENTERED: Text("You play in {event}.", event=event.name),
        EntrantStatus.RESERVE: Text("{event} is full: you are on the list of reserves.", event=event.name),
    }
    declined = Text("You do not play in {event} this time; the organisers know.", event=event.name)
    return Result(said.get(EntrantStatus(status), declined) if is_yes else declined, f"/events/{event_id}")


def _entered(work: Work, event_id: int, player_id: int, is_yes: bool, now: datetime) -> Result:
    """Stay where an organiser has entered the player, or leave."""
    if not is_yes:
        leaving.withdraw_within(work, event_id, player_id, player_id, reason="", now=now)
        invited.decline(Acting(work, lifecycle.get(work.session, event_id), player_id, now), player_id)
    return _sign_up(work, event_id, player_id, is_yes, now)


def _draft(work: Work, event_id: int, player_id: int, is_yes: bool, now: datetime) -> Result:
    """Hold what is to be published, or leave it to its hour."""
    acting = lifecycle.allowed(work, event_id, player_id, Role.DEPUTY, now)
    name, page = acting.event.name, f"/events/{event_id}/manage"
    if is_yes:
        return Result(Text("It is published at its hour; nothing has changed."), page)
    autopilot.pause(acting, paused=True)
    return Result(Text("It is held: {event} does nothing by itself until you let it go on.", event=name), page)


def _again(work: Work, event_id: int, player_id: int, is_yes: bool, now: datetime) -> Result:
    event = lifecycle.get(work.session, event_id, lock=True)
    mine = again.note_again(Acting(work, event, player_id, now), player_id, plays=is_yes)
    if mine is not None:
        after = lifecycle.get(work.session, mine.event_id, lock=True)
        holdings.leave_event(work, holdings.Leaving(player_id, player_id, now), after, mine)
    page = f"/events/{event_id}"
    if is_yes:
        return Result(Text("You play the next season; a mail tells when it begins."), page)
    return Result(Text("You do not play the next season; the organisers know."), page)


OF_EVENTS: dict[str, Follows] = {SIGN_UP: _sign_up, ENTERED: _entered, DRAFT: _draft, OVER: _again}


def _of_event(follows: Follows, work: Work, asked: OutboxMail, *, is_yes: bool, now: datetime) -> Result:
    assert asked.player_id is not None
    return follows(work, asked.details["event"], asked.player_id, is_yes, now)


def _invitation(work: Work, asked: OutboxMail, *, is_yes: bool, now: datetime) -> Result:
    assert asked.player_id is not None
    club = club_rights.get(work.session, asked.details["club"])
    page = f"/clubs/{club.slug}"
    if not members.answer(work, club.id, asked.player_id, joins=is_yes, now=now):
        return Result(Text("This link of {club} does not hold any more; ask the club.", club=club.name), page)
    if is_yes:
        return Result(Text("You belong to the club {club} now.", club=club.name), page)
    return Result(Text("You do not belong to {club}, and nothing more comes of this.", club=club.name), page)


def _reserve(work: Work, asked: OutboxMail, *, is_yes: bool, now: datetime) -> Result:
    call = reserves.get(work.session, asked.details["call"])
    reserves.answer(work, call.id, asked.player_id, accepts=is_yes, now=now)
    said = Text("The seat is yours.") if is_yes else Text("Somebody else is asked. You stay on the list of reserves.")
    return Result(said, f"/events/{call.event_id}")


def _challenge(work: Work, asked: OutboxMail, *, is_yes: bool, now: datetime) -> Result:
    assert asked.player_id is not None
    given = asked.details
    ladder.answer_within(work, given["round"], given["made"], asked.player_id, accepts=is_yes, now=now)
    said = "The challenge is accepted and the game has begun; a mail asks whoever decides first."
    return Result(Text(said) if is_yes else Text("The challenge is declined."), f"/events/{given['event']}")


def connect() -> None:
    """Take the answers that come by mail."""
    for kind, follows in OF_EVENTS.items():
        port.register_question(kind, partial(_of_event, follows))
    port.register_question("club_invitation", _invitation)
    port.register_question("reserve_call", _reserve)
    port.register_question("challenge", _challenge)
