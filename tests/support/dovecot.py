"""Debian's dovecot with one mailbox, on a port of this machine, where it is installed."""

from __future__ import annotations

import imaplib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from app.base.process.mail_settings import ImapBox
from tests.support.running import free_port

USER, PASSWORD = "post", "nur-für-Tests€"
_SETTINGS = """
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
mail_location = maildir:{folder}/mail
first_valid_uid = {uid}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail
}}
service imap-login {{
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
"""


def program() -> str | None:
    """Return the path of dovecot, which only root can start; None if it is not installed."""
    return (shutil.which("dovecot") or shutil.which("/usr/sbin/dovecot")) if os.geteuid() == 0 else None


@contextmanager
def mailbox() -> Iterator[ImapBox]:
    """Yield an empty mailbox, until the end of the block."""
    import pwd

    found = program()
    assert found
    nobody = pwd.getpwnam("nobody")
    folder, port = Path(tempfile.mkdtemp(prefix="dovecot")), free_port()
    try:
        folder.chmod(0o755)
        (folder / "mail").mkdir()
        os.chown(folder / "mail", nobody.pw_uid, nobody.pw_gid)
        settings = folder / "dovecot.conf"
        settings.write_text(
            _SETTINGS.format(folder=folder, uid=nobody.pw_uid, gid=nobody.pw_gid, port=port, password=PASSWORD),
            encoding="utf-8",
        )
        process = subprocess.Popen([found, "-F", "-c", str(settings)])
        try:
            _wait(port, folder / "log")
            yield ImapBox("127.0.0.1", port, False, USER, PASSWORD)
        finally:
            process.terminate()
            process.wait(10)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(port: int, log: Path) -> None:
    end = time.monotonic() + 20
    while True:
        with suppress(OSError, imaplib.IMAP4.error):
            imaplib.IMAP4("127.0.0.1", port).logout()
            return
        assert time.monotonic() < end, log.read_text() if log.exists() else "dovecot says nothing"
        time.sleep(0.05)
