"""My games, the page of a game for players and spectators, resigning, proposals, rematch, talk and notes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, abort, flash, redirect, request
from flask import session as flask_session
from sqlalchemy import select

from app.base.links import BadLink, TurnLink
from app.base.numbers import LARGEST, whole
from app.base.prepared import Prepared
from app.base.refusals import NotAccepted
from app.base.speech import Voice
from app.games import contest
from app.games.store import GameNow, GameStore, NoSuchGame
from app.games.tables import Game
from app.lobby import open_games
from app.lobby import rematch as rematches
from app.lobby.pages.open_games import table_page
from app.overdue.pages import clock_of
from app.people import signin
from app.people.tables import Player
from app.play import mine, results, talk, turns
from app.play.pages.game_rows import rows
from app.play.pages.turn_page import picture
from app.play.pages.turnstile import one_at_a_time
from app.play.pages.waiting import waiting_of
from app.play.proof import committed
from app.play.results import Proposed
from app.play.turns import said_of, what_happened
from app.web import visit
from app.web.csrf import csrf
from app.web.kept import FOR_EVER, Drawn, Kept, same_until
from app.web.reader import house
from engine.kernel.text import Text

blueprint = Blueprint("game", __name__)
csrf.exempt(blueprint)  # every form goes through `session.attempt`, which keeps what was typed

ENTRIES = 40
"""So many entries of the log are on the page; more on the next."""
_kept = Kept(200)


# -- my games -----------------------------------------------------------------------------------------


@blueprint.get("/games")
@one_at_a_time
def my_games() -> Response:
    """What is in hand, the most urgent first: two statements, nothing written; drawn when something has changed."""
    now, database, secret = visit.now(), house().database, visit.secret()
    if secret is None:
        raise visit.NotSignedIn
    key = (house().config.database_url, secret)
    has_news = "_flashes" in flask_session
    who = signin.WHO, {"hash": signin.hashed(secret), "now": now}
    drawn = None if has_news else _kept.find(key)
    if drawn is not None and now < drawn.until:
        in_hand = mine.CURRENT, {"me": drawn.about, "since": now - mine.JUST_ENDED}
        if drawn.rows == Prepared.glances(database, who, in_hand):
            return Response(drawn.page, mimetype="text/html")
    with database.read() as session:
        me = visit.person(session)
        if me is None:
            raise visit.NotSignedIn
        games = mine.current(session, me.id, now)
        if not has_news:
            in_hand = mine.CURRENT, {"me": me.id, "since": now - mine.JUST_ENDED}
            seen = [asked.glance_within(session, **values) for asked, values in (who, in_hand)]
    response = visit.show("game/mine.html", rows=rows(games, visit.voice(), now))
    if not has_news:
        until = min((same_until(game.deadline_at, now) for game in games), default=FOR_EVER)
        _kept.keep(key, Drawn(response.get_data(), seen, until, me.id))
    return response


@blueprint.get("/games/past")
def past_games() -> Response:
    """Games that are over, fifty on a page."""
    before = whole(request.args.get("before", ""))
    number = LARGEST if before is None else before
    with house().database.read() as session:
        me = visit.person(session)
        if me is None:
            raise visit.NotSignedIn
        games = mine.past(session, me.id, number)
    voice = visit.voice()
    following = games[-1].id if len(games) == mine.ON_A_PAGE else None
    return visit.show("game/past.html", rows=rows(games, voice, visit.now()), following=following)


# -- the page of a game -------------------------------------------------------------------------------


@blueprint.get("/games/<number:game_id>")
def game_page(game_id: int) -> Response:
    """An open table, or the game as everybody may see it."""
    return show_game(game_id)


def show_game(game_id: int, error: str = "", status: int = 200, where: str = "") -> Response:
    """The page of a game, with why something was not done."""
    with house().database.read() as session:
        me = visit.person(session)
        store = GameStore(session)
        try:
            game = store.load(game_id)
        except NoSuchGame:
            return _without_state(session, game_id)
        entries = _shown_entries(game)
        log = [step for step in store.log(game.title, game_id, entries[0]) if step[0] <= entries[1]]
        seat = next((s.seat for s in game.seats if me and s.player_id == me.id), None)
        beside = talk.talk_of(session, game, seat) if seat else None
        proposed = results.waiting(session, game) if seat else None
        takeback = results.may_take_back(session, game, seat) if seat else None
        made_from = rematches.rematch_of(session, game_id, me.id if me else None)
        voice = visit.voice().about(game.title)
        clock = clock_of(session, game, seat, voice)
        waiting = waiting_of(session, game, seat, voice, visit.now())
        place = contest.runner().place_of_game(session, game_id)
    view = game.title.view(game.state, None)
    sentences = [
        {"entry": number, "at": at, "said": said}
        for number, at, step in log
        if (said := said_of(game, step.told, seat, voice))
    ]
    sentences = _with_time(sentences, clock["log"], game, entries)
    outcome = game.title.outcome(game.state)
    return visit.show(
        "game/show.html", status, voice=voice, game=game, seat=seat, log=sentences, entries=entries,
        picture=picture(game.title, view, voice, frozenset()), text_board=game.title.board(view, voice, faces=True),
        winners=voice.join([voice.name("seat", s) for s in outcome.winners]) if outcome else "",
        scores=[(s, outcome.scores[s]) for s in outcome.scores] if outcome else [],
        turn_link=_turn_link(game, seat), proposed=proposed, agree_link=_agree_link(game, proposed, seat),
        plays=seat is not None and not game.is_over and results.still_plays(game, seat),
        beside=beside, rematch=made_from, filled=request.form, error=error, where=where,
        commitment=committed(game.seed), takeback=takeback, clock=clock, waiting=waiting,
        contest=place, ruled=_ruled(game, place, voice),
    )  # fmt: skip


def _ruled(game: GameNow, place: contest.Place | None, voice: Voice) -> str:
    """How a ruling of its event has said that the game ended; empty where none has."""
    if place is None or place.ruled is None:
        return ""
    if not place.ruled:
        return voice.gettext("By a ruling of its event this game does not count.")
    result = " – ".join(
        f"{voice.who(seated)}\N{NO-BREAK SPACE}{given}" for seated, given in zip(game.seats, place.ruled, strict=True)
    )
    if game.status == "cancelled":
        return voice.gettext("This game was ended by a ruling of its event: {result}.", result=result)
    return voice.gettext("By a ruling of its event the result is: {result}.", result=result)


def _with_time(
    sentences: list[dict[str, Any]], told: list[tuple[datetime, str]], game: GameNow, entries: tuple[int, int]
) -> list[dict[str, Any]]:
    """The log of actions with the log of time in between, as far as the page goes back."""
    first = sentences[0]["at"] if sentences and entries[0] > 0 else datetime.min.replace(tzinfo=UTC)
    last = sentences[-1]["at"] if sentences and entries[1] < game.entries else datetime.max.replace(tzinfo=UTC)
    times = [{"entry": None, "at": at, "said": [text]} for at, text in reversed(told) if first <= at <= last]
    return sorted([*sentences, *times], key=lambda one: one["at"])


def _shown_entries(game: GameNow) -> tuple[int, int]:
    """After which entry the page begins, and the last one it shows."""
    given = whole(request.args.get("until", ""))
    last = game.entries if given is None else given
    last = max(1, min(last, game.entries))
    return max(0, last - ENTRIES), last


def _turn_link(game: GameNow, seat: str | None) -> str:
    """The link of the decision that the reader owes: signed in as that player, nobody needs the mail."""
    if seat is None or game.decides != seat:
        return ""
    return f"/t/{house().links.turn_token(TurnLink(game.id, seat, game.number, game.seated(seat).player_id))}"


def _agree_link(game: GameNow, proposed: Proposed | None, seat: str | None) -> str:
    if proposed is None or seat is None or proposed.answers.get(seat, False) is not None:
        return ""
    return f"/proposal/{house().links.sign('proposal', [proposed.id, seat, game.seated(seat).player_id])}"


def _without_state(session: Any, game_id: int) -> Response:
    try:
        return table_page(session, open_games.find(session, game_id))
    except open_games.NoSuchTable:
        pass
    status = session.scalar(select(Game.status).where(Game.id == game_id))
    if status is None:
        abort(404)
    voice = visit.voice()
    text = voice.gettext("This game was cancelled before it started.")
    return visit.message(200, voice.gettext("Game {number}", number=game_id), text)


def _act(game_id: int, where: str, do: Callable[[Any], None], said: str, anchor: str = "") -> Response:
    """Do something as a player of the game, and go back to its page."""
    me = visit.need_person()

    def act() -> Response:
        do(me)
        if said:
            flash(said)
        return redirect(f"/games/{game_id}{anchor}", 303)  # type: ignore[return-value]

    try:
        return visit.attempt(act, lambda why, status: show_game(game_id, why, status, where))
    except NoSuchGame:
        abort(404)


@blueprint.post("/games/<number:game_id>/say")
def say(game_id: int) -> Response:
    """Say something to all at the table."""
    text = request.form.get("say", "")
    return _act(
        game_id, "talk", lambda me: talk.say(house().database, game_id, me.id, text, now=visit.now()), "", "#talk"
    )


@blueprint.post("/games/<number:game_id>/note")
def note(game_id: int) -> Response:
    """Keep the private notes."""
    text = request.form.get("note", "")
    return _act(
        game_id,
        "notes",
        lambda me: talk.keep_note(house().database, game_id, me.id, text, now=visit.now()),
        "noted",
    )


@blueprint.post("/games/<number:game_id>/keep-turn")
def keep_turn(game_id: int) -> Response:
    """The end of the reader's turn that was said ahead is taken back."""
    return _act(game_id, "waiting", lambda me: turns.keep_turn(house().database, game_id, me.id), "turn_kept")


