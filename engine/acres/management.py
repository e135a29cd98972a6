"""R11.3-R11.9 Reserve, retrieve, draft, discard, Home Support, Governor, Intendant."""

from __future__ import annotations

from functools import lru_cache

from engine.acres import events as ev
from engine.acres.actions import Discard, Draft, Govern, HomeSupport, Reserve, Retrieve, UseIntendant
from engine.acres.bars import Bar, Bars
from engine.acres.choices import CardChoice
from engine.acres.data import CARDS, HOME_SUPPORT_DRAW
from engine.acres.drawing import can_draw, draw
from engine.acres.effects import Happenings
from engine.acres.position import Position, price_and_money
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_draft, _reserve, _intendant = shared(Draft), shared(Reserve), shared(UseIntendant)
_RETRIEVE, _HOME_SUPPORT = Retrieve(), HomeSupport()

GOVERNOR, INTENDANT, HOME_SUPPORT = "governor", "intendant", "home-support"
GOVERNOR_MOST = 2  # R11.8


# -- draft (R11.5) --------------------------------------------------------------------------------


DEAREST = max(card.draft_cost for cards in CARDS.values() for card in cards.values())
"""The price of the most expensive card; more money makes no difference to what can be drafted."""

_NOT_DRAFTED: Bars[Position, str] = Bars(
    Bar(
        "draft.not_on_offer",
        "R11.5",
        lambda position, card: card not in position.me.empire and card not in position.state.neutral,
        lambda position, card: Text("{card} is not on offer.", card=Name("card", card)),
    ),
    Bar(
        "draft.no_money",
        "R11.5",
        lambda position, card: _is_too_dear(position.seat, card, position.me.money),
        lambda position, card: price_and_money(position.kinds[card].draft_cost, position.me.money),
    ),
)


def _is_too_dear(seat: str, card: str, money: int) -> bool:
    return CARDS[seat][card].draft_cost > money


@lru_cache(maxsize=1 << 11)
def _affordable(seat: str, offer: tuple[str, ...], money: int) -> tuple[Draft, ...]:
    """Return the drafts that can be paid for; cached because an offer is long and seldom changes."""
    return tuple(_draft(card) for card in dict.fromkeys(offer) if not _is_too_dear(seat, card, money))


def legal_draft(position: Position) -> list[Draft]:
    money = min(position.me.money, DEAREST)
    own, neutral = position.me.empire, position.state.neutral
    return [*_affordable(position.seat, own, money), *_affordable(position.seat, neutral, money)]


def judge_draft(position: Position, action: Draft) -> None:
    _NOT_DRAFTED.need_open(position, action.card)


def perform_draft(happened: Happenings, position: Position, action: Draft) -> None:
    happened.add(ev.Drafted(position.seat, action.card, price=position.kinds[action.card].draft_cost))


def why_not_draft(position: Position) -> IllegalAction:
    if not position.me.empire and not position.state.neutral:
        return IllegalAction("draft.nothing", Text("No card is on offer."), rule="R11.5")
    return IllegalAction(
        "draft.no_money",
        Text("You have {money}, which is less than any card on offer costs.", money=position.me.money),
        rule="R11.5",
    )


# -- discard (R11.6) ------------------------------------------------------------------------------


FREE_DISCARDS = 1
"""Cards that are discarded at once without payment; each further one costs 1 (R11.6)."""

_TOO_MANY_DISCARDS: Bar[Position, int] = Bar(
    "discard.no_money",
    "R11.6",
    lambda position, count: count > _most_discards(position),
    lambda position, count: price_and_money(count - FREE_DISCARDS, position.me.money),
)


def _most_discards(position: Position) -> int:
    return FREE_DISCARDS + position.me.money


def legal_discard(position: Position) -> list[CardChoice]:
    hand = position.me.hand
    if not hand:
        return []
    most = min(len(hand), _most_discards(position))
    return [CardChoice("discard", hand, 1, most, position.me.money, first_free=True)]


def judge_discard(position: Position, action: Discard) -> None:
    if not action.cards:
        raise IllegalAction("discard.no_card", Text("Name at least one card to discard."), rule="R11.6")
    position.need_in_hand(*action.cards)
    _TOO_MANY_DISCARDS.need_open(position, len(action.cards))


