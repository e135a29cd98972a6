"""A turn as a page for a person: what happened, the board, the hand, what can be done, the draft and the seal.

Nothing here knows a title: how one shows its cards and words its actions is in its `app.titles.parts.PlainParts`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Response
from sqlalchemy import bindparam, case, select
from sqlmodel import Session, col

from app.base.process.recent import Recent
from app.base.server import Server
from app.base.stored.prepared import PreparedGlance
from app.base.words.speech import Voice
from app.games.store import GameNow
from app.games.tables import Game, GameSeat, GameState
from app.people.tables import Player
from app.play.lists.scores import points
from app.play.pages.turn.asked import line_of
from app.play.pages.turn.form import Complaint, FilledTurn, complaint_of, form_token
from app.play.pages.turn.log import Log, log_of
from app.play.pages.turn.tray import Tray
from app.play.turn import chat_and_notes, drafts
from app.time.time_log import credits_of
from app.titles.pages import pages_of, parts_of
from app.titles.parts import PlainParts
from app.titles.touch import Folds
from app.web.page_cache import POLICY, CachedPage, policy_of, same_until
from app.web.pages import time_left
from app.web.reader import (
    WITH_SCRIPT,
    language_chosen,
    looks_chosen,
    page,
    voice_of,
    with_zone,
    without_turns,
    zone_asked,
)
from engine.kernel.title import Choice, Title

_kept = Recent[CachedPage](50)
SOON = timedelta(hours=24)
# Everything from which the page of a decision is rendered; the log comes with `entries`.
_SHOWN = PreparedGlance(
    select(
        col(Game.number),
        col(Game.status),
        col(Game.decides),
        col(Game.entries),
        col(Game.deadline_at),
        case((col(GameSeat.place) == 0, col(GameState.state))),
        col(GameSeat.seat),
        col(GameSeat.player_id),
        col(GameSeat.standing),
        col(GameSeat.ends_turn),
        col(Player.name),
        col(Player.sign),
        col(Player.language),
        col(Player.zone),
        col(Player.zone_chosen),
        col(Player.mail_turns),
        *chat_and_notes.READ_BESIDE.selected_columns,
    )
    .join(GameState, col(GameState.game_id) == col(Game.id))
    .join(GameSeat, col(GameSeat.game_id) == col(Game.id))
    .outerjoin(Player, col(Player.id) == col(GameSeat.player_id))
    .where(col(Game.id) == bindparam("game_id"))
    .order_by(col(GameSeat.place))
)


# -- showing -----------------------------------------------------------------------------------------


def kept(server: Server, token: str) -> Response | None:
    """Return the page of this link as rendered before, if nothing has changed since."""
    drawn = _kept.find((server.config.database_url, token, language_chosen(), looks_chosen()))
    if drawn is None or drawn.until <= datetime.now(UTC):
        return None
    if _SHOWN.glance(server.database, **drawn.about) != drawn.rows:
        return None
    return Response(drawn.page, mimetype="text/html", headers=drawn.headers)


def to_show(
    server: Server, session: Session, token: str, game: GameNow, seat: str, at: tuple[str, ...] = (), opened: str = ""
) -> Callable[[], Response] | None:
    """Read what the page of the owed decision needs, with its stored draft, with what has been touched (`at`) and the
    fold that was asked for, and return how it is drawn, which needs no transaction. Without these it is rendered once
    for each decision, reader and draft. None while a turn is held for it."""
    now = datetime.now(UTC)
    about = {"game_id": game.id, "seat": seat, "number": game.number}
    rows = _SHOWN.glance_within(session, **about)
    beside = chat_and_notes.SeatNotes(*rows[0][-len(chat_and_notes.SeatNotes._fields) :])
    if beside.held == game.number:
        return None
    filled = FilledTurn(draft=list(beside.draft), at=at, opened=opened)
    voice = voice_of(game.seated(seat), game.title)
    told = _told(session, token, game, seat, voice, beside, _marks(server, token, game, filled))

    def draw() -> Response:
        response = drawn(told, game, seat, voice, filled, now)
        if not (at or opened):
            until = same_until(game.deadline_at, now)
            page = CachedPage(response.get_data(), rows, until, about, policy_of(response))
            _kept.keep((server.config.database_url, token, language_chosen(), looks_chosen()), page)
        return response

    return draw


def shown_again(
    server: Server, token: str, game: GameNow, seat: str, filled: FilledTurn, complaint: Complaint | None, status: int
) -> Response:
    """Show the same page with the form as it was sent, and why it came back."""
    with server.database.read() as session:
        beside = chat_and_notes.beside(session, game.id, seat, game.number)
        voice = voice_of(game.seated(seat), game.title)
        told = _told(session, token, game, seat, voice, beside, _marks(server, token, game, filled))
    return drawn(told, game, seat, voice, filled, datetime.now(UTC), SentBack(complaint, status))


def _told(
    session: Session,
    token: str,
    game: GameNow,
    seat: str,
    voice: Voice,
    beside: chat_and_notes.SeatNotes,
    marks: Mapping[str, str],
) -> TurnPageContext:
    chat = chat_and_notes.chat(session, game.id) if beside.newest else ()
    return TurnPageContext(
        log_of(session, game, seat, voice),
        chat,
        credits_of(session, game, voice),
        beside,
        f"/t/{token}",
        marks,
        unread=chat_and_notes.newly_said(session, chat, seat, beside.muted),
    )


class TurnPageContext(NamedTuple):
    """What a page of a turn shows besides the game itself."""

    log: Log
    chat: Sequence[Any]
    credits: Sequence[str]
    beside: chat_and_notes.SeatNotes
    address: str
    """The page's address, to which its forms go."""
    marks: Mapping[str, str]
    """The hidden fields of each of its forms."""
    lesson: Any = None
    """The lesson on it (`app.play.pages.lessons.lesson`); None in a real game."""
    unread: Sequence[Any] = ()
    """What others have said since the seat last answered."""


