"""Proof that chance was fair: the seed was fixed before the first outcome, and every outcome follows from it.

A record's key `proof` holds `algorithm`, `commitment` and `salts`, after the end also `seed`, and for readers that do
not know the rules `outcomes`: for each ordinal the kind, the purpose and what was shuffled or drawn from, and in the
opening, which no `chance` line tells, the `value`. `sides` is there where the seats were drawn: for each seat the chair
at the table whose player got it. docs/provable-chance.md
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.kernel.chance import ChanceOutcome, ChanceUse, ScriptedChance, SeededChance, WatchedChance, commitment
from engine.kernel.records.form import Record, short
from engine.kernel.records.replay import first_difference, replay
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text
from engine.kernel.title import Title

SIDES = "sides"
"""The purpose of the shuffle that seats the players; titles use another."""
LONGEST_SALT = 64


class ProofFailed(Exception):
    """The record proves nothing, or proves that its chance was another; `why` says what.

    `ordinal` is the first outcome that differs, where one does.
    """

    def __init__(self, why: Text, ordinal: int | None = None) -> None:
        super().__init__(repr(why))
        self.why = why
        self.ordinal = ordinal


@dataclass(frozen=True, slots=True)
class Proof:
    """A record's `proof` whose form is right; `seed` is None while the game runs."""

    commitment: str
    salts: Mapping[str, str]
    seed: bytes | None
    sides: tuple[str, ...] | None
    outcomes: Sequence[Mapping[str, Any]] | None


@dataclass(frozen=True, slots=True)
class Derived:
    """An outcome as the game had it, with its ordinal, and what seed and salts give for it."""

    ordinal: int
    use: ChanceUse
    value: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return self.value == self.use.outcome.value


def write_proof(
    committed: str,
    salts: Mapping[str, str],
    *,
    seed: str | None = None,
    uses: Iterable[ChanceUse] = (),
    opening: int = 0,
) -> dict[str, Any]:
    """A record's `proof`. Without `seed` (hexadecimal; the game runs) the outcomes are left out too.

    `uses` are all outcomes of the game from ordinal 0 on, of which no `chance` line tells the first `opening`.
    """
    proof: dict[str, Any] = {
        "algorithm": SeededChance.algorithm,
        "commitment": committed,
        "salts": {seat: salt for seat, salt in salts.items() if salt},
    }
    if seed is None:
        return proof
    proof["seed"] = seed
    used = list(uses)
    if used and used[0].outcome.purpose == SIDES:
        proof["sides"] = list(used[0].outcome.value)
    proof["outcomes"] = [
        _listed(n, use) | ({"value": list(use.outcome.value)} if n < opening else {}) for n, use in enumerate(used)
    ]
    return proof


def _listed(ordinal: int, use: ChanceUse) -> dict[str, Any]:
    outcome = use.outcome
    return {"ordinal": ordinal, "kind": outcome.kind, "purpose": outcome.purpose, "items": list(use.items)}


def opening_of(title: Title, events: Sequence[Any], used: int) -> int:
    """How many of the outcomes that were used for the events of an opening no `chance` line tells."""
    return used - sum(title.chance_of(event) is not None for event in events)


def read_proof(record: Record) -> Proof:
    """The proof of a record. `ProofFailed` when it has none, or one that this reader does not understand."""
    raw = record.other.get("proof")
    if raw is None:
        raise ProofFailed(Text("The record has no proof."))
    _need(isinstance(raw, Mapping), "proof")
    if raw.get("algorithm") != SeededChance.algorithm:
        raise ProofFailed(
            Text(
                "The algorithm is “{given}”; this reader knows {wanted}.",
                given=short(raw.get("algorithm")),
                wanted=SeededChance.algorithm,
            )
        )
    committed, salts, seed = raw.get("commitment"), raw.get("salts", {}), raw.get("seed")
    sides, outcomes = raw.get("sides"), raw.get("outcomes")
    _need(_is_hex(committed), "commitment")
    _need(isinstance(salts, Mapping) and all(_is_salt(record, *item) for item in salts.items()), "salts")
    _need(seed is None or _is_hex(seed), "seed")
    _need(sides is None or (isinstance(sides, list) and all(isinstance(seat, str) for seat in sides)), "sides")
    _need(
        outcomes is None or (isinstance(outcomes, list) and all(isinstance(o, Mapping) for o in outcomes)), "outcomes"
    )
    known = None if sides is None else tuple(sides)
    return Proof(committed.lower(), dict(salts), None if seed is None else bytes.fromhex(seed), known, outcomes)


def _need(condition: bool, key: str) -> None:
    if not condition:
        raise ProofFailed(Text("“{key}” of the proof is not of the right form.", key=key))


def _is_hex(value: Any) -> bool:
    """Whether it is 32 bytes in hexadecimal."""
    return isinstance(value, str) and len(value) == 64 and all(sign in "0123456789abcdefABCDEF" for sign in value)


def _is_salt(record: Record, seat: str, salt: Any) -> bool:
    return seat in record.seats and isinstance(salt, str) and len(salt) <= LONGEST_SALT and _is_encodable(salt)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def derive(seed: bytes, salts: Mapping[str, str], uses: Iterable[ChanceUse]) -> list[Derived]:
    """What seed and salts give for each outcome of a game, from ordinal 0 on."""
    return [Derived(n, use, _derived(seed, salts, n, use)) for n, use in enumerate(uses)]


def _derived(seed: bytes, salts: Mapping[str, str], ordinal: int, use: ChanceUse) -> tuple[str, ...]:
    chance = SeededChance(seed, ordinal, salts)
    kind, purpose = use.outcome.kind, use.outcome.purpose
    if kind == "shuffle":
        return chance.shuffle(purpose, use.items)
    return (chance.draw(purpose, use.items),) if use.items else ()  # drawn from what is not known


