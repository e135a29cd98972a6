"""Joining a club: asked for by a form and decided by those who run it, with mails to both; by invitation; by a link."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlmodel import select

from app.base.server import Server
from app.base.words.refusals import NotAccepted
from app.leagues.clubs import club_rights, joining, members
from app.people.tables import Player
from app.web.visit import now
from tests.support import pressed
from tests.support.club_pages import club_of, joined, prepared
from tests.support.people import BASE, BOTH, Browser, Enter, PostOffice, everything, text_of, trail_lines

ASK, REQUESTS, MEMBERS = "/clubs/vendee/ask", "/clubs/vendee/requests", "/clubs/vendee/members"


@BOTH
def test_whoever_asks_is_taken_in_or_declined_by_mail(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice, bob, carol = club_of(enter), enter("bob"), enter("carol")
    before = everything(server)
    assert "Ask to join" in stranger.get("/clubs/vendee") and "Sign in to ask" in stranger.get(ASK)
    assert everything(server) == before
    for one, words in ((bob, "I play the French."), (carol, "")):
        one.get(ASK)
        assert "Your request is on its way" in one.post(ASK, text=words)
    mail = post.last("alice@example.org")
    assert mail["Subject"] == "carol asks to join Vendée"
    assert [subject for subject in post.subjects("alice@example.org") if "asks to join" in subject] == [
        "bob asks to join Vendée", "carol asks to join Vendée",
    ]  # fmt: skip
    bob.get(ASK)
    bob.post(ASK, text="Once more")
    assert "2 people ask to join" in alice.get("/clubs/vendee") and "2 people ask to join" in alice.get(
        "/clubs/vendee/week"
    )
    page = alice.get(MEMBERS)
    assert "I play the French." in page and "Once more" not in page and "bob@example.org" not in page
    bob.get(MEMBERS, 403)
    number = {name: number for number, name in _asking(server).items()}
    assert "a mail tells them" in alice.post(REQUESTS, player=str(number["bob"]), answer="admit", words="Welcome!")
    assert "a mail tells them" in alice.post(REQUESTS, player=str(number["carol"]), answer="decline")
    assert "does not wait for your answer any more" in alice.post(REQUESTS, player=str(number["carol"]), answer="admit")
    mail = post.last("bob@example.org")
    assert mail["Subject"] == "You belong to Vendée now" and "Welcome!" in text_of(mail)
    assert "alice@example.org" not in text_of(mail)
    assert "alice has declined your request" in text_of(post.last("carol@example.org"))
    assert "you: member" in bob.get("/clubs/vendee") and "declined your request" in carol.get(ASK)
    told = trail_lines(bob.get("/clubs/vendee/audit"))
    assert any("Alice took bob in, who had asked to join" in line for line in told), told


def test_mails_to_who_is_new_have_the_hours_of_the_club(server: Server, enter: Enter, post: PostOffice) -> None:
    club_of(enter, "bob")
    post.last("bob@example.org", "clubs/invitation")
    with server.database.read() as session:
        bob = session.exec(select(Player).where(Player.address == "bob@example.org")).one()
    assert (bob.zone, bob.zone_chosen) == ("Europe/Paris", None), "until the browser says one"


def test_who_joins_while_sign_up_is_open_is_asked_as_the_others_were(enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter, "bob", "carol")
    bob = joined(post, enter, "bob")
    event = prepared(alice)
    alice.post(f"/events/{event}/open")
    carol = joined(post, enter, "carol")
    for one in ("bob", "carol"):
        assert post.last(f"{one}@example.org", "asked/sign_up_open")["Subject"] == "Do you play in Cup?", one
    assert "I play" in carol.get(post.link("carol@example.org", "asked/sign_up_open")) and bob.client


def test_who_declines_a_role_has_none_when_they_come_later(server: Server, enter: Enter, post: PostOffice) -> None:
    alice = club_of(enter)
    for name, role in (("dede", "deputy"), ("bob", "organiser"), ("carol", "owner")):
        alice.get("/clubs/vendee/members")
        alice.post("/clubs/vendee/members/invite", address=f"{name}@example.org", role=role)
    dede = joined(post, enter, "dede")
    with server.database.read() as session:
        club = club_rights.find(session, "vendee")
        number = {one.name: one.player_id for one in members.members(session, club.id)}
    for name in ("bob", "carol"):
        pressed.answer_invitation(server.database, club.id, number[name], joins=False, now=now())
    members.join_by_link(server.database, club.id, number["bob"], club.join_version, now=now())
    carol = enter("carol")
    carol.get(ASK)
    carol.post(ASK, text="After all.")
    dede.get(MEMBERS)
    dede.post(REQUESTS, player=str(number["carol"]), answer="admit")
    with server.database.read() as session:
        roles = {one.name: (one.role, one.status) for one in members.members(session, club.id)}
    assert roles["bob"] == roles["carol"] == ("member", "member") and roles["dede"] == ("deputy", "member")


def test_who_is_called_like_another_member_gets_a_number(server: Server, enter: Enter, post: PostOffice) -> None:
    """By joining, and by another name; a look-alike counts."""
    alice = club_of(enter, "bob")
    bob = enter("bob")
    link = post.link("bob@example.org", "clubs/invitation")
    bob.get("/account")
    assert 'value="AIÍCE"' in bob.post("/account", name="AIÍCE", language="en", zone="UTC"), "not a member yet"
    carol = enter("carol")
    carol.get("/account")
    assert 'value="Alíce 2"' in carol.post("/account", name="Alíce", language="en", zone="UTC"), "written alike"
    bob.get(link)
    bob.post(link, answer="accept")
    alice.get("/account")
    alice.post("/account", name="AIice 2", language="en", zone="UTC")
    with server.database.read() as session:
        assert [session.get_one(Player, one).name for one in (1, 2)] == ["AIice 2 2", "AIÍCE 2"]


def _asking(server: Server) -> dict[int, str]:
    with server.database.read() as session:
        return {one.player_id: one.name for one in joining.waiting(session, club_rights.find(session, "vendee").id)}


def test_what_is_against_asking_is_said(server: Server, enter: Enter, post: PostOffice) -> None:
    alice, bob, database = club_of(enter, "carol"), enter("bob"), server.database
    carol = enter("carol")
    with database.read() as session:
        club = club_rights.find(session, "vendee")
        number = {one.name: one.player_id for one in members.members(session, club.id)}
    assert "You belong to this club already" in alice.get(ASK) and "You are invited already" in carol.get(ASK)
    assert "the limit is 1000" in _posted(bob, 422, "x" * 1001)
    _posted(bob, 200, "Hello")
    bob_id = next(iter(_asking(server)))
    assert "Take the request back" in bob.get(ASK)
    assert "taken back" in bob.post(ASK, do="back") and not _asking(server)
    _posted(bob, 200, "Hello")
    assert not joining.take_back(database, club.id, number["alice"], now=now())
    assert joining.decide(database, club.id, number["alice"], bob_id, admits=False, words="", now=now())
    with pytest.raises(NotAccepted, match="days later"):
        joining.ask(database, club.id, bob_id, "", now=now() + timedelta(days=29))
    joining.ask(database, club.id, bob_id, "", now=now() + timedelta(days=31))
    assert _asking(server)
    alice.get("/clubs/vendee/members")
    members.invite(database, club.id, number["alice"], "bob@example.org", now=now())
    pressed.answer_invitation(database, club.id, bob_id, joins=True, now=now())
    assert not _asking(server), "who belongs to the club asks no more"
    alice.get("/clubs/vendee")
    alice.post("/clubs/vendee/settings", name="Vendée", about="", language="en", zone="UTC")
    dora = enter("dora")
    assert "takes no requests" in dora.get(ASK) and "Ask to join" not in dora.get("/clubs/vendee")
    assert "Requests to join: yes → no" in " ".join(trail_lines(alice.get("/clubs/vendee/audit")))


def _posted(browser: Browser, status: int, text: str) -> str:
    browser.get(ASK)
    return browser.post(ASK, status, text=text)


def test_a_club_without_an_address_gets_one_of_its_name(enter: Enter) -> None:
    alice = enter("alice")
    assert "leagues and tournaments" in alice.get("/clubs")
    page = alice.post("/clubs", slug="", name="Chess & Cards Città", about="", language="en", zone="Europe/Rome")
    assert alice.page.request.path == "/clubs/chess-cards-citta/members" and "Invite its members next." in page
    assert "choose another" in alice.post(
        "/clubs", 422, slug="", name="Chess cards citta", about="", language="en", zone="Europe/Rome"
    )
    assert "up to 40 small letters" in alice.post(
        "/clubs", 422, slug="", name="棋", about="", language="en", zone="Europe/Rome"
    )


def test_the_name_is_asked_before_anybody_is_invited(server: Server, enter: Enter, post: PostOffice) -> None:
    """Nobody gets an invitation of “New player 1”: who founds a club says the name, and so does an organiser."""
    alice = enter("alice")
    with server.database.write() as session:
        one = session.exec(select(Player).where(Player.address == "alice@example.org")).one()
        number, one.name = one.id, f"New player {one.id}"
        session.add(one)
    given = {"slug": "kiel", "name": "Kiel", "about": "", "language": "en", "zone": "UTC"}
    assert 'name="called"' in alice.get("/clubs")
    assert "A name is needed" in alice.post("/clubs", 422, **given)
    assert "Invite its members next." in alice.post("/clubs", called="Alice", **given)
    with server.database.write() as session:
        session.get_one(Player, number).name = f"New player {number}"
    assert "/name/" in alice.get("/clubs/kiel/members")
    for way, what in (("invite", {"address": "bob@example.org"}), ("list", {"list": "Bob, bob@example.org"})):
        assert "How shall the others call you?" in alice.post(f"/clubs/kiel/members/{way}", 422, **what)
    assert not post.subjects("bob@example.org")


def test_an_invitation_can_be_declined(enter: Enter, post: PostOffice, stranger: Browser) -> None:
    alice = club_of(enter, "bob")
    link = post.link("bob@example.org", "clubs/invitation")
    assert "You do not belong to Vendée" in stranger.post(link, answer="decline")
    assert "1 member" in stranger.get("/clubs/vendee")
    assert "Bob declined the invitation" in alice.get("/clubs/vendee/audit")


def test_the_joining_link_holds_until_a_new_one_is_made(enter: Enter, stranger: Browser) -> None:
    alice, bob, carol = club_of(enter), enter("bob"), enter("carol")

    def link() -> str:
        found = re.search(rf'"{BASE}(/clubs/join/[^"]+)"', alice.get("/clubs/vendee/members"))
        assert found
        return found[1]

    first = link()
    assert "Sign in and join" in stranger.get(first)
    stranger.post(first, 303, follow=False)
    bob.get(first)
    assert "You belong to the club now" in bob.post(first)
    alice.post("/clubs/vendee/members/link")
    carol.get(first, 410)
    carol.post(first, 410)
    carol.get(link())
    assert "You belong to the club now" in carol.post(link())
    assert "3 members" in stranger.get("/clubs/vendee")
    assert "was not made here" in stranger.get(first[:-4], 404)


def test_a_ban_shuts_every_way_in_until_it_is_lifted(server: Server, enter: Enter, post: PostOffice) -> None:
    """F17: one press with a reason, which the banned person is told; undone by one press."""
    alice = club_of(enter, "bob")
    bob = joined(post, enter, "bob")
    event = prepared(alice, open_to="everybody")
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/open")
    with server.database.read() as session:
        club = club_rights.find(session, "vendee").id
        number = next(one.player_id for one in members.members(session, club) if one.name == "Bob")
    page = alice.get(f"/clubs/vendee/members/{number}")
    assert "Ban from the club" in page
    alice.post("/clubs/vendee/members/remove", 422, player=str(number), do="ban")
    page = alice.post("/clubs/vendee/members/remove", player=str(number), do="ban", reason="Insults.")
    assert "Lift the ban" in page
    told = post.last("bob@example.org")
    assert "alice has banned you from Vendée" in text_of(told) and "Insults." in text_of(told)
    link = re.search(r"http://\S+(/clubs/join/[^\s<\"]+)", page)
    assert link is not None
    bob.get(link[1])
    assert "This club has banned you" in bob.post(link[1], 422)
    assert "This club has banned you" in bob.get("/clubs/vendee/ask")
    assert "This club has banned you" in bob.get(f"/events/{event}")
    alice.get("/clubs/vendee/members")
    assert "lift the ban first" in alice.post("/clubs/vendee/members/invite", 422, address="bob@example.org")
    assert "Lift the ban" not in alice.post("/clubs/vendee/members/unban", player=str(number))
    bob.get(link[1])
    assert "you: member" in bob.post(link[1])


def test_who_has_not_joined_can_be_renamed(server: Server, enter: Enter, post: PostOffice) -> None:
    """F4: a name that a list has spoilt; whoever has been here keeps the name that they have chosen."""
    alice = club_of(enter, "bob", "carol")
    joined(post, enter, "bob")
    with server.database.read() as session:
        club = club_rights.find(session, "vendee").id
        numbers = {one.name: one.player_id for one in members.members(session, club)}
    page = alice.get(f"/clubs/vendee/members/{numbers['Carol']}")
    assert "Correct the name" in page and "Correct the name" not in alice.get(f"/clubs/vendee/members/{numbers['Bob']}")
    page = alice.post("/clubs/vendee/members/rename", player=str(numbers["Carol"]), name="Carol Dee")
    assert "<h1>Carol Dee</h1>" in page
    alice.post("/clubs/vendee/members/rename", 422, player=str(numbers["Bob"]), name="Rob")
