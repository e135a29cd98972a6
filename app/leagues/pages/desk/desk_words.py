"""The desk in words: what holds a match up, what is known about it, and what can be done."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from flask import url_for

from app.leagues.desk.desk import Problem
from app.leagues.pages.common import named
from app.leagues.tables import Competition
from app.post.mail_words import mail_kind, mail_states
from app.time.time_log import lasting
from engine.kernel.text import N_, Counted

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.leagues.rounds.forecast import ExpectedEnd
    from app.time.automatic import Silence

ACT_NAMES = {
    "nudge": N_("Nudge"),
    "again": N_("Send the mail again"),
    "extend": N_("Give more time"),
    "leave": N_("Grant leave"),
    "reserve": N_("Call a reserve"),
    "ruling": N_("Open a ruling"),
    "report": N_("Take the result over"),
}


PRESSED = 0.8
"""From this pressure on a row is marked."""


def problem_shown(
    one: Problem, event: Competition, voice: Voice, now: datetime, end: ExpectedEnd | None = None
) -> dict[str, Any]:
    """Return an open match for the template; `end` is when it will probably be over."""
    facts = [*_facts(one, voice, now), *_signs(one, voice, now)]
    if end is not None:
        text = voice.gettext("around {day}", day=voice.day(end.median))
        facts.append((voice.gettext("probably over"), text))
    acts = [_link(act, event.id, one.match_id, voice) for act in _acts(one) if act != one.step]
    step = None
    if one.step == "rule":
        href = url_for("desk.ruling_page", event_id=event.id, ruling_id=one.ruling_id)
        step = {"label": voice.gettext("Decide the ruling"), "href": href}
    elif one.step in ACT_NAMES:
        step = _link(one.step, event.id, one.match_id, voice)
    return {
        "id": one.match_id,
        "round": one.round,
        "division": one.division if len(event.divisions) > 1 else "",
        "game": one.game_id,
        "players": voice.join([named(voice, name) for name in one.players]),
        "sentence": _sentence(one, event, voice, now),
        "silence": "" if one.silence is None else silence_in_words(one.silence, voice, now),
        "facts": facts,
        "signs": _signs(one, voice, now),
        "step": step,
        "acts": acts,
        "needs": step is not None,
        "sides": [(named(voice, name), bool(name) and name == one.mover) for name in one.players],
        "clock": _clock(one, voice),
        "ends": _round_ends(one, voice, now),
        "pressing": one.pressure >= PRESSED,
        "finding": one.finding,
    }


def _clock(one: Problem, voice: Voice) -> tuple[int, str] | None:
    """Return how much of its clock a decision has used, in percent and in words; None if no clock runs."""
    if not one.started or one.left is None or not one.mover:
        return None
    if one.left <= 0:
        return 100, voice.gettext("out of time for {time}", time=roughly(voice, -one.left))
    words = voice.gettext(
        "{left} left of {whole}", left=roughly(voice, one.left), whole=roughly(voice, max(one.budget, one.left))
    )
    return round(100 * one.used), words


def silence_in_words(one: Silence, voice: Voice, now: datetime) -> str:
    """Return how long a player has been silent, leave that was taken automatically, and when their time can run out."""
    parts = [voice.gettext("Silent for {time}", time=roughly(voice, max(0, int((now - one.since).total_seconds()))))]
    taken = Counted("{n} day of leave taken by itself", "{n} days of leave taken by themselves", n=one.days)
    parts.append(voice.say(taken) if one.days else voice.gettext("no leave taken by itself"))
    if one.due <= now:
        parts.append(voice.gettext("out of time since {moment}", moment=voice.moment(one.due)))
    else:
        parts.append(voice.gettext("out of time at the earliest: {moment}", moment=voice.moment(one.end.due)))
    return " · ".join(parts)


def _round_ends(one: Problem, voice: Voice, now: datetime) -> str:
    """Return when the round of a match ends or ended, relative to now."""
    if one.due_at is None:
        return ""
    moment, seconds = voice.moment(one.due_at), int((one.due_at - now).total_seconds())
    if seconds > 0:
        return voice.gettext("round ends {moment}, in {time}", moment=moment, time=roughly(voice, seconds))
    return voice.gettext("round ended {moment}, {time} ago", moment=moment, time=roughly(voice, -seconds))


def roughly(voice: Voice, seconds: int) -> str:
    """Return a rough span of time: days from two days on, hours from two hours on, else minutes."""
    unit = next((one for one in (86_400, 3_600) if seconds >= 2 * one), 60)
    return lasting(voice, round(seconds / unit) * unit)


def _link(act: str, event_id: int, match_id: int, voice: Voice) -> dict[str, str]:
    href = url_for("desk.act_page", event_id=event_id, match_id=match_id, act=act)
    return {"label": voice.gettext(ACT_NAMES[act]), "href": href}


def _acts(one: Problem) -> list[str]:
    """Return what can be done about a match besides the next step."""
    if one.finding in ("undecided", "unreported"):
        return ["ruling"] if one.ruling_id is None else []
    acts = []
    if one.started and one.owes_id is not None and one.finding not in ("withdrawn", "no_reserve"):
        acts += ["nudge", "extend", "leave"]
    elif one.finding == "bounced":
        acts += ["again"]
    if one.reserves and one.call_id is None and one.entry_id is not None:
        acts.append("reserve")
    if one.ruling_id is None:
        acts.append("ruling")
    return acts


def _on_leave(name: str, start: datetime, end: datetime, voice: Voice, now: datetime) -> str:
    until = voice.moment(end)
    if start <= now:
        return voice.gettext("{name} is on leave until {moment}.", name=name, moment=until)
    return voice.gettext(
        "{name} will be on leave from {start} to {end}.", name=name, start=voice.moment(start), end=until
    )


def _sentence(one: Problem, event: Competition, voice: Voice, now: datetime) -> str:
    name = named(voice, one.owes)
    if one.finding == "leave" and one.leave is not None:
        return _on_leave(name, *one.leave, voice, now)
    since = voice.moment(one.since) if one.since else ""
    seat = voice.about(event.title).name("seat", one.asked_by) if one.asked_by else ""
    until = voice.moment(one.call_until) if one.call_until else ""
    return {
        "undecided": lambda: voice.gettext(
            "This game was annulled, but somebody must advance. Open a ruling to name them, or to replay the game."
        ),
        "unreported": lambda: (
            voice.gettext("The game is over, and its result is not in the table yet.")
            if one.game_id
            else voice.gettext("This pairing has no game.")
        ),
        "no_reserve": lambda: voice.gettext("{name} is gone, and no reserve is left to call.", name=name),
        "withdrawn": lambda: voice.gettext("{name} has left the event, but this game is still running.", name=name),
        "claim": lambda: voice.gettext("A ruling is needed, and nobody has decided it yet."),
        "bounced": lambda: voice.gettext("The mail to {name} bounced, so the clock has not started.", name=name),
        "flag": lambda: voice.gettext("The time of {name} is over.", name=name),
        "called": lambda: voice.gettext(
            "A reserve is asked to play on for {name}, until {moment}.", name=name, moment=until
        ),
        "question": lambda: voice.gettext(
            "{name} has to answer a question in the turn of {seat}.", name=name, seat=seat
        ),
        "unread": lambda: voice.gettext(
            "{name} has had the mail since {moment} and has not moved.", name=name, moment=since
        ),
        "unmailed": lambda: voice.gettext("The mail to {name} is on its way.", name=name),
        "credit": lambda: voice.gettext(
            "The server was down; {name} got {time} back for it.", name=name, time=lasting(voice, one.credit)
        ),
        "running": lambda: voice.gettext("{name} has to move.", name=name) if name and one.owes else "",
    }[one.finding]()


def _clock_in_words(one: Problem, voice: Voice) -> str:
    if one.deadline is None or not one.started:
        return voice.gettext("has not started") if one.mover and one.since is not None else ""
    left, moment = lasting(voice, abs(one.left or 0)), voice.moment(one.deadline)
    if (one.left or 0) > 0:
        return voice.gettext("{time} left, until {moment}", time=left, moment=moment)
    return voice.gettext("over since {moment}, {time} ago", moment=moment, time=left)


def _facts(one: Problem, voice: Voice, now: datetime) -> list[tuple[str, str]]:
    """Return the known facts: who owes since when, the clock, the round's end, reminders, leave, the case."""
    facts: list[tuple[str, str]] = []
    if one.mover and one.since is not None:
        label = voice.gettext("to move")
        text = voice.gettext("{name}, since {moment}", name=named(voice, one.mover), moment=voice.moment(one.since))
        facts.append((label, text))
    if clock := _clock_in_words(one, voice):
        facts.append((voice.gettext("clock"), clock))
    if ends := _round_ends(one, voice, now):
        facts.append((voice.gettext("round"), ends))
    if one.reminders:
        told = [f"{mail_kind(voice, kind)} {voice.moment(at)}" for kind, at in one.reminders[-3:]]
        facts.append((voice.gettext("reminded"), voice.clauses(told)))
    if one.leave is not None and one.finding != "leave":
        start, end = (voice.moment(at) for at in one.leave)
        facts.append((voice.gettext("leave"), voice.gettext("from {start} to {end}", start=start, end=end)))
    if one.credit and one.finding != "credit":
        facts.append((voice.gettext("outages"), lasting(voice, one.credit)))
    if one.case:
        states = {
            "opened": voice.gettext("a case is open"),
            "warned": voice.gettext("warned"),
            "grace": voice.gettext("in the time after the deadline"),
            "flagged": voice.gettext("flag fallen"),
            "ruled": voice.gettext("ruled"),
        }
        facts.append((voice.gettext("case"), states.get(one.case, one.case)))
    if one.reserves and one.finding in ("withdrawn", "flag", "bounced"):
        facts.append(
            (voice.gettext("reserves"), voice.ngettext("{n} left", "{n} left", one.reserves).format(n=one.reserves))
        )
    return facts


