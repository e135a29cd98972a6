"""A gunicorn worker for pages that gives a request a thread only when it has arrived completely.

gunicorn's own threads read from the wire, so as many slow clients as there are threads hold up everybody. Here the loop
that waits for all connections collects what they send, limited in time and bytes, and the worker thread gets the
complete request from memory. A client that asks for more than it reads gets its next answer only after reading the
last: otherwise a thread would wait in the middle of writing. Writes are time-limited as well. Strangers wait in line
(`app.web.gates.line`).
"""

from __future__ import annotations

import errno
import re
import select
import socket
import sys
from concurrent.futures import Future
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE
from time import monotonic
from typing import TYPE_CHECKING

from gunicorn.http.parser import Parser
from gunicorn.workers.gthread import TConn, ThreadWorker

from app.web.gates.line import OPERATOR, Acquaintances, Line

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from gunicorn._types import _AddressType
    from gunicorn.config import Config
    from gunicorn.http.unreader import Unreader

HEAD_SECONDS = 15.0
"""From the first moment of a connection, or of another request on it, to the end of the headers."""
WHOLE_SECONDS = 60.0
"""To the end of the body."""
WRITE_SECONDS = 20.0
LINGER_SECONDS = 2.0
"""How long the client may take to read the end of an answer before the connection is cut."""
LONGEST_HEAD = 64 * 1024
LONGEST_BODY = 9 * 1024 * 1024
"""A little more than the largest that a page accepts; of a longer one the page is only told the length."""
MOST_HELD = 96 * 1024 * 1024
"""Bytes of incomplete requests, in one process."""
SEND_BUFFER = 256 * 1024
"""Room for a page, so that a thread is free as soon as it is rendered. The system calls a connection writable when a
third of the buffer is free, and it counts twice what it is told: a page still fits in then."""

SWITCH_SECONDS = 0.00005
"""How long a thread computes while another one waits (`sys.setswitchinterval`); of `bench.strangers` the best."""

_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([^\r\n]*?)[ \t]*(?=\r\n)", re.IGNORECASE)
_CODING = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)
_EXPECT = re.compile(rb"\r\nexpect:[ \t]*100-continue", re.IGNORECASE)
_PLAIN = b"HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
TOO_SLOW, NO_LENGTH, TOO_LONG = b"408 Request Timeout", b"411 Length Required", b"431 Request Header Fields Too Large"
TOO_MANY = b"503 Service Unavailable\r\nRetry-After: 10"


class _Socket(socket.socket):
    """A socket with a timeout; clients that exceed it are dropped."""

    def setblocking(self, flag: bool) -> None:
        self.settimeout(WRITE_SECONDS if flag else 0.0)

    def sendall(self, data: ReadableBuffer, flags: int = 0, /) -> None:
        try:
            super().sendall(data, flags)
        except TimeoutError:
            raise BrokenPipeError(errno.EPIPE, "the client does not read") from None

    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        try:
            return super().recv(bufsize, flags)
        except TimeoutError:
            raise ConnectionResetError(errno.ECONNRESET, "the client does not send") from None


class _Connection(TConn):
    """A connection and the part of its next request that has arrived."""

    def __init__(self, cfg: Config, sock: socket.socket, client: _AddressType, server: _AddressType) -> None:
        super().__init__(cfg, sock, client, server)
        self.data_ready = True  # whenever a thread gets it
        self.expect(b"")

    def expect(self, already: bytes) -> None:
        """Begin to collect a request, part of which may already be here."""
        self.came = bytearray(already)
        self.body_at = 0
        self.whole_at: int | None = None
        self.cut = False
        self.until = monotonic() + HEAD_SECONDS
        self.head = b""

    @property
    def unreader(self) -> Unreader:
        """What gunicorn's parser reads from."""
        assert isinstance(self.parser, Parser)
        return self.parser.unreader

    def has_room(self) -> bool:
        """Return whether an answer would go out at once: the earlier ones have been read."""
        looked = select.poll()
        looked.register(self.sock, select.POLLOUT)
        return bool(looked.poll(0))

    def init(self) -> None:
        """Prepare, in a thread, before the first request: what has arrived is what is read."""
        super().init()
        if self.came:
            self.unreader.unread(bytes(self.came))
            self.came = bytearray()


