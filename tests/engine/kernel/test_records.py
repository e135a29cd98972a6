"""The game record: what is refused and where, and that what passes is the game."""

import json
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.titles.registry import TITLES
from engine.acres import ACRES
from engine.kernel import records
from engine.kernel.records import NotARecord, RecordRefused, first_difference
from engine.kernel.text import PlainSpeaker, say
from tests.support.acres_games import random_game

ENGLISH = PlainSpeaker(ACRES.name_of)
END, LOG = random_game(3, edition="second")
WHOLE = json.dumps(records.export(ACRES, LOG))


def fresh():
    """A record of a finished game that passes, to be spoiled."""
    return json.loads(WHOLE)


def load(data):
    return records.load(json.dumps(data), TITLES)


def refused(data):
    """Return the refusal of a well-formed record that contradicts the rules."""
    with pytest.raises(RecordRefused) as caught:
        records.verify(load(data))
    said = say(caught.value.why, ENGLISH)
    assert said.endswith((".", "?")) or said.startswith("Write it like this: ")
    return caught.value


def no_record(data, code):
    with pytest.raises(NotARecord) as caught:
        records.load(data if isinstance(data, str | bytes) else json.dumps(data), TITLES)
    assert caught.value.code == code
    assert say(caught.value.why, ENGLISH).endswith(".")


def turn_with(data, text):
    """Return the number of the first turn with such a step, and the place of the step, both from 1."""
    for number, turn in enumerate(data["turns"], 1):
        for index, step in enumerate(turn["steps"], 1):
            if text in json.dumps(step):
                return number, index
    raise AssertionError(text)


def test_a_record_that_is_right_passes():
    verified = records.verify(load(fresh()))
    turns = fresh()["turns"]
    assert (verified.turns, verified.steps) == (len(turns), sum(len(turn["steps"]) for turn in turns))


def test_unknown_keys_at_the_top_are_kept_and_ignored():
    loaded = load(fresh() | {"remark": "well played", "proof": {"algorithm": "x"}})
    assert loaded.other == {"remark": "well played", "proof": {"algorithm": "x"}}
    assert records.verify(loaded).turns


def test_a_record_without_states_is_still_played():
    data = fresh()
    for turn in data["turns"]:
        del turn["after"]
    assert records.verify(load(data)).turns == len(data["turns"])


def test_absent_options_have_their_default():
    data = fresh()
    del data["options"]
    assert records.verify(load(data)).turns == len(data["turns"])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"format": "chess"}, "record.format"),
        ({"format": None}, "record.format"),
        ({"version": 2}, "record.version"),
        ({"version": "1"}, "record.version"),
        ({"version": True}, "record.version"),
        ({"game": "chess"}, "record.game"),
        ({"game": ["acres"]}, "record.game"),
        ({"options": []}, "record.form"),
        ({"seats": "british"}, "record.form"),
        ({"seats": [1, 2]}, "record.form"),
        ({"setup": None}, "record.form"),
        ({"turns": {}}, "record.form"),
        ({"turns": [None]}, "record.form"),
        ({"turns": [{"seat": "british"}]}, "record.form"),
        ({"turns": [{"seat": "british", "steps": [{"say": "pass"}]}]}, "record.form"),
        ({"turns": [{"seat": "british", "steps": [{"do": 3}]}]}, "record.form"),
        ({"turns": [{"seat": "british", "steps": [{"do": "pass", "chance": "x"}]}]}, "record.form"),
        ({"turns": [{"seat": "british", "steps": [], "after": 3}]}, "record.form"),
        ({"result": "won"}, "record.form"),
    ],
)
def test_what_is_not_of_the_form_is_no_record(change, code):
    no_record(fresh() | change, code)


@pytest.mark.parametrize(
    "text",
    [b"", "{", WHOLE[:-40], "not a game", b"\xff\xfe\x00", b"\x00" * 50, "[" * 100_000, '{"a":' * 50_000, "[1,]"],
)  # fmt: skip
def test_what_is_no_json_is_no_record(text):
    no_record(text, "record.no_json")


