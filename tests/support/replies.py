"""People who answer mails by mail: what they write goes through the gate, what comes back through a real mail host."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import parseaddr
from itertools import count

from app.base.database import Database
from tests.support.inbound import WayIn, written
from tests.support.sink import text_of
from tests.support.tables import NOW, address

MINUTE = timedelta(minutes=1)


@dataclass
class Correspondence:
    """A server whose players have only their mails; every answer comes two minutes after the one before."""

    way: WayIn
    now: datetime = NOW

    def __post_init__(self) -> None:
        self._numbers = count(1)
        self.way.send(self.now)

    @property
    def database(self) -> Database:
        return self.way.database

    def last(self, who: str) -> EmailMessage:
        """The last mail to somebody."""
        return self.way.sink.mails(address(who))[-1]

    def says(self, who: str, text: str, to: str = "", **given: str) -> str:
        """Somebody answers the last mail (or the one `to` whose address it is); what the mail was held to be."""
        self.now += 2 * MINUTE
        mail = written(next(self._numbers), text, author=address(who), **given)
        verdict = self.way.take(mail, to or parseaddr(str(self.last(who)["Reply-To"]))[1], self.now, address(who))
        self.way.send(self.now)
        return str(verdict)

    def words(self, who: str) -> str:
        """The text of the last mail to somebody, on one line."""
        return " ".join(text_of(self.last(who)).split())
