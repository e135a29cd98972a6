"""Connects leagues to the server; the rest of the program learns of them only here."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.account import memberships
from app.games import competitions
from app.leagues import port
from app.leagues.changes import erasing, reserves
from app.leagues.desk import autopilot, mondays
from app.leagues.mails import announcements, autopilots, challenges, departures, desk, events, joining
from app.leagues.mails import club_matches as match_mails
from app.leagues.mails import mondays as monday_mails
from app.leagues.mails import teams as team_mails
from app.leagues.results import casual, rate
from app.leagues.rounds import pairing_jobs, publishing
from app.leagues.rounds.pairing_jobs import Pairer
from app.leagues.rulings import round_ends
from app.post import bundles, news, writing
from app.upkeep import jobs

if TYPE_CHECKING:
    from flask import Flask

    from app.base.database import Database

CALLS_EVERY_SECONDS = 30
RATE_EVERY_SECONDS = 60
ROUNDS_EVERY_SECONDS = 60
MONDAYS_EVERY_SECONDS = 1800


def register() -> None:
    """Register the answers for games and accounts, and add the mails and the jobs."""
    competitions.register(port)
    memberships.register(erasing)
    of_clubs = (announcements, joining, match_mails, monday_mails)
    for mails in (*of_clubs, autopilots, challenges, departures, desk, events, team_mails):
        writing.register(mails.KINDS)
    bundles.register(desk.LINES)
    news.register(events.TOLD_IN_DIGESTS)
    jobs.register(
        "leagues",
        jobs.Chores(
            timed=(
                jobs.TimedJob(CALLS_EVERY_SECONDS, lambda: _end_calls),
                jobs.TimedJob(ROUNDS_EVERY_SECONDS, lambda: _end_rounds),
                jobs.TimedJob(ROUNDS_EVERY_SECONDS, lambda: _publish_drafts),
                jobs.TimedJob(ROUNDS_EVERY_SECONDS, lambda: _run_events),
                jobs.TimedJob(MONDAYS_EVERY_SECONDS, lambda: _plan_mondays),
                jobs.TimedJob(RATE_EVERY_SECONDS, lambda: casual.CasualWatch().look, at_once=False),
                jobs.TimedJob(RATE_EVERY_SECONDS, lambda: rate.Watch().look, at_once=False),
            ),
            sweeps=(
                jobs.Sweep(reserves.sweep_calls, "calls of reserves ended"),
                jobs.Sweep(round_ends.sweep, "ends of rounds acted upon"),
                jobs.Sweep(_pair_all, "rounds paired"),
                jobs.Sweep(publishing.sweep, "drafts published at their hour"),
                jobs.Sweep(autopilot.sweep, "acts of autopilots"),
                jobs.Sweep(mondays.plan, "mails about the week"),
            ),
            tidying=(pairing_jobs.forget,),
            workers=(("pairing", lambda server: Pairer(server.database)),),
        ),
    )


def _end_calls(database: Database) -> None:
    reserves.sweep_calls(database, datetime.now(UTC))


def _end_rounds(database: Database) -> None:
    round_ends.sweep(database, datetime.now(UTC))


def _publish_drafts(database: Database) -> None:
    publishing.sweep(database, datetime.now(UTC))


def _run_events(database: Database) -> None:
    autopilot.sweep(database, datetime.now(UTC))


def _plan_mondays(database: Database) -> None:
    mondays.plan(database, datetime.now(UTC))


def _pair_all(database: Database, now: datetime) -> int:
    """Work out all requested pairings and return how many there were."""
    paired = 0
    while pairing_jobs.work_one(database, "sweep", lambda: now):
        paired += 1
    return paired


def register_pages(app: Flask) -> None:
    """Add the pages of clubs and their events."""
    from app.leagues.pages.register import register  # noqa: PLC0415  only a server of pages needs them

    register(app)
