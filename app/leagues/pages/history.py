"""What a club remembers: winners, tables and records; a player's card over the seasons; and its dates as a calendar."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import Response, url_for
from sqlmodel import col, select

from app.account.pages.calendar_lines import calendar, escaped, utc
from app.base.refusals import NoSuch
from app.base.speech import Voice
from app.leagues import clubs, imports, records
from app.leagues.pages.clubs import blueprint, club_for
from app.leagues.pages.common import named
from app.leagues.records import ClubDate, Finished, Score
from app.people.tables import Player
from app.titles.registry import TITLES
from app.web import visit
from app.web.reader import house

if TYPE_CHECKING:
    from sqlmodel import Session

MOST_LISTED = 5


@blueprint.get("/clubs/<slug>/history")
def history_page(slug: str) -> Response:
    """Who won what, the records of the members, and the tables of seasons that were played elsewhere."""
    voice = visit.voice()
    with house().database.read() as session:
        club, role = club_for(session, slug, None)
        seasons = imports.tables_of(session, club.id)
        places = records.finished(session, club.id)
        careers = records.careers(session, club.id)
        names = {one.player_id: one.name for one in places if one.player_id}
        names |= _names_of(session, [who for who in careers if who not in names])
    titles: dict[int, int] = {}
    for one in places:
        if one.place == 1 and one.player_id:
            titles[one.player_id] = titles.get(one.player_id, 0) + 1
    known = {who: career for who, career in careers.items() if names.get(who)}
    games = {who: one.score.games for who, one in known.items()}
    return visit.show(
        "leagues/history.html",
        club=club,
        seasons=seasons,
        winners=[one for one in places if one.place == 1],
        titles=[(who, names[who], n) for who, n in _best(titles)],
        streaks=[(who, names[who], n) for who, n in _best({who: one.longest for who, one in known.items()})],
        played=[(who, names[who], known[who].score) for who, _ in _best(games)],
        may_run=clubs.may(role, "organiser"),
        who=lambda name: named(voice, name),
    )


def _best(found: dict[int, int]) -> list[tuple[int, int]]:
    """The highest, without those of nothing."""
    order = sorted((one for one in found.items() if one[1]), key=lambda one: (-one[1], one[0]))
    return order[:MOST_LISTED]


def _names_of(session: Session, players: list[int]) -> dict[int, str]:
    asked = select(Player).where(col(Player.id).in_(players), col(Player.erased_at).is_(None))
    return {one.id: one.name for one in session.exec(asked) if one.id is not None}


@blueprint.get("/clubs/<slug>/players/<number:player_id>")
def card_page(slug: str, player_id: int) -> Response:
    """A player's card: titles, places over the seasons, games by side and against whom."""
    voice = visit.voice()
    with house().database.read() as session:
        club, _ = club_for(session, slug, None)
        places: list[Finished] = [one for one in records.finished(session, club.id) if one.player_id == player_id]
        career = records.careers(session, club.id).get(player_id)
        against = career.against if career else {}
        names = _names_of(session, [player_id, *against])
    if player_id not in names or not (places or career):
        raise NoSuch(str(player_id))
    sides = [
        (_side(voice, title, place), score) for (title, place), score in sorted(career.sides.items() if career else ())
    ]
    opponents: list[tuple[int, Score]] = sorted(against.items(), key=lambda one: -one[1].games)
    return visit.show(
        "leagues/card.html",
        club=club,
        whose=names[player_id],
        places=places,
        won=sum(one.place == 1 for one in places),
        career=career,
        sides=sides,
        against=[(who, named(voice, names.get(who, "")), score) for who, score in opponents],
        known=names,
    )


def _side(voice: Voice, title_id: str, place: int) -> str:
    title = TITLES.get(title_id)
    if title is None or place >= len(title.seats):
        return title_id
    side = voice.about(title).name("seat", title.seats[place])
    return f"{side} · {voice.gettext(title.name)}"


@blueprint.get("/clubs/<slug>/dates.ics")
def dates_ics(slug: str) -> Response:
    """The dates of the club's events for calendars (RFC 5545)."""
    with house().database.read() as session:
        club, _ = club_for(session, slug, None)
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


def _entry(one: ClubDate, voice: Voice) -> list[tuple[str, str]]:
    base = house().config.base_url
    host = urlsplit(base).hostname or "localhost"
    address = f"{base}{url_for('events.event_page', event_id=one.event_id)}"
    key = f"{one.round}-{escaped(one.division)}" if one.round else "sign-up"
    return [
        ("UID", f"event-{one.event_id}-{key.replace(' ', '-')}@{host}"),
        ("DTSTAMP", utc(one.since)),
        ("DTSTART", utc(one.at)),
        ("SUMMARY", escaped(date_in_words(one, voice))),
        ("URL", address),
        ("TRANSP", "TRANSPARENT"),
    ]


def date_in_words(one: ClubDate, voice: Voice) -> str:
    """What happens on a date."""
    if not one.round:
        return voice.gettext("{event}: sign-up ends", event=one.event)
    if one.division:
        return voice.gettext("{event}, {division}: round {n} ends", event=one.event, division=one.division, n=one.round)
    return voice.gettext("{event}: round {n} ends", event=one.event, n=one.round)
