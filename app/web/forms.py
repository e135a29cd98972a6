"""User input: a form is a class with typed fields, and its view is three lines.

    class LeaveForm(Form):
        days: Annotated[int, Count(1, 366)] = Field(7, title=N_("Days; today is the first one"))

    @blueprint.post("/account/leave")
    @answers(LeaveForm, again=own_time)
    def begin_leave(form: LeaveForm) -> Response:
        leave.start_now(server().database, need_person().id, form.days, now=now())
        return on_to(".own_time", "leave-taken")

`again` is the view that shows the page with the form. When the form or the service refuses, it shows the page once
more, and `LeaveForm.shown()` gives it what was typed. Things that are not there, roles and links that have ended are
pages of their own. See docs/developers.md, "Add a form".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import wraps
from inspect import signature
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Concatenate,
    Literal,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    get_origin,
    overload,
)

from flask import Flask, Response, current_app, flash, g, make_response, redirect, request, url_for
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic import Field as Field
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError
from werkzeug.datastructures import MultiDict

from app.base.process.logs import access
from app.base.words.numbers import LARGEST, whole
from app.base.words.refusals import FormExpired, NotAccepted, NotAllowed, TooOften, together
from app.base.words.texts import not_too_long, read_date
from app.web import visit
from app.web.errors import json_error
from app.web.gates.csrf import CSRFError
from app.web.reader import wants_json
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

P = ParamSpec("P")
F = TypeVar("F", bound="Form")
Sent = MultiDict[str, str]
SHOWN_AGAIN = frozenset((400, 409, 422, 429))
"""Refusals that belong to a form, which comes back; any other has a page of its own."""

# -- the types of fields ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Says:
    """A field's message for everything that it does not accept: `Annotated[int, Count(most=9), Says("seat.place", …)]`.
    The text may name what was typed, `{given}`."""

    code: str
    why: Text

    def refusal(self, given: object) -> NotAccepted:
        """Return the refusal of what was typed."""
        return NotAccepted(self.code, Text(self.why.template, **self.why.values, given=str(given)[:20]))


def Reads(read: Callable[[str], object]) -> BeforeValidator:
    """Return a field type that is read from the typed text; what `read` refuses becomes pydantic's error."""

    def validate(given: object) -> object:
        if not isinstance(given, str):
            return given  # a form made by code
        try:
            return read(given)
        except NotAccepted as no:
            raise PydanticCustomError("refused", "{code}", {"code": no.code, "refused": no}) from None

    return BeforeValidator(validate)


def Count(least: int = 0, most: int = LARGEST) -> BeforeValidator:
    """Return the field type of a whole number from `least` to `most`."""
    return Reads(lambda given: read_count(given, least, most))


def read_count(given: str, least: int = 0, most: int = LARGEST) -> int:
    """Read the same from a text. Raises NotAccepted."""
    number = whole(given, most, least)
    if number is not None:
        return number
    short = given.strip()[:20]
    if (least, most) == (0, LARGEST):
        raise NotAccepted("form.number", Text("“{given}” is not a whole number (0 or more).", given=short))
    said = Text("“{given}” is not a whole number from {least} to {most}.", given=short, least=least, most=most)
    raise NotAccepted("form.number", said)


def Numbers(most: int = LARGEST) -> BeforeValidator:
    """Return the field type of several whole numbers in one field, such as `3, 4 7`: `Annotated[Sequence[int],
    Numbers()]`."""

    def read(given: str) -> list[int]:
        numbers = [whole(part, most) for part in given.replace(",", " ").split()]
        if None in numbers:
            raise NotAccepted("form.numbers", Text("Write whole numbers with commas between them, such as 3, 5."))
        return [number for number in numbers if number is not None]

    return Reads(read)


def Line(longest: int) -> BeforeValidator:
    """Return the field type of one line of text without control characters; several spaces become one."""
    return Reads(lambda given: not_too_long(" ".join("".join(filter(_is_said, given)).split()), longest))


def Lines(longest: int) -> BeforeValidator:
    """Return the field type of a text of several lines, without empty ones around it."""
    return Reads(lambda given: not_too_long("\n".join(given.splitlines()).strip(), longest))


def _is_said(character: str) -> bool:
    return character.isprintable() or character.isspace()


def _day(given: str) -> date:
    read = read_date(given)
    if read is None or read[1] is not None:
        raise NotAccepted("form.day", Text("“{given}” is not a date such as 2026-12-24.", given=given[:20]))
    return read[0]


Id = Annotated[int, Count()]
"""The number of a row."""
Ids = list[Id]
"""Several of them, each under the same name."""
Day = Annotated[date, Reads(_day)]
"""A day such as 2026-12-24; `Day | None = None` if it may stay empty."""
Tick = bool
"""A box that is ticked."""
Typed = str
"""A text as it was typed, for a service that judges it."""
LocalPath = Annotated[str, Reads(visit.local_path)]
"""A path of this server to continue to; any other becomes `/games`."""


