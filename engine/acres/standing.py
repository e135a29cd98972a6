"""Answers given ahead of time, and answers that need no asking.

Standing orders are lines such as

    raid on pemaquid: block with any except rangers
    raid: allow
    ambush: block with militia, native-americans
    ambush: lose militia, regular-infantry from reserve
    convert: lose from reserve
    siege of louisbourg: lose militia
    conquest of halifax: occupy with boston, settlers
    ambush: ask

The first line that fits the question and gives a legal answer decides; `ask` stops the search. `allow` to an ambush
means not to block; if more than one card could be lost, the next lines choose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.acres import actions as act
from engine.acres.actions import HAND, RESERVE
from engine.acres.data import CAPITALS_TO_TAKE, CARDS, PLACES
from engine.acres.names import printed_names
from engine.acres.rules import decision, legal, play
from engine.acres.siege_ends import ATTACKER_WINS_AT, DEFENDER_WINS_AT, losses
from engine.acres.state import State
from engine.kernel.chance import ChanceExhausted, ScriptedChance
from engine.kernel.notation import NameTable, Phrase, fold, words
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text, quoted
from engine.kernel.title import Foreseen

ASK, ALLOW, BLOCK, LOSE, OCCUPY, LEAVE = "ask", "allow", "block", "lose", "occupy", "leave"
_QUESTIONS = {  # the word of the line → the kind of decision and what may be ordered
    "raid": ("raid", (ASK, ALLOW, BLOCK)),
    "ambush": ("ambush", (ASK, ALLOW, BLOCK, LOSE)),
    "convert": ("convert", (ASK, LOSE)),
    "siege": ("siege-loss", (ASK, LOSE)),
    "conquest": ("conquest", (ASK, OCCUPY, LEAVE)),
}
_WORD_OF = {kind: word for word, (kind, _) in _QUESTIONS.items()}
_WITH_PLACES = ("raid", "siege", "conquest")


@dataclass(frozen=True, slots=True)
class Order:
    """One line. `places` empty: everywhere. `cards` in order of preference, empty: any; a card may carry a source."""

    word: str
    do: str
    places: tuple[str, ...] = ()
    cards: tuple[tuple[str, str], ...] = ()
    """Card and where it comes from (HAND, RESERVE or "" for either; the card is "" for `lose from reserve`)."""
    never: tuple[str, ...] = ()
    """Cards that are not used: `any except ...`."""


StandingOrders = tuple[Order, ...]


# -- picking the answer ---------------------------------------------------------------------------


def answer(state: State, seat: str, orders: StandingOrders) -> act.Action | None:
    """The answer that the orders give to the question this seat is asked; None: the seat must be asked."""
    due = decision(state)
    if due is None or due.seat != seat or due.kind == "action":
        return None
    word = _WORD_OF[due.kind]
    place = state.question.place if state.question else state.sieges[state.due[0]].place
    choices = legal(state)
    for order in orders:
        if order.word != word or (order.places and place not in order.places):
            continue
        if order.do == ASK:
            return None
        found: act.Action | None = _PICK[order.do](order, choices)
        if found is not None:
            return found
    return None


def _allow(order: Order, choices: list[Any]) -> Any | None:
    unblocked = [choice for choice in choices if not isinstance(choice, act.Block)]
    return unblocked[0] if len(unblocked) == 1 else None


def _block(order: Order, choices: list[Any]) -> Any | None:
    blocks = {choice.card: choice for choice in choices if isinstance(choice, act.Block)}
    wanted = [card for card, _ in order.cards] or list(blocks)
    return next((blocks[card] for card in wanted if card in blocks and card not in order.never), None)


def _lose(order: Order, choices: list[Any]) -> Any | None:
    losable = [choice for choice in choices if isinstance(choice, act.Lose)]
    for card, source in order.cards or (("", ""),):
        for choice in losable:
            if card in ("", choice.card) and source in ("", choice.source) and choice.card not in order.never:
                return choice
    return None


def _occupy(order: Order, choices: list[Any]) -> Any | None:
    ways = {choice.settler: choice for choice in choices if isinstance(choice, act.Occupy)}
    if None in ways:
        return ways[None]
    wanted = [card for card, _ in order.cards] or [card for card in ways if card is not None]
    return next((ways[card] for card in wanted if card in ways and card not in order.never), None)


def _leave(order: Order, choices: list[Any]) -> Any | None:
    return next((choice for choice in choices if isinstance(choice, act.Leave)), None)


_PICK = {ALLOW: _allow, BLOCK: _block, LOSE: _lose, OCCUPY: _occupy, LEAVE: _leave}


def forced(state: State) -> act.Action | None:
    """The only answer where everybody can see that it is the only one, and `show-hand`, which shows it anyway.

    None where the hidden hand decides how many answers there are: then even a pause would tell.
    """
    due = decision(state)
    if due is None or due.kind == "action":
        return None
    choices: list[act.Action] = legal(state)
    if len(choices) != 1:
        return None
    hand_matters = state.players[due.seat].hand != () and due.kind != "siege-loss"
    if due.kind == "conquest" and not state.players[due.seat].villages:
        hand_matters = False
    return choices[0] if not hand_matters or choices[0] == act.ShowHand() else None


def reveals(state: State, action: act.Action) -> bool:
    """Whether the action draws cards, asks the other seat or ends the turn, so that it cannot be taken back."""
    due = decision(state)
    if due is None:
        return False
    try:
        happened = play(state, due.seat, action, ScriptedChance())
    except ChanceExhausted:
        return True
    if any(event.shows or event.ends_turn for event in happened.events):
        return True
    after = decision(happened.state)
    return after is None or after.seat != due.seat


def foreseen(state: State, seat: str) -> tuple[Foreseen, ...]:
    """What the seat may be asked in the other's next turn and can order now; the answers are standing orders.

    The card that a lost siege costs is certain if the siege stays as it is; whether the other withdraws is not.
    """
    found = []
    for attacker, siege in sorted(state.sieges.items()):
        mine = attacker == seat
        lost = siege.strength <= DEFENDER_WINS_AT if mine else siege.strength >= ATTACKER_WINS_AT
        game_over = not mine and siege.place in CAPITALS_TO_TAKE[attacker]
        cards = losses(state, attacker, seat)
        if lost and not game_over and len(cards) > 1 and attacker not in state.due:
            answers = tuple(f"siege of {siege.place}: lose {card}" for card in cards)
            found.append(Foreseen("siege-loss", siege.place, answers, certain=True))
        if mine and siege.place not in CAPITALS_TO_TAKE[seat] and state.players[seat].villages:
            settlers = [card for card in dict.fromkeys(state.players[seat].hand) if CARDS[seat][card].settler]
            ways = (
                [f"conquest of {siege.place}: occupy with {card}" for card in settlers]
                if PLACES[siege.place].settler
                else [f"conquest of {siege.place}: occupy"]
            )
            answers = (*ways, f"conquest of {siege.place}: leave")
            found.append(Foreseen("conquest", siege.place, answers, certain=False))
    return tuple(found)


# -- text -----------------------------------------------------------------------------------------

_PLACES = NameTable("place", printed_names("place"))
_CARDS = NameTable("card", printed_names("card"))


def read_standing(lines: Sequence[str]) -> StandingOrders:
    """Standing orders from their lines. `Unreadable` points at the word that is wrong and says what would be right."""
    return tuple(_read_line(line) for line in lines if line.strip())


def _shape(span: tuple[int, int]) -> Unreadable:
    return Unreadable(
        "standing.shape",
        Text("Write it like this: {example}", example="raid on pemaquid: block with any except rangers"),
        word=span,
    )


def _read_line(line: str) -> Order:
    said = words(line)
    colon = next((i for i, word in enumerate(said) if word.text == ":"), None)
    if colon is None or colon == 0 or colon == len(said) - 1:
        raise _shape((0, len(line)))
    head, tail = said[:colon], said[colon + 1 :]
    word = fold(head[0].text)
    if word not in _QUESTIONS:
        raise Unreadable(
            "standing.question",
            Text("“{word}” is no question; orders begin with one of {known}.",
                 word=head[0].text, known=quoted(tuple(_QUESTIONS))),
            word=head[0].span,
        )  # fmt: skip
    places: tuple[str, ...] = ()
    if len(head) > 1:
        if word not in _WITH_PLACES or fold(head[1].text) not in ("on", "of") or len(head) == 2:
            raise _shape(head[1].span)
        places = tuple(_PLACES.find(phrase) for phrase in _split(head[2:], line))
    do = fold(tail[0].text)
    if do not in _QUESTIONS[word][1]:
        raise Unreadable(
            "standing.answer",
            Text(
                "“{word}” is no order here; it may be one of {known}.",
                word=tail[0].text,
                known=quoted(_QUESTIONS[word][1]),
            ),
            word=tail[0].span,
        )
    return _read_cards(Order(word, do, places), tail[1:], line)


def _read_cards(order: Order, tail: list[Phrase], line: str) -> Order:
    """What stands behind the verb: `with A, B`, `with any except A`, `A, B from reserve`, `from reserve`."""
    if order.do in (ASK, ALLOW, LEAVE):
        if tail:
            raise _shape(tail[0].span)
        return order
    if tail and order.do in (BLOCK, OCCUPY):
        if fold(tail[0].text) != "with" or len(tail) == 1:
            raise _shape(tail[0].span)
        tail = tail[1:]
    if order.do == LOSE and not tail:
        raise _shape((len(line), len(line)))
    never: list[str] = []
    if tail and fold(tail[0].text) == "any":
        if len(tail) > 1:
            if fold(tail[1].text) != "except" or len(tail) == 2:
                raise _shape(tail[1].span)
            never = [_CARDS.find(phrase) for phrase in _split(tail[2:], line)]
        tail = []
    # Only what is lost may lie elsewhere than in the hand.
    read = _card_and_source if order.do == LOSE else lambda phrase: (_CARDS.find(phrase), "")
    cards = tuple(read(phrase) for phrase in _split(tail, line))
    return Order(order.word, order.do, order.places, cards, tuple(never))


def _card_and_source(phrase: Phrase) -> tuple[str, str]:
    parts = phrase.text.split()
    source = ""
    if len(parts) > 1 and parts[-2].lower() == "from" and fold(parts[-1]) in (HAND, RESERVE):
        source = fold(parts[-1])
        parts = parts[:-2]
    if not parts:
        return "", source
    text = phrase.text if not source else phrase.text[: phrase.text.lower().rindex("from")].rstrip()
    return _CARDS.find(Phrase(text, phrase.start, phrase.start + len(text))), source


def _split(said: list[Phrase], line: str) -> list[Phrase]:
    """Phrases between commas."""
    phrases: list[Phrase] = []
    part: list[Phrase] = []
    for word in [*said, Phrase(",", len(line), len(line))]:
        if word.text == ",":
            if part:
                phrases.append(Phrase(line[part[0].start : part[-1].end], part[0].start, part[-1].end))
            elif said:
                raise _shape(word.span)
            part = []
        else:
            part.append(word)
    return phrases


def write_standing(orders: StandingOrders) -> list[str]:
    """The canonical lines."""
    return [_write_line(order) for order in orders]


def _write_line(order: Order) -> str:
    joint = "on" if order.word == "raid" else "of"
    head = f"{order.word} {joint} {', '.join(order.places)}" if order.places else order.word
    if order.do in (ASK, ALLOW, LEAVE):
        return f"{head}: {order.do}"
    cards = ", ".join(" ".join(filter(None, (card, source and f"from {source}"))) for card, source in order.cards)
    if order.never:
        cards = f"any except {', '.join(order.never)}"
    joiner = " with " if order.do in (BLOCK, OCCUPY) else " "
    if not cards:
        return f"{head}: {order.do}" if order.do == OCCUPY else f"{head}: {order.do}{joiner}any"
    return f"{head}: {order.do}{joiner}{cards}"