class SentBack(NamedTuple):
    """Why a form comes back instead of being taken."""

    complaint: Complaint | None
    status: int


NOT_SENT = SentBack(None, 200)
"""The page as it was asked for."""


class Impossible(NamedTuple):
    """Kinds of action that cannot be done now, all for the same reason."""

    names: Sequence[str]
    why: str
    rule: str | None


class Drafted(NamedTuple):
    """Where a turn stands after its draft, and what can be done there."""

    ahead: drafts.Ahead
    view: dict[str, Any]
    shown: Mapping[str, Any]
    """The view that is drawn: what a line of the draft shows cannot be shown before; what can be known of it is."""
    drafted: Sequence[Mapping[str, Any]]
    own_turn: bool
    parts: PlainParts
    kind: str | None
    """Of the decision."""
    tray: Tray | None
    """Where a step is chosen; None while that waits for what a drafted step shows."""
    impossible: Sequence[Impossible]


def _drafted(game: GameNow, seat: str, voice: Voice, filled: FilledTurn, told: TurnPageContext, near: str) -> Drafted:
    title, pages = game.title, pages_of(game.title.id)
    ahead = drafts.play_ahead(title, game.state, seat, filled.draft)
    view, due = title.view(ahead.state, seat), title.decision(ahead.state)
    drafted = drafted_lines(title, ahead)
    folds = None if told.lesson else _folds(near, filled)
    parts = parts_of(title.id, voice.lang).among(voice.names_of(game.seats)).folding(folds)
    own_turn = game.on_turn == seat
    tray = None
    if ahead.shows_at is None and ahead.refused is None and due is not None:
        fresh = told.log.drawn(seat) if told.log.goes_on else frozenset()
        tray = Tray(title, pages, parts, ahead.state, view, seat, told.address, near, filled.at, not own_turn, fresh)
    return Drafted(
        ahead,
        view,
        next((one["preview"]["view"] for one in drafted if one["shows"] and one["preview"]), view),
        drafted,
        own_turn,
        parts,
        due.kind if due is not None and due.seat == seat else game.kind,
        tray,
        impossible_of(title, ahead.state, seat, parts, voice, tray.choosing.kinds) if tray else (),
    )


def impossible_of(
    title: Title, state: object, seat: str, parts: PlainParts, voice: Voice, possible: Container[str]
) -> list[Impossible]:
    """Return the kinds of action that the seat cannot do now, besides the possible ones, but could at another time, and
    why."""
    reasons: dict[tuple[str, str | None], list[str]] = {}
    for name, refusal in title.impossible(state, possible):
        if name not in possible and parts.can_ever(name, seat):
            reasons.setdefault((voice.say(refusal.why), refusal.rule), []).append(name)
    return [Impossible(names, why, rule) for (why, rule), names in reasons.items()]


