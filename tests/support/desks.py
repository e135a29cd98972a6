"""An event that has begun, and its desk: how tests open and press an organiser's pages."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from typing import Any

from app.base.server import Server
from tests.support.people import Browser
from tests.support.season import DAY, Season, season

NOW = datetime.now(UTC).replace(microsecond=0) - 2 * DAY


def begun(server: Server, **more: Any) -> Season:
    made = season(server.database, 4, **more)
    for number in range(2):
        made.start_clock(number, NOW - 2 * DAY)
    return made


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, f"no field {name}"
    return found[1]


def who(player: int) -> str:
    return f"p{player - 1}"


def act(boss: Browser, path: str, status: int = 200, **form: Any) -> str:
    """Open the page of an act and press its button."""
    page = boss.get(path)
    fields = {"once": hidden(page, "once"), "reason": "the round ends soon", **form}
    if 'name="seen"' in page:
        fields.setdefault("seen", hidden(page, "seen"))
    return boss.post(path, status, **fields)


def text_of_page(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", page))
