"""R11.1 Take money, R11.2 Merchant, R11.10 Trader, R11.11 Piracy."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Merchant, Piracy, TakeMoney, Trade
from engine.acres.choices import CardChoice
from engine.acres.data import FRENCH
from engine.acres.happening import Happenings
from engine.acres.position import Position, need_symbol
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_take_money, _piracy = shared(TakeMoney), shared(Piracy)

FUR_PRICE = 2  # R11.10
PIRACY_GAIN = 2  # R11.11
PIRATE_PORT = "louisbourg"  # R11.11
TRADER = "trader"


# -- take money (R11.1) ---------------------------------------------------------------------------


def legal_money(p: Position) -> list[TakeMoney]:
    return [_take_money(card.id) for card in p.usable if card.coins]


def judge_money(p: Position, action: TakeMoney) -> None:
    p.need_usable(action.card)
    need_symbol(bool(p.kinds[action.card].coins), action.card, "coin", "money.no_coin", "R11.1")


def perform_money(h: Happenings, p: Position, action: TakeMoney) -> None:
    h.add(ev.MoneyTaken(p.seat, action.card, p.kinds[action.card].coins))


def why_not_money(p: Position) -> IllegalAction:
    return IllegalAction("money.no_coin", Text("No usable card in your hand has a coin symbol."), rule="R11.1")


# -- merchant (R11.2) -----------------------------------------------------------------------------


def legal_merchant(p: Position) -> list[CardChoice]:
    coins = {card.id: card.coins for card in p.usable if card.coins}
    if not coins:
        return []
    limit = p.edition.merchant_max_coins
    found = []
    for ship in p.carriers["ship"]:
        items = tuple(card for card in coins if card != ship)
        most = len(items) if limit is None else min(limit, len(items))
        if most:
            gain = {card: coins[card] for card in items}
            found.append(CardChoice("merchant", items, 1, most, p.me.money, about=ship, gain=gain))
    return found


def judge_merchant(p: Position, action: Merchant) -> None:
    if not action.coins:
        raise IllegalAction(
            "merchant.no_coins", Text("A merchant needs a ship card and at least one coin card."), rule="R11.2"
        )
    p.need_usable(action.ship, *action.coins)
    need_symbol(p.kinds[action.ship].ship, action.ship, "ship", "merchant.no_ship", "R11.2")
    for card in action.coins:
        need_symbol(bool(p.kinds[card].coins), card, "coin", "merchant.no_coin", "R11.2")
    limit = p.edition.merchant_max_coins
    if limit is not None and len(action.coins) > limit:
        raise IllegalAction(
            "merchant.too_many", Text("A merchant takes at most {limit} coin cards.", limit=limit), rule="R11.2"
        )


def perform_merchant(h: Happenings, p: Position, action: Merchant) -> None:
    amount = sum(p.kinds[card].coins for card in action.coins)
    h.add(ev.MerchantSent(p.seat, (action.ship, *action.coins), amount))


def why_not_merchant(p: Position) -> IllegalAction:
    if not p.carriers["ship"]:
        return IllegalAction("merchant.no_ship", Text("No usable card in your hand has a ship symbol."), rule="R11.2")
    return IllegalAction("merchant.no_coin", Text("No other usable card in your hand has a coin symbol."), rule="R11.2")


# -- trader (R11.10) ------------------------------------------------------------------------------


def legal_trade(p: Position) -> list[CardChoice]:
    if TRADER not in p.me.hand:
        return []
    furs = tuple(card.id for card in p.usable if card.fur)
    if not furs:
        return []
    return [CardChoice("trade", furs, 1, len(furs), p.me.money, gain=dict.fromkeys(furs, FUR_PRICE))]


def judge_trade(p: Position, action: Trade) -> None:
    if TRADER not in p.me.hand:
        raise why_not_trade(p)
    if not action.furs:
        raise IllegalAction("trade.no_furs", Text("The Trader needs at least one card with furs."), rule="R11.10")
    p.need_usable(*action.furs)
    for card in action.furs:
        need_symbol(p.kinds[card].fur, card, "fur", "trade.no_fur", "R11.10")


def perform_trade(h: Happenings, p: Position, action: Trade) -> None:
    h.add(ev.FursTraded(p.seat, (TRADER, *action.furs), FUR_PRICE * len(action.furs)))


def why_not_trade(p: Position) -> IllegalAction:
    if TRADER not in p.me.hand:
        return IllegalAction("trade.no_trader", Text("There is no Trader in your hand."), rule="R11.10")
    return IllegalAction("trade.no_fur", Text("No usable card in your hand has a fur symbol."), rule="R11.10")


# -- piracy (R11.11) ------------------------------------------------------------------------------


def legal_piracy(p: Position) -> list[Piracy]:
    if p.seat != FRENCH or not any(card.id == PIRATE_PORT for card in p.usable):
        return []
    return [_piracy(card) for card in p.carriers["ship"] if card != PIRATE_PORT]


def judge_piracy(p: Position, action: Piracy) -> None:
    if p.seat != FRENCH:
        raise why_not_piracy(p)
    p.need_usable(PIRATE_PORT, action.ship)
    need_symbol(p.kinds[action.ship].ship, action.ship, "ship", "piracy.no_ship", "R11.11")


def perform_piracy(h: Happenings, p: Position, action: Piracy) -> None:
    stolen = min(PIRACY_GAIN, p.state.players[p.other].money)
    h.add(ev.PiracyDone(p.seat, (PIRATE_PORT, action.ship), PIRACY_GAIN, stolen))


def why_not_piracy(p: Position) -> IllegalAction:
    if p.seat != FRENCH:
        return IllegalAction("piracy.french_only", Text("Only the French can turn to piracy."), rule="R11.11")
    if not any(card.id == PIRATE_PORT for card in p.usable):
        bar = p.bar_to_use(PIRATE_PORT) if PIRATE_PORT in p.me.hand else None
        return bar or IllegalAction(
            "piracy.no_port",
            Text("{card} is not in your hand.", card=Name("card", PIRATE_PORT)),
            rule="R11.11",
        )
    return IllegalAction("piracy.no_ship", Text("No other usable card in your hand has a ship symbol."), rule="R11.11")
