"""The sieges of A Few Acres of Snow below the board of a page, and what of a drafted step cannot be known before."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from app.titles.parts.acres_cards import Cards, Data


class Sieges(Cards):
    """They and the cards in one language."""

    def sieges(self, view: Data, seat: str, voice: Any, facts: Data) -> Markup:
        """The sieges as they stand, each with its track; and what of a drafted step cannot be known before."""
        return Markup("".join([self._unknown(view), *[self._siege(siege, view, facts) for siege in view["sieges"]]]))

    def _unknown(self, view: Data) -> str:
        _, ngettext, unknown, said = self._words.gettext, self._words.ngettext, view.get("unknown", {}), []
        if unknown.get("draws"):
            n = unknown["draws"]
            said.append(ngettext("Not known yet: your next card.", "Not known yet: your next %(num)s cards.", n))
        if unknown.get("answers"):
            side = self._words.name("seat", unknown["answers"])
            said.append(_("Not known yet: what is answered (%(side)s), and what comes of it.", side=side))
        return f'<p class="hint">{" ".join(said)}</p>' if said else ""

    def _siege(self, siege: Data, view: Data, facts: Data) -> str:
        _, name = self._words.gettext, self._words.name
        attacker, strength = siege["attacker"], siege["strength"]
        defender = "french" if attacker == "british" else "british"
        least, most = facts["track"][attacker]
        signed = f"{strength:+d}" if strength else "0"
        steps = []
        for n in range(least, max(most, strength) + 1):
            look = ("at" if n == strength else "") + (" held" if n <= -1 else " taken" if n >= 2 else "")
            steps.append(f'<i class="{look}">{signed if n == strength else ""}</i>')
        if strength >= 2:
            stands = _(
                "It stands at %(n)s: won by the attacker (%(side)s) if it stays so when that side's turn begins.",
                n=signed, side=name("seat", attacker),
            )  # fmt: skip
        elif strength <= -1:
            stands = _(
                "It stands at %(n)s: won by the defender (%(side)s) if it stays so when that side's turn begins.",
                n=signed, side=name("seat", defender),
            )  # fmt: skip
        else:
            stands = _("It stands at %(n)s: open. The attacker wins from +2, the defender from -1.", n=signed)
        forces = " · ".join(
            f"{_('%(label)s:', label=name('seat', side))} "
            f"{self._listed(view['seats'][side]['siege'].get(attacker, ())) or self._none}"
            for side in (attacker, defender)
        )
        head, defends = _("Siege of %(place)s", place=name("place", siege["place"])), _("defender")
        attacks = _("attacker")
        return (
            f'<div class="siege"><h3>{head}</h3><p class="track"><span class="side side-{defender}">{defends}</span>'
            f'<span class="steps" aria-hidden="true">{"".join(steps)}</span>'
            f'<span class="side side-{attacker}">{attacks}</span></p>'
            f"<p>{stands}</p><p><small>{forces}</small></p></div>"
        )
