"""Where files that belong to the program lie, in a checkout and in an installed package."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def folder(name: str) -> Path:
    """The folder `templates` or `migrations`: packaged inside `app`, in a checkout beside it."""
    packaged = HERE / name
    return packaged if packaged.is_dir() else HERE.parent / name
