"""Fills a server with people and games to look at: some running, some finished, played at random by the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from app.base.links import TurnLink
from app.base.stored.database import Database
from app.games.store import GameNow, GameStore
from app.games.work import Work
from app.people import accounts
from app.play.turn.starting import new_game
from app.play.turn.turns import play_turn
from app.time.paces import DEFAULT_PACE
from app.titles.registry import TITLES
from engine.kernel.title import Choice

PEOPLE = (
    ("alice@example.org", "Alice", "en", "Europe/London"),
    ("bob@example.org", "Bob", "fr", "Europe/Paris"),
    ("carmen@example.org", "Carmen", "es", "America/Bogota"),
    ("dario@example.org", "Dario", "it", "Europe/Rome"),
    ("erin@example.org", "Erin", "en", "America/New_York"),
)
RUNNING_MOVES = (0, 12, 45)
"""How many moves the running games of each title have."""
BETWEEN_MOVES = timedelta(hours=7)
LIVELY = 4
"""How much more often a kind of action that the title calls lively is chosen: otherwise games hardly end."""


def fill(database: Database, *, now: datetime, seed: int = 1) -> Iterator[str]:
    """Add people and games; return a line for each. The last move of each game was made a little before `now`."""
    chooser = random.Random(seed)
    with Work(database) as work:
        for address, name, language, zone in PEOPLE:
            player = accounts.find_or_add(work.session, address, now=now, name=name, language=language)
            accounts.settle(player, name=name, language=language, zone=zone)
    for title_id in TITLES:
        for moves in (*RUNNING_MOVES, None):
            yield _game(database, title_id, moves, now, chooser)


def _game(database: Database, title_id: str, moves: int | None, now: datetime, chooser: random.Random) -> str:
    """One game, `moves` lines long or (None) played to its end."""
    title = TITLES[title_id]
    n = chooser.randint(title.least_seats, title.most_seats)
    guests = chooser.sample([address for address, *_ in PEOPLE], n)
    begun = now - BETWEEN_MOVES * (moves or 200)
    game_id = new_game(database, title_id, list(zip(title.seats, guests, strict=False)), pace=DEFAULT_PACE, now=begun)
    played = 0
    while moves is None or played < moves:
        with database.read() as session:
            game = GameStore(session).load(game_id)
        if game.decides is None:
            break
        link = TurnLink(game.id, game.decides, game.number, game.seated(game.decides).player_id)
        at = min(now, begun + BETWEEN_MOVES * (played + 1))
        play_turn(database, link, random_line(game, chooser), now=at)
        played += 1
    who = ", ".join(guests)
    return f"{title.name}, game {game_id}: {who}, {'finished' if moves is None else f'{played} moves'}"


def random_line(game: GameNow, chooser: random.Random) -> str:
    """Return a legal line at random: first a kind of action, then one of that kind."""
    title, kinds = game.title, dict[str, list[Any]]()
    for item in title.legal(game.state):
        kinds.setdefault(getattr(item, "kind", None) or type(item).__name__, []).append(item)
    names = [name for name in kinds for _ in range(LIVELY if name in title.lively else 1)]
    item = chooser.choice(kinds[chooser.choice(names)])
    action = chooser.choice(item.smallest()) if isinstance(item, Choice) else item
    return title.write(game.state, action)
