"""Lines of talk that somebody at the table wants operators to look at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from app.base import limits
from app.base.outbox import Planned
from app.base.refusals import NoSuch, NotAccepted
from app.base.upserts import insert_into
from app.games.store import GameStore
from app.games.work import Work
from app.people.sanctions import read_reason
from app.people.tables import Player, PlayerRole
from app.play.tables import ChatMessage, TalkReport
from engine.kernel.text import Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database
    from app.games.store import GameNow

NEIGHBOURS = 4
"""So many lines before and after a reported one are shown with it."""
LISTED = 50
KIND = "talk_report"


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A line of talk, and who said it where."""

    id: int
    game_id: int
    seat: str
    text: str
    at: datetime
    player_id: int | None


@dataclass(frozen=True, slots=True)
class Reported:
    """A report with its line, the lines around it, and the game; `by` is empty when the account is gone."""

    id: int
    line_id: int
    by: str
    why: str
    at: datetime
    game: GameNow
    said: SaidLine
    lines: tuple[SaidLine, ...]


def line_of(session: Session, line_id: int) -> tuple[GameNow, SaidLine]:
    """A line with its game. NoSuch."""
    row = session.get(ChatMessage, line_id)
    if row is None:
        raise NoSuch(line_id)
    game = GameStore(session).load(row.game_id)
    return game, _said(row, game)


def _said(row: ChatMessage, game: GameNow) -> SaidLine:
    return SaidLine(row.id, row.game_id, row.seat, row.text, row.at, game.seated(row.seat).player_id)


def may_report(game: GameNow, said: SaidLine, player_id: int | None) -> None:
    """NoSuch for who does not sit at the table; NotAccepted for one's own line."""
    seat = next((one.seat for one in game.seats if player_id is not None and one.player_id == player_id), None)
    if seat is None:
        raise NoSuch(said.id)
    if seat == said.seat:
        raise NotAccepted("report.own", Text("This line is your own."))


def report(database: Database, line_id: int, player_id: int, why: str, *, now: datetime) -> None:
    """Have operators look at a line: they get a mail. Reported before, by whomever, nothing changes. NoSuch,
    NotAccepted, TooOften."""
    limits.count(database, [(limits.REPORTS, str(player_id))], now)
    with Work(database) as work:
        may_report(*line_of(work.session, line_id), player_id)
        row = {"line_id": line_id, "by_id": player_id, "why": " ".join(why.split())[:500], "at": now}
        new = insert_into(work.session, TalkReport).values(**row).on_conflict_do_nothing()
        report_id = work.session.scalar(new.returning(col(TalkReport.id)))
        if report_id is None:
            return
        asked = sa.select(col(Player.id), col(Player.address)).where(
            col(Player.role) == PlayerRole.OPERATOR, col(Player.erased_at).is_(None)
        )
        details: dict[str, Any] = {"report": report_id}
        work.outbox.add(
            [
                Planned(f"{KIND}:{report_id}:{one.id}", KIND, one.address, one.id, details=details)
                for one in work.session.execute(asked).all()
            ],
            now,
        )
        work.commit()


def open_reports(session: Session) -> list[Reported]:
    """Those that nobody has closed, the oldest first."""
    asked = sa.select(col(TalkReport.id)).where(col(TalkReport.closed_at).is_(None))
    numbers = session.scalars(asked.order_by(col(TalkReport.id)).limit(LISTED)).all()
    return [look(session, number) for number in numbers]


def look(session: Session, report_id: int) -> Reported:
    """One report. NoSuch."""
    row = session.get(TalkReport, report_id)
    if row is None:
        raise NoSuch(report_id)
    game, said = line_of(session, row.line_id)
    by = session.scalar(sa.select(col(Player.name)).where(col(Player.id) == row.by_id)) or ""
    here = sa.select(ChatMessage).where(col(ChatMessage.game_id) == game.id)
    before = here.where(col(ChatMessage.id) < said.id).order_by(col(ChatMessage.id).desc()).limit(NEIGHBOURS)
    after = here.where(col(ChatMessage.id) > said.id).order_by(col(ChatMessage.id)).limit(NEIGHBOURS)
    lines = [_said(one, game) for one in reversed(session.scalars(before).all())]
    lines += [said, *(_said(one, game) for one in session.scalars(after).all())]
    return Reported(row.id, said.id, by, row.why, row.at, game, said, tuple(lines))


def close(database: Database, report_id: int, *, why: str, by_id: int | None, now: datetime) -> None:
    """Nothing more is to be done about a report. NotAccepted without a reason, or when it is closed."""
    values = {"closed_by": by_id, "closed_at": now, "closed_why": read_reason(why)}
    with database.write() as session:
        still = sa.update(TalkReport).where(col(TalkReport.id) == report_id, col(TalkReport.closed_at).is_(None))
        if session.exec(still.values(**values)).rowcount == 0:
            raise NotAccepted("report.closed", Text("This report is closed already."))
        session.commit()


@dataclass(frozen=True, slots=True)
class ClosedReport:
    """A report that is done with, for the trail."""

    id: int
    game_id: int
    closed_by: str
    closed_at: datetime
    closed_why: str


def closed_reports(session: Session) -> list[ClosedReport]:
    """The newest that were closed, with who did it (empty: a command) and why."""
    asked = (
        sa.select(
            col(TalkReport.id),
            col(ChatMessage.game_id),
            sa.func.coalesce(col(Player.name), ""),
            col(TalkReport.closed_at),
            col(TalkReport.closed_why),
        )
        .join(ChatMessage, col(ChatMessage.id) == col(TalkReport.line_id))
        .outerjoin(Player, col(Player.id) == col(TalkReport.closed_by))
        .where(col(TalkReport.closed_at).is_not(None))
        .order_by(col(TalkReport.closed_at).desc(), col(TalkReport.id).desc())
        .limit(LISTED)
    )
    return [ClosedReport(*row) for row in session.execute(asked)]
