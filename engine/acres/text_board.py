"""The board in letters, for text mails and screen readers. At most 72 columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from textwrap import wrap
from typing import Any

from engine.acres.data import CARDS, PLACES, SEATS, SYMBOLS, TOWN
from engine.acres.editions import said_switch
from engine.acres.faces import Face, Faces, where_it_leads, why_not
from engine.acres.names import name_of
from engine.acres.sentences import signed
from engine.kernel.text import N_, Counted, Name, Speaker, Text, say

WIDTH = 72
END = "\0"
"""Where a line may end; no name contains it, and a search finds it."""
MOST_FACES = 4000
"""Number of rendered faces of location cards to cache; a board has some twenty, and a turn changes few."""


def text_board(view: Mapping[str, Any], speaker: Speaker, faces: bool) -> str:
    """Return the board of a view (`knowledge.view`) in the speaker's language.

    Each side's places (a town in capitals, a fort as #), money, stock and cards; sieges; what is neutral and on offer;
    and, with `faces`, where location cards lead.
    """
    board = _Board(view, speaker)
    parts = [board.heading(), *(board.side(side) for side in SEATS)]
    parts.append(board.common())
    if faces:
        parts += filter(None, [board.faces(side) for side in SEATS])
    return "\n\n".join("\n".join(lines) for lines in parts)


class _Board:
    def __init__(self, view: Mapping[str, Any], speaker: Speaker) -> None:
        self.view = view
        self.speaker = speaker
        self.besieged = {siege["place"] for siege in view["sieges"]}
        self._faces: Faces | None = None

    def heading(self) -> list[str]:
        """Say whose turn it is and what the game waits for, or how it ended."""
        turn, due = self.view["turn"], self.view["decision"]
        if due is None:
            return self._row(Text("The game is over after turn {turn}.", turn=turn))
        on_turn = Name("actor", self.view["on_turn"])
        if due["kind"] == "action":
            left = self.view["actions_left"]
            return self._row(
                Counted(
                    "Turn {turn}: {seat}, {n} action left.",
                    "Turn {turn}: {seat}, {n} actions left.",
                    n=left,
                    turn=turn,
                    seat=on_turn,
                )
            )
        if due["seat"] == self.view["on_turn"]:
            return self._row(Text("Turn {turn}: {seat} must answer first.", turn=turn, seat=on_turn))
        asked = Name("actor", due["seat"])
        return self._row(Text("Turn {turn}: {seat}. {other} must answer first.", turn=turn, seat=on_turn, other=asked))

    def side(self, side: str) -> list[str]:
        zones = self.view["seats"][side]
        lines = [self._rule(side)]
        lines += self._row(
            Text(
                "Money {money}, points {points}; stock: villages {villages}, towns {towns}; captured: villages {v}, "
                "towns {t}",
                money=zones["money"],
                points=self.view["score"][side],
                villages=zones["villages"],
                towns=zones["towns"],
                v=zones["captured_villages"],
                t=zones["captured_towns"],
            )
        )
        lines += self._list(
            N_("Places"),
            [self._place(place) for place, holding in self.view["board"].items() if holding["owner"] == side],
        )
        for attacker, cards in zones["siege"].items():
            place = next(s["place"] for s in self.view["sieges"] if s["attacker"] == attacker)
            lines += self._list(Text("In the siege of {place}", place=Name("place", place)), self._cards(cards))
        if zones["hand"] is not None:
            lines += self._list(N_("Hand"), self._cards(zones["hand"]))
            lines += self._list(Text("In the deck ({n})", n=zones["deck_count"]), self._cards(zones["unseen"]))
        else:
            head = Text("In hand ({hand}) and deck ({deck})", hand=zones["hand_count"], deck=zones["deck_count"])
            lines += self._list(head, self._cards(zones["unseen"]))
        lines += self._list(N_("Discarded"), self._cards(zones["discard"]))
        lines += self._list(N_("Reserve"), self._cards(zones["reserve"]))
        lines += self._list(N_("On offer"), self._cards(zones["empire"]))
        lines += self._list(N_("Location cards on offer"), self._cards(zones["locations"]))
        return lines

    def common(self) -> list[str]:
        lines = []
        for siege in self.view["sieges"]:
            lines += self._row(
                Text(
                    "Siege of {place}: {strength}. The attacker wins at +2, the defender at -1.",
                    place=Name("place", siege["place"]),
                    strength=signed(siege["strength"]),
                )
            )
        neutral = sorted([self.speaker.name("place", place) for place in PLACES if place not in self.view["board"]])
        lines += self._list(N_("Neutral places"), neutral)
        lines += self._list(N_("On offer to both"), self._cards(self.view["neutral"]))
        changed = [self._say(said_switch(name, value)) for name, value in self.view["switches"].items()]
        lines += self._list(N_("Changed rules"), changed)
        return lines

    def faces(self, side: str) -> list[str]:
        """Describe a side's location cards, wherever they lie: their symbols, where they lead, why one cannot be
        used."""
        zones, name = self.view["seats"][side], self.speaker.name
        held = {*(zones["hand"] or ()), *zones["unseen"], *zones["discard"], *zones["reserve"]}
        cards = [card for card in held if CARDS[side][card].location]
        if not cards:
            return []
        faces = self._faces = self._faces or Faces(self.view)
        reader = self.view["seat"]
        lines = [self._say(Text("Location cards ({side}):", side=Name("seat", side)))]
        for said, card in sorted((name("card", card), card) for card in cards):
            lines += _face_lines(faces.of(side, card), said, reader, self.speaker)
        return lines

    # -- pieces of lines --------------------------------------------------------------------------

    def _say(self, text: object) -> str:
        return say(text, self.speaker)

    def _rule(self, side: str) -> str:
        name, actor = self._say(Name("seat", side)), self._say(Name("actor", side))
        if actor != name_of("actor", side, self.speaker.lang):  # a person
            name = f"{name} ({actor})"
        return f"-- {name} {'-' * (WIDTH - len(name) - 4)}"

    def _place(self, place: str) -> str:
        holding = self.view["board"][place]
        name = self.speaker.name("place", place)
        if holding["piece"] == TOWN:
            name = name.upper()
        if holding["fort"]:
            name += "#"
        return name + "!" if place in self.besieged else name

    def _cards(self, cards: Iterable[str]) -> list[str]:
        """Return card names in alphabetical order, several of one kind counted."""
        return _card_names(tuple(cards), self.speaker)

    def _row(self, text: Text) -> list[str]:
        return _in_lines(self._say(text).replace(" ", END))

    def _list(self, head: Text | str, items: list[str]) -> list[str]:
        """Return a heading followed by items, which stay whole; nothing for an empty list."""
        if not items:
            return []
        said = self.speaker.gettext(head) if isinstance(head, str) else self._say(head)
        return _in_lines(self.speaker.gettext(N_("%(label)s:")) % {"label": said} + END + f",{END}".join(items))


def _in_lines(text: str) -> list[str]:
    """Break a text into lines of at most `WIDTH`, the further ones indented; `END` marks where a line may end."""
    lines, indent = [], ""
    while len(indent) + len(text) > WIDTH:
        end = text.rfind(END, 0, WIDTH - len(indent) + 1)
        if end < 0:  # an item longer than a line
            end = text.find(END)
            if end < 0:
                break
        lines.append((indent + text[:end]).replace(END, " "))
        text, indent = text[end + 1 :], "  "
    return [*lines, (indent + text).replace(END, " ")]


@lru_cache(maxsize=MOST_FACES)
def _card_names(cards: tuple[str, ...], speaker: Speaker) -> list[str]:
    counted: dict[str, int] = {}
    for card in cards:
        counted[card] = counted.get(card, 0) + 1
    named = sorted([(speaker.name("card", card), n) for card, n in counted.items()])
    return [said if n == 1 else f"{said} × {n}" for said, n in named]


@lru_cache(maxsize=MOST_FACES)
def _face_lines(face: Face, said: str, reader: str | None, speaker: Speaker) -> tuple[str, ...]:
    """Describe a location card, called `said`: its symbols, why it cannot be used, and where it leads."""
    printed = CARDS[face.side][face.card]
    symbols = [speaker.name("symbol", symbol) for symbol in SYMBOLS if getattr(printed, symbol)]
    bar = why_not(face, reader)
    parts = [f"{said} [{', '.join(symbols)}]" if symbols else said]
    parts += [say(part, speaker) for part in (*([bar] if bar else ()), *where_it_leads(face, reader))]
    return tuple(wrap(_clauses(parts, speaker), WIDTH, initial_indent="  ", subsequent_indent="    "))


def _clauses(parts: list[str], speaker: Speaker) -> str:
    """Join clauses with the sign and the spaces of the language: a; b; c."""
    return reduce(lambda said, part: say(Text("{first}; {second}", first=said, second=part), speaker), parts)
