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


def _settled(event: ev.Settled) -> Text:
    if not event.placed:
        return Text(
            "{seat}: the card of {place} taken back, with {cards}.",
            seat=_seat(event),
            place=_place(event),
            cards=_cards(event.cards),
        )
    return Text(
        "{seat}: {place} settled with {cards}.", seat=_seat(event), place=_place(event), cards=_cards(event.cards)
    )


def _siege_began(event: ev.SiegeBegan) -> Text:
    return Text(
        "{seat}: siege of {place} begun with {cards} and {force}; it stands at {strength}.",
        seat=_seat(event),
        place=_place(event),
        cards=_cards(event.cards),
        force=_card(event.force),
        strength=_signed(event.strength),
    )


def _reinforced(event: ev.Reinforced) -> Text:
    if event.seat == event.attacker:
        template = Text("{seat}: attack on {place} reinforced with {card}; the siege stands at {strength}.")
    else:
        template = Text("{seat}: defence of {place} reinforced with {card}; the siege stands at {strength}.")
    return Text(
        template.template,
        seat=_seat(event),
        place=_place(event),
        card=_card(event.card),
        strength=_signed(event.strength),
    )


def _raid_succeeded(event: ev.RaidSucceeded) -> Text:
    if event.piece != TOWN:
        return Text(
            "{seat}: the raid on {place} succeeded; a village is captured.", seat=_seat(event), place=_place(event)
        )
    if event.village_left:
        return Text(
            "{seat}: the raid on {place} succeeded; the town is captured, a village remains.",
            seat=_seat(event),
            place=_place(event),
        )
    return Text("{seat}: the raid on {place} succeeded; the town is captured.", seat=_seat(event), place=_place(event))


def _card_ambushed(event: ev.CardAmbushed) -> Text:
    if event.source == HAND:
        return Text("{seat}: {card} lost from the hand.", seat=_seat(event), card=_card(event.card))
    if event.source == RESERVE:
        return Text("{seat}: {card} lost from the reserve.", seat=_seat(event), card=_card(event.card))
    return Text(
        "{seat}: {card} lost from the siege of {place}, which stands at {strength}.",
        seat=_seat(event),
        card=_card(event.card),
        place=Name("place", event.source),
        strength=_signed(event.strength or 0),
    )


def _card_converted(event: ev.CardConverted) -> Text:
    if event.source == HAND:
        return Text("{seat}: {card} handed over from the hand.", seat=_seat(event), card=_card(event.card))
    return Text("{seat}: {card} handed over from the reserve.", seat=_seat(event), card=_card(event.card))


def _hand_shown(event: ev.HandShown) -> Text:
    if not event.cards:
        return Text("{seat}: hand shown, nothing to lose.", seat=_seat(event))
    return Text("{seat}: hand shown, nothing to lose: {cards}.", seat=_seat(event), cards=_cards(event.cards))


def _piracy(event: ev.PiracyDone) -> Text:
    return Text(
        "{seat}: piracy with {cards}; {amount} money taken, {stolen} of it from the enemy.",
        seat=_seat(event),
        cards=_cards(event.cards),
        amount=event.amount,
        stolen=event.stolen,
    )


def _discarded(event: ev.Discarded) -> Text:
    if event.price:
        return Text(
            "{seat}: {cards} discarded for {price}.", seat=_seat(event), cards=_cards(event.cards), price=event.price
        )
    return Text("{seat}: {cards} discarded.", seat=_seat(event), cards=_cards(event.cards))


def _drew(event: ev.Drew) -> Text:
    if event.cards:
        return Counted(
            "{seat}: {n} card drawn: {cards}.",
            "{seat}: {n} cards drawn: {cards}.",
            n=event.count,
            seat=_seat(event),
            cards=_cards(event.cards),
        )
    return Counted("{seat}: {n} card drawn.", "{seat}: {n} cards drawn.", n=event.count, seat=_seat(event))


def _shuffled(event: ev.Shuffled) -> Text:
    return Counted(
        "{seat}: {n} card shuffled into a new deck.",
        "{seat}: {n} cards shuffled into a new deck.",
        n=event.count,
        seat=_seat(event),
    )


def _siege_won(event: ev.SiegeWon) -> Text:
    if event.seat == event.attacker:
        if event.returned is None:
            return Text("{seat}: siege of {place} won.", seat=_seat(event), place=_place(event))
        return Text(
            "{seat}: siege of {place} won; the loser gives up {card}.",
            seat=_seat(event),
            place=_place(event),
            card=_card(event.returned),
        )
    if event.returned is None:
        return Text("{seat}: siege of {place} beaten off.", seat=_seat(event), place=_place(event))
    return Text(
        "{seat}: siege of {place} beaten off; the loser gives up {card}.",
        seat=_seat(event),
        place=_place(event),
        card=_card(event.returned),
    )


def _withdrew(event: ev.Withdrew) -> Text:
    if event.returned is None:
        return Text("{seat}: withdrawn from the siege of {place}.", seat=_seat(event), place=_place(event))
    return Text(
        "{seat}: withdrawn from the siege of {place}; {card} is given up.",
        seat=_seat(event),
        place=_place(event),
        card=_card(event.returned),
    )


def _occupied(event: ev.Occupied) -> Text:
    if event.settler is None:
        return Text("{seat}: {place} occupied.", seat=_seat(event), place=_place(event))
    return Text(
        "{seat}: {place} occupied with {card}.", seat=_seat(event), place=_place(event), card=_card(event.settler)
    )


