"""`postroad tiles`: check and install sets of tiles for New World."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import click

from app.titles.new_world import tile_sets

EXIT_REFUSED, EXIT_UNREADABLE = 1, 2
FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def tiles() -> None:
    """Check and install sets of tiles for New World."""


@tiles.command()
@FILE
def check(file: Path) -> None:
    """List what is wrong with a file of tiles: the tile and the reason, a line each.

    Exit status: 0 when it can be installed, 1 when something is wrong, 2 when the file cannot be read as JSON.
    """
    try:
        data = tile_sets.judged(_read(file))
    except tile_sets.NotInstalled as refused:
        _refuse(refused.problems)
    click.echo(f"{file}: the set {data['set_id']} can be installed. {_described(data)}")


@tiles.command()
@FILE
def install(file: Path) -> None:
    """Install a set of tiles, to be chosen with the option tile_set.

    It is kept with the games and never changes; another version needs another set_id. Exit status as for check.
    """
    from app.server.commands.common import open_server

    data = _read(file)
    with open_server() as server:
        try:
            done = tile_sets.install(server.database, data, now=datetime.now(UTC))
        except tile_sets.NotInstalled as refused:
            _refuse(refused.problems)
    told = "is installed" if done.is_new else "was installed already"
    click.echo(f"The set {done.tiles.id} {told}. {_described(done.tiles.data)}")


def _read(file: Path) -> object:
    try:
        return tile_sets.read_file(file)
    except tile_sets.NotReadable as unreadable:
        click.echo(f"{file}: {unreadable}", err=True)
        sys.exit(EXIT_UNREADABLE)


def _refuse(problems: Sequence[str]) -> NoReturn:
    for problem in problems:
        click.echo(problem)
    sys.exit(EXIT_REFUSED)


def _described(data: Mapping[str, Any]) -> str:
    total = sum(tile["count"] for tile in data["tiles"])
    source = "copied from a published copy" if data["exact"] else "a reconstruction"
    return f"{total} tiles of {len(data['tiles'])} kinds, {source}."
