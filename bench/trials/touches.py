"""Checks that every legal action can be put together by touching its parts in any order, and nothing else can.

`python -m bench.trials.touches 1000 --http 50 --chromium 10` tests this many random positions of each title, and of
those in which an answer is asked while the other side is on turn: by function, by requests of a page's forms and links,
and by touching links in Chromium with and without the script. `--of new_world` tests one kind of position only.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from typing import Any

from flask import Flask

from app.play.turn.choosing import Choosing, TouchOption
from app.titles.pages import pages_of
from bench.trials import touched_pages
from engine.acres import ACRES
from engine.kernel.title import Choice, Title
from engine.new_world import NEW_WORLD
from tests.support.acres_games import random_game as acres_game
from tests.support.new_world_games import random_game as new_world_game
from tests.support.served import browsing, served

MOST_PICKS = 60
"""How many subsets of a free choice are tried, drawn by lot if there are more."""


def acres_positions(seed: int) -> Iterator[tuple[Title, Any]]:
    """Yield the positions of a random game of Acres."""
    found: list[Any] = []
    acres_game(seed, look=lambda state, action: found.append(state), edition=("first", "second")[seed % 2])
    return ((ACRES, state) for state in found)


def answer_positions(seed: int) -> Iterator[tuple[Title, Any]]:
    """Yield the positions of a random game of Acres in which a side answers in the turn of the other."""
    for title, state in acres_positions(seed):
        due = title.decision(state)
        if due is not None and due.seat != due.on_turn:
            yield title, state


def new_world_positions(seed: int) -> Iterator[tuple[Title, Any]]:
    """Yield the positions of a random game of New World."""
    found: list[Any] = []
    new_world_game(seed, 2 + seed % 4, look=found.append)
    return ((NEW_WORLD, state) for state in found if NEW_WORLD.decision(state) is not None)


def check(title: Title, state: Any, source: random.Random) -> int:
    """Return how many actions were put together. Raises AssertionError if one cannot be, or if something else can."""
    choosing = Choosing(title, pages_of(title.id), state)
    legal = title.legal(state)
    assert len(choosing.ways) == len(legal)
    tried = 0
    for way, item in zip(choosing.ways, legal, strict=True):
        for tokens, action in _composed(way, item, source):
            selection = choosing.at(tokens)
            tried += 1
            if action is None:
                # Nothing is chosen yet, or the remaining items are filled in automatically, as all of them are needed.
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


def _composed(way: TouchOption, item: Any, source: random.Random) -> Iterator[tuple[list[str], Any]]:
    """Yield all touches of an action in a random order; of a free choice those of some subsets, with None for one that
    is not allowed.
    """
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
    """Touch what is offered until an action is chosen: it must be legal, and nothing offered may be left out."""
    tokens: tuple[str, ...] = ()
    for _ in range(12):
        selection = choosing.at(tokens)
        assert not selection.dropped and selection.fits, tokens
        if selection.action is not None:
            title.check(state, title.decision(state).seat, selection.action)  # type: ignore[union-attr]
            return
        offered = list(selection.question.offers) if selection.question else []
        offered += [offer for group in selection.groups for offer in (group.kind, *group.offers)]
        # In order, so that a run is reproducible; touching an item twice would clear it.
        more = [token for token in sorted(selection.open) if not selection.touched_as(token)]
        ways = [offer.at for offer in offered] + [selection.toggled(token) for token in more]
        tokens = tuple(source.choice(ways).split(","))
    raise AssertionError(f"{tokens} leads nowhere")


def drawn(positions_of: Callable[[int], Iterator[tuple[Title, Any]]], many: int) -> list[tuple[Title, Any]]:
    """Return this many positions from several games."""
    found: list[tuple[Title, Any]] = []
    seed, step = 0, 1 if many > 500 or positions_of is answer_positions else 7
    while len(found) < many:
        found += list(positions_of(seed))[::step]
        seed += 1
    return found[:many]


KINDS = {"acres": acres_positions, "answers": answer_positions, "new_world": new_world_positions}


def main(positions: int, http: int, chromium: int, kinds: list[str]) -> None:
    """Test this many positions of each of these kinds."""
    for kind in kinds:
        source = random.Random(13)
        positions_of = KINDS[kind]
        tried = sum(check(title, state, source) for title, state in drawn(positions_of, positions))
        print(f"{kind}: {positions} positions, {tried} actions put together by touch", flush=True)
        with touched_pages.server() as app:
            desks = touched_pages.Desks(app)
            tried = sum(
                touched_pages.by_requests(desks.at(title, state), title, state, source)
                for title, state in drawn(positions_of, http)
            )
            print(f"  by HTTP: {http} positions, {tried} actions", flush=True)
            if chromium:
                in_chromium(app, desks, drawn(positions_of, chromium), source)


def in_chromium(
    app: Flask, desks: touched_pages.Desks, positions: list[tuple[Title, Any]], source: random.Random
) -> None:
    """Test these positions in a browser in the same way."""
    with served(app) as base, browsing() as browser:
        for scripts in (True, False):
            tried = sum(
                touched_pages.in_chromium(browser, base, desks.at(title, state), state, source, scripts)
                for title, state in positions
            )
            how = "with the script" if scripts else "without scripts"
            print(f"  in Chromium {how}: {len(positions)} positions, {tried} actions", flush=True)


if __name__ == "__main__":
    asked = argparse.ArgumentParser()
    asked.add_argument("positions", type=int, nargs="?", default=1_000)
    asked.add_argument("--http", type=int, default=0)
    asked.add_argument("--chromium", type=int, default=0)
    asked.add_argument("--of", choices=KINDS, nargs="+", default=list(KINDS))
    given = asked.parse_args()
    main(given.positions, given.http, given.chromium, given.of)
