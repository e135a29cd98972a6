"""The actions of A Few Acres of Snow in words."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from markupsafe import Markup

from app.titles.acres.pages.ahead import AnsweredAhead
from app.titles.contract import View
from engine.acres import actions as act
from engine.acres.data import CARDS


class ActionsInWords(AnsweredAhead):
    """The wording of all actions in one language."""

    def option(self, data: View, line: str, view: View, seat: str) -> Markup:
        """Return an action in words; its kind stands above it."""
        return Markup(self._option(data, line, view, seat))

    def _option(self, data: View, line: str, view: View, seat: str) -> str:
        say = _IN_WORDS.get(data["is"])
        if say is not None:
            return say(_Action(self, data, view, seat))
        return self._words.name("card", data["card"]) if data.get("card") else f"<code>{escape(line)}</code>"

    def completes(self, kind: str, view: View) -> bool:
        """Return whether it may be the step that is sent at once: the last action, or an end."""
        return bool(view["actions_left"] <= 1)


class _Action:
    """An action as the table below words it: the things that it names, each by its name."""

    __slots__ = ("_", "_parts", "data", "seat", "view")

    def __init__(self, parts: ActionsInWords, data: View, view: View, seat: str) -> None:
        self._parts, self.data, self.view, self.seat = parts, data, view, seat
        self._ = parts._words.gettext

    def card(self, field: str = "card") -> str:
        """Return the card in a field."""
        return self._parts._words.name("card", self.data[field])

    def listed(self, field: str = "cards") -> str:
        """Return the cards in a field."""
        return self._parts._listed(self.data[field])

    @property
    def place(self) -> str:
        """Its place."""
        return self._parts._words.name("place", self.data["place"])

    def face(self, cost: bool = False) -> str:
        """Return what is printed on its card; with `cost` also the cost to draft it."""
        return f"<small>{self._parts._face(self.data['card'], self.seat, cost)}</small>"

    def coins(self) -> str:
        """Return how much its card brings."""
        n = CARDS[self.seat][self.data["card"]].coins
        return f"<small>{self._parts._words.ngettext('%(num)s coin', '%(num)s coins', n)}</small>"

    def reserve(self) -> str:
        """Return all cards in the acting seat's reserve."""
        return self._parts._listed(self.view["seats"][self.seat]["reserve"])

    def source(self) -> str:
        """Return where a card that is given up comes from."""
        source = self.data["source"]
        if source == act.HAND:
            return self._("from your hand")
        if source == act.RESERVE:
            return self._("from your reserve")
        return self._("from the siege of %(place)s", place=self._parts._words.name("place", source))


def _settle(it: _Action) -> str:
    place, card, carrier = it.place, it.card(), it.card("carrier")
    if it.data.get("settler"):
        return it._(
            "%(place)s: from %(card)s with %(carrier)s, settler %(settler)s",
            place=place,
            card=card,
            carrier=carrier,
            settler=it.card("settler"),
        )
    return it._("%(place)s: from %(card)s with %(carrier)s", place=place, card=card, carrier=carrier)


def _besiege(it: _Action) -> str:
    return it._(
        "%(place)s: from %(card)s with %(carrier)s, force %(force)s",
        place=it.place,
        card=it.card(),
        carrier=it.card("carrier"),
        force=it.card("force"),
    )


def _withdraw(it: _Action) -> str:
    return it.place + (", " + it._("giving up %(card)s", card=it.card("remove")) if it.data.get("remove") else "")


def _occupy(it: _Action) -> str:
    return it.place + (", " + it._("settler %(card)s", card=it.card("settler")) if it.data.get("settler") else "")


_TABLE: dict[type[act.Action], Callable[[_Action], str]] = {
    act.Settle: _settle,
    act.Besiege: _besiege,
    act.Develop: lambda it: it._("%(place)s with %(card)s", place=it.place, card=it.card("settler")),
    act.Fortify: lambda it: it._("%(place)s with %(card)s", place=it.place, card=it.card("fortification")),
    act.Reinforce: lambda it: it._("%(place)s with %(card)s", place=it.place, card=it.card()) + " " + it.face(),
    act.Raid: lambda it: it._("%(place)s with %(card)s", place=it.place, card=it.listed()),
    act.Merchant: lambda it: it._("%(ship)s carries %(cards)s", ship=it.card("ship"), cards=it.listed("coins")),
    act.Trade: lambda it: it.listed("furs"),
    act.Discard: lambda it: it.listed(),
    act.Govern: lambda it: it.listed(),
    act.TakeMoney: lambda it: f"{it.card()} {it.coins()}",
    act.Piracy: lambda it: it.card("ship"),
    act.Draft: lambda it: f"{it.card()} {it.face(cost=True)}",
    act.Pass: lambda it: it._("do nothing with this action"),
    act.Retrieve: lambda it: it._("all of it: %(cards)s", cards=it.reserve()),
    act.HomeSupport: lambda it: it._("draw three cards"),
    act.Withdraw: _withdraw,
    act.End: lambda it: it._("draw up to five cards; the other side is next"),
    act.Allow: lambda it: it._("you do not block"),
    act.Lose: lambda it: f"{it.card()} <small>{it.source()}</small>",
    act.ShowHand: lambda it: it._("you have nothing to lose"),
    act.Occupy: _occupy,
    act.Leave: lambda it: it._("%(place)s stays neutral", place=it.place),
}
"""What stands below the kind of action; actions described only by their card are not in it."""
_IN_WORDS = {kind.__name__: say for kind, say in _TABLE.items()}
