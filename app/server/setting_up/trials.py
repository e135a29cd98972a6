"""What is tried of an answer at the set-up, before anything is written: folders, names, ports, logins, a mail."""

from __future__ import annotations

import imaplib
import os
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

from imap_tools.errors import ImapToolsError

from app.base.process.config import Config
from app.base.process.mail_settings import lmtp_port, place_of
from app.base.process.networks import why_not
from app.post.inbound import imap
from app.post.route.host import Connection, NotTaken, TimeLimits, plain_mail
from app.server.setting_up.answers import NONE, ROOT_DATA, Question, Unfit
from app.upkeep.doctor.names import Names, NoAnswer

SECONDS = 15.0
_LIMITS = TimeLimits.all(SECONDS)


def run(question: Question, said: Mapping[str, str], config: Config, *, units: bool) -> None:
    """Try what the last answer promises; `units` if systemd's will run the server. Raises Unfit with one sentence, and
    leaves nothing behind but a mail."""
    if question.name == "address":
        _leads_somewhere(config)
    elif question.name in ("data", "backups") and said[question.name] != NONE:
        _can_be_made(question.name, Path(said[question.name]), units=units)
    elif question.name == "listen":
        _is_free(config.listen)
    elif question.name in ("mail-host", "mail-password", "mail-from"):
        _is_taken(config, judges_sender=question.name == "mail-from")
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
        raise Unfit(f"--address: {error}; --untried takes it as it is.") from None
    if not found:
        do = "let an A or AAAA record lead to this machine first, or take it as it is with --untried"
        raise Unfit(f"--address: no name server knows {host}; {do}.")


def _can_be_made(name: str, folder: Path, *, units: bool) -> None:
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        raise Unfit(f"--{name}: {there} is a file, not a folder.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise Unfit(f"--{name}: {there} cannot be written by this user.")
    if units and not any(folder.is_relative_to(one) for one in (ROOT_DATA, *_opened())):
        raise Unfit(
            f"--{name}: the units may write below {ROOT_DATA} alone; choose a folder there, or let `systemctl edit "
            f"postroad@` add ReadWritePaths={folder} to [Service] first."
        )


def _is_free(listen: str) -> None:
    host, port = place_of(listen)
    error = None if port is None else why_not(host, port)
    if error is not None and not _is_our_web(host, port or 0):
        raise Unfit(f"--listen: {listen} cannot be used: {error.strerror}.")


def _is_our_web(host: str, port: int) -> bool:
    with (
        suppress(OSError),
        urlopen(f"http://{f'[{host}]' if ':' in host else host}:{port}/health/live", timeout=2) as page,
    ):
        return bool(page.read(100).startswith(b'{"alive"'))
    return False


def _opened() -> list[str]:
    """Return the folders that the operator has opened to the units."""
    asked = ["systemctl", "show", "--property", "ReadWritePaths", "--value", "postroad@all"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()


def _is_taken(config: Config, *, judges_sender: bool) -> None:
    """Let the host greet us, and say whether it takes mails of the sender, once the sender has been asked for."""
    assert config.mail_host is not None  # the question before has named it
    connection = _connection(config)
    try:
        connection.greet()
    except NotTaken as trouble:
        if judges_sender or trouble.stage != "mail":
            raise _unfit(config, trouble) from None
    finally:
        connection.close()


def _connection(config: Config) -> Connection:
    assert config.mail_host is not None
    return Connection(config.mail_host, config.mail_from, config.host, _LIMITS)


def _unfit(config: Config, trouble: NotTaken) -> Unfit:
    """Return the refusal, of the answer that led to it."""
    assert config.mail_host is not None
    option = {"connect": "mail-host", "login": "mail-user", "mail": "mail-from"}.get(trouble.stage, "operator")
    what = {"connect": "cannot be reached", "login": "refuses the login"}.get(trouble.stage, "takes no mail")
    return Unfit(f"--{option}: {config.mail_host.route} {what}: {str(trouble).rstrip('.')}.", option)


def _way_in(config: Config) -> None:
    at = config.mail_in
    if at.lmtp and (port := lmtp_port(at.lmtp)):
        error = why_not("127.0.0.1", port)
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
        raise _unfit(config, trouble) from None
    finally:
        connection.close()
