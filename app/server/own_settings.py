"""What `postroad` does before a command: it takes the server's settings from their file, and becomes its user.

Only the console script does this, and not in a checkout: a test or a developer has other settings.
"""

from __future__ import annotations

import os
import pwd
import sys
from contextlib import suppress
from pathlib import Path

from app.base.process import env_file, private

OF_NOBODY = ("setup", "record", "title")
"""Commands that write what only root may write, or work without anybody's data."""
IS_CHECKOUT = (Path(__file__).parents[2] / "pyproject.toml").is_file()


def take_up(words: list[str]) -> str | None:
    """Set in the environment what is in the file and not there yet; as root, go on as the owner of the data folder, so
    that files stay the server's. Return a sentence when that cannot be done."""
    if words[:1] in (["backup"], ["player"]):  # the file that a shell has opened, maybe root's
        private.keep_from_others(sys.stdout.fileno())
    named = os.environ.get(env_file.NAMED)
    path = env_file.place()
    if not words or {"-h", "--help", "--version"} & set(words) or words[0] in OF_NOBODY or (IS_CHECKOUT and not named):
        return None
    try:
        settings = env_file.parse(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, PermissionError) as error:
        if "POSTROAD_DATA" in os.environ:  # a container before `setup` wrote the file, or systemd has read it for us
            return None
        if isinstance(error, PermissionError):
            return f"The settings of the server are in {path}, which only root may read: use sudo."
        return (
            f"There is no file {path}: run `postroad setup` first, or set POSTROAD_DATA to a folder to try things in."
        )
    except (OSError, UnicodeDecodeError, env_file.BadEnvFile) as error:
        return f"{path} cannot be read: {error}."
    for name, value in settings.items():
        if not os.environ.get(name):
            os.environ[name] = value
    data = os.environ.get("POSTROAD_DATA")
    if data and os.geteuid() == 0:
        _become_owner(Path(data))
    return None


def _become_owner(folder: Path) -> None:
    with suppress(OSError):
        owner = folder.stat()
        if owner.st_uid == 0:
            return
        groups = [owner.st_gid]
        with suppress(KeyError):
            user = pwd.getpwuid(owner.st_uid)
            groups = os.getgrouplist(user.pw_name, user.pw_gid)
            os.environ |= {"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name}
        sys.stdout.flush()
        os.setgroups(groups)
        os.setgid(owner.st_gid)
        os.setuid(owner.st_uid)
        os.umask(0o077)
        if not os.access(os.getcwd(), os.R_OK | os.X_OK):
            os.chdir("/")  # not into the data: a file that was meant to be here is not read or written there
