"""Late entries to a running event: what they change, and taking a player in.

A round robin, and a group, is laid out again for everybody; of Swiss rounds and tables nobody knows the later ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.stored.database import Database
from app.base.words.refusals import Conflict, NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit, club_rights, members
from app.leagues.clubs.acting import ActRequest
from app.leagues.events import entries, lifecycle, matches, round_rows
from app.leagues.pure.model import Competitor
from app.leagues.rounds import schedule
from app.leagues.tables import (
    CallStatus,
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Division,
    Entrant,
    EntrantStatus,
    MemberStatus,
    ReserveCall,
    Role,
    RoundStatus,
)
from app.people.tables import Player
from engine.kernel.text import Counted, Text

_NEW = 0
"""Stands for the entrant that does not exist yet; real ones count from 1."""


@dataclass(frozen=True, slots=True)
class LateCandidate:
    """A player who could come in late; `status` is that of an entrant, empty for a member without an entry."""

    player_id: int
    name: str
    status: str


@dataclass(frozen=True, slots=True)
class LateArrival:
    """What a late entry would do to a division."""

    division: Division
    player_id: int
    name: str
    stay: tuple[int, ...]
    """The published rounds, which do not change."""
    draft: int | None
    """The number of the round whose draft is thrown away."""
    size: int
    """How many play in the division afterwards."""
    before: int
    """Rounds in all without the late entry."""
    after: int
    games: int | None
    """How many games the late entry has; None of Swiss rounds and tables, whose later rounds nobody knows yet."""
    told: tuple[tuple[int, str, str], ...]
    """Who gets a mail: number, name, address; the late entry first."""
    seen: str
    """Says which state of the division this is about."""

    @property
    def starts(self) -> int:
        """Return the first round of the late entry."""
        return len(self.stay) + 1


def candidates(session: Session, event: Competition) -> list[LateCandidate]:
    """Return who could come in, by name: members who do not play, reserves, and players who left and whose place is
    free.
    """
    here = {entrant.player_id: entrant for entrant in entries.entrants(session, event.id)}
    names = {
        one.player_id: one.name for one in members.members(session, event.club_id) if one.status == MemberStatus.MEMBER
    }
    names |= {one.player_id: one.name for one in here.values()}
    found = []
    for player_id, name in names.items():
        entrant = here.get(player_id)
        if entrant is not None and (entrant.status == EntrantStatus.ENTERED or entrant.computer):
            continue
        if entrant is not None:
            try:
                entries.need_free_place(session, event, entrant)
            except NotAccepted:
                continue
        found.append(LateCandidate(player_id, name, entrant.status if entrant else ""))
    return sorted(found, key=lambda one: (one.name.casefold(), one.player_id))


def why_not(session: Session, event: Competition, division: Division) -> Text | None:
    """Return why nobody can enter a division late now; None if it is possible."""
    try:
        _need_open(session, event, division)
    except NotAccepted as no:
        return no.why
    return None


def _need_open(session: Session, event: Competition, division: Division) -> None:
    if not event.plays.by_points or event.boards:
        raise NotAccepted(
            "late.format", Text("Nobody is taken into a team, a knock-out or a ladder this way after the start.")
        )
    if event.status in (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP):
        raise NotAccepted("late.early", Text("The event has not started; enter the player as everybody else."))
    if event.finals:
        if division.id == event.finals.id:
            raise NotAccepted("late.finals", Text("A late entrant comes into a group; choose which."))
        if round_rows.rounds_of(session, event.finals.id, drafts=True):
            raise NotAccepted("late.finals", Text("The finals are paired, so that nobody comes into a group any more."))
    entries.late_round(session, event, division.id)
    if entries.place(session, event) != "entered":
        assert event.terms.limit is not None
        raise NotAccepted(
            "late.full",
            Counted(
                "By its terms this event has {n} player at most; somebody new can only come as a reserve.",
                "By its terms this event has {n} players at most; somebody new can only come as a reserve.",
                n=event.terms.limit,
            ),
        )


def foresee(session: Session, event: Competition, division: Division, player_id: int) -> LateArrival:
    """Return what taking a player into a division would do now. Changes nothing; NotAccepted says why not."""
    _need_open(session, event, division)
    mine = entries.entrant_of(session, event.id, player_id)
    _need_free(session, event, mine, player_id)
    there = round_rows.rounds_of(session, division.id, drafts=True)
    stay = schedule.published(there)
    people = schedule.people(session, event, division)
    own, name = mine.id if mine else _NEW, session.get_one(Player, player_id).name
    newcomer = Competitor(own, name, entries.next_seed(session, event.id), joined=len(stay) + 1)
    by_round = event.plays.by_round
    games: int | None = None
    if by_round:
        before = after = event.terms.rounds or newcomer.joined
        if newcomer.joined > after:
            raise NotAccepted("round.last", lifecycle.all_paired(after))
    else:
        order = [entrant.as_competitor() for entrant in people]
        new = schedule.rest(session, event, [*(one for one in order if one.id != own), newcomer], there)
        before, after = len(stay) + len(schedule.rest(session, event, order, there)), len(stay) + len(new)
        games = sum(own in pair.seats for round in new for pair in round.pairings)
    return LateArrival(
        division=division,
        player_id=player_id,
        name=name,
        stay=tuple(round.number for round in stay),
        draft=next((round.number for round in there if round.status == RoundStatus.DRAFT), None),
        size=sum(one.status == EntrantStatus.ENTERED for one in people) + 1,
        before=before,
        after=after,
        games=games,
        told=tuple(_told(session, None if by_round else division, player_id)),
        seen=_seen(there if by_round else stay, people),
    )


def _need_free(session: Session, event: Competition, mine: Entrant | None, player_id: int) -> None:
    """Raise NotAccepted if the player cannot enter: plays already, is being asked as a reserve, or is not a member."""
    if mine is not None and mine.status == EntrantStatus.ENTERED:
        raise Conflict("late.there", Text("This player plays in the event already."))
    if mine is not None:
        entries.need_free_place(session, event, mine)
        called = sa.select(col(ReserveCall.id)).where(
            col(ReserveCall.entry_id) == mine.id, col(ReserveCall.status) == CallStatus.CALLED
        )
        if session.scalar(called.limit(1)) is not None:
            raise NotAccepted(
                "late.called", Text("This reserve is being asked to take over a seat; wait for the answer, or undo it.")
            )
    elif club_rights.role_of(session, event.club_id, player_id) is None:
        raise NotAccepted("entry.member_only", Text("Choose a member of the club."))


def _told(session: Session, division: Division | None, player_id: int) -> list[tuple[int, str, str]]:
    """Return the recipients: the late entry, and everybody in the division if its rounds are laid out again."""
    number = division.id if division else None
    inside = sa.select(col(Entrant.player_id)).where(
        col(Entrant.division_id) == number, col(Entrant.status) == EntrantStatus.ENTERED
    )
    asked = (
        sa.select(col(Player.id), col(Player.name), col(Player.address))
        .where(sa.or_(col(Player.id) == player_id, col(Player.id).in_(inside)), col(Player.erased_at).is_(None))
        .order_by(col(Player.id) != player_id, col(Player.name), col(Player.id))
    )
    return [(row.id, row.name, row.address) for row in session.execute(asked)]


def _seen(there: Sequence[CompetitionRound], people: Sequence[Entrant]) -> str:
    """Return a token of the division's rounds: the number of each round that stays, and for a draft its version too."""
    playing = ",".join(str(entrant.id) for entrant in people if entrant.status == EntrantStatus.ENTERED)
    drafts = "".join(f"+{round.id}.{round.version}" for round in there if round.status == RoundStatus.DRAFT)
    return f"{len(schedule.published(there))}{drafts}:{playing}"


