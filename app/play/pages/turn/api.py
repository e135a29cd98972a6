"""Turn links: one address for people and programs. GET shows and changes nothing; POST answers the decision.

What a program gets is made here; what a person gets, in `page`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, make_response, redirect, request, url_for
from flask import session as flask_session
from sqlmodel import Session

from app.base.links import BadLink, TurnLink
from app.base.stored.columns import moment, write_json
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore, NoSuchGame
from app.games.work import Work
from app.overdue import nudges
from app.play.agreed import results
from app.play.pages.turn import asked
from app.play.pages.turn import ends as turn_ends
from app.play.pages.turn import held as turn_held
from app.play.pages.turn import page as turn_page
from app.play.pages.turn import sending as turn_sending
from app.play.pages.turn.form import is_from_the_page
from app.play.pages.turn.waits import next_link, unknown
from app.play.pages.turnstile import one_at_a_time
from app.play.turn import chat_and_notes, holding, turns
from app.play.turn.choosing import touches_in
from app.post.kept import ledger
from app.web import pocket, visit
from app.web.errors import answer, json_error
from app.web.forms import SureForm
from app.web.gates import request_limits
from app.web.gates.csrf import by_link
from app.web.reader import server, voice_of, voice_of_request, wants_json
from engine.kernel.title import Choice

blueprint = Blueprint("turn", __name__)

OPENED = "opened"
"""The field of the session with the players whose links this browser opens besides those of its own."""


@blueprint.get("/t/<token>")
@one_at_a_time
def show(token: str) -> Response:
    """Show the question and everything the seat may know."""
    for_a_person = not wants_json()
    if for_a_person and (asks := _asks_whose(token)) is not None:
        return asks
    at, opened = touches_in(request.args.getlist("at")), request.args.get("open", "")
    plain = for_a_person and not (at or opened)
    if plain and (page := turn_page.kept(server(), token)) is not None:
        return _for_no_network(page, token)
    try:
        link = server().links.read_turn(token)
        with server().database.read() as session:
            game = turns.look_at(session, link)
            shown = turn_page.to_show(server(), session, token, game, link.seat, at, opened) if for_a_person else None
            if for_a_person and shown is None:
                held = holding.held(session, game, link)
                assert held is not None
                return turn_held.drawn(session, token, held)
            draw = shown or _to_write(session, game, link)
    except (BadLink, NoSuchGame):
        return unknown()
    except turns.LinkEnded as ended:
        following = _leads_on(ended.game, link)
        if not for_a_person:
            return ended_as_json(ended, following)
        return _to(following) if following else turn_ends.ended(server(), token, ended)
    return _for_no_network(draw(), token) if plain else draw()


def _asks_whose(token: str) -> Response | None:
    """Ask before a link opens the hand of one player in the browser of another, who may have been sent it; None if it
    opens."""
    me = visit.person() if visit.secret() is not None else None
    if me is None:
        return None
    try:
        link = server().links.read_turn(token)
        if link.player in (None, me.id, *flask_session.get(OPENED, ())):
            return None
        with server().database.read() as session:
            whose = GameStore(session).load(link.game).seated(link.seat)
    except (BadLink, NoSuchGame, KeyError):
        return None
    return visit.show("play/turn/whose.html", whose=whose, link_token=token)


@blueprint.get("/t/<token>/sent/<proof>")
@one_at_a_time
def sent(token: str, proof: str) -> Response:
    """Show the page that follows orders that have been sent."""
    return turn_ends.sent(server(), token, proof)


def _for_no_network(page: Response, token: str) -> Response:
    """Let the worker of a player who wishes so, and is signed in, keep the page of their turn."""
    if pocket.keeps_turns():
        me, link = visit.person(), server().links.read_turn(token)
        if me is not None and me.id == link.player:
            pocket.keep(page, url_for("game.own_turn", game_id=link.game), visit.voice())
    return page


def _leads_on(game: GameNow, link: TurnLink) -> TurnLink | None:
    with server().database.read() as session:
        return turns.leads_on(session, game, link)


def _to(link: TurnLink, anchor: str = "") -> Response:
    return make_response(redirect(f"/t/{server().links.turn_token(link)}{anchor}", 303))


@blueprint.post("/t/<token>")
@by_link
def play(token: str) -> Response:
    """Answer the decision."""
    try:
        link = server().links.read_turn(token)
    except BadLink:
        return unknown()
    if wants_json() or not {"csrf_token", "decision", "do"} & set(request.form):  # a program that names no type is told
        return _played_as_json(link)
    return turn_sending.submit(server(), token, link)


def _played_as_json(link: TurnLink) -> Response:
    try:
        if "say" in (request_limits.json_object() or {}):
            return _said(link)
        body = _body_for(link)
        if isinstance(body, Response):
            return body
        result = turns.answer(
            server().database,
            link,
            body["orders"],
            lambda work, game, lines: holding.seal(work, game, link, lines, now=datetime.now(UTC)),
        )
    except NoSuchGame:
        return unknown()
    except turns.LinkEnded as ended:
        return ended_as_json(ended, _leads_on(ended.game, link))
    except turns.AlreadyDecided as decided:
        voice = voice_of(decided.game.seated(link.seat), decided.game.title)
        message = voice.gettext("This decision has been made already, with other orders.")
        following = _leads_on(decided.game, link)
        return json_error(409, "decision.made", message, next=following and server().links.turn(following))
    except turns.AlreadyHeld as no:
        voice = voice_of(no.game.seated(link.seat), no.game.title)
        return json_error(409, "decision.held", voice.gettext(turn_held.ALREADY_HELD))
    except turns.OrdersRefused as refused:
        return _none_played(link, refused)
    if isinstance(result, holding.HeldTurn):
        about = {"game": link.game, "title": result.game.title.id, "seat": link.seat, "decision": link.number}
        return _json({**about, **held_as_json(result)}, 202)
    return _played(result)


def _said(link: TurnLink) -> Response:
    """Say something at the table."""
    chat_and_notes.say(server().database, link, request.form["say"], now=visit.now())
    visit.follow(link.player)
    voice = visit.voice()
    return answer(200, "said", "", voice.gettext("Saved."), voice)


def _none_played(link: TurnLink, refused: turns.OrdersRefused) -> Response:
    voice = voice_of(refused.game.seated(link.seat), refused.game.title)
    said = turns.refusal_in_words(voice, refused.refused)
    return _refused_as_json(said, played=[], next=server().links.turn(link))


def _played(played: turns.TurnPlayed) -> Response:
    following = next_link(played)
    if played.refused is not None:
        return _refused_as_json(played.refused, played=list(played.played), next=following)
    # Without news, of which a repeated answer would have to know the end: it has the same bytes at any time.
    voice = voice_of(played.game.seated(played.seat), played.game.title)
    data = turn_as_json(played.game, played.seat, asked.line_of(played.game, played.seat, voice).said)
    return _json({**data, "next": following})


def _body_for(link: TurnLink) -> dict[str, Any] | Response:
    """Return the orders that were sent for the decision of this link, or why they are invalid."""
    if request.mimetype != "application/json":
        message = voice_of_request().gettext("Send it with the Content-Type {type}.", type="application/json")
        return json_error(415, "body.type", message)
    body = request_limits.json_object()
    if body is None or not isinstance(body.get("orders"), str) or type(body.get("decision")) is not int:
        message = voice_of_request().gettext(
            "Send {form}: the lines as one text, and the number of the decision that they answer.",
            form='{"orders": "line\\nline", "decision": 1}',
        )
        return json_error(422, "body.form", message)
    if body["decision"] != link.number:
        message = voice_of_request().gettext(
            "This link answers decision {wanted}, not {given}.", wanted=link.number, given=body["decision"]
        )
        return json_error(409, "decision.other", message)
    return body


def _refused_as_json(said: dict[str, Any], **more: object) -> Response:
    return json_error(422, said["code"], said["message"], said["line"], rule=said["rule"], **more)


# -- the other buttons of a link ------------------------------------------------------------------------


Button = Callable[[TurnLink, Voice], Response]
BUTTONS: dict[str, tuple[int, Button]] = {}
"""What follows `/t/<token>/`, with the status of what the button refuses."""


def _button(name: str, refused: int = 422) -> Callable[[Button], Button]:
    """Register a button of a turn link."""

    def decorate(view: Button) -> Button:
        BUTTONS[name] = refused, view
        return view

    return decorate


@blueprint.post("/t/<token>/<any(open, current, 'keep-turn', recall, 'send-now', 'take-back', nudge):act>")
@by_link
def press(token: str, act: str) -> Response:
    """Do what a button says, by a link that holds."""
    status, view = BUTTONS[act]
    try:
        link = server().links.read_turn(token)
        visit.follow(link.player)
        return view(link, visit.voice())
    except (BadLink, NoSuchGame):
        return unknown()
    except turns.LinkEnded as ended:
        return ended_as_json(ended) if wants_json() else turn_ends.ended(server(), token, ended)
    except NotAccepted as no:
        voice = visit.voice()
        return answer(status, no.code, voice.gettext("Not possible"), voice.say(no.why), voice)


@_button("open")
def open_of_another(link: TurnLink, voice: Voice) -> Response:
    """Open the links of another player in this browser until it is closed: its reader has been asked."""
    flask_session[OPENED] = [*flask_session.get(OPENED, ())[-9:], link.player]
    return _to(link)


@_button("current")
def current(link: TurnLink, voice: Voice) -> Response:
    """Mail the seat the link of the decision that it owes now. The answer reveals nothing about the seat."""
    with suppress(turns.LinkEnded):  # another player sits there now; the holder of the old link learns nothing about it
        turns.mail_current_link(server().database, link, now=datetime.now(UTC))
    message = voice.gettext("If a decision is waiting for this seat, its link is on its way to the seat’s address.")
    return answer(202, "mail.sent", voice.gettext("A mail is on its way"), message, voice)


@blueprint.post("/t/<token>/seen")
@by_link
def seen(token: str) -> Response:
    """Note that the page's script reports activity on the page: its mails have been seen. Nothing else follows, and
    nothing is said; only the mark of a rendered page counts."""
    try:
        link = server().links.read_turn(token)
    except BadLink:
        return unknown()
    if is_from_the_page(server(), token):
        ledger.seen(server().database, link, datetime.now(UTC), place=visit.place_of_request())
    return Response(status=204)


@_button("keep-turn", 409)
def keep_turn(link: TurnLink, voice: Voice) -> Response:
    """Take back the announced end of the turn, by the link with which it was announced."""
    turns.keep_turn(server().database, link)
    if wants_json():
        with server().database.read() as session:
            return _as_it_stands(session, GameStore(session).load(link.game), link.seat)
    message = voice.gettext("Your turn does not end by itself any more. You will be asked when the answer has come.")
    return answer(200, "turn.kept", voice.gettext("Your turn goes on"), message, voice)


@_button("recall", 409)
def recall(link: TurnLink, voice: Voice) -> Response:
    """Take back a held turn: its lines are a draft again."""
    with Work(server().database) as work:
        held = holding.held_for_writing(work, link)
        taken_back = holding.recall(work, held, datetime.now(UTC))
    if not taken_back:
        raise holding.GONE_OUT
    if wants_json():
        with server().database.read() as session:
            return _as_it_stands(session, held.game, link.seat)
    return _to(link, "#draft")


@_button("send-now", 409)
def send_now(link: TurnLink, voice: Voice) -> Response:
    """Play a held turn before its time."""
    try:
        played = holding.send_now(server().database, link, now=datetime.now(UTC))
    except turns.OrdersRefused as refused:
        if wants_json():
            return _none_played(link, refused)
        raise NotAccepted(refused.refused.refusal.code, refused.refused.refusal.why) from None
    return _played(played) if wants_json() else turn_sending.after(server(), played)


@_button("take-back")
def take_back(link: TurnLink, voice: Voice) -> Response:
    """Ask the others to take back the answer to this link's decision."""
    with server().database.read() as session:
        game = GameStore(session).load(link.game)
    turns.seat_of_link(game, link)
    try:
        SureForm.read()
        results.propose_takeback(server().database, link, now=visit.now())
    except NotAccepted as no:
        voice = voice.about(game.title).among(game.seats)
        return answer(no.status, no.code, voice.gettext("Not taken back"), voice.say(no.why), voice)
    with server().database.read() as session:
        game = GameStore(session).load(link.game)
    if game.has_computer and game.decides == link.seat:
        return _to(replace(link, number=game.number))
    text = voice.gettext("When all have agreed, you get a mail. Until then the game goes on.")
    return visit.message(200, voice.gettext("The others are asked by mail."), text, game_id=link.game)


