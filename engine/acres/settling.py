"""R5 Settle."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Settle
from engine.acres.bars import Bar, Bars
from engine.acres.data import CAPITALS_TO_TAKE, PLACES, Card
from engine.acres.effects import Happenings
from engine.acres.ending import home_taken
from engine.acres.position import Position, no_symbol
from engine.acres.routes import no_route, routes, why_no_route
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_settle = shared(Settle)  # the same few thousand actions come up again and again


_NO_VILLAGE: Bar[Position] = Bar(
    "settle.no_village",
    "R5.1",
    lambda position: not position.me.villages,
    lambda position: Text("You have no village left in stock."),
)
NOT_SETTLED: Bars[Position, str] = Bars(
    Bar(
        "settle.no_village",
        "R5.1",
        lambda position, place: not position.me.villages and place not in position.holdings,
        lambda position, place: _NO_VILLAGE.why(position),
    ),
    Bar(
        "settle.enemy_place",
        "R5.1",
        lambda position, place: place in position.holdings and position.holdings[place].owner == position.other,
        lambda position, place: Text(
            "{place} is in the enemy’s hands; only a neutral place can be settled.", place=Name("place", place)
        ),
    ),
    Bar(
        "settle.own_place",
        "R5.6",
        lambda position, place: place in position.holdings and place not in position.me.locations,
        lambda position, place: Text(
            "{place} is yours already, and its card is not among your available cards.", place=Name("place", place)
        ),
    ),
)
"""Why a place cannot be settled now, whatever the cards (R5.1, R5.6)."""

_NO_ROUTE = no_route("settle", "R5.1")
_NO_SETTLER: Bar[Position, Card] = Bar(
    "settle.no_settler",
    "R5.1",
    lambda position, card: not card.settler,
    lambda position, card: no_symbol(card.id, "settler"),
)
_WRONG_NUMBER: Bars[Position, Settle] = Bars(
    Bar(
        "settle.settler_missing",
        "R5.1",
        lambda position, action: action.settler is None and PLACES[action.place].settler,
        lambda position, action: Text(
            "{place} has a settler symbol, so a card with a settler symbol is needed.",
            place=Name("place", action.place),
        ),
    ),
    Bar(
        "settle.settler_not_needed",
        "R5.1",
        lambda position, action: action.settler is not None and not PLACES[action.place].settler,
        lambda position, action: Text(
            "{place} has no settler symbol, so no settler card is played.", place=Name("place", action.place)
        ),
    ),
)
"""Why a settler card is missing, or one too many is given."""


def legal(position: Position) -> list[Settle]:
    found: list[Settle] = []
    for place, card, carrier in routes(position, NOT_SETTLED.stops):
        if PLACES[place].settler:
            for settler in position.settlers:
                if settler not in (card, carrier):
                    found.append(_settle(place, card, carrier, settler))
        else:
            found.append(_settle(place, card, carrier))
    return found


def judge(position: Position, action: Settle) -> None:
    NOT_SETTLED.need_open(position, action.place)
    _WRONG_NUMBER.need_open(position, action)
    position.need_usable(*_cards(action))
    _NO_ROUTE.need_open(position, action.place, action.card, action.carrier)
    if action.settler is not None:
        _NO_SETTLER.need_open(position, position.kinds[action.settler])


def _cards(action: Settle) -> tuple[str, ...]:
    settler = () if action.settler is None else (action.settler,)
    return (action.card, action.carrier, *settler)


def perform(happened: Happenings, position: Position, action: Settle) -> None:
    """Settle a place (R5.2, R5.3, R5.5)."""
    placed = action.place not in position.state.board.holdings
    taken = action.place in position.me.locations
    happened.add(ev.Settled(position.seat, action.place, _cards(action), placed=placed, taken=taken))
    if placed and position.edition.settling_capital_wins and action.place in CAPITALS_TO_TAKE[position.seat]:
        happened.add(home_taken(happened.state, position.seat, action.place))


def why_not(position: Position) -> IllegalAction:
    if _NO_VILLAGE.stops(position):
        return _NO_VILLAGE.refusal(position)
    unconnected = Text("No usable location card in your hand leads to a neutral place.")
    return why_no_route(position, NOT_SETTLED.stops, "settle", "R5.1", unconnected) or IllegalAction(
        "settle.no_settler", Text("No other card in your hand has a settler symbol."), rule="R5.1"
    )
