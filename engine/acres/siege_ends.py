"""R9 Winning a siege, R12 Withdraw."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Leave, Lose, Occupy, Withdraw
from engine.acres.bars import Bar, Bars
from engine.acres.data import CAPITALS_TO_TAKE, OTHER, PLACES, Card
from engine.acres.effects import Happenings
from engine.acres.ending import home_taken
from engine.acres.position import Position, no_symbol
from engine.acres.shared import shared
from engine.acres.state import Siege, State, besieged_by, empire_cards, siege_half
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text, names

_lose, _occupy, _leave, _withdraw = shared(Lose), shared(Occupy), shared(Leave), shared(Withdraw)

ATTACKER_WINS_AT = 2  # R9.1
DEFENDER_WINS_AT = -1  # R9.1


def attacker_has_won(siege: Siege) -> bool:
    """Return whether the attacker has won as its turn begins (R9.1)."""
    return siege.strength >= ATTACKER_WINS_AT


def sieges_due(state: State, seat: str) -> tuple[str, ...]:
    """Return the attackers of the sieges that this seat wins as its turn begins, the one it defends first (R9.1,
    R9.2)."""
    other = OTHER[seat]
    due = []
    defended, attacked = state.sieges.get(other), state.sieges.get(seat)
    if defended is not None and defended.strength <= DEFENDER_WINS_AT:
        due.append(other)
    if attacked is not None and attacker_has_won(attacked):
        due.append(seat)
    return tuple(due)


def capital_falls(state: State, seat: str) -> str | None:
    """Return the enemy capital whose siege this seat wins as its turn begins (R9.8)."""
    siege = state.sieges.get(seat)
    if siege is not None and attacker_has_won(siege) and siege.place in CAPITALS_TO_TAKE[seat]:
        return siege.place
    return None


def is_settling(state: State) -> bool:
    """Return whether sieges won as the turn began are still unsettled: a card must be given up, or the winner must say
    what to do with the place (R9.3). In the other seat's turn, the winner was given the place (R12.3)."""
    question = state.question
    return bool(state.due) or (question is not None and (question.kind, question.seat) == ("conquest", state.on_turn))


def has_to_occupy(state: State, place: str) -> bool:
    """Return whether the winner of a siege puts a village there, if any is left, without being asked (R9.3, D19)."""
    return not state.edition.conquest_is_optional and not PLACES[place].settler


def losses(state: State, attacker: str, loser: str) -> tuple[str, ...]:
    """Return the kinds of empire card the loser of this siege must give one of (R9.6); empty if it has none there."""
    return tuple(dict.fromkeys(empire_cards(loser, siege_half(state.sieges[attacker], attacker, loser))))


def settle_due(happened: Happenings) -> None:
    """Carry out the sieges that are due, up to a decision that a seat must make first (R9.3-R9.7)."""
    while happened.state.due and happened.state.question is None:
        attacker = happened.state.due[0]
        winner = happened.state.on_turn
        if losses(happened.state, attacker, OTHER[winner]):
            return
        happened.add(ev.SiegeWon(winner, happened.state.sieges[attacker].place, attacker))


# -- the card that the loser gives up (R9.6) ------------------------------------------------------


def _not_given_up(verb: str) -> Bar[Position, str, str]:
    """Bar a card that the loser of this siege, named by its attacker, does not give up."""
    return Bar(
        f"{verb}.not_there",
        "R9.6",
        lambda position, attacker, card: card not in losses(position.state, attacker, position.seat),
        lambda position, attacker, card: Text(
            "{card} is not in the siege of {place}; one of these is given up: {cards}.",
            card=Name("card", card),
            place=Name("place", position.state.sieges[attacker].place),
            cards=names("card", losses(position.state, attacker, position.seat)),
        ),
        finer=(
            Bar(
                f"{verb}.location_card",
                "R9.6",
                lambda position, attacker, card: (
                    card in siege_half(position.state.sieges[attacker], attacker, position.seat)
                ),
                lambda position, attacker, card: Text(
                    "{card} is a location card; one of these is given up: {cards}.",
                    card=Name("card", card),
                    cards=names("card", losses(position.state, attacker, position.seat)),
                ),
            ),
        ),
    )


_NOT_LOST = _not_given_up("lose")


def legal_loss(position: Position) -> list[Lose]:
    attacker = position.state.due[0]
    place = position.state.sieges[attacker].place
    return [_lose(card, place) for card in losses(position.state, attacker, position.seat)]


def judge_loss(position: Position, action: Lose) -> None:
    attacker = position.state.due[0]
    siege = position.state.sieges[attacker]
    if action.source != siege.place:
        raise IllegalAction(
            "lose.other_siege",
            Text("The card comes from the siege of {place}.", place=Name("place", siege.place)),
            rule="R9.6",
        )
    _NOT_LOST.need_open(position, attacker, action.card)


def perform_loss(happened: Happenings, position: Position, action: Lose) -> None:
    attacker = happened.state.due[0]
    happened.add(ev.SiegeWon(happened.state.on_turn, action.source, attacker, returned=action.card))


# -- what the winner does with the place (R9.3) ---------------------------------------------------


