"""New World as a title."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.kernel.chance import Chance, ChanceOutcome
from engine.kernel.plain import PlainTitle
from engine.kernel.refusals import Refusal, Unreadable
from engine.kernel.text import N_, Speaker, Text
from engine.kernel.title import Decision, Event, OptionField, Outcome, Title
from engine.new_world import (
    ending,
    invariants,
    names,
    notation,
    records,
    rules,
    sentences,
    standing_orders,
    storing,
    textboard,
)
from engine.new_world import events as ev
from engine.new_world import options as game_options
from engine.new_world import view as views
from engine.new_world.actions import Action, Place
from engine.new_world.events import CODEC, Opened, SeatResigned, SeatTakenOut
from engine.new_world.options import Options
from engine.new_world.preview import leaves_out, preview
from engine.new_world.standing_orders import StandingOrders
from engine.new_world.state import State, apply
from engine.new_world.tiles import shipped_data

if TYPE_CHECKING:
    from engine.kernel.search.minds import Level

LEAST_SEATS, MOST_SEATS = 2, 5


class NewWorld(PlainTitle):
    """Carcassonne: New World for 2 to 5 seats; see `engine.kernel.title.Title` for the methods.

    Everything that happens is public and the bag has no order, so nothing is hidden (new_world R5.1). No answer is
    forced: even the only possible place is laid by its seat, or by the standing order that the seat gave for it.
    """

    id = "new-world"
    name = N_("Carcassonne: New World")
    seats: tuple[str, ...] = records.SEATS
    least_seats = LEAST_SEATS
    most_seats = MOST_SEATS
    seats_alike = True
    codec = CODEC

    @property
    def levels(self) -> tuple[Level, ...]:
        """How a computer plays it, the weakest first."""
        from engine.new_world.mind import LEVELS  # noqa: PLC0415  only a process in which a computer plays needs it

        return LEVELS

    # -- options, opening -------------------------------------------------------------------------
    def option_fields(self, given: Mapping[str, Any]) -> tuple[OptionField, ...]:
        return game_options.fields(given)

    def read_options(self, given: Mapping[str, Any]) -> Options:
        return game_options.read(given)

    def write_options(self, options: Options) -> dict[str, Any]:
        return game_options.write(options)

    def kept_options(self, kept: Mapping[str, Any]) -> Options:
        return game_options.read(kept, game_options.KEPT)

    def keep_options(self, options: Options) -> dict[str, Any]:
        return game_options.write(options, game_options.KEPT)

    def check_seats(self, seats: Sequence[str]) -> tuple[str, ...]:
        for seat in seats:
            if seat not in self.seats:
                why = Text(
                    "There is no seat “{seat}”; the seats are {seats}.", seat=str(seat), seats=", ".join(self.seats)
                )
                raise Unreadable("seats.unknown", why, rule="R3.2")
        if len(set(seats)) != len(seats):
            raise Unreadable("seats.twice", Text("Each seat can be taken once."), rule="R3.2")
        if not LEAST_SEATS <= len(seats) <= MOST_SEATS:
            why = Text("{least} to {most} seats play, not {n}.", least=LEAST_SEATS, most=MOST_SEATS, n=len(seats))
            raise Unreadable("seats.number", why, rule="R1.1")
        return tuple(seats)

    def open(self, options: Options, seats: Sequence[str], chance: Chance) -> tuple[Event, ...]:
        return rules.open_game(options, self.check_seats(seats), chance)

    def begin(self, opened: Opened, chance: Chance) -> tuple[Event, ...]:
        return rules.begin(opened, chance)

    # -- the game ---------------------------------------------------------------------------------
    def apply(self, state: State | None, event: Event) -> State:
        return apply(state, event)

    def decision(self, state: State) -> Decision | None:
        return rules.decision(state)

    def outcome(self, state: State) -> Outcome | None:
        return state.outcome

    def legal(self, state: State) -> list[Any]:
        return list(rules.legal(state))

    def impossible(self, state: State, possible: Container[str] = ()) -> list[tuple[str, Refusal]]:
        return rules.impossible(state)

    def unfold(self, state: State, seat: str, action: Action, chance: Chance) -> Sequence[tuple[Event, State]]:
        return rules.unfold(state, seat, action, chance)

    def check(self, state: State, seat: str, action: Action) -> None:
        rules.check(state, seat, action)

    def reveals(self, state: State, action: Action) -> bool:
        """A turn's end draws for the next seat; a placement that leaves an order to choose does not end the turn
        yet."""
        return not isinstance(action, Place) or len(rules.completed_by(state, action)) < 2

    def resign(self, state: State, seat: str) -> tuple[Event, ...]:
        return rules.resign(state, seat)

    def conclude(self, state: State, reason: str, winners: Sequence[str]) -> tuple[Event, ...]:
        return rules.conclude(state, reason, winners)

    def told(self, events: Sequence[Event], cause: str) -> tuple[Event, ...]:
        return tuple(
            [
                SeatTakenOut(event.seat, cause) if isinstance(event, SeatResigned) else event
                for event in super().told(events, cause)
            ]
        )

    def preview(self, state: State, action: Action) -> dict[str, Any] | None:
        return preview(state, action)

    def leaves_out(self, state: State, action: Action) -> bool:
        return leaves_out(state, action)

    # -- who may know what ------------------------------------------------------------------------
    def view(self, state: State, seat: str | None) -> dict[str, Any]:
        return views.view(state, seat)

    # -- words ------------------------------------------------------------------------------------
    def read(self, state: State, seat: str, line: str) -> Action:
        return notation.read(state, line)

    def write(self, state: State, action: Action) -> str:
        return notation.write(state, notation.canonical(state, action))

    def write_record(self, state: State, action: Action) -> str:
        return notation.write_raw(notation.canonical(state, action))

    def sentence(self, event: Event) -> Text | None:
        return sentences.sentence(event)

    def why_ended(self, outcome: Outcome) -> Text | None:
        return Text("The last tile was laid (R11.1).") if outcome.reason == ending.BY_POINTS else None

    def weight(self, event: Event, seat: str | None) -> int:
        return ev.weight(event, seat)

    def board(self, view: Mapping[str, Any], speaker: Speaker, *, faces: bool = False) -> str:
        return textboard.board(view, speaker)

    def name_of(self, kind: str, key: str, lang: str) -> str:
        return names.name_of(kind, key, lang)

    # -- answers ahead of time ----------------------------------------------------------------------
    def read_standing(self, lines: Sequence[str]) -> StandingOrders:
        return standing_orders.read(lines)

    def write_standing(self, orders: StandingOrders) -> list[str]:
        return standing_orders.write(orders)

    def standing_answer(self, state: State, seat: str, orders: StandingOrders) -> Action | None:
        return standing_orders.answer(state, seat, orders)

    # -- storing ----------------------------------------------------------------------------------
    def action_to_json(self, action: Action) -> dict[str, Any]:
        return storing.action_to_json(action)

    def action_from_json(self, data: Mapping[str, Any]) -> Action:
        return storing.action_from_json(data)

    def state_to_json(self, state: State) -> dict[str, Any]:
        return storing.state_to_json(state)

    def state_from_json(self, data: Mapping[str, Any]) -> State:
        return storing.state_from_json(data)

    # -- records ----------------------------------------------------------------------------------
    def heading_of_record(self, opened: Opened, *, secrets: bool) -> dict[str, Any]:
        return records.heading(opened)

    def opened_from_record(self, options: Options, seats: Sequence[str], setup: Mapping[str, Any]) -> Opened:
        return records.opened_from_record(options, seats, setup)

    def after(self, state: State) -> dict[str, Any]:
        return records.after(state)

    def read_chance(self, text: str) -> ChanceOutcome:
        return records.read_chance(text)

    def chance_of(self, event: Event) -> str | None:
        return records.chance_of(event)

    def result_to_record(self, outcome: Outcome) -> dict[str, Any]:
        return records.result_to_record(outcome)

    def facts(self) -> dict[str, Any]:
        return shipped_data()

    def check_invariants(self, state: State) -> None:
        invariants.check(state)


NEW_WORLD = NewWorld()

if TYPE_CHECKING:
    _fulfils_the_contract: Title = NEW_WORLD
