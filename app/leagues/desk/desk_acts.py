"""What an organiser does from the desk: nudge, send again, extend, grant leave, take a result over.

Each act has a reason, mails those it affects, is recorded in the audit trail, and happens once for a form however often
its button is pressed. A form also names the last act its page showed, so that of two organisers who press at once one
acts and the other is told to look again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import Conflict, NotAccepted
from app.games.store import GameNow
from app.games.tables import GameSeat
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting, ActRequest
from app.leagues.events import lifecycle, two_clubs
from app.leagues.rulings import ended_games, opening
from app.leagues.tables import About, Audit, Competition, CompetitionRound, CompetitionStatus, Match, Role, RoundStatus
from app.leagues.teams import rosters
from app.overdue import late_seat, nudges
from app.people.tables import Player
from app.time import open_cases, pending
from app.time.away import leave
from app.time.decisions import PendingDecision
from app.time.tables import CaseRuling, CaseState, NoteCause, NoteKind
from engine.kernel.text import Text


@dataclass(frozen=True, slots=True)
class DeskRequest(ActRequest):
    """What a form of the desk asks for."""

    seen: int = 0
    """The number of the match's last act when the page was drawn (`last_act`)."""
    days: str = ""
    """The days to give, as typed, where the act gives time."""


# -- what a form shows ----------------------------------------------------------------------------------


def last_act(session: Session, match_id: int) -> int:
    """Return the number of the last act about a match; 0 if there is none."""
    return last_acts(session, [match_id]).get(match_id, 0)


def last_acts(session: Session, matches: Sequence[int]) -> dict[int, int]:
    """Return the number of the last act about each of these matches that had one."""
    asked = (
        sa.select(col(Audit.about_number), sa.func.max(col(Audit.id)))
        .where(col(Audit.about) == About.MATCH, col(Audit.about_number).in_(matches))
        .group_by(col(Audit.about_number))
    )
    return {match: act for match, act in session.execute(asked).all()} if matches else {}


# -- the acts -------------------------------------------------------------------------------------------


class _ActRules(NamedTuple):
    """An act of the desk: its name in the trail, who may do it, and what it changes."""

    act: str
    own: bool = True
    """Whether an organiser may do it in their own match."""
    all_games: bool = False
    """It changes all games in which the same player owes a decision."""
    leads: bool = False
    """The captain of the player's team may do it too."""


_Do = Callable[["Acting", "GameNow", "PendingDecision", "DeskRequest"], Mapping[str, Any]]


class _Press(Protocol):
    """A button of the desk: does its act once; False if the button was pressed before. Raises NoSuchCompetition,
    NotAllowed, NotAccepted, Conflict."""

    def __call__(
        self, database: Database, event_id: int, match_id: int, form: DeskRequest, *, now: datetime
    ) -> bool: ...


def _act(rules: _ActRules) -> Callable[[_Do], _Press]:
    """Make an act about the decision that a match waits for from what it does; what that returns stands in the
    trail."""
    return lambda do: partial(_press, rules, do)


def _press(
    rules: _ActRules, do: _Do, database: Database, event_id: int, match_id: int, form: DeskRequest, *, now: datetime
) -> bool:
    reason = audit.read_reason(form.reason)
    with Work(database) as work:
        found = _owed(work, event_id, match_id, form, rules)
        if found is None:
            return False
        event, game, owed = found
        acting = Acting(work, event, form.by_id, now)
        after = do(acting, game, owed, form)
        acting.write(rules.act, audit.match(match_id), reason=reason, after=after, once=form.token)
        return True


@_act(_ActRules("desk.nudged", leads=True))
def nudge(acting: Acting, game: GameNow, owed: PendingDecision, form: DeskRequest) -> Mapping[str, Any]:
    """Remind the player who owes the decision, or their captain, that the organisers wait; at most once a day."""
    if owed.mailed_at is None:
        raise NotAccepted("nudge.early", Text("The mail that asks for this decision has not been delivered yet."))
    session, now, key = acting.session, acting.now, f"nudge:{game.id}:{game.number}:{acting.now:%Y-%m-%d}"
    if nudges.is_nudged(session, game, now) or not pending.note(
        session, owed, NoteKind.NUDGE, NoteCause.ORGANISER, now, by_id=form.by_id, once=key
    ):
        raise NotAccepted("nudge.today", Text("This player was nudged today already; one mail a day is enough."))
    tell_players(acting, form, "nudge", [game], only=owed.player_id)
    return {"game": game.id, "number": game.number}


