"""Lets a captain send in a substitute: another player of the team takes over one of its running games."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from app.base.stored.database import Database
from app.base.words.refusals import Conflict, NotAccepted
from app.games.work import Work
from app.leagues.changes import handover
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting, ActRequest
from app.leagues.events import lifecycle, round_rows, seat_changes
from app.leagues.rulings import opening
from app.leagues.tables import Competition, CompetitionStatus, Team, TeamPlayer
from app.leagues.teams import rosters, team_rounds
from app.people import accounts
from engine.kernel.text import Text


@dataclass(frozen=True, slots=True)
class RunningBoard:
    """A board of a team with a running game, its player, and who could take over: players of the team who have no board
    in the round and have not held the seat before.
    """

    round: int
    board: int
    match_id: int
    game_id: int
    player: TeamPlayer
    bench: tuple[TeamPlayer, ...]


def running_boards(session: Session, event: Competition, team: Team) -> list[RunningBoard]:
    """Return the running games of a team by round and board. Changes nothing."""
    if event.status != CompetitionStatus.RUNNING:
        return []
    there = round_rows.rounds_of(session, event.divisions[0].id)
    running = set(seat_changes.running_games(session, event.id))
    squad, found = {one.entry_id: one for one in team.players}, list[RunningBoard]()
    for met in team_rounds.played(session, event, there, rosters.of_event(session, event.id)):
        if team.id not in (one.id for one in met.teams):
            continue
        sits = {seat.entry_id for match in met.round.matches for seat in match.seats}
        for one in met.boards:
            match = one.match
            if match is None or match.game_id not in running:
                continue
            seat = next(seat for seat in match.seats if seat.entry_id in squad)
            gone = {entrant for entrant, _ in seat.played_by}
            bench = [free for free in rosters.present(team) if free.entry_id not in sits | gone]
            player = squad[seat.entry_id]
            found.append(RunningBoard(met.round.number, one.board, match.id, match.game_id, player, tuple(bench)))
    return found


def send_in(
    database: Database,
    event_id: int,
    team_id: int,
    match_id: int,
    entry_id: int,
    asked: ActRequest,
    *,
    now: datetime,
) -> int:
    """Give the game of a team's match to another of its players, with its clock; return the game.

    Only the captain and those who run the event may do that. Both players, the opponent, the captain and the organisers
    are told.

    Raises NoSuchCompetition, NoSuchTeam, NotAllowed, NotAccepted.
    """
    reason = audit.read_reason(asked.reason)
    with Work(database) as work:
        session = work.session
        event = lifecycle.get(session, event_id, lock=True)
        team = rosters.get(session, event_id, team_id)
        rosters.need_lead(session, event, team, asked.by_id)
        board = next((one for one in running_boards(session, event, team) if one.match_id == match_id), None)
        if board is None:
            raise Conflict("substitute.over", Text("This game is over, or no player of the team sits in it."))
        if entry_id not in [one.entry_id for one in board.bench]:
            raise NotAccepted(
                "substitute.bench",
                Text("Choose a player of the team who sits at no board of this round and has not left this game."),
            )
        leaver = board.player
        others = set(opening.players_of(session, match_id))
        game_id = handover.hand_match(work, event_id, match_id, leaver.entry_id, entry_id, now)
        if game_id is None:
            raise Conflict("substitute.over", Text("This game is over, or no player of the team sits in it."))
        Acting(work, event, asked.by_id, now).write(
            "team.substituted",
            audit.named(team.name),
            reason=reason,
            before={"line_up": [leaver.entry_id]},
            after={"line_up": [entry_id], "round": board.round},
        )
        sub = next(one for one in board.bench if one.entry_id == entry_id)
        organisers = opening.organisers_of_games(session, [game_id])
        concerned = others | {sub.player_id} | set(organisers) | ({team.captain_id} - {None})
        details = {"event": event_id, "team": team.name, "leaver": leaver.player_id, "substitute": sub.player_id}
        people = accounts.addresses(session, concerned)
        key = f"team_substitute:{match_id}:{entry_id}"
        work.outbox.tell(people, "team_substitute", key, details, now, game_id)
        return game_id
