"""Checks the chance of a Post Road record: python3 prove.py RECORD.json ROOT (written from docs/provable-chance.md)

ROOT stands in the mails that you got from the server; a game of postroad-chance-1 has a commitment instead."""

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


def committed(proof: dict[str, Any], seed: bytes) -> tuple[str, str]:
    """What was published before the game, worked out from the seed; and the text of which the key is made."""
    if proof["algorithm"] == "postroad-chance-1":
        salts = {seat: hashlib.sha256(salt.encode()).hexdigest() for seat, salt in proof["salts"].items() if salt}
        lines = ["postroad-chance-1", *(f"{seat}={salts[seat]}" for seat in sorted(salts))]
        return hashlib.sha256(seed).hexdigest(), "\n".join(lines)
    first, count, at = proof["tree"]["first"], proof["tree"]["count"], proof["number"] - proof["tree"]["first"]
    if proof["algorithm"] != "postroad-chance-2" or not 0 <= at < count or count != 2 ** len(proof["path"]):
        raise ValueError("another algorithm, or the path is not one of this number")
    node = hashlib.sha256(b"\0" + seed).digest()
    for level, other in enumerate(map(bytes.fromhex, proof["path"])):
        node = hashlib.sha256(b"\1" + (other + node if at >> level & 1 else node + other)).digest()
    return hashlib.sha256(f"postroad-chance-2 {first} {count} {node.hex()}".encode()).hexdigest(), "postroad-chance-2"


def check(record: dict[str, Any], mailed: str = "") -> int:
    """How many outcomes hold; a ValueError says what does not."""
    proof, played = record["proof"], record.get("played", {})
    if "seed" not in proof or played.get("state") == "running":
        raise ValueError("the record has no seed; there is one when the game is over")
    seed = bytes.fromhex(proof["seed"])
    (root, text), is_numbered = committed(proof, seed), "path" in proof
    if root != proof["root" if is_numbered else "commitment"] or (mailed or root) != root:
        raise ValueError(f"the seed goes back to {root}, and the mail or the record says otherwise")
    if (is_numbered or played) and ("result" in record) != (played["state"] == "over"):
        raise ValueError("a game that is over has a result, and no other has: this record was cut or changed")
    key, bags = hmac.new(seed, text.encode(), hashlib.sha256).digest(), dict[str, list[str]]()
    told = [step["chance"] for turn in record["turns"] for step in turn["steps"] if "chance" in step]
    for n, one in enumerate(proof["outcomes"]):
        kind, purpose, items = one["kind"], one["purpose"], sorted(one["items"])
        value, at = outcome(key, n, kind, items), n - len(proof["outcomes"])
        if at >= -len(told):
            right = told[at] == (f"draw {value[0]}" if kind == "draw" else f"shuffle {purpose}: {', '.join(value)}")
        elif purpose == "sides":
            right = n == 0 and items == sorted(record["seats"]) and value == proof["sides"]
        else:
            deck, right = record["setup"].get(purpose), one.get("value", value) == value
            if isinstance(deck, dict) and "hand" in deck and "draw" in deck:  # a hand, in any order, and the rest
                cut = len(deck["hand"])
                right = right and sorted(value[:cut]) + value[cut:] == sorted(deck["hand"]) + deck["draw"]
            elif "value" not in one:
                right = False
        if not right or one["ordinal"] != n or (kind == "draw" and bags.get(purpose, items) != items):
            raise ValueError(f"outcome {n} ({kind} {purpose}) does not follow: the seed gives {', '.join(value)}")
        items.remove(value[0])
        bags[purpose] = items  # a bag only loses what was drawn from it
    if len(told) > len(proof["outcomes"]):
        raise ValueError("the proof lists fewer outcomes than the game has")
    return len(proof["outcomes"])


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            record = json.load(file)
        print(f"ok: {check(record, ''.join(sys.argv[2:]).lower())} outcomes in {len(record['turns'])} turns follow")
        print(f"game: {json.dumps(record.get('played'))}, result: {json.dumps(record.get('result'))}")
        print(
            f"seed {record['proof'].get('number', '')} of", record["proof"].get("root") or record["proof"]["commitment"]
        )
        if len(sys.argv) < 3:
            print("Only that number in a mail you got before the game makes this a proof; give it as the second word.")
    except (ValueError, LookupError, TypeError, AttributeError, OSError) as wrong:
        sys.exit(f"FAILED: {wrong}" if isinstance(wrong, ValueError) else f"no record with a proof: {wrong!r}")
