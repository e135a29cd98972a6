"""What players agree on or cause themselves: resigning, cancelling, an agreed result, taking a move back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.links import TurnLink
from app.base.stored import limits
from app.base.stored.database import Database
from app.base.stored.mail_tables import OF_TIME
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import LinkExpired, NotAccepted
from app.games import competitions, followers, rows
from app.games.store import GameNow, GameStore, SeatHolder
from app.games.tables import Game, GameStatus, LogCause
from app.games.work import Work
from app.play.agreed import takeback
from app.play.tables import AnswerStatus, Consent, Proposal, ProposalKind
from app.play.turn.moves import move_on, seat_mail
from app.play.turn.playing import Play
from app.play.turn.turns import play_of, seat_of_player
from app.time import open_cases
from app.time.tables import NoteCause
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text

IS_OVER = Text("The game is over.")


_BECAME = {
    AnswerStatus.ACCEPTED: Text("All have agreed to this proposal already."),
    AnswerStatus.DECLINED: Text("This proposal has been declined, and the game goes on."),
    "answered": Text("You have answered this proposal already."),
    "void": Text("The game has gone on since, so nothing is taken back."),
}


class ProposalOver(LinkExpired):
    """The proposal no longer waits for this answer; `became` says what has become of it."""

    def __init__(self, game_id: int | None = None, became: str = AnswerStatus.WITHDRAWN) -> None:
        super().__init__("proposal.over", _BECAME.get(became, Text("This does not wait for your answer any more.")))
        self.game_id = game_id
        self.became = became


@dataclass(frozen=True, slots=True)
class OpenProposal:
    """A pending proposal: who made it, and what each of the other seats has said so far (None: nothing yet)."""

    id: int
    game_id: int
    kind: str
    seat: str
    winners: tuple[str, ...]
    made_at: datetime
    answers: Mapping[str, bool | None]
    back_to: int | None = None
    """For a takeback, the entry after which the game would continue."""


def still_plays(game: GameNow, seat: str) -> bool:
    """Return whether a seat can still end the game for itself: it has not resigned and is not out."""
    try:
        game.title.resign(game.state, seat)
    except Refusal:
        return False
    return True


def _running(work: Work, game_id: int) -> GameNow:
    game = work.store.load(game_id, for_writing=True)
    if game.is_over:
        raise NotAccepted("game.over", IS_OVER)
    return game


# -- resigning ----------------------------------------------------------------------------------------


def resign(database: Database, game_id: int, player_id: int | None, *, now: datetime) -> GameNow:
    """Resign at once; return the game as it then stands. Raises NoSuchGame, and NotAccepted when there is nothing to
    resign."""
    with Work(database) as work:
        return resign_within(work, game_id, player_id, now)


def resign_within(work: Work, game_id: int, player_id: int | None, now: datetime) -> GameNow:
    """Do the same as `resign` in the caller's transaction."""
    game = _running(work, game_id)
    return resign_seat(work, game, seat_of_player(game, player_id).seat, now)


def resign_seat(work: Work, game: GameNow, seat: str, now: datetime) -> GameNow:
    """Do the same for a seat of a running game that is locked."""
    play = play_of(game)
    try:
        play.resign(seat)
    except Refusal as refusal:
        raise NotAccepted(refusal.code, refusal.why) from None
    play.answer_what_needs_no_asking()
    return end_or_go_on(work, game, play, seat, now)


def end_or_go_on(work: Work, game: GameNow, play: Play, actor: str | None, now: datetime) -> GameNow:
    """Write what has just been played from outside the rules; the end of the game ends all proposals."""
    after = move_on(work, game, play.so_far, actor=actor, now=now)
    if after.is_over:
        _settle(work, col(Proposal.game_id) == game.id, AnswerStatus.WITHDRAWN, now)
    else:
        work.outbox.add(left_mails(game, after, by_time=actor is None), now)
    return after


