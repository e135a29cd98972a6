"""The limits of a request: how large it may be, checked before it is parsed, and nothing that no text can contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from flask import Flask, Request, request
from flask.globals import request_ctx
from werkzeug.datastructures import ImmutableMultiDict, MultiDict, iter_multi_items
from werkzeug.exceptions import BadRequest, NotFound, RequestEntityTooLarge
from werkzeug.sansio.http import parse_cookie
from werkzeug.utils import cached_property

from app.base.words.texts import said
from engine.kernel.text import N_

KIB = 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a kind of route accepts."""

    size: int
    """Bytes of the body. More than what is accepted, so that too long a text comes back with a sentence about it."""
    fields: int


SMALL = Limits(32 * KIB, 100)
"""What people send who are not signed in."""
FORM = Limits(1024 * KIB, 1_000)
"""Room for long texts, however they are encoded."""
TURN = Limits(8 * 1024 * KIB, 2_000)
"""A million letters of orders still come back on their page with the reason."""
JSON_SIZE = 64 * KIB
"""What a program sends, whatever the route takes from people: orders have at most ten thousand letters."""
LEAGUE = Limits(4 * 1024 * KIB, 10_000)
"""Lists of two thousand members; forms with some fields for everybody in an event."""

_BY_ENDPOINT = {
    "turn.play": TURN,
    **dict.fromkeys(
        ("turn.press", "people.ask_link", "people.sign_in", "people.confirm_address"),
        SMALL,
    ),
    **dict.fromkeys(("home.start", "people.sign_out", "unsubscribe.stop", "time.leave_now", "ledger.confirm"), SMALL),
}
_BY_BLUEPRINT = dict.fromkeys(("clubs", "events", "desk"), LEAGUE)


V = TypeVar("V")


class CleanFields(ImmutableMultiDict[str, V]):
    """All arguments and fields of a request."""

    def __init__(
        self, given: MultiDict[str, V] | Mapping[str, V | list[V]] | Iterable[tuple[str, V]] | None = None
    ) -> None:
        pairs: Iterable[tuple[str, Any]] = iter_multi_items(given) if given is not None else ()
        texts: list[tuple[str, Any]] = [
            (said(n), said(value) if isinstance(value, str) else value) for n, value in pairs
        ]
        super().__init__(texts)


class Intake(Request):
    """A request whose texts can be shown again."""

    parameter_storage_class = CleanFields

    @cached_property
    def form(self) -> ImmutableMultiDict[str, str]:
        """The fields of the form that was sent, by a program as JSON: texts, numbers, and `true` for a tick."""
        if self.mimetype != "application/json":
            return super().form
        sent = (json_object() or {}).items()
        values = ((name, one) for name, value in sent for one in (value if isinstance(value, list) else [value]))
        fields = [(name, "yes" if value is True else str(value)) for name, value in values]
        if any("\0" in text for pair in fields for text in pair):
            raise NotText
        return CleanFields([(name, text.encode(errors="replace").decode()) for name, text in fields])

    @cached_property
    def cookies(self) -> ImmutableMultiDict[str, str]:
        """The cookies of one header, into which a server joins several: Werkzeug searches all headers for more."""
        return parse_cookie(self.environ.get("HTTP_COOKIE"), self.dict_storage_class)  # type: ignore[return-value]


class NotText(BadRequest):
    """The request contains text that cannot be decoded."""

    sentence = N_("What was sent holds a null character, which no text has. Take it out and send it again.")


def limits_of(endpoint: str | None) -> Limits:
    """Return what a route accepts; an address that leads nowhere accepts little."""
    if endpoint is None:
        return SMALL
    return _BY_ENDPOINT.get(endpoint) or _BY_BLUEPRINT.get(endpoint.partition(".")[0], FORM)


def register(app: Flask) -> None:
    """Check every request first: 413 for too much, 400 for null characters, 404 if the address has one."""
    app.request_class = Intake
    app.before_request(_look)


def _look() -> None:
    asked = request_ctx.request  # `request` is looked up each time
    limits = limits_of(asked.endpoint)
    size = min(limits.size, JSON_SIZE) if asked.mimetype == "application/json" else limits.size
    asked.max_content_length = asked.max_form_memory_size = size
    asked.max_form_parts = limits.fields
    if "\0" in asked.path:
        raise NotFound
    if asked.query_string and any("\0" in text for pair in asked.args.items(multi=True) for text in pair):
        raise NotText
    if asked.method not in ("POST", "PUT", "PATCH"):
        return
    if (asked.content_length or 0) > size:
        raise RequestEntityTooLarge
    if asked.mimetype == "application/x-www-form-urlencoded":
        # Parsing costs a hundred times as much as this: a microsecond or two for each field.
        body = asked.get_data()
        if body.count(b"&") >= limits.fields:
            raise RequestEntityTooLarge
        if b"%00" in body or b"\0" in body:
            raise NotText
    elif asked.mimetype == "multipart/form-data":
        names = ((name, file.filename or "") for name, file in asked.files.items(multi=True))
        if any("\0" in text for pairs in (asked.form.items(multi=True), names) for pair in pairs for text in pair):
            raise NotText


def json_object() -> dict[str, Any] | None:
    """Return the JSON object that was sent; None for anything else, however deep or long."""
    try:
        body = request.get_json(silent=True)
    except RecursionError:
        return None
    return body if isinstance(body, dict) else None