def take_in(
    database: Database,
    event_id: int,
    division_id: int,
    player_id: int,
    asked: ActRequest,
    *,
    seen: str | None = None,
    now: datetime,
) -> LateArrival | None:
    """Take a player into a division of a running event; return what changed, or None if this form was sent before.

    Published rounds stay; the draft of the next one is thrown away, and later ones are paired with the player. `seen`
    comes from the preview.

    Raises NoSuchCompetition, NotAllowed, and NotAccepted, also if the division has changed since the preview.
    """
    with Work(database) as work:
        acting = lifecycle.allowed(work, event_id, asked.by_id, Role.DEPUTY, now)
        session, event = work.session, acting.event
        once = audit.read_token(asked.token)
        if audit.was_done(session, once):
            return None
        division = find_division(event, division_id)
        reason = audit.read_reason(asked.reason)
        coming = foresee(session, event, division, player_id)
        if seen is not None and seen != coming.seen:
            raise Conflict("late.changed", Text("This has been changed meanwhile; look at it again."))
        mine = _enter(session, event, division, coming, now)
        act = acting.write(
            "entry.late",
            audit.player(player_id),
            reason=reason,
            before={"status": mine and mine.status, "rounds": coming.before},
            after=_after(event, division, coming),
            once=once,
        )
        people = ((who, address) for who, _, address in coming.told)
        work.outbox.tell(people, "event_late", f"event_late:{act}", _details(event, coming, reason), now)
        return coming


def _enter(
    session: Session, event: Competition, division: Division, coming: LateArrival, now: datetime
) -> Entrant | None:
    """Write the entrant and throw away drafts made without it; return the entrant as it was before."""
    for round in round_rows.drafts_of(session, division.id):
        matches.delete_draft(session, round.id)
    mine = entries.entrant_of(session, event.id, coming.player_id)
    values: dict[str, Any] = {
        "status": EntrantStatus.ENTERED,
        "entered_at": now,
        "joined_round": coming.starts,
        "withdrawn_after": None,
        "rating": entries.rating_of(session, event, coming.player_id),
        "division_id": division.id,
        "seed": entries.next_seed(session, event.id),
        "away": [],
        "byes": [],
    }
    entries.write_entry(session, event.id, coming.player_id, mine, values)
    return mine


def _details(event: Competition, coming: LateArrival, reason: str) -> dict[str, Any]:
    """Return what the mails to everybody concerned say."""
    return {
        "event": event.id,
        "division": coming.division.id,
        "player": coming.player_id,
        "begins": coming.starts,
        "before": coming.before,
        "after": coming.after,
        "reason": reason,
        "missed": list(coming.stay) if coming.games is None else [],
        "paired": coming.games is None,
    }


def _after(event: Competition, division: Division, coming: LateArrival) -> dict[str, Any]:
    where = {"division": division.name} if len(event.divisions) > 1 else {}
    return {"status": EntrantStatus.ENTERED, "rounds": coming.after, "begins": coming.starts, **where}


def find_division(event: Competition, division_id: int) -> Division:
    """Return a division of an event. Raises NotAccepted."""
    try:
        return event.division(division_id)
    except KeyError:
        raise NotAccepted("event.division", Text("The event has no such division.")) from None
