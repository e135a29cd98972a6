"""What has to run or to be there without being seen: each part in force, the key, backups, an operator."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlmodel import Session

from app.base.process.config import Config
from app.base.stored import fingerprint, process_metrics
from app.base.stored.upkeep_tables import ServerFact
from app.people import accounts
from app.post.inbound import serving
from app.upkeep import condition
from app.upkeep.backups import scheduled
from app.upkeep.condition import Condition
from app.upkeep.doctor.finding import Finding, ill, well

OWES_FOR = timedelta(minutes=2)
"""How long the computer may think before it looks stuck."""


def look(session: Session, seen: Condition, config: Config, now: datetime) -> Iterator[Finding]:
    """Check all of them."""
    yield from _key(session, config)
    yield from _parts(seen, config, now)
    yield _backups(seen, config, now)
    if not session.execute(accounts.OPERATORS).first():
        yield ill("operator", "nobody gets alarms or may open /server", "postroad player role ADDRESS operator --new")


def _key(session: Session, config: Config) -> Iterator[Finding]:
    known, ours = session.get(ServerFact, fingerprint.NAME), [fingerprint.of(key) for key in config.secret_keys]
    if known is not None and known.value not in ours:
        do = "Bring that key back: from another machine, or from a backup (file `secret_key`). If it is lost: "
        why = f"links are signed with the key {known.value}, here is {ours[-1]}, so the server does not start"
        yield ill("key", why, f"{do}postroad db new-key; all links in mails end.")


def _parts(seen: Condition, config: Config, now: datetime) -> Iterator[Finding]:
    """Yield what the parts of the server that run, and those that should, say of themselves."""
    here, marks = f"{socket.gethostname()[:40]}:", process_metrics.marks_of(config)
    for one in seen.heard:
        theirs = one.content.get("marks")
        if theirs is None or now - one.at > condition.ALIVE or not one.process.startswith(here):
            continue
        other = sorted(name for name in marks.keys() | theirs.keys() if marks.get(name) != theirs.get(name))
        if other:
            why = f"{condition.in_words(one)} runs with another {', '.join(f'POSTROAD_{name}' for name in other)}"
            yield ill(
                "settings in force", why, "systemctl restart 'postroad@*' (in containers: docker compose restart)"
            )
    if config.mail_in.is_open and (since := seen.silent_since(serving.WAY_IN, now)) is not None:
        said = "has never been heard of" if since.year == 1 else f"is silent since {since:%Y-%m-%d %H:%M} UTC"
        yield ill("way in", f"`postroad mail serve` {said}", "systemctl restart postroad@mail")
    if seen.owed_since is not None and now - seen.owed_since > OWES_FOR:
        why = f"a decision waits for the computer since {seen.owed_since:%Y-%m-%d %H:%M} UTC"
        do = "If a process `think` hangs, `kill` it: the server begins another. Else see the log."
        yield ill("computer", why, do)
    for what in seen.broken:
        do = "Its clock stands. The log has the traceback; install a mended version of the title and restart."
        yield ill("titles", what, do)


def _backups(seen: Condition, config: Config, now: datetime) -> Finding:
    last = seen.backup
    if config.backups is None:
        return ill("backups", "none is made", f"postroad setup --yes --backups {config.data / 'backups'}, and restart.")
    if last.error:
        return ill("backups", f"the last one failed: {last.error}", f"See that {config.backups} can be written.")
    if last.made_at is None or now - last.made_at > scheduled.EVERY + condition.LATE:
        said = f"the last one is of {last.made_at:%Y-%m-%d %H:%M} UTC" if last.made_at else "none has been made yet"
        return ill("backups", said, "One is made within a minute while the timetable runs; else the log says why.")
    if last.tried_at is None or now - last.tried_at > 2 * scheduled.TRY_EVERY:
        return ill("backups", "none has come back on trial for two weeks", "See the log; try: postroad restore.")
    return well("backups", f"made {last.made_at:%Y-%m-%d %H:%M} UTC, came back on trial {last.tried_at:%Y-%m-%d}")
