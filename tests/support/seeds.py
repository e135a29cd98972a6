"""A seed that a test chooses, for games whose course it knows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
import sqlalchemy as sa

from app.games import seeds
from app.games.tables import Game


def fix_seed(monkeypatch: pytest.MonkeyPatch, seed: str) -> None:
    """Let all new games take their chance from this seed, as games of the first algorithm do."""

    def bind(session: Any, game_id: int, now: datetime) -> None:
        session.execute(sa.update(Game).where(Game.id == game_id).values(seed=seed))
        session.expire_all()

    monkeypatch.setattr(seeds, "bind", bind)
