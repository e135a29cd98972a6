"""Where the program's own files are, in a checkout and in an installed package."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parents[2]


def folder(name: str) -> Path:
    """Return the folder `templates` or `migrations`: packaged inside `app`, beside it in a checkout."""
    packaged = HERE / name
    return packaged if packaged.is_dir() else HERE.parent / name
