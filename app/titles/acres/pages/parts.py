"""A Few Acres of Snow on pages: its cards, its actions in words, its rules in a sentence each.

Methods that templates call give markup; those with an underscore give the same as plain strings, with every name and
value escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from markupsafe import Markup

from app.titles.acres.pages import reference
from app.titles.acres.pages.actions import ActionsInWords
from app.titles.acres.pages.words import Kind, kinds_of, printed_words
from app.titles.acres.touches import CARD
from app.titles.contract import Asked, Sheet, Touching, View
from app.titles.parts import NOTHING
from app.titles.touch import UNTOUCHED, Touch
from engine.acres import events as ev
from engine.acres.actions import RESERVE
from engine.acres.data import CARDS, FRENCH, NEUTRAL, SEATS, TOWN, VILLAGE
from engine.acres.ending import worth
from engine.acres.faces import Face, where_it_leads, why_not
from engine.acres.management import HOME_SUPPORT
from engine.kernel.title import Title

BY_CARD = frozenset({"trade", "govern", "intendant", "home-support", "convert"})
"""Kinds of action that need a specific card."""


def _touch(touching: Touching, tokens: Mapping[str, str], lit: bool, *, needs_part: bool = True) -> Touch:
    """Return how cards can be touched, by their tokens. `lit`: those that go with the choice are highlighted;
    `needs_part`: cards that are part of no action are not links."""
    return Touch(
        links={card: touching.touch(it) for card, it in tokens.items() if not needs_part or touching.can_touch(it)},
        chosen=frozenset(card for card, token in tokens.items() if touching.is_touched(token)),
        fresh=touching.fresh,
        possible=frozenset(card for card, token in tokens.items() if lit and touching.ways(token)),
    )


class AcresParts(ActionsInWords):
    """Everything about the title in one language."""

    def __init__(self, title: Title, lang: str) -> None:
        super().__init__(title, lang)
        self._kinds = kinds_of(self._words)

    # -- kinds of action --------------------------------------------------------------------------

    def _kind(self, kind: str) -> Kind:
        return self._kinds.get(kind) or Kind(escape(kind))

    def kind_name(self, kind: str) -> Markup:
        """Return the name of a kind of action."""
        return Markup(self._kind(kind).name)

    def kind_short(self, kind: str) -> Markup:
        """Return the same in a word or two."""
        return Markup(self._kind(kind).short or self._kind(kind).name)

    def can_ever(self, kind: str, seat: str) -> bool:
        """Return whether the seat can ever do it: some kinds need a card that only one side has; piracy is for the
        French."""
        if kind == "piracy":
            return seat == FRENCH
        return kind not in BY_CARD or any(card.action == kind for card in CARDS[seat].values())

    def kind_rule(self, kind: str) -> Markup:
        """Return its rule in a sentence, with the rule's number; nothing if the name says it."""
        known = self._kind(kind)
        return Markup(f"{known.rule} <small>{self._cited(known.number)}</small>" if known.rule else "")

    def asked(self, view: View, goes_on: bool) -> Asked:
        """Return the question of the deciding seat: its turn, or an answer in the turn of the other."""
        due, _ = view["decision"], self._voice.gettext
        place = self._voice.name("place", due["place"]) if due["place"] else ""
        other = self._called(view["on_turn"])
        if due["kind"] == "raid":
            said = _("{name} raids {place}", name=other, place=place)
            if not self._may_block(view):
                return Asked(_("{name} raids {place}: you have nothing that blocks.", name=other, place=place), said)
            return Asked(_("{name} raids {place}: do you block?", name=other, place=place), said)
        if due["kind"] == "ambush":
            said = _("{name} lies in ambush", name=other)
            if not self._may_block(view):
                return Asked(_("{name} lies in ambush: which card do you give up?", name=other), said)
            return Asked(_("{name} lies in ambush: do you block?", name=other), said)
        if due["kind"] == "convert":
            asks = _("{name} asks for your Native Americans", name=other)
            return Asked(_("{name} asks for your Native Americans: what do you answer?", name=other), asks)
        if due["kind"] == "conquest":
            said = _("{place} is conquered: do you occupy it?", place=place)
            return Asked(said, _("{place} is conquered", place=place))
        if due["kind"] == "siege-loss":
            said = _("The siege of {place} is lost: which card do you give up?", place=place)
            return Asked(said, _("The siege of {place} is lost", place=place))
        return Asked(self._asked_to_act(view["actions_left"], goes_on), "")

    @staticmethod
    def _may_block(view: View) -> bool:
        """Return whether the deciding seat may hold a card that blocks; who does not see its hand cannot know."""
        due = view["decision"]
        hand = view["seats"][due["seat"]]["hand"]
        cards = [CARDS[due["seat"]][card] for card in hand or ()]
        if due["kind"] == "ambush":
            return hand is None or any(card.blocks_ambush for card in cards)
        return hand is None or any(card.blocks_raid or card.id == due["place"] for card in cards)

    def _asked_to_act(self, left: int, goes_on: bool) -> str:
        say = self._voice
        if not left:
            return say.gettext("Your actions are used up: end your turn.")
        if goes_on:
            return say.ngettext("{n} action left.", "{n} actions left.", left).format(n=left)
        return say.ngettext("Your turn: {n} action.", "Your turn: {n} actions.", left).format(n=left)

    def briefly(self, event: object) -> str:
        """Say Home Support and what was drawn without a verb of the log."""
        if isinstance(event, ev.HomeSupportPlayed):
            return self._voice.name("card", HOME_SUPPORT)
        if isinstance(event, ev.Drew) and event.cards:
            drawn = ", ".join([self._voice.name("card", card) for card in event.cards])
            return self._voice.gettext("drew {cards}", cards=drawn)
        return ""

    def tally(self, view: View, own_turn: bool) -> Markup:
        """Return how many actions are left."""
        if not (own_turn and view["decision"] and view["decision"]["kind"] == "action"):
            return NOTHING
        left, seat = view["actions_left"], view["seat"]
        money = self._words.ngettext("%(num)s coin", "%(num)s coins", view["seats"][seat]["money"])
        said = self._words.ngettext("%(num)s action", "%(num)s actions", left)
        if not left:
            free = self._words.gettext("only free steps left")
            said += f'<span class="of"> ({free})</span>'
        return Markup(f"{said} · {money}")

    # -- actions ----------------------------------------------------------------------------------

    def item(self, kind: str, about: View, item: str) -> Markup:
        """Return a card that can be ticked."""
        _, notes = self._words.gettext, []
        gain, price, one_of = about.get("gain"), about.get("price"), about.get("one_of")
        if gain and item in gain:
            notes.append(_("brings %(n)s", n=gain[item]))
        elif kind == "raid" and price and price.get(item):
            notes.append(_("costs %(n)s", n=price[item]))
        if one_of and item not in one_of:
            notes.append(_("only with a raider"))
        return Markup(self._words.name("card", item) + "".join([f" <small>{note}</small>" for note in notes]))

    # -- what lies where --------------------------------------------------------------------------

    def mine(self, view: View, seat: str) -> Markup:
        """Return everything that the seat has."""
        return self._section("titles/acres/hand.html", view=view, seat=seat, touch=UNTOUCHED, there={})

    def hand(self, view: View, seat: str, touching: Touching) -> Markup:
        """Return the same for choosing by touch: cards that are part of an action are links. When an answer is due, all
        cards in the hand are, to why they cannot answer, and those that can are lit from the beginning; so are cards in
        the reserve and in sieges that can be given up."""
        me, answers = view["seats"][seat], view["decision"]["kind"] != "action"
        lit = touching.is_open or answers
        touch = _touch(touching, {card: f"{CARD}.{card}" for card in {*me["hand"]}}, lit, needs_part=not answers)
        lying = [(RESERVE, me["reserve"])]
        lying += [(one["place"], me["siege"].get(one["attacker"], ())) for one in view["sieges"]]
        there = {
            zone: (cards, _touch(touching, {card: f"lost.{card}" for card in {*cards}}, lit))
            for zone, cards in lying
            if answers and touching.can_touch(f"out-of.{zone}")
        }
        return self._section("titles/acres/hand.html", view=view, seat=seat, touch=touch, there=there)

    def then(self, view: View, seat: str | None, own: bool, names: Mapping[str, str]) -> Markup:
        """Return what a seat had in a position of a replay; `own` if it is the reader's. A spectator sees no hand."""
        if seat is None:
            return NOTHING
        return self.mine(view, seat) if own else self._section("titles/acres/then.html", view=view, seat=seat)

    def tie(self) -> str:
        return self._voice.gettext("With a tie the French win (R13.5).")

    def presented(self) -> Markup:
        many = self._words.gettext("2 players · about 50 turns each, of two actions")
        return self._section("play/turn/presented.html", many=Markup(many), about=self.in_short())

    def in_short(self) -> str:
        return self._voice.gettext(
            "Britain and France fight for North America, 1754 to 1763. Your deck of cards is your army, your trade and"
            " your settlers: whatever you win makes it larger and slower."
        )

    def reference(self) -> Markup:
        """Return all cards by side and where they begin, and all places."""
        _ = self._words.gettext
        heads = {"deck": _("First deck"), "places": _("Location cards on offer"), "empire": _("Empire cards on offer")}
        sides = {side: reference.cards_of(side, self._words) for side in (*SEATS, NEUTRAL)}
        places = reference.places(self._words)
        return self._section("titles/acres/reference.html", sides=sides, heads=heads, places=places)

    def reckoned(self, events: Sequence[Any], view: View) -> Sequence[tuple[str, Mapping[str, int]]]:
        """Return the points for villages, towns and what was captured (R13.4)."""
        pieces: dict[str, Counter[str]] = {VILLAGE: Counter(), TOWN: Counter()}
        for place, held in view["board"].items():
            if held["piece"] in pieces:
                pieces[held["piece"]][held["owner"]] += worth(place, held["piece"])
        villages, towns = pieces.values()
        captured = {seat: points - villages[seat] - towns[seat] for seat, points in view["score"].items()}
        _ = self._words.gettext
        return [(_("Villages"), villages), (_("Towns"), towns), (_("Captured"), captured)]

    def others_name(self) -> Markup:
        return Markup(self._words.gettext("Everybody’s cards"))

    def others(self, view: View, seat: str | None, names: Mapping[str, str]) -> Markup:
        """Return both sides beside each other, the cards of all others, and what is on offer."""
        _, seats = self._words.gettext, view["seats"]
        counts = (
            (_("Money"), "money"),
            (_("Cards in hand"), "hand_count"),
            (_("Cards in the deck"), "deck_count"),
            (_("Villages left to place"), "villages"),
            (_("Towns left to place"), "towns"),
            (_("Captured villages"), "captured_villages"),
            (_("Captured towns"), "captured_towns"),
        )
        rows = [(Markup(_("Points")), [view["score"][side] for side in seats])]
        rows += [(Markup(head), [it[field] for it in seats.values()]) for head, field in counts]
        return self._section("titles/acres/others.html", view=view, seat=seat, names=names, rows=rows)

    def _of_place(self, face: Face, seat: str) -> Sequence[str]:
        """Return what a location card in the hand says about its place, in small print."""
        bar, voice = why_not(face, seat), self._words.voice
        said = [*([bar] if bar else []), *where_it_leads(face, seat)]
        return [f"<small>{escape(voice.say(line))}</small>" for line in said]

    def _cards_listed(self, cards: Iterable[str], side: str, cost: bool = False) -> Markup:
        words, said = self._words, []
        for name, times in sorted(Counter(cards).items()):
            price = printed_words(CARDS[side][name], words, True)[:1] if cost else []
            many = f" × {times}" if times > 1 else ""
            said.append(f"{words.name('card', name)}{many}" + (f" ({price[0]})" if price else ""))
        return Markup(", ".join(said) or words.gettext("None."))

    def in_mail(self, view: View, seat: str, names: Mapping[str, str]) -> Sequence[Sheet]:
        """The hand with what each card is good for now, what both sides have, and what is on offer."""
        _, words, listed, me = self._words.gettext, self._words, self._cards_listed, view["seats"][seat]
        faces = self._faces_of(view)
        hand = []
        for name, times in sorted(Counter(me["hand"] or ()).items()):
            place = self._of_place(faces.of(seat, name), seat) if CARDS[seat][name].location else ()
            many = f" × {times}" if times > 1 else ""
            head = Markup(f"{words.name('card', name)}{many}")
            hand.append((head, Markup(" · ".join(filter(None, (self._face(name, seat), *place))))))
        if me["reserve"]:
            hand.append((Markup(_("Your reserve")), listed(me["reserve"], seat)))
        hand.append((Markup(_("Your discards")), listed(me["discard"], seat)))
        sides = []
        for side, it in view["seats"].items():
            head = Markup(escape(self._side(side, names)))
            said = _(
                "points: %(points)s · money: %(money)s · cards in hand: %(hand)s · in the deck: %(deck)s",
                points=view["score"][side],
                money=it["money"],
                hand=it["hand_count"],
                deck=it["deck_count"],
            )
            sides.append((head, Markup(said)))
        offer = [
            (Markup(_("To you")), listed(me["empire"], seat, True)),
            (Markup(_("To both")), listed(view["neutral"], seat, True)),
        ]
        both = Sheet(Markup(_("Both sides")), sides)
        if view["decision"] is None:  # it is over
            return (both,)
        return (
            Sheet(Markup(_("Your hand")), hand, True),
            both,
            Sheet(Markup(_("On offer")), offer),
        )

    def _side(self, side: str, names: Mapping[str, str]) -> str:
        name = names.get(side, "")
        return f"{self._words.name('seat', side)} ({name})" if name else str(self._words.name("seat", side))

    def board_words(self, view: View, names: Mapping[str, str]) -> Sequence[str]:
        """Return who holds which places, and what is besieged."""
        _, place = self._words.gettext, self._words.name
        said = []
        for side in view["seats"]:
            held = [place("place", one) for one, holding in view["board"].items() if holding["owner"] == side]
            said.append(f"{_('%(label)s:', label=self._side(side, names))} {', '.join(held) or '–'}.")
        if besieged := [place("place", siege["place"]) for siege in view["sieges"]]:
            said.append(f"{_('%(label)s:', label=_('Besieged'))} {', '.join(besieged)}.")
        return said

    # -- the draft ---------------------------------------------------------------------------------

    def cautions(self, drafted: Iterable[View], view: View) -> Markup:
        """Return the warnings before sending."""
        _, name, said = self._words.gettext, self._words.name, []
        for one in drafted:
            data = one["data"] or {"is": ""}
            if data["is"] == "Pass":
                said.append(_("Passing leaves an action unused."))
            elif data["is"] == "Withdraw" and data.get("remove"):
                said.append(
                    _(
                        "Withdrawing loses the siege of %(place)s, and %(card)s for good.",
                        place=name("place", data["place"]),
                        card=name("card", data["remove"]),
                    )
                )
            elif data["is"] == "Govern":
                said.append(_("The Governor takes %(cards)s out of your cards.", cards=self._listed(data["cards"])))
        return self._section("titles/acres/cautions.html", said=[Markup(one) for one in dict.fromkeys(said)])

    def closing(self, drafted: Sequence[View], view: View) -> Markup:
        """Return the sentence for a draft whose last step is the last of the turn."""
        last = drafted[-1] if drafted else None
        if last and last["shows"] and last["kind"] == "end":
            return Markup(self._words.gettext("With this your turn ends, and your hand is filled up to five cards."))
        return NOTHING
