"""`postroad serve`: the whole server in one command."""

from __future__ import annotations

import errno
import os

import click

from app.base.process import logs
from app.base.process.mail_settings import place_of
from app.base.process.networks import is_loopback, why_not
from app.base.process.stopping import until_told
from app.server.commands.common import make_ready, settings, tell_what_stands


@click.command()
@click.option("--host", help="The address to listen on, instead of that of POSTROAD_LISTEN.")
@click.option("--port", type=click.IntRange(1, 65535), help="Likewise.")
@click.option("--role", default="all", show_default=True, type=click.Choice(["all", "web", "worker", "mail"]))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Web processes.")
def serve(host: str | None, port: int | None, role: str, workers: int) -> None:
    """Bring the database up to date and serve pages, reminders and mails.

    `--role web` serves pages only and `--role worker` the rest only, for two commands side by side. `--role mail` takes
    mails in, as `mail serve` does.
    """
    if role == "mail":
        from app.post.commands import serve as take_mails

        click.get_current_context().invoke(take_mails)
        return
    from app.server import serve as server

    config = settings()
    there, number = place_of(config.listen)
    if host or port:
        there, number = host or ("127.0.0.1" if number is None else there), port or number or 8000
    config = config.at_port(number or 80)
    if config.mail_host is None and not is_loopback(there):
        raise click.ClickException(
            f"Listening at {there} lets others reach this server, and without a mail host its mailbox would hold their "
            "mails. Set POSTROAD_SMTP_URL, such as smtp://mail.example.org:587, or listen on 127.0.0.1."
        )
    is_handed_over = "LISTEN_FDS" in os.environ  # by a socket of systemd, which waits for us
    if role != "worker" and number is not None and not is_handed_over:
        _need_port(there, number)
    make_ready(config, patiently=True)
    logs.to_stderr()
    tell_what_stands(config, patiently=True)
    if role == "worker":
        stop = until_told()  # before it says that it runs
        click.echo("Post Road sends mails and reminders.")
        server.run_duties(config, stop)
        return
    click.echo(f"Post Road is at {config.base_url}" + (" (mails: /mailbox)" if config.mail_host is None else ""))
    listen = there if number is None else f"{f'[{there}]' if ':' in there else there}:{number}"
    server.serve_web(config, listen, workers, with_duties=role == "all")


def _need_port(host: str, port: int) -> None:
    """Exit with a sentence where nobody could listen."""
    error = why_not(host, port)
    if error is not None:
        why = "another program listens there" if error.errno == errno.EADDRINUSE else error.strerror
        raise click.ClickException(f"{host}, port {port}: {why}; POSTROAD_LISTEN names another place.")
