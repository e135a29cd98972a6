"""The text board of a view: recent tiles, where the tile fits, what is open. At most 72 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from engine.kernel.text import Counted, Name, Speaker, Text, names, say
from engine.new_world.places import cell_name, feature_at, letter, name_at, surveyors_stand
from engine.new_world.sentences import gains
from engine.new_world.state import SETTLERS_EACH
from engine.new_world.tile_words import tile_shown

WIDTH = 72
LONGEST_NAME = 24


def board(view: Mapping[str, Any], speaker: Speaker) -> str:
    """Return the whole board as text, in paragraphs."""
    parts = (
        _heading(view, speaker),
        _table(view, speaker),
        _tile(view, speaker),
        _pending(view, speaker),
        _recent(view, speaker),
        _cells(view, speaker),
        _features(view, speaker),
    )
    paragraphs = ["\n".join(lines) for lines in map(list, parts) if lines]
    return "\n\n".join(paragraphs) + "\n"


def _lines(text: object, speaker: Speaker, indent: int = 0, hang: int = 2) -> list[str]:
    return wrap(
        say(text, speaker),
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_on_hyphens=False,
    )


def _row(parts: Sequence[object], speaker: Speaker) -> str:
    """Join entries of a table row; unlike a list in a sentence it has no "and" before the last."""
    return ", ".join(say(part, speaker) for part in parts)


def _heading(view: Mapping[str, Any], speaker: Speaker) -> Iterator[str]:
    turn = view["turn"]
    owed = view["decision"]
    if owed is None:
        yield from _lines(Text("The game is over after turn {turn}.", turn=turn), speaker)
        winners = names("actor", view["outcome"]["winners"]) if view["outcome"] else ()
        if winners:
            yield from _lines(Counted("Winner: {names}.", "Winners: {names}.", n=len(winners), names=winners), speaker)
    elif owed["kind"] == "score":
        yield from _lines(
            Text("Turn {n}: {seat} orders the scoring.", n=turn, seat=Name("actor", owed["seat"])), speaker
        )
    else:
        yield from _lines(Text("Turn {n}: {seat} lays a tile.", n=turn, seat=Name("actor", owed["seat"])), speaker)
    yield from _lines(
        Counted(
            "{n} tile is left to draw, {aside} set aside.",
            "{n} tiles are left to draw, {aside} set aside.",
            n=view["bag"],
            aside=len(view["set_aside"]),
        ),
        speaker,
    )
    yield from _lines(surveyors_stand(view["surveyors"]["north"], view["surveyors"]["south"]), speaker)


def _table(view: Mapping[str, Any], speaker: Speaker) -> Iterator[str]:
    """Yield points and supplies; a star marks the seat on turn."""
    seats = view["seats"]
    printed = {seat: _player(seat, speaker) for seat in seats}
    width = max(map(len, printed.values()))
    for seat in seats:
        star = "*" if seat == view["to_move"] else " "
        row = Counted(
            "{points} points, {n} of {most} settlers in supply",
            "{points} points, {n} of {most} settlers in supply",
            n=view["supply"][seat],
            points=f"{view['scores'][seat]:4}",
            most=SETTLERS_EACH,
        )
        said = say(Text("{row} (out)", row=row) if seat in view["resigned"] else row, speaker)
        yield f"{star} {printed[seat]:{width}} {said}"[:WIDTH]


def _player(seat: str, speaker: Speaker) -> str:
    """Name the player in a seat, if the speaker knows one, with the colour on the map."""
    who, colour = (say(Name(kind, seat), speaker) for kind in ("actor", "seat"))
    return who if who == colour else f"{who[:LONGEST_NAME]} ({colour})"


def _tile(view: Mapping[str, Any], speaker: Speaker) -> Iterator[str]:
    tile = view["tile"]
    if tile is None:
        return
    yield from _lines(
        Text("The drawn tile: {tile}. Its parts before it is turned:", tile=tile_shown(tile["id"])), speaker
    )
    for segment in tile["segments"]:
        yield from _lines(_row(_segment(segment), speaker), speaker, indent=2, hang=4)


def _segment(segment: Mapping[str, Any]) -> tuple[object, ...]:
    """Return the kind, the sides and what is on it, to be said as a list."""
    said: list[object] = [Name("feature", segment["kind"])]
    if segment["sides"]:
        sides = names("side", segment["sides"])
        said.append(Counted("to {sides}", "to {sides}", n=len(segment["sides"]), sides=sides))
    if segment["kind"] == "road" and segment["ends"] != "open":
        said.append(_ROAD_ENDS[segment["ends"]])
    if segment["extras"]:
        said.append(_extras(segment["kind"], segment["extras"]))
    return tuple(said)


_ROAD_ENDS = {
    "crossing": Text("ends at the crossing"),
    "town": Text("ends at the town"),
    "farm": Text("ends at the farm"),
}


def _extras(kind: str, n: int) -> Text:
    match kind:
        case "road":
            return Counted("{n} relay post", "{n} relay posts", n=n)
        case "town":
            return Counted("{n} shield", "{n} shields", n=n)
        case _:
            return Counted("{n} animal", "{n} animals", n=n)


def _pending(view: Mapping[str, Any], speaker: Speaker) -> Iterator[str]:
    if not view["pending"]:
        return
    yield from _lines(Text("To be scored, in an order to be chosen:"), speaker)
    for n, feature in enumerate(view["pending"]):
        said = (feature_at(feature["at"]), *names("side", feature["rim"]))
        text = Text(
            "{letter} {feature}: {owners}",
            letter=letter(n),
            feature=_row(said, speaker),
            owners=names("actor", feature["owners"]),
        )
        yield from _lines(text, speaker, indent=2)
    letters = {feature["at"]: letter(n) for n, feature in enumerate(view["pending"])}
    yield from _lines(Text("What the orders bring, those that end alike once:"), speaker)
    for order in view["orders"]:
        brings = _row(gains(order["scores"]), speaker) if order["scores"] else Text("no points")
        order_said = ", ".join(letters[one] for one in order["features"])
        yield from _lines(Text("{label}: {value}", label=order_said, value=brings), speaker, indent=2)


def _points(n: int) -> Text:
    return Counted("{n} point", "{n} points", n=n)


def _recent(view: Mapping[str, Any], speaker: Speaker) -> Iterator[str]:
    if not view["recent"]:
        return
    since = Text("Laid since your last turn:") if view["seat"] in view["seats"] else Text("Laid in the last round:")
    yield from _lines(since, speaker)
    standing = {f"{one['at']}:{one['segment']}": one for one in view["settlers"]}
    for one in view["laid"][-view["recent"] :]:
        at = f"{one['x']},{one['y']}"
        text = Text(
            "{seat}: {tile} at {at}",
            seat=Name("actor", one["seat"]),
            tile=tile_shown(one["tile"]),
            at=name_at(at),
        )
        on_it = tuple(
            Text(
                "{settler} of {seat}", settler=Name("settler", settler["settler"]), seat=Name("actor", settler["seat"])
            )
            for key, settler in standing.items()
            if key.startswith(at + ":")
        )
        yield from _lines(_row((text, *on_it), speaker), speaker, indent=2)


def _cells(view: Mapping[str, Any], speaker: Speaker) -> Iterator[str]:
    """Describe the neighbourhood of each cell where the tile fits."""
    if not view["cells"]:
        return
    yield from _lines(Text("Where it fits (the cell; by how many degrees it is turned; its neighbours):"), speaker)
    for cell in view["cells"]:
        beside = tuple(_side(side, one) for side, one in cell["sides"].items())
        text = Text(
            "{at} turned by {rotations}: {beside}",
            at=cell_name(cell["x"], cell["y"]),
            rotations="/".join(map(str, cell["rotations"])),
            beside=_row(beside, speaker),
        )
        yield from _lines(text, speaker, indent=2)


def _side(side: str, one: Mapping[str, Any]) -> Text:
    """Describe a side: the kind, where, and whose settlers stand on it."""
    where: object = name_at(one["cell"]) if one["space"] is None else Name("place", one["space"])
    what = Text("{side} {kind} ({where})", side=Name("side", side), kind=Name("feature", one["kind"]), where=where)
    if not one["settlers"]:
        return what
    return Text("{label}: {value}", label=what, value=names("actor", _each_once(one["settlers"])))


def _each_once(seats: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(seats))


def _features(view: Mapping[str, Any], speaker: Speaker) -> Iterator[str]:
    """Describe unfinished features with settlers: whose, how large, what they are worth and what they lack."""
    held = [feature for feature in view["features"] if feature["settlers"]]
    if not held:
        return
    yield from _lines(Text("Unfinished features with settlers:"), speaker)
    for feature in held:
        yield from _lines(_row(_feature(feature), speaker), speaker, indent=2)


def _feature(feature: Mapping[str, Any]) -> tuple[object, ...]:
    owners = tuple(
        Text("{seat} {n}", seat=Name("actor", seat), n=sum(one["seat"] == seat for one in feature["settlers"]))
        for seat in _each_once([one["seat"] for one in feature["settlers"]])
    )
    said: list[object] = [
        Text(
            "{feature} ({owners}): {points} at the end",
            feature=feature_at(feature["at"]),
            owners=owners,
            points=_points(feature["worth_at_end"]),
        ),
    ]
    if feature["kind"] != "farm":
        said.append(Counted("{n} tile", "{n} tiles", n=feature["tiles"]))
    if feature["extras"]:
        said.append(_extras(feature["kind"], feature["extras"]))
    if feature["never_complete"]:
        said.append(Text("can no longer be completed"))
    elif feature["open_at"]:
        cells = " ".join(map(name_at, feature["open_at"]))
        said.append(
            Text("misses {cells}", cells=cells) if feature["kind"] != "plain" else Text("open at {cells}", cells=cells)
        )
    return tuple(said)
