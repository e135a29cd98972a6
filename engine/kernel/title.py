"""The contract of a title: what the server, the records and the simulator may ask of any game.

A *title* is played as a *game*. A game is a value, the state; an *action* is what a seat says; *events* are what
happened. `play` judges and draws, `apply` does neither, so a log of events can always be replayed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from engine.kernel.chance import Chance, ChanceOutcome
from engine.kernel.refusals import Refusal
from engine.kernel.text import Speaker, Text


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. Frozen data of strings, numbers, booleans, None, tuples and string-keyed mappings."""

    ends_turn: ClassVar[bool] = False
    """True for the event after which the state is a record's `after`."""
    begins_turn: ClassVar[bool] = False
    """True for an event that begins a turn which may end without a step by anybody."""
    shows: ClassVar[bool] = False
    """True for an event that shows the acting seat something hidden, such as a drawn card."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer that is owed now, and by whom.

    `seat` decides; `on_turn` is the seat whose turn it is, which may be another. `kind` is a stable word ("action",
    "raid", "ambush", ...). `turn` counts the turns of the game from 1.
    """

    seat: str
    kind: str
    on_turn: str
    turn: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. `winners` is empty for no winner; `reason` is a stable word; `detail` has the record's keys."""

    winners: tuple[str, ...]
    reason: str
    scores: Mapping[str, int]
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """The game is over, by its rules or outside of them."""

    outcome: Outcome


