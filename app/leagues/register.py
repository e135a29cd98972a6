"""Connects leagues to the server; the rest of the program learns of them only here."""

from app.base.rooms import Command, Room


def _connect() -> None:
    """Answer what games ask, and what erasing an account means here."""
    from app.account import memberships
    from app.games import competitions
    from app.leagues import port
    from app.leagues.changes import erasing
    from app.leagues.desk import questions

    competitions.register(port)
    memberships.register(erasing)
    questions.connect()


ROOM = Room(
    "app.leagues",
    mails=("mails",),
    pages=("pages",),
    jobs=(
        "changes.leaving",
        "changes.reserves",
        "rulings.round_ends",
        "rounds.pairing_jobs",
        "rounds.publishing",
        "desk.autopilot",
        "desk.weekly_mail",
        "results.casual",
        "results.event_ratings",
    ),
    commands={
        "demo": Command("commands.demo:demo", "Fill a server with players and games, or a club, to look at."),
        "league": Command("commands.league:league", "Found clubs."),
    },
    connect=_connect,
)
