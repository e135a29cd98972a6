"""A database that fails at any one step of a move: the move is there completely with its mails, or not at all.

Its sender is told that it is uncertain (503); the same orders again are played, or get their first result; and the
server continues as if nothing had happened.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.base.process.config import load as load_config
from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.games.store import GameStore
from app.server.factory import create_app
from tests.support.databases import BOTH
from tests.support.faults import Faults
from tests.support.forms import Page
from tests.support.people import BASE, everything
from tests.support.tables import KEYS, link_to, load, start
from tests.support.world import drafted, join, owner_of_a_club, pairings, world_at

JSON = {"Accept": "application/json"}
MOVES = 2
LATE = "could not be noted"
EACH_STEP = {"sqlite": 1, "postgres": 5}
"""Of the steps of a round: a server needs its time to end a connection and to take a new one."""
Answer = tuple[int, str, str]
"""Status, body, Retry-After."""


class TurnDriver:
    """A game, and a player who sends what is owed in it."""

    def __init__(self, app: Flask, title: str) -> None:
        self.client = app.test_client()
        self.server: Server = app.extensions["postroad"]
        self.faults = Faults(self.server.database)
        self.game = start(self.server.database, title, now=datetime.now(UTC))
        self._chooser = random.Random(title)

    @property
    def token(self) -> str:
        """Of the link that is open now."""
        return self.server.links.turn_token(link_to(load(self.server.database, self.game)))

    def move(self, way: str) -> Callable[[], Answer]:
        """A move as a program sends it, or a browser: to be sent as often as one likes."""
        token = self.token
        asked = self.client.get(f"/t/{token}", headers=JSON).json
        line = self._chooser.choice(asked["legal"])
        if way == "json":
            body = {"orders": line, "decision": asked["decision"]}
            return lambda: self._answer(self.client.post(f"/t/{token}", json=body, headers=JSON))
        form = Page(self.client.get(f"/t/{token}").text).form("orders")
        values = (
            {"do": "send"} if form.named("draft") and form.named("draft")[0].value else {"do": "send", "orders": line}
        )
        sent: dict[str, list[str]] = {}
        for name, value in form.fill(**values):
            sent.setdefault(name, []).append(value)
        return lambda: self._answer(self.client.post(f"/t/{token}", data=sent))

    @staticmethod
    def _answer(answer: Any) -> Answer:
        return answer.status_code, answer.get_data(as_text=True), answer.headers.get("Retry-After", "")

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """All that is stored, but the moment at which a draft was kept last or a mail was first acted upon."""
        rows = everything(self.server, but_seen=True)
        return rows | {"draft": [row[:-1] for row in rows["draft"]]}

    def check_it_goes_on(self) -> None:
        """The next request works, and log, state, mails and clock agree."""
        assert self.client.get(f"/t/{self.token}").status_code == 200
        with self.server.database.read() as session:
            store = GameStore(session)
            game = store.load(self.game)
            asked = sa.select(OutboxMail.number).where(OutboxMail.game_id == self.game, OutboxMail.kind == "turn")
            mailed = list(session.scalars(asked))
            assert game.title.state_to_json(store.rebuilt(game)) == game.title.state_to_json(game.state)
        assert len(set(mailed)) == len(mailed), "no decision is mailed twice"
        assert game.number in mailed or game.mailed_at is not None, "who decides has a mail, or has just moved"


ON = [("acres", "sqlite"), ("new-world", "sqlite"), pytest.param(("acres", "postgres"), marks=pytest.mark.postgres)]


@pytest.fixture(params=ON, ids="-".join)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TurnDriver]:
    title, kind = request.param
    url = request.getfixturevalue(f"{kind}_url")
    environ = {"POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
    app = create_app(load_config(environ, tmp_path))
    yield TurnDriver(app, title)
    app.extensions["postroad"].database.close()


@pytest.mark.parametrize("way", ["json", "form"])
def test_a_fault_at_any_step_of_a_move_costs_that_request_and_nothing_else(
    desk: TurnDriver, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Each move is tried with a fault at its first step, its second, and so on, until it meets none."""
    steps = 0
    for _ in range(MOVES):
        move, before = desk.move(way), desk.rows()
        stands = before
        for step in range(1, 100):
            logged = len(caplog.records)
            with desk.faults.at(step):
                status, said, again = move()
            now = desk.rows()
            # What is committed stays: a fault while the answer is drawn comes too late, and the move is not made twice.
            assert stands in (before, now), desk.faults.what
            is_made, stands = now != before, now
            desk.check_it_goes_on()
            if not desk.faults.what:
                assert status in (200, 303), said
                break
            steps += 1
            # That its mails have been seen is noted after the move, which is answered all the same.
            is_after = is_made and any(LATE in record.getMessage() for record in caplog.records[logged:])
            assert (status, again) == (503, "10") or (is_after and status in (200, 303)), (desk.faults.what, said)
        assert stands != before
    assert steps > 8 * MOVES
    assert not [record for record in caplog.records if record.exc_info], "no traceback for what passes by itself"
    assert all(record.levelno < logging.CRITICAL for record in caplog.records)


@pytest.mark.parametrize("way", ["json", "form"])
def test_a_commit_whose_answer_is_lost_is_there_whole_and_the_same_post_gets_its_first_result(
    desk: TurnDriver, way: str
) -> None:
    for _ in range(MOVES):
        move, before = desk.move(way), desk.rows()
        with desk.faults.losing_an_answer():
            status, _, again = move()
        assert (desk.faults.what, status, again) == ("COMMIT", 503, "10")
        after = desk.rows()
        assert after != before
        desk.check_it_goes_on()
        first, second = move(), move()
        assert first == second and first[0] in (200, 303), (first, second)
        assert desk.rows() == after


@pytest.mark.parametrize("kind", BOTH)
def test_a_fault_at_any_step_publishes_no_half_a_round(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with world_at(tmp_path, request.getfixturevalue(f"{kind}_url")) as place:
        server = place.app.extensions["postroad"]
        olga = owner_of_a_club(place)
        join(place, olga, "ann", "bea", "carl", "dora")
        _, round_at = drafted(place, olga, "ann", "bea", "carl", "dora")
        page = Page(olga.get(round_at))
        sent = dict(page.form("version").fill())
        faults, before = Faults(server.database), everything(server)
        for step in range(1, 300, EACH_STEP[kind]):
            with faults.at(step):
                answer = olga.client.post(f"{round_at}/publish", data=sent, headers=olga.headers)
            if not faults.what:
                break
            if answer.status_code == 303:  # the fault met the sign of life, which comes after what was sent
                assert "a sign of life could not be kept" in caplog.text
                break
            assert answer.status_code == 503, (faults.what, answer.text)
            assert everything(server) == before, faults.what
        assert answer.status_code == 303 and step > 20
        olga.get(round_at)
        assert [len(pairing.players) for pairing in pairings(olga)] == [2, 2]
        told = [mail for mail in place.deliver() if "round 1" in mail.subject]
        assert len(told) == 4
