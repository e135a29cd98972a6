"""What people bring."""

from app.base.rooms import Command, Room

ROOM = Room(
    "app.people",
    mails=("mails",),
    pages=("pages",),
    jobs=("signin",),
    commands={"player": Command("commands:player", "Look after players.")},
)
