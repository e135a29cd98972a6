"""What the lobby brings."""

from app.base.rooms import Room

ROOM = Room("app.lobby", mails=("mails",), pages=("pages",))