@_button("nudge")
def nudge(link: TurnLink, voice: Voice) -> Response:
    """Mail the seat that owes the decision now that the seat of this link waits."""
    if nudges.nudge_by_link(server().database, link, now=datetime.now(UTC)):
        message = voice.gettext("We have mailed them that you are waiting.")
    else:
        message = voice.gettext("A mail like that has been sent today already; one a day is enough.")
    return answer(202, "mail.sent", voice.gettext("Nudged"), message, voice)


def ended_as_json(ended: turns.LinkEnded, following: TurnLink | None = None) -> Response:
    """Return for a link whose decision is over what any spectator may see, who has moved since, and the link to the
    decision that it leads on to."""
    game = ended.game
    voice = voice_of_request().about(game.title)
    with server().database.read() as session:
        log = GameStore(session).log(game.title, game.id, ended.since)
    since = [
        {"seat": step.seat, "at": moment(at), "happened": turns.said_of(game, step.told(game.title), None, voice)}
        for _, at, step in log
    ]
    message = voice.gettext("This link has ended: its decision has been made, or the game is over.")
    return json_error(
        410,
        "link_ended",
        message,
        game=game.id,
        title=game.title.id,
        since=since,
        view=game.view(None),
        decides=game.decides,
        over=game.is_over,
        result=game.result,
        next=following and server().links.turn(following),
    )


