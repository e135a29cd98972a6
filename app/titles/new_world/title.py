"""New World as this server plays it: with the sets of tiles that its operator has installed."""

from app.titles.new_world import shelf
from engine.new_world.title import NEW_WORLD

shelf.attach()

__all__ = ["NEW_WORLD"]
