"""Sentences that can be shown in any language."""

import pytest

from engine.kernel.refusals import IllegalAction, NotToDecide, Refusal, Unreadable
from engine.kernel.text import Counted, Name, PlainSpeaker, Text, names, say

NAMES = {("card", "ships", "fr"): "Navires", ("card", "ships", "en"): "Ships", ("card", "rangers", "en"): "Rangers"}


class French(PlainSpeaker):
    """A speaker with translations."""

    def gettext(self, message):
        return {"{card} is gone.": "{card} : perdu."}.get(message, message)

    def ngettext(self, singular, plural, n):
        return "{n} carte" if n < 2 else "{n} cartes"


ENGLISH = PlainSpeaker(lambda kind, key, lang: NAMES[kind, key, lang])
FRENCH = French(lambda kind, key, lang: NAMES[kind, key, lang], "fr")


def test_a_text_is_said_in_the_speakers_language():
    text = Text("{card} is gone.", card=Name("card", "ships"))
    assert (say(text, ENGLISH), say(text, FRENCH)) == ("Ships is gone.", "Navires : perdu.")


@pytest.mark.parametrize(
    ("n", "english", "french"), [(0, "0 cards", "0 carte"), (1, "1 card", "1 carte"), (2, "2 cards", "2 cartes")]
)
def test_a_counted_text_follows_the_speakers_plural(n, english, french):
    text = Counted("{n} card", "{n} cards", n=n)
    assert (say(text, ENGLISH), say(text, FRENCH)) == (english, french)


def test_values_are_said_too():
    text = Text("{a}; {b}; {c}", a=names("card", ["ships", "rangers"]), b=Text("x{n}", n=3), c=())
    assert say(text, ENGLISH) == "Ships, Rangers; x3; "


def test_a_value_is_never_read_as_a_template():
    assert say(Text("“{word}”", word="{card}"), ENGLISH) == "“{card}”"


def test_texts_are_equal_by_template_and_values():
    assert Text("{a}", a=1) == Text("{a}", a=1)
    assert hash(Text("{a}", a=1)) == hash(Text("{a}", a=1))
    assert Text("{a}", a=1) != Text("{a}", a=2) and Text("{a}", a=1) != Text("{b}", b=1)
    assert Counted("{n} card", "{n} cards", n=1) != Counted("{n} card", "{n} cartes", n=1)
    assert Text("{n}", n=1) != Counted("{n}", "{n}", n=1)
    assert Name("card", "ships") == Name("card", "ships") != Name("place", "ships")


@pytest.mark.parametrize("kind", [Unreadable, NotToDecide, IllegalAction])
def test_a_refusal_has_code_sentence_rule_and_word(kind):
    refusal = kind("code.here", Text("No."), rule="R4.1", word=(1, 2))
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.rule, refusal.word, say(refusal.why, ENGLISH)) == ("code.here", "R4.1", (1, 2), "No.")
    assert str(refusal).startswith("code.here (R4.1)")
