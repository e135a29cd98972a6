"""Data classes to JSON data and back."""

import json
from dataclasses import dataclass, field

import pytest

from engine.kernel.codec import Codec, StoredOtherwise


@dataclass(frozen=True)
class Moved:
    seat: str
    cards: tuple[str, ...] = ()
    price: int = 0
    free: bool = False
    inner: object = None
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    what: Moved


CODEC = Codec([Moved, Done])


@pytest.mark.parametrize(
    "value",
    [
        Moved("red"),
        Moved("red", ("a", "b"), 3, True, None, {"x": 1}),
        Moved("red", inner=Moved("blue", inner=("a", Done(Moved("green"))))),
        Done(Moved("red", price=-1)),
        ("a", 1, None, True, {"k": ("v",)}),
    ],
)
def test_a_value_survives_json(value):
    assert CODEC.from_json(json.loads(json.dumps(CODEC.to_json(value)))) == value


def test_fields_at_their_default_are_left_out():
    assert CODEC.to_json(Moved("red", price=2)) == {"is": "Moved", "seat": "red", "price": 2}
    assert CODEC.to_json(Moved("")) == {"is": "Moved", "seat": ""}


def test_an_old_log_without_a_new_field_is_read():
    assert CODEC.from_json({"is": "Moved", "seat": "red"}) == Moved("red")


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        ({"is": "Gone"}, "there is no class Gone in its codec"),
        ({"is": "Moved"}, "Moved is stored without seat; give what came later a default"),
        ({"is": "Moved", "seat": "red", "colour": 1}, "Moved is stored with colour, which has to stay"),
    ],
)
def test_what_an_older_version_stored_otherwise_is_named(stored, why):
    """T7"""
    with pytest.raises(StoredOtherwise, match=why):
        CODEC.from_json(stored)


@pytest.mark.parametrize("value", [1.5, {1, 2}, object(), Moved("red", inner=1.5)])
def test_what_json_does_not_have_is_refused(value):
    with pytest.raises(TypeError):
        CODEC.to_json(value)


def test_two_classes_of_one_name_are_refused():
    with pytest.raises(ValueError, match="Moved"):
        Codec([Moved, type("Moved", (Moved,), {})])
