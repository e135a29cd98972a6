"""The way on from a page with nothing left to decide: this game, my games, and the next game that waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.base.links import TurnLink
from app.play import mine
from app.web import visit
from app.web.pages import time_left
from app.web.reader import house

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.speech import Voice
    from app.people.signin import Person


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game that waits, in words, and where it is."""

    path: str
    is_turn: bool
    """Whether the path is that of the turn itself; otherwise it is the page that everybody may see."""
    game_id: int
    title: str
    others: str
    deadline: str
    left: str
    more: int


def onward(
    session: Session, voice: Voice, game_id: int, player_id: int | None, *, by_link: bool
) -> tuple[Person | None, NextGame | None]:
    """Who is signed in as this player, and what waits for the player next.

    A link is the right to one seat of one game. So whoever comes by it alone is told of the next game what its page
    tells everybody, and gets no link to a turn of it; with `by_link` false, by a link that has ended, not even that.
    """
    me = visit.person(session)
    if me is None or me.id != player_id:
        me = None
    if player_id is None or not (me or by_link):
        return me, None
    found = mine.next_waiting(session, player_id, game_id)
    if found is None:
        return me, None
    path = f"/games/{found.game_id}"
    if me:
        path = f"/t/{house().links.turn_token(TurnLink(found.game_id, found.seat, found.number, player_id))}"
    about = voice.about(found.title)
    others = voice.join([name or about.name("seat", seat) for seat, name in found.opponents])
    until = found.deadline_at
    return me, NextGame(
        path,
        me is not None,
        found.game_id,
        voice.gettext(found.title.name),
        others,
        voice.moment(until) if until else "",
        time_left(voice, until, datetime.now(UTC)) if until else "",
        found.more if me else 0,
    )


def points(view: object) -> dict[str, int]:
    """The points of each seat as they stand, by the view of a title that counts them."""
    if not isinstance(view, dict):
        return {}
    return dict(view.get("scores") or view.get("score") or {})
