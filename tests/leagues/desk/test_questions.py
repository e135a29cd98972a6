"""Mails of clubs that ask something take an answer: by one press without signing in, or by a reply."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from email.utils import parseaddr

import pytest
import sqlalchemy as sa
from sqlmodel import col

from app.base.server import Server
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.games.work import Work
from app.leagues.clubs import members
from app.leagues.desk import autopilot, questions
from app.leagues.events import entries, invited, lifecycle
from app.leagues.seasons import again, next_season
from app.leagues.tables import Audit, Role
from app.web.visit import COOKIE
from tests.support import pressed
from tests.support.club_pages import FORM, club_of, enter_list, joined, prepared
from tests.support.databases import ON_SQLITE
from tests.support.events import club, league, people, planned, play, read
from tests.support.inbound import way_in, written
from tests.support.mails import kept
from tests.support.people import BASE, Browser, Enter, PostOffice, everything, text_of
from tests.support.replies import Correspondence
from tests.support.season import DAY, HOUR
from tests.support.tables import NOW, deliver


def test_an_invitation_that_is_accepted_signs_its_reader_in_once(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    club_of(enter, "bob")
    link = post.link("bob@example.org", "clubs/invitation")
    before = everything(server)
    assert "Join the club" in stranger.get(link) and everything(server) == before
    page = stranger.post(link, answer="accept")
    assert "You belong to the club now" in page and "you: member" in page and "Ask to join" not in page
    other = Browser(stranger.client.application)
    assert "you: member" not in other.post(link, answer="accept"), "a link that was used signs nobody in"


@pytest.mark.parametrize("page", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {}], ids=str)
def test_the_page_of_another_site_signs_nobody_in(
    enter: Enter, post: PostOffice, stranger: Browser, page: dict[str, str]
) -> None:
    """It could have a browser act as somebody else; the invitation itself is answered (ASVS 3.5.1)."""
    club_of(enter, "bob")
    link = post.link("bob@example.org", "clubs/invitation").removeprefix(BASE)
    answer = stranger.client.post(link, data={"answer": "accept"}, headers=page)
    assert answer.status_code == 303 and COOKIE not in answer.headers.get("Set-Cookie", "")
    assert stranger.client.get_cookie(COOKIE) is None
    assert "you: member" not in stranger.post(link, answer="accept"), "it has been used"


def test_sign_up_by_the_link_of_the_mail_is_one_press(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    alice = club_of(enter, "bob", "carol")
    for name in ("bob", "carol"):
        Browser(stranger.client.application).post(post.link(f"{name}@example.org", "clubs/invitation"), answer="accept")
    event = prepared(alice)
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/open")
    mail = post.last("bob@example.org")
    assert mail["Subject"] == "Do you play in Cup?"
    link = post.link("bob@example.org", "asked/sign_up_open")
    before = everything(server)
    page = stranger.get(link)
    assert page.index("I play") < page.index("Not this time") and everything(server) == before
    page = stranger.get(f"{link}?answer=no")
    assert page.index("Not this time") < page.index("I play")
    assert "You play in Cup." in stranger.post(link, answer="yes")
    assert "You are signed up" in stranger.get(link)
    assert "the page of the event has the way out" in stranger.post(link, 422, answer="no")
    no = post.link("carol@example.org", "asked/sign_up_open")
    assert "the organisers know" in stranger.post(no, answer="no")
    page = alice.get(f"/events/{event}/players")
    assert "Not this time: Carol" in page and "Bob" in page
    # Club review, F2: the button for all leaves out who has declined; who is entered is told, and can say no.
    alice.post(f"/events/{event}/enter", everybody="1")
    assert "Not this time: Carol" in alice.get(f"/events/{event}/players")
    enter_list(alice, event, "carol@example.org")
    assert "Not this time" not in alice.get(f"/events/{event}/players")
    entered = post.link("carol@example.org", "asked/event_entered")
    assert "You are signed up" in stranger.get(entered)
    assert "the organisers know" in stranger.post(entered, answer="no")
    assert "Not this time: Carol" in alice.get(f"/events/{event}/players")
    assert "You play in Cup." in stranger.post(no, answer="yes")
    assert "Not this time" not in alice.get(f"/events/{event}/players"), "the last word counts"
    stranger.get(link.replace("sign_up_open", "event_over"), 404)


def test_sign_up_says_how_long_asks_and_reminds_who_has_not_answered(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    """6.2: begin, number of games, length; two questions of the organisers' own; a list, and one reminder."""
    alice = club_of(enter, "bob", "carol")
    bob, _carol = (joined(post, enter, name) for name in ("bob", "carol"))
    event = prepared(alice, ask_line="A friend to meet?", ask_yes_no="Fee paid?", round_days="28")
    alice.get(f"/events/{event}/manage")
    alice.post(f"/events/{event}/open")
    lasts = f"3 rounds, one after another, from about 24 Oct {FORM['sign_up_until'][:4]} to about "
    assert lasts in text_of(post.last("bob@example.org"))
    link = post.link("bob@example.org", "asked/sign_up_open")
    page = stranger.get(link)
    assert lasts in page and "A friend to meet?" in page and "Fee paid?" in page
    stranger.post(link, answer="yes", ask_line="<b>Eve</b>", ask_yes_no="no")
    page = alice.get(f"/events/{event}/players")
    assert "<b>&lt;b&gt;Eve&lt;/b&gt;</b>" in alice.page.get_data(as_text=True) and "Fee paid? <b>no</b>" in page
    assert "Not answered yet: Carol, alice" in page, "F19"
    assert "is asked: Fee paid?</li>" in re.sub(r"\s+<", "<", bob.get(f"/events/{event}")), "one mark ends a question"
    bob.post(f"/events/{event}/sign-up", ask_line="", ask_yes_no="yes")
    page = alice.get(f"/events/{event}/players")
    assert "Fee paid? <b>yes</b>" in page and "A friend to meet?" not in page
    assert "They have been asked again." in alice.post(f"/events/{event}/remind")
    alice.post(f"/events/{event}/remind")
    again = [mail["To"] for mail in post.all() if "closes soon" in str(mail["Subject"])]
    assert len(again) == 1 and "carol@example.org" in again[0]
    assert "has at most 300 characters" in bob.post(f"/events/{event}/sign-up", 422, ask_line="x" * 301)


