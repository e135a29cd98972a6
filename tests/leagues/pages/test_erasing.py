"""Erasing an account that plays in events and owns a club, by browser and mail; and lists of members in the trail."""

from __future__ import annotations

import io
import json
import zipfile

from sqlmodel import select

from app.account import export
from app.base.server import Server
from app.leagues.clubs import club_rights
from app.leagues.events import entries, lifecycle, round_rows
from app.people.tables import Player
from app.play.agreed import results
from app.web.visit import now
from tests.support.club_pages import club_of, draft, joined, running, take_list
from tests.support.people import Browser, Enter, PostOffice, everything, text_of, trail_lines


def erase(browser: Browser, post: PostOffice, name: str) -> str:
    """Ask for the link and confirm; return the page that asks."""
    browser.get("/account/data")
    browser.post("/account/erase")
    mail = " ".join(text_of(post.last(f"{name}@example.org", "erase")).split())
    assert "leave your events and clubs" in mail
    link = post.link(f"{name}@example.org", "erase")
    page = browser.get(link)
    assert "Your account is erased" in browser.post(link, sure="on")
    return page


def test_what_a_club_notes_about_a_member_is_in_the_file_of_their_data(
    server: Server, enter: Enter, post: PostOffice
) -> None:
    """Club review, F21: a right of access covers it."""
    alice = club_of(enter, "bob")
    joined(post, enter, "bob")
    with server.database.read() as session:
        bob = session.exec(select(Player.id).where(Player.name == "Bob")).one()
    alice.get(f"/clubs/vendee/members/{bob}")
    kept = {"note": "Pays late.", "own1": "K-17", "rating": "1640"}
    alice.post("/clubs/vendee/members/note", player=str(bob), **kept)
    with zipfile.ZipFile(io.BytesIO(export.export(server.database, bob, now=now()))) as archive:
        (noted,) = json.loads(archive.read("my-data.json"))["club_lists"]
    assert (noted["note"], noted["own1"], noted["rating"]) == ("Pays late.", "K-17", 1640)


def test_who_erases_the_account_leaves_the_event_and_is_seated_no_more(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = club_of(enter, "bob", "carol", "dora")
    bob, carol, dora = (joined(post, enter, name) for name in ("bob", "carol", "dora"))
    event = running(alice, bob, carol, dora)
    alice.post(f"{draft(alice, server, event)}/publish", version="1", sure="yes")
    page = erase(bob, post, "bob")
    assert "1 event is left by its terms" in page and f'<a href="/events/{event}">Cup</a>' in page
    for browser in (stranger, carol):
        page = browser.get(f"/events/{event}")
        assert "a former player" in page and "Bob" not in page
    told = trail_lines(alice.get("/clubs/vendee/audit"))
    assert any("A former player left the event." in line for line in told)
    assert any("A former player left the club." in line for line in told)
    assert not any("Bob" in line for line in told)
    with server.database.read() as session:
        its = lifecycle.get(session, event)
        (gone,) = [one for one in entries.entrants(session, event) if not one.name]
        (round,) = round_rows.rounds_of(session, its.divisions[0].id)
    assert gone.status == "withdrawn"
    for match in round.open_matches:
        results.resign(server.database, match.game_id or 0, match.seats[0].player_id, now=now())
    alice.get(f"/events/{event}/{round.place}")
    alice.post(f"/events/{event}/{round.place}/close")
    page = alice.get(draft(alice, server, event))
    assert "Carol" in page and "Dora" in page and "a former player" not in page


def test_the_only_owner_is_told_which_club_needs_another_one(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob")
    alice.get("/account/data")
    alice.post("/account/erase")
    link = post.link("alice@example.org", "erase")
    bob = joined(post, enter, "bob")
    page = alice.get("/account/data")
    assert 'href="/clubs/vendee/members"' in page and 'action="/account/erase"' not in page
    before = everything(server)
    alice.post("/account/erase", 422)
    assert 'href="/clubs/vendee/members"' in alice.get(link)
    page = alice.post(link, 422, sure="on")
    assert "Make somebody else owner first of: “Vendée”." in page and 'href="/clubs/vendee/members"' in page
    assert everything(server) == before
    with server.database.read() as session:
        number = next(one for one, name in _players(server) if name == "Bob")
        assert club_rights.find(session, "vendee").members == 2
    alice.get("/clubs/vendee/members")
    alice.post("/clubs/vendee/members/role", player=str(number), role="owner")
    assert "Your account is erased" in _confirmed(alice, link)
    assert "Vendée" in bob.get("/clubs/vendee")


def _confirmed(browser: Browser, link: str) -> str:
    browser.get(link)
    return browser.post(link, sure="on")


def _players(server: Server) -> list[tuple[int, str]]:
    with server.database.read() as session:
        return [(row.id, row.name) for row in session.exec(select(Player)).all()]


def test_a_club_of_one_is_closed_and_can_still_be_read(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = club_of(enter, "bob")
    page = erase(alice, post, "alice")
    assert "The club Vendée has no other member: it is closed." in page
    assert "Since 1998" in stranger.get("/clubs/vendee") and "Vendée" in stranger.get("/clubs")
    bob = enter("bob")
    bob.get(post.link("bob@example.org", "clubs/invitation"), 410)


# -- lists of members ---------------------------------------------------------------------------------


def test_a_list_is_one_act_with_everybody_behind_it(enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter)
    rows = "bob@example.org,Bob,\ncarol@example.org,Carol,deputy\ndora@example.org,Dora,"
    take_list(alice, "vendee", f"address,name,role\n{rows}")
    told = trail_lines(alice.get("/clubs/vendee/audit"))
    (line,) = [one for one in told if "invited" in one]
    assert "alice invited 3 people from a list." in line.lower() and "member: Bob and Dora" in line
    assert "deputy: Carol" in line
    take_list(alice, "vendee", "address,name\nbob@example.org,Bob\nemil@example.org,Emil")
    assert "invited Emil." in trail_lines(alice.get("/clubs/vendee/audit"))[0]
    erase(joined(post, enter, "bob"), post, "bob")
    assert "a former player and Dora" in next(
        one for one in trail_lines(alice.get("/clubs/vendee/audit")) if "3 people" in one
    )
