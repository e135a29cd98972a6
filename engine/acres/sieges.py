"""R7 Besiege, R8 Reinforce and Military Leader."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Besiege, Reinforce
from engine.acres.building import is_fortification
from engine.acres.data import PLACES, PORTS, TRACK, WAYS, Card
from engine.acres.happening import Happenings
from engine.acres.position import Position
from engine.acres.settling import need_route
from engine.acres.shared import shared
from engine.acres.state import Siege, State, besieged_by
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_besiege, _reinforce = shared(Besiege), shared(Reinforce)

BASE_DEFENCE = 1  # R7.4
FORT_DEFENCE = 2  # R6.6, R7.4


def strength_in_siege(card: Card, place: str, *, attacking: bool) -> int:
    """What a card is worth in the siege of a place; 0 if it cannot be played there.

    Military symbols count everywhere, a ship symbol 1 where the place has one (R7.1, R7.5, R8.2); a Fortification
    serves the defender only (R7.2, R8.4).
    """
    if card.siege == "both" or (card.siege == "defence" and not attacking):
        return card.strength
    return 1 if card.ship and card.siege and PLACES[place].ship else 0


def on_track(state: State, attacker: str, value: int) -> int:
    """R7.7: what is beyond the end of the track is lost, unless the track is open."""
    if state.edition.siege_track == "open":
        return value
    low, high = TRACK[attacker]
    return min(max(value, low), high)


def starting_strength(state: State, place: str) -> int:
    """R7.4: v before the first card."""
    fort = state.board.holdings[place].fort
    return -(BASE_DEFENCE + (FORT_DEFENCE if fort else 0) + PLACES[place].defence)


# -- besiege (R7) ---------------------------------------------------------------------------------


def bar_to_besiege(p: Position, place: str) -> IllegalAction | None:
    """Why a place cannot be besieged, whatever the cards; None if it can (R7.1)."""
    mine = p.state.sieges.get(p.seat)
    if mine is not None:
        return IllegalAction(
            "besiege.marker_used",
            Text("You are besieging {place} already; only one attack at a time.", place=Name("place", mine.place)),
            rule="R7.1",
        )
    if p.state.board.owner(place) != p.other:
        return IllegalAction(
            "besiege.not_enemy",
            Text("{place} is not in the enemy's hands, so it cannot be besieged.", place=Name("place", place)),
            rule="R7.1",
        )
    return None


def legal_besiege(p: Position) -> list[Besiege]:
    if p.seat in p.state.sieges:
        return []
    found: list[Besiege] = []
    holdings, other, carriers = p.state.board.holdings, p.other, p.carriers
    for card in p.usable:
        for place, by in card.reaches:
            holding = holdings.get(place)
            if holding is None or holding.owner != other:
                continue
            for carrier in carriers[by]:
                if carrier == card.id:
                    continue
                for force in p.usable:
                    if (
                        force is not card
                        and force.siege
                        and strength_in_siege(force, place, attacking=True)
                        and force.play_cost <= p.me.money
                        and p.spare(force.id, carrier)
                    ):
                        found.append(_besiege(place, card.id, carrier, force.id))
    return found


def judge_besiege(p: Position, action: Besiege) -> None:
    bar = bar_to_besiege(p, action.place)
    if bar is not None:
        raise bar
    p.need_usable(action.card, action.carrier, action.force)
    need_route(p, action.place, action.card, action.carrier, "besiege", "R7.1")
    _need_force(p, action.force, action.place, attacking=True, verb="besiege")


def _need_force(p: Position, card: str, place: str, *, attacking: bool, verb: str) -> None:
    """Refuse a card that cannot be played in the siege, or not be paid for (R7.1-R7.6, R8.1-R8.4)."""
    kind = p.kinds[card]
    if not strength_in_siege(kind, place, attacking=attacking):
        if is_fortification(kind):
            raise IllegalAction(
                f"{verb}.defender_only", Text("A Fortification card serves the defender of a siege only."), rule="R8.4"
            )
        if kind.ship:
            raise IllegalAction(
                f"{verb}.no_ship_place",
                Text("{place} has no ship symbol, so {card} has no strength there.",
                     place=Name("place", place), card=Name("card", card)),
                rule="R8.2",
            )  # fmt: skip
        raise IllegalAction(
            f"{verb}.no_strength", Text("{card} has no military symbol.", card=Name("card", card)), rule="R7.1"
        )
    p.need_money(kind.play_cost, f"{verb}.no_money", "R7.6")


def perform_besiege(h: Happenings, p: Position, action: Besiege) -> None:
    kind = p.kinds[action.force]
    value = on_track(p.state, p.seat, starting_strength(p.state, action.place))
    value = on_track(p.state, p.seat, value + strength_in_siege(kind, action.place, attacking=True))
    h.add(ev.SiegeBegan(p.seat, action.place, (action.card, action.carrier), action.force, value, price=kind.play_cost))


def why_not_besiege(p: Position) -> IllegalAction:
    bar = bar_to_besiege(p, "")
    if bar is not None and bar.code == "besiege.marker_used":
        return bar
    goals = [
        (card, place, by)
        for card in p.usable
        for place, by in card.reaches
        if p.state.board.owner(place) == p.other
    ]  # fmt: skip
    if not goals:
        return IllegalAction(
            "besiege.no_connection", Text("No usable location card in your hand leads to an enemy place."), rule="R7.1"
        )
    goals = [(card, place, by) for card, place, by in goals if any(c != card.id for c in p.carriers[by])]
    if not goals:
        return IllegalAction(
            "besiege.no_transport",
            Text("No other card in your hand has the transport symbol that is needed."),
            rule="R7.1",
        )
    return IllegalAction(
        "besiege.no_force",
        Text("No further card in your hand has a strength that you could bring into the siege."),
        rule="R7.1",
    )


# -- reinforce (R8) -------------------------------------------------------------------------------


def can_be_supplied(state: State, seat: str, attacker: str, place: str) -> bool:
    """R8.3: whether the besieged place can be traced to the seat's root. The attacker's chain ends beside it."""
    reached = state.board.supplied(seat, from_new_york=state.edition.reinforce_from_new_york)
    if seat != attacker:
        return place in reached
    if any(near in reached for near in WAYS[place]):
        return True
    return PLACES[place].sea and any(port in reached for port in PORTS)


def _sieges(p: Position) -> list[tuple[str, Siege]]:
    """The sieges in the order attack, defence."""
    return [(attacker, p.state.sieges[attacker]) for attacker in (p.seat, p.other) if attacker in p.state.sieges]


def is_leader(card: Card) -> bool:
    """A Military Leader reinforces as a free action (R8.6)."""
    return card.free and card.action == "reinforce"


def is_by_leader(p: Position, action: Reinforce) -> bool:
    """Whether the card that the action names is a Military Leader (R8.6)."""
    card = p.kinds.get(action.card)
    return card is not None and is_leader(card)


def legal_reinforce(p: Position) -> list[Reinforce]:
    if not p.state.sieges:
        return []
    found = []
    for attacker, siege in _sieges(p):
        if not can_be_supplied(p.state, p.seat, attacker, siege.place):
            continue
        attacking = attacker == p.seat
        for card in p.usable:
            if (
                card.siege
                and strength_in_siege(card, siege.place, attacking=attacking)
                and card.play_cost <= p.me.money
            ):
                found.append(_reinforce(siege.place, card.id))
    return found


def judge_reinforce(p: Position, action: Reinforce) -> None:
    attacker = besieged_by(p.state, action.place)
    place = Name("place", action.place)
    if attacker is None:
        raise IllegalAction("reinforce.no_siege", Text("There is no siege at {place}.", place=place), rule="R8.1")
    p.need_usable(action.card)
    if not can_be_supplied(p.state, p.seat, attacker, action.place):
        raise _not_supplied(action.place)
    _need_force(p, action.card, action.place, attacking=attacker == p.seat, verb="reinforce")


def _not_supplied(place: str) -> IllegalAction:
    return IllegalAction(
        "reinforce.not_connected",
        Text("No chain of your places joins {place} to your capital, so you cannot reinforce the siege.",
             place=Name("place", place)),
        rule="R8.3",
    )  # fmt: skip


def perform_reinforce(h: Happenings, p: Position, action: Reinforce) -> None:
    attacker = besieged_by(p.state, action.place)
    assert attacker is not None
    kind = p.kinds[action.card]
    attacking = attacker == p.seat
    before = p.state.sieges[attacker].strength
    worth = strength_in_siege(kind, action.place, attacking=attacking)
    after = on_track(p.state, attacker, before + (worth if attacking else -worth))
    h.add(
        ev.Reinforced(
            p.seat,
            action.place,
            attacker,
            action.card,
            after,
            after - before,
            price=kind.play_cost,
            free=is_leader(kind),
        )
    )


def why_not_reinforce(p: Position) -> IllegalAction:
    sieges = _sieges(p)
    if not sieges:
        return IllegalAction("reinforce.no_siege", Text("There is no siege."), rule="R8.1")
    supplied = [siege for attacker, siege in sieges if can_be_supplied(p.state, p.seat, attacker, siege.place)]
    if not supplied:
        return _not_supplied(sieges[0][1].place)
    return IllegalAction(
        "reinforce.no_strength", Text("No card in your hand has a strength that counts in the siege."), rule="R8.1"
    )
