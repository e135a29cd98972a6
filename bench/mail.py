"""Mails: how fast they are drawn, written, handed over and taken in, and what they weigh.

    python -m bench.mail [--only pace|gate|weight] [--mails N] [--rounds N] [--languages en,fr]

`pace`: mails with pictures of N positions of each title, all different, on one connection: drawn, written and handed
over; the same with pictures that are remembered; handed over alone; each against the bare sink that is fed with the
same bytes. `gate`: answers to as many decisions a second, by what they are. `weight`: see `mail_weight.py`. Exit code 1
when a mail is heavier than it may be. `server.py` asks for `figures`, of mails without pictures.

    python bench/mail.py --sink     a real mail host that takes everything, prints its port and runs on
"""

from __future__ import annotations

import argparse
import smtplib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from email.utils import parseaddr
from functools import partial
from itertools import count as counting
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa

from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.games.tables import Game
from app.games.work import Work
from app.play.turn.moves import turn_mail
from app.post.letters import picture_process
from app.post.letters.reply_addresses import REPLIES, Tags
from app.post.letters.writing import QueuedMail
from app.post.out import carrier
from app.post.out.mail_leases import COLUMNS
from app.post.out.sender import Sender
from app.server import registry
from bench import games
from tests.support.inbound import WayIn, way_in, written

MAILS = 300
"""The number of mails in one round of `figures`."""
TITLES = ("acres", "new-world")
_NUMBERS = counting(1)
_MAIL = OutboxMail.__table__  # type: ignore[attr-defined]


def figures(folder: Path, title: str, rounds: int) -> list[dict[str, Any]]:
    """Return rows for the table: handing over as a share of the bare sink's speed, and rendering separately."""
    folder.mkdir()
    with sink() as port:
        server = games.fresh_server(folder, 8000, f"smtp://127.0.0.1:{port}")
        asked = games.positions(server, title, 8, 4)
        put_in(server, [position.game for position in asked], MAILS)
        mails, rendering = render_all(server)
        bare(server, port, mails[:20])
        through, alone, ratios, cpu = [], [], [], []
        for _ in range(rounds):
            wait_again(server)
            before = time.process_time()
            through.append(len(mails) / timed(lambda: send_all(server, made=mails)))
            middle = time.process_time()
            alone.append(len(mails) / timed(lambda: bare(server, port, mails)))
            cpu.append((middle - before) / (time.process_time() - middle))
            ratios.append(through[-1] / alone[-1])
    return [
        {"name": f"mails handed over, share of the bare sink ({MAILS})", "values": ratios, "least": 0.6},
        {"name": "(sender's CPU for it, to that of the bare client)", "values": cpu},
        {"name": "(the bare sink, for information)", "values": alone, "unit": "/s"},
        {"name": "(rendering one mail, in the time of one bare hand-over)", "values": [rendering * n for n in alone]},
    ]


def put_in(server: Server, game_ids: Sequence[int], count: int) -> None:
    """Replace all mails with this many for decisions that are still pending."""
    now = datetime.now(UTC)
    with Work(server.database) as work:
        work.session.execute(sa.delete(_MAIL))
        for n in range(count):
            game = work.store.load(game_ids[n % len(game_ids)])
            assert game.decides is not None
            work.outbox.add([turn_mail(game, game.seated(game.decides), again=str(n))], now)
        work.commit()


ReadyMade = list[tuple[int, str, bytes]]
"""The number, address and bytes of mails."""


def render_all(server: Server) -> tuple[ReadyMade, float]:
    """Render every mail as it goes over the wire; return them and the CPU seconds for one, without the first of each
    language.
    """
    queue = queued(server)
    made = ready_made(server, queue[:40])
    before = time.process_time()
    made += ready_made(server, queue[40:])
    return made, (time.process_time() - before) / len(queue[40:])


def ready_made(server: Server, mails: Sequence[QueuedMail]) -> ReadyMade:
    """Return the mails as they go over the wire."""
    sender, now = Sender(server), datetime.now(UTC)
    return [(mail.id, mail.address, carrier.render(sender, mail, now) or b"") for mail in mails]


def queued(server: Server) -> list[QueuedMail]:
    """Return all mails as their sender sees them."""
    with server.database.read() as session:
        return [QueuedMail(*row) for row in session.execute(sa.select(*COLUMNS))]


def wait_again(server: Server) -> None:
    """Mark all mails as not yet handed over."""
    values = {"state": "waiting", "claimed_by": None, "attempts": 0, "due_at": datetime.now(UTC), "sent_at": None}
    with server.database.write() as session:
        session.execute(sa.update(Game).values(mailed_at=None))
        session.execute(sa.update(_MAIL).values(values))
        session.commit()


def send_all(server: Server, count: int = MAILS, made: ReadyMade | tuple[()] = ()) -> None:
    """Run the sender, batch by batch, on one connection to the host; mails that are `made` are not rendered again."""
    ready = {mail_id: message for mail_id, _, message in made}
    sender, sent = Sender(server), 0
    with mock.patch.object(carrier, "render", lambda _, mail, now: ready[mail.id]) if made else nullcontext():
        while taken := sender.send_due(datetime.now(UTC)):
            sent += taken
    sender.close()
    assert sent == count
    with server.database.read() as session:
        asked = sa.select(sa.func.count()).select_from(_MAIL).where(_MAIL.c.state == "sent")
        assert session.scalar(asked) == count


