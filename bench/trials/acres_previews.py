"""Checks what the page of Acres shows before anything is sent against the data and the result of playing it.

    python -m bench.trials.acres_previews [COUNT] [--seed N]

Plays random games and checks positions on the way. The faces of all location cards must agree with the table of cards,
the board and the rules for every reader. One action of every kind is previewed: what the seat sees afterwards must be
what it sees when the action is played, except for the cards that it draws, whose number must be right. And each preview
must be the same in other states that the seat cannot tell from the true one.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter
from importlib.resources import files
from itertools import islice
from typing import Any

from engine.acres import ACRES
from engine.acres import events as ev
from engine.acres.data import LOCATION_CARDS, SEATS
from engine.acres.faces import Faces
from engine.acres.position import Position
from engine.acres.state import State, besieged_by
from engine.kernel.title import Choice
from tests.support.acres_games import RandomChance, random_game

EVERY = 7
"""One in this many decisions of a game is checked."""
TWINS = 12
"""How many of the states that the seat cannot tell apart are tried for each preview."""
EDITIONS = ("first", "first-revised", "second")


def _printed() -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Return where each location card leads, from the table itself."""
    with files("engine.acres").joinpath("data", "location_cards.csv").open(encoding="utf-8") as lines:
        return {
            (row["side"], row["card"]): {
                (place, by) for by in ("bateaux", "ship", "wagon") for place in row[f"by_{by}"].split()
            }
            for row in csv.DictReader(lines)
        }


PRINTED = _printed()


class _Enough(Exception):
    """As many positions as requested have been checked."""


class Looker:
    """Checks positions, counts, and collects errors."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.source = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def run(self, count: int) -> None:
        """Check this many positions."""
        game = 0
        while self.counts["positions"] < count:
            game += 1

            def look(state: State, action: Any) -> None:
                if self.source.random() * EVERY < 1:
                    self.look(state)
                    if self.counts["positions"] >= count:
                        raise _Enough

            try:
                random_game(self.seed * 10_000 + game, look=look, edition=EDITIONS[game % len(EDITIONS)])
            except _Enough:
                return

    def look(self, state: State) -> None:
        """Check the faces and the previews of a position."""
        self.counts["positions"] += 1
        for reader in (*SEATS, None):
            self._faces(state, Faces(ACRES.view(state, reader)))
        due = ACRES.decision(state)
        assert due is not None
        kinds: dict[str, list[Any]] = {}
        for item in ACRES.legal(state):
            actions = item.smallest() if isinstance(item, Choice) else [item]
            kinds.setdefault(type(actions[0]).__name__, []).extend(actions)
        for actions in kinds.values():
            self._preview(state, due.seat, self.source.choice(actions))

    def _complain(self, state: State, what: str) -> None:
        self.wrong.append(f"turn {state.turn}, {state.edition.edition}: {what}")

    # -- faces ------------------------------------------------------------------------------------

    def _faces(self, state: State, faces: Faces) -> None:
        for side in SEATS:
            usable = Position(state, side)
            held = {card.id for card in usable.usable}
            for card in LOCATION_CARDS[side]:
                self.counts["faces"] += 1
                face = faces.of(side, card)
                if {(place, by) for place, by, _ in face.leads} != PRINTED[side, card]:
                    self._complain(state, f"{side} {card} leads elsewhere")
                for place, ground in [(card, face.ground), *[(place, ground) for place, _, ground in face.leads]]:
                    holding = state.board.holdings.get(place)
                    stands = (holding.owner, holding.piece) if holding else ("neutral", "")
                    if (ground.owner, ground.piece) != stands:
                        self._complain(state, f"{place} stands otherwise than on {side} {card}")
                    if ground.besieged != (besieged_by(state, place) is not None):
                        self._complain(state, f"the siege of {place} on {side} {card}")
                bar = usable.why_unusable(card)
                if (face.bar, face.rule) != ((bar.code, bar.rule) if bar else ("", "")):
                    self._complain(state, f"{side} {card}: {face.bar} for {bar}")
                if card in state.players[side].hand and (card in held) != (not face.bar):
                    self._complain(state, f"{side} {card} in hand: {face.bar}")

    # -- previews ---------------------------------------------------------------------------------

    def _preview(self, state: State, seat: str, action: Any) -> None:
        self.counts["previews"] += 1
        line = ACRES.write(state, action)
        found = ACRES.preview(state, action)
        for twin in islice(ACRES.worlds(state, seat), TWINS):
            self.counts["twins"] += 1
            if ACRES.preview(twin, action) != found:
                self._complain(state, f"the preview of {line} tells what is hidden")
        shown = dict(found["view"])
        unknown = shown.pop("unknown")
        after, drawn = self._played(state, seat, action)
        due = ACRES.decision(after)
        if unknown["answers"]:
            self.counts["asked"] += 1
            if due is None or due.kind == "action" or due.seat != unknown["answers"]:
                self._complain(state, f"after {line} nobody is asked")
        self.counts["over"] += due is None
        self.counts["ends"] += due is not None and due.on_turn != state.on_turn
        truly = ACRES.view(after, seat)
        own, mine = dict(truly["seats"][seat]), dict(shown["seats"][seat])
        missing = Counter(own.pop("hand"))
        missing.subtract(mine.pop("hand"))
        self.counts["drawn"] += unknown["draws"]
        if (
            min(missing.values(), default=0) < 0
            or sum(missing.values()) != unknown["draws"]
            or unknown["draws"] > drawn
        ):
            self._complain(state, f"after {line} the hand has {+missing} more, {unknown['draws']} were told")
        for of_seat, drawer in ((own, 1), (mine, 0)):  # the cards on their way lie in hand or in the deck
            of_seat["hand_count"] -= unknown["draws"] * drawer
            of_seat["deck_count"] += unknown["draws"] * drawer
        gone = Counter(mine.pop("unseen"))
        gone.subtract(own.pop("unseen"))
        if +gone != +missing or -gone:
            self._complain(state, f"after {line} the deck is another one")
        truly["seats"] = {**truly["seats"], seat: own}
        shown["seats"] = {**shown["seats"], seat: mine}
        for key, value in truly.items():
            if shown[key] != value:
                self._complain(state, f"after {line}, {key}: {shown[key]} shown, {value} came")

    def _played(self, state: State, seat: str, action: Any) -> tuple[State, int]:
        """Return the result of playing the action with the automatic answers, and how many cards the seat drew."""
        chance, drawn = RandomChance(self.source), 0
        answer: Any = action
        while answer is not None:
            due = ACRES.decision(state)
            assert due is not None
            for event, after in ACRES.unfold(state, due.seat, answer, chance):
                if isinstance(event, (ev.Drew, ev.Shuffled, ev.TurnEnded)) and event.seat != seat:
                    return state, drawn  # the other side ended its turn
                drawn += len(event.cards) if isinstance(event, ev.Drew) and event.seat == seat else 0
                state = after
            answer = ACRES.forced(state)
            due = ACRES.decision(state)
            if answer is not None and due is not None and ACRES.write(state, answer) == "show-hand":
                answer = None if state.players[due.seat].hand else answer
        return state, drawn


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=1_000, help="positions to look at")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    looker = Looker(given.seed)
    looker.run(given.count)
    for number, one in enumerate(looker.wrong, 1):
        if number <= 30:
            print(one)
    print({**looker.counts, "wrong": len(looker.wrong)})
    sys.exit(bool(looker.wrong))


if __name__ == "__main__":
    main()
