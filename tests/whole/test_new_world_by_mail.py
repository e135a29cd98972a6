"""New World by mail: whole games with two to five players, where every turn is a mail read and its link followed."""

from __future__ import annotations

import json
import random
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from app.base.stored.database import Database
from app.games.store import GameStore
from app.play.agreed import results
from app.titles.registry import TITLES
from engine.kernel import records
from engine.new_world import tiles
from tests.support.running import Install, get, post
from tests.support.sink import Sink, link_in, text_of
from tests.support.tables import give_standing

CAST = {"red": "alice", "blue": "bob", "green": "carol", "yellow": "dora", "black": "emil"}
SEATS = tuple(CAST)


def address(seat: str) -> str:
    return f"{CAST[seat]}@example.org"


@dataclass
class Club:
    """A running server, its mail host, and people who answer every mail."""

    install: Install
    sink: Sink
    read: int = 0
    """Mails read so far."""
    over: Counter[str] = field(default_factory=Counter)
    """For each game how many were told about its end."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """What every link showed when it was opened."""

    def new(self, seats: int, *words: str) -> str:
        taken = [word for seat in SEATS[:seats] for word in ("--seat", f"{seat}={address(seat)}")]
        return self.install.command("game", "new", "new-world", *taken, *words)

    def next_mail(self, seconds: float = 60) -> EmailMessage:
        began = time.monotonic()
        while len(self.sink.taken) <= self.read:
            assert time.monotonic() < began + seconds, f"no further mail after {self.read}"
            time.sleep(0.002)
        mail = message_from_bytes(self.sink.taken[self.read][1], policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.read += 1
        return mail

    def play_until(self, ends: int, chooser: random.Random) -> None:
        """Answer mail after mail until this many have been told that their game is over."""
        while sum(self.over.values()) < ends:
            mail = self.next_mail()
            if mail["Subject"].startswith(("You won", "You lost", "You share", "Nobody")):
                self.over[mail["In-Reply-To"]] += 1
            elif "/t/" in text_of(mail):  # others report who has given up
                self.answer(link_in(mail), chooser)

    def answer(self, link: str | None, chooser: random.Random) -> None:
        while link:
            asked = get(link)
            if asked["status"] == 410:
                return  # a player resigned in the meantime, and another mail has the link that counts
            self.asked.append(asked)
            answered = post(link, choice(asked, chooser), asked["decision"])
            assert answered["status"] == 200, answered
            link = answered["next"]

    def record(self, game: str) -> records.Record:
        """Return the record of a finished game, as anybody can load it, after checking it."""
        with urllib.request.urlopen(f"{self.install.base_url}/games/{game}/record.json") as answer:
            read = records.load(answer.read(), TITLES)
        records.verify(read)
        return read


def choice(asked: dict[str, Any], chooser: random.Random) -> str:
    """Return a legal line, at a cell that the most roads and towns with settlers wait for."""
    lines: list[str] = asked["legal"]
    if asked["kind"] != "place":
        return chooser.choice(lines)
    waiting = Counter(
        cell
        for feature in asked["view"]["features"]
        if feature["settlers"] and feature["kind"] in ("road", "town") and len(feature["open_at"]) == 1
        for cell in feature["open_at"]
    )
    most = max(waiting[line.split()[1]] for line in lines)
    lines = [line for line in lines if waiting[line.split()[1]] == most]
    short = [line for line in lines if " settle r" in line or " settle t" in line]
    return chooser.choice(short if short and chooser.random() < 0.8 else lines)


@pytest.fixture
def club(tmp_path: Path, sqlite_url: str) -> Iterator[Club]:
    with Sink() as sink:
        install = Install(tmp_path, SMTP_URL=sink.url, DATABASE_URL=sqlite_url)
        with install.serving():
            yield Club(install, sink)


def test_a_whole_game_with_five_players_by_mail_links_alone(club: Club) -> None:
    """95 tiles; new_world R4 to R11."""
    game = club.new(5)
    club.play_until(5, random.Random(7))
    assert list(club.over.values()) == [5]
    record = club.record(game)
    assert record.seats == SEATS and record.result is not None
    assert sum("draw" in step.get("chance", "") for turn in record.turns for step in turn["steps"]) == 95
    assert club.install.command("game", "verify", game).splitlines()[1:] == []
    assert {asked["seat"] for asked in club.asked} == set(SEATS)
    assert all(asked["view"]["left"] and asked["legal"] for asked in club.asked[:80])
    for mail in club.sink.mails():
        assert all(len(line) <= 72 for line in text_of(mail).splitlines() if not line.startswith("http"))


# -- tables of few tiles, where everything is known beforehand ------------------------------------------


def few_tiles(set_id: str, tile: dict[str, Any], west: dict[str, Any], elsewhere: dict[str, Any]) -> dict[str, Any]:
    """Return a set in which one kind of tile alone can ever be laid, beginning next to the middle of the coast; the
    other kind, all town, fits nowhere and is set aside.
    """
    town = [{"id": "t0", "kind": "town", "edges": ["N", "E", "S", "W"], "shields": 0}]
    never = {"id": "never", "count": 95 - tile["count"], "edges": "TTTT", "segments": town}
    rows = [{"row": row, "name": f"Row {row}", **(west if row == 5 else elsewhere)} for row in range(10)]
    return {
        "format": "new-world-tiles", "version": 1, "set_id": set_id, "exact": False, "provenance": "Made for a test.",
        "tiles": [tile, never], "start": {"column": 0, "spaces_count_as_tiles": True, "rows": rows},
    }  # fmt: skip


def plain(number: int, *sides: str) -> dict[str, Any]:
    return {"id": f"p{number}", "kind": "plain", "sides": list(sides), "animals": 1}


def road(number: int, side: str, ends: str) -> dict[str, Any]:
    return {"id": f"r{number}", "kind": "road", "edges": [side], "ends": ends, "posts": 0}


ROAD_WEST = {
    "edges": "---R", "west": "R",
    "segments": [road(0, "W", "farm"), plain(0, "Ws", "Wn"), {"id": "f0", "kind": "farm"}],
}  # fmt: skip
PLAIN_WEST = {"edges": "---P", "west": "P", "segments": [plain(0, "Ws", "Wn")]}
CROSSING = {
    "id": "crossing", "count": 12, "edges": "RRRR",
    "segments": [
        *(road(number, side, "crossing") for number, side in enumerate("NESW")),
        plain(0, "Wn", "Nw"), plain(1, "Ne", "En"), plain(2, "Es", "Se"), plain(3, "Sw", "Ws"),
    ],
}  # fmt: skip
MEADOW = {
    "id": "meadow", "count": 6, "edges": "PPPP",
    "segments": [plain(0, "Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn")],
}  # fmt: skip


def install_tiles(club: Club, data: dict[str, Any]) -> None:
    """The running server has them from its database; this process reads records of them too."""
    file = club.install.folder / f"{data['set_id']}.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    club.install.command("tiles", "install", str(file))
    tiles.install(data)


def turn_of(club: Club, seat: str) -> str:
    """The link in the newest mail, which is this seat's."""
    mail = club.next_mail()
    assert mail["To"].addresses[0].addr_spec == address(seat), (mail["To"], mail["Subject"])
    return link_in(mail)


