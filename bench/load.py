"""A load generator: clients with one open connection each, which ask again as soon as they have an answer; or people
who ask at moments of their own, independently of each other.

    python bench/load.py            reads a job from its standard input, writes what it measured as JSON

A job is `{"port", "clients", "seconds", "requests": [[method, path, headers, body, status], ...]}`; every request is
sent once, in this order. With `"moments"`, the second at which each is sent, each has its own connection, and an
answer's time counts from its moment. It uses one thread with `select` and no library, to take as little of the machine
as possible.
"""

from __future__ import annotations

import json
import selectors
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any


class WrongAnswer(Exception):
    """The answer is not the expected one."""


class Closed(WrongAnswer):
    """The server closed the connection without an answer."""


def wire(method: str, path: str, headers: dict[str, str], body: str) -> bytes:
    """Return a request as it goes over the wire."""
    data = body.encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *(f"{name}: {value}" for name, value in headers.items())]
    if data:
        lines.append(f"Content-Length: {len(data)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.socket: socket.socket | None = None

    def send(self, data: bytes, status: int) -> None:
        """Send a request; reconnect first if the server has closed."""
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), 10)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.status, self.seen, self.length = status, b"", -1
        self.began = time.perf_counter()
        self.socket.sendall(data)

    def receive(self) -> bool:
        """Read available data; return whether the answer is complete."""
        assert self.socket is not None
        part = self.socket.recv(1 << 18)
        if not part:
            raise Closed("the server closed the connection")
        self.seen += part
        if self.length < 0:
            at = self.seen.find(b"\r\n\r\n")
            if at < 0:
                return False
            head = self.seen[:at].decode("latin-1").lower().split("\r\n")
            if int(head[0].split()[1]) != self.status:
                raise WrongAnswer(self.seen[:2000].decode("utf-8", "replace"))
            fields = dict(line.split(": ", 1) for line in head[1:])
            self.length = at + 4 + int(fields["content-length"])
            self.closes = fields.get("connection") == "close"
        return len(self.seen) >= self.length

    def done(self) -> float:
        """Return the seconds that the answer took."""
        took = time.perf_counter() - self.began
        if self.closes:
            self.close()
        return took

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()
            self.socket = None


def drive(port: int, clients: int, seconds: float, requests: list[Any]) -> dict[str, Any]:
    """Send the requests; return the seconds of each, in the order of the answers, and of all together."""
    todo: Iterator[Any] = iter([(wire(*request[:4]), request[4]) for request in requests])
    took: list[float] = []
    began = time.perf_counter()
    with selectors.DefaultSelector() as selector:

        def next_one(client: Client) -> None:
            request = next(todo, None) if time.perf_counter() - began < seconds else None
            if request is None:
                client.close()
                return
            client.send(*request)
            selector.register(client.socket, selectors.EVENT_READ, client)  # type: ignore[arg-type]

        for _ in range(clients):
            next_one(Client(port))
        while selector.get_map():
            ready = selector.select(10)
            if not ready:
                raise WrongAnswer("no answer for ten seconds")
            for key, _ in ready:
                client: Client = key.data
                if client.receive():
                    selector.unregister(key.fileobj)
                    took.append(client.done())
                    next_one(client)
    return {"took": took, "seconds": time.perf_counter() - began}


def drive_at(port: int, requests: list[Any], moments: list[float]) -> dict[str, Any]:
    """Send each request at its moment, in ascending seconds; return what `drive` does, and how many failed."""
    todo = [(moment, wire(*request[:4]), request[4]) for moment, request in zip(moments, requests, strict=True)]
    todo.reverse()
    took: list[float] = []
    lost = 0
    began = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        while todo or selector.get_map():
            left = todo[-1][0] - (time.perf_counter() - began) if todo else 10.0
            for key, _ in selector.select(max(0.0, left)):
                client: Client = key.data
                try:
                    whole = client.receive()
                except (ConnectionError, Closed):
                    lost += 1
                else:
                    if not whole:
                        continue
                    took.append(client.done())
                selector.unregister(key.fileobj)
                client.close()
            while todo and todo[-1][0] <= time.perf_counter() - began:
                moment, data, status = todo.pop()
                client = Client(port)
                client.send(data, status)
                client.began = began + moment
                selector.register(client.socket, selectors.EVENT_READ, client)  # type: ignore[arg-type]
    return {"took": took, "lost": lost, "seconds": time.perf_counter() - began}


if __name__ == "__main__":
    job = json.load(sys.stdin)
    if "moments" in job:
        json.dump(drive_at(job["port"], job["requests"], job["moments"]), sys.stdout)
    else:
        json.dump(drive(**job), sys.stdout)
