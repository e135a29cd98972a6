"""Proof that chance was fair: the seed was fixed before the first outcome, and every outcome follows from it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from engine.kernel.chance import FIRST, ChanceOutcome, ChanceUse, ScriptedChance, SeededChance, WatchedChance
from engine.kernel.records.ending import ending
from engine.kernel.records.form import Record, RecordRefused, short
from engine.kernel.records.proof_form import SIDES, Proof, ProofFailed, listed_as, read_played, read_proof
from engine.kernel.records.replay import first_difference, replay
from engine.kernel.refusals import Refusal
from engine.kernel.text import Text
from engine.kernel.title import Title

_NO_SEED = Text("The record has no seed; it is revealed when the game is over.")


@dataclass(frozen=True, slots=True)
class Derived:
    """An outcome as it occurred in the game, with its ordinal and the outcome that seed and salts give."""

    ordinal: int
    use: ChanceUse
    value: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return self.value == self.use.outcome.value


def opening_of(title: Title, events: Sequence[Any], used: int) -> int:
    """Return how many of the outcomes used for the events of an opening are not told by a `chance` line."""
    return used - sum(title.chance_of(event) is not None for event in events)


def derive(seed: bytes, salts: Mapping[str, str], uses: Iterable[ChanceUse], algorithm: str = FIRST) -> list[Derived]:
    """Return what seed and salts give for each outcome of a game, from ordinal 0 on."""
    return [
        Derived(n, use, _derived(SeededChance(seed, n, salts, algorithm=algorithm), use)) for n, use in enumerate(uses)
    ]


def _derived(chance: SeededChance, use: ChanceUse) -> tuple[str, ...]:
    kind, purpose = use.outcome.kind, use.outcome.purpose
    if kind == "shuffle":
        return chance.shuffle(purpose, use.items)
    return (chance.draw(purpose, use.items),) if use.items else ()  # drawn from unknown items


def end_of(record: Record) -> str:
    """Return the number of everything that was played, as mailed with the end. Raises `ProofFailed` while there is no
    seed."""
    proof, played = read_proof(record), read_played(record)
    if proof.seed is None:
        raise ProofFailed(_NO_SEED)
    number, state = (None, None) if played is None else (played.number, played.state)
    return ending(record.title.id, number, state, proof.seed, record.seats, record.turns, record.result)


def check_played(record: Record) -> None:
    """Check what a record says about its game. Raises `RecordRefused`."""
    try:
        read_played(record)
    except ProofFailed as failed:
        raise RecordRefused(0, 0, failed.why) from None


def identity_of(record: Record) -> str:
    """Return what two records of one game have in common, in hexadecimal: the end, or without a proof what was
    played."""
    with suppress(ProofFailed):
        return end_of(record)
    said = [[turn["seat"], turn["steps"]] for turn in record.turns]
    played = [record.title.id, list(record.seats), record.setup, said, record.result]
    return sha256(json.dumps(played, sort_keys=True).encode()).hexdigest()


def prove(record: Record, mailed: Collection[str] = (), ends: Collection[str] = ()) -> list[ChanceUse]:
    """Check that the seed is the one committed to and that every outcome follows from it; return all outcomes from
    ordinal 0 on.

    `mailed` are the roots (or, for a game with salts, the commitment) that the reader received by mail, in hexadecimal:
    the record's must be one of them; `ends` are the ends mailed to the reader; `end_of` must be one of them. Without
    any, the record is only shown to agree with itself. The game is replayed, and the rules say what was to be shuffled
    or drawn from. Raises `ProofFailed`, and `RecordRefused` for a record that contradicts the rules.
    """
    proof, played = read_proof(record), read_played(record)
    if proof.seed is None or (played is not None and played.state == "running"):
        raise ProofFailed(_NO_SEED)
    if proof.place is not None and played is None:
        raise ProofFailed(Text("The record does not say which game it is of, nor how that game ended."))
    if mailed and proof.commitment not in {one.lower() for one in mailed}:
        raise ProofFailed(
            Text("The record goes back to {given}, which is not what you were mailed.", given=proof.commitment)
        )
    proof.need_committed(proof.seed)
    uses = _Proving(record, proof, proof.seed).run()
    if ends and (end := end_of(record)) not in {one.lower() for one in ends}:
        raise ProofFailed(
            Text(
                "The end of this record is {end}, which is not what you were mailed: it was cut or changed, or it is"
                " of another game.",
                end=end,
            )
        )
    return uses


@dataclass(slots=True)
class _Proving:
    """Plays a record, comparing each outcome with the derived one before the game continues with it."""

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

    def _seeded(self) -> SeededChance:
        """Return chance from the seed, positioned at the next outcome."""
        return SeededChance(self.seed, len(self.uses), self.proof.salts, algorithm=self.proof.algorithm)

    def _sides(self) -> None:
        """Check the seating, the first outcome where chance seated the players."""
        if self.proof.sides is None:
            return
        self._compare(ChanceUse(ChanceOutcome("shuffle", SIDES, self.proof.sides), tuple(sorted(self.record.seats))))

    def _setup(self) -> None:
        """Check what chance decided before the first turn: the opening that seed and salts give must be the
        record's."""
        title, record = self.record.title, self.record
        watched = WatchedChance(self._seeded())
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
        """Return how many of the opening's outcomes belong to what follows the setup; the record tells those in
        lines."""
        for n in range(len(uses) + 1):
            script = ScriptedChance(use.outcome for use in uses[len(uses) - n :])
            try:
                events = self.record.title.begin(opened, script)
            except Exception:  # too few or different ones: the title asks for something else
                continue
            if not script.left and list(events[1:]) == list(rest):
                return n
        raise AssertionError(f"{self.record.title.id} begins differently than it opens")

    def _compare(self, use: ChanceUse) -> None:
        """Compare one outcome of the game with seed and salts, and with what the proof says of it."""
        n, outcome, seeded = len(self.uses), use.outcome, self._seeded()
        self.uses.append(use)
        if self.proof.outcomes is not None:
            listed = self.proof.outcomes[n] if n < len(self.proof.outcomes) else {}
            right = listed_as(n, use) | ({"value": list(outcome.value)} if "value" in listed else {})
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
        value = _derived(seeded, use)
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
    """A record's outcomes, each compared when the rules ask for it."""

    def __init__(self, outcomes: Iterable[ChanceOutcome], compare: Any) -> None:
        super().__init__(outcomes)
        self._compare = compare

    def _take(self, kind: str, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        value = super()._take(kind, purpose, items)
        self._compare(ChanceUse(ChanceOutcome(kind, purpose, value), tuple(sorted(items))))
        return value
