"""What the commands that use a server's data share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime

import click
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from app.base.process import failures, private
from app.base.process.config import Config, load
from app.base.process.settings import BadSetting
from app.base.server import Server
from app.base.stored import fingerprint
from app.base.stored.database import Database, file_of
from app.base.words.speech import Voice
from app.games import seeds
from app.games.store import LogBroken, NoSuchGame
from app.time import installed
from app.upkeep import schema
from app.upkeep.backups import before
from engine.kernel.refusals import Refusal

LOOK_FOR_DATABASE_EVERY_SECONDS = 2.0


def settings() -> Config:
    """Return the settings, or exit with what is wrong with them."""
    try:
        return load()
    except BadSetting as wrong:
        raise click.ClickException(str(wrong)) from None


def migrate(config: Config) -> None:
    """Bring the database to the newest migration, or exit with the reason why it cannot be reached."""
    _as_it_can(config, _bring_up_to_date, patiently=False)


def make_ready(config: Config, *, patiently: bool = False) -> None:
    """Do the same as `migrate`, and exit with what to do if the links of the database are signed with another key than
    ours. Patiently: a database server that is not there yet, or goes away in between, is waited for, with a line for
    each reason that it gives."""

    def ready(config: Config) -> None:
        _bring_up_to_date(config)
        need_same_key(config)

    _as_it_can(config, ready, patiently=patiently)


def _as_it_can(config: Config, do: Callable[[Config], None], *, patiently: bool) -> None:
    url = make_url(config.database_url)
    said = ""
    while True:
        try:
            return do(config)
        except DBAPIError as error:
            if not failures.is_of_the_database(error):
                raise
            why = f"The database {url.render_as_string(hide_password=True)} cannot be used: {str(error.orig).strip()}"
            if not patiently or url.get_backend_name() == "sqlite":
                raise click.ClickException(why) from None
        if why != said:
            click.echo(f"{why}\nTrying again until it can; Ctrl+C ends this.", err=True)
            said = why
        time.sleep(LOOK_FOR_DATABASE_EVERY_SECONDS)


def _bring_up_to_date(config: Config) -> None:
    keep_private(config)
    _upgrade(config.database_url)
    _have_seeds(config)


def keep_private(config: Config) -> None:
    """Close our files in the data folder to others on this machine, and say so."""
    path = file_of(config.database_url)
    for changed in private.tighten(config.data, private.of_database(path) if path else ()):
        click.echo(f"{changed} was open to others on this machine; now only its owner may read it.", err=True)


def _upgrade(url: str) -> None:
    with closing(Database(url)) as database, database.read() as session:
        revision = schema.revision_of(session)
    if schema.is_ahead(revision):
        said = (
            f"The database is at {revision}, of a newer version; this one knows it as of {schema.newest()} and goes on."
        )
        click.echo(f"{said} Upgrade this machine, too.", err=True)
    if schema.is_behind(revision):
        from app.upkeep import migrating  # Alembic: most starts do not need it

        try:
            copied = revision and before.keep(url, revision)
        except before.CannotCopy as why:
            raise click.ClickException(str(why)) from None
        if copied:
            click.echo(f"The database as it was before this version is kept in {copied}.", err=True)
        migrating.upgrade(url)


def tell_what_stands(config: Config, *, patiently: bool = False) -> None:
    """Suspend games whose title is not installed, resume those whose title is back, and say so."""
    _as_it_can(config, _tell_what_stands, patiently=patiently)


def _tell_what_stands(config: Config) -> None:
    with closing(Database(config.database_url)) as database:
        for title, games in installed.settle(database, datetime.now(UTC)).items():
            click.echo(f"{installed.in_words(games, title)}. They stand still until it is.", err=True)


def need_same_key(config: Config) -> None:
    """Exit with what to do if the links of the database are signed with another key than ours."""
    try:
        with closing(Database(config.database_url)) as database:
            fingerprint.check(database, config.secret_keys, datetime.now(UTC))
    except fingerprint.OtherKey as other:
        raise click.ClickException(str(other)) from None


def _have_seeds(config: Config) -> None:
    """Make the numbered seeds of a new server, or of one upgraded from a version without them."""
    seeds.make_trees_of(config.seeds)
    with closing(Database(config.database_url)) as database:
        seeds.set_up(database, datetime.now(UTC))


@contextmanager
def open_server() -> Iterator[Server]:
    """Return the server, with its database at the newest migration; refusals end the command with their sentence."""
    from app.server.registry import open_server  # imports everything: not for help pages or records alone

    config = settings()
    make_ready(config)
    server = open_server(config)
    try:
        with closing(server.database):
            yield server
    except NoSuchGame as missing:
        raise click.ClickException(f"There is no game {missing.which}.") from None
    except Refusal as refused:
        raise click.ClickException(Voice().say(refused.why)) from None
    except LogBroken as broken:
        raise click.ClickException(str(broken)) from None


def read_moment(text: str) -> datetime:
    """Return a moment such as `2026-11-24T21:00:00Z`, in UTC if no zone is named; BadParameter if it is invalid."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"“{text}” is no moment; one is 2026-11-24T21:00:00Z.") from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def option_value(text: str) -> str | int | bool | None:
    """Return the value of an option as a title reads it: yes, no, none, a whole number or a word."""
    plain = {"yes": True, "true": True, "no": False, "false": False, "none": None, "null": None}
    if text.lower() in plain:
        return plain[text.lower()]
    return int(text) if text.isdigit() else text


def pairs(given: tuple[str, ...], what: str) -> list[tuple[str, str]]:
    """Split `A=B` texts; a usage error names the invalid one."""
    split = [text.partition("=") for text in given]
    for text, (left, sign, right) in zip(given, split, strict=True):
        if not (left and sign and right):
            raise click.BadParameter(f"“{text}” is not of the form {what}.")
    return [(left, right) for left, _, right in split]
