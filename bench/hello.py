"""The yardstick: the same Flask and the same gunicorn settings as Post Road, answering "hello".

python bench/hello.py PORT
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from flask import Flask
from gunicorn.app.base import BaseApplication

from app.server.cli import RARELY
from app.server.serve import gunicorn_settings


def create_app() -> Flask:
    """An app with one page."""
    app = Flask("hello", static_folder=None)

    @app.get("/")
    def hello() -> str:
        return "hello"

    return app


class _Server(BaseApplication):
    def __init__(self, port: int) -> None:
        self._port = port
        super().__init__()

    def load_config(self) -> None:
        for name, value in gunicorn_settings(f"127.0.0.1:{self._port}", 1).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return create_app()


if __name__ == "__main__":
    gc.set_threshold(*RARELY)
    _Server(int(sys.argv[1])).run()
