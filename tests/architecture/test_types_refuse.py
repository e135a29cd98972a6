"""What mypy must refuse: samples that use the app, each with a mistake that only its types show, marked `# wrong`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = {
    "a role that is misspelt": """
        from sqlmodel import Session
        from app.leagues.events import lifecycle
        from app.leagues.tables import Role

        def may_pair(session: Session) -> None:
            lifecycle.need(session, 1, 2, Role.DEPUTY)
            lifecycle.need(session, 1, 2, Role.DEPTY)  # wrong
    """,
    "a role as text": """
        from app.leagues.clubs import club_rights
        from app.leagues.pages.common import reader_of
        from app.leagues.tables import Role

        def may_run(role: Role | None) -> bool:
            reader_of(1, Role.OWNER)
            reader_of(1, "owner")  # wrong
            return club_rights.may(role, Role.DEPUTY) and club_rights.may(role, "deputy")  # wrong
    """,
    "somebody who acts in a club, where an event is meant": """
        from app.leagues.clubs.acting import Acting, ClubActing
        from app.leagues.rounds import round_loop

        def start(acting: Acting, in_club: ClubActing) -> None:
            round_loop.start(acting)
            round_loop.start(in_club)  # wrong
            acting.write("event.made", once="form:1")
            acting.write("event.made", one="form:1")  # wrong
    """,
    "two fields of a draft that have changed places": """
        from app.leagues.events.lifecycle import NewEvent
        from app.clocks.pace import DEFAULT

        NewEvent(name="Cup", title_id="ferry", format="swiss", options={}, pace=DEFAULT)
        NewEvent(name="Cup", title_id="ferry", format="swiss", options=DEFAULT, pace={})  # wrong
        NewEvent("Cup", "ferry", "swiss")  # wrong
    """,
    "a column that is misread": """
        from datetime import datetime
        from app.play.lists.my_games import NextDue

        def ends(row: NextDue) -> datetime | None:
            row.ended  # wrong
            when: datetime = row.waiting  # wrong
            return row.deadline_at
    """,
}


@pytest.mark.slow
def test_mypy_refuses_each_sample_where_it_is_wrong_and_nowhere_else(tmp_path: Path) -> None:
    wanted = set()
    for number, source in enumerate(SAMPLES.values()):
        name = f"sample_{number}.py"
        text = "\n".join(line[8:] for line in source.splitlines())
        (tmp_path / name).write_text(text, encoding="utf-8")
        wanted |= {(name, at) for at, line in enumerate(text.splitlines(), 1) if line.endswith("# wrong")}
    # With no options of its own it shares the cache of the check of the whole app, which spares it most of the work.
    command = [sys.executable, "-m", "mypy", *sorted(map(str, tmp_path.glob("*.py")))]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = re.findall(r"^(\S+\.py):(\d+): error:", said, re.MULTILINE)
    refused = {(Path(path).name, int(at)) for path, at in found}
    assert refused == wanted, said
