"""Turn pages with nothing to decide: the orders have been sent, or the link has ended."""

from __future__ import annotations

from dataclasses import astuple
from datetime import UTC, datetime, timedelta

from flask import Response, make_response, redirect, request
from sqlmodel import Session

from app.base.links import BadLink, TurnLink
from app.base.process.recent import Recent
from app.base.server import Server
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore
from app.overdue import nudges
from app.people.tables import USUAL_HOLD
from app.play.agreed import results
from app.play.agreed.takeback import Offer
from app.play.lists.scores import points
from app.play.pages.onward import onward
from app.play.pages.turn import asked
from app.play.pages.turn import held as turn_held
from app.play.pages.turn.ahead_rows import rows_ahead
from app.play.pages.turn.form import Complaint
from app.play.pages.turn.waits import after_answer, waits_for_computer, with_scripts
from app.play.turn import holding, turns
from app.play.turn.sentences import paragraph, run_on
from app.post.push import devices
from app.titles.boards import board_svg
from app.titles.pages import parts_of
from app.web import pocket, visit
from app.web.reader import name_asked, page, voice_of, without_turns

MOST_SINCE = 60
LEADS_FOR = timedelta(hours=1)
"""How long the page after sending leads a reader who is not signed in to the next game."""
_before = Recent[GameNow](50)
"""Games as they stood before what was lately sent to this process; any other is rebuilt from its log."""


def to_sent(server: Server, link: TurnLink, before: GameNow | None = None, *, leads: bool) -> Response:
    """Lead to the page that says that a link's orders have been sent. Sending them again leads to it, too, but from
    there to no other game (`leads`). `before` is the game that they were played on."""
    if before is not None:
        _before.keep((server.config.database_url, link), before)
    until = int(visit.now().timestamp() + LEADS_FOR.total_seconds()) if leads else 0
    proof = server.links.sign("sent", [*astuple(link), until])
    return make_response(redirect(f"/t/{server.links.turn_token(link)}/sent/{proof}", 303))


def sent(server: Server, token: str, proof: str) -> Response:
    """Show that a link's orders have been sent, as long as nothing has happened since; then lead to what is there
    instead."""
    link = server.links.read_turn(token)
    *named, until = server.links.read("sent", proof, 5)
    if named != [*astuple(link)]:
        raise BadLink("sent")
    leads = until > visit.now().timestamp()
    with server.database.read() as session:
        store = GameStore(session)
        game, made = store.load(link.game), store.made(link.game, link.number)
        held = holding.held(session, game, link) if game.number == link.number else None
        if held is not None:
            return turn_held.drawn(session, token, held, sent=leads)
        if made is None or not turns.holds_seat(game, link):
            return make_response(redirect(f"/t/{token}", 303))
        if made.last_entry == game.entries and game.decides != link.seat:
            return done(server, session, game, link, leads=leads)
    return make_response(redirect(after_answer(server, game, link, made.next_number) or f"/t/{token}", 303))


def done(
    server: Server, session: Session, game: GameNow, link: TurnLink, *, leads: bool, complaint: Complaint | None = None
) -> Response:
    """Show that the orders have been sent: their result, who decides now, and, if it `leads` on, the next game."""
    seat, seated = link.seat, game.seated(link.seat)
    voice = voice_of(seated, game.title)
    store = GameStore(session)
    happened = turns.what_happened(store, game, seat, voice, store.entry_before_decision(game.id, link.number))
    before = _before.find((server.config.database_url, link))
    back = takeback_offered(server, session, game, seat, before=before)
    me, following = onward(session, voice, game.id, seated.player_id, by_link=leads)
    reader = visit.person(session)
    offers = (
        seated.player_id is not None
        and (reader is None or reader.id == seated.player_id)
        and pocket.is_possible()
        and not devices.has_any(session, seated.player_id)
    )
    view = game.view(seat)
    ends = server.links.turn_token(link) if game.ends_ahead(seat) else ""
    parts = parts_of(game.title.id, voice.lang).among(voice.names_of(game.seats))
    asks = leads and not game.is_over
    foreseen = rows_ahead(game.title, parts, game.state, seat, seated.standing, alike=True) if asks else []
    response = page(
        "play/turn/done.html",
        voice,
        200 if complaint is None else 422,
        game=game,
        complaint=complaint,
        happened=happened,
        line=asked.sent(game, voice, seat),
        decides=_who(game, voice, game.decides),
        picture=board_svg(game.title.id, view, voice),
        text_board=game.title.board(view, voice.among(game.seats)),
        takeback=back,
        me=me,
        next=following,
        points=points(view),
        turns_again=without_turns(seated.player_id, wants=seated.wants_turns),
        ends_by=ends,
        guest=seated.is_guest,
        waits=waits_for_computer(server, game, link),
        token=server.links.turn_token(link),
        parts=parts,
        foreseen=foreseen,
        offers_device=offers,
        naming=_named_first(store, game, link, voice),
    )
    return with_scripts(response, game)


