"""R11.3-R11.9 Reserve, retrieve, draft, discard, Home Support, Governor, Intendant."""

from __future__ import annotations

from functools import lru_cache

from engine.acres import events as ev
from engine.acres.actions import Discard, Draft, Govern, HomeSupport, Reserve, Retrieve, UseIntendant
from engine.acres.bars import Bar, Bars
from engine.acres.choices import CardChoice
from engine.acres.data import CARDS, HOME_SUPPORT_DRAW
from engine.acres.drawing import can_draw, draw
from engine.acres.happening import Happenings
from engine.acres.position import Position, price_and_money
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_draft, _reserve, _intendant = shared(Draft), shared(Reserve), shared(UseIntendant)
_RETRIEVE, _HOME_SUPPORT = Retrieve(), HomeSupport()

GOVERNOR, INTENDANT, HOME_SUPPORT = "governor", "intendant", "home-support"
GOVERNOR_MOST = 2  # R11.8


# -- draft (R11.5) --------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 11)
def _affordable(seat: str, offer: tuple[str, ...], money: int) -> tuple[Draft, ...]:
    kinds = CARDS[seat]
    return tuple(_draft(card) for card in dict.fromkeys(offer) if kinds[card].draft_cost <= money)


DEAREST = max(card.draft_cost for cards in CARDS.values() for card in cards.values())


def legal_draft(p: Position) -> list[Draft]:
    money = min(p.me.money, DEAREST)  # more makes no difference
    return [*_affordable(p.seat, p.me.empire, money), *_affordable(p.seat, p.state.neutral, money)]


def judge_draft(p: Position, action: Draft) -> None:
    card = Name("card", action.card)
    if action.card not in p.me.empire and action.card not in p.state.neutral:
        raise IllegalAction("draft.not_on_offer", Text("{card} is not on offer.", card=card), rule="R11.5")
    p.need_money(p.kinds[action.card].draft_cost, "draft.no_money", "R11.5")


def perform_draft(h: Happenings, p: Position, action: Draft) -> None:
    h.add(ev.Drafted(p.seat, action.card, price=p.kinds[action.card].draft_cost))


def why_not_draft(p: Position) -> IllegalAction:
    if not p.me.empire and not p.state.neutral:
        return IllegalAction("draft.nothing", Text("No card is on offer."), rule="R11.5")
    return IllegalAction(
        "draft.no_money",
        Text("You have {money}, which is less than any card on offer costs.", money=p.me.money),
        rule="R11.5",
    )


# -- discard (R11.6) ------------------------------------------------------------------------------


def legal_discard(p: Position) -> list[CardChoice]:
    if not p.me.hand:
        return []
    most = min(len(p.me.hand), 1 + p.me.money)
    return [CardChoice("discard", p.me.hand, 1, most, p.me.money, first_free=True)]


def judge_discard(p: Position, action: Discard) -> None:
    if not action.cards:
        raise IllegalAction("discard.no_card", Text("Name at least one card to discard."), rule="R11.6")
    p.need_in_hand(*action.cards)
    p.need_money(len(action.cards) - 1, "discard.no_money", "R11.6")


def perform_discard(h: Happenings, p: Position, action: Discard) -> None:
    h.add(ev.Discarded(p.seat, action.cards, price=len(action.cards) - 1))


def why_not_discard(p: Position) -> IllegalAction:
    return IllegalAction("discard.no_card", Text("Your hand is empty."), rule="R11.6")


# -- reserve and retrieve (R11.3, R11.4) ----------------------------------------------------------


_RESERVE_FULL: Bar[Position] = Bar(
    "reserve.full",
    "R11.3",
    lambda p: p.edition.reserve_limit is not None and len(p.me.reserve) >= p.edition.reserve_limit,
    lambda p: Text("Your reserve holds {limit} cards at most.", limit=p.edition.reserve_limit),
)
_NOT_RESERVED: Bar[Position, str] = Bar(
    "reserve.location_card",
    "R11.3",
    lambda p, card: p.kinds[card].location and not p.edition.reserve_location_cards,
    lambda p, card: Text("{card} is a location card; only empire cards may be reserved.", card=Name("card", card)),
)


def legal_reserve(p: Position) -> list[Reserve]:
    if _RESERVE_FULL.stops(p):
        return []
    # An unusable location card may be reserved too, where location cards may (R4.2).
    return [_reserve(card) for card in dict.fromkeys(p.me.hand) if not _NOT_RESERVED.stops(p, card)]


def judge_reserve(p: Position, action: Reserve) -> None:
    p.need_in_hand(action.card)
    if _NOT_RESERVED.stops(p, action.card):
        raise _NOT_RESERVED.refusal(p, action.card)
    if _RESERVE_FULL.stops(p):
        raise _RESERVE_FULL.refusal(p)


def perform_reserve(h: Happenings, p: Position, action: Reserve) -> None:
    h.add(ev.Reserved(p.seat, action.card))


def why_not_reserve(p: Position) -> IllegalAction:
    if _RESERVE_FULL.stops(p):
        return _RESERVE_FULL.refusal(p)
    return IllegalAction("reserve.no_card", Text("No card in your hand may be reserved."), rule="R11.3")


