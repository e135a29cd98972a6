"""What a seat says ahead of time: standing orders, and the end of its turn while another seat answers. Nobody else sees
it before it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import update
from sqlmodel import col

from app.games.tables import GameSeat
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text

if TYPE_CHECKING:
    from app.games.work import Work
    from engine.kernel.title import Title

MOST_STANDING = 60


def write_standing(work: Work, game_id: int, seat: str, lines: Sequence[str]) -> None:
    """Write the standing orders of a seat in a transaction of its caller's."""
    where = (col(GameSeat.game_id) == game_id, col(GameSeat.seat) == seat)
    work.session.exec(update(GameSeat).where(*where).values(standing="\n".join(lines)))


def write_end(work: Work, game_id: int, seat: str, turn: int | None) -> None:
    """Keep that the seat ends this turn of its own (None: none) in a transaction of its caller's, which has locked the
    game."""
    where = (col(GameSeat.game_id) == game_id, col(GameSeat.seat) == seat)
    work.session.exec(update(GameSeat).where(*where).values(ends_turn=turn))


def read_standing(title: Title, lines: Sequence[str]) -> list[str]:
    """The canonical lines of standing orders."""
    said = [" ".join(line.split()) for line in lines if line.strip()]
    if len(said) > MOST_STANDING:
        raise Unreadable(
            "standing.too_many",
            Text("These are {n} lines; the limit is {most}.", n=len(said), most=MOST_STANDING),
        )
    return title.write_standing(title.read_standing(said))


def answered_ahead(standing: Sequence[str], answers: Mapping[str, str]) -> list[str]:
    """Standing orders with the answers given to foreseen questions; `answers` by what stands before their colon.

    An empty answer means to be asked.
    """
    kept = [line for line in standing if line.partition(":")[0] not in answers]
    return [answer for answer in answers.values() if answer] + kept
