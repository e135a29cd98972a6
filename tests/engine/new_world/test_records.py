"""Records: the reference games, our own ones, and games cut short or damaged."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engine.kernel import records
from engine.kernel.refusals import Unreadable
from engine.new_world import NEW_WORLD
from tests.support.new_world import drawing, plains_and_a_town, position
from tests.support.new_world_games import random_game

TITLES = {"new-world": NEW_WORLD}
ROOT = Path(__file__).resolve().parents[3]
REFERENCE = ROOT.parent / "shared" / "reference" / "new_world" / "records"
OWN = ROOT / "tests" / "records" / "new_world"


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


@pytest.mark.parametrize("path", [*files(REFERENCE), *files(OWN)], ids=lambda path: path.stem)
def test_a_recorded_game_is_played_exactly(path: Path) -> None:
    """Every turn and every state of a recorded game; and it is exported as it was, with what was usual then named."""
    record = records.as_begun(records.load(path.read_bytes(), TITLES))
    entries = [played.entry for played in records.replay(record)]
    known = ("format", "version", "game", "options", "seats", "setup", "turns", "result")
    data = json.loads(path.read_bytes()) | {"options": NEW_WORLD.write_options(record.options)}
    assert records.export(NEW_WORLD, entries) == {key: data[key] for key in known if key in data}


def a_record(seed: int = 4, seats: int = 3) -> dict[str, Any]:
    entries = random_game(seed, seats)
    data: dict[str, Any] = json.loads(json.dumps(records.export(NEW_WORLD, entries)))
    return data


def verify(data: dict[str, Any]) -> None:
    records.verify(records.from_data(data, TITLES))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_game_survives_the_round_trip(seats: int) -> None:
    """A record of an engine-made game verifies."""
    verify(a_record(seats, seats))


def test_a_record_may_stop_behind_any_turn() -> None:
    """notation: a record may stop before the end of the game."""
    data = a_record()
    del data["result"]
    del data["turns"][40:]
    verify(data)


def refused(data: dict[str, Any]) -> records.RecordRefused:
    with pytest.raises(records.RecordRefused) as refusal:
        verify(data)
    return refusal.value


def test_a_wrong_score_is_named_with_turn_and_path() -> None:
    """records.md: the first difference is reported with the turn, the path of the key and both values."""
    data = a_record()
    data["turns"][10]["after"]["scores"]["red"] += 1
    why = refused(data)
    assert (why.turn, why.path) == (11, "after.scores.red") and why.recorded == why.computed + 1


def test_an_illegal_step_is_named() -> None:
    """records.md"""
    data = a_record()
    data["turns"][0]["steps"][-1] = {"do": "place 5,5 0"}
    assert refused(data).turn == 1


def test_a_tile_that_is_not_in_the_bag_is_refused() -> None:
    """notation: the kind must still have a copy in the bag."""
    data = a_record()
    data["turns"][0]["steps"][0] = {"chance": "draw nw-99"}
    assert refused(data).turn == 1


def test_a_tile_with_a_legal_place_cannot_be_set_aside() -> None:
    """notation: a reader checks that there was no legal place."""
    data = a_record()
    data["turns"][1]["steps"].insert(0, copy.deepcopy(data["turns"][-1]["steps"][0]))
    assert refused(data).turn == 2


def test_a_turn_that_chance_alone_ends_is_recorded_and_replayed() -> None:
    """new_world R5.4, notation: if the bag runs out with an unplaceable tile, the turn ends there."""
    options = NEW_WORLD.read_options({"tile_set": plains_and_a_town()})
    chance = drawing(*["nw-01"] * 94, "nw-07")
    state: Any = None
    log = [records.Entry(None, None, NEW_WORLD.open(options, ("red", "blue"), chance))]
    for event in log[0].events:
        state = NEW_WORLD.apply(state, event)
    while (owed := NEW_WORLD.decision(state)) is not None:
        action = NEW_WORLD.legal(state)[0]
        events = NEW_WORLD.play(state, owed.seat, action, chance)
        log.append(records.Entry(owed.seat, action, events))
        for event in events:
            state = NEW_WORLD.apply(state, event)
    data = records.export(NEW_WORLD, log)
    assert (len(data["turns"]), data["turns"][-1]["steps"]) == (95, [{"chance": "draw nw-07"}])
    verify(json.loads(json.dumps(data)))


@pytest.mark.parametrize(
    "setup",
    [{"start": "white"}, {"bag": 72}, {"surveyors": {"north": 1, "south": 0}}, {"stack": []}],
)
def test_a_setup_that_is_not_this_games_is_refused(setup: dict[str, Any]) -> None:
    """records.md: a setup that is not the title's decks or bag"""
    options = NEW_WORLD.read_options({})
    with pytest.raises(Unreadable) as refusal:
        NEW_WORLD.opened_from_record(options, ("red", "blue"), setup)
    assert refusal.value.code.startswith("setup.")


def test_another_seat_may_begin() -> None:
    """notation: setup.start is the seat that begins"""
    opened = NEW_WORLD.opened_from_record(NEW_WORLD.read_options({}), ("red", "blue"), {"start": "blue"})
    assert NEW_WORLD.apply(None, opened).to_move == "blue"
    heading = NEW_WORLD.heading_of_record(opened, secrets=False)
    assert heading["setup"] == {"start": "blue", "surveyors": {"north": 0, "south": 0}, "bag": 95}


@pytest.mark.parametrize("line", ["draw", "take nw-01", "draw nw-01 nw-02", ""])
def test_a_chance_line_of_another_form_is_refused(line: str) -> None:
    """notation: draw TILE"""
    with pytest.raises(Unreadable):
        NEW_WORLD.read_chance(line)


def test_settlers_are_listed_by_colour_cell_and_segment() -> None:
    """notation, STATE"""
    state = position("nw-01 1,0 0; nw-01 1,3 0; nw-43 1,2 90", settlers="blue 1,0:p0; red 1,3:f0; red 1,2:r0")
    listed = [(one["seat"], one["at"], one["segment"]) for one in NEW_WORLD.after(state)["settlers"]]
    assert listed == [("red", "1,2", "r0"), ("red", "1,3", "f0"), ("blue", "1,0", "p0")]


@pytest.mark.parametrize("at", [0, 5, 30])
def test_resignations_are_recorded_and_replayed(at: int) -> None:
    """notation, step `resign`: of the seat on turn, of another seat, and the one that ends the game."""
    verify(json.loads(json.dumps(records.export(NEW_WORLD, random_game(at, 4, resign_every=at + 1)))))
