"""A storm from its beginning to its verdict."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from app.base.process.config import load
from app.base.server import Server
from app.base.stored.mail_tables import MailState, OutboxMail
from app.games import seeds
from app.post.out.mail_leases import LEASE
from app.post.out.sender import Sender
from app.server.registry import open_server
from app.upkeep import schema
from bench.trials.storm.beside import Devices, begin_with_computer, note_thoughts, waits
from bench.trials.storm.ledger import Ledger
from bench.trials.storm.players import TITLES, Player, StormedServer
from bench.trials.storm.servers import Kept, Log
from bench.trials.storm.signs import Signs
from bench.trials.storm.verdict import Before, Verdict, judge
from bench.trials.storm.watch import Watch
from bench.trials.storm.weather import Weather, stop_for_good
from tests.support import ferry, postgres, releases
from tests.support.afterwards import killed_with_us
from tests.support.push_service import PushService
from tests.support.running import ROOT, Install, free_port
from tests.support.scripted import ScriptedHost

KEY = "a-key-only-for-storms"
CALM_SECONDS = 240.0
"""So long all owed mails may take when the weather is fine again; a mail's longest pause between tries is shorter."""


@dataclass(frozen=True)
class Plan:
    """How long, how hard, on what."""

    turns: int
    database: str
    seed: int = 1
    players: int = 6
    tables: int = 4
    """Games that each player has at once."""
    every: float = 4.0
    """Seconds between troubles, on average."""
    lasts: float = 4.0
    """Seconds of those that last."""
    most_seconds: float = 3600.0
    upgrade: bool = False
    """The database is that of the first release: all commands start on it at once and migrate it; its games go on."""
    beside: Path | None = None
    """Sources of 1.0.0 or a later version, whose processes serve first; after a tenth of the turns the present ones
    begin beside them: until half of the turns are played both serve, and troubles come to both."""
    pictures: bool = False
    """Mails show positions as pictures."""
    pushes: bool = False
    """Each player has a device, which is told."""
    computers: int = 0
    """Games against the computer, and processes that think."""
    small: bool = False
    """One process that serves pages and does everything else, each trouble once, and at the end no waiting for leases
    to run out: their time passes by a written clock."""


def storm(plan: Plan, folder: Path) -> Verdict:
    """Run one in a folder of its own."""
    began = time.monotonic()
    with ExitStack() as stack:
        host = stack.enter_context(ScriptedHost())
        private = stack.enter_context(postgres.private(synchronous_commit="on")) if plan.database != "sqlite" else None
        devices = Devices(PushService(), random.Random(plan.seed)) if plan.pushes else None
        if devices:
            stack.callback(devices.service.stop, devices.service.start())
        install = Install(folder, **_settings(plan, host, private))
        before = _load_release(install, plan.database) if plan.upgrade or plan.beside else Before()
        ledger, log = Ledger(), Log(folder / "serve.log")
        with ExitStack() as serving:
            kept = serving.enter_context(_serving(plan, install, log))
            inside = stack.enter_context(_inside(install))
            watch = Watch(inside.config.database_url)
            watch.start()
            files = [folder / "var" / f"postroad.db{end}" for end in ("", "-wal")]
            weather = Weather(
                kept,
                host,
                private,
                files,
                ledger=ledger,
                seed=plan.seed,
                every=plan.every,
                lasts=plan.lasts,
                once=plan.small,
            )
            ports = [one.install.port for one in kept if one.is_web]
            against = [begin_with_computer(inside, n) for n in range(plan.computers)]
            server = StormedServer(
                ports, inside, host, ledger, plan.turns, weather.all_came, devices, frozenset(against)
            )
            players = [
                Player(n, server, plan.tables, plan.seed, [*before.games, *against][n :: plan.players])
                for n in range(plan.players)
            ]
            signs = (
                None
                if plan.small or plan.beside
                else Signs({one.name: one.install.port for one in kept if one.is_web}, KEY, inside)
            )
            if signs:
                signs.start()
            if plan.beside is None:
                weather.begin()
            for player in players:
                player.start()
            if plan.beside is not None:
                _change_over(plan, install, log, server, weather, serving)
            for player in players:
                player.join(max(1.0, began + plan.most_seconds - time.monotonic()))
            late = [player.name for player in players if player.is_alive()]
            weather.clear()
            if late:
                ledger.trouble(f"after {plan.most_seconds:.0f} s {len(ledger.turns)} turns had been played")
            passed = time.monotonic() - began
            if not plan.small:
                _wait_for_mails(inside)
            if signs:
                signs.end()
            watch.end()
        if plan.small:
            _send_all(inside)
        thoughts = note_thoughts(inside, ledger, ledger.troubles)
        found = judge(inside.database, ledger, host, weather.troubles, before)
        found.figures["decisions of the computer"] = dict(thoughts)
        if devices:
            devices.judge(found, inside, weather.troubles)
        if signs:
            _judge_signs(found, weather, signs)
        found.figures |= _figures(plan, ledger, weather, weather.servers, log, passed)
        found.figures |= watch.figures
        found.troubles += watch.found(3 if plan.small else 1)
        if log.counts["tracebacks"]:
            found.troubles.append(f"{log.counts['tracebacks']} tracebacks in the log")
        if private:
            inside.database.close()
            stop_for_good(private)
    return found


