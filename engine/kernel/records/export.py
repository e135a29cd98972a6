"""Writing a record from the log of a game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.kernel.records.form import FORMAT, OUTSIDE_ENDS, VERSION, Entry
from engine.kernel.title import Title


def export(title: Title, entries: Iterable[Entry], *, secrets: bool = True, rules: int | None = None) -> dict[str, Any]:
    """Return the record of a game from its log.

    The first entry is the opening. Without `secrets` (a game that is still running) the setup, the outcomes of chance
    and the states are left out: only public actions remain. `rules` is the number of the rules with which it began, if
    they are not the title's; 1 is not written.
    """
    log = iter(entries)
    state: Any = None
    record: dict[str, Any] = {"format": FORMAT, "version": VERSION, "game": title.id}
    if (number := rules or title.rules) != 1:
        record["rules"] = number
    turns: list[dict[str, Any]] = []
    steps: list[dict[str, str]] = []
    seat = ""
    pending = begun = False
    """There are steps, or a turn has begun, that no `ends_turn` event has closed."""
    first = True
    for entry in log:
        if entry.seat is not None:
            due = title.decision(state)
            assert due is not None
            seat = due.on_turn
            if entry.action != title.end_of_steps(state):
                said = {"do": title.write_record(state, entry.action)}
                steps.append(said if entry.seat == seat else {"by": entry.seat, **said})
                pending = True
        for event in entry.events:
            state = title.apply(state, event)
            if first:
                record |= title.heading_of_record(event, secrets=secrets)
                first = False
            if (line := title.chance_of(event)) is not None and secrets:
                steps.append({"chance": line})
                pending = True
            begun = event.begins_turn or (begun and not event.ends_turn)
            if event.ends_turn:
                turn: dict[str, Any] = {"seat": seat, "steps": steps}
                if secrets:
                    turn["after"] = title.after(state)
                turns.append(turn)
                steps, pending = [], False
            due = title.decision(state)
            if due is not None:
                seat = due.on_turn
    outcome = title.outcome(state)
    by_rules = outcome is not None and outcome.reason not in OUTSIDE_ENDS
    if pending or (begun and by_rules):
        turn = {"seat": seat, "steps": steps}
        if secrets and by_rules:
            turn["after"] = title.after(state)
        turns.append(turn)
    record["turns"] = turns
    if outcome is not None:
        record["result"] = title.result_to_record(outcome)
    return record