@pytest.mark.parametrize("text", ["[]", "3", "null", '"acres"', "NaN"])
def test_a_record_is_an_object(text):
    with pytest.raises(NotARecord):
        records.load(text, TITLES)


def test_a_number_that_json_does_not_have_is_refused():
    text = (
        WHOLE.replace('"money": 12', '"money": NaN', 1) if '"money": 12' in WHOLE else WHOLE.replace(": 1", ": NaN", 1)
    )
    with pytest.raises((NotARecord, RecordRefused)):
        records.verify(records.load(text, TITLES))


@pytest.mark.parametrize("filler", [b"x", b"[", b'{"a":', b"1"])
def test_fifty_megabytes_of_nonsense_are_refused_at_once(filler):
    data = filler * (50 * 1024 * 1024 // len(filler))
    began = time.process_time()
    no_record(data, "record.too_large")
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "change",
    [
        {"options": {"edition": "third"}},
        {"options": {"edition": "second", "house_rules": True}},
        {"options": {"edition": "second", "reserve_limit": "many"}},
        {"options": {"edition": "second", "withdraw_is_free": 1}},
        {"seats": ["french", "british"]},
        {"seats": ["british", "red"]},
        {"seats": ["british"]},
        {"seats": []},
    ],
)
def test_unknown_options_and_seats_are_refused(change):
    with pytest.raises(RecordRefused) as caught:
        load(fresh() | change)
    assert (caught.value.turn, caught.value.step) == (0, 0)


def spoil_setup(data, how):
    mine = data["setup"]["british"]
    if how == "missing card":
        mine["draw"].pop()
    elif how == "double card":
        mine["draw"][0] = mine["hand"][0]
    elif how == "other colour":
        mine["draw"][0] = "quebec"
    elif how == "no such card":
        mine["draw"][0] = "xyzzy"
    elif how == "six in hand":
        mine["hand"].append(mine["draw"].pop())
    elif how == "no hand":
        del mine["hand"]
    elif how == "numbers":
        mine["hand"] = [1, 2, 3, 4, 5]
    elif how == "a third seat":
        data["setup"]["red"] = mine
    elif how == "no seat":
        del data["setup"]["french"]
    else:
        data["setup"] = {}


@pytest.mark.parametrize(
    "how",
    ["missing card", "double card", "other colour", "no such card", "six in hand", "no hand", "numbers", "a third seat",
     "no seat", "nothing"],
)  # fmt: skip
def test_a_setup_that_is_not_the_titles_decks_is_refused(how):
    data = fresh()
    spoil_setup(data, how)
    assert (refused(data).turn, refused(data).step) == (0, 0)


def test_a_hand_in_another_order_is_the_same_hand():
    data = fresh()
    data["setup"]["british"]["hand"].reverse()
    assert records.verify(load(data)).turns


def test_a_turn_out_of_order_is_refused():
    data = fresh()
    data["turns"][4]["seat"] = "french"
    why = refused(data)
    assert (why.turn, why.path, why.recorded, why.computed) == (5, "seat", "french", "british")


def test_a_turn_too_few_is_refused():
    data = fresh()
    del data["turns"][4]
    assert refused(data).turn == 5


def test_a_turn_too_many_is_refused():
    data = fresh()
    data["turns"].append({"seat": "british", "steps": [{"do": "pass"}]})
    assert refused(data).turn == len(data["turns"])


def test_a_step_too_many_is_refused():
    data = fresh()
    number = next(n for n, turn in enumerate(data["turns"]) if n > 2 and "chance" not in json.dumps(turn))
    steps = data["turns"][number]["steps"]
    steps.append({"do": "pass"})
    assert (refused(data).turn, refused(data).step) == (number + 1, len(steps))


def test_a_step_too_few_is_refused():
    data = fresh()
    data["turns"][6]["steps"] = data["turns"][6]["steps"][:1]
    assert refused(data).turn == 7


def test_steps_after_the_end_are_refused():
    data = fresh()
    data["turns"][-1]["steps"].append({"do": "pass"})
    assert refused(data).turn == len(data["turns"])


