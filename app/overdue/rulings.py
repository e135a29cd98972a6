"""Human decisions about a case: the opponents claim the game or wait, an operator rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import Conflict, LinkExpired, NoSuch, NotAccepted
from app.clocks.pace import DAY
from app.games.store import GameNow, GameStore, NoSuchGame
from app.games.tables import Game
from app.games.work import Work
from app.overdue import late_seat, telling
from app.people.tables import Player, PlayerRole
from app.play.agreed import results
from app.post.kept import ledger
from app.time import open_cases, outages, pending
from app.time.decisions import PendingDecision
from app.time.tables import Case, CaseKind, CaseRuling, CaseState, ClockNote, NoteCause, NoteKind
from engine.kernel.text import Text

LONGEST_REASON = 1_000
LISTED = 200


class NoSuchCase(NoSuch):
    """There is no case with this number."""


class CaseEnded(Conflict):
    """The case has ended."""

    def __init__(self) -> None:
        super().__init__("case.settled", Text("This case is settled already; nothing was changed."))


class NothingToClaim(LinkExpired):
    """The case is no longer what the link of a claim was made for."""

    def __init__(self) -> None:
        text = Text("There is nothing to claim any more: an answer has come, or the case is settled.")
        super().__init__("claim.over", text)


@dataclass(frozen=True, slots=True)
class CaseFile:
    """Everything needed to rule on a case."""

    case: Case
    game: GameNow
    decision: PendingDecision | None
    """The decision that is owed now; None when the game is over."""
    late: str
    """The name of the late player; empty for a former player."""
    log: Sequence[ClockNote]
    """The game's time log about this decision."""
    mails: Sequence[ledger.MailOnRecord]
    """The mails about the decision and the case, with their fate: kind, address, state, attempts, last_error, made_at,
    sent_at."""

    @property
    def rulings(self) -> tuple[str, ...]:
        """The possible rulings: the mail can be resent only if its clock has not started."""
        first = CaseRuling.AGAIN if self.case.kind == CaseKind.MAIL else CaseRuling.EXTEND
        return (first, CaseRuling.FORFEIT, CaseRuling.VOID) if self.case.ended_at is None else ()


# -- looking ------------------------------------------------------------------------------------------


def find(session: Session, case_id: int) -> Case:
    """Return a case; raises NoSuchCase."""
    case = session.exec(select(Case).where(Case.id == case_id)).first()
    if case is None:
        raise NoSuchCase(case_id)
    return case


def packet(session: Session, case_id: int) -> CaseFile:
    """Return a case with everything that belongs to it; raises NoSuchCase. Changes nothing."""
    row = find(session, case_id)
    game = GameStore(session).load(row.game_id)
    about = sa.and_(col(OutboxMail.game_id) == row.game_id, col(OutboxMail.number) == row.number)
    of_case = sa.and_(
        col(OutboxMail.game_id) == row.game_id,
        col(OutboxMail.made_at) >= row.opened_at,
        col(OutboxMail.kind).in_(KINDS),
    )
    mails = ledger.about(session, sa.or_(about, of_case), LISTED)
    log = [event for event in pending.events(session, row.game_id) if event.number == row.number]
    late = session.scalar(sa.select(col(Player.name)).where(col(Player.id) == row.player_id)) or ""
    return CaseFile(row, game, pending.owed(session, row.game_id), late, log, mails)


KINDS = ("overdue", "late", "case", "ruled")
"""The kinds of mails about cases."""


def open_ones(session: Session) -> Sequence[tuple[Case, str, str]]:
    """Return the running cases, those that wait for a ruling first: each with the game's title and the late player's
    name, which is empty for an erased account."""
    waits = sa.case(
        (col(Case.kind) == CaseKind.MAIL, 0), (col(Case.state).in_((CaseState.FLAGGED, CaseState.RULED)), 0), else_=1
    )
    asked = (
        select(Case, Game.title, sa.func.coalesce(col(Player.name), ""))
        .join(Game, col(Game.id) == col(Case.game_id))
        .outerjoin(Player, col(Player.id) == col(Case.player_id))
        .where(col(Case.ended_at).is_(None))
        .order_by(waits, col(Case.opened_at))
        .limit(LISTED)
    )
    return session.exec(asked).all()


# -- claiming -----------------------------------------------------------------------------------------


def can_claim(game: GameNow, case: Case, seat: str) -> bool:
    """Return whether the pace has let this seat claim the game in one of the stages carried out so far."""
    claims = any("claim" in stage.do for stage in game.pace.stages[: case.stage])
    return claims and case.ended_at is None and seat != case.seat and results.still_plays(game, seat)


def look_at_claim(session: Session, case_id: int, seat: str, player_id: int | None) -> tuple[GameNow, Any]:
    """Return the game and the case for a link of a seat; raises NothingToClaim."""
    try:
        case = find(session, case_id)
        game = GameStore(session).load(case.game_id)
        held = game.seated(seat).player_id == player_id
    except (NoSuchCase, NoSuchGame, KeyError):
        raise NothingToClaim from None
    if not held or game.is_over or game.number != case.number or not can_claim(game, case, seat):
        raise NothingToClaim
    return game, case


