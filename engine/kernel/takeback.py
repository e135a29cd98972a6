"""Whether somebody has learned something by what was played, so that taking it back could not undo it.

A seat's knowledge is the set of states that it cannot tell from the true one (`Title.worlds`). It has learned
something when one of them is ruled out: there the same actions would be refused, show the seat other events or another
view, or leave no decision where one is owed now (`learned`). An outcome of chance that was used cannot be taken back
whatever it showed: the next one is another.

Whether somebody has learned can depend on what is hidden, and then a seat that is told so learns by that. So what is
offered goes by `may_have_learned`, which is told by what everybody knows: it finds all that `learned` finds in any
state that anybody takes for possible, and sometimes more.
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
    asked = _asked(title, after)
    for seat in seats:
        seen = [_seen(title, deed.events, seat) for deed in deeds]
        view = title.view(after, seat)
        if any(_is_ruled_out(title, world, deeds, seat, seen, view, asked) for world in title.worlds(before, seat)):
            return Learned(seat)
    return None


def may_have_learned(title: Title, before: Any, deeds: Sequence[Deed], actor: str) -> Learned | None:
    """What stands against a takeback of these deeds, as far as everybody can say: None only where nobody has learned
    anything in any state that somebody takes for possible. Of several seats another than the actor is named."""
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
    """Whether a seat is really asked now: everybody sees whether the server answers for it."""
    return title.decision(state) is not None and title.forced(state) is None


def _is_ruled_out(
    title: Title, world: Any, deeds: Sequence[Deed], seat: str, seen: Sequence[Any], view: dict[str, Any], asked: bool
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
    return title.view(state, seat) != view or _asked(title, state) != asked
