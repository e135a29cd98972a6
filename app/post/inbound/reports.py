"""Reports that a mail did not arrive: with fields (RFC 3464, RFC 6533), in whatever part they stand, or only as text.

The *action* of a report says whether a mail arrives, its *status* why not. If there is neither, what stands above the
copy of our mail decides: first of all a reply code beside the address, then words.
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
from itertools import takewhile
from typing import NamedTuple

from app.post.inbound.html_text import QUOTED, shown_by
from app.post.inbound.incoming import Incoming
from app.post.route import wording
from app.post.route.faults import Fault, of_report
from app.post.route.host import without_addresses

_MOST_PARTS = 30
_LONGEST_PART = 200_000
_MOST_TEXT = 20_000
_MOST_LINES = 400
_LONGEST_LINE = 1000
_CLOSE_BY = 100
_OUR_ID = re.compile(rb"<(([1-9][0-9]{0,9})\.[0-9a-f]{16})@([^>\s]{1,253})>")

_STATUS_PARTS = ("message/delivery-status", "message/global-delivery-status")
_RETURNED = ("message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers", "message/partial")
_OTHER_REPORTS = frozenset(
    ("message/feedback-report", "message/disposition-notification", "message/global-disposition-notification")
)

_BLANKS = re.compile(r"(?m)^([ \t]*[A-Za-z][A-Za-z0-9-]{1,40})[ \t]+:")
_FIELD = re.compile(r"(?im)^[ \t]*(Action|Status|Final-Recipient|Original-Recipient|Diagnostic-Code)[ \t]*:")
_RECIPIENTS = ("Original-Recipient", "Final-Recipient", "X-Actual-Recipient")
_WORDS = ("Diagnostic-Code", "X-Supplementary-Info")
_COMMENT = re.compile(r"\(.*?\)")
_ARRIVED = ("delivered", "relayed", "expanded")
_FAILED = ("failed", "failure", "expired", "undeliverable", "bounced", "rejected")
_DELAYED = ("delayed", "deferred")

_ADDRESS = re.compile(r"[^\s<>:;,()\[\]\"']{1,64}@[^\s<>:;,()\[\]\"']{1,253}[^\s<>:;,()\[\]\"'.]")
_ENHANCED = r"(?<![\d.])([245])\.([0-7])\.(\d{1,2})(?![\d.])"
_CODE = re.compile(_ENHANCED)
_REPLY = re.compile(
    # A reply code and what a host says after it, not a telephone number; or a code of RFC 3463 alone, not a version.
    rf"(?:^|[\s:;(\[<\"'#>=])([45][0-7]\d)(?=[ -]+{_ENHANCED}|[ -]+[^\W\d]|[ -]+[<\"'(\[#*]|[:;,)\]]|\s*$)"
    rf"|(?:^|[#(\[:;<\"=])\s*{_ENHANCED}"
)
_COPY = re.compile(
    r"^[>\s]*[-=_*+#~]{2,}.*\b(?:copy|copie|kopie|copia|original|returned m(?:essage|ail)|undelivered|unsent|headers?"
    r"|below this line|message (?:text|body|follows|begins)|source mail|your message)\b",
    re.IGNORECASE,
)
_NO_COPY = re.compile(r"transcript|session|error|address|fail|diagnos|reason|details", re.IGNORECASE)
_HEADER = re.compile(r"^[>\s|]*([A-Za-z][A-Za-z0-9-]{1,40}):(?:\s|$)")
_OF_A_COPY = frozenset(("received", "return-path", "mime-version", "delivered-to", "content-type", "x-mailer"))
_HOST = re.compile(
    r"daemon|post[-_. ]?master|mail(?:er)?[-_. ]?(?:delivery|system|router|server|admin\w*|master)|\b(?:mta|ndr|smtp)\b"
    r"|system[-_. ]?administrator|delivery[-_. ]?(?:sub)?(?:system|service|status)|returned|bounce",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a report. `fault` is None for a mail that has not failed, or not yet."""

    fault: Fault | None
    status: str
    words: str

    @property
    def has_failed(self) -> bool:
        """Whether the mail will no longer arrive."""
        return self.fault is not None


