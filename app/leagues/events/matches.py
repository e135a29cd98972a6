"""The stored matches of a round and the games they start; knows nothing of how rounds are decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.outbox import PlannedMail
from app.clocks.pace import Pace, write_pace
from app.games import seeds
from app.games.store import GameNow
from app.games.tables import Game
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.pure.model import NOTHING, Bye, Ending, Pairing
from app.leagues.pure.why import Reason
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    Match,
    MatchOfTeams,
    MatchSeat,
    RoundStatus,
    Source,
    TeamBoard,
)
from app.people.accounts import levels_among
from app.people.tables import Player
from app.play.turn import starting
from app.play.turn.moves import after_move


def data_of(reasons: Sequence[Reason]) -> list[list[Any]]:
    return [[reason.code, dict(reason.values)] for reason in reasons]


_FORGETTING = {"synchronize_session": "fetch"}


def delete_matches(session: Session, round_id: int) -> None:
    mine = sa.select(col(Match.id)).where(col(Match.round_id) == round_id)
    of_teams = sa.select(col(MatchOfTeams.id)).where(col(MatchOfTeams.round_id) == round_id)
    session.exec(sa.delete(TeamBoard).where(col(TeamBoard.team_match_id).in_(of_teams)), execution_options=_FORGETTING)
    session.exec(sa.delete(MatchOfTeams).where(col(MatchOfTeams.round_id) == round_id), execution_options=_FORGETTING)
    # SQLite reuses the numbers, so the session must forget their objects.
    session.exec(sa.delete(MatchSeat).where(col(MatchSeat.match_id).in_(mine)), execution_options=_FORGETTING)
    session.exec(sa.delete(Match).where(col(Match.round_id) == round_id), execution_options=_FORGETTING)


def delete_some(session: Session, numbers: Sequence[int]) -> None:
    """Delete matches that leave no trace, such as byes of a bracket that is drawn again."""
    session.exec(sa.delete(MatchSeat).where(col(MatchSeat.match_id).in_(numbers)), execution_options=_FORGETTING)
    session.exec(sa.delete(Match).where(col(Match.id).in_(numbers)), execution_options=_FORGETTING)


def write_matches(
    session: Session,
    event: Competition,
    round_id: int,
    pairings: Sequence[Pairing],
    byes: Sequence[Bye],
    after: int = 0,
) -> list[int]:
    """Write the games and byes of a round, behind `after` others; return the numbers of their rows in this order."""
    worth = event.terms.worth
    points = {Ending.PAIRING_BYE: worth.bye, Ending.FULL_BYE: worth.bye, Ending.HALF_BYE: worth.half_bye}
    rows: list[dict[str, Any]] = [
        {"number": number, "leg": each.leg, "ended": Ending.OPEN, "source": Source.NONE, "why": why_of(each)}
        for number, each in enumerate(pairings, after + 1)
    ]
    rows += [
        {"number": number, "leg": 1, "ended": bye.kind, "source": Source.BYE, "why": {"why": data_of(bye.why)}}
        for number, bye in enumerate(byes, after + len(rows) + 1)
    ]
    if not rows:
        return []
    # One statement for all matches, and one for their seats.
    made = sa.insert(Match).values([{"round_id": round_id, **row} for row in rows])
    matches = {row.number: row.id for row in session.execute(made.returning(col(Match.id), col(Match.number)))}
    everybody = [*(each.seats for each in pairings), *((bye.entrant,) for bye in byes)]
    seats = [
        {
            "match_id": matches[row["number"]],
            "place": place,
            "entry_id": entrant,
            "points": points.get(row["ended"], NOTHING) if row["ended"] else None,
            "by_time": False,
            "played_by": [],
        }
        for row, entrants in zip(rows, everybody, strict=True)
        for place, entrant in enumerate(entrants)
    ]
    session.exec(sa.insert(MatchSeat).values(seats))
    return [matches[row["number"]] for row in rows]


def why_of(pairing: Pairing) -> dict[str, Any]:
    """Return why a game is played, as stored with its match."""
    rejected = [[each.opponent, each.why.code, dict(each.why.values)] for each in pairing.rejected]
    return {"why": data_of(pairing.why), "rejected": rejected}


def write_match(
    session: Session, round_id: int, number: int, seats: Sequence[int], why: dict[str, Any], leg: int = 1
) -> int:
    """Write an open match of a round; return its number."""
    match = Match(round_id=round_id, number=number, leg=leg, why=why)
    session.add(match)
    session.flush()
    session.add_all(
        MatchSeat(match_id=match.id, place=place, entry_id=entrant, played_by=[]) for place, entrant in enumerate(seats)
    )
    session.flush()
    return match.id


def delete_draft(session: Session, round_id: int) -> None:
    """Delete a draft with its matches; a published round is left alone."""
    here = sa.and_(col(CompetitionRound.id) == round_id, col(CompetitionRound.status) == RoundStatus.DRAFT)
    if session.scalar(sa.select(col(CompetitionRound.id)).where(here).with_for_update()) is not None:
        delete_matches(session, round_id)
        session.exec(sa.delete(CompetitionRound).where(here), execution_options=_FORGETTING)


def lock_games(session: Session, games: sa.Select[Any] | Sequence[int]) -> None:
    """Lock these games in the order of their numbers before anything is written to their matches.

    A request that ends a game already holds its lock when it writes the result of the match.
    """
    there = sa.select(col(Game.id)).where(col(Game.id).in_(games)).order_by(col(Game.id))
    session.execute(there.with_for_update()).all()


def discard(acting: Acting, draft: CompetitionRound) -> None:
    """`delete_draft` as an act of a person, written to the trail."""
    subject = audit.round_of(draft.number, draft.division_id)
    delete_draft(acting.session, draft.id)
    acting.write("round.discarded", subject)


# -- starting games ---------------------------------------------------------------------------------


def start_matches(
    work: Work, event: Competition, number: int, matches: Sequence[Match], now: datetime, *, tells: bool = True
) -> int:
    """Start the games of these matches of a round and tell everybody, including those with a bye; return how many
    games.

    Without `tells` only the mails of the games go out.
    """
    played = [match for match in matches if not match.is_bye]
    begun = _begin(work, event, played, now)
    games = {match.id: game.id for match, game in zip(played, begun, strict=True)}
    everybody = {seat.player_id for match in matches for seat in match.seats}
    asked = select(Player.id, Player.address).where(col(Player.id).in_(everybody))
    addresses = dict(work.session.exec(asked).all())
    mails: dict[tuple[int, frozenset[int]], PlannedMail] = {}  # one for each player, also for two legs
    for match in matches:
        together = frozenset(seat.player_id for seat in match.seats)
        legs = [one.id for one in matches if {seat.player_id for seat in one.seats} == together]
        for seat in match.seats:
            mail = PlannedMail(
                f"event_round:{match.id}:{seat.place}:{games.get(match.id, 0)}",  # it can be published again
                "event_round",
                addresses[seat.player_id],
                seat.player_id,
                games.get(match.id),
                details={"event": event.id, "round": number, "match": match.id, "legs": legs},
            )
            mails.setdefault((seat.player_id, together), mail)
    asking = [mail for game in begun for mail in after_move(game, None)]
    work.outbox.add([*asking, *(mail for mail in mails.values() if mail.address and tells)], now)
    return len(games)


def start_game(work: Work, event: Competition, match: Match, now: datetime) -> None:
    """Start the game of a match in the caller's transaction."""
    for game in _begin(work, event, [match], now):
        work.outbox.add(after_move(game, None), now)


