"""The computer as an entrant: in unrated events it fills a seat that would stay empty."""

from __future__ import annotations

from collections.abc import Sequence

from app.base.process.config import Config
from app.base.words.refusals import NotAccepted
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries
from app.leagues.tables import Competition, Entrant, EntrantStatus
from app.people import accounts
from engine.kernel.search import levels_of
from engine.kernel.text import Text


def why_not(config: Config, event: Competition, people: Sequence[Entrant]) -> Text | None:
    """Return why the computer fills no seat in an event with these entrants; None if it can."""
    if event.terms.rated:
        return Text("The computer plays only in events whose games do not count for ratings.")
    is_simple = event.plays.by_points and not event.finals and not event.boards and len(event.divisions) == 1
    if not (is_simple and config.thinkers and levels_of(event.title)):
        return Text("In this event the computer does not play.")
    playing = sum(one.status == EntrantStatus.ENTERED for one in people)
    if not playing % event.sizes[0]:
        return Text("No seat is left over, so the computer is not needed.")
    return None


def enter(acting: Acting, config: Config, level: str) -> None:
    """Enter the computer at a level in an event, which is locked; it takes nobody's place.

    Raises NotAccepted where it does not play.
    """
    session, event = acting.session, acting.event
    people = entries.entrants(session, event.id)
    if no := why_not(config, event, people):
        raise NotAccepted("entry.computer", no)
    if level not in [one.name for one in levels_of(event.title)]:
        raise NotAccepted("computer.level", Text("Choose one of what is offered."))
    player_id = accounts.find_or_add_computer(session, level, acting.now)
    mine = next((one for one in people if one.player_id == player_id), None)
    if mine is not None and mine.status == EntrantStatus.ENTERED:
        raise NotAccepted("entry.computer", Text("This computer plays already; choose another level."))
    joined = entries.first_round(session, event)
    if mine is not None:
        entries.need_free_place(session, event, mine)
    entries.enter_in(acting, player_id, mine, joined=joined)
