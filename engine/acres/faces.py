"""What a location card leads to and whether it can be used, given the board of a view: one face for every reader.

Pages, mails and the text board show it. The rules decide whether a card can be used (R4.1); see
`engine.acres.position`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.acres.data import BATEAUX, CAPITAL, CARDS, SHIP, TOWN, VILLAGE, WAGON
from engine.acres.position import UNUSABLE
from engine.acres.state import Board, Holding
from engine.kernel.text import Counted, Name, Text, names

NOBODY = "neutral"


class Ground(NamedTuple):
    """How a place stands: whose it is (`NOBODY` for neutral), with which piece, and whether it is besieged."""

    owner: str
    piece: str
    besieged: bool


FREE = Ground(NOBODY, "", False)


class Face(NamedTuple):
    """A location card as it stands now. Equal faces read the same."""

    side: str
    card: str
    ground: Ground
    """The ground of its own place."""
    leads: tuple[tuple[str, str, Ground], ...]
    """Each place that it lists, with the transport that leads there and the ground of the place."""
    bar: str
    """The code of the reason why it cannot be used, such as `card.besieged`; empty when it can (R4.1)."""
    rule: str


class Faces:
    """The faces of all location cards in a position, taken from a view (`knowledge.view`), whichever seat's it is."""

    def __init__(self, view: Mapping[str, Any]) -> None:
        holdings = {place: Holding(one["owner"], one["piece"], one["fort"]) for place, one in view["board"].items()}
        self._board = Board(holdings)
        self._besieged = frozenset(siege["place"] for siege in view["sieges"])
        self._grounds = {
            place: Ground(holding.owner, holding.piece, place in self._besieged) for place, holding in holdings.items()
        }
        self._found: dict[tuple[str, str], Face] = {}

    def ground(self, place: str) -> Ground:
        """Return how a place stands."""
        return self._grounds.get(place, FREE)

    def of(self, side: str, card: str) -> Face:
        """Return the face of a side's location card."""
        face = self._found.get((side, card))
        if face is None:
            face = self._found[side, card] = self._look_at(side, card)
        return face

    def _look_at(self, side: str, card: str) -> Face:
        ground = self._grounds.get
        leads = tuple([(place, by, ground(place, FREE)) for place, by in CARDS[side][card].reaches])
        refusal = UNUSABLE.first(self._board, self._besieged, side, card)
        code, rule = ("", "") if refusal is None else (refusal.code, refusal.rule or "")
        return Face(side, card, ground(card, FREE), leads, code, rule)


# -- words ----------------------------------------------------------------------------------------


def how_it_stands(ground: Ground, reader: str | None, n: int = 1) -> Text:
    """Say how one or several places stand that stand alike, as the reading seat calls them (None: a spectator)."""
    if ground.owner == NOBODY:
        return Counted("neutral", "neutral", n=n)
    said = _OWN[ground.piece] if ground.owner == reader else _HELD[ground.owner, ground.piece]
    text = Counted(said.template, said.plural, n=n)
    return Text("{place}, besieged", place=text) if ground.besieged else text


_OWN = {
    VILLAGE: Counted("your village", "your villages", n=1),
    TOWN: Counted("your town", "your towns", n=1),
}
_HELD = {
    ("british", VILLAGE): Counted("British village", "British villages", n=1),
    ("british", TOWN): Counted("British town", "British towns", n=1),
    ("french", VILLAGE): Counted("French village", "French villages", n=1),
    ("french", TOWN): Counted("French town", "French towns", n=1),
}


def why_not(face: Face, reader: str | None) -> Text | None:
    """Return why the card cannot be used now, with the number of the rule; None when it can."""
    if not face.bar:
        return None
    if face.bar == "card.not_connected":
        return Text("not usable: cut off from supply ({rule})", rule=face.rule)
    if face.bar == "card.besieged":
        return Text("not usable: besieged ({rule})", rule=face.rule)
    return Text("not usable: {state} ({rule})", state=how_it_stands(face.ground, reader), rule=face.rule)


def bar_in_words(face: Face) -> tuple[Text, Text] | None:
    """Return a word for the card's state, and the reason it cannot be used with the remedy; None when it can."""
    place = Name("place", face.card)
    if not face.bar:
        return None
    if face.bar == "card.not_connected":
        home = Name("place", CAPITAL[face.side])
        return Text("Cut off"), Text("no chain of usable places leads from {place} to {home}.", place=place, home=home)
    if face.bar == "card.besieged":
        return Text("Besieged"), Text("of no use until the siege of {place} ends; it can be discarded.", place=place)
    if face.ground.owner == NOBODY:
        return Text("Lost"), Text("{place} is neutral; settle it to use the card again.", place=place)
    return Text("Lost"), Text("{place} is the enemy’s; besiege it to use the card again.", place=place)


def where_it_leads(face: Face, reader: str | None) -> list[Text]:
    """Return a line for each transport with the places that it leads to, grouped by how they stand."""
    lines = []
    for transport in (BATEAUX, SHIP, WAGON):
        alike: dict[Ground, list[str]] = {}
        for place, by, ground in face.leads:
            if by == transport:
                alike.setdefault(ground, []).append(place)
        groups: Text | None = None
        for ground, places in alike.items():
            state = how_it_stands(ground, reader, len(places))
            group = Text("{places} ({state})", places=names("place", places), state=state)
            groups = group if groups is None else Text("{one} · {other}", one=groups, other=group)
        if groups is not None:
            lines.append(Text("{label}: {value}", label=Name("symbol", transport), value=groups))
    return lines
