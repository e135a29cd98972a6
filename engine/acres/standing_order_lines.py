"""Standing orders as lines, read and written; `engine.acres.standing_orders` says what the lines mean."""

from __future__ import annotations

from collections.abc import Sequence

from engine.acres.actions import HAND, RESERVE
from engine.acres.names import printed_names
from engine.acres.standing_orders import ALLOW, ASK, BLOCK, LEAVE, LOSE, OCCUPY, QUESTIONS, Order, StandingOrders
from engine.kernel.notation import NameTable, Phrase, fold, words
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text, quoted

_WITH_PLACES = ("raid", "siege", "conquest")
_PLACES = NameTable("place", printed_names("place"))
_CARDS = NameTable("card", printed_names("card"))


def read_standing(lines: Sequence[str]) -> StandingOrders:
    """Read standing orders from their lines. `Unreadable` points at the word that is wrong and says what would be
    right."""
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
    if word not in QUESTIONS:
        raise Unreadable(
            "standing.question",
            Text(
                "“{word}” is not a question; orders begin with one of {known}.",
                word=head[0].text,
                known=quoted(tuple(QUESTIONS)),
            ),
            word=head[0].span,
        )
    places: tuple[str, ...] = ()
    if len(head) > 1:
        if word not in _WITH_PLACES or fold(head[1].text) not in ("on", "of") or len(head) == 2:
            raise _shape(head[1].span)
        places = tuple(_PLACES.find(phrase) for phrase in _split(head[2:], line))
    do = fold(tail[0].text)
    if do not in QUESTIONS[word][1]:
        raise Unreadable(
            "standing.answer",
            Text(
                "“{word}” is not an order here; it may be one of {known}.",
                word=tail[0].text,
                known=quoted(QUESTIONS[word][1]),
            ),
            word=tail[0].span,
        )
    return _read_cards(Order(word, do, places), tail[1:], line)


def _read_cards(order: Order, tail: list[Phrase], line: str) -> Order:
    """Read what follows the verb: `with A, B`, `with any except A`, `A, B from reserve`, `from reserve`."""
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
    # Only cards to be lost may lie elsewhere than in the hand.
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
    """Split phrases at commas."""
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
    """Return the canonical lines."""
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
