"""`postroad demo`: a server to look at."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from app.server.commands.common import open_server


@click.command()
@click.option("--seed", default=1, show_default=True, help="Other seeds give other games.")
@click.option("--club", is_flag=True, help="A club in the middle of its season instead, to learn on.")
def demo(seed: int, club: bool) -> None:
    """Add players at example.org with running and finished games. Not on a server that sends mails."""
    from app.leagues.commands.demo_club import fill_club
    from app.play.demo import fill

    with open_server() as server:
        if server.config.mail_host is not None:
            raise click.ClickException("POSTROAD_SMTP_URL is set, and nobody at example.org wants these mails.")
        now = datetime.now(UTC)
        for line in fill_club(server, now=now, seed=seed) if club else fill(server.database, now=now, seed=seed):
            click.echo(line)
