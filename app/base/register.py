"""What the ground brings: it forgets what has run out."""

from app.base.rooms import Room

ROOM = Room("app.base", jobs=("database", "process_metrics", "failing", "limits"))
