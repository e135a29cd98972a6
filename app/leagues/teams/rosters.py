"""Teams of an event before it starts: their players in order, their captains, and whether all can start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sqlalchemy as sa
from sqlalchemy.orm import selectinload
from sqlmodel import Session, col, select

from app.base.words.bounds import few_lines
from app.base.words.refusals import Conflict, NoSuch, NotAccepted, NotAllowed
from app.games.tables import Game, GameSeat
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries
from app.leagues.tables import (
    Competition,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    Match,
    MemberStatus,
    Role,
    Team,
    TeamPlayer,
)
from app.people.accounts import read_label
from engine.kernel.text import N_, Counted, Text

BEFORE = (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP)
MOST_TEAMS, MOST_PLAYERS = 100, 40
"""The limits for an event, and for a team."""


class NoSuchTeam(NoSuch):
    """The event has no such team."""

    sentence = N_("There is nothing at this address.")


@dataclass(frozen=True, slots=True)
class NewTeam:
    """A team to be entered: players in the team's own order, by the numbers of their accounts."""

    name: str
    players: tuple[int, ...]
    captain: int | None


# -- reading --------------------------------------------------------------------------------------------


def of_event(session: Session, event_id: int) -> Sequence[Team]:
    """Return the teams of an event with their players, by seed, or before the start in the order in which they were
    entered.
    """
    asked = select(Team).where(col(Team.event_id) == event_id).options(selectinload(Team.players))
    return session.exec(asked.order_by(col(Team.seed), col(Team.id))).all()


def get(session: Session, event_id: int, team_id: int) -> Team:
    """Return a team of an event. Raises NoSuchTeam."""
    here = col(Team.event_id) == event_id, col(Team.id) == team_id
    team = session.exec(select(Team).where(*here).options(selectinload(Team.players))).first()
    if team is None:
        raise NoSuchTeam(team_id)
    return team


def team_of(teams: Sequence[Team], entry_id: int | None) -> Team | None:
    """Return the one of these teams in which an entrant plays."""
    return next((team for team in teams for one in team.players if one.entry_id == entry_id), None)


def present(team: Team) -> list[TeamPlayer]:
    """Return the players of a team who have not left the event, in its order."""
    return [one for one in team.players if one.status == EntrantStatus.ENTERED]


def may_lead(session: Session, event: Competition, team: Team, player_id: int | None) -> bool:
    """Whether a player may set line-ups of a team: its captain, and those who run the event or the team's club."""
    if player_id is None:
        return False
    if team.captain_id == player_id:
        return True
    if team.club_id is None:
        return club_rights.may(club_rights.role_in(session, event, player_id), Role.DEPUTY)
    return club_rights.may(club_rights.role_of(session, team.club_id, player_id), Role.DEPUTY)


def leads_late(session: Session, event_id: int, match_id: int, player_id: int) -> bool:
    """Whether a match waits for a player of a team whose captain this is."""
    owes = (
        sa.select(col(Team.id))
        .join(TeamPlayer, col(TeamPlayer.team_id) == col(Team.id))
        .join(Entrant, col(Entrant.id) == col(TeamPlayer.entry_id))
        .join(GameSeat, col(GameSeat.player_id) == col(Entrant.player_id))
        .join(Game, sa.and_(col(Game.id) == col(GameSeat.game_id), col(Game.decides) == col(GameSeat.seat)))
        .join(Match, col(Match.game_id) == col(Game.id))
        .where(col(Team.event_id) == event_id, col(Team.captain_id) == player_id, col(Match.id) == match_id)
    )
    return session.execute(owes).first() is not None


def need_lead(session: Session, event: Competition, team: Team, player_id: int | None) -> None:
    """Raise NotAllowed unless the player is captain of a team or runs the event."""
    if not may_lead(session, event, team, player_id):
        raise NotAllowed("team.captain", Text("Only the captain of {team} and organisers can do this.", team=team.name))


def free_players(session: Session, event_id: int) -> list[Entrant]:
    """Return the players who have signed up and are in no team yet."""
    taken = sa.select(col(TeamPlayer.entry_id)).join(Team, col(Team.id) == col(TeamPlayer.team_id))
    asked = select(Entrant).where(
        col(Entrant.event_id) == event_id,
        col(Entrant.status) == EntrantStatus.ENTERED,
        col(Entrant.id).not_in(taken.where(col(Team.event_id) == event_id)),
    )
    return list(session.exec(asked.order_by(col(Entrant.id))).all())


