"""Positions of played games to draw, from the records of the repository, and readers of four languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from app.base.words.i18n import LANGUAGES
from app.base.words.speech import Voice
from app.titles.registry import TITLES
from engine.kernel import records

RECORDS = Path(__file__).resolve().parents[2] / "records"


@cache
def _states(name: str) -> tuple[Any, ...]:
    record = records.load((RECORDS / name).read_bytes(), TITLES)
    return tuple(played.state for played in records.replay(record))


@pytest.fixture
def states_of() -> Callable[[str], tuple[Any, ...]]:
    """`states_of("acres/second-time.json")`: all states of a recorded game."""
    return _states


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def voice_of() -> Callable[..., Voice]:
    """`voice_of("acres", "fr")`: a reader of that title in that language."""
    return lambda title_id, lang="en": Voice(lang, title=TITLES[title_id])
