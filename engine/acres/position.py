"""The hand of the seat that acts, and which of its cards may be used (R1.8, R1.9, R4)."""

from __future__ import annotations

from collections.abc import Collection

from engine.acres.bars import Bar, Bars
from engine.acres.data import BATEAUX, CARDS, OTHER, SHIP, WAGON, Card
from engine.acres.state import Board, Player, State
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

UNUSABLE: Bars[Board, Collection[str], str, str] = Bars(
    Bar(
        "card.not_controlled",
        "R4.1",
        lambda board, besieged, seat, card: board.owner(card) != seat,
        lambda board, besieged, seat, card: Text(
            "You do not control {place}, so its card can only be discarded or sent back.", place=Name("place", card)
        ),
    ),
    Bar(
        "card.not_connected",
        "R4.1",
        lambda board, besieged, seat, card: card not in board.supplied(seat),
        lambda board, besieged, seat, card: Text(
            "{place} is cut off from your supply, so its card cannot be used.", place=Name("place", card)
        ),
    ),
    Bar(
        "card.besieged",
        "R4.1",
        lambda board, besieged, seat, card: card in besieged,
        lambda board, besieged, seat, card: Text(
            "{place} is besieged, so its card cannot be used.", place=Name("place", card)
        ),
    ),
)
"""Why a seat may not use its location card as the board stands and these places are besieged (R4.1)."""


class Position:
    """A state seen by the seat that acts: what it holds and which of that is usable.

    `usable` has each usable kind of card once, in the order of the hand; `carriers` are those with a transport symbol,
    by symbol, `settlers` those with a settler symbol.
    """

    __slots__ = (
        "_carriers",
        "_settlers",
        "_usable",
        "besieged",
        "edition",
        "holdings",
        "kinds",
        "me",
        "other",
        "seat",
        "state",
    )

    def __init__(self, state: State, seat: str) -> None:
        self.state = state
        self.seat = seat
        self.other = OTHER[seat]
        self.edition = state.edition
        self.holdings = state.board.holdings
        self.me: Player = state.players[seat]
        self.kinds: dict[str, Card] = CARDS[seat]
        self.besieged = [siege.place for siege in state.sieges.values()]
        self._usable: list[Card] | None = None
        self._settlers: list[str] = []
        self._carriers: dict[str, list[str]] = {}

    @property
    def asked_about(self) -> str:
        """The place that the pending question is about: the raided or conquered one."""
        assert self.state.question is not None
        return self.state.question.place

    @property
    def usable(self) -> list[Card]:
        return self._sort_hand() if self._usable is None else self._usable

    @property
    def settlers(self) -> list[str]:
        if self._usable is None:
            self._sort_hand()
        return self._settlers

    @property
    def carriers(self) -> dict[str, list[str]]:
        if self._usable is None:
            self._sort_hand()
        return self._carriers

    def _sort_hand(self) -> list[Card]:
        """Return the hand sorted; only listing needs it, judging one action does not."""
        kinds, board, besieged, seat = self.kinds, self.state.board, self.besieged, self.seat
        usable: list[Card] = []
        settlers: list[str] = []
        bateaux: list[str] = []
        ships: list[str] = []
        wagons: list[str] = []
        last = ""
        for held in self.me.hand:
            if held == last:
                continue
            last = held
            card = kinds[held]
            if card.location and UNUSABLE.stops(board, besieged, seat, held):
                continue
            usable.append(card)
            if card.ship:
                ships.append(held)
            if card.bateaux:
                bateaux.append(held)
            if card.wagon:
                wagons.append(held)
            if card.settler:
                settlers.append(held)
        self._usable, self._settlers = usable, settlers
        self._carriers = {BATEAUX: bateaux, SHIP: ships, WAGON: wagons}
        return usable

    def holds_beside(self, card: str, *taken: str) -> bool:
        """Return whether the hand still has the card once those taken are laid aside (R1.9)."""
        wanted = 1 + taken.count(card)
        return wanted == 1 or self.me.hand.count(card) >= wanted

    # -- judging ------------------------------------------------------------------------------

    def need_in_hand(self, *cards: str) -> None:
        """Refuse unless the hand holds all these cards, as often as they are named (R1.9)."""
        for card in dict.fromkeys(cards):
            held, wanted = self.me.hand.count(card), cards.count(card)
            if held == 0:
                raise IllegalAction("card.not_in_hand", self._where(card), rule="R1.5")
            if held < wanted:
                raise IllegalAction(
                    "card.used_twice",
                    Text(
                        "You have only {held} of {card}, and a card counts once in an action.",
                        held=held,
                        card=Name("card", card),
                    ),
                    rule="R1.9",
                )

    def _where(self, card: str) -> Text:
        """Say that a card is not in the hand and, if it is in the seat's reserve, how to get it (R11.4)."""
        named = Name("card", card)
        if card not in self.me.reserve:
            return Text("{card} is not in your hand.", card=named)
        if self.state.question is not None:
            return Text("{card} is in your reserve, not in your hand.", card=named)
        return Text("{card} is in your reserve, not in your hand; “retrieve” takes the reserve back first.", card=named)

    def need_usable(self, *cards: str) -> None:
        """Refuse unless the hand holds these cards and each may be used (R4.1)."""
        self.need_in_hand(*cards)
        for card in cards:
            refusal = self.why_unusable(card)
            if refusal is not None:
                raise refusal

    def why_unusable(self, card: str) -> IllegalAction | None:
        """Return why a location card may not be used now; None if it may, and for empire cards (R4.1)."""
        if not self.kinds[card].location:
            return None
        return UNUSABLE.first(self.state.board, self.besieged, self.seat, card)


def price_and_money(price: int, money: int) -> Text:
    """Return the sentence for a player who cannot pay."""
    return Text("This costs {price} and you have {money}.", price=price, money=money)


def no_symbol(card: str, symbol: str) -> Text:
    """Return the sentence about a card that lacks the required symbol."""
    return Text("{card} has no {symbol} symbol.", card=Name("card", card), symbol=Name("symbol", symbol))
