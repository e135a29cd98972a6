"""The key of a server's links, as its database knows it: machines with two keys would refuse each other's links."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime

from app.base.stored import facts
from app.base.stored.database import Database
from app.base.stored.upkeep_tables import ServerFact

NAME = "key"


class OtherKey(Exception):
    """The links of this database are signed with a key that is not ours. Has its fingerprint and that of ours."""

    def __init__(self, theirs: str, ours: str) -> None:
        super().__init__(
            f"The links of this database are signed with the key {theirs}, and this machine has the key {ours}: links "
            "mailed by one would be refused by the other. Set POSTROAD_SECRET_KEY on all machines to the same key "
            "(the first one keeps its own in secret_key in its data folder). To change it, name both, the new one "
            "last. If the old key is lost, `postroad db new-key` goes on with the one that is here, and all links in "
            "mails end."
        )


def of(key: str) -> str:
    """Return a fingerprint of a key that may be shown."""
    return hashlib.sha256(b"postroad.key:" + key.encode()).hexdigest()[:16]


def check(database: Database, keys: Sequence[str], now: datetime) -> None:
    """Note the signing key if none is known yet or it follows the known one; raises OtherKey if the known one is not
    among them."""
    ours = [of(key) for key in keys]
    with database.read() as session:
        known = session.get(ServerFact, NAME)
    if known is None:
        with database.write() as session:
            facts.tell_first(session, NAME, ours[-1], now)  # another machine may have been faster
            known = session.get_one(ServerFact, NAME)
    if known.value not in ours:
        raise OtherKey(known.value, ours[-1])
    if known.value != ours[-1]:
        adopt(database, keys[-1], now)


def adopt(database: Database, key: str, now: datetime) -> None:
    """Make this key the database's from now on."""
    with database.write() as session:
        facts.tell(session, NAME, of(key), now)
