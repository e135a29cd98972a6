"""A push service, and a server that may call it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.base.links import Links
from app.base.process.config import Config
from app.base.server import Server
from app.base.stored.database import Database
from tests.support.push_service import pushes  # noqa: F401
from tests.support.tables import KEYS

BASE = "http://post.example.org"


@pytest.fixture
def server(database: Database) -> Server:
    config = Config(Path("/nowhere"), database.url, BASE, KEYS, None, "Post Road <post@example.org>", "en")
    return Server(replace(config, webhook_private=True), database, Links(BASE, KEYS))