# -- entering -------------------------------------------------------------------------------------------


def enter(acting: Acting, given: Sequence[NewTeam], *, team_id: int | None = None) -> list[int]:
    """Enter teams in an event, which is locked, or with `team_id` change that one; return their numbers.

    Players who are not in the event are entered too.

    Raises NoSuchTeam, NotAllowed, NotAccepted.
    """
    session, event = acting.session, acting.event
    _need_open(acting)
    there = of_event(session, event.id)
    if len(there) + len(given) > MOST_TEAMS:
        raise NotAccepted("team.many", Text("An event has at most {most} teams.", most=MOST_TEAMS))
    made = []
    for one in given:
        before = None if team_id is None else {"squad": _squad(session, event.id, team_id)}
        number = _write(acting, one, team_id)
        made.append(number)
        acting.write(
            "team.changed" if team_id else "team.entered",
            audit.named(one.name),
            before=before,
            after={"squad": _squad(session, event.id, number)},
        )
    return made


def _squad(session: Session, event_id: int, team_id: int) -> list[int]:
    return [one.entry_id for one in get(session, event_id, team_id).players]


def _need_open(acting: Acting) -> None:
    """Raise NotAllowed or NotAccepted where a person cannot change the teams of an event."""
    event = acting.event
    club_rights.judge(club_rights.role_in(acting.session, event, acting.by_id), Role.DEPUTY)
    if not event.boards:
        raise NotAccepted("team.none", Text("In this event players play for themselves, not in teams."))
    if event.status not in BEFORE:
        raise Conflict("event.started", Text("The event has started; this stays as it is."))


def _write(acting: Acting, given: NewTeam, team_id: int | None) -> int:
    session, event = acting.session, acting.event
    name = read_label(given.name)
    others = [team for team in of_event(session, event.id) if team.id != team_id]
    if name.casefold() in {team.name.casefold() for team in others}:
        raise NotAccepted("team.name", Text("Another team of this event is called “{name}”.", name=name))
    if not given.players:
        raise NotAccepted("team.empty", Text("Choose the players of {team}.", team=name))
    if len(given.players) > MOST_PLAYERS:
        raise NotAccepted("team.large", Text("A team has at most {most} players.", most=MOST_PLAYERS))
    if len(set(given.players)) < len(given.players):
        raise NotAccepted("team.twice", Text("Somebody is named twice in {team}; name each player once.", team=name))
    if given.captain is not None and given.captain not in given.players:
        _need_member(session, event, given.captain)
    entered = [_entry(acting, player) for player in given.players]
    for one in entered:
        other = team_of(others, one.id)
        if other is not None:
            raise NotAccepted(
                "team.elsewhere", Text("{player} plays in {team} already.", player=one.name, team=other.name)
            )
    if team_id is None:
        team = Team(event_id=event.id, name=name, captain_id=given.captain)
        session.add(team)
        session.flush()
        number = team.id
    else:
        number = get(session, event.id, team_id).id
        session.exec(sa.update(Team).where(col(Team.id) == number).values(name=name, captain_id=given.captain))
        session.exec(sa.delete(TeamPlayer).where(col(TeamPlayer.team_id) == number))
    session.exec(
        sa.insert(TeamPlayer).values(
            [{"team_id": number, "entry_id": one.id, "place": place} for place, one in enumerate(entered, 1)]
        )
    )
    session.expire_all()
    return number


def _need_member(session: Session, event: Competition, player_id: int) -> None:
    """Raise NotAccepted for a player an organiser cannot enter: neither in the club nor signed up."""
    if club_rights.role_in(session, event, player_id) is None:
        mine = entries.entrant_of(session, event.id, player_id)
        if mine is None or mine.status != EntrantStatus.ENTERED:
            raise NotAccepted("entry.member_only", Text("Choose a member of the club."))


def _entry(acting: Acting, player_id: int) -> Entrant:
    """The entrant of a player, who is entered where they were not."""
    session, event = acting.session, acting.event
    mine = entries.entrant_of(session, event.id, player_id)
    if mine is not None and mine.status == EntrantStatus.ENTERED:
        return mine
    _need_member(session, event, player_id)
    entries.enter_in(acting, player_id, mine)
    found = entries.entrant_of(session, event.id, player_id)
    assert found is not None
    return found


