"""How often tests try what they try at random: a small share, and more when asked to."""

from __future__ import annotations

import os

TIMES = int(os.environ.get("POSTROAD_TIMES", "1"))


def often(count: int) -> int:
    """Return how many samples to try; with `POSTROAD_TIMES=10` in the environment ten times as many."""
    return count * TIMES
