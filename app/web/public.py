"""What everybody may read, also from other sites: compressed, kept by clients, and asked for again by its tag."""

from __future__ import annotations

import gzip
from collections.abc import Callable

from flask import Flask, Response, current_app, request

from app.web import visit

WORTH_COMPRESSING = 1000
"""Bytes; less fits into one packet anyway."""


OTHER_SITES = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag",
    "Access-Control-Allow-Headers": "If-None-Match",
}


def public(view: Callable[..., Response]) -> Callable[..., Response]:
    """Let anybody keep what a view sends (its `max_age` says how long they need not ask again), and pages of other
    sites read it, which may ask first (`OPTIONS`) and learn of a 404. A reader who is signed in gets it as it is: their
    own rights may show them more than others."""
    view.is_public = True  # type: ignore[attr-defined]
    return view


def register(app: Flask) -> None:
    """Send so what is public."""
    app.after_request(_sent)


def _sent(response: Response) -> Response:
    view = current_app.view_functions.get(request.endpoint or "")
    if not getattr(view, "is_public", False) or response.status_code not in (200, 404, 429, 503):
        return response
    if visit.secret() is not None:
        response.headers["Cache-Control"] = "no-store"
        return response
    response.headers.extend(OTHER_SITES)
    if response.status_code != 200 or request.method == "OPTIONS":
        return response
    seconds = response.cache_control.max_age
    response.headers["Cache-Control"] = f"public, max-age={seconds}" if seconds else "public, no-cache"
    response.vary.add("Accept-Encoding")
    response.add_etag(weak=True)
    response.make_conditional(request)
    body = response.get_data() if response.status_code == 200 and response.mimetype != "image/png" else b""
    if len(body) > WORTH_COMPRESSING and request.accept_encodings["gzip"]:
        response.set_data(gzip.compress(body, mtime=0))
        response.content_encoding = "gzip"
    return response
