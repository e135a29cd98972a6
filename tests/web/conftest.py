"""A server on each kind of database, with browsers in front of it and a post office behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from app.base.config import load
from app.base.house import House
from app.factory import create_app
from tests.support.people import BASE, Browser, PostOffice, sign_in
from tests.support.tables import KEYS


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Flask]:
    """The app. On PostgreSQL where the test is parametrized with it."""
    url = request.getfixturevalue(f"{getattr(request, 'param', 'sqlite')}_url")
    environ = {"POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load(environ, tmp_path))
    yield app
    app.extensions["postroad"].database.close()


@pytest.fixture
def home(place: Flask) -> House:
    house: House = place.extensions["postroad"]
    return house


@pytest.fixture
def post(home: House) -> PostOffice:
    return PostOffice(home)


@pytest.fixture
def stranger(place: Flask) -> Browser:
    return Browser(place)


@pytest.fixture
def enter(place: Flask, post: PostOffice) -> Callable[..., Browser]:
    """Sign somebody in: `enter("alice")`."""
    return lambda who, **kwargs: sign_in(place, post, f"{who}@example.org", **kwargs)
