"""How each event changes the state. Never judges, never draws; what did not change is shared with the old state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.acres import data
from engine.acres import events as ev
from engine.acres.actions import HAND, RESERVE
from engine.acres.data import CARDS, NEUTRAL, OTHER, SEATS, TOWN, VILLAGE
from engine.acres.editions import read_options
from engine.acres.state import (
    Board,
    Cards,
    Holding,
    Player,
    Question,
    Siege,
    State,
    siege_half,
    with_sorted,
    without,
)
from engine.kernel.title import GameEnded


def apply(state: State | None, event: Any) -> State:
    """The state after the event; the first event of a game applies to None."""
    effect: Callable[[Any, Any], State] = EFFECTS[type(event)]
    return effect(state, event)


# -- helpers --------------------------------------------------------------------------------------


def _play(player: Player, cards: Cards, **changes: Any) -> Player:
    """The cards go from the hand to the top of the discard pile (R3.7); other fields change with it."""
    return player._replace(hand=without(player.hand, cards), discard=player.discard + cards, **changes)


def _done(state: State, seat: str, player: Player, **changes: Any) -> State:
    """The state with this seat's zones changed."""
    return state._replace(players={**state.players, seat: player}, **changes)


def _acted(state: State, seat: str, player: Player, **changes: Any) -> State:
    """The same, one action used up."""
    return _done(state, seat, player, actions_left=state.actions_left - 1, **changes)


def _send_home(state: State, seat: str, cards: Iterable[str]) -> State:
    """Cards that left this seat's deck go to where they are available (own piles or the neutral display)."""
    kinds = CARDS[seat]
    for card in cards:
        kind = kinds[card]
        player = state.players[seat]
        if kind.home == NEUTRAL:
            state = state._replace(neutral=with_sorted(state.neutral, (card,)))
        elif kind.location:
            state = _done(state, seat, player._replace(locations=with_sorted(player.locations, (card,))))
        else:
            state = _done(state, seat, player._replace(empire=with_sorted(player.empire, (card,))))
    return state


def _take_location_card(player: Player, place: str) -> Player:
    """The place's card comes from the available location cards to the top of the discard pile (R5.2)."""
    return player._replace(locations=without(player.locations, (place,)), discard=(*player.discard, place))


# -- opening and turns ----------------------------------------------------------------------------


def _opened(_: None, event: ev.Opened) -> State:
    edition = read_options(event.options)
    players, holdings = {}, {}
    for place in data.PLACES.values():
        if place.owner is not None and place.piece is not None:
            holdings[place.id] = Holding(place.owner, place.piece)
    for seat in SEATS:
        mine = [holding.piece for holding in holdings.values() if holding.owner == seat]
        players[seat] = Player(
            money=data.FIRST_MONEY[seat],
            hand=tuple(sorted(event.hands[seat])),
            draw=tuple(event.draws[seat]),
            discard=(),
            reserve=(),
            locations=tuple(sorted(c.id for c in data.ALL_CARDS if c.home == seat and c.location and not c.initial)),
            empire=_on_offer(seat),
            villages=data.VILLAGES[seat] - mine.count(VILLAGE),
            towns=data.TOWNS[seat] - mine.count(TOWN),
            captured_villages=0,
            captured_towns=0,
        )
    return State(
        edition=edition,
        turn=0,
        on_turn=SEATS[0],
        actions_left=0,
        question=None,
        due=(),
        two_due=False,
        players=players,
        neutral=_on_offer(NEUTRAL),
        board=Board(holdings),
        sieges={},
        outcome=None,
    )


def _on_offer(home: str) -> Cards:
    """The empire cards on offer when the game begins: all but those of an initial deck (R2.3)."""
    return tuple(
        sorted(c.id for c in data.ALL_CARDS if c.home == home and c.empire for _ in range(c.copies - c.initial))
    )


def _turn_began(state: State, event: ev.TurnBegan) -> State:
    return state._replace(
        turn=event.turn,
        on_turn=event.seat,
        actions_left=event.actions,
        due=event.sieges,
        two_due=len(event.sieges) == 2,
    )


def _turn_ended(state: State, event: ev.TurnEnded) -> State:
    return state


def _game_ended(state: State, event: GameEnded) -> State:
    return state._replace(outcome=event.outcome, question=None, due=())


