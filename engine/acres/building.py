"""R6 Develop and fortify."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Develop, Fortify
from engine.acres.bars import Bar, Bars
from engine.acres.data import FORTIFY_PRICE, FORTS, PLACES, TOWN, Card
from engine.acres.effects import Happenings
from engine.acres.position import Position, no_symbol, price_and_money
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_develop, _fortify = shared(Develop), shared(Fortify)


# -- develop (R6.1, R6.2) -------------------------------------------------------------------------


_NO_TOWN: Bar[Position] = Bar(
    "develop.no_town",
    "R6.1",
    lambda position: position.me.towns == 0,
    lambda position: Text("You have no town left in stock."),
)
NOT_DEVELOPED: Bars[Position, str] = Bars(
    Bar(
        "develop.not_yours",
        "R6.1",
        lambda position, place: position.state.board.owner(place) != position.seat,
        lambda position, place: Text("{place} is not yours.", place=Name("place", place)),
    ),
    Bar(
        "develop.town",
        "R6.2",
        lambda position, place: position.holdings[place].piece == TOWN,
        lambda position, place: Text("{place} is a town already.", place=Name("place", place)),
    ),
    Bar(
        "develop.no_points",
        "R6.2",
        lambda position, place: PLACES[place].points == 0,
        lambda position, place: Text(
            "{place} has no victory points, so it stays a village.", place=Name("place", place)
        ),
    ),
    Bar(
        "develop.no_town",
        "R6.1",
        lambda position, place: _NO_TOWN.stops(position),
        lambda position, place: _NO_TOWN.why(position),
    ),
)
"""Why a place cannot be developed, whatever the settler card."""
_NO_DEVELOPER: Bar[Position, Card] = Bar(
    "develop.no_settler",
    "R6.1",
    lambda position, card: not card.settler,
    lambda position, card: no_symbol(card.id, "settler"),
)


def legal_develop(position: Position) -> list[Develop]:
    if not position.settlers:
        return []
    return [
        _develop(card.id, settler)
        for card in position.usable
        if card.location and not NOT_DEVELOPED.stops(position, card.id)
        for settler in position.settlers
        if settler != card.id
    ]


def judge_develop(position: Position, action: Develop) -> None:
    NOT_DEVELOPED.need_open(position, action.place)
    position.need_usable(action.place, action.settler)
    _NO_DEVELOPER.need_open(position, position.kinds[action.settler])


def perform_develop(happened: Happenings, position: Position, action: Develop) -> None:
    happened.add(ev.Developed(position.seat, action.place, (action.place, action.settler)))


def why_not_develop(position: Position) -> IllegalAction:
    if _NO_TOWN.stops(position):
        return _NO_TOWN.refusal(position)
    if not any(card.location and not NOT_DEVELOPED.stops(position, card.id) for card in position.usable):
        return IllegalAction(
            "develop.no_place",
            Text("No usable card in your hand belongs to a village with victory points."),
            rule="R6.2",
        )
    return IllegalAction("develop.no_settler", Text("No other card in your hand has a settler symbol."), rule="R6.1")


# -- fortify (R6.3-R6.5) --------------------------------------------------------------------------


NOT_FORTIFIED: Bars[Position, str] = Bars(
    Bar(
        "fortify.not_yours",
        "R6.3",
        lambda position, place: position.state.board.owner(place) != position.seat,
        lambda position, place: Text("{place} is not yours.", place=Name("place", place)),
    ),
    Bar(
        "fortify.fort",
        "R6.3",
        lambda position, place: position.holdings[place].fort,
        lambda position, place: Text("{place} is fortified already.", place=Name("place", place)),
    ),
)
"""Why a place cannot be fortified, whatever the Fortification card."""

_NO_FORTIFYING: Bars[Position] = Bars(
    Bar(
        "fortify.no_disc",
        "R6.3",
        lambda position: position.state.board.forts() >= FORTS,
        lambda position: Text("All {n} fortifications are on the board.", n=FORTS),
    ),
    Bar(
        "fortify.no_money",
        "R6.3",
        lambda position: position.me.money < FORTIFY_PRICE,
        lambda position: price_and_money(FORTIFY_PRICE, position.me.money),
    ),
)
"""Why no place at all can be fortified."""

_NO_FORTIFICATION: Bar[Position, Card] = Bar(
    "fortify.no_fortification",
    "R6.3",
    lambda position, card: not card.is_fortification,
    lambda position, card: Text("{card} is not a Fortification card.", card=Name("card", card.id)),
    of_all=("fortify.no_fortification", Text("There is no Fortification card in your hand.")),
)


def legal_fortify(position: Position) -> list[Fortify]:
    discs = [card.id for card in position.usable if not _NO_FORTIFICATION.stops(position, card)]
    if not discs or _NO_FORTIFYING.stops(position):
        return []
    return [
        _fortify(card.id, disc)
        for card in position.usable
        if card.location and not NOT_FORTIFIED.stops(position, card.id)
        for disc in discs
    ]


def judge_fortify(position: Position, action: Fortify) -> None:
    NOT_FORTIFIED.need_open(position, action.place)
    _NO_FORTIFICATION.need_open(position, position.kinds[action.fortification])
    _NO_FORTIFYING.need_open(position)
    position.need_usable(action.place, action.fortification)


def perform_fortify(happened: Happenings, position: Position, action: Fortify) -> None:
    happened.add(ev.Fortified(position.seat, action.place, (action.place, action.fortification), FORTIFY_PRICE))


def why_not_fortify(position: Position) -> IllegalAction:
    if all(_NO_FORTIFICATION.stops(position, card) for card in position.usable):
        return _NO_FORTIFICATION.refusal_of_all()
    return _NO_FORTIFYING.first(position) or IllegalAction(
        "fortify.no_place",
        Text("No usable card in your hand belongs to a place of yours without a fortification."),
        rule="R6.3",
    )
