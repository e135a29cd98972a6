"""Checks in random games whether a takeback is ever offered wrongly, and how often it is refused unnecessarily.

    python -m bench.takebacks [--decisions N] [--seed S] [--worlds W] [--title acres|new-world] [--refusals N]

Random games of each title (Acres in its three editions) are played until N decisions of it have been made. After each,
what its seat sent is judged as the server judges it: the decision alone, sometimes with up to two that the seat made
just before it, and always with the automatic answers of the server. If a takeback is offered, it is checked in the true
state and in every world that the mover considers possible, or in W random ones if there are more, that no seat has
learned anything: each of them is compared, with what a seat sees of it, to other states that the seat could not tell
from it before. Extremes are among the worlds: hands without a card, hands with all copies of it. The check shares
nothing with the judgement except the rules of the game. Wrong offers are printed, and the exit code is 1.

Of the refusals in which nothing was drawn or shuffled by chance, one in N is checked in the same way: a refusal is
unnecessary if nobody would have learned anything in any world.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, factorial, prod
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine.acres import ACRES
from engine.kernel.chance import ChanceExhausted, ScriptedChance, SeededChance
from engine.kernel.refusals import Refusal
from engine.kernel.takeback import Deed, may_have_learned
from engine.kernel.title import Choice, Title
from engine.new_world import NEW_WORLD

EDITIONS = ("second", "first", "first-revised")
QUIET = ("Draft", "Pass", "Retrieve", "Withdraw", "Allow", "End")
"""Kinds of action that can often be taken back: chosen more often, so that there are many offers to judge."""
BESIDE = 4
"""Up to this many states each world is compared for each seat that may learn there."""
MOST_WORLDS = 500
TOGETHER = 4
"""Of a seat's actions in several steps, one in this many is also judged as a whole."""
PLACEMENTS = 60
"""How many placements of New World are tried to find one after which something is left to decide."""


@dataclass
class Figures:
    """The counts of a run."""

    decisions: int = 0
    offers: int = 0
    worlds: int = 0
    wrong: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    checked: int = 0
    needless: Counter[str] = field(default_factory=Counter)


# -- what a seat sees of it ---------------------------------------------------------------------------


def shown(title: Title, state: Any, said: Sequence[tuple[str, Any]], seats: Sequence[str]) -> list[Any]:
    """Return what each seat sees when this is said in a state, with the automatic answers of the server.

    That is: all events as the seat sees them, whether anybody is asked then, and its view. A refusal, or a request for
    chance, is returned as such.
    """
    seen: list[list[Any]] = [[] for _ in seats]
    chance = ScriptedChance()
    for seat, action in said:
        try:
            state = _say(title, state, seat, action, chance, seats, seen)
            while (due := title.decision(state)) is not None and (answer := title.forced(state)) is not None:
                state = _say(title, state, due.seat, answer, chance, seats, seen)
        except (Refusal, ChanceExhausted) as no:
            return [(seen[n], type(no).__name__) for n in range(len(seats))]
    return [(seen[n], known(title, state, seat)) for n, seat in enumerate(seats)]


def known(title: Title, state: Any, seat: str) -> Any:
    """Return what a seat can deduce from a state: all of New World; of Acres all but how hands and decks are dealt."""
    if title is NEW_WORLD:
        return state
    zones = [
        (p._replace(hand=p.hand if own else len(p.hand), draw=()), sorted(p.draw if own else p.draw + p.hand))
        for p, own in ((player, name == seat) for name, player in state.players.items())
    ]
    return state._replace(players={}), zones


def _say(
    title: Title, state: Any, seat: str, action: Any, chance: Any, seats: Sequence[str], seen: list[list[Any]]
) -> Any:
    for event, after in title.unfold(state, seat, action, chance):
        for n, viewer in enumerate(seats):
            seen[n].append(title.seen_by(event, viewer))
        state = after
    return state


# -- worlds -------------------------------------------------------------------------------------------


