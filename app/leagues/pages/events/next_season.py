"""The next season: the consequences of the final standings, "what if", and the draft of the next event."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Response

from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.leagues.clubs import club_rights
from app.leagues.pages.common import ChosenId, Moving, acting_in, once, reading
from app.leagues.pages.events.manage import manage_page
from app.leagues.pages.events.public import blueprint
from app.leagues.pure.divisions import Numbers
from app.leagues.pure.why import sentence
from app.leagues.seasons import again, next_season
from app.leagues.seasons.next_season import Plan, SeasonProposal
from app.leagues.tables import CompetitionStatus, Role
from app.web import forms, visit
from app.web.forms import Field, Form, Id, Ids, Typed, answers
from engine.kernel.text import N_

PATH = "/events/<number:event_id>/next"


class NextForm(Form):
    """A plan for the next season, to preview (`look`) or to make the draft of its event (`make`)."""

    act: Typed = ""
    once: Typed = ""
    name: Typed = Field("", title=N_("Name of the event"))
    season: Typed = Field("", title=N_("Season"))
    leave: Ids
    join: Ids
    to: dict[Id, ChosenId]
    up: dict[Id, Moving]
    down: dict[Id, Moving]
    least: Id | None = None
    most: Id | None = None

    def plan(self, usual: Plan) -> Plan:
        """Return the plan with these changes to the usual one."""
        numbers = Numbers(
            least=usual.numbers.least if self.least is None else self.least,
            most=usual.numbers.most if self.most is None else self.most,
            placed={player: level for player, level in self.to.items() if level is not None},
        )
        moving = {level: (up, self.down.get(level, 0)) for level, up in self.up.items()}
        leavers, joiners = frozenset(self.leave), tuple(self.join)
        return replace(usual, leavers=leavers, joiners=joiners, numbers=numbers, moving=moving)


@blueprint.get(PATH)
@answers(again=manage_page)
def next_page(event_id: int) -> Response:
    """Show who would move and why, by the usual plan; if there is no plan yet, the page of running the event."""
    return _next(event_id, NextForm.typed())


def _next(event_id: int, form: NextForm | None) -> Response:
    voice, now = visit.voice(), visit.now()
    with reading(event_id, Role.DEPUTY) as (session, event, club, role):
        usual = next_season.usual(session, event)
        plan = usual if form is None else form.plan(usual)
        first = proposal = next_season.propose(session, event, usual, now)
        said = again.answers(session, event_id)
        try:
            proposal = first if form is None else next_season.propose(session, event, plan, now)
        except NotAccepted:
            if visit.refused() is None:
                raise
            plan = usual
    stands: dict[str, Any] = {
        "name": next_season.next_name(event.name) or event.name,
        "season": next_season.next_name(event.season),
    }
    if form is not None:
        stands = form.model_dump()
    return visit.show(
        "leagues/events/next.html",
        event=event,
        club=club,
        plan=plan,
        once=once(),
        form=NextForm.shown(**stands),
        organises=club_rights.may(role, Role.ORGANISER),
        declined=[voice.person(first.names.get(player, "")) for player, plays in said.items() if not plays],
        unanswered=[
            voice.person(first.names[one.player]) for one in first.draft.moves if one.before and one.player not in said
        ],
        over=event.status == CompetitionStatus.OVER,
        **_shown(proposal, first, plan, voice),
    )


MARKS = {
    "up": ("▲", N_("goes up")),
    "down": ("▼", N_("goes down")),
    "same": ("", ""),
    "in": ("+", N_("joins")),
    "out": ("–", N_("leaves")),
}
"""Of a move: its sign and its words."""


def _shown(proposal: SeasonProposal, first: SeasonProposal, plan: Plan, voice: Voice) -> dict[str, Any]:
    who = {player: voice.person(name) for player, name in proposal.names.items()}
    before, names = (
        {part.level: part.name or voice.gettext("Division {n}", n=part.level) for part in parts}
        for parts in (proposal.finals, proposal.draft.divisions)
    )
    usual = {move.player: move.after for move in first.draft.moves}
    movers = []
    lines: dict[int, list[dict[str, Any]]] = {part.level: [] for part in proposal.draft.divisions}
    gone = []
    moves = {move.player: move for move in proposal.draft.moves}
    order = [player for part in proposal.draft.divisions for player in part.members]
    for player in [*order, *(player for player, move in moves.items() if move.after is None)]:
        move = moves[player]
        mark, said = MARKS[move.kind]
        line = {
            "player": player,
            "name": who[player],
            "kind": move.kind,
            "mark": mark,
            "said": said and voice.gettext(said),
            "why": voice.say(sentence(move.why, who)),
            "joins": move.before is None,
            "leaves": player in plan.leavers,
            "level": plan.numbers.placed.get(player),
            "other": usual.get(player) != move.after,
        }
        if move.kind != "same":
            movers.append({**line, "from": before.get(move.before or 0, ""), "to": names.get(move.after or 0, "")})
        if move.after is None:
            gone.append(line)
        else:
            lines[move.after].append(line)
    return {
        "divisions": [(level, names[level], lines[level]) for level in names],
        "gone": gone,
        "movers": movers,
        "levels": list(names.items()),
        "warnings": [voice.say(sentence(why, who)) for why in proposal.draft.warnings],
        "candidates": [(one, who[one.player_id], one.player_id in plan.joiners) for one in proposal.candidates],
        "moving": [(final.level, final.name, final.promoted, final.relegated) for final in proposal.finals],
    }


@blueprint.post(PATH)
@answers(NextForm, again=next_page)
def ask_or_make(form: NextForm, event_id: int) -> Response:
    """Preview another plan, which changes nothing, or make the draft of the next event."""
    if form.act != "make":
        return _next(event_id, form)
    with acting_in(event_id) as acting:
        plan = form.plan(next_season.usual(acting.session, acting.event))
        made = next_season.make(acting, plan, next_season.SeasonNames(form.name, form.season), token=form.once)
    return forms.on_to(".manage_page", "event-made", event_id=made)
