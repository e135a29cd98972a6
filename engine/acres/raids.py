"""R10.1-R10.12 Raid."""

from __future__ import annotations

from engine.acres import events as ev
from engine.acres.actions import Allow, Block, Raid
from engine.acres.bars import Bar, Bars
from engine.acres.choices import CardChoice
from engine.acres.data import OTHER, RAID_LINKS, TOWN, Card
from engine.acres.effects import Happenings
from engine.acres.position import Position, price_and_money
from engine.acres.shared import shared
from engine.acres.state import Cards, State, besieged_by, without
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Name, Text

_block = shared(Block)


def raid_range(state: State, cards: int) -> int:
    """Return the number of connections that so many cards reach (R10.2)."""
    return cards + state.edition.raid_range_bonus


def _cards_needed(state: State, distance: int) -> int:
    """Return how many cards reach this far, the reverse (R10.2)."""
    return max(1, distance - state.edition.raid_range_bonus)


_BESIEGED: Bar[Position, str] = Bar(
    "raid.besieged",
    "R10.7",
    lambda position, place: position.edition.raid_siege_limits and place in position.besieged,
    lambda position, place: Text("{place} is besieged, so it cannot be raided.", place=Name("place", place)),
)
NOT_RAIDED: Bars[Position, str] = Bars(
    Bar(
        "raid.not_enemy",
        "R10.5",
        lambda position, place: position.state.board.owner(place) != position.other,
        lambda position, place: Text(
            "{place} is not in the enemy’s hands, so it cannot be raided.", place=Name("place", place)
        ),
    ),
    Bar(
        "raid.fort",
        "R10.5",
        lambda position, place: position.state.board.holdings[place].fort,
        lambda position, place: Text("{place} is fortified, so it cannot be raided.", place=Name("place", place)),
    ),
    _BESIEGED,
)
"""Why a place cannot be raided, however near it is."""

_NO_RAIDER: Bar[Position, Card] = Bar(
    "raid.no_power",
    "R10.1",
    lambda position, card: not (card.raids or card.adds_raid_range),
    lambda position, card: Text("{card} cannot raid.", card=Name("card", card.id)),
)

_RANGE_ONLY: Bar[Position, Cards] = Bar(
    "raid.range_only",
    "R10.1",
    lambda position, cards: not [card for card in cards if position.kinds[card].raids],
    lambda position, cards: Text(
        "{card} only adds range to a raid; play a card that can raid with it.", card=Name("card", cards[0])
    ),
    of_all=("raid.no_card", Text("No card in your hand can raid.")),
)
_UNPAID: Bar[Position, Cards] = Bar(
    "raid.no_money",
    "R10.3",
    lambda position, cards: _price(position, cards) > position.me.money,
    lambda position, cards: price_and_money(_price(position, cards), position.me.money),
    of_all=("raid.no_money", Text("You have no money to pay the raiders.")),
)


def _price(position: Position, cards: Cards) -> int:
    return sum([position.kinds[card].warpath_cost for card in cards])


def raid_targets(position: Position, reach: int) -> dict[str, int]:
    """Return the places that the seat can raid within so many connections, with their distance (R10.4-R10.8)."""
    holdings, seat = position.state.board.holdings, position.seat
    besieged = position.besieged if position.edition.raid_siege_limits else ()
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
                    # An enemy place under siege is besieged by this seat: it can be passed, but not raided (R10.7).
                    if not _BESIEGED.stops(position, near):
                        targets[near] = distance
                # That leaves a fortified enemy place, and a besieged place of the seat's own. Neither can be passed.
        if not beyond:
            break
        edge = beyond
    return targets