def play(club: Club, seat: str, *orders: str) -> dict[str, Any]:
    """Read a seat's mail and answer it; return what the server said."""
    link = turn_of(club, seat)
    answered = post(link, "\n".join(orders), get(link)["decision"])
    assert answered["status"] == 200, answered
    return answered


def test_an_order_of_scoring_and_two_resignations_with_five_players(club: Club) -> None:
    """new_world R5.4, R9.7: the installed set is played at once by the server that is running."""
    data = few_tiles("crossings", CROSSING, ROAD_WEST, PLAIN_WEST)
    install_tiles(club, data)
    game = club.new(5, "--option", "tile_set=crossings")
    play(club, "red", "place 1,5 0 settle r3")
    play(club, "blue", "place 2,5 0 settle r0")  # scores the robber of red
    play(club, "green", "place 3,5 0 settle r0")
    play(club, "yellow", "place 2,4 0 settle r3")  # scores the robber of blue
    answered = play(club, "black", "place 3,4 0")
    assert answered["kind"] == "score" and answered["next"]
    chosen = post(answered["next"], answered["legal"][1], answered["decision"])
    assert chosen["status"] == 200 and chosen["next"] is None

    play(club, "red", "resign")
    asked = get(turn_of(club, "blue"))
    assert asked["view"]["resigned"] == ["red"] and asked["view"]["tile"]["id"] == "crossing"
    give_up(club, int(game), "green")
    waiting = turn_of(club, "blue")  # the question has another number now, so another link
    assert any("settlers stay" in text_of(mail) for mail in club.sink.mails()[-5:])
    club.answer(waiting, random.Random(1))
    club.play_until(5, random.Random(1))

    record = club.record(game)
    steps = [step for turn in record.turns for step in turn["steps"]]
    assert [step.get("by", "on turn") for step in steps if step.get("do") == "resign"] == ["on turn", "green"]
    assert sum(step.get("do", "").startswith("score") for step in steps) >= 1
    assert sum(step.get("chance") == "draw never" for step in steps) == 83
    assert record.result is not None and not {"red", "green"} & set(record.result["winners"])
    assert club.install.command("game", "verify", game).splitlines()[1:] == []


def give_up(club: Club, game: int, seat: str) -> None:
    """Resign out of turn, as the game's page does."""
    database = Database(club.install.environ["POSTROAD_DATABASE_URL"])
    with database.read() as session:
        player = GameStore(session).load(game).seated(seat).player_id
    assert player is not None
    results.resign(database, game, player, now=datetime.now(UTC))
    database.close()


def test_standing_orders_play_the_turns_that_leave_no_choice(club: Club) -> None:
    """new_world: with one place for the tile the server lays it, and mails who is next."""
    data = few_tiles("meadows", MEADOW, PLAIN_WEST, ROAD_WEST)
    install_tiles(club, data)
    game = int(club.new(3, "--option", "tile_set=meadows"))
    other = int(club.new(3, "--option", "tile_set=meadows"))
    database = Database(club.install.environ["POSTROAD_DATABASE_URL"])
    give_standing(database, game, "blue", "play my only action")
    give_standing(database, other, "blue", "lay my only place without settler")
    red = {get(link)["game"]: link for link in (turn_of(club, "red"), turn_of(club, "red"))}
    # A trapper on the meadow leaves blue nowhere to put another, so that one action is left.
    post(red[game], "place 1,5 settle p0", 1)
    green = get(turn_of(club, "green"))
    assert (green["game"], green["turn"], green["view"]["last"]) == (game, 3, [2, 5])
    post(red[other], "place 1,5", 1)
    assert get(turn_of(club, "green"))["game"] == other
    with database.read() as session:
        store = GameStore(session)
        for number in (game, other):
            log = [step for _, _, step in store.log(TITLES["new-world"], number)]
            assert [(step.seat, step.cause, step.line) for step in log[1:]] == [
                ("red", "seat", "place A55 0" + (" trapper" if number == game else "")),
                ("blue", "standing", "place B55 0"),
            ]
    database.close()
    assert club.install.command("game", "verify", str(game)).splitlines()[1:] == []