def _game_ended(event: GameEnded) -> Text:
    return outcome_sentence(event.outcome)


def outcome_sentence(outcome: Outcome) -> Text:
    """Who won, why and with which points."""
    points = tuple(
        Text("{seat} {points}", seat=Name("seat", seat), points=score) for seat, score in outcome.scores.items()
    )
    if not outcome.winners:
        return Text("The game is over by agreement, without a winner. Points: {points}.", points=points)
    winner = Name("seat", outcome.winners[0])
    if outcome.reason == "home-taken":
        return Text(
            "{winner}: victory, {place} has fallen. Points: {points}.",
            winner=winner,
            place=Name("place", outcome.detail["where"]),
            points=points,
        )
    if outcome.reason == "resignation":
        return Text("{winner}: victory, the enemy has resigned. Points: {points}.", winner=winner, points=points)
    if outcome.reason == "time":
        return Text("{winner}: victory on time. Points: {points}.", winner=winner, points=points)
    if outcome.reason == "agreed":
        return Text("{winner}: victory by agreement. Points: {points}.", winner=winner, points=points)
    return Text("{winner}: victory on points. Points: {points}.", winner=winner, points=points)


_SENTENCES: dict[type, Callable[[Any], Text | None]] = {
    ev.Opened: lambda event: Text("The game begins."),
    ev.TurnBegan: lambda event: Text("{seat}: turn {turn} begins.", seat=_seat(event), turn=event.turn),
    ev.TurnEnded: lambda event: None,
    GameEnded: _game_ended,
    ev.Passed: lambda event: Text("{seat}: passed.", seat=_seat(event)),
    ev.Drew: _drew,
    ev.Shuffled: _shuffled,
    ev.Settled: _settled,
    ev.Developed: lambda event: Text(
        "{seat}: {place} is a town now, with {cards}.",
        seat=_seat(event),
        place=_place(event),
        cards=_cards(event.cards),
    ),
    ev.Fortified: lambda event: Text(
        "{seat}: {place} fortified with {cards} for {price}.",
        seat=_seat(event),
        place=_place(event),
        cards=_cards(event.cards),
        price=event.price,
    ),
    ev.SiegeBegan: _siege_began,
    ev.Reinforced: _reinforced,
    ev.SiegeWon: _siege_won,
    ev.Withdrew: _withdrew,
    ev.Occupied: _occupied,
    ev.LeftNeutral: lambda event: Text("{seat}: {place} left neutral.", seat=_seat(event), place=_place(event)),
    ev.RaidBegan: lambda event: Text(
        "{seat}: raid on {place} with {cards}.", seat=_seat(event), place=_place(event), cards=_cards(event.cards)
    ),
    ev.RaidBlocked: lambda event: Text(
        "{seat}: the raid on {place} is blocked with {card}.",
        seat=_seat(event),
        place=_place(event),
        card=_card(event.card),
    ),
    ev.RaidSucceeded: _raid_succeeded,
    ev.AmbushBegan: lambda event: Text("{seat}: ambush with {card}.", seat=_seat(event), card=_card(event.card)),
    ev.AmbushBlocked: lambda event: Text(
        "{seat}: the ambush is blocked with {card}.", seat=_seat(event), card=_card(event.card)
    ),
    ev.CardAmbushed: _card_ambushed,
    ev.ConversionBegan: lambda event: Text(
        "{seat}: Native Americans asked for with {card}.", seat=_seat(event), card=_card(event.card)
    ),
    ev.CardConverted: _card_converted,
    ev.HandShown: _hand_shown,
    ev.MoneyTaken: lambda event: Text(
        "{seat}: {amount} money taken with {card}.", seat=_seat(event), amount=event.amount, card=_card(event.card)
    ),
    ev.MerchantSent: lambda event: Text(
        "{seat}: merchant with {cards} brings {amount} money.",
        seat=_seat(event),
        cards=_cards(event.cards),
        amount=event.amount,
    ),
    ev.FursTraded: lambda event: Text(
        "{seat}: furs traded with {cards} for {amount} money.",
        seat=_seat(event),
        cards=_cards(event.cards),
        amount=event.amount,
    ),
    ev.PiracyDone: _piracy,
    ev.Drafted: lambda event: Text(
        "{seat}: {card} drafted for {price}.", seat=_seat(event), card=_card(event.card), price=event.price
    ),
    ev.Discarded: _discarded,
    ev.Reserved: lambda event: Text("{seat}: {card} put into the reserve.", seat=_seat(event), card=_card(event.card)),
    ev.Retrieved: lambda event: Text(
        "{seat}: reserve retrieved for {price}: {cards}.",
        seat=_seat(event),
        price=event.price,
        cards=_cards(event.cards),
    ),
    ev.Governed: lambda event: Text(
        "{seat}: the Governor sends back {cards}.", seat=_seat(event), cards=_cards(event.cards)
    ),
    ev.CardFetched: lambda event: Text(
        "{seat}: the Intendant fetches {card} for {price}.",
        seat=_seat(event),
        card=_card(event.card),
        price=event.price,
    ),
    ev.HomeSupportPlayed: lambda event: Text("{seat}: Home Support.", seat=_seat(event)),
    ev.HomeSupportDiscarded: lambda event: None,
}


def sentence(event: Any) -> Text | None:
    """The sentence of an event as someone sees it; None for events that only keep the books."""
    return _SENTENCES[type(event)](event)