def left_mails(before: GameNow, after: GameNow, *, by_time: bool) -> list[PlannedMail]:
    """Return the mails that tell the remaining players at once who has left the game."""
    seats = [seated.seat for seated in before.seats]
    gone = [seat for seat in seats if still_plays(before, seat) and not still_plays(after, seat)]
    told, wait = {"what": "left", "by_time": by_time}, OF_TIME if by_time else timedelta(0)
    return [
        seat_mail(after, other, f"left:{after.id}:{seat}:{other.seat}", "late", {**told, "seat": seat}, wait=wait)
        for seat in gone
        for other in after.seats
        if other.player_id is not None and other.seat not in gone and still_plays(after, other.seat)
    ]


# -- cancelling and agreed results --------------------------------------------------------------------


def waiting(session: Session, game: GameNow) -> OpenProposal | None:
    """Return the proposal about a running game that waits for answers."""
    if game.is_over:
        return None
    asked = select(Proposal).where(col(Proposal.game_id) == game.id, col(Proposal.status) == AnswerStatus.WAITING)
    row = next((row for row in session.exec(asked) if not _is_void(row, game)), None)
    return None if row is None else _proposed(session, game, row)


def _is_void(row: Proposal, game: GameNow) -> bool:
    """Return whether a takeback is void because something has happened since."""
    return bool(not _KINDS[row.kind].ends_game and row.at_entry != game.entries)


def _proposed(session: Session, game: GameNow, row: Proposal) -> OpenProposal:
    said = {
        consent.seat: consent.agrees
        for consent in session.exec(select(Consent).where(col(Consent.proposal_id) == row.id))
    }
    asked = [s.seat for s in game.others(row.seat) if _is_asked(game, s, row.kind)]
    answers = {seat: said.get(seat) for seat in asked}
    return OpenProposal(row.id, game.id, row.kind, row.seat, tuple(row.winners), row.made_at, answers, row.back_to)


def _is_asked(game: GameNow, seated: SeatHolder, kind: str) -> bool:
    """Return whether a seat has to agree. A takeback does not wait for an empty seat."""
    return still_plays(game, seated.seat) and (_KINDS[kind].ends_game or seated.is_asked)


def propose(
    database: Database,
    game_id: int,
    player_id: int | None,
    kind: str,
    winners: Sequence[str] = (),
    *,
    number: int | None = None,
    now: datetime,
) -> None:
    """Ask all other seats to cancel the game, to end it with these winners (none: nobody wins), or to let the seat take
    back what it sent last (as the answer to decision `number`, if given).

    The computer answers at once. Raises NoSuchGame, NotAccepted.
    """
    asked = _KINDS.get(kind)
    if asked is None:
        raise NotAccepted("proposal.kind", Text("Choose one of what is offered."))
    limits.count(database, [(limits.INVITATIONS, str(player_id or f"game {game_id}"))], now)
    with Work(database) as work:
        game = _running(work, game_id)
        seated = seat_of_player(game, player_id)
        if asked.ends_game and not still_plays(game, seated.seat):
            raise NotAccepted("seat.out", Text("You are out of this game, so the others decide about it."))
        if waiting(work.session, game) is not None:
            raise NotAccepted("proposal.waits", Text("Another proposal waits for answers; it has to be settled first."))
        row = {"game_id": game_id, "kind": kind, "seat": seated.seat, "winners": [], "status": AnswerStatus.WAITING}
        row |= asked.columns(work, game, seated.seat, winners, number)
        _settle(work, col(Proposal.game_id) == game_id, AnswerStatus.WITHDRAWN, now)  # takebacks that are void
        proposal_id = work.session.scalar(sa.insert(Proposal).values(**row, made_at=now).returning(col(Proposal.id)))
        made = waiting(work.session, game)
        assert made is not None
        mails = [
            seat_mail(game, game.seated(seat), f"proposal:{proposal_id}:{seat}", "proposal", {"proposal": proposal_id})
            for seat in made.answers
            if game.seated(seat).player_id is not None
        ]
        work.outbox.add(mails, now)
        _have_computer_answer(work, game, made, now)


def _have_computer_answer(work: Work, game: GameNow, made: OpenProposal, now: datetime) -> None:
    """Answer for each seat that the computer plays."""
    for seat in made.answers:
        if game.seated(seat).computer:
            agrees = followers.agrees(work.session, game, seat, made.kind, made.winners)
            game = _answer_within(work, game, made, seat, agrees, now)
            if not agrees:
                return
            made = replace(made, answers={**made.answers, seat: True})


