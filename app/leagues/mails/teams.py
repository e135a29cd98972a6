"""The mails to captains: a line-up to choose, a match that is over; and to a successor of a captain or owner who has
left.
"""

from __future__ import annotations

from typing import Any

from sqlmodel import Session

from app.base.links import Links
from app.base.words.speech import Voice
from app.leagues.clubs import club_rights
from app.leagues.events import lifecycle, round_rows
from app.leagues.mails.of_events import EventMail, event_mail
from app.leagues.pure.model import NOTHING
from app.leagues.pure.standings import said_value
from app.leagues.tables import Competition, CompetitionRound, MatchOfTeams, Team
from app.leagues.teams import captains, line_ups, rosters, team_rounds
from app.post.letters.message import WrittenMail
from app.post.letters.writing import QueuedMail, finish, mail, reader_of
from engine.kernel.text import N_


@event_mail("team_line_up", words=N_("a mail about the line-up of a team"))
def _team_line_up(told: EventMail) -> dict[str, Any] | None:
    """Tell a captain of a drafted round: the opposing team and who would play. None once the round is published."""
    session, event = told.session, told.event
    found = captains.next_round(session, event)
    team = next((one for one in rosters.of_event(session, event.id) if one.captain_id == told.reader.id), None)
    if team is None or found is None or found[0] != told.given["number"]:
        return None
    number, draft = found
    chosen = line_ups.named(session, event.id, number).get(team.id)
    names = {one.entry_id: one.name for one in team.players}
    sits = line_ups.line_up(event, team, None if chosen is None else chosen[1])
    return {
        "team": team.name,
        "number": number,
        "against": told.voice.join(captains.opponents(session, event, team, number, draft)),
        "boards": [(board, "" if entrant is None else names[entrant]) for board, entrant in enumerate(sits, 1)],
        "link": told.signed("asked/line-up", "line_up", team.id),
    }


@mail("team_match", words=N_("a mail about a match of teams"))
def _team_match(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Tell the result of a match of the reader's team, board by board; or that the team has a bye."""
    reader = reader_of(session, mail)
    row = None if reader is None else session.get(MatchOfTeams, mail.details["team_match"])
    round = None if row is None else session.get(CompetitionRound, row.round_id)
    if reader is None or row is None or round is None or not mail.is_wanted(reader):
        return None
    event = lifecycle.get(session, round.event_id)
    there = [one for one in round_rows.rounds_of(session, event.divisions[0].id) if one.id == row.round_id]
    playing = rosters.of_event(session, event.id)
    found = next((one for one in team_rounds.played(session, event, there, playing) if one.id == row.id), None)
    if found is None or not found.is_over:
        return None
    mine = next((team for team in found.teams if team.captain_id == reader.id), None)
    if mine is None:
        return None
    voice = Voice(reader.language, reader.zone, event.title)
    first, second = (said_value("points", points) for points in found.score.board_points)
    match_points = found.score.match_points or (NOTHING, NOTHING)
    free = found.result.second is None and (said_value("points", match_points[0]), first)
    names = {one.entry_id: one.name for team in found.teams for one in team.players}
    context = {
        "event": event.name,
        "number": found.round.number,
        "team": mine.name,
        "free": free,
        "result": f"{mine.name}, {voice.gettext('bye')}"
        if free
        else f"{found.teams[0].name} {first} – {second} {found.teams[-1].name}",
        "boards": [
            " – ".join(
                f"{names[entrant] if entrant is not None else voice.gettext('nobody')} {said_value('points', points)}"
                for entrant, points in zip(one.result.players, one.result.points or (NOTHING, NOTHING), strict=True)
            )
            for one in found.boards
        ],
        "link": f"{links.base_url}/events/{event.id}/teams/{mine.id}",
    }
    return finish("team_match", context, reader, links, mail, group="news")


@event_mail("team_substitute", words=N_("a mail about a substitute in a team"))
def _team_substitute(told: EventMail) -> dict[str, Any]:
    """Tell both players, the opponent, the captain and the organisers that a substitute continues a game."""
    given = told.given
    return {
        "team": given["team"],
        "leaver": told.who(given["leaver"]),
        "reserve": told.who(given["substitute"]),
        "role": next((who for who in ("leaver", "substitute") if given[who] == told.reader.id), ""),
        "game": told.mail.game_id,
        "link": f"{told.links.base_url}/games/{told.mail.game_id}",
    }


@mail("follows", words=N_("a mail about a new captain or owner"))
def _follows(session: Session, links: Links, mail: QueuedMail) -> WrittenMail | None:
    """Say who follows a person who has left: the reader as owner of a club, or a new captain of a team, or nobody."""
    reader = reader_of(session, mail)
    if reader is None:
        return None
    given = mail.details
    context: dict[str, Any] = {}
    if "club" in given:
        club = club_rights.get(session, given["club"])
        context = {"what": "owner", "club": club.name, "link": f"{links.base_url}/clubs/{club.slug}"}
    else:
        event, team = session.get(Competition, given["event"]), session.get(Team, given["team"])
        if event is None or team is None:
            return None
        context = {
            "what": "captain" if team.captain_id == reader.id else "other",
            "captain": team.captain or "",
            "event": event.name,
            "team": team.name,
            "link": f"{links.base_url}/events/{event.id}/teams/{team.id}",
        }
    return finish("follows", context, reader, links, mail, group=None)
