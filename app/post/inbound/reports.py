"""Reports that a mail did not arrive: with fields (RFC 3464, RFC 6533), in whatever part they stand, or only as text.

The *action* of a report says whether a mail arrives, its *status* why not. Where there is neither, what stands above
the copy of our mail decides: a reply code beside the address before all else, then words.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from typing import TYPE_CHECKING

from app.post.faults import Fault, said
from app.post.host import without_addresses
from app.post.inbound.html_text import text_of_html

if TYPE_CHECKING:
    from app.post.inbound.incoming import Incoming

_MOST_PARTS = 30
_MOST_TEXT = 20_000
_MOST_LINES = 400
_OUR_ID = re.compile(rb"<(([1-9][0-9]{0,9})\.[0-9a-f]{16})@([^>\s]{1,253})>")

# -- what a part is --

_STATUS_PARTS = ("message/delivery-status", "message/global-delivery-status")
_RETURNED = ("message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers", "message/partial")
_OTHER_REPORTS = (
    "message/feedback-report",
    "message/disposition-notification",
    "message/global-disposition-notification",
)

# -- fields --

_FIELD = re.compile(r"(?im)^[ \t]*(?:Action|Status|Final-Recipient|Original-Recipient|Diagnostic-Code)[ \t]*:")
_RECIPIENTS = ("Original-Recipient", "Final-Recipient", "X-Actual-Recipient")
_WORDS = ("Diagnostic-Code", "X-Supplementary-Info", "X-Notes-Diagnostic")
_COMMENT = re.compile(r"\(.*?\)")
_ARRIVED = ("delivered", "relayed", "expanded")
_DELAYED = ("delayed", "deferred", "retrying")
_FAILED = ("failed", "failure", "fail", "expired", "undeliverable", "bounced", "rejected")
_ADDRESS = re.compile(r"[^\s<>:;,()\[\]\"']+@[^\s<>:;,()\[\]\"']+[^\s<>:;,()\[\]\"'.]")

# -- text --

_ENHANCED = r"(?<![\d.])([245])\.([0-7])\.(\d{1,2})(?![\d.])"
_CODE = re.compile(_ENHANCED)
_REPLY = re.compile(
    rf"(?:^|[\s:;(\[<\"'#>=])([45][0-7]\d)(?=[ -]+{_ENHANCED}|[ -]+[^\W\d]|[ -]+[<\"'(\[#*]|[:;,)\]]|\s*$)(?!-\d)"
    rf"|(?:^|[#(\[:;<\"=])\s*{_ENHANCED}"
)
_COPY = re.compile(
    r"^[>\s]*[-=_*+#~]{2,}.*\b(?:cop(?:y|ie)|kopie|copia|original|returned message|returned mail|undelivered|unsent|below this line|headers?"
    r"|message (?:text|body|follows|begins)|source mail|your message)\b",
    re.IGNORECASE,
)
_NOT_COPY = re.compile(r"transcript|error|address|fail|diagnos|reason|details|session", re.IGNORECASE)
_HEADER = re.compile(r"^[>\s|]*([A-Za-z][A-Za-z0-9-]{1,40}):(?:\s|$)")
_OF_A_COPY = frozenset(("received", "return-path", "mime-version", "delivered-to", "content-type", "x-mailer"))
_STILL = re.compile(
    r"not yet (?:been )?(?:deliver|able)|delivery attempts will|will (?:be )?(?:retr|keep trying|continue|try again)"
    r"|(?:been|is|was|delivery) (?:delayed|postponed|deferred)|still (?:being |un)|no action is required|warning (?:message )?only"
    r"|just a warning|need (?:to )?(?:do|resend|take)|will be (?:repeat|re-?sent|attempted)|could not be delivered for"
    r"|verzöger|weitere (?:versuche|zustellversuche)|noch nicht|pas encore|retard|nouvelle tentative|aún no|demorad|reintent"
    r"|non (?:è )?ancora|ritard|nuovi tentativi|ainda não|nog niet|vertraagd|ännu inte|ikke ennå|endnu ikke|jeszcze nie",
    re.IGNORECASE,
)
_STILL_SUBJECT = re.compile(
    r"\bdelay|warning:? (?:message|could not|mail)|not yet|verzöger|retard|ritard|temporary|deferred", re.IGNORECASE
)
_GIVEN_UP = re.compile(
    r"giv(?:en|ing) up|not going to try again|(?:queue|retry) time|too long|expired|permanent|stopped trying|no longer be"
    r"|last attempt|could not be delivered within|maximum (?:delivery )?attempts",
    re.IGNORECASE,
)
_FAIL_WORDS = re.compile(
    r"(?:not|n't|unable to|impossible to|fail(?:ed|ure|s)?|errors?|problems?|trouble)\b.{0,60}\b(?:be )?(?:deliver|reach|sent\b|send\b|accept)"
    r"|deliver\w*\b.{0,80}\b(?:fail|impossible|unsuccessful|error|not possible|aborted)"
    r"|undeliver(?:able|ed)|return(?:ed|ing)(?: (?:message|mail|to))+ |returned (?:mail|message|to sender)|rejected|refused"
    r"|failure notice|non-?deliver|mail (?:error|failure)|not a valid|unknown (?:user|recipient|host|address)"
    r"|(?:fatal|permanent) error|unzustellbar|zugestellt|pas (?:pu )?être (?:remis|distribu|livr)|non (?:remis|distribu)|échec"
    r"|no (?:se )?(?:pudo|ha podido|puede)|entreg|consegnat|recapitat|afgeleverd|bezorgd|levereras|leveres|dostarcz"
    r"|доставл|не удалось|配信|送信でき|投递|退信",
    re.IGNORECASE,
)
_DAEMON = re.compile(
    r"daemon|postmaster|mail(?:er)?[-_. ]?(?:delivery|system|router|server|admin\w*|master)|delivery[-_. ]?(?:sub)?(?:system|service|status)"
    r"|system[-_. ]?administrator|returned|bounce|\bmta\b|ndr|smtp",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Report:
    """What a report says. `fault` is None for a mail that has not failed, or not yet."""

    fault: Fault | None
    status: str
    words: str

    @property
    def has_failed(self) -> bool:
        """Whether the mail will not arrive any more."""
        return self.fault is not None


_Code = tuple[int, int, int]
_Line = tuple[_Code, str, frozenset[str]]
"""A code, the words from it to the end of the paragraph, and the addresses that stand beside it."""


def read(mail: Incoming, reader: str = "") -> Report | None:
    """What a report says about the mail that went to `reader`; None for a mail that is no report about a delivery: an
    abuse report, a receipt, somebody's note that they are away."""
    parts = list(_parts(mail.message))
    kinds = {part.get_content_type() for part in parts}
    fields = [block for part in parts for block in _blocks(part)]
    if not fields and (kinds & set(_OTHER_REPORTS) or _is_other_report(mail.message)):
        return None
    above = _above("\n\n".join(filter(None, map(_text, parts))) or "\n".join(filter(None, map(_html, parts))))
    if fields:
        return _stated(_ours(fields, reader), above, reader)
    if _is_persons(mail, reader):
        return None
    return _from_text(mail, above, reader)


