"""Provable chance: `prove` and the stand-alone script agree, and neither is deceived by a changed record."""

from __future__ import annotations

import copy
import hmac
import json
import random
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.titles.registry import TITLES
from engine.acres import ACRES
from engine.kernel import seeds
from engine.kernel.chance import FIRST, NUMBERED, SeededChance, commitment
from engine.kernel.records import (
    Place,
    ProofFailed,
    RecordRefused,
    end_of,
    ending,
    from_data,
    prove,
    verify,
    write_proof,
)
from engine.new_world import NEW_WORLD
from tests.support import second_verifier
from tests.support.proven import COUNT, proven_game

NOON = "2026-03-01T12:00:00+00:00"
ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "app" / "static" / "prove.py"
_script = runpy.run_path(str(SCRIPT))
outcome: Callable[..., list[str]] = _script["outcome"]
said: Callable[..., str] = _script["check"]
"""The verifier written from the document alone."""


def check(data: Any, root: str = "", end: str = "") -> int:
    """Return how many outcomes the verifier has found to hold."""
    return int(said(data, root, end).split()[1])


def read(data: Any) -> Any:
    return from_data(json.loads(json.dumps(data)), TITLES)


def a_game(n: int) -> dict[str, Any]:
    """Return one of many games: two titles, two to five seats, sides chosen and drawn; half with numbered seeds, some
    of the others with salts.
    """
    source = random.Random(n)
    title = (ACRES, NEW_WORLD)[n % 2]
    seats = 2 if title is ACRES else 2 + n % 4
    salted = source.sample(title.seats[:seats], source.randint(0, seats))
    salts = {seat: source.choice(["Québec", "x", "a b c", "🎲" * 64]) for seat in salted}
    steps = source.randint(20, 150)
    number = 1 + n % 64 if n % 4 > 1 else None
    given = None if number else salts
    return proven_game(
        title, source.randbytes(32), salts=given, seats=seats, steps=steps, drawn=n % 3 == 0, number=number
    )


def chance_lines(data: Any) -> list[Any]:
    return [step for turn in data["turns"] for step in turn["steps"] if "chance" in step]


# -- ways to cheat; each says which outcome differs first, None where none need do so -------------------


def another_order(data: Any, source: random.Random) -> int:
    """Two cards of a shuffle change places, or another tile is drawn."""
    lines, listed = chance_lines(data), data["proof"]["outcomes"]
    at = source.randrange(len(lines))
    n = len(listed) - len(lines) + at
    head, _, rest = lines[at]["chance"].partition(": ")
    if rest:
        cards = rest.split(", ")
        i, j = next((i, j) for i in range(len(cards)) for j in range(i) if cards[i] != cards[j])
        cards[i], cards[j] = cards[j], cards[i]
        lines[at]["chance"] = f"{head}: {', '.join(cards)}"
    else:
        drawn = head.removeprefix("draw ")
        lines[at]["chance"] = f"draw {next(tile for tile in listed[n]['items'] if tile != drawn)}"
    return n


def another_opening(data: Any, source: random.Random) -> int:
    """A card of the first hand and one of the first deck change places."""
    if data["game"] != "acres":
        return another_order(data, source)
    zone = data["setup"]["french"]
    i = next(i for i, card in enumerate(zone["draw"]) if card not in zone["hand"])
    zone["hand"][0], zone["draw"][i] = zone["draw"][i], zone["hand"][0]
    return 1 + ("sides" in data["proof"])


def another_seed(data: Any, source: random.Random) -> None:
    data["proof"]["seed"] = source.randbytes(32).hex()


def another_seed_with_its_commitment(data: Any, source: random.Random) -> int:
    seed = source.randbytes(32)
    if "path" in data["proof"]:  # of a tree that holds it at this number
        secret = source.randbytes(32)
        number, tops = data["proof"]["number"], list(seeds.tops_of_slices(secret, 1, COUNT))
        seed, root = seeds.seed_of(secret, number), seeds.root_of(1, COUNT, tops)
        path = [one.hex() for one in seeds.path_of(secret, 1, COUNT, tops, number)]
        data["proof"] |= {"seed": seed.hex(), "root": root, "path": path}
    else:
        data["proof"] |= {"seed": seed.hex(), "commitment": commitment(seed)}
    return first_that_differs(data)


def another_salt(data: Any, source: random.Random) -> int | None:
    data["proof"].setdefault("salts", {})[data["seats"][0]] = "another"
    if "path" in data["proof"]:  # the seed of a numbered game has no salts: claim another algorithm
        data["proof"] |= {"algorithm": FIRST, "commitment": commitment(bytes.fromhex(data["proof"]["seed"]))}
        del data["proof"]["path"]
    return first_that_differs(data)


