"""What looking after the server brings."""

from app.base.rooms import Room

ROOM = Room("app.upkeep", mails=("mails",), pages=("pages", "server_pages"), jobs=("backups.scheduled", "alarms"))
