"""The teams of an event: all of them, and one with its line-up for those who lead it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from flask import Response, url_for
from sqlmodel import Session, col

from app.base.words.refusals import LinkExpired
from app.base.words.speech import Voice
from app.games.tables import Game, GameSeat
from app.games.work import Work
from app.leagues.changes import substitutes
from app.leagues.clubs import club_rights
from app.leagues.clubs.acting import ActRequest
from app.leagues.desk import desk_acts
from app.leagues.events import entries, lifecycle, round_rows
from app.leagues.pages.common import (
    Once,
    ReasonForm,
    acting_in,
    asked_row,
    event_as,
    once,
    person_id,
    reader_of,
    reading,
    thanked,
)
from app.leagues.pages.events.public import about, blueprint
from app.leagues.pages.shown.teams_shown import teams_shown
from app.leagues.tables import Competition, CompetitionRound, Entrant, Match, Role, Team
from app.leagues.teams import captains, line_ups, rosters
from app.web import visit
from app.web.forms import Field, Form, Id, Ids, Typed, answers, on_to
from app.web.gates.csrf import by_link
from app.web.reader import server
from engine.kernel.text import N_, Text

PREFIX = "/events/<number:event_id>/teams"


class TeamsForm(Form):
    """Teams, one a line."""

    lines: Typed = Field("", title=N_("Teams, one a line"))


class LineUpForm(Form):
    """The players of a team in a round."""

    round: Id
    plays: Ids
    answer: Typed = ""


class CaptainForm(Form):
    """The new captain."""

    captain: Id


class SubstituteForm(ReasonForm):
    """The substitute for the game of a match."""

    match: Id
    plays: Id


class TeamNudgeForm(ReasonForm):
    """A captain's reminder to a player of their own team."""

    match: Id
    seen: Id
    once: Once


# -- all teams ----------------------------------------------------------------------------------------


@blueprint.get(PREFIX)
def teams_page(event_id: int) -> Response:
    """Show which players are in each team, with a form for those who make teams."""
    voice = visit.voice()
    with reading(event_id, None) as (session, event, club, role):
        if not event.boards:
            raise rosters.NoSuchTeam(event_id)
        there = rosters.of_event(session, event.id)
        free = rosters.free_players(session, event.id)
        facts = about(session, event, voice)
    return visit.show(
        "leagues/teams/teams.html",
        event=event,
        club=club,
        facts=facts,
        teams=there,
        free=[voice.person(entrant.name) for entrant in free],
        runs=club_rights.may(role, Role.DEPUTY),
        form=TeamsForm.shown(),
        before=event.status in rosters.BEFORE,
    )


@blueprint.post(PREFIX)
@answers(TeamsForm, again=teams_page)
def enter_teams(form: TeamsForm, event_id: int) -> Response:
    """Enter teams as typed."""
    _write(event_id, form.lines, None)
    return on_to(".teams_page", "saved", event_id=event_id)


def _write(event_id: int, lines: str, team_id: int | None) -> None:
    with acting_in(event_id, Role.DEPUTY) as acting:
        given = rosters.read_lines(acting.session, acting.event, lines)
        rosters.enter(acting, given if team_id is None else given[:1], team_id=team_id)


# -- one team -----------------------------------------------------------------------------------------


@blueprint.get(f"{PREFIX}/<number:team_id>")
def team_page(event_id: int, team_id: int) -> Response:
    """Its players and matches; for those who lead it the line-up of the next round and its open decisions."""
    voice, me = visit.voice(), person_id()
    with reading(event_id, None) as (session, event, club, role):
        team = rosters.get(session, event.id, team_id)
        leads = rosters.may_lead(session, event, team, me)
        playing = rosters.of_event(session, event.id)
        shown = read_teams(session, event, voice, playing)
        coming = _coming(session, event, team) if leads else None
        waits = _waits(session, event, team, voice) if leads else []
        running = substitutes.running_boards(session, event, team) if leads else []
        able = captains.able(session, event, team) if leads and event.status in captains.UNDER_WAY else []
    its = [
        {**match, "round": round["now"].number}
        for round in shown["rounds"]
        for match in round["matches"]
        if team_id in [one["id"] for one in match["teams"]]
    ]
    return visit.show(
        "leagues/teams/team.html",
        event=event,
        club=club,
        team=team,
        matches=its,
        line=next((one for one in shown["lines"] if one["id"] == team_id), None),
        leads=leads,
        runs=club_rights.may(role, Role.DEPUTY),
        coming=coming,
        save_at=url_for(".set_line_up", event_id=event_id, team_id=team_id),
        later=False,
        waits=waits,
        able=able,
        running=[one for one in running if one.bench],
        before=event.status in rosters.BEFORE,
        change=TeamsForm.shown(lines=rosters.as_line(team)),
        form=ReasonForm.shown(),
        once=once(),
    )


def read_teams(session: Session, event: Competition, voice: Voice, playing: Sequence[Team]) -> dict[str, Any]:
    """Return what pages show about the teams of an event (`teams_shown`)."""
    names = {entrant.id: entrant.name for entrant in entries.entrants(session, event.id)}
    there = round_rows.rounds_of(session, event.divisions[0].id)
    return teams_shown(session, event, voice, there, playing, names)


def _coming(session: Session, event: Competition, team: Team) -> dict[str, Any] | None:
    """Return the next round with who would play; None after the last."""
    found = captains.next_round(session, event)
    if found is None:
        return None
    number, draft = found
    chosen = line_ups.named(session, event.id, number).get(team.id)
    sits = line_ups.line_up(event, team, None if chosen is None else chosen[1])
    return {
        "round": number,
        "draft": draft is not None,
        "against": captains.opponents(session, event, team, number, draft),
        "sits": {entrant: board for board, entrant in enumerate(sits, 1) if entrant is not None},
        "players": rosters.present(team),
        "boards": event.boards,
    }