def about(mail: Incoming, host: str) -> tuple[int, str] | None:
    """The mail of this server that a report returns, by its Message-ID: number, and what stands before the `@`."""
    own = (mail.message_id or "").encode()
    for found in _OUR_ID.finditer(mail.raw):
        if found[3].lower() == host.lower().encode() and found[1] not in own:
            return int(found[2]), found[1].decode()
    return None


def _is_other_report(message: Message) -> bool:
    kind = str(message.get_param("report-type", "")).lower()
    return message.get_content_type() == "multipart/report" and kind != "" and not kind.endswith("delivery-status")


def _is_persons(mail: Incoming, reader: str) -> bool:
    """Whether it is somebody's automatic answer: of our reader, or by its headers and not from a mail host."""
    author = mail.header("From")
    if reader and reader.lower() in map(str.lower, _ADDRESS.findall(author)):
        return True
    by_program = mail.is_automatic or mail.header("Precedence").lower() == "auto_reply"
    return by_program and not _DAEMON.search(author) and not mail.header("X-Failed-Recipients") and "@" in author


# -- parts --------------------------------------------------------------------------------------------


def _parts(message: Message) -> Iterator[Message]:
    """The parts of the report itself, without the mail that it returns and what comes after it."""
    stack = [message]
    for _ in range(_MOST_PARTS):
        if not stack:
            return
        part = stack.pop()
        inside = part.get_payload()
        within = [each for each in inside if isinstance(each, Message)] if isinstance(inside, list) else []
        if part.get_content_type() not in _RETURNED and (part is message or "Received" not in part):
            yield part
            within = within if part.get_content_maintype() == "multipart" else []
        else:  # a report within a report; our own mails are none
            within = [each for each in within if each.get_content_type() == "multipart/report"]
        stack.extend(reversed(within))


