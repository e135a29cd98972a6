"""Line-ups: who plays for a team in a round, by its captain's choice, else as in the previous round."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import NotAccepted
from app.leagues.pure.teams.line_ups import in_board_order
from app.leagues.pure.teams.model import SquadPlayer
from app.leagues.pure.teams.terms import TeamTerms
from app.leagues.tables import Competition, CompetitionRound, EntrantStatus, LineUpPlace, MatchOfTeams, Team
from engine.kernel.text import Counted

USUAL_DAYS = 2
"""How long the captains of a match of two clubs have to choose if the terms do not say."""


def terms_of(event: Competition) -> TeamTerms:
    """Return the terms of the matches of teams, from those of the event."""
    terms = event.terms
    return TeamTerms(
        boards=event.boards,
        board_win=terms.win,
        board_draw=terms.draw,
        board_loss=terms.loss,
        board_order=terms.board_order,
        legs=terms.legs,
        withdrawal="walkover",
    )


def squad_of(team: Team) -> list[SquadPlayer]:
    """Return who can play for a team, by the numbers of their entrants."""
    return [
        SquadPlayer(one.entry_id, one.place, one.rating) for one in team.players if one.status == EntrantStatus.ENTERED
    ]


def named(session: Session, event_id: int, number: int) -> dict[int, tuple[int, list[int]]]:
    """Return the captains' choices for a round, or their latest before it: the round and the entrants from board 1 on,
    by team.
    """
    asked = (
        select(LineUpPlace)
        .join(Team, col(Team.id) == col(LineUpPlace.team_id))
        .where(col(Team.event_id) == event_id, col(LineUpPlace.round) <= number)
        .order_by(col(LineUpPlace.team_id), col(LineUpPlace.round), col(LineUpPlace.board))
    )
    found: dict[int, tuple[int, list[int]]] = {}
    for row in session.exec(asked):
        if found.get(row.team_id, (0, []))[0] != row.round:
            found[row.team_id] = (row.round, [])
        found[row.team_id][1].append(row.entry_id)
    return found


def line_up(event: Competition, team: Team, chosen: Sequence[int] | None) -> tuple[int | None, ...]:
    """Return the entrant at each board of a team, None for an empty board: those chosen, in the team's order of boards.

    Players who have left since are replaced by the next of the team; without a choice its first players are taken.
    """
    terms = terms_of(event)
    order = [one.id for one in in_board_order(squad_of(team), terms)]
    count = terms.boards if chosen is None else len(chosen)
    wanted = [entrant for entrant in order if chosen is not None and entrant in chosen]
    wanted += [entrant for entrant in order if entrant not in wanted][: max(count - len(wanted), 0)]
    playing = [entrant for entrant in order if entrant in wanted][: terms.boards]
    return (*playing, *[None] * (terms.boards - len(playing)))


def need_chosen(session: Session, event: Competition, round: CompetitionRound, now: datetime) -> None:
    """Raise NotAccepted until the captains of all teams of a draft have chosen, or their time is over (`until`)."""
    latest = until(event, round)
    if latest is None or now >= latest:
        return
    chosen = sa.select(col(LineUpPlace.team_id)).where(
        col(LineUpPlace.team_id).in_(sa.select(col(Team.id)).where(col(Team.event_id) == event.id)),
        col(LineUpPlace.round) == round.number,
    )
    meet = sa.select(col(MatchOfTeams.first_id), col(MatchOfTeams.second_id)).where(
        col(MatchOfTeams.round_id) == round.id, col(MatchOfTeams.second_id).is_not(None)
    )
    playing = {team for row in session.execute(meet) for team in row}
    missing = len(playing - set(session.scalars(chosen)))
    if missing:
        raise NotAccepted(
            "line_up.waits",
            Counted(
                "Captains choose their line-ups first, and {n} has not; they have time until {day} (UTC).",
                "Captains choose their line-ups first, and {n} have not; they have time until {day} (UTC).",
                n=missing,
                day=f"{latest:%Y-%m-%d %H:%M}",
            ),
        )


def until(event: Competition, round: CompetitionRound) -> datetime | None:
    """Return until when the captains of a draft may choose; None if it does not wait for them."""
    days = USUAL_DAYS if event.guest_id is not None else 0
    if event.terms.line_up_days is not None:
        days = event.terms.line_up_days
    return round.made_at + timedelta(days=days) if event.boards and days else None


def write(session: Session, team_id: int, number: int, chosen: Sequence[int]) -> None:
    """Store a captain's choice for a round, from board 1 on, replacing the previous one."""
    here = col(LineUpPlace.team_id) == team_id, col(LineUpPlace.round) == number
    session.exec(sa.delete(LineUpPlace).where(*here))
    rows = [
        {"team_id": team_id, "round": number, "board": board, "entry_id": entrant}
        for board, entrant in enumerate(chosen, 1)
    ]
    session.exec(sa.insert(LineUpPlace).values(rows))