class Choice:
    """A kind of action with a free subset: described, not listed.

    `items` may be picked (duplicates are listed twice), from `least` to `most` of them.
    """

    __slots__ = ()

    kind: str
    items: tuple[str, ...]
    least: int
    most: int

    def action(self, picked: Sequence[str]) -> Any:
        """Return the action that picks these items. It is judged like any other when played."""
        raise NotImplementedError

    def allows(self, picked: Sequence[str]) -> bool:
        """Return whether these of the items may be picked together; a title may check more than their number."""
        return self.least <= len(picked) <= self.most

    def smallest(self) -> list[Any]:
        """Return the complete actions with as few items as possible; each is legal."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Return plain data for programs and forms: kind, what is fixed, items, least, most, price and gain of each
        item."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class OptionField:
    """One option of a title and its possible values, for forms and for refusals.

    `values` are all that are accepted; None is "none", True and False are "yes" and "no". `default` holds when nothing
    is said (an edition may set another one).
    """

    name: str
    values: tuple[str | int | bool | None, ...]
    default: str | int | bool | None
    label: str
    whole_number: bool = False
    """True when every whole number from 0 on is accepted besides `values`."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A question that this seat may be asked while another seat is on turn, and can answer ahead of time.

    `about` is its subject (a place); "" for every subject without a question of its own. Each of `answers` is a line of
    standing orders, or several, the first before the others. `certain` means that it will be asked whatever the other
    seats do, if things stay as they are; `worth` is how many points are at stake.
    """

    kind: str
    about: str
    answers: tuple[str, ...]
    certain: bool
    worth: int = 0

    @property
    def head(self) -> str:
        """What stands before the colon in its lines."""
        return self.answers[0].partition(":")[0]


class Title(Protocol):
    """One game that can be played. All methods are pure; `seat=None` is a spectator.

    Types of state, action, event and options are the title's own; to everything else they are opaque values.
    """

    id: str
    """The record format's id: `acres`, `new-world`."""
    name: str
    """The English name, a msgid."""
    seats: tuple[str, ...]
    """All seat ids that exist, in their usual turn order."""
    least_seats: int
    most_seats: int
    lively: tuple[str, ...]
    """Kinds of action that bring the game nearer to its end; the simulator prefers them."""
    all_open: bool
    """Whether everything that has happened is public, so that only future outcomes of chance are unknown."""
    seats_alike: bool
    """Whether it matters little who sits where, so that rounds are paired without regard to sides."""
    has_optional_parts: bool
    """Whether some actions can leave out something that could be chosen with them (`leaves_out`)."""
    rules: int
    """The number of its rules, from 1 on: one more whenever an action does something else than before."""

    def by_rules(self, number: int) -> Any | None:
        """Return the title as it was played by the rules of this number, with which games and records from then are
        shown and verified, and running games end; None if it is not known any more, so that they go on by today's."""

    # -- options, opening -------------------------------------------------------------------------
    def __hash__(self) -> int: ...

    def option_fields(self, given: Mapping[str, Any]) -> tuple[OptionField, ...]:
        """Return all options; the defaults are those of the edition that `given` names."""

    def read_options(self, given: Mapping[str, Any]) -> Any:
        """Return the options as a value. Raises `Unreadable` (`options.*`) for unknown names and values."""

    def write_options(self, options: Any) -> dict[str, Any]:
        """Return what a record's `options` holds: what differs from the defaults."""

    def keep_options(self, options: Any) -> dict[str, Any]:
        """Return what is stored with a game, a table or an event: as `write_options`, but naming whatever
        `kept_options` needs to read it after a default has changed."""

    def kept_options(self, kept: Mapping[str, Any]) -> Any:
        """Return the options from storage, or from a record from before a default changed: what is not named has the
        default of that time. Otherwise as `read_options`."""

    def check_seats(self, seats: Sequence[str]) -> tuple[str, ...]:
        """Return the seats of a game in turn order. Raises `Unreadable` (`seats.*`)."""

    def open(self, options: Any, seats: Sequence[str], chance: Chance) -> tuple[Event, ...]:
        """Return the events that begin a game; the first applies to None."""

    def begin(self, opened: Any, chance: Chance) -> tuple[Event, ...]:
        """Return the given first event (from a record), and those that follow from it up to the first decision.

        `open` is this with a first event that chance made.
        """

    # -- the game ---------------------------------------------------------------------------------
    def apply(self, state: Any, event: Any) -> Any:
        """Return the state after the event. Never judges, never draws; shares unchanged parts with the old state."""

    def decision(self, state: Any) -> Decision | None:
        """Return what is to be decided now; None when the game is over."""

    def outcome(self, state: Any) -> Outcome | None:
        """Return how the game ended; None while it runs."""

    def legal(self, state: Any) -> list[Any]:
        """Return everything that the deciding seat may do, in stable order: actions, and choices for free subsets."""

    def impossible(self, state: Any, possible: Container[str] = ()) -> list[tuple[str, Refusal]]:
        """Return the kind and the reason for each kind of action that the deciding seat cannot do now. A caller that
        has listed what is legal names those kinds (`possible`), so that they are not looked for again."""

    def play(self, state: Any, seat: str, action: Any, chance: Chance) -> tuple[Any, ...]:
        """Judge the action and return its events. Raises `NotToDecide` or `IllegalAction`; changes nothing itself."""

    def unfold(self, state: Any, seat: str, action: Any, chance: Chance) -> Sequence[tuple[Any, Any]]:
        """Do the same as `play`, with the state after each event: the states are those that `apply` gives."""

    def check(self, state: Any, seat: str, action: Any) -> None:
        """Judge only; never touches chance. Raises as `play` does."""

    def forced(self, state: Any) -> Any | None:
        """Return the deciding seat's answer if public facts leave it no other, or if giving the only one shows the hand
        anyway. None if the seat must be asked, even if it has only one answer that others cannot know."""

    def reveals(self, state: Any, action: Any) -> bool:
        """Return whether playing a legal action shows something hidden to its own seat or asks another seat, so that it
        cannot be taken back. Judged from what the seat knows."""

    def preview(self, state: Any, action: Any) -> dict[str, Any] | None:
        """Return what a legal action would do, as plain data for the page that shows it before it is played; never
        touches chance. None if the title has nothing to say about it.

        `view` (the deciding seat's view with the action done, as far as possible without chance) means the same for all
        titles.
        """

    def leaves_out(self, state: Any, action: Any) -> bool:
        """Return whether a legal action leaves out something that could be chosen with it, so that the seat is asked
        first."""

    def resign(self, state: Any, seat: str) -> tuple[Any, ...]:
        """Return the events of a resignation. Raises `NotToDecide` when the game is over or the seat is out.

        Where the game can go on without the seat, the line `resign` is an action that plays the same.
        """

    def conclude(self, state: Any, reason: str, winners: Sequence[str]) -> tuple[Any, ...]:
        """Return the events of an end outside the rules: `time` or `agreed`."""

    def told(self, events: Sequence[Any], cause: str) -> tuple[Any, ...]:
        """Return the events of `resign` or `conclude` as the log tells them if the seat did not leave by itself:
        `cause` is `time`, or `ruling`. What is stored and recorded stays as it is."""

    # -- who may know what ------------------------------------------------------------------------
    def view(self, state: Any, seat: str | None) -> dict[str, Any]:
        """Return what the seat may know, as plain JSON data. Equal for states that differ only in what it cannot
        see."""

    def seen_by(self, event: Any, seat: str | None) -> Any | None:
        """Return the event without what the seat may not see; None when it sees nothing of it."""

    def worlds(self, state: Any, seat: str) -> Iterable[Any]:
        """Yield other states that the seat cannot tell from this one: its view of them is the same.

        Not all, but enough that anything it could learn from an action rules out one of them.
        """

    def may_tell(self, before: Any, action: Any, events: Sequence[Any], after: Any) -> tuple[str, ...]:
        """Return the seats that may have learned something from an action played in the state `before`, with these
        events (none of them chance) and the state `after`: rather too many than too few.

        Judged only by what everybody knows, so that the answer reveals nothing. Empty only where, in every state that
        looks the same to everybody, the action shows no seat anything (see `engine.kernel.takeback`).
        """

    def imagined(self, state: Any, seat: str) -> Any:
        """Return a state to try things out in, which depends only on what the seat knows and looks the same to it. What
        it cannot know is replaced, so that other seats can do anything there that they might be able to do."""

    # -- words ------------------------------------------------------------------------------------
    def read(self, state: Any, seat: str, line: str) -> Any:
        """Return the action that a line of the notation means for this seat now. Raises `Unreadable`."""

    def write(self, state: Any, action: Any) -> str:
        """Return the canonical line of an action in this state, for people; reading it gives the same action."""

    def write_record(self, state: Any, action: Any) -> str:
        """Return the same for a record, where lines stay as they are however things come to be called."""

    def sentence(self, event: Any) -> Text | None:
        """Return the event (as its reader sees it) as a sentence for the log; None for events not worth one."""

    def board(self, view: Mapping[str, Any], speaker: Speaker, *, faces: bool = False) -> str:
        """Return the text board of a view: monospace, at most 72 columns; with `faces` also what is printed on its
        cards and does not stand elsewhere in a mail."""

    def why_ended(self, outcome: Outcome) -> Text | None:
        """Return why the rules have ended a game, with the number of the rule; None for an end outside the rules."""

    def weight(self, event: Any, seat: str | None) -> int:
        """Return how much an event tells a seat: 3 if it touches its places, cards or points, 2 if it changes the
        board, 1 for what another has or does, 0 for a draw or a shuffle. What has happened is told in this order where
        there is room for little."""

    def name_of(self, kind: str, key: str, lang: str) -> str:
        """Return the printed name of a seat, card, place, tile ... in one of the four languages."""

    # -- answers ahead of time ----------------------------------------------------------------------
    def foreseen(self, state: Any, seat: str) -> tuple[Foreseen, ...]:
        """Questions that the seat may be asked before its next turn, from what it knows."""

    def read_standing(self, lines: Sequence[str]) -> Any:
        """Standing orders from their text, one a line. Raises `Unreadable`."""

    def write_standing(self, orders: Any) -> list[str]:
        """Return the canonical lines of standing orders."""

    def standing_answer(self, state: Any, seat: str, orders: Any) -> Any | None:
        """Return the action that the orders give to the decision that this seat owes; None if the seat must be
        asked."""

    def facts(self) -> dict[str, Any]:
        """Return what is printed on board and pieces, as plain JSON data for programs."""

    # -- storing ----------------------------------------------------------------------------------
    def event_to_json(self, event: Any) -> dict[str, Any]: ...
    def event_from_json(self, data: Mapping[str, Any]) -> Any: ...
    def action_to_json(self, action: Any) -> dict[str, Any]: ...
    def action_from_json(self, data: Mapping[str, Any]) -> Any: ...
    def state_to_json(self, state: Any) -> dict[str, Any]: ...
    def state_from_json(self, data: Mapping[str, Any]) -> Any: ...

    # -- records ----------------------------------------------------------------------------------
    def heading_of_record(self, opened: Any, *, secrets: bool) -> dict[str, Any]:
        """Return a record's `options`, `seats` and `setup` from the first event; `setup` without what is hidden where
        `secrets` is False."""

    def opened_from_record(self, options: Any, seats: Sequence[str], setup: Mapping[str, Any]) -> Any:
        """Return the first event from a record's `setup`. Raises `Unreadable` (`setup.*`) when it is not this
        title's."""

    def after(self, state: Any) -> dict[str, Any]:
        """Return the full state as a record's `after` writes it."""

    def read_chance(self, text: str) -> ChanceOutcome:
        """Return a record's chance line. Raises `Unreadable` (`chance.*`)."""

    def chance_of(self, event: Any) -> str | None:
        """Return the chance line of an event that holds an outcome of chance; None for others."""

    def end_of_steps(self, state: Any) -> Any | None:
        """Return the action that the end of a turn's steps stands for in a record (`end`) if one is due; else None.

        Its seat owes only this, whatever else it may do, and that must not depend on what is hidden.
        """

    def actions_left(self, state: Any) -> int | None:
        """Return how many actions the seat on turn has left before it only has to end its turn, also while another seat
        answers; None for a title whose turns end with a step of their own."""

    def result_to_record(self, outcome: Outcome) -> dict[str, Any]: ...

    def check_invariants(self, state: Any) -> None:
        """Raise AssertionError when cards, pieces or points do not add up. For the simulator and tests."""
