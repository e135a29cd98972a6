"""Who reads this answer, as far as a request tells, and in which language and zone."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from flask import Flask, Response, current_app, g, make_response, render_template, request
from flask.globals import request_ctx

from app.base.server import Server
from app.base.words.i18n import LANGUAGES, negotiate
from app.base.words.speech import Voice
from app.games.store import SeatHolder
from app.people import accounts
from app.web.wording import environment_of
from engine.kernel.title import Title

if TYPE_CHECKING:
    from jinja2 import Environment


LANGUAGE_COOKIE = "postroad_language"
FOLLOWED = "~"
"""The prefix of a language that was not chosen: it is that of a link."""

LOOKS_COOKIE = "postroad_looks"
A_YEAR = timedelta(days=365)
THEMES, SIZES = ("light", "dark"), ("large", "larger")
"""What a browser can choose instead of the system's theme and the normal text."""


class Looks(NamedTuple):
    """How pages look in a browser; "" is as its system says."""

    theme: str
    size: str

    @property
    def kept(self) -> str:
        """As a cookie or an account keeps it: `dark.large`; "" if both are as the system says."""
        return f"{self.theme}.{self.size}".strip(".") and f"{self.theme}.{self.size}"


STRICT = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of a page that has none of its own."""
WITH_SCRIPT = (
    "default-src 'none'; style-src 'self'; script-src 'self'; worker-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""As strict as everywhere, except for the program's own scripts."""


def keep_choice(response: Response, cookie: str, value: str, lasts: timedelta | None) -> Response:
    """Store a value in this browser, for so long or until it is closed; scripts and other sites cannot read it."""
    secure = server().config.is_https
    response.set_cookie(cookie, value, max_age=lasts, httponly=True, samesite="Lax", secure=secure)
    return response


def forget_choice(response: Response, cookie: str) -> Response:
    """Remove it from this browser."""
    response.delete_cookie(cookie, httponly=True, samesite="Lax", secure=server().config.is_https)
    return response


def server() -> Server:
    """Return the server."""
    belongings: Server = current_app.extensions["postroad"]
    return belongings


def voice_of_request() -> Voice:
    """Return the voice for a reader of whom only the browser's languages are known, or what the address asks for."""
    lang, zone = language_chosen() or _language_followed(), g.get("zone_here", "UTC")
    if lang is not None:
        return Voice(lang, zone)
    asked = request.headers.get("Accept-Language")
    return Voice(negotiate(asked) if asked else server().config.language, zone)


def language_chosen() -> str | None:
    """Return the language that a page's address asks for (`?lang=fr`), or else the one chosen in this browser."""
    here = request_ctx.request  # `request` is looked up each time
    asked = here.args.get("lang") if here.query_string and here.method == "GET" else None
    if asked in LANGUAGES:
        return asked
    kept = here.cookies.get(LANGUAGE_COOKIE)
    return kept if kept in LANGUAGES else None


def looks_chosen() -> Looks:
    """Return how pages look in this browser."""
    return looks_of(request_ctx.request.cookies.get(LOOKS_COOKIE, ""))


def looks_of(kept: str) -> Looks:
    """Return what a cookie or an account keeps, without what is unknown."""
    theme, _, size = kept.partition(".")
    return Looks(theme if theme in THEMES else "", size if size in SIZES else "")


def keep_looks(response: Response, kept: str) -> Response:
    """Let this browser's pages look so."""
    return keep_choice(response, LOOKS_COOKIE, kept, A_YEAR)


def _language_followed() -> str | None:
    """Return the language of the person by whose link this browser came."""
    kept = (request.cookies.get(LANGUAGE_COOKIE) or "").removeprefix(FOLLOWED)
    return kept if kept in LANGUAGES else None


def voice_of(seated: SeatHolder, title: Title | None = None) -> Voice:
    """Return the voice for the player in the seat of this request's link."""
    g.followed = seated.language, seated.zone
    return Voice(language_chosen() or seated.language, seated.zone, title)


def wants_json() -> bool:
    """Return whether a program asks: it sends JSON, asks for a `.json`, or prefers JSON to a page."""
    if request.mimetype == "application/json" or request.path.endswith(".json"):
        return True
    if request.headers.get("Accept", "").startswith("text/html,"):
        return False  # a browser: what it prefers comes first
    accepted = request.accept_mimetypes
    return accepted["application/json"] > accepted["text/html"]


def page(name: str, voice: Voice, status: int = 200, **context: object) -> Response:
    """Render a template in this voice. `og` is what programs show of a link to it: title, text, path and picture."""
    template = templates(voice.lang).get_template(name)
    unsaid = {"me": None, "turns_again": "", "zone": None, "naming": None, "absolute": server().links.base_url}
    return make_response(render_template(template, voice=voice, **{**unsaid, **context}), status)


def without_turns(player_id: int | None, *, wants: bool) -> str:
    """Return where a player who gets no mails about turns can switch them on again; empty for one who gets them."""
    if wants or player_id is None:
        return ""
    belongings = server()
    return belongings.links.turns_again(player_id).removeprefix(belongings.links.base_url)


def zone_asked(player_id: int | None, zone: str, chosen: bool | None, back: str) -> dict[str, str] | None:
    """Return what a page needs that takes over the browser's zone (`zone.js`), for a player who has not `chosen` one
    (None: nor has a browser named one): where it is stored, the page to come back to, and the guessed zone."""
    if player_id is None or chosen:
        return None
    address = f"/zone/{server().links.sign('zone', [player_id])}"
    return {"address": address, "back": back, "guessed": "" if chosen is None else zone}


def name_asked(player_id: int | None, name: str, back: str) -> dict[str, str] | None:
    """Return what a page needs that asks a new player for a name: where it is chosen, and the page to come back to;
    None for a player who has one."""
    if player_id is None or not accounts.is_nameless(player_id, name):
        return None
    return {"address": f"/name/{server().links.sign('name', [player_id])}", "back": back}


def with_zone(response: Response, zone: dict[str, str] | None) -> Response:
    """Return a page that may run the program's own scripts if it offers the browser's zone."""
    if zone is not None:
        response.headers["Content-Security-Policy"] = WITH_SCRIPT
    return response


def templates(lang: str) -> Environment:
    """Return the templates in one language."""
    in_language: dict[str, Environment] = current_app.extensions["postroad_templates"]
    if lang not in in_language:
        in_language[lang] = environment_of(current_app.jinja_env, lang)
    return in_language[lang]


def install_translations(app: Flask) -> None:
    """Make `_()` in templates speak with the page's voice."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.extensions["postroad_templates"] = {}
