"""The week of a club: what is ready, who is late, and several acts with one preview and one press of a button."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from flask import Response, request, url_for
from sqlmodel import Session

from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.clubs import audit, club_rights, joining
from app.leagues.desk import desk_acts, people, week
from app.leagues.desk.week import BatchOutcome, ClubWeek, EventTask
from app.leagues.events import entries, round_rows
from app.leagues.pages.clubs import public as club_pages
from app.leagues.pages.clubs.public import blueprint
from app.leagues.pages.common import HOURS, Once, ReasonForm, once, read_moment
from app.leagues.pages.desk.desk_words import ACT_NAMES, next_shown, players_in_words
from app.leagues.pages.desk.late_table import ACTS, late_table, row_shown
from app.leagues.pages.shown.divisions import round_shown
from app.leagues.rounds import publishing, round_loop
from app.leagues.tables import Club, Role
from app.overdue import late_seat
from app.web import visit
from app.web.forms import Field, Form, Typed, answers, sent
from app.web.reader import server
from engine.kernel.refusals import Refusal
from engine.kernel.text import N_, Text

TASK_NAMES = {
    week.EXTRA: N_("Start the deciding games of round {n} of {event}"),
    week.CLOSE: N_("Close round {n} of {event}"),
    week.PAIR: N_("Pair round {n} of {event}"),
    week.PUBLISH: N_("Publish round {n} of {event}"),
}
SHOWN = 20
"""How many rows of a list are shown, most urgent first; the others are folded."""


class ChosenForm(Form):
    """The ticked rows: tasks by kind and key, late games by match with their event and the last act seen."""

    act: Typed = ""
    task: dict[str, str]
    late: dict[str, str]


class WeekForm(ChosenForm, ReasonForm):
    """The same, confirmed."""

    marks: ClassVar = HOURS

    reason: Typed = Field(
        "", title=N_("Why; it stands in the mails and in the audit trail, which everybody in the club can read")
    )
    days: Typed = Field("", title=N_("Days to give, from 1 to 60"))
    at: Typed = Field("", title=N_("Publish it at (date and hour)"))
    until: Typed = Field("", title=N_("The round ends (date and hour)"))
    out: dict[str, Typed]
    """Silent players to be left out, by `EVENT-DIVISION-ROUND-PLAYER`."""
    once: Once


@blueprint.get("/clubs/<slug>/week")
def week_page(slug: str) -> Response:
    """Everything in all events of a club that needs attention, most urgent first."""
    voice = visit.voice()
    with club_pages.reading_club(slug, Role.DEPUTY) as (session, club, _):
        found = _read(session, club.id)
        asking = joining.how_many(session, club.id)
        silent = people.of_events(session, found.running, visit.now())
        belong = {one.player_id for one in club_rights.members(session, club.id)}
        with_autopilot = [one for one in (*found.ahead, *found.running) if one.terms.autopilot is not None]
        ahead = {one.id: next_shown(session, one) for one in with_autopilot}
    return visit.show(
        "leagues/week/week.html",
        club=club,
        tasks=[_task_shown(one, voice) for one in found.tasks],
        table=late_table(
            [row_shown(one, found.seen[one.match_id], voice) for one in found.late], voice, reserves=found.reserves
        ),
        late=len(found.late),
        ended=found.played_out,
        events=[(event, found.calm[event.id]) for event in found.running],
        shown=SHOWN,
        asking=asking,
        silent=[(one, people.in_words(voice, quiet, visit.now()), one.player_id in belong) for one, quiet in silent],
        autopilots=ahead,
        waiting=found.hands,
        coming=[one for one in found.ahead if ahead.get(one.id)],
        dates=found.dates,
        well=sum(found.calm.values()),
    )


def _read(session: Session, club_id: int) -> ClubWeek:
    return week.read(session, club_id, visit.now(), allowance=server().config.leave_days)


def _task_shown(task: EventTask, voice: Voice) -> dict[str, Any]:
    return {
        "now": task,
        "name": f"task.{task.name}",
        "what": voice.gettext(TASK_NAMES[task.kind], n=task.number, event=task.event.name),
        "warnings": len(task.round.warnings) if task.kind == week.PUBLISH and task.round is not None else 0,
    }


@blueprint.get("/clubs/<slug>/week/check")
def check_page(slug: str) -> Response:
    """What the ticked acts would do, with drafts to review and one button. Changes nothing."""
    voice = visit.voice()
    chosen = ChosenForm.of(request.args if visit.refused() is None else sent())
    with club_pages.reading_club(slug, Role.DEPUTY) as (session, club, _):
        found = _read(session, club.id)
        tasks = [
            {**shown, **_review(session, one, voice)}
            for one in found.tasks
            for shown in (_task_shown(one, voice),)
            if chosen.act not in ACTS and shown["name"].removeprefix("task.") in chosen.task
        ]
    late = [
        {**row_shown(one, found.seen[one.match_id], voice), "value": chosen.late[str(one.match_id)]}
        for one in found.late
        if chosen.act in ACTS and str(one.match_id) in chosen.late
    ]
    return visit.show(
        "leagues/week/check.html",
        club=club,
        act=chosen.act,
        act_name=voice.gettext(ACT_NAMES[chosen.act]) if chosen.act in ACTS else "",
        tasks=tasks,
        late=late,
        publishes=any(one["now"].kind == week.PUBLISH for one in tasks),
        form=WeekForm.shown(days=3),
        once=once(),
    )


def _review(session: Session, task: EventTask, voice: Voice) -> dict[str, Any]:
    """Return a draft with what is unusual in it."""
    if task.kind != week.PUBLISH or task.round is None:
        return {"draft": None, "silent": _silent(session, task, voice)}
    names = {entrant.id: entrant.name for entrant in entries.entrants(session, task.event.id)}
    actors = round_rows.actors_of(session, task.round)
    draft = round_shown(task.round, voice, names, title=task.event.title, full=True, actors=actors)
    unusual = {
        match.id
        for match in task.round.matches
        if match.is_bye or any(_is_unusual(reason.code) for reason in match.reasons)
    }
    return {
        "draft": draft,
        "silent": _silent(session, task, voice),
        "unusual": unusual,
        "games": sum(not match.is_bye for match in task.round.matches),
    }


def _silent(session: Session, task: EventTask, voice: Voice) -> list[tuple[str, str, str, int]]:
    """Return the silent players who would be paired: field, name, days, player."""
    if task.kind not in (week.PAIR, week.PUBLISH) or task.division is None:
        return []
    now = visit.now()
    found = people.silent_before(session, task.event, task.division.id, task.number, now, task.round)
    key = f"out.{task.event.id}-{task.division.id}-{task.number}"
    return [
        (f"{key}-{one.player_id}", voice.person(one.name), people.in_words(voice, quiet, now), one.player_id)
        for one, quiet in found
    ]


def _is_unusual(code: str) -> bool:
    """Whether a reason is an exception that an organiser should look at."""
    return code.startswith(("bye.", "warn.", "swiss.float", "pair.by_hand")) or code in ("met", "blocked")


@blueprint.post("/clubs/<slug>/week")
@answers(WeekForm, again=check_page)
def do_week(form: WeekForm, slug: str) -> Response:
    """Do everything that is ticked, each act by itself, and report each outcome."""
    me, voice = visit.need_person(), visit.voice()
    if not (form.late if form.act in ACTS else form.task):
        raise NotAccepted("week.nothing", Text("Tick what is to be done."))
    with club_pages.reading_club(slug, Role.DEPUTY) as (session, club, _):
        found = _read(session, club.id)
    press = _press_late if form.act in ACTS else _press_tasks
    return _done(club, press(form, club, me.id, found, voice), voice)


def _done(club: Club, told: Sequence[tuple[str, BatchOutcome]], voice: Voice) -> Response:
    """Show the outcome of each act, and what can be done next."""
    with server().database.read() as session:
        left = _read(session, club.id)
    ready: dict[str, Any] = {_task_shown(one, voice)["name"]: "1" for one in left.tasks if not one.planned}
    return visit.show(
        "leagues/week/done.html",
        club=club,
        outcomes=[_told(what, done, voice) for what, done in told],
        ready=url_for("clubs.check_page", slug=club.slug, **ready) if ready else "",
    )


def _press_tasks(
    form: WeekForm, club: Club, by_id: int, found: ClubWeek, voice: Voice
) -> list[tuple[str, BatchOutcome]]:
    until, now = read_moment(form.until, club.zone), visit.now()
    at = read_moment(form.at, club.zone, code="round.at_moment")
    if until is not None and until <= now:
        raise round_loop.end_passed()
    if at is not None and at <= now:
        raise publishing.passed()
    names = {shown["name"]: shown for shown in (_task_shown(one, voice) for one in found.tasks)}
    told = []
    for name in (one for kind in week.KINDS for one in sorted(form.task) if one.partition("-")[0] == kind):
        there = names.get(f"task.{name}")  # None: done in another tab
        if there is not None:
            how = week.TaskDetails(at, until, _left_out(form, there["now"]))
            done = week.do_task(server().database, club.id, name, by_id, how=how, now=now)
        told.append((_called(there, voice), there is not None and done))
    return told


def _left_out(form: WeekForm, task: EventTask) -> list[int]:
    """Return who is not to be paired in the round of a task."""
    key = f"{task.event.id}-{task.division.id if task.division else 0}-{task.number}-"
    players = [whole(one.removeprefix(key)) for one in form.out if one.startswith(key)]
    return [one for one in players if one is not None]


def _called(shown: dict[str, Any] | None, voice: Voice) -> str:
    if shown is None:
        return voice.gettext("Settled meanwhile")
    return " · ".join(filter(None, (shown["what"], shown["now"].part)))


def _press_late(
    form: WeekForm, club: Club, by_id: int, found: ClubWeek, voice: Voice
) -> list[tuple[str, BatchOutcome]]:
    audit.read_reason(form.reason)
    if form.act == "extend":
        late_seat.read_days(form.days)
    players = {str(one.match_id): players_in_words(one, voice) for one in found.late}
    told = []
    for match, value in form.late.items():
        number, event, seen = map(whole, (match, value.partition("-")[0], value.partition("-")[2]))
        if number is None or event is None or seen is None:
            raise NotAccepted("form.choice", Text("Choose one of what is offered."))
        by = desk_acts.DeskRequest(by_id, form.reason, f"{form.once}:{match}", seen, form.days)
        done = week.do_late(server().database, club.id, form.act, event, number, by, now=visit.now())
        told.append((players.get(match, voice.gettext("Settled meanwhile")), done))
    return told


def _told(what: str, done: BatchOutcome, voice: Voice) -> tuple[str, str, bool]:
    """Return the outcome of an act in words, and whether it was refused."""
    if isinstance(done, Refusal):
        return what, voice.say(done.why), True
    return what, voice.gettext("done") if done else voice.gettext("was done before"), False
