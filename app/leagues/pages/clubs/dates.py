"""The dates of a club, as a page and as a calendar, and its events for programs."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Response, jsonify, url_for

from app.account.pages.calendar_lines import calendar, escaped, until, utc
from app.base.stored.columns import moment
from app.base.words.speech import Voice
from app.clocks.zones import zone_of
from app.leagues.events import lifecycle
from app.leagues.pages.clubs.home_shown import date_in_words
from app.leagues.pages.clubs.public import blueprint, reading_club
from app.leagues.results import records
from app.leagues.results.records import ClubDate
from app.web import visit
from app.web.public import public
from app.web.reader import server

MOST_EVENTS = 1_000


@blueprint.get("/clubs/<slug>/dates")
def dates_page(slug: str) -> Response:
    """The dates of the club's events, by month in the reader's zone; past ones come first."""
    with reading_club(slug, None) as (session, club, _):
        found = records.dates(session, club.id)
    voice, now = visit.voice(), visit.now()
    zone = zone_of(voice.zone)
    months: dict[str, list[tuple[ClubDate, str]]] = {}
    for one in found:
        if one.at >= now:
            month = f"{one.at.astimezone(zone):%Y-%m}"
            months.setdefault(month, []).append((one, date_in_words(one, voice)))
    return visit.show(
        "leagues/clubs/dates.html",
        club=club,
        months=[(voice.month(there[0][0].at), there) for there in months.values()],
        passed=[(one, date_in_words(one, voice)) for one in found if one.at < now],
    )


@blueprint.get("/clubs/<slug>/dates.ics")
@public
def dates_ics(slug: str) -> Response:
    """The dates of the club's events for calendars (RFC 5545)."""
    with reading_club(slug, None) as (session, club, _):
        found = records.dates(session, club.id)
    voice = Voice(club.language, club.zone)
    name = escaped(club.name)
    heading = [
        ("VERSION", "2.0"),
        ("PRODID", "-//Post Road//Club//EN"),
        ("CALSCALE", "GREGORIAN"),
        ("METHOD", "PUBLISH"),
        ("NAME", name),
        ("X-WR-CALNAME", name),
        ("REFRESH-INTERVAL;VALUE=DURATION", "PT6H"),
    ]
    text = calendar(heading, [_entry(one, voice) for one in found])
    return Response(text.encode(), content_type="text/calendar; charset=utf-8")


@blueprint.get("/clubs/<slug>/events.json")
@public
def events_json(slug: str) -> Response:
    """The club's events, newest first, with those that are over."""
    with reading_club(slug, None) as (session, club, _):
        found = lifecycle.events_of(session, club.id, most=MOST_EVENTS)
    base = server().config.base_url
    events = [
        {
            "event": one.id,
            "name": one.name,
            "season": one.season or None,
            "title": one.title_id,
            "format": one.format,
            "status": one.status,
            "started_at": moment(one.started_at),
            "ended_at": moment(one.ended_at),
            "standings": base + url_for("events.standings_file", kind="json", event_id=one.id),
        }
        for one in found
    ]
    return jsonify({"club": club.slug, "name": club.name, "events": events})


def _entry(one: ClubDate, voice: Voice) -> list[tuple[str, str]]:
    base = server().config.base_url
    host = urlsplit(base).hostname or "localhost"
    address = f"{base}{url_for('events.event_page', event_id=one.event.id)}"
    key = f"{one.round.number}-{escaped(one.division)}" if one.round else "sign-up"
    return [
        ("UID", f"event-{one.event.id}-{key.replace(' ', '-')}@{host}"),
        ("DTSTAMP", utc(one.changed_at)),
        ("LAST-MODIFIED", utc(one.changed_at)),
        ("SEQUENCE", str(max(0, int((one.changed_at - one.event.made_at).total_seconds())))),
        *until(one.at),
        ("SUMMARY", escaped(date_in_words(one, voice))),
        ("URL", address),
        ("TRANSP", "TRANSPARENT"),
    ]
