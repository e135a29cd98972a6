"""A push service on this machine, as RFC 8030 describes one, with devices that decrypt what it takes and check who
signed it. They do so by http-ece, which is not what encrypts.

A device is a path. `answers` holds what it is answered instead of 201: a status with headers, `slow`, `dead`, or
`unheard` if it takes the notification and the answer is lost.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import http_ece
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.base.process.config import Config
from app.base.stored.database import Database
from app.people.push_tables import PushDevice
from app.people.tables import SignIn
from app.post.push import devices
from app.post.push.sealing import ServerKeys, read64, write64

DAYS = timedelta(days=90)


@dataclass
class Phone:
    """A device: its keys, what it was told, and the headers that came along."""

    path: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    told: list[dict[str, Any]] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    """When it was told."""
    unheard: int = 0
    """How often the answer was lost, so that it may be told once more."""

    @property
    def public(self) -> str:
        return write64(self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))

    @property
    def shown(self) -> dict[str, dict[str, Any]]:
        """The notifications that are on it now, by tag."""
        now: dict[str, dict[str, Any]] = {}
        for one in self.told:
            before = now.get(one["tag"], {}).get("number") or 0
            if not one.get("close"):
                now[one["tag"]] = one
            elif before <= one["number"]:
                now.pop(one["tag"], None)
        return now


class PushService:
    """The service: its phones by path, and how often each was called."""

    def __init__(self) -> None:
        self.phones: dict[str, Phone] = {}
        self.calls = 0
        self.wrong: list[str] = []
        self.goes_on = threading.Event()
        """What is `slow` is answered when this is set."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers = outer._answer(self.path, dict(self.headers.items()), body)
                if status == 0:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def _answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str]]:
        self.calls += 1
        phone = self.phones.get(path)
        if phone is None:
            return 404, {}
        planned = phone.answers.pop(0) if phone.answers else 201
        if planned == "slow":
            self.goes_on.wait(60)
            planned = 201
        if planned == "dead":
            return 0, {}
        status, more = planned if isinstance(planned, tuple) else (201 if planned == "unheard" else planned, {})
        if status == 201:
            try:
                self._take(phone, headers, body)
            except Exception as error:
                self.wrong.append(f"{path}: {error!r}")
                return 400, {}
            more = {"Location": f"{self.url}/message/{self.calls}", **more}
        if planned == "unheard":
            phone.unheard += 1
            return 0, {}
        return status, more

    def _take(self, phone: Phone, headers: dict[str, str], body: bytes) -> None:
        assert headers["Content-Encoding"] == "aes128gcm" and int(headers["TTL"]) >= 0
        assert len(headers["Topic"]) <= 32 and headers["Urgency"] in ("high", "normal") and len(body) <= 4096
        self._check_proof(headers["Authorization"])
        text = http_ece.decrypt(body, private_key=phone.key, auth_secret=phone.auth, version="aes128gcm")
        phone.texts.append(text)
        phone.told.append(json.loads(text))
        phone.headers.append(headers)
        phone.at.append(time.monotonic())

    def _check_proof(self, header: str) -> None:
        """Check a signature of RFC 8292, as a push service does."""
        said = dict(part.strip().split("=", 1) for part in header.removeprefix("vapid ").split(","))
        signed, _, signature = said["t"].rpartition(".")
        raw = read64(signature)
        pair = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), read64(said["k"]))
        point.verify(pair, signed.encode(), ec.ECDSA(hashes.SHA256()))
        claims = json.loads(read64(signed.partition(".")[2]))
        assert claims["aud"] == self.url and claims["sub"].startswith(("mailto:", "https:"))

    def phone(self, database: Database, config: Config, player_id: int, now: Any, path: str = "") -> Phone:
        """Add a device of a player, who signs in with it."""
        made = Phone(path or f"/phone/{len(self.phones)}")
        self.phones[made.path] = made
        with database.write() as session:
            row = SignIn(token_hash=secrets.token_hex(32), player_id=player_id, created_at=now, expires_at=now + DAYS)
            session.add(row)
            session.flush()
            sign_in = row.id
            session.commit()
        given = PushDevice(
            player_id=player_id,
            sign_in_id=sign_in,
            endpoint=self.url + made.path,
            public_key=made.public,
            auth=write64(made.auth),
            server_key=ServerKeys(config.secret_keys).newest,
            name=f"Phone {len(self.phones)}",
            made_at=now,
        )
        devices.add(database, config, given)
        return made

    def start(self) -> threading.Thread:
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        return thread

    def stop(self, thread: threading.Thread) -> None:
        self.server.shutdown()
        self.server.server_close()
        thread.join(5)


@pytest.fixture
def pushes() -> Iterator[PushService]:
    service = PushService()
    thread = service.start()
    yield service
    service.stop(thread)
    assert service.wrong == []
