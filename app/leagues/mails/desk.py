"""The mails of the desk: acts of organisers, rulings, calls of reserves, messages to an event."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlmodel import Session

from app.base.links import Links, TurnLink
from app.base.stored.mail_tables import MailGroup
from app.leagues.changes import reserves
from app.leagues.events import seat_changes
from app.leagues.mails.of_events import EventMail, about_event, event_mail
from app.leagues.rulings import applying, deciding
from app.leagues.tables import CompetitionMessage, Entrant, Ruling, RulingStatus
from app.people.tables import Player
from app.post.letters.message import WrittenMail
from app.post.letters.render import part
from app.post.letters.writing import QueuedMail, game_of, still_owed
from app.post.out.bundles import Line, line
from app.time.time_log import lasting
from engine.kernel.text import N_

# -- acts ---------------------------------------------------------------------------------------------


@event_mail("desk_act", words=N_("a mail about what those who run an event have done"))
def _desk_act(told: EventMail) -> dict[str, Any] | None:
    """Tell the reader that an organiser has nudged them, or moved a clock of one of their games."""
    mail, voice, game = told.mail, told.voice, game_of(told.session, told.mail)
    if game is None or game.is_over or mail.seat is None:
        return None
    if mail.number is not None and not still_owed(game, mail):
        return None
    owes = game.decides == mail.seat
    turn = told.links.turn(TurnLink(game.id, mail.seat, game.number, told.reader.id)) if owes else ""
    return {
        "title": told.title,
        "act": told.given["act"],
        "by": told.who(told.given["by"]),
        "reason": told.given["reason"],
        "owes": owes,
        "late": voice.who(game.seated(game.decides or "")),
        "time": lasting(voice, told.given["seconds"]),
        "deadline": game.deadline_at,
        "is_late": game.deadline_at is not None and game.deadline_at <= (mail.handed_over_at or mail.made_at),
        "others": voice.join([voice.who(s) for s in game.others(mail.seat)]),
        "link": turn or f"{told.links.base_url}/games/{game.id}",
    }


# -- rulings ------------------------------------------------------------------------------------------


@event_mail("ruling", words=N_("a mail about a ruling"))
@event_mail("ruling_asked", words=N_("a mail about a ruling"), group=MailGroup.CLOCK, template="ruling")
def _ruling(told: EventMail) -> dict[str, Any] | None:
    """Tell players, and those who can decide, that a ruling was opened, decided, appealed against or withdrawn."""
    session, voice, event, reader = told.session, told.voice, told.event, told.reader
    row = session.get(Ruling, told.given["ruling"])
    if row is None or row.match_id is None:
        return None
    (what, *about), judge = told.given["what"].split(":"), told.given["as"] == "judge"
    wanted = {"opened": ("open",), "decided": ("decided", "final"), "appealed": ("appealed",), "final": ("final",)}
    wanted |= {"closed": ("withdrawn",), "said": ("open", "appealed")}
    if row.status not in wanted.get(what, ("open",)):
        return None
    if judge and what != "closed" and not deciding.may_decide(session, row, event, reader.id):
        return None
    number, match = deciding.match_of(session, row.match_id)
    players = [voice.person(seat.name) for seat in match.seats]
    return {
        "voice": voice,
        "title": told.title,
        "round": number,
        "what": what,
        "judge": judge,
        "players": voice.join(players),
        "by": told.who(int(about[0])) if what == "said" else told.who(row.opened_by) if row.opened_by else "",
        "said": row.details.get("said", {}).get(about[0], "") if what == "said" else "",
        "claim": row.claim,
        "round_end": bool(row.details.get("round_end")),
        "adjudicate": row.details.get("round_end") == "adjudicate",
        "late": row.case_id is not None,
        "decision": applying.in_words(voice, row.decision, row.details, players) if row.decision else "",
        "reason": row.details["note"] if what == "closed" else row.reason,
        "appeal": row.appeal,
        "appeal_by": told.who(row.appealed_by) if row.appealed_by else "",
        "until": row.appeal_until if row.status == RulingStatus.DECIDED else None,
        "link": told.signed("asked/ruling", "ruling", row.id)
        if what in (("opened", "appealed", "said") if judge else ("opened", "decided", "said"))
        else f"{told.page}/rulings/{row.id}",
    }


@line("ruling_asked")
def _ruling_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    told = about_event(session, links, mail)
    about = None if told is None else _ruling(told)
    if told is None or not isinstance(about, dict):
        return None
    what, about = about["what"], about | {"event": told.event.name}
    lead = part("ruling", "lead", told.reader.language, about)
    text = told.voice.gettext("{label}: {value}", label=told.event.name, value=lead)
    words = {"opened": about["claim"], "appealed": about["appeal"], "said": about["said"], "undone": ""}
    more = words.get(what, about["reason"])
    asked = about["judge"] and what in ("opened", "appealed")
    return Line("judge" if asked else "news", text, about["link"], what=more or "")


# -- reserves -----------------------------------------------------------------------------------------


@event_mail("reserve_call", words=N_("a call to a reserve"))
def _reserve_call(told: EventMail) -> dict[str, Any] | None:
    """Ask a reserve to take over a seat."""
    try:
        call = reserves.find(told.session, told.given["call"], told.reader.id)
    except reserves.CallEnded:
        return None
    return {
        "title": told.title,
        "games": len(seat_changes.running_games(told.session, told.event.id, call.leaver_id)),
        "leaver": told.who(_player_of(told.session, call.leaver_id)),
        "until": call.answer_by,
        "link": told.signed("reserve", "reserve", call.id),
    }


def _player_of(session: Session, entry_id: int) -> int | None:
    entrant = session.get(Entrant, entry_id)
    return None if entrant is None else entrant.player_id


@event_mail("reserve", words=N_("a mail about a reserve"))
def _reserve(told: EventMail) -> dict[str, Any]:
    """Tell the outcome of a call: accepted (to all concerned), withdrawn or expired (to the reserve), nobody left (to
    the organisers).
    """
    call = reserves.get(told.session, told.given["call"])
    leaver = _player_of(told.session, call.leaver_id)
    what = told.given["what"]
    return {
        "title": told.title,
        "what": what,
        "leaver": told.who(leaver),
        "own": leaver == told.reader.id,
        "reserve": call.name,
        "share": told.event.terms.share if what in ("taken", "place") else "",
        "link": f"{told.page}/manage" if what == "none" else told.page,
    }


# -- messages -----------------------------------------------------------------------------------------


@event_mail("event_message", words=N_("a message of the organisers"), news=True)
def _event_message(told: EventMail) -> WrittenMail:
    """Write an organiser's message to the reader; answers reach the organiser if they agreed to that."""
    row = told.session.get_one(CompetitionMessage, told.given["message"])
    by = None if row.by_id is None else told.session.get(Player, row.by_id)
    sender = by if told.given.get("replies") and by is not None and by.erased_at is None else None
    context = {
        "by": told.who(row.by_id),
        "headline": row.subject,
        "paragraphs": row.text.split("\n"),
        "replies": sender is not None,
    }
    written = told.finished(context, news=True)
    return written if sender is None else replace(written, reply_to=(sender.name, sender.address))
