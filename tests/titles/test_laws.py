"""The laws of titles (T2): those of the house keep them, a new one from its first day; planted faults break them."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.server.cli import main
from app.titles.commands import surroundings
from app.titles.registry import TITLES
from engine.kernel import laws
from engine.kernel.laws import Laws, Surroundings
from engine.kernel.text import PlainSpeaker
from tests.support.ferry import FERRY, install
from tests.support.running import ROOT

HOUSE = [("ferry", seats, {"turns": 3}, 6) for seats in (2, 3, 4)]
HOUSE += [("acres", 2, {"edition": edition}, 1) for edition in ("second", "first", "first-revised")]
HOUSE += [("new-world", seats, {}, 1) for seats in (2, 5)]


@pytest.mark.parametrize(("name", "seats", "options", "games"), HOUSE)
def test_a_title_of_the_house_keeps_the_laws(name: str, seats: int, options: dict[str, Any], games: int) -> None:
    title = FERRY if name == "ferry" else TITLES[name]
    played = [(title.read_options(options), title.seats[:seats])] * games
    assert [str(one) for one in laws.check(title, played, random.Random, surroundings(title))] == []


# -- a new title --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A package that `title new` has laid."""
    before, folder = Path.cwd(), tmp_path_factory.mktemp("new")
    os.chdir(folder)
    try:
        told = CliRunner().invoke(main, ["title", "new", "toll-road", "--seats", "red,blue,green"])
        assert told.exit_code == 0 and "title check toll-road" in told.output, told.output
        again = CliRunner().invoke(main, ["title", "new", "toll-road"])
        assert again.exit_code == 1 and "there already" in again.output
        taken = CliRunner().invoke(main, ["title", "new", "acres"])
        assert taken.exit_code == 2 and "id of its own" in taken.output and not Path("postroad-acres").exists()
    finally:
        os.chdir(before)
    yield folder / "postroad-toll-road"


def test_a_new_title_runs_and_its_tests_pass(laid: Path, tmp_path: Path) -> None:
    install(laid, tmp_path)
    environ = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    checked = [sys.executable, "-m", "app.server.cli", "title", "check", "toll-road", "--games", "12"]
    for command in (checked, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(laid / "tests")]):
        told = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stdout + told.stderr
    rules = sum(len((laid / "postroad_toll_road" / name).read_text().splitlines()) for name in ("game.py", "pages.py"))
    assert rules < 350