def _named_first(store: GameStore, game: GameNow, link: TurnLink, voice: Voice) -> dict[str, str] | None:
    """Ask a player without a name for one, once: when they have answered for the first time in a game."""
    seated = game.seated(link.seat)
    asks = name_asked(seated.player_id, seated.name, request.path)
    return asks if asks and len(store.own_answers(game.id, link.seat, 2)) == 1 else None


def usual_hold(game: GameNow, seat: str) -> int:
    """Return how many minutes a turn that is sealed on the page waits if its player has never said how long: at a table
    with nobody but the computer, none."""
    others = (one for one in game.seats if one.seat != seat)
    return 0 if all(one.computer for one in others) else USUAL_HOLD


def takeback_offered(
    server: Server,
    session: Session,
    game: GameNow,
    seat: str,
    link: TurnLink | None = None,
    before: GameNow | None = None,
) -> tuple[str, Offer] | None:
    """Return what the seat sent last and whether it may ask to take that back, with the token of the link that asks.
    None if there is nothing, or if the reader came by another link, which gives no right to it."""
    offer = results.may_take_back(session, game, seat, before)
    seated = game.seated(seat)
    if offer is None or not seated.is_asked:
        return None
    player = seated.player_id
    asks = TurnLink(game.id, seat, offer.number, player)
    return (server.links.turn_token(asks), offer) if link in (None, asks) else None


def _who(game: GameNow, voice: Voice, seat: str | None) -> str:
    """Return the name of the player in a seat, or the seat's name if nobody sits there."""
    return "" if seat is None else voice.who(game.seated(seat))


def ended(server: Server, token: str, over: turns.LinkEnded, status: int = 200) -> Response:
    """Show that the link has ended: what a spectator may see, who moved since, and a button for the current link."""
    game = over.game
    voice = voice_of(game.seated(over.seat), game.title)
    since = []
    with server.database.read() as session:
        link = server.links.read_turn(token)
        log = GameStore(session).log(game.title, game.id, over.since)
        undone = any(step.back_to is not None and step.decision == link.number for _, _, step in log)
        for _, at, step in log:
            said = turns.said_of(game, step.told(game.title), None, voice)
            if said:
                since.append({"who": _who(game, voice, step.seat), "at": at, "said": paragraph(run_on(said, voice))})
        back = takeback_offered(server, session, game, over.seat, link)
        ends = token if turns.said_end_ahead(session, game, link) else ""
        newest = turns.is_newest(session, game, link)
        leads_on = turns.leads_on(session, game, link)
        nudge = nudges.offered(session, game, over.seat, datetime.now(UTC))
        me, following = onward(session, voice, game.id, link.player, by_link=False)
    view, seated = game.view(None), game.seated(over.seat)
    response = page(
        "play/turn/ended.html",
        voice,
        status,
        line=asked.waiting(game, voice, over.seat).asked,
        game=game,
        token=token,
        seat=over.seat,
        since=since[-MOST_SINCE:],
        decided=status == 409,
        takeback=back,
        undone=undone,
        newest=newest,
        waits=waits_for_computer(server, game, link) if newest else "",
        guest=seated.is_guest,
        leads_on=server.links.turn_token(leads_on) if leads_on else "",
        nudge=nudge,
        me=me,
        next=following,
        points=points(view),
        ends_by=ends,
        decides=_who(game, voice, game.decides),
        picture=board_svg(game.title.id, view, voice),
        text_board=game.title.board(view, voice.among(game.seats), faces=True),
        turns_again=without_turns(link.player, wants=seated.wants_turns or link.player != seated.player_id),
    )
    return with_scripts(response, game)