# -- ends ---------------------------------------------------------------------------------------------


@blueprint.get("/games/<number:game_id>/resign")
def resign_form(game_id: int) -> Response:
    """Really?"""
    return _resign_form(game_id)


def _resign_form(game_id: int, error: str = "", status: int = 200) -> Response:
    me = visit.need_person()
    try:
        with house().database.read() as session:
            game = GameStore(session).load(game_id)
        seat = results.seat_of_player(game, me.id)
    except NoSuchGame:
        abort(404)
    except NotAccepted as no:
        return visit.message(403, visit.voice().gettext("Not possible"), visit.voice().say(no.why))
    can = not game.is_over and results.still_plays(game, seat.seat)
    voice = visit.voice().about(game.title)
    if not can and not error:
        error = voice.say(results.IS_OVER) if game.is_over else voice.gettext("You are out of this game already.")
    return visit.show("game/resign.html", status, voice=voice, game=game, seat=seat, can=can, error=error)


@blueprint.post("/games/<number:game_id>/resign")
def resign(game_id: int) -> Response:
    """Give the game up."""
    me = visit.need_person()

    def act() -> Response:
        results.resign(house().database, game_id, me.id, now=visit.now())
        flash("resigned")
        return redirect(f"/games/{game_id}", 303)  # type: ignore[return-value]

    try:
        return visit.attempt(act, lambda why, status: _resign_form(game_id, why, status))
    except NoSuchGame:
        abort(404)