_Code = tuple[int, int, int]


class _Line(NamedTuple):
    """A code in a text, the words from it to the next address or paragraph, and the addresses beside it."""

    code: _Code
    words: str
    beside: frozenset[str]


def read(mail: Incoming, reader: str = "") -> Report | None:
    """Return what a report says about the mail that went to `reader`; None if the mail is not a delivery report: an
    abuse report, a receipt, an out-of-office note."""
    reader = reader.lower()
    parts = list(_parts(mail.message))
    fields = [block for part in parts for block in _blocks(part)]
    if not fields and _is_other_report(mail, parts):
        return None
    texts = ("\n\n".join(filter(None, map(_text, parts))), "\n\n".join(filter(None, map(_html, parts))))
    above = "\n\n".join(filter(None, map(_above, texts)))
    if fields:
        return _stated(_ours(fields, reader), above, reader)
    return None if _is_persons(mail, reader) else _from_text(mail, above, reader)


def about(mail: Incoming, host: str) -> tuple[int, str] | None:
    """Return the mail of this server that a report returns, by its Message-ID: its number, and what stands before the
    `@`."""
    own = (mail.message_id or "").encode()
    for found in _OUR_ID.finditer(mail.raw):
        if found[3].lower() == host.lower().encode() and found[1] not in own:
            return int(found[2]), found[1].decode()
    return None


def _is_other_report(mail: Incoming, parts: list[Message]) -> bool:
    if "(rejected)" in mail.header("Auto-Submitted"):
        return False  # a receipt by its form, but it says that a mail was refused (RFC 5429, 2.2)
    if any(part.get_content_type() in _OTHER_REPORTS for part in parts):
        return True
    message = mail.message
    kind = str(message.get_param("report-type", "")).lower()
    return message.get_content_type() == "multipart/report" and kind != "" and not kind.endswith("delivery-status")


def _is_persons(mail: Incoming, reader: str) -> bool:
    """Return whether it is a person's automatic answer: from our reader, or by its headers and not from a mail host."""
    if reader and reader in _addresses(mail.header("From")):
        return True
    by_program = mail.is_automatic or mail.header("Precedence").lower() == "auto_reply"
    return by_program and not _is_from_host(mail) and not mail.header("X-Failed-Recipients")


def _is_from_host(mail: Incoming) -> bool:
    author = mail.header("From")
    return "@" not in author or bool(_HOST.search(author))


def _addresses(text: str) -> frozenset[str]:
    return frozenset(address.lower() for address in _ADDRESS.findall(text))


