"""Which rule judges, lists and carries out which action, and whose decision it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.acres import actions as act
from engine.acres import ambushes, building, management, money, raids, settling, siege_ends, sieges
from engine.acres import events as ev
from engine.acres.data import OTHER, PLACES, SEATS
from engine.acres.effects import apply
from engine.acres.happening import Happenings, collect
from engine.acres.position import Position
from engine.acres.state import State
from engine.acres.turns import end_turn, go_on
from engine.kernel.chance import Chance
from engine.kernel.refusals import IllegalAction, NotToDecide, Refusal, Unreadable
from engine.kernel.text import Counted, Name, Text
from engine.kernel.title import Decision


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of action of the own turn: the rule for each question that is asked about it."""

    name: str
    action: type
    legal: Callable[[Position], list[Any]]
    judge: Callable[[Position, Any], None]
    perform: Callable[[Happenings, Position, Any], None]
    why_not: Callable[[Position], IllegalAction]
    rule: str
    """Where the rules document has it."""


def _no_judging(p: Position, action: Any) -> None:
    """Passing is always allowed."""


def _pass(h: Happenings, p: Position, action: act.Pass) -> None:
    h.add(ev.Passed(p.seat))


def _never(p: Position) -> IllegalAction:
    raise AssertionError("passing is always possible")


_PASS = act.Pass()
_reinforce_any = partial(sieges.legal_reinforce, free_only=False)
_reinforce_free = partial(sieges.legal_reinforce, free_only=True)

KINDS: tuple[Kind, ...] = (
    Kind("settle", act.Settle, settling.legal, settling.judge, settling.perform, settling.why_not, "R5"),
    Kind("develop", act.Develop, building.legal_develop, building.judge_develop, building.perform_develop,
         building.why_not_develop, "R6.1"),
    Kind("fortify", act.Fortify, building.legal_fortify, building.judge_fortify, building.perform_fortify,
         building.why_not_fortify, "R6.3"),
    Kind("besiege", act.Besiege, sieges.legal_besiege, sieges.judge_besiege, sieges.perform_besiege,
         sieges.why_not_besiege, "R7"),
    Kind("reinforce", act.Reinforce, _reinforce_any, sieges.judge_reinforce, sieges.perform_reinforce,
         sieges.why_not_reinforce, "R8"),
    Kind("raid", act.Raid, raids.legal, raids.judge, raids.perform, raids.why_not, "R10.1"),
    Kind("ambush", act.Ambush, ambushes.legal_ambush, ambushes.judge_ambush, ambushes.perform_ambush,
         ambushes.why_not_ambush, "R10.13"),
    Kind("convert", act.Convert, ambushes.legal_convert, ambushes.judge_convert, ambushes.perform_convert,
         ambushes.why_not_convert, "R10.16"),
    Kind("money", act.TakeMoney, money.legal_money, money.judge_money, money.perform_money,
         money.why_not_money, "R11.1"),
    Kind("merchant", act.Merchant, money.legal_merchant, money.judge_merchant, money.perform_merchant,
         money.why_not_merchant, "R11.2"),
    Kind("trade", act.Trade, money.legal_trade, money.judge_trade, money.perform_trade,
         money.why_not_trade, "R11.10"),
    Kind("piracy", act.Piracy, money.legal_piracy, money.judge_piracy, money.perform_piracy,
         money.why_not_piracy, "R11.11"),
    Kind("draft", act.Draft, management.legal_draft, management.judge_draft, management.perform_draft,
         management.why_not_draft, "R11.5"),
    Kind("discard", act.Discard, management.legal_discard, management.judge_discard, management.perform_discard,
         management.why_not_discard, "R11.6"),
    Kind("reserve", act.Reserve, management.legal_reserve, management.judge_reserve, management.perform_reserve,
         management.why_not_reserve, "R11.3"),
    Kind("govern", act.Govern, management.legal_govern, management.judge_govern, management.perform_govern,
         management.why_not_govern, "R11.8"),
    Kind("intendant", act.UseIntendant, management.legal_intendant, management.judge_intendant,
         management.perform_intendant, management.why_not_intendant, "R11.9"),
    Kind("pass", act.Pass, lambda p: [_PASS], _no_judging, _pass, _never, "R3.4"),
    Kind("retrieve", act.Retrieve, management.legal_retrieve, management.judge_retrieve, management.perform_retrieve,
         management.why_not_retrieve, "R11.4"),
    Kind("home-support", act.HomeSupport, management.legal_home_support, management.judge_home_support,
         management.perform_home_support, management.why_not_home_support, "R11.7"),
    Kind("withdraw", act.Withdraw, siege_ends.legal_withdraw, siege_ends.judge_withdraw, siege_ends.perform_withdraw,
         siege_ends.why_not_withdraw, "R12"),
)  # fmt: skip
BY_ACTION: dict[type, Kind] = {kind.action: kind for kind in KINDS}

