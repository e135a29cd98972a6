"""The text notation: one step per line, as in records and as players type it.

A line is a verb, then phrases that a keyword introduces: `settle PLACE from CARD with CARD settler CARD`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from engine.acres import actions as act
from engine.acres.actions import HAND, RESERVE
from engine.acres.data import CARDS, PLACES
from engine.acres.names import printed_names
from engine.acres.rules import decision, legal
from engine.acres.state import State, siege_half
from engine.kernel.notation import NameTable, Phrase, closest, fold, join, words
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Name, Text, quoted
from engine.kernel.title import Choice

_PLACES = NameTable("place", printed_names("place"))
_CARDS = NameTable("card", printed_names("card"))
_OF_SIDE = {side: frozenset(kinds) for side, kinds in CARDS.items()}

_ANSWERS = ("block", "allow", "lose", "show-hand", "occupy", "leave")
_MEANT = {
    "attack": "besiege", "build": "develop", "buy": "draft", "colonise": "settle", "colonize": "settle",
    "defend": "block", "done": "end", "fight": "besiege", "found": "settle", "get": "money", "no": "allow",
    "recruit": "draft", "sell": "trade", "skip": "pass", "take": "money", "upgrade": "develop", "yes": "allow",
}  # fmt: skip
"""Other words that people write for a step."""
_SMALL_WORDS = {"block": "with", "money": "from"}
"""A word that may stand right after the verb, as in answers given ahead of time."""

Phrases = dict[str, Phrase]


def read(state: State, seat: str, line: str) -> act.Action:
    """Return the action that the line means for this seat. `Unreadable` points at the word and says what would be
    right."""
    said = words(line)
    if not said:
        raise Unreadable("line.empty", Text("The line is empty."))
    asked = state.question is not None and state.question.seat == seat
    verb, rest = _verb(said, asked)
    if rest and fold(rest[0].text) == _SMALL_WORDS.get(verb):
        rest = rest[1:]
    try:
        return _Reader(state, seat, verb, _phrases(verb, rest, line)).action()
    except _Misshapen as misshapen:
        raise _shape(state, seat, verb, misshapen.span) from None


def _verb(said: list[Phrase], asked: bool) -> tuple[str, list[Phrase]]:
    """Return the verb and what follows it; `asked` is set when the seat owes an answer."""
    first = said[0].text
    if first in _TABLE:
        return first, said[1:]
    if len(said) > 1 and fold(f"{first} {said[1].text}") in _VERBS:  # "home support", "show hand"
        return fold(f"{first} {said[1].text}"), said[2:]
    folded = fold(first)
    if folded in _VERBS:
        return _VERBS[folded], said[1:]
    begun = [verb for verb in _VERBS if folded and verb.startswith(folded)]
    if len(begun) == 1:
        return begun[0], said[1:]
    meant = tuple(begun) or tuple(filter(None, [_MEANT.get(folded)])) or closest(first, _VERBS)
    if meant:
        why = Text("“{word}” is not a step; perhaps {meant}?", word=first, meant=meant)
    else:
        verbs = tuple(verb for verb in _TABLE if (verb in _ANSWERS) == asked)
        why = Text("“{word}” is not a step; a line begins with one of {verbs}.", word=first, verbs=quoted(verbs))
    raise Unreadable("line.verb", why, word=said[0].span)


def _phrases(verb: str, said: list[Phrase], line: str) -> Phrases:
    """Return the words after the verb, cut at the keywords that this verb has."""
    grammar = _GRAMMAR[verb]
    found: Phrases = {}
    keyword, part = "", list[Phrase]()

    def close(at: Phrase | None) -> None:
        if part:
            if keyword not in grammar:
                raise _Misshapen(part[0].span)
            found[keyword] = join(part, line)
        elif keyword:
            raise _Misshapen(at.span if at else (len(line), len(line)))

    for word in said:
        text = word.text if word.text in grammar else word.text.lower()
        if text in grammar and text != "":
            close(word)
            if text in found or text == keyword:
                raise _Misshapen(word.span)
            keyword, part = text, []
        else:
            part.append(word)
    close(None)
    for wanted, needed in grammar.items():
        if needed and wanted not in found:
            raise _Misshapen((len(line), len(line)))
    return found


class _Misshapen(Exception):
    """The words after a verb, from `span` on, do not fit it."""

    def __init__(self, span: tuple[int, int]) -> None:
        super().__init__()
        self.span = span


def _shape(state: State, seat: str, verb: str, span: tuple[int, int]) -> Unreadable:
    """Return the error for a malformed line: it shows the right form, with a line that can be played now if there is
    one."""
    form = _TABLE[verb].form
    line = _line_now(state, seat, verb)
    if line in ("", form):
        why = Text("Write it like this: {example}", example=form)
    else:
        why = Text("Write it like this: {form}, for example “{example}”.", form=form, example=line)
    return Unreadable("line.shape", why, word=span)


def _line_now(state: State, seat: str, verb: str) -> str:
    """Return the first line with this verb that the seat may play; "" if there is none."""
    due = decision(state)
    if due is None or due.seat != seat:
        return ""
    items = legal(state)
    lines = (write(state, item.smallest()[0] if isinstance(item, Choice) else item) for item in items)
    return next((line for line in lines if line.split(" ")[0] == verb), "")


class _Reader:
    """Turns the phrases of one line into an action."""

    def __init__(self, state: State, seat: str, verb: str, phrases: Phrases) -> None:
        self.state = state
        self.seat = seat
        self.verb = verb
        self.phrases = phrases
        self.me = state.players[seat]

    def action(self) -> act.Action:
        return _TABLE[self.verb].read(self)

    # -- names ------------------------------------------------------------------------------------

    def place(self, keyword: str = "") -> str:
        phrase = self.phrases[keyword]
        near = [siege.place for siege in self.state.sieges.values()]
        return _PLACES.find(phrase, near)

    def card(self, keyword: str = "", at_hand: Iterable[str] | None = None) -> str:
        return self._card(self.phrases[keyword], at_hand)

    def card_or_none(self, keyword: str) -> str | None:
        return self.card(keyword) if keyword in self.phrases else None

    def _card(self, phrase: Phrase, at_hand: Iterable[str] | None) -> str:
        called = _CARDS.called(phrase.text)
        if called and not called & _OF_SIDE[self.seat]:
            why = Text("{card} is a card of the other side (R1.6).", card=Name("card", min(called)))
            raise Unreadable("name.others", why, word=phrase.span)
        return _CARDS.find(phrase, self.me.hand if at_hand is None else at_hand, _OF_SIDE[self.seat])

    def cards(self, keyword: str = "") -> tuple[str, ...]:
        """Return a list of names; their order has no meaning, so it is kept sorted."""
        phrase = self.phrases[keyword]
        found = []
        start = phrase.start
        for part in phrase.text.replace(";", ",").split(","):
            name = part.strip()
            begin = start + len(part) - len(part.lstrip())
            if not name:
                raise _Misshapen((begin, begin + 1))
            found.append(self._card(Phrase(name, begin, begin + len(name)), None))
            start += len(part) + 1
        return tuple(sorted(found))

    # -- answers ----------------------------------------------------------------------------------

    def lose(self) -> act.Lose:
        if "from" in self.phrases:
            source = fold(self.phrases["from"].text)
            if source not in (HAND, RESERVE):
                raise _Misshapen(self.phrases["from"].span)
            return act.Lose(self.card(at_hand=(*self.me.hand, *self.me.reserve)), source)
        if "at" in self.phrases:
            place = self.place("at")
        elif self.state.due:
            place = self.state.sieges[self.state.due[0]].place
        else:
            return act.Lose(self.card(), HAND)
        boxes = [card for key, siege in self.state.sieges.items() for card in siege_half(siege, key, self.seat)]
        return act.Lose(self.card(at_hand=boxes), place)

    def withdraw(self) -> act.Withdraw:
        boxes = [card for key, siege in self.state.sieges.items() for card in siege_half(siege, key, self.seat)]
        remove = self.card("remove", boxes) if "remove" in self.phrases else None
        return act.Withdraw(self.place(), remove)


# -- writing --------------------------------------------------------------------------------------


def write(state: State, action: Any) -> str:
    """Return the canonical line of an action. Only `lose` depends on the state, when two sieges end together."""
    return _WRITE[type(action)](state, action)


def _list(cards: Iterable[str]) -> str:
    return ", ".join(cards)


def _write_settle(_: State, action: act.Settle) -> str:
    line = f"settle {action.place} from {action.card} with {action.carrier}"
    return line if action.settler is None else f"{line} settler {action.settler}"


def _write_besiege(_: State, action: act.Besiege) -> str:
    return f"besiege {action.place} from {action.card} with {action.carrier} force {action.force}"


def _write_lose(state: State, action: act.Lose) -> str:
    if action.source == HAND:
        return f"lose {action.card}"
    if action.source == RESERVE:
        return f"lose {action.card} from reserve"
    return f"lose {action.card}" if state.due and not state.two_due else f"lose {action.card} at {action.source}"


def _write_occupy(_: State, action: act.Occupy) -> str:
    return f"occupy {action.place}" if action.settler is None else f"occupy {action.place} settler {action.settler}"


def _write_withdraw(_: State, action: act.Withdraw) -> str:
    return f"withdraw {action.place}" if action.remove is None else f"withdraw {action.place} remove {action.remove}"


# -- the table ------------------------------------------------------------------------------------


class _Verb(NamedTuple):
    """A row of the table: how a line looks, the action that it means, and both ways between them."""

    form: str
    """The verb, then phrases introduced by a keyword; what may be left out or repeated stands in brackets."""
    action: type[act.Action]
    read: Callable[[_Reader], act.Action]
    write: Callable[[State, Any], str]

    def grammar(self) -> dict[str, bool]:
        """The keyword of each phrase ("" is the one right after the verb), and whether it is required."""
        phrases = self.form.partition(" ")[2].replace("[, CARD", "")
        found = re.finditer(r"(\[?)(?:([a-z]+|:) )?(?:PLACE|CARD|reserve)", phrases)
        return {phrase[2] or "": not phrase[1] for phrase in found}


_TABLE: dict[str, _Verb] = {row.form.split(" ")[0]: row for row in (
    _Verb("settle PLACE from CARD with CARD [settler CARD]", act.Settle,
          lambda line: act.Settle(line.place(), line.card("from"), line.card("with"), line.card_or_none("settler")),
          _write_settle),
    _Verb("develop PLACE with CARD", act.Develop,
          lambda line: act.Develop(line.place(), line.card("with")),
          lambda _, action: f"develop {action.place} with {action.settler}"),
    _Verb("fortify PLACE with CARD", act.Fortify,
          lambda line: act.Fortify(line.place(), line.card("with")),
          lambda _, action: f"fortify {action.place} with {action.fortification}"),
    _Verb("besiege PLACE from CARD with CARD force CARD", act.Besiege,
          lambda line: act.Besiege(line.place(), line.card("from"), line.card("with"), line.card("force")),
          _write_besiege),
    _Verb("reinforce PLACE with CARD", act.Reinforce,
          lambda line: act.Reinforce(line.place(), line.card("with")),
          lambda _, action: f"reinforce {action.place} with {action.card}"),
    _Verb("raid PLACE with CARD[, CARD...]", act.Raid,
          lambda line: act.Raid(line.place(), line.cards("with")),
          lambda _, action: f"raid {action.place} with {_list(action.cards)}"),
    _Verb("ambush with CARD", act.Ambush,
          lambda line: act.Ambush(line.card("with")),
          lambda _, action: f"ambush with {action.card}"),
    _Verb("convert with CARD", act.Convert,
          lambda line: act.Convert(line.card("with")),
          lambda _, action: f"convert with {action.card}"),
    _Verb("money CARD", act.TakeMoney,
          lambda line: act.TakeMoney(line.card()),
          lambda _, action: f"money {action.card}"),
    _Verb("merchant CARD: CARD[, CARD...]", act.Merchant,
          lambda line: act.Merchant(line.card(), line.cards(":")),
          lambda _, action: f"merchant {action.ship}: {_list(action.coins)}"),
    _Verb("trade CARD[, CARD...]", act.Trade,
          lambda line: act.Trade(line.cards()),
          lambda _, action: f"trade {_list(action.furs)}"),
    _Verb("piracy with CARD", act.Piracy,
          lambda line: act.Piracy(line.card("with")),
          lambda _, action: f"piracy with {action.ship}"),
    _Verb("draft CARD", act.Draft,
          lambda line: act.Draft(line.card(at_hand=(*line.me.empire, *line.state.neutral))),
          lambda _, action: f"draft {action.card}"),
    _Verb("discard CARD[, CARD...]", act.Discard,
          lambda line: act.Discard(line.cards()),
          lambda _, action: f"discard {_list(action.cards)}"),
    _Verb("reserve CARD", act.Reserve,
          lambda line: act.Reserve(line.card()),
          lambda _, action: f"reserve {action.card}"),
    _Verb("govern CARD[, CARD]", act.Govern,
          lambda line: act.Govern(line.cards()),
          lambda _, action: f"govern {_list(action.cards)}"),
    _Verb("intendant CARD", act.UseIntendant,
          lambda line: act.UseIntendant(line.card(at_hand=line.me.discard)),
          lambda _, action: f"intendant {action.card}"),
    _Verb("pass", act.Pass, lambda line: act.Pass(), lambda _, action: "pass"),
    _Verb("retrieve", act.Retrieve, lambda line: act.Retrieve(), lambda _, action: "retrieve"),
    _Verb("home-support", act.HomeSupport, lambda line: act.HomeSupport(), lambda _, action: "home-support"),
    _Verb("withdraw PLACE [remove CARD]", act.Withdraw, _Reader.withdraw, _write_withdraw),
    _Verb("end", act.End, lambda line: act.End(), lambda _, action: "end"),
    _Verb("block CARD", act.Block,
          lambda line: act.Block(line.card()),
          lambda _, action: f"block {action.card}"),
    _Verb("allow", act.Allow, lambda line: act.Allow(), lambda _, action: "allow"),
    _Verb("lose CARD [from reserve] [at PLACE]", act.Lose, _Reader.lose, _write_lose),
    _Verb("show-hand", act.ShowHand, lambda line: act.ShowHand(), lambda _, action: "show-hand"),
    _Verb("occupy PLACE [settler CARD]", act.Occupy,
          lambda line: act.Occupy(line.place(), line.card_or_none("settler")),
          _write_occupy),
    _Verb("leave PLACE", act.Leave,
          lambda line: act.Leave(line.place()),
          lambda _, action: f"leave {action.place}"),
)}  # fmt: skip
_GRAMMAR = {verb: row.grammar() for verb, row in _TABLE.items()}
_VERBS = {fold(verb): verb for verb in _TABLE}
_WRITE = {row.action: row.write for row in _TABLE.values()}

assert set(_WRITE) == set(act.ACTIONS)
assert all(place in _PLACES.ids for place in PLACES)
