"""Clubs: making one, who may do what in it, and what everybody may read of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from app.base import limits
from app.base.refusals import NoSuch, NotAccepted, NotAllowed
from app.games.work import Work
from app.leagues import audit
from app.leagues.tables import Club, Member
from app.people.accounts import find_or_add, read_name, settle
from app.people.tables import Player
from engine.kernel.text import N_, Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

ROLES = ("owner", "organiser", "deputy", "referee", "member")
ROLE_NAMES = {
    "owner": N_("owner"),
    "organiser": N_("organiser"),
    "deputy": N_("deputy"),
    "referee": N_("referee"),
    "member": N_("member"),
}
_RANK = {"owner": 4, "organiser": 3, "deputy": 2, "referee": 0, "member": 0}
LONGEST_ABOUT = 4000
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
TAKEN_SLUGS = frozenset({"new"})


class NoSuchClub(NoSuch):
    """There is no club with this address or number."""

    sentence = N_("There is no club, event or round at this address.")


@dataclass(frozen=True, slots=True)
class ClubNow:
    """A club as everybody may see it, with how many belong to it."""

    id: int
    slug: str
    name: str
    about: str
    language: str
    zone: str
    join_version: int
    members: int


# -- who may do what ----------------------------------------------------------------------------------


def role_of(session: Session, club_id: int, player_id: int | None) -> str | None:
    """The role of a player in a club; None for somebody who does not belong to it."""
    if player_id is None:
        return None
    role: str | None = session.scalar(
        sa.select(col(Member.role)).where(
            col(Member.club_id) == club_id, col(Member.player_id) == player_id, col(Member.status) == "member"
        )
    )
    return role


def may(role: str | None, needed: str) -> bool:
    """Whether a role includes another: owners do all that organisers do, those all that deputies do.

    `referee` is meant for rulings: referees, and organisers and owners too. Deputies do not rule.
    """
    if role is None:
        return False
    if needed == "referee":
        return role in ("owner", "organiser", "referee")
    return needed == "member" or _RANK[role] >= _RANK[needed]


def need(session: Session, club_id: int, player_id: int | None, needed: str) -> str:
    """The player's role, when it includes the needed one; NotAllowed says which is needed."""
    role = role_of(session, club_id, player_id)
    if not may(role, needed):
        raise NotAllowed(
            "club.role",
            Text("This needs the role “{role}” in the club; its owners give roles.", role=Text(ROLE_NAMES[needed])),
        )
    assert role is not None
    return role


# -- clubs ---------------------------------------------------------------------------------------------


def make(
    database: Database, player_id: int, *, slug: str, name: str, about: str = "", language: str = "en",
    zone: str = "UTC", now: datetime,
) -> str:  # fmt: skip
    """Found a club; whoever does is its owner. Its slug. NotAccepted, TooOften."""
    values = _read(slug, name, about, language, zone)
    limits.count(database, [(limits.TABLES, str(player_id))], now)
    with Work(database) as work:
        _make(work, player_id, values, now)
        work.commit()
    return str(values["slug"])


def make_for(
    work: Work, address: str, *, slug: str, name: str, about: str = "", language: str = "en", zone: str = "UTC",
    now: datetime,
) -> str:  # fmt: skip
    """Found a club owned by the player with this address, who is made where there is none, in a transaction of the
    caller's. Its slug. NotAccepted."""
    values = _read(slug, name, about, language, zone)
    owner = find_or_add(work.session, address, now=now)
    work.session.flush()
    assert owner.id is not None
    _make(work, owner.id, values, now)
    return str(values["slug"])


def _read(slug: str, name: str, about: str, language: str, zone: str) -> dict[str, Any]:
    slug = slug.strip().lower()
    if not _SLUG.fullmatch(slug) or slug in TAKEN_SLUGS:
        raise NotAccepted(
            "club.slug", Text("The address of a club has up to 40 small letters, digits and hyphens, such as my-club.")
        )
    return {"slug": slug, "name": read_name(name), "about": read_about(about), **_ways(language, zone)}


