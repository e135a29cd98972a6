"""R7 Besiege, R8 Reinforce and Military Leader."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Besiege, Reinforce
from engine.acres.bars import Bar, Bars
from engine.acres.data import PLACES, PORTS, TRACK, WAYS, Card
from engine.acres.effects import Happenings
from engine.acres.position import Position, price_and_money
from engine.acres.routes import no_route, routes, why_no_route
from engine.acres.shared import shared
from engine.acres.state import Siege, State, besieged_by
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_besiege, _reinforce = shared(Besiege), shared(Reinforce)

BASE_DEFENCE = 1  # R7.4
FORT_DEFENCE = 2  # R6.6, R7.4


def strength_in_siege(card: Card, place: str, *, attacking: bool) -> int:
    """Return what a card is worth in the siege of a place; 0 if it cannot be played there.

    Military symbols count everywhere, a ship symbol 1 if the place has one (R7.1, R7.5, R8.2); a Fortification serves
    the defender only (R7.2, R8.4).
    """
    if card.siege == "both" or (card.siege == "defence" and not attacking):
        return card.strength
    return 1 if card.ship and card.siege and PLACES[place].ship else 0


def on_track(state: State, attacker: str, value: int) -> int:
    """Clamp a value to the track (R7.7): what is beyond its end is lost, unless the track is open."""
    if state.edition.siege_track == "open":
        return value
    low, high = TRACK[attacker]
    return min(max(value, low), high)


def starting_strength(state: State, place: str) -> int:
    """Return v before the first card (R7.4)."""
    fort = state.board.holdings[place].fort
    return -(BASE_DEFENCE + (FORT_DEFENCE if fort else 0) + PLACES[place].defence)


# -- besiege (R7) ---------------------------------------------------------------------------------


BESIEGING: Bar[Position] = Bar(
    "besiege.marker_used",
    "R7.1",
    lambda position: position.seat in position.state.sieges,
    lambda position: Text(
        "You are besieging {place} already; only one attack at a time.",
        place=Name("place", position.state.sieges[position.seat].place),
    ),
)
NOT_BESIEGED: Bar[Position, str] = Bar(
    "besiege.not_enemy",
    "R7.1",
    lambda position, place: place not in position.holdings or position.holdings[place].owner == position.seat,
    lambda position, place: Text(
        "{place} is not in the enemy’s hands, so it cannot be besieged.", place=Name("place", place)
    ),
)
"""Why a place cannot be besieged, whatever the cards."""


def _no_force(verb: str, *, attacking: bool) -> Bars[Position, Card, str]:
    """Return why a card cannot be played in the siege of a place (R7.1-R7.6, R8.1-R8.4)."""
    # Listing asks this of every card for every place, so the first condition covers three reasons.
    return Bars(
        Bar(
            f"{verb}.no_strength",
            "R7.1",
            lambda position, card, place: not strength_in_siege(card, place, attacking=attacking),
            lambda position, card, place: Text("{card} has no military symbol.", card=Name("card", card.id)),
            finer=(
                Bar(
                    f"{verb}.defender_only",
                    "R8.4",
                    lambda position, card, place: card.is_fortification,
                    lambda position, card, place: Text("A Fortification card serves the defender of a siege only."),
                ),
                Bar(
                    f"{verb}.no_ship_place",
                    "R8.2",
                    lambda position, card, place: card.ship,
                    lambda position, card, place: Text(
                        "{place} has no ship symbol, so {card} has no strength there.",
                        place=Name("place", place),
                        card=Name("card", card.id),
                    ),
                ),
            ),
        ),
        Bar(
            f"{verb}.no_money",
            "R7.6",
            lambda position, card, place: card.play_cost > position.me.money,
            lambda position, card, place: price_and_money(card.play_cost, position.me.money),
        ),
    )


_NO_ROUTE = no_route("besiege", "R7.1")
_NO_BESIEGER = _no_force("besiege", attacking=True)


def legal_besiege(position: Position) -> list[Besiege]:
    if BESIEGING.stops(position):
        return []
    found: list[Besiege] = []
    military = [card for card in position.usable if card.siege]  # a card that counts in no siege need not be checked
    if not military:
        return []
    forces: dict[str, list[str]] = {}
    for place, card, carrier in routes(position, NOT_BESIEGED.stops):
        if place not in forces:
            forces[place] = [one.id for one in military if not _NO_BESIEGER.stops(position, one, place)]
        for force in forces[place]:
            if force != card and position.holds_beside(force, carrier):
                found.append(_besiege(place, card, carrier, force))
    return found


def judge_besiege(position: Position, action: Besiege) -> None:
    BESIEGING.need_open(position)
    NOT_BESIEGED.need_open(position, action.place)
    position.need_usable(action.card, action.carrier, action.force)
    _NO_ROUTE.need_open(position, action.place, action.card, action.carrier)
    _NO_BESIEGER.need_open(position, position.kinds[action.force], action.place)


def strength_begun(state: State, attacker: str, place: str, force: Card) -> int:
    """Return a siege's strength once its first card lies there (R7.4)."""
    value = on_track(state, attacker, starting_strength(state, place))
    return on_track(state, attacker, value + strength_in_siege(force, place, attacking=True))


