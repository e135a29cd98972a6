"""What a process caches in memory."""

from __future__ import annotations

from app.play.past import replay


def as_in_another_process() -> None:
    """Forget all cached positions, as in a process that has just started."""
    replay._states.clear()
