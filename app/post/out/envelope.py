"""The envelope and reply address of a mail: who gets reports about it, and where answers go."""

from __future__ import annotations

from email.utils import parseaddr

from app.base.process.config import Config
from app.post.letters.reply_addresses import BOUNCES, NEVER, REPLIES, Tags
from app.post.letters.writing import QueuedMail
from app.post.route.host import Connection, NotTaken

ECHO = "echo"
ANSWERS = frozenset({"mail_answer", ECHO})
"""Kinds of mails that answer a mail: nobody gets reports about them, and no program answers them in turn. A person may
answer an echo, which can ask for one more word."""


class Envelopes:
    """The envelopes of all mails of one server."""

    def __init__(self, config: Config) -> None:
        self._name = parseaddr(config.mail_from)[0]
        self._tags = Tags(config.mail_from, config.secret_keys) if config.mail_in.tags else None

    def reply_to(self, mail: QueuedMail) -> tuple[str, str] | None:
        """Return name and address for answers; None if they go to the sender."""
        if self._tags is None or (mail.kind in ANSWERS and mail.kind != ECHO):
            return None
        return self._name, self._tags.address(REPLIES, mail.id)

    def hand_over(self, connection: Connection, mail: QueuedMail, message: bytes) -> str:
        """Give a mail to the host; return its answer, or raise NotTaken if it does not accept it."""
        if mail.kind not in ANSWERS:
            sender = self._tags.address(BOUNCES, mail.id) if self._tags else None
            return connection.hand_over(mail.address, message, sender)
        try:
            return connection.hand_over(mail.address, message, "")
        except NotTaken as refused:
            if refused.stage != "mail" or not 500 <= refused.code < 600:
                raise
            # Some hosts accept no mail without a sender from those who log in.
            never = self._tags.address(NEVER, mail.id) if self._tags else None
            return connection.hand_over(mail.address, message, never)
