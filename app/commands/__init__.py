"""The subcommands of `postroad`, a module each; `app.cli` loads them when asked. Must not know any page."""