ANSWERS: dict[str, tuple[type, ...]] = {
    "raid": (act.Block, act.Allow),
    "ambush": (act.Block, act.Lose, act.ShowHand),
    "convert": (act.Lose, act.ShowHand),
    "conquest": (act.Occupy, act.Leave),
    "siege-loss": (act.Lose,),
}
"""What may be said to each kind of decision but "action"."""

_ALWAYS_FREE = (act.Retrieve, act.HomeSupport)


def decision(state: State) -> Decision | None:
    """Whose answer the game waits for; None when it is over."""
    if state.outcome is not None:
        return None
    if state.question is not None:
        return Decision(state.question.seat, state.question.kind, state.on_turn, state.turn)
    if state.due:
        return Decision(OTHER[state.on_turn], "siege-loss", state.on_turn, state.turn)
    return Decision(state.on_turn, "action", state.on_turn, state.turn)


def _free(state: State, action: Any) -> bool:
    """Whether the action uses up none of the turn's actions (R3.8)."""
    if isinstance(action, act.Reinforce):
        return action.card == "military-leader"
    if isinstance(action, act.Withdraw):
        return state.edition.withdraw_is_free
    return isinstance(action, _ALWAYS_FREE)


def legal(state: State) -> list[Any]:
    """All that the seat to decide may do, in the order of the notation; free subsets as choices."""
    due = decision(state)
    if due is None:
        return []
    if due.kind == "siege-loss":
        return siege_ends.legal_loss(state)
    p = Position(state, due.seat)
    if due.kind != "action":
        return _legal_answers(p, due.kind)
    if state.actions_left:
        found: list[Any] = []
        for actions in _listed(p):
            found += actions
        return found
    free = [*_reinforce_free(p), *management.legal_retrieve(p), *management.legal_home_support(p)]
    if state.edition.withdraw_is_free:
        free += siege_ends.legal_withdraw(p)
    return [*free, act.End()]


def _listed(p: Position) -> list[list[Any]]:
    """What the seat on turn could do if it had an action left, a list for each of KINDS."""
    return [kind.legal(p) for kind in KINDS]


def _legal_answers(p: Position, kind: str) -> list[Any]:
    question = p.state.question
    assert question is not None
    if kind == "raid":
        return raids.legal_answer(p, question.place)
    if kind == "ambush":
        return ambushes.legal_ambush_answer(p)
    if kind == "convert":
        return ambushes.legal_convert_answer(p)
    return siege_ends.legal_conquest(p, question.place)


def impossible(state: State) -> list[tuple[str, Refusal]]:
    """Why each kind of action that the seat on turn cannot do now is impossible; empty for answers."""
    due = decision(state)
    if due is None or due.kind != "action":
        return []
    p = Position(state, due.seat)
    reasons: list[tuple[str, Refusal]] = []
    for kind, actions in zip(KINDS, _listed(p), strict=True):
        if actions:
            if not state.actions_left and not any(_free(state, action) for action in actions):
                reasons.append((kind.name, _no_action_left()))
        else:
            reasons.append((kind.name, kind.why_not(p)))
    return reasons


