"""Rounds of an event of teams: which teams meet, the games at their boards, and the state of their matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import selectinload
from sqlmodel import Session, col, select

from app.base.stored.outbox import Outbox
from app.games.work import Work
from app.leagues.events import matches
from app.leagues.pure.model import FULL_BYE, NOTHING, PAIRING_BYE, VOID, Bye, Competitor, Pairing, Result, Round
from app.leagues.pure.pairing import berger
from app.leagues.pure.pairing.tasks import Task
from app.leagues.pure.teams import outcomes
from app.leagues.pure.teams.model import BoardResult, TeamMatch, first_side, forfeited_board, seats
from app.leagues.pure.teams.outcomes import MatchScore
from app.leagues.pure.teams.standings import swiss_field
from app.leagues.pure.why import Reason
from app.leagues.tables import Competition, CompetitionRound, Match, MatchOfTeams, RoundStatus, Team, TeamBoard
from app.leagues.teams import line_ups, rosters
from app.people import accounts

# -- pairing --------------------------------------------------------------------------------------------


def rest(session: Session, event: Competition, there: Sequence[CompetitionRound]) -> list[Round]:
    """Return the unpublished rounds of a round robin of teams; seats are teams. `there` are the rounds of the event."""
    order = [Competitor(team.id, team.name, team.seed) for team in rosters.of_event(session, event.id)]
    published = {round.id: round.number for round in there if round.status != RoundStatus.DRAFT}
    met = [
        Result(published[one.round_id], (one.first_id, one.second_id), (NOTHING, NOTHING))
        for one in dealt(session, there)
        if one.round_id in published and one.second_id is not None
    ]
    return berger.rest(order, met, len(published) + 1, double=event.terms.legs == 2)


def has_more(session: Session, event: Competition, there: Sequence[CompetitionRound]) -> bool:
    """Whether a round of teams is still to be published."""
    if event.plays.is_laid_out:
        return bool(rest(session, event, there))
    return sum(round.status != RoundStatus.DRAFT for round in there) < (event.terms.rounds or 0)


def dealt(session: Session, there: Sequence[CompetitionRound]) -> Sequence[MatchOfTeams]:
    """Return the matches of teams of these rounds, with their boards."""
    asked = select(MatchOfTeams).where(col(MatchOfTeams.round_id).in_([round.id for round in there]))
    return session.exec(asked.options(selectinload(MatchOfTeams.boards)).order_by(col(MatchOfTeams.number))).all()


def meetings(session: Session, event: Competition, round: CompetitionRound) -> list[tuple[str, str]]:
    """Return the names of the teams that meet in a round, the second one empty for a bye; empty without teams."""
    if not event.boards:
        return []
    names: dict[int | None, str] = {team.id: team.name for team in rosters.of_event(session, event.id)}
    return [(names[one.first_id], names.get(one.second_id, "")) for one in dealt(session, [round])]


def swiss_task(session: Session, event: Competition, before: Sequence[CompetitionRound], number: int) -> Task:
    """Return the task of the next Swiss round of teams, after the closed ones; teams without players are left out."""
    playing = rosters.of_event(session, event.id)
    order = [
        Competitor(team.id, team.name, team.seed, withdrawn_after=None if rosters.present(team) else number - 1)
        for team in playing
    ]
    there = [one.result for one in played(session, event, before, playing)]
    ranked, results = swiss_field(order, there, number, event.terms)
    last = number == event.terms.rounds
    return Task(number, tuple(ranked), tuple(results), last=last, swiss=event.swiss)


def named(session: Session, event: Competition, reasons: Sequence[Reason]) -> list[Reason]:
    """Return reasons about teams with their names."""
    names = {team.id: team.name for team in rosters.of_event(session, event.id)}
    return [reason.named(names) for reason in reasons]


def write(session: Session, event: Competition, round_id: int, paired: Round) -> Round:
    """Write a round of teams with the current line-ups; return the games and byes of players that it makes."""
    playing = {team.id: team for team in rosters.of_event(session, event.id)}
    chosen = line_ups.named(session, event.id, paired.number)
    sits = {
        who: line_ups.line_up(event, team, chosen[who][1] if who in chosen else None) for who, team in playing.items()
    }
    meetings = [(pairing, _at_boards(pairing, playing, sits)) for pairing in paired.pairings]
    everything = [one for _, boards in meetings for one in boards]
    games = [one for one in everything if isinstance(one, Pairing)]
    byes = [one for one in everything if isinstance(one, Bye)]
    written = matches.write_matches(session, event, round_id, games, byes)
    left = {Pairing: iter(written), Bye: iter(written[len(games) :])}
    for number, (pairing, boards) in enumerate(meetings, 1):
        first, second = pairing.seats
        row = MatchOfTeams(round_id=round_id, number=number, leg=pairing.leg, first_id=first, second_id=second)
        session.add(row)
        session.flush()
        session.add_all(
            TeamBoard(team_match_id=row.id, board=board, match_id=None if one is None else next(left[type(one)]))
            for board, one in enumerate(boards, 1)
        )
    free = [bye.entrant for bye in paired.byes if bye.kind == PAIRING_BYE]
    session.add_all(
        MatchOfTeams(round_id=round_id, number=number, first_id=team)
        for number, team in enumerate(free, len(meetings) + 1)
    )
    session.flush()
    return Round(paired.number, tuple(replace(one, table=n) for n, one in enumerate(games, 1)), tuple(byes))


def _at_boards(
    pairing: Pairing, playing: Mapping[int, Team], sits: Mapping[int, Sequence[int | None]]
) -> list[Pairing | Bye | None]:
    """Return the game at each board of a match of teams; a player without an opponent has a bye.

    The reason for the teams' pairing is given at the first of them.
    """
    one, other = pairing.seats
    names = {who: playing[who].name for who in pairing.seats}
    why = tuple(reason.named({who: team.name for who, team in playing.items()}) for reason in pairing.why)
    found: list[Pairing | Bye | None] = []
    for board, (first, second) in enumerate(zip(sits[one], sits[other], strict=True), 1):
        team, against = (one, other) if first is not None else (other, one)
        if first is not None and second is not None:
            here = Reason("team.board", board=board, team=names[team], against=names[against])
            found.append(Pairing(seats(board, (first, second)), 0, (*why, here), leg=pairing.leg))
        elif first is not None or second is not None:
            empty = Reason("team.empty", board=board, team=names[team], against=names[against])
            found.append(Bye(first or second or 0, FULL_BYE, (*why, empty)))
        else:
            found.append(None)
            continue
        why = ()
    return found


def redraw(session: Session, event: Competition, draft: CompetitionRound) -> None:
    """Fill the boards of a draft again with the current line-ups; the pairing of teams stays."""
    reasons = {match.id: match.reasons[:-1] for match in draft.matches}
    pairings, byes = list[Pairing](), list[Bye]()
    for one in dealt(session, [draft]):
        if one.second_id is None:
            byes.append(Bye(one.first_id, PAIRING_BYE))
            continue
        why = next(filter(None, (reasons.get(board.match_id or 0) for board in one.boards)), ())
        pairings.append(Pairing((one.first_id, one.second_id), one.number, why, leg=one.leg))
    matches.delete_matches(session, draft.id)
    write(session, event, draft.id, Round(draft.number, tuple(pairings), tuple(byes)))
    values = {"version": col(CompetitionRound.version) + 1}
    session.exec(sa.update(CompetitionRound).where(col(CompetitionRound.id) == draft.id).values(**values))


def ask_captains(session: Session, event: Competition, round_id: int, number: int, now: datetime) -> None:
    """Tell the captains of a drafted round's matches their opponents, once, so that they can choose."""
    playing = {team.id: team for team in rosters.of_event(session, event.id)}
    met = session.exec(select(MatchOfTeams).where(col(MatchOfTeams.round_id) == round_id)).all()
    leading = {
        playing[team].captain_id for one in met if one.second_id is not None for team in (one.first_id, one.second_id)
    }
    told, details = accounts.addresses(session, leading), {"event": event.id, "number": number}
    Outbox(session).tell(told, "team_line_up", f"line_up:{event.id}:{number}", details, now)


