"""How many statements the buttons of a league cost, as SQLite's own driver sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from app.base.house import House
from app.leagues import events
from tests.support.club_pages import club_of, joined, running
from tests.support.people import Browser, Enter, PostOffice

ASKING = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")


@contextmanager
def listened(house: House) -> Iterator[list[str]]:
    """What is asked of the database from now on."""
    said: list[str] = []

    def listen(connection: Any, *_: Any) -> None:
        connection.set_trace_callback(said.append)

    house.database.close()  # connections that are open already are not listened to
    event.listen(house.database.engine, "checkout", listen)
    yield said
    event.remove(house.database.engine, "checkout", listen)
    house.database.close()


def asked(house: House, press: Callable[[], object]) -> tuple[int, int]:
    """How many statements and how many transactions a request takes."""
    with listened(house) as said:
        press()
    statements = [line for line in said if line.lstrip().upper().startswith(ASKING)]
    return len(statements), sum(line.upper().startswith("BEGIN") for line in said)


@pytest.fixture
def cup(enter: Enter, post: PostOffice) -> tuple[Browser, int]:
    """Alice, who runs an event of three players that has started."""
    alice = club_of(enter, "bob", "carol")
    return alice, running(alice, alice, joined(post, enter, "bob"), joined(post, enter, "carol"))


def test_a_round_is_paired_published_and_looked_at_with_few_statements(cup: tuple[Browser, int], house: House) -> None:
    alice, number = cup
    with house.database.read() as session:
        division = events.get(session, number).divisions[0].id
    alice.get(f"/events/{number}/manage")
    path = f"/events/{number}/pair"
    pair = asked(house, lambda: alice.post(path, 303, follow=False, division=str(division)))
    draft = str(alice.page.headers["Location"])
    alice.get(f"{draft}/publish")
    publish = asked(house, lambda: alice.post(f"{draft}/publish", 303, follow=False, version="1"))
    desk = asked(house, lambda: alice.get(f"/events/{number}/desk"))
    assert pair <= (20, 2)
    assert publish <= (23, 2)
    assert desk <= (18, 1)
