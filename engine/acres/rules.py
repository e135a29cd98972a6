"""Which rule judges, lists and carries out which action, and whose decision it is."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from engine.acres import actions as act
from engine.acres import ambushes, building, management, money, raids, settling, siege_ends, sieges
from engine.acres import events as ev
from engine.acres.data import CARD_IDS, FRENCH, OTHER, PLACES, SEATS
from engine.acres.effects import Happenings, collector
from engine.acres.position import Position
from engine.acres.state import State
from engine.acres.turns import end_turn, go_on
from engine.kernel.chance import Chance
from engine.kernel.refusals import IllegalAction, NotToDecide, Refusal, Unreadable
from engine.kernel.text import Counted, Name, Text
from engine.kernel.title import Decision


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the table: the rule for each question that is asked about a kind of action or of answer."""

    name: str
    actions: tuple[type, ...]
    """What is said: one type for an action in the seat's own turn; an answer may take several forms."""
    legal: Callable[[Position], list[Any]]
    judge: Callable[[Position, Any], None]
    perform: Callable[[Happenings, Position, Any], None]
    why_not: Callable[[Position], IllegalAction] | None
    """Why nothing of the kind can be done; None if something always can."""
    rule: str
    """Where the rules document describes it."""
    is_free: Callable[[Position, Any], bool] | None = None
    """Whether the action uses up none of the turn's actions (R3.8); None if it always does."""
    only: str = ""
    """The only side that can ever do it; the other is not told why it cannot."""
    decision: str = "action"
    """The kind of decision at which it is said."""
    asks: Text | None = None
    """What an answer is needed for, said when a seat tries something else."""


def _always(position: Position, action: Any) -> bool:
    return True


def _no_judging(position: Position, action: Any) -> None:
    """Passing is always allowed."""


def _pass(happened: Happenings, position: Position, action: act.Pass) -> None:
    happened.add(ev.Passed(position.seat))


def _legal_end(position: Position) -> list[act.End]:
    return [] if position.state.actions_left else [act.End()]


def _judge_end(position: Position, action: act.End) -> None:
    if position.state.actions_left:
        raise IllegalAction(
            "turn.actions_left",
            Counted("You still have {n} action; write “pass” if you do not want it.",
                    "You still have {n} actions; write “pass” for each that you do not want.",
                    n=position.state.actions_left),
            rule="R3.4",
        )  # fmt: skip


def _end(happened: Happenings, position: Position, action: act.End) -> None:
    end_turn(happened)


_PASS = act.Pass()

