"""The proof that a game's chance was fair: what was committed to, and what the seed gives for every outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlmodel import Session

from app.base.stored.columns import moment
from app.games import competitions, seeds
from app.games.steps import Step, in_force
from app.games.store import GameNow
from app.games.tables import LogCause
from app.people import accounts
from engine.kernel.chance import (
    FIRST,
    NUMBERED,
    ChanceExhausted,
    ChanceMismatch,
    ChanceUse,
    ScriptedChance,
    WatchedChance,
    commitment,
)
from engine.kernel.records import SIDES, Entry, Place, ending, export, opening_of, write_proof
from engine.kernel.refusals import Refusal


def committed(seed: str | None) -> str:
    """Return what is shown of a seed before the end: its SHA-256; empty if there is none."""
    return "" if seed is None else commitment(bytes.fromhex(seed))


def algorithm_of(game: GameNow) -> str:
    """Return how the outcomes of a game follow from its seed."""
    return FIRST if game.seed_number is None else NUMBERED


def salts_of(game: GameNow) -> dict[str, str]:
    """Return the salts that were given, by seat."""
    return {seated.seat: seated.salt for seated in game.seats if seated.salt}


def exported(game: GameNow, steps: Iterable[Step]) -> dict[str, Any]:
    """Return the record of a game from its whole log, without what is said about it."""
    entries = [
        Entry(step.seat if step.action is not None else None, step.action, step.events)
        for _, step in in_force(list(steps))
    ]
    return export(game.title, entries, secrets=game.is_over, rules=game.rules)


def end_of(game: GameNow, steps: Iterable[Step]) -> str:
    """Return the number of everything played in a finished game, to be mailed with its end and shown with its proof;
    empty for a game that is running, was called off before its start or was played elsewhere."""
    if game.seed is None or not game.is_over or game.started_at is None:
        return ""
    record, seats = exported(game, steps), [seated.seat for seated in game.seats]
    seed = bytes.fromhex(game.seed)
    return ending(game.title.id, game.id, str(game.status), seed, seats, record["turns"], record.get("result"))


def proof_of(session: Session, game: GameNow, steps: Sequence[Step]) -> dict[str, Any]:
    """Return a record's `proof` and `played`, with the seed and all outcomes when the game is over; empty for a game
    played elsewhere."""
    if game.seed is None:
        return {}
    before: str | Place = committed(game.seed)
    if game.seed_number is not None:
        before = seeds.place_of(session, game.seed_number, is_open=game.is_over)
    played = {
        "number": game.id,
        "state": str(game.status),
        "started": moment(game.started_at),
        "ended": moment(game.ended_at),
        "event": session.execute(competitions.runner().events_of_game(game.id)).scalar(),
        "players": _players(session, game),
    }
    if not game.is_over:
        return {"played": played, "proof": write_proof(before, salts_of(game))}
    opening = opening_of(game.title, steps[0].events, len(steps[0].chance))
    uses = uses_of(game, steps)
    return {
        "played": played,
        "proof": write_proof(before, salts_of(game), seed=game.seed, uses=uses, opening=opening),
    }


def _players(session: Session, game: GameNow) -> dict[str, dict[str, Any] | None]:
    """Return who sits where, as far as everybody may see who they are."""
    shown = accounts.with_profile(session, [seated.player_id for seated in game.seats])
    return {
        one.seat: {"player": one.player_id, "name": shown[one.player_id]} if one.player_id in shown else None
        for one in game.seats
    }


def uses_of(game: GameNow, steps: Iterable[Step]) -> list[ChanceUse]:
    """Return every outcome of chance in the log, with what it was drawn from."""
    title, uses = game.title, []
    state: Any = None
    states = [state]
    left: dict[str, tuple[str, ...]] = {}
    for step in steps:
        handed = _handed(game, state, step) if any(outcome.kind == "draw" for outcome in step.chance) else None
        for n, outcome in enumerate(step.chance):
            if outcome.kind == "shuffle":
                items = tuple(sorted(outcome.value))
            elif handed is not None:
                items = handed[n].items
            else:  # today's rules play this step differently: use what the previous draw left
                items = left.get(outcome.purpose, ())
            if outcome.kind == "draw":
                left[outcome.purpose] = _without(items, outcome.value[0])
            uses.append(ChanceUse(outcome, items))
        if step.back_to is not None:
            state = states[step.back_to]
        for event in step.events:
            state = title.apply(state, event)
        states.append(state)
    return uses


def _handed(game: GameNow, state: object, step: Step) -> list[ChanceUse] | None:
    """Return the uses of chance in one step, replayed with its own outcomes; None if it is played differently today."""
    seating = [outcome for outcome in step.chance if outcome.purpose == SIDES]
    played = [outcome for outcome in step.chance if outcome.purpose != SIDES]
    watched = WatchedChance(ScriptedChance(played))
    try:
        if step.cause == LogCause.OPEN:
            game.title.open(game.title.kept_options(game.options), [s.seat for s in game.seats], watched)
        else:
            game.title.play(state, step.seat or "", step.action, watched)
    except (Refusal, ChanceMismatch, ChanceExhausted):
        return None
    if [use.outcome for use in watched.uses] != played:
        return None
    return [ChanceUse(outcome, tuple(sorted(outcome.value))) for outcome in seating] + watched.uses


def _without(items: tuple[str, ...], item: str) -> tuple[str, ...]:
    at = items.index(item) if item in items else len(items)
    return items[:at] + items[at + 1 :]
