"""Checks the wording of New World's previews against what the engine then scores.

    python -m bench.trials.previews [COUNT] [--seed N]

Plays random games and checks placements and orders of scoring on the way. For each it reads the words next to the
choices, as a person or a screen reader gets them, and complains if two choices of one decision have the same words, or
if a figure differs from the result of playing that choice. The words have to differ in each language and also without
the letters; the figures are read from the English ones.
"""

from __future__ import annotations

import argparse
import html
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flask import Flask

from app.play.pages.turn.tray import Tray
from app.titles.pages import pages_of, parts_of
from engine.kernel.title import Event
from engine.new_world import NEW_WORLD
from engine.new_world.actions import Place, ScoreOrder
from engine.new_world.events import FeatureScored, StragglersRemoved, UnfinishedScored
from engine.new_world.rules import completed_by, with_settler, with_tile
from engine.new_world.scoring import completed
from engine.new_world.state import State
from tests.support.new_world_games import RandomChance

LANGUAGES = ("en", "fr", "es", "it")
A_TURN = 4
"""How many placements are checked each turn."""
MOST_ORDERS = 5
"""With more features than this their orders are not all played."""


class Looker:
    """Checks previews, counts them, and collects errors."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        self.chance = RandomChance(self.source)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    # -- games ------------------------------------------------------------------------------------

    def run(self, count: int) -> None:
        """Check this many previews."""
        while self.counts["previews"] < count:
            for state in self._game():
                self._look(state)
                if self.counts["previews"] >= count:
                    break

    def _game(self) -> Iterator[State]:
        seats = self.source.randint(2, 5)
        options = {"bonus_per_settler": self.source.random() < 0.7, "spaces_count_as_tiles": self.source.random() < 0.7}
        eager = self.source.random() < 0.8
        state: Any = None
        opening = NEW_WORLD.open(NEW_WORLD.read_options(options), NEW_WORLD.seats[:seats], self.chance)
        for event in opening:
            state = NEW_WORLD.apply(state, event)
        while (owed := NEW_WORLD.decision(state)) is not None:
            yield state
            actions = NEW_WORLD.legal(state)
            action = self.source.choice(actions)
            if eager and owed.kind == "place":
                action = max(actions, key=lambda one: self._worth(state, one))
            state = self._after(state, owed.seat, action)

    def _worth(self, state: State, action: Place) -> float:
        """Prefer actions that complete features, above all several at once, and settle where little is missing."""
        laid = with_settler(with_tile(state, action), action)
        missing = sum(feature.open for feature in laid.board.features if feature.settlers)
        settles = 0.0 if action.segment is None else 0.4 if action.segment[0] in "pf" else 2.2
        return 3 * (len(completed(laid)) > 1) - 0.6 * missing + settles + self.source.random()

    def _after(self, state: State, seat: str, action: Any) -> State:
        for event in NEW_WORLD.play(state, seat, action, self.chance):
            state = NEW_WORLD.apply(state, event)
        return state

    # -- looking ----------------------------------------------------------------------------------

    def _look(self, state: State) -> None:
        owed = NEW_WORLD.decision(state)
        assert owed is not None
        actions = NEW_WORLD.legal(state)
        if owed.kind == "score":
            self._order(state, owed.seat, actions)
            return
        places = [action for action in actions if isinstance(action, Place) and action.segment is None]
        self._cells(state, owed.seat, places)
        several = [one for one in places if len(completed_by(state, one)) > 1]
        for place in [*several[:2], *self.source.sample(places, min(A_TURN, len(places)))]:
            self._placement(state, owed.seat, place)
        for place in several[:2]:
            ordering = self._after(state, owed.seat, place)
            self._order(ordering, owed.seat, NEW_WORLD.legal(ordering))

    def _cells(self, state: State, seat: str, places: Sequence[Place]) -> None:
        named = re.findall(r'<button [^>]*aria-label="([^"]*)"', _tray(state, seat, "en"))
        if len(named) != len(places):
            self._complain(state, "cells", f"{len(named)} buttons for {len(places)} placements")
        if len(set(named)) < len(named):
            self._complain(state, "cells", "the same words twice")

    def _placement(self, state: State, seat: str, place: Place) -> None:
        self.counts["previews"] += 1
        preview = NEW_WORLD.preview(state, place)
        assert preview is not None
        words = {}
        for lang in ("en", LANGUAGES[self.counts["previews"] % 3 + 1]):
            look = parts_of("new-world", lang).look
            shown = str(look({"preview": preview}, 1, NEW_WORLD.view(state, seat), seat))
            words = _labels(shown, "line:1") if lang == "en" else words
            self._differ(state, str(place), list(_labels(shown, "line:1").values()))
            self._differ(state, str(place), re.findall(r"<li>(.*?)</li>", shown, re.DOTALL))
        self.counts["settlers"] += max(0, len(words) - 1)
        for line, said in words.items():
            self._judge(state, seat, NEW_WORLD.read(state, seat, line), said)

    def _judge(self, state: State, seat: str, place: Place, said: str) -> None:
        """Check that the words next to a choice describe the result of playing it."""
        # Without tiles left the game ends at once, with the final scoring of the remaining position.
        last = state._replace(bag=())
        courses = list(self._courses(last, seat, place))
        at_once = {who for events in courses for who in _points(events, FeatureScored)}
        for who in at_once:
            got = sorted({_points(events, FeatureScored).get(who, 0) for events in courses})
            name = NEW_WORLD.name_of("seat", who, "en")
            if len(got) == 1:
                wanted = f"{got[0]} point{'s' * (got[0] != 1)} for {name}"
            else:
                wanted = f"{got[0]} {'or' if len(got) == 2 else 'to'} {got[-1]} points for {name}"
            self.counts["figures"] += 1
            if not re.search(rf"(?<!\d) {re.escape(wanted)}\b", said.partition("scored at once:")[2].partition("(")[0]):
                self._complain(state, str(place), f"gives {wanted}, says: {said}")
        if said.count(" for ") and not at_once:
            self._complain(state, str(place), f"gives nothing at once, says: {said}")
        ends = {int(n) for n in re.findall(r"(\d+) points? at the end", said)}
        given = {self._at_end(events, last, seat, place) for events in courses} - {-1}
        if ends != given:
            self._complain(state, str(place), f"gives {given} at the end, says: {said}")
        self.counts["figures"] += len(ends)

    def _courses(self, state: State, seat: str, place: Place) -> Iterator[tuple[Event, ...]]:
        """Return what happens with this placement, for each order of scoring if one has to be chosen."""
        events = NEW_WORLD.play(state, seat, place, self.chance)
        for event in events:
            state = NEW_WORLD.apply(state, event)
        if not state.pending:
            yield events
            return
        self.counts["placements with several orders"] += 1
        for order in permutations(state.pending[:MOST_ORDERS]):
            rest = state.pending[MOST_ORDERS:]
            yield (*events, *NEW_WORLD.play(state, seat, ScoreOrder((*order, *rest)), self.chance))

    @staticmethod
    def _at_end(events: Sequence[Event], state: State, seat: str, place: Place) -> int:
        """Return the settler's points in the final scoring; -1 if it is no longer there."""
        if place.segment is None:
            return -1
        mine = (seat, place.x, place.y, place.segment)
        for event in events:
            if isinstance(event, FeatureScored | StragglersRemoved) and mine in event.home:
                return -1
        board: Any = state
        for event in events:
            board = NEW_WORLD.apply(board, event)
        number = board.board.number_at(place.x, place.y, place.segment)
        for event in events:
            if isinstance(event, UnfinishedScored):
                x, y, part = re.split("[,:]", event.feature)
                if board.board.number_at(int(x), int(y), part) == number:
                    return event.gains.get(seat, 0)
        return 0

    def _order(self, state: State, seat: str, actions: Sequence[ScoreOrder]) -> None:
        self.counts["previews"] += 1
        self.counts["orders of scoring"] += 1
        view = NEW_WORLD.view(state, seat)
        by_line = {NEW_WORLD.write(state, action): action for action in actions}
        words: dict[str, str] = {}
        for lang in LANGUAGES:
            shown, parts = _tray(state, seat, lang), parts_of("new-world", lang)
            said = {
                line: words_of(parts.option(NEW_WORLD.action_to_json(by_line[line]), line, view, seat))
                for line in map(html.unescape, re.findall(r'value="play:([^"]*)"', shown))
            }
            words = words or said
            self._differ(state, "order", list(said.values()))
            self._differ(state, "order", re.findall(r"<p>(<b>.*?)</p>", shown))
        brought = {}
        for line, action in by_line.items():
            if len(state.pending) > MOST_ORDERS and line not in words:
                continue
            after = self._after(state._replace(bag=()), seat, action)
            brought[line] = tuple(sorted(after.scores.items())), after.surveyors, after.settlers
            if line in words:
                gains = {who: after.scores[who] - state.scores[who] for who in state.scores}
                self._judge_order(state, seat, action, words[line], gains)
        missing = set(brought.values()) - {brought[line] for line in words}
        if missing:
            self._complain(state, "order", f"orders that end otherwise are not shown: {missing}")

    def _judge_order(self, state: State, seat: str, action: ScoreOrder, said: str, gains: dict[str, int]) -> None:
        events = NEW_WORLD.play(state, seat, action, self.chance)
        at_once = _points(events, FeatureScored)
        told = {name: int(n) for n, name in re.findall(r"(\d+) points? for (\w+)", said)}
        self.counts["figures"] += len(told)
        if told != {NEW_WORLD.name_of("seat", who, "en"): n for who, n in at_once.items()}:
            self._complain(state, str(action), f"gives {at_once}, says: {said}")
        if any(gains[who] < n for who, n in at_once.items()):
            self._complain(state, str(action), f"gives {gains} in all, says: {said}")

    # -- complaining ------------------------------------------------------------------------------

    def _differ(self, state: State, what: str, said: Sequence[str]) -> None:
        plain = [words_of(one) for one in said]
        # A letter of its own is not enough, but a plain is named by the letter of what it lies beside.
        bare = [one if len(re.findall(r"\b[A-Z]\b", one)) > 1 else re.sub(r"\b[A-Z]\b", "", one) for one in plain]
        for words in (plain, bare):
            twice = [one for one, n in Counter(words).items() if n > 1]
            if twice:
                self._complain(state, what, f"the same words: {twice}")

    def _complain(self, state: State, what: str, why: str) -> None:
        self.wrong.append(f"turn {state.turn}, {what}: {why}")