def _settings(plan: Plan, host: ScriptedHost, private: postgres.Private | None) -> dict[str, str]:
    set_ones = {"SMTP_URL": f"smtp://127.0.0.1:{host.port}", "SECRET_KEY": KEY, "METRICS_TOKEN": KEY}
    set_ones["THINKERS"] = str(plan.computers)
    if plan.pushes:
        set_ones["WEBHOOK_PRIVATE"] = "allow"
    if plan.pictures:
        set_ones["MAIL_PICTURES"] = "send"
    if private:
        set_ones["DATABASE_URL"] = postgres.make_database(private.url)
    return set_ones


def _load_release(install: Install, kind: str) -> Before:
    """Fill the database with what the first release left; its running games of the titles that are played."""
    url = load(install.environ, install.folder).database_url
    Path(install.environ["POSTROAD_DATA"]).mkdir()
    releases.load(releases.kept()[0], kind, url)
    install.environ["PYTHONPATH"] += f":{ferry.INSTALLED}"
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        games = connection.execute(sa.text("SELECT id, title, status FROM game ORDER BY id")).all()
        mails = connection.execute(sa.text("SELECT max(id) FROM outbox_mail")).scalar_one()
    engine.dispose()
    running = [game for game, title, status in games if status == "running" and title in TITLES]
    return Before(running, max(game for game, *_ in games), mails or 0)


@contextmanager
def _inside(install: Install) -> Iterator[Server]:
    inside = open_server(load(install.environ, install.folder))
    seeds.make_trees_of(inside.config.seeds)
    yield inside
    inside.database.close()


@contextmanager
def _serving(plan: Plan, install: Install, log: Log) -> Iterator[list[Kept]]:
    """The processes, until the end of the block: two of pages and one of everything else, or one of all."""
    if plan.beside is not None:
        old = Install(install.folder)
        old.environ = install.environ | {
            "PYTHONPATH": install.environ["PYTHONPATH"].replace(str(ROOT), str(plan.beside))
        }
        kept = [
            Kept("old web", old, log, "--role", "web", "--workers", "2"),
            Kept("old worker", old, log, "--role", "worker"),
        ]
    else:
        kept = _present(plan, install, log)
    with _kept(kept):
        for one in kept:
            one.wait()
        yield kept


def _present(plan: Plan, install: Install, log: Log) -> list[Kept]:
    if plan.small:
        kept = [Kept("all", install, log, "--workers", "2")]
    else:
        other = Install(install.folder)
        other.environ, other.port = install.environ, free_port()
        kept = [
            Kept("web", install, log, "--role", "web", "--workers", "2"),
            Kept("web too", other, log, "--role", "web"),
            Kept("worker", install, log, "--role", "worker"),
        ]
    return kept


