"""Pairing numbers after the start and before the first round: previewed, taken from a season, set by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.numbers import whole
from app.base.words.refusals import Conflict, NotAccepted
from app.base.words.speech import FORMER_PLAYER
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries, matches, round_rows
from app.leagues.rounds import pairing, seeding, stages
from app.leagues.rounds.seeding import SeedSource
from app.leagues.tables import Competition, CompetitionStatus, Entrant, EntrantStatus
from engine.kernel.text import Counted, Text


@dataclass(frozen=True, slots=True)
class Numbering:
    """The players of an event in an order, with its source."""

    order: tuple[Entrant, ...]
    source: SeedSource | None
    """None: the current numbers."""


def why_not(session: Session, event: Competition) -> Text | None:
    """Return why the numbers of an event cannot be set; None if they can."""
    if event.boards:
        return Text("Teams have their numbers by the ratings of their first players.")
    if event.status in (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP):
        return Text("The start gives everybody a pairing number; from then until the first round they can be changed.")
    if event.status != CompetitionStatus.RUNNING:
        return Text("The event is not running.")
    published, drafts = round_rows.of_event(session, event.id)
    if published or (event.plays.by_challenge and drafts):
        return Text("The first round is published, so the pairing numbers stay as they are.")
    return None


def numbered(session: Session, event: Competition) -> list[Entrant]:
    """Return the entrants to be numbered, in their current order."""
    return [one for one in entries.entrants(session, event.id) if one.status == EntrantStatus.ENTERED and one.seed]


def propose(session: Session, event: Competition, key: str = "") -> Numbering:
    """Return the players in the order of a source (`seeding.find`), or in their current order.

    Changes nothing. Raises NotAccepted.
    """
    playing = numbered(session, event)
    if not key:
        return Numbering(tuple(playing), None)
    source = seeding.find(session, event, key)
    return Numbering(tuple(seeding.order_of(session, event, playing, source)), source)


def read(people: Sequence[Entrant], given: Mapping[int, str]) -> list[int]:
    """Return the entrants in the order of the numbers typed for them.

    Raises NotAccepted, which names invalid, repeated and missing numbers.
    """
    count, by_number = len(people), dict[int, list[Entrant]]()
    for one in people:
        typed = given.get(one.id, "").strip()
        number = whole(typed, most=count, least=1)
        if number is None:
            why = Text(
                "{player} needs a whole number from 1 to {n}, not “{given}”.",
                player=_called(one),
                n=count,
                given=typed[:20],
            )
            raise NotAccepted("numbers.number", why)
        by_number.setdefault(number, []).append(one)
    twice = next(((number, there) for number, there in sorted(by_number.items()) if len(there) > 1), None)
    if twice is not None:
        missing = [str(number) for number in range(1, count + 1) if number not in by_number]
        why = Counted(
            "{players} have both number {number}; nobody has number {missing}.",
            "{players} have both number {number}; nobody has the numbers {missing}.",
            n=len(missing),
            players=tuple(map(_called, twice[1])),
            number=twice[0],
            missing=tuple(missing),
        )
        raise NotAccepted("numbers.twice", why)
    return [there[0].id for _, there in sorted(by_number.items())]


def _called(entrant: Entrant) -> str | Text:
    return entrant.name or Text(FORMER_PLAYER)


def put(acting: Acting, order: Sequence[int]) -> bool:
    """Number the players of an event, which is locked, in this order (entrants, all of them once); return False if
    nothing changed.

    Drafts of the first round are thrown away, and groups are dealt again. Setting the order from before the last change
    undoes it. Raises NotAccepted.
    """
    session, event = acting.session, acting.event
    against = why_not(session, event)
    if against is not None:
        raise NotAccepted("numbers.fixed", against)
    if any(pairing.open_job(session, one.id) is not None for one in event.divisions):
        raise pairing.at_work()
    before = [one.id for one in numbered(session, event)]
    if sorted(order) != sorted(before):
        raise Conflict("numbers.changed", Text("Somebody has come or gone meanwhile; look at the numbers again."))
    if list(order) == before:
        return False
    undone = seeding.last_change(session, event)
    _write(session, event, order)
    _, drafts = round_rows.of_event(session, event.id)
    for round in drafts:
        matches.delete_draft(session, round.id)
    values = {"order": list(order)} | ({"drafts": len(drafts)} if drafts else {})
    act = acting.write("event.numbers", before={"order": before}, after=values)
    if undone is not None and act is not None and undone[1] == list(order):
        audit.mark_undone(session, undone[0], act)
    return True


def _write(session: Session, event: Competition, order: Sequence[int]) -> None:
    """Write the numbers; players who have left already come after everybody else."""
    gone = [one.id for one in entries.entrants(session, event.id) if one.seed and one.id not in set(order)]
    for number, entrant in enumerate([*order, *gone], 1):
        session.exec(sa.update(Entrant).where(col(Entrant.id) == entrant).values(seed=number))
    if event.finals:
        stages.put(session, event.entry_divisions, order)
