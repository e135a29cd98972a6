"""How long an event lasts, as far as its terms tell: its rounds, and about when they end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.speech import Voice
from app.clocks.zones import zone_of
from app.leagues.clubs import club_rights
from app.leagues.events import entries, round_rows
from app.leagues.pure.formats import FORMATS
from app.leagues.pure.terms import Terms
from app.leagues.rounds import schedule
from app.leagues.tables import Competition, CompetitionRound, CompetitionStatus, EntrantStatus, Member, MemberStatus
from app.leagues.teams import rosters
from engine.kernel.text import N_, Counted, Text

USUAL_SIZE = 6
"""How many are taken to play in a division while nobody can know."""


def rounds_of(format: str, terms: Terms, size: int) -> int | None:
    """Return how many rounds a division with so many players, or teams, has; None if there is no number."""
    plays = FORMATS[format]
    if plays.by_challenge or plays.by_round:
        return terms.rounds if plays.by_round else None
    if plays.stages:
        groups = terms.groups or 1
        return _meetings(-(-size // groups), terms) + _halvings(groups * terms.through)
    return _halvings(size) if plays.has_bracket else _meetings(size, terms)


def _meetings(size: int, terms: Terms) -> int:
    return max(size - 1 + size % 2, 0) * terms.legs


def _halvings(size: int) -> int:
    return max(size - 1, 0).bit_length()


def dated(terms: Terms, number: int, zone: str) -> datetime | None:
    """Return the date that terms name for the end of a round, in the zone of the club."""
    if not 0 < number <= len(terms.round_dates):
        return None
    there = datetime.strptime(terms.round_dates[number - 1], "%Y-%m-%d %H:%M")
    return there.replace(tzinfo=zone_of(zone)).astimezone(UTC)


def in_words(
    voice: Voice, format: str, terms: Terms, zone: str, begins: datetime | None, parts: int, people: int
) -> str:
    """Return how many rounds there are before the start, and from when until about when if it is known when it begins;
    empty if nobody can say.

    `people`: how many are expected to play (`expected`); with the limit it makes the size of a division.
    """
    if format not in FORMATS or (terms.boards and not FORMATS[format].by_round):
        return ""  # how many teams there will be, nobody knows
    many = (terms.limit or 0) // parts or max(USUAL_SIZE, -(-people // parts))
    rounds = rounds_of(format, terms, many)
    ends = _end(terms, zone, begins, rounds or 0)
    if not rounds or (begins and (ends is None or ends <= begins)):
        return ""
    said = _said(voice, terms, rounds, begins, ends)
    if FORMATS[format].by_round:
        return voice.say(said)
    told = N_("With {size} players: {said}") if parts == 1 else N_("In a division of {size}: {said}")
    return voice.say(Text(told, size=many, said=said))


def _end(terms: Terms, zone: str, begins: datetime | None, rounds: int) -> datetime | None:
    if (named := dated(terms, rounds, zone)) is not None:
        return named
    days = (terms.round_days or 0) * (1 if terms.at_once else rounds)
    return begins + timedelta(days=days) if begins is not None and days else None


def expected(session: Session, club_ids: Sequence[int], event: Competition | None = None) -> int:
    """Return how many people an event has before its start: so many as fill each division like the largest one, where
    several are filled already; else all who belong to its clubs or are invited."""
    if event is not None and len(event.divisions) > 1 and (largest := _size(session, event, placed=True)):
        return largest * len(event.divisions)
    here = sa.and_(col(Member.club_id).in_(club_ids), col(Member.status) != MemberStatus.LEFT)
    belong = session.scalar(sa.select(sa.func.count(sa.distinct(col(Member.player_id)))).where(here)) or 0
    return max(belong, 0 if event is None else _size(session, event))


def _said(voice: Voice, terms: Terms, rounds: int, begins: datetime | None, ends: datetime | None) -> Text:
    how = Text("all at once") if terms.at_once else Text("one after another")
    if begins is None or ends is None:
        return Counted("{n} round.", "{n} rounds, {how}.", n=rounds, how=how)
    return Counted(
        "{n} round, from about {begins} to about {ends}.",
        "{n} rounds, {how}, from about {begins} to about {ends}.",
        n=rounds,
        how=how,
        begins=voice.date(begins),
        ends=voice.date(ends),
    )


def of_event(session: Session, event: Competition, voice: Voice) -> str:
    """Say the same of an event; of one that runs by the end of its last round so far."""
    terms, zone = event.terms, club_rights.get(session, event.club_id).zone
    if event.started_at is None:
        people = expected(session, event.club_ids, event)
        return in_words(voice, event.format, terms, zone, event.sign_up_until, len(event.divisions), people)
    if event.status != CompetitionStatus.RUNNING:
        return ""
    there = round_rows.by_division(session, event)
    rounds = _of_started(session, event, there)
    dated_ones = ((one.number, one.due_at) for its in there.values() for one in its if one.due_at)
    begun, due = max(dated_ones, default=(0, None))
    ends = _end(terms, zone, event.started_at, rounds)
    if due is not None and dated(terms, rounds, zone) is None:
        ends = due + timedelta(days=(terms.round_days or 0) * max(rounds - begun, 0))
    if not rounds or ends is None:
        return ""
    return voice.say(_said(voice, terms, rounds, event.started_at, ends))


def _of_started(session: Session, event: Competition, there: Mapping[int, Sequence[CompetitionRound]]) -> int:
    """Return how many rounds an event has that has started: what is laid out again after a late entry is counted."""
    playing = entries.entrants(session, event.id)
    if not event.plays.is_laid_out or event.boards or all(one.joined_round == 1 for one in playing):
        return rounds_of(event.format, event.terms, _size(session, event)) or 0
    return max(len(there[one.id]) + schedule.left(session, event, one, there[one.id]) for one in event.divisions)


def _size(session: Session, event: Competition, *, placed: bool = False) -> int:
    """Return how many play in the largest division of an event, or in all its groups; of those `placed` in one."""
    if event.boards:
        return len(rosters.of_event(session, event.id))
    playing = [one for one in entries.entrants(session, event.id) if one.status == EntrantStatus.ENTERED]
    by_part = Counter(
        0 if event.plays.stages else one.division_id for one in playing if one.division_id is not None or not placed
    )
    return max(by_part.values(), default=0)
