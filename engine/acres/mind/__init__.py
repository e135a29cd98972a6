"""How the computer plays Acres; see `engine.kernel.search`."""

from engine.acres.mind.levels import LEVELS

__all__ = ["LEVELS"]
