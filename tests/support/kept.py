"""What a process keeps in its memory."""

from __future__ import annotations

from app.play.past import replay


def as_in_another_process() -> None:
    """From here on no position of a game is known but from the database, as in a process that has just begun."""
    replay._states = replay._States(replay.KEPT_STATES)
