"""A game replayed on pages: each turn and each step has an address, shown to each reader as far as they may know it.

A player sees what their own seat knew at the time; everybody else sees what is public, and after the end everything.
Only signed-in readers are recognised as players: a turn link is the right to one decision, not to a seat's past, and
opens nothing here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, abort, request, url_for
from sqlmodel import Session

from app.base.stored import limits
from app.base.words.numbers import whole
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.play.past import analysis, replay
from app.play.past.kept_pictures import KeptPictures
from app.play.turn.choosing import touches_in
from app.play.turn.sentences import paragraph, run_on
from app.post.letters import picture_process
from app.titles import pictures
from app.titles.boards import has_drawing
from app.titles.pages import pages_of, parts_of
from app.web import visit
from app.web.forms import Form, Typed, answers, on_to
from app.web.public import public
from app.web.reader import WITH_SCRIPT, server

blueprint = Blueprint("replay", __name__)

SPECTATOR, ALL = "spectator", "all"
EARLIER, LATER = 30, 10
"""The number of log entries before and after the one shown."""
NOTHING = frozenset({"-"})
"""No place at all: nothing is marked as changed."""


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


class BranchForm(Form):
    """The name of a branch."""

    name: Typed = ""


@blueprint.post("/games/<number:game_id>/replay/<number:entry>/note")
@answers(PositionNoteForm, again=by_entry, where="notes")
def note(form: PositionNoteForm, game_id: int, entry: int) -> Response:
    """Store the notes on this position."""
    replay.keep_note(server().database, game_id, visit.need_person().id, entry, form.note, now=visit.now())
    return on_to(".by_entry", "noted", game_id=game_id, entry=entry, _anchor="notes")


@blueprint.post("/games/<number:game_id>/replay/<number:entry>/plan")
@answers(BranchForm, again=by_entry, where="branches")
def begin_branch(form: BranchForm, game_id: int, entry: int) -> Response:
    """Begin a branch at a position."""
    made = analysis.make_branch(server().database, game_id, visit.need_person().id, entry, form.name, now=visit.now())
    return on_to("analysis.show", game_id=game_id, branch_id=made)


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
    notes = replay.notes_of(session, game.id, reader.seat) if reader.seat else {}
    branches = analysis.branches_of(session, game.id, reader.seat) if reader.seat else []
    seats = [s.seat for s in game.seats]
    asked = reader.eyes if reader.eyes != reader.usual else None
    links = _Links(game.id, course, at, asked)
    response = visit.show(
        "play/replay/show.html",
        voice=voice,
        game=game,
        course=course,
        stop=stop,
        reader=reader,
        at=at,
        whole_turn=whole_turn,
        links=links,
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
        branch=BranchForm.shown(name=voice.gettext("Line {n}", n=len(branches) + 1)),
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


class _Links:
    """The addresses that lead on from one position, with the same view."""

    def __init__(self, game_id: int, course: replay.Timeline, at: int, eyes: str | None) -> None:
        self._game_id = game_id
        self._eyes = eyes
        self._course = course
        self._at = at

    def entry(self, entry: int) -> str:
        """Return the address of the position after an entry."""
        return url_for(".by_entry", game_id=self._game_id, entry=entry, eyes=self._eyes)

    def turn_end(self, entry: int | None) -> str:
        """Return the address of the position after a turn, by its number if that is where the number leads; empty for
        none."""
        if entry is None:
            return ""
        turn = self._course.stop(entry).turn
        if self._course.end_of_turn(turn) == entry:
            return url_for(".by_turn", game_id=self._game_id, turn=turn, eyes=self._eyes)
        return self.entry(entry)

    @property
    def first(self) -> str:
        """The address of the opening."""
        return self.turn_end(1) if self._at > 1 else ""

    @property
    def last(self) -> str:
        """The address of the newest position."""
        return self.turn_end(self._course.last) if self._at < self._course.last else ""

    @property
    def back(self) -> str:
        """The address a turn back."""
        return self.turn_end(self._course.turn_before(self._at))

    @property
    def forward(self) -> str:
        """The address a turn forward."""
        return self.turn_end(self._course.turn_after(self._at))

    @property
    def step_back(self) -> str:
        """The address a step back."""
        return self.entry(self._at - 1) if self._at > 1 else ""

    @property
    def step_forward(self) -> str:
        """The address a step forward."""
        return self.entry(self._at + 1) if self._at < self._course.last else ""

    def eyes(self, eyes: str) -> str:
        """Return the address of the same position in another view."""
        return url_for(".by_entry", game_id=self._game_id, entry=self._at, eyes=eyes)


# -- pictures -----------------------------------------------------------------------------------------

A_DAY = 24 * 3600
PICTURES = limits.OfProcess(limits.Limit("pictures", 120, timedelta(hours=1)))
"""What has to be drawn for one network whose readers have no account."""


def shared(game: GameNow, turn: int, voice: Voice) -> str:
    """Return the address of the picture for a shared link; empty if none can be drawn."""
    return f"/games/{game.id}/turns/{turn}.png?lang={voice.lang}" if has_drawing(game.title.id) else ""


@blueprint.get("/games/<number:game_id>/turns/<number:turn>.svg")
def turn_svg(game_id: int, turn: int) -> Response:
    """Draw the board after a turn as everybody may see it."""
    asked = _AskedPicture(game_id, turn)
    response = Response(visit.there(asked.svg() or None), mimetype="image/svg+xml")
    response.headers["Content-Security-Policy"] = pictures.policy(asked.game.title.id)
    return _cached(response, asked.game)


@blueprint.get("/games/<number:game_id>/turns/<number:turn>.png")
def turn_png(game_id: int, turn: int) -> Response:
    """Draw the same as a bitmap, for programs that show previews of links: in the painter's process, once for each
    turn. 503 while the painter has something else to draw, 429 for a network without an account that asks for many."""
    asked = _AskedPicture(game_id, turn)
    if not has_drawing(asked.game.title.id):
        abort(404)
    kept, key = KeptPictures(server().config.data), (game_id, asked.entry, asked.voice.lang)
    png = kept.find(*key)
    if png is None:
        if visit.person() is None:
            PICTURES.count(visit.place_of_request(), visit.now())
        png = picture_process.paint_at_once(asked.svg, pictures.WIDTH)
        if png is None:
            return Response(status=503, headers={"Retry-After": "5"})
        kept.keep(*key, png)
    return _cached(Response(png, mimetype="image/png"), asked.game)


class _AskedPicture:
    """The picture of a turn that an address asks for, drawn only if it has to be."""

    def __init__(self, game_id: int, turn: int) -> None:
        with server().database.read() as session:
            self.game = GameStore(session).load(game_id)
            self._course = replay.course_of(session, game_id)
        self.entry = visit.there(self._course.end_of_turn(turn))
        self.voice = pictures.voice_for(request.args.get("lang"), visit.voice()).about(self.game.title)

    def svg(self) -> str:
        """Return the drawing; empty for a title without one."""
        game, at = self.game, self.entry
        with server().database.read() as session:
            changed: set[str] = set()
            for _, events in GameStore(session).events(game.title, game.id, self._course.turn_before(at) or 0, at):
                changed |= replay.places_of(replay.seen(game, events, None))
            view = game.title.view(replay.state_after(session, game, self._course, at), None)
        return pictures.document(game.title, view, self.voice, frozenset(changed) or NOTHING)


def _cached(response: Response, game: GameNow) -> Response:
    """Let it be kept: a finished game never changes; a running one may grow or be taken back."""
    return public(response, A_DAY if game.is_over and request.args.get("lang") else 0)
