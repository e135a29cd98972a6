"""What operators see of a storm: `/metrics`, looked at all the time, and which troubles it shows within a minute."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.support.storm.weather import Trouble

EVERY_SECONDS = 0.5
WITHIN_SECONDS = 60.0
BEATS = {"web": "web", "web too": "web", "worker": "scheduler", "all": "web"}
"""The heartbeat that each command has."""


@dataclass(frozen=True)
class Look:
    """The figures at a moment; the moments are of the monotonic clock and the wall's."""

    at: float
    wall: float
    figures: dict[str, float]


class Signs(threading.Thread):
    """Looks at every door of a server until `end`."""

    def __init__(self, ports: Sequence[int], token: str) -> None:
        super().__init__(name="signs", daemon=True)
        self.ports, self.looks = ports, list[Look]()
        self._headers = {"Authorization": f"Bearer {token}"}
        self._is_over = threading.Event()

    def run(self) -> None:
        while not self._is_over.wait(EVERY_SECONDS):
            for port in self.ports:
                figures = self._look(port)
                if figures:
                    self.looks.append(Look(time.monotonic(), time.time(), figures))

    def end(self) -> None:
        self._is_over.set()
        self.join(30)

    def _look(self, port: int) -> dict[str, float]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", "/metrics", headers=self._headers)
            answer = connection.getresponse()
            lines = answer.read().decode().splitlines() if answer.status == 200 else []
        except (OSError, http.client.HTTPException):
            return {}
        finally:
            connection.close()
        named = (
            line.rpartition(" ") for line in lines if line.startswith("postroad_") and "request_seconds" not in line
        )
        return {name: float(value) for name, _, value in named}

    def shown_after(self, trouble: Trouble) -> float | None:
        """Seconds until a trouble showed; None when it did not within a minute, or within as long as was looked."""
        for look in self.looks:
            if 0 <= look.at - trouble.began <= WITHIN_SECONDS and _shows(look, trouble):
                return look.at - trouble.began
        return None

    def was_watched(self, trouble: Trouble) -> bool:
        """Whether a whole minute was looked at after a trouble."""
        return bool(self.looks) and self.looks[-1].at - trouble.began >= WITHIN_SECONDS


def _shows(look: Look, trouble: Trouble) -> bool:
    figures = look.figures
    if trouble.kind in ("killed", "worker killed", "ended"):
        since = figures.get(f'postroad_job_started_seconds{{job="{BEATS[trouble.what]}"}}')
        return since is not None and look.wall - since >= trouble.at
    if trouble.kind in ("disk full", "database crashed"):
        since = figures.get("postroad_database_failed_seconds")
        return since is not None and look.wall - since >= trouble.at
    if trouble.kind == "mail host slow":
        return figures.get('postroad_mails{state="waiting"}', 0) > 0
    return figures.get("postroad_mail_paused_seconds", 0) > 0 or figures.get("postroad_mails_behind", 0) > 0
