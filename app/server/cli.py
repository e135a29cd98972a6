"""The console script `postroad`: a group whose subcommands load when they are asked for."""

from __future__ import annotations

import atexit
import gc
import sys
from importlib import import_module
from io import TextIOWrapper

import click

from app.base.rooms import Command
from app.server import own_settings
from app.server.registry import ROOMS

RARELY = (5_000, 20, 50)
"""The collector's thresholds (`gc.set_threshold`). Modules and pages make thousands of containers and no lasting cycle;
examined as often as Python does by default, they cost a fifth of a page, and of a command's time nearly half."""
COMMANDS = {
    name: Command(f"{room.package}.{command.source}", command.help)
    for room in ROOMS
    for name, command in room.commands.items()
}


class LazyGroup(click.Group):
    """A group that imports a subcommand only to run it, so that every start and the help stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand, imported now; None when there is no such name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].source.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands from the table, without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].help) for name in self.list_commands(ctx)])


@click.group(
    cls=LazyGroup,
    name="postroad",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="postroad", prog_name="postroad")
def main() -> None:
    """Post Road: play board games by email, on a server of your own."""


def run() -> None:
    """The console script: `main` with the settings of the server on this machine."""
    gc.set_threshold(*RARELY)
    atexit.register(gc.freeze)  # or all that is loaded is examined once more at the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal of another alphabet is not a fault
    if trouble := own_settings.take_up(sys.argv[1:]):
        click.echo(f"Error: {trouble}", err=True)
        sys.exit(1)
    main(prog_name="postroad")


if __name__ == "__main__":
    run()