def prove(record: Record) -> list[ChanceUse]:
    """Check that the commitment is that of the seed and that every outcome follows; all outcomes from ordinal 0 on.

    The game is played by the rules, which say what was to be shuffled or drawn from. `ProofFailed`, and
    `RecordRefused` for a record that the rules do not bear out.
    """
    proof = read_proof(record)
    if proof.seed is None:
        raise ProofFailed(Text("The record has no seed; it is revealed when the game is over."))
    if commitment(proof.seed) == proof.commitment:
        return _Proving(record, proof, proof.seed).run()
    why = Text("The commitment is not the SHA-256 of the seed.")
    try:
        _Proving(record, proof, proof.seed).run()
    except ProofFailed as also:
        why = Text("The commitment is not the SHA-256 of the seed. {also}", also=also.why)
        raise ProofFailed(why, also.ordinal) from None
    raise ProofFailed(why)


@dataclass(slots=True)
class _Proving:
    """Plays a record, comparing each outcome with the derived one before the game goes on with it."""

    record: Record
    proof: Proof
    seed: bytes
    uses: list[ChanceUse] = field(default_factory=list, init=False)

    def run(self) -> list[ChanceUse]:
        self._sides()
        self._setup()
        for _ in replay(self.record, script=lambda outcomes: _ComparedScript(outcomes, self._compare)):
            pass
        listed = self.proof.outcomes
        if listed is not None and len(listed) != len(self.uses):
            raise ProofFailed(
                Text("The proof lists {listed} outcomes; the game has {n}.", listed=len(listed), n=len(self.uses))
            )
        return self.uses

    def _sides(self) -> None:
        """Where the players were seated by chance, that is the first outcome."""
        if self.proof.sides is None:
            return
        self._compare(ChanceUse(ChanceOutcome("shuffle", SIDES, self.proof.sides), tuple(sorted(self.record.seats))))

    def _setup(self) -> None:
        """What chance decided before the first turn: the opening that seed and salts give must be the record's."""
        title, record = self.record.title, self.record
        watched = WatchedChance(SeededChance(self.seed, len(self.uses), self.proof.salts))
        opened, *rest = title.open(record.options, record.seats, watched)
        computed = title.heading_of_record(opened, secrets=True)["setup"]
        try:
            given = title.opened_from_record(record.options, record.seats, record.setup)
        except Refusal as refusal:
            raise ProofFailed(refusal.why) from None
        recorded = title.heading_of_record(given, secrets=True)["setup"]
        if computed != recorded:
            path, ours, theirs = first_difference(recorded, computed, "setup")
            purposes = [use.outcome.purpose for use in watched.uses]
            of = path.split(".")[1]
            first = len(self.uses) + (purposes.index(of) if of in purposes else 0)
            raise ProofFailed(
                Text(
                    "Outcome {n} differs, before the first turn: {path} is {recorded} in the record; seed and salts"
                    " give {computed}.",
                    n=first,
                    path=path,
                    recorded=short(ours),
                    computed=short(theirs),
                ),
                first,
            )
        for use in watched.uses[: len(watched.uses) - self._used_after_setup(opened, rest, watched.uses)]:
            self._compare(use)

    def _used_after_setup(self, opened: Any, rest: Sequence[Any], uses: Sequence[ChanceUse]) -> int:
        """How many of the opening's outcomes belong to what follows from the setup; the record tells those in lines."""
        for n in range(len(uses) + 1):
            script = ScriptedChance(use.outcome for use in uses[len(uses) - n :])
            try:
                events = self.record.title.begin(opened, script)
            except Exception:  # too few or not these: the title asks for something else
                continue
            if not script.left and list(events[1:]) == list(rest):
                return n
        raise AssertionError(f"{self.record.title.id} begins in another way than it opens")

    def _compare(self, use: ChanceUse) -> None:
        """One outcome of the game against seed and salts, and against what the proof says of it."""
        n, outcome = len(self.uses), use.outcome
        self.uses.append(use)
        if self.proof.outcomes is not None:
            listed = self.proof.outcomes[n] if n < len(self.proof.outcomes) else {}
            right = _listed(n, use) | ({"value": list(outcome.value)} if "value" in listed else {})
            if any(listed.get(key) != value for key, value in right.items()):
                raise ProofFailed(
                    Text(
                        "Outcome {n} ({kind} {purpose}) is not told rightly in the proof.",
                        n=n,
                        kind=outcome.kind,
                        purpose=outcome.purpose,
                    ),
                    n,
                )
        value = _derived(self.seed, self.proof.salts, n, use)
        if value == outcome.value:
            return
        place = next((i for i, (a, b) in enumerate(zip(outcome.value, value, strict=False)) if a != b), 0)
        raise ProofFailed(
            Text(
                "Outcome {n} ({kind} {purpose}) differs at place {place}: the record has {recorded}; seed and salts"
                " give {computed}.",
                n=n,
                kind=outcome.kind,
                purpose=outcome.purpose,
                place=place + 1,
                recorded=short(", ".join(outcome.value[place : place + 1])),
                computed=value[place],
            ),
            n,
        )


class _ComparedScript(ScriptedChance):
    """A record's outcomes, each compared when the rules have asked for it."""

    def __init__(self, outcomes: Iterable[ChanceOutcome], compare: Any) -> None:
        super().__init__(outcomes)
        self._compare = compare

    def _take(self, kind: str, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        value = super()._take(kind, purpose, items)
        self._compare(ChanceUse(ChanceOutcome(kind, purpose, value), tuple(sorted(items))))
        return value
