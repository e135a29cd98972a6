"""The steps since a seat's last turn on the board: each once, as the seat saw them, by the newest link alone."""

from __future__ import annotations

import random
import re

import pytest
from flask import Flask

from tests.support.tables import random_line, say
from tests.support.turn_driver import TurnDriver, turn_at
from tests.support.twins import acres_twin, set_state


def play(desk: TurnDriver, lines: int) -> None:
    """Play on at random until the seat on turn has had a turn before."""
    chooser = random.Random(5)
    for _ in range(lines):
        line = random_line(desk.game, chooser)
        if line != "resign":
            say(desk.server.database, desk.game_id, line)


@pytest.mark.parametrize(("title", "seats"), [("acres", 2), ("new-world", 3)])
def test_the_steps_are_the_sentences_of_the_turn_page_one_after_another(app: Flask, title: str, seats: int) -> None:
    desk = turn_at(app, title, seats=seats)
    play(desk, 17)
    page = desk.client.get(f"/t/{desk.token}").text
    assert f'href="/t/{desk.token}/since/1#at"' in page
    known = " ".join(re.findall(r"<li[^>]*>(.*?)</li>", page.partition('id="since"')[2].partition("</section>")[0]))
    n, most, told, boards = 0, 1, [], set()
    while n < most:
        n += 1
        step = desk.client.get(f"/t/{desk.token}/since/{n}")
        assert step.status_code == 200
        most = int(re.search(rf"step {n} of (\d+)", step.text)[1])
        told += re.findall(r"<li>(?!<)(.*?)</li>", step.text.partition('id="now"')[2].partition("</section>")[0])
        boards.add(step.text.partition("<svg")[2].partition("</svg>")[0])
        assert (f"/since/{n + 1}#at" in step.text) == (n < most)
    assert most > 1 and (title == "acres" or len(boards) == most), "each tile appears in its step"
    for sentence in told:
        first = sentence.partition(" ")[2].partition(";")[0].rstrip(".")
        assert first in known, "nothing else is told than on the turn page"
    assert desk.client.get(f"/t/{desk.token}/since/{most + 1}").status_code == 404
    assert desk.client.get(f"/t/{desk.token}/since/0").status_code == 404
    assert desk.client.get(f"/t/{desk.token}x/since/1").status_code == 404


def test_an_old_link_shows_no_steps(app: Flask) -> None:
    desk = turn_at(app, "new-world")
    old = desk.token
    play(desk, 9)
    assert desk.token != old and desk.client.get(f"/t/{old}/since/1").status_code == 410


def test_what_the_seat_cannot_see_changes_no_step(app: Flask) -> None:
    desk = turn_at(app, "acres")
    play(desk, 17)
    seat = desk.game.decides
    shown = [desk.client.get(f"/t/{desk.token}/since/{n}").text for n in (1, 2)]
    set_state(desk.server.database, desk.game_id, acres_twin(desk.game.state, seat, random.Random(1)))
    assert [desk.client.get(f"/t/{desk.token}/since/{n}").text for n in (1, 2)] == shown
