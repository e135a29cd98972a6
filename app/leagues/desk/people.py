"""The members of a club as persons: how long they have been silent anywhere here, and whether mails reach them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored import limits
from app.base.stored.database import Database
from app.base.stored.mail_tables import BouncedAddress, MailState, OutboxMail
from app.base.words.refusals import NotAccepted, NotAllowed
from app.base.words.speech import Voice
from app.clocks.clock import Standstill, counted
from app.clocks.pace import DEFAULT
from app.games.tables import Game, GameSeat
from app.leagues.clubs import club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.clubs.members import member_of
from app.leagues.events import entries, lifecycle
from app.leagues.tables import (
    STILL_IN,
    Competition,
    CompetitionRound,
    Entrant,
    EntrantStatus,
    Member,
    MemberStatus,
    Role,
)
from app.leagues.teams.captains import UNDER_WAY
from app.people import signin
from app.people.accounts import read_address
from app.people.tables import Player, PlayerRole
from app.time import outages
from app.time.away import automatic
from app.time.tables import Case, CaseKind, Leave, NoteCause
from engine.kernel.text import Text


@dataclass(frozen=True, slots=True)
class Quiet:
    """A person who has been asked for a move and has given no sign since, in any game, on any page or by mail."""

    since: datetime
    """The last sign; without any, when they were asked."""
    waited: timedelta
    """How long something has been asked in vain, without the time in which the server was down."""

    def is_longer(self, event: Competition, paces: int = 1) -> bool:
        """Whether it lasts longer than an event gives for so many moves."""
        return self.waited > timedelta(seconds=paces * event.pace.budget(0))


def quiet(session: Session, players: Collection[int], now: datetime) -> dict[int, Quiet]:
    """Return those of these people who are silent, by number; nobody who is on leave."""
    if not players:
        return {}
    away = sa.select(col(Leave.player_id)).where(
        col(Leave.event_id).is_(None), col(Leave.game_id).is_(None), col(Leave.from_at) <= now, col(Leave.to_at) > now
    )
    rows = session.execute(
        sa.select(col(Player.id), col(Player.acted_at)).where(col(Player.id).in_(players), col(Player.id).not_in(away))
    )
    signs = {row.id: row.acted_at for row in rows}
    for player, at in automatic.last_moves(session, list(signs)).items():
        signs[player] = max(at, signs[player] or at)
    found: dict[int, datetime] = {}
    for player, at in [*_owing(session, signs), *_late(session, signs)]:
        found[player] = min(max(at, signs[player] or at), found.get(player, now))
    lost = outages.of_everybody(session, min(found.values())) if found else ()
    waited = {player: counted(DEFAULT, at, now, Standstill(lost)) for player, at in found.items()}
    return {player: Quiet(signs[player] or at, timedelta(seconds=waited[player])) for player, at in found.items()}


def silent_before(
    session: Session,
    event: Competition,
    division_id: int,
    number: int,
    now: datetime,
    draft: CompetitionRound | None = None,
    *,
    paces: int = 1,
) -> list[tuple[Entrant, Quiet]]:
    """Return who would be paired in a round of a division, or is in its draft, and has been silent for longer than the
    event gives for so many moves."""
    seated = None if draft is None else {seat.entry_id for match in draft.matches for seat in match.seats}
    if seated is None and not event.has_rounds_off:
        return []  # who is paired next follows from results
    there = [
        one
        for one in entries.entrants(session, event.id)
        if one.status == EntrantStatus.ENTERED
        and not one.computer
        and (one.id in seated if seated is not None else one.division_id == division_id)
        and number not in one.away
    ]
    found = quiet(session, [one.player_id for one in there], now)
    named = [(one, found[one.player_id]) for one in there if one.player_id in found]
    return [(one, silent) for one, silent in named if silent.is_longer(event, paces)]


def leave_out(acting: Acting, number: int, players: Iterable[int]) -> None:
    """Give these players of an event, which is locked, the round off that is paired next. Raises NotAccepted."""
    for player in players:
        entrant = entries.entrant_of(acting.session, acting.event.id, player)
        if entrant is not None:
            away = [*entrant.away, number]
            entries.set_rounds_off(acting, player, away=away, byes=entrant.byes)


def leave_out_silent(acting: Acting, division_id: int, number: int) -> None:
    """Do so, as the server, with those who have been silent for longer than two moves last, if enough others play."""
    session, event = acting.session, acting.event
    if not event.has_rounds_off:
        return
    silent = silent_before(session, event, division_id, number, acting.now, paces=2)
    playing = entries.entrants(session, event.id, division_id=division_id)
    stay = sum(one.status == EntrantStatus.ENTERED and number not in one.away for one in playing) - len(silent)
    if stay >= event.title.least_seats:
        leave_out(acting, number, [one.player_id for one, _ in silent])


def left_out(
    session: Session, event: Competition, draft: CompetitionRound, now: datetime
) -> list[tuple[Entrant, Quiet]]:
    """Return the silent players who have this round off."""
    there = entries.entrants(session, event.id, division_id=draft.division_id)
    off = {one.player_id: one for one in there if one.status == EntrantStatus.ENTERED and draft.number in one.away}
    return [(off[player], silent) for player, silent in quiet(session, off, now).items()]


def in_words(voice: Voice, silent: Quiet, now: datetime) -> str:
    """Return the days of a silence."""
    days = (now - silent.since).days
    return voice.ngettext("silent for %(num)s day", "silent for %(num)s days", days) % {"num": days}


def named(voice: Voice, silent: Sequence[tuple[Entrant, Quiet]], now: datetime) -> list[str]:
    """Return silent players with their days."""
    return [f"{voice.person(one.name)} ({in_words(voice, is_so, now)})" for one, is_so in silent]


def of_events(session: Session, events: Iterable[Competition], now: datetime) -> list[tuple[Entrant, Quiet]]:
    """Return who plays in one of these events and has been silent for longer than its pace, each once, the longest
    first."""
    playing = [
        (event, one)
        for event in events
        for one in entries.entrants(session, event.id)
        if one.status == EntrantStatus.ENTERED and not one.computer
    ]
    silent = quiet(session, {one.player_id for _, one in playing}, now)
    found = {
        one.player_id: (one, silent[one.player_id])
        for event, one in playing
        if one.player_id in silent and silent[one.player_id].is_longer(event)
    }
    return sorted(found.values(), key=lambda one: one[1].since)


def _owing(session: Session, signs: Mapping[int, datetime | None]) -> list[tuple[int, datetime]]:
    """Return since when each of these people owes a move, of those who do."""
    asked = (
        sa.select(col(GameSeat.player_id), sa.func.min(col(Game.mailed_at)))
        .join(Game, sa.and_(col(Game.id) == col(GameSeat.game_id), col(Game.decides) == col(GameSeat.seat)))
        .where(col(GameSeat.player_id).in_(signs), col(Game.mailed_at).is_not(None))
        .group_by(col(GameSeat.player_id))
    )
    return [(row[0], row[1]) for row in session.execute(asked)]


def _late(session: Session, signs: Mapping[int, datetime | None]) -> list[tuple[int, datetime]]:
    """Return when a deadline of these people has passed since their last sign; the game may have ended with it."""
    is_theirs = col(Case.player_id).in_(signs), col(Case.kind) == CaseKind.TIME, col(Case.cause) == NoteCause.PLAYER
    rows = session.execute(sa.select(col(Case.player_id), col(Case.opened_at)).where(*is_theirs))
    return [(row[0], row[1]) for row in rows if row[1] > (signs[row[0]] or row[1] - timedelta(1))]


def unreached(session: Session, club_id: int) -> dict[int, str]:
    """Return the people of a club, and of its events that are not over, whom mails do not reach, by number with their
    names: the host refused the last one or returned it, or their address takes none."""
    here = sa.and_(col(Member.club_id) == club_id, col(Member.status) != MemberStatus.LEFT)
    plays = (
        sa.select(col(Entrant.player_id))
        .join(Competition, col(Competition.id) == col(Entrant.event_id))
        .where(lifecycle.of_club(club_id), col(Competition.status).in_(UNDER_WAY), col(Entrant.status).in_(STILL_IN))
    )
    members = sa.select(col(Member.player_id)).where(here)
    people = sa.select(col(Player.id), col(Player.name)).where(col(Player.id).in_(members.union(plays)))
    dead = people.join(BouncedAddress, col(BouncedAddress.address_key) == sa.func.lower(col(Player.address)))
    found = {row.id: row.name for row in session.execute(dead)}
    failed = (
        people.add_columns(sa.func.max(col(OutboxMail.id)).label("last"))
        .join(OutboxMail, col(OutboxMail.player_id) == col(Player.id))
        .where(col(OutboxMail.state) == sa.literal_column("'failed'"))  # so that its index is used
        .group_by(col(Player.id), col(Player.name))
    )
    for row in session.execute(failed).all():
        later = sa.select(col(OutboxMail.id)).where(
            col(OutboxMail.id) > row.last,
            col(OutboxMail.player_id) == row.id,
            col(OutboxMail.state).in_((MailState.SENT, MailState.KEPT)),
        )
        if session.scalar(later.limit(1)) is None:
            found[row.id] = row.name
    return found


def vouch(database: Database, club_id: int, by_id: int, player_id: int, address: str, *, now: datetime) -> None:
    """Say that a member's mailbox is gone, so that the account moves to another address unless one of the two objects.
    Raises NotAllowed for people with a role, whom only operators of the server move, and for those whom mails reach,
    who do it themselves: no club can take an account over; NotAccepted and TooOften."""
    with database.read() as session:
        club_rights.need(session, club_id, by_id, Role.ORGANISER)
        member, club = member_of(session, club_id, player_id), club_rights.get(session, club_id)
        role = session.get_one(Player, player_id).role
        if role == PlayerRole.OPERATOR or any(
            club_rights.may(one, Role.DEPUTY) for _, one in club_rights.clubs_of(session, player_id)
        ):
            text = Text(
                "{name} has a role in a club or on the server, so only an operator changes the address.",
                name=member.name,
            )
            raise NotAllowed("members.vouch", text)
        if player_id not in unreached(session, club_id):
            raise NotAllowed(
                "members.reached", Text("Mails reach {name}, who can change the address.", name=member.name)
            )
        by = f"{session.get_one(Player, by_id).name} ({club.name})"
    if member.status != MemberStatus.MEMBER:
        raise NotAccepted("club.no_member", Text("This player does not belong to the club."))
    limits.count(database, [(limits.SIGN_IN_ADDRESS, read_address(address))], now)
    signin.move(database, player_id, address, by=by, now=now)
