"""The desk in words: what holds a match up, what is known about it, what can be done, and what an event with an
autopilot does next."""

from __future__ import annotations

from datetime import datetime

from flask import url_for
from sqlmodel import Session

from app.base.words.speech import Voice
from app.leagues.desk import autopilot, week
from app.leagues.desk.trouble import Problem
from app.leagues.desk.week import EventTask
from app.leagues.tables import Competition
from app.post.kept.mail_words import mail_kind, mail_states
from app.time.away.automatic import Silence
from app.time.tables import Leave
from app.time.time_log import lasting
from engine.kernel.text import N_, Counted, Text

ACT_NAMES = {
    "nudge": N_("Nudge"),
    "again": N_("Send the mail again"),
    "extend": N_("Give more time"),
    "leave": N_("Grant leave"),
    "reserve": N_("Call a reserve"),
    "ruling": N_("Open a ruling"),
    "report": N_("Take the result over"),
}

SENTENCES = {
    "undecided": N_(
        "This game was annulled, but somebody must advance. Open a ruling to name them, or to replay the game."
    ),
    "unreported": N_("The game is over, and its result is not in the table yet."),
    "no_reserve": N_("{name} is gone, and no reserve is left to call."),
    "withdrawn": N_("{name} has left the event, but this game is still running."),
    "claim": N_("A ruling is needed, and nobody has decided it yet."),
    "bounced": N_("The mail to {name} bounced, so the clock has not started."),
    "flag": N_("The time of {name} is over."),
    "called": N_("A reserve is asked to play on for {name}, until {moment}."),
    "question": N_("{name} has to answer a question (turn: {seat})."),
    "unread": N_("{name} has had the mail since {moment} and has not moved."),
    "unmailed": N_("The mail to {name} is on its way."),
    "credit": N_("The server was down; {name} got {time} back for it."),
    "running": N_("{name} has to move."),
}
"""What holds a match up, for each of `desk.FINDINGS`; leave is said by `_on_leave`."""
CASES = {
    "opened": N_("a case is open"),
    "warned": N_("warned"),
    "grace": N_("past the deadline, in extra time"),
    "flagged": N_("out of time"),
    "ruled": N_("ruled"),
}


def players_in_words(one: Problem, voice: Voice) -> str:
    """Return who plays in a match."""
    return voice.join([voice.person(seat.name) for seat in one.match.seats])


def next_step(one: Problem, voice: Voice) -> dict[str, str] | None:
    """Return the link to what has to be done about a match; None if it only waits."""
    if one.step == "rule" and one.ruling is not None:
        href = url_for("desk.ruling_page", event_id=one.event.id, ruling_id=one.ruling.id)
        return {"label": voice.gettext("Decide the ruling"), "href": href}
    return _link(one.step, one, voice) if one.step in ACT_NAMES else None


def other_acts(one: Problem, voice: Voice) -> list[dict[str, str]]:
    """Return the links to what can be done about a match besides the next step."""
    return [_link(act, one, voice) for act in _acts(one) if act != one.step]


def silence_in_words(one: Silence, voice: Voice, now: datetime) -> str:
    """Return how long a player has been silent, leave that was taken automatically, and when their time can run out."""
    parts = [
        voice.gettext("Silent for {time}", time=roughly(voice, max(0, int((now - one.quiet_since).total_seconds()))))
    ]
    taken = Counted("{n} day of leave taken by itself", "{n} days of leave taken by themselves", n=one.days)
    parts.append(voice.say(taken) if one.days else voice.gettext("no leave taken by itself"))
    if one.due <= now:
        parts.append(voice.gettext("out of time since {moment}", moment=voice.moment(one.due)))
    else:
        parts.append(voice.gettext("out of time at the earliest: {moment}", moment=voice.moment(one.end.due)))
    return " · ".join(parts)


def _round_ends(one: Problem, voice: Voice) -> str:
    """Return when the round of a match ends or ended."""
    if one.round.due_at is None:
        return ""
    moment, seconds = voice.moment(one.round.due_at), int((one.round.due_at - one.now).total_seconds())
    if seconds > 0:
        return voice.gettext("round ends {moment}, in {time}", moment=moment, time=roughly(voice, seconds))
    return voice.gettext("round ended {moment}, {time} ago", moment=moment, time=roughly(voice, -seconds))


def roughly(voice: Voice, seconds: int) -> str:
    """Return a rough span of time: days from two days on, hours from two hours on, else minutes."""
    unit = next((one for one in (86_400, 3_600) if seconds >= 2 * one), 60)
    return lasting(voice, round(seconds / unit) * unit)


def _link(act: str, one: Problem, voice: Voice) -> dict[str, str]:
    href = url_for("desk.act_page", event_id=one.event.id, match_id=one.match.id, act=act)
    return {"label": voice.gettext(ACT_NAMES[act]), "href": href}


