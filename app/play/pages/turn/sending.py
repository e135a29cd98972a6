"""Handling a sent turn form: play it, change the draft, say something, or show it again with the reason."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from flask import Response, make_response, redirect, request

from app.base.links import TurnLink
from app.base.process import failures
from app.base.server import Server
from app.base.words.numbers import whole
from app.games.steps import replayed
from app.games.store import GameNow, GameStore, NoSuchGame, StaleTurn
from app.play.pages.turn import held as turn_held
from app.play.pages.turn.ends import done, ended, to_sent, usual_hold
from app.play.pages.turn.form import Complaint, FilledTurn, complaint_of, is_from_the_page, lines_of
from app.play.pages.turn.page import shown_again
from app.play.pages.turn.waits import next_link, unknown
from app.play.turn import chat_and_notes, drafts, holding, turns
from app.play.turn.choosing import chosen_line
from app.play.turn.holding import HeldTurn
from app.play.turn.playing import END, LONGEST_ORDERS, LineRefused, split_orders
from app.post.kept import ledger
from app.titles.pages import pages_of
from app.web.reader import voice_of
from engine.kernel.refusals import IllegalAction, Refusal
from engine.kernel.text import Text

log = logging.getLogger("postroad.pages")


def submit(server: Server, token: str, link: TurnLink) -> Response:
    """Handle the sent form: play, change the draft, or say something; or show it again with the reason."""
    filled = FilledTurn.sent()
    did = request.form.get("do", "look")  # without a button nothing was decided
    try:
        if not is_from_the_page(server, token) or request.form.get("decision") != str(link.number):
            return _not_from_here(server, token, link, filled)
        answer = _done(server, token, link, filled, did)
        _note_seen(server, link)
        return answer
    except NoSuchGame:
        return unknown()
    except turns.LinkEnded as over:
        return ended(server, token, over)
    except turns.AlreadyHeld:  # or they have just been played
        return _held_already(server, token, link) or ended(server, token, _as_ended(server, link), 409)
    except StaleTurn:
        return ended(server, token, _as_ended(server, link), 409)
    except turns.AlreadyDecided as decided:
        return ended(server, token, turns.LinkEnded(decided.game, link.seat, decided.game.entries), 409)


def _note_seen(server: Server, link: TurnLink) -> None:
    """Note that the mails of a decision were seen. The move is committed, so that an error here is no answer to it."""
    try:
        ledger.seen(server.database, link, datetime.now(UTC))
    except Exception as error:
        failures.report(log, f"game {link.game}: that a turn's mails were seen could not be noted", error)


def _done(server: Server, token: str, link: TurnLink, filled: FilledTurn, did: str) -> Response:
    if did in ("say", "note"):
        return _beside_the_game(server, token, link, filled, did)
    verb, _, what = did.partition(":")
    if verb in ("send", "play", "choose-send"):
        return _send(server, token, link, filled, verb, what)
    return _held_already(server, token, link) or _compose(server, token, link, filled, did)


def _held_already(server: Server, token: str, link: TurnLink) -> Response | None:
    """Say that other orders were sealed before these; None if none are held."""
    with server.database.read() as session:
        held = holding.held(session, turns.look_at(session, link), link)
        return None if held is None else turn_held.drawn(session, token, held, status=409)


def _as_ended(server: Server, link: TurnLink) -> turns.LinkEnded:
    with server.database.read() as session:
        game = GameStore(session).load(link.game)
    return turns.LinkEnded(game, link.seat, game.entries)


def _not_from_here(server: Server, token: str, link: TurnLink, filled: FilledTurn) -> Response:
    game = turns.look(server.database, link)
    if is_from_the_page(server, token):
        why, status = Text("The form was of another decision; look at this one and send it again."), 409
    else:
        why = Text("The form came without the mark of this page, so nothing was sent. Look it over and send it again.")
        status = 400
    complaint = Complaint(voice_of(game.seated(link.seat)).say(why))
    return shown_again(server, token, game, link.seat, filled, complaint, status)


def _back(token: str, anchor: str) -> Response:
    return make_response(redirect(f"/t/{token}#{anchor}", 303))


def _compose(server: Server, token: str, link: TurnLink, filled: FilledTurn, did: str) -> Response:
    """Change the draft: add what is chosen, or typed; take lines back."""
    game = turns.look(server.database, link)
    verb, _, what = did.partition(":")
    try:
        lines = _changed_draft(game, link.seat, filled, verb, what)
    except turns.OrdersRefused as no:
        complaint = complaint_of(voice_of(game.seated(link.seat), game.title), no.refused)
        return shown_again(server, token, game, link.seat, filled, complaint, 422)
    drafts.keep_draft(server.database, link, lines, now=datetime.now(UTC))
    return _back(token, "draft" if lines else "decide")


def _changed_draft(game: GameNow, seat: str, filled: FilledTurn, verb: str, what: str) -> list[str]:
    """Return the lines of the draft after a button of its page. Raises OrdersRefused."""
    if verb == "clear":
        return []
    if verb == "undo":
        given = whole(what)
        return filled.draft[:-1] if given is None else filled.draft[: max(0, given - 1)]
    try:
        if verb == "look":
            raise _LOOKED
        lines = said_lines(filled, chosen_by(game, seat, filled, verb, what))
        if not lines:
            raise _NOTHING_CHOSEN
        split_orders("\n".join(lines))
    except Refusal as refusal:
        raise turns.OrdersRefused(game, LineRefused(0, "", refusal)) from None
    ahead = drafts.play_ahead(game.title, game.state, seat, lines)
    if ahead.refused is not None:
        raise turns.OrdersRefused(game, ahead.refused)
    return [*ahead.lines, *ahead.rest]


_LOOKED = IllegalAction(
    "orders.looked", Text("Nothing was added or sent yet: press the button below what you have chosen.")
)
_NOTHING_CHOSEN = IllegalAction(
    "orders.none_chosen", Text("Nothing is chosen or typed yet, so your draft stays empty.")
)


def chosen_by(game: GameNow, seat: str, filled: FilledTurn, verb: str, what: str) -> str:
    """Return the line that a button names (`add:LINE`, `play:LINE`), or the one that is chosen by touch (`choose`,
    `choose-send`); "" for other buttons. `IllegalAction` if the touches make none."""
    if verb not in ("choose", "choose-send"):
        return " ".join(what.split()) if verb in ("add", "play") else ""
    state = drafts.play_ahead(game.title, game.state, seat, filled.draft).state
    return chosen_line(game.title, pages_of(game.title.id), state, filled.at)


def said_lines(filled: FilledTurn, chosen: str) -> list[str]:
    """Return all lines of the form in order: the draft, what is chosen, what is typed."""
    return [*filled.draft, *([chosen] if chosen else []), *lines_of(filled.orders)]


def _nothing_to_send(game: GameNow, seat: str, filled: FilledTurn) -> IllegalAction:
    """Say kindly that the seal was pressed with nothing under it; what is chosen stays chosen."""
    if game.on_turn != seat:
        why = Text("No answer is chosen yet, so nothing was sent.")
    elif filled.at:
        why = Text(
            "Your draft is still empty, so nothing was sent. What you have chosen counts when you add it with the"
            " button below it."
        )
    else:
        why = Text("Your draft is still empty, so nothing was sent. Choose a step and add it.")
    return IllegalAction("orders.none_drafted", why)


def _send(server: Server, token: str, link: TurnLink, filled: FilledTurn, verb: str, what: str) -> Response:
    """Play the draft with what is typed. A button below a choice sends that, too (`chosen_by`)."""
    game = _as_asked(server, link)
    voice = voice_of(game.seated(link.seat), game.title)
    try:
        chosen = chosen_by(game, link.seat, filled, verb, what)
        if verb == "play" and lines_of(filled.orders)[:1] == [chosen]:  # if the choice was also typed, it is meant once
            chosen = ""
        lines = said_lines(filled, chosen)
        if filled.end and drafts.play_ahead(game.title, game.state, link.seat, lines).left == 0:
            lines.append(END)
        if not lines:
            raise _nothing_to_send(game, link.seat, filled)
        if verb != "choose-send" and lines != filled.draft and _leaves_a_choice(game, link.seat, lines):
            drafts.keep_draft(server.database, link, lines, now=datetime.now(UTC))
            return _back(token, "draft")
        orders = "\n".join(lines) if len(filled.orders) <= LONGEST_ORDERS else filled.orders
        now = datetime.now(UTC)
        usual = usual_hold(game, link.seat)
        sealed = turns.answer(
            server.database,
            link,
            orders,
            lambda work, game, lines: holding.seal(work, game, link, lines, now=now, usual=usual),
            game,
        )
    except turns.OrdersRefused as refused:
        complaint = complaint_of(voice, refused.refused)
        return shown_again(server, token, refused.game, link.seat, filled, complaint, 422)
    except Refusal as refusal:
        turns.look(server.database, link)
        complaint = complaint_of(voice, LineRefused(0, "", refusal))
        return shown_again(server, token, game, link.seat, filled, complaint, 422)
    if isinstance(sealed, HeldTurn):
        return to_sent(server, link, leads=sealed.sealed_at == now)
    return after(server, sealed)


def _leaves_a_choice(game: GameNow, seat: str, lines: Sequence[str]) -> bool:
    """Return whether a line that its sender has not seen played ahead leaves out something that could be chosen with
    it."""
    if not game.title.has_optional_parts:
        return False
    ahead = drafts.play_ahead(game.title, game.state, seat, lines)
    if ahead.refused is not None:
        return False
    return any(game.title.leaves_out(*each) for each in zip(ahead.befores, ahead.actions, strict=True))


def _as_asked(server: Server, link: TurnLink) -> GameNow:
    """Return the game as it stood when the link's decision was owed, so that a resent form means the same orders."""
    with server.database.read() as session:
        store = GameStore(session)
        game = store.load(link.game)
        turns.seat_of_link(game, link)
        if game.number <= link.number:
            return game
        steps = [step for _, _, step in store.log(game.title, game.id) if step.decision < link.number]
    state = replayed(game.title, steps)
    before = replace(game, number=link.number, state_text="")
    before.know(state)
    return before


