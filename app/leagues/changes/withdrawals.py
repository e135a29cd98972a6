"""Takes an entrant out of an event; its terms decide what happens to their games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.games.store import GameNow
from app.games.tables import LogCause
from app.games.work import Work
from app.leagues.changes import departures
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import matches, round_rows
from app.leagues.pure.model import PLAYED, VOID, WALKOVER, Ending
from app.leagues.pure.standings import games_due, places_of
from app.leagues.results import outcomes, standings
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    Match,
    MatchSeat,
    RoundStatus,
    Ruling,
    RulingStatus,
)
from app.leagues.teams import team_rounds
from app.play.turn.moves import move_on
from app.play.turn.turns import play_of
from engine.kernel.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What a withdrawal would do: games that become walkovers, games that become void, drafts to be paired again."""

    walkovers: tuple[int, ...]
    void: tuple[int, ...]
    drafts: tuple[int, ...]


def foresee(session: Session, event: Competition, entrant: Entrant) -> Withdrawal:
    """Return what withdrawing this entrant now would do, by numbers of matches and rounds. Changes nothing."""
    if entrant.division_id is None:
        return Withdrawal((), (), ())
    there = round_rows.rounds_of(session, entrant.division_id, drafts=True)
    mine = [
        (round, match)
        for round in [*there, *_finals(session, event)]
        for match in round.matches
        if any(seat.entry_id == entrant.id for seat in match.seats)
    ]
    drafts = tuple(sorted({round.id for round, _ in mine if round.status == RoundStatus.DRAFT}))
    games = [
        match for round, match in mine if round.status != RoundStatus.DRAFT and not match.is_bye and match.ended != VOID
    ]
    plays_finals = any(round.division_id != entrant.division_id for round, _ in mine)
    if not plays_finals and _annuls(session, event, entrant, games):
        return Withdrawal((), tuple(match.id for match in games), drafts)
    return Withdrawal(tuple(match.id for match in games if not match.ended), (), drafts)


def _finals(session: Session, event: Competition) -> Sequence[CompetitionRound]:
    """Return the rounds of the finals after groups; results of the groups stand there."""
    if event.finals is None or event.started_at is None:
        return []
    return round_rows.rounds_of(session, event.finals.id, drafts=True)


def _annuls(session: Session, event: Competition, entrant: Entrant, games: Sequence[Match]) -> bool:
    """Whether all games of a leaving player become void.

    By halves (FIDE C.05): when fewer than half of the games that the event has for everybody were played.
    """
    if event.boards:
        return False  # the team's match goes on, with its other boards
    if event.terms.withdrawal != "half":
        return event.terms.withdrawal == "annul"
    if not standings.counted_as(event).is_laid_out:
        return False  # elsewhere pairings followed from results, so they stand
    division = event.division(entrant.division_id)
    entrants = standings.counted_in(session, event, standings.people_of(session, event, division))
    leaver = replace(entrant.as_competitor(), withdrawn_after=last_round(session, entrant))
    planned = max(games_due(leaver, places_of(entrants), event.terms), 1)
    played = sum(match.ended == PLAYED for match in games)
    return 2 * played < planned


def take_out(acting: Acting, entrant: Entrant, reason: str, *, why: departures.Why) -> Withdrawal:
    """Take an entrant out of an event that is locked and not over, in the caller's transaction, even if nobody is left
    to play against; what it did. Their rounds off that are to come are forgotten. Those concerned are told
    (`departures`)."""
    session, event, by_id = acting.session, acting.event, acting.by_id
    done, touched = Withdrawal((), (), ()), dict[int, Match]()
    over: Sequence[GameNow] = ()
    plays = event.status == CompetitionStatus.RUNNING and entrant.status == EntrantStatus.ENTERED
    if plays:  # what has been played by then counts
        matches.lock_games(session, _open_games(entrant))
    before = departures.table_of(session, event, entrant.division_id) if plays else departures.NOBODY
    status = EntrantStatus.WITHDRAWN if by_id == entrant.player_id else EntrantStatus.REMOVED
    last = last_round(session, entrant)
    values: dict[str, Any] = {
        "status": status,
        "away": [number for number in entrant.away if number <= last],
        "byes": [number for number in entrant.byes if number <= last],
    }
    if plays:
        done = foresee(session, event, entrant)
        values |= {"status": EntrantStatus.WITHDRAWN, "withdrawn_after": last}
        touched, over = _end_games(acting, entrant, done)
    session.exec(sa.update(Entrant).where(col(Entrant.id) == entrant.id).values(**values))
    act = acting.write(
        "entry.withdrawn",
        audit.player(entrant.player_id),
        reason=reason,
        before={"status": entrant.status},
        after={"walkovers": list(done.walkovers), "void": list(done.void)},
    )
    lost = [touched[one] for one in done.walkovers if len(touched[one].seats) == 2]
    void, drafts = [touched[one] for one in done.void], len(done.drafts)
    left = departures.Departure(act or 0, by_id, reason, plays, before, lost, void, drafts, why, over)
    departures.tell(acting.work, event, entrant, left, acting.now)
    return done


