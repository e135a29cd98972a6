"""Answers ahead of time in words: what a seat may be asked before its next turn, and how it can answer now."""

from __future__ import annotations

from markupsafe import Markup

from app.titles.acres.pages.touching import TouchedPlaces
from app.titles.contract import View
from app.titles.parts import NOTHING


class AnsweredAhead(TouchedPlaces):
    """The wording in one language."""

    def question(self, foreseen: View) -> Markup:
        """Return a question that may come before the seat's next turn."""
        _, kind = self._words.gettext, foreseen["kind"]
        places = [self._words.name("place", place) for place in foreseen["places"] if place]
        if kind == "siege-loss":
            said = _(
                "The siege of %(place)s is about to be lost. If it stays so, which card do you give up?",
                place=places[0],
            )
        elif kind == "conquest":
            said = _("If %(place)s falls to you, do you occupy it?", place=places[0])
        elif kind == "ambush":
            said = _("If you are ambushed")
        elif kind == "convert":
            said = _("If a Native Americans card is asked of you")
        elif not places:
            said = _("Every other place")
        else:
            said = f"{', '.join(places)} <small>{self._worth(foreseen['worth'])}</small>"
        return Markup(said)

    def _worth(self, points: int) -> str:
        if not points:
            return self._words.gettext("no points")
        return self._words.ngettext("{n} point", "{n} points", points)

    def questions_head(self, kind: str) -> Markup:
        """Return the heading of all questions of a kind."""
        return Markup(self._words.gettext("If a place of yours is raided")) if kind == "raid" else NOTHING

    def answer_ahead(self, foreseen: View, answer: str) -> Markup:
        """Return one of its answers: `block with rangers`, `block with any; lose militia`."""
        _, name, said = self._words.gettext, self._words.name, answer.split()
        verb, last = said[0], said[-1]
        if foreseen["kind"] == "ambush" and verb == "block":
            if ";" in answer:
                found = _("block with whatever can, else give up %(card)s", card=name("card", last))
            else:
                found = _("block with whatever can, else ask me")
        elif foreseen["kind"] == "convert":
            found = _("hand over that in your hand") if last == "hand" else _("hand over that in your reserve")
        elif verb == "ask":
            found = _("ask me")
        elif verb == "allow":
            found = _("let it happen")
        elif verb == "block":
            found = _("block with whatever can") if last == "any" else _("block with %(card)s", card=name("card", last))
        elif verb == "lose":
            found = _("give up %(card)s", card=name("card", last))
        elif verb == "leave":
            found = _("leave it neutral")
        elif len(said) > 1:
            found = _("occupy it with %(card)s", card=name("card", last))
        else:
            found = _("occupy it")
        return Markup(found)

    def unanswered(self, foreseen: View) -> Markup:
        """Say what happens without an order: for a place, what is said for all others."""
        if foreseen["kind"] == "raid" and foreseen["about"]:
            return Markup(self._words.gettext("as for every other place"))
        return super().unanswered(foreseen)
