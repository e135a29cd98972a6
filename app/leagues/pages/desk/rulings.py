"""Rulings of an event: the list, the claim of a player, the file for those who decide, decisions and appeals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from flask import Response, url_for
from sqlmodel import Session, col, select

from app.base.words.refusals import LinkExpired, NotAllowed
from app.base.words.speech import Voice
from app.games.tables import GameStatus
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import round_rows, two_clubs
from app.leagues.pages.common import event_as, once, person_id, reader_of, reading
from app.leagues.pages.desk.acts import DeskForm, SettledProblem, blueprint
from app.leagues.pages.shown.divisions import ended_in_words, seat_points
from app.leagues.pure.model import said_points
from app.leagues.rounds import brackets
from app.leagues.rulings import applying, deciding, opening
from app.leagues.rulings.applying import DECISION_NAMES, DECISIONS
from app.leagues.tables import Competition, Match, MatchSeat, Role, Ruling, RulingDecision, RulingStatus, Source
from app.post.kept import mail_words
from app.time.time_log import said
from app.web import visit
from app.web.forms import Field, Form, Tick, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import N_, Text


class VerdictForm(DeskForm):
    """A decision and its details, for `applying.read_verdict`."""

    marks: ClassVar = {"case.days": "days", "ruling.side": "place"}

    decision: Typed = ""
    days: Typed = Field("", title=N_("Days to give"))
    place: Typed = Field("", title=N_("Who loses"))
    points: list[str]
    sure: Tick = Field(title=N_("Do it anyway"))


class AppealForm(Form):
    """The reason for an appeal."""

    appeal: Typed = Field("", title=N_("Why; the other players and the club can read it"))


class RulingWordsForm(Form):
    """A player's comments before the decision."""

    words: Typed = Field("", title=N_("What you have to say; who decides, the other players and the club can read it"))


class RulingClaimForm(Form):
    """The reason for requesting a ruling."""

    reason: Typed = Field("", title=N_("What is it about? The other players and the club can read it."))


@blueprint.get("/events/<number:event_id>/rulings")
def rulings_page(event_id: int) -> Response:
    """The rulings of an event for its organisers and referees, open ones first."""
    visit.need_person()
    voice, now = visit.voice(), visit.now()
    with reading(event_id, None) as (session, event, club, role):
        if not (club_rights.may(role, Role.DEPUTY) or club_rights.may(role, Role.REFEREE)):
            two_clubs.need_ruler(session, event, person_id() or 0)
        there = deciding.of_event(session, event_id)
        players = _players(session, [row.match_id for row in there])
        rows = [
            {
                "now": row,
                "state": state_in_words(row, voice, now),
                "waits": row.status in opening.WAITING,
                "claim": row.claim or asked_by_server(row, voice),
                "players": " – ".join(voice.person(name) for name in players.get(row.match_id, ())),
            }
            for row in there
        ]
        finished = _finished(session, event, voice) if opening.may_correct(session, event_id, person_id()) else []
    may_run = club_rights.may(role, Role.DEPUTY)
    return visit.show(
        "leagues/rulings/list.html", event=event, club=club, rows=rows, may_run=may_run, finished=finished
    )


def _players(session: Session, matches: Sequence[int]) -> dict[int, list[str]]:
    """Return the names of the players of matches, in the order of their seats."""
    found: dict[int, list[str]] = {}
    asked = select(MatchSeat).where(col(MatchSeat.match_id).in_(matches)).order_by(col(MatchSeat.place))
    for seat in session.exec(asked):
        found.setdefault(seat.match_id, []).append(seat.name)
    return found


def _finished(session: Session, event: Competition, voice: Voice) -> list[tuple[str, list[tuple[int, str]]]]:
    """Return the games with a result, by round, newest first: the numbers of their matches and who played."""
    played, _ = round_rows.of_event(session, event.id)
    found = []
    for division in event.divisions:
        for round in reversed(played.get(division.id, ())):
            over = [match for match in round.matches if match.ended and not match.is_bye]
            name = voice.gettext("Round {n}", n=round.number)
            label = name if len(event.divisions) == 1 else f"{division.name}, {name}"
            told = [(match.id, _result(voice, match)) for match in over]
            found += [(label, told)] if told else []
    return found


