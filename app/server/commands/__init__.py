"""The subcommands of `postroad` for the server as a whole; `app.server.cli` loads them when asked."""
