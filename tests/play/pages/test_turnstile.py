"""Pages that threads draw one after another."""

from __future__ import annotations

import threading

import pytest
from flask import Flask

from app.base.stored.database import Database
from app.play.pages.turnstile import one_at_a_time
from tests.support.at_once import at_once


def test_readers_of_sqlite_pass_one_after_another(app: Flask) -> None:
    inside, most = 0, 0
    come = threading.Event()

    @one_at_a_time
    def view() -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        come.wait(0.01)  # another one would enter in the meantime if it could
        inside -= 1

    def ask() -> None:
        with app.app_context():
            view()

    at_once(*[ask] * 4)
    assert most == 1


def test_a_view_that_fails_lets_the_next_one_pass(app: Flask) -> None:
    @one_at_a_time
    def view() -> None:
        raise KeyError("here")

    with app.app_context():
        for _ in range(2):
            with pytest.raises(KeyError, match="here"):
                view()


def test_readers_of_a_server_of_databases_do_not_wait_for_one_another() -> None:
    database = Database("postgresql+psycopg://nobody@127.0.0.1:9/nothing")
    with database.turnstile, database.turnstile:
        pass
    database.close()
