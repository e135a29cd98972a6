"""The web server: its settings, its pages and the headers of every answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from itsdangerous import URLSafeTimedSerializer
from jinja2 import ChoiceLoader, FileSystemLoader, PrefixLoader

from app.base.process.config import Config, load
from app.base.process.places import folder
from app.play.pages import private_games
from app.server.registry import open_server, register_pages
from app.titles.registry import PAGES
from app.web import errors, forms, languages, public, visit
from app.web.addresses import Address, Number, PlaceOfRound
from app.web.compiled import compile_into
from app.web.gates import request_limits, request_metrics
from app.web.gates.csrf import csrf
from app.web.gates.line import Acquaintances
from app.web.reader import STRICT, install_translations

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

    from _typeshed import OptExcInfo


class _App(Flask):
    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Nothing here is a coroutine; Flask would check each function for that, eight times per request."""
        return func

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Send every answer, whatever made it, with the headers of `guarded`."""
        is_https = self.extensions["postroad"].config.is_https

        def begin(
            status: str, headers: list[tuple[str, str]], wrong: OptExcInfo | None = None
        ) -> Callable[[bytes], object]:
            return start_response(status, guarded(headers, is_https=is_https), wrong)

        return super().wsgi_app(environ, begin)


def create_app(config: Config | None = None) -> Flask:
    """Return the WSGI app. Reads the settings itself when none are given; does not touch the database yet."""
    app = _App("app", static_folder=None)
    server = open_server(config or load())
    app.extensions["postroad"] = server
    app.extensions["postroad.acquaintances"] = Acquaintances(server)
    app.url_rule_class = Address
    app.url_map.converters["number"] = Number
    app.url_map.converters["round"] = PlaceOfRound
    app.url_map.merge_slashes = False  # it would redirect to whatever host the request names
    keys = server.config.secret_keys
    app.config.update(
        SECRET_KEY=keys[-1],
        SECRET_KEY_FALLBACKS=list(keys[:-1]),
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=server.config.is_https,
        SESSION_COOKIE_NAME="__Host-session" if server.config.is_https else "session",
        SESSION_COOKIE_PATH="/",
        WTF_CSRF_TIME_LIMIT=None,
        # The token is enough; over https the Referer check would refuse every form, since we allow none to be sent.
        WTF_CSRF_SSL_STRICT=False,
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    compile_into(app.jinja_env)
    app.jinja_loader = _templates()
    install_translations(app)
    app.session_interface = _Sessions()
    request_metrics.register(app)  # first, so that nothing is left out
    request_limits.register(app)  # before any form is read
    private_games.register(app)
    csrf.init_app(app)
    register_pages(app)
    errors.register(app)
    visit.register(app)
    public.register(app)
    languages.register(app)
    forms.register(app)
    return app


def _templates() -> ChoiceLoader:
    """Return our templates, and those of titles as `titles/ID/...`."""
    of_titles = {key: FileSystemLoader(pages.folder / "templates") for key, pages in PAGES.items() if pages.folder}
    return ChoiceLoader([FileSystemLoader(folder("templates")), PrefixLoader({"titles": PrefixLoader(of_titles)})])


HSTS = ("Strict-Transport-Security", "max-age=31536000")
NO_FRAME = "x-frame-options"
FRAMED = "frame-ancestors *"
GUARDS = [
    (name.lower(), name, value)
    for name, value in (
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Content-Security-Policy", STRICT),
        ("Cache-Control", "no-store"),
    )
]


def guarded(headers: list[tuple[str, str]], *, is_https: bool) -> list[tuple[str, str]]:
    """Return the headers of an answer with those that hold for every answer, unless it sets them itself. A link is a
    secret: it goes into no Referer and no shared cache. A page that others may embed says so in its policy."""
    said = {name.lower(): value for name, value in headers}
    if FRAMED in said.get("content-security-policy", ""):
        said[NO_FRAME] = ""
    more = [(name, value) for key, name, value in GUARDS if key not in said]
    return [*headers, *more, HSTS] if is_https else [*headers, *more]


class _Sessions(SecureCookieSessionInterface):
    """Flask's sessions, with the signer made once and not for every request."""

    def __init__(self) -> None:
        self._signer: URLSafeTimedSerializer | None = None

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        if self._signer is None:
            self._signer = super().get_signing_serializer(app)
        return self._signer

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Save as Flask does, but skip the lookups for a session that arrived empty and stays so."""
        if session or session.modified:
            super().save_session(app, session, response)
        elif session.accessed:
            response.headers.add("Vary", "Cookie")
