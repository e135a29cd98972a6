"""When something did not run, inferred from when it did."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256

from app.clocks.clock import Span

OUTAGE_AFTER = timedelta(minutes=15)
"""A longer silence is an outage; a shorter one is a restart."""


def gaps(stretches: Iterable[Span], longer_than: timedelta = OUTAGE_AFTER) -> list[Span]:
    """Yield the silences between stretches in which a job ran, whichever process ran it, in order.

    The time before the first stretch and after the last one is not a silence: nobody knows what was to run then.
    """
    found: list[Span] = []
    ran_until = None
    for start, end in sorted(stretches):
        if ran_until is not None and start - ran_until > longer_than:
            found.append(Span(ran_until, start))
        ran_until = end if ran_until is None else max(ran_until, end)
    return found


_OF_TITLE, _OF_GAME = "title:", "game:"


def job_of(title: str) -> str:
    """Return the job of an outage in which a title was not installed."""
    return f"{_OF_TITLE}{sha256(title.encode()).hexdigest()[:14]}"


def job_of_game(game_id: int) -> str:
    """Return the job of an outage in which the title of a game failed in it."""
    return f"{_OF_GAME}{game_id}"


def is_of(job: str, title: str, game_id: int) -> bool:
    """Return whether an outage stops the clock of a title's game."""
    return not is_of_title(job) or job in (job_of(title), job_of_game(game_id))


def is_of_title(job: str) -> bool:
    """Return whether an outage was the lack of a title, or its failing."""
    return job.startswith((_OF_TITLE, _OF_GAME))
