"""The course of a turn: draw and lay a tile, put a settler, score, and who decides what (new_world R4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import factorial

from engine.kernel.chance import Chance
from engine.kernel.happenings import Happenings
from engine.kernel.refusals import IllegalAction, NotToDecide, Refusal, Unreadable
from engine.kernel.text import Name, Text
from engine.kernel.title import Decision, Event, GameEnded, Outcome
from engine.new_world import events as ev
from engine.new_world.actions import Action, Place, Resign, ScoreOrder
from engine.new_world.ending import RESIGNATION, final_scoring, outcome_by_points
from engine.new_world.geometry import ROTATIONS
from engine.new_world.options import Options
from engine.new_world.orders import Course, results, score_in_order
from engine.new_world.placement import check_cell, fits_somewhere, placements, placements_with_settlers
from engine.new_world.places import lettered
from engine.new_world.scoring import completed
from engine.new_world.settlers import check_settler, no_settler_left, settler_kind
from engine.new_world.state import State, apply

MOST_ORDERS = 24
"""More orders of scoring than these are not listed one by one."""


def open_game(options: Options, seats: Sequence[str], chance: Chance) -> tuple[Event, ...]:
    """Open a game. The first of the seats begins; seating settled who that is (new_world R3.4)."""
    return begin(ev.Opened(options, tuple(seats), seats[0]), chance)


def begin(opened: ev.Opened, chance: Chance) -> tuple[Event, ...]:
    """Return the opening and the first draw (new_world R3, R4.1)."""
    course: Course = Happenings(apply(None, opened), apply, chance)
    course.events.append(opened)
    _draw(course)
    return tuple(course.events)


# -- who decides ------------------------------------------------------------------------------------


def decision(state: State) -> Decision | None:
    """Return the decision: the seat on turn lays its tile, or orders the scoring of several features (new_world R4.1,
    R9.7)."""
    if state.to_move is None:
        return None
    seat = state.to_move
    if seat in state.resigned:
        # The seat resigned between laying and scoring: the next seat chooses the order, so that the turn can end.
        seat = state.next_playing(seat)
    return Decision(seat, "score" if state.pending else "place", state.to_move, state.turn)


def legal(state: State) -> list[Action]:
    """Return everything that the deciding seat may do: sorted by x, y, rotation, then without and with a settler.

    Of more than `MOST_ORDERS` orders of scoring, only those with different results are listed: seven features have
    5,040, nearly all alike. Any other order of the same features may be given as well, with the result of one of these.
    """
    if state.to_move is None:
        return []
    if state.pending:
        if factorial(len(state.pending)) > MOST_ORDERS:
            return [ScoreOrder(one.order) for one in results(state, state.pending)]
        return [ScoreOrder(order) for order in permutations(state.pending)]
    if state.tile is None:
        return []
    if state.supply[state.to_move]:
        return list(placements_with_settlers(state.board, state.tile))
    return list(placements(state.board, state.tile))


def impossible(state: State) -> list[tuple[str, Refusal]]:
    """Return the reason for each kind of action that cannot be done now."""
    owed = decision(state)
    if owed is None:
        return [(kind, _game_is_over()) for kind in ("place", "settle", "score")]
    if owed.kind == "score":
        return [("place", _score_first(state)), ("settle", _score_first(state))]
    found: list[tuple[str, Refusal]] = [("score", _nothing_to_order())]
    if not state.supply[owed.seat]:
        found.insert(0, ("settle", no_settler_left()))
    elif state.tile and all(place.segment is None for place in placements_with_settlers(state.board, state.tile)):
        why = Text("Wherever the tile is laid, all its parts are connected with settlers.")
        found.insert(0, ("settle", IllegalAction("settle.nowhere", why, rule="R6.2")))
    return found


# -- judging ----------------------------------------------------------------------------------------


def check(state: State, seat: str, action: Action) -> None:
    """Raise `NotToDecide` or `IllegalAction` (or `Unreadable` for a rotation that does not exist)."""
    owed = decision(state)
    if owed is None:
        raise _game_is_over()
    if isinstance(action, Resign):
        if seat not in state.playing:
            raise NotToDecide("decide.resigned", Text("{seat} has resigned already.", seat=Name("seat", seat)))
        return
    if seat != owed.seat:
        raise NotToDecide(
            "decide.other_seat",
            Text("It is for {seat} to decide now.", seat=Name("seat", owed.seat)),
            rule="R3.4",
        )
    if isinstance(action, ScoreOrder):
        _check_order(state, action)
    else:
        _check_place(state, seat, action)


def _check_place(state: State, seat: str, action: Place) -> None:
    if state.pending:
        raise _score_first(state)
    if state.tile is None:
        raise NotToDecide("decide.no_tile", Text("No tile has been drawn yet."), rule="R4.1")
    x, y, rotation, segment = action
    if rotation not in ROTATIONS:
        raise Unreadable(
            "place.rotation",
            Text("A tile is turned by 0, 90, 180 or 270 degrees, not by {rotation}.", rotation=rotation),
            rule="R5.1",
        )
    check_cell(state.board, state.tile, x, y, rotation)
    if segment is not None:
        check_settler(state, seat, x, y, rotation, segment)


def _check_order(state: State, action: ScoreOrder) -> None:
    if not state.pending:
        raise _nothing_to_order()
    if sorted(action.features) != sorted(state.pending):
        raise IllegalAction(
            "score.features",
            Text("The order must name each of these once: {features}.", features=lettered(state.pending)),
            rule="R9.8",
        )


def _game_is_over() -> NotToDecide:
    return NotToDecide("decide.over", Text("The game is over; nothing is left to decide."), rule="R11.1")


def _score_first(state: State) -> NotToDecide:
    return NotToDecide(
        "decide.score",
        Text("First say in which order these are scored: {features}.", features=lettered(state.pending)),
        rule="R9.7",
    )


def _nothing_to_order() -> NotToDecide:
    return NotToDecide(
        "decide.place",
        Text("There are not several completed features to put in an order; the tile must be laid."),
        rule="R4.1",
    )


# -- playing ----------------------------------------------------------------------------------------


def play(state: State, seat: str, action: Action, chance: Chance) -> tuple[Event, ...]:
    """Judge the action and return its events, the draw for the next seat included."""
    return tuple(_play(state, seat, action, chance).events)


def unfold(state: State, seat: str, action: Action, chance: Chance) -> Sequence[tuple[Event, State]]:
    """Do the same as `play`, with the state after each event."""
    course = _play(state, seat, action, chance)
    return list(zip(course.events, course.states, strict=True))


def _play(state: State, seat: str, action: Action, chance: Chance) -> Course:
    check(state, seat, action)
    course: Course = Happenings(state, apply, chance)
    if isinstance(action, Resign):
        for event in resign(state, seat):
            course.add(event)
        return course
    if isinstance(action, ScoreOrder):
        course.add(ev.ScoringOrdered(seat, action.features))
        score_in_order(course, action.features)
    else:
        _place(course, action)
        complete = completed(course.state)
        if len(complete) > 1:
            course.add(ev.FeaturesCompleted(seat, complete))
            return course
        score_in_order(course, complete)
    _end_turn(course)
    return course


def completed_by(state: State, action: Place) -> tuple[str, ...]:
    """Return the features with settlers that a legal placement completes (new_world R7)."""
    return completed(with_settler(with_tile(state, action), action))


def with_tile(state: State, action: Place) -> State:
    """Play a legal placement without its settler, which draws nothing."""
    return apply(state, _tile_event(state, action))


def with_settler(state: State, action: Place) -> State:
    """Place the settler of a placement, if it has one, once its tile has been laid."""
    return state if action.segment is None else apply(state, _settler_event(state, action, action.segment))


def _place(course: Course, action: Place) -> None:
    course.add(_tile_event(course.state, action))
    if action.segment is not None:
        course.add(_settler_event(course.state, action, action.segment))


def _tile_event(state: State, action: Place) -> ev.TilePlaced:
    owed = decision(state)
    assert owed is not None and state.tile is not None
    rotation = state.board.tiles.kinds[state.tile].smallest[action.rotation]
    return ev.TilePlaced(owed.seat, state.tile, action.x, action.y, rotation)


def _settler_event(state: State, action: Place, segment: str) -> ev.SettlerPlaced:
    """Return the event for a settler on the tile just laid, which belongs to the seat that laid it."""
    laid = state.board.laid[action.x, action.y]
    settler = settler_kind(state.board.tiles.kinds[laid.tile], segment)
    return ev.SettlerPlaced(laid.seat, action.x, action.y, segment, settler)


def _end_turn(course: Course) -> None:
    """End the turn: the next seat's begins with its draw; without a tile to draw the game ends (new_world R11.1)."""
    state = course.state
    seat = state.to_move
    assert seat is not None
    if not state.bag:
        _finish(course)
        return
    course.add(ev.TurnEnded(seat, state.next_playing(seat)))
    _draw(course)


