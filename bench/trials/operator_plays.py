"""Simulates an operator who plays against strangers on his own server, and reads every seed in its database.

    python -m bench.trials.operator_plays --games 1000 [--seed S] [--title new-world|acres] [--strategy NAME]

Tables are opened, joined, called off and given up, rounds published, backups written and restored by the services
themselves on SQLite. For each way to get more than his share (`STRATEGIES`) he plays this many games; afterwards

- his luck is computed with the named measures of `tests.support.fair_share`, in standard deviations: within 2 it is
  a stranger's;
- or else each of his attempts must be in the public list, which is read over HTTP and is the only evidence used.

Two ways can be neither prevented nor seen as an attempt: to open or join only when a number suits. For them `/chance`
has to warn in every language, and the luck computed from the list has to reveal him. Exit code 1 otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from app.base.process.config import load as load_settings
from app.base.stored.database import Database
from app.base.words.i18n import LANGUAGES
from app.games import seeds
from app.games.seed_tables import SeedBlock
from app.games.tables import Game
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.events import lifecycle, round_rows
from app.lobby import invitations, open_games
from app.lobby.open_games import Chair
from app.people.accounts import find_or_add
from app.play.agreed import results
from app.play.tables import Invitation
from app.server.factory import create_app
from app.time import paces
from app.upkeep import migrating
from app.upkeep.backups import restoring, writing
from tests.support import pressed
from tests.support.fair_share import SEATS, called_off, counted, sigmas, spread, worth
from tests.support.tables import KEYS, NOW

OPERATOR = "Olaf"
STRANGERS = ("Sam", "Tess", "Uma", "Vera", "Wim", "Xenia", "Yann")
FAIR, GIVES_AWAY = 2.0, 4.0
"""Standard deviations: up to the first it is a stranger's luck, from the second on nobody takes it for luck."""
A_DAY = 10
"""Games between two backups."""
WARNING = ("That cannot be prevented.", "On ne peut pas l’empêcher.", "Eso no puede impedirse.", "Non si può impedire.")
"""What the page says about choosing, in the languages of `LANGUAGES`."""


