"""Playing the computer: choosing a game, and looking back on one that is over."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Annotated, Any

from flask import Blueprint, Response, make_response, redirect, request, url_for
from markupsafe import Markup
from sqlmodel import Session

from app.base.words.numbers import whole
from app.base.words.refusals import NoSuch
from app.base.words.speech import Voice
from app.computer import looking_back, parting, starting
from app.computer.course import curve
from app.computer.tables import LookBack, WorkState
from app.games.store import GameNow, GameStore
from app.games.tables import GameStatus
from app.lobby import options
from app.lobby.pages.open_games import option_field, title_of
from app.play.past import look_back as look_back_data
from app.play.past import replay
from app.play.turn import turns
from app.play.turn.sentences import paragraph, run_on
from app.titles.boards import small_svg
from app.titles.pages import parts_of
from app.titles.registry import TITLES
from app.web import visit
from app.web.forms import Count, Form, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.refusals import Refusal
from engine.kernel.search import Stream, levels_of
from engine.kernel.title import Title

blueprint = Blueprint("computer", __name__)


class PlayForm(Form):
    """A level, those of more computers, the reader's seat, how many play, and the options of the title."""

    level: Typed = ""
    other: list[str]
    seat: Typed = ""
    seats: Annotated[int, Count(most=99)] = 0
    option: dict[str, str]


# -- beginning ----------------------------------------------------------------------------------------


def _titles() -> list[Title]:
    """Return the titles that the computer plays; none where nothing thinks. Their minds are not loaded for that."""
    return [title for title in TITLES.values() if hasattr(type(title), "levels")] if server().config.thinkers else []


@blueprint.app_template_global()
def computer_plays(title: Title | None = None) -> bool:
    """Return whether the computer plays this title, or any."""
    return bool(_titles()) if title is None else title.id in [one.id for one in _titles()]


@blueprint.get("/computer")
def choose() -> Response:
    """Ask for the title, or go on with the one that the address names."""
    titles, wanted = _titles(), request.args.get("title", "")
    if not titles:
        raise NoSuch
    if wanted in TITLES or len(titles) == 1:
        return make_response(redirect(f"/computer/{wanted or titles[0].id}", 303))
    return visit.show("computer/choose.html", titles=titles)


@blueprint.get("/computer/<title_id>")
def form(title_id: str) -> Response:
    """Ask how strong the computer is, and which seat the reader wants."""
    title = title_of(title_id)
    if title not in _titles():
        raise NoSuch
    voice, filled = visit.voice().about(title), PlayForm.shown()
    count = whole(request.args.get("players", ""), least=title.least_seats, most=title.most_seats) or title.least_seats
    return visit.show(
        "computer/form.html",
        voice=voice,
        title=title,
        titles=_titles(),
        levels=levels_of(title),
        chosen=filled.level or levels_of(title)[0].name,
        others=(filled.other + [""] * count)[: count - 2],
        counts=range(title.least_seats, title.most_seats + 1),
        players=count,
        seats=[(seat, voice.name("seat", seat)) for seat in title.seats[:count]],
        filled=filled,
        fields=[option_field(voice, field, filled.option) for field in title.option_fields({})],
        guest_days=starting.KEPT.days,
    )


@blueprint.post("/computer/<title_id>")
@answers(PlayForm, again=form, anyone=True)
def play(form: PlayForm, title_id: str) -> Response:
    """Begin at once, and go to the reader's seat."""
    title, me = title_of(title_id), visit.person()
    if title not in _titles():
        raise NoSuch
    wish = starting.Wish(
        title_id=title.id,
        level=form.level,
        others=tuple(form.other),
        seat=form.seat,
        seats=form.seats,
        options=options.read(title, form.option),
        player_id=me.id if me else None,
        language=visit.voice().lang,
        place=visit.place_of_request(),
    )
    link = starting.start(server().database, wish, now=visit.now())
    return make_response(redirect(f"/t/{server().links.turn_token(link)}", 303))


# -- looking back -------------------------------------------------------------------------------------


@blueprint.get("/games/<number:game_id>/look-back")
def look_back(game_id: int) -> Response:
    """Show the course of a finished game and its turning points, or that they are being worked out."""
    with server().database.read() as session:
        me = visit.person(session)
        game = GameStore(session).load(game_id)
        if game.status != GameStatus.OVER or not levels_of(game.title):
            raise NoSuch
        kept = looking_back.kept(session, game_id)
        voice = visit.voice().about(game.title)
        found = _found(session, game, kept, voice)
        said = parting.said(session, game)
    return visit.show(
        "computer/look_back.html",
        voice=voice.among(game.seats),
        game=game,
        can_ask=kept is None and me is not None and game.seat_of(me.id) is not None,
        waits=kept is not None and kept.state == WorkState.WAITING,
        found=found,
        said_by=said,
    )


@blueprint.post("/games/<number:game_id>/look-back")
@answers(again=look_back)
def ask(game_id: int) -> Response:
    """Have the computer look back on it."""
    looking_back.ask(server().database, game_id, visit.need_person().id, now=visit.now())
    return on_to(".look_back", game_id=game_id)


def _found(session: Session, game: GameNow, kept: LookBack | None, voice: Voice) -> dict[str, Any] | None:
    if kept is None or kept.found is None:
        return None
    rows, among = look_back_data.by_turn(kept.found["course"]), voice.among(game.seats)
    names = {seated.seat: among.who(seated) for seated in game.seats}
    course = replay.course_of(session, game.id)
    points = []
    for one in kept.found["turning_points"]:
        state = replay.state_after(session, game, course, one["entry"] - 1)
        lines = [line for line in (one["line"], one["better"]) if line is not None]
        moves = [_move(game, state, one, line, among) for line in lines]
        points.append({**one, "who": names[one["seat"]], "moves": moves})
    turns_at = url_for("replay.by_turn", game_id=game.id, turn="")
    return {"picture": curve(rows, names, turns_at, voice), "rows": rows, "names": names, "points": points}


def _move(game: GameNow, state: Any, at: Mapping[str, Any], line: str, voice: Voice) -> tuple[str, Markup]:  # noqa: ANN401
    """Return a move of a turning point in words, and the board after it. What it does is its first event; if that hides
    something, such as drawn cards, the kind of move says more."""
    title, seat = game.title, at["seat"]
    try:
        action = title.read(state, seat, line)
        events = title.play(state, seat, action, Stream(look_back_data.SEED, at["entry"], line))
    except Refusal:  # played by the rules of before
        return line, Markup()
    is_open = title.seen_by(events[0], None) == events[0]
    said = paragraph(run_on(turns.said_of(game, events[:1], seat, voice), voice)) if is_open else ""
    kind = parts_of(title.id, voice.lang).kind_name(line.partition(" ")[0]).striptags()
    view = title.view(reduce(title.apply, events, state), None)
    prefix = f"b{at['entry']}-{int(line == at['better'])}-"
    board = small_svg(title.id, view, voice, changed=replay.places_of(events), prefix=prefix)
    return said or str(kind), Markup(board)
