"""Who plays in an event: signing up with its checks, reserves, late entries, withdrawals, rounds off."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import NotAccepted, NotAllowed
from app.games.rating_tables import RatingSystem
from app.games.work import Work
from app.leagues.clubs import audit, club_rights, members, notes
from app.leagues.clubs.acting import Acting
from app.leagues.events import lifecycle, seat_changes, two_clubs
from app.leagues.tables import (
    STILL_IN,
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Entrant,
    EntrantStatus,
    Rating,
    Role,
    RoundStatus,
)
from app.people import accounts, sanctions
from app.people.tables import IS_COMPUTER, IS_PROGRAM, Player, SignIn
from engine.kernel.text import Text

LONGEST_ANSWER = 300


def entrants(session: Session, event_id: int, *, division_id: int | None = None) -> Sequence[Entrant]:
    """Return all entrants of an event or a division, by seed and then in the order in which they entered."""
    asked = select(Entrant).where(col(Entrant.event_id) == event_id).order_by(col(Entrant.seed), col(Entrant.id))
    if division_id is not None:
        asked = asked.where(col(Entrant.division_id) == division_id)
    return session.exec(asked).all()


def signs_of(session: Session, event_id: int) -> dict[int, str]:
    """Return the signs beside the names of an event, by entrant, of those who have one."""
    asked = select(Entrant.id, Player.sign).join(Player, col(Player.id) == col(Entrant.player_id))
    rows = session.exec(asked.where(col(Entrant.event_id) == event_id, col(Player.sign) != ""))
    return {entrant: sign for entrant, sign in rows if entrant is not None}


def entrant_of(session: Session, event_id: int, player_id: int | None) -> Entrant | None:
    """Return the entrant of a player in an event; None if they have not entered."""
    if player_id is None:
        return None
    here = col(Entrant.event_id) == event_id, col(Entrant.player_id) == player_id
    return session.exec(select(Entrant).where(*here)).first()


# -- signing up ---------------------------------------------------------------------------------------


def sign_up(
    work: Work, event_id: int, player_id: int, *, now: datetime, by_id: int | None = None, by_mail: bool = False
) -> str:
    """Enter a player: `entered`, or `reserve` if the event is full. Signing up again changes nothing.

    `by_id` is an organiser who enters another player; the limits of sign-up do not apply then. `by_mail`: who answers a
    mail need not have signed in before.

    Raises NoSuchCompetition, NotAllowed, and NotAccepted with the check that failed.
    """
    session = work.session
    event = lifecycle.get(session, event_id, lock=True)
    if by_id is not None:
        two_clubs.need_alone(session, event, by_id)
    mine = entrant_of(session, event_id, player_id)
    if mine is not None and mine.status in STILL_IN:
        return mine.status
    acting = Acting(work, event, by_id or player_id, now)
    return _come_in(acting, player_id, mine, limited=by_id is None, by_mail=by_mail)


def note_answers(session: Session, event: Competition, player_id: int, given: Mapping[str, str]) -> None:
    """Keep what a player who is in an event answers to its organisers' own questions, by their terms."""
    asked = {term: given.get(term, "").strip() for term in ("ask_line", "ask_yes_no") if getattr(event.terms, term)}
    if not asked:
        return
    if len(asked.get("ask_line", "")) > LONGEST_ANSWER:
        raise NotAccepted("entry.answer", Text("An answer has at most {n} characters.", n=LONGEST_ANSWER))
    here = col(Entrant.event_id) == event.id, col(Entrant.player_id) == player_id
    session.exec(sa.update(Entrant).where(*here).values(answers=asked))


def enter_many(work: Work, event_id: int, players: Sequence[int], *, now: datetime, by_id: int) -> None:
    """Enter several members of the club before the start; those who are in stay as they are.

    Raises NotAllowed, and NotAccepted with the first check that failed.
    """
    session = work.session
    event = lifecycle.get(session, event_id, lock=True)
    two_clubs.need_alone(session, event, by_id)
    for player_id in dict.fromkeys(players):
        if club_rights.role_of(session, event.club_id, player_id) is None:
            raise NotAccepted("entry.member_only", Text("Choose a member of the club."))
        mine = entrant_of(session, event_id, player_id)
        if mine is not None and mine.status in STILL_IN:
            continue
        _come_in(Acting(work, event, by_id, now), player_id, mine, limited=False)