def perform_discard(happened: Happenings, position: Position, action: Discard) -> None:
    happened.add(ev.Discarded(position.seat, action.cards, price=len(action.cards) - FREE_DISCARDS))


def why_not_discard(position: Position) -> IllegalAction:
    return IllegalAction("discard.no_card", Text("Your hand is empty."), rule="R11.6")


# -- reserve and retrieve (R11.3, R11.4) ----------------------------------------------------------


_RESERVE_FULL: Bar[Position] = Bar(
    "reserve.full",
    "R11.3",
    lambda position: (
        position.edition.reserve_limit is not None and len(position.me.reserve) >= position.edition.reserve_limit
    ),
    lambda position: Text("Your reserve holds {limit} cards at most.", limit=position.edition.reserve_limit),
)
_NOT_RESERVED: Bar[Position, str] = Bar(
    "reserve.location_card",
    "R11.3",
    lambda position, card: position.kinds[card].location and not position.edition.reserve_location_cards,
    lambda position, card: Text(
        "{card} is a location card; only empire cards may be reserved.", card=Name("card", card)
    ),
)


def legal_reserve(position: Position) -> list[Reserve]:
    if _RESERVE_FULL.stops(position):
        return []
    # An unusable location card may be reserved too, where location cards may (R4.2).
    return [_reserve(card) for card in dict.fromkeys(position.me.hand) if not _NOT_RESERVED.stops(position, card)]


def judge_reserve(position: Position, action: Reserve) -> None:
    position.need_in_hand(action.card)
    if _NOT_RESERVED.stops(position, action.card):
        raise _NOT_RESERVED.refusal(position, action.card)
    if _RESERVE_FULL.stops(position):
        raise _RESERVE_FULL.refusal(position)


def perform_reserve(happened: Happenings, position: Position, action: Reserve) -> None:
    happened.add(ev.Reserved(position.seat, action.card))


def why_not_reserve(position: Position) -> IllegalAction:
    if _RESERVE_FULL.stops(position):
        return _RESERVE_FULL.refusal(position)
    return IllegalAction("reserve.no_card", Text("No card in your hand may be reserved."), rule="R11.3")


_NO_RETRIEVING: Bars[Position] = Bars(
    Bar(
        "retrieve.empty",
        "R11.4",
        lambda position: not position.me.reserve,
        lambda position: Text("Your reserve is empty."),
    ),
    Bar(
        "retrieve.no_money",
        "R11.4",
        lambda position: len(position.me.reserve) > position.me.money,
        lambda position: Text(
            "Retrieving the reserve costs {price} and you have {money}.",
            price=len(position.me.reserve),
            money=position.me.money,
        ),
    ),
)


def legal_retrieve(position: Position) -> list[Retrieve]:
    return [_RETRIEVE] if not _NO_RETRIEVING.stops(position) else []


def judge_retrieve(position: Position, action: Retrieve) -> None:
    _NO_RETRIEVING.need_open(position)


def perform_retrieve(happened: Happenings, position: Position, action: Retrieve) -> None:
    happened.add(ev.Retrieved(position.seat, position.me.reserve, price=len(position.me.reserve)))


def why_not_retrieve(position: Position) -> IllegalAction:
    bar = _NO_RETRIEVING.first(position)
    assert bar is not None
    return bar


# -- Home Support (R11.7) -------------------------------------------------------------------------


_NO_HOME_SUPPORT: Bars[Position] = Bars(
    Bar(
        "home_support.no_card",
        "R11.7",
        lambda position: HOME_SUPPORT not in position.me.hand,
        lambda position: Text("{card} is not in your hand.", card=Name("card", HOME_SUPPORT)),
    ),
    Bar(
        "home_support.nothing_to_draw",
        "R11.7",
        lambda position: (
            not can_draw(position.state, position.seat, reshuffle=position.edition.home_support_reshuffles)
        ),
        lambda position: Text("There is no card left to draw."),
    ),
)


def legal_home_support(position: Position) -> list[HomeSupport]:
    return [_HOME_SUPPORT] if not _NO_HOME_SUPPORT.stops(position) else []


