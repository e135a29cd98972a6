"""What is tried of an answer at the set-up, before anything is written: folders, names, ports, logins, a mail."""

from __future__ import annotations

import imaplib
import os
import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from imap_tools.errors import ImapToolsError

from app.base.process.config import Config
from app.base.process.mail_settings import lmtp_port
from app.post.inbound import imap
from app.post.route.host import Connection, NotTaken, TimeLimits, plain_mail
from app.server import ports
from app.server.setting_up.answers import NONE, Question, Unfit
from app.upkeep.doctor.names import Names, NoAnswer

SECONDS = 15.0
_LIMITS = TimeLimits.all(SECONDS)


def run(question: Question, said: Mapping[str, str], config: Config) -> None:
    """Try what the last answer promises. Raises Unfit with one sentence, and leaves nothing behind but a mail."""
    if question.name == "address":
        _leads_somewhere(config)
    elif question.name in ("data", "backups") and said[question.name] != NONE:
        _can_be_made(question.name, Path(said[question.name]))
    elif question.name == "mail-from":
        _is_taken(config)
    elif question.name == "mail-in":
        _way_in(config)
    elif question.name == "operator" and said["operator"] != NONE:
        _send(config, said["operator"])


def _leads_somewhere(config: Config) -> None:
    host = urlsplit(config.base_url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return
    try:
        found = Names(config).addresses(host)
    except (NoAnswer, ValueError) as error:
        raise Unfit(f"--address: {error}.") from None
    if not found:
        raise Unfit(f"--address: no name server knows {host}; let an A or AAAA record lead to this machine first.")


def _can_be_made(name: str, folder: Path) -> None:
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        raise Unfit(f"--{name}: {there} is a file, not a folder.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise Unfit(f"--{name}: {there} cannot be written by this user.")


def _is_taken(config: Config) -> None:
    assert config.mail_host is not None  # the question before has named it
    connection = _connection(config)
    try:
        connection.greet()
        if config.mail_host.password and not (connection.is_encrypted or connection.is_here):
            raise Unfit(
                f"--mail-host: {config.mail_host.route} would get the password unencrypted; use port 587 or 465."
            )
    except NotTaken as trouble:
        raise Unfit(_words(config, trouble)) from None
    finally:
        connection.close()


def _connection(config: Config) -> Connection:
    assert config.mail_host is not None
    return Connection(config.mail_host, config.mail_from, config.host, _LIMITS)


def _words(config: Config, trouble: NotTaken) -> str:
    assert config.mail_host is not None
    option = {"connect": "mail-host", "login": "mail-user", "mail": "mail-from"}.get(trouble.stage, "operator")
    what = {"connect": "cannot be reached", "login": "refuses the login"}.get(trouble.stage, "takes no mail")
    return f"--{option}: {config.mail_host.route} {what}: {str(trouble).rstrip('.')}."


def _way_in(config: Config) -> None:
    at = config.mail_in
    if at.lmtp and (port := lmtp_port(at.lmtp)):
        error = ports.why_not("127.0.0.1", port)
        if error is not None and not _is_ours(port):
            raise Unfit(f"--mail-in: 127.0.0.1:{port} cannot be used: {error.strerror}.")
    if at.imap:
        try:
            imap.opened(at.imap).logout()
        except (OSError, imaplib.IMAP4.error, ImapToolsError) as error:
            said = " ".join(str(error).split())[:200].replace(at.imap.password, "***")
            raise Unfit(f"--mail-in: {at.imap.host}:{at.imap.port}: {said}.") from None


def _is_ours(port: int) -> bool:
    """Whether a server that speaks LMTP answers there already: most likely our own `mail serve`."""
    try:
        with socket.create_connection(("127.0.0.1", port), 2) as there:
            return there.recv(200).startswith(b"220 ")
    except OSError:
        return False


def _send(config: Config, to: str) -> None:
    text = f"{config.base_url} is being set up, and you are its operator.\nNobody needs to answer this mail.\n"
    mail = plain_mail(config, to, "Post Road can send mails", text, datetime.now(UTC))
    connection = _connection(config)
    try:
        connection.hand_over(to, mail.as_bytes())
    except NotTaken as trouble:
        raise Unfit(_words(config, trouble)) from None
    finally:
        connection.close()
