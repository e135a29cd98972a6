"""The verdict of a storm finds deliberate damage; otherwise its "nothing lost, nothing doubled" would say little."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.stored.mail_tables import MailState, OutboxMail
from app.games.tables import DecisionMade, LogEntry
from bench.trials.storm.ledger import Ledger, Sent
from bench.trials.storm.verdict import Before, Verdict, judge
from bench.trials.storm.weather import Trouble
from tests.support.scripted import ScriptedHost, Taken
from tests.support.tables import load, say, start

EARLIER = datetime(2026, 1, 1, tzinfo=UTC)
_LAST = LogEntry.number == sa.select(sa.func.max(LogEntry.number)).scalar_subquery()
_OF_LAST = DecisionMade.number == sa.select(sa.func.max(DecisionMade.number)).scalar_subquery()
ORDERS = ["pass\nend"] * 2 + ["pass\npass\nend"] * 4
"""Of the turns one after another: the first two have one action."""


class Played:
    """A game of Acres in which each answer was sent once and taken, and the mail host has every mail."""

    def __init__(self, database: Database) -> None:
        self.database, self.ledger, self.host = database, Ledger(), ScriptedHost()
        self.troubles: list[Trouble] = []
        self.game = start(database, "acres")
        for orders in ORDERS:
            now = load(database, self.game)
            self.last = Sent(self.game, now.number, orders, "json")
            self.ledger.tries(self.last)
            assert say(database, self.game, orders).refused is None
            self.ledger.accepts(self.last, now.turn)
        self.deliver()

    def deliver(self) -> None:
        """All mails have been handed over."""
        with self.writing() as session:
            came = {taken.message_id.partition("@")[0] for taken in self.host.taken}
            for mail in session.scalars(sa.select(OutboxMail)):
                mail.state, mail.message_id = MailState.SENT, f"mail-{mail.id}"
                if mail.message_id not in came:
                    self.host.taken.append(Taken(mail.address, f"{mail.message_id}@d.example", b"", 0.0))

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open the tables behind the program's back."""
        with self.database.write() as session:
            yield session
            session.commit()

    def judge(self) -> Verdict:
        return judge(self.database, self.ledger, self.host, self.troubles, Before())


def _counted_again(game: Played) -> None:
    """Accept the last answer once more, as the answer to the next decision."""
    say(game.database, game.game, game.last.orders)
    game.deliver()


def _line_doubled(game: Played) -> None:
    """Put a line of the last answer into the log twice."""
    with game.writing() as session:
        session.execute(sa.update(LogEntry).where(_LAST).values(number=LogEntry.number + 1))
        session.execute(sa.update(DecisionMade).where(_OF_LAST).values(last_entry=DecisionMade.last_entry + 1))
        row = session.scalars(sa.select(LogEntry).where(_LAST)).one()
        own = row.model_dump(exclude={"id"})
        session.add(LogEntry(**own | {"number": row.number - 1}))


def _entry_added(game: Played) -> None:
    """Add a line that no answer gave to the log."""
    with game.writing() as session:
        row = session.scalars(sa.select(LogEntry).where(_LAST)).one()
        session.add(LogEntry(**row.model_dump(exclude={"id"}) | {"number": row.number + 1}))


def _answer_lost(game: Played) -> None:
    """Drop the last answer, of which its player was told."""
    with game.writing() as session:
        session.execute(sa.delete(DecisionMade).where(_OF_LAST))
        session.execute(sa.delete(LogEntry).where(col(LogEntry.decision) == game.last.number))


def _line_lost(game: Played) -> None:
    """Drop a line of the last answer from the log, which is otherwise complete."""
    with game.writing() as session:
        number = session.scalars(sa.select(LogEntry.number).where(_LAST)).one()
        session.execute(sa.delete(LogEntry).where(col(LogEntry.number) == number - 1))
        session.execute(sa.update(LogEntry).where(_LAST).values(number=number - 1))
        session.execute(sa.update(DecisionMade).where(_OF_LAST).values(last_entry=number - 1))


def _entry_lost(game: Played) -> None:
    """Drop an entry in the middle of the log."""
    with game.writing() as session:
        session.execute(sa.delete(LogEntry).where(col(LogEntry.number) == 4))


def _others_kept(game: Played) -> None:
    """Store other orders than those that were accepted."""
    with game.writing() as session:
        session.execute(sa.update(DecisionMade).where(_OF_LAST).values(orders="end"))


def _mail_lost(game: Played) -> None:
    """Drop the mail to the player who is asked now."""
    with game.writing() as session:
        key = f"turn:{game.game}:{load(game.database, game.game).number}"
        session.execute(sa.delete(OutboxMail).where(col(OutboxMail.mail_key) == key))


def _mail_swallowed(game: Played) -> None:
    """Record a mail as sent that never came."""
    del game.host.taken[2]


def _mail_waits(game: Played) -> None:
    with game.writing() as session:
        newest = sa.select(sa.func.max(OutboxMail.id)).scalar_subquery()
        session.execute(
            sa.update(OutboxMail).where(col(OutboxMail.id) == newest).values(state="waiting", due_at=EARLIER)
        )


def _mail_twice(game: Played) -> None:
    """Send a mail twice while nothing was wrong."""
    game.host.taken.append(game.host.taken[2])


def _mail_unknown(game: Played) -> None:
    game.host.taken.append(Taken("x@d.example", "nobodys@d.example", b"", 0.0))


FOUND: dict[Callable[[Played], None], set[str]] = {
    _counted_again: {"invented"},
    _line_doubled: {"doubled", "broken"},
    _entry_added: {"invented", "broken"},
    _answer_lost: {"lost", "broken"},
    _line_lost: {"lost", "broken"},
    _entry_lost: {"lost", "broken"},
    _others_kept: {"lost", "invented", "doubled"},
    _mail_lost: {"mails_missing", "mails_unknown"},
    _mail_swallowed: {"mails_missing"},
    _mail_waits: {"mails_missing"},
    _mail_twice: {"mails_twice"},
    _mail_unknown: {"mails_unknown"},
}


def test_the_verdict_finds_what_was_lost_doubled_or_made_up(tmp_path: Path, sqlite_template: Path) -> None:
    """One game, and each damage to a copy of it."""
    shutil.copy(sqlite_template, tmp_path / "whole.db")
    whole = Played(Database(f"sqlite:///{tmp_path / 'whole.db'}"))
    assert whole.judge() == Verdict(figures=whole.judge().figures)
    whole.database.close()
    found = {}
    for tamper in FOUND:
        shutil.copy(tmp_path / "whole.db", tmp_path / "damaged.db")
        damaged = copy(whole)
        damaged.host = ScriptedHost(taken=[*whole.host.taken])
        damaged.database = Database(f"sqlite:///{tmp_path / 'damaged.db'}")
        tamper(damaged)
        said = damaged.judge()
        found[tamper] = {name for name in Verdict.BAD if getattr(said, name)}
        damaged.database.close()
    assert found == FOUND
