"""One pass over everything that is due, at any moment: what a server does by its timetable and its workers.

.venv/bin/python -m tests.support.sweeping [--now 2030-01-01T00:00:00Z] [--ran]
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import click

from app.base.process.jobs import JOBS
from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.upkeep_tables import Heartbeat
from app.computer.thinking import Thinker
from app.leagues.rounds import pairing_jobs
from app.play.fairness import ends
from app.play.turn import holding
from app.post.letters import picture_process
from app.post.out.sender import Sender
from app.post.push.delivering import Pusher
from app.post.webhooks.delivering import Deliverer
from app.server.commands.common import open_server, read_moment, tell_what_stands
from app.time import outages
from app.upkeep.jobs import as_a_whole, tidy

APART = ("beat", "held turns", "log of the database", "seeds", "CasualWatch.look", "Watch.look")
"""Jobs that go first, or that a single pass has no need of."""


def again(do: Callable[[], object]) -> int:
    """Do it as long as it finds something; how often it did."""
    done = 0
    while do():
        done += 1
    return done


def keep_running(database: Database, now: datetime) -> None:
    """Note that everything has run since its last heartbeat, so that the time until now is no outage."""
    with database.write() as session:
        for job in outages.JOBS:
            since = outages.last_beat(session, job, now) or now
            session.add(Heartbeat(job=job, owner="sweep", first_at=since, last_at=now))


def sweep(server: Server, now: datetime) -> list[str]:
    """Do all that is due: held turns, reminders, passed deadlines, rounds, mails, pushes, webhooks; then tidy up.
    Return how many of each, and what failed."""
    database, config = server.database, server.config
    sender, caller, pusher = Sender(server), Deliverer(server, lambda: now), Pusher(server, lambda: now)
    steps: list[tuple[str, Callable[[], int]]] = [
        # Before anything else, too: while the route to the mail host is paused, nobody is reminded or late.
        ("mails", lambda: sender.send_all(now)),
        ("beat", lambda: outages.watch(database, now)),
        ("held turns", lambda: holding.play_due(database, now)),
    ]
    for job in JOBS:
        if job.name not in APART:
            steps.append((job.name, partial(job.begin(config), database, now)))
    steps += [
        ("pairing", lambda: again(lambda: pairing_jobs.work_one(database, "sweep", lambda: now))),
        ("keep ends", lambda: again(lambda: ends.look(database, now))),
        ("thinkers", lambda: Thinker(database, config, "sweep").work_off(now) if config.thinkers else 0),
        ("mails", lambda: sender.send_all(now)),
        ("webhooks", lambda: again(caller.deliver_due)),
        ("pushes", lambda: again(pusher.deliver_due)),
        ("tidying", lambda: tidy(database, now, config.mails_kept_days)),
    ]
    said = []
    for name, step in steps:
        done = as_a_whole(database, name, step, now)
        said.append(f"{name}: failed" if done is None else f"{name}: {done}")
    sender.close()
    return said


@click.command()
@click.option("--now", "given", help="Pretend that it is this moment, such as 2026-11-24T21:00:00Z.")
@click.option("--ran", is_flag=True, help="As if the server had run until then: without it, a step is an outage.")
def main(given: str | None, ran: bool) -> None:
    """Sweep once; exit code 1 when something failed."""
    now = read_moment(given) if given else datetime.now(UTC)
    with open_server() as server:
        if server.config.mail_pictures:
            picture_process.start()
        tell_what_stands(server.config)
        if ran:
            keep_running(server.database, now)
        said = sweep(server, now)
        picture_process.stop()
    click.echo("; ".join(said))
    raise SystemExit(any(line.endswith(": failed") for line in said))


if __name__ == "__main__":
    main()