def another_algorithm(data: Any, source: random.Random) -> None:
    data["proof"]["algorithm"] = FIRST if "path" in data["proof"] else NUMBERED


def another_number(data: Any, source: random.Random) -> None:
    """Claim the seed of a neighbouring number; give a game with salts a number."""
    proof = data["proof"]
    if "path" in proof:
        proof["number"] = 1 + proof["number"] % COUNT
    else:
        proof |= {"algorithm": NUMBERED, "number": 1, "tree": {"first": 1, "count": 2}, "path": ["0" * 64]}


def a_taller_tree(data: Any, source: random.Random) -> None:
    """Claim that the leaf is one level deeper than the tree is high."""
    proof = data["proof"]
    if "path" not in proof:
        return another_number(data, source)
    proof["path"].append("0" * 64)
    proof["tree"]["count"] *= 2
    return None


def cut(data: Any, source: random.Random) -> None:
    """Leave out the last turn with its outcomes, and the result."""
    gone = data["turns"].pop()
    for step in gone["steps"]:
        if "chance" in step:
            data["proof"]["outcomes"].pop()
    del data["result"]
    data.setdefault("played", {"number": 1, "state": "over", "started": NOON, "ended": NOON})


def relabelled(data: Any) -> None:
    """Leave out the last turns with their outcomes, and claim that the game was given up there."""
    for turn in data["turns"][-2:]:
        for _ in [step for step in turn["steps"] if "chance" in step]:
            data["proof"]["outcomes"].pop()
    del data["turns"][-2:]
    data["result"] = (
        {"reason": "agreed", "winners": []} if data["game"] != "acres" else {"reason": "agreed", "winner": None}
    )


def cancelled(data: Any, source: random.Random) -> None:
    """Claim that a finished game was called off."""
    data.setdefault("played", {"number": 1, "started": NOON, "ended": NOON})["state"] = "cancelled"


def running(data: Any, source: random.Random) -> None:
    data.setdefault("played", {"number": 1, "started": NOON, "ended": None})["state"] = "running"


def another_commitment(data: Any, source: random.Random) -> None:
    data["proof"]["root" if "path" in data["proof"] else "commitment"] = commitment(source.randbytes(32))


def other_items(data: Any, source: random.Random) -> int:
    """Remove one item to draw from, or to shuffle."""
    n = source.randrange(len(data["proof"]["outcomes"]))
    data["proof"]["outcomes"][n]["items"].pop()
    return n


def another_value(data: Any, source: random.Random) -> int:
    """Change a result of the opening; if there is none, cheat in another way."""
    first = next((one for one in data["proof"]["outcomes"] if "value" in one and one["purpose"] != "sides"), None)
    if first is None:
        return other_items(data, source)
    first["value"].reverse()
    return int(first["ordinal"])


def an_outcome_left_out(data: Any, source: random.Random) -> int:
    """Omit the last outcome from the list, so that the others move."""
    data["proof"]["outcomes"].pop()
    return len(data["proof"]["outcomes"])


def first_that_differs(data: Any) -> int:
    """Return the first ordinal whose outcome differs from the one given by seed and salts, computed from the untouched
    list.
    """
    before, after = data["untouched"]["proof"], data["proof"]
    opening = len(before["outcomes"]) - len(chance_lines(data))
    one, other = (
        SeededChance(bytes.fromhex(proof["seed"]), 0, proof.get("salts"), algorithm=proof["algorithm"])
        for proof in (before, after)
    )  # fmt: skip
    for listed in before["outcomes"]:
        give = [getattr(chance, listed["kind"])(listed["purpose"], listed["items"]) for chance in (one, other)]
        if listed["ordinal"] < opening and listed["purpose"] != "sides":  # a hand has no order in a record
            give = [(sorted(deck[:5]), deck[5:]) for deck in give]
        if give[0] != give[1]:
            return int(listed["ordinal"])
    raise AssertionError("nothing differs")


CHEATS = [
    another_order, another_opening, another_seed, another_seed_with_its_commitment, another_salt, another_commitment,
    other_items, another_value, an_outcome_left_out, another_algorithm, another_number, a_taller_tree, cut, cancelled,
    running,
]  # fmt: skip


