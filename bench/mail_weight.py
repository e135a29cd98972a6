"""What each kind of mail weighs, with its pictures, of games that were played; `python -m bench.mail --only weight`."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from email import message_from_string, policy
from email.message import EmailMessage
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import col

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.stored.outbox import PlannedMail
from app.games.work import Work
from app.people.tables import Player, PlayerRole
from app.post.letters import picture_process, writing
from app.upkeep import migrating
from bench.mail_scales import FILE
from bench.pictures import mail_pictures
from bench.trials.axe_everywhere import busy_world
from tests.support.inbound import way_in
from tests.support.replies import Correspondence
from tests.support.settled import begun
from tests.support.sink import Sink
from tests.support.tables import start

BOUNDS = {"html": 102_000, "picture": 60_000, "whole": 200_000}
"""Bytes: Gmail clips HTML above the first."""
COLUMNS = ("html", "text", "picture", "whole")
ANSWERS = 30
"""How many answers are mailed in each game; the replies to them show the new position."""
TESTS = (
    *(
        "account/test_moderation.py",
        "account/pages/test_my_data.py",
        "people/test_pages.py",
        "upkeep/test_condition.py",
    ),
    *("lobby/test_mails.py", "lobby/pages", "overdue", "time/test_leave.py", "time/test_reminders.py"),
    *("post/test_faults.py", "post/test_mails.py", "post/inbound", "post/pages", "post/webhooks"),
    *(f"leagues/{room}" for room in ("rounds", "changes", "desk", "rulings", "seasons", "teams", "events", "pages")),
)
"""Tests in which the other kinds are mailed."""


def weights(mail: EmailMessage, size: int) -> dict[str, int]:
    """Return the bytes of HTML and text as encoded on the wire, of the largest picture, and of the whole mail."""
    found = dict.fromkeys(COLUMNS, 0) | {"whole": size}
    for part in mail.walk():
        name = {"text/html": "html", "text/plain": "text", "image/png": "picture"}.get(part.get_content_type())
        if name is not None:
            weight = len(part.get_payload(decode=True) if name == "picture" else str(part.get_payload()))  # type: ignore[arg-type]
            found[name] = max(found[name], weight)
    return found


def weighed(folder: Path, languages: Sequence[str]) -> Iterator[tuple[str, EmailMessage, int]]:
    """Yield kind, mail and bytes on the wire.

    They come from a life of mails in every language; in English from a club with its events and games by answers; and
    from the tests, without pictures.
    """
    for _, shown in mail_pictures.written_in(folder, languages, ()):
        yield shown.kind, shown.mail, shown.size
    with busy_world() as world:
        begun(world)
        database = world.app.extensions["postroad"].database
        _told_of_a_pause(database)
        world.sweep()
        yield from _kinds(database, world.sink)
    for title, seats in (("acres", 2), ("new-world", 3)):
        url = f"sqlite:///{folder}/{title}.db"
        migrating.upgrade(url)
        with closing(Database(url)) as database:
            start(database, title, seats=seats)
            with way_in(database) as way:
                Correspondence(way).play(1, random.Random(1), ANSWERS)
                yield from _kinds(database, way.sink)
    yield from _of_tests(folder / "scales")


def _of_tests(file: Path) -> Iterator[tuple[str, EmailMessage, int]]:
    """Yield the mails that the tests have written to a file."""
    root = Path(__file__).resolve().parent.parent
    tests = [f"tests/{one}" for one in TESTS]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "bench.mail_scales", *tests]
    subprocess.run(command, cwd=root, env=os.environ | {FILE: str(file)}, check=True, stdout=subprocess.DEVNULL)
    with file.open(encoding="utf-8") as lines:
        for kind, text in map(json.loads, lines):
            yield kind, message_from_string(text, policy=policy.default), len(text)


def _told_of_a_pause(database: Database) -> None:
    """Tell an operator that a mail host accepts nothing, which no test produces."""
    now = datetime.now(UTC)
    details = {"host": "mail.example.org:25", "since": now.isoformat(), "reason": "450 4.7.1 Try again later"}
    with Work(database) as work:
        asked = sa.select(col(Player.id), col(Player.address)).where(col(Player.role) == PlayerRole.OPERATOR)
        who, address = work.session.execute(asked).tuples().first() or (0, "")
        work.outbox.add([PlannedMail("mail_pause:bench", "mail_pause", address, who, details=details)], now)
        work.commit()


def _kinds(database: Database, sink: Sink) -> Iterator[tuple[str, EmailMessage, int]]:
    """Yield the mails that a host was given, with their kinds."""
    with database.read() as session:
        kinds = {row.id: row.kind for row in session.execute(sa.select(col(OutboxMail.id), col(OutboxMail.kind)))}
    for mail, (_, raw) in zip(sink.mails(), sink.taken, strict=True):
        yield kinds[int(str(mail["Message-ID"]).strip("<").partition(".")[0])], mail, len(raw)


def weigh(folder: Path, languages: Sequence[str]) -> int:
    """Print the largest of each kind of mail; return 1 if one is too heavy, or a kind was never mailed."""
    largest: dict[str, dict[str, int]] = {}
    numbers: dict[str, int] = {}
    picture_process.start()
    for kind, mail, size in weighed(folder, languages):
        kept = largest.setdefault(kind, dict.fromkeys(COLUMNS, 0))
        numbers[kind] = numbers.get(kind, 0) + 1
        for name, weight in weights(mail, size).items():
            kept[name] = max(kept[name], weight)
    picture_process.stop()
    print("the largest of each kind of mail, in KB:")
    print(f"  {'':18} {'mails':>6}" + "".join(f"{name:>9}" for name in COLUMNS))
    for kind, kept in sorted(largest.items()):
        print(f"  {kind:18} {numbers[kind]:6}" + "".join(f"{kept[name] / 1000:9.1f}" for name in COLUMNS))
    wrong = [
        f"{kind}: {name} {kept[name]} above {bound}"
        for kind, kept in largest.items()
        for name, bound in BOUNDS.items()
        if kept[name] > bound
    ]
    wrong += [f"{kind}: no mail" for kind in sorted(writing.kinds() - largest.keys())]
    print("\n".join(wrong) or "none is heavier than it may be")
    return 1 if wrong else 0