@dataclass
class Server:
    """The operator's server on SQLite; `now` advances by an hour with each table."""

    folder: Path
    jump: int
    now: Any = NOW
    mine: list[tuple[int, int]] = field(default_factory=list)
    """The games that count: the operator's, by number of the seed, with his place at the table."""
    attempts: int = 0
    """His attempts to get another number than his own."""
    club: int | None = None
    files: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.path = self.folder / "postroad.db"
        migrating.upgrade(self.url)
        self.database = Database(self.url)
        seeds.set_up(self.database, self.now)
        with Work(self.database) as work:
            made = [
                find_or_add(work.session, f"{name.lower()}@example.org", now=NOW, name=name)
                for name in (OPERATOR, *STRANGERS)
            ]
            work.session.flush()
            self.operator, *self.strangers = [one.id or 0 for one in made]
            work.commit()
        self._next = itertools.cycle(self.strangers)

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}"

    def close(self) -> None:
        self.database.close()

    def stranger(self) -> int:
        """Return a new stranger each time."""
        return next(self._next)

    # -- what he knows: everything -------------------------------------------------------------------

    def seed(self, number: int) -> str:
        """Return the seed with a number, given or not."""
        with self.database.read() as session:
            return seeds.seed_of(session, number, self.now)

    def next_number(self) -> int:
        with self.database.read() as session:
            return (session.scalar(sa.select(sa.func.max(col(SeedBlock.last)))) or 0) + 1

    def number_of(self, game_id: int) -> int:
        with self.database.read() as session:
            number = session.scalar(sa.select(col(Game.seed_number)).where(col(Game.id) == game_id))
        assert number is not None
        return number

    def suits(self, title: str, number: int, place: int) -> bool:
        """Whether the operator would like the seed with this number, in this place."""
        return worth(title, self.seed(number))[place] >= spread(title, place).suits

    # -- what anybody can do -------------------------------------------------------------------------

    def open(self, title: str, host: int, offer: str = "open") -> int:
        """Open a table whose host has the first seat."""
        self.now += timedelta(hours=1)
        chairs = [Chair(SEATS[title][0], "me"), Chair(SEATS[title][1], offer)]
        draft = open_games.TableDraft(
            title_id=title, chairs=chairs, pace=paces.read_days("7"), is_private=offer == "link"
        )
        return open_games.create(self.database, host, draft, now=self.now)

    def join(self, game_id: int, guest: int, *, by_link: bool = False) -> None:
        """Take the second seat, which starts the game; then the stranger gives up, so that the seed is opened."""
        if by_link:
            with self.database.read() as session:
                link = session.scalar(sa.select(col(Invitation.id)).where(col(Invitation.game_id) == game_id))
            with Work(self.database) as work:
                assert invitations.accept(work, link or 0, None, sits=guest, now=self.now)
        else:
            assert open_games.join(self.database, game_id, 1, guest, now=self.now)

    def finish(self, game_id: int, loser: int) -> None:
        results.resign(self.database, game_id, loser, now=self.now)

    def between_strangers(self, title: str) -> None:
        """Play a game without the operator."""
        host = self.stranger()
        game_id = self.open(title, host)
        self.join(game_id, self.stranger())
        self.finish(game_id, host)

    def against_operator(self, game_id: int, stranger: int, place: int) -> None:
        """Play the game, which counts for him."""
        self.mine.append((self.number_of(game_id), place))
        self.finish(game_id, stranger)

    # -- what only an operator can -------------------------------------------------------------------

    def back_up(self) -> Path:
        path = self.folder / f"{next(self.files)}.zip"
        writing.write_file(path, self.database, load_settings({}, self.folder), self.now)
        return path

    def restore(self, backup: Path, times: int = 1) -> None:
        """Restore as `postroad restore` does: into an empty database, with a jump that everybody sees.

        The same backup with the same jump gives the same numbers and seeds again, so he leaves out more when it is not
        the first of its `times`.
        """
        self.database.close()
        self.path = self.folder / f"{next(self.files)}.db"
        with backup.open("rb") as file, restoring.opened(file) as found:
            restoring.restore(found, self.url)
        self.database = Database(self.url)
        restoring.jump(self.database, self.jump * times, self.now)

    def copy(self) -> Path:
        """Copy the database as a file."""
        with self.database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return Path(shutil.copy(self.path, self.folder / f"{next(self.files)}.copy"))

    def put_back(self, copy: Path) -> None:
        """Put the copy over the database, bypassing Post Road."""
        self.database.close()
        for old in self.folder.glob(f"{self.path.name}*"):
            old.unlink()
        shutil.copy(copy, self.path)
        self.database = Database(self.url)

    # -- what everybody sees -------------------------------------------------------------------------

    def public(self) -> tuple[list[dict[str, Any]], list[str]]:
        """Return all lines of the list, read as a stranger by HTTP; and the page in every language."""
        environ = {"POSTROAD_DATABASE_URL": self.url, "POSTROAD_SECRET_KEY": KEYS[0]}
        app = create_app(load_settings(environ, self.folder))
        client = app.test_client(use_cookies=False)
        found: list[dict[str, Any]] = []
        address = "/chance.json"
        while address:
            page = client.get(address).get_json()
            found += page["numbers"]
            address = page["older"]
        pages = [client.get("/chance", headers={"Accept-Language": one}).get_data(as_text=True) for one in LANGUAGES]
        app.extensions["postroad"].database.close()
        return found, pages


# -- what he tries ------------------------------------------------------------------------------------


def joins_last(server: Server, title: str) -> None:
    """A stranger opens a table; the operator sits down last and knows the seed."""
    host = server.stranger()
    game_id = server.open(title, host)
    server.join(game_id, server.operator)
    server.against_operator(game_id, host, 1)


def waits_with_joining(server: Server, title: str) -> None:
    """He lets others open tables until the next number suits the one he wants, at most three."""
    host = server.stranger()
    game_id = server.open(title, host)
    for _ in range(3):
        if server.suits(title, server.number_of(game_id), 1):
            break
        server.between_strangers(title)
    server.join(game_id, server.operator)
    server.against_operator(game_id, host, 1)