def _waits(session: Session, event: Competition, team: Team, voice: Voice) -> list[Mapping[str, Any]]:
    """Return the decisions that players of a team owe in the event, most urgent first."""
    by_player = {one.player_id: one for one in team.players}
    asked: Any = (
        sa.select(col(Match.id), col(Game.id).label("game"), col(GameSeat.player_id), col(Game.deadline_at))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .join(Game, col(Game.id) == col(Match.game_id))
        .join(GameSeat, sa.and_(col(GameSeat.game_id) == col(Game.id), col(GameSeat.seat) == col(Game.decides)))
        .join(Entrant, sa.and_(col(Entrant.player_id) == col(GameSeat.player_id), col(Entrant.event_id) == event.id))
        .where(col(Match.ended) == "", col(Entrant.id).in_([one.entry_id for one in team.players]))
        .where(col(CompetitionRound.event_id) == event.id)
        .order_by(sa.nulls_last(col(Game.deadline_at)), col(Game.id))
    )
    return [
        {
            "match": row.id,
            "game": row.game,
            "name": voice.person(by_player[row.player_id].name),
            "deadline": row.deadline_at,
            "seen": desk_acts.last_act(session, row.id),
        }
        for row in session.execute(asked)
    ]


@blueprint.post(f"{PREFIX}/<number:team_id>")
@answers(TeamsForm, again=team_page)
def change_team(form: TeamsForm, event_id: int, team_id: int) -> Response:
    """Change the name, the players or their order."""
    _write(event_id, form.lines, team_id)
    return on_to(".team_page", "saved", event_id=event_id, team_id=team_id)


@blueprint.post(f"{PREFIX}/<number:team_id>/captain")
@answers(CaptainForm, again=team_page)
def name_captain(form: CaptainForm, event_id: int, team_id: int) -> Response:
    """Name another captain."""
    with acting_in(event_id, None) as acting:
        captains.name(acting, team_id, form.captain)
    return on_to(".team_page", "saved", event_id=event_id, team_id=team_id)


@blueprint.post(f"{PREFIX}/<number:team_id>/out")
@answers(again=team_page)
def take_team_out(event_id: int, team_id: int) -> Response:
    """Take a team out; its players stay entered."""
    with acting_in(event_id, Role.DEPUTY) as acting:
        rosters.take_out(acting, team_id)
    return on_to(".teams_page", "removed", event_id=event_id)


@blueprint.post(f"{PREFIX}/<number:team_id>/line-up")
@answers(LineUpForm, again=team_page)
def set_line_up(form: LineUpForm, event_id: int, team_id: int) -> Response:
    """Choose who plays in the next round."""
    with acting_in(event_id, None) as acting:
        captains.set_line_up(acting, team_id, form.round, form.plays)
    return on_to(".team_page", "saved", event_id=event_id, team_id=team_id)


@blueprint.get("/asked/line-up/<token>")
def asked_line_up(token: str) -> Response:
    """Show a captain the line-up that a mail asks for. Changes nothing."""
    event_id, team_id, player_id = asked_row("line_up", token, Team)
    with server().database.read() as session:
        event, club, _ = event_as(session, event_id, player_id)
        team = rosters.get(session, event_id, team_id)
        coming = _coming(session, event, team) if rosters.may_lead(session, event, team, player_id) else None
    if coming is None:
        raise LinkExpired("line_up.link", Text("This does not wait for your answer any more."))
    return visit.show(
        "leagues/teams/asked.html",
        event=event,
        club=club,
        team=team,
        coming=coming,
        save_at=url_for(".save_asked_line_up", token=token),
        later=True,
    )


@blueprint.post("/asked/line-up/<token>")
@by_link
@answers(LineUpForm, again=asked_line_up)
def save_asked_line_up(form: LineUpForm, token: str) -> Response:
    """Choose who plays: the link is the right to do so while its reader leads the team."""
    event_id, team_id, player_id = asked_row("line_up", token, Team)
    if form.answer == "later":
        return on_to(".event_page", event_id=event_id)
    with Work(server().database) as work:
        acting = lifecycle.allowed(work, event_id, player_id, None, visit.now())
        captains.set_line_up(acting, team_id, form.round, form.plays)
    said = visit.voice().gettext("Your line-up is saved; you can change it until the round is published.")
    return thanked(said, url_for(".team_page", event_id=event_id, team_id=team_id))


@blueprint.post(f"{PREFIX}/<number:team_id>/substitute")
@answers(SubstituteForm, again=team_page)
def send_substitute(form: SubstituteForm, event_id: int, team_id: int) -> Response:
    """Give a running game to another player of the team."""
    me, now = reader_of(event_id, None), visit.now()
    asked = ActRequest(me, form.reason)
    substitutes.send_in(server().database, event_id, team_id, form.match, form.plays, asked, now=now)
    return on_to(".team_page", "saved", event_id=event_id, team_id=team_id)


@blueprint.post(f"{PREFIX}/<number:team_id>/nudge")
@answers(TeamNudgeForm, again=team_page)
def nudge_player(form: TeamNudgeForm, event_id: int, team_id: int) -> Response:
    """Remind a player of the team."""
    by = desk_acts.DeskRequest(reader_of(event_id, None), form.reason, form.once, form.seen)
    desk_acts.nudge(server().database, event_id, form.match, by, now=visit.now())
    return on_to(".team_page", "nudged", event_id=event_id, team_id=team_id)