def claim(database: Database, case_id: int, seat: str, player_id: int | None, *, now: datetime) -> GameNow:
    """Claim the game: the late seat loses on time. Returns the game as it then stands.

    Raises NothingToClaim, and NotAccepted during an outage.
    """
    with Work(database) as work:
        game, case, decision = _locked(work, case_id, NothingToClaim)
        look_at_claim(work.session, case_id, seat, player_id)
        _refuse_while_down(work.session, now)
        flag = next(number for number, stage in enumerate(game.pace.stages) if "claim" in stage.do)
        told = telling.is_being_told(work.session, case.id, flag, now)
        if told is not None:
            text = Text("The late player is just being told. You can claim the game as soon as that mail has arrived.")
            raise NotAccepted("claim.early", text)
        if now < pending.times(work.session, decision, now).deadline:
            raise NothingToClaim
        said: pending.Noted = {"by_id": player_id, "details": {"case": case.id}, "once": f"claimed:{case.id}"}
        pending.note(work.session, decision, NoteKind.CLAIMED, NoteCause.OPPONENT, now, **said)
        after = late_seat.end_by_time(work, game, decision, case, CaseRuling.CLAIM, player_id, now)
        if after is None:
            raise NothingToClaim
        return after


def _locked(work: Work, case_id: int, over: type[NotAccepted]) -> tuple[GameNow, Any, PendingDecision]:
    """Lock and return the game, the running case and its decision; raise `over` if they no longer exist."""
    try:
        game = work.store.load(find(work.session, case_id).game_id, for_writing=True)
    except (NoSuchCase, NoSuchGame):
        raise over from None
    case, decision = find(work.session, case_id), pending.owed(work.session, game.id)
    if case.ended_at is not None or decision is None or decision.number != case.number:
        raise over
    return game, case, decision


def _refuse_while_down(session: Session, now: datetime) -> None:
    if outages.is_down(session, now):
        raise NotAccepted(
            "clock.down",
            Text("The server was not running as it should, and the clocks are being put right. Try again later."),
        )


# -- ruling -------------------------------------------------------------------------------------------


def rule(
    database: Database, case_id: int, operator_id: int, ruling: str, reason: str, *, days: str = "", now: datetime
) -> None:
    """An operator rules: `extend` gives so many days from now on, `again` resends the mail, `forfeit` ends the late
    seat's game on time, `void` cancels the game. Raises NotAccepted, which says what is missing, CaseEnded if another
    ruling was faster, and NoSuchCase."""
    reason = " ".join(reason.split())
    with Work(database) as work:
        find(work.session, case_id)
        role = work.session.scalar(sa.select(col(Player.role)).where(col(Player.id) == operator_id))
        if role != PlayerRole.OPERATOR:
            raise NotAccepted("case.role", Text("Only an operator of this server can rule."))
        game, case, decision = _locked(work, case_id, CaseEnded)
        first = CaseRuling.AGAIN if case.kind == CaseKind.MAIL else CaseRuling.EXTEND
        if ruling not in (first, CaseRuling.FORFEIT, CaseRuling.VOID):
            raise NotAccepted("case.ruling", Text("Choose one of what is offered."))
        if not reason or len(reason) > LONGEST_REASON:
            raise NotAccepted(
                "case.reason",
                Text("Say why, in at most {most} characters; all players read it.", most=LONGEST_REASON),
            )
        seconds = late_seat.read_days(days) * DAY if ruling == CaseRuling.EXTEND else None
        if ruling == CaseRuling.FORFEIT:
            if late_seat.end_by_time(work, game, decision, case, CaseRuling.FORFEIT, operator_id, now, reason) is None:
                raise CaseEnded
        elif not open_cases.end(
            work.session, case_id, now, state=CaseState.RULED, ruling=ruling, ruled_by=operator_id, reason=reason
        ):
            raise CaseEnded
        details = {"case": case.id, "ruling": ruling, "reason": reason}
        said: pending.Noted = {"by_id": operator_id, "seconds": seconds, "details": details, "once": f"ruled:{case.id}"}
        pending.note(work.session, decision, NoteKind.RULED, NoteCause.ORGANISER, now, **said)
        if ruling == CaseRuling.EXTEND:
            assert seconds is not None
            late_seat.grant(work, decision, seconds, now)
        elif ruling == CaseRuling.AGAIN:
            late_seat.mail_again(work, game, decision, case_id, now)
        elif ruling == CaseRuling.VOID:
            results.cancel(work, game, now)
        _tell_ruling(work, game, case_id, now)


def _tell_ruling(work: Work, game: GameNow, case_id: int, now: datetime) -> None:
    told = {"case": case_id}
    mails = [
        telling.mail_of_case(game, seated, f"ruled:{case_id}:{seated.seat}", "ruled", told)
        for seated in game.seats
        if seated.player_id is not None
    ]
    work.outbox.add(mails, now)
