"""The standings of an event for other programs and for paper: CSV, JSON, a page to print, Atom, a table to embed."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import Any

from flask import Response, g, jsonify

from app.leagues.model import VOID
from app.leagues.standings import said_value
from app.services.leagues import clubs, entries, rounds, standing
from app.services.leagues.standing import as_data
from app.web import session
from app.web.atom import Feed
from app.web.leagues.common import event_for, named
from app.web.leagues.events import about, blueprint
from app.web.leagues.shown import round_shown, shown
from app.web.reader import house


@blueprint.get("/events/<int:event_id>/standings.csv")
def as_csv(event_id: int) -> Response:
    """The standings of all divisions as a table. A cell that a spreadsheet would take for a formula gets a quote."""
    with house().database.read() as connection:
        event, _ = event_for(connection, event_id, None)
        tables = standing.standings_of(connection, event)
    written = io.StringIO()
    sheet = csv.writer(written)
    names = tables[0].tie_breaks if tables else ()
    sheet.writerow(["division", "place", "name", "points", "of_divided_seats", *names, "above_the_next_by"])
    for table in tables:
        parts = table.from_divided_seats()
        for place in table.places:
            values = [_number(place.values[name]) for name in names]
            who = _plain(table.names[place.entrant])
            points = [_number(place.points), _number(parts.get(place.entrant))]
            sheet.writerow([_plain(table.division.name), place.place, who, *points, *values, place.decided])
    response = Response(written.getvalue(), mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="event-{event_id}-standings.csv"'
    return response


def _number(value: Fraction | int | None) -> str:
    """A value as spreadsheets read it: 2, 1.5, 0.6667; empty for none."""
    return "" if value is None else f"{round(float(value), 4):g}"


def _plain(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text


@blueprint.get("/events/<int:event_id>/standings.json")
def as_json(event_id: int) -> Response:
    """Standings and results as data: names, never addresses."""
    with house().database.read() as connection:
        event, _ = event_for(connection, event_id, None)
        tables = []
        for one in standing.standings_of(connection, event):
            data = as_data(one)
            data["rounds"] = [_round(round) for round in rounds.rounds_of(connection, one.division.id)]
            tables.append(data)
    return jsonify(
        {
            "event": event.id, "name": event.name, "season": event.season or None, "title": event.title.id,
            "format": event.format, "status": event.status, "lots": event.lots, "divisions": tables,
        }
    )  # fmt: skip


def _round(round: rounds.RoundNow) -> dict[str, Any]:
    return {
        "number": round.number, "status": round.status,
        "matches": [
            {
                "game": match.game_id, "ended": match.ended or None,
                "seats": [
                    {"entry": seat.entry_id, "name": seat.name,
                     "points": None if seat.points is None else str(seat.points), "score": seat.score}
                    for seat in match.seats
                ],
            }
            for match in round.matches
        ],
    }  # fmt: skip


@blueprint.get("/events/<int:event_id>/print")
def to_print(event_id: int) -> Response:
    """Standings, crosstable and rounds on clean sheets."""
    voice = session.voice()
    with house().database.read() as connection:
        event, _ = event_for(connection, event_id, None)
        club = clubs.get(connection, event.club_id)
        names = {entry.id: entry.name for entry in entries.entries(connection, event.id)}
        divisions = [shown(one, voice) for one in standing.standings_of(connection, event)]
        played = {
            division.id: [
                round_shown(round, voice, names, title=event.title, full=False)
                for round in rounds.rounds_of(connection, division.id)
            ]
            for division in event.divisions
        }
        facts = about(connection, event, voice)
    return session.show(
        "leagues/print.html", voice=voice, event=event, club=club, divisions=divisions, rounds=played, facts=facts
    )


@blueprint.get("/events/<int:event_id>/embed")
def embed(event_id: int) -> Response:
    """The standings alone, for a frame on any page: nothing in it can be pressed."""
    voice = session.voice()
    with house().database.read() as connection:
        event, _ = event_for(connection, event_id, None)
        divisions = [shown(one, voice, drawn=False) for one in standing.standings_of(connection, event)]
    response = session.show("leagues/embed.html", voice=voice, event=event, divisions=divisions)
    g.may_be_framed = True
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'none'; base-uri 'none'; "
        "frame-ancestors *"
    )
    return response


@blueprint.get("/events/<int:event_id>/results.atom")
def atom(event_id: int) -> Response:
    """The newest results, for feed readers (RFC 4287)."""
    voice, base = session.voice(), house().config.base_url
    with house().database.read() as connection:
        event, _ = event_for(connection, event_id, None)
        ended = standing.newest_results(connection, event)
    feed = Feed(
        voice, f"event/{event.id}/results", voice.gettext("Results of {event}", event=event.name),
        updated=ended[0].at if ended else None, self_address=f"{base}/events/{event.id}/results.atom",
        page=f"/events/{event.id}",
    )  # fmt: skip
    for one in ended:
        who = [
            (named(voice, seat.name), "" if one.match.ended == VOID else said_value("points", seat.points))
            for seat in one.match.seats
        ]
        feed.entry(
            f"match/{one.match.id}", one.at, " – ".join(f"{name} {points}".strip() for name, points in who),
            voice.gettext("{division}, round {n}", division=one.division.name, n=one.round.number),
            f"/events/{event.id}/rounds/{one.round.id}",
        )  # fmt: skip
    return Response(feed.written(), mimetype="application/atom+xml")
