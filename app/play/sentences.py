"""Sentences of a log that run on: what somebody did one after another is told with their name once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.kernel.text import Name, Text, say

if TYPE_CHECKING:
    from app.base.speech import Voice

ACTOR_FIRST = "{seat} "
"""How a sentence begins that tells what somebody did."""
MOST = 4
"""So many deeds stand in one sentence; the next one begins with the name again."""


class Sentence(str):
    """A sentence of a log; `who` is the name that it begins with where it tells what somebody did, else empty."""

    __slots__ = ("who",)
    who: str


def sentence_of(text: Text, voice: Voice) -> Sentence:
    """An engine's text as a sentence of the log."""
    said = Sentence(say(text, voice))
    actor = text.values.get("seat")
    who = say(actor, voice) if isinstance(actor, Name) and text.template.startswith(ACTOR_FIRST) else ""
    said.who = who if who and said.startswith(f"{who} ") else ""
    return said


def run_on(sentences: Iterable[str], voice: Voice) -> list[str]:
    """The sentences, neighbours about one actor put together: `Ann drafted Ships; took 3 coins with Boston.`

    A sentence that has parts of its own stands alone.
    """
    runs: list[tuple[str, list[str]]] = []
    for sentence in sentences:
        who = sentence.who if isinstance(sentence, Sentence) and sentence.endswith(".") and ";" not in sentence else ""
        if who and runs and runs[-1][0] == who and len(runs[-1][1]) < MOST:
            runs[-1][1].append(sentence.removeprefix(f"{who} "))
        else:
            runs.append((who, [sentence]))
    return [
        clauses[0] if len(clauses) == 1 else voice.clauses([one.removesuffix(".") for one in clauses]) + "."
        for _, clauses in runs
    ]
