"""The matches of a round as they are written, and the games that they start; below what decides about rounds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from app.base.outbox import Planned
from app.clocks.pace import write_pace
from app.games.tables import Game, GameSeat, GameStatus
from app.leagues.pure.model import BYES, HALF_BYE, PAIRING_BYE, Bye, Pairing
from app.leagues.pure.why import Reason
from app.leagues.tables import EventRound, Match, MatchSeat
from app.people.tables import Player
from app.play import starting

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.games.work import Work
    from app.leagues.events import EventNow
    from app.leagues.round_rows import MatchNow


def data_of(reasons: Sequence[Reason]) -> list[list[Any]]:
    return [[reason.code, dict(reason.values)] for reason in reasons]


def delete_matches(session: Session, round_id: int) -> None:
    mine = sa.select(col(Match.id)).where(col(Match.round_id) == round_id)
    session.exec(sa.delete(MatchSeat).where(col(MatchSeat.match_id).in_(mine)))
    session.exec(sa.delete(Match).where(col(Match.round_id) == round_id))


def write_matches(
    session: Session, event: EventNow, round_id: int, pairings: Sequence[Pairing], byes: Sequence[Bye]
) -> None:
    number = 0
    for each in pairings:
        number += 1
        write_match(session, round_id, number, each.leg, "", each.seats, why_of(each))
    for bye in byes:
        number += 1
        match = write_match(session, round_id, number, 1, bye.kind, (bye.entrant,), {"why": data_of(bye.why)})
        points = {PAIRING_BYE: event.terms.bye, "full_bye": event.terms.bye, HALF_BYE: event.terms.half_bye}
        given = str(points.get(bye.kind, Fraction(0)))
        session.exec(sa.update(MatchSeat).where(col(MatchSeat.match_id) == match).values(points=given))


def why_of(pairing: Pairing) -> dict[str, Any]:
    """Why a game is played, as it is kept with its match."""
    rejected = [[each.opponent, each.why.code, dict(each.why.values)] for each in pairing.rejected]
    return {"why": data_of(pairing.why), "rejected": rejected}


def write_match(
    session: Session, round_id: int, number: int, leg: int, ended: str, seats: Sequence[int], why: Any
) -> int:
    """Write a match of a round, open unless `ended` says otherwise; its number."""
    row = {
        "round_id": round_id, "number": number, "leg": leg, "ended": ended, "source": "bye" if ended in BYES else "",
        "why": why,
    }  # fmt: skip
    match_id = int(session.exec(sa.insert(Match).values(**row).returning(col(Match.id))).scalar_one())
    for place, entry_id in enumerate(seats):
        seat = {"match_id": match_id, "place": place, "entry_id": entry_id, "by_time": False, "played_by": []}
        session.exec(sa.insert(MatchSeat).values(**seat))
    return match_id


def delete_draft(session: Session, round_id: int) -> None:
    """Delete a draft with its matches; a round that has been published is left alone."""
    here = sa.and_(col(EventRound.id) == round_id, col(EventRound.status) == "draft")
    if session.scalar(sa.select(col(EventRound.id)).where(here).with_for_update()) is not None:
        delete_matches(session, round_id)
        session.exec(sa.delete(EventRound).where(here))


# -- starting games ---------------------------------------------------------------------------------


def start_match(work: Work, event: EventNow, number: int, match: MatchNow, now: datetime) -> bool:
    """Start the game of a match of a round and tell its players; False for a bye, of which they are told too."""
    game_id = None if match.is_bye else start_game(work, event, match, now)
    mails = []
    for seat in match.seats:
        details = {"event": event.id, "round": number, "match": match.id}
        key = f"event_round:{match.id}:{seat.place}"
        address = work.session.scalar(sa.select(col(Player.address)).where(col(Player.id) == seat.player_id))
        mails.append(Planned(key, "event_round", address or "", seat.player_id, game_id, details=details))
    work.outbox.add([mail for mail in mails if mail.address], now)
    return game_id is not None


def start_game(work: Work, event: EventNow, match: MatchNow, now: datetime) -> int:
    """Start the game of a match in a transaction of the caller's; its number."""
    names = event.title.seats[: len(match.seats)]
    game = Game(
        title=event.title.id, options=dict(event.options), status=GameStatus.OPEN, pace=write_pace(event.pace),
        calendar_id=event.calendar_id, seed=starting.new_seed(), created_at=now,
    )  # fmt: skip
    work.session.add(game)
    work.session.flush()
    assert game.id is not None
    work.session.add_all(
        GameSeat(game_id=game.id, seat=name, place=seat.place, player_id=seat.player_id)
        for name, seat in zip(names, match.seats, strict=True)
    )
    work.session.flush()
    starting.start(work, game.id, now=now)
    work.session.exec(sa.update(Match).where(col(Match.id) == match.id).values(game_id=game.id))
    return game.id
