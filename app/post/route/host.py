"""The conversation with the mail host: one connection for many mails, encrypted if it can or must be."""

from __future__ import annotations

import re
import smtplib
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid, parseaddr
from typing import NoReturn, Self

from app.base.process.config import Config
from app.base.process.lent import nothing_open
from app.base.process.mail_settings import MailHost
from app.base.process.networks import is_loopback

IDLE_SECONDS = 1.0
"""A connection unused for longer is checked before a mail is given to it."""
CLOSING = 421
"""The reply with which a host ends the connection by itself (RFC 5321, 4.2.2)."""
_ENHANCED = re.compile(r"\s*([245])\.(\d{1,3})\.(\d{1,3})\b")
_ADDRESS = re.compile(r"[^\s<>:;,()\"']+@[^\s<>:;,()\"']+")
_BEGINS_WITH_A_DOT = re.compile(rb"(?m)^\.")


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds that the host has at each stage (RFC 5321, 4.5.3.2). Waiting less takes accepted mails for refused ones,
    and sends them twice."""

    connect: float = 30
    """For the connection itself, about which that chapter says nothing."""
    greeting: float = 300
    """And for every answer without its own line here: EHLO, STARTTLS, AUTH."""
    mail: float = 300
    rcpt: float = 300
    data: float = 120
    block: float = 180
    """For the text; no mail of ours is longer than a block or two."""
    sent: float = 600
    """After the final dot: this is when filters look at the mail."""
    quit: float = 5

    @classmethod
    def all(cls, seconds: float) -> Self:
        """Return the same for each stage but the goodbye, where a person waits."""
        return cls(*[seconds] * 7)


class NotTaken(Exception):
    """The host has not accepted a mail, or it is unknown whether it has.

    `stage` is how far it got: `connect`, `login`, `mail`, `rcpt`, `data` or `sent` (after the final dot); `code` is the
    host's answer, 0 when it hung up, was silent or could not be reached; `enhanced` is the code of RFC 3463 as three
    numbers, if it gave one.
    """

    def __init__(self, stage: str, code: int, words: bytes | str) -> None:
        text = without_addresses(words)
        super().__init__(f"{code} {text}" if code else text or "the connection was lost")
        self.stage = stage
        self.code = code
        found = _ENHANCED.match(text) if code else None
        self.enhanced: tuple[int, int, int] | None = None
        if found is not None:
            self.enhanced = (int(found[1]), int(found[2]), int(found[3]))


def without_addresses(words: bytes | str) -> str:
    """Return what a host said, on one line: logs contain no addresses."""
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    return _ADDRESS.sub("...", " ".join(text.split()))


def plain_mail(config: Config, to: str, subject: str, text: str, at: datetime) -> EmailMessage:
    """Return a mail of the server itself, which goes out without the outbox."""
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = config.mail_from, to, subject
    mail["Date"], mail["Message-ID"] = format_datetime(at), make_msgid(domain=config.host)
    mail.set_content(text)
    return mail


class Connection:
    """An open connection, made when the first mail is handed over. For one thread at a time."""

    def __init__(self, host: MailHost, sender: str, our_name: str, limits: TimeLimits | None = None) -> None:
        self._host = host
        self._sender = parseaddr(sender)[1]
        self._our_name = our_name
        self._limits = limits or TimeLimits()
        self._smtp: smtplib.SMTP | None = None
        self._used_at = 0.0

    def hand_over(self, address: str, message: bytes, sender: str | None = None) -> str:
        """Give one mail to the host; return its answer, or raise NotTaken if it does not accept it. `sender` gets
        reports about it: an empty one is nobody, None the sender of all mails."""
        nothing_open("a mail is handed over")
        smtp = self._begin(len(message), self._sender if sender is None else sender)
        self._say(smtp, "rcpt", self._limits.rcpt, f"RCPT TO:<{address}>", (250, 251))
        self._say(smtp, "data", self._limits.data, "DATA", (354,))
        text = _BEGINS_WITH_A_DOT.sub(b"..", message)
        if not text.endswith(b"\r\n"):
            text += b"\r\n"
        try:
            self._wait_for(smtp, self._limits.block)
            smtp.send(text + b".\r\n")
        except (smtplib.SMTPException, OSError) as error:
            self._lost("data", error)
        return self._say(smtp, "sent", self._limits.sent, None, (250,))

    @property
    def is_encrypted(self) -> bool:
        """Whether the open connection is."""
        return self._smtp is not None and isinstance(self._smtp.sock, ssl.SSLSocket)

    @property
    def is_here(self) -> bool:
        """Whether the host is on this machine."""
        return is_loopback(self._host.host)

    def greet(self) -> None:
        """Check whether the host would accept mails from us now; raise NotTaken if it would not."""
        nothing_open("the mail host is greeted")
        smtp = self._begin(0, self._sender)
        self._say(smtp, "mail", self._limits.mail, "RSET", (250,))

    def _begin(self, size: int, sender: str) -> smtplib.SMTP:
        """Return an open connection on which a mail has been begun."""
        for _ in range(2):
            was_open = self._smtp is not None
            smtp = self._open()
            self._used_at = time.monotonic()
            with_size = f" SIZE={size}" if size and smtp.has_extn("size") else ""
            try:
                self._say(smtp, "mail", self._limits.mail, f"MAIL FROM:<{sender}>{with_size}", (250,))
                return smtp
            except NotTaken as refused:
                # A host may end a connection after so many mails, or after some time; a new one tells more.
                if not (was_open and refused.code in (0, CLOSING)):
                    raise
        raise AssertionError("the second connection is a new one")

    def _say(self, smtp: smtplib.SMTP, stage: str, seconds: float, line: str | None, wanted: tuple[int, ...]) -> str:
        """Send a line, if there is one; return the host's answer, without addresses."""
        try:
            self._wait_for(smtp, seconds)
            if line is not None:
                smtp.putcmd(line)
            code, words = smtp.getreply()
        except (smtplib.SMTPException, OSError) as error:
            self._lost(stage, error)
        if code in wanted:
            return f"{code} {without_addresses(words)}".strip()
        if code == CLOSING or not 400 <= code < 600:
            self._drop()
        else:
            self._forget_the_mail(smtp)
        raise NotTaken(stage, code, words)

    def _forget_the_mail(self, smtp: smtplib.SMTP) -> None:
        """Start over on the same connection."""
        try:
            self._wait_for(smtp, self._limits.greeting)
            if smtp.rset()[0] == 250:
                return
        except (smtplib.SMTPException, OSError):
            pass
        self._drop()

    @staticmethod
    def _wait_for(smtp: smtplib.SMTP, seconds: float) -> None:
        if smtp.sock is None:
            raise smtplib.SMTPServerDisconnected("the connection was lost")
        smtp.sock.settimeout(seconds)

    def _lost(self, stage: str, error: Exception) -> NoReturn:
        self._drop()
        raise NotTaken(stage, 0, str(error)) from None

    # -- connections ------------------------------------------------------------------------------

    def _open(self) -> smtplib.SMTP:
        if self._smtp is not None and self._is_alive(self._smtp):
            return self._smtp
        host, stage = self._host, "connect"
        smtp = _Smtp(self._our_name, self._limits, encrypted=host.tls == "always")
        try:
            code, words = smtp.connect(host.host, host.port)
            if code != 220:
                raise NotTaken(stage, code, words)
            if host.tls != "always":
                self._start_tls(smtp)
            smtp.ehlo_or_helo_if_needed()
            if host.user and host.password:
                if not isinstance(smtp.sock, ssl.SSLSocket) and not is_loopback(host.host):
                    raise NotTaken(stage, 0, "the host offers no encryption, so the password was not sent")
                stage = "login"
                smtp.login(_Utf8(host.user), _Utf8(host.password))
        except smtplib.SMTPResponseException as refused:
            smtp.close()
            raise NotTaken(stage, refused.smtp_code, refused.smtp_error) from None
        except (smtplib.SMTPException, OSError, ValueError) as error:
            smtp.close()
            raise NotTaken(stage, 0, str(error)) from None
        except BaseException:
            smtp.close()
            raise
        self._smtp = smtp
        return smtp

    def _is_alive(self, smtp: smtplib.SMTP) -> bool:
        """Return whether the host still listens; an idle connection that it has dropped is closed."""
        if time.monotonic() - self._used_at <= IDLE_SECONDS:
            return True
        try:
            self._wait_for(smtp, self._limits.greeting)
            if smtp.noop()[0] == 250:
                return True
        except (smtplib.SMTPException, OSError):
            pass
        self.close()
        return False

    def _start_tls(self, smtp: smtplib.SMTP) -> None:
        smtp.ehlo()
        if smtp.has_extn("starttls"):
            context = ssl.create_default_context()
            if self._host.tls != "required" and (not self._host.password or self.is_here):
                # Offered only: an unproven name is still better than plain text, which is what would be left. But a
                # password goes to a proven host alone.
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            smtp.starttls(context=context)
            smtp.ehlo()
        elif self._host.tls == "required":
            raise smtplib.SMTPNotSupportedError("the host offers no STARTTLS, which ?tls=required asks for")

    def _drop(self) -> None:
        """Drop the connection without a word."""
        smtp, self._smtp = self._smtp, None
        if smtp is not None:
            smtp.close()

    def close(self) -> None:
        """End the connection; the next mail opens another one."""
        smtp, self._smtp = self._smtp, None
        if smtp is not None:
            try:
                self._wait_for(smtp, self._limits.quit)
                smtp.quit()
            except (smtplib.SMTPException, OSError):
                smtp.close()


