"""`postroad backup` and `postroad restore`: a whole server as one file, and back."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click

from app.base.process import private
from app.base.process.config import Config
from app.base.stored import fingerprint
from app.server.commands.common import settings
from app.upkeep.backups.restoring import Backup

LEFT_OUT = 1000
"""Numbers of games and players that are skipped after a restore."""


@click.command()
@click.argument("file")
def backup(file: str) -> None:
    """Write everything into one FILE (or `-`: standard output): database, settings and the key. Games go on meanwhile.

    Anyone with the file can make links and read every hand: keep it as you keep the key.
    """
    from app.server.registry import open_server
    from app.upkeep.backups import writing

    config = settings()
    server = open_server(config)
    now = datetime.now(UTC)
    try:
        with closing(server.database) as database:
            if file == "-":
                written = writing.write(sys.stdout.buffer, database, config, now)
            else:
                written = writing.write_file(Path(file), database, config, now)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}") from None
    games, entries = written.rows.get("game", 0), written.rows.get("log_entry", 0)
    size = f" {written.size} bytes;" if written.size else ""
    click.echo(f"{file}:{size} {games} games with {entries} entries, {sum(written.rows.values())} rows.", err=True)


@click.command()
@click.argument("file")
@click.option(
    "--jump", default=LEFT_OUT, show_default=True, type=click.IntRange(0, 10_000_000), help="Numbers left out."
)
def restore(file: str, jump: int) -> None:
    """Bring a backup (`-`: from standard input) back into an empty database of either kind; every game is replayed.

    Numbers of games and players jump ahead, past those that may have been given since the backup was made.
    """
    from app.base.stored.database import Database
    from app.upkeep.backups import restoring

    config = settings()
    try:
        with _reading(file) as stream, restoring.opened(stream) as found:
            _take_key(config, found, only_look=True)
            restoring.restore(found, config.database_url)
            _take_key(config, found)
            _leave_settings(config, found)
        with closing(Database(config.database_url)) as database:
            jumped = restoring.jump(database, jump, datetime.now(UTC))
            games = restoring.verify_games(database)
    except restoring.CannotRestore as why:
        raise click.ClickException(str(why)) from None
    click.echo(f"Restored what there was at {found.made_at:%Y-%m-%d %H:%M} UTC. {games} games replayed: all as kept.")
    for name, (last, first) in sorted(jumped.items()):
        click.echo(f"The last {name} has the number {last}, the next one will have {first}.")
    if found.settings:
        click.echo(f"The settings of then are in {config.data / 'settings-of-backup.json'}; compare them with yours.")


@contextmanager
def _reading(file: str) -> Iterator[IO[bytes]]:
    """Open the file; standard input is stored in a file first, since a backup is read from its end."""
    if file != "-":
        try:
            with Path(file).open("rb") as stream:
                yield stream
        except FileNotFoundError:
            raise click.ClickException(f"There is no file {file}.") from None
        return
    with tempfile.TemporaryFile() as kept:
        while piece := sys.stdin.buffer.read(1 << 20):
            kept.write(piece)
        yield kept


def _take_key(config: Config, found: Backup, *, only_look: bool = False) -> None:
    """Have this server sign with the key of the backup, so that links in mails keep working."""
    if config.key_file is None:
        theirs = fingerprint.of(found.keys.split(",")[-1])
        if theirs not in map(fingerprint.of, config.secret_keys):
            raise click.ClickException(
                f"POSTROAD_SECRET_KEY is not the key of this backup ({theirs}). Leave the setting out, so that the "
                "key of the backup is put into the data folder, or name the backup's key before yours."
            )
    elif not only_look:
        private.write(config.key_file, found.keys.encode())


def _leave_settings(config: Config, found: Backup) -> None:
    """Show the operator the settings of the backup; this machine may need others."""
    if found.settings:
        import orjson

        private.write(config.data / "settings-of-backup.json", orjson.dumps(found.settings, option=orjson.OPT_INDENT_2))
