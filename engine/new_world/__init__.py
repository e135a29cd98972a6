"""Carcassonne: New World, for 2 to 5 players. Must not know another title."""

from engine.new_world.title import NEW_WORLD, NewWorld

__all__ = ["NEW_WORLD", "NewWorld"]
