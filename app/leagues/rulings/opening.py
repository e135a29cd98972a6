"""Opening a ruling: by a player's claim, by an organiser, or by a passed deadline that the pace hands to one.

Separate from the deciding, so that the sweep of cases can import it.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from fractions import Fraction

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.mail_tables import OF_TIME
from app.base.stored.outbox import PlannedMail
from app.base.words.refusals import NotAllowed
from app.games.competitions import PlaceInCompetition
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import ClubActing
from app.leagues.events import two_clubs
from app.leagues.pure.model import VOID
from app.leagues.pure.standings import said_value
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Entrant,
    Match,
    MatchSeat,
    Member,
    MemberStatus,
    Role,
    Ruling,
    Source,
    Team,
)
from app.people.tables import Player
from engine.kernel.text import Text

RULERS = (Role.OWNER, Role.ORGANISER, Role.REFEREE)
WAITING = ("open", "appealed")


def match_of_game(session: Session, game_id: int) -> int | None:
    """Return the match a game belongs to; None for a game outside events, or if its event was cancelled: nobody in the
    club rules on it then.
    """
    found: int | None = session.scalar(
        sa.select(col(Match.id))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
        .where(col(Match.game_id) == game_id, col(Competition.status) != CompetitionStatus.CANCELLED)
    )
    return found


def is_neutral(session: Session, event_id: int, player_id: int) -> bool:
    """Whether a player has no part in an event and never had one, and so may see what was hidden in its games.

    The captain of a team, even if not playing, has a part in it; in a match of two clubs everybody but its judges has.
    """
    plays = sa.and_(col(Entrant.event_id) == event_id, col(Entrant.player_id) == player_id)
    leads = sa.and_(col(Team.event_id) == event_id, col(Team.captain_id) == player_id)
    parts = sa.select(col(Entrant.id)).where(plays).union_all(sa.select(col(Team.id)).where(leads))
    if session.execute(parts).first() is not None:
        return False
    judges = two_clubs.judges(session, event_id)
    return judges is None or player_id in judges


def may_correct(session: Session, event_id: int, player_id: int | None) -> bool:
    """Whether a player can set results of an event by a ruling, without playing in it."""
    if player_id is None:
        return False
    rules = sa.and_(
        col(Competition.id) == event_id,
        col(Member.player_id) == player_id,
        col(Member.status) == MemberStatus.MEMBER,
        col(Member.role).in_(RULERS),
        col(Competition.status).in_((CompetitionStatus.RUNNING, CompetitionStatus.OVER)),
    )
    asked = sa.select(col(Member.id)).join(Competition, col(Competition.club_id) == col(Member.club_id)).where(rules)
    if session.scalar(asked) is None:
        return player_id in (two_clubs.judges(session, event_id) or ())
    return is_neutral(session, event_id, player_id)


def place_of_game(session: Session, game_id: int, reader_id: int | None = None) -> PlaceInCompetition | None:
    """Return where a game belongs, and whether `reader_id` may set its result; None for a game outside events."""
    row = session.execute(
        sa.select(
            col(Competition.id),
            col(Competition.name),
            col(Competition.club_id),
            col(Competition.status),
            col(CompetitionRound.number),
            col(Match.id).label("match"),
            col(CompetitionRound.place).label("place"),
            col(Match.ended),
            col(Match.source),
        )
        .join(CompetitionRound, col(CompetitionRound.event_id) == col(Competition.id))
        .join(Match, col(Match.round_id) == col(CompetitionRound.id))
        .where(col(Match.game_id) == game_id)
    ).first()
    if row is None:
        return None
    ruled = None
    if row.ended and row.source == Source.RULING:
        asked = (
            sa.select(col(MatchSeat.points)).where(col(MatchSeat.match_id) == row.match).order_by(col(MatchSeat.place))
        )
        given = () if row.ended == VOID else session.scalars(asked).all()
        ruled = tuple(said_value("points", Fraction(points or 0)) for points in given)
    takes_claims = row.status in (CompetitionStatus.RUNNING, CompetitionStatus.OVER)
    corrects = may_correct(session, row.id, reader_id)
    rules = not corrects and not row.ended and takes_claims and _may_open(session, row.club_id, row.match, reader_id)
    return PlaceInCompetition(row.id, row.name, row.number, row.match, takes_claims, row.place, ruled, corrects, rules)


def _may_open(session: Session, club_id: int, match_id: int, reader_id: int | None) -> bool:
    """Whether a reader runs the events of a club and does not play in this match of it."""
    if not club_rights.may(club_rights.role_of(session, club_id, reader_id), Role.DEPUTY):
        return False
    return reader_id not in players_of(session, match_id)


def players_of(session: Session, match_id: int) -> dict[int, str]:
    """Return the players of a match with their addresses, without erased accounts."""
    rows = session.execute(
        sa.select(col(Player.id), col(Player.address))
        .join(Entrant, col(Entrant.player_id) == col(Player.id))
        .join(MatchSeat, col(MatchSeat.entry_id) == col(Entrant.id))
        .where(col(MatchSeat.match_id) == match_id, col(Player.erased_at).is_(None))
        .order_by(col(MatchSeat.place))
    )
    return {row.id: row.address for row in rows}


def need_other(by_id: int, players: Collection[int]) -> None:
    """Raise NotAllowed if who acts for the club is among those whose game the act, or its undoing, is about."""
    if by_id in players:
        raise NotAllowed("desk.own", Text("You play in this game, so another organiser has to do this."))


def rulers(session: Session, event_id: int, but: Collection[int]) -> dict[int, str]:
    """Return who can rule in an event, with their addresses, without those who play in the match or have decided
    before.
    """
    neutral = two_clubs.judges(session, event_id, but)
    if neutral is not None:
        return neutral
    asked = club_rights.addressed(col(Competition.id) == event_id, col(Member.role).in_(RULERS))
    rows = session.execute(asked.join(Competition, col(Competition.club_id) == col(Member.club_id)))
    return {row.id: row.address for row in rows if row.id not in but}


def of_its_clubs() -> sa.ColumnElement[bool]:
    """Return the condition that a member belongs to the club of an event, or to the other club of a match of two."""
    return sa.or_(col(Competition.club_id) == col(Member.club_id), Competition.guest_id == col(Member.club_id))


def organisers_of_games(session: Session, game_ids: Collection[int]) -> dict[int, tuple[str, list[int]]]:
    """Return who organises the events that these games belong to: their address and those events, by player."""
    rows = session.execute(
        club_rights.addressed(col(Match.game_id).in_(game_ids), col(Member.role).in_(club_rights.ORGANISERS))
        .add_columns(col(Competition.id).label("event"))
        .join(Competition, of_its_clubs())
        .join(CompetitionRound, col(CompetitionRound.event_id) == col(Competition.id))
        .join(Match, col(Match.round_id) == col(CompetitionRound.id))
        .order_by(col(Competition.id))
    )
    found: dict[int, tuple[str, list[int]]] = {}
    for row in rows:
        found.setdefault(row.id, (row.address, []))[1].append(row.event)
    return found


def open_ruling(
    work: Work,
    match_id: int,
    *,
    by_id: int | None,
    claim: str,
    now: datetime,
    case_id: int | None = None,
    round_end: str = "",
) -> tuple[int, bool]:
    """Open a ruling about a match in the caller's transaction and tell its players and those who can decide.

    Returns its number and whether it is new: a match has one at a time, so a waiting one is returned as it is.
    `round_end`: it was opened only because the round ended, by this term.
    """
    details = {"round_end": round_end} if round_end else {}
    wanted = Ruling(case_id=case_id, opened_by=by_id, claim=claim, opened_at=now, details=details, match_id=match_id)
    ruling, is_new = opened(work, wanted)
    if is_new:
        tell(work, ruling, "opened", now)
    return ruling.id, is_new


def opened(work: Work, wanted: Ruling) -> tuple[Ruling, bool]:
    """Open a ruling without a mail, or return the one that waits; and whether it is new."""
    session, match_id = work.session, wanted.match_id
    match = session.execute(
        sa.select(col(Match.id), col(CompetitionRound.event_id), col(CompetitionRound.number), col(Competition.club_id))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .join(Competition, col(Competition.id) == col(CompetitionRound.event_id))
        .where(col(Match.id) == match_id)
        .with_for_update(of=Match)
    ).one()
    waits = select(Ruling).where(col(Ruling.match_id) == match_id, col(Ruling.status).in_(WAITING))
    there = session.exec(waits).first()
    if there is not None:
        return there, False
    wanted.event_id = match.event_id
    session.add(wanted)
    session.flush()
    ClubActing(work, match.club_id, wanted.opened_by, wanted.opened_at, match.event_id).write(
        "ruling.opened", audit.match(match_id), reason=wanted.claim, after={"ruling": wanted.id}
    )
    return wanted, True


def tell(
    work: Work, ruling: Ruling, what: str, now: datetime, *, but: Collection[int] = (), judges: bool = True
) -> list[int]:
    """Mail the news of a ruling to the players of a match and those who can decide about it (`judges`), to nobody of
    `but`.

    If the pace has opened it, the mail is combined with others that follow from passed deadlines.
    """
    by_pace = what == "opened" and (ruling.case_id is not None or "round_end" in ruling.details)
    kind, wait = ("ruling_asked", OF_TIME) if by_pace else ("ruling", timedelta(0))
    sides = players_of(work.session, ruling.match_id)
    deciders = rulers(work.session, ruling.event_id, {*sides, *but}) if judges else {}
    mails = [
        PlannedMail(
            f"ruling:{ruling.id}:{what}:{who}",
            kind,
            address,
            who,
            wait=wait,
            details={"ruling": ruling.id, "what": what, "as": role},
        )
        for role, people in (("player", sides), ("judge", deciders))
        for who, address in people.items()
        if who not in but
    ]
    work.outbox.add(mails, now)
    return [mail.player_id for mail in mails if mail.player_id is not None]


def open_for_case(work: Work, game_id: int, case_id: int, now: datetime) -> int:
    """Open a ruling for a game of an event whose deadline has passed, if the pace hands that to an organiser.

    Tells those who can decide and returns how many; 0 for a game outside events or of a cancelled one.
    """
    match_id = match_of_game(work.session, game_id)
    if match_id is None:
        return 0
    open_ruling(work, match_id, by_id=None, claim="", now=now, case_id=case_id)
    event = sa.select(col(CompetitionRound.event_id)).join(Match, col(Match.round_id) == col(CompetitionRound.id))
    event_id = work.session.scalar(event.where(col(Match.id) == match_id))
    return len(rulers(work.session, event_id or 0, players_of(work.session, match_id)))
