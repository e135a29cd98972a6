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
    """Name who did it: the person, if the speaker knows one, or else the side as the subject of a sentence."""
    return Name("actor", event.seat)


def _place(event: Any) -> Name:
    return Name("place", event.place)


def _card(card: str) -> Name:
    return Name("card", card)


def _cards(cards: tuple[str, ...]) -> tuple[Name, ...]:
    return names("card", cards)


def signed(value: int) -> str:
    """Return a step of the track as the board shows it: `+2`, `0`, `−1`."""
    return f"{value:+d}".replace("-", "−") if value else "0"


def _settled(event: ev.Settled) -> Text:
    template = Text("{seat} settled {place} with {cards}.")
    if not event.placed:
        template = Text("{seat} took the card of {place} back, with {cards}.")
    return Text(template.template, seat=_seat(event), place=_place(event), cards=_cards(event.cards))


def _siege_began(event: ev.SiegeBegan) -> Text:
    return Text(
        "{seat} besieged {place} with {cards} ({strength}).",
        seat=_seat(event),
        place=_place(event),
        cards=_cards((*event.cards, event.force)),
        strength=signed(event.strength),
    )


def _reinforced(event: ev.Reinforced) -> Text:
    if event.seat == event.attacker:
        template = Text("{seat} reinforced the attack on {place} with {card} ({strength}).")
    else:
        template = Text("{seat} reinforced the defence of {place} with {card} ({strength}).")
    return Text(
        template.template,
        seat=_seat(event),
        place=_place(event),
        card=_card(event.card),
        strength=signed(event.strength),
    )


def _raid_succeeded(event: ev.RaidSucceeded) -> Text:
    template = Text("{seat} won the raid on {place}: the town is captured.")
    if event.piece != TOWN:
        template = Text("{seat} won the raid on {place}: a village is captured.")
    elif event.village_left:
        template = Text("{seat} won the raid on {place}: the town is captured, a village remains.")
    return Text(template.template, seat=_seat(event), place=_place(event))


def _card_ambushed(event: ev.CardAmbushed) -> Text:
    if event.source == HAND:
        return Text("{seat} lost {card} from the hand.", seat=_seat(event), card=_card(event.card))
    if event.source == RESERVE:
        return Text("{seat} lost {card} from the reserve.", seat=_seat(event), card=_card(event.card))
    return Text(
        "{seat} lost {card} from the siege of {place} ({strength}).",
        seat=_seat(event),
        card=_card(event.card),
        place=Name("place", event.source),
        strength=signed(event.strength or 0),
    )


def _card_converted(event: ev.CardConverted) -> Text:
    if event.source == HAND:
        return Text("{seat} handed over {card} from the hand.", seat=_seat(event), card=_card(event.card))
    return Text("{seat} handed over {card} from the reserve.", seat=_seat(event), card=_card(event.card))


def _hand_shown(event: ev.HandShown) -> Text:
    if not event.cards:
        return Text("{seat} showed the hand: nothing to lose.", seat=_seat(event))
    return Text("{seat} showed the hand, nothing to lose: {cards}.", seat=_seat(event), cards=_cards(event.cards))


def _piracy(event: ev.PiracyDone) -> Text:
    return Counted(
        "{seat} turned to piracy with {cards}: {n} coin, {stolen} from the enemy.",
        "{seat} turned to piracy with {cards}: {n} coins, {stolen} from the enemy.",
        n=event.amount,
        seat=_seat(event),
        cards=_cards(event.cards),
        stolen=event.stolen,
    )


def _discarded(event: ev.Discarded) -> Text:
    if not event.price:
        return Text("{seat} discarded {cards}.", seat=_seat(event), cards=_cards(event.cards))
    return Counted(
        "{seat} discarded {cards} for {n} coin.",
        "{seat} discarded {cards} for {n} coins.",
        n=event.price,
        seat=_seat(event),
        cards=_cards(event.cards),
    )


def _drew(event: ev.Drew) -> Text:
    if event.cards:
        return Counted(
            "{seat} drew {n} card: {cards}.",
            "{seat} drew {n} cards: {cards}.",
            n=event.count,
            seat=_seat(event),
            cards=_cards(event.cards),
        )
    return Counted("{seat} drew {n} card.", "{seat} drew {n} cards.", n=event.count, seat=_seat(event))


