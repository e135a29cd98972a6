"""The console script `postroad`: a group whose subcommands load when they are asked for."""

from __future__ import annotations

import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from app.base.rooms import Command
from app.server import own_settings
from app.server.registry import ROOMS

COMMANDS = {
    name: Command(f"{room.package}.{command.source}", command.help)
    for room in ROOMS
    for name, command in room.commands.items()
}


class LazyGroup(click.Group):
    """A group that imports a subcommand only to run it, so that every start and the help stay quick."""

    def __init__(
        self,
        *args: Any,  # noqa: ANN401  whatever a group of click is made of
        lazy: dict[str, Command] | None = None,
        **kwargs: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, loaded or not, sorted."""
        return sorted({*super().list_commands(ctx), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand, imported now if need be; None when there is no such name."""
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self.lazy[cmd_name].source.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands from the table, without importing any of them."""
        rows = []
        for name in self.list_commands(ctx):
            if name in self.lazy:
                rows.append((name, self.lazy[name].help))
            elif (command := super().get_command(ctx, name)) and not command.hidden:
                rows.append((name, command.get_short_help_str()))
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    name="postroad",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="postroad", prog_name="postroad")
def main() -> None:
    """Post Road: play board games by email, on a server of your own."""


def run() -> None:
    """The console script: `main` with the settings of the server on this machine."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal of another alphabet is not a fault
    if trouble := own_settings.take_up(sys.argv[1:]):
        click.echo(f"Error: {trouble}", err=True)
        sys.exit(1)
    main(prog_name="postroad")


if __name__ == "__main__":
    run()