def may_take_back(session: Session, game: GameNow, seat: str, before: GameNow | None = None) -> takeback.Offer | None:
    """Return what a seat sent last and whether it may ask to take that back; None if there is nothing. `before` is as
    in `takeback.offer`."""
    offer = takeback.offer(session, game, seat, before)
    if (
        offer
        and not offer.why_not
        and not any(_is_asked(game, other, ProposalKind.TAKEBACK) for other in game.others(seat))
    ):
        return replace(offer, why_not=Text("Nobody sits there who could agree."))
    return offer


def propose_takeback(database: Database, link: TurnLink, *, now: datetime) -> None:
    """Ask to take back the answer to a link's decision, by that link alone. Raises NoSuchGame, NotAccepted."""
    propose(database, link.game, link.player, ProposalKind.TAKEBACK, number=link.number, now=now)


def find(
    session: Session, store: GameStore, proposal_id: int, seat: str, player_id: int | None
) -> tuple[GameNow, OpenProposal]:
    """Return the proposal that a seat is asked about. ProposalOver when it no longer waits. Changes nothing."""
    row = session.exec(select(Proposal).where(col(Proposal.id) == proposal_id)).first()
    if row is None:
        raise ProposalOver
    game = store.load(row.game_id)
    if row.status != AnswerStatus.WAITING or game.is_over:
        raise ProposalOver(row.game_id, row.status)
    if _is_void(row, game):
        raise ProposalOver(row.game_id, "void")
    proposed = _proposed(session, game, row)
    if seat not in proposed.answers or game.seated(seat).player_id != player_id:
        raise ProposalOver(row.game_id)
    if proposed.answers[seat] is not None:
        raise ProposalOver(row.game_id, "answered")
    return game, proposed


def answer(
    database: Database, proposal_id: int, seat: str, player_id: int | None, agrees: bool, *, now: datetime
) -> GameNow:
    """Agree or disagree for one seat. It takes effect with the last agreement; one disagreement settles it too. Raises
    ProposalOver."""
    with Work(database) as work:
        game_id = work.session.scalar(sa.select(col(Proposal.game_id)).where(col(Proposal.id) == proposal_id))
        if game_id is None:
            raise ProposalOver
        work.store.load(game_id, for_writing=True)  # one answer after the other
        game, proposed = find(work.session, work.store, proposal_id, seat, player_id)
        return _answer_within(work, game, proposed, seat, agrees, now)


def _answer_within(
    work: Work, game: GameNow, proposed: OpenProposal, seat: str, agrees: bool, now: datetime
) -> GameNow:
    work.session.exec(sa.insert(Consent).values(proposal_id=proposed.id, seat=seat, agrees=agrees, at=now))
    said = {**proposed.answers, seat: agrees}
    if not agrees:
        _settle(work, col(Proposal.id) == proposed.id, AnswerStatus.DECLINED, now)
        _tell_proposer(work, game, proposed, seat, now)
    elif all(said.values()):
        _settle(work, col(Proposal.id) == proposed.id, AnswerStatus.ACCEPTED, now)
        game = _KINDS[proposed.kind].carry_out(work, game, proposed, now)
    return game


def withdraw(database: Database, game_id: int, player_id: int, *, now: datetime) -> None:
    """Withdraw the player's own proposal. Raises NoSuchGame, NotAccepted."""
    with Work(database) as work:
        game = _running(work, game_id)
        seat = seat_of_player(game, player_id).seat
        made = waiting(work.session, game)
        if made is None or made.seat != seat:
            raise NotAccepted("proposal.none", Text("No proposal of yours is waiting."))
        _settle(work, col(Proposal.id) == made.id, AnswerStatus.WITHDRAWN, now)


def _settle(work: Work, which: sa.ColumnElement[bool], status: AnswerStatus, now: datetime) -> None:
    """Note what has become of waiting proposals."""
    these = sa.update(Proposal).where(which, col(Proposal.status) == AnswerStatus.WAITING)
    work.session.exec(these.values(status=status, settled_at=now))