def waits_with_publishing(server: Server, title: str) -> None:
    """He organises an event in which he plays, and publishes a round only when his board has a suitable seed.

    He waits for at most two tables of others. Seven rounds: seven games of his.
    """
    playing = [server.operator, *server.strangers]
    event_id = _event(server, title, playing)
    with server.database.read() as session:
        division = lifecycle.get(session, event_id).divisions[0].id
    for _ in range(len(playing) - 1):
        draft = pressed.pair(server.database, division, server.operator, now=server.now)
        with server.database.read() as session:
            paired = round_rows.get(session, draft)
            block = session.scalars(sa.select(SeedBlock).where(col(SeedBlock.event_id) == event_id)).first()
            assert block is not None
            free = block.first + block.used
            sitting = [[seat.player_id for seat in match.seats] for match in paired.matches]
            board = next(n for n, people in enumerate(sitting) if server.operator in people)
            place = sitting[board].index(server.operator)
        for _ in range(2):
            if server.suits(title, free + board, place):
                break
            server.between_strangers(title)
        pressed.publish(server.database, draft, server.operator, paired.version, now=server.now)
        with server.database.read() as session:
            games = [match.game_id or 0 for match in round_rows.get(session, draft).matches]
        assert server.number_of(games[board]) == free + board, "the number that was bound"
        for game_id, people in zip(games, sitting, strict=True):
            if game_id == games[board]:
                server.against_operator(game_id, people[1 - place] or 0, place)
            else:
                server.finish(game_id, people[0] or 0)


def cancels(server: Server, title: str) -> None:
    """He opens a table, and cancels it unless the number suits; then the next one."""
    _until_it_suits(server, title, "open")


def cancels_in_private(server: Server, title: str) -> None:
    """He does the same with tables that have no name in the list."""
    _until_it_suits(server, title, "link")


def _until_it_suits(server: Server, title: str, offer: str) -> None:
    while True:
        game_id = server.open(title, server.operator, offer)
        if server.suits(title, server.number_of(game_id), 0):
            break
        with Work(server.database) as work:
            open_games.cancel(work, server.operator, game_id, server.now)
        server.attempts += 1
    guest = server.stranger()
    server.join(game_id, guest, by_link=offer == "link")
    server.against_operator(game_id, guest, 0)


def restores(server: Server, title: str) -> None:
    """He makes a backup, plays the games of a day and restores it when fewer than four of the ten numbers suited."""
    backup, before = server.back_up(), len(server.mine)
    for times in itertools.count(1):
        _a_day(server, title)
        if sum(server.suits(title, number, 0) for number, _ in server.mine[before:]) >= 4:
            return
        del server.mine[before:]
        server.restore(backup, times)
        server.attempts += 1


def puts_a_file_back(server: Server, title: str) -> None:
    """He does the same bypassing Post Road, with a copy of the file, twice at most: no number is left out, no seed
    changes.
    """
    copy, before = server.copy(), len(server.mine)
    for _ in range(3):
        del server.mine[before:]
        _a_day(server, title)
        if sum(server.suits(title, number, 0) for number, _ in server.mine[before:]) >= 4:
            return
        copied = server.mine[before:]
        server.put_back(copy)
    server.mine[before:] = []
    _a_day(server, title)
    assert server.mine[before:] == copied, "the numbers come again as they were"


def _a_day(server: Server, title: str) -> None:
    for _ in range(A_DAY):
        game_id, guest = server.open(title, server.operator), server.stranger()
        server.join(game_id, guest)
        server.against_operator(game_id, guest, 0)


def opens_when_it_suits(server: Server, title: str) -> None:
    """He waits until the next number suits before opening a table; others take those before."""
    while not server.suits(title, server.next_number(), 0):
        server.between_strangers(title)
    game_id, guest = server.open(title, server.operator), server.stranger()
    server.join(game_id, guest)
    server.against_operator(game_id, guest, 0)


def joins_what_suits(server: Server, title: str) -> None:
    """He joins the tables of others whose number suits."""
    while True:
        host = server.stranger()
        game_id = server.open(title, host)
        if server.suits(title, server.number_of(game_id), 1):
            break
        server.join(game_id, server.stranger())
        server.finish(game_id, host)
    server.join(game_id, server.operator)
    server.against_operator(game_id, host, 1)


STRATEGIES: dict[Callable[[Server, str], None], str] = {
    joins_last: "fair",
    waits_with_joining: "fair",
    waits_with_publishing: "fair",
    puts_a_file_back: "fair",
    cancels: "visible",
    cancels_in_private: "visible",
    restores: "visible",
    opens_when_it_suits: "stated",
    joins_what_suits: "stated",
}
"""The required result of each way: at most a fair share, an attempt in the list for each, or a warning on the page."""


