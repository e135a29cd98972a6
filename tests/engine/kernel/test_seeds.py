"""Numbered seeds: one commitment for all, and a path for each."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel import seeds

SECRET = bytes(range(32))


def tree(first: int, count: int, secret: bytes = SECRET) -> tuple[str, list[bytes]]:
    tops = list(seeds.tops_of_slices(secret, first, count))
    return seeds.root_of(first, count, tops), tops


def test_known_values() -> None:
    """The example of docs/provable-chance.md."""
    root, tops = tree(1, 8)
    assert root == "da5c60de344438e3aa3d1dd51398e62d937c01d4b520d80fb03b94b260c7f656"
    assert seeds.seed_of(SECRET, 3).hex() == "65763c2abd5be512c502c8e42697246d3a8181558148c243f308bc3cf0153f9f"
    assert [one.hex()[:8] for one in seeds.path_of(SECRET, 1, 8, tops, 3)] == ["71505c81", "092aea4d", "479f2a21"]


def test_the_tree_as_the_document_tells_it() -> None:
    row = [sha256(b"\0" + seeds.seed_of(SECRET, number)).digest() for number in range(5, 9)]
    left, right = (sha256(b"\1" + a + b).digest() for a, b in (row[:2], row[2:]))
    top = sha256(b"\1" + left + right).hexdigest()
    assert tree(5, 4)[0] == sha256(f"postroad-chance-2 5 4 {top}".encode()).hexdigest()


@pytest.mark.slow
@given(first=st.integers(1, 10**7), height=st.integers(1, 12), data=st.data())
def test_every_seed_has_a_path_and_no_other_seed_or_number_has_it(first: int, height: int, data: st.DataObject) -> None:
    count = 2**height
    root, tops = tree(first, count)
    number = data.draw(st.integers(first, first + count - 1))
    other = data.draw(st.integers(first, first + count - 1).filter(lambda n: n != number))
    seed, path = seeds.seed_of(SECRET, number), seeds.path_of(SECRET, first, count, tops, number)
    assert len(path) == height and seeds.root_by(seed, number, first, count, path) == root
    assert seeds.root_by(seed, other, first, count, path) != root
    assert seeds.root_by(seeds.seed_of(SECRET, other), number, first, count, path) != root
    assert seeds.root_by(seed, number + 1, first + 1, count, path) != root
    assert seeds.root_by(seed, number, first, 2 * count, [*path, bytes(32)]) != root


@pytest.mark.parametrize(
    ("number", "first", "count", "length"), [(0, 1, 4, 2), (5, 1, 4, 2), (1, 1, 3, 2), (1, 1, 4, 3), (1, 1, 1, 0)]
)
def test_a_path_that_fits_no_tree_is_refused(number: int, first: int, count: int, length: int) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        seeds.root_by(bytes(32), number, first, count, [bytes(32)] * length)


def test_trees_and_paths_that_cannot_be() -> None:
    for count in (0, 1, 3, 1000):
        with pytest.raises(ValueError, match="power of two"):
            list(seeds.tops_of_slices(SECRET, 1, count))
    with pytest.raises(ValueError, match="not in the tree"):
        seeds.path_of(SECRET, 1, 8, tree(1, 8)[1], 9)


def test_a_tree_is_kept_in_slices_and_another_secret_gives_another() -> None:
    root, tops = tree(1, 4096)
    assert len(tops) == 4096 // seeds.SLICE
    assert tree(1, 4096, bytes(32))[0] != root
