"""Running sentences of a log together: what a player did in succession is told with their name once, what they did
twice is told once, and what belongs together stands below its heading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from markupsafe import Markup, escape

from app.base.words.speech import Voice
from engine.kernel.text import Name, Text, say

ACTOR_FIRST = "{seat} "
"""How a sentence begins that tells what an actor did."""
MOST = 4
"""The number of deeds in one sentence; the next one begins with the name again."""


class Sentence(str):
    """A sentence of a log. `who` is the name with which it begins if it tells what an actor did, `heading` the words
    with which it begins if others below the same heading may follow; else they are empty."""

    __slots__ = ("heading", "who")
    heading: str
    who: str


class OwnLine(str):
    """A sentence on a line of its own, below a heading."""

    __slots__ = ()


def sentence_of(text: Text, voice: Voice) -> Sentence:
    """Return an engine's text as a sentence of the log."""
    said = Sentence(say(text, voice))
    actor, heading = text.values.get("seat"), text.values.get("heading")
    who = say(actor, voice) if isinstance(actor, Name) and text.template.startswith(ACTOR_FIRST) else ""
    said.who = who if who and said.startswith(f"{who} ") else ""
    said.heading = say(heading, voice) if isinstance(heading, Text) else ""
    return said


def run_on(sentences: Iterable[str], voice: Voice) -> list[str]:
    """Return the sentences, with neighbours about one actor joined: `Ann drafted Ships; took 3 coins with Boston.`

    A sentence with parts of its own stands alone. Neighbours below one heading follow it, each as an `OwnLine`.
    """
    told: list[str] = []
    for heading, group in groupby(sentences, key=lambda one: one.heading if isinstance(one, Sentence) else ""):
        if heading:
            told += [OwnLine(heading), *(OwnLine(one.removeprefix(heading).lstrip()) for one in group)]
        else:
            told += _of_actors(group, voice)
    return told


def paragraph(said: Iterable[str]) -> Markup:
    """Return sentences that have been run on, one after another, and each `OwnLine` on its own line."""
    told, before = Markup(""), ""
    for one in said:
        apart = Markup("<br>") if isinstance(one, OwnLine) or isinstance(before, OwnLine) else Markup(" ")
        told, before = told + (apart if told else "") + escape(one), one
    return told


def _of_actors(sentences: Iterable[str], voice: Voice) -> list[str]:
    runs: list[tuple[str, list[str], list[int]]] = []
    for sentence in sentences:
        who = sentence.who if isinstance(sentence, Sentence) and sentence.endswith(".") and ";" not in sentence else ""
        deed = sentence.removeprefix(f"{who} ").removesuffix(".") if who else sentence
        if who and runs and runs[-1][0] == who and runs[-1][1][-1] == deed and ":" not in deed:
            runs[-1][2][-1] += 1
        elif who and runs and runs[-1][0] == who and len(runs[-1][1]) < MOST:
            runs[-1][1].append(deed)
            runs[-1][2].append(1)
        else:
            runs.append((who, [deed], [1]))
    return [f"{who} {voice.clauses(_times(deeds, times, voice))}." if who else deeds[0] for who, deeds, times in runs]


def _times(deeds: Sequence[str], times: Sequence[int], voice: Voice) -> list[str]:
    """Return each deed with how often it was done."""
    return [deed if n == 1 else voice.say(_often(deed, n)) for deed, n in zip(deeds, times, strict=True)]


def _often(deed: str, times: int) -> Text:
    return Text("{deed} twice", deed=deed) if times == 2 else Text("{deed} {n} times", deed=deed, n=times)