def _to_write(session: Session, game: GameNow, link: TurnLink) -> Callable[[], Response]:
    """Read what the JSON of a decision needs; return how it is written, which needs no transaction."""
    held = holding.held(session, game, link)
    voice = voice_of(game.seated(link.seat), game.title)
    said = asked.line_now(GameStore(session), game, link.seat, voice).said
    return lambda: _json(turn_as_json(game, link.seat, said) | (held_as_json(held) if held else {}))


def _as_it_stands(session: Session, game: GameNow, seat: str) -> Response:
    voice = voice_of(game.seated(seat), game.title)
    return _json(turn_as_json(game, seat, asked.line_now(GameStore(session), game, seat, voice).said))


def _json(data: dict[str, Any], status: int = 200) -> Response:
    return Response(write_json(data), status, mimetype="application/json")


# -- a turn as JSON (docs/turn-links.md) ----------------------------------------------------------------


def turn_as_json(game: GameNow, seat: str, asked: str) -> dict[str, Any]:
    """Return what a seat may know of the game as it stands; always the same for the same decision. `asked` is the line
    (`asked.Line.said`)."""
    to_decide = game.decides == seat
    lines, choices = _legal(game) if to_decide else ([], {})
    return {
        "game": game.id,
        "title": game.title.id,
        "seat": seat,
        "decision": game.number,
        "to_decide": to_decide,
        "kind": game.kind,
        "asked": asked,
        "turn": game.turn,
        "view": game.view(seat),
        "legal": lines,
        "choices": choices,
        "end_ahead": game.ends_ahead(seat),
        "deadline": moment(game.deadline_at),
        "deadline_provisional": game.decides is not None and game.mailed_at is None,
        "over": game.is_over,
        "result": game.result,
    }


def held_as_json(held: holding.HeldTurn) -> dict[str, Any]:
    """Return what a program is told about a held turn: nothing of its result."""
    return {"held_until": moment(held.held_until), "held": list(held.lines)}


def _legal(game: GameNow) -> tuple[list[str], dict[str, list[Any]]]:
    """Return complete lines, each of which can be sent as it stands, and descriptions of the free subsets among
    them."""
    lines: dict[str, None] = {}
    choices: dict[str, list[Any]] = {}
    title, state = game.title, game.state
    for item in title.legal(state):
        if isinstance(item, Choice):
            choices.setdefault(item.kind, []).append(item.describe())
            lines.update((title.write(state, action), None) for action in item.smallest())
        else:
            lines[title.write(state, item)] = None
    return list(lines), choices