# -- a form -------------------------------------------------------------------------------------------


class Form(BaseModel):
    """The fields of a form, read once and then typed.

    An empty field has its default. A field without a default has to be filled in. Several choices of one name are a
    `list`; `prices: dict[str, str]` reads the fields `prices.NAME`. `Literal` and `StrEnum` accept what they list.
    """

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    marks: ClassVar[Mapping[str, str]] = {}
    """The field to which a refusal of the service belongs, by its code or the first part of it; those that begin like a
    field, such as `zone.unknown`, belong to it anyway."""

    @classmethod
    def read(cls) -> Self:
        """Return the form of this request. NotAccepted with the sentence of the first wrong field."""
        return cls.of(request.form)

    @classmethod
    def of(cls, sent: Sent) -> Self:
        """Return the same from data sent in another way."""
        given = {_key(name, field): _found(name, field, sent) for name, field in cls.model_fields.items()}
        try:
            return cls.model_validate({key: value for key, value in given.items() if value is not None})
        except ValidationError as no:
            raise together([cls._refusal(one) for one in no.errors(include_url=False)]) from None

    @classmethod
    def _refusal(cls, first: ErrorDetails) -> NotAccepted:
        key = first["loc"][0]
        name, field = next((name, field) for name, field in cls.model_fields.items() if key in (name, field.alias))
        says = next((one for one in field.metadata if isinstance(one, Says)), None)
        if says is not None:
            no = says.refusal(first["input"])
        elif first["type"] == "refused":
            no = cast("NotAccepted", first["ctx"]["refused"])
        else:
            no = NotAccepted("form.choice", Text("Choose one of what is offered."))
        no.field = name
        return no

    @classmethod
    def shown(cls, **now: object) -> ShownForm:
        """Return the form for its page: what was typed if it comes back, else `now`, else the defaults."""
        refused = visit.refused()
        if refused is None or refused.form is not cls:
            return ShownForm(cls, {name: now.get(name, _usual(field)) for name, field in cls.model_fields.items()})
        typed = {name: _found(name, field, request.form) for name, field in cls.model_fields.items()}
        said = dict([(refused.field, refused.said), *refused.faults])
        return ShownForm(cls, {name: "" if value is None else value for name, value in typed.items()}, said)

    @classmethod
    def typed(cls) -> Self | None:
        """Return the form that comes back, if readable; None on a page that is opened, or comes back for another."""
        refused = visit.refused()
        try:
            return cls.read() if refused is not None and refused.form is cls else None
        except NotAccepted:
            return None

    @classmethod
    def field_of(cls, no: Refusal) -> str:
        """Return the field that a refusal belongs to; empty for none."""
        subject = no.code.partition(".")[0]
        field = getattr(no, "field", "") or cls.marks.get(no.code, cls.marks.get(subject, subject))
        return field if field in cls.model_fields else ""


class SureForm(Form):
    """A box to tick, for irreversible actions of a mailed link: programs open such links and press the first button."""

    sure: Annotated[
        Literal["yes"], Says("sure.none", Text("Nothing has been done yet: tick the box, and press the button again."))
    ]


class ShownForm:
    """A form as its template shows it: `form.days` is what stands in the field, `form.about("days")` gives the rest."""

    def __init__(self, form: type[Form], values: Mapping[str, object], wrong: Mapping[str, str] | None = None) -> None:
        self._form, self._values, self._wrong = form, values, wrong or {}

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  the form's class says the type of each field
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(name) from None

    def about(self, name: str) -> dict[str, object]:
        """Return key, value, label, hint and what is wrong, if anything, for the macro `field` of `forms.html`."""
        field = self._form.model_fields[name]
        return {
            "key": _key(name, field),
            "value": self._values[name],
            "label": field.title or "",
            "hint": field.description or "",
            "wrong": self._wrong.get(name, ""),
        }


def _key(name: str, field: FieldInfo) -> str:
    return field.alias or name


def _found(name: str, field: FieldInfo, sent: Sent) -> object:
    """Return what was sent for a field, None if its default holds."""
    key, kind = _key(name, field), get_origin(field.annotation) or field.annotation
    if kind is bool:
        return key in sent
    if kind is dict:
        return {other.removeprefix(f"{key}."): text for other, text in sent.items() if other.startswith(f"{key}.")}
    given = sent.getlist(key)
    if kind in (list, tuple):
        return given
    if field.is_required() or any(text.strip() for text in given):
        return given[0] if given else ""
    return None


def _usual(field: FieldInfo) -> object:
    """Return the contents of a field that nobody has filled in."""
    usual = None if field.is_required() else field.get_default(call_default_factory=True)
    kind = get_origin(field.annotation) or field.annotation
    return usual if usual is not None else kind() if kind in (list, dict) else ""


