"""Events as sentences for the log. A template for each kind of settler and feature, so that it can be translated with
the right article and gender. A seat that acts or gets points is an actor: the person, if known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.kernel.text import Counted, Name, Text, names
from engine.kernel.title import Event, GameEnded
from engine.new_world import events as ev
from engine.new_world.ending import BY_POINTS, RESIGNATION
from engine.new_world.places import cell_name, column_name, features_at, name_at
from engine.new_world.tile_words import tile_shown


def sentence(event: Event) -> Text | None:
    """Return the sentence of an event; None for those that go without saying."""
    say = _SENTENCES.get(type(event))
    return say(event) if say is not None else None


def _opened(event: ev.Opened) -> Text:
    return Text(
        "The game begins: {seats}. {start} starts.", seats=names("actor", event.seats), start=Name("actor", event.start)
    )


def _drawn(event: ev.TileDrawn) -> Text:
    return Text("{seat} drew {tile}.", seat=Name("actor", event.seat), tile=tile_shown(event.tile))


def _set_aside(event: ev.TileSetAside) -> Text:
    return Text("The drawn tile ({tile}) fitted nowhere and left the game.", tile=tile_shown(event.tile))


def _placed(event: ev.TilePlaced) -> Text:
    return Text(
        "{seat} laid {tile} at {at}.",
        seat=Name("actor", event.seat),
        tile=tile_shown(event.tile),
        at=cell_name(event.x, event.y),
    )


def _settled(event: ev.SettlerPlaced) -> Text:
    values: dict[str, object] = {"seat": Name("actor", event.seat), "at": cell_name(event.x, event.y)}
    match event.settler:
        case "robber":
            return Text("{seat} put a robber on the road at {at}.", **values)
        case "trader":
            return Text("{seat} put a trader into the town at {at}.", **values)
        case "farmer":
            return Text("{seat} put a farmer on the farm at {at}.", **values)
        case _:
            return Text("{seat} put a trapper on the plain at {at}.", **values)


def _completed(event: ev.FeaturesCompleted) -> Text:
    return Text(
        "Several features were completed: {features}. The order of their scoring was to be chosen.",
        features=features_at(event.features),
    )


def _ordered(event: ev.ScoringOrdered) -> Text:
    return Text(
        "{seat} chose the order of scoring: {features}.",
        seat=Name("actor", event.seat),
        features=features_at(event.features),
    )


def _scored(event: ev.FeatureScored) -> Text:
    values: dict[str, object] = {"at": name_at(event.feature), "gains": gains(event.gains)}
    match event.kind:
        case "road":
            text = Text("The road at {at} was completed: {gains}.", **values)
        case "town":
            text = Text("The town at {at} was completed: {gains}.", **values)
        case _:
            text = Text("The farm at {at} was completed: {gains}.", **values)
    if not event.bonus:
        return text
    return Text("{scored} This includes the surveyors’ bonus: {bonus}.", scored=text, bonus=gains(event.bonus))


def gains(points: Mapping[str, int]) -> tuple[Text, ...]:
    """Return points of several seats, to be said as a list."""
    return tuple(
        Counted("{n} point for {seat}", "{n} points for {seat}", n=number, seat=Name("actor", seat))
        for seat, number in points.items()
    )


def _moved(event: ev.SurveyorMoved) -> Text:
    if event.surveyor == "north":
        return Text("The north surveyor moved to column {column}.", column=column_name(event.column))
    return Text("The south surveyor moved to column {column}.", column=column_name(event.column))


def settlers(home: Sequence[ev.SettlerData]) -> tuple[Text, ...]:
    """Return settlers with owner and place, to be said as a list."""
    return tuple(Text("{seat} ({at})", seat=Name("actor", seat), at=cell_name(x, y)) for seat, x, y, _ in home)


def _stragglers(event: ev.StragglersRemoved) -> Text:
    return Counted(
        "{n} straggler went home without points: {settlers}.",
        "{n} stragglers went home without points: {settlers}.",
        n=len(event.home),
        settlers=settlers(event.home),
    )


def _unfinished(event: ev.UnfinishedScored) -> Text:
    values: dict[str, object] = {"at": name_at(event.feature), "gains": gains(event.gains)}
    match event.kind:
        case "road":
            scored = Text("Unfinished road at {at}: {gains}.", **values)
        case "town":
            scored = Text("Unfinished town at {at}: {gains}.", **values)
        case "farm":
            scored = Text("Unfinished farm at {at}: {gains}.", **values)
        case _:
            scored = Text("Animals on the plain at {at}: {gains}.", **values)
    return Text("{heading} {scored}", heading=Text("Final scoring:"), scored=scored)


def _resigned(event: ev.SeatResigned) -> Text:
    return Text("{seat} resigned; its settlers stay on the table.", seat=Name("actor", event.seat))


def _taken_out(event: ev.SeatTakenOut) -> Text:
    seat = Name("actor", event.seat)
    if event.cause == "time":
        return Text("{seat} has lost on time and is out of the game; its settlers stay on the table.", seat=seat)
    return Text("{seat} was taken out of the game by a ruling; its settlers stay on the table.", seat=seat)


def _ended(event: GameEnded) -> Text:
    outcome = event.outcome
    winners = names("actor", outcome.winners)
    values: dict[str, Any] = {"scores": gains(outcome.scores)}
    if not winners:
        return Text("The game ends without a winner. Points: {scores}.", **values)
    if outcome.reason == RESIGNATION:
        return Text("The game ends by resignation; {winner} wins. Points: {scores}.", winner=winners, **values)
    if outcome.reason == "time":
        return Text("The game ends on time; {winner} wins. Points: {scores}.", winner=winners, **values)
    if outcome.reason == "ruling":
        return Text("The game ends by a ruling; {winner} wins. Points: {scores}.", winner=winners, **values)
    if outcome.reason == BY_POINTS or len(winners) == 1:
        return Counted(
            "The game is over; {winners} wins. Points: {scores}.",
            "The game is over; {winners} share the win. Points: {scores}.",
            n=len(winners),
            winners=winners,
            **values,
        )
    return Text("The game ends; it counts as won by {winners}. Points: {scores}.", winners=winners, **values)


_SENTENCES: dict[type, Callable[[Any], Text]] = {
    ev.Opened: _opened,
    ev.TileDrawn: _drawn,
    ev.TileSetAside: _set_aside,
    ev.TilePlaced: _placed,
    ev.SettlerPlaced: _settled,
    ev.FeaturesCompleted: _completed,
    ev.ScoringOrdered: _ordered,
    ev.FeatureScored: _scored,
    ev.SurveyorMoved: _moved,
    ev.StragglersRemoved: _stragglers,
    ev.UnfinishedScored: _unfinished,
    ev.SeatResigned: _resigned,
    ev.SeatTakenOut: _taken_out,
    GameEnded: _ended,
}
"""TurnEnded goes without saying."""
