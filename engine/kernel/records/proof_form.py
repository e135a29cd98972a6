"""The form of a record's `proof` and of what it says about the game as it was played here (`played`).

`proof` holds `algorithm` and, under `postroad-chance-2`, the `number` of the seed, the `root` that players are mailed
and the numbers that it covers (`tree`); under `postroad-chance-1` `commitment` and `salts`. After the end it also holds
`seed` and the `path` from it to the root, and for readers that do not know the rules `outcomes`: for each ordinal the
kind, the purpose and what was shuffled or drawn from, and in the opening, which no `chance` line tells, the `value`.
`sides` is present if the seats were drawn: for each seat the chair at the table whose player got it.

`played` holds the game's `number` on its server, when it `started` and `ended`, its `state`, its `event`, and who
played (`players`: by seat `player` and `name`, or null).
docs/provable-chance.md
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.kernel.chance import ALGORITHMS, FIRST, NUMBERED, ChanceUse, commitment
from engine.kernel.records.form import Record, short
from engine.kernel.seeds import root_by
from engine.kernel.text import Text

SIDES = "sides"
"""The purpose of the shuffle that seats the players; titles use another."""
LONGEST_SALT = 64
STATES = ("running", "over", "cancelled")


class ProofFailed(Exception):
    """The record proves nothing, or proves that its outcomes were not those of the seed; `why` says what.

    `ordinal` is the first outcome that differs, if one does.
    """

    def __init__(self, why: Text, ordinal: int | None = None) -> None:
        super().__init__(repr(why))
        self.why = why
        self.ordinal = ordinal


@dataclass(frozen=True, slots=True)
class Place:
    """Where a seed stands: its number, and the tree with this root of `count` numbers from `first` on."""

    number: int
    first: int
    count: int
    root: str
    path: tuple[bytes, ...] = ()
    """The hashes along the way from the seed to the root, from the bottom; empty while the seed is secret."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A record's well-formed `proof`; `seed` is None while the game runs."""

    algorithm: str
    commitment: str
    """The SHA-256 of the seed under `postroad-chance-1`, otherwise the root."""
    salts: Mapping[str, str]
    place: Place | None
    """Under `postroad-chance-2`."""
    seed: bytes | None
    sides: tuple[str, ...] | None
    outcomes: Sequence[Mapping[str, Any]] | None

    def need_committed(self, seed: bytes) -> None:
        """Raise ProofFailed if the seed is not the one that was committed to."""
        if self.place is None:
            if commitment(seed) != self.commitment:
                raise ProofFailed(Text("The commitment is not the SHA-256 of the seed."))
            return
        place = self.place
        try:
            root = root_by(seed, place.number, place.first, place.count, place.path)
        except ValueError:
            raise ProofFailed(Text("“{key}” is not of the right form.", key="path")) from None
        if root != place.root:
            raise ProofFailed(
                Text("The root does not have this seed at the number {number}.", number=place.number),
            )


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """What a record says about the game as it was played on its server."""

    number: int
    state: str
    started: str
    ended: str | None
    """Moments in ISO 8601."""


def write_proof(
    committed: str | Place,
    salts: Mapping[str, str] | None = None,
    *,
    seed: str | None = None,
    uses: Iterable[ChanceUse] = (),
    opening: int = 0,
) -> dict[str, Any]:
    """Return a record's `proof`. Without `seed` (hexadecimal; None while the game runs) the outcomes are left out too.

    `committed` is the SHA-256 of a seed with `salts`, or the place of a numbered one. `uses` are all outcomes of the
    game from ordinal 0 on; the first `opening` of them are told by no `chance` line.
    """
    proof: dict[str, Any]
    if isinstance(committed, Place):
        tree = {"first": committed.first, "count": committed.count}
        proof = {"algorithm": NUMBERED, "number": committed.number, "root": committed.root, "tree": tree}
    else:
        given = {seat: salt for seat, salt in (salts or {}).items() if salt}
        proof = {"algorithm": FIRST, "commitment": committed, "salts": given}
    if seed is None:
        return proof
    proof["seed"] = seed
    if isinstance(committed, Place):
        proof["path"] = [one.hex() for one in committed.path]
    used = list(uses)
    if used and used[0].outcome.purpose == SIDES:
        proof["sides"] = list(used[0].outcome.value)
    proof["outcomes"] = [
        listed_as(n, use) | ({"value": list(use.outcome.value)} if n < opening else {}) for n, use in enumerate(used)
    ]
    return proof


def listed_as(ordinal: int, use: ChanceUse) -> dict[str, Any]:
    """Return an outcome as a proof lists it, apart from its value."""
    outcome = use.outcome
    return {"ordinal": ordinal, "kind": outcome.kind, "purpose": outcome.purpose, "items": list(use.items)}