def sent() -> Sent:
    """Return the form of this request, for fields whose names are made from data."""
    return request.form


# -- a view -------------------------------------------------------------------------------------------

Page = Callable[..., Response]


@overload
def answers(
    *, again: Page, where: str = ..., anyone: bool = ...
) -> Callable[[Callable[P, Response]], Callable[P, Response]]: ...
@overload
def answers(
    form: type[F], *, again: Page, where: str = ..., anyone: bool = ...
) -> Callable[[Callable[Concatenate[F, P], Response]], Callable[P, Response]]: ...
def answers(
    form: type[Form] | None = None, *, again: Page, where: str = "", anyone: bool = False
) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """Decorate a view that does something: it gets the form as its first argument, and its refusals become answers.

    `again` shows the page again, with the refusal as `error` and with `where`, the part of the page that it belongs to.
    It gets those of the view's arguments that it also has. `anyone`: a form also for people who are not signed in; any
    other form without its token leads them to the sign-in.
    """
    taken = signature(again).parameters

    def decorate(view: Callable[..., Response]) -> Callable[..., Response]:
        def show_again(no: Refusal, status: int, values: Mapping[str, object]) -> Response:
            if wants_json():
                return json_error(status, no.code, _sentence(no))
            field = form.field_of(no) if form is not None else ""
            faults = _faults(no, form)
            g.refused = visit.FormRefusal(no, _sentence(no), status, field, where, form, faults)
            try:
                page = make_response(again(**{name: value for name, value in values.items() if name in taken}))
            except NotAccepted:  # the page no longer exists
                if not isinstance(no, TooOften):
                    raise
                return _alone(no)
            if page.status_code == 200:
                page.status_code = status
            return page

        @wraps(view)
        def answered(**values: object) -> Response:
            try:
                return view(**values) if form is None else view(form.read(), **values)
            except Refusal as no:
                status = getattr(no, "status", NotAccepted.status)
                if status not in SHOWN_AGAIN:
                    raise
                return show_again(no, status, values)

        answered.__dict__.update(form=form, show_again=show_again, anyone=anyone)
        return answered

    return decorate


def on_to(endpoint: str, said: str = "", /, *, _anchor: str | None = None, **values: object) -> Response:
    """Redirect to a page, which tells what was done (`said()` in its template); `_anchor="x"` is a part of it."""
    if said:
        flash(said)
    return make_response(
        redirect(url_for(endpoint, _anchor=_anchor, _method=None, _scheme=None, _external=None, **values), 303)
    )


def typed_again(form: type[Form], page: Page, **values: object) -> Response:
    """Show the page of a form with what was typed, though nothing is wrong with it: only a part of it was kept."""
    no = NotAccepted("form.kept", Text("Choose one of what is offered."))
    g.refused = visit.FormRefusal(no, "", 200, "", "", form)
    return page(**values)


def _faults(no: Refusal, form: type[Form] | None) -> list[tuple[str, str]]:
    """Return each wrong field of a form with its sentence, if there are several."""
    others = getattr(no, "others", ())
    if form is None or not others:
        return []
    said: dict[str, str] = {}
    for one in (no, *others):
        said.setdefault(form.field_of(one) or one.code, _sentence(one))
    return list(said.items())


def _sentence(no: Refusal) -> str:
    voice = visit.voice()
    if isinstance(no, TooOften) and not no.is_explained:
        return voice.gettext("Too many attempts. Try again after {moment}.", moment=voice.moment(no.again_at))
    return voice.say(no.why)


# -- what is refused everywhere -----------------------------------------------------------------------


def _expired(_: CSRFError) -> Response:
    """Show the form again, filled as it was sent; or redirect to the sign-in if the reader is no longer signed in but
    must be."""
    no = FormExpired("form.token", Text("This form has expired, or your browser blocks cookies. Please send it again."))
    view = current_app.view_functions[request.endpoint or ""]
    try:
        if not getattr(view, "anyone", False):
            visit.need_person()
        show_again = getattr(view, "show_again", None)
        page: Response = show_again(no, no.status, request.view_args or {}) if show_again else _alone(no)
    except Exception as other:  # Flask does not look for the handler of what a handler raises
        page = make_response(current_app.handle_user_exception(other))
    return page


def _alone(no: NotAccepted) -> Response:
    """Show a page with the sentence, for refusals without a form that comes back."""
    if no.status == NotAllowed.status:
        me = visit.person()
        access.warning("player %s is kept out of %s: %s", me.id if me else "-", request.endpoint, no.code)
    if wants_json():
        return json_error(no.status, no.code, _sentence(no))
    return visit.message(no.status, visit.voice().gettext(no.heading), _sentence(no), game_id=no.game_id)


def register(app: Flask) -> None:
    """Answer refusals outside of forms, and forms without their token."""
    app.register_error_handler(NotAccepted, _alone)
    app.register_error_handler(CSRFError, _expired)
