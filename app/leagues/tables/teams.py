"""Teams of an event: their players, who sits at which board of a round, and the matches of team against team.

Each board of a match is an ordinary match of two entrants, so that games, clocks, rulings and ratings need not know
about teams.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, relationship
from sqlmodel import Field, SQLModel, col

from app.leagues.tables.clubs import of_player
from app.leagues.tables.events import Entrant, EntrantStatus, of_entered_player, of_entrant
from app.people.tables import Player


class TeamPlayer(SQLModel, table=True):
    """A player of a team, by their entrant in the event; `place` is their number in the team's own order, from 1."""

    __tablename__ = "team_player"

    id: int = Field(default=None, primary_key=True)
    team_id: int = Field(foreign_key="team.id", ondelete="CASCADE", index=True)
    entry_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE", unique=True)
    place: int

    player_id: ClassVar[Mapped[int]]
    name: ClassVar[Mapped[str]]
    status: ClassVar[Mapped[EntrantStatus]]
    rating: ClassVar[Mapped[float | None]]


class Team(SQLModel, table=True):
    """A team of an event. `seed` is its pairing number, set at the start; 0 before."""

    __table_args__ = (UniqueConstraint("event_id", "name"),)

    id: int = Field(default=None, primary_key=True)
    event_id: int = Field(foreign_key="event.id", ondelete="CASCADE")
    name: str = Field(max_length=60)
    seed: int = 0
    captain_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL", index=True)
    """The player who sets its line-ups; need not play."""
    club_id: int | None = Field(default=None, foreign_key="club.id", ondelete="SET NULL", index=True)
    """The club it plays for in a match of two clubs."""

    players: ClassVar[Mapped[list[TeamPlayer]]]
    """In the team's own order."""
    captain: ClassVar[Mapped[str | None]]
    """The captain's name."""


class LineUpPlace(SQLModel, table=True):
    """A player at a board of a team in a round; a board without a row stays empty.

    A round without any row is played as the one before.
    """

    __tablename__ = "team_line_up"
    __table_args__ = (UniqueConstraint("team_id", "round", "board"),)

    id: int = Field(default=None, primary_key=True)
    team_id: int = Field(foreign_key="team.id", ondelete="CASCADE")
    round: int
    board: int
    entry_id: int = Field(foreign_key="event_entry.id", ondelete="CASCADE", index=True)


class TeamBoard(SQLModel, table=True):
    """A board of a team match with its ordinary match, which has one seat if only one team has a player for it, and is
    missing if neither has.
    """

    __tablename__ = "team_board"
    __table_args__ = (UniqueConstraint("team_match_id", "board"),)

    id: int = Field(default=None, primary_key=True)
    team_match_id: int = Field(foreign_key="team_match.id", ondelete="CASCADE")
    board: int
    match_id: int | None = Field(default=None, foreign_key="event_match.id", ondelete="CASCADE", unique=True)


class MatchOfTeams(SQLModel, table=True):
    """A match of two teams in a round, or a bye."""

    __tablename__ = "team_match"
    __table_args__ = (UniqueConstraint("round_id", "number"),)

    id: int = Field(default=None, primary_key=True)
    round_id: int = Field(foreign_key="event_round.id", ondelete="CASCADE")
    number: int
    leg: int = 1
    first_id: int = Field(foreign_key="team.id", ondelete="CASCADE", index=True)
    """The team with the first side at the odd boards."""
    second_id: int | None = Field(default=None, foreign_key="team.id", ondelete="CASCADE", index=True)
    """None: the pairing-allocated bye of a Swiss round; then there are no boards."""

    boards: ClassVar[Mapped[list[TeamBoard]]]


TeamPlayer.player_id = of_entrant(Entrant.player_id, TeamPlayer.entry_id)
TeamPlayer.status = of_entrant(Entrant.status, TeamPlayer.entry_id)
TeamPlayer.rating = of_entrant(Entrant.rating, TeamPlayer.entry_id)
TeamPlayer.name = of_entered_player(Player.name, TeamPlayer.entry_id)
Team.players = relationship(TeamPlayer, viewonly=True, order_by=col(TeamPlayer.place))
Team.captain = of_player(Player.name, Team.captain_id)
MatchOfTeams.boards = relationship(TeamBoard, viewonly=True, order_by=col(TeamBoard.board))
