"""The port to the rooms that play answers by mail: what they are given, and what they may answer with.

Until one registers, every answer gets a mail with the way to the page. Kinds of mails that ask something to which the
answer is yes or no have a handler each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from sqlmodel import select

from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import PlannedMail
from app.base.words.speech import Voice
from app.games.work import Work
from app.people.tables import Player
from app.post.inbound.incoming import Incoming
from engine.kernel.notation import fold
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text


@dataclass(frozen=True, slots=True)
class Reply:
    """A player's answer to a mail of ours."""

    mail: Incoming = field(repr=False)
    asked: OutboxMail = field(repr=False)
    """The mail that it answers."""
    is_owed: bool
    """Whether the same player still owes the decision that it asked for."""
    is_proven: bool
    """Whether it is certain that the player has sent it. If not, nothing may be played."""
    text: Callable[[Callable[[str], bool]], str] = field(default=lambda _: "", repr=False)
    """What its author has written (`app.post.inbound.reading`), given a function that says which lines can be read."""


class TakesReplies(Protocol):
    """A handler of answers."""

    def __call__(self, work: Work, reply: Reply, key: str, now: datetime) -> PlannedMail | None:
        """Do what follows from an answer in this transaction, and mail the result. `key` is the mail's."""


class TakesYesOrNo(Protocol):
    """A handler of answers to a kind of mail that asks a question of its reader alone."""

    def __call__(self, work: Work, asked: OutboxMail, *, is_yes: bool, now: datetime) -> Result:
        """Do what follows in this transaction. Raises Refusal before anything is written."""


@dataclass(frozen=True, slots=True)
class Result:
    """What an answer has led to, in a sentence, and the page that shows it (a path)."""

    said: Text
    page: str


YES = frozenset(map(fold, ("yes", "y", "ok", "oui", "si", "sí", "sì")))
NO = frozenset(map(fold, ("no", "n", "non", "not this time", "pas cette fois", "esta vez no", "non questa volta")))


def yes_or_no(line: str) -> bool | None:
    """Return what a line says, in any of the languages; None for anything else."""
    said = fold(line)
    return said in YES if said in YES | NO else None


def point_to_page(work: Work, reply: Reply, key: str, now: datetime) -> PlannedMail:
    """Mail the way to where the answer can be given."""
    asked = reply.asked
    # Not under the mail's own number: it also goes out when the decision has been made in the meantime.
    details = {"number": asked.number}
    address = reply.mail.author or asked.address
    return PlannedMail(key, "mail_answer", address, asked.player_id, asked.game_id, asked.seat, None, details)


def tell_of_stranger(reply: Reply, key: str) -> PlannedMail | None:
    """Mail that nothing was done, since the answer is not from its reader's address: to its author, if known for
    certain, or to the reader. It contains no link that answers anything."""
    asked = reply.asked
    to = reply.mail.author if reply.is_proven else None
    details = {"author": reply.mail.author or reply.mail.header("From")[:80]}
    return PlannedMail(key, "mail_answer", to or asked.address, asked.player_id, details=details)


def take_yes_or_no(work: Work, reply: Reply, takes: TakesYesOrNo, key: str, now: datetime) -> PlannedMail:
    """Do what an answer says if its author is certain; mail the outcome."""
    asked = reply.asked
    written = reply.text(lambda line: yes_or_no(line) is not None)
    said = next((yes_or_no(line) for line in written.splitlines() if line.strip()), None)
    page = "/games"
    if not reply.is_proven:
        why = Text("Nothing proves that this mail is from you, so nothing was done. Use the link of the mail.")
    elif said is None:
        why = Text("Nothing was done. Write “yes” or “no”, alone in the first line, or use the link of the mail.")
    else:
        try:
            result = takes(work, asked, is_yes=said, now=now)
        except Refusal as no:
            why = no.why
        else:
            why, page = result.said, result.page
    reader = work.session.exec(select(Player).where(Player.id == asked.player_id)).one()
    details = {"result": Voice(reader.language, reader.zone).say(why), "page": page}
    return PlannedMail(key, "mail_answer", reply.mail.author or asked.address, asked.player_id, details=details)


_takes: TakesReplies = point_to_page


def register(takes: TakesReplies) -> None:
    """Set the handler of answers."""
    global _takes
    _takes = takes


def taker() -> TakesReplies:
    """Return the handler of answers."""
    return _takes


_asks: dict[str, TakesYesOrNo] = {}


def register_question(kind: str, takes: TakesYesOrNo) -> None:
    """Set the handler of answers to a kind of mail."""
    _asks[kind] = takes


def question(kind: str) -> TakesYesOrNo | None:
    """Return the handler of answers to a kind of mail that asks for yes or no."""
    return _asks.get(kind)
