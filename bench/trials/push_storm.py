"""Many notifications while games go on, through push services that fail in every way.

    python -m bench.trials.push_storm 10000

plays until so many are owed, with workers that are killed before and after a push service has taken what they hand it,
and says what became of every row.

A killed worker, one whose answer is lost, and one whose database is locked for too long, cannot know later that the
service has taken it: such a row is handed over once more, under the same topic and tag, so that the device goes on
showing one notification. Nothing else may come twice.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa

from app.base.links import Links
from app.base.process.config import Config
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.leases import Pauses
from app.people.push_tables import Push
from app.people.tables import DeliveryState
from app.post.push import delivering, telling
from app.post.push.delivering import Pusher, take_back
from app.post.webhooks.wire import CallFailed
from app.time.reminding import digest
from app.upkeep import migrating
from tests.support.push_service import Phone, PushService
from tests.support.tables import KEYS, hand, load, say, start

DEVICES = 5
"""Of each player; each is told of each turn."""
FASTER = 120
"""How much faster than real time the workers' clock goes, so that pauses of minutes take no minutes."""
TROUBLE = (500, 502, 429, (429, {"Retry-After": "60"}), 503, (503, {"Retry-After": "120"}), "dead", "unheard", 408)
PAUSES = Pauses([timedelta(minutes=1)] * 20)
"""So many that chance alone gives nothing up."""
LEASE, ENOUGH = timedelta(hours=2), timedelta(minutes=30)
"""A minute of real time, and a quarter of one."""
KILLED = 0.01
"""Share of the notifications whose worker is killed just before they are handed over, and just after."""
AT_ONCE, MOST_WAITING = 60, 60
"""Games at a time, and notifications that wait before the players do."""
TAKEN, UNKNOWN = "taken", "unknown"


class Killed(BaseException):
    """The worker is gone, and writes nothing any more."""


@dataclass(frozen=True)
class Call:
    """A notification handed to the service: of which row, when what it says was read, and what its worker knows of
    it."""

    push_id: int
    read_at: float
    sealed: bytes
    known: str


@dataclass(frozen=True)
class Arrival:
    """What a device was told."""

    path: str
    sealed: bytes
    topic: str
    said: dict[str, Any]


@dataclass
class Seen:
    """Everything that went over the wire, from both ends."""

    calls: list[Call] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    unwritten: set[bytes] = field(default_factory=set)
    """What was taken, and the database did not take down."""

    def taken(self) -> set[bytes]:
        """Return what its worker counts as taken."""
        return {call.sealed for call in self.calls if call.known == TAKEN}

    def told(self) -> dict[int, list[tuple[Call, Arrival]]]:
        """Return for each row what arrived of it and tells something, in order."""
        calls = {
            call.sealed: replace(call, known=UNKNOWN) if call.sealed in self.unwritten else call for call in self.calls
        }
        found: defaultdict[int, list[tuple[Call, Arrival]]] = defaultdict(list)
        for one in self.arrivals:
            if not one.said.get("close"):
                call = calls[one.sealed]
                found[call.push_id].append((call, one))
        return found


@dataclass
class Storm:
    """What came of it."""

    rows: int
    told: int
    taken_back: int
    states: Counter[str]
    lost: int
    """Rows that count as sent of which nothing arrived, that were given up, or that wait still."""
    doubled: int
    """Those that came again though their worker knew that they had been taken, or not as the same notification."""
    repeated: int
    """Those that came again because nobody could know it."""
    late: int
    """Those that tell of a turn, and were read after it had been made."""
    killed: int
    wrong: list[str]
    """Devices that do not show exactly the games that wait for their player."""
    seconds: float

    @property
    def is_well(self) -> bool:
        """Whether nothing was lost, doubled, late or wrong."""
        return not (self.lost or self.doubled or self.late or self.wrong)