@pytest.mark.parametrize("line", ["settle quebec from boston with norfolk", "end", "block militia", "money", "dance"])
def test_an_illegal_step_is_refused_where_it_stands(line):
    data = fresh()
    data["turns"][2]["steps"][0] = {"do": line}
    assert (refused(data).turn, refused(data).step) == (3, 1)


def test_a_card_that_is_not_there_is_refused_where_it_stands():
    data = fresh()
    data["turns"][2]["steps"][0] = {"do": "discard siege-artillery"}
    why = refused(data)
    assert (why.turn, why.step, say(why.why, ENGLISH)) == (3, 1, "Siege Artillery is not in your hand.")


def test_an_answer_of_the_wrong_seat_is_refused():
    data = fresh()
    number, step = turn_with(data, '"by"')
    data["turns"][number - 1]["steps"][step - 1]["by"] = data["turns"][number - 1]["seat"]
    assert (refused(data).turn, refused(data).step) == (number, step)


def test_a_seat_that_does_not_exist_answers_nothing():
    data = fresh()
    number, step = turn_with(data, '"by"')
    data["turns"][number - 1]["steps"][step - 1]["by"] = "red"
    assert (refused(data).turn, refused(data).step) == (number, step)


def test_missing_chance_is_refused():
    data = fresh()
    number, step = turn_with(data, '"chance"')
    del data["turns"][number - 1]["steps"][step - 1]
    why = refused(data)
    assert (why.turn, why.step) == (number, step - 1)
    assert "missing" in say(why.why, ENGLISH)


def test_surplus_chance_is_refused():
    data = fresh()
    number, step = turn_with(data, '"chance"')
    data["turns"][number - 1]["steps"].append(data["turns"][number - 1]["steps"][step - 1])
    assert (refused(data).turn, refused(data).step) == (number, step + 1)


@pytest.mark.slow
def test_chance_in_the_wrong_turn_is_refused():
    data = fresh()
    number, step = turn_with(data, '"chance"')
    moved = data["turns"][number - 1]["steps"].pop(step - 1)
    data["turns"][number]["steps"].insert(0, moved)
    assert (refused(data).turn, refused(data).step) == (number + 1, 1)


@pytest.mark.parametrize(
    "line",
    ["shuffle british", "shuffle red: boston", "shuffle british: boston, boston", "shuffle british: quebec",
     "draw british: boston", "", "shuffle british: xyzzy"],
)  # fmt: skip
def test_chance_that_the_rules_do_not_give_is_refused_where_it_stands(line):
    data = fresh()
    number, step = turn_with(data, '"chance"')
    data["turns"][number - 1]["steps"][step - 1]["chance"] = line
    assert (refused(data).turn, refused(data).step) == (number, step)


def test_a_missing_card_of_a_shuffle_is_refused():
    data = fresh()
    number, step = turn_with(data, '"chance"')
    line = data["turns"][number - 1]["steps"][step - 1]["chance"]
    data["turns"][number - 1]["steps"][step - 1]["chance"] = line.rsplit(", ", 1)[0]
    assert (refused(data).turn, refused(data).step) == (number, step)


def test_the_first_difference_of_a_state_is_told():
    data = fresh()
    data["turns"][7]["after"]["seats"]["french"]["money"] += 1
    data["turns"][9]["after"]["seats"]["french"]["money"] += 1
    why = refused(data)
    assert (why.turn, why.path) == (8, "after.seats.french.money")
    assert why.recorded == why.computed + 1


def test_a_key_too_many_or_too_few_is_a_difference():
    data = fresh()
    data["turns"][3]["after"]["board"]["albany"] = None
    assert refused(data).path == "after.board.albany"
    data = fresh()
    del data["turns"][3]["after"]["board"]["boston"]
    why = refused(data)
    assert (why.path, why.recorded) == ("after.board.boston", "(nothing)")


@pytest.mark.parametrize(
    ("recorded", "computed", "found"),
    [
        ({"a": [1, 2]}, {"a": [1, 3]}, ("after.a[1]", 2, 3)),
        ({"a": [1]}, {"a": [1, 3]}, ("after.a", [1], [1, 3])),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, ("after.a.c", "(nothing)", 2)),
        ({"a": 1, "z": 2}, {"a": 1}, ("after.z", 2, "(nothing)")),
        ({"a": None}, {"a": {}}, ("after.a", None, {})),
        ({"a": [{"b": 0}]}, {"a": [{"b": False}]}, ("after.a[0].b", 0, False)),
    ],
)
def test_the_path_of_a_difference(recorded, computed, found):
    assert first_difference(recorded, computed) == found


