"""Transfers a seat: its running games with their clocks, and its place in the event."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.games.store import GameNow
from app.games.tables import Draft, Game, GameSeat
from app.games.work import Work
from app.leagues.changes import withdrawals
from app.leagues.events import entries
from app.leagues.events.seat_changes import open_seats
from app.leagues.tables import Competition, CompetitionRound, Entrant, EntrantStatus, Match, MatchSeat, RoundStatus
from app.play.agreed.results import still_plays
from app.play.tables import AnswerStatus, Note, Proposal
from app.play.turn.moves import turn_mail
from app.time import open_cases, pending
from app.time.tables import NoteCause, NoteKind

LEAST_LEFT = timedelta(days=1)
"""The minimum time a substitute has for the pending decision."""


# -- handing over -------------------------------------------------------------------------------------


def hand_over(
    work: Work, event: Competition, leaver_id: int, sub_id: int, called_at: datetime, now: datetime
) -> list[int]:
    """Give all running games of an entrant, with their clocks, and its place in the event to a reserve; return the
    games.

    The time since the reserve was asked is given back, and at least a day is left. The leaver's private material
    (standing orders, drafts, notes) is deleted; old turn links stop working, since they name the player.
    """
    session = work.session
    rows = session.exec(open_seats(event.id, leaver_id)).all()
    people = {row.id: row for row in session.exec(select(Entrant).where(col(Entrant.id).in_((leaver_id, sub_id))))}
    leaver, sub = people[leaver_id], people[sub_id]
    done = [match.game_id or 0 for held, match in rows if _hand(work, held, match, sub, called_at, now)]
    _take_place(session, event, leaver, sub)
    return done


def hand_match(work: Work, event_id: int, match_id: int, leaver_id: int, sub_id: int, now: datetime) -> int | None:
    """Give the running game of one match to another entrant, with its clock and at least a day left.

    Returns the game, or None if there is nothing to give. Both entrants stay in the event.
    """
    row = work.session.exec(open_seats(event_id, leaver_id).where(col(Match.id) == match_id)).first()
    sub = work.session.get(Entrant, sub_id)
    if row is None or sub is None or not _hand(work, *row, sub, now, now):
        return None
    return row[1].game_id


def _hand(work: Work, held: MatchSeat, match: Match, sub: Entrant, called_at: datetime, now: datetime) -> bool:
    """Give one seat of `open_seats` to the substitute; return False if it no longer plays."""
    game = work.store.load(match.game_id or 0, for_writing=True)
    seat = game.seats[held.place].seat
    if game.is_over or not still_plays(game, seat):
        return False
    _seat(work, game, seat, sub.player_id, called_at, now)
    before = [*held.played_by, [held.entry_id, game.number]]
    here = sa.update(MatchSeat).where(col(MatchSeat.id) == held.id)
    work.session.execute(here.values(entry_id=sub.id, played_by=before))
    return True


def _seat(work: Work, game: GameNow, seat: str, player_id: int, called_at: datetime, now: datetime) -> None:
    session = work.session
    before = pending.owed(session, game.id)
    mine = before if before is not None and before.seat == seat else None
    waited = 0
    if mine is not None and mine.mailed_at is not None:
        since = max(called_at, mine.started_at)
        waited = pending.time_used(session, mine, now) - pending.time_used(session, mine, since)
    here = sa.and_(col(GameSeat.game_id) == game.id, col(GameSeat.seat) == seat)
    theirs = {"player_id": player_id, "held_by": None, "standing": "", "ends_turn": None, "mailed": ""}
    session.exec(sa.update(GameSeat).where(here).values(theirs))
    has_computer = any(one.computer for one in game.seats if one.seat != seat)
    session.exec(sa.update(Game).where(col(Game.id) == game.id).values(changed_at=now, has_computer=has_computer))
    for model in (Draft, Note):
        session.exec(sa.delete(model).where(col(model.game_id) == game.id, col(model.seat) == seat))
    waiting = sa.and_(col(Proposal.game_id) == game.id, col(Proposal.status) == AnswerStatus.WAITING)
    session.exec(sa.update(Proposal).where(waiting).values(status=AnswerStatus.WITHDRAWN, settled_at=now))
    if mine is None:
        return
    if mine.mailed_at is None:  # the clock starts with the substitute's mail
        session.exec(sa.update(Game).where(col(Game.id) == game.id).values(asked_at=now))
        case = open_cases.running(session, game.id)
        if case is not None:
            open_cases.close(session, case, game.entries, NoteCause.SUBSTITUTE, now)
    else:
        _give_time(session, game.id, waited, now)
    pending.refresh_game(session, game.id, now)
    after = work.store.load(game.id)
    work.outbox.add([turn_mail(after, after.seated(seat), again=f"substitute{player_id}")], now)


def _give_time(session: Session, game_id: int, waited: int, now: datetime) -> None:
    """Give back the time spent looking for a reserve; at least a day is left afterwards."""
    decision = pending.owed(session, game_id)
    assert decision is not None
    more = max(0, waited)
    due = pending.times(session, decision._replace(extra_seconds=decision.extra_seconds + more), now).deadline
    if due < now + LEAST_LEFT:
        more += int((now + LEAST_LEFT - due).total_seconds())
    if more:
        extra = decision.extra_seconds + more
        session.exec(sa.update(Game).where(col(Game.id) == game_id).values(extra_seconds=extra))
        pending.note(session, decision, NoteKind.EXTENSION, NoteCause.SUBSTITUTE, now, seconds=more)


def _take_place(session: Session, event: Competition, leaver: Entrant, sub: Entrant) -> None:
    """Give the substitute the leaver's number and division; the leaver moves to the end of the list."""
    published, at_the_end = withdrawals.last_round(session, leaver), entries.next_seed(session, event.id)
    mine = (
        sa.select(col(Match.id))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .where(col(CompetitionRound.division_id) == leaver.division_id)
    )
    drafts = mine.where(col(CompetitionRound.status) == RoundStatus.DRAFT)
    seats = sa.update(MatchSeat).where(col(MatchSeat.entry_id) == leaver.id)
    session.execute(seats.where(col(MatchSeat.match_id).in_(drafts)).values(entry_id=sub.id))
    joined = session.scalar(
        sa.select(sa.func.min(col(CompetitionRound.number)))
        .join(Match, col(Match.round_id) == col(CompetitionRound.id))
        .join(MatchSeat, col(MatchSeat.match_id) == col(Match.id))
        .where(col(MatchSeat.entry_id) == sub.id)
    )
    if event.terms.share == "seat":  # the seat's line continues, with the earlier results
        finished = session.execute(
            sa.select(col(MatchSeat.id), col(MatchSeat.played_by)).where(
                col(MatchSeat.entry_id) == leaver.id, col(MatchSeat.match_id).in_(mine)
            )
        ).all()
        for row in finished:
            held = {"entry_id": sub.id, "played_by": [*row.played_by, [leaver.id, None]]}
            session.exec(sa.update(MatchSeat).where(col(MatchSeat.id) == row.id).values(**held))
        joined = leaver.joined_round
    place = {"seed": leaver.seed, "division_id": leaver.division_id, "joined_round": joined or published + 1}
    stays = {"status": EntrantStatus.ENTERED, "withdrawn_after": None, **place}
    session.exec(sa.update(Entrant).where(col(Entrant.id) == sub.id).values(**stays))
    leaves = {"status": EntrantStatus.WITHDRAWN, "withdrawn_after": published, "seed": at_the_end}
    session.exec(sa.update(Entrant).where(col(Entrant.id) == leaver.id).values(**leaves))
