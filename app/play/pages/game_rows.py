"""The rows of "my games", put together as strings: the page is opened more than any other, and Jinja's macros cost ten
times as much."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from html import escape

from markupsafe import Markup

from app.base.i18n import catalogue
from app.base.speech import Voice
from app.games.tables import GameStatus
from app.play.mine import MyGame
from app.play.pages import small_boards
from app.web.pages import time_left
from engine.kernel.text import N_

_SENTENCES = {
    "plays": N_("you play %(seat)s"),
    "mine": N_("It is for you to decide"),
    "theirs": N_("%(name)s decides"),
    "held": N_("Your turn goes out at %(moment)s"),
    "turn": N_("turn %(n)s"),
    "until": N_("until %(moment)s"),
    "overdue": N_("overdue"),
    "waiting": N_("waiting for players"),
    "hosts": N_("your table: waiting for players"),
    "invited": N_("you are invited"),
    "cancelled": N_("the game is cancelled"),
    "won": N_("Won by: %(winners)s."),
    "mine-won": N_("You have won."),
    "nobody": N_("Nobody has won."),
    "you": N_("you"),
}


NO_POINTS: Mapping[int, Mapping[str, int]] = {}


@cache
def _sentences(lang: str) -> dict[str, str]:
    known = catalogue(lang)
    return {name: known.gettext(sentence) for name, sentence in _SENTENCES.items()}


Points = Mapping[int, Mapping[str, int]]
"""The points of each seat, by game."""


def rows(games: Sequence[MyGame], voice: Voice, now: datetime, points: Points = NO_POINTS) -> Markup:
    """One list item for each game."""
    said = _sentences(voice.lang)
    return Markup("\n".join([_row(game, voice, said, now, points) for game in games]))


def groups(games: Sequence[MyGame], voice: Voice, now: datetime, points: Points) -> list[tuple[str, Markup]]:
    """The games, most urgent first, under headings: what waits for the reader, tables, others on turn, what is over."""
    parted: dict[int, list[MyGame]] = {}
    for game in games:
        parted.setdefault(game.urgency[0], []).append(game)
    heads = {
        0: voice.ngettext("{n} game waits for you", "{n} games wait for you", len(parted.get(0, ()))),
        1: voice.gettext("Tables that fill"),
        2: voice.gettext("Others are on turn"),
        3: voice.gettext("Ended lately"),
    }
    return [
        (heads[group].format(n=len(within)), rows(within, voice, now, points))
        for group, within in sorted(parted.items())
    ]


def _row(game: MyGame, voice: Voice, said: dict[str, str], now: datetime, points: Points) -> str:
    title, lang = game.title, voice.lang

    def side(seat: str) -> str:
        return str(title.name_of("seat", seat, lang))

    others = voice.join([name or side(seat) for seat, name in game.opponents])
    head = voice.gettext(title.name) + (f" · {others}" if others else "")
    plays = f" <small>{said['plays'] % {'seat': escape(side(game.seat))}}</small>" if game.seat else ""
    looks = "new" if game.is_mine_to_decide and not game.held_until else ""
    board = small_boards.address(game.id, title.id, game.entries, lang) if game.status in _HAS_BOARD else ""
    if board:  # beside it stand the words, which say all that the row says
        looks = f"{looks} boarded".strip()
        board = f'<img src="{escape(board)}" alt="" width="84" height="84" loading="lazy">'
    names = dict(game.opponents)
    if game.seat:
        names[game.seat] = said["you"]
    scored = [f"{escape(names.get(seat) or side(seat))}&nbsp;{n}" for seat, n in points.get(game.id, {}).items()]
    score = f"<br><small>{' · '.join(scored)}</small>" if scored else ""
    attribute = f' class="{looks}"' if looks else ""
    state = _state(game, voice, said, side, now)
    return f'<li{attribute}>{board}<a href="/games/{game.id}">{escape(head)}</a>{plays}<br>{state}{score}</li>'


_HAS_BOARD = (GameStatus.RUNNING, GameStatus.OVER)


def _state(game: MyGame, voice: Voice, said: dict[str, str], side: Callable[[str], str], now: datetime) -> str:
    if game.status == GameStatus.RUNNING:
        if game.held_until:
            return said["held"] % {"moment": escape(voice.hour(game.held_until))}
        if game.is_mine_to_decide:
            decides = f"<strong>{said['mine']}</strong>"
        else:
            decides = said["theirs"] % {"name": escape(game.decider or side(game.decides or ""))}
        return f"{decides}, {said['turn'] % {'n': game.turn}}{_deadline(game, voice, said, now)}"
    if game.status == GameStatus.OPEN:
        return said["waiting" if game.seat else "hosts" if game.is_host else "invited"]
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
    if game.seat:
        names[game.seat] = said["you"]
    return said["won"] % {"winners": escape(voice.join([names.get(seat) or side(seat) for seat in winners]))}
