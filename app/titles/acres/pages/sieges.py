"""The sieges of A Few Acres of Snow below the board of a page, and the unknown results of a drafted step."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from app.titles.acres.pages.cards import Cards
from app.titles.contract import View
from app.titles.parts import NOTHING
from engine.acres.data import TRACK
from engine.acres.sentences import signed


class Sieges(Cards):
    """Sieges and cards in one language."""

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
