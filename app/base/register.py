"""What the ground brings: it forgets what has run out."""

from app.base.rooms import Room

ROOM = Room("app.base", jobs=("stored.database", "stored.process_metrics", "stored.failing", "stored.limits"))
