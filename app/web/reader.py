"""Who reads this answer, as far as a request tells, and how they want it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Response, current_app, g, make_response, render_template, request

from app.i18n import negotiate
from app.speech import Voice

if TYPE_CHECKING:
    from app.house import House
    from app.store import Seated


def house() -> House:
    """The server's belongings."""
    belongings: House = current_app.extensions["postroad"]
    return belongings


def voice_of_request() -> Voice:
    """The voice for somebody of whom nothing is known but the browser's languages."""
    asked = request.headers.get("Accept-Language")
    return Voice(negotiate(asked) if asked else house().config.language)


def voice_of(seated: Seated, title: Any = None) -> Voice:
    """The voice for who sits in a seat."""
    return Voice(seated.language, seated.zone, title)


def wants_json() -> bool:
    """Whether a program asks: it sends JSON, or accepts JSON rather than a page."""
    if request.mimetype == "application/json":
        return True
    accepted = request.accept_mimetypes
    return accepted["application/json"] > accepted["text/html"]


def page(name: str, voice: Voice, status: int = 200, **context: Any) -> Response:
    """A template said in this voice."""
    g.voice = voice
    return make_response(render_template(name, voice=voice, **context), status)


def install_translations(environment: Any) -> None:
    """`_()` in templates speaks with the voice of the page."""
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(
        lambda message: g.voice.gettext(message),
        lambda one, many, n: g.voice.ngettext(one, many, n),
        newstyle=True,
    )
