"""The app behind a real HTTP server in this process, and Chromium in front of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.support.tools import chromium

_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage",
    "--disable-component-update", "--no-first-run",
]  # fmt: skip


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: Any) -> None:
        """Say nothing of requests."""


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """The address of the app's pages, until the end of the block; then its database is let go."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        app.extensions["postroad"].database.close()


@contextmanager
def browsing() -> Iterator[Browser]:
    """Chromium as the machine has it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=_FLAGS)
        yield browser
        browser.close()
