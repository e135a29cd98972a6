"""How long requests take in this process, and how they end."""

from __future__ import annotations

from time import perf_counter

from flask import Flask, Response
from flask.globals import request_ctx
from prometheus_client import Histogram

from app.base.stored.process_metrics import HERE

REQUESTS = Histogram(
    "postroad_request_seconds",
    "Requests of this process; status 4xx are refusals, 5xx errors.",
    ["part", "method", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=HERE,
)
_BEGUN = "postroad.begun"
_METHODS = ("GET", "HEAD", "POST")


def register(app: Flask) -> None:
    """Measure every request of an app from now on. The labels are names of parts, never addresses."""
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    request_ctx.request.environ[_BEGUN] = perf_counter()


def _end(response: Response) -> Response:
    asked = request_ctx.request  # `request` is looked up each time
    begun = asked.environ.get(_BEGUN)
    if begun is not None:
        part = (asked.endpoint or "nowhere").partition(".")[0]
        method = asked.method if asked.method in _METHODS else "other"
        REQUESTS.labels(part, method, str(response.status_code)).observe(perf_counter() - begun)
    return response
