"""R5 Settle."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Settle
from engine.acres.bars import Bar, Bars
from engine.acres.data import CAPITALS_TO_TAKE, PLACES
from engine.acres.ending import home_taken
from engine.acres.happening import Happenings
from engine.acres.position import Position, need_symbol
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_settle = shared(Settle)  # the same few thousand actions come again and again


_NO_VILLAGE: Bar[Position] = Bar(
    "settle.no_village", "R5.1", lambda p: not p.me.villages, lambda p: Text("You have no village left in stock.")
)
_NOT_SETTLED: Bars[Position, str] = Bars(
    (
        Bar(
            "settle.no_village",
            "R5.1",
            lambda p, place: not p.me.villages and place not in p.state.board.holdings,
            lambda p, place: _NO_VILLAGE.why(p),
        ),
        Bar(
            "settle.enemy_place",
            "R5.1",
            lambda p, place: p.state.board.owner(place) == p.other,
            lambda p, place: Text(
                "{place} is in the enemy's hands; only a neutral place can be settled.", place=Name("place", place)
            ),
        ),
        Bar(
            "settle.own_place",
            "R5.6",
            lambda p, place: place in p.state.board.holdings and place not in p.me.locations,
            lambda p, place: Text(
                "{place} is yours already, and its card is not among your available cards.", place=Name("place", place)
            ),
        ),
    )
)
"""Why a place cannot be settled now, whatever the cards (R5.1, R5.6)."""


def legal(p: Position) -> list[Settle]:
    found: list[Settle] = []
    carriers, settlers = p.carriers, p.settlers
    for card in p.usable:
        for place, by in card.reaches:
            if not carriers[by] or not _NOT_SETTLED.leave_open(p, place):
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
    _NOT_SETTLED.need_open(p, action.place)
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
    if _NO_VILLAGE.stops(p):
        return _NO_VILLAGE.refusal(p)
    goals = {
        place: (card, by)
        for card in p.usable
        for place, by in card.reaches
        if _NOT_SETTLED.leave_open(p, place)
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
