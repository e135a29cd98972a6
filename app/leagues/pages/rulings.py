"""Rulings of an event: the list, the claim of a player, the packet for who decides, decisions and appeals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Response, request

from app.base.refusals import NotAllowed
from app.leagues import audit, brackets, clubs, disputes, opening, outcomes, verdicts
from app.leagues.pages.common import attempt, event_for, named, on, person_id, typed
from app.leagues.pages.desk import blueprint, once
from app.leagues.pages.shown import ended_in_words, seat_points
from app.leagues.pure.model import VOID
from app.leagues.tables import Event, Match
from app.leagues.verdicts import DECISION_NAMES, DECISIONS
from app.post.mail_words import mail_kind, mail_states
from app.time.time_log import said
from app.web import visit
from app.web.reader import house

if TYPE_CHECKING:
    from app.base.speech import Voice


@blueprint.get("/events/<number:event_id>/rulings")
def rulings_page(event_id: int) -> Response:
    """The rulings of an event for its organisers and referees, those that wait first."""
    visit.need_person()
    voice, now = visit.voice(), visit.now()
    with house().database.read() as session:
        event, role = event_for(session, event_id, None)
        if not (clubs.may(role, "deputy") or clubs.may(role, "referee")):
            clubs.need(session, event.club_id, person_id(), "referee")
        club = clubs.get(session, event.club_id)
        rows = [
            {
                "id": row.id, "round": row.round, "table": row.table, "game": row.game_id, "at": row.opened_at,
                "state": state_in_words(row, voice, now), "waits": row.status in opening.WAITING,
                "claim": row.claim or asked_by_server(row, voice),
            }
            for row in disputes.of_event(session, event_id)
        ]  # fmt: skip
    return visit.show(
        "leagues/rulings/list.html", voice=voice, event=event, club=club, rows=rows,
        may_run=clubs.may(role, "deputy"),
    )  # fmt: skip


def asked_by_server(row: Any, voice: Voice) -> str:
    """Why the server has asked for a ruling that nobody claimed."""
    if row.case_id is not None:
        return voice.gettext("A deadline has passed.")
    return voice.gettext("The game was cancelled.")


def state_in_words(row: Any, voice: Voice, now: Any) -> str:
    """Where a ruling stands."""
    if row.status == "open":
        return voice.gettext("waits for a decision")
    if row.status == "appealed":
        return voice.gettext("appealed against, waits for somebody else")
    decision = voice.gettext(DECISION_NAMES[row.decision]) if row.decision else ""
    if row.status == "withdrawn":
        return voice.gettext("closed with the event: {decision}", decision=decision or voice.gettext("no decision"))
    if disputes.is_final(row, now):
        return voice.gettext("final: {decision}", decision=decision)
    return voice.gettext("decided: {decision}", decision=decision)


# -- one ruling -----------------------------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/rulings/<number:ruling_id>")
def ruling_page(event_id: int, ruling_id: int) -> Response:
    """A ruling: to its players what is asked and decided, to who can decide the packet and the form."""
    visit.need_person()
    return _ruling(event_id, ruling_id)


def _ruling(event_id: int, ruling_id: int, error: str = "", status: int = 200) -> Response:
    me, now = visit.need_person(), visit.now()
    voice = visit.voice()
    with house().database.read() as session:
        event, role = event_for(session, event_id, None)
        row = disputes.find(session, event_id, ruling_id)
        runs = clubs.may(role, "deputy") or clubs.may(role, "referee")
        plays = me.id in disputes.who_played(session, row.match_id)
        if not (runs or plays):
            raise NotAllowed("ruling.role", disputes.ONLY_CONCERNED)
        club = clubs.get(session, event.club_id)
        packet = disputes.packet(session, event_id, ruling_id, me.id, voice.about(event.title))
        may_decide = disputes.may_decide(session, row, event.club_id, me.id)
        may_appeal = disputes.may_appeal(session, row, me.id, now)
        round = disputes.round_of(session, row.match_id)
        through = outcomes.needs_winner(session, event, round.division_id)
        stuck = any(match.id == row.match_id for match in brackets.undecided(session, event, [round]))
    voice = voice.about(event.title)
    return visit.show(
        "leagues/rulings/ruling.html", status, voice=voice, event=event, club=club, row=row, error=error,
        shown=_shown(packet, voice), packet=packet if runs and not plays else None, may_decide=may_decide,
        may_appeal=may_appeal, runs=runs, plays=plays,
        may_run=clubs.may(role, "deputy"), state=state_in_words(row, voice, now),
        decisions=[(one, voice.gettext(DECISION_NAMES[one])) for one in DECISIONS], names=packet.names,
        decided=verdicts.in_words(voice, row.decision, row.details, _names(packet, voice)) if row.decision else "",
        chosen=typed("decision"),
        days=typed("days", "3"), reason=typed("reason"), place=typed("place"), appeal=typed("appeal"),
        points=request.form.getlist("points")
        or ["" if seat.points is None else str(seat.points) for seat in packet.match.seats],
        once=once(), final=disputes.is_final(row, now), through=through, stuck=stuck,
        may_open=clubs.may(role, "deputy"),
    )  # fmt: skip


def _shown(packet: disputes.Packet, voice: Voice) -> dict[str, Any]:
    """The packet for the template."""
    game, event = packet.game, packet.event
    states = mail_states(voice)
    before = packet.ruling.details.get("first")
    return {
        "round": packet.round,
        "game": packet.match.game_id, "how": ended_in_words(voice, packet.match),
        "void": packet.match.ended == VOID,
        "status": "" if game is None else _status(game.status, packet.match, voice),
        "seats": [
            (named(voice, seat.name), voice.name("seat", event.title.seats[seat.place]), seat_points(seat))
            for seat in packet.match.seats
        ],
        "log": packet.log[-60:],
        "orders": [(voice.name("seat", one.seat), one.number, one.orders, one.made_at) for one in packet.orders[:60]],
        "clock": [
            (one.at, text) for one in packet.clock[-60:] if game is not None and (text := said(one, game, voice))
        ],
        "mails": [
            (
                one.made_at, mail_kind(voice, one.kind),
                named(voice, one.name or ""), states[one.state], one.sent_at, one.last_error or "",
            )
            for one in packet.mails[:60]
        ],
        "first": None
        if not before
        else (verdicts.in_words(voice, before["decision"], before, _names(packet, voice)), before["reason"]),
    }  # fmt: skip


def _names(packet: disputes.Packet, voice: Voice) -> list[str]:
    return [named(voice, seat.name) for seat in packet.match.seats]


def _status(status: str, match: Match, voice: Voice) -> str:
    if status == "cancelled" and match.ended and match.source == "ruling":
        return voice.gettext("the game was ended by a ruling")
    words = {
        "running": voice.gettext("the game runs"),
        "over": voice.gettext("the game is over"),
        "cancelled": voice.gettext("the game is cancelled"),
    }
    return words.get(status, status)


@blueprint.post("/events/<number:event_id>/rulings/<number:ruling_id>")
def decide(event_id: int, ruling_id: int) -> Response:
    """Decide, or decide the appeal; once."""
    me = visit.need_person()

    def go() -> Response:
        form = request.form
        with house().database.read() as session:
            row = disputes.find(session, event_id, ruling_id)
            _, match = disputes.match_of(session, row.match_id)
        verdict = verdicts.read_verdict(
            form.get("decision", ""), form.get("days", ""), form.get("place", ""), form.getlist("points"),
            len(match.seats),
        )  # fmt: skip
        done = disputes.decide(
            house().database, event_id, ruling_id, me.id, verdict, reason=form.get("reason", ""),
            token=audit.read_token(form.get("once", "")), now=visit.now(),
        )  # fmt: skip
        return on(f"/events/{event_id}/rulings/{ruling_id}", "ruling-decided" if done else "desk-before")

    return attempt(go, lambda why, status: _ruling(event_id, ruling_id, why, status))


@blueprint.post("/events/<number:event_id>/rulings/<number:ruling_id>/appeal")
def appeal(event_id: int, ruling_id: int) -> Response:
    """Appeal against a decision."""
    me = visit.need_person()

    def go() -> Response:
        text = request.form.get("appeal", "")
        disputes.appeal(house().database, event_id, ruling_id, me.id, text, now=visit.now())
        return on(f"/events/{event_id}/rulings/{ruling_id}", "ruling-appealed")

    return attempt(go, lambda why, status: _ruling(event_id, ruling_id, why, status))


# -- claiming -------------------------------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/claim/<number:match_id>")
def claim_page(event_id: int, match_id: int) -> Response:
    """The form with which a player asks for a ruling; 403 for who does not play in the game."""
    visit.need_person()
    return _claim(event_id, match_id)


def _match(event_id: int, match_id: int) -> tuple[Event, int, Any]:
    with house().database.read() as session:
        event, _ = event_for(session, event_id, None)
        number, match = disputes.match_in(session, event_id, match_id)
    return event, number, match


def _claim(event_id: int, match_id: int, error: str = "", status: int = 200) -> Response:
    me, voice = visit.need_person(), visit.voice()
    event, number, match = _match(event_id, match_id)
    with house().database.read() as session:
        club = clubs.get(session, event.club_id)
    own = me.id in {seat.player_id for seat in match.seats}
    return visit.show(
        "leagues/rulings/claim.html", status if own else 403, voice=voice, event=event, club=club, round=number,
        error=error, players=voice.join([named(voice, seat.name) for seat in match.seats]), game=match.game_id,
        reason=typed("reason"), match_id=match_id, own=own,
    )  # fmt: skip


@blueprint.post("/events/<number:event_id>/claim/<number:match_id>")
def claim(event_id: int, match_id: int) -> Response:
    """Ask for a ruling."""
    me = visit.need_person()
    _match(event_id, match_id)

    def go() -> Response:
        text = request.form.get("reason", "")
        ruling_id = disputes.claim(house().database, event_id, match_id, me.id, text, now=visit.now())
        return on(f"/events/{event_id}/rulings/{ruling_id}", "ruling-claimed")

    return attempt(go, lambda why, status: _claim(event_id, match_id, why, status))
