"""What a tile shows, in a few words, as people refer to it. Its number is for records."""

from __future__ import annotations

from functools import lru_cache

from engine.kernel.text import Counted, Text
from engine.new_world.tiles import Segment, TileKind, known_kinds

Words = tuple[Text, ...]
"""To be said as a list: a town and a road."""


def tile_shown(tile: str) -> Words:
    """Return what a tile shows, from its id alone, as events have it: just "a tile" if two sets of this process
    differ."""
    said = {shown(kind) for kind in known_kinds(tile)}
    return said.pop() if len(said) == 1 else (Text("a tile"),)


@lru_cache(maxsize=512)
def shown(kind: TileKind) -> Words:
    """Return what a tile shows: its farm, its towns, its roads; a plain if there is nothing else."""
    of = {name: [one for one in kind.segments if one.kind == name] for name in ("farm", "town", "road", "plain")}
    said: list[Text] = []
    if of["farm"]:
        said.append(Text("a farm"))
    if of["town"]:
        said.append(_with(_towns(len(of["town"])), _shields(of["town"])))
    if of["road"]:
        said.append(_with(_roads(of["road"]), _posts(of["road"])))
    return tuple(said) or (Text("a plain"),)


def _with(what: Text, extra: Text | None) -> Text:
    return what if extra is None else Text("{what} with {extra}", what=what, extra=extra)


def _towns(n: int) -> Text:
    return Text("a town") if n == 1 else Counted("{n} town", "{n} towns", n=n)


def _roads(roads: list[Segment]) -> Text:
    n = len(roads)
    if any(road.ends == "crossing" for road in roads):
        return Counted("a crossing of {n} road", "a crossing of {n} roads", n=n)
    return Text("a road") if n == 1 else Counted("{n} road", "{n} roads", n=n)


def _shields(towns: list[Segment]) -> Text | None:
    n = sum(town.extras for town in towns)
    return Counted("{n} shield", "{n} shields", n=n) if n else None


def _posts(roads: list[Segment]) -> Text | None:
    n = sum(road.extras for road in roads)
    return Counted("{n} relay post", "{n} relay posts", n=n) if n else None