def _result(voice: Voice, match: Match) -> str:
    how = ended_in_words(voice, match)
    sides = [f"{voice.person(seat.name)}\N{NO-BREAK SPACE}{seat_points(seat)}".strip() for seat in match.seats]
    return " – ".join(sides) + (f" ({how})" if how else "")


def asked_by_server(row: Ruling, voice: Voice) -> str:
    """Return why the server has asked for a ruling that nobody claimed."""
    if row.case_id is not None:
        return voice.gettext("A deadline has passed.")
    if row.details.get("round_end"):
        return voice.gettext("The round is over, and this game still runs.")
    return voice.gettext("The game was cancelled.")


def state_in_words(row: Ruling, voice: Voice, now: datetime) -> str:
    """Return the state of a ruling."""
    if row.status == RulingStatus.OPEN:
        return voice.gettext("waits for a decision")
    if row.status == RulingStatus.APPEALED:
        return voice.gettext("appealed against, waits for somebody else")
    decision = voice.gettext(DECISION_NAMES[row.decision]) if row.decision else ""
    if row.status == RulingStatus.WITHDRAWN and "note" not in row.details:
        return voice.gettext("closed: the game has its result")
    if row.status == RulingStatus.WITHDRAWN:
        return voice.gettext("closed with the event: {decision}", decision=decision or voice.gettext("no decision"))
    if deciding.is_final(row, now):
        return voice.gettext("final: {decision}", decision=decision)
    return voice.gettext("decided: {decision}", decision=decision)


# -- one ruling -----------------------------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/rulings/<number:ruling_id>")
def ruling_page(event_id: int, ruling_id: int) -> Response:
    """A ruling: its players see the request and the decision, those who can decide also the file and the form."""
    return _page(visit.need_person().id, event_id, ruling_id)


def _page(me: int, event_id: int, ruling_id: int, link: str = "") -> Response:
    """Show a ruling to a player; behind the link of a mail, which is the right to decide, with nothing but that."""
    voice, now = visit.voice(), visit.now()
    with server().database.read() as session:
        event, club, role = event_as(session, event_id, me)
        row = deciding.find(session, event_id, ruling_id)
        runs = (
            club_rights.may(role, Role.DEPUTY)
            or club_rights.may(role, Role.REFEREE)
            or two_clubs.rules_in(session, event, me)
        )
        plays = me in deciding.who_played(session, row.match_id)
        if not (runs or plays):
            raise NotAllowed("ruling.role", deciding.ONLY_CONCERNED)
        packet = deciding.packet(session, event_id, ruling_id, me, voice.about(event.title))
        may_decide = deciding.may_decide(session, row, event, me)
        may_appeal = deciding.may_appeal(session, row, me, now)
        may_undo = not link and _may_undo(session, event, row, me, now) is not None
        round = deciding.round_of(session, row.match_id)
        through = event.plays_in(event.division(round.division_id)).has_bracket
        stuck = any(match.id == row.match_id for match in brackets.undecided(session, event, [round]))
    may_say = me in packet.sides and row.status in opening.WAITING
    if link and plays and not (may_say or may_appeal):
        return on_to(".ruling_page", event_id=event_id, ruling_id=ruling_id)
    if link and not (plays or may_decide):
        raise LinkExpired("ruling.link", Text("This ruling does not wait for you any more."))
    voice = voice.about(event.title)
    adjudicates = row.details.get("round_end") == "adjudicate" and row.status == RulingStatus.OPEN
    points = ["" if seat.points is None else str(seat.points) for seat in packet.match.seats]
    return visit.show(
        "leagues/rulings/ruling.html",
        voice=voice,
        event=event,
        club=club,
        row=row,
        shown=_shown(packet, voice),
        packet=packet if runs and not plays else None,
        may_decide=may_decide,
        may_appeal=may_appeal,
        may_undo=may_undo,
        runs=runs,
        plays=plays,
        may_run=club_rights.may(role, Role.DEPUTY),
        by_link=bool(link),
        decide_at=link or url_for(".decide", event_id=event.id, ruling_id=row.id),
        state=state_in_words(row, voice, now),
        words=mail_words,
        points_hint=_points_hint(event, voice, len(packet.match.seats)),
        decisions=[(one, voice.gettext(DECISION_NAMES[one])) for one in DECISIONS],
        names=packet.names,
        decided=applying.in_words(voice, row.decision, row.details, _names(packet, voice)) if row.decision else "",
        form=VerdictForm.shown(days=3, points=points, **({"decision": RulingDecision.RESULT} if adjudicates else {})),
        once=once(),
        appeal=AppealForm.shown(),
        say=RulingWordsForm.shown(words=packet.said.get(me, "")),
        may_say=may_say,
        say_at=f"{link}/words" if link else url_for(".say", event_id=event.id, ruling_id=row.id),
        appeal_at=f"{link}/appeal" if link else url_for(".appeal", event_id=event.id, ruling_id=row.id),
        final=deciding.is_final(row, now),
        through=through,
        undoes=_undoes(),
        stuck=stuck,
    )


