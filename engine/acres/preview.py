"""What an action would do, as far as its seat can know: without what it draws and what others answer.

It is computed on one of the states that the seat considers possible, the same for all of them, so that nothing hidden
can show in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.acres import actions as act
from engine.acres import effects, forced, knowledge, rules
from engine.acres import events as ev
from engine.acres.data import OTHER
from engine.acres.state import State


class _AnyOrder:
    """Chance whose outcomes are never looked at."""

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(items)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        raise AssertionError("nothing is drawn in this game")


def preview(state: State, action: act.Action) -> dict[str, Any]:
    """Return what the kernel's contract asks for, and in the view `unknown`: how many unknown cards the seat draws
    (`draws`), which seat's answer is awaited (`answers`, or None), to what (`asks`), and the points of both sides if a
    raid is allowed (`allowed`)."""
    due = rules.decision(state)
    assert due is not None, "the game is over"
    seat = due.seat
    after, draws = _played(_in_order(state, seat), seat, action)
    unknown: dict[str, Any] = {"draws": draws, "answers": None}
    awaited = rules.decision(after)
    if awaited is not None and awaited.kind != "action" and awaited.seat != seat:
        unknown |= {"answers": awaited.seat, "asks": awaited.kind}
    if unknown.get("asks") == "raid":
        unknown["allowed"] = knowledge.view(_played(after, seat, act.Allow())[0], seat)["score"]
    view = knowledge.view(after, seat)
    view["unknown"] = unknown
    return {"view": view}


def _played(state: State, seat: str, action: act.Action) -> tuple[State, int]:
    """Return the state after an action and the answers that follow automatically, as far as the seat knows, and how
    many unknown cards it draws."""
    after, draws = state, 0
    answer: act.Action | None = action
    while answer is not None:
        answering = rules.decision(after)
        assert answering is not None
        for event in rules.play(after, answering.seat, answer, _AnyOrder()).events:
            if isinstance(event, (ev.Drew, ev.Shuffled, ev.TurnEnded)) and event.seat != seat:
                break  # only that side can say that its turn is over
            if isinstance(event, ev.Drew) and not _is_known(after, event, seat):
                draws += len(event.cards)
            else:
                after = effects.apply(after, event)
        answer = _follows(after)
    return after, draws


def _in_order(state: State, seat: str) -> State:
    """Return the state with everything whose order the seat cannot see sorted by name."""
    own, other = state.players[seat], state.players[OTHER[seat]]
    unseen = tuple(sorted(other.hand + other.draw))
    hand, draw = unseen[: len(other.hand)], unseen[len(other.hand) :]
    players = {seat: own._replace(draw=tuple(sorted(own.draw))), OTHER[seat]: other._replace(hand=hand, draw=draw)}
    return state._replace(players={side: players[side] for side in state.players})


def _is_known(state: State, event: ev.Drew, seat: str) -> bool:
    """Return whether the seat knows what it draws: its whole deck, or a deck of one kind."""
    deck = state.players[seat].draw
    return len(event.cards) == len(deck) or len(set(deck)) == 1


def _follows(state: State) -> act.Action | None:
    """Return the answer that follows automatically, as everybody can see."""
    answer = forced.forced(state)
    due = rules.decision(state)
    if isinstance(answer, act.ShowHand) and due is not None and state.players[due.seat].hand:
        return None  # only that side knows that it has nothing else to show
    return answer