def _decoded(part: Message) -> str:
    """The text of a part, whatever its encoding and whatever the library has made of it."""
    inside = part.get_payload()
    if isinstance(inside, list):  # it takes "message/..." for a mail, and its encoding for nothing
        raw = b"\n".join(each.as_bytes() for each in inside if isinstance(each, Message))
        encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
        raw = _unpacked(raw, encoding)
    else:
        whole = part.get_payload(decode=True)
        raw = whole if isinstance(whole, bytes) else str(inside).encode("utf-8", "replace")
    raw = raw[:_MOST_TEXT]
    charset = str(part.get_content_charset() or "utf-8")
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        charset = "utf-16"
    try:
        text = raw.decode(charset, "replace")
    except (LookupError, ValueError):
        text = raw.decode("utf-8", "replace")
    return "\n".join(text.splitlines())


def _unpacked(raw: bytes, encoding: str) -> bytes:
    if encoding == "base64":
        try:
            return base64.b64decode(b"".join(raw.split()))
        except binascii.Error:
            return raw
    return quopri.decodestring(raw) if encoding == "quoted-printable" else raw


def _text(part: Message) -> str:
    is_text = part.get_content_type() == "text/plain" or isinstance(part.get_payload(), str)
    is_text = is_text and part.get_content_maintype() in ("text", "multipart") and part.get_content_subtype() != "html"
    return _decoded(part) if is_text else ""


def _html(part: Message) -> str:
    return text_of_html(_decoded(part)) if part.get_content_type() == "text/html" else ""


# -- fields -------------------------------------------------------------------------------------------


def _blocks(part: Message) -> list[Message]:
    """The fields about each recipient: of a part that is for them, or of paragraphs that look like them."""
    text = _decoded(part) if part.get_content_type() in _STATUS_PARTS else _above(_text(part))
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        if len(set(map(str.lower, _FIELD.findall(paragraph)))) > 1:
            lines = paragraph.splitlines()
            start = next(n for n, line in enumerate(lines) if _FIELD.match(line) or _HEADER.match(line))
            indent = len(lines[start]) - len(lines[start].lstrip())
            found.append(HeaderParser().parsestr("\n".join(line[indent:] for line in lines[start:])))
    return [block for block in found if block.get("Action") or block.get("Status")]


def _field(block: Message, name: str) -> str:
    return " ".join(" ".join(map(str, block.get_all(name, [])[:5]))[:2000].split())


def _action(block: Message) -> str:
    """Its first word; comments are allowed around it."""
    words = _COMMENT.sub(" ", _field(block, "Action")).lower().split()
    return words[0] if words else ""


def _ours(blocks: list[Message], reader: str) -> Message:
    """The block about our reader. A host on the way may have written another address: then one that arrived goes
    before one that did not."""

    def names(block: Message) -> bool:
        named = " ".join(_field(block, name) for name in _RECIPIENTS).lower()
        return reader.lower() in _ADDRESS.findall(named)

    mine = [block for block in blocks if reader and names(block)] or blocks
    order = (_ARRIVED, _FAILED, ("",), _DELAYED)
    return min(mine, key=lambda block: next((n for n, words in enumerate(order) if _action(block) in words), 2))


def _stated(block: Message, above: str, reader: str) -> Report:
    action, status = _action(block), _code(_field(block, "Status"))
    words = " ".join(_field(block, name) for name in _WORDS if block.get(name)).strip()
    kind, _, rest = words.partition(";")
    words = rest.strip() if rest and " " not in kind.strip() else words
    words = words or " ".join(_COMMENT.findall(_field(block, "Status") + _field(block, "Action")))
    code = status or _code(words) or (5, 0, 0)
    if not words and code[1:] == (0, 0):
        words = next((line[1] for line in _lines(above, reader)), None) or _near(above, reader)
    if action in _FAILED:
        has_failed = True
    elif action in (*_ARRIVED, *_DELAYED):
        has_failed = False
    else:
        has_failed = code[0] == 5 or (code[0] == 4 and not block.get("Will-Retry-Until") and not _STILL.search(above))
    if not has_failed:
        return Report(None, _dotted(code), _short(words))
    better = _code(words)
    why = better if better is not None and (better[1:] != (0, 0) or code[1:] == (0, 0)) else code
    return Report(said(why, words), _dotted(code), _short(words))