def _come_in(acting: Acting, player_id: int, mine: Entrant | None, *, limited: bool, by_mail: bool = False) -> str:
    """Enter a player where there is a place, else in reserve; the limits of sign-up apply if `limited`."""
    session, event = acting.session, acting.event
    joined = first_round(session, event)
    if mine is not None:
        need_free_place(session, event, mine)
    if limited:
        _check(session, event, player_id, mine, acting.now, by_mail=by_mail)
    status = place(session, event)
    enter_in(acting, player_id, mine, status=status, joined=joined)
    return status


def enter_in(
    acting: Acting, player_id: int, mine: Entrant | None, *, status: str = EntrantStatus.ENTERED, joined: int = 1
) -> None:
    """Enter a player in the caller's transaction, whatever the limits of sign-up say; `mine` is the entrant that they
    are. NotAccepted for an account that is erased, NotAllowed for one that is banned."""
    session, event, now = acting.session, acting.event, acting.now
    sanctions.need_free(session, player_id, now)
    values: dict[str, Any] = {
        "status": status,
        "entered_at": now,
        "joined_round": joined,
        "withdrawn_after": None,
        "leaves_at": None,
        # A rating begins with that of its first event, which playing must not move.
        "rating": mine.rating if mine is not None and mine.seed else rating_of(session, event, player_id),
        "division_id": _division(event, mine),
    }
    if event.status == CompetitionStatus.RUNNING:
        values["seed"] = next_seed(session, event.id)
    write_entry(session, event.id, player_id, mine, values)
    act = acting.write("entry.made", audit.player(player_id), after={"status": status})
    if acting.by_id not in (None, player_id) and event.status != CompetitionStatus.DRAFT:
        told = accounts.addresses(session, [player_id])
        acting.work.outbox.tell(told, "event_entered", f"event_entered:{event.id}:{act}", {"event": event.id}, now)


def _division(event: Competition, mine: Entrant | None = None) -> int | None:
    """Return the division of a new player: a late entry begins at the bottom; before the start organisers assign
    divisions, and who comes back keeps theirs.
    """
    if mine is not None and mine.division_id is not None and event.status != CompetitionStatus.RUNNING:
        return mine.division_id
    return event.divisions[-1].id if len(event.divisions) == 1 or event.status == CompetitionStatus.RUNNING else None


def next_seed(session: Session, event_id: int) -> int:
    """Return the pairing number of a player who comes after the start."""
    return 1 + (session.scalar(sa.select(sa.func.max(col(Entrant.seed))).where(col(Entrant.event_id) == event_id)) or 0)


def write_entry(session: Session, event_id: int, player_id: int, mine: Entrant | None, values: dict[str, Any]) -> None:
    """Write an entrant, or change the player's existing one. Raises NotAccepted for an erased account."""
    is_there = sa.or_(col(Player.erased_at).is_(None), IS_COMPUTER)
    player = sa.select(col(Player.id)).where(col(Player.id) == player_id, is_there)
    if session.execute(player.with_for_update(read=True, key_share=True)).first() is None:
        raise NotAccepted("player.unknown", Text("There is no such player."))
    if mine is None:
        session.add(Entrant(event_id=event_id, player_id=player_id, **{"away": [], "byes": []} | values))
        session.flush()
    else:
        session.exec(sa.update(Entrant).where(col(Entrant.id) == mine.id).values(**values))


def why_not(session: Session, event: Competition, player_id: int, now: datetime) -> Text | None:
    """Return why a player cannot sign up now; None if they can. Changes nothing."""
    mine = entrant_of(session, event.id, player_id)
    try:
        first_round(session, event)
        if mine is not None:
            need_free_place(session, event, mine)
        _check(session, event, player_id, mine, now)
    except NotAccepted as no:
        return no.why
    return None


def first_round(session: Session, event: Competition) -> int:
    """Return the first round played by a player who enters now. Raises NotAccepted if nobody can."""
    if event.status == CompetitionStatus.SIGN_UP or event.status == CompetitionStatus.DRAFT:
        return 1
    if event.status == CompetitionStatus.RUNNING and not event.takes_late_entries:
        raise NotAccepted("event.late", Text("This event has started; somebody new can only come as a reserve."))
    return late_round(session, event, _division(event), drafts=True)


