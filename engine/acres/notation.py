"""The text notation: one step a line, as in the records and as players type it.

A line is a verb, then phrases that a keyword introduces: `settle L from CARD with CARD settler CARD`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.acres import actions as act
from engine.acres.actions import HAND, RESERVE
from engine.acres.data import CARDS, PLACES
from engine.acres.names import printed_names
from engine.acres.state import State, siege_half
from engine.kernel.notation import NameTable, Phrase, closest, fold, join, words
from engine.kernel.refusals import Unreadable
from engine.kernel.text import Text, quoted

_PLACES = NameTable("place", printed_names("place"))
_CARDS = NameTable("card", printed_names("card"))
_IDS = _PLACES.ids | _CARDS.ids
_OF_SIDE = {side: frozenset(kinds) for side, kinds in CARDS.items()}

# Verb → the keyword of each phrase ("" is the one right after the verb) and whether it must be there.
_GRAMMAR: dict[str, dict[str, bool]] = {
    "settle": {"": True, "from": True, "with": True, "settler": False},
    "develop": {"": True, "with": True},
    "fortify": {"": True, "with": True},
    "besiege": {"": True, "from": True, "with": True, "force": True},
    "reinforce": {"": True, "with": True},
    "raid": {"": True, "with": True},
    "ambush": {"with": True},
    "convert": {"with": True},
    "money": {"": True},
    "merchant": {"": True, ":": True},
    "trade": {"": True},
    "piracy": {"with": True},
    "draft": {"": True},
    "discard": {"": True},
    "reserve": {"": True},
    "govern": {"": True},
    "intendant": {"": True},
    "pass": {},
    "retrieve": {},
    "home-support": {},
    "withdraw": {"": True, "remove": False},
    "end": {},
    "block": {"": True},
    "allow": {},
    "lose": {"": True, "from": False, "at": False},
    "show-hand": {},
    "occupy": {"": True, "settler": False},
    "leave": {"": True},
}
_EXAMPLES = {
    "settle": "settle L from CARD with CARD [settler CARD]",
    "develop": "develop L with CARD",
    "fortify": "fortify L with CARD",
    "besiege": "besiege L from CARD with CARD force CARD",
    "reinforce": "reinforce L with CARD",
    "raid": "raid L with CARD[, CARD...]",
    "ambush": "ambush with CARD",
    "convert": "convert with CARD",
    "money": "money CARD",
    "merchant": "merchant CARD: CARD[, CARD...]",
    "trade": "trade CARD[, CARD...]",
    "piracy": "piracy with CARD",
    "draft": "draft CARD",
    "discard": "discard CARD[, CARD...]",
    "reserve": "reserve CARD",
    "govern": "govern CARD[, CARD]",
    "intendant": "intendant CARD",
    "withdraw": "withdraw L [remove CARD]",
    "block": "block CARD",
    "lose": "lose CARD [from reserve] [at L]",
    "occupy": "occupy L [settler CARD]",
    "leave": "leave L",
}
_VERBS = {fold(verb): verb for verb in _GRAMMAR}

Phrases = dict[str, Phrase]


def read(state: State, seat: str, line: str) -> act.Action:
    """The action that the line means for this seat. `Unreadable` points at the word and says what would be right."""
    canonical = _canonical_phrases(line)
    if canonical is not None:
        verb, phrases = canonical
    else:
        said = words(line)
        if not said:
            raise Unreadable("line.empty", Text("The line is empty."))
        verb, rest = _verb(said)
        phrases = _phrases(verb, rest, line)
    return _Reader(state, seat, line, verb, phrases).action()


def _canonical_phrases(line: str) -> tuple[str, Phrases] | None:
    """The phrases of a line as a program writes it, cut in one go; None for what needs a closer look.

    Only lines whose every phrase is one id are taken, so that a phrase's place is where the id stands.
    """
    verb, _, rest = line.partition(" ")
    grammar = _GRAMMAR.get(verb)
    if grammar is None:
        return None
    found: Phrases = {}
    keyword: str | None = ""
    at = len(verb) + 1
    for word in rest.split(" ") if rest else ():
        if keyword is not None and keyword in grammar and word in _IDS:
            found[keyword] = Phrase(word, at, at + len(word))
            keyword = None
        elif word in grammar and word not in found and word != "" and keyword in (None, ""):
            keyword = word
        else:
            return None
        at += len(word) + 1
    if keyword:
        return None
    return (verb, found) if all(key in found for key, needed in grammar.items() if needed) else None


def _verb(said: list[Phrase]) -> tuple[str, list[Phrase]]:
    first = said[0].text
    if first in _GRAMMAR:
        return first, said[1:]
    if len(said) > 1 and fold(f"{first} {said[1].text}") in _VERBS:  # "home support", "show hand"
        return fold(f"{first} {said[1].text}"), said[2:]
    folded = fold(first)
    if folded in _VERBS:
        return _VERBS[folded], said[1:]
    begun = [verb for verb in _VERBS if folded and verb.startswith(folded)]
    if len(begun) == 1:
        return begun[0], said[1:]
    meant = tuple(begun) or closest(first, _VERBS)
    if meant:
        why = Text("“{word}” is no step; perhaps {meant}?", word=first, meant=meant)
    else:
        why = Text("“{word}” is no step; a line begins with one of {verbs}.", word=first, verbs=quoted(tuple(_GRAMMAR)))
    raise Unreadable("line.verb", why, word=said[0].span)


def _phrases(verb: str, said: list[Phrase], line: str) -> Phrases:
    """The words behind the verb, cut at the keywords that this verb has."""
    grammar = _GRAMMAR[verb]
    found: Phrases = {}
    keyword, part = "", list[Phrase]()

    def close(at: Phrase | None) -> None:
        if part:
            if keyword not in grammar:
                raise _shape(verb, part[0].span)
            found[keyword] = join(part, line)
        elif keyword:
            raise _shape(verb, at.span if at else (len(line), len(line)))

    for word in said:
        text = word.text if word.text in grammar else word.text.lower()
        if text in grammar and text != "":
            close(word)
            if text in found or text == keyword:
                raise _shape(verb, word.span)
            keyword, part = text, []
        else:
            part.append(word)
    close(None)
    for wanted, needed in grammar.items():
        if needed and wanted not in found:
            raise _shape(verb, (len(line), len(line)))
    return found


def _shape(verb: str, span: tuple[int, int]) -> Unreadable:
    """The line's form is wrong; the right form is shown."""
    example = _EXAMPLES.get(verb, verb)
    return Unreadable("line.shape", Text("Write it like this: {example}", example=example), word=span)


