"""My games, the page of a game for players and spectators, resigning, proposals, rematch, chat and notes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from flask import Blueprint, Response, make_response, redirect, request, url_for
from flask import session as flask_session
from sqlmodel import Session, select

from app.base.links import TurnLink
from app.base.process.recent import Recent
from app.base.stored.prepared import PreparedGlance
from app.base.words.numbers import LARGEST, whole
from app.base.words.speech import Voice
from app.games import competitions
from app.games.steps import in_force
from app.games.store import GameNow, GameStore, NoSuchGame
from app.games.tables import Game, GameStatus
from app.lobby import listing, options
from app.lobby import rematch as rematches
from app.lobby.pages.open_games import table_page
from app.overdue import nudges
from app.overdue.pages import clock_of
from app.people import signin
from app.play.agreed import results
from app.play.agreed.results import OpenProposal
from app.play.fairness.proof import committed
from app.play.lists import ends, scores
from app.play.lists import my_games as mine
from app.play.pages.game_rows import groups, rows, stand
from app.play.pages.past.game_log import game_log
from app.play.pages.past.pictures import shared
from app.play.pages.turn import asked
from app.play.pages.turnstile import one_at_a_time
from app.play.tables import ProposalKind
from app.play.turn import chat_and_notes, turns
from app.play.turn.choosing import touches_in
from app.play.turn.turns import what_happened
from app.time.away import leave
from app.titles.pages import pages_of, parts_of
from app.titles.parts import PlainParts
from app.titles.registry import TITLES
from app.web import pocket, visit
from app.web.forms import Form, Says, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.page_cache import FOR_EVER, POLICY, CachedPage, same_until
from app.web.reader import WITH_SCRIPT, language_chosen, looks_chosen, server
from engine.kernel.text import Text
from engine.kernel.title import Title

blueprint = Blueprint("game", __name__)

ENTRIES = 40
"""Log entries on the page; more on the next."""
WATCHED_ON_A_PAGE = 30
MOST_PAGES = 1000
_kept = Recent[CachedPage](50)


# -- my games -----------------------------------------------------------------------------------------


@blueprint.get("/games")
@one_at_a_time
def my_games() -> Response:
    """Show the player's games, the most urgent first: two statements, nothing written; rendered when something has
    changed."""
    now, secret = visit.now(), visit.secret()
    if secret is None:
        raise visit.NotSignedIn
    database = server().database
    key = (database.url, secret, language_chosen(), looks_chosen())
    has_news = "_flashes" in flask_session
    who = signin.WHO, {"hash": signin.hashed(secret), "now": now}
    drawn = None if has_news else _kept.find(key)
    if drawn is not None and now < drawn.until:
        in_hand = mine.CURRENT, {"me": drawn.about, "since": now - mine.JUST_ENDED}
        if drawn.rows == PreparedGlance.glances(database, who, in_hand):
            return Response(drawn.page, mimetype="text/html", headers=drawn.headers)
    with database.read() as session:
        me = visit.person(session)
        if me is None:
            raise visit.NotSignedIn
        games = mine.current(session, me.id, now)
        standings = stand(session, games, visit.voice())
        if not has_news:
            in_hand = mine.CURRENT, {"me": me.id, "since": now - mine.JUST_ENDED}
            seen = [asked.glance_within(session, **values) for asked, values in (who, in_hand)]
    response = visit.show(
        "play/game/mine.html",
        groups=groups(games, visit.voice(), now, standings),
        waiting=sum(game.waits for game in games),
        taught=_taught(),
        asks_zone=True,
    )
    pocket.keep(pocket.with_worker(response), request.path, visit.voice())
    if not has_news:
        until = min((same_until(game.deadline_at, now) for game in games), default=FOR_EVER)
        headers = {name: response.headers[name] for name in (POLICY, pocket.KEEP, pocket.OFFLINE)}
        _kept.keep(key, CachedPage(response.get_data(), seen, until, me.id, headers))
    return response


@blueprint.app_template_global()
def has_unread(player_id: int) -> bool:
    """Return whether the menu has a dot: another has said something in a running game."""
    return mine.has_unread(server().database, player_id)


def _taught() -> list[Title]:
    """Return the titles with a lesson."""
    return [title for title in TITLES.values() if pages_of(title.id).lesson is not None]


@blueprint.get("/games/past")
def past_games() -> Response:
    """Show finished games, fifty per page."""
    before = whole(request.args.get("before", ""))
    number = LARGEST if before is None else before
    with server().database.read() as session:
        me = visit.person(session)
        if me is None:
            raise visit.NotSignedIn
        games = mine.past(session, me.id, number)
    voice = visit.voice()
    following = games[-1].id if len(games) == mine.ON_A_PAGE else None
    return visit.show("play/game/past.html", rows=rows(games, voice, visit.now(), {}), following=following)


@blueprint.get("/watch")
def watch() -> Response:
    """Show public games that are being played, the most recently moved first."""
    given = whole(request.args.get("page", ""), MOST_PAGES)
    page, database = max(1, given or 1), server().database
    with database.read() as session:
        found = mine.to_watch(session, WATCHED_ON_A_PAGE, page)
        standings = stand(session, found, visit.voice())
    following = page + 1 if len(found) == WATCHED_ON_A_PAGE else None
    shown = rows(found, visit.voice(), visit.now(), standings)
    return visit.show("play/game/watch.html", rows=shown, following=following)


@blueprint.get("/games/next")
def next_game() -> Response:
    """Lead the signed-in player to the game that waits for them and is due first, or else to the list."""
    me = visit.need_person()
    with server().database.read() as session:
        found = mine.next_waiting(session, me.id, 0)
    to = url_for(".my_games") if found is None else url_for(".own_turn", game_id=found.id)
    return make_response(redirect(to, 303))


@blueprint.get("/games/<number:game_id>/turn")
def own_turn(game_id: int) -> Response:
    """Lead the signed-in player to what waits in this game: the page of the turn, or else that of the game."""
    me = visit.need_person()
    with server().database.read() as session:
        try:
            game = GameStore(session).load(game_id)
        except NoSuchGame:
            link = ""
        else:
            link = _turn_link(game, game.seat_of(me.id))
    return make_response(redirect(link or url_for(".game_page", game_id=game_id), 303))


# -- the page of a game -------------------------------------------------------------------------------


class SayForm(Form):
    """A chat message to all at the table."""

    say: Typed = ""


class ReadForm(Form):
    """The last message that was in sight."""

    newest: int


class NoteForm(Form):
    """Private notes."""

    note: Typed = ""


class ProposeForm(Form):
    """What the others are asked, and who would win by it."""

    kind: Typed = ""
    winner: list[str]


@blueprint.get("/games/<number:game_id>")
def game_page(game_id: int) -> Response:
    """Show an open table, or the game as everybody may see it."""
    with server().database.read() as session:
        me = visit.person(session)
        store = GameStore(session)
        try:
            game = store.load(game_id)
        except NoSuchGame:
            return _without_state(session, game_id)
        entries = _shown_entries(game)
        log = [step for step in store.log(game.title, game_id, entries[0]) if step[0] <= entries[1]]
        seat = game.seat_of(me.id if me else None)
        of_seat = _of_seat(session, game, seat)
        made_from = rematches.rematch_of(session, game_id, me.id if me else None)
        voice = visit.voice().about(game.title)
        clock = clock_of(session, game, seat, voice)
        waiting = _waited_for(session, game, seat, voice, visit.now())
        place = competitions.runner().place_of_game(session, game_id, me.id if me else None)
        view = game.view(None)
        parts = parts_of(game.title.id, voice.lang).among(voice.names_of(game.seats))
        ended = _ended(store, game, parts, seat, voice)
        line = (
            asked.line_now(store, game, seat, voice)
            if seat and game.decides == seat
            else asked.waiting(game, voice, seat)
        )
    among = voice.among(game.seats)
    names = [voice.who(one) for one in game.seats]
    title, path = f"{voice.gettext(game.title.name)} · {' – '.join(names)}", url_for("game.game_page", game_id=game_id)
    response = visit.show(
        "play/game/show.html",
        og=(title, line.said, path, shared(game, game.turn if game.is_over else game.turn - 1, voice)),
        voice=voice,
        game=game,
        differing=options.differing(game.title, game.options, voice),
        seat=seat,
        log=game_log(game, log, clock["log"], entries, seat, voice),
        entries=entries,
        line=line.said,
        picture=pages_of(game.title.id).on_page(view, among, frozenset(), touches_in(request.args.getlist("at"))),
        text_board=game.title.board(view, among, faces=True),
        **ended,
        parts=parts,
        view=view,
        names=names,
        tie=parts_of(game.title.id, voice.lang).tie() if game.is_over and scores.is_broken_tie(game) else "",
        turn_link=_turn_link(game, seat),
        **of_seat,
        plays=seat is not None and not game.is_over and results.still_plays(game, seat),
        rematch=made_from,
        talking=SayForm.shown(),
        proposing=ProposeForm.shown(),
        commitment=committed(game.seed),
        seed_number=game.seed_number,
        clock=clock,
        waiting=waiting,
        place=place,
        ruled=_ruled(game, place, voice),
    )
    if of_seat["unread"]:
        response.headers[POLICY] = WITH_SCRIPT
    return response


def _of_seat(session: Session, game: GameNow, seat: str | None) -> dict[str, Any]:
    """What the page shows to a player of the game alone."""
    beside = chat_and_notes.beside(session, game.id, seat, game.number) if seat else None
    chat = chat_and_notes.chat(session, game.id) if beside and beside.newest else ()
    proposed = results.waiting(session, game) if seat else None
    return {
        "beside": beside,
        "chat": chat,
        "unread": chat_and_notes.newly_said(session, chat, seat, beside.muted) if seat and beside else (),
        "notes": NoteForm.shown(note=beside.note if beside else ""),
        "proposed": proposed,
        "agree_link": _agree_link(game, proposed, seat),
        "takeback": results.may_take_back(session, game, seat) if seat else None,
        "ends_by": _ends_by(session, game, seat),
    }


def _waited_for(session: Session, game: GameNow, seat: str | None, voice: Voice, now: datetime) -> dict[str, Any]:
    """Return what a game's page says about waiting: who is on leave, and what the reader can do about the seat that
    owes the decision."""
    if game.is_over or seat is None:  # a player's absence is only shown to those who play with them
        return {"away": [], "can": False}
    until = leave.away(session, game.id, [seated.player_id for seated in game.seats], now)
    away = [(voice.who(seated), until[seated.player_id]) for seated in game.seats if seated.player_id in until]
    box: dict[str, Any] = {"away": away, "can": nudges.may_ask(game, seat)}
    if box["can"]:
        box |= {
            "who": voice.who(game.seated(game.decides or "")),
            "offers": nudges.EXTENSIONS,
            "nudge": nudges.offered(session, game, seat, now),
            "granted": nudges.times_granted(session, game),
        }
    return box


def _ended(store: GameStore, game: GameNow, parts: PlainParts, seat: str | None, voice: Voice) -> dict[str, Any]:
    """How a game has ended."""
    if not game.result:
        return {"table": None, "why": "", "ending": ""}
    view = game.view(None)
    log = [step for _, _, step in store.log(game.title, game.id)]
    events = [event for _, step in in_force(log) for event in step.events]
    return {
        "table": ends.table(game, parts.reckoned(events, view), voice),
        "why": ends.why(game, seat, voice),
        "ending": parts.ending(events, view, voice.names_of(game.seats)),
    }


def _ends_by(session: Session, game: GameNow, seat: str | None) -> str:
    """Return the token by which a seat takes back the announced end of its turn; empty without one."""
    if seat is None or not game.ends_ahead(seat):
        return ""
    return server().links.turn_token(turns.newest_link(session, game, seat))


def _ruled(game: GameNow, place: competitions.PlaceInCompetition | None, voice: Voice) -> str:
    """Say how a ruling of its event has ended the game; empty without one."""
    if place is None or place.ruled is None:
        return ""
    if not place.ruled:
        return voice.gettext("By a ruling of its event this game does not count.")
    result = " – ".join(
        f"{voice.who(seated)}\N{NO-BREAK SPACE}{given}" for seated, given in zip(game.seats, place.ruled, strict=True)
    )
    if game.status == GameStatus.CANCELLED:
        return voice.gettext("This game was ended by a ruling of its event: {result}.", result=result)
    return voice.gettext("By a ruling of its event the result is: {result}.", result=result)


def _shown_entries(game: GameNow) -> tuple[int, int]:
    """Return the entry after which the page begins, and the last one it shows."""
    given = whole(request.args.get("until", ""))
    last = game.entries if given is None else given
    last = max(1, min(last, game.entries))
    return max(0, last - ENTRIES), last


def _turn_link(game: GameNow, seat: str | None) -> str:
    """Return the link of the decision that the reader owes: signed in as that player, nobody needs the mail."""
    if seat is None or game.decides != seat:
        return ""
    link = TurnLink(game.id, seat, game.number, game.seated(seat).player_id)
    return url_for("turn.show", token=server().links.turn_token(link))


def _agree_link(game: GameNow, proposed: OpenProposal | None, seat: str | None) -> str:
    if proposed is None or seat is None or proposed.answers.get(seat, False) is not None:
        return ""
    token = server().links.sign("proposal", [proposed.id, seat, game.seated(seat).player_id])
    return url_for("game.proposal", token=token)  # the page is shown again by forms of other rooms


def _without_state(session: Session, game_id: int) -> Response:
    try:
        return table_page(session, listing.find(session, game_id))
    except listing.NoSuchTable:
        pass
    status = session.scalar(select(Game.status).where(Game.id == game_id))
    if status is None:
        raise NoSuchGame(game_id)
    voice = visit.voice()
    text = voice.gettext("This game was cancelled before it started.")
    return visit.message(200, voice.gettext("Game %(number)s", number=game_id), text)


@blueprint.post("/games/<number:game_id>/say")
@answers(SayForm, again=game_page, where="chat")
def say(form: SayForm, game_id: int) -> Response:
    """Say something to all at the table."""
    chat_and_notes.say_as_player(server().database, game_id, visit.need_person().id, form.say, now=visit.now())
    return on_to(".game_page", game_id=game_id, _anchor="chat")


@blueprint.post("/games/<number:game_id>/read")
@answers(ReadForm, again=game_page, where="chat")
def read(form: ReadForm, game_id: int) -> Response:
    """Note that the messages on the page have been read."""
    chat_and_notes.read(server().database, game_id, visit.need_person().id, form.newest)
    return on_to(".game_page", game_id=game_id, _anchor="chat")


@blueprint.post("/games/<number:game_id>/note")
@answers(NoteForm, again=game_page, where="notes")
def note(form: NoteForm, game_id: int) -> Response:
    """Store the private notes."""
    chat_and_notes.keep_players_note(server().database, game_id, visit.need_person().id, form.note, now=visit.now())
    return on_to(".game_page", "noted", game_id=game_id)


# -- ends ---------------------------------------------------------------------------------------------


@blueprint.get("/games/<number:game_id>/resign")
def resign(game_id: int) -> Response:
    """Lead a player to where their seat is resigned: by its newest link."""
    me = visit.need_person()
    with server().database.read() as session:
        game = GameStore(session).load(game_id)
        seat = turns.seat_of_player(game, me.id).seat
        token = server().links.turn_token(turns.newest_link(session, game, seat))
    return make_response(redirect(url_for("turn_rights.ask", what="resign", token=token), 303))


@blueprint.post("/games/<number:game_id>/propose")
@answers(ProposeForm, again=game_page, where="proposal")
def propose(form: ProposeForm, game_id: int) -> Response:
    """Ask the others to cancel the game, to end it with a result, or to let a move be taken back."""
    me = visit.need_person()
    results.propose(server().database, game_id, me.id, form.kind, form.winner, now=visit.now())
    return on_to(".game_page", "proposed", game_id=game_id)


@blueprint.post("/games/<number:game_id>/withdraw")
@answers(again=game_page, where="proposal")
def withdraw(game_id: int) -> Response:
    """Withdraw the player's own proposal."""
    results.withdraw(server().database, game_id, visit.need_person().id, now=visit.now())
    return on_to(".game_page", "withdrawn", game_id=game_id)


