"""`postroad failed`: what systemd calls when a part of the server does not come back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime

import click
import sqlalchemy as sa

from app.base.process import failures
from app.base.server import Server
from app.people import accounts
from app.post.route.host import Connection, NotTaken, TimeLimits, plain_mail
from app.server.commands.common import settings
from app.upkeep import alarms

_LIMITS = TimeLimits.all(30.0)


@click.command()
@click.argument("part")
def failed(part: str) -> None:
    """Mail the operators that a PART of the server (all, web, worker, mail) has ended and does not start again."""
    from app.server.registry import open_server

    server = open_server(settings())
    with closing(server.database):
        for line in told(server, part, datetime.now(UTC)):
            click.echo(f"{part}: {line}")


def told(server: Server, part: str, now: datetime) -> Iterator[str]:
    """Post it to the address for alarms and mail each operator, without the outbox, whose sender may be what has ended;
    yield a line for each. `part` is the role of the process."""
    if server.config.alarm_url is not None:
        alarms.post(server, "failed", part, True, now)
        yield "posted to POSTROAD_ALARM_URL"
    if server.config.mail_host is None:
        return
    host = server.config.host
    connection = Connection(server.config.mail_host, server.config.mail_from, host, _LIMITS)
    with closing(connection):
        for address in _operators(server):
            subject = f"Post Road at {host}: “{part}” has ended and does not start"
            text = (
                f"{server.config.base_url}, since {now:%Y-%m-%d %H:%M} UTC. "
                "Nobody loses anything: mails and clocks wait.\n\n"
                f"Why:       journalctl -u postroad@{part} -n 50\n"
                f"And:       postroad doctor\nAfterwards: systemctl restart postroad@{part}\n"
            )
            mail = plain_mail(server.config, address, subject, text, now)
            mail["Auto-Submitted"] = "auto-generated"
            try:
                connection.hand_over(address, mail.as_bytes())
                yield "mailed to an operator"
            except NotTaken as trouble:
                yield f"an operator's mail was not taken: {trouble}"


def _operators(server: Server) -> list[str]:
    """Return their addresses; none when the database cannot be read, which the journal says then."""
    try:
        with server.database.read() as session:
            return [row.address for row in session.execute(accounts.OPERATORS)]
    except sa.exc.DBAPIError as error:
        if not failures.is_of_the_database(error):
            raise
        return []
