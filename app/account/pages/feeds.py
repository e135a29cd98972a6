"""Feeds under private keys: Atom (RFC 4287) and JSON of what waits for a player, a calendar (RFC 5545) of deadlines."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Blueprint, Response, abort, request, url_for

from app.account import feeds
from app.account.feeds import FeedDecision, FeedQuestion
from app.account.pages.atom import Feed
from app.account.pages.calendar_lines import calendar, escaped, until, utc
from app.base.links import BadLink, TurnLink
from app.base.stored.columns import moment, write_json
from app.base.words.speech import FORMER_PLAYER, Voice
from app.games.store import GameStore
from app.people.tables import Player
from app.play.pages.turn.api import turn_as_json
from app.play.pages.turn.asked import line_now
from app.web import visit
from app.web.forms import Field, SureForm, Typed, answers, on_to
from app.web.reader import server
from engine.kernel.text import N_

blueprint = Blueprint("feeds", __name__)
MOST_TURNS = 3
"""What is asked stands beside so many links; the more urgent ones."""
ASKED = {
    "invitation": N_("%(host)s invites you to %(title)s"),
    "proposal": N_("{by} proposes how to end {title}"),
    "claim": N_("The time of {name} is over: the others may claim the game, or wait."),
}


class ProgramForm(SureForm):
    """Who runs the program that plays here."""

    owner: Typed = Field("", title=N_("Who runs it, for all to read"))


# -- which feed ---------------------------------------------------------------------------------------


def address(kind: str, player_id: int, version: int) -> str:
    """Return the address of a feed: anyone who has it may read it, until the player's feed version changes."""
    name = {"atom": "waiting.atom", "json": "waiting.json"}.get(kind, "deadlines.ics")
    return f"{server().config.base_url}/feeds/{server().links.sign(kind, [player_id, version])}/{name}"


def reader_of(kind: str, token: str) -> Player:
    """Return whose feed it is. Only the signature is checked before the database is asked."""
    try:
        player_id, version = server().links.read_asked(kind, token)
    except BadLink:
        abort(404)
    with server().database.read() as session:
        found = feeds.reader(session, player_id, version)
    return visit.there(found)


@blueprint.get("/feeds/<token>/waiting.<any(atom, json):kind>")
def waiting(token: str, kind: str) -> Response:
    """Send what waits for the player, for a feed reader or a program."""
    reader = reader_of(kind, token)
    with server().database.read() as session:
        owed = [one for one in feeds.owed(session, reader.id) if one.is_mine]
        asked = feeds.asked(session, reader.id)
    if kind == "json":
        return _as_json(reader, owed, asked)
    body = _atom(reader, owed, asked, f"{server().config.base_url}{request.path}")
    return _answer(body, "application/atom+xml")


@blueprint.get("/feeds/<token>/deadlines.ics")
def ical(token: str) -> Response:
    """Send the deadlines of all the player's running games."""
    reader = reader_of("ical", token)
    with server().database.read() as session:
        owed = feeds.owed(session, reader.id)
    return _answer(_calendar(reader, owed), "text/calendar")


def _as_json(reader: Player, owed: list[FeedDecision], asked: list[FeedQuestion]) -> Response:
    """Send the decisions that a program owes and what it is asked, with the links that answer. A person gets the pages
    of the games instead."""
    waiting: list[dict[str, Any]] = [
        {
            "game": due.row.id,
            "title": due.title.id,
            "seat": due.seat.seat,
            "decision": due.row.number,
            "turn": due.row.turn,
            "deadline": moment(due.row.deadline_at),
            "deadline_provisional": due.row.mailed_at is None,
            "held_until": moment(due.held_until),
            "link": _link(reader, due.row.id, turn=TurnLink(due.row.id, due.seat.seat, due.row.number, reader.id)),
        }
        for due in owed
    ]
    questions = [
        {"kind": one.kind, "game": one.game, "title": one.title.id, "link": _link(reader, one.game, asked=one)}
        for one in asked
    ]
    told = {"waiting": waiting, "questions": questions}
    response = _answer(write_json(told).encode(), "application/json")  # its tag is that of the list
    if reader.program_of is not None and response.status_code == 200:
        for one, turn in zip(waiting, _turns(reader, owed[:MOST_TURNS]), strict=False):
            one["get"] = turn
        response.set_data(write_json(told))
    return response


def _turns(reader: Player, owed: list[FeedDecision]) -> list[dict[str, Any]]:
    """Return what the links of these decisions would show."""
    found = []
    with server().database.read() as session:
        store = GameStore(session)
        for due in owed:
            game, seat = store.load(due.row.id), due.seat.seat
            voice = Voice(reader.language, reader.zone, game.title)
            found.append((game, seat, line_now(store, game, seat, voice).said))
    return [turn_as_json(*each) for each in found]


def _link(reader: Player, game_id: int, *, turn: TurnLink | None = None, asked: FeedQuestion | None = None) -> str:
    """Return the link that answers, for a program; for a person the page of the game."""
    links, base = server().links, server().config.base_url
    if reader.program_of is None:
        return base + url_for("game.game_page", game_id=game_id)
    if turn is not None:
        return links.turn(turn)
    assert asked is not None
    seat = (asked.seat,) if asked.seat else ()
    return f"{base}/{asked.kind}/{links.sign(asked.kind, [asked.id, *seat, reader.id])}"


