"""What the database tells: what is wrong with the server as it runs, the key, backups, an operator."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlmodel import Session

from app.base.process.config import Config
from app.base.stored import fingerprint
from app.base.stored.upkeep_tables import ServerFact
from app.people import accounts
from app.upkeep import condition
from app.upkeep.alarm_words import WHAT
from app.upkeep.backups import scheduled
from app.upkeep.condition import Condition
from app.upkeep.doctor.finding import Finding, ill, unknown, well

ADVICE = {
    "mail": ("outbox", "See the mail host below."),
    "pause": ("outbox", "See the mail host below."),
    "scheduler": ("scheduler", "Start `postroad serve`, or `serve --role worker`."),
    "temporary": ("temporary files", "Make room in the folder for temporary files."),
    "way_in": ("way in", "systemctl restart postroad@mail, or start `postroad mail serve`."),
    "computer": ("computer", "If a process `think` hangs, `kill` it: the server begins another. Else see the log."),
    "broken": ("titles", "The log has the traceback; install a mended version of the title and restart."),
    "ahead": ("clock", "Set the clock; let NTP keep it."),
    "settings": ("settings in force", "systemctl restart 'postroad@*' (in containers: docker compose restart)"),
    "backup": (
        "backups",
        "While the timetable runs and the folder can be written, one is made soon; else the log says why.",
    ),
    "titles": ("titles", "Install its package and restart; they stand still."),
    "log": ("log", "Is `serve` running? If so, end what else keeps the database open, such as a shell."),
    "set_aside": ("set aside", "/server names them, and the log has the tracebacks; everything else goes on."),
    "pushes": ("pushes", "See that this machine reaches it; until then its devices are told later."),
    "zones": ("time zones", "Install the present package tzdata, or have them set anew."),
}
"""By the name of what is wrong (`condition`): what it is called here, and what to do. Others pass by themselves."""


def look(session: Session, config: Config, now: datetime, seen: Condition) -> Iterator[Finding]:
    """Check all of it."""
    wrong = condition.ills(seen, config, now, set()) | condition.troubles(seen, now)
    for name, (check, do) in ADVICE.items():
        if name in wrong:
            yield ill(check, f"{WHAT[name]} {wrong[name]}".strip(), do)
    beat, post = seen.health.beat_at, seen.health.post
    if beat is not None and "scheduler" not in wrong:
        yield well("scheduler", f"alive at {beat:%H:%M:%S} UTC")
    if post is not None and post.given_up:
        yield unknown("outbox", f"{post.given_up} mails were given up or came back", "Look at /outbox.")
    elif post is not None:
        yield well("outbox", f"{post.waiting} mails wait, none was given up")
    yield from _key(session, config)
    if "backup" not in wrong:
        yield _backups(seen, config, now)
    if not session.execute(accounts.OPERATORS).first():
        yield ill("operator", "nobody gets alarms or may open /server", "postroad player role ADDRESS operator --new")


def _key(session: Session, config: Config) -> Iterator[Finding]:
    known, ours = session.get(ServerFact, fingerprint.NAME), [fingerprint.of(key) for key in config.secret_keys]
    if known is not None and known.value not in ours:
        do = "Bring that key back: from another machine, or from a backup (file `secret_key`). If it is lost: "
        why = f"links are signed with the key {known.value}, here is {ours[-1]}, so the server does not start"
        yield ill("key", why, f"{do}postroad db new-key; all links in mails end.")


def _backups(seen: Condition, config: Config, now: datetime) -> Finding:
    last = seen.backup
    if config.backups is None:
        return ill("backups", "none is made", f"postroad setup --yes --backups {config.data / 'backups'}, and restart.")
    if last.made_at is None:
        return ill("backups", "none has been made yet", ADVICE["backup"][1])
    if last.tried_at is None or now - last.tried_at > 2 * scheduled.TRY_EVERY:
        return ill("backups", "none has come back on trial for two weeks", "See the log; try: postroad restore.")
    return well("backups", f"made {last.made_at:%Y-%m-%d %H:%M} UTC, came back on trial {last.tried_at:%Y-%m-%d}")
