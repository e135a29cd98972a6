"""`postroad mail`: the mails that wait, those that were given up, and sending these again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import click

from app.base.process import logs
from app.base.stored.columns import moment
from app.server.commands.common import open_server, read_moment


@click.group()
def mail() -> None:
    """Look after mails that wait or were given up."""


@mail.command(name="list")
@click.option("--most", default=50, show_default=True, type=click.IntRange(1), help="So many of each at most.")
def list_(most: int) -> None:
    """The way to the mail host, the mails that wait and those that were given up, with tries and last error."""
    from app.post.kept import queue
    from app.post.route import mail_route

    now = datetime.now(UTC)
    with open_server() as server, server.database.read() as session:
        state = mail_route.post_state(session)
        waiting, given_up = queue.waiting(session, most), queue.given_up(session, most)
    for pause in state.pauses:
        click.echo(f"{pause.host} has taken no mails since {moment(pause.paused_at)} ({pause.stage}): {pause.reason}")
    click.echo(f"Mails waiting: {state.waiting}; not delivered so far: {state.behind}; given up: {state.given_up}.")
    for what, rows in (("waiting", waiting), ("given up", given_up)):
        for row in rows:
            age = _age(now - row.made_at)
            game = f", game {row.game_id}" if row.game_id is not None else ""
            click.echo(
                f"{row.id}: {what}, {row.kind} to {row.address}{game}, {age} old, tries: {row.attempts}"
                + (f", {row.last_error}" if row.last_error else "")
            )


@mail.command()
@click.argument("ids", nargs=-1, type=click.IntRange(1, 2**31 - 1), metavar="[NUMBER]...")
@click.option("--all", "all_", is_flag=True, help="All that were given up in the last 30 days.")
@click.option("--address", help="Those to this address, or to the player who has it now.")
@click.option("--since", help="Those that were given up since this moment, such as 2026-11-24T21:00:00Z.")
def retry(ids: tuple[int, ...], all_: bool, address: str | None, since: str | None) -> None:
    """Resend what was given up, by the NUMBERs of `mail list`, or as the options say.

    Obsolete mails are dropped when they would go out. The clock of a turn starts when its mail is accepted, and a case
    about the mail is closed then.
    """
    from app.post.kept import queue

    if not (ids or all_ or address or since):
        raise click.UsageError("Say which: numbers, --address, --since, or --all.")
    if all_ and (ids or address or since):
        raise click.UsageError("--all stands alone.")
    begin = read_moment(since) if since else None
    with open_server() as server:
        sent = queue.send_again(server.database, now=datetime.now(UTC), ids=ids, address=address, since=begin)
    click.echo(f"{sent} mails go out again.")


def _age(age: timedelta) -> str:
    minutes = max(0, int(age.total_seconds() // 60))
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 1440} days"


@mail.command()
@click.option("--at", help="Take mails here instead of at POSTROAD_LMTP: the path of a socket, or 127.0.0.1:PORT.")
def serve(at: str | None) -> None:
    """Take mails that come in: over LMTP where POSTROAD_LMTP says, and from the mailbox of POSTROAD_IMAP_URL.

    The mail host hands reports and answers over here; without this they are lost.
    """
    from app.post.inbound import serving

    logs.to_stderr()
    with open_server() as server:
        place = at or server.config.mail_in.lmtp
        if place is None and server.config.mail_in.imap is None:
            raise click.UsageError("Set POSTROAD_LMTP or POSTROAD_IMAP_URL, or say --at.")
        try:
            serving.run(server, place, lambda where: click.echo(f"Takes mails at {where}."))
        except serving.CannotListen as error:
            raise click.ClickException(str(error)) from None


@mail.command()
@click.option("--from", "sender", help="The sender of the envelope; `<>` for a report.")
@click.option("--to", "recipient", help="The address that it came to.")
def take(sender: str | None, recipient: str | None) -> None:
    """Take one mail from standard input, and print the verdict on it: for a pipe of the mail host.

    Ends with 75 (EX_TEMPFAIL) when the mail could not be kept, so that the host tries again.
    """
    import sys

    from app.base.process import failures
    from app.post.inbound import gate
    from app.post.inbound.incoming import Incoming

    raw = sys.stdin.buffer.read()
    with open_server() as server:
        try:
            named = None if sender is None else sender.strip("<> ")
            verdict = gate.take(server, Incoming(raw, named, recipient), datetime.now(UTC))
        except Exception as error:
            if not failures.is_of_the_database(error):
                raise
            click.echo(failures.in_one_line(error), err=True)
            raise SystemExit(75) from None
    click.echo(verdict or "repeated")