def pace_of(event: Competition) -> Pace:
    """Return the pace of the games of an event, with what its terms say about leave."""
    terms, pace = event.terms, event.pace
    days = pace.leave_days if terms.leave_days is None else terms.leave_days
    return replace(pace, leave_days=days, auto_leave=pace.auto_leave and terms.auto_leave)


def _begin(work: Work, event: Competition, matches: Sequence[Match], now: datetime) -> list[GameNow]:
    """Begin the games of these matches and return them; the players asked to move are not told yet."""
    if not matches:
        return []
    begun = []
    people = {seat.player_id for match in matches for seat in match.seats}
    computers = {} if event.terms.rated else levels_among(work.session, people)
    bound = seeds.take_of_event(work.session, event.id, len(matches), now)
    for match, (number, seed) in zip(matches, bound, strict=True):
        players = [seat.player_id for seat in match.seats]
        seats = dict(zip(event.title.seats[: len(players)], players, strict=True))
        held = {seat: computers[player] for seat, player in seats.items() if player in computers}
        game = Game(
            title=event.title.id,
            options=dict(event.options),
            pace=write_pace(pace_of(event)),
            calendar_id=event.calendar_id,
            seed=seed,
            seed_number=number,
            has_computer=bool(held),
            created_at=now,
        )
        game_id = work.store.make(game, [(seat, None if seat in held else seats[seat]) for seat in seats], held)
        begun.append(starting.begin(work, game_id, now=now))
    games = {match.id: game.id for match, game in zip(matches, begun, strict=True)}
    which = sa.case(games, value=col(Match.id))
    work.session.exec(sa.update(Match).where(col(Match.id).in_(games)).values(game_id=which))
    return begun
