"""The form of a turn page was sent: play it, change the draft, say something, or show it again with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Response, make_response, redirect, request

from app.links import TurnLink
from app.numbers import whole
from app.services import asides, drafts, turns
from app.services.people import NotAccepted
from app.services.playing import LONGEST_ORDERS, LineRefused
from app.services.standing import read_standing
from app.store import GameNow, GameStore, NoSuchGame, StaleTurn, replayed
from app.web.reader import voice_of
from app.web.turn_ends import done, ended
from app.web.turn_form import Complaint, Filled, complaint_of, is_from_the_page, lines_of
from app.web.turn_kinds import chosen_line
from app.web.turn_page import drafted_lines, shown_again
from engine.kernel.refusals import IllegalAction, Refusal
from engine.kernel.text import Text

if TYPE_CHECKING:
    from app.house import House

MOST_AHEAD = 20


def submit(house: House, token: str, link: TurnLink) -> Response:
    """The form was sent: it plays, or changes the draft, or says something; or it comes back with the reason."""
    from app.web.turn_api import unknown

    filled = Filled.sent()
    did = request.form.get("do", "send")
    try:
        if not is_from_the_page(house, token) or request.form.get("decision") != str(link.number):
            return _not_from_here(house, token, link, filled)
        if did in ("say", "note", "standing"):
            return _beside_the_game(house, token, link, filled, did)
        if did == "send":
            return _send(house, token, link, filled)
        return _compose(house, token, link, filled, did)
    except NoSuchGame:
        return unknown()
    except turns.LinkEnded as over:
        return ended(house, token, over)
    except StaleTurn:
        return ended(house, token, _as_ended(house, link), 409)
    except turns.AlreadyDecided as decided:
        return ended(house, token, turns.LinkEnded(decided.game, link.seat, decided.game.entries), 409)


def _as_ended(house: House, link: TurnLink) -> turns.LinkEnded:
    with house.database.read() as connection:
        game = GameStore(connection).load(link.game)
    return turns.LinkEnded(game, link.seat, game.entries)


def _not_from_here(house: House, token: str, link: TurnLink, filled: Filled) -> Response:
    game = turns.look(house.database, link)
    voice = voice_of(game.seated(link.seat))
    if is_from_the_page(house, token):
        message = voice.gettext("The form was of another decision; look at this one and send it again.")
        return shown_again(house, token, game, link.seat, filled, Complaint(message), 409)
    message = voice.gettext(
        "The form came without the mark of this page, so nothing was sent. Look it over and send it again."
    )
    return shown_again(house, token, game, link.seat, filled, Complaint(message), 400)


def _back(token: str, anchor: str) -> Response:
    return make_response(redirect(f"/t/{token}#{anchor}", 303))


def _compose(house: House, token: str, link: TurnLink, filled: Filled, did: str) -> Response:
    """Change the draft: add what is chosen or typed, take lines back."""
    game = turns.look(house.database, link)
    voice = voice_of(game.seated(link.seat), game.title)
    verb, _, number = did.partition(":")
    if verb == "clear":
        lines: list[str] = []
    elif verb == "undo":
        given = whole(number)
        lines = filled.draft[:-1] if given is None else filled.draft[: max(0, given - 1)]
    else:
        if verb == "add" and number:
            filled.pick = number  # a button that names its line
        try:
            lines = _said(game, link.seat, filled, to_end=False)
            turns.split_orders("\n".join(lines))
        except Refusal as refusal:
            complaint = complaint_of(voice, LineRefused(0, "", refusal))
            return shown_again(house, token, game, link.seat, filled, complaint, 422)
        ahead = drafts.play_ahead(game.title, game.state, link.seat, lines)
        if ahead.refused is not None:
            complaint = complaint_of(voice, ahead.refused)
            return shown_again(house, token, game, link.seat, filled, complaint, 422)
        lines = [*ahead.lines, *ahead.rest]
    drafts.keep_draft(house.database, link, lines, now=datetime.now(UTC))
    return _back(token, "draft" if lines else "decide")


def _said(game: GameNow, seat: str, filled: Filled, *, to_end: bool) -> list[str]:
    """All lines of the form in their order: the draft, what is chosen, what is typed, the end of the turn."""
    lines = list(filled.draft)
    chosen = _chosen(game, seat, filled)
    if chosen:
        lines.append(chosen)
    lines += lines_of(filled.orders)
    if to_end and filled.end and not chosen and not lines_of(filled.orders):
        state = drafts.play_ahead(game.title, game.state, seat, lines).state
        end = game.title.end_of_steps(state)
        if end is not None:
            lines.append(game.title.write(state, end))
    return lines


def _chosen(game: GameNow, seat: str, filled: Filled) -> str:
    """The line that is chosen after the draft (see `chosen_line`)."""
    state = drafts.play_ahead(game.title, game.state, seat, filled.draft).state
    return chosen_line(game.title, state, filled)


def _send(house: House, token: str, link: TurnLink, filled: Filled) -> Response:
    """Play the draft with what is chosen and typed, and keep the answers given ahead."""
    game = _as_asked(house, link)
    voice = voice_of(game.seated(link.seat), game.title)
    try:
        lines = _said(game, link.seat, filled, to_end=True)
        if lines != filled.draft and _leaves_a_choice(game, link.seat, lines):
            drafts.keep_draft(house.database, link, lines, now=datetime.now(UTC))
            return _back(token, "draft")
        answers = _answers_ahead(game, link.seat, filled)
        orders = "\n".join(lines) if len(filled.orders) <= LONGEST_ORDERS else filled.orders
        played = turns.play_turn(house.database, link, orders, now=datetime.now(UTC), ahead=answers)
    except turns.OrdersRefused as refused:
        complaint = complaint_of(voice, refused.refused)
        return shown_again(house, token, refused.game, link.seat, filled, complaint, 422)
    except Refusal as refusal:
        turns.look(house.database, link)
        complaint = complaint_of(voice, LineRefused(0, "", refusal))
        return shown_again(house, token, game, link.seat, filled, complaint, 422)
    return _after(house, played, lines)


def _leaves_a_choice(game: GameNow, seat: str, lines: Sequence[str]) -> bool:
    """Whether a line that its sender has not seen played ahead leaves something out that could be chosen with it."""
    ahead = drafts.play_ahead(game.title, game.state, seat, lines)
    told = drafted_lines(game.title, game, seat, ahead) if ahead.refused is None else []
    return any(one["preview"]["asks"] for one in told if one["preview"])


def _as_asked(house: House, link: TurnLink) -> GameNow:
    """The game as it stood when the link's decision was owed, so that the same form again means the same orders."""
    with house.database.read() as connection:
        store = GameStore(connection)
        game = store.load(link.game)
        turns.seat_of_link(game, link)
        if game.number <= link.number:
            return game
        steps = [step for _, _, step in store.log(game.title, game.id) if step.decision < link.number]
    state = replayed(game.title, steps)
    before = replace(game, number=link.number)
    before.__dict__["state"] = state
    return before


