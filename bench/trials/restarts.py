"""Asks for pages while the server restarts, behind the proxies as the documents have them.

    python -m bench.trials.restarts [caddy] [nginx] [--requests 200]

Needs Debian's caddy and nginx. Caddy waits for the server by itself; for nginx a socket stays open between the two, as
the one of `postroad@.socket` does. Prints what the requests got, and exits with 1 if one was refused.
"""

from __future__ import annotations

import argparse
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from bench.trials.machine import lines
from tests.support.running import Install, free_port, stop

NGINX = """daemon off; pid {folder}/pid; error_log {folder}/log; worker_processes 1;
events {{}}
http {{ access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
uwsgi_temp_path {folder}; scgi_temp_path {folder};
{server}
}}"""


AS_SYSTEMD_DOES = """import os
os.dup2(int(os.environ["HELD"]), 3)
os.environ["LISTEN_PID"] = str(os.getpid())
from app.server.cli import main
main()"""


@contextmanager
def running(*line: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until the end."""
    process = subprocess.Popen(line, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield process
    finally:
        stop(process)


def caddy(folder: Path, port: int, behind: int) -> list[str]:
    """Return the line that runs the documents' Caddyfile, without a certificate."""
    text = lines("operators.md", "Put it online").replace("games.example.org", f"http://127.0.0.1:{port}")
    (folder / "Caddyfile").write_text("{\n\tadmin off\n}\n" + text.replace("127.0.0.1:8000", f"127.0.0.1:{behind}"))
    return ["caddy", "run", "--config", str(folder / "Caddyfile")]


def nginx(folder: Path, port: int, behind: int) -> list[str]:
    """Return the line that runs the documents' block for nginx, without a certificate."""
    text = lines("operators-reference.md", "Proxies").replace("listen 443 ssl;", f"listen 127.0.0.1:{port};")
    text = re.sub(r"server_name .*", "", text).replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, server=text))
    return ["nginx", "-p", str(folder), "-e", str(folder / "log"), "-c", str(folder / "nginx.conf")]


class Held(Install):
    """A server whose socket stays open while it restarts, as one of systemd's does."""

    listens: socket.socket | None = None

    def begin(self, *words: str) -> subprocess.Popen[bytes]:
        self.listens = self.listens or socket.create_server(("127.0.0.1", self.port), backlog=2048)
        held = self.listens.fileno()
        line = [sys.executable, "-c", AS_SYSTEMD_DOES, "serve", "--port", str(self.port)]
        environ = self.environ | {"LISTEN_FDS": "1", "HELD": str(held)}
        with (self.folder / "serve.log").open("ab") as log:
            return subprocess.Popen(
                line, env=environ, cwd=self.folder, pass_fds=[held], stdout=log, stderr=log, start_new_session=True
            )


def ask(address: str, number: int, got: Counter[str]) -> None:
    """Load a page so many times, and count what comes."""
    for _ in range(number):
        try:
            with urlopen(Request(address, headers={"Host": "games.example.org"}), timeout=60) as page:
                got[str(page.status)] += 1
        except HTTPError as error:
            got[str(error.code)] += 1
        except (URLError, OSError) as error:
            got[type(error).__name__] += 1
        time.sleep(0.05)


def tried(kind: str, number: int) -> Counter[str]:
    """Ask through a proxy while the server behind it restarts twice."""
    got: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as made, ExitStack() as stack:
        install = (Held if kind == "nginx" else Install)(Path(made), BASE_URL="https://games.example.org")
        port = free_port()
        process = install.begin()
        install.wait_until_answering(process)
        stack.enter_context(running(*(nginx if kind == "nginx" else caddy)(Path(made), port, install.port)))
        time.sleep(2)
        asking = threading.Thread(target=ask, args=(f"http://127.0.0.1:{port}/sign-in", number, got))
        asking.start()
        for _ in range(2):
            time.sleep(1)
            stop(process, signal.SIGTERM)
            process = install.begin()
            install.wait_until_answering(process)
        asking.join()
        stop(process)
    return got


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m bench.trials.restarts", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("proxies", nargs="*", choices=["caddy", "nginx", []], help="both unless given")
    parser.add_argument("--requests", type=int, default=200)
    given = parser.parse_args()
    refused = 0
    for kind in given.proxies or ("caddy", "nginx"):
        got = tried(kind, given.requests)
        refused += sum(got.values()) - got["200"]
        print(f"{kind}: {dict(got)}")
    return int(refused > 0)


if __name__ == "__main__":
    sys.exit(main())
