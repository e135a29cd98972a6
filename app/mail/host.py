"""Speaks to the mail host: one connection for many mails, encrypted where it can or must be."""

from __future__ import annotations

import smtplib
import ssl
import time
from email.utils import parseaddr
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.config import MailHost

TIMEOUT_SECONDS = 30
IDLE_SECONDS = 1.0
"""A connection unused for longer is asked whether it is still there, before a mail is given to it."""


class HostDown(Exception):
    """The mail host cannot be reached or does not want to talk now; no mail is to blame."""


class Refused(Exception):
    """The host refused one mail; `for_good` when trying again is useless."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}")
        self.for_good = 500 <= code < 600


class Connection:
    """An open connection, made when the first mail is handed over."""

    def __init__(self, host: MailHost, sender: str, our_name: str) -> None:
        self._host = host
        self._sender = parseaddr(sender)[1]
        self._our_name = our_name
        self._smtp: smtplib.SMTP | None = None
        self._used_at = 0.0

    def hand_over(self, address: str, message: bytes) -> None:
        """Give one mail to the host. HostDown or Refused when it does not take it."""
        smtp = self._open()
        self._used_at = time.monotonic()
        try:
            smtp.sendmail(self._sender, [address], message)
        except smtplib.SMTPRecipientsRefused as refused:
            code, reason = refused.recipients[address]
            raise Refused(code, _words(reason)) from None
        except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as refused:
            if refused.smtp_code == 421:
                self.close()
                raise HostDown(_words(refused.smtp_error)) from None
            raise Refused(refused.smtp_code, _words(refused.smtp_error)) from None
        except (smtplib.SMTPException, OSError) as error:
            self.close()
            raise HostDown(str(error)) from None

    def _open(self) -> smtplib.SMTP:
        if self._smtp is not None and self._is_alive(self._smtp):
            return self._smtp
        host = self._host
        try:
            if host.tls == "always":
                smtp: smtplib.SMTP = smtplib.SMTP_SSL(
                    host.host, host.port, self._our_name, timeout=TIMEOUT_SECONDS, context=ssl.create_default_context()
                )
            else:
                smtp = smtplib.SMTP(host.host, host.port, self._our_name, timeout=TIMEOUT_SECONDS)
                try:
                    self._start_tls(smtp)
                except BaseException:
                    smtp.close()
                    raise
            if host.user and host.password:
                if not isinstance(smtp.sock, ssl.SSLSocket) and not _is_here(host.host):
                    smtp.close()
                    raise HostDown("the host offers no encryption, so the password was not sent")
                smtp.login(host.user, host.password)
        except (smtplib.SMTPException, OSError) as error:
            raise HostDown(str(error)) from None
        self._smtp = smtp
        return smtp

    def _is_alive(self, smtp: smtplib.SMTP) -> bool:
        """Whether the host still listens; an idle connection that it has dropped is closed."""
        if time.monotonic() - self._used_at <= IDLE_SECONDS:
            return True
        try:
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
            if self._host.tls != "required":
                # Offered only: an unproven name is still better than plain text, which is what would be left.
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            smtp.starttls(context=context)
            smtp.ehlo()
        elif self._host.tls == "required":
            raise smtplib.SMTPNotSupportedError("the host offers no STARTTLS, which ?tls=required asks for")

    def close(self) -> None:
        """End the connection; the next mail opens another one."""
        smtp, self._smtp = self._smtp, None
        if smtp is not None:
            try:
                smtp.quit()
            except (smtplib.SMTPException, OSError):
                smtp.close()


def _words(reason: bytes | str) -> str:
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
