"""A second verifier of records, written from docs/provable-chance.md alone with only the standard library.

Where the document is ambiguous, this one and `app/static/prove.py` would differ.

    python tests/support/second_verifier.py RECORD [ROOT] [END]
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SPAN = 2**64
STATES = ("running", "over", "cancelled")


class Differs(ValueError):
    """The record is wrong, and where."""


def need(holds: object, what: str) -> None:
    """Raise Differs if something does not hold."""
    if not holds:
        raise Differs(what)


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def mac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def root_of(proof: dict[str, Any], seed: bytes) -> str:
    """Return the root to which the path leads from the seed."""
    tree = proof["tree"]
    first, count, number = tree["first"], tree["count"], proof["number"]
    need(all(type(one) is int for one in (first, count, number)), "numbers are no numbers")
    need(count > 0 and count & (count - 1) == 0, "the tree is no power of two")
    need(first <= number < first + count, "the number is not in the tree")
    need(len(proof["path"]) == count.bit_length() - 1, "the path is not as long as the tree is high")
    node = sha(b"\0" + seed)
    for height, text in enumerate(proof["path"]):
        need(len(text) == 64 and text == text.lower(), "a hash of the path is none")
        neighbour = bytes.fromhex(text)
        is_left = (number - first) >> height & 1 == 0
        node = sha(b"\1" + (node + neighbour if is_left else neighbour + node))
    return sha(f"postroad-chance-2 {first} {count} {node.hex()}".encode()).hex()


def key_of(record: dict[str, Any], proof: dict[str, Any], seed: bytes) -> bytes:
    """Return the key of the outcomes, if the seed is the committed one."""
    if proof["algorithm"] == "postroad-chance-2":
        played = record.get("played")
        need(isinstance(played, dict), "a numbered seed without a word of its game")
        need(root_of(proof, seed) == proof["root"], "the seed is not in the tree at this number")
        return mac(seed, "postroad-chance-2")
    need(proof["algorithm"] == "postroad-chance-1", "the algorithm is not known")
    need(sha(seed).hex() == proof["commitment"], "the seed is not the committed one")
    salts = proof.get("salts") or {}
    lines = [f"{seat}={sha(salts[seat].encode()).hex()}" for seat in sorted(salts) if salts[seat]]
    return mac(seed, "\n".join(["postroad-chance-1", *lines]))


def numbers(key: bytes, ordinal: int) -> Iterator[int]:
    """Yield the numbers of an outcome."""
    block = 0
    while True:
        data = mac(key, f"{ordinal}:{block}")
        for at in range(0, 32, 8):
            yield int.from_bytes(data[at : at + 8], "big")
        block += 1


def below(source: Iterator[int], n: int) -> int:
    """Return the next number below `n`."""
    most = SPAN - SPAN % n
    return next(one for one in source if one < most) % n


def given(key: bytes, ordinal: int, kind: str, items: list[str]) -> list[str]:
    """Return the outcome: the order of a shuffle, or the item that is drawn."""
    rest, source = sorted(items), numbers(key, ordinal)
    need(rest, f"outcome {ordinal} is of nothing")
    if kind == "draw":
        return [rest[below(source, len(rest))]]
    need(kind == "shuffle", f"outcome {ordinal} is of no known kind")
    for i in range(len(rest) - 1, 0, -1):
        j = below(source, i + 1)
        rest[i], rest[j] = rest[j], rest[i]
    return rest


def chance_lines(record: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Return kind, purpose and result of each line of chance in the turns."""
    found = []
    for turn in record["turns"]:
        for step in turn["steps"]:
            if "chance" in step:
                head, _, rest = step["chance"].partition(": ")
                kind, _, told = head.partition(" ")
                if kind == "draw":
                    found.append((kind, "bag" if not rest else told, [rest or told]))
                else:
                    found.append((kind, told.removesuffix(":"), rest.split(", ") if rest else []))
    return found


def check(record: dict[str, Any], root: str = "", end: str = "") -> int:
    """Return how many outcomes there are, if all hold. Raises Differs, KeyError, TypeError otherwise."""
    proof, played, result = record["proof"], record.get("played"), record.get("result")
    if played is not None:
        need(played["state"] in STATES, "the game is in no known state")
        need((played["state"] == "over") == (result is not None), "over without a result, or the other way round")
    need("outcomes" in proof, "the game is not over: its seed is secret")
    need(played is None or played["state"] != "running", "a game that runs has no open seed")
    seed = bytes.fromhex(proof["seed"])
    need(len(seed) == 32, "the seed has not 32 bytes")
    key = key_of(record, proof, seed)
    if root:
        need(root == proof.get("root", proof.get("commitment")), "the root is not the one of the mail")
    lines, outcomes, sides = chance_lines(record), proof["outcomes"], proof.get("sides")
    opening = len(outcomes) - len(lines)
    need(opening >= (sides is not None), "there are more lines of chance than outcomes")
    left: dict[str, list[str]] = {}
    for n, one in enumerate(outcomes):
        kind, purpose, items = one["kind"], one["purpose"], one["items"]
        need(one.get("ordinal", n) == n and items == sorted(items), f"outcome {n} is not in its place")
        gives = given(key, n, kind, items)
        if n == 0 and sides is not None:
            need(kind == "shuffle" and purpose == "sides" and items == sorted(record["seats"]), "the sides")
            need(gives == sides, "outcome 0 gives other sides")
        elif n < opening:
            opened(record, one, gives, n)
        else:
            need((kind, purpose, gives) == lines[n - opening], f"outcome {n} gives something else")
        if kind == "draw":
            need(sorted(left.get(purpose, items)) == items, f"outcome {n} is drawn from another bag")
            left[purpose] = list(items)
            left[purpose].remove(gives[0])
    if end:
        need(end_of(record, seed) == end, "the end is not the one of the mail")
    return len(outcomes)


def opened(record: dict[str, Any], one: dict[str, Any], gives: list[str], n: int) -> None:
    """Check an outcome of the opening: its `value`, and if the setup names a hand and a deck, these."""
    zone = record["setup"].get(one["purpose"])
    is_told = isinstance(zone, dict) and "hand" in zone and "draw" in zone
    need("value" in one or is_told, f"outcome {n} is told nowhere")
    if "value" in one:
        need(one["value"] == gives, f"outcome {n} gives something else")
    if is_told and one["kind"] == "shuffle":
        hand = len(zone["hand"])
        need(sorted(gives[:hand]) == sorted(zone["hand"]) and gives[hand:] == zone["draw"], f"outcome {n}: the hand")


def end_of(record: dict[str, Any], seed: bytes) -> str:
    """Return the hash of all moves."""
    played, result = record.get("played") or {}, record.get("result")
    won = None if result is None else [result.get(name) for name in ("reason", "winner", "winners")]
    turns = [[turn["seat"], turn["steps"]] for turn in record["turns"]]
    told = [
        "postroad-end-1", record["game"], played.get("number"), played.get("state"), seed.hex(), record["seats"],
        turns, won,
    ]  # fmt: skip
    return sha(json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hex()


if __name__ == "__main__":
    file, *mailed = sys.argv[1:]
    print(check(json.loads(Path(file).read_text(encoding="utf-8")), *mailed), "outcomes hold")
