"""The pages of A Few Acres of Snow. Must not know persons, the database or another title."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from app.base.words.speech import Voice
from app.titles import lessons
from app.titles.acres import drawing, touches
from app.titles.acres.ground import DATA, HEIGHT, SPOTS, WIDTH, ground
from app.titles.acres.pages.parts import AcresParts
from app.titles.contract import ActionPart, Touching, View
from app.titles.pages import PlainPages
from app.titles.registry import TITLES
from app.titles.style import ground_address
from app.titles.touch import UNTOUCHED, Touch
from engine.acres.actions import Action
from engine.acres.choices import CardChoice
from engine.acres.data import CARDS, PLACES, SEATS, VILLAGE
from engine.acres.state import State
from engine.kernel.title import Title

EXAMPLES: dict[str, dict[str, Any]] = json.loads((DATA / "examples.json").read_text(encoding="utf-8"))
"""What the rules draw: what is pointed at, who holds what besides the opening position, and a siege."""


class AcresPages(PlainPages):
    """A map, and what `AcresParts` shows beside it."""

    folder = Path(__file__).parent.parent
    has_drawing = True
    turns = 100
    lesson = lessons.read(folder / "lesson.toml")

    def draw(self, view: View, voice: Voice, changed: frozenset[str], touch: Touch = UNTOUCHED) -> str:
        return drawing.draw(view, voice, changed, touch)

    def ground(self) -> str:
        head = f'<svg xmlns="http://www.w3.org/2000/svg" class="board acres" viewBox="0 0 {WIDTH} {HEIGHT}">'
        return f"{head}{ground()}</svg>"

    def crop(
        self, view: View, voice: Voice, prefix: str, changed: frozenset[str], box: tuple[int, int] | None = None
    ) -> str:
        return drawing.crop(view, voice, prefix, changed, box)

    def control(self, view: View, voice: Voice, changed: frozenset[str], touching: Touching) -> str:
        """Draw the map for choosing: every place is a link; one that is part of no action leads to what it is and why
        nothing can be done there; one whose card answers the open question answers it, and one whose card alone goes
        with the choice is its card; what goes with the choice has the ring of possible choices. The place in question
        is in view."""
        tokens, answering = {place: f"{touches.PLACE}.{place}" for place in PLACES}, touching.answering
        cards = {
            place: f"{touches.CARD}.{place}"
            for place, token in tokens.items()
            if touching.is_open and not touching.ways(token)
        }
        links = {
            place: answering.get(place)
            or touching.touch(cards[place] if touching.ways(cards.get(place, "")) else token)
            for place, token in tokens.items()
        }
        chosen = frozenset(place for place, token in tokens.items() if touching.is_touched(token))
        fits = [place for place, token in tokens.items() if touching.ways(token)] if touching.is_open else []
        curves = _connections(view, touching, chosen)
        chosen = chosen or frozenset(place for place, token in tokens.items() if touching.is_left_out(token))
        chosen = chosen or asked_about(view)
        touch = Touch(links=links, chosen=chosen, possible=frozenset([*fits, *answering]), curves=curves)
        drawn = drawing.draw(view, voice, changed, touch, ground_address("acres"))
        # The middle of what was touched, else of what is new; without either, of the map.
        shown = [place for place in (chosen or changed) if place in SPOTS]
        middle = sum([SPOTS[place]["y"] for place in shown]) / len(shown) if shown else HEIGHT / 2
        # Where there is no room for the whole map, pages begin there.
        aim = f'<span class="aim at-10 down-{round(20 * middle / HEIGHT)}"></span>'
        return aim + drawn.replace('class="board acres', 'class="board acres cut', 1)

    def rule_drawing(self, name: str, voice: Voice) -> str:
        """Draw the map around a place, with what `data/examples.json` adds to the opening. Its places have no ids in
        the page, which has several maps."""
        example, opening = EXAMPLES[name], lessons.opening_view(TITLES["acres"], SEATS)
        held = {place: {"owner": owner, "piece": VILLAGE, "fort": False} for place, owner in example["held"].items()}
        view = {**opening, "board": opening["board"] | held, "sieges": example["sieges"]}
        return re.sub(r' id="at-[a-z-]+"', "", drawing.draw(view, voice, frozenset(), Touch(**example["touch"])))

    def touches(self, title: Title, state: State, item: Action | CardChoice) -> tuple[ActionPart, ...]:
        return touches.touches(item)

    def item_touch(self, choice: CardChoice, item: str) -> ActionPart:
        return touches.item_touch(choice, item)

    def parts(self, title: Title, lang: str) -> AcresParts:
        return AcresParts(title, lang)


def asked_about(view: View) -> frozenset[str]:
    """Return the place that the pending question is about, if there is one."""
    due = view["decision"]
    return frozenset([due["place"]] if due and due["kind"] != "action" and due["place"] in SPOTS else [])


def _connections(view: View, touching: Touching, chosen: frozenset[str]) -> list[tuple[str, str, str]]:
    """Return the connections of the cards that lead somewhere: the one chosen for it, or those that lead to a chosen
    place."""
    hand = {card: CARDS[view["seat"]][card] for card in view["seats"][view["seat"]].get("hand", ())}
    held = [card for card in hand if touching.is_open and touching.is_touched(f"{touches.CARD}.{card}")]
    from_here = [card for card in held if touching.is_touched(f"from.{card}")]
    if not from_here:
        from_here = held if len(held) == 1 else [card for card in hand if chosen and touching.ways(f"from.{card}")]
    return [
        (card, place, transport)
        for card in from_here
        for place, transport in hand[card].reaches
        if {card, place} <= SPOTS.keys() and (not chosen or place in chosen)
    ]


PAGES = AcresPages()
