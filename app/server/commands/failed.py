"""`postroad failed`: what systemd calls when a part of the server does not come back."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import click

from app.server.commands.common import settings


@click.command()
@click.argument("part")
def failed(part: str) -> None:
    """Mail the operators that a PART of the server (all, web, worker, mail) has ended and does not start again."""
    from app.server.registry import open_server
    from app.upkeep import failed as telling

    server = open_server(settings())
    with closing(server.database):
        for line in telling.tell(server, part, datetime.now(UTC)):
            click.echo(f"{part}: {line}")
