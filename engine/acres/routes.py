"""The way into a place: a location card that lists it, and another card with the transport it needs (R5.1, R7.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.acres.bars import Bar, Bars
from engine.acres.position import Position, no_symbol
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text


def routes(position: Position, stops: Callable[[Position, str], bool]) -> Iterator[tuple[str, str, str]]:
    """Yield place, location card and carrier for each way into a place that nothing stops."""
    carriers = position.carriers
    for card in position.usable:
        for place, by in card.reaches:
            if carriers[by] and not stops(position, place):
                for carrier in carriers[by]:
                    if carrier != card.id:
                        yield place, card.id, carrier


def _transports(position: Position, place: str, card: str) -> list[str]:
    """Return the transports by which the location card leads to the place."""
    return [by for reached, by in position.kinds[card].reaches if reached == place]


def no_route(verb: str, rule: str) -> Bars[Position, str, str, str]:
    """Return the bars against entering a place with this location card and this carrier."""
    return Bars(
        Bar(
            f"{verb}.no_connection",
            rule,
            lambda position, place, card, carrier: not _transports(position, place, card),
            lambda position, place, card, carrier: Text(
                "The card {card} does not lead to {place}.", card=Name("card", card), place=Name("place", place)
            ),
        ),
        Bar(
            f"{verb}.no_transport",
            rule,
            lambda position, place, card, carrier: (
                not any(position.kinds[carrier].has(by) for by in _transports(position, place, card))
            ),
            lambda position, place, card, carrier: no_symbol(carrier, _transports(position, place, card)[0]),
        ),
    )


def why_no_route(
    position: Position, stops: Callable[[Position, str], bool], verb: str, rule: str, unconnected: Text
) -> IllegalAction | None:
    """Return why no way leads into a place that nothing stops; None if one does. `unconnected` is used if no card leads
    there."""
    goals = [(card, by) for card in position.usable for place, by in card.reaches if not stops(position, place)]
    if not goals:
        return IllegalAction(f"{verb}.no_connection", unconnected, rule=rule)
    if not any(carrier != card.id for card, by in goals for carrier in position.carriers[by]):
        why = Text("No other card in your hand has the transport symbol that is needed.")
        return IllegalAction(f"{verb}.no_transport", why, rule=rule)
    return None
