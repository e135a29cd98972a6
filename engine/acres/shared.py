"""Listings name the same few thousand actions again and again, so equal ones are one object, made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

A = TypeVar("A")

MOST_KEPT = 1 << 13
"""Per kind; the tables allow more ways to settle than ever come up in a process that runs for months."""


def shared(make: Callable[..., A]) -> Callable[..., A]:
    """Wrap the constructor of a kind of action so that it returns an equal action that is still cached."""
    return lru_cache(maxsize=MOST_KEPT)(make)