def _shown(packet: deciding.RulingFile, voice: Voice) -> dict[str, Any]:
    """Return the file for the template."""
    game, event = packet.game, packet.event
    before = packet.ruling.details.get("first")
    return {
        "now": packet,
        "how": ended_in_words(voice, packet.match),
        "running": game is not None and not game.is_over,
        "status": "" if game is None else _status(game.status, packet.match, voice),
        "seats": [
            (voice.person(seat.name), voice.name("seat", event.title.seats[seat.place]), seat_points(seat))
            for seat in packet.match.seats
        ],
        "scores": [
            (voice.person(seat.name), packet.scores[name])
            for seat in packet.match.seats
            if (name := event.title.seats[seat.place]) in packet.scores
        ],
        "said": [
            (voice.person(seat.name), packet.said[seat.player_id])
            for seat in packet.match.seats
            if seat.player_id in packet.said
        ],
        "log": packet.log[-60:],
        "orders": [(voice.name("seat", one.seat), one.number, one.orders, one.made_at) for one in packet.orders[:60]],
        "clock": [
            (one.at, text) for one in packet.clock[-60:] if game is not None and (text := said(one, game, voice))
        ],
        "mails": [
            (mail_words.mail_kind(voice, one.mail.kind), voice.person(one.name or ""), one) for one in packet.mails[:60]
        ],
        "first": None
        if not before
        else (applying.in_words(voice, before["decision"], before, _names(packet, voice)), before["reason"]),
    }


def _names(packet: deciding.RulingFile, voice: Voice) -> list[str]:
    return [voice.person(seat.name) for seat in packet.match.seats]


def _undoes() -> bool:
    """Whether the form was refused since it would end games."""
    refused = visit.refused()
    return refused is not None and refused.no.code == deciding.UNDOES


def _points_hint(event: Competition, voice: Voice, seats: int) -> str:
    """Say which points are set: not those of the board, with which they are easily taken for one another."""
    terms = event.terms
    if seats > 2:
        return voice.gettext("Points of the table of the event, not those on the board.")
    return voice.gettext(
        "Points of the table of the event, not those on the board: {win} for a win, {draw} for a draw, {loss} for a"
        " loss.",
        win=said_points(terms.worth.win),
        draw=said_points(terms.worth.draw),
        loss=said_points(terms.worth.loss),
    )


def _status(status: str, match: Match, voice: Voice) -> str:
    if status == GameStatus.CANCELLED and match.ended and match.source == Source.RULING:
        return voice.gettext("the game was ended by a ruling")
    words = {
        "running": voice.gettext("the game runs"),
        "over": voice.gettext("the game is over"),
        "cancelled": voice.gettext("the game is cancelled"),
    }
    return words.get(status, status)


@blueprint.post("/events/<number:event_id>/rulings/<number:ruling_id>")
@answers(VerdictForm, again=ruling_page)
def decide(form: VerdictForm, event_id: int, ruling_id: int) -> Response:
    """Decide, or decide the appeal; once."""
    done = _decide(form, visit.need_person().id, event_id, ruling_id)
    said = "ruling-decided" if done else "desk-before"
    return on_to(".ruling_page", said, event_id=event_id, ruling_id=ruling_id)


