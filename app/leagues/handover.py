"""A seat changes hands: its running games with their clocks, and its place in the event."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.games.tables import Draft, Game, GameSeat
from app.leagues.tables import Entry, EventRound, Match, MatchSeat, ReserveCall
from app.play.notices import turn_mail
from app.play.results import still_plays
from app.play.tables import Note, Proposal
from app.time import open_cases, pending

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.games.store import GameNow
    from app.games.work import Work
    from app.leagues.events import EventNow

LEAST_LEFT = timedelta(days=1)
"""A substitute has at least this long for the decision that is owed."""

_GAME, _SEAT, _ENTRY = Game.__table__, GameSeat.__table__, Entry.__table__  # type: ignore[attr-defined]
_ROUND, _MATCH, _MSEAT = EventRound.__table__, Match.__table__, MatchSeat.__table__  # type: ignore[attr-defined]
_DRAFT, _NOTE, _PROPOSAL = Draft.__table__, Note.__table__, Proposal.__table__  # type: ignore[attr-defined]
_CALL = ReserveCall.__table__  # type: ignore[attr-defined]


# -- looking ------------------------------------------------------------------------------------------


def _open_seats(event_id: int, entry_id: int | None) -> Any:
    """The seats of an entry, or of everybody, in matches of an event whose game runs."""
    return (
        sa.select(_MSEAT.c.id, _MSEAT.c.match_id, _MSEAT.c.place, _MSEAT.c.played_by, _MATCH.c.game_id)
        .join(_MATCH, _MATCH.c.id == _MSEAT.c.match_id)
        .join(_ROUND, _ROUND.c.id == _MATCH.c.round_id)
        .join(_GAME, _GAME.c.id == _MATCH.c.game_id)
        .where(
            _ROUND.c.event_id == event_id, _GAME.c.status == "running", _MATCH.c.ended == "",
            sa.true() if entry_id is None else _MSEAT.c.entry_id == entry_id,
        )
        .order_by(_MATCH.c.game_id)
    )  # fmt: skip


def running_games(connection: Connection, event_id: int, entry_id: int | None = None) -> list[int]:
    """The running games of an event, or of an entry in it, that will count for something."""
    return list(dict.fromkeys(row.game_id for row in connection.execute(_open_seats(event_id, entry_id))))


def opponents(connection: Connection, event_id: int, entry_id: int) -> list[int]:
    """The players whom an entry meets in its running games."""
    games = running_games(connection, event_id, entry_id)
    mine = sa.select(_ENTRY.c.player_id).where(_ENTRY.c.id == entry_id).scalar_subquery()
    asked = sa.select(_SEAT.c.player_id).distinct().where(_SEAT.c.game_id.in_(games), _SEAT.c.player_id != mine)
    return list(connection.scalars(asked))


def replaced(connection: Connection, event_id: int) -> set[int]:
    """The entries whose seats a substitute has taken over: they are paired no more, though their name stays."""
    return set(successors(connection, event_id))


def successors(connection: Connection, event_id: int) -> dict[int, int]:
    """Whose seats a substitute has taken over, by entry, each with the entry of the substitute."""
    asked = sa.select(_CALL.c.leaver_id, _CALL.c.entry_id)
    rows = connection.execute(asked.where(_CALL.c.event_id == event_id, _CALL.c.status == "accepted"))
    return {row.leaver_id: row.entry_id for row in rows}


# -- handing over -------------------------------------------------------------------------------------


def hand_over(
    work: Work, event: EventNow, leaver_id: int, sub_id: int, called_at: datetime, now: datetime
) -> list[int]:
    """Give all running games of an entry to a reserve, with their clocks, and its place in the event; the games.

    The time that passed since the reserve was asked is given back, and a day at least is left. What the leaver wrote
    for themselves (standing orders, drafts, notes) goes; old turn links die, since they name the player.
    """
    connection = work.connection
    rows = connection.execute(_open_seats(event.id, leaver_id)).all()
    people = {row.id: row for row in connection.execute(sa.select(_ENTRY).where(_ENTRY.c.id.in_((leaver_id, sub_id))))}
    leaver, sub = people[leaver_id], people[sub_id]
    done = []
    for row in rows:
        game = work.store.load(row.game_id, for_writing=True)
        seat = game.seats[row.place].seat
        if game.is_over or not still_plays(game, seat):
            continue
        _seat(work, game, seat, sub.player_id, called_at, now)
        held = [*row.played_by, [leaver_id, game.number]]
        here = sa.update(_MSEAT).where(_MSEAT.c.id == row.id)
        connection.execute(here.values(entry_id=sub_id, played_by=held))
        done.append(game.id)
    _take_place(connection, event, leaver, sub)
    return done


def _seat(work: Work, game: GameNow, seat: str, player_id: int, called_at: datetime, now: datetime) -> None:
    connection = work.connection
    before = pending.owed(connection, game.id)
    mine = before if before is not None and before.seat == seat else None
    waited = 0
    if mine is not None and mine.mailed_at is not None:
        since = max(called_at, mine.started_at)
        waited = pending.time_used(connection, mine, now) - pending.time_used(connection, mine, since)
    here = sa.and_(_SEAT.c.game_id == game.id, _SEAT.c.seat == seat)
    connection.execute(sa.update(_SEAT).where(here).values(player_id=player_id, standing="", ends_turn=None))
    for table in (_DRAFT, _NOTE):
        connection.execute(sa.delete(table).where(table.c.game_id == game.id, table.c.seat == seat))
    waiting = sa.and_(_PROPOSAL.c.game_id == game.id, _PROPOSAL.c.status == "waiting")
    connection.execute(sa.update(_PROPOSAL).where(waiting).values(status="withdrawn", settled_at=now))
    if mine is None:
        return
    if mine.mailed_at is None:  # the clock starts with the substitute's mail
        connection.execute(sa.update(_GAME).where(_GAME.c.id == game.id).values(asked_at=now))
        case = open_cases.running(connection, game.id)
        if case is not None:
            open_cases.close(connection, case, game.entries, "substitute", now)
    else:
        _give_time(connection, game.id, waited, now)
    pending.refresh_game(connection, game.id, now)
    after = work.store.load(game.id)
    work.outbox.add([turn_mail(after, after.seated(seat), again=f"substitute{player_id}")], now)


def _give_time(connection: Connection, game_id: int, waited: int, now: datetime) -> None:
    """Give back what passed while a reserve was looked for; at least a day is left then."""
    decision = pending.owed(connection, game_id)
    assert decision is not None
    more = max(0, waited)
    due = pending.times(connection, replace(decision, extra_seconds=decision.extra_seconds + more), now).deadline
    if due < now + LEAST_LEFT:
        more += int((now + LEAST_LEFT - due).total_seconds())
    if more:
        extra = decision.extra_seconds + more
        connection.execute(sa.update(_GAME).where(_GAME.c.id == game_id).values(extra_seconds=extra))
        pending.note(connection, decision, "extension", "substitute", now, seconds=more)


def _take_place(connection: Connection, event: EventNow, leaver: Any, sub: Any) -> None:
    """The substitute gets the leaver's number and division; the leaver stays on the list behind everybody."""
    rounds = _ROUND.c.division_id == leaver.division_id
    published = connection.scalar(
        sa.select(sa.func.max(_ROUND.c.number)).where(rounds, _ROUND.c.status != "draft")
    )  # fmt: skip
    last = connection.scalar(sa.select(sa.func.max(_ENTRY.c.seed)).where(_ENTRY.c.event_id == event.id))
    mine = sa.select(_MATCH.c.id).join(_ROUND, _ROUND.c.id == _MATCH.c.round_id).where(rounds)
    drafts = mine.where(_ROUND.c.status == "draft")
    seats = sa.update(_MSEAT).where(_MSEAT.c.entry_id == leaver.id)
    connection.execute(seats.where(_MSEAT.c.match_id.in_(drafts)).values(entry_id=sub.id))
    joined = connection.scalar(
        sa.select(sa.func.min(_ROUND.c.number))
        .join(_MATCH, _MATCH.c.round_id == _ROUND.c.id)
        .join(_MSEAT, _MSEAT.c.match_id == _MATCH.c.id)
        .where(_MSEAT.c.entry_id == sub.id)
    )
    if event.terms.share == "seat":  # the line of the seat goes on, with what was played before
        finished = connection.execute(
            sa.select(_MSEAT.c.id, _MSEAT.c.played_by).where(
                _MSEAT.c.entry_id == leaver.id, _MSEAT.c.match_id.in_(mine)
            )
        ).all()
        for row in finished:
            held = {"entry_id": sub.id, "played_by": [*row.played_by, [leaver.id, None]]}
            connection.execute(sa.update(_MSEAT).where(_MSEAT.c.id == row.id).values(**held))
        joined = leaver.joined_round
    here = sa.update(_ENTRY).where(_ENTRY.c.id == sub.id)
    connection.execute(
        here.values(
            status="entered", seed=leaver.seed, division_id=leaver.division_id,
            joined_round=joined or (published or 0) + 1, withdrawn_after=None,
        )
    )  # fmt: skip
    gone = sa.update(_ENTRY).where(_ENTRY.c.id == leaver.id)
    connection.execute(gone.values(status="withdrawn", seed=int(last or 0) + 1, withdrawn_after=published or 0))
