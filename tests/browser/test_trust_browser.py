"""Pages of clocks, cases, takebacks and provable chance in a real browser: narrow and wide, light and dark, axe-core,
all four languages, and without scripts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.base.config import load as load_config
from app.base.house import House
from app.clocks.pace import DAY as A_DAY
from app.clocks.pace import Pace, Stage
from app.factory import create_app
from app.games.store import GameStore
from app.lobby import open_games
from app.overdue import nudges
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play import results, takeback
from app.time import calendars, leave, pending
from tests.support.people import BASE, PostOffice, sign_in
from tests.support.served import Place, browsing, overflow, served, violations
from tests.support.tables import KEYS, deliver, link_to, load, random_line, say, start

pytestmark = pytest.mark.browser
DAY = timedelta(days=1)
CLAIM = Pace(decision=A_DAY, stages=(Stage(0, "flagged", ("claim",)),))
RULED = Pace(decision=A_DAY, stages=(Stage(0, "flagged", ("organiser",)),))
MIXED = Pace(decision=2 * A_DAY, days_off=("sat", "sun"), zone="Europe/Paris", hour="20:00")


@pytest.fixture
def place(tmp_path: Path, sqlite_url: str) -> Iterator[Place]:
    """Alice is player 1 and an operator. Game 1: she may claim. 2: it waits for her ruling. 3: she may take back what
    she sent. 4: a clock with all that happens to clocks. 5: over. 6: a table."""
    environ = {"POSTROAD_DATABASE_URL": sqlite_url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    house: House = app.extensions["postroad"]
    database, now = house.database, datetime.now(UTC).replace(microsecond=0)
    chooser = random.Random(3)
    start(database, "acres", pace=CLAIM, now=now - DAY)
    start(database, "acres", pace=RULED, now=now - DAY)
    calendars.make(database, None, "Club", f"{date.today().year}-12-25\n{date.today().year}-12-26", now=now)
    with database.write() as session:
        session.execute(sa.update(Player).values(auto_leave=False))
        session.execute(sa.update(Player).where(Player.id == 1).values(role="operator"))  # type: ignore[arg-type]
        session.connection().exec_driver_sql("UPDATE game_seat SET player_id = 3 - player_id WHERE game_id = 1")
        session.commit()
    deliver(database, now - DAY)
    sweep_cases(database, now)
    ferry = start(database, "ferry", now=now)
    say(database, ferry, "rob blue", now=now)
    mixed = start(database, "acres", pace=MIXED, now=now - 2 * DAY)
    deliver(database, now - 2 * DAY)
    while load(database, mixed).turn < 6:
        say(database, mixed, random_line(load(database, mixed), chooser), now=now - DAY)
    deliver(database, now - DAY)
    game = load(database, mixed)
    waits = next(seated.player_id or 0 for seated in game.seats if seated.seat != game.decides)
    nudges.nudge(database, mixed, waits, now=now)
    nudges.extend(database, mixed, waits, 3, number=game.number, granted=0, now=now)
    leave.start_now(database, waits, 2, now=now, allowance=30)
    with database.write() as session:
        decision = pending.owed(session, mixed)
        assert decision is not None
        details = {"from": (now - DAY).isoformat(), "to": (now - DAY / 2).isoformat(), "job": "mail"}
        pending.note(session, decision, "credit", "outage", now, seconds=43200, details=details)
        session.commit()
    over = start(database, "acres", now=now)
    for _ in range(30):
        line = random_line(load(database, over), chooser)
        if line != "resign":
            say(database, over, line, now=now)
    results.resign(database, over, 1, now=now)
    chairs = [open_games.Chair("british", "me"), open_games.Chair("french", "open")]
    open_games.create(database, 1, "acres", chairs, options={}, pace=MIXED, drawn=False, now=now)
    with served(app) as base, browsing() as browser:
        yield Place(base, app, browser, PostOffice(house))


def addresses(place: Place) -> list[str]:
    """All pages to look at: of Alice, and those that links of mails lead to."""
    house: House = place.app.extensions["postroad"]
    bob = sign_in(place.app, place.post, "bob@example.org")
    bob.get("/games/4")
    bob.post("/games/4/propose", kind="cancel")
    claim = place.post.link("alice@example.org", "claim")
    turns = [f"/t/{house.links.turn_token(link_to(load(house.database, game)))}" for game in (1, 3, 4)]
    return [
        *turns, *[f"/games/{game}" for game in range(1, 7)], *[f"/games/{game}/proof" for game in (4, 5, 6)], "/chance",
        "/cases", "/cases/2", "/calendars", "/calendars/1", "/games/new/acres", claim.removeprefix(BASE),
        place.post.link("alice@example.org", "proposal").removeprefix(BASE),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "size", "scheme"),
    [("en", "phone", "light"), ("fr", "phone", "dark"), ("es", "desk", "light"), ("it", "desk", "dark")],
)
def test_pages_are_accessible_and_fit(place: Place, language: str, size: str, scheme: str) -> None:
    looked_at = addresses(place)
    page = place.context(language, size, scheme).new_page()
    for address in looked_at:
        answer = page.goto(place.base + address)
        assert answer is not None and answer.status == 200, address
        for more in page.locator("summary").all():
            if more.is_visible() and "menu" not in (more.locator("..").get_attribute("class") or ""):
                more.click()
        assert violations(page) == [], address
        assert overflow(page) == 0, address
    assert place.seen.console == []


def test_a_move_is_taken_back_and_a_case_is_ruled_without_scripts(place: Place) -> None:
    house: House = place.app.extensions["postroad"]
    page = place.context("en", "phone", scripts=False).new_page()
    page.goto(f"{place.base}/games/3")
    page.get_by_role("button", name="Take your last move back").click()
    assert "The others are asked by mail" in page.inner_text("main")
    page.goto(place.base + place.post.link("bob@example.org", "proposal").removeprefix(BASE))
    page.get_by_role("button", name="Agree", exact=True).click()
    assert load(house.database, 3).decides == "red"
    with house.database.read() as session:
        assert takeback.offer(session, GameStore(session).load(3), "red") is None
    page.goto(f"{place.base}/cases/2")
    page.get_by_label("more time, from now on").check()
    page.get_by_label("Days to give").fill("5")
    page.get_by_role("textbox").last.fill("Both asked for it.")
    page.get_by_role("button", name="Rule").click()
    assert "Both asked for it." in page.inner_text("main")
    assert (load(house.database, 2).deadline_at or datetime.min.replace(tzinfo=UTC)) > datetime.now(UTC) + 4 * DAY
