"""A Few Acres of Snow: two seats, hidden hands, three rule editions. Rules: R1-R13 of the rules document."""

from engine.acres.title import ACRES

__all__ = ["ACRES"]