class PatientWorker(ThreadWorker):
    """Threads for complete requests; the loop collects them."""

    _gathering: dict[_Connection, None]
    _lingering: dict[_Connection, None]
    _line: Line[_Connection]

    # -- what gunicorn calls ----------------------------------------------------------------------

    def init_process(self) -> None:
        """Begin in the process of the worker, and serve until told to stop."""
        self._gathering, self._lingering, self._line = {}, {}, Line()
        sys.setswitchinterval(SWITCH_SECONDS)
        super().init_process()

    def accept(self, listener: socket.socket) -> None:
        """Take a new connection, and wait for what it sends."""
        try:
            came, address = listener.accept()
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                return
            raise
        came = _Socket(fileno=came.detach())
        came.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self.nr_conns += 1
        self._gather(_Connection(self.cfg, came, address, listener.getsockname()), b"")
        if self.nr_conns >= self.worker_connections and self._gathering:
            self._drop(next(iter(self._gathering)))  # the one that has kept us waiting longest

    def on_client_socket_readable(self, conn: TConn, client: socket.socket) -> None:
        """Begin another request on a kept-alive connection."""
        assert isinstance(conn, _Connection)
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._gather(conn, b"")

    def finish_request(self, conn: TConn, fs: Future[bool]) -> None:
        """Finish an answer: what the client sent early is the beginning of the next request."""
        assert isinstance(conn, _Connection)
        for waiting in self._line.leaves(conn):
            self.enqueue_req(waiting)
        try:
            kept = not fs.cancelled() and bool(fs.result()) and not conn.cut
            ahead = conn.unreader.take_buffered() if kept else b""
        except Exception:
            kept, ahead = False, b""
        if kept and ahead:
            self._gather(conn, ahead)
        elif kept:
            super().finish_request(conn, fs)
        else:
            self._linger(conn)

    def _keepalive_after(self, conn: _Connection, keepalive: bool) -> bool:
        """Stop reading a body that exceeds the limit."""
        return not conn.cut and bool(super()._keepalive_after(conn, keepalive))  # type: ignore[misc]  # not in its types

    def murder_pending(self) -> None:
        """Drop connections that have taken too long; gunicorn calls this at least once a second."""
        now = monotonic()
        for conn in self._line.give_up():
            self._refuse(conn, TOO_MANY)
        for conn in [conn for conn in self._lingering if conn.until <= now]:
            self._drop(conn)
        most = now if self.alive else now + HEAD_SECONDS - LINGER_SECONDS
        for conn in [conn for conn in self._gathering if conn.until <= most]:
            self._refuse(conn, TOO_SLOW) if conn.came else self._drop(conn)

    # -- gathering --------------------------------------------------------------------------------

    def _gather(self, conn: _Connection, already: bytes) -> None:
        conn.expect(already)
        conn.sock.setblocking(False)
        self._gathering[conn] = None
        self.poller.register(conn.sock, EVENT_READ, lambda _: self._more(conn))
        if already:
            self._judge(conn)

    def _more(self, conn: _Connection) -> None:
        try:
            data = conn.sock.recv(64 * 1024)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self._drop(conn)
            return
        conn.came += data
        self._judge(conn)
        if conn in self._gathering and sum(len(one.came) for one in self._gathering) > MOST_HELD:
            self._drop(max(self._gathering, key=lambda one: len(one.came)))

    def _judge(self, conn: _Connection) -> None:
        """Hand a request over when it is complete, or cannot become acceptable."""
        if conn.whole_at is None:
            end = conn.came.find(b"\r\n\r\n")
            if end < 0:
                if len(conn.came) > LONGEST_HEAD:
                    self._refuse(conn, TOO_LONG)
                return
            head = bytes(conn.came[: end + 2])
            if _CODING.search(head):
                self._refuse(conn, NO_LENGTH)
                return
            conn.head, conn.body_at = head, end + 4
            lengths = _LENGTH.findall(head)
            said = lengths[0] if len(lengths) == 1 and re.fullmatch(rb"[0-9]{1,18}", lengths[0]) else b"0"
            conn.cut = int(said) > LONGEST_BODY
            conn.whole_at = conn.body_at + (0 if conn.cut else int(said))
            conn.until += WHOLE_SECONDS - HEAD_SECONDS
            if len(conn.came) < conn.whole_at and _EXPECT.search(head):
                self._say(conn, b"HTTP/1.1 100 Continue\r\n\r\n")
        if len(conn.came) >= conn.whole_at:
            if conn.parser is None or conn.has_room():
                self._hand_over(conn)
            else:  # nothing more of it is read either
                conn.until = monotonic() + WRITE_SECONDS
                self.poller.modify(conn.sock, EVENT_WRITE, lambda _: self._hand_over(conn))

    def _hand_over(self, conn: _Connection) -> None:
        """Let a thread answer a request."""
        self._forget(conn)
        if conn.parser is not None:
            conn.unreader.unread(bytes(conn.came))
            conn.came = bytearray()
        knows: Acquaintances | None = getattr(self.wsgi, "extensions", {}).get("postroad.acquaintances")
        peer = conn.client[0] if isinstance(conn.client, tuple) else ""
        # Another app than ours, as of a benchmark, knows nobody and has no line.
        turn = self._line.comes(conn, knows.who(conn.head, str(peer)) if knows else OPERATOR)
        if turn is None:
            self._refuse(conn, TOO_MANY)
        elif turn:
            self.enqueue_req(conn)

    # -- ending -----------------------------------------------------------------------------------

    def _refuse(self, conn: _Connection, status: bytes) -> None:
        self._say(conn, _PLAIN % status)
        self._linger(conn)

    def _say(self, conn: _Connection, line: bytes) -> None:
        with suppress(OSError):  # it does not read; its time is limited anyway
            conn.sock.send(line)

    def _linger(self, conn: _Connection) -> None:
        """Say that nothing more comes, and close when the client does; closing at once would cut off what it is still
        reading."""
        self._forget(conn)
        try:
            conn.sock.setblocking(False)
            conn.sock.shutdown(socket.SHUT_WR)
            self.poller.register(conn.sock, EVENT_READ, lambda _: self._discard(conn))
        except (OSError, ValueError):
            self._drop(conn)
            return
        conn.until = monotonic() + LINGER_SECONDS
        self._lingering[conn] = None

    def _discard(self, conn: _Connection) -> None:
        try:
            if conn.sock.recv(64 * 1024):
                return
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            pass
        self._drop(conn)

    def _forget(self, conn: _Connection) -> None:
        self._gathering.pop(conn, None)
        self._lingering.pop(conn, None)
        with suppress(KeyError, ValueError, OSError):  # a thread had it
            self.poller.unregister(conn.sock)

    def _drop(self, conn: _Connection) -> None:
        self._forget(conn)
        self.nr_conns -= 1
        conn.sock.close()
