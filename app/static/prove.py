"""Checks the chance of a Post Road record: python3 prove.py RECORD.json (written from docs/provable-chance.md)"""

import hashlib
import hmac
import itertools
import json
import sys
from typing import Any


def outcome(key: bytes, ordinal: int, kind: str, items: list[str]) -> list[str]:
    """What the key gives for this ordinal: an order (shuffle), or a list of the one item (draw)."""

    def below(n: int) -> int:
        return next(number for number in stream if number < 2**64 // n * n) % n

    blocks = (hmac.new(key, f"{ordinal}:{block}".encode(), hashlib.sha256).digest() for block in itertools.count())
    stream = (int.from_bytes(data[i : i + 8], "big") for data in blocks for i in range(0, 32, 8))
    order = sorted(items)
    if kind == "draw":
        return [order[below(len(order))]]
    for i in range(len(order) - 1, 0, -1):
        j = below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def check(record: dict[str, Any]) -> int:
    """How many outcomes hold; a ValueError says what does not."""
    if "seed" not in record.get("proof", {}):
        raise ValueError("the record has no proof with a seed; there is one when the game is over")
    proof = record["proof"]
    bags: dict[str, list[str]] = {}
    seed, salts, listed = bytes.fromhex(proof["seed"]), proof["salts"], proof["outcomes"]
    if (proof["algorithm"], hashlib.sha256(seed).hexdigest()) != ("postroad-chance-1", proof["commitment"]):
        raise ValueError("another algorithm, or the commitment is not the SHA-256 of the seed")
    lines = [f"{seat}={hashlib.sha256(salts[seat].encode()).hexdigest()}" for seat in sorted(salts) if salts[seat]]
    key = hmac.new(seed, "\n".join(["postroad-chance-1", *lines]).encode(), hashlib.sha256).digest()
    told = [step["chance"] for turn in record["turns"] for step in turn["steps"] if "chance" in step]
    for n, one in enumerate(listed):
        kind, purpose, items = one["kind"], one["purpose"], sorted(one["items"])
        value = outcome(key, n, kind, items)
        if n >= len(listed) - len(told):
            line = f"draw {value[0]}" if kind == "draw" else f"shuffle {purpose}: {', '.join(value)}"
            right = line == told[n - len(listed)]
        elif purpose == "sides":
            right = n == 0 and items == sorted(record["seats"]) and value == proof["sides"]
        else:
            deck, right = record["setup"].get(purpose, {}), one.get("value", value) == value
            if "value" not in one or "draw" in deck:  # a hand, which has no order, and the rest of the deck
                cut, hand = len(deck["hand"]), sorted(deck["hand"])
                right = right and sorted(value[:cut]) + value[cut:] == hand + deck["draw"]
        if not right or one["ordinal"] != n or (kind == "draw" and bags.get(purpose, items) != items):
            raise ValueError(f"outcome {n} ({kind} {purpose}) does not follow: seed and salts give {', '.join(value)}")
        items.remove(value[0])
        bags[purpose] = items  # a bag only loses what was drawn from it
    return len(listed)


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            print(f"ok: {check(json.load(file))} outcomes follow from the seed that was committed to")
    except (ValueError, LookupError, TypeError, AttributeError, OSError) as wrong:
        sys.exit(f"FAILED: {wrong}" if isinstance(wrong, ValueError) else f"no record with a proof: {wrong!r}")