TABLE: tuple[Kind, ...] = (
    Kind("settle", (act.Settle,), settling.legal, settling.judge, settling.perform, settling.why_not, "R5"),
    Kind("develop", (act.Develop,), building.legal_develop, building.judge_develop, building.perform_develop,
         building.why_not_develop, "R6.1"),
    Kind("fortify", (act.Fortify,), building.legal_fortify, building.judge_fortify, building.perform_fortify,
         building.why_not_fortify, "R6.3"),
    Kind("besiege", (act.Besiege,), sieges.legal_besiege, sieges.judge_besiege, sieges.perform_besiege,
         sieges.why_not_besiege, "R7"),
    Kind("reinforce", (act.Reinforce,), sieges.legal_reinforce, sieges.judge_reinforce, sieges.perform_reinforce,
         sieges.why_not_reinforce, "R8", is_free=sieges.is_by_leader),
    Kind("raid", (act.Raid,), raids.legal, raids.judge, raids.perform, raids.why_not, "R10.1"),
    Kind("ambush", (act.Ambush,), ambushes.legal_ambush, ambushes.judge_ambush, ambushes.perform_ambush,
         ambushes.why_not_ambush, "R10.13"),
    Kind("convert", (act.Convert,), ambushes.legal_convert, ambushes.judge_convert, ambushes.perform_convert,
         ambushes.why_not_convert, "R10.16"),
    Kind("money", (act.TakeMoney,), money.legal_money, money.judge_money, money.perform_money,
         money.why_not_money, "R11.1"),
    Kind("merchant", (act.Merchant,), money.legal_merchant, money.judge_merchant, money.perform_merchant,
         money.why_not_merchant, "R11.2"),
    Kind("trade", (act.Trade,), money.legal_trade, money.judge_trade, money.perform_trade,
         money.why_not_trade, "R11.10"),
    Kind("piracy", (act.Piracy,), money.legal_piracy, money.judge_piracy, money.perform_piracy,
         money.why_not_piracy, "R11.11", only=FRENCH),
    Kind("draft", (act.Draft,), management.legal_draft, management.judge_draft, management.perform_draft,
         management.why_not_draft, "R11.5"),
    Kind("discard", (act.Discard,), management.legal_discard, management.judge_discard, management.perform_discard,
         management.why_not_discard, "R11.6"),
    Kind("reserve", (act.Reserve,), management.legal_reserve, management.judge_reserve, management.perform_reserve,
         management.why_not_reserve, "R11.3"),
    Kind("govern", (act.Govern,), management.legal_govern, management.judge_govern, management.perform_govern,
         management.why_not_govern, "R11.8"),
    Kind("intendant", (act.UseIntendant,), management.legal_intendant, management.judge_intendant,
         management.perform_intendant, management.why_not_intendant, "R11.9", only=FRENCH),
    Kind("pass", (act.Pass,), lambda position: [_PASS], _no_judging, _pass, None, "R3.4"),
    Kind("retrieve", (act.Retrieve,), management.legal_retrieve, management.judge_retrieve, management.perform_retrieve,
         management.why_not_retrieve, "R11.4", is_free=_always),
    Kind("home-support", (act.HomeSupport,), management.legal_home_support, management.judge_home_support,
         management.perform_home_support, management.why_not_home_support, "R11.7", is_free=_always),
    Kind("withdraw", (act.Withdraw,), siege_ends.legal_withdraw, siege_ends.judge_withdraw, siege_ends.perform_withdraw,
         siege_ends.why_not_withdraw, "R12", is_free=siege_ends.is_free_withdrawal),
    Kind("end", (act.End,), _legal_end, _judge_end, _end, None, "R3.4", is_free=_always),
    Kind("raid", (act.Block, act.Allow), raids.legal_answer, raids.judge_answer, raids.perform_answer, None, "R10.9",
         decision="raid", asks=Text("First answer the raid: block it with a card, or allow it.")),
    Kind("ambush", (act.Block, act.Lose, act.ShowHand), ambushes.legal_ambush_answer, ambushes.judge_ambush_answer,
         ambushes.perform_ambush_answer, None, "R10.14", decision="ambush",
         asks=Text("First answer the ambush: block it, lose a card, or show your hand if you have none to lose.")),
    Kind("convert", (act.Lose, act.ShowHand), ambushes.legal_convert_answer, ambushes.judge_convert_answer,
         ambushes.perform_convert_answer, None, "R10.16", decision="convert",
         asks=Text("First hand over a Native Americans card, or show your hand if you have none.")),
    Kind("conquest", (act.Occupy, act.Leave), siege_ends.legal_conquest, siege_ends.judge_conquest,
         siege_ends.perform_conquest, None, "R9.3", decision="conquest",
         asks=Text("First say whether you occupy the conquered place or leave it.")),
    Kind("siege-loss", (act.Lose,), siege_ends.legal_loss, siege_ends.judge_loss, siege_ends.perform_loss, None, "R9.6",
         decision="siege-loss", asks=Text("First name the empire card that you give up with the lost siege.")),
)  # fmt: skip
_OWN_TURN = tuple(kind for kind in TABLE if kind.decision == "action")
KINDS = tuple(kind for kind in _OWN_TURN if kind.name != "end")
"""The kinds of action in a seat's own turn; each is possible or has a reason why it is not."""
_ANSWERS = {kind.decision: kind for kind in TABLE if kind.decision != "action"}
_KIND_OF = {(kind.decision, action): kind for kind in TABLE for action in kind.actions}


def decision(state: State) -> Decision | None:
    """Return whose answer the game waits for; None when it is over."""
    if state.outcome is not None:
        return None
    if state.question is not None:
        return Decision(state.question.seat, state.question.kind, state.on_turn, state.turn)
    if state.due:
        return Decision(OTHER[state.on_turn], "siege-loss", state.on_turn, state.turn)
    return Decision(state.on_turn, "action", state.on_turn, state.turn)


