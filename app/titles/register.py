"""What titles bring beside what is found by their entry points."""

from app.base.rooms import Command, Room

ROOM = Room(
    "app.titles",
    commands={
        "tiles": Command("new_world.commands:tiles", "Check and install sets of tiles for New World."),
        "title": Command("commands:title", "Check a title by its laws, or begin a new one."),
    },
)
