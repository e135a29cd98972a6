"""Each event as a sentence of the log. English templates; the speaker translates and names things."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.acres import events as ev
from engine.acres.actions import HAND, RESERVE
from engine.acres.data import TOWN
from engine.kernel.text import Counted, Name, Text, names
from engine.kernel.title import GameEnded, Outcome


def _seat(event: Any) -> Name:
    return Name("seat", event.seat)


def _place(event: Any) -> Name:
    return Name("place", event.place)


def _card(card: str) -> Name:
    return Name("card", card)


def _cards(cards: tuple[str, ...]) -> tuple[Name, ...]:
    return names("card", cards)


def _signed(value: int) -> str:
    return f"{value:+d}"


def _settled(e: ev.Settled) -> Text:
    if not e.placed:
        return Text("{seat}: the card of {place} taken back, with {cards}.",
                    seat=_seat(e), place=_place(e), cards=_cards(e.cards))  # fmt: skip
    return Text("{seat}: {place} settled with {cards}.", seat=_seat(e), place=_place(e), cards=_cards(e.cards))


def _siege_began(e: ev.SiegeBegan) -> Text:
    return Text("{seat}: siege of {place} begun with {cards} and {force}; it stands at {strength}.",
                seat=_seat(e), place=_place(e), cards=_cards(e.cards), force=_card(e.force),
                strength=_signed(e.strength))  # fmt: skip


def _reinforced(e: ev.Reinforced) -> Text:
    if e.seat == e.attacker:
        template = Text("{seat}: attack on {place} reinforced with {card}; the siege stands at {strength}.")
    else:
        template = Text("{seat}: defence of {place} reinforced with {card}; the siege stands at {strength}.")
    return Text(template.template, seat=_seat(e), place=_place(e), card=_card(e.card), strength=_signed(e.strength))


def _raid_succeeded(e: ev.RaidSucceeded) -> Text:
    if e.piece != TOWN:
        return Text("{seat}: the raid on {place} succeeded; a village is captured.", seat=_seat(e), place=_place(e))
    if e.village_left:
        return Text("{seat}: the raid on {place} succeeded; the town is captured, a village remains.",
                    seat=_seat(e), place=_place(e))  # fmt: skip
    return Text("{seat}: the raid on {place} succeeded; the town is captured.", seat=_seat(e), place=_place(e))


def _card_ambushed(e: ev.CardAmbushed) -> Text:
    if e.source == HAND:
        return Text("{seat}: {card} lost from the hand.", seat=_seat(e), card=_card(e.card))
    if e.source == RESERVE:
        return Text("{seat}: {card} lost from the reserve.", seat=_seat(e), card=_card(e.card))
    return Text("{seat}: {card} lost from the siege of {place}, which stands at {strength}.",
                seat=_seat(e), card=_card(e.card), place=Name("place", e.source),
                strength=_signed(e.strength or 0))  # fmt: skip


def _card_converted(e: ev.CardConverted) -> Text:
    if e.source == HAND:
        return Text("{seat}: {card} handed over from the hand.", seat=_seat(e), card=_card(e.card))
    return Text("{seat}: {card} handed over from the reserve.", seat=_seat(e), card=_card(e.card))


def _hand_shown(e: ev.HandShown) -> Text:
    if not e.cards:
        return Text("{seat}: hand shown, nothing to lose.", seat=_seat(e))
    return Text("{seat}: hand shown, nothing to lose: {cards}.", seat=_seat(e), cards=_cards(e.cards))


def _piracy(e: ev.PiracyDone) -> Text:
    return Text("{seat}: piracy with {cards}; {amount} money taken, {stolen} of it from the enemy.",
                seat=_seat(e), cards=_cards(e.cards), amount=e.amount, stolen=e.stolen)  # fmt: skip


def _discarded(e: ev.Discarded) -> Text:
    if e.price:
        return Text("{seat}: {cards} discarded for {price}.", seat=_seat(e), cards=_cards(e.cards), price=e.price)
    return Text("{seat}: {cards} discarded.", seat=_seat(e), cards=_cards(e.cards))


def _drew(e: ev.Drew) -> Text:
    if e.cards:
        return Counted("{seat}: {n} card drawn: {cards}.", "{seat}: {n} cards drawn: {cards}.",
                       n=e.count, seat=_seat(e), cards=_cards(e.cards))  # fmt: skip
    return Counted("{seat}: {n} card drawn.", "{seat}: {n} cards drawn.", n=e.count, seat=_seat(e))


def _shuffled(e: ev.Shuffled) -> Text:
    return Counted("{seat}: {n} card shuffled into a new deck.", "{seat}: {n} cards shuffled into a new deck.",
                   n=e.count, seat=_seat(e))  # fmt: skip


def _siege_won(e: ev.SiegeWon) -> Text:
    if e.seat == e.attacker:
        if e.returned is None:
            return Text("{seat}: siege of {place} won.", seat=_seat(e), place=_place(e))
        return Text("{seat}: siege of {place} won; the loser gives up {card}.",
                    seat=_seat(e), place=_place(e), card=_card(e.returned))  # fmt: skip
    if e.returned is None:
        return Text("{seat}: siege of {place} beaten off.", seat=_seat(e), place=_place(e))
    return Text("{seat}: siege of {place} beaten off; the loser gives up {card}.",
                seat=_seat(e), place=_place(e), card=_card(e.returned))  # fmt: skip


def _withdrew(e: ev.Withdrew) -> Text:
    if e.returned is None:
        return Text("{seat}: withdrawn from the siege of {place}.", seat=_seat(e), place=_place(e))
    return Text("{seat}: withdrawn from the siege of {place}; {card} is given up.",
                seat=_seat(e), place=_place(e), card=_card(e.returned))  # fmt: skip


def _occupied(e: ev.Occupied) -> Text:
    if e.settler is None:
        return Text("{seat}: {place} occupied.", seat=_seat(e), place=_place(e))
    return Text("{seat}: {place} occupied with {card}.", seat=_seat(e), place=_place(e), card=_card(e.settler))


def _game_ended(e: GameEnded) -> Text:
    return outcome_sentence(e.outcome)


def outcome_sentence(outcome: Outcome) -> Text:
    """Who won, why and with which points."""
    points = tuple(
        Text("{seat} {points}", seat=Name("seat", seat), points=score) for seat, score in outcome.scores.items()
    )
    if not outcome.winners:
        return Text("The game is over by agreement, without a winner. Points: {points}.", points=points)
    winner = Name("seat", outcome.winners[0])
    if outcome.reason == "home-taken":
        return Text("{winner}: victory, {place} has fallen. Points: {points}.",
                    winner=winner, place=Name("place", outcome.detail["where"]), points=points)  # fmt: skip
    if outcome.reason == "resignation":
        return Text("{winner}: victory, the enemy has resigned. Points: {points}.", winner=winner, points=points)
    if outcome.reason == "time":
        return Text("{winner}: victory on time. Points: {points}.", winner=winner, points=points)
    if outcome.reason == "agreed":
        return Text("{winner}: victory by agreement. Points: {points}.", winner=winner, points=points)
    return Text("{winner}: victory on points. Points: {points}.", winner=winner, points=points)


_SENTENCES: dict[type, Callable[[Any], Text | None]] = {
    ev.Opened: lambda e: Text("The game begins."),
    ev.TurnBegan: lambda e: Text("{seat}: turn {turn} begins.", seat=_seat(e), turn=e.turn),
    ev.TurnEnded: lambda e: None,
    GameEnded: _game_ended,
    ev.Passed: lambda e: Text("{seat}: passed.", seat=_seat(e)),
    ev.Drew: _drew,
    ev.Shuffled: _shuffled,
    ev.Settled: _settled,
    ev.Developed: lambda e: Text("{seat}: {place} is a town now, with {cards}.",
                                 seat=_seat(e), place=_place(e), cards=_cards(e.cards)),
    ev.Fortified: lambda e: Text("{seat}: {place} fortified with {cards} for {price}.",
                                 seat=_seat(e), place=_place(e), cards=_cards(e.cards), price=e.price),
    ev.SiegeBegan: _siege_began,
    ev.Reinforced: _reinforced,
    ev.SiegeWon: _siege_won,
    ev.Withdrew: _withdrew,
    ev.Occupied: _occupied,
    ev.LeftNeutral: lambda e: Text("{seat}: {place} left neutral.", seat=_seat(e), place=_place(e)),
    ev.RaidBegan: lambda e: Text("{seat}: raid on {place} with {cards}.",
                                 seat=_seat(e), place=_place(e), cards=_cards(e.cards)),
    ev.RaidBlocked: lambda e: Text("{seat}: the raid on {place} is blocked with {card}.",
                                   seat=_seat(e), place=_place(e), card=_card(e.card)),
    ev.RaidSucceeded: _raid_succeeded,
    ev.AmbushBegan: lambda e: Text("{seat}: ambush with {card}.", seat=_seat(e), card=_card(e.card)),
    ev.AmbushBlocked: lambda e: Text("{seat}: the ambush is blocked with {card}.", seat=_seat(e), card=_card(e.card)),
    ev.CardAmbushed: _card_ambushed,
    ev.ConversionBegan: lambda e: Text("{seat}: Native Americans asked for with {card}.",
                                       seat=_seat(e), card=_card(e.card)),
    ev.CardConverted: _card_converted,
    ev.HandShown: _hand_shown,
    ev.MoneyTaken: lambda e: Text("{seat}: {amount} money taken with {card}.",
                                  seat=_seat(e), amount=e.amount, card=_card(e.card)),
    ev.MerchantSent: lambda e: Text("{seat}: merchant with {cards} brings {amount} money.",
                                    seat=_seat(e), cards=_cards(e.cards), amount=e.amount),
    ev.FursTraded: lambda e: Text("{seat}: furs traded with {cards} for {amount} money.",
                                  seat=_seat(e), cards=_cards(e.cards), amount=e.amount),
    ev.PiracyDone: _piracy,
    ev.Drafted: lambda e: Text("{seat}: {card} drafted for {price}.", seat=_seat(e), card=_card(e.card), price=e.price),
    ev.Discarded: _discarded,
    ev.Reserved: lambda e: Text("{seat}: {card} put into the reserve.", seat=_seat(e), card=_card(e.card)),
    ev.Retrieved: lambda e: Text("{seat}: reserve retrieved for {price}: {cards}.",
                                 seat=_seat(e), price=e.price, cards=_cards(e.cards)),
    ev.Governed: lambda e: Text("{seat}: the Governor sends back {cards}.", seat=_seat(e), cards=_cards(e.cards)),
    ev.CardFetched: lambda e: Text("{seat}: the Intendant fetches {card} for {price}.",
                                   seat=_seat(e), card=_card(e.card), price=e.price),
    ev.HomeSupportPlayed: lambda e: Text("{seat}: Home Support.", seat=_seat(e)),
    ev.HomeSupportDiscarded: lambda e: None,
}  # fmt: skip


def sentence(event: Any) -> Text | None:
    """The sentence of an event as someone sees it; None for events that only keep the books."""
    return _SENTENCES[type(event)](event)
