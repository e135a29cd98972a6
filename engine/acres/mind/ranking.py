"""What each action of Acres is worth to its seat, by rules of thumb. Only ever asked of drawn states.

Only what an action touches is valued. Of a free subset of cards a few are written out.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

from engine.acres import actions as act
from engine.acres.ambushes import CONVERTED
from engine.acres.choices import CardChoice
from engine.acres.data import (
    CAPITALS_TO_TAKE,
    CARDS,
    FORTIFY_PRICE,
    OTHER,
    PLACES,
    TOWN,
    TOWN_POINTS,
    VILLAGE_POINTS,
    Card,
)
from engine.acres.ending import CAPTURED_POINTS_TO_END, captured_points, score
from engine.acres.management import GOVERNOR, INTENDANT
from engine.acres.mind.sense import MILITARY, drafted_worth, gain, prize, siege_worth, strength_of
from engine.acres.mind.weights import CARD_WORTH, Weights
from engine.acres.money import FUR_PRICE, PIRACY_GAIN, PIRATE_PORT, TRADER
from engine.acres.rules import legal
from engine.acres.sieges import strength_begun, strength_reinforced
from engine.acres.state import Siege, State, besieged_by, without
from engine.kernel.search.minds import Ranked

MOST_PARTIES = 3
"""Raiding parties that are looked at for each place."""
MOST_GOVERNED = 2
"""How many of the worst cards are looked at for the Governor."""
UNBLOCKED = 0.85
"""How likely a card in an unknown hand does not stop a raid although it could."""


def ranked(weights: Weights, state: State, seat: str) -> list[Ranked]:
    """Return the seat's actions with their worth, the best first; those of equal worth as the rules list them."""
    view = _Judging(weights, state, seat)
    found: list[Ranked] = []
    for entry in legal(state):
        if isinstance(entry, CardChoice):
            found += [Ranked(view.worth(action), action) for action in view.written_out(entry)]
        else:
            found.append(Ranked(view.worth(entry), entry))
    found.sort(key=lambda one: -one.points)
    return found


class _Judging:
    """One position as its seat judges what it can do."""

    __slots__ = ("cards", "enemy", "kinds", "me", "other", "seat", "state", "weights")

    def __init__(self, weights: Weights, state: State, seat: str) -> None:
        self.weights = weights
        self.state = state
        self.seat = seat
        self.other = OTHER[seat]
        self.me = state.players[seat]
        self.enemy = state.players[self.other]
        self.kinds: dict[str, Card] = CARDS[seat]
        self.cards = CARD_WORTH[seat]

    def worth(self, action: Any) -> float:
        """Return the worth of a whole action."""
        return _WORTH[type(action)](self, action)

    def written_out(self, choice: CardChoice) -> list[Any]:
        """Return the actions of a choice that are worth a look."""
        if choice.kind == "raid":
            parties = sorted(dict.fromkeys(combinations(sorted(choice.items), choice.least)), key=self._given)
            return [choice.action(party) for party in parties if choice.allows(party)][:MOST_PARTIES]
        if choice.kind in ("merchant", "trade"):
            best = sorted(choice.items, key=lambda card: -choice.gain[card])
            return [choice.action(best[: choice.most])]
        worst = sorted(choice.items, key=lambda card: self.use(card))
        counts = range(choice.least, min(choice.most, len(worst) if choice.kind == "discard" else MOST_GOVERNED) + 1)
        return [choice.action(worst[:count]) for count in counts if choice.allows(worst[:count])]

    def _given(self, party: tuple[str, ...]) -> float:
        found = 0.0
        for card in party:
            found += self.cards[card]
        return found

    # -- what is touched ----------------------------------------------------------------------

    def use(self, card: str) -> float:
        """Return what a card in the deck is worth beside the room that it takes."""
        return self.cards[card] - self.weights.room

    def used(self, *cards: str | None) -> float:
        """Return what it costs to use these cards up: better ones cost more."""
        found = 0.0
        for card in cards:
            if card is not None:
                found += self.weights.used * (1 + 0.5 * self.cards[card])
        return found

    def piece_gone(self, left: int) -> float:
        """Return what it is worth that a stock of pieces is used up (R13.2)."""
        if left > 1:
            return 0.0
        points = score(self.state)
        return self.weights.last_piece * (1 if points[self.seat] > points[self.other] else -1)

    def exposed(self, place: str) -> float:
        """Return the points that the enemy might take from a place."""
        if place in CAPITALS_TO_TAKE[self.other]:
            return 6.0
        return PLACES[place].points + 1.0

    def unblocked(self) -> float:
        """Return how likely the enemy cannot block, from what lies in its hand and deck together."""
        kinds = CARDS[self.other]
        hidden = self.enemy.hand + self.enemy.draw
        if not hidden:
            return 1.0
        able = 0
        for card in hidden:
            able += kinds[card].blocks_raid
        likely, share = 1.0, able / len(hidden)
        for _ in self.enemy.hand:
            likely *= 1 - share * UNBLOCKED
        return likely


