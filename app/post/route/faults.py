"""Whose fault a refused mail is: the address's, ours, or that of this one mail.

The host's answer and its stage usually tell (RFC 3463 for codes such as 5.1.1), but not always: a refusal at RCPT can
be about the address or about the client. What may be our fault counts as ours when several mails in a row meet it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from threading import Lock

from app.post.route import wording
from app.post.route.host import NotTaken

BEFORE_A_RECIPIENT = ("connect", "login", "mail")
"""Stages at which the host has not yet heard whom the mail is for."""
_LOG_IN_FIRST = (530, 534, 535, 538)
"""Codes that ask for another login, at any stage (RFC 4954, 6)."""
_TOO_LARGE = 552
IN_A_ROW = 3
"""This many mails refused in a row, with none accepted between them, were refused because of us."""
MOST_IN_A_ROW = 48
STREAK_LASTS = timedelta(hours=2)


class Fault(Enum):
    """Whose fault it is, as far as one answer tells."""

    OURS = "ours"
    """The way to the host or our standing with it: no mail would be accepted now."""
    ADDRESS = "address"
    """The recipient does not exist, or accepts no mails. Permanent."""
    MAIL = "mail"
    """This mail: its size or its content; or its recipient cannot accept it just now."""
    FULL = "full"
    """The mailbox of its recipient: said only of a mail that had been accepted and is given up."""
    POLICY = "policy"
    """A rule of the host, x.7.x: ours if recipients of different domains meet it."""
    ADDRESS_OR_OURS = "address or ours"
    """A permanent refusal at RCPT that says nothing more."""
    MAIL_OR_OURS = "mail or ours"
    """It hung up, was silent, or wants the mail later and says nothing more."""


def whose(trouble: NotTaken) -> Fault:
    """Return whose fault a mail's trouble is, judged by itself."""
    code, (kind, subject, detail) = trouble.code, trouble.enhanced or (trouble.code // 100, 0, 0)
    if (subject, detail) == (3, 4) or (code == _TOO_LARGE and subject in (0, 3)):
        return Fault.MAIL
    if trouble.stage in BEFORE_A_RECIPIENT or code in _LOG_IN_FIRST or (subject, detail) in ((1, 7), (1, 8), (7, 27)):
        return Fault.OURS  # x.1.7, x.1.8 and x.7.27 are about the sender's address
    if wording.is_our_limit(str(trouble)):  # said with codes of an address, too, such as 5.1.90 and 5.2.2
        return Fault.OURS
    if subject in (1, 2):
        fault = of_report((kind, subject, detail), str(trouble)) if kind == 5 else Fault.MAIL
        return Fault.ADDRESS if fault is Fault.FULL else fault
    if subject == 6:
        return Fault.MAIL
    if subject == 7:
        return Fault.POLICY
    if kind == 5 and trouble.stage == "rcpt" and subject in (0, 4):
        return Fault.ADDRESS_OR_OURS  # x.4.1 is how some hosts say that they know no such recipient
    return Fault.MAIL_OR_OURS


def of_report(code: tuple[int, int, int], words: str) -> Fault:
    """Return whose fault it is that a mail does not arrive, by the code (RFC 3463) and the words of the host that gave
    it up. What the words say takes precedence over the code: hosts write 5.1.1 for "too many this hour", and 5.7.1 for
    "no such user"."""
    if wording.is_about_the_sender(words) or wording.is_our_limit(words):
        return Fault.POLICY
    if code[1:] == (2, 2) or wording.is_full(words):
        return Fault.FULL
    if wording.names_fail(words) or (4 in code[:2] and wording.passes(words)):
        return Fault.MAIL
    if wording.is_no_such(words) if code[0] == 5 else wording.is_no_domain(words):
        return Fault.ADDRESS
    if code[1] == 7 or wording.is_a_rule(words):
        return Fault.POLICY
    is_address = code[0] == 5 and (code[1] == 1 or code[1:] in ((2, 1), (4, 4))) and not wording.passes(words)
    return Fault.ADDRESS if is_address and code[1:] not in ((1, 7), (1, 8)) else Fault.MAIL


@dataclass(frozen=True, slots=True)
class _RefusedAddress:
    address: str
    at: datetime
    by_policy: bool

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2].lower()


class Streak:
    """The mails of one process that were refused in a row, each at its first attempt: repeated refusals while others
    are accepted say nothing about us. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._refused: dict[int, _RefusedAddress] = {}

    def clear(self) -> None:
        """Note that a mail was accepted."""
        if self._refused:
            with self._lock:
                self._refused.clear()

    def add(self, mail_id: int, address: str, fault: Fault, at: datetime) -> None:
        """Note one more refusal."""
        with self._lock:
            self._refused[mail_id] = _RefusedAddress(address.lower(), at, fault is Fault.POLICY)
            old = [key for key, each in self._refused.items() if each.at < at - STREAK_LASTS]
            for key in old:
                del self._refused[key]

    def since(self, least: int = IN_A_ROW) -> datetime | None:
        """Return when the first one was refused, if all of them together are our fault; else None.

        A rule of the host must affect at least `least` mails to different domains, since one domain may just dislike
        us. Answers without a reason must affect as many mails to different recipients.
        """
        with self._lock:
            refused = list(self._refused.values())
        plain = [each for each in refused if not each.by_policy]
        met = _several(refused, least, lambda each: each.domain) or _several(plain, least, lambda each: each.address)
        return min(each.at for each in refused) if met else None


def _several(refused: list[_RefusedAddress], least: int, differ: Callable[[_RefusedAddress], str]) -> bool:
    return len(refused) >= least and len({differ(each) for each in refused}) > 1


def least_in_a_row(times: int) -> int:
    """Return how many mails in a row it takes after so many pauses within one incident: if the host accepts some mails
    and refuses others, the pauses become rarer."""
    return min(IN_A_ROW << min(times, 10), MOST_IN_A_ROW)