def tell_when_over(work: Work, match_id: int, now: datetime) -> None:
    """Tell both captains of a match of teams, once, when its last game has a result."""
    session = work.session
    found = session.exec(
        select(MatchOfTeams)
        .join(TeamBoard, col(TeamBoard.team_match_id) == col(MatchOfTeams.id))
        .where(col(TeamBoard.match_id) == match_id)
    ).first()
    if found is None:
        return
    runs = sa.select(col(Match.id)).join(TeamBoard, col(TeamBoard.match_id) == col(Match.id))
    if session.execute(runs.where(col(TeamBoard.team_match_id) == found.id, col(Match.ended) == "")).first():
        return
    _tell(work, found, now)


def tell_byes(work: Work, round_id: int, now: datetime) -> None:
    """Tell the captains of teams with the bye that a round is published."""
    here = col(MatchOfTeams.round_id) == round_id, col(MatchOfTeams.second_id).is_(None)
    for one in work.session.exec(select(MatchOfTeams).where(*here)):
        _tell(work, one, now)


def _tell(work: Work, match: MatchOfTeams, now: datetime) -> None:
    here = col(Team.id).in_((match.first_id, match.second_id))
    captains = work.session.scalars(sa.select(col(Team.captain_id)).where(here))
    told = accounts.addresses(work.session, set(captains))
    work.outbox.tell(told, "team_match", f"team_match:{match.id}", {"team_match": match.id}, now)


