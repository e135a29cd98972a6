"""The heaviest perfect matching, compared with networkx and with trying everything."""

from __future__ import annotations

import random
from collections.abc import Iterator

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.leagues.pure.pairing.matching import heaviest


def square(size: int, weigh: random.Random, kind: str) -> list[list[int]]:
    scores = [weigh.randint(0, 6) for _ in range(size)]
    weights = [[0] * size for _ in range(size)]
    for one in range(size):
        for other in range(one):
            weight = {
                "few values": weigh.randint(0, 2),
                "signs": weigh.randint(-1000, 1000),
                "huge": weigh.randint(0, 10**60),
                "scores": -((scores[one] - scores[other]) ** 2) * 50 + weigh.randint(0, 40),
                "holes": weigh.choice([-(10**9), weigh.randint(0, 9)]),
            }[kind]
            weights[one][other] = weights[other][one] = weight
    return weights


def total(weights: list[list[int]], mate: list[int]) -> int:
    assert all(mate[other] == one and other != one for one, other in enumerate(mate))
    return sum(weights[one][other] for one, other in enumerate(mate) if one < other)


def by_networkx(weights: list[list[int]]) -> int:
    graph = nx.Graph()
    graph.add_weighted_edges_from(
        (one, other, weights[one][other]) for one in range(len(weights)) for other in range(one)
    )
    pairs = nx.max_weight_matching(graph, maxcardinality=True)
    assert 2 * len(pairs) == len(weights)
    return sum(weights[one][other] for one, other in pairs)


KINDS = ["few values", "signs", "huge", "scores", "holes"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_total_is_that_of_networkx_on_the_dense_graph(kind: str) -> None:
    """A hundred graphs of each kind, up to 34 vertices: odd cycles within odd cycles are frequent there."""
    for seed in range(100):
        chance = random.Random(seed)
        weights = square(2 * chance.randint(1, 17), chance, kind)
        assert total(weights, heaviest(weights)) == by_networkx(weights), seed


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_total_is_that_of_networkx_for_eighty(kind: str) -> None:
    weights = square(80, random.Random(80), kind)
    assert total(weights, heaviest(weights)) == by_networkx(weights)


def every_pairing(left: list[int]) -> Iterator[list[tuple[int, int]]]:
    if not left:
        yield []
        return
    for at in range(1, len(left)):
        for rest in every_pairing(left[1:at] + left[at + 1 :]):
            yield [(left[0], left[at]), *rest]


@given(st.integers(1, 4), st.data())
def test_no_pairing_at_all_is_heavier(half: int, data: st.DataObject) -> None:
    size = 2 * half
    weights = [[0] * size for _ in range(size)]
    for one in range(size):
        for other in range(one):
            weights[one][other] = weights[other][one] = data.draw(st.integers(-5, 5))
    best = max(sum(weights[a][b] for a, b in pairs) for pairs in every_pairing(list(range(size))))
    assert total(weights, heaviest(weights)) == best


def test_few_edges_at_first_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two edges a vertex the first attempts fail, and edges are added until the prices prove the answer."""
    monkeypatch.setattr("app.leagues.pure.pairing.matching.NEAREST", 2)
    for seed in range(100):
        chance = random.Random(seed)
        weights = square(2 * chance.randint(2, 12), chance, chance.choice(KINDS))
        assert total(weights, heaviest(weights)) == by_networkx(weights), seed


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    heaviest(square(60, random.Random(1), "scores"), lambda done, of: told.append((done, of)))
    assert told and told[-1][0] == told[-1][1]


def test_an_odd_number_is_refused_and_nobody_is_fine() -> None:
    with pytest.raises(ValueError):
        heaviest([[0] * 3] * 3)
    assert heaviest([]) == []
