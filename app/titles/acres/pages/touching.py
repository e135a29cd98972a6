"""Choosing an action of A Few Acres of Snow part by part: what is asked, what can be touched, what it would change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from app.titles.acres.pages.sieges import Sieges
from app.titles.acres.touches import CARD, PLACE
from app.titles.contract import KIND
from app.titles.pages import NOTHING
from app.web.wording import Words
from engine.acres.actions import HAND, RESERVE
from engine.acres.data import NEUTRAL, PLACES

if TYPE_CHECKING:
    from app.titles.contract import ActionPart, View


def _questions(words: Words) -> dict[str, str]:
    """The question for each part of an action."""
    _ = words.gettext
    return {
        "at": _("Which place?"),
        "from": _("Which card leads there?"),
        "with": _("Which card carries?"),
        "settler": _("Which card settles?"),
        "force": _("Which card joins the siege?"),
        "wall": _("Which card fortifies?"),
        "coins": _("Whose coins?"),
        "ship": _("Which ship carries the goods?"),
        "take": _("Which card do you draft?"),
        "kept": _("Which card goes into the reserve?"),
        "fetch": _("Which card do you fetch?"),
        "lost": _("Which card do you give up?"),
        "out-of": _("Where from?"),
    }


class Touching(Sieges):
    """All of it in one language."""

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
        asked = _questions(self._words)
        return Markup(asked.get(role) or self._words.gettext("Which card?"))

    def about(self, touch: ActionPart, view: View, seat: str) -> Markup:
        """A place says whose it is, what it is worth and what lies there; a card what is printed on it."""
        if touch.noun == PLACE:
            return Markup(f'<p class="about">{self._about_place(touch.value, view)}</p>')
        if touch.noun == CARD:
            return Markup(f'<p class="about">{self._face(touch.value, seat)}</p>')
        return NOTHING

    def _about_place(self, place: str, view: View) -> str:
        _, name, card = self._words.gettext, self._words.name, PLACES[place]
        holding = view["board"].get(place)
        owner = holding["owner"] if holding else NEUTRAL
        said = [f'<span class="side side-{owner}">{name("seat", owner)}</span>']
        if holding:
            said.append(name("piece", holding["piece"]) + (", " + _("fort") if holding["fort"] else ""))
        if card.points:
            said.append(self._words.ngettext("%(num)s point", "%(num)s points", card.points))
        if card.defence:
            said.append(_("defence %(n)s", n=card.defence))
        if card.settler:
            said.append(_("asks for a settler"))
        if card.sea:
            said.append(_("port"))
        for siege in view["sieges"]:
            if siege["place"] == place:
                side = name("seat", siege["attacker"])
                said.append(_("besieged (%(side)s) at %(n)s", side=side, n=self.signed(siege["strength"])))
        return " · ".join(said)

    def changes(self, data: Mapping[str, Any], after: View, view: View, seat: str) -> Markup:
        """Points, money, the hand and sieges, as far as they change."""
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
        unknown = self._unknown(after)
        shown = "".join([f"<div><dt>{head}</dt><dd>{said}</dd></div>" for head, said in rows])
        listed = f'<dl class="changes">{shown}</dl>' if shown else ""
        return Markup(listed + (f'<p class="hint">{unknown}</p>' if unknown else ""))
