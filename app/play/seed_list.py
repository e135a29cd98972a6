"""What the numbers of seeds were given to, for all to see. No names: a game's page knows whom it shows to whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col, select

from app.games.seed_tables import SeedBlock, SeedUse
from app.games.tables import Game, GameStatus

if TYPE_CHECKING:
    from sqlmodel import Session

ON_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class SeedLine:
    """The numbers from `first` to `last`, mostly one: a game's, or those that wait in an event, or were left out."""

    first: int
    last: int
    taken_at: datetime
    event_id: int | None
    is_left_out: bool
    game_id: int | None = None
    title: str = ""
    status: GameStatus | None = None
    is_private: bool = False
    """Of a private game everybody may know that it is there and has not been called off, but not what is played."""


def lines(session: Session, highest: int | None = None, most: int = ON_A_PAGE) -> list[SeedLine]:
    """So many lines, the newest first, from number `highest` down. Together they name every number that was given."""
    asked = select(SeedBlock).order_by(col(SeedBlock.first).desc()).limit(most)
    blocks = session.exec(asked if highest is None else asked.where(col(SeedBlock.first) <= highest)).all()
    if not blocks:
        return []
    lowest, top = blocks[-1].first, blocks[0].last if highest is None else highest
    of_games = sa.select(col(Game.seed_number), col(Game.id), col(Game.title), col(Game.status), col(Game.is_private))
    within = of_games.where(col(Game.seed_number) >= lowest, col(Game.seed_number) <= top)
    games = {row[0]: row for row in session.execute(within).all()}
    found: list[SeedLine] = []
    for block in blocks:
        found += _of_block(block, min(block.last, top), games)
    return found[:most]


def _of_block(block: SeedBlock, top: int, games: Mapping[int | None, Any]) -> list[SeedLine]:
    is_jump = block.use == SeedUse.JUMP
    given_up_from = block.first if is_jump else block.first + block.used - block.skipped
    waits_from = block.last + 1 if is_jump else block.first + block.used
    found: list[SeedLine] = []
    if waits_from <= top:
        found.append(SeedLine(waits_from, top, block.taken_at, block.event_id, False))
        top = waits_from - 1
    if given_up_from <= top and (is_jump or block.skipped):
        found.append(SeedLine(given_up_from, top, block.taken_at, block.event_id, True))
        top = given_up_from - 1
    for number in range(top, block.first - 1, -1):
        _, game_id, title, status, is_private = games.get(number, (None, None, "", None, False))
        if is_private:
            title = ""
        # A game that is not there any more keeps its line.
        line = SeedLine(number, number, block.taken_at, block.event_id, False, game_id, title, status, is_private)
        found.append(line)
    return found
