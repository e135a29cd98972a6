"""Chromium: started once by each process of a run; what a test opens in it is closed after the test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_LOOPS: list[asyncio.AbstractEventLoop | None] = []


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    from tests.support.served import browsing  # not for tests without it

    with browsing() as opened:
        _LOOPS.append(asyncio._get_running_loop())
        yield opened
        asyncio._set_running_loop(_LOOPS.pop())


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    yield chromium
    for context in chromium.contexts:
        context.close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the loop that drives Chromium be seen by tests with a browser alone: with a running loop, nothing can begin
    one of its own."""
    if _LOOPS:
        asyncio._set_running_loop(_LOOPS[0] if item.get_closest_marker("browser") else None)
