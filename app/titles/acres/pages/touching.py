"""Choosing an action of A Few Acres of Snow part by part: the questions, what can be touched, and what would change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup, escape

from app.titles.acres.pages.places import Places
from app.titles.acres.pages.words import question
from app.titles.acres.touches import CARD, PLACE
from app.titles.contract import KIND, ActionPart, View
from app.titles.parts import NOTHING
from engine.acres.actions import HAND, RESERVE
from engine.acres.data import CARDS, PLACES
from engine.acres.state import State


class TouchedPlaces(Places):
    """The wording of choosing in one language."""

    def part(self, touch: ActionPart, view: View, seat: str) -> Markup:
        if touch.role == KIND:
            return self.kind_name(touch.value)
        if touch.noun == PLACE:
            return Markup(self._words.name("place", touch.value))
        if touch.role == "out-of":
            said = {HAND: self._words.gettext("from your hand"), RESERVE: self._words.gettext("from your reserve")}
            return Markup(said[touch.value])
        return Markup(self._words.name("card", touch.value))

    def asks(self, role: str, kind: str) -> Markup:
        return Markup(question(role, self._words))

    def about(self, touch: ActionPart, view: View, seat: str) -> Markup:
        """Describe a touched part: a place says what it is, who reaches it and what its card does; a card says what is
        printed on it."""
        if touch.noun == PLACE and touch.value in PLACES:
            return self.place_told(touch.value, view, seat)
        if touch.noun == CARD and touch.value in CARDS[seat]:
            return Markup(f'<p class="about">{self._face(touch.value, seat)}</p>')
        return NOTHING

    def why_not(self, touch: ActionPart, state: State) -> Markup:
        """Return what a place or a card is good for now, and what not and why."""
        if touch.noun == PLACE and touch.value in PLACES:
            return self.why_place(state, touch.value)
        return self.why_card(state, touch.value) if touch.noun == CARD else NOTHING

    def changes(self, data: Mapping[str, Any], after: View, view: View, seat: str) -> Markup:
        """Return points, money, the hand and sieges, as far as they change."""
        _, rows = self._words.gettext, []
        both = _("%(before)s to %(after)s")
        numbers = [
            (_("Points"), view["score"][seat], after["score"][seat]),
            (_("Money"), view["seats"][seat]["money"], after["seats"][seat]["money"]),
            (_("Cards in hand"), len(view["seats"][seat]["hand"]), len(after["seats"][seat]["hand"])),
        ]
        rows += [(head, both % {"before": old, "after": new}) for head, old, new in numbers if old != new]
        stood = {siege["place"]: siege["strength"] for siege in view["sieges"]}
        for siege in after["sieges"]:
            place, new = siege["place"], siege["strength"]
            head = _("Siege of %(place)s", place=self._words.name("place", place))
            if place not in stood:
                rows.append((head, _("begins at %(n)s", n=self.signed(new))))
            elif stood[place] != new:
                rows.append((head, both % {"before": self.signed(stood[place]), "after": self.signed(new)}))
        answered = self._answered(after, view, seat)
        if answered and rows:  # what changes at once does so whatever is answered
            rows = [(_("In either case"), " · ".join([f"{head} {change}" for head, change in rows]))]
        said = [(Markup(head), Markup(change)) for head, change in (*answered, *rows)]
        unknown = "" if answered else self._unknown(after)
        return self._section("titles/acres/changes.html", rows=said, unknown=Markup(unknown))

    def _answered(self, after: View, view: View, seat: str) -> list[tuple[str, str]]:
        """Return the result of each answer to a raid or an ambush; nothing for another step."""
        _, unknown = self._words.gettext, after["unknown"]
        other = str(escape(self._called(unknown["answers"]))) if unknown["answers"] else ""
        if unknown.get("asks") == "raid":
            before, points = view["score"], unknown["allowed"]
            both = [(_("you"), seat), (other, unknown["answers"])]
            won = " · ".join([f"{name} {before[side]} → {points[side]}" for name, side in both])
            return [
                (_("If %(name)s lets it happen", name=other), won),
                (_("If %(name)s blocks", name=other), _("nothing is won")),
            ]
        if unknown.get("asks") == "ambush":
            return [
                (_("If %(name)s blocks", name=other), _("no card is lost")),
                (_("Otherwise"), _("%(name)s gives up a card", name=other)),
            ]
        return []

    def result(self, after: View, view: View, seat: str, data: Mapping[str, Any]) -> Markup:
        """Return the points, where a siege would stand, or the money; for an answer the points in any case."""
        _, old, new = self._words.gettext, view["score"][seat], after["score"][seat]
        if old != new:
            points = self._words.ngettext("{n} point", "{n} points", new)
            return self._weighed(f"{old} → {points}", new > old)
        strength = {siege["place"]: siege["strength"] for siege in after["sieges"]}.get(data.get("place"))
        if data["is"] in ("Besiege", "Reinforce") and strength is not None:
            return self._stands(strength, view, after, data["place"])
        if view["on_turn"] != seat:
            return Markup(_("stays %(n)s", n=old))
        old, new = view["seats"][seat]["money"], after["seats"][seat]["money"]
        coins = self._words.ngettext("%(num)s coin", "%(num)s coins", new)
        return self._weighed(f"{old} → {coins}", new > old) if old != new else Markup("")

    @staticmethod
    def _weighed(said: str, better: bool) -> Markup:
        return Markup(f'<span class="{"better" if better else "worse"}">{said}</span>')

    def _stands(self, strength: int, view: View, after: View, place: str) -> Markup:
        """Return how a siege would stand for the reader, and that it would be lost."""
        _, seat = self._words.gettext, view["seat"]
        attacks = any(one["place"] == place and one["attacker"] == seat for one in after["sieges"])
        mine = strength if attacks else -strength
        if mine <= (-1 if attacks else -2):
            lost = _("%(n)s: lost unless reinforced", n=self.signed(mine))
            return self._weighed(lost, False)
        return self._weighed(self.signed(mine), True)