def _event(server: Server, title: str, playing: Sequence[int]) -> int:
    server.now += timedelta(hours=1)
    if server.club is None:
        club_rights.make(server.database, server.operator, slug="club", name="Club", now=server.now)
        with server.database.read() as session:
            server.club = club_rights.find(session, "club").id
    event_id = lifecycle.make(
        server.database,
        server.club,
        server.operator,
        lifecycle.NewEvent(name="Cup", title_id=title, format="round_robin", terms={"members_only": False}),
        now=server.now,
    )
    pressed.open_sign_up(server.database, event_id, server.operator, now=server.now)
    for player in playing:
        pressed.sign_up(server.database, event_id, player, by_id=server.operator, now=server.now)
    pressed.start(server.database, event_id, server.operator, now=server.now)
    return event_id


# -- judging ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one way in one title."""

    name: str
    title: str
    games: int
    mean: float
    fair: float
    sigmas: float
    attempts: int
    seen: int
    """The attempts that the list shows."""
    from_list: float
    """His luck, computed from the list alone."""
    is_stated: bool
    """Whether the page warns of it, in every language."""
    wanted: str

    @property
    def is_fair(self) -> bool:
        return abs(self.sigmas) <= FAIR

    @property
    def holds(self) -> bool:
        if self.wanted == "stated":
            return self.is_stated and self.from_list >= GIVES_AWAY
        is_seen = self.attempts > 0 and self.seen == self.attempts
        return is_seen if self.wanted == "visible" else self.is_fair

    def __str__(self) -> str:
        said = f"{self.name} ({self.title}): {self.games} games, {self.mean:.3f} a game, fair {self.fair:.3f}, "
        said += f"{self.sigmas:+.1f} sigma; {self.attempts} attempts, {self.seen} in the list; from the list alone "
        return f"{'ok' if self.holds else 'WRONG'} [{self.wanted}] {said}{self.from_list:+.1f} sigma"


def play(strategy: Callable[[Server, str], None], title: str, games: int, folder: Path, jump: int = 1000) -> Verdict:
    """Let the operator play this many games in one way on a new server, and judge it."""
    with closing(Server(folder, jump)) as server:
        while len(server.mine) < games:
            strategy(server, title)
        return judge(server, strategy, title)


def judge(server: Server, strategy: Callable[[Server, str], None], title: str) -> Verdict:
    """Judge the outcome: the luck of the games that he let stand, and what a stranger can tell."""
    lines, pages = server.public()
    got = [(title, place, worth(title, server.seed(number))[place]) for number, place in server.mine]
    off = called_off(lines)
    return Verdict(
        strategy.__name__,
        title,
        len(got),
        sum(value for _, _, value in got) / len(got),
        sum(spread(title, place).mean for _, place, _ in got) / len(got),
        sigmas(got),
        server.attempts,
        off[OPERATOR]
        + off[""]
        + sum(line["last"] - line["first"] + 1 for line in lines if line["left_out"]) // server.jump,
        counted(lines).get(OPERATOR, 0.0),
        all(sentence in page for sentence, page in zip(WARNING, pages, strict=True)),
        STRATEGIES[strategy],
    )


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--title", choices=sorted(SEATS), action="append")
    parser.add_argument("--strategy", choices=[one.__name__ for one in STRATEGIES], action="append")
    given = parser.parse_args(words)
    made = itertools.count()
    seeds.make_trees_of(1 << 16)  # the next one is made automatically
    seeds.new_secret = lambda: hashlib.sha256(f"{given.seed} {next(made)}".encode()).digest()  # the same at every run
    verdicts = []
    for title, strategy in itertools.product(given.title or SEATS, STRATEGIES):
        if given.strategy and strategy.__name__ not in given.strategy:
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            verdicts.append(play(strategy, title, given.games, Path(folder)))
        print(f"{verdicts[-1]} ({time.monotonic() - began:.0f} s)", flush=True)
    wrong = sum(not verdict.holds for verdict in verdicts)
    print(f"{len(verdicts) - wrong} as they should be, {wrong} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
