"""All tables together. Importing this module makes `metadata` complete."""

from sqlmodel import SQLModel

from app.base.stored import mail_tables, upkeep_tables
from app.computer import tables as computer
from app.games import rating_tables, seed_tables
from app.games import tables as games
from app.leagues import tables as leagues
from app.people import push_tables
from app.people import tables as people
from app.play import tables as play
from app.time import tables as time

__all__ = [
    "computer",
    "games",
    "is_present",
    "leagues",
    "mail_tables",
    "metadata",
    "people",
    "play",
    "push_tables",
    "rating_tables",
    "seed_tables",
    "time",
    "upkeep_tables",
]

metadata = SQLModel.metadata
_LEFT = ("backup_made", "event_template", "number_jump", "offer_game", "push_service", "standing_offer")


def is_present(name: str | None, kind: str, _: object) -> bool:
    """Whether Alembic compares something with the models: all but the tables that only versions before 1.1 read."""
    return kind != "table" or name not in _LEFT
