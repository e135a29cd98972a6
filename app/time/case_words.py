"""The fate of late seats, in sentences for everybody in the game."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.time.tables import CaseRuling, NoteCause

if TYPE_CHECKING:
    from app.base.speech import Voice
    from app.games.store import GameNow
    from app.time.tables import ClockNote


def _late(event: ClockNote, game: GameNow, voice: Voice) -> str:
    return "" if event.seat is None else voice.who(game.seated(event.seat))


def _stage(event: ClockNote, game: GameNow, voice: Voice) -> str | None:
    details, name = event.details, _late(event, game, voice)
    do, done = details.get("do", ()), details.get("done", ())
    if event.cause == NoteCause.WAITS:
        return voice.gettext("{by} waits for {name}.", by=voice.who(game.seated(details["by"])), name=name)
    if "orders" in done:
        return voice.gettext("{name} was late, and what needed no decision was played by the server.", name=name)
    if "forfeit_turn" in done:
        return voice.gettext("{name} was late and has lost the turn.", name=name)
    if "forfeit" in done:
        return None  # the time-out is told
    if "claim" in do:
        return voice.gettext("The time of {name} is over: the others may claim the game, or wait.", name=name)
    if "organiser" in do:
        return voice.gettext("The time of {name} is over, and somebody has to decide how the game goes on.", name=name)
    if details.get("no_end"):
        return voice.gettext("{name} is late, and the rules do not let the turn end without an answer.", name=name)
    if "remind" in do:
        return voice.gettext("{name} is late and was reminded.", name=name)
    if "orders" in do:
        return voice.gettext("{name} is late, and nothing could be played without a decision.", name=name)
    return voice.gettext("{name} is late.", name=name)


def _time_out(event: ClockNote, game: GameNow, voice: Voice) -> str:
    name = _late(event, game, voice)
    if event.cause == NoteCause.MAIL:
        return voice.gettext("{name} was timed out; since a mail had not arrived, it does not count.", name=name)
    if event.cause == NoteCause.OUTAGE:
        return voice.gettext("{name} was timed out; since the server had been down, it does not count.", name=name)
    return voice.gettext("{name} was timed out.", name=name)


def _claimed(event: ClockNote, game: GameNow, voice: Voice) -> str:
    by = next((s for s in game.seats if event.by_id is not None and s.player_id == event.by_id), None)
    name = _late(event, game, voice)
    return (
        voice.gettext("{by} claimed the game.", by=voice.who(by))
        if by
        else voice.gettext("The game was claimed against {name}.", name=name)
    )


def _mail_failed(event: ClockNote, game: GameNow, voice: Voice) -> str:
    if event.cause == NoteCause.LATE:
        return voice.gettext(
            "The mail to {name} turned out not to have arrived: the time that was lost for it does not count.",
            name=_late(event, game, voice),
        )
    if event.cause == NoteCause.BOUNCE:
        return voice.gettext("A mail to {name} came back again; the clock goes on.", name=_late(event, game, voice))
    return voice.gettext("The mail to {name} did not arrive, and the clock stands.", name=_late(event, game, voice))


def _calendar(event: ClockNote, game: GameNow, voice: Voice) -> str:
    return voice.gettext(
        "The calendar “{calendar}” was changed: {name} has until {moment}.",
        calendar=event.details["calendar"],
        name=_late(event, game, voice),
        moment=voice.moment(datetime.fromisoformat(event.details["to"])),
    )


def _ruled(event: ClockNote, game: GameNow, voice: Voice) -> str:
    name, reason = _late(event, game, voice), event.details.get("reason", "")
    return ruling_in_words(voice, event.details.get("ruling", ""), name, reason)


def ruling_in_words(voice: Voice, ruling: str, name: str, reason: str) -> str:
    """Return what has been decided about `name`, and why."""
    if ruling == CaseRuling.EXTEND:
        return voice.gettext("{name} was given more time: “{reason}”", name=name, reason=reason)
    if ruling == CaseRuling.AGAIN:
        return voice.gettext("The mail to {name} was sent once more: “{reason}”", name=name, reason=reason)
    if ruling == CaseRuling.FORFEIT:
        return voice.gettext("By ruling, {name} lost on time: “{reason}”", name=name, reason=reason)
    return voice.gettext("The game was cancelled: “{reason}”", reason=reason)


def _closed(event: ClockNote, game: GameNow, voice: Voice) -> str | None:
    name = _late(event, game, voice)
    sentences = {
        NoteCause.PLAYER: voice.gettext("{name} is not late any more.", name=name),
        NoteCause.DEADLINE: voice.gettext("{name} has more time and is not late any more.", name=name),
        NoteCause.MAIL: voice.gettext("The mail to {name} has arrived after all, and the clock runs.", name=name),
    }
    return sentences.get(event.cause)


SENTENCES: dict[str, Callable[[Any, Any, Any], str | None]] = {
    "warned": _stage,
    "grace": _stage,
    "flagged": _stage,
    "ruled": lambda event, game, voice: (_ruled if event.cause == NoteCause.ORGANISER else _stage)(event, game, voice),
    "timeout": _time_out,
    "claimed": _claimed,
    "mail_failed": _mail_failed,
    "calendar": _calendar,
    "closed": _closed,
}
"""How each kind of event is said to everybody."""
