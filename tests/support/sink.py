"""A real mail host for tests: takes mails over SMTP and keeps them; can be unresponsive, slow or refusing."""

from __future__ import annotations

import time
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import lru_cache
from typing import Any

from aiosmtpd.controller import Controller


class _AnyPort(Controller):
    """Listens on a free port; the library itself checks the requested port."""

    def _trigger_server(self) -> None:
        assert self.server is not None
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


class Sink:
    """`with Sink() as sink:`; `answer` is what the next mails get instead of being accepted."""

    def __init__(self, port: int = 0, **of_the_host: Any) -> None:
        self.taken: list[tuple[str, bytes]] = []
        self.senders: list[str] = []
        """Recipients of reports about each of them."""
        self.connections = 0
        self.answer: str | None = None
        self._controller = _AnyPort(self, hostname="127.0.0.1", port=port, **of_the_host)

    @property
    def port(self) -> int:
        return int(self._controller.port)

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def __enter__(self) -> Sink:
        self._controller.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._controller.stop()

    async def handle_EHLO(self, server: Any, session: Any, envelope: Any, hostname: str, responses: list[str]) -> Any:
        self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.answer:
            return self.answer
        self.senders.append(envelope.mail_from)
        self.taken.append((envelope.rcpt_tos[0], envelope.content))
        return "250 taken"

    # -- reading ----------------------------------------------------------------------------------

    def mails(self, to: str | None = None) -> list[EmailMessage]:
        """Return the mails accepted so far, parsed, of one address or of all."""
        return [_read(raw) for _, raw in self._to(to)]

    def _to(self, to: str | None) -> list[tuple[str, bytes]]:
        return [(address, raw) for address, raw in self.taken if to in (None, address)]

    def wait(self, n: int, to: str | None = None, seconds: float = 60) -> list[EmailMessage]:
        """Return the mails when there are at least `n`. Raises AssertionError after `seconds`."""
        end = time.monotonic() + seconds
        while len(found := self._to(to)) < n:
            assert time.monotonic() < end, f"{len(found)} mails, wanted {n}"
            time.sleep(0.01)
        return self.mails(to)


@lru_cache(maxsize=1000)
def _read(raw: bytes) -> EmailMessage:
    """Parse a mail; once, however often a game asks for all of its mails."""
    return message_from_bytes(raw, policy=policy.default)  # type: ignore[return-value]


def text_of(mail: EmailMessage) -> str:
    """Return the text part."""
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def link_in(mail: EmailMessage) -> str:
    """Return the turn link, which is alone on its line."""
    return next(line for line in text_of(mail).splitlines() if "/t/" in line and line.startswith("http"))
