"""New World as this server plays it: with the sets of tiles that its operator has installed."""

from app.titles.new_world import tile_sets
from engine.new_world.title import NEW_WORLD

tile_sets.attach()

__all__ = ["NEW_WORLD"]
