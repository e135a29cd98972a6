"""How the computer plays New World; see `engine.kernel.search`."""

from engine.new_world.mind.levels import LEVELS

__all__ = ["LEVELS"]
