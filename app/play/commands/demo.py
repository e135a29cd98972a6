"""`postroad demo`: a server to look at."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from app.server.commands.common import open_server


@click.command()
@click.option("--seed", default=1, show_default=True, help="Other seeds give other games.")
def demo(seed: int) -> None:
    """Add players at example.org with running and finished games. Not on a server that sends mails."""
    from app.play.demo import fill

    with open_server() as server:
        if server.config.mail_host is not None:
            raise click.ClickException("POSTROAD_SMTP_URL is set, and nobody at example.org wants these mails.")
        for line in fill(server.database, now=datetime.now(UTC), seed=seed):
            click.echo(line)
