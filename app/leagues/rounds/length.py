"""How long an event lasts, as far as its terms tell: its rounds, and about when they end."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

from sqlmodel import Session

from app.base.words.speech import Voice
from app.clocks.zones import zone_of
from app.leagues.clubs import club_rights
from app.leagues.events import entries, round_rows
from app.leagues.pure.formats import FORMATS
from app.leagues.pure.terms import Terms
from app.leagues.tables import Competition, CompetitionStatus, EntrantStatus
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
    voice: Voice, format: str, terms: Terms, zone: str, begins: datetime | None, parts: int, size: int | None = None
) -> str:
    """Return how many rounds there are, from when until about when; empty if nobody can say.

    `size`: how many play in a division; None while that is open, so that a usual number is taken and named.
    """
    if format not in FORMATS:
        return ""
    many = size or (terms.limit or 0) // parts or USUAL_SIZE
    rounds = rounds_of(format, terms, many)
    ends = _end(terms, zone, begins, rounds or 0)
    if not rounds or begins is None or ends is None or ends <= begins:
        return ""
    said = _said(voice, terms, rounds, begins, ends)
    if size is not None or FORMATS[format].by_round:
        return voice.say(said)
    told = N_("With {size} players: {said}") if parts == 1 else N_("In a division of {size}: {said}")
    return voice.say(Text(told, size=many, said=said))


def _end(terms: Terms, zone: str, begins: datetime | None, rounds: int) -> datetime | None:
    if (named := dated(terms, rounds, zone)) is not None:
        return named
    days = (terms.round_days or 0) * (1 if terms.at_once else rounds)
    return begins + timedelta(days=days) if begins is not None and days else None


def _said(voice: Voice, terms: Terms, rounds: int, begins: datetime, ends: datetime) -> Text:
    return Counted(
        "{n} round, from about {begins} to about {ends}.",
        "{n} rounds, {how}, from about {begins} to about {ends}.",
        n=rounds,
        how=Text("all at once") if terms.at_once else Text("one after another"),
        begins=voice.date(begins),
        ends=voice.date(ends),
    )


def of_event(session: Session, event: Competition, voice: Voice) -> str:
    """Say the same of an event; of one that runs by the end of its last round so far."""
    terms, zone = event.terms, club_rights.get(session, event.club_id).zone
    if event.started_at is None:
        return in_words(voice, event.format, terms, zone, event.sign_up_until, len(event.divisions))
    rounds = rounds_of(event.format, terms, _size(session, event)) or 0
    there = [one for division in event.divisions for one in round_rows.rounds_of(session, division.id)]
    begun, due = max(((one.number, one.due_at) for one in there if one.due_at), default=(0, None))
    ends = _end(terms, zone, event.started_at, rounds)
    if due is not None and dated(terms, rounds, zone) is None:
        ends = due + timedelta(days=(terms.round_days or 0) * max(rounds - begun, 0))
    if event.status != CompetitionStatus.RUNNING or not rounds or ends is None:
        return ""
    return voice.say(_said(voice, terms, rounds, event.started_at, ends))


def _size(session: Session, event: Competition) -> int:
    """Return how many play in the largest division of an event that has started, or in all its groups."""
    if event.boards:
        return len(rosters.of_event(session, event.id))
    playing = [one for one in entries.entrants(session, event.id) if one.status == EntrantStatus.ENTERED]
    by_part = Counter(0 if event.plays.stages else one.division_id for one in playing)
    return max(by_part.values(), default=0)
