"""What everybody may read, also from other sites: compressed, kept by clients, and asked for again by its tag."""

from __future__ import annotations

import gzip

from flask import Response, request

from app.web import visit

WORTH_COMPRESSING = 1000
"""Bytes; less fits into one packet anyway."""


def public(response: Response, seconds: int = 0) -> Response:
    """Return an answer that anybody may keep, or 304 if the client has it already; for so many seconds it need not ask
    again. A reader who is signed in gets it as it is: their own rights may show them more than others."""
    if visit.secret() is not None:
        return response
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cache-Control"] = f"public, max-age={seconds}" if seconds else "public, no-cache"
    response.vary.add("Accept-Encoding")
    response.add_etag(weak=True)
    response.make_conditional(request)
    body = response.get_data() if response.status_code == 200 and response.mimetype != "image/png" else b""
    if len(body) > WORTH_COMPRESSING and request.accept_encodings["gzip"]:
        response.set_data(gzip.compress(body, mtime=0))
        response.content_encoding = "gzip"
    return response
