"""The mails of the clocks: reminders of one or several decisions, nudges, time granted, and leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.base.links import TurnLink
from app.base.speech import FORMER_PLAYER, Voice
from app.games import contest
from app.games.store import GameNow
from app.people.tables import Player
from app.play.mails import asking
from app.post.letters import Waiting, finish, game_of, reader_of, still_owed
from app.post.message import Letter
from app.time.reminders import told_by
from app.time.tables import Leave
from app.time.time_log import consequences, lasting

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.base.links import Links

_LEAVE, _PLAYER = Leave.__table__, Player.__table__  # type: ignore[attr-defined]


def _reminder(connection: Connection, links: Links, mail: Waiting) -> Letter | None:
    """A seat still owes a decision, or a player several."""
    if mail.game_id is None:
        return _reminders(connection, links, mail)
    is_last = bool(mail.details.get("last"))
    reader = reader_of(connection, mail)

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        told = _consequences(connection, game, voice) if is_last else []
        return {"consequences": told, "auto_leave": reader is not None and reader.auto_leave, "nudged_by": ""}

    return asking(connection, links, mail, "reminder", "reminders", more)


def _reminders(connection: Connection, links: Links, mail: Waiting) -> Letter | None:
    """Those of several decisions that are still owed, the most urgent first."""
    reader = reader_of(connection, mail)
    if reader is None or not reader.mail_reminders:
        return None
    waiting: list[tuple[Waiting, GameNow]] = []
    for rung in told_by(mail):
        details = {"last": True} if rung.is_last else {}
        one = replace(mail, game_id=rung.game_id, seat=rung.seat, number=rung.number, details=details)
        game = game_of(connection, one)
        if game is not None and still_owed(game, one):
            waiting.append((one, game))
    if not waiting:
        return None
    if len(waiting) == 1:
        return _reminder(connection, links, waiting[0][0])
    waiting.sort(key=lambda pair: pair[1].deadline_at or mail.made_at)
    items = [_item(connection, links, one, game, reader) for one, game in waiting]
    context = {
        "voice": Voice(reader.language, reader.zone), "items": items, "auto_leave": reader.auto_leave,
        "away": links.leave(reader.id or 0, mail.made_at), "deadline": waiting[0][1].deadline_at,
    }  # fmt: skip
    return finish("reminders", context, reader, links, mail, group="reminders")


def _item(connection: Connection, links: Links, one: Waiting, game: GameNow, reader: Any) -> dict[str, Any]:
    voice = Voice(reader.language, reader.zone, game.title)
    assert one.seat is not None and one.number is not None
    is_last = bool(one.details.get("last")) and game.deadline_at is not None
    return {
        "title": voice.gettext(game.title.name),
        "others": voice.join([voice.who(s) for s in game.others(one.seat)]),
        "turn": game.turn,
        "owes_end": game.title.end_of_steps(game.state) is not None,
        "deadline": game.deadline_at,
        "link": links.turn(TurnLink(game.id, one.seat, one.number, reader.id)),
        "consequences": _consequences(connection, game, voice) if is_last else [],
    }


def _consequences(connection: Connection, game: GameNow, voice: Voice) -> list[str]:
    """What happens when the deadline passes, if there is one."""
    if game.deadline_at is None:
        return []
    in_event = contest.runner().has_organisers(connection, game.id)
    return consequences(game.pace, game.deadline_at, voice, in_event=in_event)


def _nudge(connection: Connection, links: Links, mail: Waiting) -> Letter | None:
    """An opponent asks whether the decision has been forgotten."""

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        by = voice.who(game.seated(mail.details["by"]))
        return {"consequences": [], "auto_leave": False, "nudged_by": by}

    return asking(connection, links, mail, "reminder", "reminders", more)


def _extension(connection: Connection, links: Links, mail: Waiting) -> Letter | None:
    """An opponent has granted more time. A deadline that moves goes with the turn, not with its reminders."""

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        by = voice.who(game.seated(mail.details["by"]))
        return {"by": by, "time": lasting(voice, mail.details["seconds"])}

    return asking(connection, links, mail, "extension", "turns", more)


# -- leave ------------------------------------------------------------------------------------------


def _leave(connection: Connection, links: Links, mail: Waiting) -> Letter | None:
    """Somebody I play with, or who plays in an event of mine, is away."""
    reader = reader_of(connection, mail)
    row = connection.execute(
        select(
            _LEAVE.c.from_at, _LEAVE.c.to_at, _LEAVE.c.ended_at, _LEAVE.c.kind, _LEAVE.c.event_id, _LEAVE.c.player_id,
            _PLAYER.c.name, _PLAYER.c.erased_at,
        )
        .join(_PLAYER, _PLAYER.c.id == _LEAVE.c.player_id)
        .where(_LEAVE.c.id == mail.details["leave"])
    ).first()  # fmt: skip
    if reader is None or row is None:
        return None
    if row.kind == "granted":
        return _granted_leave(connection, links, mail, reader, row)
    if not reader.mail_news or row.ended_at is not None:
        return None
    voice = Voice(reader.language, reader.zone)
    context = {
        "voice": voice, "who": row.name if row.erased_at is None else voice.gettext(FORMER_PLAYER),
        "start": row.from_at, "end": row.to_at, "automatic": row.kind == "automatic",
        "events": [], "link": f"{links.base_url}/games",
    }  # fmt: skip
    organised = mail.details.get("events", ())
    if organised:  # the reader does not play there
        names = contest.runner().names_of(connection, organised)
        context |= {
            "events": voice.join([names[event] for event in sorted(names)]),
            "link": f"{links.base_url}/events/{organised[0]}/desk",
        }
    return finish("leave", context, reader, links, mail, group="news")


def _granted_leave(connection: Connection, links: Links, mail: Waiting, reader: Any, row: Any) -> Letter | None:
    """An organiser has granted the reader, or somebody they meet in an event, leave there, or has taken it back."""
    if bool(mail.details["back"]) != (row.ended_at is not None):
        return None
    voice = Voice(reader.language, reader.zone)
    by = connection.scalar(select(_PLAYER.c.name).where(_PLAYER.c.id == mail.details["by"]))
    context = {
        "voice": voice, "who": row.name if row.erased_at is None else voice.gettext(FORMER_PLAYER),
        "by": by or voice.gettext(FORMER_PLAYER), "own": row.player_id == reader.id, "back": mail.details["back"],
        "event": contest.runner().names_of(connection, [row.event_id]).get(row.event_id),
        "start": row.from_at, "end": row.to_at, "reason": mail.details["reason"],
        "link": f"{links.base_url}/events/{row.event_id}",
    }  # fmt: skip
    return finish("granted_leave", context, reader, links, mail, group=None)


def _auto_leave(connection: Connection, links: Links, mail: Waiting) -> Letter | None:
    """A day of the reader's leave was taken before they would have been late: their deadline has moved."""

    def more(game: GameNow, voice: Voice) -> dict[str, Any]:
        return {"left": mail.details["left"], "day": voice.day(datetime.fromisoformat(mail.details["noon"]))}

    return asking(connection, links, mail, "auto_leave", "turns", more)


KINDS: dict[str, Callable[[Any, Any, Waiting], Letter | None]] = {
    "reminder": _reminder,
    "nudge": _nudge,
    "extension": _extension,
    "leave": _leave,
    "auto_leave": _auto_leave,
}