def _passed(state: State, event: ev.Passed) -> State:
    return state._replace(actions_left=state.actions_left - 1)


def _drew(state: State, event: ev.Drew) -> State:
    player = state.players[event.seat]
    hand = with_sorted(player.hand, event.cards)
    return _done(state, event.seat, player._replace(hand=hand, draw=player.draw[len(event.cards) :]))


def _shuffled(state: State, event: ev.Shuffled) -> State:
    return _done(state, event.seat, state.players[event.seat]._replace(draw=event.cards, discard=()))


# -- R5, R6 settling and building -----------------------------------------------------------------


def _settled(state: State, event: ev.Settled) -> State:
    player = state.players[event.seat]
    player = _play(player, event.cards, villages=player.villages - event.placed)
    if event.taken:
        player = _take_location_card(player, event.place)
    board = state.board.put(event.place, Holding(event.seat, VILLAGE)) if event.placed else state.board
    return _acted(state, event.seat, player, board=board)


def _developed(state: State, event: ev.Developed) -> State:
    player = state.players[event.seat]
    player = _play(player, event.cards, villages=player.villages + 1, towns=player.towns - 1)
    holding = state.board.holdings[event.place]
    return _acted(state, event.seat, player, board=state.board.put(event.place, holding._replace(piece=TOWN)))


def _fortified(state: State, event: ev.Fortified) -> State:
    player = state.players[event.seat]
    player = _play(player, event.cards, money=player.money - event.price)
    holding = state.board.holdings[event.place]
    return _acted(state, event.seat, player, board=state.board.put(event.place, holding._replace(fort=True)))


# -- R7-R9, R12 sieges ----------------------------------------------------------------------------


def _siege_began(state: State, event: ev.SiegeBegan) -> State:
    player = state.players[event.seat]
    hand = without(player.hand, (*event.cards, event.force))
    player = player._replace(hand=hand, discard=player.discard + event.cards, money=player.money - event.price)
    siege = Siege(event.place, event.strength, (event.force,), ())
    return _acted(state, event.seat, player, sieges={**state.sieges, event.seat: siege})


def _reinforced(state: State, event: ev.Reinforced) -> State:
    player = state.players[event.seat]
    player = player._replace(hand=without(player.hand, (event.card,)), money=player.money - event.price)
    siege = state.sieges[event.attacker]._replace(strength=event.strength)
    if event.seat == event.attacker:
        siege = siege._replace(attacking=with_sorted(siege.attacking, (event.card,)))
    else:
        siege = siege._replace(defending=with_sorted(siege.defending, (event.card,)))
    spend = _done if event.free else _acted
    return spend(state, event.seat, player, sieges={**state.sieges, event.attacker: siege})


def _siege_over(state: State, attacker: str, winner: str, returned: str | None) -> State:
    """R9.3, R9.6, R9.7: cards and marker come back; a beaten defender's piece is captured."""
    siege = state.sieges[attacker]
    loser = OTHER[winner]
    players = dict(state.players)
    players[winner] = _back_from_siege(players[winner], siege_half(siege, attacker, winner))
    kept = siege_half(siege, attacker, loser)
    if returned is not None:
        kept = without(kept, (returned,))
    players[loser] = _back_from_siege(players[loser], kept)
    board, question = state.board, state.question
    if winner == attacker:
        players[winner] = _capture(players[winner], board.holdings[siege.place].piece)
        board = board.put(siege.place, None)
        question = Question("conquest", winner, siege.place)
    sieges = {key: other for key, other in state.sieges.items() if key != attacker}
    due = tuple(key for key in state.due if key != attacker)
    state = state._replace(players=players, board=board, question=question, sieges=sieges, due=due)
    return state if returned is None else _send_home(state, loser, (returned,))


def _back_from_siege(player: Player, cards: Cards) -> Player:
    return player._replace(discard=player.discard + cards)


def _capture(player: Player, piece: str) -> Player:
    if piece == TOWN:
        return player._replace(captured_towns=player.captured_towns + 1)
    return player._replace(captured_villages=player.captured_villages + 1)


def _siege_won(state: State, event: ev.SiegeWon) -> State:
    return _siege_over(state, event.attacker, event.seat, event.returned)


