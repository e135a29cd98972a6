"""The fate of late seats, in sentences for everybody in the game."""

from __future__ import annotations

from collections.abc import Callable

from app.base.words.speech import Voice
from app.games.store import SeatHolder
from app.time.tables import CaseRuling, ClockNote, NoteCause, NoteKind
from engine.kernel.text import N_

Choose = Callable[["ClockNote", "SeatHolder | None"], str | None]
"""From an event and the seat that caused it to its sentence, which `time_log.said` fills in; None: it is not told."""


def _stage(event: ClockNote, by: SeatHolder | None) -> str | None:
    do, done = event.details.get("do", ()), event.details.get("done", ())
    if event.cause == NoteCause.WAITS:
        return N_("{by} waits for {name}.")
    if "orders" in done:
        return N_("{name} was late, and what needed no decision was played by the server.")
    if "forfeit_turn" in done:
        return N_("{name} was late and has lost the turn.")
    if "forfeit" in done:
        return None  # the time-out is told
    if "claim" in do:
        return N_("The time of {name} is over: the others may claim the game, or wait.")
    if "organiser" in do:
        return N_("The time of {name} is over, and somebody has to decide how the game goes on.")
    if event.details.get("no_end"):
        return N_("{name} is late, and the rules do not let the turn end without an answer.")
    if "remind" in do:
        return N_("{name} is late and was reminded.")
    if "orders" in do:
        return N_("{name} is late, and nothing could be played without a decision.")
    return N_("{name} is late.")


def _claimed(event: ClockNote, by: SeatHolder | None) -> str:
    return N_("{by} claimed the game.") if by else N_("The game was claimed against {name}.")


def _ruled(event: ClockNote, by: SeatHolder | None) -> str | None:
    return _ruling(event.details.get("ruling")) if event.cause == NoteCause.ORGANISER else _stage(event, by)


_RULINGS = {
    CaseRuling.EXTEND: N_("{name} was given more time: “{reason}”"),
    CaseRuling.AGAIN: N_("The mail to {name} was sent once more: “{reason}”"),
    CaseRuling.FORFEIT: N_("By ruling, {name} lost on time: “{reason}”"),
    CaseRuling.VOID: N_("The game was cancelled: “{reason}”"),
}


def _ruling(ruling: str | None) -> str:
    return _RULINGS[CaseRuling(ruling)] if ruling in _RULINGS else _RULINGS[CaseRuling.VOID]


def ruling_in_words(voice: Voice, ruling: str | None, name: str, reason: str) -> str:
    """Return what has been decided about `name`, and why."""
    return voice.gettext(_ruling(ruling), name=name, reason=reason)


_BY_CAUSE: dict[tuple[str, str | None], str] = {
    (NoteKind.TIMEOUT, NoteCause.MAIL): N_("{name} was timed out; since a mail had not arrived, it does not count."),
    (NoteKind.TIMEOUT, NoteCause.OUTAGE): N_(
        "{name} was timed out; since the server had been down, it does not count."
    ),
    (NoteKind.TIMEOUT, None): N_("{name} was timed out."),
    (NoteKind.MAIL_FAILED, NoteCause.LATE): N_(
        "The mail to {name} turned out not to have arrived: the time that was lost for it does not count."
    ),
    (NoteKind.MAIL_FAILED, NoteCause.BOUNCE): N_("A mail to {name} came back again; the clock goes on."),
    (NoteKind.MAIL_FAILED, None): N_("The mail to {name} did not arrive, and the clock stands."),
    (NoteKind.CALENDAR, None): N_("The calendar “{calendar}” was changed: {name} has until {moment}."),
    (NoteKind.CLOSED, NoteCause.PLAYER): N_("{name} is not late any more."),
    (NoteKind.CLOSED, NoteCause.DEADLINE): N_("{name} has more time and is not late any more."),
    (NoteKind.CLOSED, NoteCause.MAIL): N_("The mail to {name} has arrived after all, and the clock runs."),
}


def _by_cause(event: ClockNote, by: SeatHolder | None) -> str | None:
    return _BY_CAUSE.get((event.kind, event.cause), _BY_CAUSE.get((event.kind, None)))


SENTENCES: dict[str, Choose] = {
    NoteKind.WARNED: _stage,
    NoteKind.GRACE: _stage,
    NoteKind.FLAGGED: _stage,
    NoteKind.RULED: _ruled,
    NoteKind.TIMEOUT: _by_cause,
    NoteKind.CLAIMED: _claimed,
    NoteKind.MAIL_FAILED: _by_cause,
    NoteKind.CALENDAR: _by_cause,
    NoteKind.CLOSED: _by_cause,
}
"""How each kind of event is said to everybody."""
