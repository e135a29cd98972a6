"""Players who keep playing, whatever happens: by the newest mail or their own list of games, by JSON or the form."""

from __future__ import annotations

import http.client
import json
import random
import re
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from app.base.links import BadLink, TurnLink
from app.base.process import failures
from app.base.server import Server
from app.clocks.pace import DEFAULT
from app.games.tables import Game, GameSeat, GameStatus
from app.play.turn import starting
from bench.trials.storm.beside import Devices, seat_of_computer
from bench.trials.storm.ledger import Ledger, Sent
from tests.support.scripted import ScriptedHost
from tests.support.sink import link_in
from tests.support.turn_driver import Form

TITLES = {"acres": ("british", "french"), "new-world": ("red", "blue")}
BY_FORM, BY_MAIL = 0.2, 0.5
"""The share of turns sent by the form, starting from a mail."""
TWICE = 4
"""One answer in this many is sent twice at once: alternately with other and with the same orders."""
PATIENCE_SECONDS = 1.5
"""How long a player waits for a mail before opening the list of games."""
GIVES_UP_SECONDS = 240.0
AGAIN_AFTER_SECONDS = 0.15
WAYS = {"twice the same", "twice with others", "form", "by mail"}
"""Ways of answering without which no storm is over."""
SEND_NOW = re.compile(r'action="([^"]+/send-now)"')
UNCERTAIN = (None, 503, 502, 408)
"""Answers that do not say whether the orders were taken."""
LIVELY = ("lose", "allow", "develop", "settle", "occupy")
"""Kinds that bring a game of Acres to its end."""


def _let_pass(error: Exception) -> None:
    """Wait a moment after trouble in the database (prepared statements report it in the words of its driver)."""
    if not (isinstance(error, SQLAlchemyError) or failures.is_of_the_database(error)):
        raise error
    time.sleep(AGAIN_AFTER_SECONDS)


@dataclass(frozen=True)
class Answer:
    """The answer: the status, None if the connection broke."""

    status: int | None
    text: str = ""
    location: str = ""

    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class StormedServer:
    """The ports of the server, its mail host, and what the harness knows about its games."""

    ports: list[int]
    inside: Server
    host: ScriptedHost
    ledger: Ledger
    target: int
    all_came: threading.Event
    """Every kind of trouble has occurred."""
    devices: Devices | None = None
    with_computer: frozenset[int] = frozenset()
    """Games of which the computer plays all seats but one."""

    def is_enough(self) -> bool:
        enough = len(self.ledger.turns) >= self.target and self.ledger.counts.keys() >= WAYS
        return enough and self.all_came.is_set()

    def ask(self, port: int, path: str, data: bytes | None = None, kind: str = "application/json") -> Answer:
        """Send a GET, or a POST of data."""
        headers = {"Accept": "application/json" if kind == "application/json" else "text/html", "Content-Type": kind}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET" if data is None else "POST", path, data, headers)
            answer = connection.getresponse()
            got = Answer(answer.status, answer.read().decode(), answer.headers.get("Location", ""))
        except (OSError, http.client.HTTPException):
            got = Answer(None)
        finally:
            connection.close()
        self.ledger.told(got.status, f"{'GET' if data is None else 'POST'} of a link")
        return got


