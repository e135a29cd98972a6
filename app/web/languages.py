"""The language of a page: the switch at its foot, and what a browser remembers of it.

The sources, in order: the address (`?lang=fr`), the choice in this browser, the owner of the page's link, the signed-in
player, the owner of the link by which this browser came, the languages of the browser. A choice is stored in a cookie;
mails use the language of the account.
"""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Blueprint, Flask, Response, abort, make_response, redirect, request
from werkzeug.urls import iri_to_uri

from app.base.words.i18n import LANGUAGES
from app.web import reader, visit

blueprint = Blueprint("languages", __name__)

LANGUAGE_NAMES = {"en": "English", "fr": "Français", "es": "Español", "it": "Italiano"}


@blueprint.app_template_global()
def language_switch() -> list[tuple[str, str]]:
    """Return all languages by code and name."""
    return [(code, LANGUAGE_NAMES[code]) for code in LANGUAGES]


@blueprint.app_template_global()
def this_page() -> str:
    """Return the address of this page, to come back to; that of the front page if it has none of its own."""
    if request.method == "GET":
        again = [(name, value) for name, value in request.args.items(multi=True) if name != "lang"]
        return visit.local_path(_with(request.path, again), "/")
    return visit.local_path(request.path, "/") if visit.is_page(request.path) else "/"


def _with(path: str, arguments: list[tuple[str, str]]) -> str:
    return iri_to_uri(path) + (f"?{urlencode(arguments)}" if arguments else "")


@blueprint.get("/language")
def choose() -> Response:
    """Store the chosen language in this browser, and go back."""
    code = request.args.get("to")
    if code not in LANGUAGES:
        abort(404)
    response = make_response(redirect(visit.local_path(request.args.get("back"), "/"), 303))
    return reader.keep_choice(response, reader.LANGUAGE_COOKIE, code, reader.A_YEAR)


def forget(response: Response) -> Response:
    """Let the language of the account apply again."""
    return reader.forget_choice(response, reader.LANGUAGE_COOKIE)


def register(app: Flask) -> None:
    """Let readers who come by a link continue in the language of its owner."""

    def read_on(response: Response) -> Response:
        them = visit.followed()
        if them is None or visit.secret() or response.mimetype != "text/html":
            return response
        kept = request.cookies.get(reader.LANGUAGE_COOKIE)
        if kept in LANGUAGES or kept == reader.FOLLOWED + them[0]:
            return response
        return reader.keep_choice(response, reader.LANGUAGE_COOKIE, reader.FOLLOWED + them[0], None)

    app.after_request(read_on)
