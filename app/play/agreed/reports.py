"""Chat lines and players that were reported to the operators."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from app.base.stored import limits
from app.base.stored.database import Database, insert_into
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import NoSuch, NotAccepted, TitleMissing
from app.games.store import GameNow, GameStore
from app.games.work import Work
from app.people import accounts
from app.people.sanctions import read_reason
from app.people.tables import Player
from app.play.tables import ChatMessage, ChatReport
from engine.kernel.text import Text

NEIGHBOURS = 4
"""How many lines before and after a reported one are shown with it."""
LISTED = 50
KIND = "talk_report"


@dataclass(frozen=True, slots=True)
class OpenReport:
    """A report with its line and the lines around it, or of a player without a line (`said` is None), with the game if
    it was at a table; `by` is empty when the account is gone."""

    id: int
    by: str
    why: str
    at: datetime
    about_id: int | None
    """The reported player; None when the account is gone."""
    about: str
    """The name, if there is no line: the author of a line is named as in its game."""
    game: GameNow | None
    said: ChatMessage | None = None
    lines: tuple[ChatMessage, ...] = ()


def line_of(session: Session, line_id: int) -> tuple[GameNow, ChatMessage]:
    """Return a line with its game. Raises NoSuch."""
    row = session.get(ChatMessage, line_id)
    if row is None:
        raise NoSuch(line_id)
    return GameStore(session).load(row.game_id), row


def may_report(game: GameNow, said: ChatMessage, player_id: int | None) -> None:
    """Raise NoSuch if the player is not in this game, NotAccepted for their own line."""
    seat = game.seat_of(player_id)
    if seat is None:
        raise NoSuch(said.id)
    if seat == said.seat:
        raise NotAccepted("report.own", Text("This line is your own."))


def report(database: Database, line_id: int, player_id: int, why: str, *, now: datetime) -> None:
    """Report a line: operators get a mail. Nothing changes if it has already been reported by anyone. Raises NoSuch,
    NotAccepted, TooOften."""
    limits.count(database, [(limits.REPORTS, str(player_id))], now)
    with Work(database) as work:
        may_report(*line_of(work.session, line_id), player_id)
        _keep(work, {"line_id": line_id, "by_id": player_id, "why": " ".join(why.split())[:500], "at": now}, now)


@dataclass(frozen=True, slots=True)
class ReportedPlayer:
    """A player to be reported without a chat line, by whom, and the game in which they met, if any."""

    id: int
    by_id: int
    game_id: int | None = None


def name_of(session: Session, suspect: ReportedPlayer) -> str:
    """Return the name of the player to be reported. Raises NoSuch for accounts that are gone and for players not at
    that table, NotAccepted for oneself."""
    if suspect.game_id is not None:
        here = {one.player_id for one in GameStore(session).load(suspect.game_id).seats}
        if not {suspect.id, suspect.by_id} <= here:
            raise NoSuch(suspect.id)
    if suspect.id == suspect.by_id:
        raise NotAccepted("report.oneself", Text("You cannot report yourself."))
    asked = sa.select(col(Player.name)).where(col(Player.id) == suspect.id, col(Player.erased_at).is_(None))
    name = session.scalar(asked)
    if name is None:
        raise NoSuch(suspect.id)
    return name


def report_player(database: Database, suspect: ReportedPlayer, why: str, *, now: datetime) -> None:
    """Report a player: operators get a mail. A second report on the same day by the same player changes nothing. Raises
    NoSuch, NotAccepted (also without a reason), TooOften."""
    limits.count(database, [(limits.REPORTS, str(suspect.by_id))], now)
    with Work(database) as work:
        name_of(work.session, suspect)
        row = {"player_id": suspect.id, "by_id": suspect.by_id, "game_id": suspect.game_id}
        _keep(work, {**row, "why": read_reason(why), "at": now, "on_day": now.date()}, now)


def _keep(work: Work, row: dict[str, Any], now: datetime) -> None:
    """Store a report and mail the operators, unless there already is one."""
    new = insert_into(work.session, ChatReport).values(**row).on_conflict_do_nothing()
    report_id = work.session.scalar(new.returning(col(ChatReport.id)))
    if report_id is None:
        return
    details: dict[str, Any] = {"report": report_id}
    mails = [
        PlannedMail(f"{KIND}:{report_id}:{one.id}", KIND, one.address, one.id, details=details)
        for one in work.session.execute(accounts.OPERATORS).all()
    ]
    work.outbox.add(mails, now)


def open_reports(session: Session) -> list[OpenReport]:
    """Return the reports that nobody has closed, oldest first; for now without those of games whose title is not
    installed."""
    asked = sa.select(col(ChatReport.id)).where(col(ChatReport.closed_at).is_(None))
    numbers = session.scalars(asked.order_by(col(ChatReport.id)).limit(LISTED)).all()
    found = []
    for number in numbers:
        with suppress(TitleMissing):
            found.append(look(session, number))
    return found


def look(session: Session, report_id: int) -> OpenReport:
    """Return one report. Raises NoSuch."""
    row = session.get(ChatReport, report_id)
    if row is None:
        raise NoSuch(report_id)
    by = _name(session, row.by_id)
    if row.line_id is None:
        game = None if row.game_id is None else GameStore(session).load(row.game_id)
        return OpenReport(row.id, by, row.why, row.at, row.player_id, _name(session, row.player_id), game)
    game, said = line_of(session, row.line_id)
    here = sa.select(ChatMessage).where(col(ChatMessage.game_id) == game.id)
    before = here.where(col(ChatMessage.id) < said.id).order_by(col(ChatMessage.id).desc()).limit(NEIGHBOURS)
    after = here.where(col(ChatMessage.id) > said.id).order_by(col(ChatMessage.id)).limit(NEIGHBOURS)
    lines = *reversed(session.scalars(before).all()), said, *session.scalars(after).all()
    return OpenReport(row.id, by, row.why, row.at, game.seated(said.seat).player_id, "", game, said, lines)


def _name(session: Session, player_id: int | None) -> str:
    return session.scalar(sa.select(col(Player.name)).where(col(Player.id) == player_id)) or ""


def close(database: Database, report_id: int, *, why: str, by_id: int | None, now: datetime) -> None:
    """Close a report. NotAccepted without a reason, or if it is already closed."""
    values = {"closed_by": by_id, "closed_at": now, "closed_why": read_reason(why)}
    with database.write() as session:
        still = sa.update(ChatReport).where(col(ChatReport.id) == report_id, col(ChatReport.closed_at).is_(None))
        if session.exec(still.values(**values)).rowcount == 0:
            raise NotAccepted("report.closed", Text("This has been done already."))


def closed_reports(session: Session) -> Sequence[sa.Row[Any]]:
    """Return the most recently closed reports: `id`, `game_id`, `about` (the reported player, if it was not for a chat
    line), `closed_by` (empty: a command), `closed_at` and `closed_why`."""
    about = aliased(Player)
    asked = (
        sa.select(
            col(ChatReport.id),
            sa.func.coalesce(col(ChatMessage.game_id), col(ChatReport.game_id)).label("game_id"),
            sa.func.coalesce(col(about.name), "").label("about"),
            sa.func.coalesce(col(Player.name), "").label("closed_by"),
            col(ChatReport.closed_at),
            col(ChatReport.closed_why),
        )
        .outerjoin(ChatMessage, col(ChatMessage.id) == col(ChatReport.line_id))
        .outerjoin(about, col(about.id) == col(ChatReport.player_id))
        .outerjoin(Player, col(Player.id) == col(ChatReport.closed_by))
        .where(col(ChatReport.closed_at).is_not(None))
        .order_by(col(ChatReport.closed_at).desc(), col(ChatReport.id).desc())
        .limit(LISTED)
    )
    return session.execute(asked).all()
