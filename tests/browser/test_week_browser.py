"""The week of a league of three divisions in a real browser: its clicks are counted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, expect

from app.base.process.config import load as load_config
from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.games.store import GameStore
from app.leagues.events import lifecycle, round_rows
from app.leagues.tables import Audit, Competition, CompetitionRound, Match
from app.server.factory import create_app
from app.time import pending
from tests.support import pressed
from tests.support.events import league, people, play, read, resign_all
from tests.support.people import BASE, PostOffice, sign_in, text_of
from tests.support.served import Place, shown
from tests.support.tables import KEYS

pytestmark = pytest.mark.browser
NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def place(tmp_path: Path, sqlite_url: str, browser: Browser) -> Iterator[Place]:
    """Alice, who is player 1, runs a league."""
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    sign_in(app, PostOffice(app.extensions["postroad"]), "alice@example.org")
    with shown(app, browser) as base:
        yield Place(base, app, browser, PostOffice(app.extensions["postroad"]))


def rounds_of(server: Server, event: Competition) -> list[CompetitionRound]:
    def ask(session: sa.orm.Session) -> list[CompetitionRound]:
        return [one for part in event.divisions for one in round_rows.rounds_of(session, part.id, drafts=True)]

    found: list[CompetitionRound] = read(server.database, ask)
    return found


def late(server: Server, match: Match) -> None:
    """Make a turn late: its mail was accepted long enough ago that somebody should ask."""
    with server.database.write() as session:
        game = GameStore(session).load(match.game_id)
        mail = sa.and_(OutboxMail.game_id == game.id, OutboxMail.kind == "turn", OutboxMail.state == "waiting")  # type: ignore[arg-type]
        then = NOW - timedelta(days=4)
        session.execute(sa.update(OutboxMail).where(mail).values(state="sent", sent_at=then))
        pending.start_clock(session, game.id, game.number, then)
        session.commit()


def test_three_divisions_with_three_late_ones_take_six_clicks(place: Place) -> None:
    """The late player is nudged, the round closed, the next one paired, reviewed and published."""
    server: Server = place.app.extensions["postroad"]
    event = league(server.database, [1, *people(server.database, 11)], divisions=3)
    for part in event.divisions:
        draft = pressed.pair(server.database, part.id, 1, now=NOW)
        pressed.publish(
            server.database, draft, 1, read(server.database, lambda c, d=draft: round_rows.get(c, d)).version, now=NOW
        )
    for one in rounds_of(server, event):
        late(server, one.matches[0])
    page = place.context("en", "phone", scripts=False).new_page()
    clicks = 0

    def click(name: str, role: Literal["button", "link"] = "button") -> None:
        nonlocal clicks
        page.get_by_role(role, name=name, exact=True).click()
        clicks += 1

    page.goto(f"{place.base}/clubs/vendee/week")
    expect(page.get_by_role("heading", name="3 games need somebody")).to_be_visible()
    click("Nudge")
    page.get_by_label("Why; it stands").fill("The round ends on Friday.")
    click("Nudge")
    expect(page.get_by_text(": done")).to_have_count(3)
    for one in rounds_of(server, event):
        resign_all(server.database, one)
    page.goto(f"{place.base}/clubs/vendee/week")
    click("Look at what is ticked")
    click("Do what is ticked")
    assert [(one.number, one.status) for one in rounds_of(server, event)] == [(1, "closed"), (2, "draft")] * 3
    click("Look at what is ready now", "link")
    click("Do what is ticked")
    assert [(one.number, one.status) for one in rounds_of(server, event)] == [(1, "closed"), (2, "published")] * 3
    assert clicks == 6
    nudged = read(
        server.database, lambda session: session.scalar(sa.select(sa.func.count()).where(Audit.act == "desk.nudged"))
    )
    assert nudged == 3


def test_a_season_ends_and_the_next_is_drafted_in_four_clicks(place: Place) -> None:
    server: Server = place.app.extensions["postroad"]
    event = league(server.database, [1, *people(server.database, 5)])
    play(server.database, event, 1)
    page = place.context("en", "phone", scripts=False).new_page()
    page.goto(f"{place.base}/clubs/vendee/week")
    page.get_by_role("link", name="End the event").click()
    page.get_by_role("button", name="End the event").click()
    page.get_by_role("link", name="next season").first.click()
    page.get_by_role("button", name="Make the draft").click()
    asked = {str(mail["To"]) for mail in place.post.all() if "/asked/event_over/" in text_of(mail)}
    assert {f"p{n} <p{n}@example.org>" for n in range(5)} <= asked
    made = read(server.database, lambda session: lifecycle.get(session, event.id + 1))
    assert [part.name for part in made.divisions] == ["First", "Second"]