def opened(database: Database, who: list[int], **more: object) -> int:
    """Return an event with open sign-up in a club of all of them."""
    event = planned(database, club(database, *who), who[0], **more)
    pressed.open_sign_up(database, event, who[0], now=NOW)
    return event


@ON_SQLITE
def test_a_reply_signs_up_if_its_author_is_certain(database: Database) -> None:
    who = people(database, 4)
    with way_in(database) as way:
        event = opened(database, who)
        post = Correspondence(way)

        def said(player: int, text: str, **given: str) -> str:
            post.now += timedelta(minutes=2)
            mails = [mail for mail in way.sink.mails() if mail["To"] and f"p{player}@" in str(mail["To"])]
            to = next(str(mail["Reply-To"]) for mail in mails if "play in Cup" in str(mail["Subject"]))
            number = 100 * player + len(way.said)
            proof = {"proof": given["proof"]} if "proof" in given else {}
            mail = written(number, text, author=f"p{player}@example.org", **proof)
            way.take(mail, parseaddr(to)[1], post.now, f"p{player}@example.org")
            way.send(post.now)
            return " ".join(text_of(way.sink.mails()[-1]).split())

        assert "Answer with “yes” or “no” above this line" in text_of(way.sink.mails()[-1])
        assert "You play in Cup." in said(1, "Oui !\n\nAna")
        assert "the organisers know" in said(2, "no\n")
        assert "Write “yes” or “no”" in said(3, "Perhaps, if Ana plays\n")
        assert "Nothing proves that this mail is from you" in said(3, "yes\n", proof="")
    with database.read() as session:
        there = {one.player_id for one in entries.entrants(session, event)}
        assert there == {who[1]} and list(invited.who_said_no(session, event).values()) == ["p2"]


