"""A place of A Few Acres of Snow in words: what it is, who reaches it with what, what its card does, and its siege; and
why something cannot be done there, or with a card."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from markupsafe import Markup

from app.titles.acres.pages.cards import Cards, symbol
from app.titles.acres.pages.words import kinds_of
from app.titles.contract import View
from app.titles.parts import NOTHING
from engine.acres import reasons
from engine.acres.data import BATEAUX, CARDS, LOCATION_CARDS, OTHER, PLACES, SEATS, SHIP, TOWN, TRACK, WAGON
from engine.acres.sentences import signed
from engine.acres.sieges import FORT_DEFENCE
from engine.acres.state import State
from engine.kernel.title import Title


class Places(Cards):
    """The wording of places and their sieges in one language."""

    def __init__(self, title: Title, lang: str) -> None:
        super().__init__(title, lang)
        self._ids = {self._words.name("place", place): place for place in PLACES}
        said = "|".join(sorted(map(re.escape, self._ids), key=len, reverse=True))  # Fort Halifax before Halifax
        self._in_sentences = re.compile(rf"(?<![\w-])(?:{said})(?![\w-])")

    def linked(self, said: str, names: Mapping[str, str]) -> Markup:
        people = {escape(name) for name in names.values()}

        def link(found: re.Match[str]) -> str:
            name = found.group()
            return name if name in people else f'<a href="#at-{self._ids[name]}">{name}</a>'

        return Markup(self._in_sentences.sub(link, said))

    def place_told(self, place: str, view: View, seat: str | None) -> Markup:
        """Return what a place is, its siege, which places of each side lead there by what, and the card of the reader's
        side. Of a reader's own places those whose card is in the hand are marked."""
        sieges = [
            self.stands(siege["attacker"], OTHER[siege["attacker"]], siege["strength"])
            for siege in view["sieges"]
            if siege["place"] == place
        ]
        on_offer = seat is not None and place in view["seats"][seat]["locations"]
        has_card = seat is not None and place in LOCATION_CARDS[seat]
        return self._section(
            "titles/acres/place.html",
            place=place,
            about=self._what_it_is(place, view),
            sieges=sieges,
            ways=[(side, ways) for side in SEATS if (ways := self._who_reaches(place, side, view))],
            on_offer=on_offer,
            card=self.card(place, seat, view, on_offer=on_offer) if seat is not None and has_card else NOTHING,
        )

    def _what_it_is(self, place: str, view: View) -> list[Markup]:
        _, printed = self._words.gettext, PLACES[place]
        ground = self._faces_of(view).ground(place)
        said = [self.stands_as(ground, view["seat"])]
        holding = view["board"].get(place)
        if holding and holding["fort"]:
            said.append(_("fort"))
        if printed.points and (holding is None or holding["piece"] != TOWN):
            points = self._words.ngettext("{n} point", "{n} points", printed.points)
            said.append(points + ", " + _("%(n)s as a town", n=2 * printed.points))
        elif printed.points:
            said.append(self._words.ngettext("{n} point", "{n} points", 2 * printed.points))
        defence = printed.defence + (FORT_DEFENCE if holding and holding["fort"] else 0)
        if defence:
            said.append(_("defence %(n)s", n=defence))
        if printed.settler:
            said.append(_("asks for a settler"))
        if printed.ship:
            said.append(_("port"))
        elif printed.sea:
            said.append(_("by sea, no ship"))
        return [Markup(one) for one in said]

    def _who_reaches(self, place: str, side: str, view: View) -> list[tuple[Markup, Markup]]:
        """Return the places of a side whose cards lead to this one, by their transport."""
        name, hand, board, ways = self._words.name, view["seats"][side]["hand"] or (), view["board"], []
        for transport in (BATEAUX, SHIP, WAGON):
            held = [
                f"<b>{name('place', card)}</b>" if card in hand else name("place", card)
                for card in LOCATION_CARDS[side]
                if (place, transport) in CARDS[side][card].reaches and board.get(card, {}).get("owner") == side
            ]
            if held:
                by_what = symbol(transport, name("symbol", transport))
                ways.append((Markup(by_what), Markup(self._words.join(held))))
        return ways

    def why_place(self, state: State, place: str) -> Markup:
        """Return what can be done at a place now, and what not and why."""
        return self._told(reasons.of_place(state, place))

    def why_card(self, state: State, card: str) -> Markup:
        """Return what a card in the hand can be used for now, and what not and why."""
        return self._told(reasons.of_card(state, card))

    def _told(self, found: reasons.Reasons) -> Markup:
        if not (found.can or found.cannot):
            return NOTHING
        kinds, said = kinds_of(self._words), self._words.voice.say
        cannot = [(kinds[kind].name, said(bar.why), self._cited(bar.rule or "")) for kind, bar in found.cannot]
        can = Markup(", ".join([kinds[kind].name for kind in found.can]))
        return self._section("titles/acres/reasons.html", can=can, cannot=cannot)

    # -- sieges -----------------------------------------------------------------------------------

    def below_board(self, view: View, names: Mapping[str, str]) -> Markup:
        """Return the current sieges, each with its track, and the unknown results of a drafted step."""
        unknown = self._unknown(view)
        if not view["sieges"] and not unknown:
            return NOTHING
        return self._section("titles/acres/sieges.html", view=view, unknown=Markup(unknown), tracks=TRACK)

    def _unknown(self, view: View) -> str:
        _, ngettext, unknown, said = self._words.gettext, self._words.ngettext, view.get("unknown", {}), []
        if unknown.get("draws"):
            n = unknown["draws"]
            said.append(ngettext("Not known yet: your next card.", "Not known yet: your next %(num)s cards.", n))
        if unknown.get("answers"):
            side = self._words.name("seat", unknown["answers"])
            said.append(_("Not known yet: the answer (%(side)s), and what follows.", side=side))
        return " ".join(said)

    signed = staticmethod(signed)

    def stands(self, attacker: str, defender: str, strength: int) -> Markup:
        """Say how a siege stands, in a sentence."""
        _, name, step = self._words.gettext, self._words.name, self.signed(strength)
        if strength >= 2:
            said = _(
                "It stands at %(n)s: won by the attacker (%(side)s) if it stays so when that side’s turn begins.",
                n=step,
                side=name("seat", attacker),
            )
        elif strength <= -1:
            said = _(
                "It stands at %(n)s: won by the defender (%(side)s) if it stays so when that side’s turn begins.",
                n=step,
                side=name("seat", defender),
            )
        else:
            said = _("It stands at %(n)s: open. The attacker wins from +2, the defender from -1.", n=step)
        return Markup(said)