def judge_home_support(position: Position, action: HomeSupport) -> None:
    _NO_HOME_SUPPORT.need_open(position)


def perform_home_support(happened: Happenings, position: Position, action: HomeSupport) -> None:
    happened.add(ev.HomeSupportPlayed(position.seat))
    draw(happened, position.seat, HOME_SUPPORT_DRAW, reshuffle=position.edition.home_support_reshuffles)
    happened.add(ev.HomeSupportDiscarded(position.seat))


def why_not_home_support(position: Position) -> IllegalAction:
    bar = _NO_HOME_SUPPORT.first(position)
    assert bar is not None
    return bar


# -- Governor (R11.8) -----------------------------------------------------------------------------


_NO_GOVERNOR: Bar[Position] = Bar(
    "govern.no_governor",
    "R11.8",
    lambda position: GOVERNOR not in position.me.hand,
    lambda position: Text("{card} is not in your hand.", card=Name("card", GOVERNOR)),
)


def legal_govern(position: Position) -> list[CardChoice]:
    if _NO_GOVERNOR.stops(position):
        return []
    others = tuple(card for card in position.me.hand if card != GOVERNOR)
    if not others:
        return []
    return [CardChoice("govern", others, 1, min(GOVERNOR_MOST, len(others)), position.me.money)]


def judge_govern(position: Position, action: Govern) -> None:
    _NO_GOVERNOR.need_open(position)
    if not 1 <= len(action.cards) <= GOVERNOR_MOST:
        raise IllegalAction("govern.number", Text("The Governor sends back one or two cards."), rule="R11.8")
    if action.cards.count(GOVERNOR) >= position.me.hand.count(GOVERNOR):
        raise IllegalAction(
            "govern.itself",
            Text("The Governor that does it cannot be sent back by it; name one or two other cards of your hand."),
            rule="R11.8",
        )
    position.need_in_hand(GOVERNOR, *action.cards)


def perform_govern(happened: Happenings, position: Position, action: Govern) -> None:
    happened.add(ev.Governed(position.seat, action.cards))


def why_not_govern(position: Position) -> IllegalAction:
    if _NO_GOVERNOR.stops(position):
        return _NO_GOVERNOR.refusal(position)
    return IllegalAction("govern.no_card", Text("There is no other card in your hand to send back."), rule="R11.8")


# -- Intendant (R11.9) ----------------------------------------------------------------------------


def _no_intendant(position: Position) -> Text:
    if INTENDANT not in position.kinds:
        return Text("Only the French have an Intendant.")
    return Text("{card} is not in your hand.", card=Name("card", INTENDANT))


_NO_INTENDANT: Bars[Position] = Bars(
    Bar("intendant.no_card", "R11.9", lambda position: INTENDANT not in position.me.hand, _no_intendant),
    Bar(
        "intendant.nothing",
        "R11.9",
        lambda position: not position.me.discard,
        lambda position: Text("Your discard pile is empty."),
    ),
    Bar(
        "intendant.no_money",
        "R11.9",
        lambda position: position.kinds[INTENDANT].play_cost > position.me.money,
        lambda position: price_and_money(position.kinds[INTENDANT].play_cost, position.me.money),
    ),
)


def legal_intendant(position: Position) -> list[UseIntendant]:
    if _NO_INTENDANT.stops(position):
        return []
    return [_intendant(card) for card in sorted(set(position.me.discard))]


def judge_intendant(position: Position, action: UseIntendant) -> None:
    _NO_INTENDANT.need_open(position)
    if action.card not in position.me.discard:
        raise IllegalAction(
            "intendant.not_discarded",
            Text("{card} is not in your discard pile.", card=Name("card", action.card)),
            rule="R11.9",
        )


def perform_intendant(happened: Happenings, position: Position, action: UseIntendant) -> None:
    happened.add(ev.CardFetched(position.seat, action.card, price=position.kinds[INTENDANT].play_cost))


def why_not_intendant(position: Position) -> IllegalAction:
    bar = _NO_INTENDANT.first(position)
    assert bar is not None
    return bar
