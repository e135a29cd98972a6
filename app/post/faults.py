"""Whose fault it is that a mail was not taken: the address's, ours, or that of this one mail.

What the host answers and when says it (RFC 3463 for codes such as 5.1.1), but not always: a refusal at RCPT can be
about the address or about whoever asks. What may be our fault is held to be so when several mails in a row meet it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.post.host import NotTaken

BEFORE_A_RECIPIENT = ("connect", "login", "mail")
"""Stages at which the host has not heard yet whom the mail is for."""
_LOG_IN_FIRST = (530, 534, 535, 538)
"""Codes that ask for another login, whenever they are said (RFC 4954, 6)."""
_TOO_LARGE = 552
IN_A_ROW = 3
"""So many mails that are refused one after another, and none taken between them, are refused because of us."""
MOST_IN_A_ROW = 48
STREAK_LASTS = timedelta(hours=2)


class Fault(Enum):
    """Whose fault it is, as far as one answer tells."""

    OURS = "ours"
    """The way to the host or our standing with it: no mail would be taken now."""
    ADDRESS = "address"
    """There is no such recipient, or it takes no mails. For good."""
    MAIL = "mail"
    """This mail: its size or what it holds; or its recipient cannot take it just now."""
    FULL = "full"
    """Its recipient's mailbox is full: of a report, which comes when whoever had taken the mail has given it up."""
    POLICY = "policy"
    """A rule of the host, x.7.x: ours when recipients of different domains meet it."""
    ADDRESS_OR_OURS = "address or ours"
    """A refusal for good at RCPT that says nothing more."""
    MAIL_OR_OURS = "mail or ours"
    """It hung up, was silent, or would rather have the mail later and says nothing more."""