# -- parts --------------------------------------------------------------------------------------------


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts of the report itself, without the mail that it returns and what comes after it."""
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
        else:  # a report within a report; our own mails are not reports
            within = [each for each in within if each.get_content_type() == "multipart/report"]
        stack.extend(reversed(within))


def _decoded(part: Message) -> str:
    """Return the text of a part, whatever its encoding and however the library has parsed it."""
    inside = part.get_payload()
    if isinstance(inside, list):  # it takes "message/..." for a mail, and ignores its encoding
        raw = b"\n".join(each.as_bytes() for each in inside if isinstance(each, Message))
        encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
        raw = _unpacked(raw, encoding)
    else:
        whole = part.get_payload(decode=True)
        raw = whole if isinstance(whole, bytes) else str(inside).encode("utf-8", "replace")
    raw = raw[:_LONGEST_PART]
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
    return shown_by(_decoded(part)).text.replace(QUOTED, "") if part.get_content_type() == "text/html" else ""


# -- fields -------------------------------------------------------------------------------------------


def _blocks(part: Message) -> list[Message]:
    """Return the fields about each recipient: of a part meant for them, or of paragraphs that look like them."""
    text = _decoded(part) if part.get_content_type() in _STATUS_PARTS else _above(_text(part))
    found = []
    for paragraph in re.split(r"\n\s*\n", _BLANKS.sub(r"\1:", text)):  # before the colon: old, and still written
        if len({name.lower() for name in _FIELD.findall(paragraph)}) > 1:
            lines = paragraph.splitlines()
            start = next(n for n, line in enumerate(lines) if _HEADER.match(line) or _FIELD.match(line))
            indent = len(lines[start]) - len(lines[start].lstrip())
            found.append(HeaderParser().parsestr("\n".join(line[indent:] for line in lines[start:])))
    return [block for block in found if block.get("Action") or block.get("Status")]


def _field(block: Message, name: str) -> str:
    return " ".join(" ".join(map(str, block.get_all(name, [])[:5]))[:2000].split())


def _action(block: Message) -> str:
    """Return its first word; comments are allowed around it."""
    words = _COMMENT.sub(" ", _field(block, "Action")).lower().split()
    return words[0] if words else ""


def _ours(blocks: list[Message], reader: str) -> Message:
    """Return the block about our reader. A host on the way may have rewritten the address: then one that arrived takes
    precedence over one that did not."""
    mine = [
        block for block in blocks if reader in _addresses(" ".join(_field(block, name) for name in _RECIPIENTS))
    ] or blocks
    order = (_ARRIVED, _FAILED, ("",), _DELAYED)
    return min(mine, key=lambda block: next((n for n, words in enumerate(order) if _action(block) in words), 2))


def _stated(block: Message, above: str, reader: str) -> Report:
    words = _said(block)
    code = _code(_field(block, "Status")) or _code(words) or (5, 0, 0)
    if not words and code[0] == 5 and of_report(code, "") is Fault.MAIL:
        words = next((line.words for line in _lines(above, reader)), None) or _near(above, reader)
    if not _is_final(block, code, above):
        return Report(None, _dotted(code), _short(words))
    better = _reply(words)  # the words are the other host's own, the status may be our host's interpretation
    why = better if better is not None and (better[1:] != (0, 0) or better[0] != code[0]) else code
    return Report(of_report(why, words), _dotted(code), _short(words))


def _said(block: Message) -> str:
    """Return why, in words: without the type of the diagnostic code (RFC 3464, 2.3.6), else what stands in comments."""
    words = " ".join(_field(block, name) for name in _WORDS if block.get(name))
    kind, _, rest = words.partition(";")
    words = rest.strip() if rest and " " not in kind.strip() else words
    return words or " ".join(_COMMENT.findall(_field(block, "Status") + _field(block, "Action")))


def _is_final(block: Message, code: _Code, above: str) -> bool:
    """Return whether the mail will no longer arrive: the action says so; without one, the class of the status."""
    action = _action(block)
    if action in (*_ARRIVED, *_DELAYED):
        return False
    if action in _FAILED or code[0] == 5:
        return True
    return code[0] == 4 and not block.get("Will-Retry-Until") and not wording.is_tried_on(above)


def _code(text: str) -> _Code | None:
    found = _CODE.search(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


# -- text ---------------------------------------------------------------------------------------------


def _above(text: str) -> str:
    """Return what stands above the copy of our mail: a line that says so, or the headers of a mail."""
    lines = [line[:_LONGEST_LINE] for line in text.splitlines()[:_MOST_LINES]]
    end = next((n for n in range(len(lines)) if _begins_copy(lines, n)), len(lines))
    return "\n".join(lines[:end]).strip("\n")[:_MOST_TEXT]


def _begins_copy(lines: list[str], n: int) -> bool:
    if _COPY.match(lines[n]) and not _NO_COPY.search(lines[n]):
        return True
    names: set[str] = set()
    for line in lines[n : n + 30]:
        found = _HEADER.match(line)
        if found is not None:
            names.add(found[1].lower())
        elif not names or not line.startswith((" ", "\t", ">")):
            break
    at_margin = {"message-id"} if lines[n][:1].strip() else set()  # further inside it may belong to the report
    return len(names) > 1 and bool(names & (_OF_A_COPY | at_margin))


def _lines(above: str, reader: str) -> list[_Line]:
    """Return every code of a text with what stands beside it, final ones first; only those beside our reader's address,
    if there are any."""
    found: list[_Line] = []
    beside: frozenset[str] = frozenset()
    lines = above.splitlines()
    for n, line in enumerate(lines):
        beside = _addresses(line) or beside
        code = _reply(line)
        if code is not None:
            found.append(_Line(code, " ".join((line, *_going_on(lines[n + 1 : n + 8], beside))), beside))
    mine = [each for each in found if reader in each.beside] or found
    return sorted(mine, key=lambda each: each.code[0] != 5)


def _going_on(lines: list[str], beside: frozenset[str]) -> Iterator[str]:
    return takewhile(lambda line: line.strip() and _addresses(line) <= beside, lines)


def _reply(line: str) -> _Code | None:
    """Return the code of a line: of RFC 3463 if it has one, else what the reply code says."""
    found = _REPLY.search(line)
    if found is None:
        return None
    enhanced = _code(line[found.start() :])
    if found[1] is None or (enhanced is not None and enhanced[0] == int(found[1][0])):
        return enhanced
    return int(found[1][0]), 0, 0


def _near(above: str, reader: str) -> str:
    """Return the paragraphs that name our reader, or else any address, and what follows each; else everything."""
    paragraphs = [" ".join(each.split()) for each in re.split(r"\n\s*\n", above)]
    named = [_addresses(each) for each in paragraphs]
    at = [n for n, found in enumerate(named) if reader in found] or [n for n, found in enumerate(named) if found]
    wanted = sorted({m for n in at for m in (n, n + 1)}) or range(len(paragraphs))
    return " ".join(paragraphs[n] for n in wanted if n < len(paragraphs))


def _from_text(mail: Incoming, above: str, reader: str) -> Report | None:
    subject, near, lines = mail.header("Subject"), _near(above, reader), _lines(above, reader)
    code, words, beside = lines[0] if lines else _Line((5, 0, 0), near, frozenset())
    is_final = bool(lines) and code[0] == 5
    if wording.is_tried_on(above, subject) and not (is_final and reader in beside):
        return Report(None, "4.0.0", _short(words))
    if reader not in beside and _has_arrived(above, reader):
        return Report(None, "2.0.0", _short(near))
    says_so = bool(mail.header("X-Failed-Recipients")) or wording.has_failed(subject)
    if _is_from_host(mail):
        says_so = says_so or is_final or wording.has_failed(above) or (not lines and _names_somebody(above))
    is_clear = is_final and (code[1:] != (0, 0) or wording.is_no_such(words[:_CLOSE_BY]))
    if not (says_so or is_clear or (lines and wording.is_given_up(above))):
        return Report(None, _dotted(code), _short(words)) if lines else None
    fault = of_report(code, words)
    if fault is Fault.MAIL and code[1:] == (0, 0):
        fault = of_report(code, near)
    return Report(fault, _dotted(code), _short(words))


def _names_somebody(above: str) -> bool:
    """Return whether a host names an address without saying that anything arrived there: in any language, that is what
    reports look like."""
    return bool(_addresses(above)) and not wording.says_arrived(above)


def _has_arrived(above: str, reader: str) -> bool:
    """Return whether it says so after our reader's address: another one has failed."""
    lines = (line.lower().partition(reader) for line in above.splitlines()) if reader else ()
    return any(found and wording.has_arrived(rest) for _, found, rest in lines)


def _dotted(code: _Code) -> str:
    return ".".join(map(str, code))


def _short(words: str) -> str:
    return without_addresses(words)[:300]
