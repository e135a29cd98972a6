"""What goes on beside turns and mails: devices that are told, and games with the computer."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from app.base.server import Server
from app.base.stored.mail_tables import OutboxMail
from app.computer import starting
from app.computer.queue import is_due
from app.computer.tables import ComputerDecision, WorkState
from app.games.store import GUEST
from app.games.tables import Game, GameSeat
from app.people.push_tables import Push, PushDevice
from app.people.tables import DeliveryState
from app.post.push import delivering
from bench.trials.storm.ledger import Ledger, Sent
from bench.trials.storm.weather import MAY_DOUBLE, Trouble
from tests.support.push_service import Phone, PushService

if TYPE_CHECKING:
    from sqlmodel import Session

    from bench.trials.storm.verdict import Verdict

TROUBLE = (500, 408, "dead", "unheard")
ONE_IN = 30
"""Notifications that meet trouble."""
AFTERWARDS_SECONDS = 120.0
"""How long after a process was killed what it had in hand may come once more: a lease, and some time."""


@dataclass
class Devices:
    """The devices of the players: one of each."""

    service: PushService
    chooser: random.Random
    of: dict[str, int] = field(default_factory=dict)
    """Players by the path of their device."""

    def add(self, inside: Server, game: int) -> None:
        """Give each player of a game a device."""
        with inside.database.read() as session:
            asked = sa.select(GameSeat.player_id).where(GameSeat.game_id == game, col(GameSeat.player_id).is_not(None))
            players = list(session.scalars(asked))
        for player in players:
            path = f"/phone/of-{player}"
            try:
                phone = self.service.phone(inside.database, inside.config, player, datetime.now(UTC), path)
            except Exception:
                self.service.phones.pop(path, None)
                raise
            phone.answers = [self.chooser.choice((*TROUBLE, *[201] * ONE_IN * len(TROUBLE))) for _ in range(500)]
            self.of[path] = player

    def judge(self, found: Verdict, inside: Server, troubles: Sequence[Trouble]) -> None:
        """Compare what the devices were told with what is stored: nothing lost, and doubled only by a kill."""
        with inside.database.read() as session:
            columns = (Push.id, Push.state, Push.closes, Push.number, Push.game_id, Push.due_at, PushDevice.player_id)
            rows = session.execute(sa.select(*columns).join(PushDevice, PushDevice.id == Push.device_id)).all()
            untold = session.execute(
                sa.select(OutboxMail.mail_key)
                .join(PushDevice, PushDevice.player_id == OutboxMail.player_id)
                .outerjoin(Push, sa.and_(Push.mail_id == OutboxMail.id, Push.device_id == PushDevice.id))
                .where(OutboxMail.kind == "turn", OutboxMail.made_at > PushDevice.made_at, col(Push.id).is_(None))
            )
            found.lost += [f"no notification of {key}" for (key,) in untold]
        shown: dict[int, set[str]] = {}
        for row in rows:
            if row.state == DeliveryState.FAILED or (
                row.state == DeliveryState.WAITING and row.due_at <= datetime.now(UTC)
            ):
                found.lost.append(f"push {row.id} is {row.state}")
            elif row.state == DeliveryState.SENT and not row.closes and row.number is not None:
                shown.setdefault(row.player_id, set()).add(f"game-{row.game_id}")
        kills = [one for one in troubles if one.kind in MAY_DOUBLE]
        for path, player in self.of.items():
            phone = self.service.phones[path]
            turns = {tag for tag, told in phone.shown.items() if told["link"].endswith("/turn")}
            if turns != shown.get(player, set()):
                found.troubles.append(f"{path} shows {turns}, and is thought to show {shown.get(player, set())}")
            self._judge_doubled(found, phone, kills)
        found.troubles += self.service.wrong
        found.figures["notifications"] = dict(Counter(str(row.state) for row in rows))

    @staticmethod
    def _judge_doubled(found: Verdict, phone: Phone, kills: Sequence[Trouble]) -> None:
        first: dict[int, float] = {}
        for at, told in zip(phone.at, phone.told, strict=True):
            number = told.get("number")
            if told.get("close") or number is None:
                continue
            if number in first:
                killed = any(first[number] - AFTERWARDS_SECONDS < one.ended and one.began < at for one in kills)
                said = f"{phone.path} was told twice of decision {number}, {at - first[number]:.0f} s apart"
                (found.twice_explained if killed or phone.unheard else found.doubled).append(said)
            first.setdefault(number, at)


def begin_with_computer(inside: Server, number: int) -> int:
    """Begin a game of somebody without an account against the computer; return it."""
    title = "acres" if number % 2 else "new-world"
    level = "club" if number % 4 < 2 else "strong"
    wish = starting.Wish(title_id=title, level=level, place=f"storm {number}")
    return starting.start(inside.database, wish, now=datetime.now(UTC)).game


def seat_of_computer(session: Session, game: int, seat: str) -> bool:
    """Return whether the computer holds a seat of a game against it; the other one is somebody's without an account."""
    held = session.scalar(sa.select(GameSeat.held_by).where(GameSeat.game_id == game, GameSeat.seat == seat))
    return bool(held) and not str(held).startswith(GUEST)


def note_thoughts(inside: Server, ledger: Ledger, found_troubles: list[str]) -> Counter[str]:
    """Have what the computer has thought judged as what players sent: stored once, and played once."""
    counts: Counter[str] = Counter()
    with inside.database.read() as session:
        asked = sa.select(ComputerDecision, Game.number).join(Game, col(Game.id) == col(ComputerDecision.game_id))
        for row, owed in session.execute(asked):
            counts[str(row.state)] += 1
            if row.line:
                sent = Sent(row.game_id, row.number, row.line, "json")
                ledger.tries(sent)
                if row.state == WorkState.DONE:
                    ledger.accepted.add(sent)
            if row.state == WorkState.WAITING and owed == row.number:
                found_troubles.append(f"the computer has not answered decision {row.number} of game {row.game_id}")
    return counts


def waits(inside: Server) -> bool:
    """Whether a device or the computer still has to be told, or to answer."""
    now = datetime.now(UTC)
    owed: Any = (
        sa.select(Push.id).where(Push.state == DeliveryState.WAITING, Push.due_at <= now + delivering.LEASE).limit(1)
    )
    thinks = sa.select(ComputerDecision.id).where(ComputerDecision.state == WorkState.WAITING).limit(1)
    with inside.database.read() as session:
        asked = (owed, thinks, delivering._MADE_ELSEWHERE)
        return is_due(inside.database, now) or any(session.scalars(one).first() is not None for one in asked)