_NO_RETRIEVING: Bars[Position] = Bars(
    (
        Bar("retrieve.empty", "R11.4", lambda p: not p.me.reserve, lambda p: Text("Your reserve is empty.")),
        Bar(
            "retrieve.no_money",
            "R11.4",
            lambda p: len(p.me.reserve) > p.me.money,
            lambda p: Text(
                "Retrieving the reserve costs {price} and you have {money}.",
                price=len(p.me.reserve),
                money=p.me.money,
            ),
        ),
    )
)


def legal_retrieve(p: Position) -> list[Retrieve]:
    return [_RETRIEVE] if _NO_RETRIEVING.leave_open(p) else []


def judge_retrieve(p: Position, action: Retrieve) -> None:
    _NO_RETRIEVING.need_open(p)


def perform_retrieve(h: Happenings, p: Position, action: Retrieve) -> None:
    h.add(ev.Retrieved(p.seat, p.me.reserve, price=len(p.me.reserve)))


def why_not_retrieve(p: Position) -> IllegalAction:
    bar = _NO_RETRIEVING.first(p)
    assert bar is not None
    return bar


# -- Home Support (R11.7) -------------------------------------------------------------------------


_NO_HOME_SUPPORT: Bars[Position] = Bars(
    (
        Bar(
            "home_support.no_card",
            "R11.7",
            lambda p: HOME_SUPPORT not in p.me.hand,
            lambda p: Text("{card} is not in your hand.", card=Name("card", HOME_SUPPORT)),
        ),
        Bar(
            "home_support.nothing_to_draw",
            "R11.7",
            lambda p: not can_draw(p.state, p.seat, reshuffle=p.edition.home_support_reshuffles),
            lambda p: Text("There is no card left to draw."),
        ),
    )
)


def legal_home_support(p: Position) -> list[HomeSupport]:
    return [_HOME_SUPPORT] if _NO_HOME_SUPPORT.leave_open(p) else []


def judge_home_support(p: Position, action: HomeSupport) -> None:
    _NO_HOME_SUPPORT.need_open(p)


def perform_home_support(h: Happenings, p: Position, action: HomeSupport) -> None:
    h.add(ev.HomeSupportPlayed(p.seat))
    draw(h, p.seat, HOME_SUPPORT_DRAW, reshuffle=p.edition.home_support_reshuffles)
    h.add(ev.HomeSupportDiscarded(p.seat))


def why_not_home_support(p: Position) -> IllegalAction:
    bar = _NO_HOME_SUPPORT.first(p)
    assert bar is not None
    return bar


# -- Governor (R11.8) -----------------------------------------------------------------------------


def legal_govern(p: Position) -> list[CardChoice]:
    if GOVERNOR not in p.me.hand:
        return []
    others = tuple(card for card in p.me.hand if card != GOVERNOR)
    if not others:
        return []
    return [CardChoice("govern", others, 1, min(GOVERNOR_MOST, len(others)), p.me.money)]


def judge_govern(p: Position, action: Govern) -> None:
    if GOVERNOR not in p.me.hand:
        raise why_not_govern(p)
    if not 1 <= len(action.cards) <= GOVERNOR_MOST:
        raise IllegalAction("govern.number", Text("The Governor sends back one or two cards."), rule="R11.8")
    p.need_in_hand(GOVERNOR, *action.cards)


def perform_govern(h: Happenings, p: Position, action: Govern) -> None:
    h.add(ev.Governed(p.seat, action.cards))


def why_not_govern(p: Position) -> IllegalAction:
    if GOVERNOR not in p.me.hand:
        return IllegalAction(
            "govern.no_governor", Text("{card} is not in your hand.", card=Name("card", GOVERNOR)), rule="R11.8"
        )
    return IllegalAction("govern.no_card", Text("There is no other card in your hand to send back."), rule="R11.8")


# -- Intendant (R11.9) ----------------------------------------------------------------------------


def _no_intendant(p: Position) -> Text:
    if INTENDANT not in p.kinds:
        return Text("Only the French have an Intendant.")
    return Text("{card} is not in your hand.", card=Name("card", INTENDANT))


_NO_INTENDANT: Bars[Position] = Bars(
    (
        Bar("intendant.no_card", "R11.9", lambda p: INTENDANT not in p.me.hand, _no_intendant),
        Bar("intendant.nothing", "R11.9", lambda p: not p.me.discard, lambda p: Text("Your discard pile is empty.")),
        Bar(
            "intendant.no_money",
            "R11.9",
            lambda p: p.kinds[INTENDANT].play_cost > p.me.money,
            lambda p: price_and_money(p.kinds[INTENDANT].play_cost, p.me.money),
        ),
    )
)


def legal_intendant(p: Position) -> list[UseIntendant]:
    if not _NO_INTENDANT.leave_open(p):
        return []
    return [_intendant(card) for card in sorted(set(p.me.discard))]


def judge_intendant(p: Position, action: UseIntendant) -> None:
    _NO_INTENDANT.need_open(p)
    if action.card not in p.me.discard:
        raise IllegalAction(
            "intendant.not_discarded",
            Text("{card} is not in your discard pile.", card=Name("card", action.card)),
            rule="R11.9",
        )


def perform_intendant(h: Happenings, p: Position, action: UseIntendant) -> None:
    h.add(ev.CardFetched(p.seat, action.card, price=p.kinds[INTENDANT].play_cost))


def why_not_intendant(p: Position) -> IllegalAction:
    bar = _NO_INTENDANT.first(p)
    assert bar is not None
    return bar