def _signs(one: Problem, voice: Voice, now: datetime) -> list[tuple[str, str]]:
    """Return the latest signs of the player on turn: the mail that reached them or bounced, what they did on a page,
    and their last move.
    """
    signs: list[tuple[str, str]] = []
    if one.mail is not None:
        kind = mail_kind(voice, one.mail.kind)
        moment, fate = voice.moment(one.mail.sent_at or one.mail.made_at), mail_states(voice)[one.mail.state]
        text = voice.gettext("{mail}, {moment}: {fate}", mail=kind, moment=moment, fate=fate)
        signs.append((voice.gettext("last mail"), text + (f" ({one.mail.last_error})" if one.mail.last_error else "")))
    if not one.mover or one.step == "wait":
        return signs
    if one.signs.bounced_at is not None:
        signs.append((voice.gettext("a mail came back"), _ago(one.signs.bounced_at, voice, now)))
    for label, at, none in (
        (voice.gettext("last act on a page"), one.signs.acted_at, voice.gettext("none yet")),
        (voice.gettext("last move in this event"), one.signs.moved_at, voice.gettext("no move yet")),
    ):
        signs.append((label, none if at is None else _ago(at, voice, now)))
    return signs


def _ago(at: datetime, voice: Voice, now: datetime) -> str:
    ago = lasting(voice, max(0, int((now - at).total_seconds())))
    return voice.gettext("{moment}, {time} ago", moment=voice.moment(at), time=ago)