def _decide(form: VerdictForm, me: int, event_id: int, ruling_id: int) -> bool:
    """Decide as a player; return False if the same form did so before."""
    with Work(server().database) as work:
        row = deciding.find(work.session, event_id, ruling_id)
        _, match = deciding.match_of(work.session, row.match_id)
        verdict = applying.read_verdict(form.decision, form.days, form.place, form.points, len(match.seats))
        asked = ActRequest(me, form.reason, form.once, sure=form.sure)
        return deciding.decide(work, event_id, ruling_id, verdict, asked, now=visit.now())


def _of_link(token: str) -> tuple[int, int, int]:
    """Return the event and the ruling that a mailed link is about, and whom it asks."""
    ruling_id, player_id = visit.asked("ruling", token)
    with server().database.read() as session:
        row = session.get(Ruling, ruling_id)
    if row is None:
        raise deciding.NoSuchRuling(ruling_id)
    return row.event_id, ruling_id, player_id


@blueprint.get("/asked/ruling/<token>")
def asked_page(token: str) -> Response:
    """Show a ruling to whom a mail asks for it. Changes nothing."""
    event_id, ruling_id, player_id = _of_link(token)
    return _page(player_id, event_id, ruling_id, url_for(".decide_asked", token=token))


@blueprint.post("/asked/ruling/<token>")
@by_link
@answers(VerdictForm, again=asked_page)
def decide_asked(form: VerdictForm, token: str) -> Response:
    """Decide: the link is the right to do so while the ruling waits for its reader."""
    event_id, ruling_id, player_id = _of_link(token)
    _decide(form, player_id, event_id, ruling_id)
    said = visit.voice().gettext("The decision holds, and both sides are told.")
    return _thanked(said, url_for(".ruling_page", event_id=event_id, ruling_id=ruling_id))


def _thanked(said: str, page: str) -> Response:
    """Thank the reader for an answer by the link of a mail, with the way on to `page`."""
    return visit.message(200, visit.voice().gettext("Thank you"), said, back=page)


@blueprint.post("/asked/ruling/<token>/words")
@by_link
@answers(RulingWordsForm, again=asked_page)
def say_asked(form: RulingWordsForm, token: str) -> Response:
    """Record what a player says, by the link of the mail."""
    event_id, ruling_id, player_id = _of_link(token)
    deciding.say(server().database, event_id, ruling_id, player_id, form.words, now=visit.now())
    return on_to(".asked_page", "ruling-said", token=token)


@blueprint.post("/asked/ruling/<token>/appeal")
@by_link
@answers(AppealForm, again=asked_page)
def appeal_asked(form: AppealForm, token: str) -> Response:
    """Appeal against a decision, by the link of the mail."""
    event_id, ruling_id, player_id = _of_link(token)
    deciding.appeal(server().database, event_id, ruling_id, player_id, form.appeal, now=visit.now())
    said = visit.voice().gettext("Somebody else than who decided looks at it again, and that is final.")
    return _thanked(said, url_for("events.event_page", event_id=event_id))


@blueprint.post("/events/<number:event_id>/rulings/<number:ruling_id>/words")
@answers(RulingWordsForm, again=ruling_page)
def say(form: RulingWordsForm, event_id: int, ruling_id: int) -> Response:
    """Record a player's comments before the decision."""
    me = visit.need_person()
    deciding.say(server().database, event_id, ruling_id, me.id, form.words, now=visit.now())
    return on_to(".ruling_page", "ruling-said", event_id=event_id, ruling_id=ruling_id)


@blueprint.post("/events/<number:event_id>/rulings/<number:ruling_id>/appeal")
@answers(AppealForm, again=ruling_page)
def appeal(form: AppealForm, event_id: int, ruling_id: int) -> Response:
    """Appeal against a decision."""
    me = visit.need_person()
    deciding.appeal(server().database, event_id, ruling_id, me.id, form.appeal, now=visit.now())
    return on_to(".ruling_page", "ruling-appealed", event_id=event_id, ruling_id=ruling_id)


# -- taking a decision back -----------------------------------------------------------------------------


def _may_undo(session: Session, event: Competition, row: Ruling, player_id: int, now: datetime) -> int | None:
    """Return the act of the trail that this ruler can undo; None if there is none."""
    if not two_clubs.rules_in(session, event, player_id) or player_id in deciding.who_played(session, row.match_id):
        return None
    return deciding.decided_by_act(session, row, now)


