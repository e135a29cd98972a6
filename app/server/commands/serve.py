"""`postroad serve`: the whole server in one command."""

from __future__ import annotations

import errno

import click

from app.base.process.config import DEFAULT_PORT
from app.base.process.networks import is_loopback
from app.base.process.stopping import until_told
from app.server import ports
from app.server.commands.common import make_ready, settings, tell_what_stands


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=DEFAULT_PORT, show_default=True, type=click.IntRange(1, 65535))
@click.option("--role", default="all", show_default=True, type=click.Choice(["all", "web", "worker", "mail"]))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Web processes.")
def serve(host: str, port: int, role: str, workers: int) -> None:
    """Bring the database up to date and serve pages, reminders and mails.

    `--role web` serves pages only and `--role worker` the rest only, for two commands side by side. `--role mail` takes
    mails in, as `mail serve` does.
    """
    if role == "mail":
        from app.post.commands import serve as take_mails

        click.get_current_context().invoke(take_mails)
        return
    from app.server import serve as server

    config = settings().at_port(port)
    if config.mail_host is None and not is_loopback(host):
        raise click.ClickException(
            f"--host {host} lets others reach this server, and without a mail host its mailbox would hold their mails. "
            "Set POSTROAD_SMTP_URL, such as smtp://mail.example.org:587, or listen on 127.0.0.1."
        )
    if role != "worker":
        _need_port(host, port)
    make_ready(config, patiently=True)
    server.log_to_stderr(config)
    tell_what_stands(config, patiently=True)
    if role == "worker":
        stop = until_told()  # before it says that it runs
        click.echo("Post Road sends mails and reminders.")
        server.run_duties(config, stop)
        return
    click.echo(f"Post Road is at {config.base_url}" + (" (mails: /mailbox)" if config.mail_host is None else ""))
    server.serve_web(config, host, port, workers, with_duties=role == "all")


def _need_port(host: str, port: int) -> None:
    """Exit with a sentence where nobody could listen."""
    error = ports.why_not(host, port)
    if error is not None:
        why = "another program listens there" if error.errno == errno.EADDRINUSE else error.strerror
        raise click.ClickException(f"{host}, port {port}: {why}; --host and --port name another place.")
