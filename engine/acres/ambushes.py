"""R10.13-R10.16 Ambush, and Priest or Indian Leader as an action."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import HAND, RESERVE, Ambush, Block, Convert, Lose, ShowHand
from engine.acres.bars import Bar, Bars
from engine.acres.data import NEUTRAL, SEATS, Card
from engine.acres.effects import Happenings
from engine.acres.position import Position, price_and_money
from engine.acres.shared import shared
from engine.acres.sieges import on_track, strength_in_siege
from engine.acres.state import besieged_by, siege_half
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_ambush, _block, _convert, _lose = shared(Ambush), shared(Block), shared(Convert), shared(Lose)

CONVERTED = "native-americans"
"""The green card that a Priest or the Indian Leader takes (R10.16); the blue one has another id."""


# -- ambush (R10.13-R10.15) -----------------------------------------------------------------------


_NO_POWER: Bar[Position, Card] = Bar(
    "ambush.no_power",
    "R10.13",
    lambda position, card: not card.ambushes,
    lambda position, card: Text("{card} cannot ambush.", card=Name("card", card.id)),
    of_all=("ambush.no_card", Text("No card in your hand can ambush.")),
)
_UNPAID: Bar[Position, Card] = Bar(
    "ambush.no_money",
    "R10.15",
    lambda position, card: card.warpath_cost > position.me.money,
    lambda position, card: price_and_money(card.warpath_cost, position.me.money),
    of_all=("ambush.no_money", Text("You have no money to pay the ambush.")),
)
_NO_AMBUSH = Bars(_NO_POWER, _UNPAID)


def legal_ambush(position: Position) -> list[Ambush]:
    able = [card for card in position.usable if not _NO_POWER.stops(position, card)]
    return [_ambush(card.id) for card in able if not _UNPAID.stops(position, card)]


def judge_ambush(position: Position, action: Ambush) -> None:
    position.need_in_hand(action.card)
    _NO_AMBUSH.need_open(position, position.kinds[action.card])


def perform_ambush(happened: Happenings, position: Position, action: Ambush) -> None:
    happened.add(ev.AmbushBegan(position.seat, action.card, price=position.kinds[action.card].warpath_cost))


def why_not_ambush(position: Position) -> IllegalAction:
    return _NO_AMBUSH.why_none((position, card) for card in position.usable)


# -- the victim's answer --------------------------------------------------------------------------


def ambushable(position: Position) -> list[Lose]:
    """Return what the victim may give up: from hand and reserve, or by option from a siege (R10.14, C7)."""
    found = [_lose(card, HAND) for card in dict.fromkeys(position.me.hand) if position.kinds[card].ambushable]
    found += [_lose(card, RESERVE) for card in dict.fromkeys(position.me.reserve) if position.kinds[card].ambushable]
    if found or not position.edition.ambush_reaches_siege_cards:
        return found
    for attacker in SEATS:
        siege = position.state.sieges.get(attacker)
        if siege is not None:
            box = siege_half(siege, attacker, position.seat)
            found += [_lose(card, siege.place) for card in dict.fromkeys(box) if position.kinds[card].ambushable]
    return found


_NO_BLOCK: Bar[Position, Card] = Bar(
    "block.no_power",
    "R10.13",
    lambda position, card: not card.blocks_ambush,
    lambda position, card: Text("{card} cannot block an ambush.", card=Name("card", card.id)),
)


def legal_ambush_answer(position: Position) -> list[Block | Lose | ShowHand]:
    blocks = [_block(card.id) for card in position.usable if not _NO_BLOCK.stops(position, card)]
    may_go = ambushable(position)
    return [*blocks, *may_go] if may_go else [*blocks, ShowHand()]


def judge_ambush_answer(position: Position, action: Block | Lose | ShowHand) -> None:
    if isinstance(action, Block):
        position.need_in_hand(action.card)
        _NO_BLOCK.need_open(position, position.kinds[action.card])
        return
    may_go = ambushable(position)
    if isinstance(action, ShowHand):
        if may_go:
            raise _must_lose(may_go, "R10.14")
        return
    if action in may_go:
        return
    _need_there(position, action)
    if not position.kinds[action.card].ambushable:
        raise IllegalAction(
            "lose.no_symbol", Text("{card} has no ambush symbol.", card=Name("card", action.card)), rule="R10.14"
        )
    raise IllegalAction(
        "lose.siege_safe",
        Text("A card in a siege is safe; the card comes from your hand or your reserve."),
        rule="R10.14",
    )


def _must_lose(may_go: list[Lose], rule: str) -> IllegalAction:
    return IllegalAction(
        "show_hand.must_lose",
        Text("You have a card to lose: {cards}.", cards=tuple(_with_place(lose) for lose in may_go)),
        rule=rule,
    )


def _with_place(lose: Lose) -> Text:
    """Return a card and where it lies: the same one may be in the hand and in the reserve."""
    card = Name("card", lose.card)
    if lose.source == HAND:
        return Text("{card} (in your hand)", card=card)
    if lose.source == RESERVE:
        return Text("{card} (in your reserve)", card=card)
    return Text("{card} (in the siege of {place})", card=card, place=Name("place", lose.source))


def _need_there(position: Position, action: Lose) -> None:
    """Refuse a card that is not where the answer says."""
    card = Name("card", action.card)
    reserved = action.card in position.me.reserve and action.card not in position.me.hand
    if action.source == HAND and reserved and position.kinds[action.card].ambushable:
        raise IllegalAction(
            "lose.in_reserve",
            Text(
                "{card} is in your reserve, not in your hand: “{line}” gives it up from there.",
                card=card,
                line=f"lose {action.card} from reserve",
            ),
            rule="R10.14",
        )
    if action.source == HAND:
        position.need_in_hand(action.card)
    elif action.source == RESERVE:
        if action.card not in position.me.reserve:
            raise IllegalAction("lose.not_in_reserve", Text("{card} is not in your reserve.", card=card), rule="R10.14")
    else:
        attacker = besieged_by(position.state, action.source)
        if attacker is None or action.card not in siege_half(position.state.sieges[attacker], attacker, position.seat):
            raise IllegalAction(
                "lose.not_in_siege",
                Text(
                    "{card} is not among your cards in a siege of {place}.",
                    card=card,
                    place=Name("place", action.source),
                ),
                rule="R10.14",
            )


def perform_ambush_answer(happened: Happenings, position: Position, action: Block | Lose | ShowHand) -> None:
    if isinstance(action, Block):
        happened.add(ev.AmbushBlocked(position.seat, action.card))
    elif isinstance(action, ShowHand):
        happened.add(ev.HandShown(position.seat, position.me.hand))
    elif action.source in (HAND, RESERVE):
        happened.add(ev.CardAmbushed(position.seat, action.card, action.source))
    else:
        attacker = besieged_by(position.state, action.source)
        assert attacker is not None
        attacking = attacker == position.seat
        worth = strength_in_siege(position.kinds[action.card], action.source, attacking=attacking)
        moved = position.state.sieges[attacker].strength + (-worth if attacking else worth)
        after = on_track(position.state, attacker, moved)
        happened.add(ev.CardAmbushed(position.seat, action.card, action.source, attacker=attacker, strength=after))


# -- Priest, Indian Leader (R10.16) ---------------------------------------------------------------


_NOT_CONVERTING: Bar[Position, Card] = Bar(
    "convert.no_power",
    "R10.16",
    lambda position, card: card.action != "convert",
    lambda position, card: Text("{card} is neither a Priest nor the Indian Leader.", card=Name("card", card.id)),
    of_all=("convert.no_card", Text("There is neither a Priest nor an Indian Leader in your hand.")),
)


def legal_convert(position: Position) -> list[Convert]:
    return [_convert(card.id) for card in position.usable if not _NOT_CONVERTING.stops(position, card)]


def judge_convert(position: Position, action: Convert) -> None:
    position.need_in_hand(action.card)
    _NOT_CONVERTING.need_open(position, position.kinds[action.card])


def perform_convert(happened: Happenings, position: Position, action: Convert) -> None:
    happened.add(ev.ConversionBegan(position.seat, action.card))


def why_not_convert(position: Position) -> IllegalAction:
    return _NOT_CONVERTING.refusal_of_all()


def convertible(position: Position) -> list[Lose]:
    """Return where the asked seat has a green Native Americans card."""
    assert position.kinds[CONVERTED].home == NEUTRAL
    zones = ((HAND, position.me.hand), (RESERVE, position.me.reserve))
    return [_lose(CONVERTED, source) for source, zone in zones if CONVERTED in zone]


def legal_convert_answer(position: Position) -> list[Lose | ShowHand]:
    may_go = convertible(position)
    return [*may_go] if may_go else [ShowHand()]


def judge_convert_answer(position: Position, action: Lose | ShowHand) -> None:
    may_go = convertible(position)
    if isinstance(action, ShowHand):
        if may_go:
            raise _must_lose(may_go, "R10.16")
        return
    if action in may_go:
        return
    if action.card != CONVERTED:
        raise IllegalAction(
            "lose.not_converted",
            Text("Only a {card} card is handed over, and a green one.", card=Name("card", CONVERTED)),
            rule="R10.16",
        )
    _need_there(position, action)
    raise IllegalAction("lose.siege_safe", Text("The card comes from your hand or your reserve."), rule="R10.16")


def perform_convert_answer(happened: Happenings, position: Position, action: Lose | ShowHand) -> None:
    if isinstance(action, ShowHand):
        happened.add(ev.HandShown(position.seat, position.me.hand))
    else:
        happened.add(ev.CardConverted(position.seat, action.card, action.source))
