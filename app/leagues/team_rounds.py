"""Rounds of an event of teams: which teams meet, the games at their boards, and how their matches stand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.orm import selectinload
from sqlmodel import col, select

from app.base.outbox import Outbox, Planned
from app.leagues import line_ups, matches, tasks, teams
from app.leagues.pure import berger
from app.leagues.pure.model import FULL_BYE, NOTHING, VOID, Bye, Entrant, Pairing, Result, Round
from app.leagues.pure.teams import outcomes
from app.leagues.pure.teams.model import BoardResult, TeamMatch, first_side, forfeited_board, seats
from app.leagues.pure.why import Reason
from app.leagues.tables import Event, EventRound, Match, MatchOfTeams, RoundStatus, Team, TeamBoard
from app.leagues.tasks import Meeting, Task
from app.people.tables import Player

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.games.work import Work
    from app.leagues.pure.teams.outcomes import MatchScore


# -- pairing --------------------------------------------------------------------------------------------


def rest(session: Session, event: Event, there: Sequence[EventRound]) -> list[Round]:
    """The rounds of teams that are not published yet; seats are teams. `there` are the rounds of the event."""
    return _rest(event, teams.of_event(session, event.id), dealt(session, there), there)


def _rest(
    event: Event, there: Sequence[Team], dealt: Sequence[MatchOfTeams], rounds: Sequence[EventRound]
) -> list[Round]:
    order = [Entrant(team.id, team.name, team.seed) for team in there]
    published = {round.id: round.number for round in rounds if round.status != RoundStatus.DRAFT}
    met = [
        Result(published[one.round_id], (one.first_id, one.second_id), (NOTHING, NOTHING))
        for one in dealt
        if one.round_id in published
    ]
    return berger.rest(order, met, len(published) + 1, double=event.terms.legs == 2)


def dealt(session: Session, there: Sequence[EventRound]) -> Sequence[MatchOfTeams]:
    """The matches of teams of these rounds, with their boards."""
    asked = select(MatchOfTeams).where(col(MatchOfTeams.round_id).in_([round.id for round in there]))
    return session.exec(asked.options(selectinload(MatchOfTeams.boards)).order_by(col(MatchOfTeams.number))).all()


def next_task(session: Session, event: Event, there: Sequence[EventRound], number: int) -> Task:
    """The next round of teams with the line-ups as they are now. NotAccepted when there is none."""
    playing = teams.of_event(session, event.id)
    found = tasks.next_of(_rest(event, playing, dealt(session, there), there), number)
    pairs = [(pairing.seats[0], pairing.seats[1], pairing.leg) for pairing in found.pairings]
    return _task(session, event, playing, pairs, number)


def _task(
    session: Session, event: Event, playing: Sequence[Team], pairs: Sequence[tuple[int, int, int]], number: int
) -> Task:
    chosen, by_id = line_ups.named(session, event.id, number), {team.id: team for team in playing}
    sits = {
        team.id: line_ups.line_up(event, team, chosen[team.id][1] if team.id in chosen else None) for team in playing
    }
    meetings = tuple(
        Meeting(first, second, tuple(zip(sits[first], sits[second], strict=True)), leg) for first, second, leg in pairs
    )
    return Task(number, made=_round(event, by_id, meetings, number), meetings=meetings)


def _round(event: Event, by_id: Mapping[int, Team], meetings: Sequence[Meeting], number: int) -> Round:
    """The games of these matches of teams, in the order of their boards; who has nobody opposite has a bye."""
    terms, pairings, byes = line_ups.terms_of(event), list[Pairing](), list[Bye]()
    for one in meetings:
        names = by_id[one.first].name, by_id[one.second].name
        for board, (first, second) in enumerate(one.boards, 1):
            if first is not None and second is not None:
                why = Reason("team.board", board=board, team=names[0], against=names[1])
                sides = seats(board, (first, second), terms)
                pairings.append(Pairing(sides, len(pairings) + 1, (why,), leg=one.leg))
            elif first is not None or second is not None:
                team, against = names if second is None else names[::-1]
                why = Reason("team.empty", board=board, team=team, against=against)
                byes.append(Bye(first or second or 0, FULL_BYE, (why,)))
    return Round(number, tuple(pairings), tuple(byes))


def write_meetings(session: Session, round_id: int, meetings: Sequence[Meeting], written: Sequence[int]) -> None:
    """Write the matches of teams of a round whose games and byes are `written`, in the order of `_round`."""
    games = iter(written[: sum(None not in pair for one in meetings for pair in one.boards)])
    byes = iter(written[sum(None not in pair for one in meetings for pair in one.boards) :])
    for number, one in enumerate(meetings, 1):
        row = MatchOfTeams(round_id=round_id, number=number, leg=one.leg, first_id=one.first, second_id=one.second)
        session.add(row)
        session.flush()
        boards = [
            {
                "team_match_id": row.id,
                "board": board,
                "match_id": next(games) if None not in pair else None if pair == (None, None) else next(byes),
            }
            for board, pair in enumerate(one.boards, 1)
        ]
        session.exec(sa.insert(TeamBoard).values(boards))


def redraw(session: Session, event: Event, draft: EventRound) -> None:
    """Fill the boards of a draft again with the line-ups as they are now; the teams that meet stay."""
    playing = teams.of_event(session, event.id)
    pairs = [(one.first_id, one.second_id, one.leg) for one in dealt(session, [draft])]
    task = _task(session, event, playing, pairs, draft.number)
    paired = task.work_out()
    matches.delete_matches(session, draft.id)
    written = matches.write_matches(session, event, draft.id, paired.pairings, paired.byes)
    write_meetings(session, draft.id, task.meetings, written)
    values = {"version": col(EventRound.version) + 1}
    session.exec(sa.update(EventRound).where(col(EventRound.id) == draft.id).values(**values))


def ask_captains(session: Session, event: Event, round_id: int, number: int, now: datetime) -> None:
    """A round is drafted: tell the captains of its matches whom they meet, once, so that they can choose."""
    playing = {team.id: team for team in teams.of_event(session, event.id)}
    met = session.exec(select(MatchOfTeams).where(col(MatchOfTeams.round_id) == round_id)).all()
    leading = {playing[team].captain_id for one in met for team in (one.first_id, one.second_id)}
    Outbox(session).add(
        [
            Planned(
                f"line_up:{event.id}:{number}:{who}",
                "team_line_up",
                address,
                who,
                details={"event": event.id, "number": number},
            )
            for who, address in _addresses(session, leading)
        ],
        now,
    )


def tell_when_over(work: Work, match_id: int, now: datetime) -> None:
    """A game has its result: where it was the last of a match of teams, tell both captains, once."""
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
    captains = session.scalars(
        sa.select(col(Team.captain_id)).where(col(Team.id).in_((found.first_id, found.second_id)))
    )
    work.outbox.add(
        [
            Planned(f"team_match:{found.id}:{who}", "team_match", address, who, details={"team_match": found.id})
            for who, address in _addresses(session, set(captains))
        ],
        now,
    )


def _addresses(session: Session, people: Collection[int | None]) -> list[tuple[int, str]]:
    there = sa.select(col(Player.id), col(Player.address)).where(
        col(Player.id).in_([who for who in people if who is not None]), col(Player.erased_at).is_(None)
    )
    return [(row.id, row.address) for row in session.execute(there.order_by(col(Player.id)))]


# -- how matches stand ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardNow:
    """A board of a match of teams. `match` is None where neither team has anybody for it."""

    board: int
    match: Match | None
    result: BoardResult


@dataclass(frozen=True, slots=True)
class TeamMatchNow:
    """A match of two teams as it stands."""

    id: int
    round: EventRound
    number: int
    teams: tuple[Team, Team]
    boards: tuple[BoardNow, ...]
    result: TeamMatch
    score: MatchScore

    @property
    def is_over(self) -> bool:
        return self.result.has_ended


def played(session: Session, event: Event, there: Sequence[EventRound], playing: Sequence[Team]) -> list[TeamMatchNow]:
    """The matches of teams of these rounds of an event, in order."""
    by_id, by_round = {team.id: team for team in playing}, {round.id: round for round in there}
    its = {match.id: match for round in there for match in round.matches}
    side = {one.entry_id: team.id for team in playing for one in team.players}
    terms, found = line_ups.terms_of(event), []
    for row in dealt(session, there):
        pair = by_id[row.first_id], by_id[row.second_id]
        boards = tuple(
            BoardNow(one.board, its.get(one.match_id or 0), _result(event, one, its.get(one.match_id or 0), pair, side))
            for one in row.boards
        )
        round = by_round[row.round_id]
        result = TeamMatch(round.number, row.first_id, row.second_id, tuple(one.result for one in boards))
        score = outcomes.score(result, terms)
        found.append(TeamMatchNow(row.id, round, row.number, pair, boards, result, score))
    return sorted(found, key=lambda one: (one.round.number, one.number))


def _result(
    event: Event, row: TeamBoard, match: Match | None, pair: tuple[Team, Team], side: Mapping[int, int]
) -> BoardResult:
    """A board in the order of the teams."""
    terms = line_ups.terms_of(event)
    if match is None:
        return forfeited_board((None, None), (True, True), terms)
    if match.is_bye:
        entry = match.seats[0].entry_id
        is_first = side.get(entry) == pair[0].id
        return forfeited_board((entry, None) if is_first else (None, entry), (not is_first, is_first), terms)
    first = first_side(row.board, terms)
    one, other = match.seats[first], match.seats[1 - first]
    players = one.entry_id, other.entry_id
    if not match.ended or match.ended == VOID:
        return BoardResult(players, ended=match.ended)
    return BoardResult(players, (one.points or NOTHING, other.points or NOTHING), match.ended)
