"""Writes an event as FIDE's report file (`app.leagues.pure.trf`), for those who prepare its rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.leagues.events import pairing_terms, round_rows
from app.leagues.pure import trf
from app.leagues.pure.model import DOUBLE_FORFEIT, NOTHING, WALKOVER, Competitor
from app.leagues.pure.teams.line_ups import in_board_order
from app.leagues.pure.teams.model import BoardResult, SquadPlayer
from app.leagues.pure.teams.outcomes import with_board
from app.leagues.pure.teams.trf import TeamFile, write_teams
from app.leagues.pure.terms import Format
from app.leagues.results import outcomes
from app.leagues.rounds import pairing, schedule
from app.leagues.tables import Competition, Division
from app.leagues.teams import line_ups, team_rounds, teams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlmodel import Session

    from app.leagues.pure.model import Result

_KINDS = {
    Format.SWISS: "Swiss-System",
    Format.ROUND_ROBIN: "Round-Robin",
    Format.KNOCKOUT: "Knock-Out",
    Format.LADDER: "Ladder",
    Format.TABLES: "Tables",
}
"""Formats as a file names them; groups and finals are a round robin and a knock-out."""


def text_of(session: Session, event: Competition, division: Division) -> str:
    """Return a division as a file; for an event of teams with its matches.

    It includes who is not paired in future rounds and who has blocked whom, which only those who prepare rounds may
    read. Raises Unreadable if such a file cannot express it.
    """
    if event.boards:
        return write_teams(_of_teams(session, event))
    people = schedule.people(session, event, division)
    results = outcomes.results_of(session, division.id)
    part = division.name if len(event.divisions) > 1 else ""
    made = trf.report(
        " ".join(filter(None, (event.name, event.season, part))),
        _rounds(session, event, division, len(people)),
        [entrant.as_competitor() for entrant in people],
        results,
        pairing.blocks_of(session, people),
        scoring=_scoring(event, results),
        kind=_kind(event, division),
        first_side=pairing_terms.swiss_terms(event).first_side,
    )
    return trf.write(made)


def _kind(event: Competition, division: Division) -> str:
    """Return the type of tournament (line 092)."""
    whose = "Team" if event.boards else "Individual"
    format = event.format
    if format == Format.STAGES:
        format = Format.ROUND_ROBIN if division.level > 1 else Format.KNOCKOUT
    if format == Format.ROUND_ROBIN and event.terms.legs == 2:
        return f"{whose}: Double-Round-Robin"
    return f"{whose}: {_KINDS[format]}"


def _rounds(session: Session, event: Competition, division: Division, count: int) -> int:
    """Return how many rounds a division has, including future ones; 0 on a ladder, which cannot know."""
    if event.format == Format.LADDER:
        return 0
    there = round_rows.rounds_of(session, division.id)
    started = len(schedule.published(there))
    if event.format == Format.KNOCKOUT or (event.format == Format.STAGES and division.level == 1):
        return max(started, (count - 1).bit_length())
    return event.terms.rounds or started + schedule.left(session, event, division, there)


def _scoring(event: Competition, results: Sequence[Result]) -> trf.Scoring:
    """Return the points of each result: a game lost without playing gives what a lost one does."""
    terms = event.terms
    forfeited = any(one.ended in (WALKOVER, DOUBLE_FORFEIT) for one in results)
    return trf.Scoring(terms.win, terms.draw, terms.loss, terms.bye, terms.loss if forfeited else NOTHING)


def _of_teams(session: Session, event: Competition) -> TeamFile:
    """Return an event of teams: teams by their seeds, players numbered team after team in the order of the boards;
    finished matches, and byes.
    """
    playing, terms = teams.of_event(session, event.id), line_ups.terms_of(event)
    there = round_rows.rounds_of(session, event.divisions[0].id)
    names = {one.entry_id: one.name for team in playing for one in team.players}
    numbers: dict[int | None, int] = {}
    squads: dict[int, tuple[SquadPlayer, ...]] = {}
    players: list[Competitor] = []
    for team in playing:
        squad = in_board_order([SquadPlayer(one.entry_id, one.place, one.rating) for one in team.players], terms)
        for player in squad:
            numbers[player.id] = len(numbers) + 1
            rating = None if player.rating is None else float(max(0, round(player.rating)))
            players.append(Competitor(len(numbers), names[player.id][:33], len(numbers), rating))
        squads[team.seed] = tuple(SquadPlayer(numbers[player.id], at) for at, player in enumerate(squad, 1))
    seeds = {team.id: team.seed for team in playing}
    matches = []
    for one in team_rounds.played(session, event, there, playing):
        if not one.is_over:
            continue
        match = one.result
        for at, board in enumerate(match.boards, 1):
            first, second = (numbers.get(who) for who in board.players)
            match = with_board(match, at, BoardResult((first, second), board.points, board.ended))
        second_seed = None if match.second is None else seeds[match.second]
        matches.append(replace(match, first=seeds[match.first], second=second_seed))
    matches.sort(key=lambda match: (match.round, min(match.teams)))
    rounds = _rounds(session, event, event.divisions[0], len(playing))
    name = " ".join(filter(None, (event.name, event.season)))
    order_of_teams = tuple(Competitor(team.seed, team.name, team.seed) for team in playing)
    return TeamFile(
        name, rounds, tuple(players), order_of_teams, squads, tuple(matches), terms, (),
        _kind(event, event.divisions[0]), pairing_terms.swiss_terms(event).first_side,
    )  # fmt: skip
