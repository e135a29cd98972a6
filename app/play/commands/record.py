"""`postroad record`: verify records and prove their chance."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from app.base.words.speech import Voice
from app.titles.registry import TITLES
from engine.kernel import records
from engine.kernel.text import Text

_END_WANTED = Text(
    "Give the end that you were mailed, with --end: that this game ended here does not follow from the rules, so it may"
    " have been cut."
)
EXIT_FAILED, EXIT_NO_RECORD = 1, 2


@click.group()
def record() -> None:
    """Verify records of games and prove their chance."""


def _load(path: Path) -> records.Record:
    """Return the record in a file; `NotARecord` also for a file that cannot be read."""
    try:
        # No record is larger, so a file that is gets refused without being read to its end.
        with path.open("rb") as file:
            data = file.read(records.LARGEST + 1)
    except OSError as error:
        why = Text("The file cannot be read: {reason}.", reason=error.strerror or "?")
        raise records.NotARecord("record.no_file", why) from None
    return records.load(data, TITLES)


@record.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file, and one with the totals.")
def verify(files: Sequence[Path], as_json: bool) -> None:
    """Play every record by the rules and compare the state after each turn.

    Exit status: 0 when all pass, 2 when a file is not a record, otherwise 1.
    """
    _check_all(files, as_json, _verify, _line)


def _check_all(
    files: Sequence[Path],
    as_json: bool,
    check: Callable[[records.Record], dict[str, Any]],
    line: Callable[[dict[str, Any]], str],
) -> None:
    """Check the files one by one, report each result, and exit with the status."""
    passed = failed = 0
    status = 0
    for path in files:
        try:
            result = _checked(path, check)
        except Exception as error:  # a title that fails: the files after it are looked at all the same
            why = f"{type(error).__name__}: {error}"
            result = {"file": str(path), "record": True, "passed": False, "turn": 0, "step": 0, "why": why}
        if result["passed"]:
            passed += 1
        else:
            failed += 1
            status = max(status, EXIT_FAILED if result["record"] else EXIT_NO_RECORD)
        click.echo(json.dumps(result, ensure_ascii=False) if as_json else line(result))
    if as_json:
        click.echo(json.dumps({"passed": passed, "failed": failed}))
    else:
        click.echo(f"{passed} passed, {failed} failed")
    sys.exit(status)


def _checked(path: Path, check: Callable[[records.Record], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of a check for one file, as data."""
    told: dict[str, Any] = {"file": str(path), "record": True, "passed": False}
    title = None
    try:
        loaded = _load(path)
        title = loaded.title
        return told | {"passed": True, "game": title.id} | check(loaded)
    except records.NotARecord as refusal:
        return told | {"record": False, "code": refusal.code, "why": Voice().say(refusal.why)}
    except records.RecordRefused as refusal:
        told |= {"turn": refusal.turn, "step": refusal.step, "why": Voice(title=title).say(refusal.why)}
        if refusal.path is not None:
            told |= {"path": refusal.path, "recorded": refusal.recorded, "computed": refusal.computed}
        return told
    except records.ProofFailed as failed:
        return told | {"ordinal": failed.ordinal, "why": Voice().say(failed.why)}


def _verify(loaded: records.Record) -> dict[str, Any]:
    verified = records.verify(loaded)
    records.check_played(loaded)
    return {"turns": verified.turns, "steps": verified.steps}


def _line(result: dict[str, Any]) -> str:
    if result["passed"]:
        return f"ok {result['file']}: {result['game']}, {result['turns']} turns, {result['steps']} steps"
    if not result["record"]:
        return f"NO RECORD {result['file']}: {result['why']}"
    where = f"turn {result['turn']}, step {result['step']}" if result["turn"] else "before the first turn"
    line = f"FAILED {result['file']}: {where}: {result['why']}"
    if "path" in result:
        recorded, computed = json.dumps(result["recorded"]), json.dumps(result["computed"])
        line += f" {result['path']}: recorded {recorded}, computed {computed}"
    return line


@record.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file, and one with the totals.")
@click.option("--root", "roots", multiple=True, help="The root that you were mailed; several for several servers.")
@click.option(
    "--end", "ends", multiple=True, help="The end that stood in the last mail of the game; one for each file."
)
def prove(files: Sequence[Path], as_json: bool, roots: Sequence[str], ends: Sequence[str]) -> None:
    """Check that all chance of a game follows from the seed it was committed to.

    Plays every record by the rules and derives each shuffle and draw from the seed and its ordinal. A game with a
    numbered seed needs the root that stands in the mails of its server; if it did not end by the rules (a player
    resigned or ran out of time, all agreed) also the end that its last mail names, else it could have been cut. Of an
    older game the commitment that was mailed at its start can be given as the root. Exit status: 0 when all pass, 2
    when a file is not a record, otherwise 1.
    """
    _check_all(files, as_json, lambda loaded: _prove(loaded, roots, ends), _proof_line)


def _prove(loaded: records.Record, roots: Sequence[str], ends: Sequence[str]) -> dict[str, Any]:
    uses = records.prove(loaded, roots, ends)
    proof, played = records.read_proof(loaded), records.read_played(loaded)
    if proof.place is not None and not roots:
        raise records.ProofFailed(Text("Give the root that you were mailed, with --root: only it is a witness."))
    is_by_rules = played is None or records.is_by_rules(played.state, loaded.result)
    if proof.place is not None and not is_by_rules and not ends:
        raise records.ProofFailed(_END_WANTED)
    told: dict[str, Any] = {
        "outcomes": len(uses),
        "turns": len(loaded.turns),
        "end": records.end_of(loaded),
        "commitment": proof.commitment,
        "seed_number": proof.place.number if proof.place else None,
    }
    if played is not None:
        dates = {"started": played.started, "ended": played.ended}
        told["played"] = {"number": played.number, "state": played.state, **dates}
    return told


def _proof_line(result: dict[str, Any]) -> str:
    if result["passed"]:
        said = f"ok {result['file']}: {result['game']}, {result['outcomes']} outcomes follow from the seed"
        if (played := result.get("played")) is not None:
            said += f"; game {played['number']}, {result['turns']} turns, {played['state']} {played['ended']}"
        seed = f"seed {result['seed_number']} of root" if result["seed_number"] is not None else "commitment"
        return f"{said}; {seed} {result['commitment']}; end {result['end']}"
    if "turn" in result or not result["record"]:
        return _line(result)
    return f"FAILED {result['file']}: {result['why']}"
