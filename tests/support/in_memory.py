"""Chooses where tests keep their files: in memory if there is room, since none of them has to last.

A PostgreSQL database is some thousand files. Copying them takes six times as long on a disk as in memory, and most of
that is processor time.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_FOLDER = Path("/dev/shm")
_ROOM = 4 << 30
"""Bytes that a run may need at once: a database server for each of its processes and the folders of their tests."""


def folder() -> str:
    """Return a folder in memory with room for a run; else (in a container it is small) `/tmp`."""
    return str(_FOLDER) if _is_fit() else "/tmp"


def _is_fit() -> bool:
    try:
        found = os.statvfs(_FOLDER)
        available = re.search(r"^MemAvailable: *(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except OSError:
        return False  # not Linux
    runs_programs = not found.f_flag & os.ST_NOEXEC  # a test makes a .venv
    has_room = found.f_bavail * found.f_frsize >= _ROOM and bool(available) and int(available[1]) << 10 >= 2 * _ROOM
    return runs_programs and has_room and os.access(_FOLDER, os.W_OK)