class Player(threading.Thread):
    """Plays both seats of some games, one turn here and one there, until there are enough."""

    def __init__(self, number: int, server: StormedServer, tables: int, seed: int, games: list[int]) -> None:
        super().__init__(name=f"player {number}", daemon=True)
        self.number, self.server, self.ledger = number, server, server.ledger
        self.chooser = random.Random(seed * 1000 + number)
        self.tables, self.games, self.begun, self.answered = tables, games, 0, 0

    def run(self) -> None:
        try:
            while not self.server.is_enough():
                if len(self.games) >= self.tables or (not self._begin() and self.games):
                    self._turn(self.chooser.choice(self.games))
        except Exception as error:
            self.ledger.trouble(f"{self.name}: {error!r}")
            raise

    # -- games ------------------------------------------------------------------------------------

    def _begin(self) -> bool:
        """Begin a game; return whether that succeeded."""
        title = list(TITLES)[(self.number + self.begun) % len(TITLES)]
        self.begun += 1
        who = [(seat, f"{seat}.{self.number}.{self.begun}@d{self.number}.example") for seat in TITLES[title]]
        try:
            self.games.append(
                starting.new_game(self.server.inside.database, title, who, now=datetime.now(UTC), pace=DEFAULT)
            )
        except Exception as error:  # an unknown game may exist: it is owed its mail all the same
            _let_pass(error)
            return False
        if self.server.devices is not None:
            try:
                self.server.devices.add(self.server.inside, self.games[-1])
            except Exception as error:  # one without devices
                _let_pass(error)
        return True

    def _owed(self, game: int) -> tuple[TurnLink, str, int] | None:
        """Return the decision that a game waits for, the address that has to make it, and its turn."""
        seat = sa.select(Game.decides, Game.number, Game.turn, Game.status).where(Game.id == game)
        try:
            with self.server.inside.database.read() as session:
                decides, number, turn, status = session.execute(seat).one()
                if status == GameStatus.OVER:
                    self.games.remove(game)
                    self.ledger.count("games over")
                    return None
                if game in self.server.with_computer and seat_of_computer(session, game, decides):
                    return None
                mine = sa.select(GameSeat.player_id).where(GameSeat.game_id == game, GameSeat.seat == decides)
                player = session.scalar(mine)
                address = session.scalar(sa.text("SELECT address FROM player WHERE id = :id"), {"id": player})
        except Exception as error:
            _let_pass(error)
            return None
        return TurnLink(game, decides, number, player), str(address), turn

    def _mailed(self, address: str, link: TurnLink) -> str | None:
        """Return the path of the link in the newest mail about the decision; None if none arrives soon."""
        end, seen = time.monotonic() + PATIENCE_SECONDS, -1
        while time.monotonic() < end:
            mails = self.server.host.mails(address)
            if len(mails) != seen:
                seen = len(mails)
                for mail in reversed(mails[-2:]):
                    try:
                        path = urlsplit(link_in(mail)).path
                        found = self.server.inside.links.read_turn(path.rpartition("/")[2])
                        if (found.game, found.number) == (link.game, link.number):
                            return path
                    except (BadLink, StopIteration):
                        continue
            time.sleep(0.1)
        return None

    def _turn(self, game: int) -> None:
        """Answer decisions of the game until another seat is asked."""
        seat, by_mail = None, self.chooser.random() < BY_MAIL
        while (owed := self._owed(game)) is not None and seat in (None, owed[0].seat):
            link, address, turn = owed
            path = self._mailed(address, link) if by_mail and seat is None else None
            self.ledger.count("by mail" if path else "by list")
            path = path or f"/t/{self.server.inside.links.turn_token(link)}"
            seat = link.seat
            if not self._answer(path, link, turn):
                return

    # -- decisions --------------------------------------------------------------------------------

    def _answer(self, path: str, link: TurnLink, turn: int) -> bool:
        """Answer one decision; return False if something else came in between."""
        asked = self._certain(path)
        if asked.status != 200:
            return False
        read = asked.json()
        if read["decision"] != link.number or not read["to_decide"]:
            return False
        line = self._pick(read["legal"])
        self.answered += 1
        if self.answered % TWICE == 0:
            same = self.answered % (2 * TWICE) == 0
            others = [legal for legal in read["legal"] if legal not in (line, "resign")]
            if same or others:
                return self._twice(path, link, turn, line, line if same else self._pick(others))
        if self.chooser.random() < BY_FORM:
            return self._by_form(path, link, turn, line)
        return self._post(self._port(), path, Sent(link.game, link.number, line, "json"), turn).status == 200

    def _pick(self, legal: list[str]) -> str:
        kinds: dict[str, list[str]] = {}
        for line in legal:
            if line != "resign":
                kinds.setdefault(line.split()[0], []).append(line)
        names = [kind for kind in LIVELY if kind in kinds] or sorted(kinds)
        return self.chooser.choice(kinds[self.chooser.choice(names)])

    def _port(self) -> int:
        return self.chooser.choice(self.server.ports)

    def _post(self, port: int, path: str, sent: Sent, turn: int) -> Answer:
        """Send orders by JSON, repeatedly until the answer is certain."""
        self.ledger.tries(sent)
        data = json.dumps({"orders": sent.orders, "decision": sent.number}).encode()
        answer = self._certain(path, data, port=port)
        if answer.status == 200:
            self.ledger.accepts(sent, turn)
        elif answer.status not in (409, 410, 422):
            self.ledger.trouble(f"{answer.status} for orders by JSON")
        return answer

    def _certain(self, path: str, data: bytes | None = None, kind: str = "application/json", port: int = 0) -> Answer:
        """Repeat a request until an answer says what has happened; return it."""
        end, port = time.monotonic() + GIVES_UP_SECONDS, port or self._port()
        while (answer := self.server.ask(port, path, data, kind)).status in UNCERTAIN:
            if time.monotonic() > end:
                self.ledger.trouble(f"no certain answer in {GIVES_UP_SECONDS:.0f} s, last {answer.status}")
                break
            self.ledger.count("again")
            time.sleep(AGAIN_AFTER_SECONDS)
            port = self._port()
        return answer

    def _twice(self, path: str, link: TurnLink, turn: int, line: str, other: str) -> bool:
        """Send two answers at once, with the same orders or different ones, of which at most one is accepted."""
        both = [Sent(link.game, link.number, orders, "json") for orders in (line, other)]
        answers: list[Answer] = []
        ports = [self.server.ports[0], self.server.ports[-1]]
        threads = [
            threading.Thread(target=lambda p=port, s=sent: answers.append(self._post(p, path, s, turn)))
            for port, sent in zip(ports, both, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken = [answer for answer in answers if answer.status == 200]
        if line == other:
            self.ledger.count("twice the same")
            if len(taken) == 1 and {answer.status for answer in answers} <= {200, 409}:
                self.ledger.trouble("the same orders sent twice were taken once and refused once")
        else:
            self.ledger.count("twice with others")
            if len(taken) == 2:
                self.ledger.trouble(f"two different orders were taken for decision {link.number} of game {link.game}")
        return bool(taken)

    def _by_form(self, path: str, link: TurnLink, turn: int, line: str) -> bool:
        """Answer as a browser does: read the page, fill its form in, send it; once more if it shows the draft first."""
        sent = Sent(link.game, link.number, line, "form")
        self.ledger.tries(sent)
        html, orders = "application/x-www-form-urlencoded", line
        for _ in range(3):
            page = self._certain(path, kind=html)
            if page.status != 200:
                return False
            if SEND_NOW.search(page.text):  # sealed before an answer came
                return self._sends_on(page, sent, turn)
            fields: dict[str, Any] = {**Form(page.text).sent, "orders": orders, "do": "send"}
            answer = self._certain(path, urlencode(fields, doseq=True).encode(), html)
            to_draft = answer.status == 303 and urlsplit(answer.location).path == path
            if not to_draft:
                break
            orders = ""
        if answer.status == 303 and "/sent/" in answer.location:  # the page that says so, or that the turn is sealed
            answer = self._certain(urlsplit(answer.location).path, kind=html)
        if SEND_NOW.search(answer.text):
            return self._sends_on(answer, sent, turn)
        if (answer.status == 303 and not to_draft) or answer.status == 200:
            self.ledger.accepts(sent, turn)
            return True
        if answer.status not in (303, 409, 410, 422):
            self.ledger.trouble(f"{answer.status} for orders by the form")
        return False

    def _sends_on(self, page: Answer, sent: Sent, turn: int) -> bool:
        """Send a sealed turn on that could still be taken back; whether that is certain."""
        found = SEND_NOW.search(page.text)
        assert found
        if self._certain(found[1], b"", "application/x-www-form-urlencoded").status not in (200, 303):
            return False
        self.ledger.count("sent on")
        self.ledger.accepts(sent, turn)
        return True
