"""The organisers' mail on Monday morning: what needs attention in their clubs, what ends this week, what went wrong.

One mail a week for all clubs of a person, planned for the morning of their own zone, and none if there is nothing to
say. Its text is written when it is handed over, so it is true then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.stored.outbox import PlannedMail
from app.clocks.zones import zone_of
from app.games.work import Work
from app.leagues.clubs import club_rights, joining
from app.leagues.desk import autopilot, people, week
from app.leagues.desk.week import EventTask
from app.leagues.rulings import opening
from app.leagues.tables import Audit, Club, Competition, CompetitionRound, CompetitionStatus, Match, MatchSeat, Member
from app.people.tables import Player
from app.time import outages
from app.time.tables import Leave

KIND, JOB = "club_week", "mondays"
MORNING = range(8, 12)
"""Hours of a Monday in which it is planned: several, in case the server is down at eight."""


BOUNCED, BY_TIME, LEFT = "bounced", "by_time", "entry.withdrawn"
WRONG = (BOUNCED, BY_TIME, "round.end", "round.pairing_failed", LEFT)
"""Mails that do not arrive, games lost on time, and acts of the trail."""


@dataclass(frozen=True, slots=True)
class ClubMonday:
    """A club in that mail."""

    club: Club
    ready: int
    """Rounds that can be closed, paired or published."""
    late: int
    """Games that need attention."""
    who: tuple[str, ...]
    """Who is waited for in them."""
    ended: tuple[Competition, ...]
    """Events that only have to be ended."""
    ends: tuple[tuple[Competition, CompetitionRound], ...]
    """Rounds that end within a week, the next one first."""
    asks: tuple[Competition, ...]
    """Events whose autopilot has stopped for their organisers."""
    joins: int = 0
    """The number of open requests to join."""
    ahead: tuple[tuple[Competition, EventTask], ...] = ()
    """The automatic steps within a week of events that have not started."""
    wrong: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The problems of the past week, of `WRONG`, with the names of the people or events concerned."""
    leave: Mapping[str, int] = field(default_factory=dict)
    """Players whose leave was taken automatically in the past week, and how many days."""

    @property
    def says_something(self) -> bool:
        return any(getattr(self, one.name) for one in fields(self) if one.name not in ("club", "who"))


def read(session: Session, player_id: int, now: datetime) -> list[ClubMonday]:
    """Return the clubs a player helps to run, with what there is to say about each."""
    mine = [club for club, role in club_rights.clubs_of(session, player_id) if role in club_rights.ORGANISERS]
    found = [_of_club(session, club, player_id, now) for club in mine]
    return [one for one in found if one.says_something]


def _of_club(session: Session, club: Club, reader_id: int, now: datetime) -> ClubMonday:
    there = week.read(session, club.id, now)
    ends = [(one.event, one.round) for one, _ in there.dates if one.round is not None]
    by_themselves = [event for event in (*there.running, *there.ahead) if autopilot.runs_itself(event)]
    acts = [(event, act) for event in by_themselves for act in autopilot.next_acts(session, event)]
    asks = dict.fromkeys(event for event, act in acts if act.asks)
    ahead = [
        (event, act) for event, act in acts if event in there.ahead and act.at and now < act.at <= now + week.A_WEEK
    ]
    by_hand = [one for one in there.tasks if not (one.after_close or one.planned or autopilot.runs_itself(one.event))]
    joins = joining.how_many(session, club.id)
    since = now - week.A_WEEK
    return ClubMonday(
        club,
        len(by_hand),
        len(there.late),
        tuple(dict.fromkeys(one.owes.name for one in there.late if one.owes is not None and one.owes.name)),
        tuple(one for one in there.played_out if not autopilot.runs_itself(one)),
        tuple(ends),
        tuple(asks),
        joins,
        tuple(ahead),
        _went_wrong(session, club.id, reader_id, since),
        _leave_by_itself(session, club.id, since),
    )


def _matches_of(club_id: int) -> sa.Select[int]:
    """Return the query for the numbers of the matches of a club."""
    return (
        sa.select(col(Match.id))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
        .where(col(Competition.club_id) == club_id)
    )