@pytest.mark.slow
def test_the_script_agrees_with_the_engine_on_many_games_and_on_their_forgeries() -> None:
    outcomes = 0
    for n in range(10):
        data = a_game(n)
        verify(read(data))
        uses = prove(read(data))
        assert len(uses) == check(data) == second_verifier.check(data) == len(data["proof"]["outcomes"])
        assert ("sides" in data["proof"]) == (n % 3 == 0)
        outcomes += len(uses)
        mailed = data["proof"].get("root") or data["proof"]["commitment"]
        end = end_of(read(data))
        assert len(prove(read(data), [mailed], [end])) == check(data, mailed, end) == len(uses)
        assert second_verifier.check(data, mailed, end) == len(uses)
        with pytest.raises(ProofFailed, match="not what you were mailed"):
            prove(read(data), ["0" * 64])  # of another server, or entirely made up
        with pytest.raises(ValueError, match="record or mails say otherwise"):
            check(data, "0" * 64)
        with pytest.raises(second_verifier.Differs, match="not the one of the mail"):
            second_verifier.check(data, "0" * 64)
        other = a_game(n + 4) | {key: data[key] for key in ("played",) if key in data}
        shorter = copy.deepcopy(data)
        relabelled(shorter)
        for forged in (shorter, other):
            assert forged is other or n % 8 or is_sound(forged), "nothing in it gives it away but the end"
            with pytest.raises(ProofFailed, match="it was cut or changed"):
                prove(read(forged), ends=[end])
            with pytest.raises(ValueError, match="record or mails say otherwise"):
                check(forged, end=end)
            with pytest.raises(second_verifier.Differs):
                second_verifier.check(forged, end=end)
        for cheat in CHEATS:
            forged = copy.deepcopy(data) | {"untouched": data}
            wanted = cheat(forged, random.Random(1000 + n))
            with pytest.raises(ProofFailed) as caught:
                prove(read(forged))
            if wanted is not None:
                assert caught.value.ordinal == wanted, cheat.__name__
            for verifier in (check, second_verifier.check):
                with pytest.raises((ValueError, LookupError)):
                    verifier(forged)
    assert outcomes > 300


@pytest.mark.slow
@given(
    seed=st.binary(min_size=32, max_size=32),
    salts=st.dictionaries(st.text("abc-", min_size=1), st.text(max_size=64), max_size=5),
    ordinal=st.integers(0, 10**6),
    items=st.lists(st.text("abcdef", max_size=3), min_size=1, max_size=60),
    kind=st.sampled_from(["shuffle", "draw"]),
)
def test_the_script_derives_what_the_engine_derives(
    seed: bytes, salts: dict[str, str], ordinal: int, items: list[str], kind: str
) -> None:
    lines = [f"{seat}={sha256(salts[seat].encode()).hexdigest()}" for seat in sorted(salts) if salts[seat]]
    key = hmac.digest(seed, "\n".join(["postroad-chance-1", *lines]).encode(), "sha256")
    wanted = getattr(SeededChance(seed, ordinal, salts), kind)("any", items)
    assert outcome(key, ordinal, kind, items) == ([wanted] if kind == "draw" else list(wanted))


def test_the_script_is_short_and_needs_nothing(tmp_path: Path) -> None:
    assert len(SCRIPT.read_text(encoding="utf-8").splitlines()) <= 75
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    data = a_game(0)
    good.write_text(json.dumps(data), encoding="utf-8")
    n = another_order(data, random.Random(0))
    bad.write_text(json.dumps(data), encoding="utf-8")
    done = [
        subprocess.run([sys.executable, "-I", "-S", SCRIPT, path], capture_output=True, text=True, cwd=tmp_path)
        for path in (good, bad, ROOT / "tests" / "records" / "acres" / "second-agreed.json", SCRIPT)
    ]
    assert [one.returncode for one in done] == [0, 1, 1, 1]
    assert done[0].stdout.startswith("ok: ") and f"outcome {n} (" in done[1].stderr
    assert not any("Traceback" in one.stderr for one in done)


def test_the_document_has_a_right_example() -> None:
    text = (ROOT / "docs" / "provable-chance.md").read_text(encoding="utf-8")
    example = text[text.index("## An example") :]
    chance = SeededChance(bytes(range(32)), 0, {"british": "Québec", "french": ""})
    assert commitment(bytes(range(32))) in example
    assert " ".join(chance.shuffle("any", list("abcdefgh"))) in example
    assert f"`{chance.draw('any', list('abcdefgh'))}`" in example


def is_sound(data: Any) -> bool:
    return len(prove(read(data))) == check(data)