# -- how matches stand ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardNow:
    """A board of a match of teams. `match` is None if neither team has a player for it."""

    board: int
    match: Match | None
    result: BoardResult


@dataclass(frozen=True, slots=True)
class TeamMatchNow:
    """The current state of a match of two teams, or a bye."""

    id: int
    round: CompetitionRound
    number: int
    teams: tuple[Team, ...]
    """One with its bye, else two."""
    boards: tuple[BoardNow, ...]
    result: TeamMatch
    score: MatchScore

    @property
    def is_over(self) -> bool:
        return self.result.has_ended


def played(
    session: Session, event: Competition, there: Sequence[CompetitionRound], playing: Sequence[Team]
) -> list[TeamMatchNow]:
    """Return the matches of teams of these rounds of an event, in order."""
    by_id, by_round = {team.id: team for team in playing}, {round.id: round for round in there}
    its = {match.id: match for round in there for match in round.matches}
    side = {one.entry_id: team.id for team in playing for one in team.players}
    terms, found = event.terms, []
    for row in dealt(session, there):
        round = by_round[row.round_id]
        if row.second_id is None:
            bye = TeamMatch(round.number, row.first_id, None)
            free = outcomes.score(bye, terms)
            found.append(TeamMatchNow(row.id, round, row.number, (by_id[row.first_id],), (), bye, free))
            continue
        pair = by_id[row.first_id], by_id[row.second_id]
        boards = tuple(
            BoardNow(one.board, its.get(one.match_id or 0), _result(event, one, its.get(one.match_id or 0), pair, side))
            for one in row.boards
        )
        result = TeamMatch(round.number, row.first_id, row.second_id, tuple(one.result for one in boards))
        score = outcomes.score(result, terms)
        found.append(TeamMatchNow(row.id, round, row.number, pair, boards, result, score))
    return sorted(found, key=lambda one: (one.round.number, one.number))


def _result(
    event: Competition, row: TeamBoard, match: Match | None, pair: tuple[Team, Team], side: Mapping[int, int]
) -> BoardResult:
    """Return the result of a board in the order of the teams."""
    terms = event.terms
    if match is None:
        return forfeited_board((None, None), (True, True), terms)
    if match.is_bye:
        entrant = match.seats[0].entry_id
        is_first = side.get(entrant) == pair[0].id
        return forfeited_board((entrant, None) if is_first else (None, entrant), (not is_first, is_first), terms)
    first = first_side(row.board)
    one, other = match.seats[first], match.seats[1 - first]
    players = one.entry_id, other.entry_id
    if not match.ended or match.ended == VOID:
        return BoardResult(players, ended=match.ended)
    return BoardResult(players, (one.points or NOTHING, other.points or NOTHING), match.ended)
