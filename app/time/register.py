"""What clocks bring."""

from app.base.rooms import Room

ROOM = Room(
    "app.time",
    mails=("mails",),
    pages=("pages",),
    jobs=("outages", "reminding.reminders", "reminding.digest"),
)
