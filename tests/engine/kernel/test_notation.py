"""The common part of the notation: words, folding, half-remembered names."""

import pytest

from engine.kernel.notation import LONGEST_LINE, NameTable, Phrase, closest, fold, join, words
from engine.kernel.refusals import Unreadable

TABLE = NameTable(
    "fruit",
    {
        "red-apple": ["Red Apple", "Pomme rouge"],
        "green-apple": ["Green Apple", "Pomme verte"],
        "pear": ["Pear (small)", "Poire"],
        "peach": ["Peach", "Pêche"],
    },
)


def find(text, at_hand=(), among=None):
    return TABLE.find(Phrase(text, 5, 5 + len(text)), at_hand, among)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Fort St. John", "fort-st-john"),
        ("Québec", "quebec"),
        ("TROIS-RIVIÈRES", "trois-rivieres"),
        ("St. Mary’s", "st-marys"),
        ("St. Mary's", "st-marys"),
        ("  a  b ", "a-b"),
        ("ﬁre", "fire"),
        ("!?", ""),
        ("", ""),
    ],
)
def test_folding_leaves_letters_digits_and_hyphens(text, folded):
    assert fold(text) == folded


def test_words_know_where_they_stand():
    line = "raid  Fort St. John: a, b"
    found = words(line)
    assert [word.text for word in found] == ["raid", "Fort", "St.", "John", ":", "a", ",", "b"]
    assert all(line[word.start : word.end] == word.text for word in found)
    assert join(found[1:4], line) == Phrase("Fort St. John", 6, 19)
    assert join(found[1:4], line).span == (6, 19)


def test_a_line_that_is_too_long_is_refused():
    assert words("a" * LONGEST_LINE)
    with pytest.raises(Unreadable, match="too_long"):
        words("a" * (LONGEST_LINE + 1))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("red-apple", "red-apple"),
        ("RED APPLE", "red-apple"),
        ("pomme verte", "green-apple"),
        ("pear", "pear"),
        ("Pear (small)", "pear"),
        ("PÊCHE", "peach"),
        ("red", "red-apple"),
        ("verte", "green-apple"),
        ("pec", "peach"),
    ],
)
def test_a_name_is_found(text, key):
    assert find(text) == key


def test_a_name_that_fits_several_is_refused_unless_one_is_at_hand():
    with pytest.raises(Unreadable) as caught:
        find("apple")
    assert (caught.value.code, caught.value.word) == ("name.ambiguous", (5, 10))
    assert find("apple", at_hand=["green-apple"]) == "green-apple"
    assert find("apple", among=frozenset({"red-apple", "pear"})) == "red-apple"


def test_an_exact_id_wins_over_what_is_at_hand():
    assert find("pear", at_hand=["peach"]) == "pear"


@pytest.mark.parametrize("text", ["plum", "", "???"])
def test_an_unknown_name_is_refused_with_its_place(text):
    with pytest.raises(Unreadable) as caught:
        find(text)
    assert (caught.value.code, caught.value.word) == ("name.unknown", (5, 5 + len(text)))


def test_what_does_not_exist_for_the_asker_is_unknown():
    with pytest.raises(Unreadable, match="unknown"):
        find("pear", among=frozenset({"peach"}))


def test_two_names_without_a_comma_are_told_so():
    with pytest.raises(Unreadable, match=r"name\.comma") as refused:
        find("pear red apple")
    assert "pear, red apple" in repr(refused.value.why) and refused.value.word == (5, 19)


def test_a_slip_is_answered_with_what_looks_like_it():
    with pytest.raises(Unreadable) as caught:
        find("gren apple")
    assert "green-apple" in repr(caught.value.why)
    assert closest("RADE", ["raid", "trade", "pass"])[0] == "trade"
    assert closest("xyz", ["raid", "trade", "pass"]) == ()
