"""What chooses for the computer knows no server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_what_chooses_reaches_no_state_of_the_server() -> None:
    """Of the program it knows its own package and the search, which is given a sight (see tests of the engine)."""
    names = "[n for n in sys.modules if n.split('.')[0] in ('app', 'sqlalchemy')]"
    code = f"import app.computer.choosing, sys; print(*{names})"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) == {"app", "app.computer", "app.computer.choosing"}
