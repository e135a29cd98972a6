"""Line-ups: who plays for a team in a round, by its captain's choice, else as in the previous round."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.leagues.tables import Competition, LineUpPlace, Team
from app.leagues.teams import rosters


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
    order = [one.entry_id for one in rosters.present(team)]
    count = event.boards if chosen is None else len(chosen)
    wanted = [entrant for entrant in order if chosen is not None and entrant in chosen]
    wanted += [entrant for entrant in order if entrant not in wanted][: max(count - len(wanted), 0)]
    playing = [entrant for entrant in order if entrant in wanted][: event.boards]
    return (*playing, *[None] * (event.boards - len(playing)))


def write(session: Session, team_id: int, number: int, chosen: Sequence[int]) -> None:
    """Store a captain's choice for a round, from board 1 on, replacing the previous one."""
    here = col(LineUpPlace.team_id) == team_id, col(LineUpPlace.round) == number
    session.exec(sa.delete(LineUpPlace).where(*here))
    rows = [
        {"team_id": team_id, "round": number, "board": board, "entry_id": entrant}
        for board, entrant in enumerate(chosen, 1)
    ]
    session.exec(sa.insert(LineUpPlace).values(rows))
