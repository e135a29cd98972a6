"""Pictures for mails and pages, drawn in a separate process: drawing holds up every thread of its process.

A process that sends mails has one painter; a picture is drawn once, as long as it is cached. Without a painter, or if
it fails, a mail goes out without pictures. A page starts a painter when it needs one, and never waits for its turn.

    python -m app.post.letters.picture_process SECONDS    draws what comes on its standard input, until that ends or
                                                          nothing has come for so long
"""

from __future__ import annotations

import logging
import os
import select
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from time import monotonic
from typing import IO

from app.base.process.lent import nothing_open
from app.base.process.recent import Recent
from app.titles.pictures import png, small

log = logging.getLogger("postroad.mail")

KEPT = 400
"""Cached pictures, of at most 60 KB each."""
LONGEST_SECONDS = 20.0
"""How long one picture may take on a busy machine, the painter's start included: ending it earlier would only have the
next one start again. Of a process's pages one waits at most; the others are told to come back."""
IDLE_SECONDS = 60.0
"""A painter that has nothing to draw for so long ends: it takes a fifth of the memory of the whole server."""
BEHIND = 5
"""The painter's nice value: pages and mails go first, but a few busy processes must not starve it, for mails wait for
their pictures."""
_HEAD = struct.Struct(">?II")
_SIZE = struct.Struct(">I")


class Painter:
    """Draws for one process, one picture at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept = Recent[bytes](KEPT)
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = 0.0

    def paint(self, svg: str, width: int) -> bytes | None:
        """Return a document as a small PNG for a mail; None when that fails."""
        nothing_open("a picture is painted")
        key = sha256(f"{width} {svg}".encode()).digest()
        with self._lock:
            known = self._kept.find(key)
            if known is not None:
                return known
            drawn = self._drawn(svg, width, for_mail=True)
            if drawn is not None:
                self._kept.keep(key, drawn)
            return drawn

    def paint_at_once(self, svg: Callable[[], str], width: int) -> bytes | None:
        """Return a document as PNG for a page; None if another picture is being drawn, or when that fails. `svg` is
        asked for only then."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            return self._drawn(svg(), width, for_mail=False)
        finally:
            self._lock.release()

    def _drawn(self, svg: str, width: int, *, for_mail: bool) -> bytes | None:
        try:
            return self._ask(svg.encode(), width, for_mail)
        except (OSError, EOFError) as error:
            log.warning("a picture could not be drawn: %s", error or type(error).__name__)
            self._end()
            return None

    def _ask(self, svg: bytes, width: int, for_mail: bool) -> bytes:
        asked, self._asked = self._asked, monotonic()
        if self._asked - asked > IDLE_SECONDS * 0.8:
            self._end()  # it has ended, or is about to
        if self._process is None or self._process.poll() is not None:
            line = [sys.executable, "-m", "app.post.letters.picture_process", str(IDLE_SECONDS)]
            self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        to, back = self._process.stdin, self._process.stdout
        assert to is not None and back is not None
        to.write(_HEAD.pack(for_mail, width, len(svg)) + svg)
        to.flush()
        if not select.select([back], [], [], LONGEST_SECONDS)[0]:
            raise TimeoutError("it took too long")
        drawn = _read(back, _SIZE.unpack(_read(back, _SIZE.size))[0])
        if not drawn:
            raise OSError("it is no drawing")
        return drawn

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def close(self) -> None:
        """End the process; the next picture starts another one."""
        with self._lock:
            self._end()


_painter: Painter | None = None


def start() -> None:
    """Put pictures into the mails that this process renders."""
    global _painter
    _painter = _painter or Painter()


def stop() -> None:
    """Stop drawing pictures."""
    global _painter
    if _painter is not None:
        _painter.close()
    _painter = None


def paint(svg: str, width: int) -> bytes | None:
    """Return a document as PNG; None if this process has no painter."""
    return _painter.paint(svg, width) if _painter is not None and svg else None


def paint_at_once(svg: Callable[[], str], width: int) -> bytes | None:
    """Return a document as PNG for a page; None if this process's painter is behind, or when that fails."""
    start()
    assert _painter is not None
    return _painter.paint_at_once(svg, width)


def _read(stream: IO[bytes], n: int) -> bytes:
    found = stream.read(n)
    if len(found) < n:
        raise EOFError("the painter has gone")
    return found


def _work(asked: IO[bytes], out: IO[bytes], idle: float) -> None:
    while select.select([asked], [], [], idle)[0] and len(head := asked.read(_HEAD.size)) == _HEAD.size:
        for_mail, width, length = _HEAD.unpack(head)
        svg = _read(asked, length).decode()
        try:
            drawn = (small if for_mail else png)(svg, width)
        except Exception as error:  # whatever is wrong with one picture, the next one may be fine
            print(f"a picture could not be drawn: {error}", file=sys.stderr)
            drawn = b""
        out.write(_SIZE.pack(len(drawn)) + drawn)
        out.flush()


if __name__ == "__main__":
    # The requesting process may have been killed: then there is nobody to draw for, nor to tell.
    os.nice(BEHIND)
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        _work(sys.stdin.buffer, sys.stdout.buffer, float(sys.argv[1]))
    os._exit(0)  # the interpreter would try to write again what nobody reads
