"""The rows of "my games", put together as strings: the page is opened more than any other, and Jinja's macros cost ten
times as much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from html import escape

from markupsafe import Markup

from app.base.i18n import catalogue
from app.base.speech import Voice
from app.games.tables import GameStatus
from app.play.mine import MyGame
from app.web.pages import time_left
from engine.kernel.text import N_

_SENTENCES = {
    "plays": N_("you play %(seat)s"),
    "mine": N_("It is for you to decide"),
    "theirs": N_("%(name)s decides"),
    "turn": N_("turn %(n)s"),
    "until": N_("until %(moment)s"),
    "overdue": N_("overdue"),
    "waiting": N_("waiting for players"),
    "invited": N_("you are invited, or the host"),
    "cancelled": N_("the game is cancelled"),
    "won": N_("Won by: %(winners)s."),
    "mine-won": N_("You have won."),
    "nobody": N_("Nobody has won."),
}


@cache
def _sentences(lang: str) -> dict[str, str]:
    known = catalogue(lang)
    return {name: known.gettext(sentence) for name, sentence in _SENTENCES.items()}


def rows(games: Sequence[MyGame], voice: Voice, now: datetime) -> Markup:
    """One list item for each game."""
    said = _sentences(voice.lang)
    return Markup("\n".join([_row(game, voice, said, now) for game in games]))


def _row(game: MyGame, voice: Voice, said: dict[str, str], now: datetime) -> str:
    title, lang = game.title, voice.lang

    def side(seat: str) -> str:
        return str(title.name_of("seat", seat, lang))

    others = voice.join([name or side(seat) for seat, name in game.opponents])
    head = voice.gettext(title.name) + (f" · {others}" if others else "")
    plays = f" <small>{said['plays'] % {'seat': escape(side(game.seat))}}</small>" if game.seat else ""
    mine = ' class="new"' if game.is_mine_to_decide else ""
    return (
        f'<li{mine}><a href="/games/{game.id}">{escape(head)}</a>{plays}<br>{_state(game, voice, said, side, now)}</li>'
    )


def _state(game: MyGame, voice: Voice, said: dict[str, str], side: Callable[[str], str], now: datetime) -> str:
    if game.status == GameStatus.RUNNING:
        if game.is_mine_to_decide:
            decides = f"<strong>{said['mine']}</strong>"
        else:
            decides = said["theirs"] % {"name": escape(game.decider or side(game.decides or ""))}
        return f"{decides}, {said['turn'] % {'n': game.turn}}{_deadline(game, voice, said, now)}"
    if game.status == GameStatus.OPEN:
        return said["waiting"] if game.seat else said["invited"]
    if game.status == GameStatus.CANCELLED:
        return said["cancelled"]
    ended = f" <small>{escape(voice.moment(game.ended_at))}</small>" if game.ended_at else ""
    return _result(game, voice, said, side) + ended


def _deadline(game: MyGame, voice: Voice, said: dict[str, str], now: datetime) -> str:
    if game.deadline_at is None:
        return ""
    left = time_left(voice, game.deadline_at, now)
    rest = f"({escape(left)})" if left else f'<strong class="late">{said["overdue"]}</strong>'
    return f" <small>· {said['until'] % {'moment': escape(voice.moment(game.deadline_at))}} {rest}</small>"


def _result(game: MyGame, voice: Voice, said: dict[str, str], side: Callable[[str], str]) -> str:
    """Who has won, by a record's result."""
    data = game.result or {}
    winners = data.get("winners")
    if winners is None:
        winners = [data["winner"]] if data.get("winner") else []
    if not winners:
        return said["nobody"]
    if winners == [game.seat]:
        return said["mine-won"]
    names = dict(game.opponents)
    return said["won"] % {"winners": escape(voice.join([names.get(seat) or side(seat) for seat in winners]))}