@blueprint.post("/games/<number:game_id>/rematch")
@answers(again=game_page, where="rematch")
def rematch(game_id: int) -> Response:
    """Offer a rematch, with everybody moved one seat on."""
    new = rematches.offer_rematch(server().database, game_id, visit.need_person().id, now=visit.now())
    return on_to(".game_page", game_id=new)


# -- agreeing -----------------------------------------------------------------------------------------


@blueprint.get("/proposal/<token>")
def proposal(token: str) -> Response:
    """Show what is proposed, and two buttons."""
    proposal_id, seat, player_id = visit.asked_of_seat("proposal", token)
    with server().database.read() as session:
        game, made = _waiting(session, proposal_id, seat, player_id)
        voice = visit.voice().about(game.title)
        gone = what_happened(GameStore(session), game, seat, voice, made.back_to) if made.back_to else []
    return visit.show(
        "play/game/proposal.html",
        voice=voice,
        link=token,
        game=game,
        proposed=made,
        by=voice.who(game.seated(made.seat)),
        winners=voice.join([voice.who(game.seated(s)) for s in made.winners]),
        gone=gone,
    )


def _waiting(session: Session, proposal_id: int, seat: str, player_id: int | None) -> tuple[GameNow, OpenProposal]:
    """Return the game and the proposal that a seat is asked about; ProposalOver when it no longer waits."""
    try:
        return results.find(session, GameStore(session), proposal_id, seat, player_id)
    except NoSuchGame:
        raise results.ProposalOver from None


