"""Shows mails as their readers see them, for review by people: written by the server, shown in Chromium.

    python -m bench.pictures.mail_pictures FOLDER [--languages en,fr] [--kinds turn,over] [--no-screenshots]

Plays games of both titles, lets time pass, and keeps one mail of each sort: its text part, its HTML part with the
pictures inside, and screenshots at 320 and 600 pixels, light and dark, with and without pictures. All screenshots of a
mail are side by side on a sheet. Reports those that are too wide.
"""

from __future__ import annotations

import argparse
import base64
import random
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import sqlalchemy as sa
from PIL import Image
from playwright.sync_api import Page

from app.base.server import Server
from app.base.stored.database import Database
from app.base.stored.mail_tables import MailState, OutboxMail
from app.base.stored.outbox import PlannedMail
from app.base.words.i18n import LANGUAGES
from app.clocks.pace import DAY as DAY_SECONDS
from app.clocks.pace import Pace
from app.games.work import Work
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import desk_acts
from app.leagues.rulings import deciding
from app.leagues.rulings.applying import Verdict
from app.overdue.cases import sweep_cases
from app.people import signin
from app.people.tables import Player
from app.play.agreed import results
from app.post.inbound import bounces, gate
from app.post.inbound.incoming import Incoming
from app.post.inbound.reports import Report
from app.post.letters import picture_process
from app.post.out.sender import Sender
from app.post.route.faults import Fault
from app.server import registry
from app.time.away import leave
from app.time.reminding import digest
from app.time.reminding.reminders import remind
from app.upkeep import migrating
from bench.games import pick
from tests.support import pressed
from tests.support.acres_games import pick as pick_acres
from tests.support.inbound import TRUSTED, written
from tests.support.overdue import operator
from tests.support.season import Season, season, token
from tests.support.served import browsing, overflow
from tests.support.tables import CONFIG, LINKS, NOW, load, say, start

WIDTHS = (320, 600)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PACE = Pace(decision=3 * DAY_SECONDS)
GAMES = 28
"""How many more games wait for one player."""
PEOPLE = {"alice": "Alice", "bob": "Bob", "carol": "Caroline", "dora": "Dora", "olga": "Olga"}
ANSWERS = (
    ("played", "ORDER"),
    ("misread", "pass\nsettel albany\nend"),
    ("help", "help"),
)
"""What people write, and what it shows."""
_MAIL, _PEOPLE = OutboxMail.__table__, Player.__table__  # type: ignore[attr-defined]
_OPERATOR = sa.select(_PEOPLE.c.id).where(_PEOPLE.c.role == "operator")


@dataclass(frozen=True)
class Shown:
    """A mail and the name of its files."""

    name: str
    kind: str
    mail: EmailMessage
    size: int
    """Bytes on the wire."""

    @property
    def html(self) -> str:
        """Return the HTML part with its pictures inside."""
        html = str(self.mail.get_body(("html",)).get_content())  # type: ignore[union-attr]
        for part in self.mail.walk():
            if part.get_content_type() == "image/png":
                png = base64.b64encode(part.get_content()).decode()
                html = html.replace(f'"cid:{str(part["Content-ID"]).strip("<>")}"', f'"data:image/png;base64,{png}"')
        return html

    @property
    def text(self) -> str:
        """Return subject and text part."""
        part = self.mail.get_body(("plain",))
        return f"Subject: {self.mail['Subject']}\nTo: {self.mail['To']}\n\n{part.get_content()}"  # type: ignore[union-attr]


