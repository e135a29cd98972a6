"""The meaning of a mail host's words: whether a mail is still being tried, and whose fault its failure is.

Hosts phrase their messages in words of their own. The search is for two words that stand together ("user" and
"unknown", "mailbox" and "full"), in any order and with a few others between them, not for sentences.
"""

from __future__ import annotations

import re

_MOST = 2000
_WHO = (
    r"(?:user|username|userid|rece?ipients?|rcpt|mail ?-?box|inbox|addresse?e?s?|e-?mail|account|alias|person|customer"
    r"|contact|member|domain|host|local[- ]part|destination)s?"
)
_NO = (
    r"(?:no such|no|non-?existe?a?nt|unknown|invalid|illegal|bad|undeliverable|unrout(?:e?able)|deactivated|disabled"
    r"|inactive|isn't|can't accept|cannot find|could(?:n't| not) find|not our|not an?)"
)
_IS_NOT = (
    r"(?:not (?:be )?(?:found|exist\w*|known|recogni[sz]ed|valid|active|listed|present|local|available|resolve\w*|live)"
    r"|not (?:an? (?:known|valid|local|active)|have|on (?:this|our) (?:server|system))|\w*n't (?:be found|exist|have)"
    r"|unknown|invalid|unavailable|disabled|closed|inactive|discontinued|deactivated|suspended|expired|deleted"
    r"|terminated|cancell?ed|(?:is )?no longer|(?:has )?moved)"
)


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


def _then(few: int) -> str:
    """Allow up to this many words between two."""
    return rf"[\s:=.\"'<>(\[-]+(?:[^\s,;]+\s+){{0,{few}}}?\W*"


_NO_SUCH = _any(
    rf"\b{_NO}{_then(2)}{_WHO}\b",
    rf"\b{_WHO}{_then(6)}{_IS_NOT}\b",
    r"\brecipient (?:unknown|(?:address )?rejected: access denied)|rejected recipient|bad_?rcpt|bad_?recipient",
    r"nosuchuser|no matches|name or service not known|(?:does not|doesn't) have an? .{0,40}account",
    r"nicht (?:bekannt|gefunden)|introuvable|in(?:ex|es)ist|no encontrad|n[ãa]o encontrad|non trovat|не найден",
    r"inconnu|n'existe pas|unbekannt|existiert nicht|descon[oh]e?cid|n[oã]o? existe|sconosciut|non esiste|onbekend",
    r"bestaat niet|nie istnieje|okänd|ukendt|ukjent|неизвест|не существует|不存在",
    r"存在しません|見つかりません|リストにありません",
)
_NO_DOMAIN = _any(
    r"nxdomain|null ?mx|does not accept e?-?mail",
    rf"\b{_NO}{_then(1)}(?:domain|host)s?\b|\b(?:domain|host)s?{_then(4)}{_IS_NOT}\b",
)
_FULL = _any(
    r"quota|full mail ?box|(?:storage|disk|enough) space|space (?:not enough|has been used)|too much mail data",
    r"too many messages",
    rf"(?:mail ?box|mail ?folder|inbox|account|disk|postfach|buzón|boîte|casella){_then(3)}"
    r"(?:full|exceed\w*|pleine|voll|llen[oa]|piena)\b",
    r"exceed\w* (?:\w+ ){0,3}(?:storage|space|allowance)",
)
_SENDER = _any(
    r"\b(?:senders?|mail ?from|from address|return[- ]path|spf|dkim|dmarc|[he][eh]lo|client)\b|callout",
    r"\byour (?:ip|host|server|domain|address)\b|expéditeur|absender|remitente|mittente",
)
_QUOTA = r"(?:quota|limit|allowance|maximum|max|rate|límite|limite|cuota|kontingent)\w*"
_OUR_LIMIT = _any(
    rf"\b(?:sending|outgoing|outbound|submission|versand|envoi|envío|invio)\b (?:[^\s.;]+ ){{0,2}}{_QUOTA}\b",
    rf"\bsend[- ](?:rate |mail )?{_QUOTA}\b|\bversand{_QUOTA}",
    rf"\b{_QUOTA} (?:for|of|on) (?:\w+ )?(?:sending|sent|outgoing|outbound|message recipients)\b",
    rf"\byou(?:r (?:account|domain|plan))?(?:'ve| have| has|'re| are| is)? (?:\w+ )?(?:exceeded|reached|hit|over)\b"
    rf"[^.;]{{0,60}}\b{_QUOTA}\b",
    rf"\b(?:daily|hourly|monthly) (?:\w+ ){{0,3}}{_QUOTA}\b",
    rf"\b(?:exceed\w*|reached|{_QUOTA})\b[^.;]{{0,40}}\b(?:e?-?mails|messages|recipients) (?:per|this|an?|each) \w+",
    r"throttling failure",
)
_OF_THE_READER = _any(
    r"receiv|incoming|inbound|\bsize\b|storage|disk|\bspace\b|mail ?-?box|recipient(?:'s| has| is| account)|\bloops?\b"
)
_RULE = _any(
    r"spam|black ?-?list|block|\blisted\b|reputation|unsolicited|suspicious|phish|abuse|virus|malware|filter|content",
    r"\brate\b|too many|per (?:hour|day|minute)|greylist|relay|authenticat|\bptr\b|reverse dns|\bban|on hold|5\.7\.\d",
    r"loop|hop count|polic(?:y|ies)|prohibited",
    r"not (?:allowed|permitted|authori[sz]ed)|refuse|user rejects?|preferences",
)
_OF_THIS_MAIL = _any(
    r"message size|too (?:large|big|long)|(?:size|length) (?:limit|exceeds)",
    r"temporar|try(?:ing)? again|later\b|tim(?:ed?|ing)[ -]?out|servfail|name ?server|\block|system error|resources",
    r"insufficient|refused|unreachable|greeting|retry time",
)
_NAMES_FAIL = _any(r"\b(?:host|domain|name|dns)\b.{0,80}(?:try again|servfail|temporar|timed out)")

