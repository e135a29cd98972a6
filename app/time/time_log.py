"""The log of time in sentences: credits, leave, nudges, time granted, and what will happen after a deadline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from app.base.words.speech import Voice
from app.clocks.outages import is_of_title
from app.clocks.pace import Pace, Stage
from app.games.store import GameNow, SeatHolder
from app.time import case_words, pending
from app.time.pace_words import acts_in_words, number_of, span
from app.time.tables import ClockNote, NoteCause, NoteKind
from engine.kernel.text import N_


def lasting(voice: Voice, seconds: int) -> str:
    """Return a span of time to the minute, such as `1 day, 3 hours, and 20 minutes`."""
    minutes = round(seconds / 60)
    return span(voice, minutes * 60) if minutes else number_of(voice.lang, 0, "duration-minute")


def _credit(event: ClockNote, by: SeatHolder | None) -> str:
    return _told_of_credit(event)[0]


def _told_of_credit(event: ClockNote) -> tuple[str, str]:
    """Return how a credit for an outage is said to everybody, and to the seat itself."""
    job = event.details.get("job", "")
    if job == "mail":
        return (
            N_("No mails could be sent from {start} to {end}: the deadline of {name} moved by {time}."),
            N_("No mails could be sent from {start} to {end}: your deadline moved by {time}."),
        )
    if is_of_title(job):
        return (
            N_(
                "The rules of this game could not be used from {start} to {end}: the deadline of {name} moved by"
                " {time}."
            ),
            N_("The rules of this game could not be used from {start} to {end}: your deadline moved by {time}."),
        )
    return (
        N_("The server was down from {start} to {end}: the deadline of {name} moved by {time}."),
        N_("The server was down from {start} to {end}: your deadline moved by {time}."),
    )


def _leave(event: ClockNote, by: SeatHolder | None) -> str:
    if event.details.get("back") and event.cause == NoteCause.ORGANISER:
        return N_("An organiser has taken back the leave of {name} from {start} to {end}, or what is left of it.")
    if event.details.get("back"):
        return N_("{name} has given up the leave from {start} to {end}, or what is left of it.")
    if event.cause == NoteCause.ORGANISER:
        return N_("An organiser gave {name} leave from {start} to {end}.")
    if event.cause == NoteCause.PACE:
        return N_("{name} was out of time, so a day of leave was taken by itself, from {start} to {end}.")
    return N_("{name} takes leave from {start} to {end}.")


def _nudge(event: ClockNote, by: SeatHolder | None) -> str:
    return N_("An organiser nudged {name}.") if event.cause == NoteCause.ORGANISER else N_("{by} nudged {name}.")


def _extension(event: ClockNote, by: SeatHolder | None) -> str:
    if event.cause == NoteCause.SUBSTITUTE:
        return N_("{name} has taken the seat over, and the clock got {time} for it.")
    if event.cause == NoteCause.ORGANISER and (event.seconds or 0) < 0:
        return N_("An organiser took {time} back that had been given to {name}.")
    if event.cause == NoteCause.ORGANISER:
        return N_("An organiser gave {name} {time} more.")
    return N_("{by} gave {name} {time} more.")


SENTENCES: dict[str, case_words.Choose] = {
    **case_words.SENTENCES,
    NoteKind.CREDIT: _credit,
    NoteKind.LEAVE: _leave,
    NoteKind.NUDGE: _nudge,
    NoteKind.EXTENSION: _extension,
}
"""How each kind of event is said to everybody."""


def said(event: ClockNote, game: GameNow, voice: Voice) -> str | None:
    """Return an event of the time log as a sentence; None for one that is not told."""
    by = next((seated for seated in game.seats if _is_by(event, seated)), None)
    choose = SENTENCES.get(event.kind)
    sentence = None if choose is None else choose(event, by)
    if sentence is None:
        return None
    name = "" if event.seat is None else voice.who(game.seated(event.seat))
    by_name = voice.gettext("Somebody") if by is None else voice.who(by)
    return voice.gettext(sentence, name=name, by=by_name, **_facts(event, voice))


def _is_by(event: ClockNote, seated: SeatHolder) -> bool:
    if "by" in event.details:
        return bool(event.details["by"] == seated.seat)
    return event.by_id is not None and event.by_id == seated.player_id


def _facts(event: ClockNote, voice: Voice) -> dict[str, str]:
    """Return what a sentence can name apart from people."""
    facts = {name: str(event.details.get(name, "")) for name in ("reason", "calendar")}
    facts["time"] = lasting(voice, abs(event.seconds or 0))
    for name, key in (("start", "from"), ("end", "to"), ("moment", "to")):
        if key in event.details:
            facts[name] = voice.moment(datetime.fromisoformat(event.details[key]))
    return facts


def credits_of(session: Session, game: GameNow, voice: Voice) -> list[str]:
    """Return what the owing seat was credited for outages in this decision, said to that seat."""
    return [
        voice.gettext(_told_of_credit(event)[1], **_facts(event, voice))
        for event in pending.events_of_decision(session, game.id, game.number, NoteKind.CREDIT)
    ]


# -- what will happen -------------------------------------------------------------------------------


def consequences(pace: Pace, deadline: datetime, voice: Voice, *, in_event: bool = False) -> list[str]:
    """Return what happens when, for a seat that does not answer by its deadline: a sentence for each stage of the pace.
    In an event its organisers decide, elsewhere the operators of the server."""
    stages = [(deadline + timedelta(seconds=stage.after), stage) for stage in pace.stages]
    return stages_in_words(stages, voice, in_event=in_event)


def stages_in_words(stages: Sequence[tuple[datetime, Stage]], voice: Voice, *, in_event: bool = False) -> list[str]:
    """Return what happens at each of these moments, said to the affected seat."""
    return [
        voice.gettext("{label}: {value}.", label=voice.moment(at), value=acts)
        for at, stage in stages
        if (acts := acts_in_words(voice, stage, in_event=in_event))
    ]


def after_the_deadline(pace: Pace, voice: Voice, *, in_event: bool) -> list[str]:
    """Return the same without days: what happens how long after a deadline, for a list of games."""
    return [
        voice.gettext("{time} later: {acts}", time=span(voice, stage.after), acts=acts) + "."
        if stage.after
        else voice.gettext("at the deadline: {acts}.", acts=acts)
        for stage in pace.stages
        if (acts := acts_in_words(voice, stage, in_event=in_event))
    ]
