"""A Few Acres of Snow, implementing the kernel's contract."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.acres import actions as act
from engine.acres import (
    editions,
    effects,
    ending,
    forced,
    foreseeing,
    imagining,
    knowledge,
    notation,
    record_form,
    rules,
    sentences,
    standing_order_lines,
    standing_orders,
    storing,
    telling,
)
from engine.acres import events as ev
from engine.acres.data import ALL_CARDS, HAND_SIZE, PLACES, PORTS, RAID_LINKS, SEATS, WAYS
from engine.acres.editions import Edition
from engine.acres.invariants import check_invariants
from engine.acres.names import name_of
from engine.acres.preview import preview
from engine.acres.state import State
from engine.acres.text_board import text_board
from engine.acres.turns import begin_turn
from engine.kernel.chance import Chance, ChanceOutcome
from engine.kernel.plain import ended_by
from engine.kernel.refusals import NotToDecide, Refusal, Unreadable
from engine.kernel.text import N_, Speaker, Text
from engine.kernel.title import Decision, Foreseen, OptionField, Outcome

if TYPE_CHECKING:
    from engine.kernel.search.minds import Level


class Acres:
    """The title. Every method is a pure function of its arguments; see `engine.kernel.title.Title`."""

    id = "acres"
    name = N_("A Few Acres of Snow")
    seats = SEATS
    least_seats = 2
    most_seats = 2
    lively = ("Settle", "Develop", "Besiege", "Reinforce", "raid")
    all_open = False
    seats_alike = False
    has_optional_parts = False
    rules = 1

    def by_rules(self, number: int) -> Acres | None:
        return self if number == self.rules else None

    @property
    def levels(self) -> tuple[Level, ...]:
        """How a computer plays it, the weakest first."""
        from engine.acres.mind import LEVELS  # noqa: PLC0415  only a process in which a computer plays needs it

        return LEVELS

    # -- options, opening -------------------------------------------------------------------------

    def option_fields(self, given: Mapping[str, Any]) -> tuple[OptionField, ...]:
        return editions.option_fields(given)

    def read_options(self, given: Mapping[str, Any]) -> Edition:
        return editions.read_options(given)

    def write_options(self, options: Edition) -> dict[str, Any]:
        return editions.write_options(options)

    def keep_options(self, options: Edition) -> dict[str, Any]:
        return editions.keep_options(options)

    def kept_options(self, kept: Mapping[str, Any]) -> Edition:
        return editions.kept_options(kept)

    def check_seats(self, seats: Sequence[str]) -> tuple[str, ...]:
        if tuple(seats) != SEATS:
            raise Unreadable(
                "seats.acres", Text("The seats are {seats}, in this order (R1.1).", seats=SEATS), rule="R1.1"
            )
        return SEATS

    def open(self, options: Edition, seats: Sequence[str], chance: Chance) -> tuple[Any, ...]:
        """Shuffle both initial decks and deal five cards each (R2.3, R2.4)."""
        self.check_seats(seats)
        hands, draws = {}, {}
        for seat in SEATS:
            deck = chance.shuffle(seat, record_form.initial_deck(options, seat))
            hands[seat], draws[seat] = tuple(sorted(deck[:HAND_SIZE])), deck[HAND_SIZE:]
        return self.begin(ev.Opened(editions.keep_options(options), hands, draws), chance)

    def begin(self, opened: ev.Opened, chance: Chance) -> tuple[Any, ...]:
        happened = effects.collector(effects.apply(None, opened), chance)
        begin_turn(happened, SEATS[0])
        return (opened, *happened.events)

    # -- the game ---------------------------------------------------------------------------------

    def apply(self, state: State | None, event: Any) -> State:
        return effects.apply(state, event)

    def decision(self, state: State) -> Decision | None:
        return rules.decision(state)

    def outcome(self, state: State) -> Outcome | None:
        return state.outcome

    def legal(self, state: State) -> list[Any]:
        return rules.legal(state)

    def impossible(self, state: State, possible: Container[str] = ()) -> list[tuple[str, Refusal]]:
        return rules.impossible(state, possible)

    def play(self, state: State, seat: str, action: Any, chance: Chance) -> tuple[Any, ...]:
        return tuple(rules.play(state, seat, action, chance).events)

    def unfold(self, state: State, seat: str, action: Any, chance: Chance) -> Sequence[tuple[Any, State]]:
        happened = rules.play(state, seat, action, chance)
        return list(zip(happened.events, happened.states, strict=True))

    def check(self, state: State, seat: str, action: Any) -> None:
        rules.judge(state, seat, action)

    def forced(self, state: State) -> Any | None:
        return forced.forced(state)

    def reveals(self, state: State, action: Any) -> bool:
        return forced.reveals(state, action)

    def preview(self, state: State, action: Any) -> dict[str, Any]:
        return preview(state, action)

    def leaves_out(self, state: State, action: Any) -> bool:
        return False

    def resign(self, state: State, seat: str) -> tuple[Any, ...]:
        self._need_running(state)
        if seat not in SEATS:
            raise NotToDecide("seat.unknown", Text("There is no “{name}” in this game.", name=seat))
        return (ending.resignation(state, seat),)

    def conclude(self, state: State, reason: str, winners: Sequence[str]) -> tuple[Any, ...]:
        self._need_running(state)
        for seat in winners:
            if seat not in SEATS:
                raise NotToDecide("seat.unknown", Text("There is no “{name}” in this game.", name=seat))
        return (ending.concluded(state, reason, tuple(winners)),)

    def told(self, events: Sequence[Any], cause: str) -> tuple[Any, ...]:
        return tuple([ended_by(event, cause) for event in events])

    def _need_running(self, state: State) -> None:
        if state.outcome is not None:
            raise NotToDecide("game.over", Text("The game is over."))

    # -- who may know what ------------------------------------------------------------------------

    def view(self, state: State, seat: str | None) -> dict[str, Any]:
        return knowledge.view(state, seat)

    def seen_by(self, event: Any, seat: str | None) -> Any | None:
        return knowledge.seen_by(event, seat)

    def worlds(self, state: State, seat: str) -> Iterator[State]:
        return knowledge.worlds(state, seat)

    def may_tell(self, before: State, action: Any, events: Sequence[Any], after: State) -> tuple[str, ...]:
        return telling.may_tell(before, action, events, after)

    def imagined(self, state: State, seat: str) -> State:
        return imagining.imagined(state, seat)

    # -- words ------------------------------------------------------------------------------------

    def read(self, state: State, seat: str, line: str) -> Any:
        if seat not in SEATS:
            raise Unreadable(
                "seat.unknown", Text("“{seat}” is not a seat; the seats are {seats}.", seat=seat, seats=SEATS)
            )
        return notation.read(state, seat, line)

    def write(self, state: State, action: Any) -> str:
        return notation.write(state, action)

    def write_record(self, state: State, action: Any) -> str:
        return notation.write(state, action)

    def sentence(self, event: Any) -> Text | None:
        return sentences.sentence(event)

    def why_ended(self, outcome: Outcome) -> Text | None:
        return sentences.why_ended(outcome)

    def weight(self, event: Any, seat: str | None) -> int:
        return ev.weight(event)

    def board(self, view: Mapping[str, Any], speaker: Speaker, *, faces: bool = False) -> str:
        return text_board(view, speaker, faces)

    def name_of(self, kind: str, key: str, lang: str) -> str:
        return name_of(kind, key, lang)

    # -- answers ahead of time ----------------------------------------------------------------------

    def foreseen(self, state: State, seat: str) -> tuple[Foreseen, ...]:
        return foreseeing.foreseen(state, seat)

    def read_standing(self, lines: Sequence[str]) -> standing_orders.StandingOrders:
        return standing_order_lines.read_standing(lines)

    def write_standing(self, orders: standing_orders.StandingOrders) -> list[str]:
        return standing_order_lines.write_standing(orders)

    def standing_answer(self, state: State, seat: str, orders: standing_orders.StandingOrders) -> Any | None:
        return standing_orders.answer(state, seat, orders)

    # -- storing ----------------------------------------------------------------------------------

    def event_to_json(self, event: Any) -> dict[str, Any]:
        return dict(storing.events.to_json(event))

    def event_from_json(self, data: Mapping[str, Any]) -> Any:
        return storing.events.from_json(data)

    def action_to_json(self, action: Any) -> dict[str, Any]:
        return dict(storing.actions.to_json(action))

    def action_from_json(self, data: Mapping[str, Any]) -> Any:
        return storing.actions.from_json(data)

    def state_to_json(self, state: State) -> dict[str, Any]:
        return storing.state_to_json(state)

    def state_from_json(self, data: Mapping[str, Any]) -> State:
        return storing.state_from_json(data)

    # -- records ----------------------------------------------------------------------------------

    def heading_of_record(self, opened: ev.Opened, *, secrets: bool) -> dict[str, Any]:
        return {
            "options": editions.write_options(editions.kept_options(opened.options)),
            "seats": list(SEATS),
            "setup": record_form.setup_to_record(opened) if secrets else {},
        }

    def opened_from_record(self, options: Edition, seats: Sequence[str], setup: Mapping[str, Any]) -> ev.Opened:
        return record_form.opened_from_record(options, setup)

    def after(self, state: State) -> dict[str, Any]:
        return record_form.after(state)

    def read_chance(self, text: str) -> ChanceOutcome:
        return record_form.read_chance(text)

    def chance_of(self, event: Any) -> str | None:
        return record_form.chance_of(event)

    def end_of_steps(self, state: State) -> Any | None:
        due = rules.decision(state)
        return act.End() if due is not None and due.kind == "action" and not state.actions_left else None

    def actions_left(self, state: State) -> int:
        return state.actions_left

    def result_to_record(self, outcome: Outcome) -> dict[str, Any]:
        return record_form.result_to_record(outcome)

    def facts(self) -> dict[str, Any]:
        return {
            "places": [asdict(place) for place in PLACES.values()],
            "ways": {place: list(others) for place, others in WAYS.items()},
            "raids": {place: list(others) for place, others in RAID_LINKS.items()},
            "ports": list(PORTS),
            "cards": [asdict(card) for card in ALL_CARDS],
        }

    def check_invariants(self, state: State) -> None:
        check_invariants(state)


ACRES = Acres()
