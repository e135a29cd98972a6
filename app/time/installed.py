"""Games whose title is not installed are suspended: none of their clocks runs, and nobody is reminded or late. When the
title is back, the time is given back as for an outage that affects only these games. So is a game in which a title
fails before the player who is to decide, until that decision has been made.

Checked when a process starts, since titles come and go with packages, and are mended by them.
"""

from __future__ import annotations

import logging
import traceback
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored import facts
from app.base.stored.database import Database, insert_into
from app.base.stored.mail_tables import MailState, OutboxMail
from app.base.stored.upkeep_tables import ServerFact
from app.clocks.clock import Span
from app.clocks.outages import job_of, job_of_game
from app.games.store import GameNow
from app.games.tables import Game, GameStatus
from app.games.work import Work
from app.time import outages, pending
from app.titles.registry import PAGES, TITLES
from engine.kernel.codec import StoredOtherwise

log = logging.getLogger("postroad.titles")

_FACT = "title missing: "
_FACTS = select(ServerFact).where(col(ServerFact.name).startswith(_FACT))
_ARE_OF = (col(Game.status) == GameStatus.RUNNING, col(Game.title) == sa.bindparam("of_title"))
_STILL = (
    sa.update(Game)
    .where(*_ARE_OF, sa.or_(col(Game.deadline_at).is_not(None), col(Game.check_at).is_not(None)))
    .values(deadline_at=None, remind_at=None, check_at=None)
)
_OF_TITLE = sa.select(col(Game.id)).where(*_ARE_OF, col(Game.decides).is_not(None)).order_by(col(Game.id))


def standing(session: Session) -> dict[str, int]:
    """Return how many running games each missing title has."""
    titles = session.scalars(sa.select(col(Game.title)).where(col(Game.status) == GameStatus.RUNNING).distinct()).all()
    counted = sa.select(sa.func.count()).select_from(Game).where(*_ARE_OF)
    return {one: session.scalar(counted, {"of_title": one}) or 0 for one in sorted(titles) if one not in TITLES}


def noted(session: Session) -> dict[str, int]:
    """Return the same as found when the server started: for callers that ask every few seconds."""
    return standing(session) if session.exec(_FACTS.limit(1)).first() is not None else {}


def in_words(games: int, title: str) -> str:
    """Return the counts in words, for operators, in English like everything that commands say."""
    return f"{games} game{' needs' if games == 1 else 's need'} the title {title}, which is not installed"


def settle(database: Database, now: datetime) -> dict[str, int]:
    """Stop the clocks of games whose title is not installed, and resume those whose title is back; return what
    `standing` says."""
    with database.read() as session:
        missing = standing(session)
        noted = {fact.name.removeprefix(_FACT): fact.noted_at for fact in session.exec(_FACTS).all()}
    if missing:
        with database.write() as session:
            for title in missing:
                fact = insert_into(session, ServerFact).values(name=_name(title), value=title, noted_at=now)
                session.execute(fact.on_conflict_do_nothing(index_elements=["name"]))
                session.execute(_STILL, {"of_title": title})
    for title, since in noted.items():
        if title in TITLES:
            _go_on(database, title, since, now)
    _mend(database, now)
    return missing


def _name(title: str) -> str:
    return f"{_FACT}{title}"[:40]


def _go_on(database: Database, title: str, since: datetime, now: datetime) -> None:
    with Work(database) as work:
        gone = sa.delete(ServerFact).where(col(ServerFact.name) == _name(title)).returning(col(ServerFact.name))
        if work.session.scalar(gone) is None:
            return  # another process has it
        outages.note(work.session, job_of(title), Span(since, now), now)
        ids = work.session.scalars(_OF_TITLE, {"of_title": title}).all()
        for game_id in ids:
            pending.refresh_game(work.session, game_id, now)
        waiting = col(OutboxMail.state) == sa.literal_column(f"'{MailState.WAITING}'")
        due = sa.update(OutboxMail).where(waiting, col(OutboxMail.game_id).in_(ids), col(OutboxMail.due_at) > now)
        work.session.execute(due.values(due_at=now))
    outages.credit(database, now)


# -- titles that fail ---------------------------------------------------------------------------------

_BROKEN = (
    sa.select(col(Game.id), col(Game.title), col(ServerFact.name), col(ServerFact.value), col(ServerFact.noted_at))
    .join(ServerFact, col(ServerFact.name) == pending.broken_at(Game.id, Game.number))
    .where(col(ServerFact.name).startswith(pending.BROKEN), col(Game.status) == GameStatus.RUNNING)
    .order_by(col(Game.id))
)


def broken(session: Session) -> list[str]:
    """Return the decisions at which a title has failed, for operators: `toll-road, game 16: AssertionError`."""
    if session.scalar(sa.select(col(ServerFact.name)).where(col(ServerFact.name).startswith(pending.BROKEN))) is None:
        return []
    return [f"{row.title}, game {row.id}: {row.value}" for row in session.execute(_BROKEN)]


def break_off(database: Database, error: Exception, now: datetime) -> bool:
    """Stop the clock of the game in which a title has failed, if this error is out of a title's code; return whether it
    is."""
    game = _game_of(error)
    if game is None:
        return False
    what = f"{type(error).__name__}: {error}".split("\n")[0][:120]
    log.error("title %s, game %s: %s", game.title.id, game.id, what)
    with database.write() as session:
        facts.tell_first(session, f"{pending.BROKEN}{game.id}.{game.number}", what, now)
        pending.refresh_game(session, game.id, now)
    return True


def _game_of(error: Exception) -> GameNow | None:
    """Return the running game at which an error arose in a package of its title."""
    game: GameNow | None = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        game = next((one for one in frame.f_locals.values() if isinstance(one, GameNow)), game)
        module = str(frame.f_globals.get("__name__", ""))
        is_its = isinstance(error.__cause__, StoredOtherwise) or (game and _is_of_title(module, game.title.id))
        if game is not None and not game.is_over and is_its:
            return game
    return None


def _is_of_title(module: str, title: str) -> bool:
    ours = [found.module_of(title) for found in (TITLES, PAGES) if title in found]
    packages = ["engine", *(one.rpartition(".")[0] or one for one in ours)]
    return not module.startswith("engine.kernel.") and any(f"{module}.".startswith(f"{one}.") for one in packages)


def _mend(database: Database, now: datetime) -> None:
    """Let the clocks run again that stood since a title failed: it may be another one now."""
    with database.read() as session:
        found = session.execute(_BROKEN).all()
    for row in found:
        with Work(database) as work:
            if facts.take_back(work.session, row.name, row.noted_at):
                outages.note(work.session, job_of_game(row.id), Span(row.noted_at, now), now)
                pending.refresh_game(work.session, row.id, now)
    if found:
        outages.credit(database, now)
