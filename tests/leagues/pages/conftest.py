"""The app behind a real HTTP server, for Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask

from tests.support import served as front


@pytest.fixture
def served(app: Flask) -> Iterator[str]:
    with front.served(app) as address:
        yield address
