"""Numbered seeds: a server commits to the seeds of a million games with one hash, before the first of them.

All seeds follow from one secret. Their hashes are the leaves of a Merkle tree; its root, together with the numbers that
the tree covers, gives the commitment mailed to players. The path of a number, about twenty hashes, proves that its seed
was among them and at which place. docs/provable-chance.md tells how to check it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence

from engine.kernel.chance import NUMBERED

SLICE = 1024
"""Seeds whose leaves are computed together; of a stored tree, only the tops of its slices are kept."""
HASH = 32
"""Bytes of a seed and of a hash."""


def seed_of(secret: bytes, number: int) -> bytes:
    """Return the seed with this number. Anyone with the secret has all of them."""
    return hmac.digest(secret, b"seed %d" % number, "sha256")


def leaf_of(seed: bytes) -> bytes:
    """Return the leaf of a seed in the tree."""
    return hashlib.sha256(b"\x00" + seed).digest()


def node_of(left: bytes, right: bytes) -> bytes:
    """Return the node above two others in the tree."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def commitment_of(first: int, count: int, top: bytes) -> str:
    """Return what is published of a tree, in hexadecimal: valid only for these numbers and for a tree of this
    height."""
    return hashlib.sha256(f"{NUMBERED} {first} {count} {top.hex()}".encode()).hexdigest()


def tops_of_slices(secret: bytes, first: int, count: int) -> Iterator[bytes]:
    """Yield the top of each slice of the tree for `count` numbers (a power of two) from `first` on."""
    if count < 2 or count & (count - 1):
        raise ValueError(f"a tree has a power of two of numbers, not {count}")
    size = min(SLICE, count)
    for start in range(first, first + count, size):
        yield _top(_leaves(secret, start, size))


def root_of(first: int, count: int, tops: Sequence[bytes]) -> str:
    """Return the commitment of a tree, from the tops of its slices."""
    return commitment_of(first, count, _top(tops))


def path_of(secret: bytes, first: int, count: int, tops: Sequence[bytes], number: int) -> tuple[bytes, ...]:
    """Return the hashes along the way from a number's leaf to the root, from the bottom, which prove its seed's
    place."""
    if not first <= number < first + count:
        raise ValueError(f"{number} is not in the tree from {first} on")
    size = min(SLICE, count)
    which, at = divmod(number - first, size)
    return (*_beside(_leaves(secret, first + which * size, size), at), *_beside(tops, which))


def root_by(seed: bytes, number: int, first: int, count: int, path: Sequence[bytes]) -> str:
    """Return the commitment that follows if this seed has this number. ValueError if the path does not fit such a
    tree."""
    at = number - first
    if count < 2 or count & (count - 1) or not 0 <= at < count or len(path) != count.bit_length() - 1:
        raise ValueError("the path does not fit the number")
    here = leaf_of(seed)
    for other in path:
        here = node_of(other, here) if at & 1 else node_of(here, other)
        at >>= 1
    return commitment_of(first, count, here)


def _leaves(secret: bytes, start: int, size: int) -> list[bytes]:
    return [leaf_of(seed_of(secret, number)) for number in range(start, start + size)]


def _above(row: Sequence[bytes]) -> list[bytes]:
    pairs: Iterable[tuple[bytes, bytes]] = zip(row[::2], row[1::2], strict=True)
    return [node_of(left, right) for left, right in pairs]


def _top(row: Sequence[bytes]) -> bytes:
    while len(row) > 1:
        row = _above(row)
    return row[0]


def _beside(row: Sequence[bytes], at: int) -> Iterator[bytes]:
    while len(row) > 1:
        yield row[at ^ 1]
        row, at = _above(row), at >> 1
