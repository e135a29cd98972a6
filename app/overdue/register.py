"""What passed deadlines bring."""

from app.base.rooms import Room

ROOM = Room("app.overdue", mails=("mails",), pages=("pages",), jobs=("cases", "left"))