@_act(_ActRules("desk.sent_again", own=False))
def send_again(acting: Acting, game: GameNow, owed: PendingDecision, form: DeskRequest) -> Mapping[str, Any]:
    """Send the refused mail again, with the whole time for it to arrive."""
    if owed.mailed_at is not None:
        raise NotAccepted("again.arrived", Text("The mail has arrived meanwhile, and the clock runs."))
    late_seat.mail_again(acting.work, game, owed, form.seen, acting.now)
    case = open_cases.running(acting.session, game.id)
    if case is not None:
        values = {"state": CaseState.RULED, "ruling": CaseRuling.AGAIN, "ruled_by": form.by_id}
        open_cases.end(acting.session, case.id, acting.now, **values, reason=form.reason)
    return {"game": game.id, "number": game.number}


@_act(_ActRules("desk.extended", own=False))
def extend(acting: Acting, game: GameNow, owed: PendingDecision, form: DeskRequest) -> Mapping[str, Any]:
    """Give the player who owes the decision more days, counted from now if the deadline has passed."""
    days = late_seat.read_days(form.days)
    given = [_give(acting.work, game, owed, days * 86400, form, acting.now)]
    tell_players(acting, form, "extend", [game], seconds=days * 86400)
    return {"days": days, "games": given}


@_act(_ActRules("desk.leave", own=False, all_games=True))
def grant_leave(acting: Acting, game: GameNow, owed: PendingDecision, form: DeskRequest) -> Mapping[str, Any]:
    """Give the player who owes the decision days of leave in all their games of this event.

    The leave starts now, or after leave already granted there. Other games and their own allowance stay unchanged.
    """
    work, event_id, now, days = acting.work, acting.event.id, acting.now, late_seat.read_days(form.days)
    assert owed.player_id is not None
    if pending.times(work.session, owed, now).deadline <= now:
        raise NotAccepted(
            "desk.late", Text("The time is over already, so leave would come too late; give more time instead.")
        )
    taken = leave.grant(work, event_id, owed.player_id, days * 86400, form.by_id, now)
    tell_of_leave(work, event_id, owed.player_id, taken.id, form, now, back=False)
    games = [{"game": one} for one in leave.running_in(work.session, owed.player_id, event_id)]
    return {"days": days, "leave": taken.id, "games": games}


def met_in(session: Session, event_id: int, player_id: int) -> list[Any]:
    """Return the player and their opponents in running games of the event, who are told of leave there: rows of id,
    name and address."""
    games = leave.running_in(session, player_id, event_id)
    asked = (
        sa.select(col(Player.id), col(Player.name), col(Player.address))
        .distinct()
        .join(GameSeat, col(GameSeat.player_id) == col(Player.id))
        .where(col(GameSeat.game_id).in_(games), col(Player.erased_at).is_(None))
        .order_by(col(Player.id))
    )
    return list(session.execute(asked).all())


def tell_of_leave(
    work: Work, event_id: int, player_id: int, leave_id: int, form: DeskRequest, now: datetime, *, back: bool
) -> None:
    details = {"leave": leave_id, "by": form.by_id, "reason": form.reason.strip(), "back": back}
    people = [(row.id, row.address) for row in met_in(work.session, event_id, player_id)]
    work.outbox.tell(people, "leave", f"granted:{form.token}", details, now)


def report(database: Database, event_id: int, match_id: int, form: DeskRequest, *, now: datetime) -> bool:
    """Copy the result of a finished game into its match.

    Returns False if the button was pressed before or the result is there.
    """
    reason = audit.read_reason(form.reason)
    with Work(database) as work:
        event, match = _match(work.session, event_id, match_id, form.by_id)
        if match.game_id is None:
            raise NotAccepted("desk.no_game", Text("This pairing has no game; open a ruling for its result."))
        game = work.store.load(match.game_id, for_writing=True)
        _, match = _match(work.session, event_id, match_id, form.by_id)
        if match.ended or audit.was_done(work.session, form.token):
            return False
        if not game.is_over:
            raise NotAccepted("desk.running", Text("This game still runs."))
        ended_games.game_over(work, game, now)
        Acting(work, event, form.by_id, now).write(
            "desk.reported", audit.match(match_id), reason=reason, after={"game": game.id}, once=form.token
        )
        return True


