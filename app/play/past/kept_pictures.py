"""Pictures of past turns, kept as files: the public view of an entry of a log never changes."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from app.base.process.private import make_folder, replaced

MOST = 500
"""Files, of some 120 KB each."""


class KeptPictures:
    """The pictures of one server, in a folder of its data."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "pictures"

    def find(self, game_id: int, entry: int, lang: str) -> bytes | None:
        """Return the picture of a game after this entry of its log; None if none is kept."""
        with suppress(OSError):
            return self._file(game_id, entry, lang).read_bytes()
        return None

    def keep(self, game_id: int, entry: int, lang: str, png: bytes) -> None:
        """Keep a picture, in place of the oldest if there are too many; where nothing can be written, do without."""
        with suppress(OSError):
            make_folder(self._folder)
            there = sorted(self._folder.glob("*.png"), key=lambda one: one.stat().st_mtime)
            for old in there[: len(there) + 1 - MOST]:
                old.unlink(missing_ok=True)
            with replaced(self._file(game_id, entry, lang)) as file:
                file.write(png)

    def _file(self, game_id: int, entry: int, lang: str) -> Path:
        return self._folder / f"{game_id}-{entry}-{lang}-{version('postroad')}.png"
