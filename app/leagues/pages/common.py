"""What the pages of clubs and events share: who reads, what is not there, what is not allowed, who was faster."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from flask import Response, flash, redirect, request

from app.base.numbers import LARGEST, whole
from app.base.refusals import NotAccepted
from app.base.speech import FORMER_PLAYER, Voice, zone_info
from app.leagues import clubs, events
from app.leagues.tables import Event
from app.web import visit
from app.web.visit import attempt as attempt
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session


def person_id() -> int | None:
    """Who is signed in, by number."""
    me = visit.person()
    return me.id if me else None


def named(voice: Voice, name: str) -> str:
    """A player's name; an erased account has none."""
    return name or voice.gettext(FORMER_PLAYER)


def withdrawn_in_words(voice: Voice, after: int | None, *, by_round: bool = True) -> str:
    """That somebody has left the event, and after which round where rounds say something; empty for None."""
    if after is None:
        return ""
    if not by_round:
        return voice.gettext("withdrawn")
    return voice.gettext("withdrawn after round {n}", n=after) if after else voice.gettext("withdrawn before round 1")


def on(path: str, said: str) -> Response:
    """On to a page that says what was done (`said()` in its template)."""
    flash(said)
    return redirect(path, 303)  # type: ignore[return-value]


def event_for(session: Session, event_id: int, role: str | None) -> tuple[Event, str | None]:
    """An event and the reader's role in its club. A draft is there for its deputies only. NoSuchEvent."""
    event = events.get(session, event_id)
    me = visit.person(session)
    mine = clubs.role_of(session, event.club_id, me.id if me else None)
    if event.status == "draft" and not clubs.may(mine, "deputy"):
        raise events.NoSuchEvent(event_id)
    if role is not None:
        clubs.need(session, event.club_id, me.id if me else None, role)
    return event, mine


def number(name: str, most: int = LARGEST) -> int:
    """A whole number of the form; NotAccepted when it is none."""
    return number_in(request.form.get(name, ""), most)


def number_in(given: str, most: int = LARGEST) -> int:
    """The whole number that was typed; NotAccepted when it is none."""
    read = whole(given, most)
    if read is None:
        raise NotAccepted("form.number", Text("“{given}” is no whole number from 0 on.", given=given.strip()[:20]))
    return read


def numbers(given: str) -> list[int]:
    """Whole numbers such as `3, 4 7`; NotAccepted for anything else."""
    made = []
    for part in given.replace(",", " ").split():
        read = whole(part, most=99)
        if read is None:
            raise NotAccepted("form.numbers", Text("Write whole numbers with commas between them, such as 3, 5."))
        made.append(read)
    return made


def end_of_day(given: str, zone: str) -> datetime | None:
    """The last moment of a day such as `2026-12-24` in a zone; None for nothing. NotAccepted for no day."""
    if not given.strip():
        return None
    try:
        day = date.fromisoformat(given.strip())
        return datetime.combine(day, time(23, 59, 59), zone_info(zone)).astimezone(zone_info("UTC"))
    except (ValueError, OverflowError):
        raise NotAccepted("form.day", Text("“{given}” is no day such as 2026-12-24.", given=given[:20])) from None


def day_of(at: datetime | None, zone: str) -> str:
    """The day of a moment as a form has it."""
    return "" if at is None else at.astimezone(zone_info(zone)).date().isoformat()


def typed(name: str, otherwise: Any = "") -> Any:
    """What was typed into a field, on a page that comes back; else what stands there."""
    return request.form.get(name, "") if request.method == "POST" else otherwise