_NOT_OCCUPIED: Bars[Position, Occupy] = Bars(
    Bar(
        "conquest.no_village",
        "R9.3",
        lambda position, action: not position.me.villages,
        lambda position, action: Text(
            "You have no village left in stock, so {place} stays neutral.", place=Name("place", action.place)
        ),
    ),
    Bar(
        "conquest.settler_not_needed",
        "R9.3",
        lambda position, action: action.settler is not None and not PLACES[action.place].settler,
        lambda position, action: Text(
            "{place} has no settler symbol, so no settler card is played.", place=Name("place", action.place)
        ),
    ),
    Bar(
        "conquest.settler_missing",
        "R9.3",
        lambda position, action: action.settler is None and PLACES[action.place].settler,
        lambda position, action: Text(
            "{place} has a settler symbol, so a card with a settler symbol is needed.",
            place=Name("place", action.place),
        ),
    ),
)
"""Why a village cannot be placed with this settler card, or without one, whether or not the hand holds it."""
_NO_SETTLER: Bar[Position, Card] = Bar(
    "conquest.no_settler",
    "R9.3",
    lambda position, card: not card.settler,
    lambda position, card: no_symbol(card.id, "settler"),
)


_NOT_LEFT: Bar[Position, Leave] = Bar(
    "conquest.duty",
    "R9.3",
    lambda position, action: has_to_occupy(position.state, action.place) and position.me.villages > 0,
    lambda position, action: Text(
        "{place} has no settler symbol, so a village of yours is placed there.", place=Name("place", action.place)
    ),
)


def legal_conquest(position: Position) -> list[Occupy | Leave]:
    place = position.asked_about
    ways = (_occupy(place), *[_occupy(place, settler) for settler in position.settlers])
    found: list[Occupy | Leave] = [way for way in ways if not _NOT_OCCUPIED.stops(position, way)]
    return found if _NOT_LEFT.stops(position, _leave(place)) else [*found, _leave(place)]


def judge_conquest(position: Position, action: Occupy | Leave) -> None:
    place = position.asked_about
    if action.place != place:
        why = Text("The conquered place is {place}.", place=Name("place", place))
        raise IllegalAction("conquest.other_place", why, rule="R9.3")
    if isinstance(action, Occupy):
        _NOT_OCCUPIED.need_open(position, action)
        if action.settler is not None:
            position.need_usable(action.settler)
            _NO_SETTLER.need_open(position, position.kinds[action.settler])
    else:
        _NOT_LEFT.need_open(position, action)


def perform_conquest(happened: Happenings, position: Position, action: Occupy | Leave) -> None:
    if isinstance(action, Leave):
        happened.add(ev.LeftNeutral(position.seat, action.place))
    else:
        happened.add(
            ev.Occupied(position.seat, action.place, action.settler, taken=action.place in position.me.locations)
        )


# -- withdraw (R12) -------------------------------------------------------------------------------


def is_free_withdrawal(position: Position, action: Withdraw) -> bool:
    """D10."""
    return position.edition.withdraw_is_free


_NO_SIEGE: Bar[Position, str] = Bar(
    "withdraw.no_siege",
    "R12.1",
    lambda position, place: besieged_by(position.state, place) is None,
    lambda position, place: Text("There is no siege at {place}.", place=Name("place", place)),
    of_all=("withdraw.no_siege", Text("There is no siege.")),
)
_CARD_MISSING: Bar[Position, str] = Bar(
    "withdraw.card_missing",
    "R12.2",
    lambda position, attacker: losses(position.state, attacker, position.seat) != (),
    lambda position, attacker: Text(
        "Name the empire card that goes back to the cards on offer: {cards}.",
        cards=names("card", losses(position.state, attacker, position.seat)),
    ),
)
"""Why this attacker's siege cannot be given up without a card."""
_NOT_REMOVED: Bars[Position, str, str] = Bars(
    Bar(
        "withdraw.nothing_to_remove",
        "R12.2",
        lambda position, attacker, card: not _CARD_MISSING.stops(position, attacker),
        lambda position, attacker, card: Text(
            "You have no empire card in this siege, so none is given up: withdraw without naming one."
        ),
    ),
    _not_given_up("withdraw"),
)
"""Why this attacker's siege cannot be given up with this card."""


def legal_withdraw(position: Position) -> list[Withdraw]:
    found = []
    for attacker in (position.seat, position.other):
        siege = position.state.sieges.get(attacker)
        if siege is not None:
            may_go = losses(position.state, attacker, position.seat)
            found += [_withdraw(siege.place, card) for card in may_go] or [_withdraw(siege.place)]
    return found


def judge_withdraw(position: Position, action: Withdraw) -> None:
    _NO_SIEGE.need_open(position, action.place)
    attacker = besieged_by(position.state, action.place)
    assert attacker is not None
    if action.remove is None:
        _CARD_MISSING.need_open(position, attacker)
    else:
        _NOT_REMOVED.need_open(position, attacker, action.remove)


def perform_withdraw(happened: Happenings, position: Position, action: Withdraw) -> None:
    """Withdraw, which counts as losing the siege (R12.2, R12.3); losing a capital this way ends the game."""
    attacker = besieged_by(position.state, action.place)
    assert attacker is not None
    happened.add(
        ev.Withdrew(position.seat, action.place, attacker, action.remove, free=position.edition.withdraw_is_free)
    )
    if attacker == position.other and action.place in CAPITALS_TO_TAKE[attacker]:
        happened.add(home_taken(happened.state, attacker, action.place))


def why_not_withdraw(position: Position) -> IllegalAction:
    return _NO_SIEGE.refusal_of_all()