def test_the_autopilot_shows_its_draft_once_and_holds_it(sqlite_database: Database) -> None:
    """A deputy, who may publish, gets it and may hold it (club review, F15)."""
    database = sqlite_database
    who = people(database, 4)
    event = opened(database, who, divisions=[{"name": "A"}, {"name": "B"}], autopilot=24)
    club_id = read(database, lambda session: lifecycle.get(session, event)).club_id
    members.give_role(database, club_id, who[0], who[1], Role.DEPUTY, now=NOW)
    for player in who:
        pressed.sign_up(database, event, player, by_id=who[0], now=NOW)
    there = read(database, lambda session: entries.entrants(session, event))
    first, second = (one.id for one in read(database, lambda session: lifecycle.get(session, event)).divisions)
    into = {one.id: first if at < 2 else second for at, one in enumerate(there)}
    pressed.put_into_divisions(database, event, who[0], into, now=NOW)
    pressed.start(database, event, who[0], now=NOW)
    for later in (0, 1, 2):
        autopilot.sweep(database, NOW + later * HOUR)
    deliver(database, NOW + 2 * HOUR)
    [mail] = [one for one in kept(database, "event_draft") if one.to != "p0@example.org"]
    assert mail.to == "p1@example.org" and "these pairings of Cup go out on" in mail.words
    assert "A · Round 1" in mail.words and "B · Round 1" in mail.words and mail.words.count(" – ") == 2
    with pytest.raises(NotAccepted), Work(database) as work:
        questions.OF_EVENTS["event_draft"](work, event, who[2], False, NOW)
    with Work(database) as work:
        held = questions.OF_EVENTS["event_draft"](work, event, who[1], False, NOW + 3 * HOUR)
        work.commit()
    assert "does nothing by itself" in repr(held.said)
    assert autopilot.sweep(database, NOW + 2 * DAY) == 0, "it is held"
    pressed.pause(database, event, who[0], paused=False, now=NOW + 2 * DAY)
    assert autopilot.sweep(database, NOW + 2 * DAY) == 2
    deliver(database, NOW + 2 * DAY)
    assert len(kept(database, "event_draft")) == 2


def test_the_end_tells_each_the_place_and_asks_who_plays_again(sqlite_database: Database) -> None:
    database = sqlite_database
    who = people(database, 6)
    now = league(database, who)
    play(database, now, who[0])
    pressed.finish(database, now.id, who[0], now=NOW)
    deliver(database, NOW)
    mails = {mail.to: mail for mail in kept(database, "event_over")}
    assert len(mails) == 6
    assert sum("You go up to First." in mail.words for mail in mails.values()) == 1
    assert sum("You go down to Second." in mail.words for mail in mails.values()) == 1
    assert any("you are number 1 of 3 in First" in mail.words for mail in mails.values())
    assert all("Do you play again?" in mail.words for mail in mails.values())
    with database.read() as session:
        final = next_season.moves(session, lifecycle.get(session, now.id), NOW)
    answer(database, now.id, who[4], False, NOW)
    answer(database, now.id, who[3], True, NOW)
    with database.read() as session:
        after = next_season.moves(session, lifecycle.get(session, now.id), NOW)
    assert after == final, "the marks of a final table do not change"
    with database.read() as session:
        assert again.answers(session, now.id) == {who[4]: False, who[3]: True}
        plan = next_season.usual(session, lifecycle.get(session, now.id))
    assert plan.leavers == {who[4]}
    called = next_season.SeasonNames("League 2", "Summer")
    made = pressed.make_next(database, now.id, who[0], plan, called, token="t" * 24, now=NOW)
    answer(database, now.id, who[5], False, NOW)
    with database.read() as session:
        there = {one.player_id for one in entries.entrants(session, made) if one.status == "entered"}
        acts = session.scalars(sa.select(col(Audit.act)).where(col(Audit.act).like("season.%again"))).all()
    assert there == set(who[:4]) and len(acts) == 3
    # Club review, F19: who has said no is not asked again; who says yes after all is entered.
    pressed.open_sign_up(database, made, who[0], now=NOW)
    deliver(database, NOW)
    assert kept(database, "sign_up_open") == []
    answer(database, now.id, who[4], True, NOW)
    with database.read() as session:
        assert entries.entrant_of(session, made, who[4]) is not None
        assert list(invited.who_said_no(session, made)) == [who[5]]


def answer(database: Database, event: int, player: int, is_yes: bool, now: datetime) -> None:
    with Work(database) as work:
        questions.OF_EVENTS["event_over"](work, event, player, is_yes, now)
        work.commit()