def _withdrew(state: State, event: ev.Withdrew) -> State:
    state = _siege_over(state, event.attacker, OTHER[event.seat], event.returned)
    return state if event.free else state._replace(actions_left=state.actions_left - 1)


def _occupied(state: State, event: ev.Occupied) -> State:
    player = state.players[event.seat]
    if event.settler is not None:
        player = _play(player, (event.settler,))
    player = player._replace(villages=player.villages - 1)
    if event.taken:
        player = _take_location_card(player, event.place)
    board = state.board.put(event.place, Holding(event.seat, VILLAGE))
    return _done(state, event.seat, player, board=board, question=None)


def _left_neutral(state: State, event: ev.LeftNeutral) -> State:
    return state._replace(question=None)


# -- R10 raid, ambush, conversion -----------------------------------------------------------------


def _raid_began(state: State, event: ev.RaidBegan) -> State:
    player = state.players[event.seat]
    player = _play(player, event.cards, money=player.money - event.price)
    return _acted(state, event.seat, player, question=Question("raid", OTHER[event.seat], event.place))


def _blocked(state: State, event: ev.RaidBlocked | ev.AmbushBlocked) -> State:
    return _done(state, event.seat, _play(state.players[event.seat], (event.card,)), question=None)


def _raid_succeeded(state: State, event: ev.RaidSucceeded) -> State:
    owner = OTHER[event.seat]
    players = dict(state.players)
    players[event.seat] = _capture(players[event.seat], event.piece)
    if event.village_left:
        players[owner] = players[owner]._replace(villages=players[owner].villages - 1)
        left = state.board.holdings[event.place]._replace(piece=VILLAGE)
        board = state.board.put(event.place, left)
    else:
        board = state.board.put(event.place, None)
    sieges = state.sieges
    if event.lifted is not None:
        siege = sieges[event.lifted]
        for seat in SEATS:
            players[seat] = _back_from_siege(players[seat], siege_half(siege, event.lifted, seat))
        sieges = {key: other for key, other in sieges.items() if key != event.lifted}
    return state._replace(players=players, board=board, sieges=sieges, question=None)


def _ambush_began(state: State, event: ev.AmbushBegan) -> State:
    player = state.players[event.seat]
    player = _play(player, (event.card,), money=player.money - event.price)
    return _acted(state, event.seat, player, question=Question("ambush", OTHER[event.seat]))


def _conversion_began(state: State, event: ev.ConversionBegan) -> State:
    player = _play(state.players[event.seat], (event.card,))
    return _acted(state, event.seat, player, question=Question("convert", OTHER[event.seat]))


def _take_from(state: State, seat: str, card: str, source: str) -> State:
    """The card leaves the seat's hand or reserve and is nowhere for the moment."""
    player = state.players[seat]
    if source == HAND:
        return _done(state, seat, player._replace(hand=without(player.hand, (card,))))
    assert source == RESERVE
    return _done(state, seat, player._replace(reserve=without(player.reserve, (card,))))


def _card_ambushed(state: State, event: ev.CardAmbushed) -> State:
    if event.attacker is not None and event.strength is not None:  # from a siege box (option, C7)
        siege = state.sieges[event.attacker]._replace(strength=event.strength)
        if event.seat == event.attacker:
            siege = siege._replace(attacking=without(siege.attacking, (event.card,)))
        else:
            siege = siege._replace(defending=without(siege.defending, (event.card,)))
        state = state._replace(sieges={**state.sieges, event.attacker: siege})
    else:
        state = _take_from(state, event.seat, event.card, event.source)
    return _send_home(state, event.seat, (event.card,))._replace(question=None)


def _card_converted(state: State, event: ev.CardConverted) -> State:
    state = _take_from(state, event.seat, event.card, event.source)
    taker = OTHER[event.seat]
    player = state.players[taker]
    return _done(state, taker, player._replace(discard=(*player.discard, event.card)), question=None)


def _hand_shown(state: State, event: ev.HandShown) -> State:
    return state._replace(question=None)


# -- R11 money and cards --------------------------------------------------------------------------


def _money_taken(state: State, event: ev.MoneyTaken) -> State:
    player = state.players[event.seat]
    return _acted(state, event.seat, _play(player, (event.card,), money=player.money + event.amount))


