"""Rounds: their page with the reason for each pairing, the review of a draft, publishing, closing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flask import Response, request

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from app.leagues import clubs, disputes, entries, pairing_jobs, round_rows, rounds
from app.leagues.pages.common import attempt, event_for, named, number, on
from app.leagues.pages.events import blueprint
from app.leagues.pages.manage import manage
from app.leagues.pages.shown import round_shown
from app.leagues.pure.model import BYES
from app.leagues.tables import Event, EventRound
from app.leagues.term_words import BYE_NAMES
from app.web import visit
from app.web.reader import house
from engine.kernel.text import Text, quoted

if TYPE_CHECKING:
    from sqlmodel import Session


PREFIX = "/events/<number:event_id>/rounds/<number:round_id>"
SPARE = 2
"""Empty rows for byes on the page of a draft, so that somebody can be taken out of a game."""


def _round_for(session: Session, event_id: int, round_id: int) -> tuple[Event, EventRound, str | None]:
    """A round of an event and the reader's role. A draft is there for deputies only. NoSuchRound."""
    event, role = event_for(session, event_id, None)
    round = round_rows.get(session, round_id)
    if round.event_id != event.id or (round.status == "draft" and not clubs.may(role, "deputy")):
        raise round_rows.NoSuchRound(round_id)
    return event, round, role


@blueprint.get(PREFIX)
def round_page(event_id: int, round_id: int) -> Response:
    """The pairings with their reasons; of a draft the page where it is changed and published."""
    return _round(event_id, round_id)


def _round(event_id: int, round_id: int, error: str = "", status: int = 200) -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        event, round, role = _round_for(session, event_id, round_id)
        club = clubs.get(session, event.club_id)
        names = {entry.id: entry.name for entry in entries.entries(session, event.id)}
        job = pairing_jobs.newest(session, event.id).get(round.division_id) if round.status == "draft" else None
        actors = round_rows.actors_of(session, round)
        rulings = disputes.waiting_in(session, round.id) if round.status == "published" else 0
    shown = round_shown(round, voice, names, title=event.title, full=True, actors=actors)
    context: dict[str, Any] = {
        "voice": voice, "event": event, "club": club, "round": shown, "division": event.division(round.division_id),
        "may_run": clubs.may(role, "deputy"), "rulings": rulings, "error": error, "form": request.form,
    }  # fmt: skip
    if round.status != "draft":
        return visit.show("leagues/round.html", status, **context)
    seats = [seat.entry_id for match in round.matches for seat in match.seats]
    most = max(event.terms.sizes) if event.format == "tables" else 2
    about = voice.about(event.title)
    return visit.show(
        "leagues/draft.html", status, everybody=sorted((named(voice, names[entry]), entry) for entry in seats),
        sides=[about.name("seat", seat) for seat in event.title.seats[:most]], most=most,
        rows=_rows(round, most), byes=_bye_rows(round), job=job if job and job.state == "open" else None,
        kinds=[(kind, voice.gettext(name)) for kind, name in BYE_NAMES.items()], **context,
    )  # fmt: skip


def _rows(round: EventRound, most: int) -> list[list[str]]:
    """Who sits where: what was typed, on a page that comes back; else the draft, and a row to spare."""
    tables = [[str(seat.entry_id) for seat in match.seats] for match in round.matches if not match.is_bye]
    rows = [[*table, *[""] * (most - len(table))] for table in tables] + [[""] * most]
    if request.method == "POST" and "seat.1.1" in request.form:
        return [
            [request.form.get(f"seat.{n}.{place}", "") for place in range(1, most + 1)] for n in range(1, len(rows) + 1)
        ]
    return rows


def _bye_rows(round: EventRound) -> list[tuple[str, str]]:
    rows = [(str(match.seats[0].entry_id), str(match.ended)) for match in round.matches if match.is_bye]
    rows += [("", "zero_bye")] * SPARE
    if request.method == "POST" and "bye.1" in request.form:
        return [(request.form.get(f"bye.{n}", ""), request.form.get(f"kind.{n}", "")) for n in range(1, len(rows) + 1)]
    return rows


def _act(event_id: int, round_id: int, act: Callable[[int], Any], path: str, said: str) -> Response:
    me = visit.need_person()
    with house().database.read() as session:
        _round_for(session, event_id, round_id)

    def acting() -> Response:
        act(me.id)
        return on(path, said)

    def again(why: str, status: int) -> Response:
        try:
            return _round(event_id, round_id, why, status)
        except round_rows.NoSuchRound:  # thrown away meanwhile
            return manage(event_id, why, status)

    return attempt(acting, again)


@blueprint.post(PREFIX + "/edit")
def edit(event_id: int, round_id: int) -> Response:
    """Seat the draft by hand."""

    def act(me: int) -> None:
        version = number("version")
        seated: dict[int, list[int]] = {}
        free = []
        for key, value in request.form.items():
            kind, _, rest = key.partition(".")
            entry, table = whole(value), whole(rest.partition(".")[0])
            if entry is None:
                continue
            if kind == "seat" and table is not None:
                seated.setdefault(table, []).append(entry)
            elif kind == "bye":
                given = request.form.get(f"kind.{rest}", "")
                if given not in BYES:
                    raise NotAccepted("round.bye", Text("The kinds of bye are {known}.", known=quoted(BYE_NAMES)))
                free.append((entry, given))
        tables = [seats for _, seats in sorted(seated.items())]
        reason = request.form.get("reason", "")
        rounds.edit(house().database, round_id, me, version, tables, free, reason=reason, now=visit.now())

    return _act(event_id, round_id, act, f"/events/{event_id}/rounds/{round_id}", "edited")


@blueprint.post(PREFIX + "/discard")
def discard(event_id: int, round_id: int) -> Response:
    """Throw the draft away."""

    def act(me: int) -> None:
        rounds.discard(house().database, round_id, me, number("version"), now=visit.now())

    return _act(event_id, round_id, act, f"/events/{event_id}/manage", "discarded")


@blueprint.get(PREFIX + "/publish")
def publish_page(event_id: int, round_id: int) -> Response:
    """Who gets which mail, and a button."""
    me, voice = visit.need_person(), visit.voice()
    with house().database.read() as session:
        event, round, _ = _round_for(session, event_id, round_id)
        clubs.need(session, event.club_id, me.id, "deputy")
        club = clubs.get(session, event.club_id)
        names = {entry.id: entry.name for entry in entries.entries(session, event.id)}
    shown = round_shown(round, voice, names, title=event.title, full=False)
    return visit.show(
        "leagues/publish.html", voice=voice, event=event, club=club, round=shown,
        division=event.division(round.division_id), done=round.status != "draft",
        games=sum(not match.is_bye for match in round.matches),
    )  # fmt: skip


@blueprint.post(PREFIX + "/publish")
def publish(event_id: int, round_id: int) -> Response:
    """Start the games and send the mails."""

    def act(me: int) -> None:
        rounds.publish(house().database, round_id, me, number("version"), now=visit.now())

    return _act(event_id, round_id, act, f"/events/{event_id}/rounds/{round_id}", "published")


@blueprint.post(PREFIX + "/close")
def close(event_id: int, round_id: int) -> Response:
    """Close the round; games that still run are named instead."""

    def act(me: int) -> None:
        rounds.close(house().database, round_id, me, now=visit.now())

    return _act(event_id, round_id, act, f"/events/{event_id}/rounds/{round_id}", "closed")