def after(server: Server, played: turns.TurnPlayed) -> Response:
    """Return what the reader sees after orders were played: the next decision, the rest that was refused, or the
    farewell."""
    game = played.game
    seated = game.seated(played.seat)
    voice = voice_of(seated, game.title)
    following = next_link(played)
    n = len(played.played)
    kept = voice.ngettext("{n} line was played and stays.", "{n} lines were played and stay.", n).format(n=n)
    if played.refused is None and following:
        return make_response(redirect(following.removeprefix(server.links.base_url), 303))
    complaint = None
    if played.refused is not None:
        number = played.refused["line"]
        line = played.sent[number - 1] if number <= len(played.sent) else ""
        complaint = Complaint(played.refused["message"], number, line, None, played.refused["rule"], kept)
        if following:
            filled = FilledTurn(orders="\n".join(played.sent[len(played.played) :]))
            return shown_again(server, following.rpartition("/")[2], game, played.seat, filled, complaint, 422)
    if complaint is None:
        return to_sent(server, played.link, played.before, leads=played.before is not None)
    with server.database.read() as session:
        return done(server, session, game, played.link, leads=played.before is not None, complaint=complaint)


def _beside_the_game(server: Server, token: str, link: TurnLink, filled: FilledTurn, did: str) -> Response:
    """Handle chat and notes, neither of which is a move."""
    now = datetime.now(UTC)
    try:
        if did == "say":
            chat_and_notes.say(server.database, link, filled.say, now=now)
        else:
            chat_and_notes.keep_note(server.database, link, filled.note or "", now=now)
    except Refusal as refused:
        game = turns.look(server.database, link)
        voice = voice_of(game.seated(link.seat), game.title)
        complaint = Complaint(voice.say(refused.why), rule=refused.rule)
        return shown_again(server, token, game, link.seat, filled, complaint, 422)
    return _back(token, "chat" if did == "say" else "notes")
