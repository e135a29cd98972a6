"""Mails handed over by the sender against the same sink fed with the same bytes; see `server.py`.

python bench/mail.py            the sink: a real mail host that takes everything, prints its port and runs on
"""

from __future__ import annotations

import smtplib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parseaddr
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa

from app.base.house import House
from app.base.mail_tables import OutboxMail
from app.games.tables import Game
from app.games.work import Work
from app.play.notices import turn_mail
from app.post.claims import COLUMNS
from app.post.sender import Sender
from app.post.writing import QueuedMail

MAILS = 300
"""So many in one round."""
_MAIL = OutboxMail.__table__  # type: ignore[attr-defined]


def figures(folder: Path, title: str, rounds: int) -> list[dict[str, Any]]:
    """Rows for the table: handing over as a share of the bare sink's speed, rendering apart."""
    import games

    folder.mkdir()
    with sink() as port:
        house = games.fresh_house(folder, 8000, f"smtp://127.0.0.1:{port}")
        asked = games.positions(house, title, 8, 4)
        put_in(house, [position.game for position in asked])
        rendering = render_all(house)
        mails = ready_made(house)
        bare(house, port, mails[:20])
        through, alone, ratios, cpu = [], [], [], []
        for _ in range(rounds):
            wait_again(house, mails)
            before = time.process_time()
            through.append(len(mails) / timed(lambda: send_all(house)))
            middle = time.process_time()
            alone.append(len(mails) / timed(lambda: bare(house, port, mails)))
            cpu.append((middle - before) / (time.process_time() - middle))
            ratios.append(through[-1] / alone[-1])
    return [
        {"name": f"mails handed over, share of the bare sink ({MAILS})", "values": ratios, "least": 0.6},
        {"name": "(sender's CPU for it, to that of the bare client)", "values": cpu},
        {"name": "(the bare sink, for information)", "values": alone, "unit": "/s"},
        {"name": "(rendering one mail, in the time of one bare hand-over)", "values": [rendering * n for n in alone]},
    ]


def put_in(house: House, game_ids: Sequence[int]) -> None:
    """Mails of decisions that are still owed."""
    now = datetime.now(UTC)
    with Work(house.database) as work:
        work.session.execute(sa.delete(_MAIL))
        for n in range(MAILS):
            game = work.store.load(game_ids[n % len(game_ids)])
            assert game.decides is not None
            work.outbox.add([turn_mail(game, game.seated(game.decides), again=str(n))], now)
        work.commit()


def render_all(house: House) -> float:
    """Write every mail down as it goes over the wire; seconds of CPU for one, the first of each language left out."""
    sender, now = Sender(house), datetime.now(UTC)
    with house.database.read() as session:
        mails = [QueuedMail(*row) for row in session.execute(sa.select(*COLUMNS))]
    for mail in mails[:40]:
        sender.render(mail, now)
    before = time.process_time()
    for mail in mails[40:]:
        sender.render(mail, now)
    return (time.process_time() - before) / len(mails[40:])


def ready_made(house: House) -> list[tuple[int, str, bytes]]:
    """Number, address and bytes of every mail; the rows lose their bytes when they are sent."""
    with house.database.read() as session:
        asked = sa.select(_MAIL.c.id, _MAIL.c.address, _MAIL.c.message).order_by(_MAIL.c.id)
        return [tuple(row) for row in session.execute(asked)]


def wait_again(house: House, mails: Sequence[tuple[int, str, bytes]]) -> None:
    """As if no mail had been handed over yet."""
    now = datetime.now(UTC)
    values = {"state": "waiting", "claimed_by": None, "attempts": 0, "due_at": now, "sent_at": None, "rendered_at": now}
    with house.database.write() as session:
        session.execute(sa.update(Game).values(mailed_at=None))
        for mail_id, _, message in mails:
            session.execute(sa.update(_MAIL).where(_MAIL.c.id == mail_id).values(message=message, **values))
        session.commit()


def send_all(house: House) -> None:
    """The sender's own work, batch by batch, on one connection to the host."""
    sender, sent = Sender(house), 0
    while taken := sender.send_due(datetime.now(UTC)):
        sent += taken
    sender.close()
    assert sent == MAILS
    with house.database.read() as session:
        asked = sa.select(sa.func.count()).select_from(_MAIL).where(_MAIL.c.state == "sent")
        assert session.scalar(asked) == MAILS


def bare(house: House, port: int, mails: Sequence[tuple[int, str, bytes]]) -> None:
    """The same bytes on one connection, and nothing else."""
    sender = parseaddr(house.config.mail_from)[1]
    with smtplib.SMTP("127.0.0.1", port, "localhost") as smtp:
        for _, address, message in mails:
            smtp.sendmail(sender, [address], message)


def timed(act: Any) -> float:
    """Seconds of wall clock."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


@contextmanager
def sink() -> Iterator[int]:
    """The port of a sink in a process of its own."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait(10)


def main() -> None:
    """Take mails until ended, and keep none."""
    from tests.support.sink import Sink

    class Forgetful(Sink):
        async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
            return "250 taken"

    with Forgetful() as host:
        print(host.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
