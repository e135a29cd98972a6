"""Working through what the computer has to do: any number of processes may, and each row is one's at a time.

A decision is thought about first, and its line is kept; it is played a fixed while after it was asked for, so that how
long it took tells nothing. A process that is killed in between leaves a lease that runs out, and the one that begins
again finds the same line: chance comes from a seed of the decision. That the game still waits for it is seen with the
game locked, so nothing is played twice.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from app.base.links import TurnLink
from app.base.process.config import Config
from app.base.stored import failing
from app.base.stored.database import Database
from app.computer import looking_back
from app.computer.choosing import RESIGNS, choose, level_named
from app.computer.queue import DECISIONS, LOOKS_BACK
from app.computer.tables import ComputerDecision, LookBack, WorkState
from app.games.store import GameNow, GameStore
from app.games.work import Work
from app.play.agreed import results
from app.play.turn import turns
from engine.kernel.search import see

log = logging.getLogger("postroad.computer")

ANSWERS_AFTER = timedelta(seconds=2)
"""How long after it was asked for a decision is played."""
LONGEST_SECONDS = 60.0
"""CPU seconds of a decision that are an alarm."""
AT_ONCE = timedelta(minutes=2)
"""A sweep goes on with what comes up within this time, in steps that it does not wait for."""
JOB = "computer"


class Thinker:
    """Does what is due, for one process. Searches run in a thread that is `nice` (on Linux each has a niceness of its
    own): what writes is not, or others would wait for a lock whose holder waits for the processor."""

    def __init__(self, database: Database, config: Config, name: str, nice: int = 0) -> None:
        self._database = database
        self._key = config.secret_keys[0]
        self._most_seconds = config.thinking_hours * 3600
        self._name = name
        self._search = ThreadPoolExecutor(1, "search", os.nice, (nice,))

    def work(self, now: Callable[[], datetime]) -> bool:
        """Do one thing that is due; return whether there was one."""
        row = next(iter(DECISIONS.take(self._database, self._name, now(), 1)), None)
        if row is not None:
            what, do = f"game {row.game_id}", (self._think if row.line is None else self._play)
            failing.over(self._database, JOB, [row], lambda _: what, lambda one: do(one, now), now())
            return True
        back = next(iter(LOOKS_BACK.take(self._database, self._name, now(), 1)), None)
        if back is not None:
            what = f"look back {back.game_id}"
            failing.over(self._database, JOB, [back], lambda _: what, lambda one: self._look_back(one, now), now())
        return back is not None

    def work_off(self, now: datetime) -> int:
        """Do what is due, and what follows from it within moments; return how many things that was."""
        done, end = 0, now + AT_ONCE
        while now < end:
            if self.work(lambda at=now: at):  # type: ignore[misc]
                done += 1
            else:
                now += ANSWERS_AFTER
                if not self.work(lambda at=now: at):  # type: ignore[misc]
                    break
                done += 1
        return done

    def _think(self, row: ComputerDecision, now: Callable[[], datetime]) -> None:
        with self._database.read() as session:
            game = GameStore(session).load(row.game_id)
            searches = _spent_since(session, now() - timedelta(days=1)) < self._most_seconds
        if not _is_owed(game, row):
            self._write(row, state=WorkState.DONE)
            return
        level = level_named(game.title, game.seated(row.seat).computer.partition(" ")[0])
        title, seed = game.title, self._seed(row)
        sight = see(level.mind, game.state, row.seat)
        may_resign = game.on_turn == row.seat and len(game.seats) == 2
        del game  # nothing that follows knows more than the seat
        how = {"searches": searches, "may_resign": may_resign}
        chosen = self._search.submit(choose, title, sight, level, seed, **how).result()
        if chosen.cpu_seconds > LONGEST_SECONDS:
            log.warning("game %s: a decision of the computer took %.0f s of CPU", row.game_id, chosen.cpu_seconds)
        at = now()
        self._write(
            row,
            line=chosen.line,
            expected=chosen.expected,
            cpu_seconds=chosen.cpu_seconds,
            thought_at=at,
            due_at=max(at, row.made_at + ANSWERS_AFTER),
            claimed_by=None,
        )

    def _play(self, row: ComputerDecision, now: Callable[[], datetime]) -> None:
        with Work(self._database) as work:
            game = work.store.load(row.game_id, for_writing=True)
            done = sa.update(ComputerDecision).where(DECISIONS.mine(row.id, self._name)).values(state=WorkState.DONE)
            if work.session.exec(done).rowcount != 1:
                return  # its lease had run out, and another process has it
            if _is_owed(game, row):
                link = TurnLink(game.id, row.seat, game.number, None)
                if row.line == RESIGNS:
                    results.resign_seat(work, game, row.seat, now())
                else:
                    turns.play_in(work, game, link, [row.line or ""], now=now(), actor=row.seat)

    def _look_back(self, row: LookBack, now: Callable[[], datetime]) -> None:
        found = self._search.submit(looking_back.of_game, self._database, row.game_id).result()
        with self._database.write() as session:
            values = {"found": found, "state": WorkState.DONE}
            session.exec(sa.update(LookBack).where(LOOKS_BACK.mine(row.id, self._name)).values(**values))

    def _write(self, row: ComputerDecision, **values: Any) -> None:  # noqa: ANN401  columns
        with self._database.write() as session:
            session.exec(sa.update(ComputerDecision).where(DECISIONS.mine(row.id, self._name)).values(**values))

    def _seed(self, row: ComputerDecision) -> bytes:
        """Return the seed of a decision: the same in whichever process, and nobody else's to know."""
        return hashlib.sha256(f"computer {self._key} {row.game_id} {row.number}".encode()).digest()


def _is_owed(game: GameNow, row: ComputerDecision) -> bool:
    return game.decides == row.seat and game.number == row.number and bool(game.seated(row.seat).computer)


def _spent_since(session: Any, since: datetime) -> float:  # noqa: ANN401
    asked = sa.select(sa.func.sum(col(ComputerDecision.cpu_seconds))).where(col(ComputerDecision.thought_at) > since)
    return session.scalar(asked) or 0.0
