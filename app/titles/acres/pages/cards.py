"""The cards of A Few Acres of Snow on pages: what is printed on them, and the board's state for location cards."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from app.titles.acres.ground import DEFS
from app.titles.acres.pages.words import card_rules, printed_words, symbols_of
from app.titles.contract import View
from app.titles.parts import NOTHING, PlainParts
from app.titles.touch import UNTOUCHED, Touch
from engine.acres.data import BATEAUX, CARDS, SHIP, WAGON, Card
from engine.acres.faces import Face, Faces, Ground, bar_in_words, how_it_stands
from engine.kernel.title import Title

MOST_KEPT = 2000
"""Cached faces of location cards; a page has forty to sixty, and a turn changes few of them."""
STATES = {"card.besieged": " besieged", "card.not_connected": " cut-off", "card.not_controlled": " lost"}
"""The CSS classes of location cards that cannot be used."""


SYMBOLS = "".join(re.findall('<symbol id="ay-.*?</symbol>', DEFS))
"""What is printed on cards, drawn once in a page and shown by `<use>`."""


def symbol(name: str, said: str = "") -> str:
    """Return a symbol of cards; `said` are the words for screen readers, if they do not stand beside it."""
    return f'{_opening(said)}<use href="#ay-{name}"/></svg>'


def _opening(said: str) -> str:
    return f'<svg aria-label="{said}">' if said else "<svg>"


def mark(owner: str, piece: str, besieged: bool, said: str = "") -> str:
    """Return how a place stands, as on the map: `mark("french", "town", False)`; without a piece it is neutral. `said`
    are the words for screen readers, if they do not stand beside it."""
    key = "n" if not piece else owner[0] + piece[0] + ("s" if besieged else "")
    return f'{_opening(said)}<use href="#ap-{key}"/></svg>'


class ShownCard(NamedTuple):
    """A card as the template `card.html` draws its face."""

    name: Markup
    look: str
    """The kind of card: `place`, `neutral` or `empire`."""
    state: str
    """Why a location card cannot be used, as a CSS class."""
    times: int
    words: Markup
    icons: Markup
    """Its symbols, in words and drawn."""
    leads: Markup
    price: int | None
    """Coins to draft it; None if it cannot be drafted."""
    purse: int | None
    """The money of the seat that might, if it is too little."""
    rules: Markup
    href: str | None
    is_chosen: bool
    fits: bool
    is_new: bool


class Price(NamedTuple):
    """What a card costs to draft."""

    cost: int
    purse: int | None = None
    """The money of the seat that might, if it is too little."""

    @classmethod
    def of(cls, card: Card, money: int | None = None) -> Price:
        """Return the price of a card for a seat with so much money; None says nothing about that."""
        cost = card.draft_cost
        return cls(cost, money if money is not None and money < cost else None)


class Cards(PlainParts):
    """The faces of cards in one language.

    A card has one face wherever it lies: its name, the number of copies, its symbols, where it leads by which transport
    and how each place stands (the marks of the map), what it costs to draft, what it does, and why it cannot be used.
    """

    def __init__(self, title: Title, lang: str) -> None:
        super().__init__(title, lang)
        self._printed: dict[tuple[str, str, bool], str] = {}
        self._symbols: dict[tuple[str, str], tuple[Markup, Markup]] = {}
        self._rules: dict[tuple[str, str], Markup] = {}
        self._leads: dict[tuple[Face, str | None, bool], Markup] = {}
        self._marks: dict[tuple[Ground, str | None], Markup] = {}
        self._lying: dict[tuple[object, ...], Markup] = {}
        self._briefs: dict[tuple[str, str, Ground, str | None], Markup] = {}
        self._last_faces: tuple[View, Faces] | None = None

    def _face(self, name: str, side: str, cost: bool = False) -> str:
        """Return what is printed on a card, in a few words."""
        key = (name, side, cost)
        printed = self._printed.get(key)
        if printed is None:
            printed = self._printed[key] = " · ".join(printed_words(CARDS[side][name], self._words, cost))
        return printed

    # -- a card -----------------------------------------------------------------------------------

    def cards(
        self,
        names: Iterable[str],
        side: str,
        view: View,
        *,
        cost: bool = False,
        held: bool = True,
        touch: Touch = UNTOUCHED,
    ) -> Markup:
        """Return cards in order, as list items, equal ones once with their number. With `cost` what each costs to
        draft; those not `held` are location cards that come with their places, shown briefly. `touch` says, by the ids
        of cards, which are chosen, which take part in the choice, and where a touch leads (then the face is a link)."""
        if not held:
            return Markup("".join([self._brief(name, side, view) for name in sorted(names)]))
        shown = [
            self.card(name, side, view, times=times, cost=cost, touch=touch)
            for name, times in sorted(Counter(names).items())
        ]
        return Markup("".join(shown))

    def card(
        self,
        name: str,
        side: str,
        view: View,
        *,
        times: int = 1,
        cost: bool = False,
        on_offer: bool = False,
        touch: Touch = UNTOUCHED,
    ) -> Markup:
        """Return the face of a card as an item of a list; with `cost` what it costs the seat that might draft it. A
        location card `on_offer` belongs to nobody yet, so nothing is said about its use."""
        card = CARDS[side][name]
        face = self._faces_of(view).of(side, name) if card.location else None
        if face is not None and on_offer:
            face = face._replace(bar="", rule="")
        purse = view["seats"][side]["money"] if cost and side == view["seat"] else None
        price = Price.of(card, purse) if cost else None
        if touch is not UNTOUCHED:
            return self._card(card, side, face, view["seat"], times, price, touch)
        key = (name, side, face, view["seat"], times, price)
        drawn = self._lying.get(key)
        if drawn is None:
            if len(self._lying) >= MOST_KEPT:
                self._lying.clear()
            drawn = self._lying[key] = self._card(card, side, face, view["seat"], times, price, touch)
        return drawn

    def as_printed(self, card: Card, side: str, times: int, cost: bool) -> Markup:
        """Return the same face without a position: where it leads, but nothing about how the places stand."""
        return self._card(card, side, None, None, times, Price.of(card) if cost else None, UNTOUCHED)

    @staticmethod
    def drawn_symbols() -> Markup:
        """Return the symbols, for a page without the board that includes them."""
        return Markup(f'<svg class="away" aria-hidden="true"><defs>{SYMBOLS}</defs></svg>')

    def _card(
        self,
        card: Card,
        side: str,
        face: Face | None,
        reader: str | None,
        times: int,
        price: Price | None,
        touch: Touch,
    ) -> Markup:
        words, icons = self._symbols_of(card, side)
        href, leads = touch.links.get(card.id), NOTHING
        if face is not None:
            leads = self._leads_of(face, reader, href is None)
        elif card.location:
            leads = self._drawn("printed", self._ways(card, lambda place: NOTHING))
        shown = ShownCard(
            name=Markup(self._words.name("card", card.id)),
            look="place" if card.location else "neutral" if card.home == "neutral" else "empire",
            state=STATES.get(face.bar, "") if face is not None else "",
            times=times,
            words=words,
            icons=icons,
            leads=leads,
            price=price.cost if price else None,
            purse=price.purse if price else None,
            rules=self._rules_of(card, side),
            href=href,
            is_chosen=card.id in touch.chosen,
            fits=card.id in touch.possible and card.id not in touch.chosen,
            is_new=card.id in touch.fresh,
        )
        return self._drawn("card", shown)

    def _drawn(self, macro: str, *given: object) -> Markup:
        drawn: Markup = self._macro("titles/acres/card.html", macro)(*given)
        return drawn

    def _symbols_of(self, card: Card, side: str) -> tuple[Markup, Markup]:
        """Return the symbols of a card in words, and drawn."""
        drawn = self._symbols.get((side, card.id))
        if drawn is None:
            printed = symbols_of(card, self._words)
            icons = "".join([f"{symbol(which)}{n or ''}" for which, n, _ in printed])
            drawn = Markup(", ".join([word for _, _, word in printed])), Markup(icons)
            self._symbols[side, card.id] = drawn
        return drawn

    def _rules_of(self, card: Card, side: str) -> Markup:
        said = self._rules.get((side, card.id))
        if said is None:
            said = self._rules[side, card.id] = Markup(" ".join(card_rules(card, self._words)))
        return said

    def _faces_of(self, view: View) -> Faces:
        """Return the location cards as the board of the view stands; used several times per page."""
        last = self._last_faces  # read once: other threads render other pages
        if last is None or last[0] is not view["board"]:
            last = self._last_faces = view["board"], Faces(view)
        return last[1]

    def _brief(self, name: str, side: str, view: View) -> Markup:
        """Return a location card that nobody holds, in a line or two: its place, its symbols and where it leads."""
        key = (name, side, self._faces_of(view).ground(name), view["seat"])
        drawn = self._briefs.get(key)
        if drawn is None:
            drawn = self._briefs[key] = self._brief_of(*key)
        return drawn

    def _brief_of(self, name: str, side: str, ground: Ground, reader: str | None) -> Markup:
        card, words = CARDS[side][name], self._words
        ways = [
            (by, Markup(words.join([place for _, place in places])))
            for by, places in self._ways(card, lambda place: NOTHING)
        ]
        return self._drawn(
            "brief", Markup(words.name("card", name)), self._mark(ground, reader), self._symbols_of(card, side), ways
        )

    def _ways(self, card: Card, mark_of: Callable[[str], Markup]) -> list[tuple[Markup, list[tuple[Markup, Markup]]]]:
        """Return for each transport of a location card its symbol, and the places that it leads to with a mark."""
        name, ways = self._words.name, []
        for transport in (BATEAUX, SHIP, WAGON):
            places = [(mark_of(place), Markup(name("place", place))) for place, by in card.reaches if by == transport]
            if places:
                ways.append((Markup(symbol(transport, name("symbol", transport))), places))
        return ways

    def _leads_of(self, face: Face, reader: str | None, cited: bool) -> Markup:
        """Return what a location card says besides what is printed: why it cannot be used, and where it leads. A face
        that is itself a link contains none (`cited`)."""
        drawn = self._leads.get((face, reader, cited))
        if drawn is None:
            if len(self._leads) >= MOST_KEPT:
                self._leads.clear()
            stands = {place: ground for place, _, ground in face.leads}
            ways = self._ways(CARDS[face.side][face.card], lambda place: self._mark(stands[place], reader))
            drawn = self._leads[face, reader, cited] = self._drawn("leads", self._why(face, cited), ways)
        return drawn

    def _why(self, face: Face, cited: bool) -> tuple[str, str, str | Markup] | None:
        """Return why it cannot be used: its state, the reason, and the rule."""
        bar = bar_in_words(face)
        if bar is None:
            return None
        state, reason = (self._words.voice.say(text) for text in bar)
        return state, reason, self._cited(face.rule) if cited else face.rule

    def _mark(self, ground: Ground, reader: str | None) -> Markup:
        """Return how a place stands: its mark on the map, with words for screen readers."""
        drawn = self._marks.get((ground, reader))
        if drawn is None:
            said = escape(self._words.voice.say(how_it_stands(ground, reader)))
            drawn = Markup(mark(ground.owner, ground.piece, ground.besieged, said))
            self._marks[ground, reader] = drawn
        return drawn

    def stands_as(self, ground: Ground, reader: str | None) -> str:
        """Return how a place stands: its mark and the words."""
        said = escape(self._words.voice.say(how_it_stands(ground, reader)))
        return f"{mark(ground.owner, ground.piece, ground.besieged)} {said}"

    # -- several ----------------------------------------------------------------------------------

    def listed(self, names: Iterable[str]) -> Markup:
        """Return cards in words: a, b and c."""
        return Markup(self._listed(names))

    def _listed(self, names: Iterable[str]) -> str:
        name_of = self._words.name
        return self._words.join([name_of("card", name) for name in names])
