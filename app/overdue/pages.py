"""Cases for operators, the link by which a late seat's game is claimed, and the clock on the page of a game."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from flask import Blueprint, Response, url_for
from sqlalchemy import select
from sqlmodel import Session, col

from app.base.words.speech import FORMER_PLAYER, Voice
from app.clocks.pace import Stage
from app.games.store import GameNow
from app.overdue import rulings, stages
from app.people.tables import Player
from app.post.kept import mail_words
from app.time import open_cases, pending
from app.time.case_words import ruling_in_words
from app.time.pace_words import acts_in_words, after_in_words, pace_in_words, span
from app.time.tables import CaseKind, CaseState, NoteKind
from app.time.time_log import said
from app.titles.registry import TITLES
from app.web import visit
from app.web.forms import Form, Says, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import Text

blueprint = Blueprint("cases", __name__)

MOST_EVENTS = 40


# -- the clock of a game ------------------------------------------------------------------------------


def clock_of(session: Session, game: GameNow, seat: str | None, voice: Voice) -> dict[str, Any]:
    """Return what a game's page says about time: the pace, what follows a deadline, what has happened, and the running
    case."""
    events = pending.events(session, game.id)[-MOST_EVENTS:]
    # A player's absence is only shown to those who play with them.
    events = [event for event in events if seat is not None or event.kind != NoteKind.LEAVE]
    told = [(event.at, sentence) for event in events if (sentence := said(event, game, voice))]
    box: dict[str, Any] = {
        "pace": pace_in_words(voice, game.pace, pending.calendar_of_game(session, game.id)),
        "after": after_in_words(voice, game.pace),
        "log": told[::-1],
        "case": None,
    }
    if game.pace.has_bank and not game.is_over:
        box["banks"] = [(seated.seat, span(voice, (seated.bank or 0) // 3600 * 3600)) for seated in game.seats]
    case = None if game.is_over else open_cases.running(session, game.id)
    if case is None or case.number != game.number:
        return box
    coming: Sequence[tuple[datetime, Stage]] = ()
    decision = pending.owed(session, game.id)
    if case.kind == CaseKind.TIME and decision is not None:
        coming = stages.stages_to_come(session, decision, case, game.pace)
    claim = ""
    if seat is not None and rulings.can_claim(game, case, seat):
        token = server().links.sign("claim", [case.id, seat, game.seated(seat).player_id])
        claim = url_for("cases.claim", token=token)
    box["case"] = {
        "id": case.id,
        "kind": case.kind,
        "late": voice.who(game.seated(case.seat)),
        "claim": claim,
        "coming": [(at, acts_in_words(voice, stage)) for at, stage in coming if stage.do],
    }
    return box


# -- the desk of an operator --------------------------------------------------------------------------


@blueprint.get("/cases")
def open_cases_page() -> Response:
    """Show all running cases, those that wait for a ruling first."""
    visit.need_operator()
    voice = visit.voice()
    with server().database.read() as session:
        found = rulings.open_ones(session)
    rows = [
        {
            "id": row.id,
            "game": row.game_id,
            "kind": row.kind,
            "since": row.opened_at,
            "title": voice.gettext(TITLES[title].name),
            "late": name or voice.gettext(FORMER_PLAYER),
            "waits": row.kind == CaseKind.MAIL or row.state in (CaseState.FLAGGED, CaseState.RULED),
        }
        for row, title, name in found
        if title in TITLES
    ]
    return visit.show("overdue/list.html", voice=voice, rows=rows)


class RulingForm(Form):
    """An operator's ruling."""

    ruling: Typed = ""
    reason: Typed = ""
    days: Typed = "3"


@blueprint.get("/cases/<number:case_id>")
def case_page(case_id: int) -> Response:
    """Show one case: the game, its clock, the mails and their fate, and how to rule."""
    visit.need_operator()
    with server().database.read() as session:
        packet = rulings.packet(session, case_id)
        calendar = pending.calendar_of_game(session, packet.game.id)
        by = session.scalar(select(col(Player.name)).where(col(Player.id) == packet.case.ruled_by))
    voice = visit.voice().about(packet.game.title)
    case = packet.case
    is_ruled = case.state == CaseState.RULED
    late = packet.late or voice.gettext(FORMER_PLAYER)
    causes = {"mail": voice.gettext("a mail that did not arrive"), "outage": voice.gettext("the server was down")}
    return visit.show(
        "overdue/case.html",
        voice=voice,
        packet=packet,
        case=case,
        game=packet.game,
        late=late,
        cause=causes.get(case.cause, ""),
        by=by or "",
        form=RulingForm.shown(),
        pace=pace_in_words(voice, packet.game.pace, calendar),
        after=after_in_words(voice, packet.game.pace),
        log=[(event.at, text) for event in packet.log if (text := said(event, packet.game, voice))],
        ruling=ruling_in_words(voice, case.ruling, late, case.reason) if is_ruled and case.reason else "",
        words=mail_words,
        mail_kind=mail_words.mail_kind,
    )


@blueprint.post("/cases/<number:case_id>")
@answers(RulingForm, again=case_page)
def rule(form: RulingForm, case_id: int) -> Response:
    """Rule; pressing twice has the effect once."""
    me, now = visit.need_operator(), visit.now()
    rulings.rule(server().database, case_id, me.id, form.ruling, form.reason, days=form.days, now=now)
    return on_to(".case_page", "ruled", case_id=case_id)


# -- claiming -----------------------------------------------------------------------------------------


@blueprint.get("/claim/<token>")
def claim(token: str) -> Response:
    """Show what can be claimed, and two buttons."""
    case_id, seat, player_id = visit.asked_of_seat("claim", token)
    with server().database.read() as session:
        game, case = rulings.look_at_claim(session, case_id, seat, player_id)
    voice = visit.voice().about(game.title)
    return visit.show(
        "overdue/claim.html",
        voice=voice,
        link=token,
        game=game,
        case=case,
        late=voice.who(game.seated(case.seat)),
        wins=len(game.seats) == 2,
    )


class ClaimForm(Form):
    """Claim or wait."""

    answer: Annotated[Literal["claim"], Says("answer.none", Text("Choose one of what is offered."))]


@blueprint.post("/claim/<token>")
@by_link
@answers(ClaimForm, again=claim)
def answer_claim(form: ClaimForm, token: str) -> Response:
    """Claim or wait, without a login: the link is the authorisation."""
    voice, now, asked = visit.voice(), visit.now(), visit.asked_of_seat("claim", token)
    if rulings.claim(server().database, *asked, now=now).is_over:
        text = voice.gettext("The game is over, and you have won on time.")
    else:
        text = voice.gettext("The late player has left the game, and you others go on.")
    return visit.message(200, voice.gettext("Claimed"), text)
