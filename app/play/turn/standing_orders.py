"""What a seat says in advance: standing orders, and the end of its turn while another seat answers. Nobody else sees it
before it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text
from engine.kernel.title import Title

MOST_STANDING = 60


def read_standing(title: Title, lines: Sequence[str]) -> list[str]:
    """Return the canonical lines of standing orders."""
    said = [" ".join(line.split()) for line in lines if line.strip()]
    if len(said) > MOST_STANDING:
        raise Unreadable(
            "standing.too_many",
            Text("These are {n} lines; the limit is {most}.", n=len(said), most=MOST_STANDING),
        )
    return title.write_standing(title.read_standing(said))


def lines_about(standing: Sequence[str], head: str, about: str) -> list[str]:
    """Return the lines that decide a question with this head, or that name its subject together with others."""
    word = head.partition(" ")[0]

    def fits(line: str) -> bool:
        its = line.partition(":")[0]
        return its == head or (bool(about) and about in its.replace(",", " ").split()[1:] and its.split()[0] == word)

    return [line for line in standing if fits(line)]


def answered_ahead(standing: Sequence[str], answers: Mapping[str, str]) -> list[str]:
    """Return standing orders with the answers given to foreseen questions; `answers` maps what stands before the colon
    to one or more lines. An empty answer means to be asked.

    The first line that fits decides, so specific lines stand before all others, and those about the rest (`raid:
    allow`) after them.
    """
    kept = [line for line in standing if line.partition(":")[0] not in answers]
    first = [line for head, answer in answers.items() if " " in head for line in answer.splitlines()]
    last = [line for head, answer in answers.items() if " " not in head for line in answer.splitlines()]
    return [*first, *kept, *last]
