"""What the page of a club shows besides its list of events: its titles, tables, next dates, latest winners."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.base.words.speech import Voice
from app.leagues.events import round_rows
from app.leagues.pages.shown.divisions import shown
from app.leagues.pages.shown.teams_shown import team_lines
from app.leagues.results import records, standings
from app.leagues.results.records import ClubDate
from app.leagues.seasons import next_season
from app.leagues.tables import Competition, CompetitionStatus
from app.leagues.teams import rosters, team_standings
from app.titles.registry import TITLES

MOST_DATES = 5
MOST_TABLES = 3
MOST_WINNERS = 6
MOST_LINES = 8
"""The lines of a table; the whole one is on the page of its event."""


def home_shown(
    session: Session, club_id: int, events: Sequence[Competition], voice: Voice, now: datetime
) -> dict[str, Any]:
    """For the template. `events` are those that the reader may see, the newest first."""
    titles = dict.fromkeys(event.title_id for event in events if event.status != CompetitionStatus.DRAFT)
    first = records.winners(records.finished(session, club_id))
    dates = [one for one in records.dates(session, club_id) if one.at >= now]
    return {
        "plays": [voice.gettext(TITLES[title].name) for title in titles if title in TITLES],
        "tables": _tables(session, events, voice, now),
        "most_lines": MOST_LINES,
        "dates": [(one, date_in_words(one, voice)) for one in dates[:MOST_DATES]],
        "winners": [(one, voice.person(one.name)) for one in first[:MOST_WINNERS]],
    }


def _tables(session: Session, events: Sequence[Competition], voice: Voice, now: datetime) -> list[dict[str, Any]]:
    """Return the highest divisions of running events ordered by points, with the names of the others, or their teams.

    Each costs three statements, two more if seats changed hands, and some more for an event of teams.
    """
    found = []
    for event in [one for one in events if one.status == CompetitionStatus.RUNNING and one.plays.by_points][
        :MOST_TABLES
    ]:
        first, *others = event.entry_divisions
        division, teams = None, None
        if event.boards:
            playing, rounds = rosters.of_event(session, event.id), round_rows.rounds_of(session, first.id)
            teams = team_lines(team_standings.of_event(session, event, rounds, playing), playing)
        else:
            standing = standings.standing_of(session, event, first)
            division = shown(standing, voice, moves=next_season.moves(session, event, now))
        names = [one.name for one in others]
        found.append({"event": event, "division": division, "teams": teams, "others": names})
    return found


def date_in_words(one: ClubDate, voice: Voice) -> str:
    """Return what happens on a date."""
    event = one.event.name
    if one.round is None:
        return voice.gettext("{event}: sign-up ends", event=event)
    where = f"{event}, {one.division}" if one.division else event
    return voice.gettext("{event}: round {n} ends", event=where, n=one.round.number)