def words_of(markup: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", markup))).strip()


def _labels(shown: str, name: str) -> dict[str, str]:
    """Return the words next to each radio button of this name, by the line that it stands for."""
    found = re.findall(rf'<input type="radio" name="{name}" value="([^"]*)"[^>]*>(.*?)</label>', shown, re.DOTALL)
    return {html.unescape(line): words_of(said) for line, said in found}


def _tray(state: State, seat: str, lang: str) -> str:
    """Return what stands in the tray before anything is chosen."""
    pages, parts, view = pages_of("new-world"), parts_of("new-world", lang), NEW_WORLD.view(state, seat)
    return str(Tray(NEW_WORLD, pages, parts, state, view, seat, "", "", ()).drawn)


def _points(events: Sequence[Event], kind: type) -> dict[str, int]:
    points: Counter[str] = Counter()
    for event in events:
        if isinstance(event, kind):
            points.update(event.gains)
    return dict(points)


def look_at(app: Flask, count: int, seed: int = 1) -> Looker:
    """Check this many previews; return the looker with its findings."""
    looker = Looker(seed)
    with app.test_request_context():
        looker.run(count)
    return looker


def main() -> int:
    """Check as many as requested; the exit status tells whether something was wrong."""
    from app.base.process.config import load as load_config
    from app.server.factory import create_app

    parser = argparse.ArgumentParser(description="Previews of New World against what is scored.")
    parser.add_argument("count", nargs="?", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        environ = {"POSTROAD_DATABASE_URL": f"sqlite:///{folder}/previews.db", "POSTROAD_SECRET_KEY": "previews" * 8}
        app = create_app(load_config(environ, Path(folder)))
        looker = look_at(app, given.count, given.seed)
        app.extensions["postroad"].database.close()
    print(", ".join(f"{n} {what}" for what, n in looker.counts.items()), f"{len(looker.wrong)} wrong", sep=", ")
    print("\n".join(looker.wrong[:40]))
    return 1 if looker.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
