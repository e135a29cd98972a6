"""Every legal action can be put together by touching its parts in any order, and nothing else can.

`python -m tests.support.touches` asks it of 1,000 random positions of each title, and of 1,000 in which an answer is
asked while the other side is on turn.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any

from app.play.choosing import Choosing, Way
from app.titles.pages import pages_of
from engine.acres import ACRES
from engine.kernel.title import Choice, Title
from engine.new_world import NEW_WORLD
from tests.support.acres_games import random_game as acres_game
from tests.support.new_world_games import random_game as new_world_game

MOST_PICKS = 60
"""So many subsets of a free choice are tried, drawn by lot where there are more."""


def acres_positions(seed: int) -> Iterator[tuple[Title, Any]]:
    """The positions of a random game of Acres."""
    found: list[Any] = []
    acres_game(seed, look=lambda state, action: found.append(state), edition=("first", "second")[seed % 2])
    return ((ACRES, state) for state in found)


def answer_positions(seed: int) -> Iterator[tuple[Title, Any]]:
    """Those positions of a random game of Acres in which a side answers in the turn of the other."""
    for title, state in acres_positions(seed):
        due = title.decision(state)
        if due is not None and due.seat != due.on_turn:
            yield title, state


def new_world_positions(seed: int) -> Iterator[tuple[Title, Any]]:
    """The positions of a random game of New World."""
    found: list[Any] = []
    new_world_game(seed, 2 + seed % 4, look=found.append)
    return ((NEW_WORLD, state) for state in found if NEW_WORLD.decision(state) is not None)


def check(title: Title, state: Any, source: random.Random) -> int:
    """How many actions were put together; AssertionError where one cannot be, or where something else can."""
    choosing = Choosing(title, pages_of(title.id), state)
    legal = title.legal(state)
    assert len(choosing.ways) == len(legal)
    tried = 0
    for way, item in zip(choosing.ways, legal, strict=True):
        for tokens, action in _composed(way, item, source):
            selection = choosing.at(tokens)
            tried += 1
            if action is None:
                # Nothing is chosen yet, or the items left over are filled in by themselves, as all of them are needed.
                filled = isinstance(item, Choice) and item.least == len(item.items)
                assert selection.dropped or filled or not selection.line, f"{tokens} is taken up as {selection.line}"
            else:
                assert selection.action == action, f"{tokens} gives {selection.line}, not {action}"
                title.check(state, title.decision(state).seat, action)  # type: ignore[union-attr]
        if way.choice is None:
            loosely = choosing.at([touch.loose for touch in source.sample(way.touches, len(way.touches))])
            assert not loosely.dropped
            assert choosing.at(loosely.with_touches(way.touches).split(",")).action == way.action
    _walk(title, state, choosing, source)
    return tried


def _composed(way: Way, item: Any, source: random.Random) -> Iterator[tuple[list[str], Any]]:
    """All touches of an action in a random order; of a free choice those of some subsets, with None for one that is not
    allowed."""
    fixed = [touch.token for touch in way.touches]
    if not isinstance(item, Choice):
        yield source.sample(fixed, len(fixed)), item
        return
    picks = [pick for n in range(1, len(way.items) + 1) for pick in islice(combinations(way.items, n), 500)]
    for pick in source.sample(picks, min(MOST_PICKS, len(picks))):
        tokens = fixed + [touch.token for touch in pick]
        values = [touch.value for touch in pick]
        yield source.sample(tokens, len(tokens)), item.action(values) if item.allows(values) else None


def _walk(title: Title, state: Any, choosing: Choosing, source: random.Random) -> None:
    """Touch what is offered until an action is chosen: it is a legal one, and nothing offered is left out."""
    tokens: tuple[str, ...] = ()
    for _ in range(12):
        selection = choosing.at(tokens)
        assert not selection.dropped and selection.fits, tokens
        if selection.action is not None:
            title.check(state, title.decision(state).seat, selection.action)  # type: ignore[union-attr]
            return
        offered = list(selection.question.offers) if selection.question else []
        offered += [offer for group in selection.groups for offer in (group.kind, *group.offers)]
        ways = [offer.at for offer in offered] + [selection.toggled(token) for token in selection.open]
        tokens = tuple(source.choice(ways).split(","))
    raise AssertionError(f"{tokens} leads nowhere")


def main(positions: int) -> None:
    """Ask it of so many positions of each title."""
    source = random.Random(13)
    for positions_of in (acres_positions, answer_positions, new_world_positions):
        left, tried, seed = positions, 0, 0
        while left:
            step = 1 if positions > 500 or positions_of is answer_positions else 7
            for title, state in list(positions_of(seed))[::step]:
                if left:
                    tried += check(title, state, source)
                    left -= 1
            seed += 1
        print(f"{positions_of.__name__}: {positions} positions, {tried} actions put together by touch")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