def _settle(view: _Judging, action: act.Settle) -> float:
    weights, place = view.weights, action.place
    found = weights.settled + weights.village * PLACES[place].points - view.used(action.card, action.carrier)
    if place in CAPITALS_TO_TAKE[view.seat]:
        found += weights.capital * view.state.edition.settling_capital_wins
    if place in view.me.locations:
        found += 0.5 * (view.cards[place] - weights.room)
    return found - view.used(action.settler) + view.piece_gone(view.me.villages)


def _develop(view: _Judging, action: act.Develop) -> float:
    worth = view.weights.town * PLACES[action.place].points - view.used(action.place, action.settler)
    return worth + view.piece_gone(view.me.towns)


def _fortify(view: _Judging, action: act.Fortify) -> float:
    exposed = view.exposed(action.place)
    army = strength_of(view.other, view.enemy.hand + view.enemy.draw + view.enemy.discard)
    worth = view.weights.fort * exposed * army / (8 + army)
    return worth * 0.5 + gain(view.weights, view.me.money, -FORTIFY_PRICE) - view.used(action.place)


def _besiege(view: _Judging, action: act.Besiege) -> float:
    state, seat = view.state, view.seat
    kind = view.kinds[action.force]
    value = strength_begun(state, seat, action.place, kind)
    spent = (action.card, action.carrier, action.force)
    me = view.me._replace(hand=without(view.me.hand, spent))
    after = state._replace(players={**state.players, seat: me})
    worth = siege_worth(view.weights, after, seat, seat, Siege(action.place, value, (action.force,), ()))
    return worth - view.used(action.card, action.carrier) + gain(view.weights, me.money, -kind.play_cost)


def _reinforce(view: _Judging, action: act.Reinforce) -> float:
    state, seat = view.state, view.seat
    attacker = besieged_by(state, action.place)
    assert attacker is not None
    kind, siege = view.kinds[action.card], state.sieges[attacker]
    value = strength_reinforced(state, seat, attacker, kind)
    me = view.me._replace(hand=without(view.me.hand, (action.card,)))
    after = state._replace(players={**state.players, seat: me})
    before = siege_worth(view.weights, state, seat, attacker, siege)
    better = siege_worth(view.weights, after, seat, attacker, siege._replace(strength=value)) - before
    return (better if attacker == seat else -better) + gain(view.weights, me.money, -kind.play_cost) - 0.1


def _withdraw(view: _Judging, action: act.Withdraw) -> float:
    state, seat = view.state, view.seat
    attacker = besieged_by(state, action.place)
    assert attacker is not None
    now = siege_worth(view.weights, state, seat, attacker, state.sieges[attacker])
    lost = view.cards[action.remove] if action.remove is not None else 0.0
    if attacker == seat:
        return -lost - now - 0.4
    return now - prize(view.weights, state, attacker, action.place) - lost


def _raid(view: _Judging, action: act.Raid) -> float:
    holding = view.state.board.holdings[action.place]
    taken = PLACES[action.place].points  # a town becomes a village while there are some
    captured = TOWN_POINTS if holding.piece == TOWN else VILLAGE_POINTS
    worth = view.weights.captured * captured + view.weights.raided * taken
    if captured_points(view.state, view.seat) + captured >= CAPTURED_POINTS_TO_END and not view.state.sieges:
        worth += view.piece_gone(0)
    price = 0
    for card in action.cards:
        price += view.kinds[card].warpath_cost
    return view.unblocked() * worth + gain(view.weights, view.me.money, -price) - view.used(*action.cards)


def _ambush(view: _Judging, action: act.Ambush) -> float:
    kinds = CARDS[view.other]
    hidden = view.enemy.hand + view.enemy.draw
    share = 0.0
    for card in hidden:
        share += kinds[card].ambushable
    likely = 1.0
    for _ in view.enemy.hand:
        likely *= 1 - share / len(hidden)
    in_reserve = any(kinds[card].ambushable for card in view.enemy.reserve)
    hit = 1.0 if in_reserve else 1 - likely
    price = view.kinds[action.card].warpath_cost
    worth = view.weights.ambush * hit * view.unblocked()
    return worth + gain(view.weights, view.me.money, -price) - view.used(action.card)


