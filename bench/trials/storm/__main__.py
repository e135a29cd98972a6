"""`python -m bench.trials.storm`: see the package, and `--help`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from pathlib import Path

from bench.trials.storm.running import Plan, storm
from bench.trials.storm.verdict import Verdict
from tests.support.afterwards import end_when_told

SHOWN = 10


def main() -> int:
    """Run the storms; return 0 if nothing was lost, doubled or missing."""
    parser = argparse.ArgumentParser(prog="python -m bench.trials.storm", description=__doc__)
    parser.add_argument("--turns", type=int, default=500, help="until so many turns are played, on each database")
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="sqlite")
    parser.add_argument("--seed", type=int, default=1, help="of the players and the weather")
    parser.add_argument("--players", type=int, default=6)
    parser.add_argument("--tables", type=int, default=4, help="games of each player at once")
    parser.add_argument("--every", type=float, default=4.0, help="seconds between troubles")
    parser.add_argument("--lasts", type=float, default=4.0, help="seconds of those that last")
    parser.add_argument("--most-seconds", type=float, default=3600.0, help="then it has failed")
    parser.add_argument("--upgrade", action="store_true", help="begin with the database of the first release")
    parser.add_argument(
        "--beside", type=Path, help="--upgrade from processes of an earlier version, whose sources are here"
    )
    parser.add_argument("--pictures", action="store_true", help="mails show positions as pictures")
    parser.add_argument("--pushes", action="store_true", help="each player has a device, which is told")
    parser.add_argument("--computers", type=int, default=0, help="games against the computer, and processes that think")
    parser.add_argument("--small", action="store_true", help="one server process, no waiting at the end")
    parser.add_argument("--folder", type=Path, help="keep data and log here")
    parser.add_argument("--json", action="store_true")
    given = vars(parser.parse_args())
    as_json, kept, database = given.pop("json"), given.pop("folder"), given.pop("database")
    good = True
    for kind in ("sqlite", "postgresql") if database == "both" else (database,):
        with tempfile.TemporaryDirectory() as own:
            folder = kept / kind if kept else Path(own)
            folder.mkdir(parents=True, exist_ok=True)
            found = storm(Plan(database=kind, **given), folder)
        good = good and found.is_good
        said = dataclasses.asdict(found) | {"good": found.is_good}
        print(json.dumps(said, ensure_ascii=False) if as_json else in_words(found), flush=True)
    return 0 if good else 1


def in_words(found: Verdict) -> str:
    """Return the verdict for people."""
    lines = [f"{name}: {value}" for name, value in found.figures.items()]
    for name in (*Verdict.BAD, "twice_explained"):
        rows = getattr(found, name)
        lines.append(f"{name.replace('_', ' ')}: {len(rows)}")
        lines += [f"    {row}" for row in rows[:SHOWN]]
    return "\n".join([*lines, "all is well" if found.is_good else "SOMETHING IS WRONG"])


if __name__ == "__main__":
    end_when_told()
    sys.exit(main())
