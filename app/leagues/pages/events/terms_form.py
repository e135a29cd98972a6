"""The form of an event: its terms as they are typed, and all that is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import PrivateAttr, create_model
from sqlmodel import Session
from werkzeug.datastructures import MultiDict

from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted, together
from app.base.words.texts import read_date
from app.clocks.pace import DEFAULT
from app.leagues.events import lifecycle
from app.leagues.events import term_words as words
from app.leagues.events.lifecycle import NewEvent
from app.leagues.pages.common import Moving, end_of_day, read_moment
from app.leagues.pages.events import kinds, term_texts
from app.leagues.pure import terms as pure
from app.leagues.pure.term_kinds import WrongTerm
from app.lobby import options
from app.lobby.pages.pace_form import PaceForm
from app.people.accounts import read_label
from app.web import visit
from app.web.forms import Field, Reads, Typed
from engine.kernel.refusals import Refusal
from engine.kernel.text import N_
from engine.kernel.title import Title

T = TypeVar("T")
COLUMNS = ("division_id", "division_name", "promoted", "relegated")
"""The columns of a row for a division."""
MOVING = 2
"""How many go up and down between divisions of which only the number was given."""
Name = Annotated[str, Reads(read_label)]


class CompetitionForm(PaceForm):
    """An event without its terms. Fields that cannot be read are noted, to be named together with all other faults."""

    marks: ClassVar = {
        **PaceForm.marks,
        **dict.fromkeys(("event.format", "event.tables", "event.pairs"), "format"),
        **dict.fromkeys(("event.divisions", "event.moving", "event.division_twice", "name"), "division_name"),
        "event.rounds": "rounds",
        "event.boards": "boards",
        "event.division_teams": "boards",
        "event.autopilot": "autopilot",
        "event.sign_up_from": "sign_up_from",
        "event.sign_up": "sign_up_until",
        "form.opens": "sign_up_from",
        "form.closes": "sign_up_until",
    }
    _unread: list[NotAccepted] = PrivateAttr(default_factory=list)

    title: Typed = ""
    kind: Typed = ""
    do: Typed = ""
    name: Typed = Field("", title=N_("Name of the event"))
    season: Name = Field("", title=N_("Season, such as 2027"))
    format: Typed = Field("", title=N_("Format"))
    recipe: Typed = Field("", title=pure.TERMS["tie_breaks"].label)
    sign_up_from: Typed = Field("", title=N_("Autopilot: sign-up opens (date and hour)"))
    sign_up_until: Typed = Field("", title=N_("Sign-up closes (date and hour)"))
    parts: Typed = Field("", title=N_("How many divisions, without names of their own"))
    division_id: list[str] = Field(alias="division.id")
    division_name: list[str] = Field(alias="division.name")
    promoted: list[Moving] = Field(alias="division.promoted")
    relegated: list[Moving] = Field(alias="division.relegated")
    option: dict[str, str]

    @classmethod
    def of(cls, sent: MultiDict[str, str]) -> Self:
        """Read what was sent; what cannot be read has its default, and is noted."""
        try:
            return super().of(sent)
        except NotAccepted as no:
            faults = [no, *no.others]
            wrong = {cls.model_fields[one.field].alias or one.field for one in faults}
            kept = MultiDict([(key, text) for key, text in sent.items(multi=True) if key not in wrong])
            made = super().of(kept)
            made._unread.extend(faults)
            return made

    def draft(self, session: Session, title: Title, zone: str, stands: pure.Terms | None = None) -> NewEvent:
        """What `lifecycle.make` takes, and `lifecycle.change` what of it can be changed; `stands` are the terms of an
        event that is changed, of which those that its form does not show stay.

        Raises NotAccepted with all that is wrong.
        """
        wrong, now = list(self._unread), visit.now()

        def got(field: str, read: Callable[[], T], otherwise: T) -> T:
            try:
                return read()
            except Refusal as no:
                wrong.append(_named(no, field))
                return otherwise

        terms, bad = self.readable(stands)
        wrong += bad
        made = NewEvent(
            name=got("name", lambda: read_label(self.name), "?"),
            season=self.season,
            sign_up_from=got("sign_up_from", lambda: read_moment(self.sign_up_from, zone, code="form.opens"), None),
            sign_up_until=got("sign_up_until", lambda: end_of_sign_up(self.sign_up_until, zone), None),
            options=got("option", lambda: options.read(title, self.option), {}),
            pace=got("", lambda: self.described(zone), DEFAULT),
            terms=pure.write_terms(terms),
            title_id=title.id,
            format=self.format,
            divisions=self.divisions(),
        )
        got("division_name", lambda: lifecycle.read_divisions(self._levels(), made.name), None)
        if stands is None:
            wrong += [_named(no, "") for no in lifecycle.faults(made, terms, now)]
        if wrong:
            raise together(_each_once(wrong, type(self)))
        return made

    def readable(self, stands: pure.Terms | None = None) -> tuple[pure.Terms, list[NotAccepted]]:
        """Return the terms, those that are wrong at their usual value, and what is wrong with these."""
        typed = term_texts.read(vars(self))
        if stands is not None:
            shown = {name for group in kinds.fields_of(self.kind_of(), self.format).values() for name in group}
            typed = {key: one for key, one in pure.write_terms(stands).items() if key not in shown} | typed
        made, wrong = {}, []
        for key, value in typed.items():
            try:
                pure.read_terms({key: value})
                made[key] = value
            except WrongTerm as no:
                wrong.append(no)
        terms = pure.read_terms(made)
        wrong += pure.contradictions(terms)
        return terms, [_by_label(no) for no in wrong]

    def kind_of(self) -> str:
        """Return the kind of the event that was sent."""
        sent = kinds.KINDS.get(self.kind)
        return self.kind if sent else kinds.of(self.format, teams=bool(term_texts.read(vars(self)).get("boards")))

    def _levels(self) -> list[dict[str, Any]]:
        return [{**row, "level": at} for at, row in enumerate(self.divisions(), 1)]

    def divisions(self) -> list[dict[str, Any]]:
        """Return the divisions, highest first; rows without a name are left out. If there are none, as many as were
        asked for."""
        rows = zip_longest(self.division_id, self.division_name, self.promoted, self.relegated)
        named = [
            {"name": name, "promoted": up or 0, "relegated": down or 0} | ({"id": whole(known)} if known else {})
            for known, name, up, down in rows
            if name and name.strip()
        ]
        many = whole(self.parts, most=lifecycle.MOST_DIVISIONS) or 0
        if named or many < 2:
            return named
        return [
            {
                "name": visit.voice().gettext("Division {n}", n=n),
                "promoted": MOVING if n > 1 else 0,
                "relegated": MOVING if n < many else 0,
            }
            for n in range(1, many + 1)
        ]


def _named(no: Refusal, field: str) -> NotAccepted:
    """Return a refusal under its field; one with a field of its own keeps it."""
    found = no if isinstance(no, NotAccepted) else NotAccepted(no.code, no.why)
    found.field = found.field or field
    return found


def _by_label(wrong: WrongTerm) -> NotAccepted:
    """Return what is wrong with a term, by its label."""
    return _named(
        NotAccepted(wrong.code, words.wrong_in_words(wrong)),
        f"{wrong.key}_{wrong.part}" if wrong.part else wrong.key,
    )


def _each_once(wrong: Sequence[NotAccepted], form: type[CompetitionForm]) -> list[NotAccepted]:
    """Return the first fault of each field."""
    found: dict[str, NotAccepted] = {}
    for no in wrong:
        found.setdefault(form.field_of(no) or no.code, no)
    return list(found.values())


_TYPES: dict[str, tuple[Any, dict[str, Any]]] = {"order": (dict[str, str], {}), "dates": (list[str], {})}
_TERMS: dict[str, Any] = {f"places_{size}": (str, Field("", alias=f"places.{size}")) for size in term_texts.SIZES}
for _name, _term in term_texts.TERMS.items():
    _type, _default = _TYPES.get(_term.kind.name, (str, {"default": ""}))
    _TERMS[_name] = (_type, Field(**_default, title=_term.label, alias="open_to" if _name == "members_only" else None))
TermsForm = create_model("TermsForm", __base__=CompetitionForm, **_TERMS)
"""An event with a field for each of its terms, as typed: `app.leagues.pure.terms` checks them."""


def end_of_sign_up(given: str, zone: str) -> datetime | None:
    """Return when sign-up closes; a day without an hour includes that day. Raises NotAccepted."""
    read = read_date(given)
    if read is not None and read[1] is None:
        return end_of_day(read[0], zone)
    return read_moment(given, zone, code="form.closes")