def _answers_ahead(game: GameNow, seat: str, filled: Filled) -> dict[str, str]:
    """The answers to foreseen questions that change the seat's standing orders. `Unreadable` for nonsense."""
    standing = set(game.seated(seat).standing)
    heads = {line.partition(":")[0] for line in standing}
    answers = {}
    for head, answer in list(filled.ahead.items())[:MOST_AHEAD]:
        if answer and (answer.partition(":")[0] != head or not read_standing(game.title, [answer])):
            raise IllegalAction("ahead.form", Text("This is no answer to the question about “{what}”.", what=head))
        if answer not in standing and (answer or head in heads):
            answers[head] = answer
    return answers


def _after(house: House, played: turns.TurnPlayed, lines: Sequence[str]) -> Response:
    """What the reader sees when orders were played: the next decision, the rest that was refused, or the farewell."""
    from app.web.turn_api import next_link

    game = played.game
    seated = game.seated(played.seat)
    voice = voice_of(seated, game.title)
    following = next_link(played)
    n = len(played.played)
    kept = voice.ngettext("{n} line was played and stays.", "{n} lines were played and stay.", n).format(n=n)
    if played.refused is None and following:
        return make_response(redirect(following.removeprefix(house.links.base_url), 303))
    complaint = None
    if played.refused is not None:
        number = played.refused["line"]
        line = lines[number - 1] if number <= len(lines) else ""
        complaint = Complaint(played.refused["message"], number, line, None, played.refused["rule"], kept)
        if following:
            filled = Filled(orders="\n".join(lines[len(played.played) :]))
            return shown_again(house, following.rpartition("/")[2], game, played.seat, filled, complaint, 422)
    return done(house, played, complaint)


def _beside_the_game(house: House, token: str, link: TurnLink, filled: Filled, did: str) -> Response:
    """Talk, notes and standing orders: nothing of it is a move."""
    now = datetime.now(UTC)
    try:
        if did == "say":
            asides.say(house.database, link, filled.say, now=now)
        elif did == "note":
            asides.keep_note(house.database, link, filled.note or "", now=now)
        else:
            asides.keep_standing(house.database, link, filled.standing or "")
    except (NotAccepted, Refusal) as refused:
        game = turns.look(house.database, link)
        voice = voice_of(game.seated(link.seat), game.title)
        complaint = Complaint(voice.say(refused.why), rule=getattr(refused, "rule", None))
        return shown_again(house, token, game, link.seat, filled, complaint, 422)
    return _back(token, {"say": "talk", "note": "notes", "standing": "standing"}[did])