def _code(text: str) -> _Code | None:
    found = _CODE.search(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


# -- text ---------------------------------------------------------------------------------------------


def _above(text: str) -> str:
    """What stands above the copy of our mail: a line that says so, or the headers of a mail."""
    lines = text.splitlines()[:_MOST_LINES]
    for n, line in enumerate(lines):
        if _COPY.match(line) and not _NOT_COPY.search(line):
            return "\n".join(lines[:n])
        if _HEADER.match(line) and _begins_headers(lines[n : n + 30]):
            return "\n".join(lines[:n])
    return "\n".join(lines)


def _begins_headers(lines: list[str]) -> bool:
    names: set[str] = set()
    for line in lines:
        found = _HEADER.match(line)
        if found is None and not line.startswith((" ", "\t", ">")):
            break
        if found is not None:
            names.add(found[1].lower())
    at_margin = {"message-id"} if lines[0][:1] not in (" ", "\t") else set()  # indented it may belong to the report
    return len(names) > 1 and bool(names & (_OF_A_COPY | at_margin))


def _lines(above: str, reader: str) -> list[_Line]:
    """Every code of a text with what stands beside it; those beside our reader's address alone, if there are any."""
    found: list[_Line] = []
    beside: frozenset[str] = frozenset()
    lines = above.splitlines()
    for n, line in enumerate(lines):
        here = frozenset(address.lower() for address in _ADDRESS.findall(line))
        code = _reply(line)
        beside = here or beside
        if code is not None:
            end = next((m for m in range(n, len(lines)) if not lines[m].strip()), len(lines))
            found.append((code, " ".join(lines[n : min(end, n + 8)]), beside))
    mine = [each for each in found if reader.lower() in each[2]]
    return mine or found


def _reply(line: str) -> _Code | None:
    """The code of a line: of RFC 3463 if it has one, else what the reply code says."""
    found = _REPLY.search(line)
    if found is None:
        return None
    enhanced = _code(line[found.start() :])
    if enhanced is not None and (found[1] is None or enhanced[0] == int(found[1][0])):
        return enhanced
    return (int(found[1][0]), 0, 0) if found[1] else enhanced


def _from_text(mail: Incoming, above: str, reader: str) -> Report | None:
    subject, author = mail.header("Subject"), mail.header("From")
    lines = _lines(above, reader)
    final = next((each for each in lines if each[0][0] == 5), None)
    near = _near(above, reader)
    code, words, _ = final or (lines[0] if lines else ((5, 0, 0), near, frozenset()))
    says_so = bool(_FAIL_WORDS.search(subject) or mail.header("X-Failed-Recipients"))
    if _DAEMON.search(author) or "@" not in author:
        says_so = says_so or bool(_FAIL_WORDS.search(above)) or bool(reader and reader.lower() in above.lower())
    has_given_up = bool(_GIVEN_UP.search(above))
    if not has_given_up and (_STILL.search(above) or _STILL_SUBJECT.search(subject)):
        return Report(None, _dotted((4, 0, 0)), _short(words))
    if final is None and not (says_so or has_given_up):
        return Report(None, _dotted(code), _short(words)) if lines else None
    fault = said(code, words)
    if fault is Fault.MAIL and code[1:] == (0, 0):
        fault = said(code, near)
    return Report(fault, _dotted(code), _short(words))


def _near(above: str, reader: str) -> str:
    """The paragraphs that name our reader, or else any address, and what follows each; else all of it."""
    paragraphs = [" ".join(each.split()) for each in re.split(r"\n\s*\n", above)]
    for named in (lambda each: reader and reader.lower() in each.lower(), _ADDRESS.search):
        at = [n for n, each in enumerate(paragraphs) if named(each)]
        if at:
            return " ".join(paragraphs[n] for n in sorted({m for n in at for m in (n, n + 1) if m < len(paragraphs)}))
    return " ".join(paragraphs)


def _dotted(code: _Code) -> str:
    return ".".join(map(str, code))


def _short(words: str) -> str:
    return without_addresses(words)[:300]
