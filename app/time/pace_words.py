"""A pace in words, for tables, games and invitations."""

from __future__ import annotations

from functools import cache
from typing import Literal

from babel.dates import get_day_names
from babel.units import format_unit

from app.base.words.speech import Voice
from app.clocks.pace import WEEKDAYS, Pace, Stage
from app.clocks.presets import COURSES, PRESETS
from engine.kernel.text import N_


def number_of(lang: str, n: int, unit: str) -> str:
    """Return a number of days, hours, minutes or seconds (`duration-day` ...), such as `3 days`."""
    # Babel has no long form of Italian days; the short one is the word in full.
    length: Literal["short", "long"] = "short" if (lang, unit) == ("it", "duration-day") else "long"
    return format_unit(n, unit, length, locale=lang)


def short_number_of(lang: str, n: int, unit: str) -> str:
    """Return a number of days, hours or minutes, short and on one line, such as `3 hr`."""
    if (lang, unit) == ("es", "duration-hour"):
        return f"{n}\u00a0h"  # Babel has "1 horas"
    return format_unit(n, unit, "short", locale=lang).replace("\u202f", "\u00a0").replace(" ", "\u00a0")


def span(voice: Voice, seconds: int) -> str:
    """Return a time in a pace, such as `3 days` or `1 day and 12 hours`."""
    parts = [
        ("duration-day", seconds // 86400),
        ("duration-hour", seconds // 3600 % 24),
        ("duration-minute", seconds // 60 % 60),
        ("duration-second", seconds % 60),
    ]
    said = [number_of(voice.lang, n, unit) for unit, n in parts if n]
    return voice.join(said) or number_of(voice.lang, 0, "duration-day")


@cache
def _weekdays(lang: str) -> dict[str, str]:
    names = get_day_names("wide", locale=lang)
    return {day: names[n] for n, day in enumerate(WEEKDAYS)}


def pace_in_words(voice: Voice, pace: Pace, calendar: str = "") -> str:
    """Return all of a pace but what follows a passed deadline, in one line; `calendar` is the name of its holidays."""
    said = []
    if pace.decision:
        said.append(voice.gettext("{time} for each move", time=span(voice, pace.decision)))
    if pace.free:
        said.append(voice.gettext("the first {time} of each move free", time=span(voice, pace.free)))
    if pace.has_bank:
        said.append(_bank(voice, pace))
    if pace.days_off:
        days = voice.join([_weekdays(voice.lang)[day] for day in pace.days_off])
        said.append(voice.gettext("{days} free", days=days))
    if calendar:
        said.append(voice.gettext("holidays free: {calendar}", calendar=calendar))
    if pace.hour:
        said.append(voice.gettext("until {hour} {zone}", hour=pace.hour, zone=pace.zone))
    elif pace.days_off or calendar:
        said.append(voice.gettext("days of {zone}", zone=pace.zone))
    return ", ".join(said)


def _bank(voice: Voice, pace: Pace) -> str:
    values = {"bank": span(voice, pace.bank), "increment": span(voice, pace.increment), "cap": span(voice, pace.cap)}
    if pace.decision:
        if pace.increment:
            return voice.gettext("a bank of {bank} besides, {increment} more after each turn, at most {cap}", **values)
        return voice.gettext("a bank of {bank} besides", **values)
    if pace.increment:
        return voice.gettext("{bank} for all moves, {increment} more after each turn, at most {cap}", **values)
    return voice.gettext("{bank} for all moves", **values)


def acts_in_words(voice: Voice, stage: Stage, *, in_event: bool | None = None) -> str:
    """Return what happens in a stage after a passed deadline; who decides is said if it is known."""
    acts = {
        "remind": voice.gettext("all players are told"),
        "orders": voice.gettext("standing orders are used, or what all can see to be the only action is played"),
        "forfeit_turn": voice.gettext("the turn ends where the rules allow it"),
        "claim": voice.gettext("the others may claim the game or wait"),
        "forfeit": voice.gettext("the game is lost"),
        "organiser": voice.gettext(
            {
                None: N_("an organiser of the event decides, or an operator of the server where there is none"),
                True: N_("those who run the event decide how the game goes on"),
                False: N_("an operator of the server decides how the game goes on"),
            }[in_event]
        ),
    }
    return voice.join([acts[act] for act in stage.do])


def after_in_words(voice: Voice, pace: Pace) -> list[str]:
    """Return what follows a passed deadline: a sentence for each stage."""
    said = []
    for stage in pace.stages:
        if not stage.do:
            continue
        what = acts_in_words(voice, stage)
        said.append(
            voice.gettext("{time} later: {acts}", time=span(voice, stage.after), acts=what) if stage.after else what
        )
    return said


def presets_in_words(voice: Voice) -> list[tuple[str, str]]:
    """Return the named paces to choose from: the form's value, and the name."""
    return [(one.id, voice.gettext(one.name)) for one in PRESETS]


def courses_in_words(voice: Voice) -> list[tuple[str, str]]:
    """Return the possible consequences of a passed deadline, to choose from."""
    return [(one.id, voice.gettext(one.name)) for one in COURSES]


def weekdays_in_words(voice: Voice) -> list[tuple[str, str]]:
    """Return the days of the week, Monday first."""
    return list(_weekdays(voice.lang).items())