def _shuffled(event: ev.Shuffled) -> Text:
    return Counted(
        "{seat} shuffled {n} card into a new deck.",
        "{seat} shuffled {n} cards into a new deck.",
        n=event.count,
        seat=_seat(event),
    )


def _siege_won(event: ev.SiegeWon) -> Text:
    template = Text("{seat} beat off the siege of {place}.")
    if event.seat == event.attacker:
        template = Text("{seat} won the siege of {place}.")
    if event.returned is None:
        return Text(template.template, seat=_seat(event), place=_place(event))
    template = Text("{seat} beat off the siege of {place}; {card} is given up.")
    if event.seat == event.attacker:
        template = Text("{seat} won the siege of {place}; {card} is given up.")
    return Text(template.template, seat=_seat(event), place=_place(event), card=_card(event.returned))


def _withdrew(event: ev.Withdrew) -> Text:
    if event.returned is None:
        return Text("{seat} withdrew from the siege of {place}.", seat=_seat(event), place=_place(event))
    return Text(
        "{seat} withdrew from the siege of {place} and gave up {card}.",
        seat=_seat(event),
        place=_place(event),
        card=_card(event.returned),
    )


def _occupied(event: ev.Occupied) -> Text:
    if event.settler is None:
        return Text("{seat} occupied {place}.", seat=_seat(event), place=_place(event))
    return Text(
        "{seat} occupied {place} with {card}.", seat=_seat(event), place=_place(event), card=_card(event.settler)
    )


def _drafted(event: ev.Drafted) -> Text:
    if not event.price:
        return Text("{seat} drafted {card}.", seat=_seat(event), card=_card(event.card))
    return Counted(
        "{seat} drafted {card} for {n} coin.",
        "{seat} drafted {card} for {n} coins.",
        n=event.price,
        seat=_seat(event),
        card=_card(event.card),
    )


def _game_ended(event: GameEnded) -> Text:
    return outcome_sentence(event.outcome)


def why_ended(outcome: Outcome) -> Text | None:
    """Say what ended a game by its rules; see `Title.why_ended`."""
    if outcome.reason == "home-taken":
        return Text("{place} has fallen (R13.1).", place=Name("place", outcome.detail["where"]))
    if outcome.reason != "points":
        return None
    seat = Name("seat", outcome.detail["ended_by"])  # the side, so that it is true to each reader
    match outcome.detail["trigger"][0]:
        case "villages-placed":
            return Text("{seat}: all villages are placed (R13.2).", seat=seat)
        case "towns-placed":
            return Text("{seat}: all towns are placed (R13.2).", seat=seat)
        case _:
            return Text("{seat}: the captured pieces are worth 12 points (R13.2).", seat=seat)


def outcome_sentence(outcome: Outcome) -> Text:
    """Say who won, why and with how many points."""
    points = tuple(
        Text("{seat} {points}", seat=Name("actor", seat), points=score) for seat, score in outcome.scores.items()
    )
    if not outcome.winners:
        return Text("The game is over by agreement, without a winner. Points: {points}.", points=points)
    winner = Name("actor", outcome.winners[0])
    if outcome.reason == "home-taken":
        return Text(
            "{winner} won: {place} has fallen. Points: {points}.",
            winner=winner,
            place=Name("place", outcome.detail["where"]),
            points=points,
        )
    if outcome.reason == "resignation":
        return Text("{winner} won: the other side resigned. Points: {points}.", winner=winner, points=points)
    if outcome.reason == "ruling":
        return Text("{winner} won by a ruling. Points: {points}.", winner=winner, points=points)
    if outcome.reason == "time":
        return Text("{winner} won on time. Points: {points}.", winner=winner, points=points)
    if outcome.reason == "agreed":
        return Text("{winner} won by agreement. Points: {points}.", winner=winner, points=points)
    return Text("{winner} won on points. Points: {points}.", winner=winner, points=points)


