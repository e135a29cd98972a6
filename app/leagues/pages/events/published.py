"""The standings of an event for other programs and for paper: CSV, JSON, a page to print, Atom, a table to embed."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from fractions import Fraction
from typing import Any

from flask import Response, jsonify, request, url_for
from sqlmodel import Session

from app.account.pages.atom import Feed
from app.base.process.recent import Recent
from app.base.stored.columns import moment
from app.leagues.clubs.notes import plain
from app.leagues.events import entries, round_rows
from app.leagues.pages.common import reading
from app.leagues.pages.events.public import about, blueprint
from app.leagues.pages.shown import table_picture
from app.leagues.pages.shown.by_position import reached_shown
from app.leagues.pages.shown.divisions import all_shown, ended_in_words, round_shown, seat_points
from app.leagues.pure.model import VOID
from app.leagues.results import standings
from app.leagues.rounds import final_places
from app.leagues.tables import Competition, CompetitionRound, Division
from app.people import accounts
from app.play.pages.past.pictures import PICTURES
from app.post.letters import picture_process
from app.titles.pictures import voice_for
from app.web import visit
from app.web.public import public
from app.web.reader import server


@blueprint.get("/events/<number:event_id>/standings.<any(csv, json):kind>")
@public
def standings_file(event_id: int, kind: str) -> Response:
    """The standings for other programs."""
    return _as_csv(event_id) if kind == "csv" else _as_json(event_id)


def _as_csv(event_id: int) -> Response:
    """The standings of all divisions as a table; a ladder in its order, a knock-out with the places reached (empty for
    players still in).

    A cell that a spreadsheet would take for a formula gets a quote.
    """
    with reading(event_id, None) as (session, event, _, _):
        tables = [data for _, data in _tables(session, event)]
    counts = ["played", "won", "drawn", "lost", "without_playing", "points", "of_divided_seats"]
    names = tables[-1].get("tie_breaks", []) if tables else []  # finals, which have none, stand first
    more = [*counts, *names, "above_the_next_by"] if event.plays.by_points else []
    written = io.StringIO()
    columns = ["division", "place", "name", *more, "withdrawn_after"]
    sheet = csv.DictWriter(written, columns, restval="", extrasaction="ignore")
    sheet.writeheader()
    for table in tables:
        shares: dict[int, Fraction] = {}
        for gain in (gain for seat in table.get("divided_seats", ()) for gain in seat["gains"]):
            shares[gain["entry"]] = shares.get(gain["entry"], Fraction()) + Fraction(gain["points"])
        for line in table["standings"]:
            cells = {
                **{name: _number(value) for name, value in line.get("values", {}).items()},
                "division": plain(table["division"]),
                "place": line["place"] or "",
                "name": plain(line["name"]),
                "points": _number(line.get("points")),
                "of_divided_seats": _number(shares.get(line["entry"])),
            }
            sheet.writerow(line | cells)
    response = Response(written.getvalue(), mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="event-{event_id}-standings.csv"'
    return response


def _tables(session: Session, event: Competition) -> list[tuple[Division, dict[str, Any]]]:
    """Return the standings of each division as data, the order of a ladder or the places of a bracket too."""
    orders = final_places.tables(session, event, visit.now())
    return [(one.division, final_places.as_data(one)) for one in orders] + [
        (one.division, standings.as_data(one)) for one in final_places.by_points(session, event)
    ]


def _number(value: str | Fraction | None) -> str:
    """Return a value as spreadsheets read it: 2, 1.5, 0.6667; empty for none."""
    return "" if value is None else f"{round(float(Fraction(value)), 4):g}"


def _as_json(event_id: int) -> Response:
    """Standings and results as data: names, never addresses; `player` is null where nobody may see a profile."""
    with reading(event_id, None) as (session, event, _, _):
        players = {one.id: one.player_id for one in entries.entrants(session, event.id)}
        shown = accounts.with_profile(session, players.values())
        tables = [
            {**data, "rounds": [_round(round, event, shown) for round in round_rows.rounds_of(session, division.id)]}
            for division, data in _tables(session, event)
        ]
    for line in (line for table in tables for line in table["standings"]):
        line["player"] = _seen(players.get(line["entry"]), shown)
    data = {
        "event": event.id,
        "name": event.name,
        "season": event.season or None,
        "title": event.title.id,
        "format": event.format,
        "status": event.status,
        "lots": event.lots if event.started_at else None,  # before, they would tell the first pairing
        "divisions": tables,
    }
    return jsonify(data)


def _seen(player: int | None, shown: Collection[int]) -> int | None:
    return player if player in shown else None


def _round(round: CompetitionRound, event: Competition, shown: Collection[int]) -> dict[str, Any]:
    return {
        "number": round.number,
        "status": round.status,
        "published_at": moment(round.published_at),
        "ends_at": moment(round.due_at),
        "matches": [
            {
                "game": match.game_id,
                "ended": match.ended or None,
                "ended_at": moment(match.ended_at),
                "source": match.source or None,
                "seats": [
                    {
                        "entry": seat.entry_id,
                        "name": seat.name,
                        "player": _seen(seat.player_id, shown),
                        "seat": None if match.is_bye else event.title.seats[seat.place],
                        "points": None if seat.points is None else str(seat.points),
                        "divided": seat.is_divided,
                        "score": seat.score,
                    }
                    for seat in match.seats
                ],
            }
            for match in round.matches
        ],
    }


@blueprint.get("/events/<number:event_id>/print")
def to_print(event_id: int) -> Response:
    """Standings, crosstable and rounds for printing."""
    voice = visit.voice()
    with reading(event_id, None) as (session, event, club, _):
        names = {entrant.id: entrant.name for entrant in entries.entrants(session, event.id)}
        divisions = all_shown(session, event, voice)
        orders = reached_shown(session, event, voice)
        played = {
            division.id: [
                round_shown(round, voice, names, title=event.title, full=False)
                for round in round_rows.rounds_of(session, division.id)
            ]
            for division in event.divisions
        }
        facts = about(session, event, voice)
    return visit.show(
        "leagues/events/print.html",
        voice=voice,
        event=event,
        club=club,
        divisions=divisions,
        rounds=played,
        facts=facts,
        orders=orders,
    )


@blueprint.get("/events/<number:event_id>/embed")
def embed(event_id: int) -> Response:
    """The standings alone, for a frame on any page: without links or buttons."""
    voice = visit.voice()
    with reading(event_id, None) as (session, event, _, _):
        divisions = all_shown(session, event, voice)
        orders = reached_shown(session, event, voice)
    response = visit.show("leagues/events/embed.html", voice=voice, event=event, divisions=divisions, orders=orders)
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'none'; base-uri 'none'; "
        "frame-ancestors *"
    )
    return response


DRAWN = Recent[bytes](100)
"""Pictures of tables, by what they show."""


@blueprint.get("/events/<number:event_id>/table.png")
@public
def table_png(event_id: int) -> Response:
    """The top of the table as a picture. 503 while another picture is drawn, 429 for a network that asks for many."""
    with reading(event_id, None) as (session, event, _, _):
        voice = voice_for(request.args.get("lang"), visit.voice())
        facts = about(session, event, voice)
        below = f"{facts['title']} · {facts['format']} · {facts['status']}"
        svg = table_picture.drawn(event.name, below, table_picture.lines_of(session, event, voice))
    png = DRAWN.find(svg)
    if png is None:
        if visit.person() is None:
            PICTURES.count(visit.place_of_request(), visit.now())
        png = picture_process.paint_at_once(lambda: svg, table_picture.WIDE)
        if png is None:
            return Response(status=503, headers={"Retry-After": "5"})
        DRAWN.keep(svg, png)
    return Response(png, mimetype="image/png")


@blueprint.get("/events/<number:event_id>/results.atom")
@public
def atom(event_id: int) -> Response:
    """The newest results, for feed readers (RFC 4287)."""
    voice, base = visit.voice(), server().config.base_url
    with reading(event_id, None) as (session, event, _, _):
        ended = standings.newest_results(session, event)
    feed = Feed(
        voice,
        f"event/{event.id}/results",
        voice.gettext("Results of {event}", event=event.name),
        updated=ended[0][1].ended_at if ended else None,
        self_address=base + url_for(".atom", event_id=event.id),
        page=url_for(".event_page", event_id=event.id),
    )
    for round, match in ended:
        assert match.ended_at is not None
        who = [(voice.person(seat.name), "" if match.ended == VOID else seat_points(seat)) for seat in match.seats]
        how = ended_in_words(voice, match)
        feed.entry(
            f"match/{match.id}",
            match.ended_at,
            " – ".join(f"{name} {points}".strip() for name, points in who) + (f" ({how})" if how else ""),
            voice.gettext("{division}, round {n}", division=event.division(round.division_id).name, n=round.number),
            url_for(".round_page", event_id=event.id, place=round.place),
        )
    return Response(feed.written(), mimetype="application/atom+xml")