class _Reader:
    """Turns the phrases of one line into an action."""

    def __init__(self, state: State, seat: str, line: str, verb: str, phrases: Phrases) -> None:
        self.state = state
        self.seat = seat
        self.line = line
        self.verb = verb
        self.phrases = phrases
        self.me = state.players[seat]

    def action(self) -> act.Action:
        return _READ[self.verb](self)

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
        return _CARDS.find(phrase, self.me.hand if at_hand is None else at_hand, _OF_SIDE[self.seat])

    def cards(self, keyword: str = "") -> tuple[str, ...]:
        """A list of names; their order has no meaning, so it is kept sorted."""
        phrase = self.phrases[keyword]
        found = []
        start = phrase.start
        for part in phrase.text.replace(";", ",").split(","):
            name = part.strip()
            begin = start + len(part) - len(part.lstrip())
            if not name:
                raise _shape(self.verb, (begin, begin + 1))
            found.append(self._card(Phrase(name, begin, begin + len(name)), None))
            start += len(part) + 1
        return tuple(sorted(found))

    # -- answers ----------------------------------------------------------------------------------

    def lose(self) -> act.Lose:
        if "from" in self.phrases:
            source = fold(self.phrases["from"].text)
            if source not in (HAND, RESERVE):
                raise _shape("lose", self.phrases["from"].span)
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


