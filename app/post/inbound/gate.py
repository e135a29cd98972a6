"""The only entrance for mails: each is judged once, and the verdict is stored together with everything that follows
from it.

The transport that delivers mails (LMTP, IMAP, a pipe) acknowledges one only after this has committed. A mail that is
delivered again, since the acknowledgement was lost, is recognised by its Message-ID; one that is proven, by what is
signed, so that it never answers twice.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.utils import parseaddr
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.links import TurnLink
from app.base.process import failures
from app.base.process.jobs import tidies
from app.base.server import Server
from app.base.stored.database import insert_into
from app.base.stored.mail_tables import InboundMail, InboundVerdict, OutboxMail
from app.base.stored.outbox import PlannedMail
from app.base.words.addresses import are_of_one
from app.games.tables import Game, GameSeat
from app.games.work import Work
from app.people import life
from app.people.tables import Player
from app.post.inbound import bounces, port, reading, reports, sender_check
from app.post.inbound.above import OurMarkers
from app.post.inbound.incoming import MOST_BYTES, Incoming
from app.post.inbound.reports import Report
from app.post.letters.reply_addresses import BOUNCES, NEVER, REPLIES, Tag, Tags
from app.post.letters.writing import markers
from app.post.out.envelope import ANSWERS

log = logging.getLogger("postroad.mail")

WAY_IN = "way in"
"""What the process runs that receives mails, as its beat says."""
KEPT_FOR = timedelta(days=30)
A_MINUTE = timedelta(minutes=1)
MOST_ANSWERS = 10
"""To one decision."""
_ERROR = "error"
ANSWERED = frozenset(
    {
        InboundVerdict.REPLY,
        InboundVerdict.NOT_OWED,
        InboundVerdict.UNPROVEN,
        InboundVerdict.STRANGER,
        InboundVerdict.NO_TAG,
    }
)
_IS_LIFE = frozenset({InboundVerdict.REPLY, InboundVerdict.NOT_OWED, InboundVerdict.UNPROVEN})
"""With the reader's own tag: signs of life. A stranger's mail is not."""
_ASKS_FOR_PROOF = frozenset({InboundVerdict.REPLY, InboundVerdict.STRANGER, InboundVerdict.NO_TAG})
_OUR_ID = re.compile(r"[1-9][0-9]{0,9}\.[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The verdict on a mail. `asked` is the mail of ours that it is about."""

    verdict: InboundVerdict
    asked: OutboxMail | None = None
    report: Report | None = None
    is_owed: bool = False
    is_proven: bool = False
    details: dict[str, Any] = field(default_factory=dict)


def take(server: Server, mail: Incoming, now: datetime) -> InboundVerdict | None:
    """Judge a mail, store the verdict, and do what follows from it, all or nothing. Returns None for one that has been
    here before. Database errors come through: the mail has then not been accepted."""
    with server.database.read() as session:
        if _is_known(session, mail):
            return None
        judged = _judge(session, server, mail)
    if judged.verdict in _ASKS_FOR_PROOF and judged.asked is not None:
        judged = _proven(server, mail, judged, now)
    with Work(server.database) as work:
        number = _keep(work.session, mail, judged, now)
        if number is None:
            return None  # another process has it, this very moment
        if judged.verdict is InboundVerdict.BOUNCE and judged.asked is not None and judged.report is not None:
            bounces.happened(work, judged.asked, judged.report, now)
        elif judged.verdict in ANSWERED and judged.asked is not None:
            _answer(work, server, number, mail, judged, now)
    log.info("received a mail of %s bytes: %s", mail.size, judged.verdict)
    return judged.verdict


# -- the gate -----------------------------------------------------------------------------------------


def _judge(session: Session, server: Server, mail: Incoming) -> _Judgement:
    """Return the verdict on a mail: the first of these that fits. None of its text is read before it has passed them
    all."""
    if mail.size > MOST_BYTES:
        return _Judgement(InboundVerdict.TOO_LARGE)
    try:
        return _look_at(session, server, mail)
    except Exception as error:
        return _Judgement(InboundVerdict.UNREADABLE, details=_unread(error))


def _unread(error: Exception) -> dict[str, Any]:
    """Log an error in a reader of mails, and return it for operators, whom an alarm tells (`unreadable`)."""
    if failures.is_of_the_database(error):
        raise error
    failures.report(log, "a mail that came in could not be read", error)
    return {_ERROR: type(error).__name__}


