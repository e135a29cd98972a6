"""Whether a seat learned something from what was played, so that taking it back could not undo it.

A seat's knowledge is the set of states that it cannot tell from the true one (`Title.worlds`). It has learned something
when one of them is ruled out: there the same actions would be refused, show the seat other events or another view, or
leave no decision although one is owed now (`learned`). A used outcome of chance cannot be taken back whatever it
showed: the next one differs.

Whether a seat has learned can depend on what is hidden, and then telling it so would reveal something. So takebacks are
offered by `may_have_learned`, which uses only what everybody knows: it finds everything that `learned` finds in any
state that anybody considers possible, and sometimes more.
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
    """A seat has taken back what it had just played: the state is an earlier one again. Titles do not know this
    event."""

    seat: str

    @property
    def sentence(self) -> Text:
        """The sentence for the log."""
        return Text("{seat}: the last move is taken back; everybody has agreed.", seat=Name("seat", self.seat))


class Deed(NamedTuple):
    """An action of a seat and its result; `chance` holds the outcomes that it used."""

    seat: str
    action: Any
    events: Sequence[Any]
    chance: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class Learned:
    """The reason against a takeback: this seat knows more than before, or (None) chance has been used."""

    seat: str | None


def learned(title: Title, before: Any, deeds: Sequence[Deed], after: Any, seats: Sequence[str]) -> Learned | None:
    """Return what was learned from these deeds, which led from the state `before` to `after`; None if taking them back
    restores what all `seats` know."""
    if any(deed.chance for deed in deeds):
        return Learned(None)
    asked = _asked(title, after)
    for seat in seats:
        seen = [_seen(title, deed.events, seat) for deed in deeds]
        view = title.view(after, seat)
        if any(_is_ruled_out(title, world, deeds, seat, seen, view, asked) for world in title.worlds(before, seat)):
            return Learned(seat)
    return None


def may_have_learned(title: Title, before: Any, deeds: Sequence[Deed], actor: str) -> Learned | None:
    """Return the reason against taking back these deeds, judged by public knowledge: None only if nobody has learned
    anything in any state that a seat considers possible. Of several seats, one other than the actor is named."""
    if any(deed.chance for deed in deeds):
        return Learned(None)
    state = before
    for deed in deeds:
        after = state
        for event in deed.events:
            after = title.apply(after, event)
        told = title.may_tell(state, deed.action, deed.events, after)
        if told:
            return Learned(min(told, key=lambda seat: seat == actor))
        state = after
    return None


def _seen(title: Title, events: Sequence[Any], seat: str) -> list[Any]:
    return [title.seen_by(event, seat) for event in events]


def _asked(title: Title, state: Any) -> bool:
    """Return whether a seat is really asked now: everybody sees when the server answers for it."""
    return title.decision(state) is not None and title.forced(state) is None


def _is_ruled_out(
    title: Title, world: Any, deeds: Sequence[Deed], seat: str, seen: Sequence[Any], view: dict[str, Any], asked: bool
) -> bool:
    """Return whether these deeds tell the seat that this is not the world they were done in."""
    state = world
    for deed, wanted in zip(deeds, seen, strict=True):
        try:
            unfolded = title.unfold(state, deed.seat, deed.action, ScriptedChance())
        except (Refusal, ChanceExhausted):
            return True
        if _seen(title, [event for event, _ in unfolded], seat) != wanted:
            return True
        state = unfolded[-1][1]
    return title.view(state, seat) != view or _asked(title, state) != asked
