"""Telling operators when something is wrong with the server, once, and once when it is well again.

Current alarms are rows, so that only one of any number of processes tells.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from datetime import UTC, datetime

from sqlmodel import col, select

from app.base.process.jobs import worker
from app.base.server import Server
from app.base.stored import facts, failing, process_metrics
from app.base.stored.leases import keep_looking
from app.base.stored.upkeep_tables import ServerFact
from app.games.work import Work
from app.people import accounts
from app.post.webhooks import wire
from app.upkeep import condition

log = logging.getLogger("postroad.alarms")
LOOK_EVERY_SECONDS = 30.0
BEGINS_WITHIN_SECONDS = 120.0
"""So long after our own start other parts may still be starting."""
PREFIX = "alarm:"
BY_POST_ALREADY = ("mail",)
"""Operators already get another mail about these (`mail_pause`)."""


@worker("alarms")
class AlarmWatch:
    """Checks the server's condition in one process."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def run(self, stop: threading.Event) -> None:
        """Check until `stop` is set; not in the first moments, when nothing has beaten yet."""
        stop.wait(LOOK_EVERY_SECONDS)
        keep_looking(stop, self._look, LOOK_EVERY_SECONDS, log, "looking at the server's condition failed")

    def _look(self) -> None:
        look(self._server, datetime.now(UTC))


def look(server: Server, now: datetime) -> list[tuple[str, bool]]:
    """Tell what is wrong now and was not at the last check, and what is well again; return names, and whether each is
    wrong."""
    with server.database.read() as session:
        rows = session.exec(select(ServerFact).where(col(ServerFact.name).startswith(PREFIX))).all()
        known = {row.name.removeprefix(PREFIX): row.noted_at for row in rows}
        ills = condition.ills(condition.signs(session, server.config, now), server.config, now, set(known))
    if "way_in" not in known and time.time() - process_metrics.BEGAN < BEGINS_WITHIN_SECONDS:
        ills.pop("way_in", None)

    def tell(name: str) -> list[tuple[str, bool]]:
        """Note it, and mail it, unless another process has."""
        is_ill, figures = name in ills, ills.get(name, "")
        since = now if is_ill else known[name]
        with Work(server.database) as work:
            if is_ill:
                first = facts.tell_first(work.session, PREFIX + name, figures[:120], now)
            else:
                first = facts.take_back(work.session, PREFIX + name, since)
            if first:
                _mail(work, name, figures, since, None if is_ill else now)
        if not first:
            return []
        if is_ill:
            log.error("alarm: %s %s", name, figures)
        else:
            log.warning("well again: %s", name)
        post(server, name, figures, is_ill, now)
        return [(name, is_ill)]

    changed = [*sorted(ills.keys() - known.keys()), *sorted(known.keys() - ills.keys())]
    return [one for told in failing.over(server.database, "alarms", changed, str, tell, now) for one in told]


def _mail(work: Work, name: str, figures: str, since: datetime, until: datetime | None) -> None:
    if name in BY_POST_ALREADY:
        return
    details = {
        "alarm": name,
        "figures": figures,
        "since": since.isoformat(),
        "until": until.isoformat() if until else None,
    }
    key = f"alarm:{name}:{since:%Y%m%dT%H%M%S}:{'well' if until else 'ill'}"
    operators = work.session.execute(accounts.OPERATORS).all()
    work.outbox.tell(operators, "alarm", key, details, until or since)


def post(server: Server, name: str, figures: str, is_ill: bool, now: datetime) -> None:
    """Post it to the address of the settings. An unreachable one is logged."""
    url = server.config.alarm_url
    if url is None:
        return
    said = {
        "server": server.config.base_url,
        "alarm": name,
        "well": not is_ill,
        "figures": figures,
        "at": now.isoformat(),
    }
    try:
        wire.call(url, json.dumps(said).encode(), {"Content-Type": "application/json"}, private=True)
    except wire.CallFailed as failed:
        log.error("the alarm could not be posted: %s", failed)