def _convert(view: _Judging, action: act.Convert) -> float:
    hidden = view.enemy.hand + view.enemy.draw
    likely = min(1.0, hidden.count(CONVERTED) * len(view.enemy.hand) / max(1, len(hidden)))
    if CONVERTED in view.enemy.reserve:
        likely = 1.0
    return view.weights.convert * likely - view.used(action.card)


def _take_money(view: _Judging, action: act.TakeMoney) -> float:
    return gain(view.weights, view.me.money, view.kinds[action.card].coins) - view.used(action.card)


def _merchant(view: _Judging, action: act.Merchant) -> float:
    amount = 0
    for card in action.coins:
        amount += view.kinds[card].coins
    return gain(view.weights, view.me.money, amount) - view.used(action.ship, *action.coins)


def _trade(view: _Judging, action: act.Trade) -> float:
    return gain(view.weights, view.me.money, FUR_PRICE * len(action.furs)) - view.used(TRADER, *action.furs)


def _piracy(view: _Judging, action: act.Piracy) -> float:
    stolen = gain(view.weights, view.enemy.money, -min(PIRACY_GAIN, view.enemy.money))
    return gain(view.weights, view.me.money, PIRACY_GAIN) - stolen - view.used(PIRATE_PORT, action.ship)


def _draft(view: _Judging, action: act.Draft) -> float:
    card = view.kinds[action.card]
    worth = drafted_worth(view.weights, view.state, view.seat, card)
    return worth + gain(view.weights, view.me.money, -card.draft_cost)


def _discard(view: _Judging, action: act.Discard) -> float:
    useless = 0.0
    for card in action.cards:
        useless += view.weights.cycled * (1 if view.use(card) < 0.2 else -1)
    return useless + gain(view.weights, view.me.money, 1 - len(action.cards))


def _reserve(view: _Judging, action: act.Reserve) -> float:
    strength = MILITARY[view.seat].get(action.card, 0)
    return view.weights.kept * strength - 0.1


def _govern(view: _Judging, action: act.Govern) -> float:
    worth = -view.used(GOVERNOR)
    for card in action.cards:
        worth -= view.weights.thinned * (view.use(card) + 0.1)
    return worth


def _intendant(view: _Judging, action: act.UseIntendant) -> float:
    return 0.5 * view.cards[action.card] - 0.3 + gain(view.weights, view.me.money, -view.kinds[INTENDANT].play_cost)


def _nothing(view: _Judging, action: Any) -> float:
    return 0.0


def _retrieve(view: _Judging, action: act.Retrieve) -> float:
    needed = 1.0 if view.state.sieges else 0.4
    strength = strength_of(view.seat, view.me.reserve)
    others = len(view.me.reserve) - strength
    worth = view.weights.retrieved * needed * strength + 0.15 * max(0, others)
    return worth + gain(view.weights, view.me.money, -len(view.me.reserve)) - 0.3


def _home_support(view: _Judging, action: act.HomeSupport) -> float:
    return view.weights.home_support if view.state.actions_left else 0.3


def _block(view: _Judging, action: act.Block) -> float:
    question = view.state.question
    assert question is not None
    if question.kind == "ambush":
        return 0.8 - view.used(action.card)
    piece = view.state.board.holdings[question.place].piece
    return PLACES[question.place].points + (TOWN_POINTS if piece == TOWN else VILLAGE_POINTS) - view.used(action.card)


def _lose(view: _Judging, action: act.Lose) -> float:
    return -view.cards[action.card] - 0.2 * (action.source == act.RESERVE)


def _occupy(view: _Judging, action: act.Occupy) -> float:
    worth = view.weights.settled + view.weights.village * PLACES[action.place].points
    return worth - view.used(action.settler) + view.piece_gone(view.me.villages)


_WORTH: dict[type, Callable[[_Judging, Any], float]] = {
    act.Settle: _settle,
    act.Develop: _develop,
    act.Fortify: _fortify,
    act.Besiege: _besiege,
    act.Reinforce: _reinforce,
    act.Raid: _raid,
    act.Ambush: _ambush,
    act.Convert: _convert,
    act.TakeMoney: _take_money,
    act.Merchant: _merchant,
    act.Trade: _trade,
    act.Piracy: _piracy,
    act.Draft: _draft,
    act.Discard: _discard,
    act.Reserve: _reserve,
    act.Govern: _govern,
    act.UseIntendant: _intendant,
    act.Pass: _nothing,
    act.Retrieve: _retrieve,
    act.HomeSupport: _home_support,
    act.Withdraw: _withdraw,
    act.End: _nothing,
    act.Block: _block,
    act.Allow: _nothing,
    act.Lose: _lose,
    act.ShowHand: _nothing,
    act.Occupy: _occupy,
    act.Leave: _nothing,
}
