"""Links onward from a page with nothing left to decide: this game, the list of games, and the next game that waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlmodel import Session

from app.base.links import TurnLink
from app.base.words.speech import Voice
from app.people.signin import Person
from app.play.lists import my_games
from app.titles.registry import TITLES
from app.web import visit
from app.web.pages import time_left
from app.web.reader import server


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game that waits, in words, and the path of its turn."""

    path: str
    game_id: int
    title: str
    others: str
    deadline: str
    left: str
    more: int


def onward(
    session: Session, voice: Voice, game_id: int, player_id: int | None, *, by_link: bool
) -> tuple[Person | None, NextGame | None]:
    """Return who is signed in as this player, and what waits for the player next.

    A link is the right to one seat of one game. A reader with nothing but the link is led to the player's next decision
    only by the POST that has just sealed this one (`by_link`), which needs the link that was owed; an ended link
    reveals nothing about other games, nor does any link to a reader signed in as another player.
    """
    somebody = visit.person(session)
    me = somebody if somebody is not None and somebody.id == player_id else None
    by_link = by_link and somebody is None
    if player_id is None or not (me or by_link):
        return me, None
    found = my_games.next_waiting(session, player_id, game_id)
    if found is None:
        return me, None
    path = f"/t/{server().links.turn_token(TurnLink(found.id, found.seat, found.number, player_id))}"
    title = TITLES[found.title]
    about = voice.about(title)
    opponents = my_games.opponents(session, found.id, found.seat)
    others = voice.join([about.called(seat, name) for seat, name in opponents])
    until = found.deadline_at
    return me, NextGame(
        path,
        found.id,
        voice.gettext(title.name),
        others,
        voice.moment(until) if until else "",
        time_left(voice, until, datetime.now(UTC)) if until else "",
        found.waiting - 1,
    )
