"""Twin games over HTTP: two whole games that differ only in what one seat cannot know, here the cards that the other
side drew. Through every step that follows both show that seat the same: pages, JSON, feeds, its mails to the byte, and
the moments of everybody's mails.

The British may hold Home Support and a Military Leader beside a siege, or neither; the French something that blocks an
ambush, or only what they would lose to it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import time_machine

from app.base.links import TurnLink
from app.base.process.config import load as load_config
from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.clocks.pace import DAY, Pace, Stage
from app.games.steps import SentOrders
from app.games.store import GameNow
from app.games.tables import DecisionMade, Game, LogEntry
from app.games.work import Work
from app.overdue.cases import sweep_cases
from app.people.tables import Player
from app.play.pages.turn import page as turn_page
from app.play.turn.moves import move_on
from app.play.turn.playing import Play, seeded
from app.post.out.sender import Sender
from app.server.factory import create_app
from app.time.reminding import reminders
from app.time.tables import Case, ClockNote
from engine.acres import ACRES
from tests.support.people import Browser, PostOffice, sign_in
from tests.support.seeds import fix_seed
from tests.support.tables import KEYS, NOW, load, start
from tests.support.turn_driver import TurnDriver

BASE = "http://post.example.org"
JSON = {"Accept": "application/json"}
HOUR = timedelta(hours=1)
WHO = {"british": "alice@example.org", "french": "bob@example.org"}
FREE_STEPS = ("home-support", "military-leader")
PACE = Pace(
    decision=2 * DAY,
    stages=(
        Stage(0, "warned", ("remind",)),
        Stage(DAY, "grace", ("orders", "forfeit_turn")),
        Stage(3 * DAY, "flagged", ("claim",)),
    ),
)
RANDOM = ("message", "message_id", "details", "claimed_by")
"""What is not compared in the headers of a mail; what its reader gets is."""
_RANDOM = re.compile(r'(name="csrf_token" value="|"csrf_token":\s*"|nonce[-=]["\']?)[^"\']+')

_MAIL_ID = re.compile(rb"\d+\.[0-9a-f]{16}")


def is_fit(seed: str) -> bool:
    """Whether the British are dealt all their coins, and the French their infantry."""
    state: Any = None
    for event in ACRES.open(ACRES.read_options({}), ACRES.seats, seeded(seed, 0, ())):
        state = ACRES.apply(state, event)
    british, french = state.players["british"], state.players["french"]
    return set(british.draw) == {"pemaquid", "st-marys"} and "initial-infantry" in french.hand


SEED = next(seed for seed in (f"{n:04x}" * 16 for n in range(10_000)) if is_fit(seed))


class World:
    """A server with one game; `free_steps` and `blocks` say what the British and the French drew last."""

    def __init__(self, folder: Path, template: Path, *, free_steps: bool, blocks: bool, siege: bool) -> None:
        folder.mkdir(parents=True)
        url = f"sqlite:///{shutil.copy(template, folder / 'post.db')}"
        environ = {"POSTROAD_DATABASE_URL": url, "POSTROAD_BASE_URL": BASE, "POSTROAD_SECRET_KEY": KEYS[0]}
        self.app = create_app(load_config(environ, folder))
        self.server = self.app.extensions["postroad"]
        self.database: Database = self.server.database
        self.browsers: dict[str, Browser] = {}
        self.feeds: dict[str, list[str]] = {}
        self.said: list[Any] = []
        """What the watched seat was shown, in the order in which it was."""
        self.game_id = start(self.database, "acres", pace=PACE)
        self._reach(free_steps, blocks, siege)
        post = PostOffice(self.server)
        for seat, address in WHO.items():
            self.browsers[seat] = browser = sign_in(self.app, post, address)
            found = re.findall(r'readonly value="([^"]+)"', browser.get("/account/feeds"))
            self.feeds[seat] = [one.removeprefix(BASE) for one in found]
        with self.database.write() as session:
            session.execute(sa.update(Player).values(auto_leave=False))  # a deadline that passes has passed
            session.commit()
        self.work(NOW)

    # -- up to the position in question --

    def _reach(self, free_steps: bool, blocks: bool, siege: bool) -> None:
        """British and French draft, lay siege and draw; every step but the draws is the same in all worlds."""
        self._blocks = blocks
        self._play("draft native-americans", "end")
        self._play("draft native-americans", "end")
        self._turns("money new-york", "money philadelphia")
        self._turns("draft ships", "draft home-support")
        self._turns("money norfolk", "money new-haven", first=("new-york", "philadelphia", "ships", "native-americans"))
        self._turns("money new-york", "money philadelphia")
        self._turns("draft regular-infantry", "draft military-leader")
        self._turns("discard pemaquid", "discard st-marys")
        held = [card for card in self.hand("british") if card not in ("boston", "ships", "native-americans")]
        drawn = [*(FREE_STEPS if free_steps else ("pemaquid", "st-marys")), "new-york"]
        self._turns(*(f"discard {card}" for card in held), first=("regular-infantry", *drawn))
        if siege:
            self._turns("besiege port-royal from boston with ships force regular-infantry", "pass")
        else:
            self._turns("discard boston", "discard ships")
            drawn.pop()
        assert set(drawn) < set(self.hand("british")) and "native-americans" in self.hand("british")
        assert ("british" in self.game.state.sieges) == siege
        assert ("native-americans" in self.hand("french")) == blocks and "initial-infantry" in self.hand("french")

    def hand(self, seat: str) -> tuple[str, ...]:
        hand: tuple[str, ...] = self.game.state.players[seat].hand
        return hand

    def _turns(self, *lines: str, first: Sequence[str] = ()) -> None:
        """A turn of the British, and one of the French, who go once through their deck and then pass."""
        self._play(*lines, "end", first=first)
        hand, draw = self.hand("french"), self.game.state.players["french"].draw
        spare = [card for card in hand if card != "initial-infantry"][:2]
        if self.game.turn > 8:
            self._play("pass", "pass", "end")
        elif len(draw) >= 2:
            self._play(*(f"discard {card}" for card in spare), "end")
        else:
            seen = [*self.game.state.players["french"].discard, *spare]
            others = sorted(card for card in seen if card != "native-americans")[:2]
            first = ["native-americans", others[1]] if self._blocks else others
            self._play(*(f"discard {card}" for card in spare), "end", first=first)

    def _play(self, *lines: str, first: Sequence[str] = ()) -> None:
        """Lines of one seat; where cards are shuffled, `first` come first."""
        for line in lines:
            with Work(self.database) as work:
                game = work.store.load(self.game_id, for_writing=True)
                seat = game.decides
                assert seat is not None
                chance = Arranged(first)
                play = Play(game.title, game.state, game.number, chance)
                play.act(seat, ACRES.read(play.state, seat, line), "seat")
                played = play.so_far._replace(chance_used=game.chance_used + play.chance_used)
                move_on(work, game, played, actor=seat, now=NOW, sent=SentOrders(line, 1))
                work.commit()

    # -- from there on --

    @property
    def game(self) -> GameNow:
        return load(self.database, self.game_id)

    def link(self, seat: str, number: int | None = None) -> str:
        game = self.game
        return "/t/" + self.server.links.turn_token(
            TurnLink(game.id, seat, number or game.number, game.seated(seat).player_id)
        )

    def send(self, seat: str, *lines: str) -> Any:
        """Orders as JSON."""
        game = self.game
        assert game.decides == seat
        body = {"orders": "\n".join(lines), "decision": game.number}
        answer = self.app.test_client().post(self.link(seat), json=body, headers=JSON)
        assert answer.status_code == 200, answer.text
        return answer

    def submit(self, seat: str, line: str) -> Any:
        """The form of the page, with this line typed."""
        assert self.game.decides == seat
        answer = TurnDriver(self.app.test_client(), self.server, self.game_id).send("send", orders=line)
        assert answer.status_code in (200, 303), answer.text
        return answer

    def work(self, now: datetime) -> None:
        """Do what the server does automatically."""
        reminders.remind(self.database, now)
        sweep_cases(self.database, now)
        sender = Sender(self.server)
        while sender.send_due(now):
            pass

    def look(self, seat: str) -> list[Any]:
        """Return everything that the seat and a stranger get, now."""
        turn_page._kept.clear()
        client, game = self.app.test_client(), self.game
        out: list[Any] = []
        for number in range(max(1, game.number - 2), game.number + 1):
            for opened, headers in (("", JSON), ("", {}), ("?open=all", {})):
                answer = client.get(self.link(seat, number) + opened, headers=headers)
                out.append((number, answer.status_code, plain(answer.text)))
        place = f"/games/{self.game_id}"
        pages = [place, f"{place}/replay", f"{place}/record.json", f"{place}/proof", "/tables", "/archive", "/games"]
        pages += [f"{place}/replay/{game.entries}", f"{place}/plan", "/account/time", *self.feeds[seat]]
        for path in pages:
            for asked in (client, self.browsers[seat].client):
                answer = asked.get(path)
                out.append((path, answer.status_code, plain(answer.get_data(as_text=True))))
        return [*out, *self.rows(seat)]

    def rows(self, seat: str) -> list[Any]:
        """Return moments and numbers of all mails and of the game, and the content of its own mails."""
        with self.database.read() as session:
            run = session.execute
            mails = run(
                sa.select(OutboxMail.__table__).filter_by(game_id=self.game_id).order_by(OutboxMail.id)
            ).mappings()
            about = [{key: row[key] for key in row if key not in RANDOM} for row in mails]
            # Mails for signing in contain a secret, and are about no game.
            mine = run(
                sa.select(OutboxMail.message).filter_by(address=WHO[seat], game_id=self.game_id).order_by(OutboxMail.id)
            )
            game = run(sa.select(*(c for c in Game.__table__.c if c.name != "chance_used"))).mappings().one()  # type: ignore[attr-defined]
            log = run(sa.select(LogEntry.number, LogEntry.decision, LogEntry.turn, LogEntry.seat, LogEntry.cause,
                                LogEntry.at).order_by(LogEntry.id)).all()  # fmt: skip
            made = run(sa.select(DecisionMade.number, DecisionMade.seat, DecisionMade.kind, DecisionMade.made_at,
                                 DecisionMade.deadline_at).order_by(DecisionMade.id)).all()  # fmt: skip
            clock = run(sa.select(ClockNote.kind, ClockNote.cause, ClockNote.seat, ClockNote.details,
                                  ClockNote.at).order_by(ClockNote.id)).all()  # fmt: skip
            cases = run(sa.select(Case.__table__).order_by(Case.id)).all()  # type: ignore[attr-defined]
            return [about, [_MAIL_ID.sub(b"", row.message or b"") for row in mine], dict(game), log, made, clock, cases]


class Arranged:
    """Chance that puts some cards first."""

    def __init__(self, first: Sequence[str]) -> None:
        self._first = first

    def shuffle(self, purpose: str, items: Sequence[str]) -> tuple[str, ...]:
        left = list(items)
        for card in self._first:
            left.remove(card)
        return (*self._first, *left)

    def draw(self, purpose: str, items: Sequence[str]) -> str:
        raise AssertionError("nothing is drawn in this game")


def plain(text: str) -> str:
    """Return what was shown, without what is random in every answer."""
    return _RANDOM.sub(r"\1", text)


@pytest.fixture
def at_one_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[time_machine.Traveller]:
    """Stop time except when told to go on; both games have the same seed."""
    fix_seed(monkeypatch, SEED)
    with time_machine.travel(NOW, tick=False) as clock:
        yield clock


def last_action(world: World) -> Iterator[None]:
    """The actions are used up, and nothing more is said."""
    world.send("british", "pass", "pass")
    yield


def last_action_and_end(world: World) -> Iterator[None]:
    world.send("british", "pass", "pass", "end")
    yield


def asked_and_answered(world: World) -> Iterator[None]:
    """The last action asks the French, and nothing is said of the end."""
    world.send("british", "pass", "ambush with native-americans")
    yield
    world.said.append(plain(world.submit("french", "lose initial-infantry").text))
    yield


def asked_and_answered_with_the_end(world: World) -> Iterator[None]:
    """The end is said ahead, and holds through the answer."""
    answer = world.send("british", "pass", "ambush with native-americans", "end")
    assert answer.json["end_ahead"] is True
    yield
    world.said.append(plain(world.submit("french", "lose initial-infantry").text))
    assert world.game.decides == "french"
    yield


def asked_and_silent(world: World) -> Iterator[None]:
    """The French do not answer at all."""
    world.send("british", "pass", "ambush with native-americans", "end")
    yield


@pytest.mark.parametrize(
    ("watching", "steps", "siege"),
    [
        ("french", last_action, False),
        ("french", last_action_and_end, True),
        ("french", asked_and_answered, False),
        ("french", asked_and_answered, True),
        ("french", asked_and_answered_with_the_end, False),
        ("british", asked_and_silent, False),
    ],
)
def test_twin_games_show_the_seat_that_cannot_know_the_same(
    tmp_path: Path, sqlite_template: Path, at_one_time: time_machine.Traveller, steps: Any, watching: str, siege: bool
) -> None:
    """acres R1.5, R3.8, R10.14: what the French see, whatever the British hold, and the other way round; then the
    deadline passes, with reminders, the stages of the pace and what is played for the late seat."""
    held = [(True, True), (False, True)] if watching == "french" else [(False, True), (False, False)]
    shown = []
    for n, (free_steps, blocks) in enumerate(held):
        at_one_time.move_to(NOW)
        world = World(tmp_path / str(n), sqlite_template, free_steps=free_steps, blocks=blocks, siege=siege)
        seen: list[Any] = [world.look(watching)]
        for _ in steps(world):
            world.work(NOW)
            seen.append(world.look(watching))
        numbers = {world.game.number}
        for hours in range(12, 24 * 6, 12):
            now = NOW + hours * HOUR
            at_one_time.move_to(now)
            world.work(now)
            seen.append(world.rows(watching))
            if world.game.number not in numbers:
                numbers.add(world.game.number)
                seen.append(world.look(watching))
        kinds = [kind for kind, *_ in world.rows(watching)[5]]
        assert "warned" in kinds and "grace" in kinds, "the deadline of whoever decided last has passed"
        shown.append([*world.said, *seen, world.look(watching)])
        world.database.close()
    assert len(shown[0]) == len(shown[1])
    for moment in zip(*shown, strict=True):
        for one, other in zip(*moment, strict=True) if isinstance(moment[0], list) else [moment]:
            assert one == other