def _look_at(session: Session, server: Server, mail: Incoming) -> _Judgement:
    our_host = server.config.host
    tags = Tags(server.config.mail_from, server.config.secret_keys)
    tag = next((read for address in mail.recipients if (read := tags.read(address))), None)
    asked = session.get(OutboxMail, tag.mail_id) if tag is not None and tag.purpose != NEVER else None
    if mail.is_report or (tag is not None and tag.purpose == BOUNCES):  # only programs know that address
        return _report(session, mail, asked, our_host)
    if mail.is_automatic:
        return _Judgement(InboundVerdict.AUTOMATIC, asked)
    if _is_ours(mail, tags, our_host):  # before bulk mail: our mails say how to unsubscribe
        signed = [[each.get(name, "").lower()[:1000] for name in "dsh"] for each in sender_check.signatures(mail)]
        return _Judgement(InboundVerdict.OWN, details={"signed": signed})
    if mail.is_bulk:
        return _Judgement(InboundVerdict.BULK, asked)
    if tag is None or asked is None:
        is_to_us = any(map(tags.is_ours, mail.recipients))
        return _Judgement(InboundVerdict.NO_TAG, _answered(session, mail, our_host) if is_to_us else None)
    assert tag.purpose == REPLIES
    is_owed = _is_owed(session, asked)
    if not _is_of_reader(session, asked, mail):
        return _Judgement(InboundVerdict.STRANGER, asked)
    is_asked = is_owed or port.question(asked.kind) is not None
    return _Judgement(InboundVerdict.REPLY if is_asked else InboundVerdict.NOT_OWED, asked, is_owed=is_owed)


def _report(session: Session, mail: Incoming, asked: OutboxMail | None, our_host: str) -> _Judgement:
    if asked is None and (named := reports.about(mail, our_host)) is not None:
        # If addresses have no tags, a bounced mail itself says which one it is.
        same = col(OutboxMail.id) == named[0], col(OutboxMail.message_id) == named[1]
        asked = session.exec(select(OutboxMail).where(*same)).first()
    report = reports.read(mail, asked.address if asked is not None else "")
    if report is None:
        return _Judgement(InboundVerdict.AUTOMATIC, asked)
    details = {"status": report.status, "words": report.words, "fault": report.fault and report.fault.value}
    verdict = InboundVerdict.BOUNCE if report.has_failed and asked is not None else InboundVerdict.REPORT
    return _Judgement(verdict, asked, report, details=details)


def _is_ours(mail: Incoming, tags: Tags, our_host: str) -> bool:
    by_id = (mail.message_id or "").rpartition("@")[2].lower() == our_host.lower()
    return by_id or (mail.author is not None and tags.is_ours(mail.author))


def _answered(session: Session, mail: Incoming, our_host: str) -> OutboxMail | None:
    """Return the mail of ours that one without a tag answers, as its program says; not one that answered a mail itself,
    so that two programs do not talk to each other."""
    for named in mail.answered_ids:
        own, _, host = named.rpartition("@")
        if _OUR_ID.fullmatch(own) and host.lower() == our_host.lower():
            same = col(OutboxMail.id) == int(own.partition(".")[0]), col(OutboxMail.message_id) == own
            return session.exec(select(OutboxMail).where(*same, col(OutboxMail.kind).not_in(ANSWERS))).first()
    return None


def _is_owed(session: Session, asked: OutboxMail) -> bool:
    if asked.game_id is None or asked.number is None:
        return False
    waits = (
        sa.select(col(Game.id))
        .join(GameSeat, sa.and_(col(GameSeat.game_id) == col(Game.id), col(GameSeat.seat) == col(Game.decides)))
        .where(
            col(Game.id) == asked.game_id,
            col(Game.number) == asked.number,
            col(Game.decides) == asked.seat,
            col(GameSeat.player_id) == asked.player_id,
        )
    )
    return session.execute(waits).first() is not None


def _is_of_reader(session: Session, asked: OutboxMail, mail: Incoming) -> bool:
    author = mail.author
    if author is None or asked.player_id is None:
        return False
    found = session.execute(
        sa.select(col(Player.address_key), col(Player.second_address)).where(
            col(Player.id) == asked.player_id, col(Player.erased_at).is_(None)
        )
    ).first()
    return found is not None and any(are_of_one(author, own) for own in found if own)


def _proven(server: Server, mail: Incoming, judged: _Judgement, now: datetime) -> _Judgement:
    """Return the same with whether it is certain that its author has sent it to the very address where it is taken."""
    asked, tags = judged.asked, Tags(server.config.mail_from, server.config.secret_keys)
    assert asked is not None
    tag, quoted = Tag(REPLIES, asked.id), ""
    if asked.game_id is not None and asked.seat is not None and asked.number is not None:
        quoted = server.links.turn_token(TurnLink(asked.game_id, asked.seat, asked.number, asked.player_id))

    def is_to(address: str) -> bool:
        return tags.is_ours(address) if judged.verdict is InboundVerdict.NO_TAG else tags.read(address) == tag

    try:
        is_proven = sender_check.is_proven(mail, server.config.mail_in, is_to, now, quotes=quoted)
    except Exception as error:
        return _Judgement(InboundVerdict.UNREADABLE, asked, details=_unread(error))
    is_unproven = judged.verdict is InboundVerdict.REPLY and not is_proven
    verdict = InboundVerdict.UNPROVEN if is_unproven else judged.verdict
    return replace(judged, verdict=verdict, is_proven=is_proven)


# -- what is kept, and what follows -------------------------------------------------------------------


def _is_known(session: Session, mail: Incoming) -> bool:
    here = col(InboundMail.message_key).in_((mail.key, mail.signed_key))
    return session.execute(sa.select(col(InboundMail.id)).where(here)).first() is not None


