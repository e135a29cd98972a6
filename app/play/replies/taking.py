"""The effect of an answer by mail, in the transaction that stores it: orders are played, held, stored as a draft until
their author confirms, or refused; a mail says which. They go the same way as those of the page (`holding.seal`).

If any line cannot be read or is against the rules, none is played, unless something hidden has already been revealed.
If the sender is not proven, orders become a draft and never a move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from app.base.links import TurnLink
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import NotAccepted, TitleMissing
from app.base.words.speech import Voice
from app.games.store import GameNow, NoSuchGame
from app.games.work import Work
from app.play.replies import words
from app.play.replies.words import SaidByMail
from app.play.turn import chat_and_notes, drafts, holding, turns
from app.play.turn.playing import LineRefused, split_orders
from app.post.inbound.port import Reply, point_to_page
from app.post.out.envelope import ECHO
from engine.kernel.refusals import Refusal, Unreadable

ASK = frozenset({"turn", "reminder", "overdue", "extension", "auto_leave", ECHO})
"""Kinds of mails that ask for a decision, and can be answered with it."""


def take(work: Work, reply: Reply, key: str, now: datetime) -> PlannedMail | None:
    """Do what an answer says, and mail the result."""
    asked = reply.asked
    if not reply.is_owed or not _asks_for_one(work, asked):
        return point_to_page(work, reply, key, now)
    assert asked.game_id is not None and asked.seat is not None and asked.number is not None
    link = TurnLink(asked.game_id, asked.seat, asked.number, asked.player_id)
    try:
        game = turns.locked(work, link)
    except (NoSuchGame, TitleMissing, turns.LinkEnded):
        return point_to_page(work, reply, key, now)
    if (game.decides, game.number) != (link.seat, link.number):
        return point_to_page(work, reply, key, now)
    answer = _Answer(work, game, link, now)
    text = reply.text(partial(_says, game, link.seat))
    said = words.read(text, game.seated(link.seat).name or "", reply.mail.author_name)
    details = answer.to(said, is_proven=reply.is_proven)
    if reply.is_proven:
        _note(work, asked, answer, now)
    address = reply.mail.author or asked.address
    number = answer.after.number if answer.after.decides == link.seat else None
    return PlannedMail(key, ECHO, address, asked.player_id, asked.game_id, asked.seat, number, details)


def _says(game: GameNow, seat: str, line: str) -> bool:
    """Return whether a line can be read, as one of our words or as an order in the title's notation."""
    if words.is_one(line):
        return True
    try:
        game.title.read(game.state, seat, words.without_bullet(line))
    except Unreadable:
        return False
    return True


def _asks_for_one(work: Work, asked: OutboxMail) -> bool:
    """Return whether a mail asked for only one decision: several that went out as one mail share its Message-ID."""
    if asked.kind not in ASK or asked.game_id is None or asked.seat is None or asked.number is None:
        return False
    same = sa.select(sa.func.count()).where(
        col(OutboxMail.message_id) == asked.message_id, col(OutboxMail.player_id) == asked.player_id
    )
    return asked.message_id is None or work.session.scalar(same) == 1


def _note(work: Work, asked: OutboxMail, answer: _Answer, now: datetime) -> None:
    """Note that the reader has seen the mail, and perhaps answered what it asked."""
    values: dict[str, Any] = {"seen_at": sa.func.coalesce(col(OutboxMail.seen_at), now)}
    if answer.is_sealed:
        values |= {"answered_at": now, "answered_by": "mail"}
    work.session.exec(sa.update(OutboxMail).where(col(OutboxMail.id) == asked.id).values(**values))


