"""The part of a form that sets a game's pace: a preset, or a number of days and details."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar

from sqlmodel import Session

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.clocks.pace import DAY, HOUR, Pace, Stage, take_pace, write_pace
from app.clocks.presets import COURSES, PRESETS, course, preset
from app.clocks.zones import shown_name
from app.time.pace_words import courses_in_words, presets_in_words, weekdays_in_words
from app.time.paces import read_days
from app.web.forms import Count, Field, Form, Says, Typed
from engine.kernel.refusals import Unreadable
from engine.kernel.text import N_, Text

Span = Annotated[
    int,
    Count(most=366),
    Says("pace.number", Text("The times of a bank and the free hours are whole numbers up to 366.")),
]


class PaceForm(Form):
    """A pace as a form describes it."""

    marks: ClassVar = {"pace.days": "days", "pace.course": "course"}

    pace: Typed = ""
    days: Typed = ""
    off: list[str] = Field(alias="pace.off")
    bank: Span | None = Field(None, alias="pace.bank", title=N_("Bank, in days"))
    increment: Span | None = Field(None, alias="pace.increment", title=N_("Increment after each turn, in days"))
    cap: Span | None = Field(None, alias="pace.cap", title=N_("Limit of a bank, in days"))
    free: Span | None = Field(None, alias="pace.free", title=N_("Free first hours of each move"))
    hour: Typed = Field("", alias="pace.hour", title=N_("Deadlines wait for this hour of the day, such as 20:00"))
    zone: Typed = Field("", alias="pace.zone", title=N_("Time zone of these days and of this hour"))
    course: Typed = Field("", alias="pace.course", title=N_("What follows a passed deadline"))

    def described(self, own_zone: str) -> Pace:
        """Return the described pace. Days off and the deadline hour use `own_zone` if the form names no other. Raises
        NotAccepted."""
        named = preset(self.pace) if self.pace else None
        if self.pace and named is None:
            raise NotAccepted(
                "pace.unknown", Text("There is no pace “{given}”; choose one of the list.", given=self.pace[:40])
            )
        stages = self._stages()
        base = named.pace if named is not None else read_days(self.days)
        try:
            made = take_pace(write_pace(base) | self._besides(base, own_zone))
        except Unreadable as no:
            label = _LABELS.get(str(no.why.values["label"]))
            if label is None:
                raise
            right = Text("“{label}” should be {right}.", label=Text(label), right=no.why.values["right"])
            raise NotAccepted(no.code, right) from None
        return made if stages is None else replace(made, stages=stages)

    def _besides(self, base: Pace, own_zone: str) -> dict[str, Any]:
        """Return the details that were filled in, as the data of a pace."""
        spans = {"bank": self.bank, "increment": self.increment, "cap": self.cap}
        made: dict[str, Any] = {name: days * DAY for name, days in spans.items() if days is not None}
        if "bank" in made and "cap" not in made and base.cap < made["bank"]:
            made["cap"] = made["bank"] + made.get("increment", base.increment) * 10
        if self.free is not None:
            made["free"] = self.free * HOUR
        off = {*self.off, *base.days_off}
        made["days_off"] = sorted(off)  # an invalid weekday is refused with the others
        hour, zone = self.hour.strip() or base.hour, self.zone.strip()
        if hour is not None:
            made["hour"] = hour
        if zone or off or hour:
            made["zone"] = zone or shown_name(own_zone)
        return made

    def _stages(self) -> tuple[Stage, ...] | None:
        stages = course(self.course)
        if self.course and stages is None:
            raise NotAccepted("pace.course", Text("Choose one of what is offered."))
        return None if stages is None else stages.stages


_LABELS = {name: field.title for name, field in PaceForm.model_fields.items() if field.title} | {
    "days_off": N_("Days on which no clock runs")
}
"""Parts of a pace as the form names them."""


def filled(pace: Pace) -> dict[str, Any]:
    """Return the fields' values for a pace."""
    named = next((one.id for one in PRESETS if one.pace == pace), "")
    if named:
        return {"pace": named}
    return {
        "days": max(pace.decision // DAY, 1),
        "off": list(pace.days_off),
        "bank": pace.bank // DAY or "",
        "increment": pace.increment // DAY or "",
        "cap": pace.cap // DAY or "",
        "free": pace.free // HOUR or "",
        "hour": pace.hour or "",
        "zone": "" if pace.zone == "UTC" else shown_name(pace.zone),
        "course": next((one.id for one in COURSES if one.stages == pace.stages), ""),
    }


def choices(session: Session, voice: Voice, zone: str) -> dict[str, Any]:
    """Return what `lobby/_pace.html` offers: `choose` there."""
    return {
        "presets": presets_in_words(voice),
        "courses": courses_in_words(voice),
        "weekdays": weekdays_in_words(voice),
        "zone": zone,
    }