def test_the_example_of_an_end_is_right() -> None:
    text = (ROOT / "docs" / "provable-chance.md").read_text(encoding="utf-8")
    shown = re.search(r"^(\[\"postroad-end-1\".*\])$", text, re.M)
    assert shown is not None and sha256(shown[1].encode()).hexdigest() in text
    _, game, number, state, seed, seats, turns, (reason, winner, winners) = json.loads(shown[1])
    told = {"reason": reason, "winner": winner, "winners": winners}
    result = {key: value for key, value in told.items() if value is not None} | {"more": "is not bound"}
    steps = [{"seat": seat, "steps": steps, "after": {}} for seat, steps in turns]
    assert ending(game, number, state, bytes.fromhex(seed), seats, steps, result) in text


def altered(**changes: Any) -> Any:
    data = a_game(4)
    return data | {"proof": {key: value for key, value in (data["proof"] | changes).items() if value is not None}}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"algorithm": "postroad-chance-3"}, "The algorithm is “{given}”"),
        ({"commitment": "short"}, "“{key}” is not of the right form"),
        ({"commitment": 7}, "“{key}” is not of the right form"),
        ({"salts": ["x"]}, "“{key}” is not of the right form"),
        ({"salts": {"green": "x"}}, "“{key}” is not of the right form"),
        ({"salts": {"british": "x" * 65}}, "“{key}” is not of the right form"),
        ({"salts": {"british": "\ud800"}}, "“{key}” is not of the right form"),
        ({"seed": "zz" * 32}, "“{key}” is not of the right form"),
        ({"seed": None}, "The record has no seed"),
        ({"sides": "british"}, "“{key}” is not of the right form"),
        ({"sides": ["british"]}, "Outcome {n} ({kind} {purpose})"),
        ({"outcomes": [1]}, "“{key}” is not of the right form"),
        ({"outcomes": []}, "Outcome {n} ({kind} {purpose}) is not told rightly"),
        ({"algorithm": NUMBERED}, "“{key}” is not of the right form"),
    ],
)
def test_a_proof_that_cannot_be_read_is_refused_with_a_reason(changes: Any, sentence: str) -> None:
    with pytest.raises(ProofFailed) as caught:
        prove(from_data(altered(**changes), TITLES))
    assert caught.value.why.template.startswith(sentence)


def test_outcomes_may_be_left_out_and_more_may_be_there() -> None:
    """The list is for readers without the rules; unknown keys are for later versions."""
    assert prove(read(altered(outcomes=None, remark="x")))


def test_a_record_without_a_proof_is_refused_and_one_against_the_rules_too() -> None:
    data = a_game(2)
    with pytest.raises(ProofFailed, match="has no proof"):
        prove(read({key: value for key, value in data.items() if key != "proof"}))
    data["turns"][1]["steps"].insert(0, {"do": "money nowhere"})
    with pytest.raises(RecordRefused):
        prove(read(data))


def test_a_running_game_shows_only_commitment_and_salts() -> None:
    proof = write_proof("c" * 64, {"british": "x", "french": ""})
    assert proof == {"algorithm": "postroad-chance-1", "commitment": "c" * 64, "salts": {"british": "x"}}
    place = Place(7, 1, 64, "c" * 64, (b"x" * 32,))
    tree = {"first": 1, "count": 64}
    assert write_proof(place) == {"algorithm": NUMBERED, "number": 7, "root": "c" * 64, "tree": tree}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"number": "7"}, "“{key}” is not of the right form"),
        ({"number": 65}, "“{key}” is not of the right form"),
        ({"root": 7}, "“{key}” is not of the right form"),
        ({"tree": [1, 64]}, "“{key}” is not of the right form"),
        ({"tree": {"first": 1, "count": 60}}, "“{key}” is not of the right form"),
        ({"path": ["00"]}, "“{key}” is not of the right form"),
        ({"path": []}, "“{key}” is not of the right form"),
        ({"salts": {"british": "x"}}, "“{key}” is not of the right form"),
        ({"seed": "00" * 32}, "The root does not have this seed"),
    ],
)
def test_a_place_that_is_not_right_is_refused_with_a_reason(changes: Any, sentence: str) -> None:
    data = a_game(2)
    with pytest.raises(ProofFailed) as caught:
        prove(read(data | {"proof": data["proof"] | changes}))
    why = repr(caught.value.why)
    assert sentence.format(key="{key}") in why


def test_a_numbered_record_says_which_game_it_is_of() -> None:
    data = a_game(2)
    for played in (None, "over", {"number": 1, "state": "begun", "started": NOON, "ended": NOON}, {"state": "over"}):
        with pytest.raises(ProofFailed):
            prove(read({key: value for key, value in (data | {"played": played}).items() if value is not None}))
