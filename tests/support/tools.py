"""Programs outside Python that some tests need, and where this machine has them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.support import dovecot

DEBIAN_POSTGRES = Path("/usr/lib/postgresql")


def chromium() -> str | None:
    """Return the path of a Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def headless_chromium() -> str | None:
    """Return the path of the Chromium that only draws pages, in two thirds of the time, or of a whole one, or None."""
    return shutil.which("chromium-headless-shell") or chromium()


def postgres_programs() -> Path | None:
    """Return the folder that holds both `initdb` and `postgres`, the newest if there are several, or None.

    Debian keeps them out of the PATH, in a folder for each version.
    """
    versions = [path for path in DEBIAN_POSTGRES.glob("*/bin") if path.parent.name.isdigit()]
    versions.sort(key=lambda path: int(path.parent.name), reverse=True)
    for folder in [*map(Path, os.get_exec_path()), *versions]:
        if all(os.access(folder / program, os.X_OK) for program in ("initdb", "postgres")):
            return folder
    return None


MAY_BE_MISSING = ("dovecot", "proxy", "systemd")
"""Groups that may be left out even if all are required: only root starts dovecot, not every mirror has it, and a small
machine without systemd, Caddy or docker-compose need not install them for two tests each.
"""


def missing_groups() -> dict[str, str]:
    """Return the test groups (markers) that cannot run on this machine, each with the reason."""
    missing = {}
    if not dovecot.program():
        missing["dovecot"] = "no dovecot on this machine, or not started as root"
    if not shutil.which("systemd-analyze"):
        missing["systemd"] = "no systemd-analyze on this machine"
    if not (shutil.which("caddy") and shutil.which("docker-compose")):
        missing["proxy"] = "no caddy or no docker-compose on this machine"
    if not chromium():
        missing["browser"] = "no chromium on this machine"
    if not os.environ.get("POSTROAD_TEST_DATABASE_URL") and not postgres_programs():
        missing["postgres"] = "neither POSTROAD_TEST_DATABASE_URL nor initdb and postgres on this machine"
    return missing
