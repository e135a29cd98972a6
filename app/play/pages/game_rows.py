"""The rows of "my games" and of games to watch, as `play/game/_rows.html` shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session

from app.base.words.speech import Voice
from app.games.tables import GameStatus
from app.play.lists import ends, scores
from app.play.lists.my_games import MyGame
from app.play.lists.scores import Standing
from app.play.pages.past import pictures
from app.play.pages.turn.asked import news_of
from app.titles.contract import View
from app.titles.pages import parts_of
from app.web.pages import time_left
from app.web.reader import server

Standings = Mapping[int, Standing]
"""How games stand, by their numbers."""
SOON = timedelta(days=1)
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
    urgency: str
    """The CSS class of that: `soon`, `late` or empty."""
    decides: str
    result: str
    """How it has ended."""
    stands: Standing
    points: Sequence[int]
    """The reader's first, then everybody's in the order of `others`."""

    @property
    def waits(self) -> bool:
        """Whether it waits for the reader: its link then leads to the turn."""
        return self.game.waits


def stand(session: Session, games: Sequence[MyGame], voice: Voice) -> Standings:
    """Return how they stand, each with what it asks its reader in another's turn, and the news in the reader's own."""

    def ask(game: MyGame, view: View, events: Sequence[Any]) -> tuple[str, str]:
        seat, about = game.seat or "", voice.about(game.title)
        names = {one: about.called(one, name) for one, name in (*game.opponents, (seat, game.decider))}
        short = parts_of(game.title.id, voice.lang).among(names).asked(view, False).short
        among = Voice(voice.lang, voice.zone, game.title, tuple(names.items()))
        news = "" if short else news_of(game.title, seat, among, events, seat)
        others = voice.join(list(names.values())[:-1])  # with them the row begins
        return short, news.removeprefix(f"{others} ").removesuffix(".")

    return scores.of(session, server().database.url, games, voice.lang, ask)


def rows(games: Sequence[MyGame], voice: Voice, now: datetime, standings: Standings) -> list[ListedGame]:
    """One row for each game."""
    return [_row(game, voice, now, standings.get(game.id, Standing({}))) for game in games]


def groups(
    games: Sequence[MyGame], voice: Voice, now: datetime, standings: Standings
) -> list[tuple[str, list[ListedGame]]]:
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
        (heads[group].format(n=len(within)), rows(within, voice, now, standings))
        for group, within in sorted(parted.items())
    ]


def _row(game: MyGame, voice: Voice, now: datetime, stands: Standing) -> ListedGame:
    title, lang = game.title, voice.lang

    def side(seat: str) -> str:
        return str(title.name_of("seat", seat, lang))

    about = voice.about(title)
    names = {at: about.called(at, name) for at, name in game.opponents if name or game.status != GameStatus.OPEN}
    others = voice.join(list(names.values()))
    until = game.deadline_at
    return ListedGame(
        game,
        others=others,
        side=side(game.seat) if game.seat else "",
        board=pictures.address(game.id, title.id, game.entries, lang) if game.status in _HAS_BOARD else "",
        left=time_left(voice, until, now) if until else "",
        urgency="" if until is None or until > now + SOON else "soon" if until > now else "late",
        decides=about.called(game.decides, game.decider) if game.decides else "",
        result=ends.in_words(game.result, game.seat, names, voice) if game.result else "",
        stands=stands,
        points=[stands.points[seat] for seat in (game.seat or "", *names) if seat in stands.points],
    )
