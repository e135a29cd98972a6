"""The app behind a real HTTP server, for Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser

from tests.support import served as front


@pytest.fixture
def served(app: Flask, browser: Browser) -> Iterator[str]:
    with front.shown(app, browser) as address:
        yield address
