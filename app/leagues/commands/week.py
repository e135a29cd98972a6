"""`postroad league week`: a club's tasks of the week, and several acts at once, as on the page of the week."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from app.base.speech import Voice
from app.leagues.clubs import audit, clubs
from app.leagues.commands.common import AS, JSON, MOMENT, club_and_actor, opened, right_now, tell
from app.leagues.desk import desk_acts
from app.leagues.desk import week as service
from app.leagues.desk.desk import State
from app.leagues.tables import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.base.server import Server
    from app.leagues.desk.desk import Problem
    from app.leagues.desk.week import BatchOutcome, ClubWeek, ReadyTask
    from app.leagues.tables import Competition

LATE = ("nudge", "extend", "reserve", "ruling")


class _Late(TypedDict):
    act: str | None
    matches: tuple[int, ...]
    reason: str
    days: str
    state: str | None


@click.command()
@click.argument("club")
@click.option("--do", "tasks", multiple=True, type=click.Choice(service.KINDS), help="All that is ready of this kind.")
@click.option("--until", type=MOMENT, help="Rounds end then, in UTC.")
@click.option("--late", "act", type=click.Choice(LATE), help="Of the games named by --match.")
@click.option("--match", "matches", multiple=True, type=int, help="A match that needs somebody.")
@click.option("--reason", default="", help="Of --late; stands in the mails and in the audit trail.")
@click.option("--days", default="", help="To give with --late extend.")
@click.option("--state", type=click.Choice([one.value for one in State]), help="List only late games that stand so.")
@AS
@JSON
def week(
    club: str, tasks: tuple[str, ...], until: datetime | None, address: str, as_json: bool, **late: Unpack[_Late]
) -> None:
    """List what needs attention in all running events of CLUB; with --do or --late also do it, each act by itself.

    Closed rounds are paired in the same call; only drafts that existed before are published, because a draft is looked
    at before it is published. A refusal does not stop other acts, and ends with 1.
    """
    act = late["act"]
    if (act is None) != (not late["matches"]):
        raise click.UsageError("--late and --match go together.")
    ends = None if until is None else until.replace(tzinfo=UTC)
    with opened() as server:
        club_id, actor = club_and_actor(server, club, address)
        found = _read(server, club_id, actor)
        if act is not None:
            audit.read_reason(late["reason"])
            if act == "extend":
                desk_acts.read_days(late["days"])
        done = list(_do_tasks(server, club_id, actor, found, tasks, ends))
        if act is not None:
            done += _do_late(server, club_id, actor, found, act, late)
        left = _read(server, club_id, actor) if done else found
    if late["state"] is not None:
        left = replace(left, late=[one for one in left.late if one[1].state == late["state"]])
    tell(as_json, {"done": done, **_data(left)}, [*map(_said, done), *_lines(left)])
    if any("refused" in one for one in done):
        raise click.exceptions.Exit(1)


def _read(server: Server, club_id: int, actor: int) -> ClubWeek:
    with server.database.read() as session:
        clubs.need(session, club_id, actor, Role.DEPUTY)
        return service.read(session, club_id, right_now(), allowance=server.config.leave_days)


def _do_tasks(
    server: Server, club_id: int, actor: int, found: ClubWeek, kinds: tuple[str, ...], until: datetime | None
) -> Iterator[dict[str, Any]]:
    for task in found.tasks:
        if task.kind in kinds:
            ends = until if task.kind == service.PUBLISH else None
            outcome = service.do_task(server.database, club_id, task.name, actor, until=ends, now=right_now())
            yield _outcome(task.kind, _task_data(task), outcome)


def _do_late(
    server: Server, club_id: int, actor: int, found: ClubWeek, act: str, late: _Late
) -> Iterator[dict[str, Any]]:
    events = {problem.match_id: event for event, problem in found.late}
    for match in dict.fromkeys(late["matches"]):
        if match not in events:
            yield {"act": act, "match": match, "refused": "week.match", "why": "This match needs nobody now."}
            continue
        form = desk_acts.DeskRequest(actor, late["reason"], secrets.token_hex(12), found.seen[match], late["days"])
        outcome = service.do_late(server.database, club_id, act, events[match].id, match, form, now=right_now())
        yield _outcome(act, {"event": events[match].id, "match": match}, outcome)


def _outcome(act: str, of: dict[str, Any], outcome: BatchOutcome) -> dict[str, Any]:
    if outcome.refused is not None:
        return {"act": act, **of, "refused": outcome.refused.code, "why": Voice().say(outcome.refused.why)}
    return {"act": act, **of, "done": outcome.done}


def _data(found: ClubWeek) -> dict[str, Any]:
    return {
        "ready": [{"act": one.kind, **_task_data(one), "after_close": one.after_close} for one in found.tasks],
        "late": [late_data(event, one) for event, one in found.late],
        "this_week": [
            {
                "event": one.event_id,
                "name": one.event,
                "division": one.division or None,
                "round": one.round or None,
                "ends": one.at.isoformat(),
                "games_open": still,
            }
            for one, still in found.dates
        ],
        "waiting": [
            {"event": one.id, "name": one.name, "games_that_wait_for_their_players": found.calm[one.id]}
            for one in found.running
        ],
    }


def _task_data(task: ReadyTask) -> dict[str, Any]:
    return {"event": task.event.id, "name": task.event.name, "division": task.division.name, "round": task.number}


def late_data(event: Competition, one: Problem) -> dict[str, Any]:
    """Return a late game as plain data."""
    return {
        "event": event.id,
        "name": event.name,
        "division": one.division,
        "round": one.round,
        "match": one.match_id,
        "game": one.game_id,
        "players": list(one.players),
        "finding": one.finding,
        "next": one.step,
        "state": one.state,
        "owes": one.owes or None,
        "since": one.since and one.since.isoformat(),
        "last_mail": one.mail and {"kind": one.mail.kind, "state": one.mail.state, "at": one.mail.at.isoformat()},
        "last_mail_taken": one.signs.taken_at and one.signs.taken_at.isoformat(),
        "last_bounce": one.signs.bounced_at and one.signs.bounced_at.isoformat(),
        "last_act": one.signs.acted_at and one.signs.acted_at.isoformat(),
        "last_move": one.signs.moved_at and one.signs.moved_at.isoformat(),
        "deadline": one.deadline and one.deadline.isoformat(),
        "silent_since": one.silence and one.silence.since.isoformat(),
        "leave_by_itself": one.silence and one.silence.days,
        "out_of_time": one.silence and one.silence.end.due.isoformat(),
        "round_ends": one.due_at and one.due_at.isoformat(),
        "pressure": round(one.pressure, 2),
    }


def _lines(found: ClubWeek) -> Iterator[str]:
    for task in found.tasks:
        then = ", once the round before is closed" if task.after_close else ""
        yield f"ready: {task.kind} round {task.number} of {task.event.name}, {task.division.name}{then}"
    for event, one in found.late:
        owes = f", {one.owes} owes" if one.owes else ""
        yield f"late: match {one.match_id}, {' – '.join(one.players)} ({event.name}): {one.finding}{owes}; {one.step}"
    for date, still in found.dates:
        what = f"round {date.round}" if date.round else "sign-up"
        name = f"{date.event}, {date.division}" if date.division else date.event
        yield f"ends {date.at:%Y-%m-%d %H:%M} UTC: {what} of {name}" + (f", {still} games open" if still else "")
    for event in found.running:
        yield f"{event.name}: {found.calm[event.id]} games wait for nothing but their players"


def _said(one: dict[str, Any]) -> str:
    what = f"match {one['match']}" if "match" in one else f"{one['name']}, {one['division']}, round {one['round']}"
    if "refused" in one:
        return f"{one['act']} {what}: {one['why']}"
    return f"{one['act']} {what}: {'done' if one['done'] else 'was done before'}"
