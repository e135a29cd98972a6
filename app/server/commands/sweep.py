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
    """Do all that is due: held turns, reminders, passed deadlines, rounds to pair, mails, webhooks; then tidy up."""
    from app.overdue.cases import sweep_cases
    from app.play.turn import holding
    from app.post import painter
    from app.post.mail_route import pauses
    from app.post.sender import Sender
    from app.post.webhooks.delivering import Deliverer
    from app.time.digest import send_due
    from app.time.outages import watch
    from app.time.reminders import remind
    from app.upkeep import jobs

    now = read_moment(given) if given else datetime.now(UTC)
    with open_server() as server:
        if server.config.mail_pictures:
            painter.start()
        tell_what_stands(server.config)
        sender = Sender(server)
        # Before anything else, too: while the route to the mail host is paused, nobody is reminded or late.
        database, failed = server.database, []

        def run(name: str, job: Callable[[], int]) -> int:
            """Run a job; a failure does not hold up the others."""
            done = jobs.as_a_whole(database, name, job, now)
            if done is None:
                failed.append(name)
            return done or 0

        sent = run("mails", lambda: sender.send_all(now))
        run("beat", lambda: watch(database, now))
        held = run("held turns", lambda: holding.play_due(database, now))
        reminders = run("reminders", lambda: remind(database, now))
        run("digests", lambda: send_due(database, now))
        looked = run("cases", lambda: sweep_cases(database, now, allowance=server.config.leave_days))
        done = [
            f"{run(sweep.did, partial(sweep.run, database, now))} {sweep.did}"
            for chores in jobs.of_subjects()
            for sweep in chores.sweeps
        ]
        sent += run("mails", lambda: sender.send_all(now))
        sender.close()
        painter.stop()
        with server.database.read() as session:
            for pause in pauses(session):
                click.echo(f"{pause.host} takes no mails, so that they wait: {pause.reason}", err=True)
        caller, called = Deliverer(server), 0
        while made := run("webhooks", lambda: caller.deliver_due(now)):
            called += made
        gone = run("tidying", lambda: jobs.tidy(database, now, server.config.mails_kept_days))
    click.echo(
        f"{held} held turns played, {reminders} reminders queued, {sent} mails taken in hand, "
        f"{looked} passed deadlines looked at, "
        f"{''.join(f'{told}, ' for told in done)}{called} webhooks called, {gone} old rows deleted."
    )
    if failed:
        raise click.ClickException(f"These could not be done, see the log: {', '.join(failed)}.")
