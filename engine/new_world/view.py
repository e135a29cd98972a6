"""What a seat or a spectator sees, as plain data. Everything but the order of the bag is public, so views differ only
in which tiles are new to the reader."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engine.new_world import options
from engine.new_world.board import Board, Gap, coast_numbers
from engine.new_world.ending import BY_POINTS, final_scoring, unfinished_value
from engine.new_world.events import UnfinishedScored
from engine.new_world.features import Feature, Settler, find
from engine.new_world.geometry import FIRST_SIDE_PORT, HALVES_OF_SIDE, SIDES, STEPS, around, letter_at, side_of
from engine.new_world.orders import gained, results
from engine.new_world.parts import open_cells, rim
from engine.new_world.placement import FEATURE_OF_LETTER
from engine.new_world.references import Reference, parse_reference
from engine.new_world.rules import decision
from engine.new_world.scoring import completed_value, is_complete, majority, tiles_of
from engine.new_world.state import SURVEYORS, State
from engine.new_world.tiles import SETTLER_OF, TileKind


def view(state: State, seat: str | None) -> dict[str, Any]:
    """Return the view of a seat, or of a spectator (None).

    `features` are the unfinished ones, those with settlers first, each with its `parts`, the segments that form it;
    once the game is over the completed ones come last. `quiet` are the other features of the board: plains and farms
    without settlers and, before the end, those that are complete. `cells` are the empty cells where the drawn tile
    fits; `recent` counts the tiles at the end of `laid` that came since the seat's last turn. `pending` are the
    features whose order of scoring is to be chosen, and `orders` what each order with a different end brings; `marked`
    has, for each feature with a letter on the map (A and so on), the segments where it stands. `final` are the features
    that were scored at the end of the game.
    """
    owed = decision(state)
    outcome = state.outcome
    names = _names_of_features(state)
    by_points = outcome is not None and outcome.reason == BY_POINTS
    final = [_final(one) for one in final_scoring(state)] if by_points else []
    pending = [_pending(state, reference) for reference in state.pending]
    features, quiet = _features(state, names)
    return {
        "title": "new-world",
        "seat": seat,
        "options": options.write(state.options),
        "exact": state.board.tiles.exact,
        "seats": list(state.seats),
        "start": state.start,
        "resigned": list(state.resigned),
        "turn": state.turn,
        "to_move": state.to_move,
        "decision": None if owed is None else {"seat": owed.seat, "kind": owed.kind},
        "tile": None if state.tile is None else _tile(state.board.tiles.kinds[state.tile]),
        "bag": len(state.bag),
        "left": dict(sorted(Counter(state.bag).items())),
        "set_aside": list(state.set_aside),
        "surveyors": dict(zip(SURVEYORS, state.surveyors, strict=True)),
        "scores": dict(state.scores),
        "supply": dict(state.supply),
        "settlers": [_settler(state.board, settler) for settler in state.settlers],
        "laid": _laid(state),
        "recent": _recent(state, seat),
        "last": None if state.last is None else list(state.last),
        "features": features,
        "quiet": quiet,
        "cells": _cells(state, names),
        "pending": pending,
        "orders": _orders(state) if state.pending else [],
        "marked": [one["here"] for one in pending] or [[one["at"]] for one in final],
        "final": final,
        "over": state.over,
        "outcome": None
        if outcome is None
        else {"winners": list(outcome.winners), "reason": outcome.reason, "by_rules": outcome.reason == BY_POINTS},
    }


def _laid(state: State) -> list[dict[str, Any]]:
    return [
        {"x": x, "y": y, "tile": one.tile, "rotation": one.rotation, "seat": one.seat, "turn": one.turn}
        for (x, y), one in state.board.laid.items()
    ]


def _orders(state: State) -> list[dict[str, Any]]:
    return [{"features": list(one.order), **gained(one.events)} for one in results(state, state.pending)]


def _final(event: UnfinishedScored) -> dict[str, Any]:
    """Return a feature scored at the end: its settlers do not go home, so the settlers standing there name it again."""
    return {"at": event.feature, "kind": event.kind, "value": event.value, "gains": dict(event.gains)}


def _tile(kind: TileKind) -> dict[str, Any]:
    return {
        "id": kind.id,
        "edges": kind.edges,
        "rotations": list(kind.rotations),
        "segments": [
            {
                "id": segment.id,
                "kind": segment.kind,
                "settler": SETTLER_OF[segment.kind],
                "sides": [SIDES[side] for side in sorted({side_of(port) for port in segment.ports})],
                "extras": segment.extras,
                "ends": segment.ends,
            }
            for segment in kind.segments
        ],
    }


def _settler(board: Board, settler: Settler) -> dict[str, str]:
    kind = board.kind_at(settler.x, settler.y)
    segment = kind.segments[kind.index[settler.segment]]
    return {"seat": settler.seat, "at": settler.at, "segment": settler.segment, "settler": SETTLER_OF[segment.kind]}


def _recent(state: State, seat: str | None) -> int:
    """Return how many tiles were laid since the seat's last turn, its own of this turn included; a spectator sees the
    last round."""
    tiles = list(state.board.laid.values())
    own = [one.turn for one in tiles if one.seat == seat and one.turn < state.turn]
    since = own[-1] if own else 0
    if seat not in state.seats:
        since = state.turn - len(state.playing) - (0 if state.over else 1)
    return sum(one.turn > since for one in tiles)


def _names_of_features(state: State) -> dict[int, Reference]:
    """Return for each whole feature a segment that names it: under a settler if there is one, else where it began."""
    board = state.board
    found: dict[int, Reference] = {}
    for settler in state.settlers:
        number = board.number_at(settler.x, settler.y, settler.segment)
        found.setdefault(number, Reference(settler.x, settler.y, settler.segment))
    for (x, y), one in board.laid.items():
        for segment, number in zip(board.tiles.kinds[one.tile].segments, one.numbers, strict=True):
            found.setdefault(find(board.links, number), Reference(x, y, segment.id))
    for space in board.tiles.start:
        for port, at_port in _west_of_space(board, space.row):
            segment_id = space.segments[space.piece.segment_at[port]].id
            found.setdefault(find(board.links, at_port), Reference(0, space.row, segment_id))
    return found


def _west_of_space(board: Board, row: int) -> list[tuple[int, int]]:
    """Return the ports of a start space's west side with their features' numbers, while the cell beside it is empty."""
    gap = board.gap_at(1, row)
    if gap is None:
        return []
    own_port = {2: 7, 3: 6, 9: 11}
    return [(own_port[port], number) for port, number in gap.contacts if port in own_port]


# -- features ---------------------------------------------------------------------------------------


def _features(state: State, names: dict[int, Reference]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the listed features, and the quiet ones."""
    beside, parts = open_cells(state.board), _parts(state.board)
    found: list[dict[str, Any]] = []
    quiet: list[dict[str, Any]] = []
    for number, name in names.items():
        feature = state.board.features[number]
        complete = is_complete(state.board, feature, name)
        is_quiet = not state.over if complete else not feature.settlers and feature.kind in ("plain", "farm")
        entry = {**_feature(state, feature, name), "complete": complete, "parts": parts[number]}
        if feature.kind == "farm":
            missing = [cell for cell in around(name.x, name.y) if not state.board.is_filled(*cell)]
            entry["open_at"] = [f"{x},{y}" for x, y in missing if x > 0]
            entry["never_complete"] = any(x < 1 for x, _ in missing)
        else:
            open_at = beside.get(number, [])
            entry["open_at"] = list(dict.fromkeys(open_at))
            # A road or town that meets the sea beyond the board's ends stays open (new_world A18).
            entry["never_complete"] = feature.kind != "plain" and feature.open > len(open_at)
        (quiet if is_quiet else found).append(entry)
    found.sort(key=lambda entry: (not entry["settlers"], entry["complete"]))
    return found, quiet


