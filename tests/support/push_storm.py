"""Many notifications while games go on, through push services that fail in every way.

    python -m tests.support.push_storm 10000

plays until so many are owed, with workers that are killed, and checks what the devices were told.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from app.base.config import Config
from app.base.database import Database
from app.base.links import Links
from app.base.server import Server
from app.people.push_tables import Push, PushState
from app.post.push import delivering
from app.post.push.delivering import Pusher, take_back
from app.time import digest
from app.upkeep import migrating
from tests.support.push_service import Phone, PushService
from tests.support.tables import KEYS, hand, load, say, start

DEVICES = 5
"""Of each player; each is told of each turn."""
FASTER = 120
"""How much faster than real time the workers' clock goes, so that pauses of minutes take no minutes."""
TROUBLE = (500, 502, 429, (429, {"Retry-After": "60"}), 503, (503, {"Retry-After": "120"}), "dead", 408)
LATE_SECONDS = 2.0
"""What is under way when a turn is made still arrives."""
LEASE = timedelta(hours=2)
"""A minute of real time."""
AT_ONCE, MOST_WAITING = 60, 60
"""Games at a time, and notifications that wait before the players do."""


@dataclass
class Storm:
    """What came of it."""

    owed: int
    told: int
    taken_back: int
    states: Counter[str]
    doubled: int
    late: int
    wrong: list[str]
    """Devices that do not show exactly the games that wait for their player."""
    seconds: float


def storm(
    server: Server, service: PushService, notifications: int, *, workers: int = 3, kills: bool = True, seed: int = 1
) -> Storm:
    """Play, push, and wait until nothing is owed."""
    chance = random.Random(seed)
    database = server.database
    began = time.monotonic()

    def now() -> datetime:
        return datetime.fromtimestamp(began_at.timestamp() + (time.monotonic() - began) * FASTER, UTC)

    began_at = datetime.now(UTC)
    before = start(database, now=began_at)  # of which no device is told
    phones = {who: [service.phone(database, server.config, who, began_at) for _ in range(DEVICES)] for who in (1, 2)}
    games = [start(database, now=began_at) for _ in range(AT_ONCE)]
    for phone in (phones[1][0], phones[2][0]):
        phone.answers = [chance.choice((*TROUBLE, *[201] * 24)) for _ in range(notifications)]
    delivering.LEASE, lease = LEASE, delivering.LEASE
    arrivals = _watch(service)
    made: dict[tuple[int, int], float] = {}
    stop = threading.Event()

    def work() -> None:
        pusher = Pusher(server)
        while not stop.is_set():
            take_back(database, now())
            if kills and chance.random() < 0.05:  # killed, with rows in hand
                with suppress(RuntimeError):
                    Pusher(server)._take(now())
            if not pusher.deliver_due(now()):
                time.sleep(0.05)

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for _ in range(notifications // DEVICES):
        _hold_back(database)
        at = chance.randrange(len(games))
        game = load(database, games[at])
        if game.decides is None:
            games[at] = start(database, now=now())
            continue
        cards = hand(game, game.decides)
        orders = f"drop {cards[0]}\ndrop {cards[1]}\nend" if len(cards) > 1 else "end"
        with suppress(Exception):
            say(database, game.id, orders, now=now())
            made[game.id, game.turn] = time.monotonic()
    _wait_until_quiet(database)
    stop.set()
    for thread in threads:
        thread.join()
    delivering.LEASE = lease
    return _judged(server, phones, f"game-{before}", arrivals, made, time.monotonic() - began)


def _watch(service: PushService) -> list[tuple[str, str, float]]:
    """Note when each device is told what."""
    arrivals: list[tuple[str, str, float]] = []
    take = service._take

    def noted(phone: Phone, headers: dict[str, str], body: bytes) -> None:
        at = time.monotonic()
        take(phone, headers, body)
        if phone.told[-1]["link"].endswith("/turn") and "body" in phone.told[-1]:
            arrivals.append((phone.path, phone.told[-1]["body"], at))

    service._take = noted  # type: ignore[method-assign]
    return arrivals


def _hold_back(database: Database) -> None:
    """Let the workers follow, or nearly every turn would be made before it is told."""
    asked = sa.select(sa.func.count()).where(Push.state == PushState.WAITING)
    for _ in range(20):
        with database.read() as session:
            if (session.scalar(asked) or 0) < MOST_WAITING:
                return
        time.sleep(0.05)


def _wait_until_quiet(database: Database) -> None:
    still = 0
    while still < 5:
        time.sleep(0.3)
        with database.read() as session:
            waiting = session.scalar(sa.select(sa.func.count()).where(Push.state == PushState.WAITING))
            open_ones = session.scalars(delivering._MADE_ELSEWHERE).first()
        still = 0 if waiting or open_ones else still + 1


def _judged(
    server: Server,
    phones: dict[int, list[Phone]],
    untold: str,
    arrivals: list[tuple[str, str, float]],
    made: dict[tuple[int, int], float],
    seconds: float,
) -> Storm:
    with server.database.read() as session:
        states = Counter(map(str, session.scalars(sa.select(Push.state))))
        closed = session.scalar(sa.select(sa.func.count()).where(Push.closes)) or 0
        waits = {who: {f"game-{game}" for game, _, _ in digest.waiting(session, who)} - {untold} for who in phones}
    wrong = [
        f"{phone.path} shows {sorted(_turns(phone) ^ waits[who])[:5]} wrongly"
        for who, mine in phones.items()
        for phone in mine
        if _turns(phone) != waits[who]
    ]
    doubled = sum(times - 1 for times in Counter((path, body) for path, body, _ in arrivals).values())
    late = sum(at > made.get(_turn(body), at) + LATE_SECONDS for _, body, at in arrivals)
    return Storm(sum(states.values()), len(arrivals), closed, states, doubled, late, wrong, seconds)


def _turns(phone: Phone) -> set[str]:
    """Return the games that a device shows as waiting."""
    return {tag for tag, told in phone.shown.items() if told["link"].endswith("/turn")}


def _turn(body: str) -> tuple[int, int]:
    """Return game and turn of a subject such as `Your turn, by Sat 28 Nov: Ferry #3 against alice, turn 2`."""
    if ", turn " not in body:
        return 0, 0
    return int(body.partition("#")[2].split(" ")[0]), int(body.rpartition(", turn ")[2])


def main(notifications: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/postroad.db"
        migrating.upgrade(url)
        config = Config(Path(folder), url, "http://post.example.org", KEYS, None, "Post Road <post@example.org>", "en")
        from app.server.registry import register

        register()
        server = Server(replace(config, webhook_private=True), Database(url), Links(config.base_url, KEYS))
        service = PushService()
        thread = service.start()
        found = storm(server, service, notifications)
        service.stop(thread)
        server.database.close()
    print(found)
    assert not (found.doubled or found.late or found.wrong or service.wrong)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
