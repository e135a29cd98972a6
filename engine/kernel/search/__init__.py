"""A computer to play with: it searches from what one seat knows. Titles offer what `minds.Mind` says.

A true state goes into `see` only, which draws another one that looks the same to the seat and hands nothing else on.
Work is counted in playouts and chance comes from a seed, so the same sight, seed and budget give the same action on
every machine. For that sake nothing in here, nor in a mind, may add floats with `sum` (its rounding differs between
versions of Python), call what the C library rounds (`exp`, `log`, `**`), or walk over a set.
"""

from engine.kernel.search.looking_back import Judged, LookedBack, look_back
from engine.kernel.search.minds import Level, Mind, Ranked, levels_of
from engine.kernel.search.sights import Sight, see
from engine.kernel.search.streams import Stream
from engine.kernel.search.thinking import Thought, Tried, is_lost, think

__all__ = [
    "Judged",
    "Level",
    "LookedBack",
    "Mind",
    "Ranked",
    "Sight",
    "Stream",
    "Thought",
    "Tried",
    "is_lost",
    "levels_of",
    "look_back",
    "see",
    "think",
]