def bare(server: Server, port: int, mails: ReadyMade) -> None:
    """Send the same bytes on one connection, and do nothing else."""
    sender = parseaddr(server.config.mail_from)[1]
    with smtplib.SMTP("127.0.0.1", port, "localhost") as smtp:
        for _, address, message in mails:
            smtp.sendmail(sender, [address], message)


def timed(act: Any) -> float:
    """Return the seconds of wall clock."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


@contextmanager
def sink() -> Iterator[int]:
    """Start a sink in a separate process; yield its port."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--sink"], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(10)


def be_sink() -> None:
    """Accept mails until ended, and keep none."""
    from tests.support.sink import Sink

    class Forgetful(Sink):
        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
            return "250 taken"

    with Forgetful() as host:
        print(host.port, flush=True)
        sys.stdin.read()


# -- with pictures --------------------------------------------------------------------------------


def pace(folder: Path, title: str, count: int, rounds: int) -> None:
    """Print mails a second, with their share of the bare sink."""
    seconds: dict[str, list[float]] = {}

    def note(name: str, act: Any) -> None:
        seconds.setdefault(name, []).append(timed(act))

    with sink() as port:
        server = games.fresh_server(folder, 8000, f"smtp://127.0.0.1:{port}")
        ids = [position.game for position in games.positions(server, title, -(-count // 4), 4)]
        put_in(server, ids, count)
        send_all(server, count)  # loads templates and catalogues
        for _ in range(rounds):
            picture_process.stop()
            picture_process.start()
            put_in(server, ids, 1)
            send_all(server, 1)  # starts the painter
            put_in(server, ids, count)
            note("drawn, written, handed over", lambda: send_all(server, count))
            put_in(server, ids, count)
            note("written, handed over (pictures remembered)", lambda: send_all(server, count))
            put_in(server, ids, count)
            mails = ready_made(server, queued(server))
            note("handed over", partial(send_all, server, count, mails))
            note("the bare sink", partial(bare, server, port, mails))
        picture_process.stop()
    size = statistics.mean(len(message) for _, _, message in mails) / 1000
    print(f"{title}: {count} mails of {size:.0f} KB on average, {rounds} rounds")
    alone = seconds["the bare sink"]
    for name, taken in seconds.items():
        share = statistics.median(one / other for one, other in zip(alone, taken, strict=True))
        print(f"  {name:44} {count / statistics.median(taken):8.1f} a second {share:8.3f} of the bare sink")


def gated(folder: Path, title: str, count: int) -> None:
    """Print the answers taken per second, each to a different decision, by kind."""
    server = games.fresh_server(folder, 8000)
    asked = games.positions(server, title, -(-count // 4), 4)
    orders = {position.game: position.orders for position in asked if position.orders}
    count = min(count, len(orders))
    put_in(server, list(orders), count)
    numbers = {position.game: position.number for position in asked if position.game in list(orders)[:count]}
    with way_in(server.database) as way:
        now = datetime.now(UTC)
        way.send(now)
        print(f"{title}: answers to {count} decisions")
        taken(way, "put aside: automatic", ["x"] * count, "automatic", now, Auto_Submitted="auto-replied")
        taken(way, "refused and answered: no order", ["What a game!\n"] * count, "reply", now)
        later = now + timedelta(minutes=2)
        taken(way, "played and answered", [f"{lines}\nyes\n" for lines in orders.values()][:count], "reply", later)
        moved = sum(games.read_game(server, game_id).number > number for game_id, number in numbers.items())
        print(f"  decisions that were made by them: {moved} of {count}")


def taken(way: WayIn, name: str, texts: Sequence[str], verdict: str, now: datetime, **headers: str) -> None:
    """Process answers to turn mails, one after the other; print how many per second, without the first."""
    tags = Tags(way.server.config.mail_from, way.server.config.secret_keys)
    mails = [mail for mail in way.mails("turn") if mail.state == "sent"]
    answers = [
        (written(next(_NUMBERS), text, mail.address, **headers).as_bytes(),
         tags.address(REPLIES, mail.id), mail.address)
        for mail, text in zip(mails, texts, strict=False)
    ]  # fmt: skip
    assert len(answers) == len(texts)
    for n, (raw, to, author) in enumerate(answers):
        assert way.take(raw, to, now, author) == verdict
        if n == 0:
            before, began = time.process_time(), time.perf_counter()
    passed, spent, most = time.perf_counter() - began, time.process_time() - before, len(answers) - 1
    print(f"  {name:44} {most / passed:8.1f} a second {1000 * spent / most:8.1f} ms of processor time")


def main() -> int:
    """Print the requested figures; return 1 if a mail is too heavy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("pace", "gate", "weight"))
    parser.add_argument("--mails", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--languages", default=",".join(games.LANGUAGES))
    given = parser.parse_args()
    registry.register()
    with tempfile.TemporaryDirectory() as place:
        for title in TITLES:
            if given.only in (None, "pace"):
                pace(Path(place) / f"pace-{title}", title, given.mails, given.rounds)
            if given.only in (None, "gate"):
                gated(Path(place) / f"gate-{title}", title, given.mails)
        if given.only in (None, "weight"):
            from bench import mail_weight

            return mail_weight.weigh(Path(place), given.languages.split(","))
    return 0


if __name__ == "__main__":
    if "--sink" in sys.argv:
        be_sink()
    else:
        sys.exit(main())