def _folds(near: str, filled: FilledTurn) -> Folds:
    """Return what is open on the page; what has been touched stays so when a fold is opened."""
    at = {"at": ",".join(filled.at)} if filled.at else {}
    return Folds(
        f"{near}?{urlencode(at | {'open': ''}, safe=',')}",
        filled.opened,
    )


def drawn(
    told: TurnPageContext,
    game: GameNow,
    seat: str,
    voice: Voice,
    filled: FilledTurn,
    now: datetime,
    back: SentBack = NOT_SENT,
) -> Response:
    """Render the page of a turn, with its form as it came `back`."""
    complaint, status = back
    title, pages, address, seated = game.title, pages_of(game.title.id), told.address, game.seated(seat)
    near = "" if status == 200 else address  # a form that comes back may stand at the address of an earlier link
    at = _drafted(game, seat, voice, filled, told, near)
    ahead, tray, among = at.ahead, at.tray, voice.among(game.seats)
    if ahead.refused is not None and complaint is None:
        complaint = complaint_of(voice, ahead.refused)
    zone = zone_asked(seated.player_id, seated.zone, seated.zone_chosen, address)
    changed = told.log.changed if told.lesson else _just_done(ahead) or told.log.changed
    board = (
        pages.control(at.shown, among, changed, tray) if tray else pages.on_page(at.shown, among, changed, filled.at)
    )
    folds = at.parts.folds
    in_words = not board or folds is None or folds.shows("text")
    response = page(
        "play/turn/show.html",
        voice,
        status,
        **at._asdict(),
        **told._asdict(),
        **_time_left(game, voice, now),
        game=game,
        seat=seat,
        filled=filled,
        complaint=complaint,
        line=line_of(
            game,
            seat,
            voice,
            () if filled.draft else told.log.news,
            goes_on=told.log.goes_on or bool(filled.draft),
            view=at.view if at.tray else None,
        ),
        points=points(at.shown),
        owes_end=title.end_of_steps(game.state) is not None,
        picture=board,
        text_board=title.board(at.shown, among) if in_words else "",
        example=_example(title, game.state, tray),
        turns_again=without_turns(seated.player_id, wants=seated.wants_turns),
        zone=zone,
    )
    with_zone(response, zone)
    if tray:
        response.headers[POLICY] = WITH_SCRIPT
    return response


def _just_done(ahead: drafts.Ahead) -> frozenset[str]:
    """Return the place of the last step of the draft, if it has one."""
    place = getattr(ahead.actions[-1], "place", None) if ahead.actions else None
    return frozenset([place] if isinstance(place, str) else ())


def _time_left(game: GameNow, voice: Voice, now: datetime) -> dict[str, Any]:
    until = game.deadline_at
    return {
        "left": time_left(voice, until, now) if until else "",
        "soon": until is not None and until - now < SOON,
        "late": until is not None and until <= now,
    }


def _marks(server: Server, token: str, game: GameNow, filled: FilledTurn) -> dict[str, str]:
    """Return the hidden fields of each form of the page: where it comes from, what it answers, and the draft."""
    return {"csrf_token": form_token(server, token), "decision": str(game.number), "draft": "\n".join(filled.draft)}


def _example(title: Title, state: object, tray: Tray | None) -> str:
    """Return a line that could be typed; a tray at the same state knows what is legal."""
    item = tray.choosing.ways[0].item if tray and tray.state is state else title.legal(state)[0]
    return title.write(state, item.smallest()[0] if isinstance(item, Choice) else item)


def drafted_lines(title: Title, ahead: drafts.Ahead) -> list[dict[str, Any]]:
    """The draft's lines: what each means and would do, and whether it shows something."""
    told: list[dict[str, Any]] = []
    for n, (line, action, before) in enumerate(zip(ahead.lines, ahead.actions, ahead.befores, strict=True), 1):
        shows = ahead.shows_at == n
        told.append(
            {
                "line": line,
                "kind": line.partition(" ")[0],
                "data": title.action_to_json(action),
                "shows": shows,
                "refused": False,
                "preview": title.preview(before, action),
            }
        )
    unknown = {"kind": "", "data": None, "shows": False, "refused": False, "preview": None}
    told += [{"line": line, **unknown} for line in ahead.rest]
    if ahead.refused is not None:
        told.append({"line": ahead.refused.line, **unknown, "refused": True})
    return told
