"""What a turn link allows in its own game besides the move: to resign, to propose an end, to offer a rematch, and to
answer ahead of time.

Each has a page that asks for confirmation; only its form does anything. A link that was answered long ago, and may be
in old mails and logs, allows none of it: it has to be the newest of its seat. Leave, and everything about other games,
requires more than a link.
"""

from __future__ import annotations

from flask import Blueprint, Response, request

from app.base.links import TurnLink
from app.base.words.refusals import LinkExpired
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.lobby import rematch as rematches
from app.play.agreed import results
from app.play.pages.game import ProposeForm
from app.play.pages.turn.ahead_rows import answers_in, rows_ahead
from app.play.pages.turn.ends import takeback_offered
from app.play.tables import ProposalKind
from app.play.turn import chat_and_notes
from app.play.turn.playing import read_standing
from app.play.turn.turns import is_newest
from app.titles.pages import parts_of
from app.web import visit
from app.web.forms import SureForm, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.refusals import IllegalAction
from engine.kernel.text import Text

blueprint = Blueprint("turn_rights", __name__)

MOST_AHEAD = 60
TOO_OLD = LinkExpired(
    "link.old", Text("This link is too old for that. Take the newest one from your mails, or sign in.")
)


def newest_game(token: str) -> tuple[TurnLink, GameNow]:
    """Return the link and its game. Raises BadLink, NoSuchGame; TOO_OLD for a link that is not the newest of its
    seat."""
    link = server().links.read_turn(token)
    visit.follow(link.player)
    with server().database.read() as session:
        game = GameStore(session).load(link.game)
        if not is_newest(session, game, link):
            raise TOO_OLD
    return link, game


@blueprint.get("/t/<token>/<any(resign, propose, rematch):what>")
def ask(token: str, what: str) -> Response:
    """Ask for confirmation of resigning or of a rematch, or show what can be proposed."""
    link, game = newest_game(token)
    voice = visit.voice().about(game.title)
    with server().database.read() as session:
        waits = results.waiting(session, game) is not None
        rematch = rematches.rematch_of(session, game.id, link.player)
        takeback = takeback_offered(server(), session, game, link.seat) if what == "propose" else None
    plays = not game.is_over and results.still_plays(game, link.seat)
    if what == "rematch":
        why_not = "" if game.is_over else voice.gettext("This game is not over yet.")
    elif game.is_over:
        why_not = voice.say(results.IS_OVER)
    else:
        why_not = "" if plays else voice.gettext("You are out of this game already.")
    refused = visit.refused()
    return visit.show(
        "play/turn/rights.html",
        voice=voice,
        game=game,
        link_token=token,
        seat=link.seat,
        what=what,
        can=not why_not,
        waits=waits,
        rematch=rematch,
        takeback=takeback,
        proposing=ProposeForm.shown(),
        error=refused.said if refused else why_not,
    )


@blueprint.post("/t/<token>/resign")
@by_link
@answers(SureForm, again=lambda token: ask(token, "resign"))
def resign(form: SureForm, token: str) -> Response:
    """Resign."""
    link, _ = newest_game(token)
    results.resign(server().database, link.game, link.player, now=visit.now())
    voice = visit.voice()
    said = "" if link.player is None else voice.gettext("The others are told by mail.")
    return visit.message(200, voice.gettext("You have resigned."), said, game_id=link.game)


@blueprint.post("/t/<token>/propose")
@by_link
@answers(ProposeForm, again=lambda token: ask(token, "propose"))
def propose(form: ProposeForm, token: str) -> Response:
    """Ask the others to cancel the game, or to end it with a result."""
    link, _ = newest_game(token)
    kind = "" if form.kind == ProposalKind.TAKEBACK else form.kind  # that has its own button, if possible
    results.propose(server().database, link.game, link.player, kind, form.winner, now=visit.now())
    voice = visit.voice()
    answered = answered_at_once(link, voice)
    if answered:
        return visit.message(200, answered, "", game_id=link.game)
    text = voice.gettext("When all have agreed, you get a mail. Until then the game goes on.")
    return visit.message(200, voice.gettext("The others are asked by mail."), text, game_id=link.game)


def answered_at_once(link: TurnLink, voice: Voice) -> str:
    """Return what the computer has said to what was just proposed to it; empty in games between people."""
    with server().database.read() as session:
        game = GameStore(session).load(link.game)
    if not game.has_computer:
        return ""
    if game.is_over:
        return voice.gettext("The computer has agreed, and the game has ended.")
    return voice.gettext("The computer would rather play on.")


@blueprint.post("/t/<token>/rematch")
@by_link
@answers(SureForm, again=lambda token: ask(token, "rematch"))
def rematch(form: SureForm, token: str) -> Response:
    """Offer a rematch, with everybody moved one seat on."""
    link, _ = newest_game(token)
    if link.player is None:
        raise TOO_OLD
    new = rematches.offer_rematch(server().database, link.game, link.player, now=visit.now())
    voice = visit.voice()
    text = voice.gettext("It begins when all have taken their seats; you get a mail when it is your turn.")
    return visit.message(200, voice.gettext("The others are invited by mail."), text, game_id=new)


# -- answers ahead of time ----------------------------------------------------------------------------


@blueprint.get("/t/<token>/ahead")
def ahead_form(token: str) -> Response:
    """Show the questions that may come before the seat's next turn, each by itself, and its answers so far."""
    link, game = newest_game(token)
    voice, refused = visit.voice().about(game.title), visit.refused()
    standing, typed = game.seated(link.seat).standing, request.form.get("standing")
    parts = parts_of(game.title.id, voice.lang).among(voice.names_of(game.seats))
    rows = rows_ahead(game.title, parts, game.state, link.seat, standing, alike=False)
    return visit.show(
        "play/turn/ahead_page.html",
        voice=voice,
        game=game,
        link_token=token,
        parts=parts,
        foreseen=[] if game.is_over else rows,
        lines=standing if typed is None else typed.splitlines(),
        error=refused.said if refused else "",
    )


@blueprint.post("/t/<token>/ahead")
@by_link
@answers(again=ahead_form)
def ahead(token: str) -> Response:
    """Store what was chosen, or all orders as they were written."""
    link, game = newest_game(token)
    typed = request.form.get("standing")
    if typed is not None:
        chat_and_notes.put_standing(server().database, game, link.seat, typed)
        return on_to(".ahead_form", "saved", token=token)
    standing, changed = game.seated(link.seat).standing, {}
    fields = {name.removeprefix("ahead:"): given for name, given in request.form.items() if name.startswith("ahead:")}
    for head, answer in list(answers_in(fields).items())[:MOST_AHEAD]:
        lines = answer.splitlines()
        if read_standing(game.title, lines) != lines:
            raise IllegalAction("ahead.form", Text("This is not an answer to the question about “{what}”.", what=head))
        if lines != [line for line in standing if line.partition(":")[0] == head]:
            changed[head] = answer
    chat_and_notes.keep_answers(server().database, link.game, link.seat, changed)
    return on_to(".ahead_form", "saved", token=token)
