"""Rulings of an event: the list, the claim of a player, the file for those who decide, decisions and appeals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Literal

from flask import Response, url_for
from sqlmodel import Session, col, select

from app.base.words.refusals import LinkExpired, NotAllowed
from app.base.words.speech import Voice
from app.games.tables import GameStatus
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import round_rows, two_clubs
from app.leagues.pages.common import asked_row, event_as, once, person_id, reader_of, reading, thanked
from app.leagues.pages.desk.acts import DeskForm, blueprint
from app.leagues.pages.shown.divisions import ended_in_words, seat_points
from app.leagues.pure.model import said_points
from app.leagues.rounds import brackets
from app.leagues.rulings import applying, deciding, opening
from app.leagues.rulings.applying import DECISION_NAMES
from app.leagues.tables import Competition, Match, MatchSeat, Role, Ruling, RulingDecision, RulingStatus, Source
from app.post.kept import mail_words
from app.time.time_log import said
from app.web import visit
from app.web.forms import Field, Form, Tick, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import N_, Text


class ResultForm(DeskForm):
    """The points of each side."""

    points: list[str]
    sure: Tick = Field(title=N_("Do it anyway"))


class RulingForm(ResultForm):
    """What is done with a ruling, and why: a decision with its details is for `applying.read_verdict`; a player speaks
    before it, or appeals against it."""

    marks: ClassVar = {"case.days": "days", "ruling.side": "place"}

    do: Literal["decide", "say", "appeal", "undo"] = "decide"
    decision: Typed = ""
    days: Typed = Field("", title=N_("Days to give"))
    place: Typed = Field("", title=N_("Who loses"))


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
        finished = _finished(session, event, voice) if opening.may_correct(session, event_id, person_id()) else []
    return visit.show(
        "leagues/rulings/list.html",
        event=event,
        club=club,
        rows=[(row, state_in_words(row, voice, now), players.get(row.match_id, ())) for row in there],
        may_run=club_rights.may(role, Role.DEPUTY),
        finished=finished,
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
            name = voice.gettext("Round %(n)s", n=round.number)
            label = name if len(event.divisions) == 1 else f"{division.name}, {name}"
            told = [(match.id, _result(voice, match)) for match in over]
            found += [(label, told)] if told else []
    return found


def _result(voice: Voice, match: Match) -> str:
    how = ended_in_words(voice, match)
    sides = [f"{voice.person(seat.name)}\N{NO-BREAK SPACE}{seat_points(seat)}".strip() for seat in match.seats]
    return " – ".join(sides) + (f" ({how})" if how else "")


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
        voice = voice.about(event.title)
        row = deciding.find(session, event_id, ruling_id)
        rules = two_clubs.rules_in(session, event, me)
        runs = club_rights.may(role, Role.DEPUTY) or club_rights.may(role, Role.REFEREE) or rules
        plays = me in deciding.who_played(session, row.match_id)
        if not (runs or plays):
            raise NotAllowed("ruling.role", deciding.ONLY_CONCERNED)
        packet = deciding.packet(session, event_id, ruling_id, me, voice)
        may_decide = deciding.may_decide(session, row, event, me)
        may_appeal = deciding.may_appeal(session, row, me, now)
        may_undo = not link and rules and not plays and deciding.decided_by_act(session, row, now) is not None
        round = deciding.round_of(session, row.match_id)
        through = event.plays_in(event.division(round.division_id)).has_bracket
        stuck = any(match.id == row.match_id for match in brackets.undecided(session, event, [round]))
    may_say = me in packet.sides and row.status in opening.WAITING
    if link and plays and not (may_say or may_appeal):
        return on_to(".ruling_page", event_id=event_id, ruling_id=ruling_id)
    if link and not (plays or may_decide):
        raise LinkExpired("ruling.link", Text("This does not wait for your answer any more."))
    adjudicates = row.details.get("round_end") == "adjudicate" and row.status == RulingStatus.OPEN
    names, first = [voice.person(seat.name) for seat in packet.match.seats], row.details.get("first")
    return visit.show(
        "leagues/rulings/ruling.html",
        voice=voice,
        event=event,
        club=club,
        row=row,
        packet=packet,
        seats=[(seat, voice.person(seat.name), seat_points(seat)) for seat in packet.match.seats],
        how=ended_in_words(voice, packet.match),
        clock=[(one.at, packet.game and said(one, packet.game, voice)) for one in packet.clock[-deciding.LISTED :]],
        its_game=_status(packet),
        may_decide=may_decide,
        may_appeal=may_appeal,
        may_say=may_say,
        may_undo=may_undo,
        runs=runs,
        plays=plays,
        may_run=club_rights.may(role, Role.DEPUTY),
        act_at=link or url_for(".act_on_ruling", event_id=event.id, ruling_id=row.id),
        by_link=bool(link),
        state=state_in_words(row, voice, now),
        words=mail_words,
        points_hint=_points_hint(event, voice, len(names)),
        decisions=DECISION_NAMES,
        decided=applying.in_words(voice, row.decision, row.details, names) if row.decision else "",
        first=first and (applying.in_words(voice, first["decision"], first, names), first["reason"]),
        form=RulingForm.shown(
            days=3,
            points=_points(packet.match),
            reason=packet.said.get(me, ""),
            decision=RulingDecision.RESULT if adjudicates else "",
        ),
        once=once(),
        final=deciding.is_final(row, now),
        through=through,
        undoes=_undoes(),
        stuck=stuck,
    )


def _points(match: Match) -> list[str]:
    """Return the points of a match as the fields of a form have them."""
    return ["" if seat.points is None else str(seat.points) for seat in match.seats]


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


def _status(packet: deciding.RulingFile) -> str:
    match, game = packet.match, packet.game
    if game is None:
        return ""
    if game.status == GameStatus.CANCELLED and match.ended and match.source == Source.RULING:
        return N_("the game was ended by a ruling")
    words = {
        "running": N_("the game runs"),
        "over": N_("the game is over"),
        "cancelled": N_("the game is cancelled"),
    }
    return words[game.status]


@blueprint.post("/events/<number:event_id>/rulings/<number:ruling_id>")
@answers(RulingForm, again=ruling_page)
def act_on_ruling(form: RulingForm, event_id: int, ruling_id: int) -> Response:
    """Decide, also an appeal; speak before the decision, appeal against it, or undo it; once."""
    said = _act(form, visit.need_person().id, event_id, ruling_id)
    return on_to(".ruling_page", said, event_id=event_id, ruling_id=ruling_id)


def _act(form: RulingForm, me: int, event_id: int, ruling_id: int) -> str:
    """Act on a ruling as a player; return what a page says of it."""
    database, now, ruling = server().database, visit.now(), (event_id, ruling_id)
    asked = ActRequest(me, form.reason, form.once, sure=form.sure)
    if form.do == "say":
        deciding.say(database, *ruling, me, form.reason, now=now)
        return "ruling-said"
    if form.do == "appeal":
        deciding.appeal(database, *ruling, me, form.reason, now=now)
        return "ruling-appealed"
    if form.do == "undo":
        return "desk-undone" if deciding.undo(database, *ruling, asked, now=now) else "desk-before"
    with Work(database) as work:
        row = deciding.find(work.session, *ruling)
        _, match = deciding.match_of(work.session, row.match_id)
        verdict = applying.read_verdict(form.decision, form.days, form.place, form.points, len(match.seats))
        return "ruling-decided" if deciding.decide(work, *ruling, verdict, asked, now=now) else "desk-before"


@blueprint.get("/asked/ruling/<token>")
def asked_page(token: str) -> Response:
    """Show a ruling to whom a mail asks for it. Changes nothing."""
    event_id, ruling_id, player_id = asked_row("ruling", token, Ruling)
    return _page(player_id, event_id, ruling_id, url_for(".act_asked", token=token))


THANKS = {
    "decide": N_("The decision holds, and both sides are told."),
    "appeal": N_("Your appeal is on its way to a person who has not decided before."),
}


@blueprint.post("/asked/ruling/<token>")
@by_link
@answers(RulingForm, again=asked_page)
def act_asked(form: RulingForm, token: str) -> Response:
    """Decide, speak or appeal: the link is the right to do so while the ruling waits for its reader."""
    event_id, ruling_id, player_id = asked_row("ruling", token, Ruling)
    if form.do == "undo":  # this takes a sign-in
        return on_to(".ruling_page", event_id=event_id, ruling_id=ruling_id)
    said = _act(form, player_id, event_id, ruling_id)
    if form.do not in THANKS:
        return on_to(".asked_page", said, token=token)
    return thanked(visit.voice().gettext(THANKS[form.do]), url_for("events.event_page", event_id=event_id))


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
        points=_points(match),
        once=once(),
    )


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