def _parts(board: Board) -> dict[int, list[str]]:
    """Return for each whole feature, by number, the segments that form it: on the coast, and on tiles in the order of
    laying."""
    found: dict[int, list[str]] = {}
    for space, numbers in zip(board.tiles.start, coast_numbers(board.tiles), strict=True):
        for segment, number in zip(space.segments, numbers, strict=True):
            found.setdefault(find(board.links, number), []).append(f"0,{space.row}:{segment.id}")
    for (x, y), one in board.laid.items():
        for segment, number in zip(board.tiles.kinds[one.tile].segments, one.numbers, strict=True):
            found.setdefault(find(board.links, number), []).append(f"{x},{y}:{segment.id}")
    return found


def _feature(state: State, feature: Feature, name: Reference) -> dict[str, Any]:
    board, chosen = state.board, state.options
    return {
        "at": str(name),
        "kind": feature.kind,
        "tiles": tiles_of(board, chosen, feature),
        "extras": feature.extras,
        "open": feature.open,
        "settlers": [_settler(board, settler) for settler in feature.settlers],
        "owners": list(majority(state.seats, feature.settlers)) if feature.settlers else [],
        "worth_at_end": unfinished_value(board, chosen, feature, name),
        "worth_complete": None if feature.kind == "plain" else completed_value(board, chosen, feature),
    }


def _pending(state: State, reference: str) -> dict[str, Any]:
    """Return a completed feature, distinguished from the others by its `rim` on the tile just laid, or by its own cell;
    `here` are its segments on that tile."""
    board, at = state.board, parse_reference(reference)
    number = board.number_at(*at)
    laid = board.laid[at.x, at.y]
    kind = board.tiles.kinds[laid.tile]
    here = tuple(
        segment.id for segment, one in zip(kind.segments, laid.numbers, strict=True) if find(board.links, one) == number
    )
    told = _feature(state, board.features[number], at)
    return {
        **told,
        "rim": list(rim(kind, laid.rotation, here)),
        "here": [str(Reference(at.x, at.y, segment)) for segment in here],
    }


# -- cells ------------------------------------------------------------------------------------------


def _cells(state: State, names: dict[int, Reference]) -> list[dict[str, Any]]:
    if state.tile is None or state.pending or state.over:
        return []
    fits = state.board.tiles.kinds[state.tile].fits
    return [_cell(state, gap, fits[gap.pattern], names) for gap in state.board.gaps if fits[gap.pattern]]


def _cell(state: State, gap: Gap, rotations: tuple[int, ...], names: dict[int, Reference]) -> dict[str, Any]:
    """Return an empty cell and what lies on its touching sides."""
    board = state.board
    at_port = {port: find(board.links, number) for port, number in gap.contacts}
    sides = {}
    for side, (dx, dy) in enumerate(STEPS):
        letter = letter_at(gap.pattern, side)
        if letter == "-":
            continue
        port = HALVES_OF_SIDE[side][0] if letter == "P" else FIRST_SIDE_PORT + side
        number = at_port[port]
        x, y = gap.x + dx, gap.y + dy
        sides[SIDES[side]] = {
            "cell": f"{x},{y}",
            "space": board.tiles.start[y].key if x == 0 else None,
            "kind": FEATURE_OF_LETTER[letter],
            "feature": str(names[number]) if number in names else None,
            "settlers": [settler.seat for settler in board.features[number].settlers],
        }
    return {"x": gap.x, "y": gap.y, "rotations": list(rotations), "sides": sides}
