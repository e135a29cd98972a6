"""Clients that send half of a request, or do not read the answer, delay nobody else."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator

import pytest

from app.server.buffering_worker import HEAD_SECONDS
from app.server.serve import THREADS
from tests.support.running import Install

HALVES = (
    b"",
    b"GET /sign-in HT",
    b"GET /sign-in HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\naddress=",
    b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET /sign-in HTTP/1.1\r\nHo",
)
KINDS = {
    "too long a body": b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\nxxx",
    "pieces of unknown length": b"POST /sign-in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
    "headers without end": b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000,
    "two lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 3\r\n\r\nabc",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Install]:
    install = Install(tmp_path_factory.mktemp("slow"))
    with install.serving("--role", "web"):
        yield install


def connect(server: Install, sent: bytes) -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    opened.sendall(sent)
    return opened


def ask(server: Install, method: str = "GET", path: str = "/sign-in", body: bytes | None = None) -> tuple[int, float]:
    """Return the status of an answer, and after how many seconds it arrived."""
    begun = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request(method, path, body, {"Content-Type": "application/x-www-form-urlencoded"} if body else {})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, time.monotonic() - begun


def test_two_hundred_half_sent_requests_hold_up_nobody(server: Install) -> None:
    slow = [connect(server, HALVES[number % len(HALVES)]) for number in range(200)]
    drips = [one for number, one in enumerate(slow) if HALVES[number % len(HALVES)]]
    for _ in range(3):
        for one in drips:
            one.send(b"x")
        status, seconds = ask(server)
        assert status == 200 and seconds < HEAD_SECONDS, "it does not wait until the server gives them up"
    readers = [connect(server, b"GET /rules/acres HTTP/1.1\r\nHost: x\r\n\r\n" * 20) for _ in range(3 * THREADS)]
    time.sleep(1)  # until the unread data fills the connection
    assert ask(server)[0] == 200
    assert ask(server, "POST", "/sign-in", b"address=x")[0] == 400, "a whole body is read: it has no token"
    for one in slow + readers[1:]:
        one.close()
    assert ask(server)[0] == 200
    late, answers = readers[0], b""
    while answers.count(b"</html>") < 20:
        answers += late.recv(65536)
    late.close()
    assert answers.count(b"HTTP/1.1 200 OK") == 20, "who reads after all gets every answer"


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_read_is_answered_and_closed(kind: str, server: Install) -> None:
    status = {"too long a body": 413, "pieces of unknown length": 411, "headers without end": 431, "two lengths": 400}
    with connect(server, KINDS[kind]) as opened:
        begun, answer = time.monotonic(), b""
        while piece := opened.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 %d " % status[kind]) and time.monotonic() - begun < HEAD_SECONDS


def test_a_kept_connection_serves_one_request_after_another(server: Install) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    sockets = set()
    for _ in range(3):
        connection.request("POST", "/sign-in", b"x" * 30_000)
        answer = connection.getresponse()
        assert answer.status == 400 and answer.read()
        sockets.add(connection.sock)
    assert len(sockets) == 1
    connection.putrequest("POST", "/sign-in")
    connection.putheader("Content-Length", "3")
    connection.putheader("Expect", "100-continue")
    connection.endheaders()
    time.sleep(0.2)
    connection.send(b"a=b")
    assert connection.getresponse().status == 400
    connection.close()
