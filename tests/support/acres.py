"""Short positions of A Few Acres of Snow, and playing in them.

A position names only what matters. The rest goes where it does no harm: initial decks and the cards of held places into
the draw deck, all other cards to those on offer, pieces into the stock. So cards and pieces are conserved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from engine.acres import ACRES
from engine.acres.data import ALL_CARDS, CARDS, NEUTRAL, OTHER, PLACES, SEATS, TOWN, TOWNS, VILLAGE, VILLAGES
from engine.acres.editions import Edition
from engine.acres.state import Board, Holding, Player, Siege, State
from engine.kernel.chance import ChanceOutcome, ScriptedChance
from engine.kernel.refusals import Refusal
from engine.kernel.text import PlainSpeaker, say
from engine.kernel.title import Choice

EDITIONS = ("first", "first-revised", "second")
editions = pytest.mark.parametrize("edition", EDITIONS)
EARLIER = ("first", "first-revised")

ENGLISH = PlainSpeaker(ACRES.name_of)


def siege(place: str, strength: int, attacking: Iterable[str] = (), defending: Iterable[str] = ()) -> Siege:
    """Return a siege in progress; `strength` counts for the attacker."""
    return Siege(place, strength, tuple(attacking), tuple(defending))


def holding(seat: str, said: str) -> tuple[str, Holding]:
    """Read `"albany"`, `"albany town"`, `"albany town fort"`; a place that starts as a town is one unless stated
    otherwise.
    """
    place, *words = said.split()
    start = PLACES[place].piece or VILLAGE
    piece = next((word for word in words if word in (VILLAGE, TOWN)), start)
    return place, Holding(seat, piece, "fort" in words)


def start_places(seat: str) -> list[str]:
    """Return the start places of a side."""
    return [place.id for place in PLACES.values() if place.owner == seat]


def cards_of(edition: Edition) -> Counter[tuple[str, str]]:
    """Return all cards of an edition: how often each colour has each."""
    return Counter(
        {
            (card.home, card.id): card.copies
            for card in ALL_CARDS
            if not card.only_with or getattr(edition, card.only_with)
        }
    )


class _Box:
    """The cards of an edition, taken out of it one by one."""

    def __init__(self, cards: Counter[tuple[str, str]]) -> None:
        self.cards = cards.copy()

    def take(self, seat: str, named: Iterable[str]) -> tuple[str, ...]:
        found = tuple(named)
        for card in found:
            home = CARDS[seat][card].home
            self.cards[home, card] -= 1
            assert self.cards[home, card] >= 0, f"there is no further {card}"
        return found

    def rest(self, home: str) -> list[str]:
        return sorted(card for (its, card), n in self.cards.items() if its == home for _ in range(n))


def acres(
    to_decide: str = "british",
    edition: str = "second",
    options: Mapping[str, Any] | None = None,
    actions: int = 2,
    turn: int = 11,
    sieges: Mapping[str, Siege] | None = None,
    **zones: Any,
) -> State:
    """Return a position in which `to_decide` is on turn.

    For each side: `british_places` (`"albany town fort"`; the start places if absent), `british_hand`, `_draw` (top
    first), `_discard` (top last), `_reserve`, `_money`, `_captured` (villages, towns), `_stock` (villages, towns: set
    as told, so that pieces are not conserved), and `french_...` alike. `sieges` by attacker.
    """
    settings = ACRES.read_options({"edition": edition} | dict(options or {}))
    sieges = dict(sieges or {})
    holdings: dict[str, Holding] = {}
    for seat in SEATS:
        holdings |= dict(holding(seat, said) for said in zones.pop(f"{seat}_places", start_places(seat)))
    opening = ACRES.apply(None, ACRES.open(settings, SEATS, KeepOrder())[0])
    box = _Box(cards_of(settings))
    told: dict[str, dict[str, tuple[str, ...]]] = {}
    for seat in SEATS:
        told[seat] = {
            zone: box.take(seat, zones.pop(f"{seat}_{zone}"))
            for zone in ("hand", "draw", "discard", "reserve")
            if f"{seat}_{zone}" in zones
        }
        for attacker, its in sieges.items():
            box.take(seat, its.attacking if seat == attacker else its.defending)
    players = {}
    for seat in SEATS:
        mine = told[seat]
        draw, offered, locations = list(mine.get("draw", ())), [], []
        for card in box.rest(seat):
            kind = CARDS[seat][card]
            owned = kind.location and card in holdings and holdings[card].owner == seat
            initial = kind.empire and draw.count(card) < kind.initial
            if "draw" not in mine and (owned or initial):
                draw.append(card)
            elif kind.location:
                locations.append(card)
            else:
                offered.append(card)
        placed = Counter(h.piece for h in holdings.values() if h.owner == seat)
        lost = zones.get(f"{OTHER[seat]}_captured", (0, 0))
        villages, towns = zones.pop(
            f"{seat}_stock",
            (VILLAGES[seat] - placed[VILLAGE] - lost[0], TOWNS[seat] - placed[TOWN] - lost[1]),
        )
        players[seat] = Player(
            money=zones.pop(f"{seat}_money", 10),
            hand=tuple(sorted(mine.get("hand", ()))),
            draw=tuple(draw),
            discard=mine.get("discard", ()),
            reserve=tuple(sorted(mine.get("reserve", ()))),
            locations=tuple(locations),
            empire=tuple(offered),
            villages=villages,
            towns=towns,
            captured_villages=zones.get(f"{seat}_captured", (0, 0))[0],
            captured_towns=zones.get(f"{seat}_captured", (0, 0))[1],
        )
    for seat in SEATS:
        zones.pop(f"{seat}_captured", None)
    assert not zones, f"unknown parts of a position: {sorted(zones)}"
    neutral = box.rest(NEUTRAL)
    return opening._replace(
        turn=turn,
        on_turn=to_decide,
        actions_left=actions,
        players=players,
        neutral=tuple(neutral),
        board=Board(holdings),
        sieges=sieges,
    )


class KeepOrder:
    """Chance that leaves everything sorted, for tests in which the order does not matter."""

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(sorted(items))

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        return min(items)


def shuffles(*told: str) -> ScriptedChance:
    """Return chance that gives these orders: `shuffles("british: boston, norfolk")`, the top card first."""
    found = []
    for order in told:
        seat, _, cards = order.partition(":")
        found.append(ChanceOutcome("shuffle", seat, tuple(card.strip() for card in cards.split(","))))
    return ScriptedChance(found)


def is_whole(state: State) -> bool:
    """Whether cards and pieces add up."""
    try:
        ACRES.check_invariants(state)
    except AssertionError:
        return False
    return True


def happen(state: State, line: str, by: str | None = None, chance: Any = None) -> list[tuple[Any, State]]:
    """Play one line; return each event with the state after it. Without `chance` shuffled cards come sorted."""
    due = ACRES.decision(state)
    assert due is not None, "the game is over"
    seat = by or due.seat
    whole = is_whole(state)
    chance = chance or KeepOrder()
    happened = list(ACRES.unfold(state, seat, ACRES.read(state, seat, line), chance))
    if isinstance(chance, ScriptedChance):
        assert not chance.left, "the rules did not ask for all of the chance"
    if whole:
        for _, after in happened:
            ACRES.check_invariants(after)
    return happened


def play(state: State, *lines: str, by: str | None = None, chance: Any = None) -> State:
    """Return the state after these lines, each by the seat that owes the decision unless `by` is given."""
    for line in lines:
        state = happen(state, line, by, chance)[-1][1]
    return state


def events(state: State, line: str, by: str | None = None, chance: Any = None) -> list[Any]:
    """Return what happens when the line is played."""
    return [event for event, _ in happen(state, line, by, chance)]


def refused(state: State, line: str, code: str, rule: str | None = None, by: str | None = None) -> Refusal:
    """Assert that the line is refused for this reason; a given rule must be cited."""
    due = ACRES.decision(state)
    seat = by or (due.seat if due else "british")
    with pytest.raises(Refusal) as caught:
        ACRES.check(state, seat, ACRES.read(state, seat, line))
    assert caught.value.code == code
    assert rule is None or caught.value.rule == rule
    assert say(caught.value.why, ENGLISH).endswith((".", "?"))
    return caught.value


def allowed(state: State, line: str) -> bool:
    """Whether the line is accepted from the seat that owes the decision."""
    due = ACRES.decision(state)
    assert due is not None
    try:
        ACRES.check(state, due.seat, ACRES.read(state, due.seat, line))
    except Refusal:
        return False
    return True


def legal_lines(state: State, verb: str = "") -> list[str]:
    """Return the lines of all listed actions, free subsets with as few cards as possible."""
    found = []
    for entry in ACRES.legal(state):
        for action in entry.smallest() if isinstance(entry, Choice) else [entry]:
            found.append(ACRES.write(state, action))
    return [line for line in found if line.split(" ")[0] == verb or not verb]


def why_not(state: State, kind: str) -> str:
    """Return the code of the reason why a kind of action is impossible now."""
    return dict(ACRES.impossible(state))[kind].code


def due(state: State) -> tuple[str, str] | None:
    """Return the seat to decide and the kind of its decision; None when the game is over."""
    found = ACRES.decision(state)
    return None if found is None else (found.seat, found.kind)
