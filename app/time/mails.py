"""The mails of the clocks: reminders of one or several decisions, nudges, time granted, and leave."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session, col, select

from app.base.links import Links, TurnLink
from app.base.stored.mail_tables import MailGroup
from app.base.words.speech import FORMER_PLAYER, Voice
from app.games import competitions
from app.games.store import GameNow, GameStore
from app.people.accounts import DIGEST
from app.people.tables import MailShows, Player
from app.play.mails import against, asking, thumbnail
from app.play.pages.turn.asked import line_now
from app.post.letters.message import WrittenMail
from app.post.letters.writing import Picture, QueuedMail, finish, game_of, mail, reader_of, still_owed
from app.post.out import news_in_digests
from app.post.out.bundles import along, legends
from app.time.away import automatic
from app.time.reminding import digest
from app.time.reminding.reminders import told_by
from app.time.tables import Leave, LeaveKind
from app.time.time_log import after_the_deadline, consequences, credits_of, lasting
from engine.kernel.text import N_

MOST_IN_DIGEST = 60
"""The number of games with a line."""
NEVER = datetime.max.replace(tzinfo=UTC)


@mail("reminder", words=N_("a reminder"), group=MailGroup.CLOCK)
def _reminder(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Remind a seat that still owes a decision, or a player who owes several."""
    if mail.game_id is None:
        return _reminders(session, links, mail)
    is_last = bool(mail.details.get("last"))

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        told = _consequences(session, game, voice) if is_last else []
        away = bool(told) and automatic.may_follow(session, game.id)
        late = along(session, links, mail)
        return {"consequences": told, "auto_leave": away, "nudged_by": "", "sections": late}

    return asking(session, links, mail, "reminder", "reminders", more)


