"""What Acres puts into a record: setup, the state after a turn, chance lines, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.acres import events as ev
from engine.acres.data import ALL_CARDS, CARDS, HAND_SIZE, SEATS
from engine.acres.editions import Edition, keep_options
from engine.acres.state import State, siege_half
from engine.kernel.chance import ChanceOutcome
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text
from engine.kernel.title import Outcome


def initial_deck(edition: Edition, seat: str) -> tuple[str, ...]:
    """Return the cards of a side's initial deck (R1.10), sorted."""
    return tuple(
        sorted(
            card.id
            for card in ALL_CARDS
            if card.home == seat and (not card.only_with or getattr(edition, card.only_with))
            for _ in range(card.initial)
        )
    )


def setup_to_record(opened: ev.Opened) -> dict[str, Any]:
    return {seat: {"hand": sorted(opened.hands[seat]), "draw": list(opened.draws[seat])} for seat in SEATS}


def opened_from_record(edition: Edition, setup: Mapping[str, Any]) -> ev.Opened:
    """Return the opening that a record's `setup` gives; refused unless its cards are the initial decks (R2.3, R2.4)."""
    hands: dict[str, tuple[str, ...]] = {}
    draws: dict[str, tuple[str, ...]] = {}
    for seat in SEATS:
        zones = setup.get(seat)
        hand = zones.get("hand") if isinstance(zones, Mapping) else None
        draw = zones.get("draw") if isinstance(zones, Mapping) else None
        if not (isinstance(hand, list) and isinstance(draw, list) and all(isinstance(c, str) for c in hand + draw)):
            raise Unreadable("setup.form", Text("The setup of {seat} needs lists “hand” and “draw”.", seat=seat))
        deck = initial_deck(edition, seat)
        if tuple(sorted(hand + draw)) != deck:
            raise Unreadable(
                "setup.deck",
                Text("The setup of {seat} is not its initial deck, which is {cards}.", seat=seat, cards=deck),
            )
        if len(hand) != HAND_SIZE:
            raise Unreadable(
                "setup.hand", Text("The first hand of {seat} must have {n} cards.", seat=seat, n=HAND_SIZE)
            )
        hands[seat], draws[seat] = tuple(sorted(hand)), tuple(draw)
    unknown = set(setup) - set(SEATS)
    if unknown:
        raise Unreadable("setup.seat", Text("The setup names “{seat}”, which is not a seat.", seat=sorted(unknown)[0]))
    return ev.Opened(keep_options(edition), hands, draws)


_HOLDING = {
    (owner, piece, fort): {"owner": owner, "piece": piece, "fort": fort}
    for owner in SEATS
    for piece in ("village", "town")
    for fort in (False, True)
}


def after(state: State) -> dict[str, Any]:
    """Return the whole state, hidden parts included."""
    sieges = state.sieges
    seats = {}
    for seat in SEATS:
        player = state.players[seat]
        boxes = {
            attacker: sorted(siege_half(sieges[attacker], attacker, seat)) if attacker in sieges else []
            for attacker in SEATS
        }
        seats[seat] = {
            "money": player.money,
            "hand": list(player.hand),
            "reserve": list(player.reserve),
            "draw": list(player.draw),
            "discard": sorted(player.discard),
            "siege": boxes,
            "supply": {"villages": player.villages, "towns": player.towns},
            "captured": {"villages": player.captured_villages, "towns": player.captured_towns},
        }
    return {
        "seats": seats,
        "board": {place: _HOLDING[holding] for place, holding in state.board.holdings.items()},
        "sieges": {
            attacker: {"location": sieges[attacker].place, "strength": sieges[attacker].strength}
            if attacker in sieges
            else None
            for attacker in SEATS
        },
        "available": {**{seat: list(state.players[seat].empire) for seat in SEATS}, "neutral": list(state.neutral)},
    }


def read_chance(text: str) -> ChanceOutcome:
    """Read `shuffle SEAT: CARD, CARD, ...`, the top card first."""
    head, colon, rest = text.partition(":")
    said = head.split()
    if not colon or len(said) != 2 or said[0] != "shuffle":
        raise Unreadable("chance.shape", Text("Write it like this: {example}", example="shuffle SEAT: CARD, CARD"))
    seat = said[1]
    if seat not in SEATS:
        raise Unreadable("chance.seat", Text("“{seat}” is not a seat; the seats are {seats}.", seat=seat, seats=SEATS))
    cards = tuple(card.strip() for card in rest.split(","))
    for card in cards:
        if card not in CARDS[seat]:
            raise Unreadable("chance.card", Text("“{card}” is not a card of {seat}.", card=card, seat=seat))
    return ChanceOutcome("shuffle", seat, cards)


def chance_of(event: Any) -> str | None:
    return f"shuffle {event.seat}: {', '.join(event.cards)}" if isinstance(event, ev.Shuffled) else None


def result_to_record(outcome: Outcome) -> dict[str, Any]:
    detail: Sequence[tuple[str, Any]] = [
        (key, list(value) if isinstance(value, tuple) else value) for key, value in outcome.detail.items()
    ]
    return {
        "winner": outcome.winners[0] if outcome.winners else None,
        "reason": outcome.reason,
        **dict(detail),
        "score": dict(outcome.scores),
    }
