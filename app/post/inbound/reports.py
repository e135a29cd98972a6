"""Reports that a mail did not arrive: those of RFC 3464, and the common ones that are only text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message
from typing import TYPE_CHECKING

from app.post.faults import Fault, whose
from app.post.host import NotTaken, without_addresses

if TYPE_CHECKING:
    from app.post.inbound.incoming import Incoming

_MOST_PARTS = 30
_MOST_TEXT = 20_000
_CODE = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_REPLY_CODE = re.compile(r"(?m)(?:^|[\s:(#])([45]\d\d)(?=[\s-])")
_NO_SUCH_ONE = re.compile(
    r"user unknown|unknown user|no such (?:user|recipient|mailbox|address)|no mailbox here"
    r"|mailbox (?:not found|unavailable|does not exist)|does(?: not|n't) exist"
    r"|recipient (?:rejected|unknown|not found)|address (?:rejected|not found|unknown)"
    r"|unknown (?:recipient|address|mailbox)|account (?:is )?(?:disabled|closed|inactive)",
    re.IGNORECASE,
)
_FAILED_TEXT = re.compile(
    r"could not be delivered|couldn't be delivered|not be delivered to|undeliver(?:able|ed)|delivery (?:has )?failed"
    r"|delivery failure|returned to sender|permanent (?:fatal )?error|this is the qmail-send program"
    r"|mail delivery failed|unable to deliver",
    re.IGNORECASE,
)
_OUR_ID = re.compile(rb"<(([1-9][0-9]{0,9})\.[0-9a-f]{16})@([^>\s]{1,253})>")


@dataclass(frozen=True, slots=True)
class Report:
    """What a report says. `fault` is None for a mail that has not failed, or not yet."""

    fault: Fault | None
    status: str
    words: str

    @property
    def has_failed(self) -> bool:
        """Whether the mail will not arrive any more."""
        return self.fault is not None


def read(mail: Incoming) -> Report | None:
    """What a report says; None for a mail that is none."""
    parts = _parts(mail.message)
    blocks = [
        block for part in parts if part.get_content_type() == "message/delivery-status" for block in _blocks(part)
    ]
    stated = [block for block in blocks if block.get("Action") or block.get("Status")]
    text = _text(parts)
    if stated:
        # One mail of ours has one recipient; where more are named, the worst is it.
        worst = max(stated, key=lambda block: (_field(block, "Action").lower() == "failed", _field(block, "Status")))
        return _stated(worst, text)
    if not (mail.header("X-Failed-Recipients") or _FAILED_TEXT.search(text) or _FAILED_TEXT.search(_subject(mail))):
        return None
    return _from_text(text)


def about(mail: Incoming, host: str) -> tuple[int, str] | None:
    """The mail of this server that a report returns, by its Message-ID: number, and what stands before the `@`."""
    own = (mail.message_id or "").encode()
    for found in _OUR_ID.finditer(mail.raw):
        if found[3].lower() == host.lower().encode() and found[1] not in own:
            return int(found[2]), found[1].decode()
    return None


def _parts(message: Message) -> list[Message]:
    found: list[Message] = []
    for part in message.walk():
        if len(found) >= _MOST_PARTS:
            break
        found.append(part)
    return found


def _blocks(part: Message) -> list[Message]:
    payload = part.get_payload()
    if isinstance(payload, list):
        return [block for block in payload if isinstance(block, Message)]
    return []


def _field(block: Message, name: str) -> str:
    return " ".join(str(block.get(name, ""))[:1000].split())


def _subject(mail: Incoming) -> str:
    return mail.header("Subject")


def _text(parts: list[Message]) -> str:
    for part in parts:
        if part.get_content_type() == "text/plain":
            payload = part.get_payload(decode=True)
            if isinstance(payload, bytes):
                return payload[:_MOST_TEXT].decode("utf-8", "replace")
    return ""


def _stated(block: Message, text: str) -> Report:
    said, action = _field(block, "Diagnostic-Code"), _field(block, "Action").lower()
    words = said.partition(";")[2].strip() or said
    code = _code(_field(block, "Status")) or (5 if action == "failed" else 4, 0, 0)
    better = _code(words)
    if code[1:] == (0, 0) and better is not None and better[0] == code[0]:
        code = better  # some say 5.0.0, and what they mean beside it
    if action != "failed" or code[0] != 5:
        return Report(None, _dotted(code), _short(words))
    return _failed(code, words or text)


def _from_text(text: str) -> Report:
    code = _code(text)
    if code is None:
        reply = _REPLY_CODE.search(text)
        code = (int(reply[1][0]), 0, 0) if reply else (5, 0, 0)
    near = next((line for line in text.splitlines() if _CODE.search(line) or _REPLY_CODE.search(line)), text)
    return Report(None, _dotted(code), _short(near)) if code[0] != 5 else _failed(code, near, text)


def _failed(code: tuple[int, int, int], words: str, text: str = "") -> Report:
    fault = whose(NotTaken("rcpt", 550, f"{_dotted(code)} {words}"))
    if fault is Fault.ADDRESS_OR_OURS:
        # After it had been taken, what says nothing more is this mail's trouble, unless it says whose.
        no_such_host = code[1:] == (4, 4)
        fault = Fault.ADDRESS if no_such_host or _NO_SUCH_ONE.search(f"{words}\n{text}") else Fault.MAIL
    return Report(fault, _dotted(code), _short(words))


def _code(text: str) -> tuple[int, int, int] | None:
    found = _CODE.search(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _dotted(code: tuple[int, int, int]) -> str:
    return ".".join(map(str, code))


def _short(words: str) -> str:
    return without_addresses(words)[:300]
