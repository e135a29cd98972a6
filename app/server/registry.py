"""Assembling a server: connects its parts, and opens the server.

It stands above everything but the factory of pages, the commands and the processes, and is the only module outside of
leagues that knows them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from app.base import outbox
from app.base.config import Config
from app.base.database import Database
from app.base.links import Links
from app.base.server import Server
from app.leagues import register as leagues
from app.lobby import mails as lobby_mails
from app.lobby import offers
from app.overdue import mails as overdue_mails
from app.people import mails as people_mails
from app.play import mails as play_mails
from app.play.agreed import report_mails
from app.play.fairness import ends
from app.play.replies import mails as reply_mails
from app.play.replies import taking
from app.post import bundles, writing
from app.post import mails as post_mails
from app.post.inbound import port
from app.post.webhooks import owed
from app.time import mails as time_mails
from app.titles.new_world import shelf
from app.upkeep import alarms, jobs
from app.upkeep import mails as upkeep_mails
from app.upkeep.backups import scheduled as backups

if TYPE_CHECKING:
    from flask import Flask


OFFERS_EVERY_SECONDS = 5
ENDS_EVERY_SECONDS = 5


def _match_offers(database: Database) -> None:
    offers.match(database, datetime.now(UTC))


def _keep_ends(database: Database) -> None:
    ends.look(database, datetime.now(UTC))


@cache
def register() -> None:
    """Let every part know what the others provide: once per process, before anything else happens in it."""
    outbox.follow(owed.plan)
    for module in (
        people_mails,
        time_mails,
        post_mails,
        play_mails,
        report_mails,
        reply_mails,
        lobby_mails,
        overdue_mails,
        upkeep_mails,
    ):
        writing.register(module.KINDS)
    for lines in (play_mails.LINES, overdue_mails.LINES):
        bundles.register(lines)
    port.register(taking.take)
    leagues.register()
    jobs.register(
        "offers",
        jobs.Chores(
            timed=(jobs.TimedJob(OFFERS_EVERY_SECONDS, lambda: _match_offers),),
            sweeps=(jobs.Sweep(offers.match, "games begun of standing offers"),),
        ),
    )
    jobs.register(
        "ends",
        jobs.Chores(
            timed=(jobs.TimedJob(ENDS_EVERY_SECONDS, lambda: _keep_ends),),
            sweeps=(jobs.Sweep(ends.sweep, "ends of games worked out"),),
        ),
    )
    jobs.register(
        "upkeep",
        jobs.Chores(tidying=(backups.forget,), workers=(("backups", backups.Backups), ("alarms", alarms.AlarmWatch))),
    )


def register_pages(app: Flask) -> None:
    """Add the pages of subjects to those of the server."""
    leagues.register_pages(app)


def open_server(config: Config) -> Server:
    """Return the server; connections are made when they are first needed."""
    register()
    server = Server(config, Database(config.database_url), Links(config.base_url, config.secret_keys))
    shelf.keep_in(server.database)
    return server
