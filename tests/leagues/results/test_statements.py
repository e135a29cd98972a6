"""How many statements the buttons of a league cost, as SQLite's own driver counts them, and whom they refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from app.base.server import Server
from app.games import seeds
from app.leagues.events import lifecycle
from tests.support.club_pages import club_of, draft, joined, running
from tests.support.people import Browser, Enter, PostOffice
from tests.support.tables import NOW

ASKING = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")


@contextmanager
def listened(server: Server) -> Iterator[list[str]]:
    """Yield the statements sent to the database from now on."""
    said: list[str] = []

    def listen(connection: Any, *_: Any) -> None:
        connection.set_trace_callback(said.append)

    server.database.close()  # connections that are already open have no listener
    event.listen(server.database.engine, "checkout", listen)
    yield said
    event.remove(server.database.engine, "checkout", listen)
    server.database.close()


def asked(server: Server, press: Callable[[], object]) -> tuple[int, int]:
    """Return how many statements and how many transactions a request takes."""
    with listened(server) as said:
        press()
    statements = [line for line in said if line.lstrip().upper().startswith(ASKING)]
    return len(statements), sum(line.upper().startswith("BEGIN") for line in said)


@pytest.fixture
def cup(enter: Enter, post: PostOffice, server: Server) -> tuple[Browser, int]:
    """Alice, who runs an event of three players that has started, on a server that has been set up."""
    seeds.set_up(server.database, NOW)
    alice = club_of(enter, "bob", "carol")
    return alice, running(alice, alice, joined(post, enter, "bob"), joined(post, enter, "carol"))


def test_a_round_is_paired_published_and_looked_at_with_few_statements(
    cup: tuple[Browser, int], server: Server
) -> None:
    alice, number = cup
    with server.database.read() as session:
        division = lifecycle.get(session, number).divisions[0].id
    alice.get(f"/events/{number}/manage")
    path = f"/events/{number}/pair"
    pair = asked(server, lambda: alice.post(path, 303, follow=False, division=str(division)))
    review = str(alice.page.headers["Location"])
    alice.get(review)
    publish = asked(
        server, lambda: alice.post(f"{review}/publish", 303, follow=False, version="1", until="2099-01-31T20:00")
    )
    run = asked(server, lambda: alice.get(f"/events/{number}/manage"))
    week = asked(server, lambda: alice.get("/clubs/vendee/week"))
    home = asked(server, lambda: alice.get("/clubs/vendee"))
    history = asked(server, lambda: alice.get("/clubs/vendee/history"))
    # The bar of the club takes three statements and that of the event two, in one transaction of their own.
    assert home[0] <= 24 and home[1] <= 3, home
    assert history[0] <= 14 and history[1] <= 3, history
    # One of each, once a minute, is the sign of life.
    assert pair[0] <= 20 and pair[1] <= 3, pair
    # One is the notifications of all its mails, two look whether a channel of the club is told. Three, however many
    # games start, take their seeds: the block that is open, how much of it is used, and the secret of its tree.
    assert publish[0] <= 31 and publish[1] <= 4, publish
    # Two are whether the reader plays in the event, and so can set no result; one, the dot of the menu, is by itself.
    assert run[0] <= 34 and run[1] <= 4, run
    # Four, however many play, say who is silent; one, the dot of the menu, is by itself.
    assert week[0] <= 28 and week[1] <= 4, week


def test_those_who_do_not_organise_do_not_learn_of_a_draft(
    cup: tuple[Browser, int], enter: Enter, server: Server
) -> None:
    alice, number = cup
    page, bob = draft(alice, server, number), enter("bob")
    bob.get(f"/events/{number}")
    for act in ("publish", "discard"):
        bob.post(f"{page}/{act}", 404, version="1")
        alice.post(page.replace(f"/{number}/", f"/{number + 1}/") + f"/{act}", 404, version="1")
    alice.get(page)
    alice.post(f"{page}/publish", version="1")
    bob.post(f"{page}/publish", 403, version="1")
