"""The commands for the server as a whole."""

from app.base.rooms import Command, Room

ROOM = Room(
    "app.server",
    commands={
        "backup": Command("commands.backup:backup", "Write everything into one file, while games go on."),
        "db": Command("commands.db:db", "Look after the database."),
        "doctor": Command("commands.doctor:doctor", "Look everything over, and say what to do."),
        "failed": Command("commands.failed:failed", "Tell operators that a part has ended; systemd calls it."),
        "restore": Command("commands.backup:restore", "Bring a backup back into an empty server."),
        "serve": Command("commands.serve:serve", "Serve pages, reminders and mails."),
        "setup": Command("commands.setup:setup", "Set a server up, or change how it is set up."),
    },
)
