"""What the post brings."""

from app.base.rooms import Command, Room


def _connect() -> None:
    from app.base.stored import outbox
    from app.post.push import owed as pushes
    from app.post.webhooks import owed as calls

    outbox.follow(calls.plan)
    outbox.follow(pushes.plan)


ROOM = Room(
    "app.post",
    mails=("mails",),
    pages=("pages", "webhooks.pages", "push.pages"),
    jobs=("out.sender", "webhooks.delivering", "push.delivering", "push.devices", "kept.queue", "inbound.gate"),
    commands={"mail": Command("commands:mail", "Look after mails that wait or were given up.")},
    connect=_connect,
)
