"""Games for the benches of the server: begun and played through the services, then copied row by row."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa
from sqlmodel import SQLModel

from app.base.links import TurnLink
from app.base.process.config import Config, load
from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.games.store import GameNow, GameStore
from app.games.tables import Game, GameSeat
from app.people import signin
from app.people.tables import Player
from app.play.turn import turns
from app.play.turn.playing import play_lines
from app.play.turn.starting import new_game
from app.server.registry import open_server
from app.upkeep import migrating
from engine.kernel.title import Choice

LANGUAGES = ("en", "fr", "es", "it")
SEATS = {"acres": ("british", "french"), "new-world": ("red", "blue")}
LIVELY = 4
"""How much more likely actions are that bring a game nearer to its end."""
MY_GAMES = 10
"""The number of running games on the page of a player's own games."""
COPIED = ("game_seat", "game_state", "log_entry", "decision_made")


@dataclass(frozen=True)
class Position:
    """A pending decision: the link to it, and orders that end the turn so that another seat is asked."""

    game: int
    path: str
    number: int
    orders: str | None


def settings(folder: Path, port: int, smtp: str = "smtp://127.0.0.1:9") -> dict[str, str]:
    """Return the environment of a server in this folder. Its mails stay in the outbox unless a mail host is named."""
    return {
        "POSTROAD_DATA": str(folder / "var"),
        "POSTROAD_BASE_URL": f"http://127.0.0.1:{port}",
        "POSTROAD_SMTP_URL": smtp,
    }


def fresh_server(folder: Path, port: int, smtp: str = "smtp://127.0.0.1:9") -> Server:
    """Return a server with an empty database at the newest migration."""
    config: Config = load(settings(folder, port, smtp), folder)
    migrating.upgrade(config.database_url)
    return open_server(config)


def pick(source: random.Random, title: Any, state: Any) -> Any:
    """Return a legal action: first a kind of it, then one of the kind, then for a choice some of its items."""
    kinds: dict[str, list[Any]] = {}
    for entry in title.legal(state):
        kinds.setdefault(getattr(entry, "kind", None) or type(entry).__name__, []).append(entry)
    names = [name for name in kinds for _ in range(LIVELY if name in title.lively else 1)]
    entry = source.choice(kinds[source.choice(names)])
    if not isinstance(entry, Choice):
        return entry
    picked = source.sample(entry.items, source.randint(entry.least, entry.most))
    return entry.action(picked) if entry.allows(picked) else source.choice(entry.smallest())


def read_game(server: Server, game_id: int) -> GameNow:
    """Return the current game."""
    with server.database.read() as session:
        return GameStore(session).load(game_id)


def play_on(server: Server, game_id: int, source: random.Random, decisions: int) -> GameNow:
    """Answer this many decisions at random through the service; return the game afterwards."""
    game = read_game(server, game_id)
    for _ in range(decisions):
        if game.is_over:
            break
        assert game.decides is not None
        link = TurnLink(game.id, game.decides, game.number, game.seated(game.decides).player_id)
        line = game.title.write(game.state, pick(source, game.title, game.state))
        game = turns.play_turn(server.database, link, line, now=datetime.now(UTC)).game
    return game


def orders_of_a_turn(game: GameNow, source: random.Random) -> str | None:
    """Return lines that this seat can send at once and after which another seat decides; None if none was found."""
    seat = game.decides
    assert seat is not None
    for _ in range(20):
        play, lines = turns.play_of(game), []
        while (due := game.title.decision(play.state)) is not None and due.seat == seat and len(lines) < 8:
            action = pick(source, game.title, play.state)
            lines.append(game.title.write(play.state, action))
            play.act(seat, action, "seat")
        played = play_lines(turns.play_of(game), seat, lines)
        after = game.title.decision(played.state)
        if played.refused is None and after is not None and after.seat != seat:
            return "\n".join(lines)
    return None


def begin(server: Server, title: str, names: tuple[str, str], language: str) -> int:
    """Start a game between two new players."""
    seats = list(zip(SEATS[title], (f"{name}@example.org" for name in names), strict=True))
    return new_game(server.database, title, seats, language=language, now=datetime.now(UTC))


def positions(server: Server, title: str, games: int, each: int, seed: int = 5) -> list[Position]:
    """Return positions of `games` games, each copied at `each` moments of its middle; all decisions differ."""
    source = random.Random(seed)
    found = []
    for n in range(games):
        game_id = begin(server, title, (f"anne{n}", f"ben{n}"), LANGUAGES[n % 4])
        play_on(server, game_id, source, 30 if title == "acres" else 8)
        for _ in range(each):
            game = play_on(server, game_id, source, source.randint(5, 12) if title == "acres" else 3)
            if game.is_over:
                break
            found += copies(server, game, orders_of_a_turn(game, source), 1)
    return found


def position_of(server: Server, game: GameNow, orders: str | None, game_id: int | None = None) -> Position:
    """Return the pending decision of a game, or of a copy of it."""
    assert game.decides is not None
    player = game.seated(game.decides).player_id
    link = TurnLink(game_id or game.id, game.decides, game.number, player)
    return Position(link.game, f"/t/{server.links.turn_token(link)}", game.number, orders)


def copies(server: Server, game: GameNow, orders: str | None, count: int) -> list[Position]:
    """Make this many copies of the same game, with its log."""
    tables = SQLModel.metadata.tables
    found = []
    with server.database.write() as session:
        for _ in range(count):
            columns = [c for c in Game.__table__.c if c.name not in ("id", "seed_number")]  # type: ignore[attr-defined]
            row = sa.select(*columns).where(Game.id == game.id)
            new = session.execute(
                sa.insert(Game).from_select([c.name for c in columns], row).returning(Game.id)
            ).scalar_one()
            for name in COPIED:
                others = [c for c in tables[name].c if c.name not in ("id", "game_id")]
                rows = sa.select(sa.literal(new), *others).where(tables[name].c.game_id == game.id)
                session.execute(sa.insert(tables[name]).from_select(["game_id", *(c.name for c in others)], rows))
            found.append(position_of(server, game, orders, new))
        session.commit()
    return found


def somebody_with_games(server: Server, among: list[Position], language: str = "en") -> str:
    """Return the cookie of a signed-in player who sits in `MY_GAMES` of the games."""
    now = datetime.now(UTC)
    signin.request_link(server.database, "reader@example.org", language=language, then="/", now=now)
    with server.database.write() as session:
        details = session.scalar(sa.select(OutboxMail.details).where(OutboxMail.address == "reader@example.org"))
        reader = session.scalar(sa.select(Player.id).where(Player.address_key == "reader@example.org"))
        for n, position in enumerate(among):
            seat = sa.and_(GameSeat.game_id == position.game, GameSeat.place == n % 2)
            session.execute(sa.update(GameSeat).where(seat).values(player_id=reader))
        session.commit()
    secret, _ = signin.sign_in(server.database, details["token"], device="bench", instead_of=None, now=now)
    return f"postroad_sign_in={secret}"