@blueprint.post("/games/<number:game_id>/propose")
def propose(game_id: int) -> Response:
    """Ask the others to cancel the game, to end it with a result, or to let a move be taken back."""
    kind, winners = request.form.get("kind", ""), request.form.getlist("winner")
    return _act(
        game_id,
        "proposal",
        lambda me: results.propose(house().database, game_id, me.id, kind, winners, now=visit.now()),
        "proposed",
    )


@blueprint.post("/games/<number:game_id>/withdraw")
def withdraw(game_id: int) -> Response:
    """Take one's own proposal back."""
    return _act(
        game_id,
        "proposal",
        lambda me: results.withdraw(house().database, game_id, me.id, now=visit.now()),
        "withdrawn",
    )


@blueprint.post("/games/<number:game_id>/rematch")
def rematch(game_id: int) -> Response:
    """The same once more, everybody one seat further."""
    me = visit.need_person()

    def act() -> Response:
        new = rematches.offer_rematch(house().database, game_id, me.id, now=visit.now())
        return redirect(f"/games/{new}", 303)  # type: ignore[return-value]

    try:
        return visit.attempt(act, lambda why, status: show_game(game_id, why, status, "rematch"))
    except NoSuchGame:
        abort(404)


# -- agreeing -----------------------------------------------------------------------------------------


