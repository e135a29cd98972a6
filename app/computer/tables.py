"""What the computer has to do: decisions in games, and games to look back on."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Index, Text, UniqueConstraint
from sqlmodel import Field

from app.base.stored.columns import Document, Leased, Status, UTCDateTime, index_where, one_of


class WorkState(StrEnum):
    """Whether something is still to be done."""

    WAITING = "waiting"
    DONE = "done"


class ComputerDecision(Leased, table=True):
    """A decision that a game asks of the computer; written in the transaction that asks, and leased by a process that
    thinks."""

    __tablename__ = "computer_decision"
    __table_args__ = (
        UniqueConstraint("game_id", "number"),
        one_of("state", WorkState),
        index_where("state = 'waiting'", "ix_computer_decision_due_at", "due_at"),
        Index("ix_computer_decision_thought_at", "thought_at"),
    )

    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE")
    number: int
    """The number of the decision in its game."""
    seat: str = Field(max_length=30)
    state: WorkState = Field(default=WorkState.WAITING, sa_type=Status(WorkState, 7))
    line: str | None = Field(default=None, sa_type=Text)
    """What it will play, once it has thought; it is played at a moment that tells nothing."""
    expected: float | None = None
    """How it stands by its own judgement, from 0 (lost) to 1 (won)."""
    thought_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    cpu_seconds: float = 0.0


class LookBack(Leased, table=True):
    """A finished game that the computer looks back on, once."""

    __tablename__ = "look_back"
    __table_args__ = (
        one_of("state", WorkState),
        index_where("state = 'waiting'", "ix_look_back_due_at", "due_at"),
    )

    game_id: int = Field(foreign_key="game.id", ondelete="CASCADE", unique=True)
    state: WorkState = Field(default=WorkState.WAITING, sa_type=Status(WorkState, 7))
    found: dict[str, Any] | None = Field(default=None, sa_type=Document)
    """The course of the game, and its turning points; see `looking_back`."""
