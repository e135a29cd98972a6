"""Calendars of holidays on which the clocks of games stand still: made by operators, read from files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

from app.base.refusals import NotAccepted
from app.games.tables import Game
from app.games.work import Work
from app.people.tables import Player
from app.time import pending
from app.time.tables import HolidayCalendar
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.base.database import Database

LONGEST_NAME = 60
MOST_DAYS = 1_000
LONGEST_TEXT = 60_000
MOST_NAMED = 5
"""So many bad lines are named at once."""
FIRST_YEAR, LAST_YEAR = 2000, 2199
HEADINGS = ("date", "day", "start date")
"""First lines of files that are not a day."""
_CALENDAR, _GAME, _PLAYER = HolidayCalendar.__table__, Game.__table__, Player.__table__  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Calendar:
    """A calendar and in how many running games and open tables it is used."""

    id: int
    name: str
    days: tuple[date, ...]
    changed_at: datetime
    games: int = 0


def every(connection: Connection) -> list[Calendar]:
    """All calendars by name."""
    used = (
        sa.select(_GAME.c.calendar_id, sa.func.count().label("games"))
        .where(_GAME.c.calendar_id.is_not(None), _GAME.c.status.in_(("open", "running")))
        .group_by(_GAME.c.calendar_id)
        .subquery()
    )
    rows = connection.execute(
        sa.select(_CALENDAR, sa.func.coalesce(used.c.games, 0).label("games"))
        .outerjoin(used, used.c.calendar_id == _CALENDAR.c.id)
        .order_by(_CALENDAR.c.name)
    ).all()
    return [
        Calendar(row.id, row.name, tuple(date.fromisoformat(day) for day in row.days), row.changed_at, row.games)
        for row in rows
    ]


def name_of(connection: Connection, calendar_id: int | None) -> str:
    """The name of a calendar; empty for none."""
    if calendar_id is None:
        return ""
    return connection.scalar(sa.select(_CALENDAR.c.name).where(_CALENDAR.c.id == calendar_id)) or ""


def of_game(connection: Connection, game_id: int) -> str:
    """The name of the calendar of a game; empty for none."""
    return name_of(connection, connection.scalar(sa.select(_GAME.c.calendar_id).where(_GAME.c.id == game_id)))


def find(connection: Connection, given: str) -> int | None:
    """The number of the calendar with this number or name; None for nothing. NotAccepted when there is none such."""
    text = given.strip()
    if not text:
        return None
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    same = _CALENDAR.c.id == int(text) if is_number else _CALENDAR.c.name == text
    found: int | None = connection.scalar(sa.select(_CALENDAR.c.id).where(same))
    if found is None:
        raise NotAccepted("calendar.unknown", Text("There is no calendar “{name}”.", name=text[:LONGEST_NAME]))
    return found


# -- the days -----------------------------------------------------------------------------------------


def read_days(text: str) -> list[date]:
    """The days in a text or CSV file: a date such as 2026-12-25 at the beginning of each line, anything after a comma,
    a semicolon, a tab or a space. Empty lines, comments after # and a heading are left out.

    NotAccepted names the lines that are wrong, or says that there are too many.
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
                "These lines are no days such as 2026-12-25, from {first} to {last}: {lines}.",
                lines=(*wrong[:MOST_NAMED], *more), first=str(FIRST_YEAR), last=str(LAST_YEAR),
            ),
        )  # fmt: skip
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


def write_days(days: Sequence[date]) -> str:
    """The days as text, a line each."""
    return "\n".join(day.isoformat() for day in days)


# -- changing -----------------------------------------------------------------------------------------


def make(database: Database, by_id: int | None, name: str, text: str, *, now: datetime) -> int:
    """A new calendar; its number. `by_id` is the operator, None on the command line. NotAccepted."""
    days = read_days(text)
    with Work(database) as work:
        _check_role(work.connection, by_id)
        name = _read_name(work.connection, name, None)
        values = {"name": name, "days": [day.isoformat() for day in days], "made_by": by_id, "changed_at": now}
        made = work.connection.execute(sa.insert(_CALENDAR).values(**values).returning(_CALENDAR.c.id))
        calendar_id: int = made.scalar_one()
        work.commit()
        return calendar_id


def change(
    database: Database, by_id: int | None, calendar_id: int, name: str | None, text: str, *, now: datetime
) -> int:
    """Give a calendar other days (and another name): every deadline that depends on it moves at once. In how many
    games one did. NotAccepted."""
    days = read_days(text)
    with Work(database) as work:
        connection = work.connection
        _check_role(connection, by_id)
        row = connection.execute(sa.select(_CALENDAR).where(_CALENDAR.c.id == calendar_id).with_for_update()).first()
        if row is None:
            raise NotAccepted("calendar.unknown", Text("There is no calendar “{name}”.", name=str(calendar_id)))
        name = row.name if name is None else _read_name(connection, name, calendar_id)
        values = {"name": name, "days": [day.isoformat() for day in days], "changed_at": now}
        before = {decision.game_id: decision for decision in pending.owed_with_calendar(connection, calendar_id)}
        connection.execute(sa.update(_CALENDAR).where(_CALENDAR.c.id == calendar_id).values(**values))
        pending.refresh_calendar(connection, calendar_id, now)
        moved = 0
        for decision in pending.owed_with_calendar(connection, calendar_id):
            was = before[decision.game_id].deadline_at if decision.game_id in before else None
            if decision.deadline_at is None or was == decision.deadline_at:
                continue
            moved += 1
            details = {"calendar": name, "to": decision.deadline_at.isoformat()}
            pending.note(connection, decision, "calendar", "calendar", now, by_id=by_id, details=details)
        work.commit()
        return moved


def _check_role(connection: Connection, by_id: int | None) -> None:
    if by_id is None:
        return
    if connection.scalar(sa.select(_PLAYER.c.role).where(_PLAYER.c.id == by_id)) != "operator":
        raise NotAccepted("calendar.role", Text("Only an operator of this server can change calendars."))


def _read_name(connection: Connection, given: str, own: int | None) -> str:
    name = " ".join(given.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name.isdigit():
        raise NotAccepted(
            "calendar.name", Text("A calendar has a name of at most {most} characters.", most=LONGEST_NAME)
        )
    other = connection.scalar(sa.select(_CALENDAR.c.id).where(_CALENDAR.c.name == name))
    if other is not None and other != own:
        raise NotAccepted("calendar.name_taken", Text("There is a calendar “{name}” already.", name=name))
    return name
