"""A mail host that follows a script at each stage of a mail: refuse, hang up, be slow, accept without answering."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

MOST_BYTES = 8_000_000
"""Of a mail: pictures are in it."""
TAKE_AND_HANG_UP = "take and hang up"
HANG_UP = "hang up"
_MESSAGE_ID = re.compile(rb"(?m)^Message-ID: <([^>]+)>")
_TO = re.compile(r"<([^>]*)>")

Script = Callable[[str, str], str | float | threading.Event | None]
"""What happens at a stage (`connect`, `mail`, `rcpt`, `data`, `text`, `sent`) of a mail to an address: an answer such
as `550 5.7.1 no`, HANG_UP, TAKE_AND_HANG_UP (at `sent`), seconds or an event to wait for before all is well, or None:
it is."""
Say = Callable[[str], Awaitable[None]]
"""Sends the answer of the host."""


def willing(stage: str, address: str) -> None:
    """Accept everything at once."""


def refusing(at: str, answer: str) -> Script:
    """Give the same answer to every mail at one stage."""
    return lambda stage, address: answer if stage == at else None


@dataclass
class Taken:
    """A mail that the host has, whether or not it has said so."""

    address: str
    message_id: str
    text: bytes
    at: float


@dataclass
class ScriptedHost:
    """`with ScriptedHost() as host:`; `script` may be changed at any time."""

    script: Script = willing
    port: int = 0
    taken: list[Taken] = field(default_factory=list)
    tried: Counter[str] = field(default_factory=Counter)
    """How often each address was named."""
    connections: int = 0
    busy: list[tuple[float, float]] = field(default_factory=list)
    """When each mail was in progress: from MAIL FROM to the answer after the final dot."""

    def __enter__(self) -> ScriptedHost:
        self._loop = asyncio.new_event_loop()
        started = threading.Event()

        async def begin() -> None:
            self._server = await asyncio.start_server(self._talk, "127.0.0.1", self.port, limit=MOST_BYTES)
            self.port = self._server.sockets[0].getsockname()[1]
            started.set()

        def run() -> None:
            self._loop.run_until_complete(begin())
            self._loop.run_forever()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        async def end() -> None:
            self._server.close()
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._session(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _goes_well(self, stage: str, address: str, say: Say) -> bool:
        """Whether the script lets this stage pass; if not, the answer has been given."""
        does = self.script(stage, address)
        if isinstance(does, (int, float)):
            await asyncio.sleep(does)
            does = None
        if isinstance(does, threading.Event):
            while not does.is_set():
                await asyncio.sleep(0.02)
            does = None
        if does is None:
            return True
        if does == HANG_UP:
            raise ConnectionAbortedError
        await say(does)
        if does.startswith("421"):
            raise ConnectionAbortedError
        return False

    async def _session(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        began, address = 0.0, ""

        async def say(line: str) -> None:
            writer.write(f"{line}\r\n".encode())
            await writer.drain()

        async def goes_well(stage: str) -> bool:
            return await self._goes_well(stage, address, say)

        if not await goes_well("connect"):
            return
        await say("220 scripted")
        while line := (await reader.readline()).decode():
            word = line[:4].upper()
            if word == "EHLO":
                await say("250-scripted\r\n250 8BITMIME")
            elif word == "MAIL":
                began, address = time.monotonic(), ""
                if await goes_well("mail"):
                    await say("250 2.1.0 go on")
            elif word == "RCPT":
                found = _TO.search(line)
                assert found is not None
                address = found[1]
                self.tried[address] += 1
                if await goes_well("rcpt"):
                    await say("250 2.1.5 go on")
            elif word == "DATA":
                if await goes_well("data"):
                    await say("354 go on")
                    await self._take_text(reader, address, began, say)
            elif word == "QUIT":
                await say("221 bye")
                return
            else:
                await say("250 2.0.0 well")

    async def _take_text(self, reader: asyncio.StreamReader, address: str, began: float, say: Say) -> None:
        """Read the text that follows DATA, and accept it or not, by the script."""
        if self.script("text", address) == HANG_UP:
            await reader.readline()
            raise ConnectionAbortedError
        text = await reader.readuntil(b"\r\n.\r\n")
        swallow = self.script("sent", address) == TAKE_AND_HANG_UP
        if swallow or await self._goes_well("sent", address, say):
            self._take(address, text)
            self.busy.append((began, time.monotonic()))
            if swallow:
                raise ConnectionAbortedError
            await say("250 2.0.0 taken")

    def _take(self, address: str, text: bytes) -> None:
        found = _MESSAGE_ID.search(text)
        self.taken.append(Taken(address, found[1].decode() if found else "", text, time.monotonic()))

    # -- reading ----------------------------------------------------------------------------------

    def to(self) -> Counter[str]:
        """Return how many mails each address has received."""
        return Counter(mail.address for mail in self.taken)

    def mails(self, address: str) -> list[EmailMessage]:
        """Return the mails to an address, parsed."""
        mine = [mail.text for mail in list(self.taken) if mail.address == address]
        found = [message_from_bytes(text, policy=policy.default) for text in mine]
        return [mail for mail in found if isinstance(mail, EmailMessage)]

    def ids(self) -> Counter[str]:
        """Return how often each Message-ID has arrived."""
        return Counter(mail.message_id for mail in self.taken)

    def wait(self, mails: int, seconds: float = 20) -> None:
        """Wait for this many mails. Raises AssertionError after `seconds`."""
        end = time.monotonic() + seconds
        while len(self.taken) < mails:
            assert time.monotonic() < end, f"{len(self.taken)} mails, wanted {mails}"
            time.sleep(0.01)

    def used(self, since: float, until: float) -> float:
        """Return the average number of mails in progress between two moments of the monotonic clock."""
        return sum(max(0.0, min(end, until) - max(start, since)) for start, end in self.busy) / (until - since)
