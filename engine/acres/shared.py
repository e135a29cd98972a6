"""Listings name the same few thousand actions again and again; equal ones are one object, made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

A = TypeVar("A")

MOST_KEPT = 1 << 13
"""Of each kind; the tables allow more ways to settle than ever come up in a process that runs for months."""


def shared(make: Callable[..., A]) -> Callable[..., A]:
    """The constructor of a kind of action, which gives an equal action that it still keeps again."""
    return lru_cache(maxsize=MOST_KEPT)(make)
