"""R6 Develop and fortify."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Develop, Fortify
from engine.acres.bars import Bar, Bars
from engine.acres.data import FORTIFY_PRICE, FORTS, PLACES, TOWN, Card
from engine.acres.happening import Happenings
from engine.acres.position import Position, need_symbol, price_and_money
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_develop, _fortify = shared(Develop), shared(Fortify)


def is_fortification(card: Card) -> bool:
    """A Fortification card, own or neutral (R6.3)."""
    return card.action == "fortify"


# -- develop (R6.1, R6.2) -------------------------------------------------------------------------


_NO_TOWN: Bar[Position] = Bar(
    "develop.no_town", "R6.1", lambda p: p.me.towns == 0, lambda p: Text("You have no town left in stock.")
)
_NOT_DEVELOPED: Bars[Position, str] = Bars(
    (
        Bar(
            "develop.not_yours",
            "R6.1",
            lambda p, place: p.state.board.owner(place) != p.seat,
            lambda p, place: Text("{place} is not yours.", place=Name("place", place)),
        ),
        Bar(
            "develop.town",
            "R6.2",
            lambda p, place: p.state.board.holdings[place].piece == TOWN,
            lambda p, place: Text("{place} is a town already.", place=Name("place", place)),
        ),
        Bar(
            "develop.no_points",
            "R6.2",
            lambda p, place: PLACES[place].points == 0,
            lambda p, place: Text("{place} has no victory points, so it stays a village.", place=Name("place", place)),
        ),
        Bar("develop.no_town", "R6.1", lambda p, place: _NO_TOWN.stops(p), lambda p, place: _NO_TOWN.why(p)),
    )
)
"""Why a place cannot be developed, whatever the settler card."""


def legal_develop(p: Position) -> list[Develop]:
    if not p.settlers:
        return []
    return [
        _develop(card.id, settler)
        for card in p.usable
        if card.location and _NOT_DEVELOPED.leave_open(p, card.id)
        for settler in p.settlers
        if settler != card.id
    ]


def judge_develop(p: Position, action: Develop) -> None:
    _NOT_DEVELOPED.need_open(p, action.place)
    p.need_usable(action.place, action.settler)
    need_symbol(p.kinds[action.settler].settler, action.settler, "settler", "develop.no_settler", "R6.1")


def perform_develop(h: Happenings, p: Position, action: Develop) -> None:
    h.add(ev.Developed(p.seat, action.place, (action.place, action.settler)))


def why_not_develop(p: Position) -> IllegalAction:
    if _NO_TOWN.stops(p):
        return _NO_TOWN.refusal(p)
    if not any(card.location and _NOT_DEVELOPED.leave_open(p, card.id) for card in p.usable):
        return IllegalAction(
            "develop.no_place",
            Text("No usable card in your hand belongs to a village with victory points."),
            rule="R6.2",
        )
    return IllegalAction("develop.no_settler", Text("No other card in your hand has a settler symbol."), rule="R6.1")


# -- fortify (R6.3-R6.5) --------------------------------------------------------------------------


_NOT_FORTIFIED: Bars[Position, str] = Bars(
    (
        Bar(
            "fortify.not_yours",
            "R6.3",
            lambda p, place: p.state.board.owner(place) != p.seat,
            lambda p, place: Text("{place} is not yours.", place=Name("place", place)),
        ),
        Bar(
            "fortify.fort",
            "R6.3",
            lambda p, place: p.state.board.holdings[place].fort,
            lambda p, place: Text("{place} is fortified already.", place=Name("place", place)),
        ),
    )
)
"""Why a place cannot be fortified, whatever the Fortification card."""

_NO_FORTIFYING: Bars[Position] = Bars(
    (
        Bar(
            "fortify.no_disc",
            "R6.3",
            lambda p: p.state.board.forts() >= FORTS,
            lambda p: Text("All {n} fortifications are on the board.", n=FORTS),
        ),
        Bar(
            "fortify.no_money",
            "R6.3",
            lambda p: p.me.money < FORTIFY_PRICE,
            lambda p: price_and_money(FORTIFY_PRICE, p.me.money),
        ),
    )
)
"""Why no place at all can be fortified."""


def legal_fortify(p: Position) -> list[Fortify]:
    discs = [card.id for card in p.usable if is_fortification(card)]
    if not discs or not _NO_FORTIFYING.leave_open(p):
        return []
    return [
        _fortify(card.id, disc)
        for card in p.usable
        if card.location and _NOT_FORTIFIED.leave_open(p, card.id)
        for disc in discs
    ]


def judge_fortify(p: Position, action: Fortify) -> None:
    _NOT_FORTIFIED.need_open(p, action.place)
    _NO_FORTIFYING.need_open(p)
    p.need_usable(action.place, action.fortification)
    if not is_fortification(p.kinds[action.fortification]):
        raise IllegalAction(
            "fortify.no_fortification",
            Text("{card} is not a Fortification card.", card=Name("card", action.fortification)),
            rule="R6.3",
        )


def perform_fortify(h: Happenings, p: Position, action: Fortify) -> None:
    h.add(ev.Fortified(p.seat, action.place, (action.place, action.fortification), FORTIFY_PRICE))


def why_not_fortify(p: Position) -> IllegalAction:
    if not any(is_fortification(card) for card in p.usable):
        return IllegalAction(
            "fortify.no_fortification", Text("There is no Fortification card in your hand."), rule="R6.3"
        )
    return _NO_FORTIFYING.first(p) or IllegalAction(
        "fortify.no_place",
        Text("No usable card in your hand belongs to a place of yours without a fortification."),
        rule="R6.3",
    )
