"""R13 End of the game and scoring; the immediate wins of R5.5 and R9.8."""

from __future__ import annotations

from engine.acres.data import BRITISH, FRENCH, OTHER, PLACES, SEATS, TOWN, TOWN_POINTS, VILLAGE_POINTS
from engine.acres.state import State
from engine.kernel.title import GameEnded, Outcome

CAPTURED_POINTS_TO_END = 12  # R13.2


def captured_points(state: State, seat: str) -> int:
    """Return 2 for each captured village and 4 for each town (R13.4)."""
    player = state.players[seat]
    return VILLAGE_POINTS * player.captured_villages + TOWN_POINTS * player.captured_towns


def worth(place: str, piece: str) -> int:
    """Return what a piece there is worth to its owner: the printed points, doubled for a town (R13.4)."""
    return PLACES[place].points * (2 if piece == TOWN else 1)


def points_of(state: State, place: str) -> int:
    """Return what a held place is worth to its owner."""
    return worth(place, state.board.holdings[place].piece)


def score(state: State) -> dict[str, int]:
    """Return the printed points of the places held, doubled for a town, plus captured pieces (R13.4)."""
    points = {seat: captured_points(state, seat) for seat in SEATS}
    for place, holding in state.board.holdings.items():
        points[holding.owner] += points_of(state, place)
    return points


def pieces_placed(state: State, seat: str) -> tuple[str, ...]:
    """Return the kinds of piece that this seat has placed completely (R13.2 (a)); none while a siege delays that
    end."""
    if state.sieges and state.edition.placement_end_needs_no_siege:
        return ()
    player = state.players[seat]
    stock = (("towns-placed", player.towns), ("villages-placed", player.villages))
    return tuple([trigger for trigger, left in stock if not left])


def end_triggers(state: State, seat: str) -> tuple[str, ...]:
    """Return what ends the game as this seat's turn begins (R13.2); empty if nothing does."""
    placed = pieces_placed(state, seat)
    # An end by (a) during a siege keeps (b) out of the reasons (RULING R13.2).
    if state.sieges or captured_points(state, seat) < CAPTURED_POINTS_TO_END:
        return placed
    return (*placed, "captured-points")


def end_on_points(state: State, seat: str, triggers: tuple[str, ...]) -> GameEnded:
    """End the game on points: more points win, a tie is French (R13.5)."""
    points = score(state)
    winner = BRITISH if points[BRITISH] > points[FRENCH] else FRENCH
    return GameEnded(Outcome((winner,), "points", points, {"ended_by": seat, "trigger": triggers}))


def home_taken(state: State, winner: str, place: str) -> GameEnded:
    """End the game with a capital taken (R5.5, R9.8); the points are for information (R13.4)."""
    return GameEnded(Outcome((winner,), "home-taken", score(state), {"where": place}))


def resignation(state: State, seat: str) -> GameEnded:
    """Return an end outside the rules: the other seat wins."""
    return GameEnded(Outcome((OTHER[seat],), "resignation", score(state), {"resigned": seat}))


def concluded(state: State, reason: str, winners: tuple[str, ...]) -> GameEnded:
    """Return an end outside the rules, as the server or a record tells it."""
    return GameEnded(Outcome(winners, reason, score(state)))