def take_out(acting: Acting, team_id: int) -> None:
    """Take a team out of an event that is locked and has not started; its players stay entered.

    Raises NoSuchTeam, NotAllowed, NotAccepted.
    """
    session = acting.session
    _need_open(acting)
    name = get(session, acting.event.id, team_id).name
    session.exec(sa.delete(TeamPlayer).where(col(TeamPlayer.team_id) == team_id))
    session.exec(sa.delete(Team).where(col(Team.id) == team_id))
    acting.write("team.removed", audit.named(name))


def as_line(team: Team) -> str:
    """Return a team as it is typed (`read_lines`)."""
    named = [one.name + "*" * (one.player_id == team.captain_id) for one in team.players]
    return f"{team.name}: {', '.join(named)}"


def read_lines(session: Session, event: Competition, text: str) -> list[NewTeam]:
    """Read teams from text, one a line: `Harbour: Alice, Bob, Carla`, the players in the order of the boards, each by
    name or address.

    The captain has a star (`Bob*`), else it is the first.

    Raises NotAccepted, which names the bad line.
    """
    known = _people(session, event)
    made = []
    for number, line in enumerate(few_lines(text), 1):
        if not line.strip():
            continue
        name, colon, rest = line.partition(":")
        named = [part.strip() for part in rest.split(",") if part.strip()]
        if not colon or not name.strip() or not named:
            raise NotAccepted("team.line", Text("Line {n} should be a team such as “Harbour: Alice, Bob”.", n=number))
        players, captain = [], None
        for one in named:
            player = _find(known, one.rstrip("* "), number)
            captain = player if one.endswith("*") else captain
            players.append(player)
        made.append(NewTeam(name.strip(), tuple(players), captain or players[0]))
    if not made:
        raise NotAccepted("team.lines", Text("Write at least one team, such as “Harbour: Alice, Bob”."))
    return made


def _people(session: Session, event: Competition) -> dict[str, set[int]]:
    """Return who can be named on a line: players who have signed up by name, members of the club by name or address."""
    there = [one for club_id in event.club_ids for one in club_rights.members(session, club_id)]
    found = club_rights.by_name(one for one in there if one.status == MemberStatus.MEMBER)
    for entrant in entries.entrants(session, event.id):
        if entrant.status == EntrantStatus.ENTERED:
            found.setdefault(entrant.name.casefold(), set()).add(entrant.player_id)
    found.pop("", None)
    return found


def _find(known: Mapping[str, set[int]], name: str, line: int) -> int:
    found = known.get(name.casefold(), set())
    if not found:
        raise NotAccepted(
            "team.unknown",
            Text("Line {n}: nobody of the club or the event is called “{name}”.", n=line, name=name[:60]),
        )
    if len(found) > 1:
        raise NotAccepted(
            "team.several",
            Text("Line {n}: several are called “{name}”; write their address instead.", n=line, name=name[:60]),
        )
    return next(iter(found))


# -- the start ------------------------------------------------------------------------------------------


def start(session: Session, event: Competition) -> None:
    """Give every team its pairing number, by the rating of its best line-up, in the caller's transaction.

    Raises NotAccepted if a team cannot play.
    """
    there = of_event(session, event.id)
    if len(there) < 2:
        raise NotAccepted("team.few", Text("An event of teams needs two teams at least."))
    for team in there:
        need_complete(event, team)
    free = free_players(session, event.id)
    if free:
        raise NotAccepted(
            "team.nobody",
            Text("{player} is in no team; put them into one, or take them out of the event.", player=free[0].name),
        )
    order = sorted(there, key=lambda team: (-_strength(team, event.boards), event.lot(team.id)))
    for seed, team in enumerate(order, 1):
        session.exec(sa.update(Team).where(col(Team.id) == team.id).values(seed=seed))


def need_complete(event: Competition, team: Team) -> None:
    """Raise NotAccepted for a team that cannot play: too few players, or no captain."""
    count = len(present(team))
    if count < event.boards:
        raise NotAccepted(
            "team.small",
            Counted(
                "{team} has {n} player for {boards} boards.",
                "{team} has {n} players for {boards} boards.",
                n=count,
                team=team.name,
                boards=event.boards,
            ),
        )
    if team.captain is None:
        raise NotAccepted("team.no_captain", Text("{team} has no captain; name one first.", team=team.name))


def _strength(team: Team, boards: int) -> Fraction:
    """Return the mean rating of the first players of a team; players without one count as 0."""
    return sum((Fraction(one.rating or 0) for one in present(team)[:boards]), Fraction(0)) / boards
