"""The form of an event: all of its terms as fields, filled with what was typed or with its current terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import create_model

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.leagues.events import term_words as words
from app.leagues.events.events import FORMAT_NAMES, NewEvent
from app.leagues.pages.common import Moving, end_of_day, moment_of, read_moment
from app.leagues.pages.events import term_texts
from app.leagues.pure import terms as pure
from app.leagues.tables import Competition, CompetitionTemplate
from app.lobby import options
from app.lobby.pages.open_games import option_field
from app.lobby.pages.pace_form import PaceForm, choices, filled
from app.people.accounts import read_name
from app.time import calendars
from app.web.forms import Field, Reads, Typed
from engine.kernel.text import N_

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.speech import Voice
    from engine.kernel.title import Title

FEWEST_ROWS, SPARE_ROWS = 4, 2
"""The minimum number of rows for divisions, and how many empty ones follow the existing rows."""
COLUMNS = ("division_id", "division_name", "promoted", "relegated")
"""The columns of such a row."""
Name = Annotated[str, Reads(read_name)]


class CompetitionForm(PaceForm):
    """An event without its terms."""

    marks: ClassVar = {
        **PaceForm.marks,
        **dict.fromkeys(("event.format", "event.tables", "event.pairs"), "format"),
        "event.rounds": "rounds",
        "event.sign_up_from": "sign_up_from",
        "event.sign_up": "sign_up_until",
        "form.opens": "sign_up_from",
        "form.closes": "sign_up_until",
        "name": "",  # of a division; the others are checked here
    }

    title: Typed = ""
    name: Name = Field(title=N_("Name of the event"))
    season: Name = Field("", title=N_("Season, such as 2027"))
    format: Typed = Field("", title=N_("Format"))
    sign_up_from: Typed = Field("", title=N_("Autopilot: sign-up opens (date and hour)"))
    sign_up_until: Typed = Field("", title=N_("Sign-up closes (date and hour)"))
    division_id: list[str] = Field(alias="division.id")
    division_name: list[str] = Field(alias="division.name")
    promoted: list[Moving] = Field(alias="division.promoted")
    relegated: list[Moving] = Field(alias="division.relegated")
    option: dict[str, str]

    def draft(self, session: Session, title: Title, zone: str) -> NewEvent:
        """What `events.make` takes, and `events.change` what of it can be changed. NotAccepted."""
        return NewEvent(
            name=self.name,
            season=self.season,
            sign_up_from=read_moment(self.sign_up_from, zone, code="form.opens"),
            sign_up_until=_end_of_sign_up(self.sign_up_until, zone),
            options=options.read(title, self.option),
            pace=self.described(zone),
            calendar_id=calendars.find(session, self.calendar),
            terms=self.terms(),
            title_id=title.id,
            format=self.format,
            divisions=self.divisions(),
        )

    def terms(self) -> dict[str, Any]:
        """Return the terms as plain data. Raises NotAccepted, which names a bad one by its label."""
        made = term_texts.read(vars(self))
        try:
            pure.judge_terms(pure.read_terms(made))
        except pure.WrongTerm as wrong:
            no = NotAccepted(wrong.code, words.wrong_in_words(wrong))
            no.field = f"{wrong.key}_{wrong.part}" if wrong.part else wrong.key
            raise no from None
        return made

    def divisions(self) -> list[dict[str, Any]]:
        """Return the divisions, highest first; rows without a name are left out."""
        rows = zip_longest(self.division_id, self.division_name, self.promoted, self.relegated)
        return [
            {"name": name, "promoted": up or 0, "relegated": down or 0} | ({"id": whole(known)} if known else {})
            for known, name, up, down in rows
            if name and name.strip()
        ]


_TERMS: dict[str, Any] = {name: (str, Field("", title=words.TERM_LABELS[name])) for name in term_texts.TERMS}
_TERMS |= {name: (dict[str, str], Field()) for name in term_texts.ORDERS}
_TERMS["members_only"] = (str, Field("", alias="open_to", title=words.TERM_LABELS["members_only"]))
_TERMS |= {f"places_{size}": (str, Field("", alias=f"places.{size}")) for size in term_texts.SIZES}
TermsForm = create_model("TermsForm", __base__=CompetitionForm, **_TERMS)
"""An event with a field for each of its terms, as typed: `app.leagues.pure.terms` checks them."""


def _end_of_sign_up(given: str, zone: str) -> datetime | None:
    """Return when sign-up closes; a day without an hour includes that day. Raises NotAccepted."""
    try:
        return end_of_day(date.fromisoformat(given.strip()), zone)
    except ValueError:
        return read_moment(given, zone, code="form.closes")


# -- what the form shows --------------------------------------------------------------------------------


def context(
    session: Session, voice: Voice, title: Title, event: Competition | CompetitionTemplate | None, zone: str
) -> dict[str, Any]:
    """Return what `leagues/events/_terms.html` needs: what was typed, else the terms of the event or template, or the
    usual ones.
    """
    stands: dict[str, Any] = {"days": 7} | term_texts.shown(event.terms if event else pure.USUAL)
    if isinstance(event, CompetitionTemplate):
        stands |= _played(event) | _kept(event)
    elif event is not None:
        stands |= _played(event) | _about(event, zone)
    form = TermsForm.shown(**stands)
    formats = [name for name in pure.FORMATS if title.most_seats >= 3 or name != pure.Format.TABLES]
    names: dict[str, Mapping[str, str]] = {
        "formats": {name: FORMAT_NAMES[name] for name in (formats if title.least_seats <= 2 else [pure.Format.TABLES])},
        "pairings": words.PAIRING_NAMES,
        "first_sides": words.FIRST_SIDE_NAMES,
        "seedings": words.SEEDING_NAMES,
        "seatings": words.SEATING_NAMES,
        "withdrawals": words.WITHDRAWAL_NAMES,
        "timeouts": words.TIMEOUT_NAMES,
        "shares": words.SHARE_NAMES,
        "round_ends": words.ROUND_END_NAMES,
        "board_orders": words.BOARD_ORDER_NAMES,
    }
    by_place = words.TERM_LABELS["places"]
    columns = (getattr(form, name) for name in COLUMNS)
    return {
        "title": title,
        "form": form,
        "labels": words.TERM_LABELS,
        "its_zone": zone,
        "rows": [row[:4] for row in zip_longest(*columns, range(FEWEST_ROWS), fillvalue="")],
        "orders": {name: words.names_of(voice, known) for name, known in term_texts.ORDERS.items()},
        "places": {size: voice.gettext(by_place, n=size) for size in term_texts.SIZES},
        "fields": [option_field(voice.about(title), field, form.option) for field in title.option_fields({})],
        "choose": choices(session, voice, zone),
        **{key: words.names_of(voice, known) for key, known in names.items()},
    }


def _played(event: Competition | CompetitionTemplate) -> dict[str, Any]:
    return {
        "name": event.name,
        "format": event.format,
        "option": options.filled(event.title, event.options),
        **filled(event.pace, event.calendar_id),
    }


def _kept(template: CompetitionTemplate) -> dict[str, Any]:
    return _rows(("", *part) for part in template.parts if len(template.parts) > 1)


def _about(event: Competition, zone: str) -> dict[str, Any]:
    return {
        "season": event.season,
        "sign_up_from": moment_of(event.sign_up_from, zone),
        "sign_up_until": moment_of(event.sign_up_until, zone),
        **_rows((one.id, one.name, one.promoted, one.relegated) for one in event.divisions),
    }


def _rows(divisions: Iterable[tuple[object, ...]]) -> dict[str, list[str]]:
    """Return the columns of the existing divisions, followed by some empty rows."""
    rows = [*divisions, *[("",) * len(COLUMNS)] * SPARE_ROWS]
    return {name: [str(row[at]) for row in rows] for at, name in enumerate(COLUMNS)}
