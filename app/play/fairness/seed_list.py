"""What each seed number was given to, publicly: also who opened a table, and who sat where.

A private game has its line without names. Revealed seeds are listed too, so that anybody can count what each player got
(docs/provable-chance.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, col, select

from app.games.seed_tables import SeedBlock, SeedUse
from app.games.tables import Game, GameSeat, GameStatus
from app.people.tables import Player

ON_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class SeedLine:
    """The numbers from `first` to `last`, mostly one: a game's, those reserved for an event, or skipped ones."""

    first: int
    last: int
    taken_at: datetime
    event_id: int | None
    is_left_out: bool
    game_id: int | None = None
    title: str = ""
    status: GameStatus | None = None
    is_private: bool = False
    """Everybody may know that a private game exists, and whether it was called off, but not what is played."""
    opened_by: str = ""
    """Who created the table; empty for a private game, and if the server made the game."""
    seed: str | None = None
    """Its value once public: the game is over or was called off. For a private game only if nothing was played."""
    ended_at: datetime | None = None
    end: str | None = None
    """The number of everything that was played, a moment after the end; also for a private game, about which it reveals
    nothing."""


_OF_GAMES = select(Game, Player.name).outerjoin(Player, col(Player.id) == col(Game.made_by))


def lines(session: Session, highest: int | None = None, most: int = ON_A_PAGE) -> list[SeedLine]:
    """Return this many lines, newest first, from number `highest` down. Together they cover every number that was
    given."""
    asked = select(SeedBlock).order_by(col(SeedBlock.first).desc()).limit(most)
    blocks = session.exec(asked if highest is None else asked.where(col(SeedBlock.first) <= highest)).all()
    if not blocks:
        return []
    lowest, top = blocks[-1].first, blocks[0].last if highest is None else highest
    within = _OF_GAMES.where(col(Game.seed_number) >= lowest, col(Game.seed_number) <= top)
    games = {game.seed_number: (game, opened_by) for game, opened_by in session.exec(within)}
    found: list[SeedLine] = []
    for block in blocks:
        found += _of_block(block, min(block.last, top), games)
    return found[:most]


def _of_block(block: SeedBlock, top: int, games: Mapping[int | None, tuple[Game, str | None]]) -> list[SeedLine]:
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
        line = SeedLine(number, number, block.taken_at, block.event_id, False)
        # A deleted game keeps its line.
        found.append(_of_game(line, *games[number]) if number in games else line)
    return found


def _of_game(line: SeedLine, game: Game, opened_by: str | None) -> SeedLine:
    has_ended = game.status in (GameStatus.OVER, GameStatus.CANCELLED)
    return replace(
        line,
        game_id=game.id,
        title="" if game.is_private else game.title,
        status=game.status,
        is_private=game.is_private,
        opened_by="" if game.is_private else opened_by or "",
        seed=game.seed if has_ended and not (game.is_private and game.entries) else None,
        ended_at=game.ended_at,
        end=game.end_hash,
    )


def sat_at(session: Session, shown: Sequence[SeedLine]) -> dict[int, dict[str, str]]:
    """Return who sits where in the games of these lines: the names by seat, by number of the game. Nothing about
    private ones."""
    games = [line.game_id for line in shown if line.game_id is not None and not line.is_private]
    asked = select(GameSeat.game_id, GameSeat.seat, Player.name).join(Player, col(Player.id) == col(GameSeat.player_id))
    found: dict[int, dict[str, str]] = {}
    for game_id, seat, name in session.exec(
        asked.where(col(GameSeat.game_id).in_(games)).order_by(col(GameSeat.place))
    ):
        found.setdefault(game_id, {})[seat] = name
    return found
