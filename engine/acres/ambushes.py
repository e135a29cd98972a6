"""R10.13-R10.16 Ambush, and Priest or Indian Leader as an action."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import HAND, RESERVE, Ambush, Block, Convert, Lose, ShowHand
from engine.acres.data import NEUTRAL, SEATS, Card
from engine.acres.happening import Happenings
from engine.acres.position import Position
from engine.acres.shared import shared
from engine.acres.sieges import on_track, strength_in_siege
from engine.acres.state import besieged_by, siege_half
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_ambush, _block, _convert, _lose = shared(Ambush), shared(Block), shared(Convert), shared(Lose)

CONVERTED = "native-americans"
"""The green card that a Priest or the Indian Leader takes (R10.16); the blue one has another id."""


# -- ambush (R10.13-R10.15) -----------------------------------------------------------------------


def legal_ambush(p: Position) -> list[Ambush]:
    return [_ambush(card.id) for card in p.usable if card.ambushes and card.warpath_cost <= p.me.money]


def judge_ambush(p: Position, action: Ambush) -> None:
    p.need_in_hand(action.card)
    kind = p.kinds[action.card]
    if not kind.ambushes:
        raise IllegalAction(
            "ambush.no_power", Text("{card} cannot ambush.", card=Name("card", action.card)), rule="R10.13"
        )
    p.need_money(kind.warpath_cost, "ambush.no_money", "R10.15")


def perform_ambush(h: Happenings, p: Position, action: Ambush) -> None:
    h.add(ev.AmbushBegan(p.seat, action.card, price=p.kinds[action.card].warpath_cost))


def why_not_ambush(p: Position) -> IllegalAction:
    if not any(card.ambushes for card in p.usable):
        return IllegalAction("ambush.no_card", Text("No card in your hand can ambush."), rule="R10.13")
    return IllegalAction("ambush.no_money", Text("You have no money to pay the ambush."), rule="R10.15")


# -- the victim's answer --------------------------------------------------------------------------


def ambushable(p: Position) -> list[Lose]:
    """What the victim may give up: from hand and reserve, or by option from a siege (R10.14, C7)."""
    found = [_lose(card, HAND) for card in dict.fromkeys(p.me.hand) if p.kinds[card].ambushable]
    found += [_lose(card, RESERVE) for card in dict.fromkeys(p.me.reserve) if p.kinds[card].ambushable]
    if found or not p.edition.ambush_reaches_siege_cards:
        return found
    for attacker in SEATS:
        siege = p.state.sieges.get(attacker)
        if siege is not None:
            box = siege_half(siege, attacker, p.seat)
            found += [_lose(card, siege.place) for card in dict.fromkeys(box) if p.kinds[card].ambushable]
    return found


def legal_ambush_answer(p: Position) -> list[Block | Lose | ShowHand]:
    blocks = [_block(card.id) for card in p.usable if card.blocks_ambush]
    may_go = ambushable(p)
    return [*blocks, *may_go] if may_go else [*blocks, ShowHand()]


def judge_ambush_answer(p: Position, action: Block | Lose | ShowHand) -> None:
    if isinstance(action, Block):
        p.need_in_hand(action.card)
        if not p.kinds[action.card].blocks_ambush:
            raise IllegalAction(
                "block.no_power", Text("{card} cannot block an ambush.", card=Name("card", action.card)), rule="R10.13"
            )
        return
    may_go = ambushable(p)
    if isinstance(action, ShowHand):
        if may_go:
            raise _must_lose(may_go, "R10.14")
        return
    if action in may_go:
        return
    _need_there(p, action)
    if not p.kinds[action.card].ambushable:
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
        Text("You have a card to lose: {cards}.", cards=tuple(Name("card", lose.card) for lose in may_go)),
        rule=rule,
    )


def _need_there(p: Position, action: Lose) -> None:
    """Refuse a card that is not where the answer says."""
    card = Name("card", action.card)
    if action.source == HAND:
        p.need_in_hand(action.card)
    elif action.source == RESERVE:
        if action.card not in p.me.reserve:
            raise IllegalAction("lose.not_in_reserve", Text("{card} is not in your reserve.", card=card), rule="R10.14")
    else:
        attacker = besieged_by(p.state, action.source)
        if attacker is None or action.card not in siege_half(p.state.sieges[attacker], attacker, p.seat):
            raise IllegalAction(
                "lose.not_in_siege",
                Text("{card} is not among your cards in a siege of {place}.",
                     card=card, place=Name("place", action.source)),
                rule="R10.14",
            )  # fmt: skip


def perform_ambush_answer(h: Happenings, p: Position, action: Block | Lose | ShowHand) -> None:
    if isinstance(action, Block):
        h.add(ev.AmbushBlocked(p.seat, action.card))
    elif isinstance(action, ShowHand):
        h.add(ev.HandShown(p.seat, p.me.hand))
    elif action.source in (HAND, RESERVE):
        h.add(ev.CardAmbushed(p.seat, action.card, action.source))
    else:
        attacker = besieged_by(p.state, action.source)
        assert attacker is not None
        attacking = attacker == p.seat
        worth = strength_in_siege(p.kinds[action.card], action.source, attacking=attacking)
        moved = p.state.sieges[attacker].strength + (-worth if attacking else worth)
        after = on_track(p.state, attacker, moved)
        h.add(ev.CardAmbushed(p.seat, action.card, action.source, attacker=attacker, strength=after))


# -- Priest, Indian Leader (R10.16) ---------------------------------------------------------------


def _converts(card: Card) -> bool:
    return card.action == "convert"


def legal_convert(p: Position) -> list[Convert]:
    return [_convert(card.id) for card in p.usable if _converts(card)]


def judge_convert(p: Position, action: Convert) -> None:
    p.need_in_hand(action.card)
    if not _converts(p.kinds[action.card]):
        raise IllegalAction(
            "convert.no_power",
            Text("{card} is neither a Priest nor the Indian Leader.", card=Name("card", action.card)),
            rule="R10.16",
        )


def perform_convert(h: Happenings, p: Position, action: Convert) -> None:
    h.add(ev.ConversionBegan(p.seat, action.card))


def why_not_convert(p: Position) -> IllegalAction:
    return IllegalAction(
        "convert.no_card", Text("There is neither a Priest nor an Indian Leader in your hand."), rule="R10.16"
    )


def convertible(p: Position) -> list[Lose]:
    """Where the asked seat has a green Native Americans card."""
    assert p.kinds[CONVERTED].home == NEUTRAL
    zones = ((HAND, p.me.hand), (RESERVE, p.me.reserve))
    return [_lose(CONVERTED, source) for source, zone in zones if CONVERTED in zone]


def legal_convert_answer(p: Position) -> list[Lose | ShowHand]:
    may_go = convertible(p)
    return [*may_go] if may_go else [ShowHand()]


def judge_convert_answer(p: Position, action: Lose | ShowHand) -> None:
    may_go = convertible(p)
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
    _need_there(p, action)
    raise IllegalAction(
        "lose.siege_safe", Text("The card comes from your hand or your reserve."), rule="R10.16"
    )  # fmt: skip


def perform_convert_answer(h: Happenings, p: Position, action: Lose | ShowHand) -> None:
    if isinstance(action, ShowHand):
        h.add(ev.HandShown(p.seat, p.me.hand))
    else:
        h.add(ev.CardConverted(p.seat, action.card, action.source))
