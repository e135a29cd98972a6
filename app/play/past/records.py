"""Records of games: written from the log, and imported as finished games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, select

from app.base.stored.database import Database
from app.clocks.pace import write_pace
from app.games import seeds
from app.games.steps import PlayedSteps, Step, in_force, replayed
from app.games.store import GameNow, GameStore, NoSuchGame
from app.games.tables import Game, GameSource, GameStatus, LogCause
from app.games.work import Work
from app.people import names
from app.people.accounts import LONGEST_NAME
from app.play.fairness import ends
from app.play.fairness.proof import algorithm_of, committed, end_of, exported, proof_of, salts_of, uses_of
from app.time.paces import DEFAULT_PACE
from app.titles.registry import TITLES
from engine.kernel import records
from engine.kernel.records import Derived, Place, derive
from engine.kernel.text import Text

KEPT = {"proof", "played", "takebacks"}
"""What a record may hold besides what is played."""


class KnownRecord(Exception):
    """The game is here already."""

    def __init__(self, game_id: int) -> None:
        super().__init__(game_id)
        self.why = Text("This game is here already: it is game {n}.", n=game_id)


class UnfinishedRecord(Exception):
    """The record has no end; only finished games are imported."""

    why = Text("Only finished games can be read in, and this record has no result.")


def record_of(database: Database, game_id: int) -> dict[str, Any]:
    """Return the record of a game, with its proof. While the game is running it contains nothing secret. Raises
    NoSuchGame."""
    with database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        log = store.log(game.title, game_id)
        brought = session.exec(select(Game.brought).where(Game.id == game_id)).first()
        proof = proof_of(session, game, [step for _, _, step in log])
    steps = [step for _, _, step in log]
    return {**exported(game, steps), **_takebacks(steps), **(proof or brought or {})}


@dataclass(frozen=True, slots=True)
class GameProof:
    """What can be shown about a game's chance: everything after the end, the commitment and the salts before."""

    title: Any
    status: str
    drawn: bool
    commitment: str
    """Empty for a game that was played elsewhere and came without a proof."""
    salts: Mapping[str, str]
    seed: str | None
    outcomes: Sequence[Derived]
    failed: Text | None
    """What is wrong with the proof of an imported record."""
    place: Place | None = None
    """Where a numbered seed stands; then `commitment` is its root."""
    end: str = ""
    """The number of everything that was played, after the end."""


def proof_now(database: Database, game_id: int) -> GameProof:
    """Return the proof of a game. Raises NoSuchGame; before the start see `app.lobby.listing.proof_now`."""
    with database.read() as session:
        store = GameStore(session)
        game = store.load(game_id)
        steps = [step for _, _, step in store.log(game.title, game_id)] if game.is_over else []
        number = game.seed_number
        place = None if number is None else seeds.place_of(session, number, is_open=game.is_over)
    if game.seed is None:
        return _brought_proof(database, game)
    seed = game.seed if game.is_over else None
    salts = salts_of(game)
    outcomes = derive(bytes.fromhex(game.seed), salts, uses_of(game, steps), algorithm_of(game))
    drawn = bool(outcomes) and outcomes[0].use.outcome.purpose == records.SIDES
    before = committed(game.seed) if place is None else place.root
    return GameProof(game.title, game.status, drawn, before, salts, seed, outcomes, None, place, end_of(game, steps))


def proof_of_called_off(session: Session, game_id: int) -> GameProof:
    """Return the seed of a table that was called off before its game began: it is revealed like any other. Raises
    NoSuchGame."""
    asked = select(Game.title, Game.drawn, Game.seed, Game.seed_number)
    row = session.exec(asked.where(Game.id == game_id, Game.status == GameStatus.CANCELLED)).first()
    if row is None or row[0] not in TITLES or row[2] is None:
        raise NoSuchGame(game_id)
    title, drawn, seed, number = row
    place = None if number is None else seeds.place_of(session, number, is_open=True)
    before = committed(seed) if place is None else place.root
    return GameProof(TITLES[title], GameStatus.CANCELLED, drawn, before, {}, seed, (), None, place)


def _brought_proof(database: Database, game: GameNow) -> GameProof:
    """Return the proof in an imported record, checked by playing the record."""
    record = records.from_data(record_of(database, game.id), TITLES)
    try:
        proof = records.read_proof(record)
    except records.ProofFailed as failed:
        why = failed.why if "proof" in record.other else None
        return GameProof(game.title, game.status, False, "", {}, None, (), why)
    seed, outcomes, why, end = proof.seed, [], None, ""
    try:
        uses = records.prove(record)
        assert seed is not None
        end = records.end_of(record)
        outcomes = derive(seed, proof.salts, uses, proof.algorithm)
    except (records.ProofFailed, records.RecordRefused) as failed:
        why = failed.why
    drawn, shown = proof.sides is not None, seed.hex() if seed else None
    return GameProof(
        game.title, game.status, drawn, proof.commitment, proof.salts, shown, outcomes, why, proof.place, end
    )


def _takebacks(steps: Sequence[Step]) -> dict[str, Any]:
    """Return a record's `takebacks`, if any: the turn and the seat of each, and the lines that were taken back.

    `steps` are all steps of the game. What was taken back before is not taken back again.
    """
    found = []
    for number, step in enumerate(steps, 1):
        if step.back_to is not None:
            gone = [one.line for at, one in in_force(steps[: number - 1]) if at > step.back_to and one.line is not None]
            found.append({"turn": step.turn, "seat": step.seat, "lines": gone})
    return {"takebacks": found} if found else {}


def import_record(database: Database, data: bytes | str, *, now: datetime) -> int:
    """Store a record as a finished game without players; return its number.

    Raises `NotARecord`, `RecordRefused` if it contradicts the rules, UnfinishedRecord without a result, and
    KnownRecord.
    """
    record = records.as_begun(records.load(data, TITLES))
    records.check_played(record)
    if record.result is None:
        raise UnfinishedRecord
    title = record.title
    steps: list[Step] = []
    state: Any = None
    for played in records.replay(record):
        entry = played.entry
        due = title.decision(state) if state is not None else None
        line = title.write(state, entry.action) if entry.action is not None else None
        by = entry.seat if entry.action is not None else None
        number = len(steps)
        kind = due.kind if due and by else None
        steps.append(
            Step(number, due.turn if due else 0, by, kind, LogCause.RECORD, line, entry.action, (), entry.events)
        )
        state = played.state
    assert state == replayed(title, steps)
    identity = records.identity_of(record)
    while ends.look(database, now):  # the end of a game that is just over is kept a moment later
        continue
    with Work(database) as work:
        known = work.session.exec(select(Game.id).where(Game.end_hash == identity)).first()
        if known is not None:
            raise KnownRecord(known)
        game = Game(
            title=title.id,
            options=title.keep_options(record.options),
            source=GameSource.IMPORTED,
            pace=write_pace(DEFAULT_PACE),
            brought=dict(record.other) or None,
            end_hash=identity,
            created_at=now,
        )
        game_id = work.store.make(game, [(seat, None) for seat in record.seats])
        for seat, player in records.players_of(record).items():
            if (name := names.seen(player)[:LONGEST_NAME]) and names.is_legible(name) and not names.is_ours(name):
                work.store.write_seat(game_id, seat, named=name)
        work.store.begin(game_id, title, PlayedSteps(steps, state, 0), seed=None, now=now)
        return game_id
