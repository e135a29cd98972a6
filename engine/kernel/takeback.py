"""Whether somebody has learned something by what was played, so that taking it back could not undo it.

A seat's knowledge is the set of states that it cannot tell from the true one (`Title.worlds`). It has learned
something when one of them is ruled out: there the same actions would be refused, or show the seat other events or
another view. An outcome of chance that was used cannot be taken back whatever it showed: the next one is another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.kernel.chance import ChanceExhausted, ScriptedChance
from engine.kernel.refusals import Refusal
from engine.kernel.text import Name, Text
from engine.kernel.title import Event, Title


@dataclass(frozen=True, slots=True)
class TakenBack(Event):
    """A seat has taken back what it had just played: the state is an earlier one again. No title knows this event."""

    seat: str

    @property
    def sentence(self) -> Text:
        """What the log says of it."""
        return Text("{seat}: the last move is taken back; everybody has agreed.", seat=Name("seat", self.seat))


class Deed(NamedTuple):
    """One action of a seat with what came of it; `chance` are the outcomes that it used."""

    seat: str
    action: Any
    events: Sequence[Any]
    chance: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Learned:
    """What stands against a takeback: this seat knows more than before, or (None) chance has been used."""

    seat: str | None


def learned(title: Title, before: Any, deeds: Sequence[Deed], after: Any, seats: Sequence[str]) -> Learned | None:
    """What was learned by these deeds, which led from the state `before` to `after`; None when taking them back
    restores what all `seats` know."""
    if any(deed.chance for deed in deeds):
        return Learned(None)
    for seat in seats:
        seen = [_seen(title, deed.events, seat) for deed in deeds]
        view = title.view(after, seat)
        if any(_is_ruled_out(title, world, deeds, seat, seen, view) for world in title.worlds(before, seat)):
            return Learned(seat)
    return None


def learned_as_known(
    title: Title, before: Any, deeds: Sequence[Deed], actor: str, seats: Sequence[str]
) -> Learned | None:
    """`learned` as far as the seat that acted can tell, which is all that it may be told: whether another seat has
    learned something can depend on what that one holds, and then the answer itself would show it."""
    if any(deed.chance for deed in deeds):
        return Learned(None)
    state = start = title.representative(before, actor)
    done = []
    for deed in deeds:
        try:
            unfolded = title.unfold(state, deed.seat, deed.action, ScriptedChance())
        except (Refusal, ChanceExhausted):
            return Learned(actor)
        events = [event for event, _ in unfolded]
        if _seen(title, events, actor) != _seen(title, deed.events, actor):
            return Learned(actor)
        done.append(deed._replace(events=events))
        state = unfolded[-1][1]
    # The others first: what the actor has learned has mostly come out above, while they learn of what it played.
    return learned(title, start, done, state, sorted(seats, key=lambda seat: seat == actor))


def _seen(title: Title, events: Sequence[Any], seat: str) -> list[Any]:
    return [title.seen_by(event, seat) for event in events]


def _is_ruled_out(
    title: Title, world: Any, deeds: Sequence[Deed], seat: str, seen: Sequence[Any], view: dict[str, Any]
) -> bool:
    """Whether the seat knows by these deeds that this is not the world they were done in."""
    state = world
    for deed, wanted in zip(deeds, seen, strict=True):
        try:
            unfolded = title.unfold(state, deed.seat, deed.action, ScriptedChance())
        except (Refusal, ChanceExhausted):
            return True
        if _seen(title, [event for event, _ in unfolded], seat) != wanted:
            return True
        state = unfolded[-1][1]
    return title.view(state, seat) != view
