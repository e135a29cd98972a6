"""New World against python-chess, one core, pure Python, interleaved rounds in one run.

    python -m bench.new_world [--rounds N] [--seconds S]

Prints ratios:

- games: complete random 2-player games per CPU-second (list all legal placements with and without settlers, choose
  one, play it, apply its events, final scoring included) against python-chess's random games, capped at 150 full
  moves;
- turns: the same work counted in decisions against python-chess's half-moves;
- lists: complete lists of what the seat to decide may do, from positions of the last third of games, against
  python-chess's lists of legal moves from the last third of its games. Three ways: as the games come; with a settler
  in every supply, so that each place is judged with each of its parts; and cells with rotations alone.
- growth: what a list costs for each cell of the frontier, and a placement, late against early in the game.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import chess

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine.new_world import rules
from engine.new_world.options import Options
from engine.new_world.placement import placements, placements_with_settlers
from engine.new_world.state import State, apply

LONGEST_CHESS_GAME = 150
STATES = 60


class RandomChance:
    """Random chance from Python's generator, so that the yardstick is not compared with key derivation."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def draw(self, purpose: str, items: tuple[str, ...]) -> str:
        return items[int(self._random.random() * len(items))]

    def shuffle(self, purpose: str, items: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._random.sample(items, len(items)))


def new_world_game(seed: int, keep: Callable[[State], None] | None = None) -> int:
    """Play a random game to its end and return the number of decisions."""
    chance, choose = RandomChance(seed), random.Random(~seed)
    state: State | None = None
    for event in rules.open_game(Options(), ("red", "blue"), chance):
        state = apply(state, event)
    assert state is not None
    decisions = 0
    while (owed := rules.decision(state)) is not None:
        if keep is not None:
            keep(state)
        actions = rules.legal(state)
        action = actions[int(choose.random() * len(actions))]
        state = rules.unfold(state, owed.seat, action, chance)[-1][1]
        decisions += 1
    return decisions


def chess_game(seed: int, keep: Callable[[chess.Board], None] | None = None) -> int:
    """Play a random game of chess and return the number of half-moves."""
    choose = random.Random(seed)
    board = chess.Board()
    while board.fullmove_number <= LONGEST_CHESS_GAME and not board.is_game_over():
        if keep is not None:
            keep(board.copy(stack=False))
        moves = list(board.legal_moves)
        board.push(moves[int(choose.random() * len(moves))])
    return len(board.move_stack)


def rate_of_games(game: Callable[[int], int], seconds: float, seed: int) -> tuple[float, float]:
    """Games and decisions per CPU-second."""
    start = process_time()
    games = decisions = 0
    while (spent := process_time() - start) < seconds:
        decisions += game(seed + games)
        games += 1
    return games / spent, decisions / spent


def rate_of_calls(calls: list[Callable[[], object]], seconds: float) -> float:
    """Return calls per CPU-second over all of them, in rotation."""
    start = process_time()
    done = 0
    while (spent := process_time() - start) < seconds:
        for call in calls:
            call()
        done += len(calls)
    return done / spent


def late_states(seed: int) -> list[State]:
    """Return positions of the last third of random games."""
    found: list[State] = []
    while len(found) < STATES:
        states: list[State] = []
        new_world_game(seed, states.append)
        found += states[len(states) * 2 // 3 :: 4]
        seed += 1
    return found[:STATES]


def late_boards(seed: int) -> list[chess.Board]:
    """Return positions of the last third of random games of chess."""
    found: list[chess.Board] = []
    while len(found) < STATES:
        boards: list[chess.Board] = []
        chess_game(seed, boards.append)
        found += boards[len(boards) * 2 // 3 :: 8]
        seed += 1
    return found[:STATES]


def list_calls(states: list[State], way: str) -> list[Callable[[], object]]:
    if way == "as played":
        return [lambda state=state: rules.legal(state) for state in states]
    chosen = placements_with_settlers if way == "all with settlers" else placements
    return [lambda state=state: chosen(state.board, state.tile) for state in states]


def placement_calls(states: list[State]) -> list[Callable[[], object]]:
    chance = RandomChance(1)
    firsts = [(state, rules.legal(state)[0]) for state in states]
    return [lambda s=s, a=a: rules.play(s, s.to_move, a, chance) for s, a in firsts]


def say(name: str, ratios: list[float], detail: str) -> None:
    print(f"{name:24} {statistics.median(ratios):6.2f}  ({min(ratios):.2f} to {max(ratios):.2f})  {detail}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of each measure in a round")
    given = parser.parse_args()
    ways = ("as played", "all with settlers", "cells and rotations")
    rows: dict[str, list[tuple[float, float]]] = {name: [] for name in ("games", "turns", *ways)}
    states, boards = late_states(1000), late_boards(1000)
    chess_calls: list[Callable[[], object]] = [lambda board=board: list(board.legal_moves) for board in boards]
    for number in range(given.rounds):
        games, turns = rate_of_games(new_world_game, given.seconds, number * 10_000)
        chess_games, plies = rate_of_games(chess_game, given.seconds, number * 10_000)
        rows["games"].append((games, chess_games))
        rows["turns"].append((turns, plies))
        chess_lists = rate_of_calls(chess_calls, given.seconds / 2)
        for way in ways:
            rows[way].append((rate_of_calls(list_calls(states, way), given.seconds / 2), chess_lists))
    print("ratio to python-chess: median (least to most)")
    for name, pairs in rows.items():
        own, other = (statistics.median(column) for column in zip(*pairs, strict=True))
        label = name if name in ("games", "turns") else f"lists, {name}"
        say(label, [a / b for a, b in pairs], f"{own:,.0f} against {other:,.0f} a CPU-second")
    growth(given.seconds)


def growth(seconds: float) -> None:
    """Compare lists and turns early and late in some games, without the last turns and their final scoring."""
    states: list[State] = []
    for seed in range(5):
        new_world_game(seed, states.append)
    parts = {"early": [], "middle": [], "late": []}  # type: dict[str, list[State]]
    for state in states:
        tiles = len(state.board.laid)
        name = "early" if 10 <= tiles < 20 else "middle" if 45 <= tiles < 55 else "late" if 84 <= tiles < 93 else None
        if name and state.tile and not state.pending:
            parts[name].append(state)
    print(
        "cost as the game goes on: frontier cells, actions, microseconds a list, a cell of the frontier, a turn played"
    )
    for name, chosen in parts.items():
        cells = statistics.mean(len(state.board.gaps) for state in chosen)
        actions = statistics.mean(len(placements_with_settlers(s.board, s.tile or "")) for s in chosen)
        listing = 1e6 / rate_of_calls(list_calls(chosen, "all with settlers"), seconds)
        playing = 1e6 / rate_of_calls(placement_calls(chosen), seconds)
        print(f"{name:8} {cells:5.0f} {actions:7.0f} {listing:8.1f} {listing / cells:8.2f} {playing:8.1f}")


if __name__ == "__main__":
    main()
