"""Default answers to the contract (`engine.kernel.title.Title`) that suit most titles.

Every title must provide the rest itself: `open`, `apply`, `decision`, `legal`, `check`, `unfold`, `view`, `read`,
`write`, `board`, `heading_of_record` and `opened_from_record`; with hidden things also `seen_by`, `worlds` and
`imagined`; with options `option_fields`. `scores` is read when a game ends from outside: by resignation, time or
agreement.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from engine.kernel.chance import Chance, ChanceOutcome
from engine.kernel.codec import Codec
from engine.kernel.refusals import NotToDecide, Refusal, Unreadable
from engine.kernel.text import Text
from engine.kernel.title import Foreseen, GameEnded, OptionField, Outcome


class PlainTitle:
    """A title in which everything is open and nothing can be answered ahead of time, unless a subclass says
    otherwise."""

    codec: ClassVar[Codec]
    """Knows the classes of state, actions and events, and `Outcome` and `GameEnded`."""
    seats: tuple[str, ...]
    least_seats: int
    most_seats: int
    lively: tuple[str, ...] = ()
    all_open = True
    seats_alike = False
    has_optional_parts = True
    rules = 1

    def by_rules(self, number: int) -> Any | None:
        return self if number == self.rules else None

    def seats_of(self, state: Any) -> tuple[str, ...]:
        """Return the seats of a game in turn order: `seats` of its state."""
        return tuple(state.seats)

    def outcome(self, state: Any) -> Outcome | None:
        """Return `outcome` of the state."""
        ended: Outcome | None = state.outcome
        return ended

    def unfold(self, state: Any, seat: str, action: Any, chance: Chance) -> Sequence[tuple[Any, Any]]:
        raise NotImplementedError

    def scores(self, state: Any) -> Mapping[str, int]:
        """Return the points of each seat, as reported when the game ends from outside."""
        return {}

    # -- options, opening -------------------------------------------------------------------------

    def option_fields(self, given: Mapping[str, Any]) -> tuple[OptionField, ...]:
        return ()

    def read_options(self, given: Mapping[str, Any]) -> Any:
        """Return the options as they are, with the default of each that is missing; each must be one of its field's
        values."""
        fields = {field.name: field for field in self.option_fields(given)}
        for name, value in given.items():
            if name not in fields:
                raise Unreadable("options.unknown", Text("There is no option {name}.", name=str(name)))
            field = fields[name]
            is_number = field.whole_number and type(value) is int and value >= 0
            if not is_number and not any(type(value) is type(one) and value == one for one in field.values):
                why = Text("“{given}” cannot be the option {name}.", given=str(value)[:40], name=name)
                raise Unreadable("options.value", why)
        return {name: given.get(name, field.default) for name, field in fields.items()}

    def write_options(self, options: Any) -> dict[str, Any]:
        defaults = {field.name: field.default for field in self.option_fields({})}
        return {name: value for name, value in options.items() if value != defaults[name]}

    def keep_options(self, options: Any) -> dict[str, Any]:
        return self.write_options(options)

    def kept_options(self, kept: Mapping[str, Any]) -> Any:
        return self.read_options(kept)

    def check_seats(self, seats: Sequence[str]) -> tuple[str, ...]:
        known = all(seat in self.seats for seat in seats) and len(set(seats)) == len(seats)
        if not known or not self.least_seats <= len(seats) <= self.most_seats:
            why = Text("The seats are {least} to {most} of {seats}.", least=self.least_seats, most=self.most_seats,
                       seats=self.seats)  # fmt: skip
            raise Unreadable("seats.unknown", why)
        return tuple(seats)

    def begin(self, opened: Any, chance: Chance) -> tuple[Any, ...]:
        """Return nothing more than the given event."""
        return (opened,)

    # -- the game ---------------------------------------------------------------------------------

    def impossible(self, state: Any, possible: Container[str] = ()) -> list[tuple[str, Refusal]]:
        return []

    def play(self, state: Any, seat: str, action: Any, chance: Chance) -> tuple[Any, ...]:
        return tuple([event for event, _ in self.unfold(state, seat, action, chance)])

    def forced(self, state: Any) -> Any | None:
        return None

    def reveals(self, state: Any, action: Any) -> bool:
        """Always True, so that a player is asked to look twice."""
        return True

    def preview(self, state: Any, action: Any) -> dict[str, Any] | None:
        return None

    def leaves_out(self, state: Any, action: Any) -> bool:
        return False

    def resign(self, state: Any, seat: str) -> tuple[Any, ...]:
        """End the game; all others win."""
        if self.outcome(state) is not None:
            raise NotToDecide("game.over", Text("The game is over."))
        others = tuple(other for other in self.seats_of(state) if other != seat)
        return (GameEnded(Outcome(others, "resignation", self.scores(state), {"resigned": seat})),)

    def conclude(self, state: Any, reason: str, winners: Sequence[str]) -> tuple[Any, ...]:
        return (GameEnded(Outcome(tuple(winners), reason, self.scores(state))),)

    def told(self, events: Sequence[Any], cause: str) -> tuple[Any, ...]:
        """Tell an end by resignation as one by what took the seat out."""
        return tuple([ended_by(event, cause) for event in events])

    # -- who may know what ------------------------------------------------------------------------

    def seen_by(self, event: Any, seat: str | None) -> Any | None:
        return event

    def worlds(self, state: Any, seat: str) -> Iterable[Any]:
        return ()

    def may_tell(self, before: Any, action: Any, events: Sequence[Any], after: Any) -> tuple[str, ...]:
        """Nobody when everything is open, else everybody: rather too many than too few."""
        return () if self.all_open else self.seats_of(before)

    def imagined(self, state: Any, seat: str) -> Any:
        if self.all_open:
            return state
        raise NotImplementedError

    # -- words ------------------------------------------------------------------------------------

    def sentence(self, event: Any) -> Text | None:
        return None

    def why_ended(self, outcome: Outcome) -> Text | None:
        return None

    def weight(self, event: Any, seat: str | None) -> int:
        """0 for what only draws, 3 for the end of the game, else 1."""
        return 0 if event.shows else 3 if isinstance(event, GameEnded) else 1

    def name_of(self, kind: str, key: str, lang: str) -> str:
        return key.capitalize() if kind in ("seat", "actor") else key

    def facts(self) -> dict[str, Any]:
        return {}

    # -- answers ahead of time ----------------------------------------------------------------------

    def foreseen(self, state: Any, seat: str) -> tuple[Foreseen, ...]:
        return ()

    def write(self, state: Any, action: Any) -> str:
        raise NotImplementedError

    def write_record(self, state: Any, action: Any) -> str:
        return self.write(state, action)

    def read_standing(self, lines: Sequence[str]) -> Any:
        for line in lines:
            raise Unreadable("standing.unknown", Text("“{line}” is not a standing order.", line=line[:40]))
        return ()

    def write_standing(self, orders: Any) -> list[str]:
        return []

    def standing_answer(self, state: Any, seat: str, orders: Any) -> Any | None:
        return None

    # -- storing ----------------------------------------------------------------------------------

    def to_json(self, value: Any) -> Any:
        return self.codec.to_json(value)

    def from_json(self, data: Any) -> Any:
        return self.codec.from_json(data)

    event_to_json = action_to_json = state_to_json = to_json
    event_from_json = action_from_json = state_from_json = from_json

    # -- records ----------------------------------------------------------------------------------

    def after(self, state: Any) -> dict[str, Any]:
        data: dict[str, Any] = self.state_to_json(state)
        return data

    def read_chance(self, text: str) -> ChanceOutcome:
        """Read `shuffle PURPOSE: ITEM, ITEM, ...`, the top one first, or `draw ITEM`, from the bag."""
        head, _, rest = text.partition(":")
        kind, _, purpose = head.strip().partition(" ")
        items = tuple(item.strip() for item in rest.split(","))
        if kind == "shuffle" and purpose and all(items):
            return ChanceOutcome("shuffle", purpose, items)
        if kind == "draw" and purpose and not rest:
            return ChanceOutcome("draw", "bag", (purpose,))
        raise Unreadable("chance.unknown", Text("“{line}” cannot be read as chance.", line=text[:40]))

    def chance_of(self, event: Any) -> str | None:
        return None

    def end_of_steps(self, state: Any) -> Any | None:
        return None

    def actions_left(self, state: Any) -> int | None:
        return None

    def result_to_record(self, outcome: Outcome) -> dict[str, Any]:
        told = {"winners": list(outcome.winners), "reason": outcome.reason, "score": dict(outcome.scores)}
        return told | dict(outcome.detail)

    def check_invariants(self, state: Any) -> None:
        return None


def ended_by(event: Any, cause: str) -> Any:
    """Turn the end of a game by resignation into one by `cause`; any other event stays as it is."""
    if isinstance(event, GameEnded) and event.outcome.reason == "resignation":
        return GameEnded(replace(event.outcome, reason=cause))
    return event
