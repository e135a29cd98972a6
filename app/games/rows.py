"""The rows that the store writes: the decision that is owed, the entries of the log, the decisions that were answered.
Only built here; `store` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from app.clocks.clock import deadline
from app.clocks.pace import Pace
from app.games.steps import SentOrders, Step
from app.games.tables import GameStatus
from engine.kernel.title import Decision, Title

if TYPE_CHECKING:
    from app.games.store import GameNow


NO_CLOCK = {"asked_at": None, "mailed_at": None, "deadline_at": None, "remind_at": None, "check_at": None}
"""The moments of a decision, in a game in which none is owed any more."""


def owed(due: Decision | None) -> dict[str, Any]:
    """Return the columns of a game that name its pending decision."""
    if due is None:
        return {"decides": None, "kind": None, "on_turn": None}
    return {"decides": due.seat, "kind": due.kind, "on_turn": due.on_turn, "turn": due.turn}


def pending(
    title: Title, state: object, pace: Pace, now: datetime, before: GameNow | None, actor: str | None
) -> dict[str, Any]:
    """Return the columns that say which decision is owed now. `actor` has just acted and needs no mail.

    Its moments are the earliest ones until its clock starts (`app.time.pending.start_clock`), which computes them with
    leave, outages and the bank.
    """
    due = title.decision(state)
    values: dict[str, Any] = owed(due)
    if due is None:
        outcome = title.outcome(state)
        assert outcome is not None
        result = title.result_to_record(outcome)
        return values | NO_CLOCK | {"status": GameStatus.OVER, "ended_at": now, "result": result}
    values["status"] = GameStatus.RUNNING
    if before and before.decides == due.seat and before.turn == due.turn and before.kind == due.kind:
        # The rest of a turn that is being played line by line: its clock keeps running.
        return values | {"mailed_at": now} if before.mailed_at is None and actor == due.seat else values
    return values | {
        "asked_at": now,
        "mailed_at": now if due.seat == actor else None,
        "extra_seconds": 0,
        "deadline_at": deadline(pace, now, pace.budget(before.seated(due.seat).bank if before else pace.bank)),
        "remind_at": None,
        "check_at": now + timedelta(seconds=pace.mail_limit),
    }


def entries(title: Title, game_id: int, after: int, steps: Sequence[Step], now: datetime) -> list[dict[str, Any]]:
    """Return the log rows for these steps, numbered from `after` + 1 on."""
    return [
        {
            "game_id": game_id,
            "number": number,
            "decision": step.decision,
            "turn": step.turn,
            "seat": step.seat,
            "kind": step.kind,
            "cause": step.cause,
            "line": step.line,
            "action": None if step.action is None else title.action_to_json(step.action),
            "chance": [[o.kind, o.purpose, list(o.value)] for o in step.chance],
            "events": [title.event_to_json(event) for event in step.events],
            "back_to": step.back_to,
            "at": now,
        }
        for number, step in enumerate(steps, after + 1)
    ]


def made(
    before: GameNow,
    steps: Sequence[Step],
    *,
    at: datetime,
    last_entry: int,
    next_number: int,
    sent: SentOrders,
    used_seconds: int | None,
) -> list[dict[str, Any]]:
    """Return a row for each decision that these steps answered. What was sent, and its time on the clock, belongs to
    the first of them."""
    rows: dict[int, dict[str, Any]] = {}
    for step in steps:
        if step.kind is None or step.decision in rows:  # an end from outside answers nothing
            continue
        first = step.decision == before.number
        rows[step.decision] = {
            "game_id": before.id,
            "number": step.decision,
            "seat": step.seat,
            "turn": step.turn,
            "kind": step.kind,
            "asked_at": (before.asked_at if first else None) or at,
            "mailed_at": before.mailed_at if first else None,
            "deadline_at": before.deadline_at if first else None,
            "made_at": at,
            "used_seconds": used_seconds if first else None,
            "banks": before.banks if first else None,
            "orders": sent.lines if first else None,
            "last_entry": last_entry,
            "next_number": next_number,
            "played": sent.played if first else 0,
            "refused": sent.refused if first else None,
        }
    return list(rows.values())