class _Utf8(str):
    """Text that is sent as UTF-8 (RFC 4616, 2) where smtplib asks for ASCII."""

    def encode(self, encoding: str = "", errors: str = "strict") -> bytes:
        return super().encode("utf-8", errors)


class _Smtp(smtplib.SMTP):
    """Connects within one time limit and waits for the greeting within another; encrypted from the start, if asked."""

    def __init__(self, our_name: str, limits: TimeLimits, *, encrypted: bool) -> None:
        super().__init__(local_hostname=our_name, timeout=limits.connect)
        self._greeting = limits.greeting
        self._context = ssl.create_default_context() if encrypted else None

    def auth(
        self, mechanism: str, authobject: Callable[..., str | None], *, initial_response_ok: bool = True
    ) -> tuple[int, bytes]:
        def answer(challenge: bytes | None = None) -> str | None:
            said = authobject(challenge)
            return None if said is None else _Utf8(said)

        return super().auth(mechanism, answer, initial_response_ok=initial_response_ok)  # type: ignore[arg-type]

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        self._host = host  # by which STARTTLS proves the certificate
        opened = socket.create_connection((host, port), timeout, self.source_address)
        if self._context is not None:
            try:
                opened = self._context.wrap_socket(opened, server_hostname=host)
            except BaseException:
                opened.close()
                raise
        opened.settimeout(self._greeting)
        return opened