def storm(
    server: Server, service: PushService, notifications: int, *, workers: int = 3, killed: float = KILLED, seed: int = 1
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
    games = [start(database, now=began_at) for _ in range(min(AT_ONCE, notifications // DEVICES))]
    for phone in (phones[1][0], phones[2][0]):
        phone.answers = [chance.choice((*TROUBLE, *[201] * 24)) for _ in range(notifications)]
    made: dict[tuple[int, int], float] = {}
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            take_back(database, now())
            if not Pusher(server, now).deliver_due():
                time.sleep(0.05)

    with _watched(service, chance, killed) as seen:
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
                made[game.id, game.number] = time.monotonic()
        _wait_until_quiet(database)
        stop.set()
        for thread in threads:
            thread.join()
    return _judged(server, phones, f"game-{before}", seen, made, time.monotonic() - began)


@contextmanager
def _watched(service: PushService, chance: random.Random, killed: float) -> Iterator[Seen]:
    """Note what is handed over, and what arrives; kill some workers on the way."""
    seen, mine = Seen(), threading.local()
    read, call, take, taken = telling.read, delivering.call, service._take, Pusher._taken

    def noted_read(session: Any, push_id: int, leased: Any) -> Any:
        mine.push_id, mine.read_at = push_id, time.monotonic()
        return read(session, push_id, leased)

    def noted_call(url: str, body: bytes, headers: dict[str, str], **more: Any) -> None:
        known, fate = UNKNOWN, chance.random()
        try:
            if fate < killed:
                raise Killed
            call(url, body, headers, **more)
            if fate > 1 - killed:
                raise Killed
            known = TAKEN
        except CallFailed as failed:
            known = failed.code if failed.code.startswith("status") else UNKNOWN
            raise
        finally:
            mine.sealed = body
            seen.calls.append(Call(mine.push_id, mine.read_at, body, known))

    def noted_taken(pusher: Pusher, *given: Any) -> None:
        try:
            taken(pusher, *given)
        except Exception:
            seen.unwritten.add(mine.sealed)
            raise

    def noted_take(phone: Phone, headers: dict[str, str], body: bytes) -> None:
        take(phone, headers, body)
        seen.arrivals.append(Arrival(phone.path, body, headers["Topic"], phone.told[-1]))

    with (
        patch.object(telling, "read", noted_read),
        patch.object(delivering, "call", noted_call),
        patch.object(service, "_take", noted_take),
        patch.object(Pusher, "_taken", noted_taken),
        patch.object(Pusher, "pauses", PAUSES),
        patch.object(delivering._LEASES, "lasts", LEASE),
        patch.object(delivering, "ENOUGH", ENOUGH),
    ):
        yield seen


def _hold_back(database: Database) -> None:
    """Let the workers follow, or nearly every turn would be made before it is told."""
    asked = sa.select(sa.func.count()).where(Push.state == DeliveryState.WAITING)
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
            waiting = session.scalar(sa.select(sa.func.count()).where(Push.state == DeliveryState.WAITING))
            open_ones = session.scalars(delivering._MADE_ELSEWHERE).first()
        still = 0 if waiting or open_ones else still + 1


def _judged(
    server: Server,
    phones: dict[int, list[Phone]],
    untold: str,
    seen: Seen,
    made: dict[tuple[int, int], float],
    seconds: float,
) -> Storm:
    with server.database.read() as session:
        rows = session.execute(sa.select(Push.id, Push.state, Push.closes)).all()
        waits = {who: {f"game-{one.game_id}" for one in digest.waiting(session, who)} - {untold} for who in phones}
    wrong = [
        f"{phone.path} shows {sorted(_turns(phone) ^ waits[who])[:5]} wrongly"
        for who, mine in phones.items()
        for phone in mine
        if _turns(phone) != waits[who]
    ]
    told = seen.told()
    again = [_is_explained(came) for came in told.values() if len(came) > 1]
    return Storm(
        rows=len(rows),
        told=sum(map(len, told.values())),
        taken_back=sum(row.closes for row in rows),
        states=Counter(str(row.state) for row in rows),
        lost=sum(_is_lost(*row, told) for row in rows) + len(seen.taken() - {one.sealed for one in seen.arrivals}),
        doubled=again.count(False),
        repeated=again.count(True),
        late=sum(_is_late(call, one, made) for came in told.values() for call, one in came),
        killed=sum(call.known == UNKNOWN for call in seen.calls),
        wrong=wrong,
        seconds=seconds,
    )


def _is_lost(push_id: int, state: DeliveryState, closes: bool, told: Mapping[int, object]) -> bool:
    return state in (DeliveryState.WAITING, DeliveryState.FAILED) or (
        state is DeliveryState.SENT and not closes and push_id not in told
    )


def _is_explained(came: list[tuple[Call, Arrival]]) -> bool:
    """Whether nobody knew of any but the last that it had arrived, and the device takes all for the same one."""
    same = {(one.path, one.topic, one.said["tag"]) for _, one in came}
    return len(same) == 1 and all(call.known == UNKNOWN for call, _ in came[:-1])


def _is_late(call: Call, one: Arrival, made: dict[tuple[int, int], float]) -> bool:
    if "number" not in one.said:
        return False
    game = int(one.said["tag"].removeprefix("game-"))
    return call.read_at > made.get((game, one.said["number"]), call.read_at)


def _turns(phone: Phone) -> set[str]:
    """Return the games that a device shows as waiting."""
    return {tag for tag, told in phone.shown.items() if told["link"].endswith("/turn")}


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
    assert found.is_well and not service.wrong, service.wrong


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