def whose(trouble: NotTaken) -> Fault:
    """Whose fault a mail's trouble is, judged by itself."""
    code, (kind, subject, detail) = trouble.code, trouble.enhanced or (trouble.code // 100, 0, 0)
    if (subject, detail) == (3, 4) or (code == _TOO_LARGE and subject in (0, 3)):
        return Fault.MAIL
    if trouble.stage in BEFORE_A_RECIPIENT or code in _LOG_IN_FIRST or (subject, detail) in ((1, 7), (1, 8), (7, 27)):
        return Fault.OURS  # x.1.7, x.1.8 and x.7.27 are about the sender's address
    if subject in (1, 2):
        return Fault.ADDRESS if kind == 5 and (subject, detail) != (2, 3) else Fault.MAIL
    if subject == 6:
        return Fault.MAIL
    if subject == 7:
        return Fault.POLICY
    if kind == 5 and trouble.stage == "rcpt" and subject in (0, 4):
        return Fault.ADDRESS_OR_OURS  # x.4.1 is how some hosts say that they know no such recipient
    return Fault.MAIL_OR_OURS


_WHO = (
    r"(?:user|username|recipients?|rece?ipient|mail ?-?box|inbox|addresse?e?s?|e-?mail|account|alias|person|domain|host|customer"
    r"|userid|local[- ]part|destination|rcpt|contact|member)"
)
_GONE = (
    r"(?:no such|no|non-?existe?a?nt|unknown|invalid|illegal|bad|undeliverable|unrout(?:e?able)|deactivated|disabled|inactive"
    r"|isn't|can't accept|cannot find|couldn't find|could not find|not our)"
)
_IS_GONE = (
    r"(?:not (?:be )?(?:found|exist\w*|known|recogni[sz]ed|valid|active|listed|present|local|available|resolve\w*|a (?:known|valid|local)"
    r"|an active)|n't (?:be found|exist|have|recogni[sz]e)|not have|unknown|invalid|unavailable|disabled|closed|inactive|discontinued"
    r"|deactivated|suspended|expired|deleted|terminated|cancell?ed|(?:is )?no longer|(?:has )?moved|not on (?:this|our) (?:server|system))"
)
_FEW_WORDS = r"[\s:=.\"'<>(\[-]+(?:[^\s,;]+\s+){0,%d}?\W*"
_NO_SUCH = re.compile(
    rf"\b{_GONE}{_FEW_WORDS % 2}{_WHO}\b|\b{_WHO}{_FEW_WORDS % 6}{_IS_GONE}\b"
    r"|\b(?:rcpt|recipient)\W*not\W*found|bad_?rcpt|bad_?recipient|nosuchuser|nxdomain|null ?mx|nullmx"
    rf"|not an? (?:\S+ ){{0,2}}?{_WHO}\b|(?:does not|doesn't) have an? .{{0,40}}account|no matches|name or service not known"
    r"|recipient (?:address )?(?:unknown|rejected: access denied)|rejected recipient|5\.1\.1\W+(?:user|recipient)"
    # The same of a few other languages, by the stems.
    r"|inconnu|n'existe pas|unbekannt|existiert nicht|desconocid|desconhecid|no existe|não existe|sconosciut|non esiste"
    r"|onbekend|bestaat niet|nie istnieje|okänd|ukendt|ukjent|неизвест|не существует|不存在|存在しません|見つかりません|リストにありません|ユーザー?不明",
    re.IGNORECASE,
)
_SENDER = re.compile(
    r"\b(?:senders?|mail ?from|from address|return[- ]path|spf|dkim|dmarc)\b|your (?:ip|host|server|domain|address)\b|callout"
    r"|expéditeur|absender|remitente|mittente",
    re.IGNORECASE,
)
_IS_FULL = re.compile(
    r"quota|(?:mail ?box|mail ?folder|inbox|account|disk|postfach|buzón|boîte|casella)\W+(?:\S+\s+){0,3}?"
    r"(?:full|exceed\w*|pleine|voll|lleno|piena)\b|full mail ?box|storage (?:allocation|limit|space)|(?:disk|enough|storage) space"
    r"|space (?:not enough|has been used)|too much mail data|too many messages|exceed\w* (?:\w+ ){0,3}(?:storage|space|allowance)",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"spam|black ?-?list|block|\blisted\b|reputation|\brate\b|too many|per (?:hour|day|minute)|polic(?:y|ies)|virus|malware|content"
    r"|greylist|relay|authenticat|\bptr\b|reverse dns|unsolicited|message size|too (?:large|big|long)|(?:size|length) (?:limit|exceeds)|loop"
    r"|hop count|prohibited|not (?:allowed|permitted|authori[sz]ed)|on hold|suspicious|phish|filter|abuse|\bban|5\.7\.\d",
    re.IGNORECASE,
)
_NAMES_FAIL = re.compile(r"(?:host|domain|name|dns)\b.{0,80}(?:try again|servfail|temporar|timed out)", re.IGNORECASE)
_PASSES = re.compile(
    r"temporar|try(?:ing)? again|later\b|tim(?:ed?|ing)[ -]?out|servfail|name ?server|\block|system error|resources|(?:insufficient|low) "
    r"|refused|unreachable|greeting|retry time",
    re.IGNORECASE,
)


def said(code: tuple[int, int, int], words: str) -> Fault:
    """Whose fault it is that a mail does not arrive any more, by the code (RFC 3463) and the words of a report about it.

    What the words say about somebody goes before the code: hosts write 5.1.1 for "too many this hour", and 5.7.1 for
    "no such user".
    """
    is_of_network = code[0] == 4 or code[1] == 4
    if _SENDER.search(words):
        return Fault.POLICY
    if code[1:] == (2, 2) or _IS_FULL.search(words):
        return Fault.FULL
    if _NAMES_FAIL.search(words) or (is_of_network and _PASSES.search(words)):
        return Fault.MAIL
    if _NO_SUCH.search(words):
        return Fault.ADDRESS
    if _RULE.search(words):
        return Fault.POLICY
    if code[0] == 5 and not _PASSES.search(words) and (code[1] == 1 or code[1:] in ((2, 1), (4, 4))):
        return Fault.ADDRESS if code[1:] not in ((1, 7), (1, 8)) else Fault.OURS
    return Fault.POLICY if code[1] == 7 else Fault.MAIL


@dataclass(frozen=True, slots=True)
class _RefusedAddress:
    address: str
    at: datetime
    by_policy: bool

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2].lower()


class Streak:
    """The mails of one process that were refused in a row, each at its first try: what is refused again and again while
    others are taken says nothing about us. Safe for threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._refused: dict[int, _RefusedAddress] = {}

    def clear(self) -> None:
        """A mail was taken."""
        if self._refused:
            with self._lock:
                self._refused.clear()

    def add(self, mail_id: int, address: str, fault: Fault, at: datetime) -> None:
        """One more was refused."""
        with self._lock:
            self._refused[mail_id] = _RefusedAddress(address.lower(), at, fault is Fault.POLICY)
            old = [key for key, each in self._refused.items() if each.at < at - STREAK_LASTS]
            for key in old:
                del self._refused[key]

    def since(self, least: int = IN_A_ROW) -> datetime | None:
        """When the first one was refused, if all of them together are our fault; else None.

        A rule of the host has to meet at least `least` mails to different domains: one domain's dislike of us is that
        domain's. Answers without a reason have to meet as many mails to different recipients.
        """
        with self._lock:
            refused = list(self._refused.values())
        plain = [each for each in refused if not each.by_policy]
        met = _several(refused, least, lambda each: each.domain) or _several(plain, least, lambda each: each.address)
        return min(each.at for each in refused) if met else None


def _several(refused: list[_RefusedAddress], least: int, differ: Callable[[_RefusedAddress], str]) -> bool:
    return len(refused) >= least and len({differ(each) for each in refused}) > 1


def least_in_a_row(times: int) -> int:
    """How many mails in a row it takes after so many pauses within one incident: where the host takes some mails and
    refuses others, the pauses become rarer."""
    return min(IN_A_ROW << min(times, 10), MOST_IN_A_ROW)
