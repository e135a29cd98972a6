"""A game replayed on pages: each turn and each step has an address, shown to each reader as far as they may know it.

A player sees what their own seat knew at the time; everybody else sees what is public, and after the end everything.
Only signed-in readers are recognised as players: a turn link is the right to one decision, not to a seat's past, and
opens nothing here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, request, url_for
from sqlmodel import Session

from app.base.words.numbers import whole
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.play.pages.past.pictures import NOTHING, shared
from app.play.past import analysis, replay
from app.play.turn import chat_and_notes
from app.play.turn.choosing import touches_in
from app.play.turn.sentences import paragraph, run_on
from app.titles.pages import pages_of, parts_of
from app.web import visit
from app.web.forms import Form, Typed, answers, on_to
from app.web.reader import WITH_SCRIPT, server

blueprint = Blueprint("replay", __name__)

SPECTATOR, ALL = "spectator", "all"
EARLIER, LATER = 30, 10
"""The number of log entries before and after the one shown."""


@dataclass(frozen=True)
class Reader:
    """Who looks, from which view, and the views to choose from."""

    seat: str | None
    """Where the reader sits."""
    eyes: str
    """A seat, `spectator` or `all`."""
    choices: tuple[str, ...]
    usual: str

    @property
    def seen_as(self) -> str | None:
        """The seat whose knowledge is shown, None for a spectator's."""
        return None if self.eyes in (SPECTATOR, ALL) else self.eyes

    @property
    def own(self) -> bool:
        """Whether the reader looks from their own seat."""
        return self.seat is not None and self.eyes == self.seat


def reader_of(game: GameNow, player_id: int | None, asked: str | None) -> Reader | None:
    """Return who looks at a game; None if this view is not for this reader."""
    seat = game.seat_of(player_id)
    own = (seat,) if seat else ()
    if game.title.all_open:
        choices: tuple[str, ...] = (*own, SPECTATOR)
    elif game.is_over:
        choices = (*[s.seat for s in game.seats], SPECTATOR, ALL)
    else:
        choices = (*own, SPECTATOR)
    usual = seat or (ALL if ALL in choices else SPECTATOR)
    eyes = asked or usual
    return Reader(seat, eyes, choices, usual) if eyes in choices else None


# -- pages --------------------------------------------------------------------------------------------


@blueprint.get("/games/<number:game_id>/replay")
def by_turn(game_id: int) -> Response:
    """Show the position after a turn, such as `?turn=12`, or the newest; what happened in the whole turn is marked."""
    return _page(game_id, None)


@blueprint.get("/games/<number:game_id>/replay/<number:entry>")
def by_entry(game_id: int, entry: int) -> Response:
    """Show the position after one entry of the log."""
    return _page(game_id, entry)


class PositionNoteForm(Form):
    """Private notes on a position."""

    note: Typed = ""


@blueprint.post("/games/<number:game_id>/replay/<number:entry>/note")
@answers(PositionNoteForm, again=by_entry, where="notes")
def note(form: PositionNoteForm, game_id: int, entry: int) -> Response:
    """Store the notes on this position."""
    me = visit.need_person().id
    chat_and_notes.keep_players_note(server().database, game_id, me, form.note, entry=entry, now=visit.now())
    return on_to(".by_entry", "noted", game_id=game_id, entry=entry, _anchor="notes")


def _page(game_id: int, entry: int | None) -> Response:
    with server().database.read() as session:
        me = visit.person(session)
        game = GameStore(session).load(game_id)
        course = replay.course_of(session, game_id)
        voice = visit.voice().about(game.title)
        reader = reader_of(game, me.id if me else None, request.args.get("eyes"))
        if reader is None:
            text = voice.gettext("While the game runs, players see what they know, and others what is open.")
            return visit.message(403, voice.gettext("Not possible"), text)
        refused = visit.refused()
        if refused and reader.seat is None:  # the forms are not on this reader's page
            return visit.message(refused.status, voice.gettext("Not possible"), refused.said)
        whole_turn = entry is None
        at = _entry_asked(course) if entry is None else entry
        if at is None or not course.has(at):
            text = voice.gettext(
                "This game has {turns} turns and {steps} steps so far; there is no such one.",
                turns=course.turns,
                steps=course.last,
            )
            return visit.message(404, voice.gettext("Not that far"), text)
        return _shown(session, game, course, reader, at, whole_turn, voice)


