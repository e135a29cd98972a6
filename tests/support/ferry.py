"""Ferry, the title that generic tests play: an external package (`tests/ferry`), installed when this is imported.

What `pip install` of its wheel would do is done here without a network: the files are copied, together with the
package's metadata.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "ferry"


def install(source: Path, target: Path) -> None:
    """Install the package of a folder with a `pyproject.toml` into another folder."""
    about = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))
    for package in about["tool"]["hatch"]["build"]["only-include"]:
        shutil.copytree(source / package, target / package, ignore=shutil.ignore_patterns("__pycache__"))
    project = about["project"]
    told = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.3\nName: {project['name']}\nVersion: {project['version']}\n")
    (told / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
            for group, points in project["entry-points"].items()
        )
    )


INSTALLED = Path(tempfile.mkdtemp(prefix="postroad-ferry-"))
"""Where it is installed: on the path of this process, to be added to that of others."""
atexit.register(shutil.rmtree, INSTALLED, ignore_errors=True)
install(SOURCE, INSTALLED)
sys.path.append(str(INSTALLED))

from postroad_ferry.engine.title import FERRY  # noqa: E402

__all__ = ["FERRY", "INSTALLED", "SOURCE", "install"]