def _proposal_of(token: str) -> tuple[int, str, int]:
    payload = house().links.read("proposal", token)
    if len(payload) != 3 or not isinstance(payload[0], int) or not isinstance(payload[1], str):
        raise BadLink("proposal")
    return payload[0], payload[1], payload[2]


@blueprint.get("/proposal/<token>")
def proposal(token: str) -> Response:
    """What is proposed, and two buttons."""
    return _proposal(token)


def _proposal(token: str, error: str = "", status: int = 200) -> Response:
    try:
        proposal_id, seat, player_id = _proposal_of(token)
        with house().database.read() as session:
            game, made = results.find(session, GameStore(session), proposal_id, seat, player_id)
            reader = session.execute(select(Player.language, Player.zone).where(Player.id == player_id)).first()
            voice = Voice(reader.language, reader.zone, game.title) if reader else visit.voice().about(game.title)
            gone = what_happened(GameStore(session), game, seat, voice, made.back_to) if made.back_to else []
    except BadLink:
        return _unknown()
    except (results.Settled, NoSuchGame) as settled:
        return _settled(settled)
    by = game.seated(made.seat)
    return visit.show(
        "game/proposal.html", status, voice=voice, link=token, game=game, proposed=made, error=error,
        by=voice.who(by),
        winners=voice.join([voice.name("seat", s) for s in made.winners]), gone=gone,
    )  # fmt: skip


@blueprint.post("/proposal/<token>")
def answer_proposal(token: str) -> Response:
    """Agree or not, without a login: the link is the right to do so."""
    try:
        proposal_id, seat, player_id = _proposal_of(token)
    except BadLink:
        return _unknown()

    def act() -> Response:
        said, voice = request.form.get("answer"), visit.voice()
        if said not in ("agree", "decline"):
            raise NotAccepted("answer.none", Text("Choose whether you agree or decline."))
        with house().database.read() as session:
            before, made = results.find(session, GameStore(session), proposal_id, seat, player_id)
        game = results.answer(house().database, proposal_id, seat, player_id, said == "agree", now=visit.now())
        if said == "decline":
            text = voice.gettext("You have declined, and the game goes on.")
        elif game.is_over:
            text = voice.gettext("All have agreed, and the game is over.")
        elif made.kind == "takeback" and game.entries > before.entries:
            text = voice.gettext("All have agreed, and it is taken back.")
        else:
            text = voice.gettext("You have agreed. It happens when all the others agree too.")
        return visit.message(200, voice.gettext("Your answer is kept"), text)

    try:
        return visit.attempt(act, lambda why, status: _proposal(token, why, status), by_link=True)
    except (results.Settled, NoSuchGame) as settled:
        return _settled(settled)


def _settled(settled: Exception) -> Response:
    voice = visit.voice()
    sentences = {
        "accepted": voice.gettext("All have agreed to this proposal already."),
        "declined": voice.gettext("This proposal has been declined, and the game goes on."),
        "answered": voice.gettext("You have answered this proposal already."),
        "void": voice.gettext("The game has gone on since, so nothing is taken back."),
    }
    text = sentences.get(getattr(settled, "status", ""), voice.gettext("This proposal does not hold any more."))
    return visit.show(
        "tables/gone.html", 410, heading=voice.gettext("This link has ended"), message=text,
        game_id=getattr(settled, "game_id", None),
    )  # fmt: skip


def _unknown() -> Response:
    voice = visit.voice()
    text = voice.gettext("This link is not complete or was not made here. Open it from the mail once more.")
    return visit.message(404, voice.gettext("Link not known"), text)
