"""Clubs: making one, who may do what in it, and what everybody may read of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NotRequired, TypedDict, Unpack

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from app.base.stored import limits
from app.base.stored.database import Database
from app.base.words.refusals import NoSuch, NotAccepted, NotAllowed
from app.base.words.texts import read_text
from app.clocks.zones import shown_name
from app.games.work import Work
from app.leagues.clubs.acting import ClubActing
from app.leagues.tables import Club, Competition, Member, MemberStatus, Role
from app.people import sanctions
from app.people.accounts import find_or_add, read_label, settle
from app.people.tables import Player, SanctionKind, searchable
from engine.kernel.text import N_, Text

ROLES = tuple(Role)
ROLE_NAMES: dict[str, str] = {
    Role.OWNER: N_("owner"),
    Role.ORGANISER: N_("organiser"),
    Role.DEPUTY: N_("deputy"),
    Role.REFEREE: N_("referee"),
    Role.MEMBER: N_("member"),
}
_RANK: dict[Role, int] = {Role.OWNER: 4, Role.ORGANISER: 3, Role.DEPUTY: 2, Role.REFEREE: 0, Role.MEMBER: 0}
ORGANISERS = (Role.OWNER, Role.ORGANISER, Role.DEPUTY)
"""Who runs the events of a club."""
LONGEST_ABOUT = 4000
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
TAKEN_SLUGS = frozenset({"new"})


class NoSuchClub(NoSuch):
    """No club has this address or number."""

    sentence = N_("There is nothing at this address.")


# -- who may do what ----------------------------------------------------------------------------------


def role_of(session: Session, club_id: int, player_id: int | None) -> Role | None:
    """Return the role of a player in a club; None if they do not belong to it."""
    if player_id is None:
        return None
    here = col(Member.club_id) == club_id, col(Member.player_id) == player_id
    member = session.exec(select(Member).where(*here, col(Member.status) == MemberStatus.MEMBER)).first()
    return member.role if member else None


def role_in(session: Session, event: Competition, player_id: int | None) -> Role | None:
    """Return the role of a player in the club of an event; for a match of two clubs the higher of both."""
    held = [role_of(session, club_id, player_id) for club_id in event.club_ids]
    return max((one for one in held if one is not None), key=lambda one: (_RANK[one], one), default=None)


def with_role(session: Session, club_id: int, player_id: int | None) -> tuple[Club, Role | None]:
    """Return a club and the role of a player in it, read in one query. Raises NoSuchClub."""
    mine = col(Member.club_id) == col(Club.id), col(Member.player_id) == player_id
    belongs = sa.and_(*mine, col(Member.status) == MemberStatus.MEMBER)
    asked = select(Club, Member).outerjoin(Member, belongs).where(col(Club.id) == club_id)
    found = session.exec(asked).first()
    if found is None:
        raise NoSuchClub
    club, member = found
    return club, member.role if member else None


def may(role: Role | None, needed: Role) -> bool:
    """Whether a role includes another: owners do all that organisers do, those all that deputies do.

    `referee` covers rulings: it includes referees, organisers and owners. Deputies do not rule.
    """
    if role is None:
        return False
    if needed == Role.REFEREE:
        return role in (Role.OWNER, Role.ORGANISER, Role.REFEREE)
    return needed == Role.MEMBER or _RANK[role] >= _RANK[needed]


def addressed(*which: sa.ColumnElement[bool]) -> sa.Select[int, str]:
    """Return the query for members who match the conditions, with their addresses, by number; without duplicates or
    erased accounts.
    """
    return (
        sa.select(col(Player.id), col(Player.address))
        .join(Member, col(Member.player_id) == col(Player.id))
        .where(col(Member.status) == MemberStatus.MEMBER, col(Player.erased_at).is_(None), *which)
        .distinct()
        .order_by(col(Player.id))
    )


def members(session: Session, club_id: int) -> Sequence[Member]:
    """Return everybody who belongs to the club or is invited, by name."""
    here = select(Member).where(col(Member.club_id) == club_id, col(Member.status) != MemberStatus.LEFT)
    return session.exec(here.order_by(col(Member.name), col(Member.player_id))).all()


def by_name(people: Iterable[Member]) -> dict[str, set[int]]:
    """Return the players whom each name and each address means, without regard to case; several may share a name."""
    found: dict[str, set[int]] = {}
    for one in people:
        for key in {one.name.casefold(), one.address.casefold()} - {""}:
            found.setdefault(key, set()).add(one.player_id)
    return found


def organisers(session: Session, *club_ids: int) -> list[tuple[int, str]]:
    """Return those who run the events of a club, or of two, with their addresses."""
    asked = addressed(col(Member.club_id).in_(club_ids), col(Member.role).in_(ORGANISERS))
    return [(row.id, row.address) for row in session.execute(asked)]


def need(session: Session, club_id: int, player_id: int | None, needed: Role) -> Role:
    """The player's role, when it includes the needed one; NotAllowed says which is needed."""
    return judge(role_of(session, club_id, player_id), needed)


