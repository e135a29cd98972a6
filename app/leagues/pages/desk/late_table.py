"""The table of the games that hold rounds up, where an event is run and in the week of a club: grouped by what can be
done, filtered and ordered by links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.base.words.speech import Voice
from app.leagues.desk.trouble import Problem, State
from app.leagues.pages.desk import desk_words
from app.leagues.pages.desk.desk_words import ACT_NAMES
from app.web.forms import Form, Typed
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
SORTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "silent": lambda row: -(row["days"] or 0),
    "name": lambda row: row["players"].casefold(),
    "round": lambda row: (row["now"].event.name, row["division"], row["now"].round.number),
    "end": lambda row: (row["ends_at"] is None, row["ends_at"]),
}


class LateForm(Form):
    """The state that is shown (of which there is none: all) and the order in each group."""

    show: Typed = ""
    sort: Typed = "silent"


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
        "ends_at": ends_at,
        "earliest": voice.gettext("now") if is_over else "" if ends_at is None else voice.day(ends_at),
    }


def late_table(
    rows: Sequence[dict[str, Any]], form: LateForm, address: Callable[..., str], voice: Voice, *, reserves: bool
) -> Mapping[str, Any]:
    """Return the table for its template. `address` makes that of its page from `show` and `sort`; `reserves` says
    whether one could be called."""
    order = SORTS.get(form.sort, SORTS["silent"])
    counts = Counter(row["state"] for row in rows)
    shown = form.show if counts[form.show] else ""
    kept = sorted((row for row in rows if shown in ("", row["state"])), key=order)
    groups = [
        (key, *words, there) for key, words in GROUPS.items() if (there := [row for row in kept if row["state"] == key])
    ]
    views = [
        ("", N_("All games"), len(rows)),
        *((key, words[0], counts[key]) for key, words in GROUPS.items() if counts[key]),
    ]
    return {
        "groups": groups,
        "views": [(address(show=key, sort=form.sort), name, n, key == shown) for key, name, n in views],
        "sorts": {key: address(show=shown, sort=key) for key in SORTS},
        "sort": form.sort,
        "show": shown,
        "silent": counts[State.OUT] + counts[State.SILENT],
        "acts": [(act, voice.gettext(ACT_NAMES[act])) for act in ACTS if act != "reserve" or reserves],
    }