class AgreeForm(Form):
    """Agree or not."""

    answer: Annotated[Literal["agree", "decline"], Says("answer.none", Text("Choose one of what is offered."))]


@blueprint.post("/proposal/<token>")
@by_link
@answers(AgreeForm, again=proposal)
def answer_proposal(form: AgreeForm, token: str) -> Response:
    """Agree or not, without a login: the link is the authorisation."""
    asked, voice, agrees = visit.asked_of_seat("proposal", token), visit.voice(), form.answer == "agree"
    with server().database.read() as session:
        before, made = _waiting(session, *asked)
    game = results.answer(server().database, *asked, agrees, now=visit.now())
    is_back = made.kind == ProposalKind.TAKEBACK and game.entries > before.entries
    return visit.message(200, voice.gettext("Your answer is kept"), _what_follows(voice, game, agrees, is_back))


def _what_follows(voice: Voice, game: GameNow, agrees: bool, is_back: bool) -> str:
    """Say what an answer to a proposal has led to."""
    if not agrees:
        return voice.gettext("You have declined, and the game goes on.")
    if game.is_over:
        return voice.gettext("All have agreed, and the game is over.")
    if is_back:
        return voice.gettext("All have agreed, and it is taken back.")
    return voice.gettext("You have agreed. It happens when all the others agree too.")