@blueprint.get("/events/<number:event_id>/rulings/<number:ruling_id>/undo")
def undo_ruling_page(event_id: int, ruling_id: int) -> Response:
    """Show what undoing a decision does, with a form for the reason; also for rulers without a desk."""
    me, voice = visit.need_person(), visit.voice()
    with reading(event_id, None) as (session, event, club, _):
        row = deciding.find(session, event_id, ruling_id)
        two_clubs.need_ruler(session, event, me.id)
        act = _may_undo(session, event, row, me.id, visit.now())
        packet = deciding.packet(session, event_id, ruling_id, me.id, voice.about(event.title))
    if act is None and visit.refused() is None:
        raise SettledProblem("desk.settled", Text("This act cannot be undone any more."))
    return visit.show(
        "leagues/rulings/undo.html",
        event=event,
        club=club,
        row=row,
        act_id=act,
        decided=applying.in_words(voice, row.decision, row.details, _names(packet, voice)) if row.decision else "",
        form=DeskForm.shown(),
        once=once(),
    )


@blueprint.post("/events/<number:event_id>/rulings/<number:ruling_id>/undo")
@answers(DeskForm, again=undo_ruling_page)
def undo_ruling(form: DeskForm, event_id: int, ruling_id: int) -> Response:
    """Undo a decision, once."""
    me, now = visit.need_person(), visit.now()
    asked = ActRequest(me.id, form.reason, form.once)
    done = deciding.undo(server().database, event_id, ruling_id, asked, now=now)
    return on_to(".ruling_page", "desk-undone" if done else "desk-before", event_id=event_id, ruling_id=ruling_id)


# -- claiming -------------------------------------------------------------------------------------------


@blueprint.get("/events/<number:event_id>/claim/<number:match_id>")
def claim_page(event_id: int, match_id: int) -> Response:
    """The form with which a player asks for a ruling, or a neutral organiser sets a result; 403 for others."""
    me, voice = visit.need_person(), visit.voice()
    with reading(event_id, None) as (session, event, club, _):
        number, match = deciding.match_in(session, event_id, match_id)
        own = me.id in {seat.player_id for seat in match.seats}
        has_game = bool(match.ended or match.game_id)
        corrects = not own and has_game and opening.may_correct(session, event_id, me.id)
    return visit.show(
        "leagues/rulings/claim.html",
        200 if own or corrects else 403,
        event=event,
        club=club,
        round=number,
        players=voice.join([voice.person(seat.name) for seat in match.seats]),
        game=match.game_id,
        form=ResultForm.shown() if corrects else RulingClaimForm.shown(),
        match_id=match_id,
        own=own,
        corrects=corrects,
        points_hint=_points_hint(event, voice, len(match.seats)),
        undoes=_undoes(),
        ended=bool(match.ended),
        result=_result(voice, match) if corrects else "",
        sides=[voice.person(seat.name) for seat in match.seats],
        points=["" if seat.points is None else str(seat.points) for seat in match.seats],
        once=once(),
    )


class ResultForm(DeskForm):
    """The points of each side."""

    points: list[str]
    sure: Tick = Field(title=N_("Do it anyway"))


@blueprint.post("/events/<number:event_id>/result/<number:match_id>")
@answers(ResultForm, again=claim_page)
def set_result(form: ResultForm, event_id: int, match_id: int) -> Response:
    """Set the result of a game; once."""
    me = reader_of(event_id, None)
    asked = ActRequest(me, form.reason, form.once, sure=form.sure)
    done = deciding.set_result(server().database, event_id, match_id, form.points, asked, now=visit.now())
    return on_to(".rulings_page", "ruling-decided" if done else "desk-before", event_id=event_id)


@blueprint.post("/events/<number:event_id>/claim/<number:match_id>")
@answers(RulingClaimForm, again=claim_page)
def claim(form: RulingClaimForm, event_id: int, match_id: int) -> Response:
    """Ask for a ruling."""
    me = reader_of(event_id, None)
    ruling_id = deciding.claim(server().database, event_id, match_id, me, form.reason, now=visit.now())
    return on_to(".ruling_page", "ruling-claimed", event_id=event_id, ruling_id=ruling_id)
