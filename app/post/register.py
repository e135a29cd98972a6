"""What the post brings."""

from app.base.rooms import Command, Room


def _connect() -> None:
    from app.base.stored import outbox
    from app.post import owed

    outbox.follow(owed.plan_calls)
    outbox.follow(owed.plan_pushes)


ROOM = Room(
    "app.post",
    mails=("mails",),
    pages=("pages", "webhooks.pages", "push.pages"),
    jobs=("out.sender", "webhooks.delivering", "push.delivering", "push.devices", "kept.queue", "inbound.gate"),
    commands={"mail": Command("commands:mail", "Look after mails that wait or were given up.")},
    connect=_connect,
)