def test_what_python_takes_for_equal_is_a_difference_in_a_record():
    """False is not 0, and 5.0 is not 5."""
    data = fresh()
    data["turns"][3]["after"]["board"]["boston"]["fort"] = 0
    why = refused(data)
    assert (why.turn, why.path) == (4, "after.board.boston.fort")
    assert (why.recorded, why.computed) == (0, False) and why.recorded is not why.computed
    data = fresh()
    money = data["turns"][5]["after"]["seats"]["french"]["money"]
    data["turns"][5]["after"]["seats"]["french"]["money"] = float(money)
    why = refused(data)
    assert (why.turn, why.path) == (6, "after.seats.french.money")
    data = fresh()
    data["result"]["score"] = {seat: float(points) for seat, points in data["result"]["score"].items()}
    assert refused(data).path.startswith("result.score.")


def test_a_finished_game_must_have_its_result():
    data = fresh()
    del data["result"]
    assert refused(data).path == "result"


@pytest.mark.parametrize(
    ("key", "value"),
    [("winner", "nobody"), ("reason", "home-taken"), ("score", {"british": 0, "french": 0}), ("trigger", [])],
)
def test_a_result_that_the_rules_do_not_give_is_refused(key, value):
    data = fresh()
    data["result"][key] = value
    assert refused(data).path.startswith(f"result.{key}")


def unfinished(length=40):
    return json.loads(json.dumps(records.export(ACRES, LOG[:length])))


def test_an_end_by_the_rules_cannot_be_claimed_before_it_comes():
    data = unfinished() | {"result": fresh()["result"]}
    assert refused(data).path == "result" or refused(data).step


@pytest.mark.parametrize(
    "result",
    [
        {"winner": "french", "reason": "resignation", "resigned": "british"},
        {"winner": "french", "reason": "time"},
        {"winner": None, "reason": "agreed"},
    ],
)
def test_an_end_outside_the_rules_is_taken_as_given(result):
    data = unfinished()
    score = dict(ACRES.view(list(records.replay(load(data)))[-1].state, None)["score"])
    assert records.verify(load(data | {"result": result | {"score": score}})).turns
    wrong = data | {"result": result | {"score": {"british": 99, "french": 0}}}
    assert refused(wrong).path == "result.score.british"


@pytest.mark.parametrize(
    "result",
    [
        {"winner": "french", "reason": "resignation", "resigned": "red"},
        {"winner": "french", "reason": "resignation"},
        {"winner": "red", "reason": "time"},
        {"winner": ["french"], "reason": "time"},
        {"winner": {}, "reason": "agreed"},
        {"winners": 3, "reason": "agreed"},
        {"winners": [[]], "reason": "agreed"},
        {"winner": "french", "reason": "boredom"},
        {"winner": "french", "reason": ["time"]},
        {},
    ],
)
def test_a_result_that_makes_no_sense_is_refused(result):
    assert refused(unfinished() | {"result": result}).path.startswith("result")


def test_replaying_gives_the_log_again():
    played = [one.entry for one in records.replay(load(fresh()))]
    assert [entry.events for entry in played] == [entry.events for entry in LOG]
    assert played[-1].events[-1].outcome == END.outcome


SPOILS = [None, 0, -1, 1.5, "", "pass", [], {}, [None], {"do": "pass"}, {"chance": ""}, True, "é" * 30]


def places(value, path=()):
    """Return the path to every part of a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_a_record_with_any_part_spoiled_passes_or_is_refused(source: random.Random):
    data = unfinished(12)
    path = source.choice([path for path in places(data) if path])
    part = data
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = source.choice(SPOILS)
    try:
        records.verify(load(data))
    except (NotARecord, RecordRefused) as why:
        assert say(why.why, ENGLISH)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_as_no_record(data):
    with pytest.raises(NotARecord):
        records.load(data, TITLES)
