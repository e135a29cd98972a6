"""What clocks bring."""

from app.base.rooms import Command, Room

ROOM = Room(
    "app.time",
    mails=("mails",),
    pages=("pages",),
    jobs=("outages", "reminding.reminders", "reminding.digest"),
    commands={"calendar": Command("commands:calendar", "Look after calendars of holidays.")},
)
