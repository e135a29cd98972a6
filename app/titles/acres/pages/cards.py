"""The cards of A Few Acres of Snow on pages: what is printed on them, and how the board stands for location cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from markupsafe import Markup

from app.titles.acres.pages.words import printed_words
from app.titles.pages import PlainParts
from engine.acres.data import CARDS
from engine.acres.faces import Face, Faces, how_it_stands, where_it_leads, why_not

if TYPE_CHECKING:
    from app.titles.contract import View
    from engine.kernel.title import Title

MOST_PLACES = 2000
"""So many faces of location cards are kept; a page has forty to sixty, and a turn changes few of them."""


class Cards(PlainParts):
    """The faces of cards in one language, as strings with every name and value escaped."""

    def __init__(self, title: Title, lang: str) -> None:
        super().__init__(title, lang)
        self._faces: dict[tuple[str, str, bool], str] = {}
        self._places: dict[tuple[Face, str | None, bool], tuple[str, str]] = {}
        self._last_faces: tuple[View, Faces] | None = None

    def _face(self, name: str, side: str, cost: bool = False) -> str:
        """What is printed on a card, in a few words."""
        key = (name, side, cost)
        face = self._faces.get(key)
        if face is None:
            face = self._faces[key] = " · ".join(printed_words(CARDS[side][name], self._words, cost))
        return face

    def cards(
        self, names: Iterable[str], side: str, view: View, *, cost: bool = False, rows: bool = True, held: bool = True
    ) -> Markup:
        """Cards as they lie there, several of a kind counted; in `rows`, or beside each other; not `held` are location
        cards that come with their places."""
        if not names:
            return Markup(f"<p>{self._words.gettext('None.')}</p>")
        faces = self._faces_of(view)
        name_of, kinds = self._words.name, CARDS[side]
        shown = []
        for name, times in sorted(Counter(names).items()):
            card = kinds[name]
            many = f" × {times}" if times > 1 else ""
            printed, place = self._face(name, side, cost), ("", "")
            if card.location:
                place = self._place_of(faces.of(side, name), view["seat"], held)
            look = "place" if card.location else "neutral" if card.home == "neutral" else "empire"
            shown.append(
                f'<li class="card card-{look}{place[0]}"><b>{name_of("card", name)}{many}</b> <small>{printed}</small>'
                f"{place[1]}</li>"
            )
        return Markup(f'<ul class="cards{" rows" if rows else ""}">{"".join(shown)}</ul>')

    def _faces_of(self, view: View) -> Faces:
        """The location cards as the board of the view stands; asked for several times on a page."""
        last = self._last_faces  # taken once: other threads draw other pages
        if last is None or last[0] is not view["board"]:
            last = self._last_faces = view["board"], Faces(view)
        return last[1]

    def _place_of(self, face: Face, reader: str | None, held: bool) -> tuple[str, str]:
        """What a location card says besides what is printed: why it cannot be used (or only how its place stands, where
        nobody holds it), and where it leads; with a class."""
        drawn = self._places.get((face, reader, held))
        if drawn is None:
            if len(self._places) >= MOST_PLACES:
                self._places.clear()
            voice = self._words.voice
            bar = why_not(face, reader) if held else how_it_stands(face.ground, reader)
            said = [f' <small class="idle">{self._cited(voice.say(bar))}</small>'] if bar else []
            said += [f" <small>{escape(voice.say(line))}</small>" for line in where_it_leads(face, reader)]
            drawn = self._places[face, reader, held] = " unusable" if bar and held else "", "".join(said)
        return drawn

    def listed(self, names: Iterable[str]) -> Markup:
        """Cards in words: a, b and c."""
        return Markup(self._listed(names))

    def _listed(self, names: Iterable[str]) -> str:
        name_of = self._words.name
        return self._words.join([name_of("card", name) for name in names])

    def pile(
        self, head: str, names: Sequence[str], side: str, view: View, *, cost: bool = False, held: bool = True,
        top: bool = False,
    ) -> Markup:  # fmt: skip
        """A heading with the number of cards; they show when it is opened. With `top` the last one is named."""
        more = ""
        if top and names:
            named = self._words.gettext("top: %(card)s", card=self._words.name("card", names[-1]))
            more = f" <small>{named}</small>"
        shown = self.cards(names, side, view, cost=cost, held=held)
        summary = f'<summary>{head} <span class="count">{len(names)}</span>{more}</summary>'
        return Markup(f"<details>{summary}{shown}</details>")
