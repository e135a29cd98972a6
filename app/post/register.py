"""What the post brings."""

from app.base.rooms import Command, Room


def _connect() -> None:
    from app.base import outbox
    from app.post.webhooks import owed

    outbox.follow(owed.plan)


ROOM = Room(
    "app.post",
    mails=("mails",),
    pages=("pages", "webhooks.pages"),
    jobs=("sender", "webhooks.delivering", "queue", "inbound.gate"),
    commands={"mail": Command("commands:mail", "Look after mails that wait or were given up.")},
    connect=_connect,
)
