"""The week of a league of three divisions in a real browser: its clicks are counted."""

from __future__ import annotations

from collections import Counter
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
from app.leagues.rulings import deciding
from app.leagues.tables import Audit, Competition, CompetitionRound, Match, Member
from app.people.tables import Player
from app.server.factory import create_app
from app.time import pending
from tests.support import pressed
from tests.support.events import league, people, planned, play, read, resign_all, started
from tests.support.people import BASE, PostOffice, sign_in, text_of
from tests.support.served import Place, shown
from tests.support.tables import KEYS, load

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


def late(server: Server, match: Match, days: int = 4) -> None:
    """Make a turn late: its mail was accepted long enough ago that somebody should ask."""
    with server.database.write() as session:
        game = GameStore(session).load(match.game_id)
        mail = sa.and_(OutboxMail.game_id == game.id, OutboxMail.kind == "turn", OutboxMail.state == "waiting")  # type: ignore[arg-type]
        then = NOW - timedelta(days=days)
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


def test_the_worst_week_takes_at_most_fifteen_clicks(place: Place) -> None:
    """Club review, section 4: one silent in three events, a dispute with an appeal, ten rounds to close, pair and
    publish, a cup among them. It took 33 clicks, and takes 12."""
    server: Server = place.app.extensions["postroad"]
    who = [1, *people(server.database, 11)]
    other = who[11]
    league_of = league(server.database, who, divisions=3)
    events = [league_of]
    for name, format, terms in (("Swiss", "swiss", {"rounds": 3}), ("Cup", "knockout", {})):
        made = planned(server.database, league_of.club_id, 1, format, name=name, **terms)
        events.append(started(server.database, made, 1, who[1:5]))
    for part in (part for event in events for part in event.divisions):
        draft_id = pressed.pair(server.database, part.id, 1, now=NOW)
        version = read(server.database, lambda session, d=draft_id: round_rows.get(session, d)).version
        pressed.publish(server.database, draft_id, 1, version, now=NOW)
    rounds = [one for event in events for one in rounds_of(server, event)]
    owing = Counter[int]()
    for match in (match for one in rounds for match in one.matches):
        game = load(server.database, match.game_id)
        owing[game.seated(game.decides).player_id] += 1
    silent = max(who[1:5], key=lambda player: owing[player])
    for match in (match for one in rounds for match in one.matches):
        game = load(server.database, match.game_id)
        if game.seated(game.decides).player_id == silent:
            late(server, match, 9)
    with server.database.write() as session:
        session.execute(sa.update(Player).values(acted_at=NOW))
        session.execute(sa.update(Player).where(Player.id == silent).values(acted_at=NOW - timedelta(days=33)))  # type: ignore[arg-type]
        session.execute(sa.update(Player).where(Player.id == 1).values(role="player"))  # type: ignore[arg-type]
        member = sa.and_(Member.club_id == league_of.club_id, Member.player_id == other)  # type: ignore[arg-type]
        session.execute(sa.update(Member).where(member).values(role="organiser"))
        session.commit()
    page = place.context("en", "phone", scripts=False).new_page()
    clicks = 0

    def click(name: str, role: Literal["button", "link", "radio"] = "button") -> None:
        nonlocal clicks
        page.get_by_role(role, name=name, exact=True).first.click()
        clicks += 1

    # The silent one, out of everything.
    page.goto(f"{place.base}/clubs/vendee/week")
    name = read(server.database, lambda session: session.get_one(Player, silent).name)
    click(name, "link")
    page.get_by_label("Why").first.fill("does not answer")
    click("Out of everything")
    assert clicks == 2, "F5, F8: 16"
    # The dispute, out of two mails.
    disputed = next(m for one in rounds_of(server, league_of) for m in one.matches if m.round_id == rounds[1].id)
    claims = disputed.seats[0].player_id
    ruling = deciding.claim(server.database, league_of.id, disputed.id, claims, "He was late.", now=NOW)
    for ruler, verdict in ((1, "the game is lost for one side"), (other, "nothing is changed")):
        address = read(server.database, lambda session, w=ruler: session.get_one(Player, w).address)
        page.goto(place.base + place.post.link(address, "asked/ruling"))
        clicks += 1
        page.get_by_label(verdict).click()
        clicks += 1
        if ruler == 1:
            page.get_by_label("Who loses").select_option(index=1)
        page.get_by_label("Why").last.fill("So it is.")
        click("Decide")
        if ruler == 1:
            deciding.appeal(server.database, league_of.id, ruling, claims, "No.", now=NOW)
    # Ten rounds.
    for one in (one for event in events for one in rounds_of(server, event)):
        resign_all(server.database, one)
    page.goto(f"{place.base}/clubs/vendee/week")
    click("Look at what is ticked")
    click("Do what is ticked")
    click("Look at what is ready now", "link")
    click("Do what is ticked")
    now = [(one.number, one.status) for event in events for one in rounds_of(server, event)]
    assert now == [(1, "closed"), (2, "published")] * 5, "five closed, five published"
    assert clicks == 12


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