def _open_games(entrant: Entrant) -> sa.Select[Any]:
    """Return the query for the numbers of an entrant's games whose matches are open."""
    mine = sa.select(col(Match.game_id)).join(MatchSeat, col(MatchSeat.match_id) == col(Match.id))
    return mine.where(
        col(MatchSeat.entry_id) == entrant.id, col(Match.ended) == Ending.OPEN, col(Match.game_id).is_not(None)
    )


def last_round(session: Session, entrant: Entrant) -> int:
    """Return the last published round of an entrant's division; 0 before the first."""
    last = session.scalar(
        sa.select(sa.func.max(col(CompetitionRound.number))).where(
            col(CompetitionRound.division_id) == entrant.division_id, col(CompetitionRound.status) != RoundStatus.DRAFT
        )
    )
    return int(last or 0)


def _end_games(acting: Acting, entrant: Entrant, done: Withdrawal) -> tuple[dict[int, Match], list[GameNow]]:
    """End the games of who leaves; the matches of their rounds, by number, and the games that are over with it."""
    work, event, now = acting.work, acting.event, acting.now
    session = work.session
    over: list[GameNow] = []
    cause = LogCause.RESIGN if acting.by_id == entrant.player_id else LogCause.RULING
    for round_id in done.drafts:
        matches.delete_draft(session, round_id)
    its = [*round_rows.rounds_of(session, entrant.division_id or 0), *_finals(session, event)]
    there = {match.id: match for round in its for match in round.matches}
    for match_id in (*done.walkovers, *done.void):
        match = there[match_id]
        if match_id in done.void:
            outcomes.settle(session, match_id, VOID, "withdrawal", [Fraction(0)] * len(match.seats), now)
        elif len(match.seats) == 2:
            points = [
                event.terms.worth.loss if seat.entry_id == entrant.id else event.terms.worth.win for seat in match.seats
            ]
            outcomes.settle(session, match_id, WALKOVER, "withdrawal", points, now)
        game = leave_game(work, match, entrant.player_id, cause, now)
        if game is not None and game.is_over:
            over.append(game)
        if event.boards:
            team_rounds.tell_when_over(work, match_id, now)
    _close_of_round_ends(replace(acting, by_id=None), (*done.walkovers, *done.void))
    return there, over


def _close_of_round_ends(acting: Acting, settled: Sequence[int]) -> None:
    """Close the rulings that only the end of a round has asked for in games that have their result with this. Who was
    asked hears of the leaving anyway."""
    asked = select(Ruling).where(col(Ruling.match_id).in_(settled), col(Ruling.status) == RulingStatus.OPEN)
    for row in acting.session.exec(asked.order_by(col(Ruling.id)).with_for_update()).all():
        if not row.details.get("round_end"):
            continue
        values = {"status": RulingStatus.WITHDRAWN, "final_at": acting.now}
        acting.session.exec(sa.update(Ruling).where(col(Ruling.id) == row.id).values(**values))
        acting.write("ruling.answered", audit.match(row.match_id), after={"ruling": row.id})


def leave_game(work: Work, match: Match, player_id: int, cause: LogCause, now: datetime) -> GameNow | None:
    """Let a player resign in a match's running game, or take the player out of it (`cause`: RESIGN, RULING).

    Returns the game afterwards, or None if it was over. The result of a settled match stays; at a table the others play
    on.
    """
    if match.game_id is None:
        return None
    game = work.store.load(match.game_id, for_writing=True)
    theirs = {one.place for one in match.seats if one.player_id == player_id}
    seat = next(
        (one.seat for one in game.seats if (one.computer and one.place in theirs) or one.player_id == player_id), None
    )
    if game.is_over or seat is None:
        return None
    play = play_of(game)
    try:
        play.resign(seat, cause)
    except Refusal:  # already out of the game
        return None
    play.answer_what_needs_no_asking()
    return move_on(work, game, play.so_far, actor=seat, now=now)
