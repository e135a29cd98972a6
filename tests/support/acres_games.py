"""Random games of Acres, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from engine.acres import ACRES
from engine.acres.data import SEATS
from engine.acres.state import State
from engine.kernel.records import Entry
from engine.kernel.refusals import Refusal
from engine.kernel.title import Choice

LIVELY = 4
"""How much more likely actions are that bring the game nearer to its end."""


class RandomChance:
    """Shuffles that a seed decides; what it is handed must be sorted."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        assert list(items) == sorted(items)
        return tuple(self.source.sample(items, len(items)))

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        raise AssertionError("nothing is drawn in this game")


def pick(source: random.Random, state: State) -> Any:
    """Return a legal action: first a kind of it, then one of the kind, then for a choice some of its cards."""
    kinds: dict[str, list[Any]] = {}
    for entry in ACRES.legal(state):
        kinds.setdefault(getattr(entry, "kind", None) or type(entry).__name__, []).append(entry)
    names = [name for name in kinds for _ in range(LIVELY if name in ACRES.lively else 1)]
    entry = source.choice(kinds[source.choice(names)])
    while isinstance(entry, Choice):
        picked = source.sample(entry.items, source.randint(entry.least, entry.most))
        if entry.allows(picked):
            return entry.action(picked)
    return entry


def subsets(cards: Sequence[str]) -> list[tuple[str, ...]]:
    """Return every choice of cards, a card that is there twice up to twice."""
    return sorted({tuple(sorted(some)) for n in range(len(cards) + 1) for some in combinations(cards, n)})


def listed(state: State) -> list[Any]:
    """Return all actions that the listing stands for."""
    found: list[Any] = []
    for entry in ACRES.legal(state):
        if isinstance(entry, Choice):
            found += [entry.action(some) for some in subsets(entry.items) if entry.allows(some)]
        else:
            found.append(entry)
    return found


def refusal(state: State, seat: str, action: Any) -> Refusal | None:
    """Return why an action is not allowed; None if it is."""
    try:
        ACRES.check(state, seat, action)
    except Refusal as refused:
        return refused
    return None


def opening(chance: Any, **options: Any) -> tuple[State, list[Entry]]:
    """Return a new game, and its log."""
    events = ACRES.open(ACRES.read_options(options), ACRES.seats, chance)
    state: Any = None
    for event in events:
        state = ACRES.apply(state, event)
    return state, [Entry(None, None, events)]


def random_game(
    seed: int,
    *,
    look: Callable[[State, Any], None] | None = None,
    choose: Callable[[random.Random, State], Any] = pick,
    most: int = 5_000,
    **options: Any,
) -> tuple[State, list[Entry]]:
    """Return the end of a random game and its log; `look` is shown every state in which there is a choice, and the
    action.
    """
    source = random.Random(seed)
    chance = RandomChance(source)
    state, log = opening(chance, **options)
    while (due := ACRES.decision(state)) is not None and len(log) <= most:
        # Nothing is drawn for the only possible end, so that a seed always gives the same game.
        end = ACRES.end_of_steps(state)
        if end is not None and ACRES.legal(state) == [end]:
            action = end
        else:
            action = choose(source, state)
            if look is not None:
                look(state, action)
        events = ACRES.play(state, due.seat, action, chance)
        log.append(Entry(due.seat, action, events))
        for event in events:
            state = ACRES.apply(state, event)
    return state, log


@cache
def positions(edition: str, games: int = 12, every: int = 23) -> tuple[State, ...]:
    """Return every n-th position (`every`) of random games; all kinds of decision occur."""
    found: list[State] = []
    seen = 0

    def look(state: State, action: Any) -> None:
        nonlocal seen
        seen += 1
        due = ACRES.decision(state)
        if seen % every == 0 or (due is not None and due.kind != "action" and seen % 3 == 0):
            found.append(state)

    for seed in range(games):
        random_game(seed, look=look, edition=edition)
    return tuple(found)


def reshuffled(state: State, viewer: str | None, source: random.Random) -> State:
    """Return the state with everything this viewer (None: a spectator) cannot see mixed again."""
    players = dict(state.players)
    for seat in SEATS:
        player = players[seat]
        hidden = list(player.draw if seat == viewer else player.hand + player.draw)
        source.shuffle(hidden)
        known = 0 if seat == viewer else len(player.hand)
        hand = player.hand if seat == viewer else tuple(sorted(hidden[:known]))
        players[seat] = player._replace(hand=hand, draw=tuple(hidden[known:]))
    return state._replace(players=players)
