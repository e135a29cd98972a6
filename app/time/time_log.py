"""The log of time in sentences: credits, leave, nudges, time granted, and what will happen after a deadline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from app.clocks.outages import is_of_title
from app.time import case_words, pending
from app.time.pace_words import number_of, span
from app.time.tables import NoteCause

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.speech import Voice
    from app.clocks.pace import Pace, Stage
    from app.games.store import GameNow
    from app.time.tables import ClockNote


def lasting(voice: Voice, seconds: int) -> str:
    """Return a span of time to the minute, such as `1 day, 3 hours, and 20 minutes`."""
    minutes = round(seconds / 60)
    parts = (
        ("duration-day", minutes // 1440),
        ("duration-hour", minutes // 60 % 24),
        ("duration-minute", minutes % 60),
    )
    said = [number_of(voice.lang, n, unit) for unit, n in parts if n]
    return voice.join(said) or number_of(voice.lang, 0, "duration-minute")


def _seat(game: GameNow, voice: Voice, seat: str | None) -> str:
    return "" if seat is None else voice.who(game.seated(seat))


def _by(game: GameNow, voice: Voice, event: ClockNote) -> str:
    found = next((s for s in game.seats if event.by_id is not None and s.player_id == event.by_id), None)
    return voice.gettext("Somebody") if found is None else voice.who(found)


def _moment(voice: Voice, event: ClockNote, key: str) -> str:
    return voice.moment(datetime.fromisoformat(event.details[key]))


def _credit(event: ClockNote, game: GameNow, voice: Voice) -> str:
    values = {
        "start": _moment(voice, event, "from"),
        "end": _moment(voice, event, "to"),
        "name": _seat(game, voice, event.seat),
        "time": lasting(voice, event.seconds or 0),
    }
    if event.details.get("job") == "mail":
        return voice.gettext(
            "No mails could be sent from {start} to {end}: the deadline of {name} moved by {time}.", **values
        )
    if is_of_title(event.details.get("job", "")):
        return voice.gettext(
            "The rules of this game were not installed from {start} to {end}: the deadline of {name} moved by {time}.",
            **values,
        )
    return voice.gettext("The server was down from {start} to {end}: the deadline of {name} moved by {time}.", **values)


def _leave(event: ClockNote, game: GameNow, voice: Voice) -> str:
    values = {
        "name": _seat(game, voice, event.seat),
        "start": _moment(voice, event, "from"),
        "end": _moment(voice, event, "to"),
    }
    if event.details.get("back") and event.cause == NoteCause.ORGANISER:
        return voice.gettext(
            "An organiser has taken back the leave of {name} from {start} to {end}, or what is left of it.", **values
        )
    if event.details.get("back"):
        return voice.gettext("{name} has given up the leave from {start} to {end}, or what is left of it.", **values)
    if event.cause == NoteCause.ORGANISER:
        return voice.gettext("An organiser gave {name} leave from {start} to {end}.", **values)
    if event.cause == NoteCause.PACE:
        return voice.gettext(
            "{name} was out of time, so a day of leave was taken by itself, from {start} to {end}.", **values
        )
    return voice.gettext("{name} takes leave from {start} to {end}.", **values)


def _nudge(event: ClockNote, game: GameNow, voice: Voice) -> str:
    if event.cause == NoteCause.ORGANISER:
        return voice.gettext("An organiser nudged {name}.", name=_seat(game, voice, event.seat))
    return voice.gettext("{by} nudged {name}.", by=_by(game, voice, event), name=_seat(game, voice, event.seat))


def _extension(event: ClockNote, game: GameNow, voice: Voice) -> str:
    told = {"name": _seat(game, voice, event.seat), "time": lasting(voice, abs(event.seconds or 0))}
    if event.cause == NoteCause.SUBSTITUTE:
        return voice.gettext("{name} has taken the seat over, and the clock got {time} for it.", **told)
    if event.cause == NoteCause.ORGANISER and (event.seconds or 0) < 0:
        return voice.gettext("An organiser took {time} back that had been given to {name}.", **told)
    if event.cause == NoteCause.ORGANISER:
        return voice.gettext("An organiser gave {name} {time} more.", **told)
    return voice.gettext(
        "{by} gave {name} {time} more.",
        by=_by(game, voice, event),
        name=_seat(game, voice, event.seat),
        time=lasting(voice, event.seconds or 0),
    )


SENTENCES: dict[str, Callable[[Any, Any, Any], str | None]] = {
    **case_words.SENTENCES,
    "credit": _credit,
    "leave": _leave,
    "nudge": _nudge,
    "extension": _extension,
}
"""How each kind of event is said to everybody."""


def said(event: ClockNote, game: GameNow, voice: Voice) -> str | None:
    """Return an event of the time log as a sentence; None for one that is not told."""
    say = SENTENCES.get(event.kind)
    return None if say is None else say(event, game, voice)


def credits_of(session: Session, game: GameNow, voice: Voice) -> list[str]:
    """Return what the owing seat was credited for outages in this decision, said to that seat."""
    found = []
    for event in pending.events_of_decision(session, game.id, game.number, "credit"):
        values = {
            "start": _moment(voice, event, "from"),
            "end": _moment(voice, event, "to"),
            "time": lasting(voice, event.seconds or 0),
        }
        if event.details.get("job") == "mail":
            text = voice.gettext(
                "No mails could be sent from {start} to {end}: your deadline moved by {time}.", **values
            )
        elif is_of_title(event.details.get("job", "")):
            text = voice.gettext(
                "The rules of this game were not installed from {start} to {end}: your deadline moved by {time}.",
                **values,
            )
        else:
            text = voice.gettext("The server was down from {start} to {end}: your deadline moved by {time}.", **values)
        found.append(text)
    return found


# -- what will happen -------------------------------------------------------------------------------


def consequences(pace: Pace, deadline: datetime, voice: Voice, *, in_event: bool = False) -> list[str]:
    """Return what happens when, for a seat that does not answer by its deadline: a sentence for each stage of the pace.
    In an event its organisers decide, elsewhere the operators of the server."""
    stages = [(deadline + timedelta(seconds=stage.after), stage) for stage in pace.stages]
    return stages_in_words(stages, voice, in_event=in_event)


def stages_in_words(stages: Sequence[tuple[datetime, Stage]], voice: Voice, *, in_event: bool = False) -> list[str]:
    """Return what happens at each of these moments, said to the affected seat."""
    return [
        voice.gettext("{moment}: {acts}.", moment=voice.moment(at), acts=acts)
        for at, stage in stages
        if (acts := _to_the_seat(stage, voice, in_event))
    ]


def after_the_deadline(pace: Pace, voice: Voice, *, in_event: bool) -> list[str]:
    """Return the same without days: what happens how long after a deadline, for a list of games."""
    return [
        voice.gettext("{time} later: {acts}.", time=span(voice, stage.after), acts=acts)
        if stage.after
        else voice.gettext("at the deadline: {acts}.", acts=acts)
        for stage in pace.stages
        if (acts := _to_the_seat(stage, voice, in_event))
    ]


def _to_the_seat(stage: Stage, voice: Voice, in_event: bool) -> str:
    told = {
        "remind": voice.gettext("you and the others are told that you are late"),
        "orders": voice.gettext("your standing orders are used, or what all can see to be your only action is played"),
        "forfeit_turn": voice.gettext("your turn ends, where the rules allow it"),
        "claim": voice.gettext("the others may claim the game, or wait for you"),
        "forfeit": voice.gettext("the game is lost for you"),
        "organiser": voice.gettext("those who run the event decide how the game goes on")
        if in_event
        else voice.gettext("an operator of the server decides how the game goes on"),
    }
    return voice.join([told[act] for act in stage.do])