def late_round(session: Session, event: Competition, division_id: int | None, *, drafts: bool = False) -> int:
    """Return the first round played by a player who enters a division now; with `drafts` the one after a draft, which
    then stays as it is.

    Raises NotAccepted if the event is not running or its terms allow no more entries.
    """
    if event.status != CompetitionStatus.RUNNING:
        raise NotAccepted("event.closed", Text("This event takes no more entries."))
    there = sa.select(sa.func.max(col(CompetitionRound.number))).where(col(CompetitionRound.division_id) == division_id)
    if not drafts:
        there = there.where(col(CompetitionRound.status) != RoundStatus.DRAFT)
    last = session.scalar(there)
    latest = event.terms.late_entries
    if latest == 0:
        raise NotAccepted("event.late", Text("By the terms of this event nobody new comes in after the start."))
    if latest is not None and not event.plays.by_challenge and int(last or 0) >= latest:
        raise NotAccepted(
            "event.late",
            Text("Late entries close with round {n}, which is already paired.", n=latest),
        )
    return int(last or 0) + 1


def need_free_place(session: Session, event: Competition, entrant: Entrant) -> None:
    """Raise NotAccepted for a player who left and whose place a substitute has."""
    if entrant.id in seat_changes.substitutes(session, event.id):
        raise NotAccepted(
            "entry.replaced", Text("A substitute has taken this player’s place, so they cannot come back as an entry.")
        )


def _check(
    session: Session, event: Competition, player_id: int, mine: Entrant | None, now: datetime, *, by_mail: bool = False
) -> None:
    """Check everything that signing up requires of a player, whose entrant is `mine`."""
    if mine is not None and mine.status == EntrantStatus.REMOVED:
        raise NotAccepted("entry.removed", Text("An organiser has taken you out of this event; ask them."))
    if event.status == CompetitionStatus.DRAFT:
        raise NotAccepted("event.draft", Text("This event is not open for sign-up yet."))
    if event.status == CompetitionStatus.SIGN_UP and event.sign_up_until is not None and now > event.sign_up_until:
        raise NotAccepted("event.too_late", Text("Sign-up has ended; ask an organiser."))
    if any(members.is_banned(session, club_id, player_id) for club_id in event.club_ids):
        raise NotAccepted("club.banned", members.BANNED)
    closed = event.terms.members_only or event.guest_id is not None
    if closed and club_rights.role_in(session, event, player_id) is None:
        raise NotAccepted("entry.member", Text("This event is for members of the club; join the club first."))
    if not event.terms.programs and session.exec(IS_PROGRAM.where(col(Player.id) == player_id)).first():
        raise NotAccepted("entry.program", Text("The terms of this event let no programs in."))
    confirmed = sa.select(col(SignIn.id)).where(col(SignIn.player_id) == player_id).limit(1)
    if not by_mail and session.scalar(confirmed) is None:
        raise NotAccepted("entry.address", Text("Sign in by a mailed link first, so that your address is confirmed."))


def place(session: Session, event: Competition) -> str:
    """Return `entered`, or `reserve` if the event is full. The computer takes nobody's place."""
    if event.terms.limit is None:
        return "entered"
    full = session.scalar(
        sa.select(sa.func.count()).where(
            col(Entrant.event_id) == event.id, col(Entrant.status) == EntrantStatus.ENTERED, ~col(Entrant.computer)
        )
    )
    return "entered" if (full or 0) < event.terms.limit else "reserve"


def rating_of(session: Session, event: Competition, player_id: int) -> float | None:
    """Return the player's rating at the event's title, in the system the event's games affect.

    Where tables of two and larger ones affect both systems, that of the best size counts, or else the other. Before the
    first rated game it is the rating on the club's own list, or None without one.
    """
    asked = sa.select(col(Rating.system), col(Rating.rating)).where(
        col(Rating.player_id) == player_id, col(Rating.title) == event.title.id
    )
    there = {row.system: row.rating for row in session.execute(asked)}
    for system in systems_of(event):
        if system in there:
            return float(there[system])
    return notes.rating_of(session, event.club_id, player_id)


def systems_of(event: Competition) -> list[str]:
    """Return the systems that rate an event's games, that of its best table size first."""
    return list(dict.fromkeys(RatingSystem.GLICKO2 if size == 2 else RatingSystem.OPENSKILL for size in event.sizes))