def _leave_by_itself(session: Session, club_id: int, since: datetime) -> dict[str, int]:
    """Return how many days of leave were taken automatically in games of a club since then, by name."""
    asked = (
        sa.select(col(Player.name), sa.func.count())
        .join(Leave, col(Leave.player_id) == col(Player.id))
        .where(
            col(Leave.game_id).in_(_matches_of(club_id).with_only_columns(col(Match.game_id))),
            col(Leave.made_at) >= since,
            col(Player.erased_at).is_(None),
        )
        .group_by(col(Player.id), col(Player.name))
        .order_by(col(Player.name))
    )
    return {row[0]: row[1] for row in session.execute(asked)}


def _went_wrong(session: Session, club_id: int, reader_id: int, since: datetime) -> dict[str, list[str]]:
    """Return the problems of a club since then, in the order of `WRONG`, but not what the reader did."""
    ended = _matches_of(club_id).where(col(Match.ended_at) >= since)
    seats = (
        select(MatchSeat).where(col(MatchSeat.by_time), col(MatchSeat.match_id).in_(ended)).order_by(col(MatchSeat.id))
    )
    acts: Any = (
        sa.select(col(Audit.act), col(Competition.name), col(Player.name).label("who"))
        .outerjoin(Competition, col(Competition.id) == col(Audit.event_id))
        .outerjoin(Player, sa.and_(col(Audit.act) == LEFT, col(Player.id) == col(Audit.about_number)))
        .where(col(Audit.club_id) == club_id, col(Audit.at) >= since, col(Audit.act).in_(WRONG))
        .where(sa.or_(col(Audit.act) != LEFT, col(Audit.by_id).is_(None), col(Audit.by_id) != reader_id))
        .order_by(col(Audit.id))
    )
    named = {name: dict[str, None]() for name in WRONG}
    named[BOUNCED] = dict.fromkeys(people.unreached(session, club_id).values())
    named[BY_TIME] = dict.fromkeys(one.name for one in session.exec(seats))
    for row in session.execute(acts):
        named[row.act][(row.who if row.act == LEFT else row.name) or ""] = None
    return {name: found for name, there in named.items() if (found := [one for one in there if one])}


@job("plan mondays", every=1800)
def plan(database: Database, now: datetime) -> int:
    """Put the mails into the outbox for everybody whose Monday morning it is; return how many."""
    if not _is_monday_somewhere(now):
        return 0
    with Work(database) as work:
        if outages.is_down(work.session, now):
            return 0
        status = col(Competition.status)
        goes_on = sa.or_(
            status == CompetitionStatus.RUNNING,
            sa.and_(status == CompetitionStatus.DRAFT, col(Competition.sign_up_from).is_not(None)),
            sa.and_(status == CompetitionStatus.SIGN_UP, col(Competition.sign_up_until).is_not(None)),
        )
        organisers = club_rights.addressed(
            col(Member.role).in_(club_rights.ORGANISERS), goes_on, col(Player.mail_news).is_(True)
        )
        asked = organisers.add_columns(col(Player.zone)).join(Competition, opening.of_its_clubs())
        planned: list[PlannedMail] = []
        before = failing.known(work.session, JOB)
        for row in work.session.execute(asked).all():
            what = f"player {row.id}"
            if before.get(what, now) <= now:
                with failing.spared(work.session, JOB, what, now, before):
                    planned += _planned(row, now)
        work.outbox.add(planned, now)  # a second one with the same key is ignored
    return len(planned)


def _planned(row: sa.Row[Any], now: datetime) -> list[PlannedMail]:
    local = now.astimezone(zone_of(row.zone))
    if local.weekday() or local.hour not in MORNING:
        return []
    return [PlannedMail(f"{KIND}:{row.id}:{local:%Y%m%d}", KIND, row.address, row.id)]


def _is_monday_somewhere(now: datetime) -> bool:
    """Whether it can be Monday morning in any time zone."""
    return any((now + timedelta(hours=hours)).weekday() == 0 for hours in range(-12, 15))