def _acts(one: Problem) -> list[str]:
    """Return what can be done about a match."""
    if one.finding in ("undecided", "unreported"):
        return ["ruling"] if one.ruling is None else []
    acts = []
    if one.started and one.owes is not None and one.finding not in ("withdrawn", "no_reserve"):
        acts += ["nudge", "extend", "leave"]
    elif one.finding == "bounced":
        acts += ["again"]
    if one.reserves and one.call is None:
        acts.append("reserve")
    if one.ruling is None:
        acts.append("ruling")
    return acts


def _on_leave(name: str, taken: Leave, voice: Voice, now: datetime) -> str:
    start, end = voice.moment(taken.from_at), voice.moment(taken.to_at)
    if taken.from_at <= now:
        return voice.gettext("%(name)s is on leave until %(moment)s.", name=name, moment=end)
    return voice.gettext("{name} will be on leave from {start} to {end}.", name=name, start=start, end=end)


def sentence(one: Problem, voice: Voice) -> str:
    """Return what holds a match up."""
    name = voice.person(one.owes.name if one.owes else "")
    if one.finding == "leave" and one.leave is not None:
        return _on_leave(name, one.leave, voice, one.now)
    if one.finding == "unreported" and one.match.game_id is None:
        return voice.gettext("This pairing has no game.")
    if one.finding == "running" and one.owes is None:
        return ""
    at = one.call.answer_by if one.call else one.decision.started_at if one.decision else one.now
    seat = voice.about(one.event.title).name("seat", one.asked_by) if one.asked_by else ""
    time = lasting(voice, one.credit)
    return voice.gettext(SENTENCES[one.finding], name=name, moment=voice.moment(at), seat=seat, time=time)


def _clock_in_words(one: Problem, voice: Voice) -> str:
    if one.deadline is None or not one.started:
        return voice.gettext("has not started") if one.mover else ""
    left, moment = lasting(voice, abs(one.left or 0)), voice.moment(one.deadline)
    if (one.left or 0) > 0:
        return voice.gettext("{time} left, until {moment}", time=left, moment=moment)
    return voice.gettext("over since {moment}, {time} ago", moment=moment, time=left)


def facts(one: Problem, voice: Voice) -> list[tuple[str, str]]:
    """Return the known facts: who has to move since when, the clock, the round's end, reminders, leave, the case, and
    the last mail."""
    said = [
        (voice.gettext("To move"), _since(one, voice)),
        (voice.gettext("Clock"), _clock_in_words(one, voice)),
        (voice.gettext("Round"), _round_ends(one, voice)),
    ]
    if one.reminders:
        told = [f"{mail_kind(voice, kind)} {voice.moment(at)}" for kind, at in one.reminders[-3:]]
        said.append((voice.gettext("Reminded"), voice.clauses(told)))
    if one.leave is not None and one.finding != "leave":
        start, until = voice.moment(one.leave.from_at), voice.moment(one.leave.to_at)
        said.append((voice.gettext("Leave"), voice.gettext("from {start} to {end}", start=start, end=until)))
    if one.credit and one.finding != "credit":
        said.append((voice.gettext("Outages"), lasting(voice, one.credit)))
    if one.case is not None:
        said.append((voice.gettext("Case"), voice.gettext(CASES.get(one.case.state, one.case.state))))
    if one.reserves and one.finding in ("withdrawn", "flag", "bounced"):
        left = voice.ngettext("{n} left", "{n} left", one.reserves).format(n=one.reserves)
        said.append((voice.gettext("Reserves"), left))
    if one.mail is not None:
        kind, fate = mail_kind(voice, one.mail.kind), mail_states(voice)[one.mail.state]
        moment = voice.moment(one.mail.sent_at or one.mail.made_at)
        text = voice.gettext("{mail}, {moment}: {fate}", mail=kind, moment=moment, fate=fate)
        said.append((voice.gettext("Last mail"), text + (f" ({one.mail.last_error})" if one.mail.last_error else "")))
    return [(label, text) for label, text in said if text]


def _since(one: Problem, voice: Voice) -> str:
    if one.mover is None or one.decision is None:
        return ""
    moment = voice.moment(one.decision.started_at)
    return voice.gettext("{name}, since {moment}", name=voice.person(one.mover.name), moment=moment)


# -- autopilot ------------------------------------------------------------------------------------------


NEXT_ACTS = {
    autopilot.OPEN: N_("Sign-up opens."),
    autopilot.REMIND: N_("Members who have not answered are asked again."),
    autopilot.CLOSE_SIGN_UP: N_("Sign-up closes."),
    autopilot.START: N_("The event starts."),
    autopilot.BEGIN_ALL: N_("All rounds begin at once."),
    week.EXTRA: N_("Deciding games of round {n} start."),
    week.CLOSE: N_("Round {n} is closed."),
    week.PAIR: N_("Round {n} is paired."),
    week.PUBLISH: N_("Round {n} is published."),
    autopilot.FINISH: N_("The event ends."),
}


def next_shown(session: Session, event: Competition) -> list[tuple[EventTask, Text]]:
    """Return the automatic steps an event does next, each with its sentence, also while it is paused; empty while it
    waits for its players."""
    return [(act, Text(NEXT_ACTS[act.kind], n=act.number)) for act in autopilot.next_acts(session, event)]