class _Answer:
    """One answer, and its effect."""

    def __init__(self, work: Work, game: GameNow, link: TurnLink, now: datetime) -> None:
        self.work, self.game, self.link, self.now = work, game, link, now
        self.after = game
        self.is_sealed = False
        seated = game.seated(link.seat)
        self.voice = Voice(seated.language, seated.zone, game.title)

    def to(self, said: SaidByMail, *, is_proven: bool) -> dict[str, Any]:
        """Do what it says; return the content of its echo."""
        held = holding.held(self.work.session, self.game, self.link)
        if said.help or said.is_empty:
            return _told("help", rest=said.orders)
        if said.elsewhere:
            return _told("elsewhere", rest=said.orders, word=said.elsewhere)
        if said.revoke:
            if held is None:
                return _told("not_held", rest=said.orders)
            if not is_proven:
                return _told("not_proven", rest=said.orders)
            if not holding.recall(self.work, held, self.now):
                return self._played(None, "gone")
            if not said.orders:
                return _told("revoked", held.lines)
            held = None
        drafted = () if held is not None else self._draft()
        try:
            lines = self._lines(said, held, drafted)
        except Refusal as refusal:
            return self._refused(LineRefused(0, "", refusal), said.orders)
        if held is not None:
            return self._while_held(said, held, lines, is_proven=is_proven)
        if not lines:
            return self._without_orders(said, is_proven=is_proven)
        ahead = drafts.play_ahead(self.game.title, self.game.state, self.link.seat, lines)
        if ahead.refused is not None:
            return self._refused(ahead.refused, lines)
        understood = (*ahead.lines, *ahead.rest)
        if not is_proven:
            return self._as_draft("draft" if not drafted or drafted == understood else "not_proven", understood)
        if said.preview:
            return self._chatted(said) or self._as_draft("preview", understood)
        hold = self.game.seated(self.link.seat).hold_minutes
        if ahead.shows_at is not None and not hold and not said.yes:
            return self._chatted(said) or self._as_draft("waits", understood)
        return self._chatted(said) or self._seal(understood)

    def _while_held(
        self, said: SaidByMail, held: holding.HeldTurn, lines: Sequence[str], *, is_proven: bool
    ) -> dict[str, Any]:
        """Refuse orders until what is held is taken back; `yes` sends it."""
        until = held.held_until.isoformat()
        if tuple(lines) != held.lines:
            return _told("held_already", held.lines, rest=lines, until=until)
        if not is_proven:
            return _told("not_proven")
        chatted = self._chatted(said)
        if chatted is not None or not said.yes:
            return chatted or _told("held", held.lines, until=until)
        self.is_sealed = True
        return self._played(holding.send_in(self.work, held, self.now), "played")

    def _draft(self) -> tuple[str, ...]:
        return chat_and_notes.beside(self.work.session, self.game.id, self.link.seat, self.game.number).draft

    def _lines(self, said: SaidByMail, held: holding.HeldTurn | None, drafted: Sequence[str]) -> Sequence[str]:
        if said.orders:
            return split_orders("\n".join(said.orders))
        if held is not None:
            return held.lines
        return drafted if said.yes or said.preview else ()

    def _without_orders(self, said: SaidByMail, *, is_proven: bool) -> dict[str, Any]:
        if not is_proven:
            return _told("not_proven")
        if said.chat and not said.yes:
            return self._chatted(said) or _told("said")
        return _told("nothing_waits")

    def _chatted(self, said: SaidByMail) -> dict[str, Any] | None:
        """Post the chat lines; return why not, if they cannot be posted."""
        for text in said.chat:
            try:
                chat_and_notes.put_message(self.work, self.game.id, self.link.seat, text, self.now)
            except NotAccepted as no:
                return self._refused(LineRefused(0, "", no), said.orders)
        return None

    def _as_draft(self, outcome: str, lines: Sequence[str]) -> dict[str, Any]:
        if outcome != "not_proven":  # else the player's draft stays
            drafts.write_draft(self.work.session, self.link, lines, self.now)
        return _told(outcome, lines)

    def _seal(self, lines: Sequence[str]) -> dict[str, Any]:
        try:
            result = holding.seal(self.work, self.game, self.link, lines, now=self.now)
        except turns.OrdersRefused as refused:
            return self._refused(refused.refused, lines)
        self.is_sealed = True
        if isinstance(result, holding.HeldTurn):
            return _told("held", result.lines, until=result.held_until.isoformat())
        return self._played(result, "played")

    def _played(self, played: turns.TurnPlayed | None, outcome: str) -> dict[str, Any]:
        self.after = self.work.store.load(self.game.id) if played is None else played.game
        since = self.game.entries
        if played is None:
            return _told(outcome, since=since)
        n, no = len(played.played), played.refused
        said = {**no, "word": "", "text": played.sent[no["line"] - 1]} if no else None
        return _told(outcome, played.played, since=since, refused=said, rest=played.sent[n:])

    def _refused(self, refused: LineRefused, lines: Sequence[str]) -> dict[str, Any]:
        """Play nothing: return the line, the wrong word in it, and what would be right."""
        said = turns.refusal_in_words(self.voice, refused)
        refusal = refused.refusal
        word = getattr(refusal, "word", None)
        said["word"] = refused.line[word[0] : word[1]] if word and refused.line else ""
        return _told("refused", refused={**said, "text": refused.line}, rest=lines)


def _told(
    outcome: str,
    lines: Sequence[str] = (),
    *,
    rest: Sequence[str] = (),
    refused: Mapping[str, Any] | None = None,
    **more: object,
) -> dict[str, Any]:
    return {"outcome": outcome, "lines": list(lines), "rest": list(rest), "refused": refused, **more}