@contextmanager
def _kept(kept: Sequence[Kept]) -> Iterator[None]:
    with ExitStack() as stack:
        for one in kept:
            stack.enter_context(killed_with_us(one.pid_file))
        for one in kept:
            stack.callback(one.end)
        yield


def _change_over(
    plan: Plan, install: Install, log: Log, server: StormedServer, weather: Weather, serving: ExitStack
) -> None:
    """From the old processes to the present ones while everybody plays."""
    old, turns = list(weather.servers), server.ledger.turns
    end = time.monotonic() + plan.most_seconds

    def until(share: float) -> None:
        while len(turns) < share * plan.turns and time.monotonic() < end:
            time.sleep(0.1)

    until(1 / 10)
    new = _present(plan, install, log)
    serving.enter_context(_kept(new))
    server.ledger.counts["turns until the new began"] = len(turns)
    _beside(old, new, server, weather)
    until(1 / 2)
    server.ports[:] = [one.install.port for one in new if one.is_web]
    weather.servers = new
    server.ledger.counts["turns until the old ended"] = len(turns)
    server.ledger.counts["starts of the old"] = sum(one.starts for one in old)
    for one in old:
        one.end()


def _beside(old: list[Kept], new: list[Kept], server: StormedServer, weather: Weather) -> None:
    """Both versions serve, and troubles come to both."""
    for one in new:
        one.wait(120)
    with server.inside.database.read() as session:
        if schema.is_behind(schema.revision_of(session)):
            server.ledger.trouble("the database was not migrated while the old processes served it")
    weather.servers = [*old, *new]
    server.ports[:] = [one.install.port for one in weather.servers if one.is_web]
    weather.begin()


def _mails_wait(inside: Server) -> bool:
    soon = sa.or_(col(OutboxMail.tried_at).is_not(None), col(OutboxMail.due_at) <= datetime.now(UTC) + 2 * LEASE)
    waiting = sa.select(OutboxMail.id).where(OutboxMail.state == MailState.WAITING, soon).limit(1)
    with inside.database.read() as session:
        return session.scalar(waiting) is not None


def _wait_for_mails(inside: Server) -> None:
    """Until no mail waits, or for as long as a mail may take."""
    end = time.monotonic() + CALM_SECONDS
    while (_mails_wait(inside) or waits(inside)) and time.monotonic() < end:
        time.sleep(0.5)


def _send_all(inside: Server) -> None:
    """What sweeps do in the next minutes, when the leases of killed senders run out."""
    sender, now = Sender(inside), datetime.now(UTC)
    for later in range(1, 9):
        if _mails_wait(inside):
            sender.send_all(now + later * LEASE)
    sender.close()


def _judge_signs(found: Verdict, weather: Weather, signs: Signs) -> None:
    """Every trouble that the server has met stands in `/metrics` and on `/server` within a minute."""
    judged = [one for one in weather.troubles if one.met and signs.was_watched(one)]
    found.figures["troubles watched"] = len(judged)
    for where, shown_after in (("/metrics", signs.shown_after), ("/server", signs.paged_after)):
        longest: dict[str, float] = {}
        for trouble in judged:
            after = shown_after(trouble)
            if after is None:
                lasted = f"{trouble.ended - trouble.began:.1f} s long"
                found.unseen.append(f"{trouble.kind} {trouble.what}, {lasted}, not in {where}")
            else:
                longest[trouble.kind] = max(longest.get(trouble.kind, 0.0), round(after, 1))
        found.figures[f"seen in {where} within seconds"] = longest


def _figures(
    plan: Plan, ledger: Ledger, weather: Weather, kept: Sequence[Kept], log: Log, passed: float
) -> dict[str, Any]:
    return {
        "database": plan.database,
        "seed": plan.seed,
        "seconds": round(passed),
        "troubles": dict(Counter(trouble.kind for trouble in weather.troubles)),
        "starts": {one.name: one.starts for one in kept},
        "answers": dict(sorted(ledger.statuses.items())),
        "ways": dict(sorted(ledger.counts.items())),
        "log lines": log.counts["lines"],
    }