def allowed(work: Work, club_id: int, by_id: int, needed: Role, now: datetime) -> ClubActing:
    """A person with this role who does something in a club. NotAllowed."""
    need(work.session, club_id, by_id, needed)
    return ClubActing(work, club_id, by_id, now)


def next_owner(session: Session, club_id: int, now: datetime) -> Member | None:
    """Return the successor of a club's last owner: the member with the highest role who is not banned, and of equals
    the longest-standing.

    Returns None if nobody is left or an owner remains.
    """
    here = col(Member.club_id) == club_id, col(Member.status) == MemberStatus.MEMBER
    there = session.exec(select(Member).where(*here).order_by(col(Member.since), col(Member.id))).all()
    if any(one.role == Role.OWNER for one in there):
        return None
    free = [one for one in there if sanctions.in_force(session, one.player_id, SanctionKind.BAN, now) is None]
    return max(free, key=lambda one: _RANK[one.role], default=None)


def judge(role: Role | None, needed: Role) -> Role:
    """A role that includes the needed one; NotAllowed says which is needed."""
    if role is None or not may(role, needed):
        raise NotAllowed(
            "club.role",
            Text("This needs the role “{role}” in the club; its owners give roles.", role=Text(ROLE_NAMES[needed])),
        )
    return role


# -- clubs ---------------------------------------------------------------------------------------------


class ClubFields(TypedDict):
    """The fields of a club that is being founded."""

    slug: str
    name: str
    about: NotRequired[str]
    language: NotRequired[str]
    zone: NotRequired[str]
    """Empty means the language of the founder."""


def make(database: Database, player_id: int, *, now: datetime, **said: Unpack[ClubFields]) -> str:
    """Found a club owned by this player; return its slug. Raises NotAccepted, TooOften."""
    values = _read(**said)
    limits.count(database, [(limits.TABLES, str(player_id))], now)
    with Work(database) as work:
        _make(work, player_id, values, now)
    return str(values["slug"])


def make_for(work: Work, address: str, *, now: datetime, **said: Unpack[ClubFields]) -> str:
    """Found a club owned by the player with this address, in the caller's transaction; return its slug.

    The player is created if there is none. Raises NotAccepted.
    """
    values = _read(**said)
    owner = find_or_add(work.session, address, now=now)
    work.session.flush()
    assert owner.id is not None
    _make(work, owner.id, values, now)
    return str(values["slug"])


def _read(slug: str, name: str, about: str = "", language: str = "en", zone: str = "") -> dict[str, Any]:
    slug = slug.strip().lower() or _slug_of(name)
    if not _SLUG.fullmatch(slug) or slug in TAKEN_SLUGS:
        raise NotAccepted(
            "club.slug", Text("The address of a club has up to 40 small letters, digits and hyphens, such as my-club.")
        )
    ways = _ways(language, zone or "UTC")
    return {"slug": slug, "name": read_label(name), "about": read_about(about), **ways, "zone": zone and ways["zone"]}


def _slug_of(name: str) -> str:
    """Return the address that the name of a club makes; empty where nothing of it can stand in one."""
    return re.sub(r"[^a-z0-9]+", "-", searchable(name)).strip("-")[:40].strip("-")


