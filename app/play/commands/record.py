"""`postroad record`: verify records, prove their chance and show them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from app.base.words.i18n import LANGUAGES
from app.base.words.speech import Voice
from app.play.turn.sentences import sentence_of
from app.titles.registry import TITLES
from engine.kernel import records
from engine.kernel.text import Text
from engine.kernel.title import Title

_END_WANTED = Text(
    "Give the end that you were mailed, with --end: that this game ended here does not follow from the rules, so it may"
    " have been cut."
)
EXIT_FAILED, EXIT_NO_RECORD = 1, 2


@click.group()
def record() -> None:
    """Verify, prove and show records of games."""


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
    files: Sequence[Path], as_json: bool, check: Callable[[Path], dict[str, Any]], line: Callable[[dict[str, Any]], str]
) -> None:
    """Check the files one by one, report each result, and exit with the status."""
    passed = failed = 0
    status = 0
    for path in files:
        try:
            result = check(path)
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


def _verify(path: Path) -> dict[str, Any]:
    """Return the result for one file, as data."""
    told: dict[str, Any] = {"file": str(path), "record": True, "passed": False}
    title = None
    try:
        loaded = _load(path)
        title = loaded.title
        verified = records.verify(loaded)
        records.check_played(loaded)
    except records.NotARecord as refusal:
        return told | {"record": False, "code": refusal.code, "why": Voice().say(refusal.why)}
    except records.RecordRefused as refusal:
        told |= {"turn": refusal.turn, "step": refusal.step, "why": Voice(title=title).say(refusal.why)}
        if refusal.path is not None:
            told |= {"path": refusal.path, "recorded": refusal.recorded, "computed": refusal.computed}
        return told
    return told | {"passed": True, "game": title.id, "turns": verified.turns, "steps": verified.steps}


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
    _check_all(files, as_json, lambda path: _prove(path, roots, ends), _proof_line)


def _prove(path: Path, roots: Sequence[str], ends: Sequence[str]) -> dict[str, Any]:
    """Return the result for one file, as data."""
    told: dict[str, Any] = {"file": str(path), "record": True, "passed": False}
    title = None
    try:
        loaded = _load(path)
        title = loaded.title
        uses = records.prove(loaded, roots, ends)
        proof, played = records.read_proof(loaded), records.read_played(loaded)
        if proof.place is not None and not roots:
            raise records.ProofFailed(Text("Give the root that you were mailed, with --root: only it is a witness."))
        is_by_rules = played is None or records.is_by_rules(played.state, loaded.result)
        if proof.place is not None and not is_by_rules and not ends:
            raise records.ProofFailed(_END_WANTED)
    except records.NotARecord as refusal:
        return told | {"record": False, "code": refusal.code, "why": Voice().say(refusal.why)}
    except records.RecordRefused as refusal:
        return told | {"turn": refusal.turn, "step": refusal.step, "why": Voice(title=title).say(refusal.why)}
    except records.ProofFailed as failed:
        return told | {"ordinal": failed.ordinal, "why": Voice().say(failed.why)}
    told |= {"passed": True, "game": title.id, "outcomes": len(uses), "turns": len(loaded.turns)}
    told |= {
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


@record.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--turn", type=click.IntRange(min=0), help="Show the state after this turn only; 0 is the setup.")
@click.option("--seat", help="Show what this seat knew; without it, everything.")
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="The language.")
def show(file: Path, turn: int | None, seat: str | None, lang: str) -> None:
    """The log in sentences and the text board."""
    title: Title | None = None
    try:
        loaded = _load(file)
        title = loaded.title
        if seat is not None and seat not in loaded.seats:
            raise click.BadParameter(f"{seat!r} is no seat of this record; it has {', '.join(loaded.seats)}.")
        if turn is not None and turn > len(loaded.turns):
            raise click.BadParameter(f"the record has {len(loaded.turns)} turns.", param_hint="--turn")
        _show(loaded, turn, seat, lang)
    except records.NotARecord as refusal:
        click.echo(f"{file}: {Voice(lang).say(refusal.why)}", err=True)
        sys.exit(EXIT_NO_RECORD)
    except records.RecordRefused as refusal:
        where = f"turn {refusal.turn}, step {refusal.step}"
        click.echo(f"{file}: {where}: {Voice(lang, title=title).say(refusal.why)}", err=True)
        sys.exit(EXIT_FAILED)


def _show(loaded: records.Record, turn: int | None, seat: str | None, lang: str) -> None:
    title, voice = loaded.title, Voice(lang, title=loaded.title)
    # Without a seat the reader sees the record's secrets too, so the events are told in full, and the board of the seat
    # on turn is shown.
    state, number, heading = None, 0, ""
    for played in records.replay(loaded):
        for event in played.entry.events:
            if turn is None or number == turn:
                heading = _say_event(title, event, seat, voice, below=heading)
            state = title.apply(state, event)
            if event.ends_turn:
                if turn == number + 1:
                    _show_board(title, state, seat, voice)
                    return
                number += 1
                if turn is None:
                    click.echo("")
        if turn == 0:
            _show_board(title, state, seat, voice)
            return
    _show_board(title, state, seat, voice)


def _say_event(title: Title, event: object, seat: str | None, voice: Voice, *, below: str) -> str:
    """Say what happened `below` a heading that has been said, and return the heading of what comes next."""
    seen = event if seat is None else title.seen_by(event, seat)
    text = None if seen is None else title.sentence(seen)
    if text is None:
        return below
    said = sentence_of(text, voice)
    if said.heading and said.heading != below:
        click.echo(said.heading)
    click.echo(said.removeprefix(said.heading).lstrip() if said.heading else said)
    return said.heading


def _show_board(title: Title, state: object, seat: str | None, voice: Voice) -> None:
    due = title.decision(state)
    reader = seat if seat is not None else (due.seat if due is not None else title.seats[0])
    click.echo("")
    click.echo(title.board(title.view(state, reader), voice))
