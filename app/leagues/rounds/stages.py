"""Events of groups and finals: the groups dealt at the start, and the finals among those who go through.

The groups are divisions of level 2, each a round robin; the event's own division, of level 1, holds the finals, a
knock-out. Entries belong to their group permanently; the players of the finals are in the finals' first round.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.clubs import club_rights
from app.leagues.events import entries, round_rows
from app.leagues.pure.pairing import stages
from app.leagues.results import standings
from app.leagues.rounds import schedule
from app.leagues.tables import Competition, Division, Entrant, EntrantStatus, RoundStatus
from engine.kernel.text import Text


def deal(session: Session, event: Competition, order: Sequence[Entrant]) -> None:
    """Deal the entrants, best seed first, into groups, and put each into its division. Raises NotAccepted."""
    groups = event.terms.groups
    if groups is None:
        raise NotAccepted("stages.groups", Text("Say how many groups there are, in the terms of the event."))
    if len(event.divisions) != 1:
        raise NotAccepted("stages.divisions", Text("An event of groups and finals has one division of its own."))
    if len(order) < 2 * groups or len(order) // groups < event.terms.through:
        raise NotAccepted(
            "stages.few",
            Text(
                "{n} players are too few for {groups} groups of which {through} each go through.",
                n=len(order),
                groups=groups,
                through=event.terms.through,
            ),
        )
    club = club_rights.get(session, event.club_id)
    voice = Voice(club.language, club.zone)
    names = [voice.gettext("Group {letter}", letter=stages.letter(at)) for at in range(groups)]
    made = [Division(event_id=event.id, name=name, level=2) for name in names]
    session.add_all(made)
    session.flush()
    put(session, made, [entrant.id for entrant in order])


def put(session: Session, groups: Sequence[Division], order: Sequence[int]) -> None:
    """Deal the entrants, best seed first, into these groups."""
    for group, there in zip(groups, stages.snake(order, len(groups)), strict=True):
        session.exec(sa.update(Entrant).where(col(Entrant.id).in_(there)).values(division_id=group.id))


def seeds_of(session: Session, event: Competition, finals: Division, number: int) -> Sequence[int]:
    """Return the entrants of the finals in the order of seeds, for a round of them. NotAccepted while a group plays."""
    return round_rows.final_seeds(session, finals.id) if number > 1 else through(session, event)


def still_plays(session: Session, event: Competition, group: Division) -> bool:
    """Whether a group has rounds that are not closed, or not paired yet."""
    there = round_rows.rounds_of(session, group.id, drafts=True)
    unplayed = any(round.status != RoundStatus.CLOSED for round in there)
    return unplayed or schedule.left(session, event, group, there) > 0


def through(session: Session, event: Competition, there: Collection[int] = ()) -> list[int]:
    """Return the entrants that go through, in the order of seeds for the finals.

    Players of the same group do not meet at once if that can be avoided. Players who have left are out, unless they are
    already `there`. Raises NotAccepted while a group still plays.
    """
    tables = []
    for group in event.entry_divisions:
        if still_plays(session, event, group):
            raise NotAccepted("stages.playing", Text("{group} still plays; close its rounds first.", group=group.name))
        table = standings.standing_of(session, event, group).places
        people = entries.entrants(session, event.id, division_id=group.id)
        stays = {one.id for one in people if one.status == EntrantStatus.ENTERED and one.seed} | set(there)
        tables.append([place.entrant for place in table if place.entrant in stays])
    if any(len(table) < event.terms.through for table in tables):
        raise NotAccepted("stages.left", Text("Too many have left a group; nobody is there to go through."))
    return stages.final_order(stages.through(tables, event.terms.through))