def _make(work: Work, player_id: int, values: dict[str, Any], now: datetime) -> None:
    slug = values["slug"]
    taken = NotAccepted("club.taken", Text("There is a club at “{slug}” already; choose another.", slug=slug))
    if work.session.scalar(sa.select(col(Club.id)).where(col(Club.slug) == slug)) is not None:
        raise taken
    if not values["zone"]:
        values["zone"] = shown_name(work.session.get_one(Player, player_id).zone)
    club = Club(made_by=player_id, made_at=now, **values)
    try:
        work.session.add(club)
        work.session.flush()
    except IntegrityError:  # another request was faster by a moment
        raise taken from None
    assert club.id is not None
    owner = Member(club_id=club.id, player_id=player_id, role=Role.OWNER, status=MemberStatus.MEMBER, since=now)
    work.session.add(owner)
    ClubActing(work, club.id, player_id, now).write("club.made", after={"name": values["name"]})


class ClubChange(TypedDict):
    """What a club says of itself, and whether strangers can ask to join it."""

    name: str
    about: str
    language: str
    zone: str
    takes_requests: bool


def change(database: Database, club_id: int, player_id: int, *, now: datetime, **said: Unpack[ClubChange]) -> None:
    """Change what a club says of itself. NotAllowed, NotAccepted."""
    values: dict[str, Any] = {"name": read_label(said["name"]), "about": read_about(said["about"])}
    values |= {**_ways(said["language"], said["zone"]), "takes_requests": said["takes_requests"]}
    with Work(database) as work:
        need(work.session, club_id, player_id, Role.ORGANISER)
        row = work.session.exec(select(Club).where(col(Club.id) == club_id).with_for_update()).one()
        before = {key: getattr(row, key) for key in values if getattr(row, key) != values[key]}
        if not before:
            return
        work.session.exec(sa.update(Club).where(col(Club.id) == club_id).values(**values))
        after = {key: values[key] for key in before}
        ClubActing(work, club_id, player_id, now).write("club.changed", before=before, after=after)


def read_about(given: str) -> str:
    """Return a club's description as it is stored. Raises NotAccepted if it is too long."""
    return read_text(given, LONGEST_ABOUT, "club.about")


def _ways(language: str, zone: str) -> dict[str, str]:
    judged = Player(address="", address_key="", name="", created_at=datetime.min)
    settle(judged, language=language, zone=zone)
    return {"language": judged.language, "zone": judged.zone}


def judge_language(language: str) -> None:
    """Raise NotAccepted for an unknown language."""
    _ways(language, "UTC")


def find(session: Session, slug: str) -> Club:
    """Return the club at an address. Raises NoSuchClub."""
    return _club(session, col(Club.slug) == slug)


def get(session: Session, club_id: int) -> Club:
    """Return the club with a number. Raises NoSuchClub."""
    return _club(session, col(Club.id) == club_id)


def _club(session: Session, which: sa.ColumnElement[bool]) -> Club:
    club = session.exec(select(Club).where(which)).first()
    if club is None:
        raise NoSuchClub
    return club


def lock(session: Session, club_id: int) -> None:
    """Lock a club's memberships and roles until the transaction ends; others may still record acts."""
    session.execute(sa.select(col(Club.id)).where(col(Club.id) == club_id).with_for_update(key_share=True)).first()


def all_clubs(session: Session, most: int = 200) -> Sequence[Club]:
    """Return the clubs of this server, by name."""
    return session.exec(select(Club).order_by(col(Club.name)).limit(most)).all()


def clubs_of(session: Session, player_id: int) -> list[tuple[Club, Role]]:
    """Return the clubs a player belongs to, with the role in each."""
    mine = col(Member.player_id) == player_id, col(Member.status) == MemberStatus.MEMBER
    asked = select(Club, Member).join(Member, col(Member.club_id) == col(Club.id)).where(*mine)
    return [(club, member.role) for club, member in session.exec(asked.order_by(col(Club.name)))]
