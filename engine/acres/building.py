"""R6 Develop and fortify."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Develop, Fortify
from engine.acres.data import FORTIFY_PRICE, FORTS, PLACES, TOWN, Card
from engine.acres.happening import Happenings
from engine.acres.position import Position, need_symbol
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_develop, _fortify = shared(Develop), shared(Fortify)


def is_fortification(card: Card) -> bool:
    """A Fortification card, own or neutral (R6.3)."""
    return card.action == "fortify"


# -- develop (R6.1, R6.2) -------------------------------------------------------------------------


def can_be_developed(p: Position, place: str) -> bool:
    """An own village with victory points (R6.1, R6.2)."""
    holding = p.state.board.holdings.get(place)
    return holding is not None and holding.owner == p.seat and holding.piece != TOWN and PLACES[place].points > 0


def bar_to_develop(p: Position, place: str) -> IllegalAction | None:
    """Why a place cannot be developed, whatever the settler card; None if it can."""
    if not can_be_developed(p, place):
        name = Name("place", place)
        holding = p.state.board.holdings.get(place)
        if holding is None or holding.owner != p.seat:
            return IllegalAction("develop.not_yours", Text("{place} is not yours.", place=name), rule="R6.1")
        if holding.piece == TOWN:
            return IllegalAction("develop.town", Text("{place} is a town already.", place=name), rule="R6.2")
        return IllegalAction(
            "develop.no_points", Text("{place} has no victory points, so it stays a village.", place=name), rule="R6.2"
        )
    if p.me.towns == 0:
        return IllegalAction("develop.no_town", Text("You have no town left in stock."), rule="R6.1")
    return None


def legal_develop(p: Position) -> list[Develop]:
    if not p.settlers or not p.me.towns:
        return []
    return [
        _develop(card.id, settler)
        for card in p.usable
        if card.location and can_be_developed(p, card.id)
        for settler in p.settlers
        if settler != card.id
    ]


def judge_develop(p: Position, action: Develop) -> None:
    bar = bar_to_develop(p, action.place)
    if bar is not None:
        raise bar
    p.need_usable(action.place, action.settler)
    need_symbol(p.kinds[action.settler].settler, action.settler, "settler", "develop.no_settler", "R6.1")


def perform_develop(h: Happenings, p: Position, action: Develop) -> None:
    h.add(ev.Developed(p.seat, action.place, (action.place, action.settler)))


def why_not_develop(p: Position) -> IllegalAction:
    if p.me.towns == 0:
        return IllegalAction("develop.no_town", Text("You have no town left in stock."), rule="R6.1")
    if not any(card.location and can_be_developed(p, card.id) for card in p.usable):
        return IllegalAction(
            "develop.no_place",
            Text("No usable card in your hand belongs to a village with victory points."),
            rule="R6.2",
        )
    return IllegalAction("develop.no_settler", Text("No other card in your hand has a settler symbol."), rule="R6.1")


# -- fortify (R6.3-R6.5) --------------------------------------------------------------------------


def bar_to_fortify(p: Position, place: str) -> IllegalAction | None:
    """Why a place cannot be fortified, whatever the Fortification card; None if it can."""
    name = Name("place", place)
    holding = p.state.board.holdings.get(place)
    if holding is None or holding.owner != p.seat:
        return IllegalAction("fortify.not_yours", Text("{place} is not yours.", place=name), rule="R6.3")
    if holding.fort:
        return IllegalAction("fortify.fort", Text("{place} is fortified already.", place=name), rule="R6.3")
    return None


def _bar_to_fortify_at_all(p: Position) -> IllegalAction | None:
    if p.state.board.forts() >= FORTS:
        return IllegalAction(
            "fortify.no_disc", Text("All {n} fortifications are on the board.", n=FORTS), rule="R6.3"
        )  # fmt: skip
    if p.me.money < FORTIFY_PRICE:
        return IllegalAction(
            "fortify.no_money",
            Text("This costs {price} and you have {money}.", price=FORTIFY_PRICE, money=p.me.money),
            rule="R6.3",
        )
    return None


def legal_fortify(p: Position) -> list[Fortify]:
    discs = [card.id for card in p.usable if is_fortification(card)]
    if not discs or _bar_to_fortify_at_all(p) is not None:
        return []
    return [
        _fortify(card.id, disc)
        for card in p.usable
        if card.location and bar_to_fortify(p, card.id) is None
        for disc in discs
    ]


def judge_fortify(p: Position, action: Fortify) -> None:
    bar = bar_to_fortify(p, action.place) or _bar_to_fortify_at_all(p)
    if bar is not None:
        raise bar
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
    return _bar_to_fortify_at_all(p) or IllegalAction(
        "fortify.no_place",
        Text("No usable card in your hand belongs to a place of yours without a fortification."),
        rule="R6.3",
    )