def _keep(session: Session, mail: Incoming, judged: _Judgement, now: datetime) -> int | None:
    asked = judged.asked
    row = {
        "message_key": mail.signed_key if judged.is_proven else mail.key,
        "at": now,
        "size": mail.size,
        "verdict": judged.verdict,
        "mail_id": asked.id if asked else None,
        "about": _about(asked) if asked else None,
        "details": judged.details,
    }
    insert = insert_into(session, InboundMail).values(**row).on_conflict_do_nothing(index_elements=["message_key"])
    number: int | None = session.scalar(insert.returning(col(InboundMail.id)))
    return number


def _about(asked: OutboxMail) -> str:
    if asked.game_id is None or asked.number is None:
        return f"mail:{asked.id}"
    return f"game:{asked.game_id}:{asked.number}:{asked.seat}"


def _answer(work: Work, server: Server, number: int, mail: Incoming, judged: _Judgement, now: datetime) -> None:
    assert judged.asked is not None
    to = hashlib.sha256((mail.author or "").lower().encode()).hexdigest()[:40]
    if judged.asked.player_id is not None and judged.verdict in _IS_LIFE:
        life.note(work.session, judged.asked.player_id, now)
    answer = _what_follows(work, server, mail, judged, f"answer:{number}", now)
    kept = sa.update(InboundMail).where(col(InboundMail.id) == number)
    if _ERROR in judged.details:
        work.session.exec(kept.values(verdict=InboundVerdict.UNREADABLE, details=judged.details))
    if answer is None:
        return
    at = _may_answer(work.session, judged, to, now)
    if at is None:
        return
    work.outbox.add([replace(answer, wait=at - now)], now)
    details = {**judged.details, "answer_at": at.isoformat()}
    work.session.exec(kept.values(answered_to=to, details=details))


def _what_follows(
    work: Work, server: Server, mail: Incoming, judged: _Judgement, key: str, now: datetime
) -> PlannedMail | None:
    """Do what an answer says if allowed, and mail the result."""
    assert judged.asked is not None
    reply = port.Reply(
        mail, judged.asked, judged.is_owed, judged.is_proven, partial(_words_of, server, mail, judged.details)
    )
    if judged.verdict is InboundVerdict.NO_TAG:
        if not judged.is_proven:
            return None  # the apparent author may have sent nothing
        is_of_reader = _is_of_reader(work.session, judged.asked, mail)
        return port.point_to_page(work, reply, key, now) if is_of_reader else port.tell_of_stranger(reply, key)
    if judged.verdict is InboundVerdict.STRANGER:
        return port.tell_of_stranger(reply, key)
    asks = port.question(judged.asked.kind)
    return port.take_yes_or_no(work, reply, asks, key, now) if asks is not None else port.taker()(work, reply, key, now)


def _words_of(server: Server, mail: Incoming, details: dict[str, Any], says: Callable[[str], bool]) -> str:
    """Return what its author has written; nothing, with the error in `details`, if it cannot be read."""
    tags = Tags(server.config.mail_from, server.config.secret_keys)
    name = parseaddr(server.config.mail_from)[0]
    ours = OurMarkers(tags.is_ours, name, markers(), mail.answered_subject, says, mail.author_name)
    try:
        return reading.read(mail.message, ours)
    except Exception as error:
        details |= _unread(error)
        return ""


def _may_answer(session: Session, judged: _Judgement, to: str, now: datetime) -> datetime | None:
    """Return when one more answer goes out; None for never. At most one a minute to an address, and ten to a decision:
    answers to the player are only delayed, all others are dropped."""
    assert judged.asked is not None
    answered = col(InboundMail.answered_to).is_not(None)
    about = sa.select(sa.func.count()).where(answered, col(InboundMail.about) == _about(judged.asked))
    if (session.scalar(about) or 0) >= MOST_ANSWERS:
        return None
    same = col(InboundMail.answered_to) == to, col(InboundMail.at) > now - MOST_ANSWERS * A_MINUTE
    lately = sa.select(col(InboundMail.at), col(InboundMail.details)).where(*same)
    last = max((_answered_at(row) for row in session.execute(lately)), default=None)
    if last is None or last <= now - A_MINUTE:
        return now
    return last + A_MINUTE if judged.verdict is InboundVerdict.REPLY else None


def _answered_at(row: sa.Row[datetime, dict[str, Any] | None]) -> datetime:
    at, details = row
    said = (details or {}).get("answer_at")
    return datetime.fromisoformat(said) if said else at


def unreadable(session: Session, now: datetime) -> int:
    """Return how many mails of the last day nothing could be made of, which are faults of this program."""
    failed = col(InboundMail.verdict) == InboundVerdict.UNREADABLE, col(InboundMail.at) > now - timedelta(days=1)
    return session.scalar(sa.select(sa.func.count()).where(*failed)) or 0


@tidies
def forget(session: Session, now: datetime) -> int:
    """Delete what has been kept for long enough; return how many."""
    return session.exec(sa.delete(InboundMail).where(col(InboundMail.at) < now - KEPT_FOR)).rowcount