class World:
    """A server and its current moment."""

    def __init__(self, database: Database) -> None:
        self.database, self.now, self._told = database, NOW, set[int]()
        self.server = Server(replace(CONFIG, mail_in=TRUSTED), database, LINKS)
        self.sender = Sender(self.server)
        self._numbers = count(1)

    # -- what is played once ----------------------------------------------------------------------

    def play(self, title: str, decisions: int, seats: int = 2, *, asked: bool = False, seed: int = 3) -> int:
        """Play a game for this many random decisions; `asked`: until a seat not on turn is asked."""
        source, game_id = random.Random(seed), start(self.database, title, seats, pace=PACE)
        for _ in range(decisions + (400 if asked else 0)):
            game = load(self.database, game_id)
            if game.is_over or (asked and game.turn > 4 and game.decides != game.on_turn):
                break
            chosen = pick_acres(source, game.state) if title == "acres" else pick(source, game.title, game.state)
            line = game.title.write(game.state, chosen)
            if line != "resign":
                say(self.database, game_id, line)
        return game_id

    def begin(self) -> None:
        """Begin the games that all languages share."""
        self.play("acres", 60)
        self.play("acres", 40, asked=True)
        self.play("new-world", 50)
        self.play("new-world", 60, 3)
        self.play("acres", 2500)
        self.play("new-world", 2500, 3)
        self.start_more()
        operator(self.database)

    def start_more(self) -> None:
        """Start many games that wait for Alice."""
        for n in range(GAMES):
            start(self.database, ("acres", "new-world")[n % 2], pace=PACE)

    def settle(self, language: str) -> None:
        """Set everybody's language; everybody lives in Paris."""
        with self.database.write() as session:
            session.execute(sa.update(Player).values(language=language, zone="Europe/Paris", auto_leave=False))
            for name, shown in PEOPLE.items():
                session.execute(sa.update(Player).where(Player.name == name).values(name=shown))  # type: ignore[arg-type]
            session.commit()

    # -- time ---------------------------------------------------------------------------------------

    def send(self) -> None:
        """Send everything that is due."""
        while self.sender.send_due(self.now):
            pass

    def sweep(self) -> None:
        """Run the sweeps of this moment, and minutes later."""
        for _ in range(3):
            remind(self.database, self.now)
            sweep_cases(self.database, self.now)
            digest.send_due(self.database, self.now)
            self.send()
            self.now += timedelta(minutes=6)

    def taken(self, step: str) -> Iterator[Shown]:
        """Yield the mails since the last time, at most two of each kind, title and step."""
        asked = sa.select(_MAIL.c.id, _MAIL.c.kind, _MAIL.c.game_id, _MAIL.c.address, _MAIL.c.message)
        asked = asked.where(_MAIL.c.id > 0, _MAIL.c.state == "kept", _MAIL.c.message.is_not(None))
        with self.database.read() as session:
            rows = session.execute(asked.order_by(_MAIL.c.sent_at, _MAIL.c.id)).all()
        new, seen = [row for row in rows if row.id not in self._told], dict[str, int]()
        self._told |= {row.id for row in rows}
        for row in new:
            title = load(self.database, row.game_id).title.id if row.game_id else "any"
            sort = f"{step}-{row.kind}-{title}"
            seen[sort] = seen.get(sort, 0) + 1
            if seen[sort] <= (4 if row.kind == "turn" else 2):
                mail = message_from_bytes(row.message, policy=policy.default)
                yield Shown(f"{sort}-{seen[sort]}", row.kind, mail, len(row.message))

    def plan_digest(self, hours: str) -> None:
        """Give Alice the digest at these hours besides other mails, or none."""
        with self.database.write() as session:
            digest.settle(session, 1, hours, False, self.now)
            session.commit()

    def life(self) -> Iterator[Shown]:
        """Yield the mails of the steps of a life of mails."""
        self.send()
        yield from self.taken("1-first")
        self.plan_digest("8")
        self.now = NOW + 14 * HOUR
        self.sweep()
        self.plan_digest("")
        yield from self.taken("2-digest")
        for hours in (36, 48, 60, 66, 70):
            self.now = NOW + hours * HOUR
            self.sweep()
            yield from self.taken(f"3-wait-{hours}h")
        for hours in (73, 97, 121, 145):
            self.now = NOW + hours * HOUR
            self.sweep()
            yield from self.taken(f"4-late-{hours}h")
        self.of_people()
        self.send()
        yield from self.taken("5-people")
        made = self.of_events()
        yield from self.taken("6-event")
        self.of_operators()
        self.now += HOUR
        self.send()
        yield from self.taken("7-operator")
        for step, text in ANSWERS:
            for game_id in (8, 9):
                self.answer(game_id, text)
            yield from self.taken(f"8-answer-{step}")
        self.come_back(made)
        for _ in range(4):
            self.now += HOUR
            self.sweep()
        yield from self.taken("9-back")

    def of_people(self) -> None:
        """Play the events that people cause."""
        signin.request_link(self.database, "nadia@example.net", language=self.language(), then="/", now=self.now)
        leave.start_now(self.database, 2, 3, now=self.now, allowance=30)
        results.resign(self.database, 7, 1, now=self.now)

    def language(self) -> str:
        """Return the language of all."""
        with self.database.read() as session:
            return str(session.scalar(sa.select(_PEOPLE.c.language).where(_PEOPLE.c.id == 1)))

    def answer(self, game_id: int, text: str) -> None:
        """Answer the mail that asks for a move, as the player who has to make it."""
        game = load(self.database, game_id)
        asked = sa.select(_MAIL.c.message, _MAIL.c.address).where(_MAIL.c.kind == "turn", _MAIL.c.game_id == game_id)
        with self.database.read() as session:
            raw, author = session.execute(asked.order_by(_MAIL.c.id.desc())).first()  # type: ignore[misc]
        to = parseaddr(str(message_from_bytes(raw, policy=policy.default)["Reply-To"]))[1]
        chosen = (
            pick(random.Random(1), game.title, game.state) if game_id == 8 else pick_acres(random.Random(1), game.state)
        )
        text = text.replace("ORDER", game.title.write(game.state, chosen))
        mail = written(next(self._numbers), text, author=author)
        self.now += timedelta(minutes=2)
        gate.take(self.server, Incoming(mail.as_bytes(), author, to), self.now)
        self.send()

    def come_back(self, made: Season) -> None:
        """Bounce the mails that ask for the moves of an event's games."""
        games = [made.match(n).game_id for n in range(2)]
        asked = sa.select(OutboxMail).where(
            _MAIL.c.kind == "turn", _MAIL.c.game_id.in_(games), _MAIL.c.bounced_at.is_(None)
        )
        with Work(self.database) as work:
            for mail in work.session.scalars(asked).all():
                mail.state = MailState.SENT
                work.session.flush()
                bounces.happened(work, mail, Report(Fault.ADDRESS, "5.1.1", "550 5.1.1 no such user"), self.now)
            work.commit()

    def of_events(self) -> Season:
        """Publish a round; a player asks for a ruling, gets it and appeals."""
        language = self.language()
        made = season(self.database, title="acres")
        self.settle(language)
        self.send()
        match = made.match(0)
        ruling = deciding.claim(
            self.database, made.event, match.id, match.seats[1].player_id, "Two turns were played while I was away.",
            now=self.now,
        )  # fmt: skip
        self.send()
        desk_acts.extend(self.database, made.event, made.match(1).id, made.form(1, days="2"), now=self.now)
        self.send()
        pressed.decide(
            self.database, made.event, ruling, Verdict("extension", days=2),
            ActRequest(made.organiser, "The clock was right.", token()), now=self.now,
        )  # fmt: skip
        self.send()
        return made

    def of_operators(self) -> None:
        """Bounce mails, and let something be wrong with the server."""
        with Work(self.database) as work:
            work.session.execute(
                sa.update(_MAIL)
                .where(_MAIL.c.kind == "turn", _MAIL.c.game_id < 4)
                .values(state="failed", bounced_at=self.now, last_error="550 5.1.1 no such user")
            )
            who = work.session.scalars(_OPERATOR).one()
            since = (self.now - HOUR).isoformat()
            disk = {"alarm": "disk", "figures": "340 MB", "since": since, "until": None}
            address = "olga@example.org"
            told = [
                PlannedMail("bounces", "bounces", address, who, details={"since": since}),
                PlannedMail("alarm", "alarm", address, who, details=disk),
            ]
            work.outbox.add(told, self.now)
            work.commit()


