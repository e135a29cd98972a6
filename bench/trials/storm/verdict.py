"""Compares what the players were told with what the server has stored and the mail host has received."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.games.store import LogBroken
from app.games.tables import DecisionMade, Game, GameSeat, GameStatus
from app.play.turn import starting
from bench.trials.storm.ledger import Ledger
from bench.trials.storm.played import compare, entries_in
from bench.trials.storm.weather import MAY_DOUBLE, Trouble
from tests.support.scripted import ScriptedHost

AFTERWARDS_SECONDS = 3.0
"""How long after a trouble its effects may still show."""


@dataclass(frozen=True)
class Before:
    """The state before the storm: running games that go on in it, the last game and the last mail."""

    games: list[int] = field(default_factory=list)
    last_game: int = 0
    last_mail: int = 0


@dataclass
class Verdict:
    """The findings. Every list but `twice_explained` has to be empty."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    mails_missing: list[str] = field(default_factory=list)
    mails_unknown: list[str] = field(default_factory=list)
    mails_twice: list[str] = field(default_factory=list)
    twice_explained: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    BAD = (
        "lost", "doubled", "invented", "mails_missing", "mails_unknown", "mails_twice", "broken", "troubles", "unseen",
    )  # fmt: skip

    @property
    def is_good(self) -> bool:
        return not any(getattr(self, name) for name in self.BAD)


def judge(
    database: Database, ledger: Ledger, host: ScriptedHost, troubles: Sequence[Trouble], before: Before
) -> Verdict:
    """Compare everything.

    For earlier games and mails only what the players were told is compared; all games are replayed.
    """
    with database.read() as session:
        made = {(row.game_id, row.number): row for row in session.scalars(sa.select(DecisionMade))}
        played = compare(ledger, list(made.values()), entries_in(session), before.last_game)
        games = {row.id: row for row in session.scalars(sa.select(Game))}
        seats = session.execute(sa.select(GameSeat.game_id, GameSeat.seat)).all()
        mails = session.execute(
            sa.select(
                OutboxMail.id,
                OutboxMail.mail_key,
                OutboxMail.state,
                OutboxMail.message_id,
                OutboxMail.tried_at,
                OutboxMail.due_at,
            )
        ).all()
    found = Verdict(played.lost, played.doubled, played.invented, troubles=list(ledger.troubles))
    _judge_mails(found, host, mails, troubles, before.last_mail)
    _judge_owed(found, mails, made, games, [tuple(row) for row in seats], before.last_game)
    for game in games:
        try:
            if starting.verify(database, game):
                found.broken.append(f"game {game} would be played otherwise")
        except LogBroken as broken:
            found.broken.append(str(broken))
    found.figures |= {
        "games": len(games),
        "games over": sum(game.status == GameStatus.OVER for game in games.values()),
        "decisions accepted": len(ledger.accepted),
        "turns": len(ledger.turns),
        "mails": dict(Counter(str(mail.state) for mail in mails)),
        "mails handed over": len(host.taken),
    }
    return found


def _judge_mails(
    found: Verdict, host: ScriptedHost, mails: Sequence[Any], troubles: Sequence[Trouble], last_before: int
) -> None:
    now = datetime.now(UTC)
    came: dict[str, list[float]] = {}
    for taken in host.taken:
        came.setdefault(taken.message_id.partition("@")[0], []).append(taken.at)
    for mail in mails:
        if mail.id <= last_before or (mail.state == "waiting" and mail.tried_at is None and mail.due_at > now):
            continue  # another server's, or not due until after a night
        if mail.state in ("waiting", "failed"):
            found.mails_missing.append(f"{mail.mail_key} is {mail.state}")
        elif mail.state == "sent" and mail.message_id not in came:
            found.mails_missing.append(f"{mail.mail_key} is said to be sent, and never came")
    known = {mail.message_id for mail in mails}
    found.mails_unknown += [f"a mail that the outbox does not know: {one}" for one in came.keys() - known]
    for one, moments in came.items():
        if len(moments) > 1:
            near = [
                trouble.kind for trouble in troubles
                if trouble.kind in MAY_DOUBLE and trouble.began - 1 <= moments[0] <= trouble.ended + AFTERWARDS_SECONDS
            ]  # fmt: skip
            said = f"{one} came {len(moments)} times, {moments[-1] - moments[0]:.1f} s apart"
            found.twice_explained.append(f"{said} ({near[0]})") if near else found.mails_twice.append(said)


def _judge_owed(
    found: Verdict, mails: Sequence[Any], made: dict[Any, DecisionMade], games: dict[int, Game],
    seats: Sequence[tuple[int, str]], since_game: int,
) -> None:  # fmt: skip
    """Check that every player asked by another's move has a mail in the outbox, and every player asked now has received
    it.
    """
    states = {mail.mail_key: str(mail.state) for mail in mails}
    for (game, _), row in made.items():
        if game <= since_game or not row.orders or games[game].has_computer:
            continue
        number, now = row.next_number, games[game]
        following = made.get((game, number))
        is_owed_now = following is None and now.status == GameStatus.RUNNING
        asked = following.seat if following else now.decides if is_owed_now else None
        if asked in (None, row.seat):
            continue
        state = states.get(f"turn:{game}:{number}")
        if state is None or (is_owed_now and state != "sent"):
            found.mails_missing.append(f"the mail for decision {number} of game {game} is {state}")
    for game, seat in seats:
        if (
            game > since_game
            and not games[game].has_computer
            and games[game].status == GameStatus.OVER
            and states.get(f"over:{game}:{seat}") != "sent"
        ):
            found.mails_missing.append(f"the mail to {seat} about the end of game {game}")
