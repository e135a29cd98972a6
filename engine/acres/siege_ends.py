"""R9 Winning a siege, R12 Withdraw."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Leave, Lose, Occupy, Withdraw
from engine.acres.data import CAPITALS_TO_TAKE, OTHER, PLACES
from engine.acres.ending import home_taken
from engine.acres.happening import Happenings
from engine.acres.position import Position, need_symbol
from engine.acres.shared import shared
from engine.acres.state import Siege, State, besieged_by, empire_cards, siege_half
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_lose, _occupy, _leave, _withdraw = shared(Lose), shared(Occupy), shared(Leave), shared(Withdraw)

ATTACKER_WINS_AT = 2  # R9.1
DEFENDER_WINS_AT = -1  # R9.1


def attacker_has_won(siege: Siege) -> bool:
    """R9.1, as the attacker's turn begins."""
    return siege.strength >= ATTACKER_WINS_AT


def sieges_due(state: State, seat: str) -> tuple[str, ...]:
    """R9.1, R9.2: the attackers of the sieges that this seat wins as its turn begins, the one it defends first."""
    other = OTHER[seat]
    due = []
    defended, attacked = state.sieges.get(other), state.sieges.get(seat)
    if defended is not None and defended.strength <= DEFENDER_WINS_AT:
        due.append(other)
    if attacked is not None and attacker_has_won(attacked):
        due.append(seat)
    return tuple(due)


def capital_falls(state: State, seat: str) -> str | None:
    """R9.8: the enemy capital whose siege this seat wins as its turn begins."""
    siege = state.sieges.get(seat)
    if siege is not None and attacker_has_won(siege) and siege.place in CAPITALS_TO_TAKE[seat]:
        return siege.place
    return None


def losses(state: State, attacker: str, loser: str) -> tuple[str, ...]:
    """R9.6: the kinds of empire cards of which the loser of this siege gives one back; empty if he has none there."""
    return tuple(dict.fromkeys(empire_cards(loser, siege_half(state.sieges[attacker], attacker, loser))))


def settle_due(h: Happenings) -> None:
    """Carry out the sieges that are due, up to a decision that somebody must make first (R9.3-R9.7)."""
    while h.state.due and h.state.question is None:
        attacker = h.state.due[0]
        winner = h.state.on_turn
        if losses(h.state, attacker, OTHER[winner]):
            return
        h.add(ev.SiegeWon(winner, h.state.sieges[attacker].place, attacker))


# -- the card that the loser gives up (R9.6) ------------------------------------------------------


def legal_loss(p: Position) -> list[Lose]:
    attacker = p.state.due[0]
    place = p.state.sieges[attacker].place
    return [_lose(card, place) for card in losses(p.state, attacker, p.seat)]


def judge_loss(p: Position, action: Lose) -> None:
    attacker = p.state.due[0]
    siege = p.state.sieges[attacker]
    if action.source != siege.place:
        raise IllegalAction(
            "lose.other_siege",
            Text("The card comes from the siege of {place}.", place=Name("place", siege.place)),
            rule="R9.6",
        )
    _need_loss(action.card, siege_half(siege, attacker, p.seat), losses(p.state, attacker, p.seat), siege.place, "lose")


def _need_loss(card: str, there: tuple[str, ...], may_go: tuple[str, ...], place: str, verb: str) -> None:
    if card in may_go:
        return
    if card in there:
        raise IllegalAction(
            f"{verb}.location_card",
            Text("{card} is a location card; one of these is given up: {cards}.",
                 card=Name("card", card), cards=tuple(Name("card", c) for c in may_go)),
            rule="R9.6",
        )  # fmt: skip
    raise IllegalAction(
        f"{verb}.not_there",
        Text("{card} is not in the siege of {place}; one of these is given up: {cards}.",
             card=Name("card", card), place=Name("place", place), cards=tuple(Name("card", c) for c in may_go)),
        rule="R9.6",
    )  # fmt: skip


def perform_loss(h: Happenings, p: Position, action: Lose) -> None:
    attacker = h.state.due[0]
    h.add(ev.SiegeWon(h.state.on_turn, action.source, attacker, returned=action.card))