def legal(position: Position) -> list[CardChoice]:
    kinds = position.kinds
    items = tuple([held for held in position.me.hand if not _NO_RAIDER.stops(position, kinds[held])])
    most = _most_cards(position, items) if items else 0
    if not most:
        return []
    raiders = frozenset(held for held in items if kinds[held].raids)
    each = {held: kinds[held].warpath_cost for held in items if kinds[held].warpath_cost}
    money = position.me.money
    found = []
    for place, distance in sorted(raid_targets(position, raid_range(position.state, most)).items()):
        least = _cards_needed(position.state, distance)
        found.append(CardChoice("raid", items, least, most, money, about=place, each=each, one_of=raiders))
    return found


def _most_cards(position: Position, items: Cards) -> int:
    """Return how many of these cards the seat can pay for, a raider among them; 0 if none can raid (R10.1, R10.3)."""

    def price(card: str) -> int:
        return position.kinds[card].warpath_cost

    if _RANGE_ONLY.stops(position, items):
        return 0
    first = min([held for held in items if position.kinds[held].raids], key=price)
    party = (first, *sorted(without(items, (first,)), key=price))
    counts = range(len(party), 0, -1)
    return next((count for count in counts if not _UNPAID.stops(position, party[:count])), 0)


def judge(position: Position, action: Raid) -> None:
    if not action.cards:
        raise IllegalAction("raid.no_card", Text("A raid needs at least one card that can raid."), rule="R10.1")
    position.need_in_hand(*action.cards)
    for card in action.cards:
        _NO_RAIDER.need_open(position, position.kinds[card])
    _RANGE_ONLY.need_open(position, action.cards)
    NOT_RAIDED.need_open(position, action.place)
    reach = raid_range(position.state, len(action.cards))
    if action.place not in raid_targets(position, reach):
        raise IllegalAction(
            "raid.out_of_range",
            Text(
                "No open path of at most {range} connections leads from a place of yours to {place}.",
                range=reach,
                place=Name("place", action.place),
            ),
            rule="R10.2",
        )
    _UNPAID.need_open(position, action.cards)


def perform(happened: Happenings, position: Position, action: Raid) -> None:
    happened.add(ev.RaidBegan(position.seat, action.place, action.cards, price=_price(position, action.cards)))


def why_not(position: Position) -> IllegalAction:
    items = tuple(held for held in position.me.hand if not _NO_RAIDER.stops(position, position.kinds[held]))
    if _RANGE_ONLY.stops(position, items):
        return _RANGE_ONLY.refusal_of_all()
    if not _most_cards(position, items):
        return _UNPAID.refusal_of_all()
    return IllegalAction(
        "raid.no_target",
        Text(
            "No enemy place that could be raided is within {range} connections of a place of yours.",
            range=raid_range(position.state, len(items)),
        ),
        rule="R10.2",
    )


# -- the answer (R10.9-R10.11) --------------------------------------------------------------------


_NO_BLOCK: Bar[Position, Card] = Bar(
    "block.no_power",
    "R10.9",
    lambda position, card: not card.blocks_raid and card.id != position.asked_about,
    lambda position, card: Text("{card} cannot block this raid.", card=Name("card", card.id)),
)


def legal_answer(position: Position) -> list[Block | Allow]:
    return [*(_block(card.id) for card in position.usable if not _NO_BLOCK.stops(position, card)), Allow()]


def judge_answer(position: Position, action: Block | Allow) -> None:
    if isinstance(action, Block):
        position.need_in_hand(action.card)
        _NO_BLOCK.need_open(position, position.kinds[action.card])
        position.need_usable(action.card)


def perform_answer(happened: Happenings, position: Position, action: Block | Allow) -> None:
    place = position.asked_about
    if isinstance(action, Block):
        happened.add(ev.RaidBlocked(position.seat, place, action.card))
        return
    piece = position.state.board.holdings[place].piece
    village_left = piece == TOWN and position.me.villages > 0
    # Only without `raid_siege_limits` can a raid empty a besieged place (R10.11).
    lifted = None if village_left else besieged_by(position.state, place)
    happened.add(ev.RaidSucceeded(OTHER[position.seat], place, piece, village_left, lifted))