_READ: dict[str, Callable[[_Reader], act.Action]] = {
    "settle": lambda r: act.Settle(r.place(), r.card("from"), r.card("with"), r.card_or_none("settler")),
    "develop": lambda r: act.Develop(r.place(), r.card("with")),
    "fortify": lambda r: act.Fortify(r.place(), r.card("with")),
    "besiege": lambda r: act.Besiege(r.place(), r.card("from"), r.card("with"), r.card("force")),
    "reinforce": lambda r: act.Reinforce(r.place(), r.card("with")),
    "raid": lambda r: act.Raid(r.place(), r.cards("with")),
    "ambush": lambda r: act.Ambush(r.card("with")),
    "convert": lambda r: act.Convert(r.card("with")),
    "money": lambda r: act.TakeMoney(r.card()),
    "merchant": lambda r: act.Merchant(r.card(), r.cards(":")),
    "trade": lambda r: act.Trade(r.cards()),
    "piracy": lambda r: act.Piracy(r.card("with")),
    "draft": lambda r: act.Draft(r.card(at_hand=(*r.me.empire, *r.state.neutral))),
    "discard": lambda r: act.Discard(r.cards()),
    "reserve": lambda r: act.Reserve(r.card()),
    "govern": lambda r: act.Govern(r.cards()),
    "intendant": lambda r: act.UseIntendant(r.card(at_hand=r.me.discard)),
    "pass": lambda r: act.Pass(),
    "retrieve": lambda r: act.Retrieve(),
    "home-support": lambda r: act.HomeSupport(),
    "withdraw": _Reader.withdraw,
    "end": lambda r: act.End(),
    "block": lambda r: act.Block(r.card()),
    "allow": lambda r: act.Allow(),
    "lose": _Reader.lose,
    "show-hand": lambda r: act.ShowHand(),
    "occupy": lambda r: act.Occupy(r.place(), r.card_or_none("settler")),
    "leave": lambda r: act.Leave(r.place()),
}


def write(state: State, action: Any) -> str:
    """The canonical line of an action. Only `lose` depends on the state: of two sieges that end together."""
    return _WRITE[type(action)](state, action)


def _list(cards: Iterable[str]) -> str:
    return ", ".join(cards)


def _write_settle(_: State, a: act.Settle) -> str:
    line = f"settle {a.place} from {a.card} with {a.carrier}"
    return line if a.settler is None else f"{line} settler {a.settler}"


def _write_lose(state: State, a: act.Lose) -> str:
    if a.source == HAND:
        return f"lose {a.card}"
    if a.source == RESERVE:
        return f"lose {a.card} from reserve"
    return f"lose {a.card}" if state.due and not state.two_due else f"lose {a.card} at {a.source}"


def _write_occupy(_: State, a: act.Occupy) -> str:
    return f"occupy {a.place}" if a.settler is None else f"occupy {a.place} settler {a.settler}"


def _write_withdraw(_: State, a: act.Withdraw) -> str:
    return f"withdraw {a.place}" if a.remove is None else f"withdraw {a.place} remove {a.remove}"


_WRITE: dict[type, Callable[[State, Any], str]] = {
    act.Settle: _write_settle,
    act.Develop: lambda _, a: f"develop {a.place} with {a.settler}",
    act.Fortify: lambda _, a: f"fortify {a.place} with {a.fortification}",
    act.Besiege: lambda _, a: f"besiege {a.place} from {a.card} with {a.carrier} force {a.force}",
    act.Reinforce: lambda _, a: f"reinforce {a.place} with {a.card}",
    act.Raid: lambda _, a: f"raid {a.place} with {_list(a.cards)}",
    act.Ambush: lambda _, a: f"ambush with {a.card}",
    act.Convert: lambda _, a: f"convert with {a.card}",
    act.TakeMoney: lambda _, a: f"money {a.card}",
    act.Merchant: lambda _, a: f"merchant {a.ship}: {_list(a.coins)}",
    act.Trade: lambda _, a: f"trade {_list(a.furs)}",
    act.Piracy: lambda _, a: f"piracy with {a.ship}",
    act.Draft: lambda _, a: f"draft {a.card}",
    act.Discard: lambda _, a: f"discard {_list(a.cards)}",
    act.Reserve: lambda _, a: f"reserve {a.card}",
    act.Govern: lambda _, a: f"govern {_list(a.cards)}",
    act.UseIntendant: lambda _, a: f"intendant {a.card}",
    act.Pass: lambda _, a: "pass",
    act.Retrieve: lambda _, a: "retrieve",
    act.HomeSupport: lambda _, a: "home-support",
    act.Withdraw: _write_withdraw,
    act.End: lambda _, a: "end",
    act.Block: lambda _, a: f"block {a.card}",
    act.Allow: lambda _, a: "allow",
    act.Lose: _write_lose,
    act.ShowHand: lambda _, a: "show-hand",
    act.Occupy: _write_occupy,
    act.Leave: lambda _, a: f"leave {a.place}",
}

assert set(_WRITE) == set(act.ACTIONS)
assert set(_READ) == set(_GRAMMAR) and all(place in _PLACES.ids for place in PLACES)
