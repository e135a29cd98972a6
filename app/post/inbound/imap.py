"""Fetching mails from a mailbox, for hosts that cannot deliver mails to us.

A mail is marked as seen after it has been judged and stored, so that a failed one is tried again. Mails that are not
for us stay where they are, marked as seen.
"""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

from imap_tools import AND, BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted, MailMessageFlags

from app.base.process.mail_settings import ImapBox
from app.base.process.networks import is_loopback
from app.base.server import Server
from app.base.stored import failing
from app.post.inbound import gate
from app.post.inbound.incoming import MOST_BYTES, Incoming

log = logging.getLogger("postroad.mail")

LOOK_EVERY_SECONDS = 30.0
ANSWERS_WITHIN_SECONDS = 60.0
AT_ONCE = 200


def watch(server: Server, stop: threading.Event, clock: Callable[[], datetime]) -> None:
    """Poll the mailbox until `stop` is set. A mailbox that cannot be reached is retried."""
    assert server.config.mail_in.imap is not None
    failed = False
    while not stop.is_set():
        try:
            with opened(server.config.mail_in.imap) as box:
                failed = False
                while not stop.is_set():
                    look(server, box, clock)
                    _wait(box, stop)
        except Exception as error:
            if not failed:
                log.error("the mailbox could not be read: %s", " ".join(str(error).split())[:300])
            failed = True
            stop.wait(LOOK_EVERY_SECONDS)


def look(server: Server, box: BaseMailBox, clock: Callable[[], datetime]) -> int:
    """Fetch the unseen mails, oldest first; return how many. One that cannot be processed does not hold up the others:
    its error is raised at the end."""
    taken, left = 0, dict[str, Exception]()
    while found := [uid for uid in box.uids(AND(seen=False)) if uid not in left][:AT_ONCE]:
        for uid in found:
            mail = _fetch(box, uid)
            try:
                if mail is not None:
                    gate.take(server, mail, clock())
            except Exception as error:
                failing.tell(server.database, "mailbox", f"mail {uid}", error, clock())
                left[uid] = error
            else:
                box.flag(uid, MailMessageFlags.SEEN, True)
                taken += 1
    if left:
        raise next(iter(left.values()))
    return taken


def _fetch(box: BaseMailBox, uid: str) -> Incoming | None:
    """Fetch one mail; only the headers of one that is too large. None when it is gone."""
    size = _size(_ask(box, uid, "(RFC822.SIZE)"))
    what = "(BODY.PEEK[])" if size <= MOST_BYTES else "(BODY.PEEK[HEADER])"
    raw = next((part[1] for part in _ask(box, uid, what) if isinstance(part, tuple)), None)
    return None if raw is None else Incoming(raw, whole_size=max(size, len(raw)))


def _ask(box: BaseMailBox, uid: str, what: str) -> list[Any]:
    status, data = box.client.uid("fetch", uid, what)
    if status != "OK":
        raise OSError(f"the mailbox answered {status}")
    return list(data)


def _size(data: list[Any]) -> int:
    text = b" ".join(part[0] if isinstance(part, tuple) else part or b"" for part in data)
    digits = text.partition(b"RFC822.SIZE ")[2].split(b")")[0].split(b" ")[0]
    return int(digits) if digits.isdigit() else 0


def _wait(box: BaseMailBox, stop: threading.Event) -> None:
    """Wait until the mailbox reports a new mail, or for a while."""
    if "IDLE" not in box.client.capabilities:
        stop.wait(LOOK_EVERY_SECONDS)
        return
    with box.idle as idle:
        for _ in range(int(LOOK_EVERY_SECONDS)):
            if stop.is_set() or idle.poll(timeout=1):
                return


def opened(at: ImapBox) -> BaseMailBox:
    """Return the mailbox, logged in. A password goes only over an encrypted connection, or to this machine."""
    context = ssl.create_default_context()
    box: BaseMailBox
    if at.encrypted:
        box = MailBox(at.host, at.port, timeout=ANSWERS_WITHIN_SECONDS, ssl_context=context)
    elif is_loopback(at.host):
        box = MailBoxUnencrypted(at.host, at.port, timeout=ANSWERS_WITHIN_SECONDS)
    else:
        box = MailBoxStartTls(at.host, at.port, timeout=ANSWERS_WITHIN_SECONDS, ssl_context=context)
    login = box.login if (at.user + at.password).isascii() else box.login_utf8
    return login(at.user, at.password, initial_folder=at.folder)
