"""Builds the image of the Containerfile when none can be pulled, and runs it.

    python -m bench.trials.image [--mirror URL]

Needs root, debootstrap and buildah (Debian's packages of these names), and about three minutes. The base is made from
Debian's packages; no daemon is used, and nothing is left behind. The image must meet these conditions: it serves; its
user is the one that the Containerfile names, who can write only in `/data`; what it keeps in a folder of the machine is
there for the next container, even if the last one was killed. Exits with 1 if one fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from tests.support.running import ROOT, free_port

MIRROR = "http://deb.debian.org/debian"
SUITE = "bookworm"
PACKAGES = "python3,python3-venv,ca-certificates"
CERTIFICATES = "/etc/ssl/certs"
"""Those of this machine, so that packages also arrive if it uses a certificate of its own for outgoing connections."""
USER = "10001"
KEPT = "/kept"
"""The mount point of a folder of the machine in containers: buildah puts an empty one over a volume that the image
names.
"""
SERVER = "/opt/postroad/bin/postroad"


class Builder:
    """Buildah with its images in a separate folder; containers are processes in another root."""

    def __init__(self, folder: Path) -> None:
        self.line = ["buildah", "--root", str(folder / "images"), "--runroot", str(folder / "running")]
        self.environ = {**os.environ, "STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}

    def __call__(self, *words: str) -> str:
        """Return a command's output. Raises CalledProcessError if it fails."""
        done = subprocess.run([*self.line, *words], env=self.environ, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    def refuses(self, container: str, command: str) -> bool:
        """Whether a shell in a container fails with a command."""
        words = [*self.line, "run", container, "--", "sh", "-c", command]
        return subprocess.run(words, env=self.environ, capture_output=True, check=False).returncode != 0

    def with_data(self, container: str, data: Path, *words: str) -> list[str]:
        """Return the command line that runs Post Road in a container, with its data in a folder of this machine."""
        mounted = ["--volume", f"{data}:{KEPT}", "--env", f"POSTROAD_DATA={KEPT}", "--network", "host"]
        return ["run", *mounted, container, "--", SERVER, *words]

    @contextmanager
    def serving(self, container: str, data: Path) -> Iterator[str]:
        """Run the server of a container; yield its address. It is killed at the end."""
        port = free_port()
        words = self.with_data(container, data, "serve", "--host", "127.0.0.1", "--port", str(port))
        process = subprocess.Popen([*self.line, *words], env=self.environ, start_new_session=True)
        try:
            end = time.monotonic() + 120
            while not answers(f"http://127.0.0.1:{port}/health/live"):
                assert process.poll() is None and time.monotonic() < end, "it does not begin to serve"
                time.sleep(0.3)
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)


def answers(address: str) -> bool:
    """Whether a page can be loaded."""
    try:
        with urlopen(address, timeout=5) as page:
            return bool(page.status == 200)
    except OSError:
        return False


def build(folder: Path, mirror: str) -> Builder:
    """Build the image, `postroad`, on a base of Debian's packages."""
    root, builder = folder / "root", Builder(folder)
    subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(root), mirror],
                   stdout=subprocess.DEVNULL, check=True)  # fmt: skip
    subprocess.run(["tar", "-C", str(root), "-cf", str(folder / "root.tar"), "."], check=True)
    shutil.rmtree(root)
    (folder / "Base").write_text("FROM scratch\nADD root.tar /\n")
    builder("build", "--quiet", "--file", str(folder / "Base"), "--tag", "debian-python", str(folder))
    (folder / "root.tar").unlink()
    builder(
        "build", "--quiet", "--format", "docker", "--network", "host", "--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro",
        "--build-arg", "BASE=localhost/debian-python", "--file", str(ROOT / "Containerfile"),
        "--tag", "postroad", str(ROOT),
    )  # fmt: skip
    return builder


def look(builder: Builder, data: Path) -> None:
    """Check the conditions of the image. Raises AssertionError if one fails."""
    first = builder("from", "localhost/postroad")
    assert builder("run", first, "--", "id", "-u") == USER
    for place in ("/opt", "/usr", "/etc", "/"):
        assert builder.refuses(first, f"touch {place}/x"), f"{place} can be written"
    assert not builder.refuses(first, "touch /data/x"), "/data cannot be written"
    seats = ("--seat", "british=a@example.org", "--seat", "french=b@example.org")
    game = builder(*builder.with_data(first, data, "game", "new", "acres", *seats)).split()[-1]
    with builder.serving(first, data) as address:
        assert answers(f"{address}/") and answers(f"{address}/rules/acres")
    builder("rm", first)
    following = builder("from", "localhost/postroad")
    with builder.serving(following, data) as address:
        assert answers(f"{address}/")
    assert '"acres"' in builder(*builder.with_data(following, data, "game", "record", game))


def main() -> int:
    """The command."""
    about = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m bench.trials.image", description=about)
    parser.add_argument("--mirror", default=MIRROR, help="where Debian's packages are")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)  # so that the container's user can pass through it
        data = folder / "data"
        data.mkdir()
        os.chown(data, int(USER), int(USER))
        look(build(folder, given.mirror), data)
    print("the image is built, serves, and keeps what it is given")
    return 0


if __name__ == "__main__":
    sys.exit(main())
