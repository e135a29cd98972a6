"""The form of an event: all of its terms as fields, read from them and filled with what was typed or stands."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flask import request

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.clocks.pace import DAY, HOUR, Pace
from app.clocks.presets import COURSES, PRESETS
from app.leagues.events import FORMAT_NAMES
from app.leagues.pages import common
from app.leagues.pages.common import day_of, number_in
from app.leagues.pure.terms import (
    DRAWN_NAMES,
    FORMATS,
    ON_WIN,
    SHARES,
    TIE_BREAK_NAMES,
    TIMEOUTS,
    USUAL,
    WITHDRAWALS,
    Terms,
    WrongTerm,
)
from app.leagues.tables import Event
from app.leagues.term_words import (
    SHARE_NAMES,
    TERM_LABELS,
    TIMEOUT_NAMES,
    WITHDRAWAL_NAMES,
    names_of,
    points_in_words,
    wrong_in_words,
)
from app.lobby import options
from app.people.accounts import read_name
from app.time import calendars, paces
from app.time.pace_words import courses_in_words, presets_in_words, weekdays_in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Response
    from sqlmodel import Session

    from app.base.speech import Voice

WHOLE = (
    "rounds",
    "legs",
    "round_days",
    "appeal_days",
    "answer_days",
    "limit",
    "late_entries",
    "running",
    "groups",
    "through",
    "reach",
    "challenges",
    "rest_days",
)
POINTS = ("win", "draw", "loss", "bye", "half_bye")
RULES = {"withdrawal": WITHDRAWALS, "timeout": TIMEOUTS, "share": SHARES, "on_win": ON_WIN}
ORDERS = {"tie_breaks": TIE_BREAK_NAMES, "drawn": DRAWN_NAMES}
"""Terms that are a list of choices in order: a field for each place, `NAME.1` on, an empty one left out."""
SIZES = (3, 4, 5)
FEWEST_ROWS = 4
"""Empty rows for divisions that the form shows at least."""


def formats_of(title: Any) -> tuple[str, ...]:
    """The formats that a title can be played in."""
    found = FORMATS if title.most_seats >= 3 else tuple(name for name in FORMATS if name != "tables")
    return ("tables",) if title.least_seats > 2 else found


def read_terms() -> dict[str, Any]:
    """The terms of the form as plain data, for `app.leagues.pure.terms.read_terms` to judge."""
    form = request.form
    made: dict[str, Any] = {}
    for name in WHOLE:
        given = form.get(name, "").strip()
        if given:
            made[name] = _number(given)
    for name in POINTS:
        given = form.get(name, "").strip()
        if given:
            made[name] = _fraction(given)
    for name in RULES:
        if form.get(name):
            made[name] = form[name]
    for name in ORDERS:
        order = [given for given in _typed_order(name) if given]
        if order:
            made[name] = order
    if form.get("sizes", "").strip():
        made["sizes"] = [_number(part) for part in form["sizes"].replace(",", " ").split()]
    places = {
        str(size): [_fraction(part) for part in form[f"places.{size}"].replace(";", " ").split()]
        for size in SIZES
        if form.get(f"places.{size}", "").strip()
    }
    if places:
        made["places"] = places
    if form.get("floor", "").strip():
        made["floor"] = _number(form["floor"].strip())
    made["members_only"] = form.get("open_to") != "everybody"
    made["rated"] = form.get("rated") != "no"
    made["third_place"] = form.get("third_place") == "yes"
    return made


def _typed_order(name: str) -> list[str]:
    return [request.form.get(f"{name}.{n}", "") for n in range(1, len(ORDERS[name]) + 1)]


def _number(given: str) -> int | str:
    """A whole number; else what was typed, for the terms to refuse under their label."""
    read = whole(given)
    return given if read is None else read


MOST_MOVING = 99_999
_SIGNS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4"}


def _fraction(given: str) -> str:
    """Points as the terms are written: `½` and `2½` are understood, and a comma as the point of a decimal."""
    text = given.strip().replace(",", ".")
    if text[-1:] in _SIGNS:
        return str(Fraction(_SIGNS[text[-1]]) + (whole(text[:-1]) or 0))
    return text


def read_divisions() -> list[dict[str, Any]]:
    """The divisions of the form, the highest first; rows without a name are left out. NotAccepted."""
    made = []
    names = request.form.getlist("division.name")
    up, down = request.form.getlist("division.promoted"), request.form.getlist("division.relegated")
    ids = request.form.getlist("division.id")
    for at, name in enumerate(names):
        if not name.strip():
            continue
        moving = [(given[at].strip() if at < len(given) else "") or "0" for given in (up, down)]
        promoted, relegated = (number_in(one, MOST_MOVING) for one in moving)
        row: dict[str, Any] = {"name": name, "promoted": promoted, "relegated": relegated}
        if at < len(ids) and (known := whole(ids[at])) is not None:
            row["id"] = known
        made.append(row)
    return made


# -- what is refused ------------------------------------------------------------------------------------

_FIELDS = {
    "event.sign_up": "sign_up_until",
    "form.day": "sign_up_until",
    "event.rounds": "rounds",
    "event.format": "format",
    "event.tables": "format",
    "event.pairs": "format",
    "pace.unknown": "pace",
    "pace.days": "days",
}
"""Fields to which a refusal by its code alone belongs."""


def attempt(act: Callable[[], Response], again: Callable[[str, int, str], Response]) -> Response:
    """`common.attempt` for this form: a wrong term is called by its label, and `again` is told of its field too."""
    field = ""

    def acting() -> Response:
        nonlocal field
        try:
            return act()
        except WrongTerm as wrong:
            field = f"{wrong.key}.{wrong.part}" if wrong.part else wrong.key
            raise NotAccepted(wrong.code, wrong_in_words(wrong)) from None
        except NotAccepted as no:
            field = _name_field() if no.code.startswith("name.") else _FIELDS.get(no.code, "")
            raise

    return common.attempt(acting, lambda why, status: again(why, status, field))


def _name_field() -> str:
    """Which of the names is refused; those of divisions stand in rows."""
    name, season = request.form.get("name", ""), request.form.get("season", "")
    for field, given in (("name", name), ("season", season if season.strip() else "-")):
        try:
            read_name(given)
        except NotAccepted:
            return field
    return ""


# -- what the form shows --------------------------------------------------------------------------------


def context(session: Session, voice: Voice, title: Any, event: Event | None, zone: str) -> dict[str, Any]:
    """All that `leagues/_terms.html` needs: what was typed, else what the event has, else what is usual."""
    sent = request.method == "POST" and "name" in request.form
    about = voice.about(title)
    terms = event.terms if event else USUAL
    stands = _standing(event, terms, zone)
    form = {key: request.form.get(key, "") if sent else value for key, value in stands.items()}
    filled = _pace(event.pace if event else None, str(event.calendar_id or "") if event else "", sent)
    known = [(str(one.id), one.name) for one in calendars.every(session)]
    by_place = TERM_LABELS["places"]
    rows = read_rows() if sent else _rows(event)
    return {
        "labels": {name: voice.gettext(label) for name, label in TERM_LABELS.items()},
        "places": {size: voice.gettext(by_place, n=size) for size in SIZES},
        "title": title, "form": form, "filled": filled, "rows": rows,
        "formats": [(name, voice.gettext(FORMAT_NAMES[name])) for name in formats_of(title)],
        "orders": {name: _order(voice, name, terms, sent) for name in ORDERS},
        "withdrawals": names_of(voice, WITHDRAWAL_NAMES),
        "timeouts": names_of(voice, TIMEOUT_NAMES), "shares": names_of(voice, SHARE_NAMES), "sizes": SIZES,
        "fields": [_field(about, field, event, sent) for field in title.option_fields({})],
        "choose": {
            "presets": presets_in_words(voice), "courses": courses_in_words(voice),
            "weekdays": weekdays_in_words(voice), "calendars": known, "zone": zone,
        },
    }  # fmt: skip


def _order(voice: Voice, name: str, terms: Terms, sent: bool) -> dict[str, Any]:
    """A list in order as the form shows it: a value for each place, and the words to choose from."""
    names = ORDERS[name]
    stands = getattr(terms, name)
    chosen = _typed_order(name) if sent else [*stands, *[""] * (len(names) - len(stands))]
    return {"chosen": chosen, "values": names_of(voice, names)}


def _standing(event: Event | None, terms: Terms, zone: str) -> dict[str, str]:
    made: dict[str, str] = {name: "" if getattr(terms, name) is None else str(getattr(terms, name)) for name in WHOLE}
    made |= {name: points_in_words(getattr(terms, name)) for name in POINTS}
    made |= {name: getattr(terms, name) for name in RULES}
    made |= {f"places.{size}": " ".join(map(points_in_words, terms.places[size])) for size in SIZES}
    made["sizes"] = " ".join(map(str, terms.sizes))
    made["floor"] = "" if terms.floor is None else f"{terms.floor:g}"
    made["open_to"] = "members" if terms.members_only else "everybody"
    made["rated"] = "yes" if terms.rated else "no"
    made["third_place"] = "yes" if terms.third_place else "no"
    made["name"] = event.name if event else ""
    made["season"] = event.season if event else ""
    made["format"] = event.format if event else ""
    made["sign_up_until"] = day_of(event.sign_up_until, zone) if event else ""
    return made


def _pace(pace: Pace | None, calendar: str, sent: bool) -> dict[str, Any]:
    if sent or pace is None:
        days = request.form.get("days", "7") if sent else "7"
        return {
            "days": days, "pace": request.form.get("pace", ""), "off": request.form.getlist("pace.off"),
            **paces.filled(request.form),
        }  # fmt: skip
    named = next((one.id for one in PRESETS if one.pace == pace), "")
    course = next((one.id for one in COURSES if one.stages == pace.stages), "")
    if named:
        return {"days": "7", "pace": named, "off": [], **dict.fromkeys(paces.FIELDS, ""), "calendar": calendar}
    return {
        "days": max(pace.decision // DAY, 1), "pace": "", "off": list(pace.days_off), "calendar": calendar,
        "bank": pace.bank // DAY or "", "increment": pace.increment // DAY or "", "cap": pace.cap // DAY or "",
        "free": pace.free // HOUR or "", "hour": pace.hour or "", "zone": pace.zone if pace.zone != "UTC" else "",
        "course": course,
    }  # fmt: skip


def _field(voice: Voice, field: Any, event: Event | None, sent: bool) -> dict[str, Any]:
    """An option of the title, as the form of a new table shows it."""
    key = options.PREFIX + field.name
    stands = options.form_value(event.options[field.name]) if event and field.name in event.options else ""
    values = [(options.form_value(value), options.value_in_words(voice, value)) for value in field.values]
    known = {value for value, _ in values}
    return {
        "key": key, "label": voice.gettext(field.label), "values": values,
        "number": f"{key}.{options.ELSE}" if field.whole_number else "",
        "chosen": request.form.get(key, "") if sent else stands if stands in known else "",
        "chosen_number": request.form.get(f"{key}.{options.ELSE}", "") if sent else "" if stands in known else stands,
        "default": options.value_in_words(voice, field.default),
    }  # fmt: skip


def read_rows() -> list[dict[str, str]]:
    """The rows of divisions as they were typed."""
    columns = [request.form.getlist(f"division.{name}") for name in ("id", "name", "promoted", "relegated")]
    count = max(len(columns[1]), FEWEST_ROWS)
    padded = [[*column, *[""] * (count - len(column))] for column in columns]
    return [dict(zip(("id", "name", "promoted", "relegated"), row, strict=True)) for row in zip(*padded, strict=True)]


def _rows(event: Event | None) -> list[dict[str, str]]:
    found = [
        {"id": str(one.id), "name": one.name, "promoted": str(one.promoted), "relegated": str(one.relegated)}
        for one in (event.divisions if event else ())
    ]
    empty = max(FEWEST_ROWS - len(found), 2)
    return found + [{"id": "", "name": "", "promoted": "", "relegated": ""} for _ in range(empty)]