def legal(state: State) -> list[Any]:
    """Return everything that the deciding seat may do, in the order of the notation; free subsets as choices."""
    due = decision(state)
    if due is None:
        return []
    position = Position(state, due.seat)
    if due.kind != "action":
        return _ANSWERS[due.kind].legal(position)
    found: list[Any] = []
    for kind in _OWN_TURN:
        if state.actions_left:
            found += kind.legal(position)
        elif kind.is_free is not None:
            found += [action for action in kind.legal(position) if kind.is_free(position, action)]
    return found


def impossible(state: State, possible: Container[str] = ()) -> list[tuple[str, Refusal]]:
    """Return why each kind of action that the seat on turn cannot do now is impossible; empty for answers. Leaves out
    what its side can never do, and what is known to be possible."""
    due = decision(state)
    if due is None or due.kind != "action":
        return []
    position = Position(state, due.seat)
    reasons: list[tuple[str, Refusal]] = []
    for kind in KINDS:
        if kind.name in possible or not is_ever(kind, due.seat):
            continue
        actions = kind.legal(position)
        if actions:
            if not _enough_actions(position, kind, actions):
                reasons.append((kind.name, _no_action_left()))
        elif kind.why_not is not None:
            reasons.append((kind.name, kind.why_not(position)))
    return reasons


def is_ever(kind: Kind, seat: str) -> bool:
    """Return whether the side can ever do something of the kind."""
    return not kind.only or kind.only == seat


def _enough_actions(position: Position, kind: Kind, actions: list[Any]) -> bool:
    """Return whether the turn has an action left for one of these, or one is free (R3.1, R3.8)."""
    if position.state.actions_left:
        return True
    return kind.is_free is not None and any(kind.is_free(position, action) for action in actions)


def _no_action_left() -> IllegalAction:
    return IllegalAction(
        "turn.no_action_left",
        Text("Your actions are used up; only free steps are left, and “end” to end the turn."),
        rule="R3.1",
    )


def judge(state: State, seat: str, action: Any) -> tuple[Position, Kind]:
    """Refuse the action unless this seat may do it now; otherwise return the position it was judged in, and its
    kind."""
    due = decision(state)
    if due is None:
        raise NotToDecide("game.over", Text("The game is over."), rule="R13")
    if seat != due.seat:
        if seat not in SEATS:
            raise NotToDecide("seat.unknown", Text("There is no “{name}” in this game.", name=seat))
        raise NotToDecide(
            "seat.not_yours",
            Text("The decision is with the other side now: {seat}.", seat=Name("seat", due.seat)),
            rule="R3.1",
        )
    _need_names(action)
    position = Position(state, seat)
    kind = _KIND_OF.get((due.kind, type(action)))
    if kind is None:
        if due.kind == "action":
            raise NotToDecide(
                "answer.not_asked", Text("This is an answer, and nothing is asked of you now."), rule="R3.1"
            )
        wanted = _ANSWERS[due.kind]
        assert wanted.asks is not None
        raise NotToDecide(f"answer.{due.kind.replace('-', '_')}", wanted.asks, rule=wanted.rule)
    if due.kind == "action" and not _enough_actions(position, kind, [action]):
        raise _no_action_left()
    kind.judge(position, action)
    return position, kind


def _need_names(action: act.Action) -> None:
    """Refuse a place or a card that does not exist; no line of the notation names one."""
    for place in act.places_named(action):
        if place not in PLACES:
            raise Unreadable("place.unknown", Text("There is no “{name}” in this game.", name=place))
    for card in act.cards_named(action):
        if card not in CARD_IDS:
            raise Unreadable("card.unknown", Text("There is no “{name}” in this game.", name=card))


def play(state: State, seat: str, action: Any, chance: Chance) -> Happenings:
    """Judge the action and collect what happens, up to the next decision."""
    position, kind = judge(state, seat, action)
    happened = collector(state, chance)
    kind.perform(happened, position, action)
    go_on(happened, state)
    return happened
