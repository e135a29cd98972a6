"""`postroad sweep`: one pass over everything that is due, for those who run no scheduler."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import click

from app.server.commands.common import open_server, read_moment, tell_what_stands


@click.command()
@click.option("--now", "given", help="Pretend that it is this moment, such as 2026-11-24T21:00:00Z.")
def sweep(given: str | None) -> None:
    """Do all that is due: held turns, reminders, passed deadlines, rounds, mails, pushes, webhooks; then tidy up."""
    from app.base.process.jobs import jobs
    from app.post.letters import picture_process
    from app.post.out.sender import Sender
    from app.post.push.delivering import Pusher
    from app.post.route.mail_route import pauses
    from app.post.webhooks.delivering import Deliverer
    from app.upkeep.jobs import as_a_whole, tidy

    now = read_moment(given) if given else datetime.now(UTC)
    with open_server() as server:
        if server.config.mail_pictures:
            picture_process.start()
        tell_what_stands(server.config)
        sender = Sender(server)
        # Before anything else, too: while the route to the mail host is paused, nobody is reminded or late.
        database, failed = server.database, []

        def run(name: str, job: Callable[[], int]) -> int:
            """One job that fails holds up no other."""
            done = as_a_whole(database, name, job, now)
            if done is None:
                failed.append(name)
            return done or 0

        sent = run("mails", lambda: sender.send_all(now))
        swept = [job for job in jobs() if job.swept]
        counts = [run(job.name, partial(job.begin(server.config), database, now)) for job in swept]
        done = [f"{count} {job.did}" for count, job in zip(counts, swept, strict=True) if job.did]
        sent += run("mails", lambda: sender.send_all(now))
        sender.close()
        picture_process.stop()
        with server.database.read() as session:
            for pause in pauses(session):
                click.echo(f"{pause.host} takes no mails, so that they wait: {pause.reason}", err=True)
        caller, called = Deliverer(server, lambda: now), 0
        while made := run("webhooks", caller.deliver_due):
            called += made
        pusher, pushed = Pusher(server, lambda: now), 0
        while made := run("pushes", pusher.deliver_due):
            pushed += made
        gone = run("tidying", lambda: tidy(database, now, server.config.mails_kept_days))
    done += [
        f"{sent} mails taken in hand",
        f"{called} webhooks called",
        f"{pushed} pushes taken in hand",
        f"{gone} old rows deleted",
    ]
    click.echo(f"{', '.join(done)}.")
    if failed:
        raise click.ClickException(f"These could not be done, see the log: {', '.join(failed)}.")
