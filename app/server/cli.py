"""The console script `postroad`: a group whose subcommands load when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import click


class Lazy(NamedTuple):
    """Where a subcommand lives, as `module:attribute`, and its line in the help."""

    source: str
    help: str


# Add a line here for every new subcommand, in alphabetical order.
COMMANDS: dict[str, Lazy] = {
    "backup": Lazy("app.server.commands.backup:backup", "Write everything into one file, while games go on."),
    "calendar": Lazy("app.time.commands:calendar", "Look after calendars of holidays."),
    "db": Lazy("app.server.commands.db:db", "Look after the database."),
    "demo": Lazy("app.play.commands.demo:demo", "Fill a server with players and games to look at."),
    "doctor": Lazy("app.server.commands.doctor:doctor", "Look everything over, and say what to do."),
    "game": Lazy("app.play.commands.game:game", "Start games and look after what is stored of them."),
    "league": Lazy("app.leagues.commands.league:league", "Run clubs, their events and rounds."),
    "mail": Lazy("app.post.commands:mail", "Look after mails that wait or were given up."),
    "moderate": Lazy("app.account.commands:moderate", "Answer reports; mute and ban players."),
    "player": Lazy("app.people.commands:player", "Look after players."),
    "record": Lazy("app.play.commands.record:record", "Verify, show and convert records of games."),
    "restore": Lazy("app.server.commands.backup:restore", "Bring a backup back into an empty server."),
    "serve": Lazy("app.server.commands.serve:serve", "Serve pages, reminders and mails."),
    "simulate": Lazy("app.play.commands.simulate:simulate", "Play random legal games to the end and count."),
    "sweep": Lazy("app.server.commands.sweep:sweep", "Do once what is due: reminders, mails, tidying."),
    "tiles": Lazy("app.titles.new_world.commands:tiles", "Check and install sets of tiles for New World."),
}


class LazyGroup(click.Group):
    """A group that imports a subcommand only to run it, so that every start and the help stay quick."""

    def __init__(
        self,
        *args: Any,  # noqa: ANN401  whatever a group of click is made of
        lazy: dict[str, Lazy] | None = None,
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


if __name__ == "__main__":
    main(prog_name="postroad")
