"""The text part of a mail, made from the markup of its letter; and what the templates of mails look like."""

from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from app.base.words.i18n import LANGUAGES
from app.post.letters.plain import in_words
from app.post.letters.render import labelled, part
from tests.support.running import ROOT

LETTER = """
<h1>bob, alice &amp; carol   play
a game of Carcassonne: New World, in which “yes” &lt;and&gt; “no” are answers.</h1>
<div class="sheet"><h2>The order</h2>
<ul class="small">
<li>Red: alice, who has a name that is so long that a line is not enough for it and its bullet</li>
<li>Blue · <a href="https://example.org/2?a=1&amp;b=2">game 2</a></li>
</ul></div>
<p>Come!<br>Now.</p><p></p>
<ul><li>Let it happen</li>
<li class="order">an order that is longer than the others, since whoever copies it needs it in one line</li></ul>
<table class="facts"><tr><td>1. bob</td><td>12</td></tr>
<tr><td><img src="cid:x" alt=""></td><td>2. alice</td></tr></table>
<table class="lines"><tr><td class="when">Today</td></tr>
<tr><td><a href="https://example.org/3"><img src="cid:y" alt=""></a></td>
<td><a href="https://example.org/3"><b>#3</b> Ferry</a><br>You are late.</td></tr>
<tr><td><a href="https://example.org/4"><b>#4</b> Acres</a></td></tr></table>
<p><a href="https://example.org/week">The week: Vendée</a> ·
<a href="https://example.org/no">Not now</a> · <a href="https://example.org/">Away? Leave stops your clocks.</a></p>
<pre>--\x20
  Post Road
</pre>
"""
TEXT = """bob, alice & carol play a game of Carcassonne: New World, in which “yes”
<and> “no” are answers.

The order

- Red: alice, who has a name that is so long that a line is not enough
  for it and its bullet
- Blue · game 2:
  https://example.org/2?a=1&b=2

Come!
Now.

- Let it happen
    an order that is longer than the others, since whoever copies it needs it in one line

1. bob: 12
2. alice

Today

#3 Ferry
You are late.
https://example.org/3

#4 Acres
https://example.org/4

The week: Vendée
https://example.org/week
Not now:
https://example.org/no
Away? Leave stops your clocks.
https://example.org/

--\x20
  Post Road
"""


def test_a_letter_in_markup_is_a_letter_in_words() -> None:
    assert in_words(LETTER, partial(labelled, "en")) == TEXT


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_a_link_end_with_the_colon_of_their_language(language: str) -> None:
    text = in_words('<p><a href="x:y">Go</a></p>', partial(labelled, language))
    assert text == ("Go\N{NO-BREAK SPACE}:\nx:y\n" if language == "fr" else "Go:\nx:y\n")


@given(said=st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), min_size=1, max_size=60))
def test_what_somebody_says_is_never_markup(said: str) -> None:
    markup = f"<p>{escape(said)}</p><pre>{escape(said)}</pre><ul><li>{escape(said)}</li></ul>"
    assert in_words(markup, str) == f"{said}\n\n{said}\n\n- {said}\n"


def test_a_subject_keeps_what_markup_would_escape() -> None:
    assert (
        part("echo", "subject", "en", {"subject_line": "Tom & Jerry’s <game> &amp;\nover"})
        == "Tom & Jerry’s <game> &amp; over"
    )
    assert part("echo", "gist", "en", {}) == ""


def test_the_templates_of_mails_can_be_read_line_by_line() -> None:
    """At most 140 characters besides a sentence, which is never broken, and three statements."""
    for file in sorted((ROOT / "templates/mail").rglob("*.html")):
        for line in file.read_text(encoding="utf-8").splitlines():
            assert len(line) <= 140 or len(re.sub(r'"[^"]*"', "", line)) <= 70, (file.name, line)
            assert line.count("{%") <= 3, (file.name, line)
