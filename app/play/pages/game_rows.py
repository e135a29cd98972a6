"""The rows of "my games" and of games to watch, as `play/game/_rows.html` shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.base.words.speech import Voice
from app.games.tables import GameStatus
from app.play.lists import ends
from app.play.lists.my_games import MyGame
from app.play.pages import small_boards
from app.web.pages import time_left

NO_POINTS: Mapping[int, Mapping[str, int]] = {}
Points = Mapping[int, Mapping[str, int]]
"""The points of each seat, by game."""
_HAS_BOARD = (GameStatus.RUNNING, GameStatus.OVER)


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game with its description in the reader's language."""

    game: MyGame
    others: str
    """The other players."""
    side: str
    """The reader's side; empty for a game of others."""
    board: str
    """The address of its small board; empty if it has none."""
    left: str
    """The time until its deadline; empty if there is none, or none left."""
    decides: str
    result: str
    """How it has ended."""
    points: Sequence[tuple[str, int]]

    @property
    def waits(self) -> bool:
        """Whether it waits for the reader: its link then leads to the turn."""
        return self.game.waits

    @property
    def looks(self) -> str:
        """Its CSS classes: what waits for the reader is new; words beside a board say everything in the row."""
        return " ".join(filter(None, ("new" if self.waits else "", "boarded" if self.board else "")))


def rows(games: Sequence[MyGame], voice: Voice, now: datetime, points: Points = NO_POINTS) -> list[ListedGame]:
    """One row for each game."""
    return [_row(game, voice, now, points) for game in games]


def groups(games: Sequence[MyGame], voice: Voice, now: datetime, points: Points) -> list[tuple[str, list[ListedGame]]]:
    """Return the games, most urgent first, under headings: what waits for the reader, tables, others on turn, finished
    ones."""
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


def _row(game: MyGame, voice: Voice, now: datetime, points: Points) -> ListedGame:
    title, lang = game.title, voice.lang

    def side(seat: str) -> str:
        return str(title.name_of("seat", seat, lang))

    about = voice.about(title)
    names = {seat: about.called(seat, name) for seat, name in game.opponents}
    others = voice.join(list(names.values()))
    if game.seat:
        names[game.seat] = voice.gettext("you")
    return ListedGame(
        game,
        others=others,
        side=side(game.seat) if game.seat else "",
        board=small_boards.address(game.id, title.id, game.entries, lang) if game.status in _HAS_BOARD else "",
        left=time_left(voice, game.deadline_at, now) if game.deadline_at else "",
        decides=about.called(game.decides, game.decider) if game.decides else "",
        result=ends.in_words(game.result, game.seat, names, voice) if game.result else "",
        points=[(names.get(seat) or side(seat), n) for seat, n in points.get(game.id, {}).items()],
    )
