"""R10.1-R10.12 Raid."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Allow, Block, Raid
from engine.acres.choices import CardChoice
from engine.acres.data import OTHER, RAID_LINKS, TOWN, Card
from engine.acres.happening import Happenings
from engine.acres.position import Position
from engine.acres.shared import shared
from engine.acres.state import State, besieged_by, without
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_block = shared(Block)


def is_raid_card(card: Card) -> bool:
    """It can raid, or adds range to a raid (R10.1)."""
    return card.raids or card.adds_raid_range


def raid_range(state: State, cards: int) -> int:
    """R10.2: connections that so many cards reach."""
    return cards + state.edition.raid_range_bonus


def raid_targets(state: State, seat: str, reach: int) -> dict[str, int]:
    """Places that the seat can raid within so many connections, with their distance (R10.4-R10.8)."""
    holdings = state.board.holdings
    limits = state.edition.raid_siege_limits
    besieged = {siege.place for siege in state.sieges.values()} if limits else ()
    starts = [place for place, holding in holdings.items() if holding.owner == seat and place not in besieged]
    seen, edge = set(starts), starts
    targets: dict[str, int] = {}
    for distance in range(1, reach + 1):
        beyond = []
        for place in edge:
            for near in RAID_LINKS[place]:
                if near in seen:
                    continue
                seen.add(near)
                holding = holdings.get(near)
                if holding is None:
                    beyond.append(near)
                elif holding.owner != seat and not holding.fort:
                    beyond.append(near)
                    # An enemy place under siege is under this seat's siege: passed, but not raided (R10.7).
                    if near not in besieged:
                        targets[near] = distance
                # Left over: a fortified enemy place, and an own place under siege. Neither is passed.
        if not beyond:
            break
        edge = beyond
    return targets


def legal(p: Position) -> list[CardChoice]:
    kinds = p.kinds
    items = tuple([held for held in p.me.hand if is_raid_card(kinds[held])])
    if not items:
        return []
    raiders = frozenset(held for held in items if p.kinds[held].raids)
    most = _most_cards(p, items)
    if not most:
        return []
    each = {held: p.kinds[held].warpath_cost for held in items if p.kinds[held].warpath_cost}
    found = []
    for place, distance in sorted(raid_targets(p.state, p.seat, raid_range(p.state, most)).items()):
        least = max(1, distance - p.edition.raid_range_bonus)
        found.append(CardChoice("raid", items, least, most, p.me.money, about=place, each=each, one_of=raiders))
    return found


def _most_cards(p: Position, items: tuple[str, ...]) -> int:
    """How many of these cards the seat can pay for, a raider among them; 0 if none can raid (R10.1, R10.3)."""
    raiders = [held for held in items if p.kinds[held].raids]
    if not raiders:
        return 0
    first = min(raiders, key=lambda held: p.kinds[held].warpath_cost)
    spent = p.kinds[first].warpath_cost
    if spent > p.me.money:
        return 0
    most = 1
    for price in sorted(p.kinds[held].warpath_cost for held in without(items, (first,))):
        spent += price
        if spent > p.me.money:
            break
        most += 1
    return most


def judge(p: Position, action: Raid) -> None:
    place = Name("place", action.place)
    if not action.cards:
        raise IllegalAction("raid.no_card", Text("A raid needs at least one card that can raid."), rule="R10.1")
    p.need_in_hand(*action.cards)
    kinds = [p.kinds[card] for card in action.cards]
    for kind in kinds:
        if not is_raid_card(kind):
            raise IllegalAction("raid.no_power", Text("{card} cannot raid.", card=Name("card", kind.id)), rule="R10.1")
    if not any(kind.raids for kind in kinds):
        raise IllegalAction(
            "raid.range_only",
            Text(
                "{card} only adds range to a raid; play a card that can raid with it.", card=Name("card", kinds[0].id)
            ),
            rule="R10.1",
        )
    holding = p.state.board.holdings.get(action.place)
    if holding is None or holding.owner != p.other:
        raise IllegalAction(
            "raid.not_enemy", Text("{place} is not in the enemy's hands, so it cannot be raided.", place=place),
            rule="R10.5",
        )  # fmt: skip
    if holding.fort:
        raise IllegalAction(
            "raid.fort", Text("{place} is fortified, so it cannot be raided.", place=place), rule="R10.5"
        )
    if p.edition.raid_siege_limits and besieged_by(p.state, action.place):
        raise IllegalAction(
            "raid.besieged", Text("{place} is besieged, so it cannot be raided.", place=place), rule="R10.7"
        )
    reach = raid_range(p.state, len(action.cards))
    if action.place not in raid_targets(p.state, p.seat, reach):
        raise IllegalAction(
            "raid.out_of_range",
            Text("No open path of at most {range} connections leads from a place of yours to {place}.",
                 range=reach, place=place),
            rule="R10.2",
        )  # fmt: skip
    p.need_money(_price(p, action), "raid.no_money", "R10.3")


def _price(p: Position, action: Raid) -> int:
    return sum(p.kinds[card].warpath_cost for card in action.cards)


def perform(h: Happenings, p: Position, action: Raid) -> None:
    h.add(ev.RaidBegan(p.seat, action.place, action.cards, price=_price(p, action)))


def why_not(p: Position) -> IllegalAction:
    cards = [held for held in p.me.hand if is_raid_card(p.kinds[held])]
    raiders = [held for held in cards if p.kinds[held].raids]
    if not raiders:
        return IllegalAction("raid.no_card", Text("No card in your hand can raid."), rule="R10.1")
    if all(p.kinds[held].warpath_cost > p.me.money for held in raiders):
        return IllegalAction("raid.no_money", Text("You have no money to pay the raiders."), rule="R10.3")
    return IllegalAction(
        "raid.no_target",
        Text("No enemy place that could be raided is within {range} connections of a place of yours.",
             range=raid_range(p.state, len(cards))),
        rule="R10.2",
    )  # fmt: skip


# -- the answer (R10.9-R10.11) --------------------------------------------------------------------


def _may_block(card: Card, place: str) -> bool:
    return card.blocks_raid or card.id == place


def legal_answer(p: Position) -> list[Block | Allow]:
    return [*(_block(card.id) for card in p.usable if _may_block(card, p.asked_about)), Allow()]


def judge_answer(p: Position, action: Block | Allow) -> None:
    if isinstance(action, Allow):
        return
    p.need_in_hand(action.card)
    if not _may_block(p.kinds[action.card], p.asked_about):
        raise IllegalAction(
            "block.no_power", Text("{card} cannot block this raid.", card=Name("card", action.card)), rule="R10.9"
        )
    p.need_usable(action.card)


def perform_answer(h: Happenings, p: Position, action: Block | Allow) -> None:
    place = p.asked_about
    if isinstance(action, Block):
        h.add(ev.RaidBlocked(p.seat, place, action.card))
        return
    piece = p.state.board.holdings[place].piece
    village_left = piece == TOWN and p.me.villages > 0
    # Only without `raid_siege_limits` can a raid empty a besieged place (R10.11).
    lifted = None if village_left else besieged_by(p.state, place)
    h.add(ev.RaidSucceeded(OTHER[p.seat], place, piece, village_left, lifted))