_STILL = _any(
    r"not yet (?:been )?(?:deliver|able)|delivery attempts will|will (?:be )?(?:retr|keep trying|continue|try again)",
    r"(?:been|is|was|delivery) (?:delayed|postponed|deferred)|still (?:being |un)|no action is required|just a warning",
    r"warning (?:message )?only|(?:do not|don't|no) need (?:to )?(?:do|resend|take)",
    r"will be (?:repeat|re-?sent|attempted)",
    r"verzöger|weitere \w*versuche|noch nicht|pas encore|nouvelle tentative|\bretard|aún no|reintent|demorad",
    r"\bancora\b|nuovi tentativi|\britard|ainda não|nog niet|vertraagd|ännu inte|ikke ennå|endnu ikke|jeszcze",
    r"todavía|seguirá|retras|пока не|ещ[её] не|будут продолж|zatím|ještě|henüz|vielä|még nem|まだ|遅延|尚未|继续",
    r"\bquarant",
)
_STILL_SUBJECT = _any(r"\bdelay|warning:? (?:message|could not|mail)|not yet|temporary|deferred")
_GIVEN_UP = _any(r"giv(?:en|ing) up|not going to try again|too long|expired|stopped trying|time exceeded|permanent")
_FAILS = _any(
    r"(?:not|n't|unable to|impossible to|fail(?:ed|ure|s)?|errors?|problems?)\b.{0,60}\b(?:deliver|reach|sen[dt]\b)",
    r"deliver\w*\b.{0,80}\b(?:fail|impossible|unsuccessful|error|not possible|aborted)|undeliver|non-?deliver",
    r"return(?:ed|ing)(?: (?:message|mail|to))+\b|rejected|refused|mail error|failure|(?:fatal|permanent) error",
    r"unknown (?:user|recipient|host|address)|unzustellbar|échec|non remis|no entregado|mancata consegna",
)
_ARRIVED = re.compile(r"\b(?:delivered|relayed|2\.\d\.\d)\b")
_HAS_ARRIVED = _any(r"\b(?:was|were|been|successfully) (?:delivered|relayed|received|read)\b|successful")
_NOT = _any(r"\bnot\b|n't|\bun|fail|could|cannot|[45]\d\d")


def is_about_the_sender(words: str) -> bool:
    """Return whether it is we who are refused."""
    return bool(_SENDER.search(words[:_MOST]))


def is_our_limit(words: str) -> bool:
    """Return whether we have sent more than our account at the mail host may."""
    return bool(_OUR_LIMIT.search(words[:_MOST])) and not _OF_THE_READER.search(words[:_MOST])


def is_full(words: str) -> bool:
    """Return whether the recipient's mailbox is full."""
    return bool(_FULL.search(words[:_MOST]))


def is_no_such(words: str) -> bool:
    """Return whether the recipient does not, or no longer, exist."""
    return bool(_NO_SUCH.search(words[:_MOST])) or is_no_domain(words)


def is_no_domain(words: str) -> bool:
    """Return whether the domain does not exist, or accepts no mails."""
    return bool(_NO_DOMAIN.search(words[:_MOST]))


def is_a_rule(words: str) -> bool:
    """Return whether a rule of the host refuses the mail."""
    return bool(_RULE.search(words[:_MOST]))


def names_fail(words: str) -> bool:
    """Return whether a name could not be looked up at that moment."""
    return bool(_NAMES_FAIL.search(words[:_MOST]))


def passes(words: str) -> bool:
    """Return whether it is about this hour, or about this one mail."""
    return bool(_OF_THIS_MAIL.search(words[:_MOST]))


def is_tried_on(text: str, subject: str = "") -> bool:
    """Return whether a text says that the mail may still arrive."""
    return bool(_STILL.search(text) or _STILL_SUBJECT.search(subject))


def has_failed(text: str) -> bool:
    """Return whether a text says that a mail does not arrive, or was returned."""
    return bool(_FAILS.search(text))


def is_given_up(text: str) -> bool:
    """Return whether a text says that a mail is no longer tried."""
    return bool(_GIVEN_UP.search(text))


def has_arrived(text: str) -> bool:
    """Return whether what stands after an address says that the mail has arrived there."""
    return bool(_ARRIVED.search(text)) and not _NOT.search(text)


def says_arrived(text: str) -> bool:
    """Return whether a text says that anybody's mail has arrived."""
    return bool(_HAS_ARRIVED.search(text))
