"""What all kinds of mail share, from the row in the outbox to the sent mail.

Each kind has a function that returns what its templates need. It returns None when the mail is no longer true (its
decision has been made) or no longer wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam
from sqlmodel import Session, col, select

from app.base.links import Links
from app.base.stored import outbox
from app.base.stored.mail_tables import MailGroup, MailState, OutboxMail
from app.base.stored.prepared import PreparedRead
from app.base.words.i18n import LANGUAGES, catalogue
from app.base.words.refusals import TitleMissing
from app.base.words.speech import Voice
from app.games import seeds
from app.games.store import GameNow, GameStore, NoSuchGame
from app.people import accounts
from app.people.tables import Player
from app.post.inbound.above import TOKEN
from app.post.inbound.port import question
from app.post.letters.message import MailBody, WrittenMail
from app.post.letters.render import part, render
from app.time import outages, pending
from engine.kernel.text import N_

MARKER = N_("— Answer with your orders above this line, or with “help” —")
"""Only what is written above it is read (`app.post.inbound.reading`)."""
MOST_OF_PICTURES = 100_000
"""Bytes of a mail's pictures, in order, after which no more are drawn: some thirty small boards in a digest. The whole
mail stays below 200 KB."""
YES_OR_NO = N_("— Answer with “yes” or “no” above this line —")
"""The same line of a mail that asks for no more."""
_IS_READER = col(Player.id) == bindparam("player"), col(Player.erased_at).is_(None)
_READER = PreparedRead(select(Player).where(*_IS_READER))


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a mail, and what it shows in words."""

    paint: Callable[[], bytes | None]
    words: str
    width: int
    """Pixels, if there is room for them."""


@dataclass(frozen=True, slots=True)
class QueuedMail:
    """A mail in the outbox, as its sender read it."""

    id: int
    kind: str
    address: str
    player_id: int | None
    game_id: int | None
    seat: str | None
    number: int | None
    details: dict[str, Any]
    made_at: datetime
    attempts: int
    message_id: str | None = None
    tried_at: datetime | None = None
    handed_over_at: datetime | None = None
    """The moment for which it is written; `write_mail` sets it."""
    takes_answers: bool = False
    """Whether answers to it are received."""
    to_device: bool = False
    """Whether it is only written for what devices are told of it (`app.post.push`)."""
    roots: tuple[str, ...] = ()
    """The server's commitments to its chance, for the foot of the first and the last mail of a game; `write_mail` sets
    it."""
    more: tuple[QueuedMail, ...] = ()
    """The mails that go out with it as one: `app.post.out.bundles`, `app.post.out.news_in_digests`."""

    def is_wanted(self, reader: Player, group: str = "news") -> bool:
        """Return whether its reader wants mails, or on a device notifications, of this group (`MAIL_GROUPS`)."""
        return bool(getattr(reader, f"{'push' if self.to_device else 'mail'}_{group}"))


Write = Callable[["Session", "Links", QueuedMail], "WrittenMail | None"]
"""From a connection, the links of the server and a mail in the outbox to what is sent."""
CanWait = Callable[["Session", QueuedMail, datetime], bool]
"""Whether a piece of news says as much at a moment as it does now."""


def always(session: Session, mail: QueuedMail, until: datetime) -> bool:
    """It can wait."""
    return True


class MailKind(NamedTuple):
    """A kind of mail, as it is declared."""

    words: str
    """What the lists of mails call it."""
    write: Write
    can_wait: CanWait


_KINDS: dict[str, MailKind] = {}
ENDS = frozenset({"over", "time_out"})
"""The kinds that tell how a game ended."""
GONE = frozenset({"club_match", "server_test"})
"""Kinds of earlier versions: what still waits of them is dropped."""
_TOGETHER: list[Write] = []
together: set[str] = set()
"""The kinds that go out together, as lines of one mail (`app.post.out.bundles`)."""


def mail(
    kind: str,
    *,
    words: str,
    group: MailGroup = MailGroup.TURN,
    waits: CanWait = always,
) -> Callable[[Write], Write]:
    """Declare a kind of mail and the function that writes it. News asks nothing, and no clock or right runs from it;
    `waits` says whether a piece of it can wait for a digest. RuntimeError for a kind that another function writes."""

    def declare(write: Write) -> Write:
        if kind in _KINDS:
            raise RuntimeError(f"two functions write mails of the kind {kind}")
        outbox.declare(kind, group)
        _KINDS[kind] = MailKind(words, write, waits)
        return write

    return declare


def write_mail(session: Session, links: Links, mail: QueuedMail, now: datetime) -> WrittenMail | None:
    """Return the mail in the reader's words as it is true when handed over `now`; None if it should no longer go out.
    Deadlines assume that its host accepts it at this moment."""
    roots = tuple(one.root for one in seeds.roots(session)) if _commits(session, mail) else ()
    mail = replace(mail, handed_over_at=now, roots=roots)
    along = [one for one in mail.more if one.kind in together]
    if along and mail.kind in together:
        return _TOGETHER[0](session, links, mail)
    written = write_one(session, links, mail)
    if written is None and along:  # its own message is obsolete; what goes along with it is not
        first = replace(along[0], handed_over_at=now, roots=mail.roots, message_id=mail.message_id)
        return _TOGETHER[0](session, links, replace(first, id=mail.id, more=tuple(along[1:])))
    return written


def _commits(session: Session, mail: QueuedMail) -> bool:
    """Whether a mail, or one that goes with it, is the first about a game that its reader gets, or tells its end."""
    return any(
        one.game_id is not None and (one.kind in ENDS or session.execute(_before(one)).first() is None)
        for one in (mail, *mail.more)
    )