def written_in(folder: Path, languages: Sequence[str], kinds: Sequence[str]) -> Iterator[tuple[str, Shown]]:
    """Yield every mail in every language; the games are played once."""
    first = folder / "played.db"
    url = f"sqlite:///{first}"
    migrating.upgrade(url)
    database = Database(url)
    World(database).begin()
    database.close()
    for language in languages:
        copy = folder / f"{language}.db"
        shutil.copy(first, copy)
        database = Database(f"sqlite:///{copy}")
        world = World(database)
        world.settle(language)
        for shown in world.life():
            if not kinds or any(kind in shown.name for kind in kinds):
                yield language, shown
        database.close()


def look(page: Page, html: Path, picture: Path) -> int:
    """Take a screenshot of a mail; return by how many pixels it is too wide."""
    page.goto(html.as_uri())
    page.screenshot(path=picture, full_page=True)
    return overflow(page)


def sheet(pictures: Sequence[Path], to: Path, height: int = 1500) -> None:
    """Put pictures side by side, each cut at a height."""
    opened = [Image.open(path).convert("RGB") for path in pictures]
    cut = [one.crop((0, 0, one.width, min(one.height, height))) for one in opened]
    whole = Image.new("RGB", (sum(one.width + 12 for one in cut), max(one.height for one in cut)), "#808080")
    left = 0
    for one in cut:
        whole.paste(one, (left, 0))
        left += one.width + 12
    whole.save(to)


def main() -> int:
    """Write, show, and report what is too wide."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--kinds", default="")
    parser.add_argument("--no-screenshots", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    registry.register()
    picture_process.start()
    kinds = [kind for kind in given.kinds.split(",") if kind]
    mails: list[str] = []
    with TemporaryDirectory() as place:
        for language, shown in written_in(Path(place), given.languages.split(","), kinds):
            name = f"{shown.name}-{language}"
            mails.append(name)
            (given.folder / f"{name}.txt").write_text(shown.text, encoding="utf-8")
            (given.folder / f"{name}.html").write_text(shown.html, encoding="utf-8")
            without = re.sub(r'src="data:[^"]*"', 'src="not-shown.png"', shown.html)
            (given.folder / f"{name}-off.html").write_text(without, encoding="utf-8")
    picture_process.stop()
    print(f"{len(mails)} mails")
    return 0 if given.no_screenshots else shoot(given.folder, mails)


def shoot(folder: Path, mails: Sequence[str]) -> int:
    """Take all the screenshots; return 1 if a mail is too wide."""
    too_wide = 0
    with browsing() as browser:
        page = browser.new_page()
        for name in mails:
            taken: list[Path] = []
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 400})
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    for off in ("", "-off"):
                        picture = folder / f"{name}-{width}-{scheme}{off}.png"
                        wide = look(page, folder / f"{name}{off}.html", picture)
                        taken.append(picture)
                        if wide > 0:
                            too_wide += 1
                            print(f"{picture.name}: {wide} pixels too wide")
            sheet(taken, folder / f"{name}-sheet.png")
    return 1 if too_wide else 0


if __name__ == "__main__":
    sys.exit(main())
