"""What each kind of mail weighs, with its pictures, of games that were played; `python -m bench.mail --only weight`."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import col

from app.base.database import Database
from app.base.mail_tables import OutboxMail
from app.post import painter
from app.upkeep import migrating
from tests.support import mail_pictures
from tests.support.axe_everywhere import busy_world
from tests.support.inbound import way_in
from tests.support.replies import Correspondence
from tests.support.settled import begun
from tests.support.sink import Sink
from tests.support.tables import start

BOUNDS = {"html": 102_000, "picture": 60_000, "whole": 200_000}
"""Bytes: Gmail cuts HTML off above the first."""
COLUMNS = ("html", "text", "picture", "whole")
ANSWERS = 30
"""By so many in each game, its players' answers are answered with the position after them."""


def weights(mail: EmailMessage, size: int) -> dict[str, int]:
    """Bytes of HTML and text as they are encoded on the wire, of the largest picture, and of the whole mail."""
    found = dict.fromkeys(COLUMNS, 0) | {"whole": size}
    for part in mail.walk():
        name = {"text/html": "html", "text/plain": "text", "image/png": "picture"}.get(part.get_content_type())
        if name is not None:
            weight = len(part.get_payload(decode=True) if name == "picture" else str(part.get_payload()))  # type: ignore[arg-type]
            found[name] = max(found[name], weight)
    return found


def weighed(folder: Path, languages: Sequence[str]) -> Iterator[tuple[str, EmailMessage, int]]:
    """Kind, mail and bytes on the wire: of a life of mails in every language, and in English of a club with its events
    and of games by answers."""
    for _, shown in mail_pictures.written_in(folder, languages, ()):
        yield shown.kind, shown.mail, shown.size
    with busy_world() as world:
        begun(world)
        world.sweep()
        yield from _kinds(world.app.extensions["postroad"].database, world.sink)
    for title, seats in (("acres", 2), ("new-world", 3)):
        url = f"sqlite:///{folder}/{title}.db"
        migrating.upgrade(url)
        with closing(Database(url)) as database:
            start(database, title, seats=seats)
            with way_in(database) as way:
                Correspondence(way).play(1, random.Random(1), ANSWERS)
                yield from _kinds(database, way.sink)


def _kinds(database: Database, sink: Sink) -> Iterator[tuple[str, EmailMessage, int]]:
    """The mails that a host was given, with their kinds."""
    with database.read() as session:
        kinds = {row.id: row.kind for row in session.execute(sa.select(col(OutboxMail.id), col(OutboxMail.kind)))}
    for mail, (_, raw) in zip(sink.mails(), sink.taken, strict=True):
        yield kinds[int(str(mail["Message-ID"]).strip("<").partition(".")[0])], mail, len(raw)


def weigh(folder: Path, languages: Sequence[str]) -> int:
    """Print the largest of each kind of mail; 1 when one is heavier than it may be."""
    largest: dict[str, dict[str, int]] = {}
    numbers: dict[str, int] = {}
    painter.start()
    for kind, mail, size in weighed(folder, languages):
        kept = largest.setdefault(kind, dict.fromkeys(COLUMNS, 0))
        numbers[kind] = numbers.get(kind, 0) + 1
        for name, weight in weights(mail, size).items():
            kept[name] = max(kept[name], weight)
    painter.stop()
    print("the largest of each kind of mail, in KB:")
    print(f"  {'':18} {'mails':>6}" + "".join(f"{name:>9}" for name in COLUMNS))
    for kind, kept in sorted(largest.items()):
        print(f"  {kind:18} {numbers[kind]:6}" + "".join(f"{kept[name] / 1000:9.1f}" for name in COLUMNS))
    heavy = [
        f"{kind}: {name} {kept[name]} above {bound}"
        for kind, kept in largest.items()
        for name, bound in BOUNDS.items()
        if kept[name] > bound
    ]
    print("\n".join(heavy) or "none is heavier than it may be")
    return 1 if heavy else 0