def _make(work: Work, player_id: int, values: dict[str, Any], now: datetime) -> None:
    slug = values["slug"]
    taken = NotAccepted("club.taken", Text("There is a club at “{slug}” already; choose another.", slug=slug))
    if work.session.scalar(sa.select(col(Club.id)).where(col(Club.slug) == slug)) is not None:
        raise taken
    club = Club(made_by=player_id, made_at=now, **values)
    try:
        work.session.add(club)
        work.session.flush()
    except IntegrityError:  # somebody was faster by a moment
        raise taken from None
    assert club.id is not None
    work.session.add(Member(club_id=club.id, player_id=player_id, role="owner", status="member", since=now))
    audit.write(work.session, club.id, "club.made", at=now, by_id=player_id, after={"name": values["name"]})


def change(
    database: Database, club_id: int, player_id: int, *, name: str, about: str, language: str, zone: str, now: datetime
) -> None:
    """Change what a club says of itself. NotAllowed, NotAccepted."""
    values: dict[str, Any] = {"name": read_name(name), "about": read_about(about), **_ways(language, zone)}
    with Work(database) as work:
        need(work.session, club_id, player_id, "organiser")
        row = work.session.exec(select(Club).where(col(Club.id) == club_id).with_for_update()).one()
        before = {key: getattr(row, key) for key in values if getattr(row, key) != values[key]}
        if not before:
            return
        work.session.exec(sa.update(Club).where(col(Club.id) == club_id).values(**values))
        after = {key: values[key] for key in before}
        audit.write(work.session, club_id, "club.changed", at=now, by_id=player_id, before=before, after=after)
        work.commit()


def read_about(given: str) -> str:
    """What a club says of itself; NotAccepted when it is too long."""
    text = given.replace("\r\n", "\n").strip()
    if len(text) > LONGEST_ABOUT:
        raise NotAccepted(
            "club.about", Text("The text has {n} characters; {most} are the most.", n=len(text), most=LONGEST_ABOUT)
        )
    return text


def _ways(language: str, zone: str) -> dict[str, str]:
    judged = Player(address="", address_key="", name="", created_at=datetime.min)
    settle(judged, language=language, zone=zone)
    return {"language": judged.language, "zone": judged.zone}


def judge_language(language: str) -> None:
    """NotAccepted for a language that there is not."""
    _ways(language, "UTC")


def find(session: Session, slug: str) -> ClubNow:
    """The club at an address; NoSuchClub."""
    return _club(session, col(Club.slug) == slug)


def get(session: Session, club_id: int) -> ClubNow:
    """The club with a number; NoSuchClub."""
    return _club(session, col(Club.id) == club_id)


def _club(session: Session, which: Any) -> ClubNow:
    row = session.execute(_clubs().where(which)).first()
    if row is None:
        raise NoSuchClub
    return ClubNow(*row)


def _clubs() -> Any:
    count = (
        sa.select(sa.func.count())
        .where(col(Member.club_id) == col(Club.id), col(Member.status) == "member")
        .correlate(Club)
        .scalar_subquery()
    )
    return sa.select(
        col(Club.id),
        col(Club.slug),
        col(Club.name),
        col(Club.about),
        col(Club.language),
        col(Club.zone),
        col(Club.join_version),
        count.label("members"),
    )


def lock(session: Session, club_id: int) -> None:
    """Have who belongs to a club, and as what, to oneself until the transaction ends; others may still write acts."""
    session.execute(sa.select(col(Club.id)).where(col(Club.id) == club_id).with_for_update(key_share=True)).first()


def all_clubs(session: Session, most: int = 200) -> list[ClubNow]:
    """The clubs of this server, by name."""
    return [ClubNow(*row) for row in session.execute(_clubs().order_by(col(Club.name)).limit(most))]


def clubs_of(session: Session, player_id: int) -> list[tuple[ClubNow, str]]:
    """The clubs that a player belongs to, with the role in each."""
    rows = session.execute(
        _clubs()
        .add_columns(col(Member.role))
        .join(Member, col(Member.club_id) == col(Club.id))
        .where(col(Member.player_id) == player_id, col(Member.status) == "member")
        .order_by(col(Club.name))
    )
    return [(ClubNow(*row[:-1]), row[-1]) for row in rows]
