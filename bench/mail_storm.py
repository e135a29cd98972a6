"""Mail hosts in trouble, at full length: what every mail comes to. Short ones are in `tests/post/test_post_storms.py`.

    python -m bench.mail_storm [--postgres] [--only blocklist|slow|tarpit]

`blocklist`: 300 games, and the host refuses everybody by policy for six hours, which pass by a written clock.
`slow`: a host that takes 5 seconds for each of 40 mails, and two senders. `tarpit`: one that answers 45 seconds after
the end of each of 12 mails. Both in real time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.clocks.pace import DEFAULT
from app.post.out.sender import Sender
from app.server import registry
from app.upkeep import migrating
from tests.support import postgres
from tests.support.post_storm import HOUR, MINUTE, begin_games, server_at, weather
from tests.support.scripted import ScriptedHost, refusing

registry.register()


def blocklist(database: Database) -> str:
    """Answer 5.7.1 to RCPT for six hours: half of the games begin with it, half in the middle."""
    script = refusing("rcpt", "550 5.7.1 your address is on a list")
    storm = weather(database, script, lasts=6 * HOUR, count=150)
    came = storm.host.ids()
    back = storm.now - 10 * MINUTE
    latest = max(storm.mailed_at()) - back
    twice = sum(came.values()) - len(came)
    return (
        f"{storm.states()['sent']} of 302 turns delivered, the last {int(latest / MINUTE)} minutes after the host's "
        f"return; {storm.cases()} cases; {len(storm.operators_mails())} mail to the operator; {twice} of {len(came)} "
        f"mails came twice; {len(storm.credited())} clocks were given back {max(storm.credited()) / 3600:.2f} hours"
    )


def slow(database: Database, seconds: float, mails: int, senders: int) -> str:
    """Use a host that needs this long for each mail; every sender has four connections."""
    begin_games(database, range(mails), datetime.now(UTC), DEFAULT)
    stop, made = threading.Event(), []
    with ScriptedHost(lambda stage, address: seconds if stage == "sent" else None) as host:
        made = [Sender(server_at(database, host.port)) for _ in range(senders)]
        threads = [threading.Thread(target=sender.run, args=(stop,)) for sender in made]
        began = time.monotonic()
        for thread in threads:
            thread.start()
        while counted(database)["sent"] < mails and time.monotonic() - began < 3 * seconds * mails:
            time.sleep(0.2)
        passed = time.monotonic() - began
        stop.set()
        for thread in threads:
            thread.join(20)
    last = max(mail.at for mail in host.taken)
    came = host.ids()
    best, twice = seconds * -(-mails // (4 * senders)), sum(came.values()) - len(came)
    used = host.used(began + 3, last - seconds)
    return (
        f"{counted(database)['sent']} of {mails} delivered in {passed:.0f} s (at best {best:.0f}); {twice} came twice; "
        f"{used:.1f} of {4 * senders} connections in use on average"
    )


def counted(database: Database) -> Counter[str]:
    """Return the final states of all mails."""
    with database.read() as session:
        return Counter(session.scalars(sa.select(OutboxMail.state)))


def main() -> None:
    """Run the storms, each on a database of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL server of its own")
    parser.add_argument("--only", choices=["blocklist", "slow", "tarpit"])
    given = parser.parse_args()
    storms = {
        "blocklist": blocklist,
        "slow": lambda database: slow(database, 5, 40, 2),
        "tarpit": lambda database: slow(database, 45, 12, 1),
    }
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        server = stack.enter_context(postgres.server()) if given.postgres else None
        for name, storm in storms.items():
            if given.only in (None, name):
                url = postgres.make_database(server) if server else f"sqlite:///{folder}/{name}.db"
                migrating.upgrade(url)
                database = Database(url)
                began = time.monotonic()
                said = storm(database)
                database.close()
                print(f"{name}: {said} ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