def sign_up_as_reserve(acting: Acting, player_id: int) -> None:
    """Put a player on the reserve list of an event, which is locked, also after the start. Raises NotAccepted."""
    session, event = acting.session, acting.event
    if event.status not in (CompetitionStatus.SIGN_UP, CompetitionStatus.RUNNING):
        raise NotAccepted("event.closed", Text("This event takes no more entries."))
    if event.boards:
        raise NotAccepted("entry.team", Text("In this event substitutes come from the teams; ask a captain."))
    if event.terms.members_only and club_rights.role_of(session, event.club_id, player_id) is None:
        raise NotAccepted("entry.member", Text("This event is for members of the club; join the club first."))
    if members.is_banned(session, event.club_id, player_id):
        raise NotAccepted("club.banned", members.BANNED)
    if entrant_of(session, event.id, player_id) is not None:
        raise NotAccepted("entry.there", Text("You are on the list of this event already."))
    rating = rating_of(session, event, player_id)
    values = {"status": EntrantStatus.RESERVE, "entered_at": acting.now, "rating": rating}
    write_entry(session, event.id, player_id, None, values)
    acting.write("entry.reserve", audit.player(player_id))


# -- rounds off ---------------------------------------------------------------------------------------


def may_take_byes(event: Competition) -> bool:
    """Whether players of an event may take requested byes without asking an organiser."""
    return event.has_rounds_off and event.terms.own_byes > 0


def _check_own_byes(event: Competition, byes: Sequence[int], before: Sequence[int]) -> None:
    """Raise NotAllowed or NotAccepted if a player cannot take these byes without asking."""
    if not may_take_byes(event):
        raise NotAllowed("entry.bye", Text("Byes with points are granted by an organiser; ask for one."))
    most, new = event.terms.own_byes, set(byes) - set(before)
    if new and len(set(byes)) > most:
        raise NotAccepted("entry.byes", Text("You can take {n} byes on request at most; ask an organiser.", n=most))
    if any(number >= (event.terms.rounds or 0) for number in new):
        raise NotAccepted("entry.last", Text("There is no bye on request in the last round or later."))


def _need_unpublished(session: Session, entrant: Entrant, rounds: Collection[int]) -> None:
    """Raise NotAccepted if one of the rounds of an entrant's division is already published, or cannot exist."""
    published = session.scalar(
        sa.select(sa.func.max(col(CompetitionRound.number))).where(
            col(CompetitionRound.event_id) == entrant.event_id,
            col(CompetitionRound.division_id) == entrant.division_id,
            col(CompetitionRound.status) != RoundStatus.DRAFT,
        )
    )
    if any(not 1 <= number <= 99 or number <= (published or 0) for number in rounds):
        raise NotAccepted("entry.round", Text("Only rounds that are not published yet can be changed."))


def set_rounds_off(acting: Acting, player_id: int, *, away: Sequence[int], byes: Sequence[int]) -> None:
    """Set the rounds of an event, which is locked, in which a player does not play: `away` without points, `byes` with
    the points of a requested bye.

    Only unpublished rounds can be changed. Byes are granted by an organiser, or taken as far as the terms allow
    everybody.

    Raises NotAllowed, NotAccepted.
    """
    session, event, by_id = acting.session, acting.event, acting.by_id
    if by_id not in (None, player_id):
        club_rights.need(session, event.club_id, by_id, Role.DEPUTY)
    entrant = entrant_of(session, event.id, player_id)
    if entrant is None or entrant.status != EntrantStatus.ENTERED:
        raise NotAccepted("entry.none", Text("This player does not play in the event."))
    if event.boards:
        raise NotAccepted(
            "entry.line_up", Text("Who misses a round in a team is left out of its line-up; ask the captain.")
        )
    if by_id == player_id and set(byes) ^ set(entrant.byes):
        _check_own_byes(event, byes, entrant.byes)
    if by_id == player_id and set(away) & set(byes):
        raise NotAccepted("entry.both", Text("A round is either without points or a bye on request, not both."))
    changed = set(away) ^ set(entrant.away) | set(byes) ^ set(entrant.byes)
    _need_unpublished(session, entrant, changed)
    if not changed:
        return
    values = {"away": sorted(set(away)), "byes": sorted(set(byes))}
    session.exec(sa.update(Entrant).where(col(Entrant.id) == entrant.id).values(**values))
    acting.write(
        "entry.rounds_off",
        audit.player(player_id),
        before={"away": list(entrant.away), "byes": list(entrant.byes)},
        after=values,
    )
