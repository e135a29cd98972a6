"""A Few Acres of Snow, for 2 players: hidden hands, three editions (rules R1-R13). Must not know another title."""

from engine.acres.title import ACRES

__all__ = ["ACRES"]
