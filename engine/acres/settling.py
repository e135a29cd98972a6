"""R5 Settle."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Settle
from engine.acres.data import CAPITALS_TO_TAKE, PLACES
from engine.acres.ending import home_taken
from engine.acres.happening import Happenings
from engine.acres.position import Position, need_symbol
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_settle = shared(Settle)  # the same few thousand actions come again and again


def bar_to_settle(p: Position, place: str) -> IllegalAction | None:
    """Why the place cannot be settled now, whatever the cards; None if it can (R5.1, R5.6)."""
    holding = p.state.board.holdings.get(place)
    if holding is None:
        if p.me.villages:
            return None
        return IllegalAction("settle.no_village", Text("You have no village left in stock."), rule="R5.1")
    name = Name("place", place)
    if holding.owner != p.seat:
        return IllegalAction(
            "settle.enemy_place",
            Text("{place} is in the enemy's hands; only a neutral place can be settled.", place=name),
            rule="R5.1",
        )
    if place in p.me.locations:
        return None
    return IllegalAction(
        "settle.own_place",
        Text("{place} is yours already, and its card is not among your available cards.", place=name),
        rule="R5.6",
    )


def legal(p: Position) -> list[Settle]:
    found: list[Settle] = []
    holdings, locations, villages = p.state.board.holdings, p.me.locations, p.me.villages
    seat, carriers, settlers = p.seat, p.carriers, p.settlers
    for card in p.usable:
        for place, by in card.reaches:
            holding = holdings.get(place)
            if not villages if holding is None else (holding.owner != seat or place not in locations):
                continue
            for carrier in carriers[by]:
                if carrier == card.id:
                    continue
                if not PLACES[place].settler:
                    found.append(_settle(place, card.id, carrier))
                    continue
                for settler in settlers:
                    if settler != card.id and settler != carrier:
                        found.append(_settle(place, card.id, carrier, settler))
    return found


def judge(p: Position, action: Settle) -> None:
    bar = bar_to_settle(p, action.place)
    if bar is not None:
        raise bar
    place = Name("place", action.place)
    wants_settler = PLACES[action.place].settler
    if wants_settler and action.settler is None:
        raise IllegalAction(
            "settle.settler_missing",
            Text("{place} has a settler symbol, so a card with a settler symbol is needed too.", place=place),
            rule="R5.1",
        )
    if action.settler is not None and not wants_settler:
        raise IllegalAction(
            "settle.settler_not_needed",
            Text("{place} has no settler symbol, so no settler card is played.", place=place),
            rule="R5.1",
        )
    cards = _cards(action)
    p.need_usable(*cards)
    need_route(p, action.place, action.card, action.carrier, "settle", "R5.1")
    if action.settler is not None:
        need_symbol(p.kinds[action.settler].settler, action.settler, "settler", "settle.no_settler", "R5.1")


def need_route(p: Position, place: str, card: str, carrier: str, verb: str, rule: str) -> None:
    """Refuse unless the location card lists the place by a transport that the carrier has (R5.1, R7.1)."""
    by = [transport for reached, transport in p.kinds[card].reaches if reached == place]
    if not by:
        raise IllegalAction(
            f"{verb}.no_connection",
            Text("The card {card} does not lead to {place}.", card=Name("card", card), place=Name("place", place)),
            rule=rule,
        )
    if not any(p.kinds[carrier].has(transport) for transport in by):
        need_symbol(False, carrier, by[0], f"{verb}.no_transport", rule)


def _cards(action: Settle) -> tuple[str, ...]:
    settler = () if action.settler is None else (action.settler,)
    return (action.card, action.carrier, *settler)


def perform(h: Happenings, p: Position, action: Settle) -> None:
    """R5.2, R5.3, R5.5."""
    placed = action.place not in p.state.board.holdings
    h.add(ev.Settled(p.seat, action.place, _cards(action), placed=placed, taken=action.place in p.me.locations))
    if placed and p.edition.settling_capital_wins and action.place in CAPITALS_TO_TAKE[p.seat]:
        h.add(home_taken(h.state, p.seat, action.place))


def why_not(p: Position) -> IllegalAction:
    if not p.me.villages:
        return IllegalAction("settle.no_village", Text("You have no village left in stock."), rule="R5.1")
    goals = {
        place: (card, by)
        for card in p.usable
        for place, by in card.reaches
        if bar_to_settle(p, place) is None
    }  # fmt: skip
    if not goals:
        return IllegalAction(
            "settle.no_connection", Text("No usable location card in your hand leads to a neutral place."), rule="R5.1"
        )
    if not any(c != card.id for card, by in goals.values() for c in p.carriers[by]):
        return IllegalAction(
            "settle.no_transport",
            Text("No other card in your hand has the transport symbol that is needed."),
            rule="R5.1",
        )
    return IllegalAction("settle.no_settler", Text("No further card in your hand has a settler symbol."), rule="R5.1")
