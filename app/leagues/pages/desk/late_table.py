"""The table of the games that hold rounds up, where an event is run and in the week of a club: grouped by what can be
done, in each group those first who have been silent longest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.base.words.speech import Voice
from app.leagues.desk.trouble import Problem, State
from app.leagues.pages.desk import desk_words
from app.leagues.pages.desk.desk_words import ACT_NAMES
from engine.kernel.text import N_

ACTS = ("nudge", "extend", "reserve", "ruling")
"""What can be done for several games at once."""
GROUPS = {
    State.OUT: (N_("Out of time"), N_("these can be ended now")),
    State.SILENT: (N_("Silent"), N_("their days without a sign grow")),
    State.SLOW: (N_("Slow"), N_("they play, but something is asked of them")),
    State.CALM: (N_("Waiting"), N_("for nothing but their players")),
}
"""The groups of games, the most urgent first."""


def row_shown(one: Problem, seen: int, voice: Voice, *, sets: bool = False) -> dict[str, Any]:
    """Return a game for the table. `seen`: its last act, as `desk_acts.last_act`; `sets`: whether the reader can set
    its result."""
    ends_at = one.silence.end.due if one.silence else one.deadline
    is_over = one.state == State.OUT or (ends_at is not None and ends_at <= one.now)
    return {
        "now": one,
        "state": one.state,
        "name": f"late.{one.match.id}",
        "value": f"{one.event.id}-{seen}",
        "players": desk_words.players_in_words(one, voice),
        "sides": [(voice.person(seat.name), bool(seat.name) and seat is one.mover) for seat in one.match.seats],
        "division": one.division.name if len(one.event.divisions) > 1 else "",
        "sentence": desk_words.sentence(one, voice),
        "silence": "" if one.silence is None else desk_words.silence_in_words(one.silence, voice, one.now),
        "facts": desk_words.facts(one, voice),
        "step": desk_words.next_step(one, voice),
        "acts": desk_words.other_acts(one, voice),
        "sets": sets,
        "days": max((one.now - one.silence.quiet_since).days, 0) if one.silence else None,
        "earliest": voice.gettext("now") if is_over else "" if ends_at is None else voice.day(ends_at),
    }


def late_table(rows: Sequence[dict[str, Any]], voice: Voice, *, reserves: bool) -> dict[str, Any]:
    """Return the table for its template; `reserves` says whether one could be called."""
    order = sorted(rows, key=lambda row: -(row["days"] or 0))
    groups = [(key, *words, [row for row in order if row["state"] == key]) for key, words in GROUPS.items()]
    return {
        "groups": [group for group in groups if group[-1]],
        "silent": sum(row["state"] in (State.OUT, State.SILENT) for row in rows),
        "acts": [(act, voice.gettext(ACT_NAMES[act])) for act in ACTS if act != "reserve" or reserves],
    }
