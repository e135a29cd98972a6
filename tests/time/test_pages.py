"""Pages of a player's time: leave, quiet hours, reminders; leave from a mail; nudges and time granted."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from app.base.server import Server
from app.base.stored.upkeep_tables import Heartbeat
from app.clocks.pace import Pace
from app.games.tables import DecisionMade
from app.people.tables import Player
from app.time import outages
from app.time.away import leave
from app.time.tables import ClockNote, Leave
from tests.support.people import BOTH, Browser, Enter, PostOffice, everything, text_of
from tests.support.tables import load, say, start, write

DAY = timedelta(days=1)


def player(server: Server, name: str = "alice") -> sa.Row[tuple[object, ...]]:
    with server.database.read() as session:
        return session.execute(sa.select(Player.__table__).where(Player.name == name)).one()  # type: ignore[attr-defined]


def leaves(server: Server) -> list[tuple[str, int]]:
    with server.database.read() as session:
        return [tuple(row) for row in session.execute(sa.select(Leave.kind, Leave.days).order_by(Leave.id))]


@pytest.mark.quick
def test_leave_is_planned_and_given_up_on_a_page(server: Server, enter: Enter, post: PostOffice) -> None:
    game = start(server.database, now=datetime.now(UTC))
    alice = enter("alice")
    before = everything(server)
    alice.get("/account/time")
    assert everything(server) == before, "looking changes nothing"
    first = (datetime.now(UTC) + 20 * DAY).date()
    page = alice.post("/account/time/leave", do="plan", first=first.isoformat(), last=(first + 2 * DAY).isoformat())
    assert "Your leave is kept." in page and "(3 days)" in page
    assert leaves(server) == [("planned", 3)]
    page = alice.post("/account/time/leave", 422, do="plan", first=first.isoformat(), last=first.isoformat())
    assert f"You have leave from {first} to {first + 2 * DAY} already" in page and f'value="{first}"' in page
    assert "alice takes leave from" in alice.get(f"/games/{game}")
    assert "alice is on leave until" in post.subjects("bob@example.org")[-1]
    number = re.search(r"/account/time/leave/(\d+)/end", alice.get("/account/time"))
    assert number is not None
    assert "Days of leave that had not begun are yours again" in alice.post(number[0])
    assert leaves(server) == [("planned", 0)]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"do": "plan", "first": "soon", "last": ""}, "“soon” is not a date"),
        ({"do": "plan", "first": "2020-01-01", "last": "2020-01-02"}, "begins tomorrow or later"),
        ({"do": "plan", "first": "9999-12-31", "last": "9999-12-31"}, "for the next 400 days"),
        ({"do": "now", "days": "0"}, "a whole number of days from 1 to 366."),
        ({"do": "now", "days": "²"}, "a whole number of days from 1 to 366."),
        ({"do": "now", "days": "99999"}, "a whole number of days from 1 to 366."),
        ({"do": "now", "days": "99"}, "Of the 30 days of leave in"),
    ],
)  # fmt: skip
def test_leave_that_is_not_possible_comes_back_with_the_reason(
    server: Server, enter: Enter, form: dict[str, str], said: str
) -> None:
    start(server.database)
    alice = enter("alice")
    alice.get("/account/time")
    page = alice.post("/account/time/leave", 422, **form)
    assert said in page and leaves(server) == []
    assert all(f'value="{value}"' in page for name, value in form.items() if value and name != "do")


def test_leave_begins_by_the_link_of_the_mail(server: Server, stranger: Browser, post: PostOffice) -> None:
    game = start(server.database, now=datetime.now(UTC))
    link = post.link("alice@example.org", "leave")
    assert "Leave of alice" in stranger.get(link) and leaves(server) == [], "opening it starts nothing"
    for _ in range(6):
        page = stranger.post(link, days="5", sure="yes")
        assert "You are on leave until" in page
    assert leaves(server) == [("now", 5)]
    deadline = load(server.database, game).deadline_at
    assert deadline is not None and deadline > datetime.now(UTC) + 11 * DAY
    assert "has not begun your leave" in page and "I am back" not in page, "it was running when this was sent"
    assert "Of the 30 days" in stranger.post(link, 422, days="300", sure="yes")
    assert stranger.get("/leave/WyJsZWF2ZSIsMSwxXQ.wrong", 404)
    old = server.links.leave(1, datetime(2020, 1, 1, tzinfo=UTC), 1, 1).removeprefix(server.links.base_url)
    assert "too old" in stranger.get(old, 404) and "too old" in stranger.post(old, 404)


@BOTH
def test_a_link_of_leave_ends_with_its_turn_and_ends_its_own_leave_alone(
    server: Server, stranger: Browser, enter: Enter, post: PostOffice
) -> None:
    """One that somebody has forwarded is no right to come back for its reader."""
    game = start(server.database, now=datetime.now(UTC))
    link = post.link("alice@example.org", "leave")
    page = stranger.post(link, days="5", sure="yes")
    own = re.search(r'action="(/leave/[^"]+)"', page)
    assert own is not None and own[1] != link and "I am back" in stranger.get(own[1])
    assert "I am back" not in stranger.get(link)
    assert "has not begun your leave" in stranger.post(link, 403, do="end", sure="yes")
    assert leaves(server) == [("now", 5)]
    assert "Start leave now" in stranger.post(own[1], do="end", sure="yes") and leaves(server) == [("now", 1)]
    alice = enter("alice")
    alice.get("/account/time")
    alice.post("/account/time/leave", do="now", days="4")
    for path in (link, own[1]):
        assert stranger.post(path, 403, do="end", sure="yes") and leaves(server)[-1] == ("now", 4)
    say(server.database, game, "rob blue", now=datetime.now(UTC))
    assert "You are on leave" in stranger.get(link)
    write(server.database, sa.update(DecisionMade).values(made_at=datetime.now(UTC) - 3 * DAY))
    for path in (link, own[1]):
        assert "too old" in stranger.get(path, 404) and "too old" in stranger.post(path, 404, days="5", sure="yes")


@pytest.mark.quick
def test_quiet_hours_and_automatic_leave_are_kept(server: Server, enter: Enter) -> None:
    start(server.database)
    alice = enter("alice")
    alice.get("/account/time")
    assert 'value="22:15"' in alice.post("/account/time/quiet", quiet_from="22:15", quiet_to="06:45")
    assert (player(server).quiet_from, player(server).quiet_to) == (22 * 60 + 15, 6 * 60 + 45)
    assert 'value="25:00"' in alice.post("/account/time/quiet", 422, quiet_from="25:00", quiet_to="06:45")
    alice.post("/account/time/quiet", quiet_from="", quiet_to="")
    assert player(server).quiet_from is None
    assert "checked" not in alice.post("/account/time/automatic").partition("auto_leave")[2][:10]
    assert player(server).auto_leave is False


def test_another_zone_moves_what_depends_on_it(server: Server, enter: Enter) -> None:
    start(server.database, now=datetime.now(UTC))
    alice = enter("alice")
    alice.get("/account")
    page = alice.post("/account", name="alice", language="en", zone="Asia/Tokyo", turns="on")
    assert "Saved" in page and "(JST)" in alice.get("/games/1")


def test_nobody_else_changes_my_time(server: Server, stranger: Browser, enter: Enter) -> None:
    start(server.database)
    for path in ("leave", "leave/1/end", "quiet", "automatic"):
        stranger.post(f"/account/time/{path}", 303, follow=False)
    bob, alice = enter("bob"), enter("alice")
    alice.get("/account/time")
    alice.post("/account/time/leave", do="now", days="3")
    bob.get("/account/time")
    assert "There is nothing at this address" in bob.post("/account/time/leave/1/end", 422)
    bob.token = "wrong"
    assert bob.post("/account/time/leave", 400, do="now", days="3")
    assert leaves(server) == [("now", 3)]


# -- what the others can do -------------------------------------------------------------------------


@BOTH
def test_an_opponent_nudges_and_grants_time_on_the_page_of_the_game(
    server: Server, enter: Enter, post: PostOffice
) -> None:
    game = start(server.database, now=datetime.now(UTC))
    post.all()
    bob = enter("bob")
    page = bob.get(f"/games/{game}")
    assert "Nudge alice by mail" in page
    for n in range(6):
        page = bob.post(f"/games/{game}/nudge")
        assert ("We have mailed them" if n == 0 else "has been sent today already") in page
    assert "alice was nudged today." in page and "bob nudged alice." in page
    deadline = load(server.database, game).deadline_at
    assert deadline is not None
    for n in range(6):
        page = bob.post(f"/games/{game}/extend", days=3, number=1, granted=0)
        assert ("The time is granted" if n == 0 else "a moment ago already") in page
    assert load(server.database, game).deadline_at == deadline + 3 * DAY
    assert "bob gave alice 3 days more." in page and 'name="granted" value="1"' in page
    assert [s for s in post.subjects("alice@example.org") if "bob waits" in s or "3 days more" in s] != []
    with server.database.read() as session:
        assert session.scalars(sa.select(ClockNote.kind).order_by(ClockNote.id)).all() == ["nudge", "extension"]
    assert "Choose how many days" in bob.post(f"/games/{game}/extend", 422, days=99, number=1, granted=1)
    assert "Nudge" not in enter("alice").get(f"/games/{game}")


def test_whoever_does_not_wait_gets_no_buttons_and_a_reason(server: Server, enter: Enter, stranger: Browser) -> None:
    game = start(server.database, now=datetime.now(UTC))
    assert "Nudge" not in stranger.get(f"/games/{game}") and "more time" not in stranger.get(f"/games/{game}")
    stranger.post(f"/games/{game}/nudge", 303, follow=False)
    alice = enter("alice")
    alice.get(f"/games/{game}")
    assert "Nobody else has to decide" in alice.post(f"/games/{game}/nudge", 422)
    assert alice.post("/games/999999/nudge", 404) and alice.post("/games/99999999999/extend", 404)


def test_a_link_that_has_ended_nudges(server: Server, post: PostOffice, stranger: Browser) -> None:
    game = start(server.database, now=datetime.now(UTC))
    link = post.link("alice@example.org", "t")
    say(server.database, game, "rob blue", now=datetime.now(UTC))
    assert "Nudge" not in stranger.get(link), "the mail to bob has not been delivered"
    post.all()
    assert "Nudge bob by mail" in stranger.get(link)
    assert "We have mailed them" in stranger.post(f"{link}/nudge", 202)
    assert "sent today already" in stranger.post(f"{link}/nudge", 202)
    assert "bob was nudged today." in stranger.get(link)
    assert len([s for s in post.subjects("bob@example.org") if "alice waits" in s]) == 1
    theirs = post.link("bob@example.org", "t")
    assert "Nobody else has to decide" in stranger.post(f"{theirs}/nudge", 422)
    assert stranger.post("/t/nonsense/nudge", 404)


# -- what is said -----------------------------------------------------------------------------------


def test_the_pages_say_what_was_credited_and_who_is_away(
    server: Server, enter: Enter, post: PostOffice, stranger: Browser
) -> None:
    begun = datetime.now(UTC) - 3 * DAY
    game = start(server.database, now=begun, pace=Pace())
    post.sender.send_due(begun)
    for first, last in ((begun, begun + DAY / 24), (begun + DAY, datetime.now(UTC))):
        with server.database.write() as session:
            row = {"job": "mail", "owner": "x", "first_at": first, "last_at": last}
            session.execute(sa.insert(Heartbeat).values(**row))
            session.commit()
    assert outages.watch(server.database, datetime.now(UTC)) == 1
    leave.start_now(server.database, 2, 3, now=datetime.now(UTC), allowance=30)
    alice = enter("alice")
    page = alice.get(f"/games/{game}")
    assert "the deadline of alice moved by 23 hours." in page and "bob is on leave until" in page
    seen = stranger.get(f"/games/{game}")
    assert "the deadline of alice moved" in seen and "leave" not in seen, "who is not at home is nobody else's business"
    assert page.index("the deadline of alice moved") < page.index("bob takes leave from")
    turn = alice.get(post.link("alice@example.org", "t"))
    assert "No mails could be sent from" in turn and "your deadline moved by 23 hours." in turn


def test_mails_of_the_clock_keep_to_72_columns_in_every_language(
    server: Server, post: PostOffice, enter: Enter
) -> None:
    start(server.database, now=datetime.now(UTC))
    bob = enter("bob")
    for language in ("en", "fr", "es", "it"):
        write(server.database, sa.update(Player).values(language=language))
        bob.get("/games/1")
        number = re.search(r'name="granted" value="(\d)"', bob.get("/games/1"))
        assert number is not None
        bob.post("/games/1/extend", days=1, number=1, granted=number[1])
        text = text_of(post.last("alice@example.org", "t"))
        assert [line for line in text.splitlines() if len(line) > 72 and not line.startswith("http")] == []