_SENTENCES: dict[type, Callable[[Any], Text | None]] = {
    ev.Opened: lambda event: Text("The game begins."),
    ev.TurnBegan: lambda event: None,
    ev.TurnEnded: lambda event: None,
    GameEnded: _game_ended,
    ev.Passed: lambda event: Text("{seat} passed.", seat=_seat(event)),
    ev.Drew: _drew,
    ev.Shuffled: _shuffled,
    ev.Settled: _settled,
    ev.Developed: lambda event: Text(
        "{seat} made {place} a town with {cards}.", seat=_seat(event), place=_place(event), cards=_cards(event.cards)
    ),
    ev.Fortified: lambda event: Counted(
        "{seat} fortified {place} with {cards} for {n} coin.",
        "{seat} fortified {place} with {cards} for {n} coins.",
        n=event.price,
        seat=_seat(event),
        place=_place(event),
        cards=_cards(event.cards),
    ),
    ev.SiegeBegan: _siege_began,
    ev.Reinforced: _reinforced,
    ev.SiegeWon: _siege_won,
    ev.Withdrew: _withdrew,
    ev.Occupied: _occupied,
    ev.LeftNeutral: lambda event: Text("{seat} left {place} neutral.", seat=_seat(event), place=_place(event)),
    ev.RaidBegan: lambda event: Text(
        "{seat} raided {place} with {cards}.", seat=_seat(event), place=_place(event), cards=_cards(event.cards)
    ),
    ev.RaidBlocked: lambda event: Text(
        "{seat} blocked the raid on {place} with {card}.",
        seat=_seat(event),
        place=_place(event),
        card=_card(event.card),
    ),
    ev.RaidSucceeded: _raid_succeeded,
    ev.AmbushBegan: lambda event: Text("{seat} laid an ambush with {card}.", seat=_seat(event), card=_card(event.card)),
    ev.AmbushBlocked: lambda event: Text(
        "{seat} blocked the ambush with {card}.", seat=_seat(event), card=_card(event.card)
    ),
    ev.CardAmbushed: _card_ambushed,
    ev.ConversionBegan: lambda event: Text(
        "{seat} asked for Native Americans with {card}.", seat=_seat(event), card=_card(event.card)
    ),
    ev.CardConverted: _card_converted,
    ev.HandShown: _hand_shown,
    ev.MoneyTaken: lambda event: Counted(
        "{seat} took {n} coin with {card}.",
        "{seat} took {n} coins with {card}.",
        n=event.amount,
        seat=_seat(event),
        card=_card(event.card),
    ),
    ev.MerchantSent: lambda event: Counted(
        "{seat} sent a merchant with {cards}: {n} coin.",
        "{seat} sent a merchant with {cards}: {n} coins.",
        n=event.amount,
        seat=_seat(event),
        cards=_cards(event.cards),
    ),
    ev.FursTraded: lambda event: Counted(
        "{seat} traded furs with {cards} for {n} coin.",
        "{seat} traded furs with {cards} for {n} coins.",
        n=event.amount,
        seat=_seat(event),
        cards=_cards(event.cards),
    ),
    ev.PiracyDone: _piracy,
    ev.Drafted: _drafted,
    ev.Discarded: _discarded,
    ev.Reserved: lambda event: Text("{seat} put {card} into the reserve.", seat=_seat(event), card=_card(event.card)),
    ev.Retrieved: lambda event: Counted(
        "{seat} took back the reserve for {n} coin: {cards}.",
        "{seat} took back the reserve for {n} coins: {cards}.",
        n=event.price,
        seat=_seat(event),
        cards=_cards(event.cards),
    ),
    ev.Governed: lambda event: Text(
        "{seat} sent {cards} back with the Governor.", seat=_seat(event), cards=_cards(event.cards)
    ),
    ev.CardFetched: lambda event: Counted(
        "{seat} fetched {card} with the Intendant for {n} coin.",
        "{seat} fetched {card} with the Intendant for {n} coins.",
        n=event.price,
        seat=_seat(event),
        card=_card(event.card),
    ),
    ev.HomeSupportPlayed: lambda event: Text("{seat} played Home Support.", seat=_seat(event)),
    ev.HomeSupportDiscarded: lambda event: None,
}


def sentence(event: Any) -> Text | None:
    """Return the sentence of an event as its reader sees it; None for events that only keep the books."""
    return _SENTENCES[type(event)](event)
