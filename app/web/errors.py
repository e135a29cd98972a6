"""Answers to requests that go wrong: a sentence, in the form that was asked for."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Flask, Response, current_app, g, jsonify, make_response, redirect, request
from flask.globals import request_ctx
from werkzeug.exceptions import HTTPException

from app.base.process import failures
from app.base.words.speech import Voice
from app.time import installed
from app.web import gone, reader, visit
from app.web.gates import request_limits
from app.web.reader import voice_of_request, wants_json

TRY_AGAIN_SECONDS = 10
"""After this the database may be back."""


def json_error(status: int, code: str, message: str, line: int | None = None, **more: object) -> Response:
    """Return an error for a program: `{"error": {"code", "message", "line"}}` and what else it can use."""
    response = jsonify({"error": {"code": code, "message": message, "line": line}, **more})
    response.status_code = status
    return response


def page(status: int, voice: Voice, heading: str, message: str) -> Response:
    """Return an error for a person."""
    return reader.page("message.html", voice, status, heading=heading, message=message)


def answer(status: int, code: str, heading: str, message: str, voice: Voice) -> Response:
    """Return an error, or below 400 what was done, in the requested form."""
    if not wants_json():
        return page(status, voice, heading, message)
    if status >= 400:
        return json_error(status, code, message)
    return make_response({"done": {"code": code, "message": message}}, status)


def register(app: Flask) -> None:
    """Answer every HTTP error, and unforeseen ones."""
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unforeseen)


def _http(error: HTTPException) -> Response:
    voice, status = voice_of_request(), error.code or 500
    sentences = {
        400: voice.gettext("The request could not be understood. Go back, load the page again and try again."),
        404: voice.gettext("There is nothing at this address."),
        405: voice.gettext("This page does not accept that request."),
        413: voice.gettext("That was too much at once; send less."),
        429: voice.gettext("That was too often; wait a while and try again."),
    }
    if request_ctx.url_adapter is None:  # the host name is invalid: no address can be built here, so no page
        return Response(sentences[400], 400, mimetype="text/plain")
    if status in (404, 405) and request.method in ("GET", "HEAD") and (there := gone.moved(request.path)):
        return make_response(redirect(there, 301))
    if status == 404 and (said := gone.sentence(request.path)):
        return answer(410, "http.410", voice.gettext("Taken away"), voice.gettext(said), voice)
    if status == 404 and not wants_json() and (shown := _way_on()) is not None:
        return shown
    message = sentences.get(status, voice.gettext("This did not work."))
    if isinstance(error, request_limits.NotText):
        message = voice.gettext(error.sentence)
    response = answer(status, f"http.{status}", voice.gettext("Not possible"), message, voice)
    for name, value in error.get_headers():
        if name.lower() not in ("content-type", "content-length"):
            response.headers.setdefault(name, value)
    return response


def _way_on() -> Response | None:
    """Return the page for an address that leads nowhere, with the menu and ways that work; None if the request has no
    reader."""
    try:
        return visit.show("web/missing.html", 404)
    except Exception as error:
        if failures.is_of_the_database(error):
            return None
        raise


def _unforeseen(error: Exception) -> Response:
    if failures.is_of_the_database(error):
        return _database_away(error)
    current_app.logger.exception("a request failed")
    voice = voice_of_request()
    message = voice.gettext("Something went wrong here. Nothing was lost; try again in a moment.")
    # A page that others look at stops no clock.
    if request.path.startswith("/t/") and installed.break_off(reader.server().database, error, datetime.now(UTC)):
        message = voice.gettext(
            "The rules of this game have failed. The operators know, and its clock stands until that is mended."
        )
    return answer(500, "internal", voice.gettext("Not possible"), message, voice)


def _database_away(error: Exception) -> Response:
    """Answer that the database is gone, full or locked. Nothing here uses it."""
    reader.server().database.failures.meet(error, datetime.now(UTC))
    current_app.logger.error("a request met a database that fails: %s", failures.in_one_line(error))
    me = g.get("person")
    voice = Voice(me.language, me.zone) if me else voice_of_request()
    message = voice.gettext(
        "The server cannot read or write its games at the moment. Try again in a minute; if you have just sent "
        "something, look first whether it has arrived."
    )
    response = answer(503, "database.away", voice.gettext("Please try again in a minute"), message, voice)
    response.headers["Retry-After"] = str(TRY_AGAIN_SECONDS)
    return response
