"""Checks the chance of a Post Road record: python3 prove.py RECORD.json ROOT END (written from docs/provable-chance.md)
ROOT stands in every mail from the server (of postroad-chance-1: the commitment), END in the last mail of the game."""

import hashlib
import hmac
import json
import sys
from typing import Any


def sha(data: bytes | str) -> str:
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def outcome(key: bytes, ordinal: int, kind: str, items: list[str]) -> list[str]:
    """What the key gives for this ordinal: an order (shuffle), or a list of the one item (draw)."""
    blocks = (hmac.digest(key, f"{ordinal}:{block}".encode(), "sha256") for block in range(2**32))
    numbers = (int.from_bytes(data[i : i + 8], "big") for data in blocks for i in range(0, 32, 8))
    order = sorted(items)
    for n in range(len(order), len(order) - 1 if kind == "draw" else 1, -1):
        j = next(number for number in numbers if number < 2**64 // n * n) % n
        order[n - 1], order[j] = order[j], order[n - 1]
    return order[-1:] if kind == "draw" else order


def committed(proof: dict[str, Any], seed: bytes) -> tuple[str, str, str]:
    """What was published before the game by the seed, and by the record; and the text of which the key is made."""
    if proof["algorithm"] == "postroad-chance-1":
        salts = [f"{seat}={sha(salt)}" for seat, salt in sorted(proof["salts"].items()) if salt]
        return sha(seed), proof["commitment"], "\n".join(["postroad-chance-1", *salts])
    first, count, node = proof["tree"]["first"], proof["tree"]["count"], sha(b"\0" + seed)
    at = proof["number"] - first
    for other in proof["path"]:
        node, at = sha(b"\1" + bytes.fromhex(other + node if at % 2 else node + other)), at // 2
    return sha(f"{proof['algorithm']} {first} {count} {node}") if at == 0 else "", proof["root"], "postroad-chance-2"


def check(record: dict[str, Any], root: str = "", end: str = "") -> str:
    """What was shown, in words; a ValueError says what does not hold."""
    proof, played, result, turns = record["proof"], record.get("played", {}), record.get("result"), record["turns"]
    if "seed" not in proof or (("path" in proof or played) and played["state"] != ("over" if result else "cancelled")):
        raise ValueError("no seed before the end; and the games that are over, and no others, have a result")
    told = [step["chance"] for turn in turns for step in turn["steps"] if "chance" in step]
    outcomes, seed = proof["outcomes"], bytes.fromhex(proof["seed"])
    found, said, text = committed(proof, seed)
    game = ["postroad-end-1", record["game"], played.get("number"), played.get("state"), seed.hex(), record["seats"]]
    won = result and [result.get(key) for key in ("reason", "winner", "winners")]
    game += [[[turn["seat"], turn["steps"]] for turn in turns], won]
    ended = sha(json.dumps(game, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
    if not found == said == (root or said).lower() or ended != (end or ended).lower() or len(told) > len(outcomes):
        raise ValueError(f"root {found} and end {ended}: record or mails say otherwise; it was cut, changed or swapped")
    key, bags = hmac.digest(seed, text.encode(), "sha256"), dict[str, list[str]]()
    for n, one in enumerate(outcomes):
        kind, purpose, items = one["kind"], one["purpose"], sorted(one["items"])
        value, deck, at = outcome(key, n, kind, items), record["setup"].get(purpose), n - len(outcomes)
        if not isinstance(deck, dict) or "hand" not in deck:  # not told as a hand, in any order, and the rest
            deck = {"hand": [], "draw": proof["sides"] if purpose == "sides" else one.get("value", [])}
        hand, line = deck["hand"], f"draw {value[0]}" if kind == "draw" else f"shuffle {purpose}: {', '.join(value)}"
        dealt = sorted(value[: len(hand)]) + value[len(hand) :] == sorted(hand) + deck["draw"]
        right = (told[at] == line if at >= -len(told) else dealt) and one.get("value", value) == value
        right &= one["ordinal"] == n and (purpose != "sides" or [n, *items] == [0, *sorted(record["seats"])])
        right &= kind != "draw" or bags.setdefault(purpose, items) == items  # a bag only loses what was drawn from it
        if not right:
            raise ValueError(f"outcome {n} ({kind} {purpose}) does not follow: the seed gives {', '.join(value)}")
        items.remove(value[0])
        bags[purpose] = items
    return f"ok: {len(outcomes)} outcomes of seed {proof.get('number')} of {found}; end {ended}\n{played}, {result}"


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            print(check(json.load(file), *sys.argv[2:4]), "\nOnly ROOT and END in mails of your own are witnesses.")
    except Exception as wrong:
        sys.exit(f"FAILED: {wrong}" if isinstance(wrong, ValueError) else f"no record with a proof: {wrong!r}")
