"""What operators see of a storm: polls `/metrics` and `/server`, and notes what each shows within a minute."""

from __future__ import annotations

import http.client
import re
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import sqlalchemy as sa

from app.base.server import Server
from app.base.words.speech import Voice
from app.people.accounts import find_or_add
from app.people.signin import hashed
from app.people.tables import Player, PlayerRole, SignIn
from app.upkeep.alarm_words import WHAT
from bench.trials.storm.weather import Trouble

EVERY_SECONDS = 0.5
PAGE_EVERY_SECONDS = 3.0
WITHIN_SECONDS = 60.0
BEATS = {"web": "web", "web too": "web", "worker": "scheduler"}
"""The heartbeat of each command."""
OF_PROCESSES = ("killed", "worker killed", "ended")
OF_THE_DATABASE = ("disk full", "database crashed")
WAITS_SECONDS = 1.0
"""How long some mail has been due while the host takes twice as long for each."""
_ROW = re.compile(r"<tr><td>(\w+)</td><td>\d+</td><td>([^<]+)</td>")
_AT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC")


@dataclass(frozen=True)
class Look:
    """The figures at a moment, by the monotonic clock and the wall clock."""

    at: float
    wall: float
    name: str
    """Those of the command that answered."""
    figures: dict[str, float]

    def figure(self, name: str) -> float:
        return self.figures.get(f"postroad_{name}", 0.0)

    def began(self, name: str) -> float:
        """Return when the event of a figure in seconds began; 0 if there is no such figure."""
        since = self.figures.get(f"postroad_{name}")
        return 0.0 if since is None else self.wall - since

    @property
    def process(self) -> str:
        return next((name for name in self.figures if name.startswith("postroad_info")), "")


@dataclass(frozen=True)
class Page:
    """The server page at a moment."""

    at: float
    ills: str
    """The text above the tables."""
    newest: dict[str, str]
    """When the newest process of each job began, according to the page."""
    oldest: bool
    """Whether it says since when a mail has been waiting."""


Seen = TypeVar("Seen", Look, Page)


class Signs(threading.Thread):
    """Polls every command that serves pages until `end`, as a program with the token and as an operator."""

    def __init__(self, doors: Mapping[str, int], token: str, server: Server) -> None:
        """`doors` are the ports of the commands, by name."""
        super().__init__(name="signs", daemon=True)
        self.doors, self.token = doors, token
        self.looks: list[Look] = []
        self.pages: list[Page] = []
        self._is_over = threading.Event()
        self._cookie = _operator(server)

    def run(self) -> None:
        paged, turn = 0.0, 0
        while not self._is_over.wait(EVERY_SECONDS):
            for name, port in self.doors.items():
                figures = _figures(_get(port, "/metrics", Authorization=f"Bearer {self.token}"))
                if figures:
                    self.looks.append(Look(time.monotonic(), time.time(), name, figures))
            if time.monotonic() - paged > PAGE_EVERY_SECONDS:
                paged, turn = time.monotonic(), turn + 1
                said = _get([*self.doors.values()][turn % len(self.doors)], "/server", Cookie=self._cookie)
                if said:
                    self.pages.append(_page(said))

    def end(self) -> None:
        self._is_over.set()
        self.join(30)

    def shown_after(self, trouble: Trouble) -> float | None:
        """Return the seconds until `/metrics` showed a trouble; None if it did not within a minute."""
        before = [look for look in self.looks if look.at < trouble.began]
        known = {look.process for look in before}
        behind = before[-1].figure("mails_behind") if before else 0.0
        for look in _within(self.looks, trouble):
            if _shows(look, trouble, known, behind):
                return look.at - trouble.began
        return None

    def paged_after(self, trouble: Trouble) -> float | None:
        """Return the same for the page for operators."""
        for page in _within(self.pages, trouble):
            if _says(page, trouble):
                return page.at - trouble.began
        return None

    def was_watched(self, trouble: Trouble) -> bool:
        """Whether a whole minute was observed after a trouble."""
        return bool(self.looks) and self.looks[-1].at - trouble.began >= WITHIN_SECONDS


def _within(seen: Sequence[Seen], trouble: Trouble) -> list[Seen]:
    return [one for one in seen if 0 <= one.at - trouble.began <= WITHIN_SECONDS]


def _operator(server: Server) -> str:
    """Return the cookie of a signed-in operator."""
    secret, now = secrets.token_urlsafe(32), datetime.now(UTC)
    with server.database.write() as session:
        player = find_or_add(session, "operator@d0.example", now=now).id
        session.execute(sa.update(Player).where(Player.id == player).values(role=PlayerRole.OPERATOR))
        row = {"token_hash": hashed(secret), "player_id": player, "device": "", "created_at": now}
        session.execute(sa.insert(SignIn).values(**row, expires_at=now + timedelta(days=1)))
        session.commit()
    return f"postroad_sign_in={secret}"


def _get(port: int, path: str, **headers: str) -> str:
    """Return the text of a page; empty if there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        said = answer.read().decode()
        return said if answer.status == 200 else ""
    except (OSError, http.client.HTTPException):
        return ""
    finally:
        connection.close()


def _figures(said: str) -> dict[str, float]:
    named = (
        line.rpartition(" ")
        for line in said.splitlines()
        if line.startswith("postroad_") and "request_seconds" not in line
    )
    return {name: float(value) for name, _, value in named}


def _page(said: str) -> Page:
    above = said.partition("<h1>")[2].partition("<h2>")[0]
    return Page(time.monotonic(), above, dict(_ROW.findall(said)), "The oldest one that is due" in said)


def _shows(look: Look, trouble: Trouble, known: set[str], behind: float) -> bool:
    """Whether the figures show this trouble, and not only an earlier one like it.

    `known` are the processes that had answered before, `behind` the mails that had failed by then.
    """
    if trouble.kind in OF_PROCESSES:
        has_begun = look.began(f'job_started_seconds{{job="{BEATS[trouble.what]}"}}') >= trouble.at
        # Two commands that serve pages share the figure: the new process has to have answered.
        return has_begun and (trouble.what == "worker" or (look.name == trouble.what and look.process not in known))
    if trouble.kind in OF_THE_DATABASE:
        return look.began("database_failed_seconds") >= trouble.at
    if trouble.kind == "mail host slow":
        return look.figure("oldest_due_mail_seconds") >= WAITS_SECONDS
    if look.figure("mails_behind") > behind or look.began("mail_paused_seconds") >= trouble.at:
        return True
    # It had been closed before, and stays so.
    return look.figure("mail_paused_seconds") > 0 and look.at <= trouble.ended


def _says(page: Page, trouble: Trouble) -> bool:
    """Whether the page shows the trouble; its moments are minutes, those of failures seconds."""
    began = datetime.fromtimestamp(int(trouble.at), UTC)
    if trouble.kind in OF_PROCESSES:
        minutes = [Voice("en", "UTC").moment(began + timedelta(minutes=n)) for n in (0, 1)]
        return page.newest.get(BEATS[trouble.what]) in minutes
    if trouble.kind == "mail host slow":
        return page.oldest
    since = [datetime.fromisoformat(f"{moment}+00:00") for moment in _AT.findall(page.ills)]
    if trouble.kind in OF_THE_DATABASE:
        return any(moment >= began for moment in since)
    if WHAT["pause"] in page.ills and (page.at <= trouble.ended or any(moment >= began for moment in since)):
        return True
    return WHAT["behind"] in page.ills