def _entry_asked(course: replay.Timeline) -> int | None:
    given = request.args.get("turn", "").strip()
    if not given:
        return course.last
    turn = whole(given)
    return None if turn is None else course.end_of_turn(turn)


def _shown(
    session: Session,
    game: GameNow,
    course: replay.Timeline,
    reader: Reader,
    at: int,
    whole_turn: bool,
    voice: Voice,
) -> Response:
    title, stop, everything = game.title, course.stop(at), reader.eyes == ALL
    begins = (course.turn_before(at) or 0) if whole_turn else at - 1
    first, last = max(0, min(begins, at - EARLIER)), min(at + LATER, course.last)
    log, now, changed = _log(session, game, course, reader, (first, begins, at, last), voice)
    state = replay.state_after(session, game, course, at)
    view = title.view(state, reader.seen_as)
    view = game.as_ended(view) if at == course.last else view
    notes = replay.notes_of(session, game.id, reader.seat) if reader.seat else {}
    branches = analysis.branches_of(session, game.id, reader.seat) if reader.seat else []
    seats = [s.seat for s in game.seats]
    asked = reader.eyes if reader.eyes != reader.usual else None
    response = visit.show(
        "play/replay/show.html",
        voice=voice,
        game=game,
        course=course,
        stop=stop,
        reader=reader,
        at=at,
        whole_turn=whole_turn,
        links=_links(game.id, course, at, asked),
        log=log,
        now=run_on(now, voice),
        view=view,
        parts=parts_of(title.id, voice.lang).among(voice.names_of(game.seats)),
        decides=title.decision(state),
        views={seat: title.view(state, seat) for seat in seats} if everything else {},
        whole=json.dumps(title.after(state), ensure_ascii=False, indent=1) if everything else "",
        picture=pages_of(title.id).on_page(
            {**view, "decision": None},
            voice.among(game.seats),
            changed or NOTHING,
            touches_in(request.args.getlist("at")),
        ),
        text_board=title.board(view, voice.among(game.seats)),
        notes=notes,
        branches=branches,
        most_branches=analysis.MOST_BRANCHES,
        form=PositionNoteForm.shown(note=notes.get(at, "")),
        shared=shared(game, stop.turn, voice) if course.end_of_turn(stop.turn) == at else "",
    )
    response.headers["Content-Security-Policy"] = WITH_SCRIPT
    return response


def _log(
    session: Session,
    game: GameNow,
    course: replay.Timeline,
    reader: Reader,
    span: tuple[int, int, int, int],
    voice: Voice,
) -> tuple[list[dict[str, Any]], list[str], frozenset[str]]:
    """The log around a position; what has just happened, in sentences; and the places that it has changed. `span` is
    where the log begins, after which entry what has just happened begins, where the position is, and the last entry."""
    first, begins, at, last = span
    changed: set[str] = set()
    log, now = [], list[str]()
    for number, events in GameStore(session).events(game.title, game.id, first, last):
        seen = replay.seen(game, events, reader.seen_as, everything=reader.eyes == ALL)
        said = replay.in_words(game, seen, voice)
        shown = begins < number <= at
        if shown:
            changed |= replay.places_of(seen)
            now += said
        if said or number == at or course.stop(number).back_to is not None:
            log.append(
                {"entry": number, "said": paragraph(run_on(said, voice)), "shown": shown, "stop": course.stop(number)}
            )
    return log, now, frozenset(changed)


def _links(game_id: int, course: replay.Timeline, at: int, eyes: str | None) -> dict[str, Any]:
    """The addresses that lead on from one position, with the same view; "" where there is nothing."""

    def entry(number: int) -> str:
        return url_for("replay.by_entry", game_id=game_id, entry=number, eyes=eyes)

    def turn_end(number: int | None) -> str:
        """Return the address of the position after a turn, by its number if that is where the number leads."""
        if number is None:
            return ""
        turn = course.stop(number).turn
        is_whole = course.end_of_turn(turn) == number
        return url_for("replay.by_turn", game_id=game_id, turn=turn, eyes=eyes) if is_whole else entry(number)

    return {
        "entry": entry,
        "turn_end": turn_end,
        "eyes": lambda other: url_for("replay.by_entry", game_id=game_id, entry=at, eyes=other),
        "first": turn_end(1) if at > 1 else "",
        "last": turn_end(course.last) if at < course.last else "",
        "back": turn_end(course.turn_before(at)),
        "forward": turn_end(course.turn_after(at)),
        "step_back": entry(at - 1) if at > 1 else "",
        "step_forward": entry(at + 1) if at < course.last else "",
    }
