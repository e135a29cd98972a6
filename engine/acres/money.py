"""R11.1 Take money, R11.2 Merchant, R11.10 Trader, R11.11 Piracy."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Merchant, Piracy, TakeMoney, Trade
from engine.acres.bars import Bar
from engine.acres.choices import CardChoice
from engine.acres.data import FRENCH, SHIP, Card
from engine.acres.effects import Happenings
from engine.acres.position import Position, no_symbol
from engine.acres.shared import shared
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_take_money, _piracy = shared(TakeMoney), shared(Piracy)

FUR_PRICE = 2  # R11.10
PIRACY_GAIN = 2  # R11.11
PIRATE_PORT = "louisbourg"  # R11.11
TRADER = "trader"


def _none(symbol: str) -> Text:
    return Text("No usable card in your hand has a {symbol} symbol.", symbol=Name("symbol", symbol))


def _no_other(symbol: str) -> Text:
    return Text("No other usable card in your hand has a {symbol} symbol.", symbol=Name("symbol", symbol))


# -- take money (R11.1) ---------------------------------------------------------------------------


_NO_COIN: Bar[Position, Card] = Bar(
    "money.no_coin",
    "R11.1",
    lambda position, card: not card.coins,
    lambda position, card: no_symbol(card.id, "coin"),
    of_all=("money.no_coin", _none("coin")),
)


def legal_money(position: Position) -> list[TakeMoney]:
    return [_take_money(card.id) for card in position.usable if not _NO_COIN.stops(position, card)]


def judge_money(position: Position, action: TakeMoney) -> None:
    position.need_usable(action.card)
    _NO_COIN.need_open(position, position.kinds[action.card])


def perform_money(happened: Happenings, position: Position, action: TakeMoney) -> None:
    happened.add(ev.MoneyTaken(position.seat, action.card, position.kinds[action.card].coins))


def why_not_money(position: Position) -> IllegalAction:
    return _NO_COIN.refusal_of_all()


# -- merchant (R11.2) -----------------------------------------------------------------------------


_NO_MERCHANT_SHIP: Bar[Position, Card] = Bar(
    "merchant.no_ship",
    "R11.2",
    lambda position, card: not card.ship,
    lambda position, card: no_symbol(card.id, "ship"),
    of_all=("merchant.no_ship", _none("ship")),
)
_NO_MERCHANT_COIN: Bar[Position, Card] = Bar(
    "merchant.no_coin",
    "R11.2",
    _NO_COIN.stops,
    _NO_COIN.why,
    of_all=("merchant.no_coin", _no_other("coin")),
)
_TOO_MANY_COINS: Bar[Position, int] = Bar(
    "merchant.too_many",
    "R11.2",
    lambda position, count: count > _most_coins(position),
    lambda position, count: Text("A merchant takes at most {limit} coin cards.", limit=_most_coins(position)),
)


def _most_coins(position: Position) -> int:
    limit = position.edition.merchant_max_coins
    return len(position.me.hand) if limit is None else limit


def legal_merchant(position: Position) -> list[CardChoice]:
    ships = position.carriers[SHIP]
    if not ships:
        return []
    coins = {card.id: card.coins for card in position.usable if not _NO_MERCHANT_COIN.stops(position, card)}
    found = []
    for ship in ships:
        items = tuple(card for card in coins if card != ship)
        if items:
            most = min(_most_coins(position), len(items))
            gain = {card: coins[card] for card in items}
            found.append(CardChoice("merchant", items, 1, most, position.me.money, about=ship, gain=gain))
    return found


def judge_merchant(position: Position, action: Merchant) -> None:
    if not action.coins:
        raise IllegalAction(
            "merchant.no_coins", Text("A merchant needs a ship card and at least one coin card."), rule="R11.2"
        )
    position.need_usable(action.ship, *action.coins)
    _NO_MERCHANT_SHIP.need_open(position, position.kinds[action.ship])
    for card in action.coins:
        _NO_MERCHANT_COIN.need_open(position, position.kinds[card])
    _TOO_MANY_COINS.need_open(position, len(action.coins))


def perform_merchant(happened: Happenings, position: Position, action: Merchant) -> None:
    amount = sum(position.kinds[card].coins for card in action.coins)
    happened.add(ev.MerchantSent(position.seat, (action.ship, *action.coins), amount))


def why_not_merchant(position: Position) -> IllegalAction:
    return (_NO_MERCHANT_COIN if position.carriers[SHIP] else _NO_MERCHANT_SHIP).refusal_of_all()


# -- trader (R11.10) ------------------------------------------------------------------------------


_NO_TRADER: Bar[Position] = Bar(
    "trade.no_trader",
    "R11.10",
    lambda position: TRADER not in position.me.hand,
    lambda position: Text("There is no Trader in your hand."),
)
_NO_FUR: Bar[Position, Card] = Bar(
    "trade.no_fur",
    "R11.10",
    lambda position, card: not card.fur,
    lambda position, card: no_symbol(card.id, "fur"),
    of_all=("trade.no_fur", _none("fur")),
)


def legal_trade(position: Position) -> list[CardChoice]:
    if _NO_TRADER.stops(position):
        return []
    furs = tuple([card.id for card in position.usable if not _NO_FUR.stops(position, card)])
    if not furs:
        return []
    return [CardChoice("trade", furs, 1, len(furs), position.me.money, gain=dict.fromkeys(furs, FUR_PRICE))]


def judge_trade(position: Position, action: Trade) -> None:
    _NO_TRADER.need_open(position)
    if not action.furs:
        raise IllegalAction("trade.no_furs", Text("The Trader needs at least one card with furs."), rule="R11.10")
    position.need_usable(*action.furs)
    for card in action.furs:
        _NO_FUR.need_open(position, position.kinds[card])


def perform_trade(happened: Happenings, position: Position, action: Trade) -> None:
    happened.add(ev.FursTraded(position.seat, (TRADER, *action.furs), FUR_PRICE * len(action.furs)))


def why_not_trade(position: Position) -> IllegalAction:
    return _NO_TRADER.refusal(position) if _NO_TRADER.stops(position) else _NO_FUR.refusal_of_all()


# -- piracy (R11.11) ------------------------------------------------------------------------------


_NOT_FRENCH: Bar[Position] = Bar(
    "piracy.french_only",
    "R11.11",
    lambda position: position.seat != FRENCH,
    lambda position: Text("Only the French can turn to piracy."),
)
_NO_PIRATE_SHIP: Bar[Position, Card] = Bar(
    "piracy.no_ship",
    "R11.11",
    lambda position, card: not card.ship,
    lambda position, card: no_symbol(card.id, "ship"),
    of_all=("piracy.no_ship", _no_other("ship")),
)


def legal_piracy(position: Position) -> list[Piracy]:
    if _NOT_FRENCH.stops(position) or not any(card.id == PIRATE_PORT for card in position.usable):
        return []
    return [_piracy(card) for card in position.carriers[SHIP] if card != PIRATE_PORT]


def judge_piracy(position: Position, action: Piracy) -> None:
    _NOT_FRENCH.need_open(position)
    position.need_usable(PIRATE_PORT, action.ship)
    _NO_PIRATE_SHIP.need_open(position, position.kinds[action.ship])


def perform_piracy(happened: Happenings, position: Position, action: Piracy) -> None:
    stolen = min(PIRACY_GAIN, position.state.players[position.other].money)
    happened.add(ev.PiracyDone(position.seat, (PIRATE_PORT, action.ship), PIRACY_GAIN, stolen))


def why_not_piracy(position: Position) -> IllegalAction:
    if _NOT_FRENCH.stops(position):
        return _NOT_FRENCH.refusal(position)
    if PIRATE_PORT not in position.me.hand:
        why = Text("{card} is not in your hand.", card=Name("card", PIRATE_PORT))
        return IllegalAction("piracy.no_port", why, rule="R11.11")
    return position.why_unusable(PIRATE_PORT) or _NO_PIRATE_SHIP.refusal_of_all()
