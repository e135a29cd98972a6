"""What stored games bring: the trees of numbers that their chance is drawn from."""

from app.base.rooms import Room

ROOM = Room("app.games", jobs=("seeds",))