def read_proof(record: Record) -> Proof:
    """Return the proof of a record. Raises `ProofFailed` if it has none, or one that this reader does not
    understand."""
    raw = record.other.get("proof")
    if raw is None:
        raise ProofFailed(Text("The record has no proof."))
    _need(isinstance(raw, Mapping), "proof")
    if raw.get("algorithm") not in ALGORITHMS:
        raise ProofFailed(
            Text(
                "The algorithm is “{given}”; this reader knows {wanted}.",
                given=short(raw.get("algorithm")),
                wanted=ALGORITHMS,
            )
        )
    committed, salts, seed = raw.get("commitment"), raw.get("salts", {}), raw.get("seed")
    sides, outcomes = raw.get("sides"), raw.get("outcomes")
    algorithm = raw["algorithm"]
    place = _place(raw) if algorithm == NUMBERED else None
    _need(place is not None or _is_hex(committed), "commitment")
    _need(place is None or not salts, "salts")
    _need(isinstance(salts, Mapping) and all(_is_salt(record, *item) for item in salts.items()), "salts")
    _need(seed is None or _is_hex(seed), "seed")
    _need(sides is None or (isinstance(sides, list) and all(isinstance(seat, str) for seat in sides)), "sides")
    _need(
        outcomes is None or (isinstance(outcomes, list) and all(isinstance(o, Mapping) for o in outcomes)), "outcomes"
    )
    known = None if sides is None else tuple(sides)
    return Proof(
        algorithm,
        place.root if place is not None else committed.lower(),
        dict(salts),
        place,
        None if seed is None else bytes.fromhex(seed),
        known,
        outcomes,
    )


def _place(raw: Mapping[str, Any]) -> Place:
    """Read where a numbered seed stands. The path is present if the seed is."""
    number: Any = raw.get("number")
    root: Any = raw.get("root")
    tree: Any = raw.get("tree")
    path: Any = raw.get("path", [])
    _need(type(number) is int, "number")
    _need(_is_hex(root), "root")
    _need(isinstance(tree, Mapping) and type(tree.get("first")) is type(tree.get("count")) is int, "tree")
    _need(isinstance(path, list) and all(map(_is_hex, path)), "path")
    return Place(number, tree["first"], tree["count"], root.lower(), tuple(map(bytes.fromhex, path)))


_MOMENT = re.compile(
    r"(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?:\.\d{1,9})?(?:Z|\+00:00)"
)


def _moment(value: Any) -> str:
    """Return a moment in ISO 8601 and UTC, to its second; empty if it is not one."""
    found = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    return "" if found is None else found[1]


def read_played(record: Record) -> PlayedGame | None:
    """Return what a record says about its game, None if it says nothing. Raises ProofFailed when that contradicts the
    rest.

    A game that is over has a result, one that was cancelled has none, and one that runs shows no seed: so a record that
    was cut contradicts its game, or names an end that only its players can confirm.
    """
    raw = record.other.get("played")
    if raw is None:
        return None
    form = Text("“{key}” is not of the right form.", key="played")
    if not isinstance(raw, Mapping) or type(raw.get("number")) is not int or raw.get("state") not in STATES:
        raise ProofFailed(form)
    started: Any = raw.get("started")
    ended: Any = raw.get("ended")
    begun = _moment(started)
    over = begun if ended is None else _moment(ended)
    if not begun or over < begun:
        raise ProofFailed(form)
    if raw["state"] == "over" and record.result is None:
        raise ProofFailed(Text("The record says that the game is over, but has no result: it was cut."))
    if raw["state"] != "over" and record.result is not None:
        raise ProofFailed(Text("The record has a result, but says that the game has none."))
    if (raw["state"] == "running") != (ended is None):
        raise ProofFailed(form)
    return PlayedGame(raw["number"], raw["state"], started, ended)


def players_of(record: Record) -> dict[str, str]:
    """Return the names of those who played, by seat, as far as a record says them."""
    played = record.other.get("played")
    players = played.get("players") if isinstance(played, Mapping) else None
    if not isinstance(players, Mapping):
        return {}
    named = {seat: player.get("name") for seat, player in players.items() if isinstance(player, Mapping)}
    return {seat: name for seat, name in named.items() if seat in record.seats and isinstance(name, str)}


def _need(condition: bool, key: str) -> None:
    if not condition:
        raise ProofFailed(Text("“{key}” is not of the right form.", key=key))


def _is_hex(value: Any) -> bool:
    """Return whether the value is 32 bytes in hexadecimal."""
    return isinstance(value, str) and len(value) == 64 and all(sign in "0123456789abcdefABCDEF" for sign in value)


def _is_salt(record: Record, seat: str, salt: Any) -> bool:
    return seat in record.seats and isinstance(salt, str) and len(salt) <= LONGEST_SALT and _is_encodable(salt)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True
