"""Files of a server that nobody else on its machine may read: they hold addresses, hands and keys."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

OF_OTHERS = stat.S_IRWXO
FOLDER, FILE = 0o700, 0o600


def make_folder(path: Path) -> None:
    """Make a folder that only its owner may enter, unless it is there."""
    path.mkdir(mode=FOLDER, parents=True, exist_ok=True)


def make_file(path: Path) -> None:
    """Make an empty file that only its owner may read, unless it is there."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))


def keep_from_others(descriptor: int) -> None:
    """Let only its owner read what is open for writing, if it is a file of ours, as one that a shell has made."""
    with suppress(OSError):
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.fchmod(descriptor, FILE)


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Write a file that only its owner may read, in one step: a reader meanwhile has the old or the new (OSError)."""
    half = path.with_name(f".{path.name}.{os.getpid()}.half")
    try:
        with open(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    finally:
        with suppress(OSError):
            half.unlink()


def write(path: Path, content: bytes) -> None:
    """Write a file like that, and its folder if it is not there."""
    make_folder(path.parent)
    with replaced(path) as file:
        file.write(content)


def of_database(path: Path) -> list[Path]:
    """Return SQLite's files for a database, and the copies made of it."""
    return [path, *path.parent.glob(f"{path.name}-*"), *path.parent.glob(f"{path.name}.at-*")]


def open_to_others(folder: Path, files: Iterable[Path]) -> list[Path]:
    """Return which of these, and of the folder's contents, others on this machine may read, write or enter. Group
    permissions do not count: on their own, without access for others, they are deliberate."""
    inside = [one for one in folder.glob("*") if one.is_file()] if folder.is_dir() else []
    wanted = {folder, *inside, *files}
    return sorted(one for one in wanted if not one.is_symlink() and _mode(one) & OF_OTHERS)


def tighten(folder: Path, files: Iterable[Path]) -> list[Path]:
    """Remove others' and the group's access to what is open to others, if it is ours; return what was changed. A folder
    that also holds other people's files (`/tmp`, `/var/lib`) is not a server's own, and stays as it is."""
    changed = []
    for path in open_to_others(folder, files):
        with suppress(OSError):  # it has just gone, or the file system has no modes or is read-only
            holds = path.iterdir() if path.is_dir() else ()
            if all(one.lstat().st_uid == os.geteuid() for one in (path, *holds)):
                path.chmod(FOLDER if path.is_dir() else FILE)
                changed.append(path)
    return changed


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:  # SQLite's log comes and goes
        return 0
