"""What the computer brings."""

from app.base.rooms import Command, Room


def _connect() -> None:
    from app.computer import queue
    from app.games import followers

    followers.register(queue)


ROOM = Room(
    "app.computer",
    pages=("pages",),
    jobs=("queue", "processes"),
    commands={"think": Command("commands:think", "Think for the computer, in a process of its own.")},
    connect=_connect,
)