def _reminders(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Return the reminders of several decisions that are still owed, the most urgent first."""
    reader = reader_of(session, mail)
    if reader is None or not mail.is_wanted(reader, "reminders"):
        return None
    waiting: list[tuple[QueuedMail, GameNow]] = []
    for rung in told_by(mail):
        details = {"last": True} if rung.is_last else {}
        one = replace(mail, game_id=rung.game_id, seat=rung.seat, number=rung.number, details=details)
        game = game_of(session, one)
        if game is not None and still_owed(game, one):
            waiting.append((one, game))
    if not waiting:
        return None
    if len(waiting) == 1:
        return _reminder(session, links, waiting[0][0])
    waiting.sort(key=lambda pair: pair[1].deadline_at or mail.made_at)
    items = [_item(session, links, one, game, reader) for one, game in waiting]
    context = {
        "items": items,
        "sections": along(session, links, mail),
        "legends": legends([(item["number"], item["consequences"]) for item in items]),
        "auto_leave": any(item["leave_left"] for item in items),
        "away": links.leave(reader.id or 0, mail.made_at, waiting[0][0].game_id, waiting[0][0].number),
        "deadline": waiting[0][1].deadline_at,
    }
    return finish("reminders", context, reader, links, mail, group="reminders")


@mail("digest", words=N_("the mail with all games that wait"), group=MailGroup.CLOCK)
def _digest(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """List all games that wait for a player, the most urgent first; the first few with their boards; and the news that
    waited for it (`app.post.out.news_in_digests`), even if no game waits."""
    reader = reader_of(session, mail)
    told = news_in_digests.lines(session, links, mail)
    if reader is None or not (reader.digest_hours or told):
        return None
    items: list[dict[str, Any]] = []
    pictures: dict[str, Picture] = {}
    owed = digest.waiting(session, reader.id)
    for due in owed[:MOST_IN_DIGEST]:
        one = replace(mail, game_id=due.game_id, seat=due.seat, number=due.number, details={})
        game = game_of(session, one)
        if game is None or not still_owed(game, one):
            continue
        items.append({**_item(session, links, one, game, reader), "game": game})
    if not items and not told:
        return None
    items.sort(key=lambda item: item["deadline"] or NEVER)
    for item in items if reader.mail_shows != MailShows.LINK else ():
        game = item["game"]
        pictures[f"game{game.id}"] = thumbnail(session, game, Voice(reader.language, reader.zone, game.title))
    context = {
        "items": items,
        "more": len(owed) - len(items),
        "pictures": pictures,
        "games_page": f"{links.base_url}/games",
        "away": links.leave(reader.id or 0, mail.made_at, *(owed[0].game_id, owed[0].number) if owed else (None, None)),
        "deadline": items[0]["deadline"] if items else None,
        "news": told,
        "news_left": news_in_digests.left_over(session, mail) if told else 0,
        "sections": along(session, links, mail),
        "instead": reader.digest_instead,
    }
    return finish("digest", context, reader, links, mail, group=DIGEST)


def _item(session: Session, links: Links, one: QueuedMail, game: GameNow, reader: Player) -> dict[str, Any]:
    voice = Voice(reader.language, reader.zone, game.title)
    assert one.seat is not None and one.number is not None
    is_last = bool(one.details.get("last")) and game.deadline_at is not None
    told = []
    if is_last:
        told = after_the_deadline(game.pace, voice, in_event=competitions.runner().has_organisers(session, game.id))
    reads = "" if reader.mail_shows == MailShows.HAND else None
    return {
        "number": game.id,
        "text": against(game, one.seat, voice),
        "asked": line_now(GameStore(session), game, one.seat, voice, reads=reads).said,
        "deadline": game.deadline_at,
        "link": links.turn(TurnLink(game.id, one.seat, one.number, reader.id)),
        "credits": credits_of(session, game, voice),
        "consequences": told,
        "leave_left": bool(told) and automatic.may_follow(session, game.id),
    }


def _consequences(session: Session, game: GameNow, voice: Voice) -> list[str]:
    """Return what happens when the deadline passes, if there is one."""
    if game.deadline_at is None:
        return []
    in_event = competitions.runner().has_organisers(session, game.id)
    return consequences(game.pace, game.deadline_at, voice, in_event=in_event)


@mail("nudge", words=N_("a nudge"), group=MailGroup.CLOCK)
def _nudge(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell that an opponent asks whether the decision has been forgotten."""

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        by = voice.who(game.seated(mail.details["by"]))
        return {"consequences": [], "auto_leave": False, "nudged_by": by, "sections": []}

    return asking(session, links, mail, "reminder", "reminders", more)


@mail("extension", words=N_("a mail about more time"))
def _extension(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell that an opponent has granted more time. A moved deadline goes with the turn, not with its reminders."""

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        by = voice.who(game.seated(mail.details["by"]))
        return {"by": by, "time": lasting(voice, mail.details["seconds"])}

    return asking(session, links, mail, "extension", "turns", more)


# -- leave ------------------------------------------------------------------------------------------


@mail("leave", words=N_("a mail about the leave of another player"))
def _leave(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell a player, or an organiser, that an opponent, or a player in their event, is away."""
    reader = reader_of(session, mail)
    found = session.exec(
        select(Leave, Player)
        .join(Player, col(Player.id) == col(Leave.player_id))
        .where(col(Leave.id) == mail.details["leave"])
    ).first()
    if reader is None or found is None:
        return None
    row, away = found
    if row.kind == LeaveKind.GRANTED:
        return _granted_leave(session, links, mail, reader, row, away)
    if not mail.is_wanted(reader) or row.ended_at is not None:
        return None
    voice = Voice(reader.language, reader.zone)
    context = {
        "who": away.name if away.erased_at is None else voice.gettext(FORMER_PLAYER),
        "start": row.from_at,
        "end": row.to_at,
        "automatic": row.game_id,
        "events": [],
        "link": f"{links.base_url}/games" + (f"/{row.game_id}" if row.game_id else ""),
    }
    organised = mail.details.get("events", ())
    if organised:  # the reader does not play there
        names = competitions.runner().names_of(session, organised)
        context |= {
            "events": voice.join([names[event] for event in sorted(names)]),
            "link": f"{links.base_url}/events/{organised[0]}/manage",
        }
    return finish("leave", context, reader, links, mail, group="news")


def _granted_leave(
    session: Session, links: Links, mail: QueuedMail, reader: Player, row: Leave, away: Player
) -> WrittenMail | None:
    """Tell that an organiser has granted the reader, or a player they meet in an event, leave there, or has taken it
    back."""
    if bool(mail.details["back"]) != (row.ended_at is not None):
        return None
    voice = Voice(reader.language, reader.zone)
    event_id = row.event_id or 0
    by = session.scalar(select(col(Player.name)).where(col(Player.id) == mail.details["by"]))
    context = {
        "who": away.name if away.erased_at is None else voice.gettext(FORMER_PLAYER),
        "by": by or voice.gettext(FORMER_PLAYER),
        "own": row.player_id == reader.id,
        "back": mail.details["back"],
        "event": competitions.runner().names_of(session, [event_id]).get(event_id),
        "start": row.from_at,
        "end": row.to_at,
        "reason": mail.details["reason"],
        "link": f"{links.base_url}/events/{event_id}",
    }
    return finish("granted_leave", context, reader, links, mail, group=None)


@mail("auto_leave", words=N_("a mail about a day of leave"))
def _auto_leave(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell that a day of the reader's leave was taken before they would have been late: their deadline has moved."""

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        day = voice.day(datetime.fromisoformat(mail.details["noon"]))
        return {"left": mail.details["left"], "last": mail.details.get("last", False), "day": day}

    return asking(session, links, mail, "auto_leave", "turns", more)
