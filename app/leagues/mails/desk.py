"""The mails of the desk: acts of organisers, rulings, calls of reserves, messages to an event."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlmodel import col, select

from app.base.links import TurnLink
from app.base.mail_tables import MailGroup
from app.base.speech import FORMER_PLAYER, Voice
from app.leagues.changes import reserves
from app.leagues.events import seat_changes
from app.leagues.mails.events import event_of
from app.leagues.rulings import applying, deciding
from app.leagues.tables import CompetitionMessage, Entrant, Ruling, RulingStatus
from app.people.tables import Player
from app.post.bundles import Line, line
from app.post.message import WrittenMail
from app.post.render import part
from app.post.writing import QueuedMail, finish, game_of, mail, reader_of, still_owed
from app.time.time_log import lasting
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.links import Links


def _name(session: Session, voice: Voice, player_id: int | None) -> str:
    """Return a player's name; an erased account has none."""
    found: str | None = session.scalar(select(col(Player.name)).where(col(Player.id) == player_id))
    return voice.person(found)


# -- acts ---------------------------------------------------------------------------------------------


@mail("desk_act", words=N_("a mail from the desk of an event"))
def _desk_act(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the reader that an organiser has nudged them, or moved a clock of one of their games."""
    reader, game = reader_of(session, mail), game_of(session, mail)
    event = event_of(session, mail.details["event"])
    if reader is None or game is None or event is None or game.is_over or mail.seat is None:
        return None
    owes = game.decides == mail.seat
    if mail.number is not None and not still_owed(game, mail):
        return None
    voice = Voice(reader.language, reader.zone, game.title)
    link = f"{links.base_url}/games/{game.id}"
    if owes:
        link = links.turn(TurnLink(game.id, mail.seat, game.number, reader.id))
    late = game.seated(game.decides or "")
    context = {
        "title": voice.gettext(game.title.name),
        "act": mail.details["act"],
        "event": event.name,
        "by": _name(session, voice, mail.details["by"]),
        "reason": mail.details["reason"],
        "owes": owes,
        "late": voice.who(late),
        "time": lasting(voice, mail.details["seconds"]),
        "deadline": game.deadline_at,
        "is_late": game.deadline_at is not None and game.deadline_at <= (mail.handed_over_at or mail.made_at),
        "others": voice.join([voice.who(s) for s in game.others(mail.seat)]),
        "link": link,
    }
    return finish("desk_act", context, reader, links, mail, group=None)


# -- rulings ------------------------------------------------------------------------------------------


@mail("ruling", words=N_("a mail about a ruling"))
@mail("ruling_asked", words=N_("a mail about a ruling"), group=MailGroup.CLOCK)
def _ruling(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell players, and those who can decide, that a ruling was opened, decided, appealed against or withdrawn."""
    told = _about_ruling(session, links, mail)
    return None if told is None else finish("ruling", told[1], told[0], links, mail, group=None)


@line("ruling_asked")
def _ruling_line(session: Session, links: Links, mail: QueuedMail) -> Line | None:
    told = _about_ruling(session, links, mail)
    if told is None:
        return None
    reader, about = told
    voice, what = about["voice"], about["what"]
    text = voice.gettext("{event}: {what}", event=about["event"], what=part("ruling", "lead", reader.language, about))
    more = {"opened": about["claim"], "appealed": about["appeal"], "undone": ""}.get(what, about["reason"])
    asked = about["judge"] and what in ("opened", "appealed")
    return Line("judge" if asked else "news", text, about["link"], what=more or "")


def _about_ruling(session: Session, links: Links, mail: QueuedMail) -> tuple[Any, dict[str, Any]] | None:
    reader = reader_of(session, mail)
    row = session.exec(select(Ruling).where(col(Ruling.id) == mail.details["ruling"])).first()
    event = None if row is None else event_of(session, row.event_id)
    if reader is None or row is None or event is None or row.match_id is None:
        return None
    what, judge = mail.details["what"].partition(":")[0], mail.details["as"] == "judge"
    wanted = {"opened": ("open",), "decided": ("decided", "final"), "appealed": ("appealed",), "final": ("final",)}
    wanted["closed"] = ("withdrawn",)
    if row.status not in wanted.get(what, ("open",)):
        return None
    if judge and what != "closed" and not deciding.may_decide(session, row, event, reader.id):
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    number, match = deciding.match_of(session, row.match_id)
    players = [voice.person(seat.name) for seat in match.seats]
    context = {
        "voice": voice,
        "title": voice.gettext(event.title.name),
        "event": event.name,
        "round": number,
        "what": what,
        "judge": judge,
        "players": voice.join(players),
        "by": _name(session, voice, row.opened_by) if row.opened_by else "",
        "claim": row.claim,
        "round_end": bool(row.details.get("round_end")),
        "adjudicate": row.details.get("round_end") == "adjudicate",
        "late": row.case_id is not None,
        "decision": applying.in_words(voice, row.decision, row.details, players) if row.decision else "",
        "reason": row.details["note"] if what == "closed" else row.reason,
        "appeal": row.appeal,
        "appeal_by": _name(session, voice, row.appealed_by) if row.appealed_by else "",
        "until": row.appeal_until if row.status == RulingStatus.DECIDED else None,
        "link": f"{links.base_url}/asked/ruling/{links.sign('ruling', [row.id, reader.id])}"
        if judge and what in ("opened", "appealed")
        else f"{links.base_url}/events/{event.id}/rulings/{row.id}",
    }
    return reader, context


# -- reserves -----------------------------------------------------------------------------------------


@mail("reserve_call", words=N_("a call to a reserve"))
def _reserve_call(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Ask a reserve to take over a seat."""
    reader = reader_of(session, mail)
    if reader is None:
        return None
    try:
        call = reserves.find(session, mail.details["call"], reader.id)
    except reserves.CallEnded:
        return None
    event = event_of(session, call.event_id)
    if event is None:
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    games = seat_changes.running_games(session, event.id, call.leaver_id)
    context = {
        "title": voice.gettext(event.title.name),
        "event": event.name,
        "games": len(games),
        "leaver": _name(session, voice, _player_of(session, call.leaver_id)),
        "until": call.answer_by,
        "link": f"{links.base_url}/reserve/{links.sign('reserve', [call.id, reader.id])}",
    }
    return finish("reserve_call", context, reader, links, mail, group=None)


def _player_of(session: Session, entry_id: int) -> int | None:
    found: int | None = session.scalar(select(col(Entrant.player_id)).where(col(Entrant.id) == entry_id))
    return found


@mail("reserve", words=N_("a mail about a reserve"))
def _reserve(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the outcome of a call: accepted (to all concerned), withdrawn or expired (to the reserve), nobody left (to
    the organisers).
    """
    reader = reader_of(session, mail)
    if reader is None:
        return None
    call = reserves.get(session, mail.details["call"])
    event = event_of(session, call.event_id)
    if event is None:
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    leaver = _player_of(session, call.leaver_id)
    what = mail.details["what"]
    context = {
        "title": voice.gettext(event.title.name),
        "event": event.name,
        "what": what,
        "leaver": _name(session, voice, leaver),
        "own": leaver == reader.id,
        "reserve": call.name,
        "share": event.terms.share if what in ("taken", "place") else "",
        "link": f"{links.base_url}/events/{event.id}" + ("/desk" if what == "none" else ""),
    }
    return finish("reserve", context, reader, links, mail, group=None)


# -- messages -----------------------------------------------------------------------------------------


@mail("event_message", words=N_("a message of the organisers"))
def _event_message(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Write an organiser's message to the reader; answers reach the organiser if they agreed to that."""
    reader = reader_of(session, mail)
    row = session.execute(
        select(
            col(CompetitionMessage.event_id),
            col(CompetitionMessage.by_id),
            col(CompetitionMessage.subject),
            col(CompetitionMessage.text),
        ).where(col(CompetitionMessage.id) == mail.details["message"])
    ).first()
    event = None if row is None else event_of(session, row.event_id)
    if reader is None or not mail.is_wanted(reader) or row is None or event is None:
        return None
    by = session.execute(
        select(col(Player.name), col(Player.address)).where(
            col(Player.id) == row.by_id, col(Player.erased_at).is_(None)
        )
    ).first()
    replies = bool(mail.details.get("replies")) and by is not None
    voice = Voice(reader.language, reader.zone)
    context = {
        "event": event.name,
        "by": by.name if by else voice.gettext(FORMER_PLAYER),
        "headline": row.subject,
        "paragraphs": row.text.split("\n"),
        "replies": replies,
        "link": f"{links.base_url}/events/{event.id}",
    }
    written = finish("event_message", context, reader, links, mail, group="news")
    return replace(written, reply_to=(by.name, by.address)) if replies and by is not None else written