def mixed(state: Any, viewer: str, source: random.Random, lean: int | None) -> Any:
    """Return Acres with everything that this seat cannot see dealt again.

    With `lean` the other's hand is an extreme: as many copies of one card as there can be, or as few; the number
    selects it.
    """
    players = dict(state.players)
    for seat, player in state.players.items():
        hidden = list(player.draw if seat == viewer else player.hand + player.draw)
        source.shuffle(hidden)
        if seat != viewer:
            if lean is not None and hidden:
                kinds = sorted(set(hidden))
                card = kinds[lean // 2 % len(kinds)]
                hidden.sort(key=lambda other: (other == card) == bool(lean % 2))
            count = len(player.hand)
            player = player._replace(hand=tuple(sorted(hidden[:count])))
            hidden = hidden[count:]
        players[seat] = player._replace(draw=tuple(hidden))
    return state._replace(players=players)


def few(state: Any, viewer: str) -> list[Any] | None:
    """Return every world of a seat of Acres; None if there are more than `MOST_WORLDS`."""
    found = [state]
    for seat, player in state.players.items():
        ways = _ways(player, len(found), own=seat == viewer)
        if ways is None:
            return None
        found = [
            one._replace(players={**one.players, seat: player._replace(hand=hand, draw=draw)})
            for one in found
            for hand, draw in ways
        ]
    return found


def _ways(player: Any, each: int, *, own: bool) -> list[tuple[tuple[str, ...], tuple[str, ...]]] | None:
    """Return each hand and deck that a seat may have; None if, for `each` world, there are too many."""
    hidden = player.draw if own else tuple(sorted(player.hand + player.draw))
    size = 0 if own else len(player.hand)
    if comb(len(hidden), size) > 10 * MOST_WORLDS:
        return None
    found: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for hand in dict.fromkeys(combinations(hidden, size)):
        deck = Counter(hidden)
        deck.subtract(hand)
        orders = factorial(deck.total()) // prod(map(factorial, deck.values()))
        if (len(found) + orders) * each > MOST_WORLDS:
            return None
        found += [(player.hand if own else hand, row) for row in _rows(deck)]
    return found


def _rows(cards: Counter[str]) -> Iterator[tuple[str, ...]]:
    """Return all different orders of these cards."""
    if not any(cards.values()):
        yield ()
    for card in sorted(card for card, n in cards.items() if n):
        cards[card] -= 1
        for row in _rows(cards):
            yield (card, *row)
        cards[card] += 1


def worlds_of(title: Title, state: Any, seat: str, most: int, source: random.Random) -> list[Any]:
    """Return the true state and every world of the seat, or a random selection."""
    if title is NEW_WORLD:
        return [state]  # nothing is hidden (new_world R5.1)
    found = few(state, seat)
    if found is None:
        start = source.randrange(1000)
        found = [mixed(state, seat, source, start + n if n % 2 else None) for n in range(most)]
    return [state, *found]


# -- who has learned something ------------------------------------------------------------------------


def learner(
    title: Title, before: Any, said: Sequence[tuple[str, Any]], mover: str, seats: Sequence[str], most: int,
    source: random.Random, figures: Figures,
) -> str | None:  # fmt: skip
    """Return a seat that learned something in one of the mover's worlds; None if nobody did in any."""
    own = seats.index(mover)
    truth = shown(title, before, said, seats)
    for n, world in enumerate(worlds_of(title, before, mover, most, source)):
        figures.worlds += 1
        here = shown(title, world, said, seats)
        if here[own] != truth[own]:
            return mover
        if title is NEW_WORLD:
            continue
        for at, seat in enumerate(seats):
            if seat == mover:
                continue  # its worlds are these
            for i in range(BESIDE):
                other = mixed(world, seat, source, n * BESIDE + i if i % 2 else None)
                if shown(title, other, said, [seat])[0] != here[at]:
                    return seat
    return None


# -- random games -------------------------------------------------------------------------------------


def pick(title: Title, state: Any, source: random.Random) -> Any:
    """Return a legal action: a kind first, the quiet ones more often, then one of the kind."""
    legal = title.legal(state)
    if title is NEW_WORLD:  # only a placement with an order of scoring to choose draws no tile, and it is rare
        some = source.sample(legal, min(len(legal), PLACEMENTS))
        return next((action for action in some if not title.reveals(state, action)), some[0])
    kinds: dict[str, list[Any]] = {}
    for entry in legal:
        kinds.setdefault(getattr(entry, "kind", None) or type(entry).__name__, []).append(entry)
    names = [name for name in kinds for _ in range(2 if name in QUIET else 4 if name in title.lively else 1)]
    entry = source.choice(kinds[source.choice(names)])
    return source.choice(entry.smallest()) if isinstance(entry, Choice) else entry


def run(
    title: Title, options: dict[str, Any], seats: Sequence[str], decisions: int, seed: int, most: int, every: int
) -> Figures:
    """Judge this many decisions of random games as they are made; of the refusals one in `every` is checked."""
    figures = Figures()
    source = random.Random(f"{title.id} {options} {len(seats)} {seed}")
    while figures.decisions < decisions:
        _game(title, options, seats, decisions, most, every, source, figures)
    return figures


def _game(
    title: Title, options: dict[str, Any], seats: Sequence[str], decisions: int, most: int, every: int,
    source: random.Random, figures: Figures,
) -> None:  # fmt: skip
    chance = SeededChance(source.randbytes(32))
    state: Any = None
    for event in title.open(title.read_options(options), seats, chance):
        state = title.apply(state, event)
    row: list[tuple[Any, tuple[str, Any], list[Deed]]] = []  # consecutive actions of one seat
    while (due := title.decision(state)) is not None and figures.decisions < decisions:
        action = pick(title, state, source)
        deeds, after = _done(title, state, due.seat, action, chance)
        row = [*(row if row and row[-1][1][0] == due.seat else []), (state, (due.seat, action), deeds)][-3:]
        figures.decisions += 1
        state = after
        if title.decision(after) is None:
            return  # nothing is offered in a finished game
        _judge(title, row[-1:], seats, most, every, source, figures)
        if len(row) > 1 and source.randrange(TOGETHER) == 0:
            _judge(title, row, seats, most, every, source, figures)


def _done(title: Title, state: Any, seat: str, action: Any, chance: Any) -> tuple[list[Deed], Any]:
    """Return the action and the automatic answers of the server, with the state after them."""
    deeds: list[Deed] = []
    answer: Any = action
    while answer is not None:
        used = chance.ordinal
        unfolded = title.unfold(state, seat, answer, chance)
        deeds.append(Deed(seat, answer, [event for event, _ in unfolded], (None,) * (chance.ordinal - used)))
        state = unfolded[-1][1]
        due = title.decision(state)
        answer = None if due is None else title.forced(state)
        seat = "" if due is None else due.seat
    return deeds, state


def _judge(
    title: Title, part: Sequence[tuple[Any, tuple[str, Any], list[Deed]]], seats: Sequence[str], most: int, every: int,
    source: random.Random, figures: Figures,
) -> None:  # fmt: skip
    before, (mover, last) = part[0][0], part[-1][1]
    deeds = [deed for _, _, done in part for deed in done]
    said = [told for _, told, _ in part]
    kind = type(last).__name__
    found = may_have_learned(title, before, deeds, mover)
    if found is None:
        figures.offers += 1
        wrong = learner(title, before, said, mover, seats, most, source, figures)
        if wrong is not None:
            figures.wrong.append(f"{mover} says {said}: {wrong} learns; {before}")
    elif found.seat is None:
        figures.refused["by chance"] += 1
    else:
        figures.refused[kind] += 1
        if source.randrange(every) == 0:
            figures.checked += 1
            if learner(title, before, said, mover, seats, most, source, Figures()) is None:
                figures.needless[kind] += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--decisions", type=int, default=20_000, help="of each title")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=MOST_WORLDS, help="drawn where there are more")
    parser.add_argument("--title", choices=("acres", "new-world"), help="only this one")
    parser.add_argument("--refusals", type=int, default=1, metavar="N", help="check one refusal in N")
    asked = parser.parse_args()
    games: list[tuple[Title, dict[str, Any], int, int]] = []
    if asked.title != "new-world":
        games += [(ACRES, {"edition": edition}, 2, asked.decisions // len(EDITIONS) + 1) for edition in EDITIONS]
    if asked.title != "acres":
        games += [(NEW_WORLD, {}, seats, asked.decisions // 4 + 1) for seats in (2, 3, 4, 5)]
    wrong = 0
    for title, options, count, decisions in games:
        began = time.process_time()
        f = run(title, options, title.seats[:count], decisions, asked.seed, asked.worlds, asked.refusals)
        needless, refused = sum(f.needless.values()), sum(f.refused.values()) - f.refused["by chance"]
        print(
            f"{title.id} {options.get('edition', f'{count} seats')}, seed {asked.seed}: {f.decisions:,} decisions, "
            f"{f.offers:,} offers judged in {f.worlds:,} worlds, {len(f.wrong)} wrong; "
            f"{f.refused['by chance']:,} refused for chance, {refused:,} otherwise, of which {f.checked:,} checked: "
            f"{needless} without need {dict(f.needless)}; {time.process_time() - began:.0f} s",
            flush=True,
        )
        for line in f.wrong[:5]:
            print("  WRONG:", line)
        wrong += len(f.wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
