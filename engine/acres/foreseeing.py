"""What a seat may be asked before its next turn, and what it can order for that now.

Only what the seat knows counts: which cards are in the other side's hand and deck together, and how many are in the
hand (R1.5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from engine.acres.ambushes import CONVERTED
from engine.acres.data import CAPITALS_TO_TAKE, CARDS, HAND_SIZE, HOME_SUPPORT_DRAW, OTHER, PLACES, Card
from engine.acres.ending import points_of
from engine.acres.management import HOME_SUPPORT, INTENDANT
from engine.acres.position import Position
from engine.acres.raids import raid_range, raid_targets
from engine.acres.siege_ends import ATTACKER_WINS_AT, DEFENDER_WINS_AT, has_to_occupy, losses
from engine.acres.state import State
from engine.kernel.title import Foreseen


def foreseen(state: State, seat: str) -> tuple[Foreseen, ...]:
    """Return what the seat may be asked in the other's next turn, or the rest of it; the answers are standing
    orders."""
    if state.outcome is not None:
        return ()
    other, mine = _Other(state, OTHER[seat]), _own_cards(state, seat)
    return (*_sieges(state, seat), *_raids(state, seat, other, mine), *_taken(state, seat, other, mine))


# -- sieges ---------------------------------------------------------------------------------------


def _sieges(state: State, seat: str) -> list[Foreseen]:
    """Foresee sieges: the card lost with one is certain if it stays as it is; whether the other withdraws is not."""
    found = []
    for attacker, siege in sorted(state.sieges.items()):
        mine = attacker == seat
        lost = siege.strength <= DEFENDER_WINS_AT if mine else siege.strength >= ATTACKER_WINS_AT
        game_over = not mine and siege.place in CAPITALS_TO_TAKE[attacker]
        cards = losses(state, attacker, seat)
        if lost and not game_over and len(cards) > 1 and attacker not in state.due:
            answers = tuple(f"siege of {siege.place}: lose {card}" for card in cards)
            found.append(Foreseen("siege-loss", siege.place, answers, certain=True))
        is_asked = siege.place not in CAPITALS_TO_TAKE[seat] and not has_to_occupy(state, siege.place)
        if mine and is_asked and state.players[seat].villages:
            settlers = [card for card in dict.fromkeys(state.players[seat].hand) if CARDS[seat][card].settler]
            ways = (
                [f"conquest of {siege.place}: occupy with {card}" for card in settlers]
                if PLACES[siege.place].settler
                else [f"conquest of {siege.place}: occupy"]
            )
            answers = (*ways, f"conquest of {siege.place}: leave")
            found.append(Foreseen("conquest", siege.place, answers, certain=False))
    return found


# -- what the cards of both sides allow -----------------------------------------------------------


class _Other:
    """The cards that the other side could use in its next turn, as far as the seat knows."""

    def __init__(self, state: State, other: str) -> None:
        player = state.players[other]
        self._kinds = CARDS[other]
        self._hidden, self._hand = player.draw + player.hand, len(player.hand)
        self._open, self._discard = player.reserve, player.discard

    def most(self, does: Callable[[Card], bool]) -> int:
        """Return the largest number of cards with this ability that it could hold."""
        hidden, in_reserve, discarded = (
            sum([does(self._kinds[card]) for card in cards]) for cards in (self._hidden, self._open, self._discard)
        )
        held = min(hidden, self._hand)
        within_reach = {*self._hidden, *self._open}
        if HOME_SUPPORT in within_reach:
            held += min(hidden + discarded - held, HOME_SUPPORT_DRAW)
        if INTENDANT in within_reach:
            held = min(held + 1, hidden + discarded)
        return held + in_reserve


class _Mine(NamedTuple):
    """The seat's own cards that could be in hand when the question comes, each kind once, those already there first."""

    hand: tuple[str, ...]
    reserve: tuple[str, ...]


def _own_cards(state: State, seat: str) -> _Mine:
    """Return the seat's cards; in its own turn, what it draws at the end counts too."""
    me = state.players[seat]
    drawn: list[str] = []
    if state.on_turn == seat:
        drawn = sorted(me.draw + (me.discard if len(me.draw) < HAND_SIZE else ()))
    return _Mine(tuple(dict.fromkeys((*me.hand, *drawn))), tuple(dict.fromkeys(me.reserve)))


def _questions_of_blocking(cards: Iterable[str]) -> list[str]:
    """Return the orders to block: with any card that can, or with one of these."""
    found = [f"block with {card}" for card in cards]
    return ["block with any", *found] if found else []


def _raids(state: State, seat: str, other: _Other, mine: _Mine) -> list[Foreseen]:
    """Foresee raids: each place that could be raided as the board stands, the most valuable first, then all others."""
    if not other.most(lambda card: card.raids):
        return []
    reach = raid_range(state, other.most(lambda card: card.raids or card.adds_raid_range))
    targets = raid_targets(Position(state, OTHER[seat]), reach)
    if not targets:
        return []
    blockers = [card for card in mine.hand if CARDS[seat][card].blocks_raid]
    found = []
    for worth, place in sorted((-points_of(state, place), place) for place in targets):
        its_own = [card for card in mine.hand if card == place and card not in blockers]
        ways = ["allow", *_questions_of_blocking([*blockers, *its_own]), "ask"]
        answers = tuple([f"raid on {place}: {way}" for way in ways])
        found.append(Foreseen("raid", place, answers, certain=False, worth=-worth))
    ways = ["allow", *_questions_of_blocking(blockers)]
    return [*found, Foreseen("raid", "", tuple([f"raid: {way}" for way in ways]), certain=False)]


def _taken(state: State, seat: str, other: _Other, mine: _Mine) -> list[Foreseen]:
    """Foresee an ambush, and a demand for a Native Americans card."""
    kinds, found = CARDS[seat], []
    loses = [card for card in dict.fromkeys((*mine.hand, *mine.reserve)) if kinds[card].ambushable]
    blocks = any(kinds[card].blocks_ambush for card in mine.hand)
    if (loses or blocks) and other.most(lambda card: card.ambushes):
        answers = ["ambush: block with any"] if blocks else []
        answers += [f"ambush: block with any\nambush: lose {card}" for card in loses if blocks]
        answers += [f"ambush: lose {card}" for card in loses]
        found.append(Foreseen("ambush", "", tuple(answers), certain=False))
    zones = [zone for zone, cards in mine._asdict().items() if CONVERTED in cards]
    if zones and other.most(lambda card: card.action == "convert"):
        found.append(Foreseen("convert", "", tuple([f"convert: lose from {zone}" for zone in zones]), certain=False))
    return found
