"""People who answer mails by mail: their texts go through the gate, the replies through a real mail host."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from itertools import count

from app.base.stored.database import Database
from tests.support.inbound import WayIn, written
from tests.support.sink import text_of
from tests.support.tables import CAST, NOW, address, load, random_line

MINUTE = timedelta(minutes=1)


@dataclass
class Correspondence:
    """A server whose players have only their mails; every answer comes two minutes after the one before."""

    way: WayIn
    now: datetime = NOW

    def __post_init__(self) -> None:
        self._numbers = count(1)
        self.way.send(self.now)

    @property
    def database(self) -> Database:
        return self.way.database

    def last(self, who: str) -> EmailMessage:
        """Return the last mail to a player."""
        raw = next(raw for to, raw in reversed(self.way.sink.taken) if to == address(who))
        mail = message_from_bytes(raw, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        return mail

    def says(self, who: str, text: str, to: str = "", **given: str) -> str:
        """Answer the last mail (or the one with address `to`) as a player; return how it was classified."""
        self.now += 2 * MINUTE
        mail = written(next(self._numbers), text, author=f"{who.title()} <{address(who)}>", **given)
        verdict = self.way.take(mail, to or parseaddr(str(self.last(who)["Reply-To"]))[1], self.now, address(who))
        self.way.send(self.now)
        return str(verdict)

    def words(self, who: str) -> str:
        """Return the text of the last mail to a player, on one line."""
        return " ".join(text_of(self.last(who)).split())

    def play(self, game_id: int, chooser: random.Random, most: int = 5_000) -> int:
        """Let the players of a game answer their mails with random orders until it is over; return how many answers."""
        for n in range(most):
            game = load(self.database, game_id)
            if game.decides is None:
                return n
            who = CAST[[seated.seat for seated in game.seats].index(game.decides)]
            assert self.says(who, f"{random_line(game, chooser)}\nyes\n\nBye\n{who}") == "reply"
            after = load(self.database, game_id)
            assert (after.number, after.entries) > (game.number, game.entries), self.words(who)
            assert any(
                kind in str(self.last(who)["Subject"]) for kind in ("Played", "Your turn", "Your answer", "over")
            )
        return most
