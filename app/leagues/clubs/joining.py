"""Requests to join a club: any signed-in player may ask, those who run the club decide, and both are told by mail."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored import limits
from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.base.words.texts import read_text
from app.games.work import Work
from app.leagues.clubs import audit, club_rights, members
from app.leagues.clubs.acting import ClubActing
from app.leagues.tables import Club, JoinRequest, Role
from app.people.tables import Player
from engine.kernel.text import Text

REQUEST, ANSWER = "join_request", "join_answer"
"""The kinds of mail."""
NEEDED = Role.DEPUTY
"""Who invites may also take in."""
LONGEST_TEXT = 1000
AGAIN_AFTER = timedelta(days=30)
"""How long a declined request stays declined."""


# -- reading ------------------------------------------------------------------------------------------


def waiting(session: Session, club_id: int) -> Sequence[JoinRequest]:
    """Return the requests that wait for an answer, oldest first."""
    here = col(JoinRequest.club_id) == club_id, col(JoinRequest.declined_at).is_(None)
    return session.exec(select(JoinRequest).where(*here).order_by(col(JoinRequest.asked_at), col(JoinRequest.id))).all()


def how_many(session: Session, club_id: int) -> int:
    """Count the requests that wait for an answer."""
    here = col(JoinRequest.club_id) == club_id, col(JoinRequest.declined_at).is_(None)
    return session.scalar(sa.select(sa.func.count()).select_from(JoinRequest).where(*here)) or 0


def of_player(session: Session, club_id: int, player_id: int, *, lock: bool = False) -> JoinRequest | None:
    """Return the request of a player that waits or was declined; None if there is none."""
    here = col(JoinRequest.club_id) == club_id, col(JoinRequest.player_id) == player_id
    asked = select(JoinRequest).where(*here)
    return session.exec(asked.with_for_update() if lock else asked).first()


def why_not(session: Session, club: Club, player_id: int, now: datetime) -> Text | None:
    """Return, as a sentence, why the player cannot ask to join; None if nothing prevents it, even while a request
    waits.
    """
    if club_rights.role_of(session, club.id, player_id) is not None:
        return Text("You belong to this club already.")
    if members.is_invited(session, club.id, player_id):
        return Text("You are invited already: answer the invitation.")
    if members.is_banned(session, club.id, player_id):
        return members.BANNED
    if not club.takes_requests or not club.members:
        return Text("This club takes no requests; ask somebody of it for an invitation or for its joining link.")
    there = of_player(session, club.id, player_id)
    if there is not None and there.declined_at is not None and now - there.declined_at < AGAIN_AFTER:
        return Text("The club has declined your request; you can ask again {n} days later.", n=AGAIN_AFTER.days)
    return None


# -- asking -------------------------------------------------------------------------------------------


def ask(database: Database, club_id: int, player_id: int, text: str, *, now: datetime) -> None:
    """Ask to join; those who run the club are told by mail. Asking again while a request waits changes nothing.

    Raises NotAccepted, which says why not, and TooOften.
    """
    text = read_text(text, LONGEST_TEXT)
    limits.count(database, [(limits.JOIN_REQUESTS, str(player_id))], now)
    with Work(database) as work:
        session = work.session
        club_rights.lock(session, club_id)
        club = club_rights.get(session, club_id)
        no = why_not(session, club, player_id, now)
        if no is not None:
            raise NotAccepted("club.request", no)
        there = of_player(session, club_id, player_id, lock=True)
        if there is not None and there.declined_at is None:
            return
        there = there or JoinRequest(club_id=club_id, player_id=player_id, asked_at=now)
        there.text, there.asked_at, there.declined_at = text, now, None
        session.add(there)
        session.flush()
        details = {"club": club_id, "player": player_id}
        key = f"{REQUEST}:{club_id}:{player_id}:{now:%Y%m%dT%H%M%S}"
        work.outbox.tell(club_rights.organisers(session, club_id), REQUEST, key, details, now)
        ClubActing(work, club_id, player_id, now).write("member.asked", audit.player(player_id))


def take_back(database: Database, club_id: int, player_id: int, *, now: datetime) -> bool:
    """Withdraw a waiting request; return whether there was one."""
    with Work(database) as work:
        club_rights.lock(work.session, club_id)
        there = of_player(work.session, club_id, player_id, lock=True)
        if there is None or there.declined_at is not None:
            return False
        work.session.delete(there)
        subject = audit.player(player_id)
        ClubActing(work, club_id, player_id, now).write("member.took_back", subject)
    return True


# -- deciding -----------------------------------------------------------------------------------------


def decide(
    database: Database, club_id: int, by_id: int, player_id: int, *, admits: bool, words: str, now: datetime
) -> bool:
    """Accept or decline a request to join; the applicant gets a mail with the organiser's private words.

    Returns False if no request waits any more. Raises NotAllowed, NotAccepted.
    """
    words = read_text(words, LONGEST_TEXT)
    with Work(database) as work:
        session = work.session
        club_rights.lock(session, club_id)
        acting = club_rights.allowed(work, club_id, by_id, NEEDED, now)
        there = of_player(session, club_id, player_id, lock=True)
        if there is None or there.declined_at is not None:
            return False
        if admits:
            if members.take_in(session, club_id, player_id, now):
                members.ask_to_play(work, club_id, player_id, now)
        else:
            there.text, there.declined_at = "", now
            session.add(there)
        player = session.get(Player, player_id)
        assert player is not None  # the request would have been deleted with the player
        key = f"{ANSWER}:{club_id}:{now:%Y%m%dT%H%M%S}"
        details = {"club": club_id, "by": by_id, "admits": admits, "words": words}
        work.outbox.tell([(player_id, player.address)], ANSWER, key, details, now)
        act = "member.admitted" if admits else "member.not_admitted"
        acting.write(act, audit.player(player_id))
    return True