def perform_besiege(happened: Happenings, position: Position, action: Besiege) -> None:
    kind = position.kinds[action.force]
    value = strength_begun(position.state, position.seat, action.place, kind)
    happened.add(
        ev.SiegeBegan(
            position.seat, action.place, (action.card, action.carrier), action.force, value, price=kind.play_cost
        )
    )


def why_not_besiege(position: Position) -> IllegalAction:
    if BESIEGING.stops(position):
        return BESIEGING.refusal(position)
    unconnected = Text("No usable location card in your hand leads to an enemy place.")
    return why_no_route(position, NOT_BESIEGED.stops, "besiege", "R7.1", unconnected) or IllegalAction(
        "besiege.no_force",
        Text("No further card in your hand has a strength that you could bring into the siege."),
        rule="R7.1",
    )


# -- reinforce (R8) -------------------------------------------------------------------------------


def can_be_supplied(state: State, seat: str, attacker: str, place: str) -> bool:
    """Return whether the besieged place can be traced to the seat's root (R8.3). The attacker's chain ends beside
    it."""
    reached = state.board.supplied(seat, from_new_york=state.edition.reinforce_from_new_york)
    if seat != attacker:
        return place in reached
    if any(near in reached for near in WAYS[place]):
        return True
    return PLACES[place].sea and any(port in reached for port in PORTS)


def _sieges(position: Position) -> list[tuple[str, Siege]]:
    """Return the sieges, the seat's attack before its defence."""
    return [
        (attacker, position.state.sieges[attacker])
        for attacker in (position.seat, position.other)
        if attacker in position.state.sieges
    ]


def is_leader(card: Card) -> bool:
    """Return whether the card is a Military Leader, who reinforces as a free action (R8.6)."""
    return card.free and card.action == "reinforce"


def is_by_leader(position: Position, action: Reinforce) -> bool:
    """Return whether the card that the action names is a Military Leader (R8.6)."""
    card = position.kinds.get(action.card)
    return card is not None and is_leader(card)


NO_SIEGE: Bar[Position, str] = Bar(
    "reinforce.no_siege",
    "R8.1",
    lambda position, place: besieged_by(position.state, place) is None,
    lambda position, place: Text("There is no siege at {place}.", place=Name("place", place)),
    of_all=("reinforce.no_siege", Text("There is no siege.")),
)
_NOT_SUPPLIED: Bar[Position, str, str] = Bar(
    "reinforce.not_connected",
    "R8.3",
    lambda position, attacker, place: not can_be_supplied(position.state, position.seat, attacker, place),
    lambda position, attacker, place: Text(
        "No chain of your places joins {place} to your capital, so you cannot reinforce the siege.",
        place=Name("place", place),
    ),
)
_NO_REINFORCEMENT = {attacking: _no_force("reinforce", attacking=attacking) for attacking in (True, False)}


def legal_reinforce(position: Position) -> list[Reinforce]:
    if not position.state.sieges:
        return []
    return [
        _reinforce(siege.place, card.id)
        for attacker, siege in _sieges(position)
        if not _NOT_SUPPLIED.stops(position, attacker, siege.place)
        for card in position.usable
        if not _NO_REINFORCEMENT[attacker == position.seat].stops(position, card, siege.place)
    ]


def judge_reinforce(position: Position, action: Reinforce) -> None:
    NO_SIEGE.need_open(position, action.place)
    attacker = besieged_by(position.state, action.place)
    assert attacker is not None
    position.need_usable(action.card)
    _NOT_SUPPLIED.need_open(position, attacker, action.place)
    bars = _NO_REINFORCEMENT[attacker == position.seat]
    bars.need_open(position, position.kinds[action.card], action.place)


def strength_reinforced(state: State, seat: str, attacker: str, card: Card) -> int:
    """Return the strength of an attacker's siege once the seat has reinforced it (R8.1)."""
    siege, attacking = state.sieges[attacker], attacker == seat
    change = strength_in_siege(card, siege.place, attacking=attacking)
    return on_track(state, attacker, siege.strength + (change if attacking else -change))


def perform_reinforce(happened: Happenings, position: Position, action: Reinforce) -> None:
    attacker = besieged_by(position.state, action.place)
    assert attacker is not None
    kind = position.kinds[action.card]
    after = strength_reinforced(position.state, position.seat, attacker, kind)
    happened.add(
        ev.Reinforced(
            position.seat,
            action.place,
            attacker,
            action.card,
            after,
            after - position.state.sieges[attacker].strength,
            price=kind.play_cost,
            free=is_leader(kind),
        )
    )


def why_not_reinforce(position: Position) -> IllegalAction:
    sieges = [(attacker, siege.place) for attacker, siege in _sieges(position)]
    if not sieges:
        return NO_SIEGE.refusal_of_all()
    if all(_NOT_SUPPLIED.stops(position, *siege) for siege in sieges):
        return _NOT_SUPPLIED.refusal(position, *sieges[0])
    return IllegalAction(
        "reinforce.no_strength", Text("No card in your hand has a strength that counts in the siege."), rule="R8.1"
    )
