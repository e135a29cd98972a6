"""Questions that may come before a seat's next turn, as rows of a form: each with its answers in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from app.play.turn.playing import lines_about
from app.titles.parts import PlainParts
from engine.kernel.title import Foreseen, Title

KEEP = "="
"""The value that keeps the orders as they are, if they say more than one of the answers."""


@dataclass(frozen=True, slots=True)
class AheadChoice:
    """One answer: what a form sends for it, its words, and whether it is already given."""

    value: str
    said: Markup
    given: bool


@dataclass(frozen=True, slots=True)
class AheadRow:
    """A question, or several similar ones that take the same answer."""

    name: str
    """Its field: the heads of its lines, `raid on halifax; raid on pemaquid`."""
    kind: str
    said: Markup
    certain: bool
    choices: Sequence[AheadChoice]
    given: str
    """The current orders: the value of an answer, "" for none, `KEEP` for something else."""
    unanswered: Markup
    """What happens without an order."""


def rows_ahead(
    title: Title,
    parts: PlainParts,
    state: object,
    seat: str,
    standing: Sequence[str],
    *,
    alike: bool,
) -> list[AheadRow]:
    """Return the rows for a seat. `alike`: questions of one
    kind about equal values are one row."""
    asked = title.foreseen(state, seat)
    together = [list(group) for _, group in groupby(asked, key=lambda one: (one.kind, one.worth, alike or one.about))]
    found = []
    for group in together:
        # The question for everything else stands alone: its answer counts if the others give none.
        about = [one for one in group if one.about] or group
        found += [_row(parts, some, standing) for some in (about, [one for one in group if one not in about])]
    return [row for row in found if row is not None]


def _row(parts: PlainParts, group: Sequence[Foreseen], standing: Sequence[str]) -> AheadRow | None:
    if not group:
        return None
    first = group[0]
    common = [tail for tail in _tails(first) if all(tail in _tails(one) for one in group)]
    stands = {_given(one, standing, common) for one in group}
    given = stands.pop() if len(stands) == 1 else KEEP
    about = {"kind": first.kind, "head": first.head, "about": first.about, "worth": first.worth}
    about["places"] = [one.about for one in group]
    return AheadRow(
        "; ".join([one.head for one in group]),
        first.kind,
        parts.question(about),
        first.certain,
        [AheadChoice(tail, parts.answer_ahead(about, tail), tail == given) for tail in common],
        given,
        parts.unanswered(about),
    )


def _tails(one: Foreseen) -> list[str]:
    """Return its answers without the common beginning of their lines; several lines of an answer follow one another."""
    return ["; ".join([_tail(line) for line in answer.splitlines()]) for answer in one.answers]


def _given(one: Foreseen, standing: Sequence[str], tails: Sequence[str]) -> str:
    lines = lines_about(standing, one.head, one.about)
    said = "; ".join([_tail(line) for line in lines])
    own = all(line.partition(":")[0] == one.head for line in lines)
    return said if not lines or (own and said in tails) else KEEP


def _tail(line: str) -> str:
    return line.partition(":")[2].strip()


def answers_in(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the answers in the fields of a form, by the head of their lines: these lines, or "" to be asked. Leaves
    out what is to stay as it is."""
    found = {}
    for name, value in fields.items():
        for head in name.split("; ") if value != KEEP else ():
            found[head] = "\n".join([f"{head}: {tail.strip()}" for tail in value.split(";") if tail.strip()])
    return found
