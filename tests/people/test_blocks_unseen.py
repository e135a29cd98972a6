"""A block cannot be detected over HTTP: the same steps towards a player with a block and one without, side by side."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from app.base.server import Server
from app.people import blocks
from app.play.agreed import results
from tests.support.people import BOTH, Browser, Enter, PostOffice
from tests.support.tables import CAST, address, start


def plain(text: str, name: str) -> str:
    """Return the page without what differs from table to table: its number, its chance, its form's token, the name."""
    text = re.sub(r'name="csrf_token" value="[^"]+"', "", text)
    text = re.sub(r"[0-9a-f]{64}|invitation:[^ ]+", "", text)
    text = re.sub(r"(/games/|[Gg]ame |seed number )\d+", r"\1N", text)
    return text.replace(name, "NAME")


def seen(browser: Browser, name: str) -> tuple[int, str]:
    return browser.page.status_code, plain(browser.page.get_data(as_text=True), name)


def block(server: Server, one: str, other: str) -> None:
    ids = {}
    with server.database.read() as session:
        for number, key in session.connection().exec_driver_sql("SELECT id, address_key FROM player"):
            ids[key.partition("@")[0]] = number
    blocks.settle(server.database, ids[one], ids[other], ["block"], now=datetime.now(UTC))


def new_table(browser: Browser, **offers: str) -> str:
    """The path of a new table of Ferry whose host sits at red."""
    browser.get("/games/new/ferry")
    form = {"offer__red": "me", "sides": "chosen", "days": "7", **offers}
    browser.post("/games/new/ferry", 303, follow=False, **form)
    path = browser.page.headers["Location"]
    browser.get(path)
    return str(path)


@BOTH
@pytest.mark.parametrize("blocker", ["alice", "bob"])
def test_inviting_answers_alike_whether_a_block_stands_between_or_not(
    server: Server, enter: Enter, post: PostOffice, blocker: str
) -> None:
    """Bob and Carol have both played with Alice; there is a block between her and one of them."""
    now = datetime.now(UTC)
    people = {who: enter(who) for who in CAST[:3]}
    old = start(server.database, now=now)
    block(server, blocker, "bob" if blocker == "alice" else "alice")
    alice = people["alice"]
    before = {who: len(post.all(address(who))) for who in CAST[:3]}
    answers: dict[str, list[tuple[int, str]]] = {}
    for guest in ("bob", "carol"):
        said = answers[guest] = []
        path = new_table(alice, offer__blue="mail", address__blue=address(guest))
        said.append(seen(alice, guest))
        for how in ("open", "mail"):
            alice.post(f"{path}/offer", place="1", how=how, address=address(guest))
            said.append(seen(alice, guest))
        alice.post(f"{path}/offer", 422, place="1", how="mail", address="nonsense")
        said.append(seen(alice, guest))
        people[guest].get("/games")
        assert (path in people[guest].page.get_data(as_text=True)) == (guest == "carol")
    assert answers["bob"] == answers["carol"]
    sent = {who: len(post.all(address(who))) - before[who] for who in CAST[:3]}
    assert sent["alice"] == sent["bob"] == 0 and sent["carol"] >= 1
    results.resign(server.database, old, home_id(server, "alice"), now=now)
    before_rematch = post.subjects(address("bob"))
    alice.get(f"/games/{old}")
    alice.post(f"/games/{old}/rematch")
    assert "bob is invited" in alice.page.get_data(as_text=True)
    assert post.subjects(address("bob")) == before_rematch
    assert "To the rematch" not in people["bob"].get(f"/games/{old}")


def home_id(server: Server, who: str) -> int:
    with server.database.read() as session:
        found = (
            session.connection().exec_driver_sql(f"SELECT id FROM player WHERE address_key = '{address(who)}'").scalar()
        )
    assert isinstance(found, int)
    return found


@BOTH
@pytest.mark.parametrize("blocker", ["alice", "bob"])
def test_seats_are_not_offered_across_a_block_and_taking_one_answers_as_if_it_had_gone(
    server: Server, enter: Enter, blocker: str
) -> None:
    alice, bob, carol = (enter(who) for who in CAST[:3])
    path = new_table(alice, offer__blue="open", offer__green="open")
    mailed = new_table(alice, offer__blue="mail", offer__green="mail", address__blue="x@example.org",
                       address__green="y@example.org")  # fmt: skip
    bob.get(path)
    bob.post(f"{mailed}/join", 422, place="1")  # a seat that is not to be had
    gone = seen(bob, "")
    private = new_table(alice, offer__blue="link")
    link = re.search(r"http://post.example.org(/join/[^<]+)<", alice.get(private))
    assert link
    block(server, blocker, "bob" if blocker == "alice" else "alice")
    assert path in carol.get("/tables") and path not in bob.get("/tables")
    assert "Sit down" not in bob.get(path) and "Sit down" in carol.get(path)
    bob.get("/games/new/ferry")  # for the token of a form
    bob.post(f"{path}/join", 422, place="1")
    assert seen(bob, "") == gone
    ended = bob.get(link[1], 410)
    assert "does not wait for your answer any more" in ended and "want to play" not in ended
    carol.get(path)
    carol.post(f"{path}/join", place="1")
