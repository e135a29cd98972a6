"""A long pairing over HTTP: the page of its progress without script, pressed twice, stopped, failed, and the draft."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.base.stored.database import Database
from app.leagues.events import lifecycle, round_rows
from app.leagues.pages.rounds.pairing import SLOW
from app.leagues.pure.pairing.tasks import LONG
from app.leagues.rounds import pairing_jobs
from app.leagues.tables import Audit, Entrant, PairingJob
from app.people.tables import Player
from app.web.visit import now
from tests.support.club_pages import club_of, prepared
from tests.support.people import BOTH, Browser, Enter, everything
from tests.support.tables import write


@pytest.fixture
def cup(enter: Enter, server: Server) -> tuple[Browser, int]:
    """Alice, and her event of 42 players that has started."""
    alice = club_of(enter)
    event = prepared(alice)
    alice.post(f"/events/{event}/open")
    with server.database.write() as session:
        division = lifecycle.get(session, event).divisions[0].id
        for n in range(LONG + 2):
            person = {"address": f"p{n}@example.org", "address_key": f"p{n}@example.org", "name": f"P{n}"}
            added = session.execute(sa.insert(Player).values(**person, created_at=now()).returning(Player.id))
            row = {"event_id": event, "division_id": division, "status": "entered", "entered_at": now()}
            player = added.scalar_one()
            session.execute(sa.insert(Entrant).values(**row, player_id=player, away=[], byes=[]))
        session.commit()
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/start")
    return alice, event


def html(browser: Browser) -> str:
    return browser.page.get_data(as_text=True)


def press(browser: Browser, event: int) -> str:
    """Press the button that pairs; return where that leads."""
    browser.get(f"/events/{event}/manage")
    return press_again(browser, event)


def press_again(browser: Browser, event: int) -> str:
    """Press the button of the open page."""
    division, once = re.findall(r'name="(?:division|once)" value="(\w+)"', html(browser))
    browser.post(f"/events/{event}/pair", division=division, once=once)
    return browser.page.request.path


def to_draft(browser: Browser, page: str) -> str:
    """Follow a finished pairing; return where it leads."""
    browser.get(page, status=303)
    draft = str(browser.page.headers["Location"])
    browser.get(draft)
    return draft


def work(database: Database, later: timedelta = timedelta()) -> bool:
    return pairing_jobs.work_one(database, "test", lambda: now() + later)


def jobs(database: Database) -> list[Any]:
    with database.read() as session:
        return list(session.execute(sa.select(PairingJob.__table__).order_by(PairingJob.__table__.c.id)))


def test_the_page_shows_progress_without_script_and_then_the_draft(cup: tuple[Browser, int], server: Server) -> None:
    alice, event = cup
    page = press(alice, event)
    assert re.fullmatch(rf"/events/{event}/pairings/\d+", page)
    assert '<meta http-equiv="refresh" content="2">' in html(alice) and "<script" not in html(alice)
    assert '<progress id="share" max="100" value="0">0%</progress>' in html(alice)
    assert '<label for="share">Waiting for the server to begin.</label>' in html(alice)
    assert "Nobody has taken this up yet" not in html(alice)
    before = everything(server)
    alice.get(f"{page}?still=1")
    assert "refresh" not in html(alice) and "<progress" in html(alice)
    alice.get(page)
    assert everything(server) == before, "looking changes nothing"

    seen: list[str] = []

    def look() -> Any:
        alice.get(page)
        seen.append(html(alice))
        return now() + timedelta(seconds=2 * len(seen))

    assert pairing_jobs.work_one(server.database, "test", look)
    assert any("Reading entries and results." in each for each in seen)
    assert any("Looking for the best opponent of everybody." in each for each in seen)
    alice.get(f"/events/{event}/manage")
    assert "Pair the next round" not in html(alice) and "Pair the draft again" in html(alice)
    assert to_draft(alice, page).startswith(f"/events/{event}/rounds/")
    assert "The round is paired as a draft" in html(alice) and html(alice).count('<li id="m') == 21
    assert "refresh" not in html(alice)


@BOTH
def test_pressed_twice_it_is_one_job_even_when_it_is_done(cup: tuple[Browser, int], server: Server) -> None:
    alice, event = cup
    alice.get(f"/events/{event}/manage")
    form = html(alice)
    division, once = re.findall(r'name="(?:division|once)" value="(\w+)"', form)
    for _ in range(2):
        alice.get(f"/events/{event}/manage")
        alice.post(f"/events/{event}/pair", division=division, once=once)
        assert alice.page.request.path == f"/events/{event}/pairings/{jobs(server.database)[0].id}"
    alice.get(f"/events/{event}/manage")
    assert "Round 1 is being paired" in html(alice) and f'action="/events/{event}/pair"' not in html(alice)
    assert work(server.database)
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/pair", division=division, once=once)
    assert "/rounds/" in alice.page.request.path, "the draft that the first press has made"
    assert len(jobs(server.database)) == 1
    with server.database.read() as session:
        acts = session.scalars(sa.select(Audit.act).where(Audit.act.like("round.%")).order_by(Audit.id)).all()
    assert acts == ["round.pairing_asked", "round.paired"]


def test_a_pairing_is_stopped_and_asked_for_anew(cup: tuple[Browser, int], server: Server) -> None:
    alice, event = cup
    page = press(alice, event)
    alice.post(f"{page}/cancel")
    assert "The pairing is stopped; nothing was changed." in html(alice) and "Pair the next round" in html(alice)
    alice.get(page)
    assert "This pairing was stopped. Nothing was changed." in html(alice) and "refresh" not in html(alice)
    assert not work(server.database)
    again = press_again(alice, event)
    assert again != page and work(server.database)
    draft = to_draft(alice, again)
    alice.post(f"{draft}/discard", version="1")
    alice.get(again)
    assert "has been thrown away" in html(alice)
    alice.post(f"{again}/cancel")
    assert alice.page.request.path == again and jobs(server.database)[1].state == "done", "too late to be stopped"


def test_a_draft_says_that_it_is_paired_anew_and_a_failure_is_said(cup: tuple[Browser, int], server: Server) -> None:
    alice, event = cup
    page = press(alice, event)
    work(server.database)
    draft = to_draft(alice, page)
    again = press(alice, event)
    alice.get(draft)
    assert "This round is being paired again." in html(alice) and again in html(alice)
    alice.post(f"{draft}/discard", version="1")
    assert work(server.database)
    alice.get(again)
    why = "Round 1 could not be paired. This draft has been changed or published meanwhile"
    assert why in html(alice) and "Pair once more" in html(alice) and "refresh" not in html(alice)
    alice.get(f"/events/{event}/manage")
    assert why in html(alice)
    alice.get(f"/clubs/vendee/audit?event={event}")
    assert "Round 1 could not be paired." in html(alice)


def test_who_may_look_and_what_is_not_there(cup: tuple[Browser, int], server: Server, enter: Enter) -> None:
    alice, event = cup
    page = press(alice, event)
    bob = enter("bob")
    bob.get(page, status=403)
    bob.get(f"/events/{event}")
    bob.post(f"{page}/cancel", status=403)
    other = prepared(alice)
    number = page.rpartition("/")[2]
    for gone in (f"/events/{other}/pairings/{number}", f"/events/{event}/pairings/99", f"{page}99999999999"):
        alice.get(gone, status=404)
    alice.get(f"/events/{event}/manage")
    alice.post(
        f"/events/{event}/pair", status=400, division=str(jobs(server.database)[0].division_id), once="no token!"
    )
    assert len(jobs(server.database)) == 1 and jobs(server.database)[0].state == "open"


def test_where_nobody_works_the_page_says_so(cup: tuple[Browser, int], server: Server) -> None:
    alice, event = cup
    page = press(alice, event)
    write(server.database, sa.update(PairingJob).values(asked_at=now() - SLOW - timedelta(seconds=1)))
    alice.get(page)
    assert "Nobody has taken this up yet." in html(alice)


def test_a_short_pairing_is_a_draft_at_once(cup: tuple[Browser, int], server: Server) -> None:
    alice, event = cup
    with server.database.write() as session:
        some = sa.select(Entrant.id).where(Entrant.event_id == event).order_by(Entrant.id).limit(2)
        session.execute(sa.update(Entrant).where(Entrant.id.in_(some)).values(away=[1]))
        session.commit()
    assert press(alice, event).startswith(f"/events/{event}/rounds/") and jobs(server.database) == []
    with server.database.read() as session:
        assert len(round_rows.rounds_of(session, lifecycle.get(session, event).divisions[0].id, drafts=True)) == 1
