"""Plays whole games by answers alone: every move is a mail that answers a mail, received by LMTP, sent by SMTP.

    python -m bench.replies [--seed S] [--most N]

Plays A Few Acres of Snow with two seats and New World with two and with three, with random orders, until they are over
(or N answers to each), on SQLite, with a mail host that accepts everything. Prints for each game how many answers it
took, whether it finished, and the processor time of an answer with all its consequences: checking, playing, and the
mails to both sides without pictures. Exit code 1 if an answer did not advance its game.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.base.stored.database import Database
from app.server import registry
from app.upkeep.migrating import upgrade
from tests.support.inbound import way_in
from tests.support.replies import Correspondence
from tests.support.tables import load, start

GAMES = (("acres", 2), ("new-world", 2), ("new-world", 3))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=5_000)
    given = parser.parse_args()
    registry.register()
    failed = False
    for title, seats in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/post.db"
            upgrade(url)
            database = Database(url)
            start(database, title, seats=seats)
            with way_in(database) as way:
                began = time.process_time()
                try:
                    answers = Correspondence(way).play(1, random.Random(given.seed), given.most)
                except AssertionError as stuck:
                    print(f"{title}, {seats} seats: {stuck}")
                    return 1
                spent = time.process_time() - began
                over = load(database, 1).is_over
                mails = len(way.sink.taken)
            database.close()
        how = "to its end" if over else "not to its end"
        print(f"{title}, {seats} seats: {answers} answers, {how}; {mails} mails; {1000 * spent / answers:.0f} ms each")
        failed = failed or not (over or answers == given.most)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