def _sold(state: State, event: ev.MerchantSent | ev.FursTraded) -> State:
    player = state.players[event.seat]
    return _acted(state, event.seat, _play(player, event.cards, money=player.money + event.amount))


def _piracy_done(state: State, event: ev.PiracyDone) -> State:
    victim = OTHER[event.seat]
    robbed = state.players[victim]
    state = _done(state, victim, robbed._replace(money=robbed.money - event.stolen))
    player = state.players[event.seat]
    return _acted(state, event.seat, _play(player, event.cards, money=player.money + event.amount))


def _drafted(state: State, event: ev.Drafted) -> State:
    player = state.players[event.seat]
    money, discard = player.money - event.price, (*player.discard, event.card)
    if CARDS[event.seat][event.card].home == NEUTRAL:
        player = player._replace(money=money, discard=discard)
        return _acted(state, event.seat, player, neutral=without(state.neutral, (event.card,)))
    player = player._replace(money=money, discard=discard, empire=without(player.empire, (event.card,)))
    return _acted(state, event.seat, player)


def _discarded(state: State, event: ev.Discarded) -> State:
    player = state.players[event.seat]
    return _acted(state, event.seat, _play(player, event.cards, money=player.money - event.price))


def _reserved(state: State, event: ev.Reserved) -> State:
    player = state.players[event.seat]
    hand, reserve = without(player.hand, (event.card,)), with_sorted(player.reserve, (event.card,))
    return _acted(state, event.seat, player._replace(hand=hand, reserve=reserve))


def _retrieved(state: State, event: ev.Retrieved) -> State:
    player = state.players[event.seat]
    hand = with_sorted(player.hand, event.cards)
    return _done(state, event.seat, player._replace(hand=hand, reserve=(), money=player.money - event.price))


def _governed(state: State, event: ev.Governed) -> State:
    player = _play(state.players[event.seat], ("governor",))
    player = player._replace(hand=without(player.hand, event.cards))
    return _send_home(_acted(state, event.seat, player), event.seat, event.cards)


def _card_fetched(state: State, event: ev.CardFetched) -> State:
    player = state.players[event.seat]
    discard = without(player.discard, (event.card,))
    hand = with_sorted(without(player.hand, ("intendant",)), (event.card,))
    player = player._replace(hand=hand, discard=(*discard, "intendant"), money=player.money - event.price)
    return _acted(state, event.seat, player)


def _home_support_played(state: State, event: ev.HomeSupportPlayed) -> State:
    return state


def _home_support_discarded(state: State, event: ev.HomeSupportDiscarded) -> State:
    return _done(state, event.seat, _play(state.players[event.seat], ("home-support",)))


EFFECTS: dict[type, Callable[[Any, Any], State]] = {
    ev.Opened: _opened,
    ev.TurnBegan: _turn_began,
    ev.TurnEnded: _turn_ended,
    GameEnded: _game_ended,
    ev.Passed: _passed,
    ev.Drew: _drew,
    ev.Shuffled: _shuffled,
    ev.Settled: _settled,
    ev.Developed: _developed,
    ev.Fortified: _fortified,
    ev.SiegeBegan: _siege_began,
    ev.Reinforced: _reinforced,
    ev.SiegeWon: _siege_won,
    ev.Withdrew: _withdrew,
    ev.Occupied: _occupied,
    ev.LeftNeutral: _left_neutral,
    ev.RaidBegan: _raid_began,
    ev.RaidBlocked: _blocked,
    ev.RaidSucceeded: _raid_succeeded,
    ev.AmbushBegan: _ambush_began,
    ev.AmbushBlocked: _blocked,
    ev.CardAmbushed: _card_ambushed,
    ev.ConversionBegan: _conversion_began,
    ev.CardConverted: _card_converted,
    ev.HandShown: _hand_shown,
    ev.MoneyTaken: _money_taken,
    ev.MerchantSent: _sold,
    ev.FursTraded: _sold,
    ev.PiracyDone: _piracy_done,
    ev.Drafted: _drafted,
    ev.Discarded: _discarded,
    ev.Reserved: _reserved,
    ev.Retrieved: _retrieved,
    ev.Governed: _governed,
    ev.CardFetched: _card_fetched,
    ev.HomeSupportPlayed: _home_support_played,
    ev.HomeSupportDiscarded: _home_support_discarded,
}