def _draw(course: Course) -> None:
    """Draw until a tile has a legal place; a bag that runs out this way ends the game (new_world R5.4)."""
    seat = course.state.to_move
    assert seat is not None
    while bag := course.state.bag:
        tile = course.draw("bag", bag)
        course.add(ev.TileDrawn(seat, tile))
        if fits_somewhere(course.state.board, tile):
            return
        course.add(ev.TileSetAside(seat, tile))
    _finish(course)


def _finish(course: Course) -> None:
    """Do the final scoring, then end the last turn and the game (new_world R11)."""
    seat = course.state.to_move
    assert seat is not None
    for event in list(final_scoring(course.state)):
        course.add(event)
    course.add(ev.TurnEnded(seat, None))
    course.add(GameEnded(outcome_by_points(course.state)))


# -- ends outside the rules ---------------------------------------------------------------------------


def resign(state: State, seat: str) -> tuple[Event, ...]:
    """Resign a seat. With two left the other wins; otherwise its turns are passed over from now on.

    Its settlers stay. A tile that it has drawn stays open and is laid by the next seat.
    """
    check(state, seat, Resign())
    gave_up = ev.SeatResigned(seat)
    if len(state.playing) == 2:
        (winner,) = (one for one in state.playing if one != seat)
        return gave_up, GameEnded(Outcome((winner,), RESIGNATION, dict(state.scores), {"resigned": seat}))
    if seat == state.to_move and not state.pending:
        after = apply(state, gave_up)
        return gave_up, ev.TurnEnded(seat, after.next_playing(seat))
    return (gave_up,)


def conclude(state: State, reason: str, winners: Sequence[str]) -> tuple[Event, ...]:
    """End the game from outside the rules, on the points as they stand."""
    if state.to_move is None:
        raise _game_is_over()
    known = tuple(seat for seat in state.seats if seat in winners)
    return (GameEnded(Outcome(known, reason, dict(state.scores))),)
