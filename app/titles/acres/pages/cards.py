"""The cards of A Few Acres of Snow on pages: what is printed on them, and how the board stands for location cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from app.titles.acres.pages.words import card_rules, printed_words, symbols_of
from app.titles.acres.symbols import SYMBOLS, mark, symbol
from app.titles.pages import PlainParts
from app.titles.touch import UNTOUCHED, Touch
from engine.acres.data import BATEAUX, CARDS, SHIP, WAGON, Card
from engine.acres.faces import Face, Faces, Ground, bar_in_words, how_it_stands

if TYPE_CHECKING:
    from app.titles.contract import View
    from engine.kernel.title import Title

MOST_KEPT = 2000
"""So many faces of location cards are kept; a page has forty to sixty, and a turn changes few of them."""
STATES = {"card.besieged": " besieged", "card.not_connected": " cut-off", "card.not_controlled": " lost"}
"""The classes of location cards that cannot be used."""


class Cards(PlainParts):
    """The faces of cards in one language, as strings with every name and value escaped.

    A card has one face wherever it lies: its name, how many are alike, its symbols, where it leads by which transport
    and how each place stands (the marks of the map), what it costs to draft, what it does, and why it cannot be used.
    """

    def __init__(self, title: Title, lang: str) -> None:
        super().__init__(title, lang)
        self._printed: dict[tuple[str, str, bool], str] = {}
        self._symbols: dict[tuple[str, str], tuple[str, str]] = {}
        self._rules: dict[tuple[str, str], str] = {}
        self._leads: dict[tuple[Face, str | None, bool], str] = {}
        self._marks: dict[tuple[Ground, str | None], str] = {}
        self._lying: dict[tuple[Any, ...], Markup] = {}
        self._briefs: dict[tuple[str, str, Ground, str | None], str] = {}
        self._last_faces: tuple[View, Faces] | None = None

    def _face(self, name: str, side: str, cost: bool = False) -> str:
        """What is printed on a card, in a few words."""
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
        """Cards as they lie there, those that are alike once with their number. With `cost` what each costs to draft;
        not `held` are location cards that come with their places, told briefly. `touch` says, by the ids of cards,
        which are chosen, which take part in what is chosen, and where a touch leads (then the face is a link)."""
        if not names:
            return Markup(f"<p>{self._words.gettext('None.')}</p>")
        if not held:
            return Markup(
                f'<ul class="cards">{"".join([self._brief(name, side, view) for name in sorted(names)])}</ul>'
            )
        purse = view["seats"][side]["money"] if cost and side == view["seat"] else None
        shown = [
            self.card(name, side, view, times=times, cost=cost, purse=purse, touch=touch)
            for name, times in sorted(Counter(names).items())
        ]
        return Markup(f'<ul class="cards">{"".join(shown)}</ul>')

    def card(
        self,
        name: str,
        side: str,
        view: View,
        *,
        times: int = 1,
        cost: bool = False,
        purse: int | None = None,
        on_offer: bool = False,
        touch: Touch = UNTOUCHED,
    ) -> Markup:
        """The face of a card as an item of a list; `purse` is the money of whoever might draft it. A location card
        `on_offer` is nobody's yet, so nothing is said of its use."""
        card = CARDS[side][name]
        face = self._faces_of(view).of(side, name) if card.location else None
        if face is not None and on_offer:
            face = face._replace(bar="", rule="")
        if touch is not UNTOUCHED:
            return self._card(card, side, face, view["seat"], times, cost, purse, touch)
        key = (name, side, face, view["seat"], times, cost, purse)
        drawn = self._lying.get(key)
        if drawn is None:
            if len(self._lying) >= MOST_KEPT:
                self._lying.clear()
            drawn = self._lying[key] = self._card(card, side, face, view["seat"], times, cost, purse, touch)
        return drawn

    def as_printed(self, card: Card, side: str, times: int, cost: bool) -> Markup:
        """The same face without a position: where it leads, and nothing of how the places stand."""
        return self._card(card, side, None, None, times, cost, None, UNTOUCHED)

    @staticmethod
    def drawn_symbols() -> Markup:
        """The symbols, for a page without the board that brings them along."""
        return Markup(f'<svg class="away" aria-hidden="true"><defs>{SYMBOLS}</defs></svg>')

    def _card(
        self,
        card: Card,
        side: str,
        face: Face | None,
        reader: str | None,
        times: int,
        cost: bool,
        purse: int | None,
        touch: Touch,
    ) -> Markup:
        name = card.id
        look = "place" if card.location else "neutral" if card.home == "neutral" else "empire"
        words, icons = self._symbols_of(card, side)
        many = f' <b class="many">× {times}</b>' if times > 1 else ""
        more, state = "", ""
        if face is not None:
            more = self._leads_of(face, reader, name not in touch.links)
            state = STATES.get(face.bar, "")
        elif card.location:
            more = self._printed_leads(card)
        if cost:
            price, dear = self._price(card, purse)
            more += price
            state += dear
        more += self._rules_of(card, side)
        takes_part = ""
        if name in touch.chosen:
            state += " picked"
        elif name in touch.possible:
            state += " fits"
            said = self._words.gettext("takes part")
            takes_part = f' <em class="part">{said}</em>'
        printed = f'<small class="printed">{words}{takes_part}</small>' if words or takes_part else ""
        face_of = f"<p><b>{self._words.name('card', name)}</b>{many}{icons}</p>{printed}{more}"
        href = touch.links.get(name)
        if href is not None:
            current = ' aria-current="true"' if name in touch.chosen else ""
            face_of = f'<a href="{escape(href)}"{current}>{face_of}</a>'
        return Markup(f'<li class="card card-{look}{state}">{face_of}</li>')

    def _symbols_of(self, card: Card, side: str) -> tuple[str, str]:
        """The symbols of a card in words, and drawn."""
        drawn = self._symbols.get((side, card.id))
        if drawn is None:
            printed = symbols_of(card, self._words)
            icons = "".join([f"{symbol(which)}{n or ''}" for which, n, _ in printed])
            said = ", ".join([word for _, _, word in printed])
            drawn = (said, f'<i class="sys" aria-hidden="true">{icons}</i>' if icons else "")
            self._symbols[side, card.id] = drawn
        return drawn

    def _rules_of(self, card: Card, side: str) -> str:
        said = self._rules.get((side, card.id))
        if said is None:
            rules = " ".join(card_rules(card, self._words))
            said = self._rules[side, card.id] = f'<small class="does">{rules}</small>' if rules else ""
        return said

    def _price(self, card: Card, purse: int | None) -> tuple[str, str]:
        """What it costs to draft, and a class where that is too much."""
        _, n = self._words.gettext, card.draft_cost
        if not n:
            free = _("free to draft")
            return f'<small class="price">{free}</small>', ""
        coins = self._words.ngettext("%(num)s coin to draft", "%(num)s coins to draft", n)
        price = f'<small class="price">{symbol("coins")} {coins}</small>'
        if purse is None or purse >= n:
            return price, ""
        short = _("Too dear: you have %(n)s.", n=purse)
        return price + f'<small class="why">{short}</small>', " dear"

    def _faces_of(self, view: View) -> Faces:
        """The location cards as the board of the view stands; asked for several times on a page."""
        last = self._last_faces  # taken once: other threads draw other pages
        if last is None or last[0] is not view["board"]:
            last = self._last_faces = view["board"], Faces(view)
        return last[1]

    def _brief(self, name: str, side: str, view: View) -> str:
        """A location card that nobody holds, in a line or two: its place, its symbols and where it leads."""
        key = (name, side, self._faces_of(view).ground(name), view["seat"])
        drawn = self._briefs.get(key)
        if drawn is None:
            drawn = self._briefs[key] = self._brief_of(*key)
        return drawn

    def _brief_of(self, name: str, side: str, ground: Ground, reader: str | None) -> str:
        card, names = CARDS[side][name], self._words.name
        words, icons = self._symbols_of(card, side)
        ways = "".join(
            [
                symbol(transport, names("symbol", transport))
                + self._words.join([names("place", place) for place, by in card.reaches if by == transport])
                + " "
                for transport in (BATEAUX, SHIP, WAGON)
                if any(by == transport for _, by in card.reaches)
            ]
        )
        spoken = icons.replace('aria-hidden="true"', f'role="img" aria-label="{words}"')
        return (
            f'<li class="card card-place"><p><b>{self._mark(ground, reader)} {names("card", name)}</b>{spoken}</p>'
            f"<small>{ways}</small></li>"
        )

    def _printed_leads(self, card: Card) -> str:
        name, lines = self._words.name, []
        for transport in (BATEAUX, SHIP, WAGON):
            places = [f"<span>{name('place', place)}</span>" for place, by in card.reaches if by == transport]
            if places:
                by_what = symbol(transport, name("symbol", transport))
                lines.append(f'<p class="by">{by_what}<span>{" ".join(places)}</span></p>')
        return "".join(lines)

    def _leads_of(self, face: Face, reader: str | None, cited: bool) -> str:
        """What a location card says besides what is printed: why it cannot be used, and where it leads. A face that is
        a link itself has none within."""
        drawn = self._leads.get((face, reader, cited))
        if drawn is None:
            if len(self._leads) >= MOST_KEPT:
                self._leads.clear()
            drawn = self._leads[face, reader, cited] = self._why(face, cited) + self._connections(face, reader)
        return drawn

    def _why(self, face: Face, cited: bool) -> str:
        voice = self._words.voice
        bar = bar_in_words(face)
        if bar is None:
            return ""
        state, reason = (escape(voice.say(text)) for text in bar)
        label = self._words.gettext("%(label)s:", label=state)
        rule = self._cited(face.rule) if cited else face.rule
        return f'<small class="why"><b>{label}</b> {reason} {rule}</small>'

    def _connections(self, face: Face, reader: str | None) -> str:
        """For each transport a line with the places that it leads to."""
        _, name, lines = self._words.gettext, self._words.name, []
        for transport in (BATEAUX, SHIP, WAGON):
            places = [
                f"<span>{self._mark(ground, reader)}{name('place', place)}</span>"
                for place, by, ground in face.leads
                if by == transport
            ]
            if places:
                by_what = symbol(transport, name("symbol", transport))
                lines.append(f'<p class="by">{by_what}<span>{" ".join(places)}</span></p>')
        if not lines:
            nowhere = _("leads nowhere")
            lines = [f'<p class="by">{nowhere}</p>']
        return "".join(lines)

    def _mark(self, ground: Ground, reader: str | None) -> str:
        """How a place stands: its mark on the map, and for readers in words."""
        drawn = self._marks.get((ground, reader))
        if drawn is None:
            said = escape(self._words.voice.say(how_it_stands(ground, reader)))
            drawn = mark(ground.owner, ground.piece, ground.besieged, said)
            self._marks[ground, reader] = drawn
        return drawn

    def stands_as(self, ground: Ground, reader: str | None) -> str:
        """How a place stands: its mark and the words."""
        said = escape(self._words.voice.say(how_it_stands(ground, reader)))
        return f"{mark(ground.owner, ground.piece, ground.besieged)} {said}"

    # -- several ----------------------------------------------------------------------------------

    def listed(self, names: Iterable[str]) -> Markup:
        """Cards in words: a, b and c."""
        return Markup(self._listed(names))

    def _listed(self, names: Iterable[str]) -> str:
        name_of = self._words.name
        return self._words.join([name_of("card", name) for name in names])

    def pile(
        self,
        head: str,
        names: Sequence[str],
        side: str,
        view: View,
        *,
        cost: bool = False,
        held: bool = True,
        top: bool = False,
    ) -> Markup:
        """A heading with the number of cards; they show when it is opened. With `top` the last one is named."""
        more = ""
        if top and names:
            named = self._words.gettext("top: %(card)s", card=self._words.name("card", names[-1]))
            more = f" <small>{named}</small>"
        shown = self.cards(names, side, view, cost=cost, held=held)
        summary = f'<summary>{head} <span class="count">{len(names)}</span>{more}</summary>'
        return Markup(f"<details>{summary}{shown}</details>")
