"""What accounts bring."""

from app.base.rooms import Command, Room

ROOM = Room(
    "app.account",
    pages=("pages",),
    commands={"moderate": Command("commands:moderate", "Answer reports; mute and ban players.")},
)
