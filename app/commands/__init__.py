"""The subcommands of `postroad`, a module each; `app.cli` loads them when they are asked for."""
