"""A name server on loopback with configurable answers, and keys for signing."""

from __future__ import annotations

import base64
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest


class NameServer:
    """`texts` are TXT records by name; `records` others by name and type, such as `("example.org", "MX")`."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.records: dict[tuple[str, str], list[str]] = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._socket.getsockname()
        return str(host), int(port)

    def close(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", self.address)
        self._thread.join(5)
        self._socket.close()

    def _run(self) -> None:
        while True:
            data, who = self._socket.recvfrom(4096)
            if not data:
                return
            asked = dns.message.from_wire(data)
            self._socket.sendto(self._answer(asked).to_wire(), who)

    def _answer(self, asked: dns.message.Message) -> dns.message.Message:
        question = asked.question[0]
        name, kind = question.name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(question.rdtype)
        answer = dns.message.make_response(asked)
        answer.flags |= dns.flags.RA
        found = list(self.records.get((name, kind), []))
        if kind == "TXT" and name in self.texts:
            text = self.texts[name]
            found.append(" ".join(f'"{text[at : at + 200]}"' for at in range(0, len(text), 200)))
        if found:
            answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *found))
        else:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        return answer

    @staticmethod
    def key() -> tuple[bytes, str]:
        """Return a private key (PEM) and its public half as a record has it."""
        openssl = shutil.which("openssl")
        assert openssl
        line = [openssl, "genrsa", "-traditional", "1024"]
        private = subprocess.run(line, check=True, capture_output=True).stdout
        line = [openssl, "rsa", "-pubout", "-outform", "DER"]
        public = subprocess.run(line, input=private, check=True, capture_output=True).stdout
        return private, base64.b64encode(public).decode()


@pytest.fixture
def name_server() -> Iterator[NameServer]:
    """Yield a name server with the names of a test."""
    server = NameServer()
    yield server
    server.close()