def _no_action_left() -> IllegalAction:
    return IllegalAction(
        "turn.no_action_left",
        Text("Your actions are used up; only free steps are left, and “end” to end the turn."),
        rule="R3.1",
    )


def judge(state: State, seat: str, action: Any) -> Position:
    """Refuse the action unless this seat may do it now; the position it was judged in otherwise."""
    due = decision(state)
    if due is None:
        raise NotToDecide("game.over", Text("The game is over."), rule="R13")
    if seat != due.seat:
        if seat not in SEATS:
            raise NotToDecide("seat.unknown", Text("There is no seat “{seat}” in this game.", seat=seat))
        raise NotToDecide(
            "seat.not_yours",
            Text("The decision is with the other side now: {seat}.", seat=Name("seat", due.seat)),
            rule="R3.1",
        )
    place = getattr(action, "place", None)
    if place is not None and place not in PLACES:
        raise Unreadable("place.unknown", Text("There is no place “{place}” in this game.", place=place))
    p = Position(state, seat)
    kind = BY_ACTION.get(type(action))
    if due.kind != "action":
        if not isinstance(action, ANSWERS[due.kind]):
            what, rule = _WHAT_IS_ASKED[due.kind]
            raise NotToDecide(f"answer.{due.kind.replace('-', '_')}", what, rule=rule)
        _judge_answer(p, due.kind, action)
    elif isinstance(action, act.End):
        if state.actions_left:
            raise IllegalAction(
                "turn.actions_left",
                Counted("You still have {n} action; write “pass” if you do not want it.",
                        "You still have {n} actions; write “pass” for each that you do not want.",
                        n=state.actions_left),
                rule="R3.4",
            )  # fmt: skip
    elif kind is None:
        raise NotToDecide("answer.not_asked", Text("This is an answer, and nothing is asked of you now."), rule="R3.1")
    else:
        if not state.actions_left and not _free(state, action):
            raise _no_action_left()
        kind.judge(p, action)
    return p


_WHAT_IS_ASKED = {
    "raid": (Text("First answer the raid: block it with a card, or allow it."), "R10.9"),
    "ambush": (
        Text("First answer the ambush: block it, lose a card, or show your hand if you have none to lose."),
        "R10.14",
    ),
    "convert": (Text("First hand over a Native Americans card, or show your hand if you have none."), "R10.16"),
    "conquest": (Text("First say whether you occupy the conquered place or leave it."), "R9.3"),
    "siege-loss": (Text("First name the empire card that you give up with the lost siege."), "R9.6"),
}


def _judge_answer(p: Position, kind: str, action: Any) -> None:
    if kind == "siege-loss":
        siege_ends.judge_loss(p.state, action)
        return
    question = p.state.question
    assert question is not None
    if kind == "raid":
        raids.judge_answer(p, question.place, action)
    elif kind == "ambush":
        ambushes.judge_ambush_answer(p, action)
    elif kind == "convert":
        ambushes.judge_convert_answer(p, action)
    else:
        siege_ends.judge_conquest(p, question.place, action)


def play(state: State, seat: str, action: Any, chance: Chance) -> Happenings:
    """Judge the action and collect what happens, up to the next decision."""
    p = judge(state, seat, action)
    h: Happenings = collect(state, apply, chance)
    kind = BY_ACTION.get(type(action))
    question = state.question
    if isinstance(action, act.End):
        end_turn(h)
        return h
    if kind is not None:
        kind.perform(h, p, action)
    elif question is None:
        siege_ends.perform_loss(h, action)
    elif question.kind == "raid":
        raids.perform_answer(h, p, question.place, action)
    elif question.kind == "ambush":
        ambushes.perform_ambush_answer(h, p, action)
    elif question.kind == "convert":
        ambushes.perform_convert_answer(h, p, action)
    else:
        siege_ends.perform_conquest(h, p, action)
    go_on(h)
    return h
