"""What playing brings; answers to mails are played here."""

from app.base.rooms import Command, Room


def _connect() -> None:
    from app.play.replies import taking
    from app.post.inbound import port

    port.register(taking.take)


ROOM = Room(
    "app.play",
    mails=("mails", "replies.mails"),
    pages=("pages",),
    jobs=("turn.holding", "fairness.ends"),
    commands={
        "game": Command("commands.game:game", "Start games and look after what is stored of them."),
        "record": Command("commands.record:record", "Verify records of games and prove their chance."),
    },
    connect=_connect,
)