# -- Atom ---------------------------------------------------------------------------------------------


def _atom(reader: Player, owed: list[FeedDecision], asked: list[FeedQuestion], self_address: str) -> bytes:
    voice = Voice(reader.language, reader.zone)
    moments = [_said_at(one, reader) for one in owed] + [_said_at(one, reader) for one in asked]
    feed = Feed(
        voice,
        f"player/{reader.id}/waiting",
        voice.gettext("Post Road: what waits for you"),
        updated=max(moments, default=None),
        self_address=self_address,
        page=url_for("game.my_games"),
    )
    for due in owed:
        feed.entry(
            f"game/{due.row.id}/decision/{due.row.number}",
            _said_at(due, reader),
            _title(due, voice),
            _summary(due, voice),
            url_for("game.game_page", game_id=due.row.id),
        )
    for wait in asked:
        by, title = wait.by or voice.gettext(FORMER_PLAYER), voice.gettext(wait.title.name)
        said = voice.gettext(ASKED[wait.kind], by=by, host=by, name=by, title=title)
        page = url_for("game.game_page", game_id=wait.game)
        feed.entry(f"{wait.kind}/{wait.id}", _said_at(wait, reader), said, voice.moment(wait.asked_at), page)
    return feed.written()


def _said_at(one: FeedDecision | FeedQuestion, reader: Player) -> datetime:
    """Return when an entry last changed; the words of the reader's language and zone are part of it."""
    return max(one.said_at, reader.changed_at or one.said_at)


def _title(due: FeedDecision, voice: Voice) -> str:
    about = voice.about(due.title)
    title, others = voice.gettext(due.title.name), voice.join([about.who(other) for other in due.others])
    if due.is_mine:
        return voice.gettext("Your decision in {title} against {others}", title=title, others=others)
    return voice.gettext("{name} decides in {title}", name=about.who(due.decides), title=title)


def _summary(due: FeedDecision, voice: Voice) -> str:
    said = voice.gettext("Game {number}, turn {turn}.", number=due.row.id, turn=due.row.turn)
    if due.row.deadline_at is None:
        return said
    return f"{said} " + voice.gettext("Until {moment}.", moment=voice.moment(due.row.deadline_at))


# -- the calendar -------------------------------------------------------------------------------------


def _calendar(reader: Player, owed: list[FeedDecision]) -> bytes:
    voice = Voice(reader.language, reader.zone)
    name = escaped(voice.gettext("Post Road: deadlines"))
    heading = [
        ("VERSION", "2.0"),
        ("PRODID", "-//Post Road//Deadlines//EN"),
        ("CALSCALE", "GREGORIAN"),
        ("METHOD", "PUBLISH"),
        ("NAME", name),
        ("X-WR-CALNAME", name),
        ("REFRESH-INTERVAL;VALUE=DURATION", "PT1H"),
    ]
    events = [_event(due, due.row.deadline_at, voice, _said_at(due, reader)) for due in owed if due.row.deadline_at]
    return calendar(heading, events).encode()


def _event(due: FeedDecision, deadline: datetime, voice: Voice, said_at: datetime) -> list[tuple[str, str]]:
    address = f"{server().config.base_url}/games/{due.row.id}"
    return [
        ("UID", f"game-{due.row.id}-decision-{due.row.number}@{server().config.host}"),
        ("DTSTAMP", utc(said_at)),
        ("LAST-MODIFIED", utc(said_at)),
        # It must increase with every version (RFC 5545, 3.8.7.4), for as long as the UID may come back.
        ("SEQUENCE", str(max(0, int((said_at - due.row.created_at).total_seconds())))),
        *until(deadline),
        ("SUMMARY", escaped(_title(due, voice))),
        ("DESCRIPTION", escaped(f"{_summary(due, voice)}\n{address}")),
        ("URL", address),
        ("STATUS", "TENTATIVE" if due.row.mailed_at is None else "CONFIRMED"),
        ("TRANSP", "TRANSPARENT"),
    ]


# -- answering ----------------------------------------------------------------------------------------


def _answer(body: bytes, mimetype: str) -> Response:
    """Return the feed, or 304 if the client already has it. Nothing in it depends on the time of the request."""
    response = Response(body, content_type=f"{mimetype}; charset=utf-8")
    response.add_etag()
    response.headers["Cache-Control"] = "private, no-cache"
    response.make_conditional(request)
    return response


# -- the page of their addresses ----------------------------------------------------------------------


@blueprint.get("/account/feeds")
def page() -> Response:
    """Show the addresses of the feeds."""
    me = visit.need_person()
    with server().database.read() as session:
        mine = session.get_one(Player, me.id)
    addresses = {kind: address(kind, me.id, mine.feed_version) for kind in feeds.KINDS}
    return visit.show("account/feeds.html", addresses=addresses, program_of=mine.program_of, form=ProgramForm.shown())


@blueprint.post("/account/feeds/program")
@answers(ProgramForm, again=page)
def declare_program(form: ProgramForm) -> Response:
    """Declare that a program plays here."""
    feeds.declare_program(server().database, visit.need_person().id, form.owner)
    return on_to(".page", "saved")


@blueprint.post("/account/feeds/keys")
@answers(again=page)
def change_keys() -> Response:
    """Make new keys, so that the previous addresses stop working."""
    feeds.change_keys(server().database, visit.need_person().id)
    return on_to(".page", "new-keys")
