"""The next season: what would follow from the final standings, "what if", and the draft of the next event."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flask import Response, request

from app.base.refusals import NotAccepted
from app.leagues import clubs, seasons
from app.leagues.pages.common import attempt, event_for, named, number_in, on
from app.leagues.pages.events import blueprint
from app.leagues.pages.manage import manage
from app.leagues.pure.divisions import BOTTOM, BY_RATING, HOLES, JOINING, PROMOTE, STAY, Numbers
from app.leagues.pure.why import sentence
from app.leagues.seasons import Plan, Proposal
from app.web import visit
from app.web.reader import house

if TYPE_CHECKING:
    from app.base.speech import Voice

PATH = "/events/<number:event_id>/next"


@blueprint.get(PATH)
def next_page(event_id: int) -> Response:
    """Who would move and why, by the usual plan."""
    visit.need_person()
    return _next_or_manage(event_id)


def _next_or_manage(event_id: int, error: str = "", status: int = 200, *, asked: Plan | None = None) -> Response:
    """The page; of an event that has no next season yet, the one where it is run, with the reason."""
    try:
        return _next(event_id, error, status, asked=asked)
    except NotAccepted as no:
        return manage(event_id, visit.voice().say(no.why), 422)


def _next(event_id: int, error: str = "", status: int = 200, *, asked: Plan | None = None) -> Response:
    voice = visit.voice()
    with house().database.read() as session:
        event, role = event_for(session, event_id, "deputy")
        club = clubs.get(session, event.club_id)
        usual = seasons.usual(session, event)
        plan = asked or usual
        try:
            proposal = seasons.propose(session, event, plan, visit.now())
        except NotAccepted as no:
            if asked is None:
                raise
            error, status = error or voice.say(no.why), max(status, 422)
            plan, proposal = usual, seasons.propose(session, event, usual, visit.now())
        first = seasons.propose(session, event, usual, visit.now()) if asked else proposal
    form = request.form
    return visit.show(
        "leagues/next.html", status, voice=voice, event=event, club=club, error=error, plan=plan,
        organises=clubs.may(role, "organiser"), over=event.status == "over",
        once=form.get("once") or secrets.token_hex(12), called=form.get("name", event.name),
        season=form.get("season", seasons.next_name(event.season)),
        holes=[(STAY, voice.gettext("fewer go down")), (PROMOTE, voice.gettext("more go up"))],
        joining=[(BOTTOM, voice.gettext("in the lowest division")), (BY_RATING, voice.gettext("by rating"))],
        sizes=form.get("sizes", ""), **_shown(proposal, first, plan, voice),
    )  # fmt: skip


def _shown(proposal: Proposal, first: Proposal, plan: Plan, voice: Voice) -> dict[str, Any]:
    who = {player: named(voice, name) for player, name in proposal.names.items()}
    names = {part.level: part.name or voice.gettext("Division {n}", n=part.level) for part in proposal.draft.divisions}
    usual = {move.player: move.after for move in first.draft.moves}
    marks = {
        "up": ("▲", voice.gettext("goes up")), "down": ("▼", voice.gettext("goes down")), "same": ("", ""),
        "in": ("+", voice.gettext("new")), "out": ("–", voice.gettext("leaves")),
    }  # fmt: skip
    lines: dict[int, list[dict[str, Any]]] = {part.level: [] for part in proposal.draft.divisions}
    gone = []
    moves = {move.player: move for move in proposal.draft.moves}
    order = [player for part in proposal.draft.divisions for player in part.members]
    for player in [*order, *(player for player, move in moves.items() if move.after is None)]:
        move = moves[player]
        mark, said = marks[move.kind]
        line = {
            "player": player, "name": who[player], "kind": move.kind, "mark": mark, "said": said,
            "why": voice.say(sentence(move.why, who)), "joins": move.before is None,
            "leaves": player in plan.leavers, "level": plan.numbers.placed.get(player),
            "other": usual.get(player) != move.after,
        }  # fmt: skip
        if move.after is None:
            gone.append(line)
        else:
            lines[move.after].append(line)
    return {
        "divisions": [(level, names[level], lines[level]) for level in names], "gone": gone,
        "levels": list(names.items()), "warnings": [voice.say(sentence(why, who)) for why in proposal.draft.warnings],
        "candidates": [
            {"player": one.player_id, "name": who[one.player_id], "reserve": one.is_reserve,
             "joins": one.player_id in plan.joiners}
            for one in proposal.candidates
        ],
        "moving": [(final.level, final.name, final.promoted, final.relegated) for final in proposal.finals],
    }  # fmt: skip


@blueprint.post(PATH)
def ask_or_make(event_id: int) -> Response:
    """Look at another plan, which changes nothing, or make the draft of the next event."""
    me = visit.need_person()
    with house().database.read() as session:
        event, _ = event_for(session, event_id, "deputy")
        usual = seasons.usual(session, event)
    asked: Plan | None = None

    def act() -> Response:
        nonlocal asked
        asked = _read(usual)
        if request.form.get("act") != "make":
            return _next(event_id, asked=asked)
        form = request.form
        made = seasons.make(
            house().database, event_id, me.id, asked, name=form.get("name", ""), season=form.get("season", ""),
            token=form.get("once", ""), now=visit.now(),
        )  # fmt: skip
        return on(f"/events/{made}/manage", "event-made")

    return attempt(act, lambda why, status: _next_or_manage(event_id, why, status, asked=asked))


def _read(usual: Plan) -> Plan:
    form = request.form
    numbers = Numbers(
        least=_whole("least", usual.numbers.least), most=_whole("most", usual.numbers.most), sizes=_sizes(),
        holes=_one_of("holes", HOLES), joining=_one_of("joining", JOINING),
        placed={number_in(key): number_in(value) for key, value in _named("to.") if value},
    )  # fmt: skip
    ups, downs = dict(_named("up.")), dict(_named("down."))
    moving = {number_in(level): (number_in(up or "0"), number_in(downs.get(level) or "0")) for level, up in ups.items()}
    return replace(
        usual, leavers=frozenset(map(number_in, form.getlist("leave"))),
        joiners=tuple(map(number_in, form.getlist("join"))), numbers=numbers, moving=moving,
    )  # fmt: skip


def _named(prefix: str) -> list[tuple[str, str]]:
    return [(key.removeprefix(prefix), value.strip()) for key, value in request.form.items() if key.startswith(prefix)]


def _whole(name: str, otherwise: int) -> int:
    given = request.form.get(name, "").strip()
    return number_in(given) if given else otherwise


def _sizes() -> tuple[int, ...] | None:
    parts = request.form.get("sizes", "").replace(",", " ").split()
    return tuple(map(number_in, parts)) or None


def _one_of(name: str, known: tuple[str, ...]) -> str:
    given = request.form.get(name, known[0])
    return given if given in known else known[0]