def _tell_proposer(work: Work, game: GameNow, proposed: OpenProposal, seat: str, now: datetime) -> None:
    by = game.seated(proposed.seat)
    if by.player_id is not None:
        details = {"kind": proposed.kind, "seat": seat}
        mail = seat_mail(game, by, f"proposal_declined:{proposed.id}", "proposal_declined", details)
        work.outbox.add([mail], now)


# -- the kinds of proposal ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Proposing:
    """What a proposal asks."""

    ends_game: bool
    """If so, empty seats have to agree as well, and it waits whatever happens in the game."""
    columns: Callable[[Work, GameNow, str, Sequence[str], int | None], dict[str, Any]]
    """The columns that only this kind has, for the seat that proposes, the winners, and the decision whose answer is to
    be taken back; refuses what cannot be proposed."""
    carry_out: Callable[[Work, GameNow, OpenProposal, datetime], GameNow]
    """Carries out what all have agreed to, and returns the game as it then stands."""


def _result(_: Work, game: GameNow, seat: str, winners: Sequence[str], number: int | None) -> dict[str, Any]:
    for seat in winners:
        if seat not in [s.seat for s in game.seats]:
            raise NotAccepted("seat.unknown", Text("There is no “{name}” in this game.", name=seat[:30]))
    _conclude(game, winners)
    return {"winners": [s.seat for s in game.seats if s.seat in winners]}


def _conclude(game: GameNow, winners: Sequence[str]) -> Sequence[Any]:
    try:
        return game.title.conclude(game.state, "agreed", list(winners))
    except Refusal as refusal:
        raise NotAccepted(refusal.code, refusal.why) from None


def _end_as_agreed(work: Work, game: GameNow, proposed: OpenProposal, now: datetime) -> GameNow:
    play = play_of(game)
    play.happen(_conclude(game, proposed.winners), LogCause.AGREED)
    return end_or_go_on(work, game, play, None, now)


def _what_to_take_back(
    work: Work, game: GameNow, seat: str, winners: Sequence[str], number: int | None
) -> dict[str, Any]:
    offer = may_take_back(work.session, game, seat)
    if offer is None or (number is not None and offer.number != number):
        raise NotAccepted("takeback.nothing", Text("There is nothing that you could take back now."))
    if offer.why_not is not None:
        raise NotAccepted("takeback.learned", offer.why_not)
    return {"back_to": offer.back_to, "at_entry": game.entries}


def _take_back(work: Work, game: GameNow, proposed: OpenProposal, now: datetime) -> GameNow:
    assert proposed.back_to is not None
    return takeback.take_back(work, game, proposed.seat, proposed.back_to, now)


_KINDS: dict[str, _Proposing] = {
    ProposalKind.CANCEL: _Proposing(True, lambda *_: {}, lambda work, game, _, now: cancel(work, game, now)),
    ProposalKind.AGREED: _Proposing(True, _result, _end_as_agreed),
    ProposalKind.TAKEBACK: _Proposing(False, _what_to_take_back, _take_back),
}


def cancel(work: Work, game: GameNow, now: datetime) -> GameNow:
    """Cancel the game (`void`) for good: all players get a mail, and the match that the game belongs to ends with
    it."""
    after = void(work, game, now)
    competitions.runner().game_over(work, after, now)
    return after


def void(work: Work, game: GameNow, now: datetime, *, tells: bool = True, corrects: str = "") -> GameNow:
    """End a running game without a result; all players get a mail, unless another one tells them (`tells`): that they
    have agreed on it, or that a correction in an event (`corrects`, its name) has done it. The caller takes care of its
    match."""
    values = rows.owed(None) | rows.NO_CLOCK | {"status": GameStatus.CANCELLED, "ended_at": now}
    work.session.exec(sa.update(Game).where(col(Game.id) == game.id).values(**values))
    case = open_cases.running(work.session, game.id)
    if case is not None:
        open_cases.close(work.session, case, game.entries, NoteCause.PLAYER, now)
    if not tells:
        return work.store.load(game.id)
    told = (one for one in game.seats if one.player_id is not None)
    details = {"corrects": corrects} if corrects else {}
    mails = [seat_mail(game, one, f"cancelled:{game.id}:{one.player_id}", "cancelled", details) for one in told]
    work.outbox.add(mails, now)
    return work.store.load(game.id)
