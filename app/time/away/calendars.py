"""Calendars of holidays on which the clocks of games stand still: made by operators, read from files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from datetime import date, datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.database import Database
from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.games.tables import Game, GameStatus
from app.games.work import Work
from app.people.tables import Player
from app.time import pending
from app.time.tables import HolidayCalendar, NoteCause, NoteKind
from engine.kernel.text import Text

LONGEST_NAME = 60
MOST_DAYS = 1_000
LONGEST_TEXT = 60_000
MOST_NAMED = 5
"""The number of bad lines named at once."""
FIRST_YEAR, LAST_YEAR = 2000, 2199
HEADINGS = ("date", "day", "start date")
"""First lines of files that are not a day."""


def every(session: Session) -> Sequence[tuple[HolidayCalendar, int]]:
    """Return all calendars by name, each with the number of running games and open tables that use it."""
    used = (
        sa.select(col(Game.calendar_id), sa.func.count().label("games"))
        .where(col(Game.calendar_id).is_not(None), col(Game.status).in_((GameStatus.OPEN, GameStatus.RUNNING)))
        .group_by(col(Game.calendar_id))
        .subquery()
    )
    return session.exec(
        select(HolidayCalendar, sa.func.coalesce(used.c.games, 0))
        .outerjoin(used, used.c.calendar_id == col(HolidayCalendar.id))
        .order_by(col(HolidayCalendar.name))
    ).all()


def name_of(session: Session, calendar_id: int | None) -> str:
    """Return the name of a calendar; empty for none."""
    if calendar_id is None:
        return ""
    return session.scalar(sa.select(col(HolidayCalendar.name)).where(col(HolidayCalendar.id) == calendar_id)) or ""


def of_game(session: Session, game_id: int) -> str:
    """Return the name of a game's calendar; empty for none."""
    return name_of(session, session.scalar(sa.select(col(Game.calendar_id)).where(col(Game.id) == game_id)))


def find(session: Session, given: str) -> int | None:
    """Return the number of the calendar with this number or name; None for nothing. NotAccepted if there is no such
    calendar."""
    text = given.strip()
    if not text:
        return None
    number = whole(text)
    same = col(HolidayCalendar.name) == text if number is None else col(HolidayCalendar.id) == number
    found: int | None = session.scalar(sa.select(col(HolidayCalendar.id)).where(same))
    if found is None:
        raise NotAccepted("calendar.unknown", Text("There is no calendar “{name}”.", name=text[:LONGEST_NAME]))
    return found


# -- the days -----------------------------------------------------------------------------------------


def read_days(text: str) -> list[date]:
    """Return the days in a text or CSV file: a date such as 2026-12-25 at the beginning of each line, anything after a
    comma, a semicolon, a tab or a space. Empty lines, comments after # and a heading are left out.

    NotAccepted names the wrong lines, or says that there are too many.
    """
    if len(text) > LONGEST_TEXT:
        raise NotAccepted("calendar.long", Text("This is too much text for a calendar of {most} days.", most=MOST_DAYS))
    days, wrong = set(), []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        cell = _first_cell(line)
        if not cell or (number == 1 and cell.lower() in HEADINGS):
            continue
        day = _day(cell)
        if day is None:
            wrong.append(f"{number} (“{cell[:20]}”)")
        else:
            days.add(day)
    if wrong:
        more = ("…",) if len(wrong) > MOST_NAMED else ()
        raise NotAccepted(
            "calendar.line",
            Text(
                "These lines are not dates between {first} and {last}, written like 2026-12-25: {lines}.",
                lines=(*wrong[:MOST_NAMED], *more),
                first=str(FIRST_YEAR),
                last=str(LAST_YEAR),
            ),
        )
    if len(days) > MOST_DAYS:
        raise NotAccepted("calendar.many", Text("A calendar has at most {most} days.", most=MOST_DAYS))
    return sorted(days)


def _first_cell(line: str) -> str:
    line = line.partition("#")[0].strip().replace(";", ",").replace("\t", ",")
    cells = next(csv.reader([line.replace("\x00", "?")]), [""]) if line else [""]
    words = cells[0].split() if cells else []
    # “start date” is a heading of two words; a day is one.
    return cells[0].strip() if cells and cells[0].strip().lower() in HEADINGS else (words[0] if words else "")


def _day(text: str) -> date | None:
    if not (text.isascii() and len(text) == 10):
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_YEAR <= day.year <= LAST_YEAR else None


# -- changing -----------------------------------------------------------------------------------------


def make(database: Database, by_id: int | None, name: str, text: str, *, now: datetime) -> int:
    """Create a calendar; return its number. `by_id` is the operator, None on the command line. Raises NotAccepted."""
    days = read_days(text)
    with Work(database) as work:
        _check_role(work.session, by_id)
        name = _read_name(work.session, name, None)
        values = {"name": name, "days": [day.isoformat() for day in days], "made_by": by_id, "changed_at": now}
        made = work.session.exec(sa.insert(HolidayCalendar).values(**values).returning(col(HolidayCalendar.id)))
        calendar_id: int = made.scalar_one()
        return calendar_id


def change(
    database: Database, by_id: int | None, calendar_id: int, name: str | None, text: str, *, now: datetime
) -> int:
    """Give a calendar other days (and another name): every deadline that depends on it moves at once. Return the number
    of games in which one did. Raises NotAccepted."""
    days = read_days(text)
    with Work(database) as work:
        session = work.session
        _check_role(session, by_id)
        row = session.exec(
            select(HolidayCalendar).where(col(HolidayCalendar.id) == calendar_id).with_for_update()
        ).first()
        if row is None:
            raise NotAccepted("calendar.unknown", Text("There is no calendar “{name}”.", name=str(calendar_id)))
        name = row.name if name is None else _read_name(session, name, calendar_id)
        values = {"name": name, "days": [day.isoformat() for day in days], "changed_at": now}
        decisions = pending.owed_with_calendar(session, calendar_id)
        session.exec(sa.update(HolidayCalendar).where(col(HolidayCalendar.id) == calendar_id).values(**values))
        moved = 0
        for decision in decisions:
            deadline = pending.refresh_game(session, decision.game_id, now)
            if deadline is None or decision.deadline_at in (None, deadline):
                continue
            moved += 1
            details = {"calendar": name, "to": deadline.isoformat()}
            pending.note(session, decision, NoteKind.CALENDAR, NoteCause.CALENDAR, now, by_id=by_id, details=details)
        return moved


def _check_role(session: Session, by_id: int | None) -> None:
    if by_id is None:
        return
    if session.scalar(sa.select(col(Player.role)).where(col(Player.id) == by_id)) != "operator":
        raise NotAccepted("calendar.role", Text("Only an operator of this server can change calendars."))


def _read_name(session: Session, given: str, own: int | None) -> str:
    name = " ".join(given.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or whole(name) is not None:
        raise NotAccepted(
            "calendar.name", Text("A calendar has a name of at most {most} characters.", most=LONGEST_NAME)
        )
    other = session.scalar(sa.select(col(HolidayCalendar.id)).where(col(HolidayCalendar.name) == name))
    if other is not None and other != own:
        raise NotAccepted("calendar.name_taken", Text("There is a calendar “{name}” already.", name=name))
    return name