def open_ruling(database: Database, event_id: int, match_id: int, form: DeskRequest, *, now: datetime) -> int:
    """Open a ruling about a match; return its number, or that of the one already waiting."""
    reason = audit.read_reason(form.reason)
    with Work(database) as work:
        event, match = _match(work.session, event_id, match_id, form.by_id)
        if event.status not in (CompetitionStatus.RUNNING, CompetitionStatus.OVER):
            raise NotAccepted("event.not_running", Text("The event is not running."))
        if match.status == RoundStatus.DRAFT:
            raise NotAccepted("round.draft", Text("This round has not been published."))
        return opening.open_ruling(work, match_id, by_id=form.by_id, claim=reason, now=now)[0]


def _match(session: Session, event_id: int, match_id: int, by_id: int, leads: bool = False) -> tuple[Competition, Any]:
    if leads and rosters.leads_late(session, event_id, match_id, by_id):
        event = lifecycle.get(session, event_id)
    else:
        event = lifecycle.need(session, event_id, by_id, Role.DEPUTY)
    row = session.execute(
        sa.select(col(Match.id), col(Match.game_id), col(Match.ended), col(CompetitionRound.status))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .where(col(Match.id) == match_id, col(CompetitionRound.event_id) == event_id)
    ).first()
    if row is None:
        raise lifecycle.NoSuchCompetition(event_id)
    return event, row


def _owed(
    work: Work, event_id: int, match_id: int, form: DeskRequest, rules: _ActRules
) -> tuple[Competition, GameNow, PendingDecision] | None:
    """Return the event, the locked game, and the decision an act is about; None if it was done before.

    Raises NotAllowed, NotAccepted, Conflict.
    """
    session = work.session
    event, match = _match(session, event_id, match_id, form.by_id, rules.leads)
    if rules.all_games and match.game_id is not None:
        # In the order of their numbers, as taking leave locks them.
        late = pending.owed(session, match.game_id)
        if late is not None and late.player_id is not None:
            pending.lock_games_of(session, late.player_id)
    game = work.store.load(match.game_id, for_writing=True) if match.game_id is not None else None
    if audit.was_done(session, form.token):
        return None
    if last_act(session, match_id) != form.seen:
        raise Conflict("desk.changed", Text("This has been changed meanwhile; look at it again."))
    if not rules.own:
        opening.need_other(form.by_id, opening.players_of(session, match_id))
    owed = None if game is None else pending.owed(session, game.id)
    if game is None or owed is None or owed.player_id is None:
        raise NotAccepted("desk.nothing", Text("This game waits for nobody now."))
    if not (rules.leads and rosters.leads_late(session, event_id, match_id, form.by_id)):
        two_clubs.need_alone(session, event, form.by_id)
    return event, game, owed


def _give(
    work: Work, game: GameNow, owed: PendingDecision, seconds: int, form: DeskRequest, now: datetime
) -> Mapping[str, Any]:
    """Give a decision more time, with a line in the game's log of time; return what undoing it needs."""
    late_seat.grant(work, owed, seconds, now)
    after = pending.owed(work.session, game.id)
    assert after is not None
    pending.note(
        work.session,
        owed,
        NoteKind.EXTENSION,
        NoteCause.ORGANISER,
        now,
        by_id=form.by_id,
        seconds=seconds,
        once=f"{form.token}:{game.id}",
    )
    return {"game": game.id, "number": owed.number, "extra": after.extra_seconds - owed.extra_seconds}


def tell_players(
    acting: Acting,
    form: DeskRequest,
    act: str,
    games: Sequence[GameNow],
    *,
    seconds: int = 0,
    only: int | None = None,
) -> None:
    why = form.reason.strip()
    details = {"event": acting.event.id, "act": act, "by": form.by_id, "reason": why, "seconds": seconds}
    acting.work.outbox.add(
        [
            PlannedMail(
                f"desk:{form.token}:{game.id}:{seated.seat}",
                "desk_act",
                seated.address,
                seated.player_id,
                game.id,
                seated.seat,
                game.number if seated.seat == game.decides else None,
                details,
            )
            for game in games
            for seated in game.seats
            if seated.player_id is not None and only in (None, seated.player_id)
        ],
        acting.now,
    )
