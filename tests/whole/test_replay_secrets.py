"""Nothing that replays, pictures and planning show depends on what their reader may not see: twins that differ only in
that give the same pages, in past positions as well as in the newest.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine
from flask import Flask

from app.base.server import Server
from app.games.steps import in_force
from app.games.store import GameNow, GameStore
from app.games.tables import LogEntry
from app.play.tables import AnalysisBranch, Note
from engine.acres import events as ev
from engine.kernel.title import Choice
from tests.support.kept import as_in_another_process
from tests.support.people import Browser, Enter
from tests.support.tables import NOW, load, random_line, say, start
from tests.support.twins import acres_twin, ferry_twin, set_state

_ENTRY = LogEntry.__table__  # type: ignore[attr-defined]


def another_log(server: Server, game: GameNow, chooser: random.Random) -> list[tuple[int, Any]]:
    """Return the stored events of Acres, by entry, with the undrawn cards in another order."""
    with server.database.read() as session:
        log = GameStore(session).log(game.title, game.id)
    changed: dict[int, list[Any]] = {number: list(step.events) for number, _, step in log}
    for side in ("british", "french"):
        tail = len(game.state.players[side].draw)
        for number in sorted(changed, reverse=True):
            at = next(
                (
                    n
                    for n, event in reversed(list(enumerate(changed[number])))
                    if isinstance(event, ev.Opened) or (isinstance(event, ev.Shuffled) and event.seat == side)
                ),
                None,
            )
            if at is None:
                continue
            event = changed[number][at]
            order = list(event.draws[side] if isinstance(event, ev.Opened) else event.cards)
            kept, hidden = order[: len(order) - tail], order[len(order) - tail :]
            chooser.shuffle(hidden)
            if isinstance(event, ev.Opened):
                changed[number][at] = replace(event, draws={**event.draws, side: tuple(kept + hidden)})
            else:
                changed[number][at] = replace(event, cards=tuple(kept + hidden))
            break
    return [(number, [game.title.event_to_json(event) for event in events]) for number, events in changed.items()]


def put_log(server: Server, game_id: int, rows: list[tuple[int, Any]]) -> None:
    with server.database.write() as session:
        for number, events in rows:
            where = (_ENTRY.c.game_id == game_id, _ENTRY.c.number == number)
            session.execute(sa.update(_ENTRY).where(*where).values(events=events))
        session.commit()


def hide(server: Server, game: GameNow, seat: str, variant: int) -> None:
    """Change what the other seats keep for themselves."""
    with server.database.write() as session:
        session.execute(sa.delete(Note))
        session.execute(sa.delete(AnalysisBranch).where(AnalysisBranch.name.like("secret%")))  # type: ignore[attr-defined]
        for other in (s.seat for s in game.seats if s.seat != seat):
            mine = {"game_id": game.id, "seat": other, "changed_at": NOW}
            session.execute(sa.insert(Note).values(**mine, entry=2, text=f"secret plan {variant}"))
            session.execute(
                sa.insert(AnalysisBranch).values(**mine, entry=2, name=f"secret plan {variant}", lines="pass")
            )
        session.commit()


def shown(browser: Browser, game: GameNow, plan: str, tries: list[str]) -> list[Any]:
    """Return all that a reader can get: every position from their own view and a spectator's, pictures, the planning
    copy.
    """
    as_in_another_process()
    paths = [f"/games/{game.id}/replay?turn={turn}" for turn in range(game.turn + 1)]
    paths += [f"/games/{game.id}/replay/{entry}" for entry in range(1, game.entries + 1)]
    paths += [f"/games/{game.id}/replay/{entry}?eyes=spectator" for entry in (2, game.entries)]
    paths += [f"/games/{game.id}/replay/2?eyes={seated.seat}" for seated in game.seats]
    paths += [f"/games/{game.id}/turns/{turn}.svg" for turn in (0, game.turn)]
    out: list[Any] = []
    for path in paths:
        answer = browser.client.get(path)
        out.append((path, answer.status_code, answer.text))
    if plan:
        browser.get(plan)
        for line in tries:
            answer = browser.client.post(plan, data={"csrf_token": browser.token, "do": "add", "orders": line})
            out.append((line, answer.status_code, answer.text))
            out.append(browser.client.get(plan).text)
            browser.client.post(plan, data={"csrf_token": browser.token, "do": "undo:1"})
    assert not any("secret plan" in str(one) for one in out)
    return out


@pytest.mark.parametrize(("title", "twin", "turns"), [("ferry", ferry_twin, 10), ("acres", acres_twin, 24)])
def test_replays_of_twins_are_equal(
    app: Flask, server: Server, enter: Enter, stranger: Browser, title: str, twin: Callable[..., Any], turns: int
) -> None:
    chooser = random.Random(11)
    game_id = start(server.database, title)
    browsers = {s.seat: enter(s.name) for s in load(server.database, game_id).seats}
    plans: dict[str, str] = {}
    compared = 0
    for n in range(turns):
        game = load(server.database, game_id)
        if game.is_over:
            break
        if n % 6 == 5:
            for seat, browser in browsers.items():
                browser.get(f"/games/{game_id}/replay/{game.entries}")
                browser.post(f"/games/{game_id}/replay/{game.entries}/plan")
                plans[seat] = browser.page.request.path
                for reader in (browser, stranger):
                    eyes = seat if reader is browser else None
                    other = twin(game.state, seat, chooser)
                    if other == game.state or game.title.view(other, eyes) != game.title.view(game.state, eyes):
                        continue
                    imagined = game.title.imagined(game.state, seat)
                    tries = [random_line_of(game, imagined, chooser) for _ in range(6)] if reader is browser else []
                    rows = another_log(server, game, chooser) if title == "acres" else []
                    with server.database.read() as session:
                        asked = sa.select(_ENTRY.c.number, _ENTRY.c.events).where(_ENTRY.c.game_id == game_id)
                        were = [tuple(row) for row in session.execute(asked)]
                    with time_machine.travel(NOW, tick=False):
                        hide(server, game, seat, 0)
                        before = shown(reader, game, plans[seat] if tries else "", tries)
                        hide(server, game, seat, 1)
                        set_state(server.database, game_id, other)
                        put_log(server, game_id, rows)
                        after = shown(reader, game, plans[seat] if tries else "", tries)
                    set_state(server.database, game_id, game.state)
                    put_log(server, game_id, were)
                    for one, other_one in zip(before, after, strict=True):
                        assert one == other_one
                    compared += 1
        say(server.database, game_id, random_line(game, chooser))
    assert compared > 3


def random_line_of(game: GameNow, state: Any, chooser: random.Random) -> str:
    item = chooser.choice(game.title.legal(state))
    action = chooser.choice(item.smallest()) if isinstance(item, Choice) else item
    return str(game.title.write(state, action))


def test_the_twins_differ_in_what_is_hidden(server: Server) -> None:
    """Without this the test above could not fail: another log gives other states, with the same views."""
    chooser = random.Random(5)
    game_id = start(server.database, "acres")
    while True:
        game = load(server.database, game_id)
        if game.entries > 30 and all(len(set(player.draw)) > 4 for player in game.state.players.values()):
            break
        say(server.database, game_id, random_line(game, chooser))
    rows = another_log(server, game, chooser)
    with server.database.read() as session:
        store = GameStore(session)
        were = [store.rebuilt(game, entry) for entry in range(1, game.entries + 1)]
        assert len(in_force(step for _, _, step in store.log(game.title, game_id))) == game.entries
    put_log(server, game_id, rows)
    with server.database.read() as session:
        store = GameStore(session)
        are = [store.rebuilt(game, entry) for entry in range(1, game.entries + 1)]
    assert sum(one != other for one, other in zip(were, are, strict=True)) > 0
    for seat in ("british", "french", None):
        assert [game.title.view(state, seat) for state in were] == [game.title.view(state, seat) for state in are]