# Twenty-seven faults, one at a time: law, method, file, what stands there, what stands there then.
DREW = "replace(event, card=None) if isinstance(event, Drew) and event.seat != seat else event"
ALIKE = "            if (hands, tuple(turned)) != (dict(state.hands), state.pile):\n                yield"
LOW = '"turn": state.turn, "low": {one: min(hand, default="") for one, hand in state.hands.items()}'
NONE_REVEALS = "    def reveals(self, state, action):\n        return False\n\n    # -- words ---"
WHICH = 'ActionPart("which", item.card, "card")'
NEXT_DREW = "Drew(state.seats[state.turn % len(state.seats)], state"
"""Drawn by a seat that does not act."""
FAULTS: list[tuple[str, ...]] = [
    ("view", "view", "game", "list(state.hands[seat]) if seat else []", "sorted(sum(state.hands.values(), ()))"),
    ("view", "view", "game", '"pile": len(state.pile)', '"pile": len(state.pile), "next": [*state.pile[:1]]'),
    ("view", "view", "game", '"turn": state.turn', LOW),
    ("json", "view", "game", '"turn": state.turn', '"turn": state.turn, "seats": state.seats'),
    ("seen_by", "seen_by", "game", DREW, "event"),
    ("seen_by", "seen_by", "game", "event.seat != seat else event", 'seat not in (event.seat, "green") else event'),
    ("stored", "event_to_json", "things", "Laid, Drew, GameEnded]", "Laid, GameEnded]"),
    ("stored", "event_to_json", "game", "return (Opened(tuple(seats),", "return (Opened(list(seats),"),
    ("stored", "state_to_json", "game", "(*state.laid[seat], card)", "[*state.laid[seat], card]"),
    ("worlds", "worlds", "game", "for n in range(1, len(row)):", "for n in ():"),
    ("worlds", "worlds", "game", ALIKE, "            if True:\n                yield state\n                yield"),
    ("imagined", "imagined", "game", "hands = {one: hand if one == seat else unseen", "hands = {one: hand"),
    ("chance", "unfold", "game", 'chance.shuffle("pile", CARDS)', 'chance.shuffle("pile", CARDS[::-1])'),
    ("apply", "apply", "game", "laid = {**state.laid, seat: (", "laid = state.laid\n                laid |= {seat: ("),
    ("turn", "decision", "things", "ends_turn: ClassVar[bool] = True", "ends_turn: ClassVar[bool] = False"),
    ("notation", "read", "game", "return Lay(words[1])", 'return Lay("c01" if words[1] == "c02" else words[1])'),
    ("legal", "check", "game", "if action not in self.legal(state):", 'if action.card == "c07":'),
    ("legal", "check", "game", "if due is None or due.seat != seat:", "if due is None:"),
    ("reveals", "reveals", "game", "    # -- words ---", NONE_REVEALS),
    ("board", "board", "game", "cards[-8:]", "[*cards, *cards, *cards, *cards, *cards]"),
    ("record", "heading_of_record", "game", " if secrets else {}", ""),
    ("record", "opened_from_record", "game", "tuple(order))", "tuple(sorted(order)))"),
    ("crash", "sentence", "game", 'return Text("{winners} won."', 'return Text("{winners} won.", n=1 // 0'),
    ("sentence", "sentence", "game", '"{seat} laid {card}."', '"{seat} laid {cards}."'),
    ("invariants", "check_invariants", "game", "if one != card)", "if one < card)"),
    ("touches", "touches", "pages", 'ActionPart("which", item.card, "card")', 'ActionPart("which", "any", "card")'),
    ("roles", "touches", "pages", WHICH, f'ActionPart("card", item.card, "card"), {WHICH}'),
    ("links", "control", "pages", 'for card in view["hand"]}', 'for card in view["hand"][1:]}'),
    ("crash", "draw", "pages", 'if view["hand"] else []', 'if view["hand"] or view["krate"] else []'),
    ("crash", "control", "pages", "touching.touch(token)", "touching.touched(token)"),
    ("crash", "asked", "pages", '"Turn {n}", n=view["turn"]', '"Turn {n}", n=view["turm"]'),
    ("crash", "touches", "pages", "item.card", "item.cart"),
    ("sentence", "asked", "pages", '"Turn {n}", n=view["turn"]', '"Turn %(n)s"'),
    ("sentence", "asked", "pages", '"Turn {n}", n=view["turn"]', '"Turn {n}"'),
    ("seen_by", "seen_by", "game", DREW, "event", "Drew(seat, state", NEXT_DREW),
    ("worlds", "worlds", "game", "hands[other], turned =", "hands[other], _ ="),
    ("end", "outcome", "game", "if not any(happens.state.hands.values()):", "if False:"),
]  # fmt: skip


def places(tried: Laws) -> set[tuple[str, str]]:
    """Return the law and the method of each fault that was found."""
    return {(one.law, one.at.partition(" ")[0]) for one in tried.faults.values()}


@pytest.mark.parametrize("planted", range(len(FAULTS)))
def test_a_planted_fault_is_found_where_it_is(
    planted: int, laid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    law, method, module, *edits = FAULTS[planted]
    package = f"planted_{planted}"
    (tmp_path / package).mkdir()
    for path in (laid / "postroad_toll_road").glob("*.py"):
        text = path.read_text(encoding="utf-8").replace("postroad_toll_road", package)
        for there, then in zip(edits[::2], edits[1::2], strict=True) if path.stem == module else ():
            assert text.count(there) == 1, text.count(there)
            text = text.replace(there, then)
        (tmp_path / package / path.name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    title = importlib.import_module(f"{package}.game").GAME
    pages = importlib.import_module(f"{package}.pages").PAGES
    monkeypatch.setitem(TITLES._loaded, title.id, title)
    around = Surroundings({"en": PlainSpeaker(title.name_of)}, pages=pages)
    tried = Laws(title, around)
    for number, seats in enumerate((2, 3) * 4, 1):  # until it shows
        tried.play({}, title.seats[:seats], random.Random(str(number)), f"game {number}")
        if (law, method) in places(tried):
            break
    else:
        tried.whole()
    found = list(tried.faults.values())
    assert (law, method) in places(tried), [str(one) for one in found]
    assert all(one.at and one.when for one in found)
    for crash in [str(one) for one in found if law == "crash" and module == "pages"]:
        assert all(words in crash for words in (f".{method} raised ", "pages.py", "; it has to ", "game 1, turn 1")), (
            crash
        )