def _before(mail: QueuedMail) -> sa.Select[int]:
    """Select an earlier mail about the same game that the reader has got; of one that is sent again, before the first
    time."""
    known = mail.player_id is not None
    reader = col(OutboxMail.player_id) == mail.player_id if known else col(OutboxMail.address) == mail.address
    again = mail.details.get("again")
    first = mail.id if again is None or again is True else int(again)
    here = sa.and_(col(OutboxMail.game_id) == mail.game_id, col(OutboxMail.id) < first)
    got = col(OutboxMail.state).in_((MailState.SENT, MailState.KEPT))
    return sa.select(col(OutboxMail.id)).where(here, reader, got).limit(1)


def write_one(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """A mail by itself, for the moment for which it is written."""
    return None if mail.kind in GONE else _KINDS[mail.kind].write(session, links, mail)


def can_wait(session: Session, mail: QueuedMail, until: datetime) -> bool:
    """Whether a piece of news can wait for its reader's digest."""
    return _KINDS[mail.kind].can_wait(session, mail, until)


def words_of(kind: str) -> str | None:
    """What a kind of mail is called; None for one that an older version wrote."""
    return _KINDS[kind].words if kind in _KINDS else None


def kinds() -> frozenset[str]:
    """Return all kinds of mails that are written."""
    return frozenset(_KINDS)


def register_together(write: Write) -> None:
    """Have this function write those that go out as one mail."""
    _TOGETHER[:] = [write]


def reader_of(session: Session, mail: QueuedMail) -> Player | None:
    """Return the row of the recipient; None if the account has been erased, so that nothing is sent."""
    return None if mail.player_id is None else _READER.first(session, player=mail.player_id)


def game_of(session: Session, mail: QueuedMail) -> GameNow | None:
    """Return the game that a mail is about; None if it is gone, or its title is not installed. Its deadline is the one
    that the mail may name: the row's is only the earliest one until a mail of the decision has been accepted."""
    assert mail.game_id is not None and mail.handed_over_at is not None
    try:
        game = GameStore(session).load(mail.game_id)
    except (NoSuchGame, TitleMissing):
        return None
    if game.decides is None:
        return game
    # A clock that starts now has lost nothing; one that ran while no mail could go out is about to get that time back.
    lost = outages.not_noted(session, mail.handed_over_at) if game.mailed_at is not None else ()
    due = pending.deadline_if_accepted(session, game.id, game.number, mail.handed_over_at, lost)
    return replace(game, deadline_at=due or game.deadline_at)


def still_owed(game: GameNow, mail: QueuedMail) -> bool:
    """Return whether the mail's recipient still has to make its decision."""
    if game.number != mail.number or game.decides != mail.seat:
        return False
    return game.seated(game.decides or "").player_id == mail.player_id


@cache
def markers() -> tuple[str, ...]:
    """Return the line above which answers are written, in every language."""
    return tuple([catalogue(language).gettext(one) for language in LANGUAGES for one in (MARKER, YES_OR_NO)])


def proof_link(links: Links, game_id: int) -> str:
    """Return the page that shows the commitment, and after the end the seed and every outcome."""
    return f"{links.base_url}/games/{game_id}/proof"


def finish(
    name: str,
    context: dict[str, Any],
    reader: Player,
    links: Links,
    mail: QueuedMail,
    *,
    group: str | None,
    later: Callable[[], dict[str, Any]] = dict,
) -> WrittenMail:
    """Render a kind of mail in its reader's words. It names its game, and shows the available pictures. `later` gives
    the part of the context that takes long and is not in the subject: it runs when no transaction is open."""
    assert reader.id is not None
    unsubscribe = links.unsubscribe(reader.id, group) if group else None
    game_id, number = mail.game_id, f"#{mail.game_id}"
    about: dict[str, Any] = {"game_number": game_id, "game_page": game_id and f"{links.base_url}/games/{game_id}"}
    asks = question(mail.kind) is not None
    line = TOKEN + catalogue(reader.language).gettext(YES_OR_NO if asks else MARKER) if mail.takes_answers else ""
    about |= {"marker": "" if asks else line, "yes_or_no": line if asks else ""}
    voice = Voice(reader.language, reader.zone)
    called = "" if accounts.is_nameless(reader.id, reader.name) else reader.name
    shown = {"voice": voice, **about, **context, "reader": {"name": called}, "unsubscribe": unsubscribe}
    shown |= {"roots": mail.roots, "seeds_page": f"{links.base_url}/chance"}
    subject, gist = (part(name, block, reader.language, shown) for block in ("subject", "gist"))
    if game_id and number not in subject:
        subject = f"{subject} · {number}"
    thread = f"game.{game_id}" if game_id else None
    said = {"link": context.get("link", ""), "gist": gist or context.get("gist", "")}
    return WrittenMail(
        mail.address,
        called,
        subject,
        partial(_body, name, reader.language, shown, later),
        thread,
        unsubscribe,
        **said,
    )


def _body(name: str, lang: str, known: dict[str, Any], later: Callable[[], dict[str, Any]]) -> MailBody:
    """Return what a mail shows, with the available pictures."""
    shown = {**known, **later()}
    wanted: Mapping[str, Picture] = shown.get("pictures", {})
    painted: dict[str, bytes] = {}
    for key, picture in wanted.items():
        if sum(map(len, painted.values())) <= MOST_OF_PICTURES and (png := picture.paint()):
            painted[key] = png
    text, html = render(name, lang, {**shown, "pictures": {key: wanted[key] for key in painted}})
    return MailBody(text, html, painted)
