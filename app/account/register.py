"""What accounts bring."""

from app.base.rooms import Room

ROOM = Room("app.account", pages=("pages",))
