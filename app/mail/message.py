"""A mail as bytes for the wire: two parts of equal worth, and headers that mail programs rely on."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime, parseaddr

# Headers made of tokens that must not be encoded or cut; the standard library would do both to long ones.
_VERBATIM = {"message-id", "in-reply-to", "references", "list-unsubscribe", "list-unsubscribe-post"}


class _WirePolicy(EmailPolicy):
    """Lines end as SMTP wants them; headers of tokens are written as they are, one token a line."""

    def fold(self, name: str, value: str) -> str:
        if name.lower() in _VERBATIM:
            return f"{name}: " + f"{self.linesep} ".join(str(value).split()) + self.linesep
        if name.lower() == "subject" and str(value).isascii():
            # The standard library would begin some of them on the second line, which reads as a leading space.
            return self.linesep.join(textwrap.wrap(f"{name}: {value}", 76, subsequent_indent=" ")) + self.linesep
        if name.lower() == "subject":
            # Nor does it count spaces right between words that need encoding and words that do not.
            return f"{name}: {Header(str(value), 'utf-8', 76, name).encode(linesep=self.linesep)}{self.linesep}"
        return super().fold(name, value)

    def fold_binary(self, name: str, value: str) -> bytes:
        if name.lower() in _VERBATIM or name.lower() == "subject":
            return self.fold(name, value).encode("ascii")
        return super().fold_binary(name, value)


POLICY = _WirePolicy(linesep="\r\n", cte_type="7bit", max_line_length=76)


@dataclass(frozen=True, slots=True)
class Letter:
    """A rendered mail. `thread` is what all mails about one thing share; `unsubscribe` an address to POST to."""

    to: str
    to_name: str
    subject: str
    text: str
    html: str
    thread: str | None = None
    unsubscribe: str | None = None
    reply_to: tuple[str, str] | None = None
    """Name and address of who gets the answers."""


def message_bytes(letter: Letter, *, sender: str, host: str, mail_id: str, at: datetime) -> bytes:
    """The mail for the wire. `mail_id` is unique on this server and makes the Message-ID; ValueError for headers
    that hold a line break."""
    message = EmailMessage(policy=POLICY)
    name, address = parseaddr(sender)
    message["From"] = _address(name, address)
    message["To"] = _address(letter.to_name, letter.to)
    if letter.reply_to:
        message["Reply-To"] = _address(*letter.reply_to)
    message["Subject"] = one_line(letter.subject)
    message["Date"] = format_datetime(at)
    message["Message-ID"] = f"<{mail_id}@{host}>"
    if letter.thread:
        message["In-Reply-To"] = message["References"] = f"<{letter.thread}@{host}>"
        message["List-Id"] = f"<{letter.thread}.{host}>"
    if letter.unsubscribe:
        message["List-Unsubscribe"] = f"<{letter.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message.set_content(letter.text, cte="quoted-printable")
    message.add_alternative(letter.html, subtype="html", cte="quoted-printable")
    return message.as_bytes()


def one_line(text: str) -> str:
    """The text without line breaks and doubled spaces; spaces that must not break stay."""
    return re.sub(r"[ \t\r\n]+", " ", text).strip(" ")


def _address(name: str, address: str) -> Address:
    return Address(display_name=name, addr_spec=address)
