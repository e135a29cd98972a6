"""A number for the whole of a finished game, which reveals a record that was cut, lengthened or relabelled.

The seed proves the outcomes of chance, but not how long the game went on or what the players did. So the server mails
this number when the game ends; a reader computes it from the record and compares (docs/provable-chance.md, "The end").
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.kernel.records.form import OUTSIDE_ENDS

OF_RESULT = ("reason", "winner", "winners")
"""The keys of a result that the number covers. The rest follows from the rules, and later versions may add to it."""


def ending(
    game: str,
    number: int | None,
    state: str | None,
    seed: bytes,
    seats: Sequence[str],
    turns: Sequence[Mapping[str, Any]],
    result: Mapping[str, Any] | None,
) -> str:
    """Return the SHA-256, in hexadecimal, of what was played; `turns` and `result` are those of the game's record."""
    played = [[turn["seat"], turn["steps"]] for turn in turns]
    won = result and [result.get(key) for key in OF_RESULT]
    told = ["postroad-end-1", game, number, state, seed.hex(), list(seats), played, won]
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def is_by_rules(state: str, result: Mapping[str, Any] | None) -> bool:
    """Return whether the rules confirm that the game ended there, so that nothing can have been cut off after it."""
    return state == "over" and result is not None and result.get("reason") not in OUTSIDE_ENDS