# -- what the winner does with the place (R9.3) ---------------------------------------------------


def legal_conquest(p: Position) -> list[Occupy | Leave]:
    place = p.asked_about
    found: list[Occupy | Leave] = []
    if p.me.villages:
        if not PLACES[place].settler:
            found.append(_occupy(place))
        else:
            found += [_occupy(place, settler) for settler in p.settlers]
    found.append(_leave(place))
    return found


def judge_conquest(p: Position, action: Occupy | Leave) -> None:
    place = p.asked_about
    name = Name("place", place)
    if action.place != place:
        raise IllegalAction("conquest.other_place", Text("The conquered place is {place}.", place=name), rule="R9.3")
    if isinstance(action, Leave):
        return
    if not p.me.villages:
        raise IllegalAction(
            "conquest.no_village", Text("You have no village left in stock, so {place} stays neutral.", place=name),
            rule="R9.3",
        )  # fmt: skip
    if not PLACES[place].settler:
        if action.settler is not None:
            raise IllegalAction(
                "conquest.settler_not_needed",
                Text("{place} has no settler symbol, so no settler card is played.", place=name),
                rule="R9.3",
            )
        return
    if action.settler is None:
        raise IllegalAction(
            "conquest.settler_missing",
            Text("{place} has a settler symbol, so a card with a settler symbol is needed.", place=name),
            rule="R9.3",
        )
    p.need_usable(action.settler)
    need_symbol(p.kinds[action.settler].settler, action.settler, "settler", "conquest.no_settler", "R9.3")


def perform_conquest(h: Happenings, p: Position, action: Occupy | Leave) -> None:
    if isinstance(action, Leave):
        h.add(ev.LeftNeutral(p.seat, action.place))
    else:
        h.add(ev.Occupied(p.seat, action.place, action.settler, taken=action.place in p.me.locations))


# -- withdraw (R12) -------------------------------------------------------------------------------


def is_free_withdrawal(p: Position, action: Withdraw) -> bool:
    """D10."""
    return p.edition.withdraw_is_free


def legal_withdraw(p: Position) -> list[Withdraw]:
    found = []
    for attacker in (p.seat, p.other):
        siege = p.state.sieges.get(attacker)
        if siege is not None:
            may_go = losses(p.state, attacker, p.seat)
            found += [_withdraw(siege.place, card) for card in may_go] or [_withdraw(siege.place)]
    return found


def judge_withdraw(p: Position, action: Withdraw) -> None:
    attacker = besieged_by(p.state, action.place)
    if attacker is None:
        raise IllegalAction(
            "withdraw.no_siege", Text("There is no siege at {place}.", place=Name("place", action.place)), rule="R12.1"
        )
    may_go = losses(p.state, attacker, p.seat)
    if action.remove is not None:
        if not may_go:
            raise IllegalAction(
                "withdraw.nothing_to_remove",
                Text("You have no empire card in this siege, so none is given up: withdraw without naming one."),
                rule="R12.2",
            )
        _need_loss(
            action.remove, siege_half(p.state.sieges[attacker], attacker, p.seat), may_go, action.place, "withdraw"
        )
    elif may_go:
        raise IllegalAction(
            "withdraw.card_missing",
            Text("Name the empire card that goes back to the cards on offer: {cards}.",
                 cards=tuple(Name("card", c) for c in may_go)),
            rule="R12.2",
        )  # fmt: skip


def perform_withdraw(h: Happenings, p: Position, action: Withdraw) -> None:
    """R12.2, R12.3: it counts as losing the siege; a capital given up so ends the game."""
    attacker = besieged_by(p.state, action.place)
    assert attacker is not None
    h.add(ev.Withdrew(p.seat, action.place, attacker, action.remove, free=p.edition.withdraw_is_free))
    if attacker == p.other and action.place in CAPITALS_TO_TAKE[attacker]:
        h.add(home_taken(h.state, attacker, action.place))


def why_not_withdraw(p: Position) -> IllegalAction:
    return IllegalAction("withdraw.no_siege", Text("There is no siege."), rule="R12.1")
