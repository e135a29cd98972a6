"""Shows how a late entry changes the next round of a Swiss event or of tables, whose pairings depend on results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.base.refusals import NotAccepted
from app.leagues.pure import table_rounds
from app.leagues.pure.model import PAIRING_BYE
from app.leagues.pure.terms import Format
from app.leagues.rounds import pairing, schedule
from app.leagues.tables import RoundStatus

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.leagues.pure.model import Competitor
    from app.leagues.pure.tasks import Task
    from app.leagues.tables import Competition, CompetitionRound, Division


@dataclass(frozen=True, slots=True)
class ForeseenGame:
    """A game of the next round as it would be: the names in the order of the seats; whether the draft has it too."""

    names: tuple[str, ...]
    stays: bool


@dataclass(frozen=True, slots=True)
class ForeseenRound:
    """The round in which a late entry begins."""

    number: int
    sizes: tuple[int, ...]
    """How many sit at each game, with the late entry; rounds off and requested byes are not counted."""
    had: tuple[int, ...]
    """The same without the late entry."""
    free: int
    """How many have no opponent, with the late entry."""
    games: tuple[ForeseenGame, ...]
    """The games as a new draft would pair them; None if there is no draft or pairing it takes long."""
    bye: str
    """The player who would have the bye; empty if nobody, or if the games are not known."""
    by_hand: bool
    """The draft has games seated by hand, which would be lost."""


def next_round(
    session: Session,
    event: Competition,
    division: Division,
    newcomer: Competitor,
    player_id: int,
    there: Sequence[CompetitionRound],
) -> ForeseenRound:
    """Return the next round with and without a newcomer, who may already be an entrant. Changes nothing."""
    draft = next((round for round in there if round.status == RoundStatus.DRAFT), None)
    people = [one for one in schedule.people(session, event, division) if one.id != newcomer.id]
    number = newcomer.joined
    before = sum(one.as_competitor().is_paired_in(number) for one in people)
    sizes = _sizes(event, before + 1)
    by_hand = draft is not None and any(one.code == "pair.by_hand" for match in draft.matches for one in match.reasons)
    found = ForeseenRound(number, sizes, _sizes(event, before), before + 1 - sum(sizes), (), "", by_hand)
    if draft is None or event.format != Format.SWISS:
        return found
    try:
        task = pairing.next_task(session, event, division, there, number)
    except NotAccepted:  # a result before the draft is open again
        return found
    with_them = _with(session, event, division, task, newcomer, player_id)
    if with_them.is_long:
        return found
    made = with_them.work_out()
    names = {one.id: one.name for one in people} | {newcomer.id: newcomer.name}
    seated = {tuple(seat.entry_id for seat in match.seats) for match in draft.matches}
    games = tuple(ForeseenGame(tuple(names[one] for one in pair.seats), pair.seats in seated) for pair in made.pairings)
    bye = next((names[one.entrant] for one in made.byes if one.kind == PAIRING_BYE), "")
    return replace(found, games=games, bye=bye)


def _sizes(event: Competition, players: int) -> tuple[int, ...]:
    """Return how many sit at each game of a round of so many players."""
    if event.format != Format.TABLES:
        return (2,) * (players // 2)
    return tuple(table_rounds.sizes(players, pairing.table_terms(event))[0])


def _with(
    session: Session, event: Competition, division: Division, task: Task, newcomer: Competitor, player_id: int
) -> Task:
    """Return the draft's task with the newcomer added."""
    people = schedule.people(session, event, division)
    order = (*(one for one in task.order if one.id != newcomer.id), newcomer)
    blocks = pairing.blocks_of(session, people, {player_id: newcomer.id})
    return replace(task, order=order, blocks=frozenset(blocks))
