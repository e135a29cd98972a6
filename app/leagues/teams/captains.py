"""Captains of teams: the line-up of the next round until it is published, and who is captain or follows one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.refusals import Conflict, NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.events import round_rows
from app.leagues.tables import Competition, CompetitionRound, CompetitionStatus, MemberStatus, RoundStatus, Team
from app.leagues.teams import line_ups, rosters, team_rounds
from app.people import accounts
from engine.kernel.text import Counted, Text

FOLLOWS = "follows"
"""The mail to the successor of a captain who has left."""
UNDER_WAY = (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING)


def next_round(session: Session, event: Competition) -> tuple[int, CompetitionRound | None] | None:
    """Return the round for which line-ups can be chosen, and its draft if there is one; None after the last."""
    if event.status != CompetitionStatus.RUNNING:
        return None
    there = round_rows.rounds_of(session, event.divisions[0].id, drafts=True)
    if not team_rounds.has_more(session, event, there):
        return None
    draft = next((round for round in there if round.status == RoundStatus.DRAFT), None)
    return sum(round.status != RoundStatus.DRAFT for round in there) + 1, draft


def opponents(
    session: Session, event: Competition, team: Team, number: int, draft: CompetitionRound | None
) -> list[str]:
    """Return the names of a team's opponents in the next round, by its draft, else by the table of rounds.

    Empty if a Swiss round is not paired yet, or the team has its bye.
    """
    playing = rosters.of_event(session, event.id)
    pairs: list[tuple[int, int | None]] = []
    if draft is not None:
        pairs = [(one.first_id, one.second_id) for one in team_rounds.dealt(session, [draft])]
    elif event.plays.is_laid_out:
        there = round_rows.rounds_of(session, event.divisions[0].id)
        left = [one for one in team_rounds.rest(session, event, there) if one.number == number]
        pairs = [(seats[0], seats[1]) for one in left for seats in [each.seats for each in one.pairings]]
    met = {other for pair in pairs if team.id in pair for other in pair if other != team.id}
    return [one.name for one in playing if one.id in met]


def set_line_up(acting: Acting, team_id: int, number: int, chosen: Sequence[int]) -> tuple[int | None, ...]:
    """Choose who plays for a team of an event, which is locked, in the next round; return the entrant at each board.

    The boards follow the team's order, and those without a player stay empty. A draft of the round is filled again.

    Raises NoSuchTeam, NotAllowed, NotAccepted.
    """
    session, event = acting.session, acting.event
    team = rosters.get(session, event.id, team_id)
    rosters.need_lead(session, event, team, acting.by_id)
    open_now = next_round(session, event)
    if open_now is None or open_now[0] != number:
        raise NotAccepted("line_up.late", Text("The line-up of round {n} cannot be changed any more.", n=number))
    there = [one.entry_id for one in rosters.present(team)]
    _judge(event, set(there), chosen)
    before = line_ups.named(session, event.id, number).get(team_id)
    playing = [entrant for entrant in there if entrant in chosen]
    line_ups.write(session, team_id, number, playing)
    acting.write(
        "team.line_up",
        audit.named(team.name),
        before=None if before is None else {"round": before[0], "line_up": before[1]},
        after={"round": number, "line_up": playing},
    )
    if open_now[1] is not None:
        team_rounds.redraw(session, event, open_now[1])
    return line_ups.line_up(event, team, playing)


def _judge(event: Competition, known: set[int], chosen: Sequence[int]) -> None:
    """Raise NotAccepted for a choice that is not a line-up of the team."""
    if not chosen:
        raise NotAccepted("line_up.nobody", Text("A line-up needs at least one player."))
    if not known.issuperset(chosen) or len(set(chosen)) < len(chosen):
        raise NotAccepted("line_up.team", Text("Choose players of the team, each once."))
    if len(chosen) > event.boards:
        raise NotAccepted(
            "line_up.many",
            Counted(
                "A match has {n} board; choose fewer players.",
                "A match has {n} boards; choose fewer players.",
                n=event.boards,
            ),
        )


# -- who is captain -------------------------------------------------------------------------------------


def able(session: Session, event: Competition, team: Team) -> list[tuple[int, str]]:
    """Return who can be captain, by number and name: the team's present players, in its order, then other members of
    its club.
    """
    found = {one.player_id: one.name for one in rosters.present(team)}
    members = club_rights.members(session, team.club_id or event.club_id)
    found |= {one.player_id: one.name for one in members if one.status == MemberStatus.MEMBER} | found
    return list(found.items())


def name(acting: Acting, team_id: int, player_id: int) -> None:
    """Name another captain in an event, which is locked, even while it runs; both captains are told.

    Raises NoSuchTeam, NotAllowed, NotAccepted.
    """
    session, event = acting.session, acting.event
    team = rosters.get(session, event.id, team_id)
    rosters.need_lead(session, event, team, acting.by_id)
    if event.status not in UNDER_WAY:
        raise Conflict("event.closed", Text("This event is over."))
    if player_id not in dict(able(session, event, team)):
        raise NotAccepted("team.able", Text("Choose a player of the team or a member of its club as captain."))
    before = team.captain_id
    if before == player_id:
        return
    act = _set(acting, team, player_id, "team.captain")
    _tell(acting, team, act, {before, player_id} - {acting.by_id})


def follow(work: Work, event: Competition, team: Team, leaver_id: int, now: datetime) -> None:
    """The captain of a team has left an event that is locked and not over: the first of its players who are there
    follows and is told; where nobody is left, the organisers are."""
    acting = Acting(work, event, None, now)
    left = [one.player_id for one in rosters.present(team) if one.player_id != leaver_id]
    act = _set(acting, team, left[0] if left else None, "team.captain_follows")
    told = set(left[:1]) or {who for who, _ in club_rights.organisers(work.session, *_clubs_of(event, team))}
    _tell(acting, team, act, told - {leaver_id})


def _clubs_of(event: Competition, team: Team) -> tuple[int, ...]:
    return event.club_ids if team.club_id is None else (team.club_id,)


def _set(acting: Acting, team: Team, captain: int | None, act: str) -> int | None:
    """Write the captain of a team and the act; its number."""
    before = team.captain_id
    acting.session.exec(sa.update(Team).where(col(Team.id) == team.id).values(captain_id=captain))
    return acting.write(act, audit.named(team.name), before={"captain": before}, after={"captain": captain})


def _tell(acting: Acting, team: Team, act: int | None, people: Collection[int | None]) -> None:
    event = acting.event
    if event.status == CompetitionStatus.DRAFT:
        return
    details = {"event": event.id, "team": team.id}
    told = accounts.addresses(acting.session, people)
    acting.work.outbox.tell(told, FOLLOWS, f"{FOLLOWS}:{act}", details, acting.now)
