"""Clubs: making one, who may do what in it, and what everybody may read of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from app.base import limits
from app.base.refusals import NoSuch, NotAccepted, NotAllowed
from app.games.work import Work
from app.leagues import audit
from app.leagues.tables import Club, Member
from app.people.accounts import find_or_add, read_name, settle
from app.people.tables import Player
from engine.kernel.text import N_, Text

if TYPE_CHECKING:
    from sqlalchemy import Connection

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
_CLUB, _MEMBER = Club.__table__, Member.__table__  # type: ignore[attr-defined]


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


def role_of(connection: Connection, club_id: int, player_id: int | None) -> str | None:
    """The role of a player in a club; None for somebody who does not belong to it."""
    if player_id is None:
        return None
    role: str | None = connection.scalar(
        sa.select(_MEMBER.c.role).where(
            _MEMBER.c.club_id == club_id, _MEMBER.c.player_id == player_id, _MEMBER.c.status == "member"
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


def need(connection: Connection, club_id: int, player_id: int | None, needed: str) -> str:
    """The player's role, when it includes the needed one; NotAllowed says which is needed."""
    role = role_of(connection, club_id, player_id)
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
    if work.connection.scalar(sa.select(_CLUB.c.id).where(_CLUB.c.slug == slug)) is not None:
        raise taken
    club = Club(made_by=player_id, made_at=now, **values)
    try:
        work.session.add(club)
        work.session.flush()
    except IntegrityError:  # somebody was faster by a moment
        raise taken from None
    assert club.id is not None
    work.session.add(Member(club_id=club.id, player_id=player_id, role="owner", status="member", since=now))
    audit.write(work.connection, club.id, "club.made", at=now, by_id=player_id, after={"name": values["name"]})


def change(
    database: Database, club_id: int, player_id: int, *, name: str, about: str, language: str, zone: str, now: datetime
) -> None:
    """Change what a club says of itself. NotAllowed, NotAccepted."""
    values: dict[str, Any] = {"name": read_name(name), "about": read_about(about), **_ways(language, zone)}
    with Work(database) as work:
        need(work.connection, club_id, player_id, "organiser")
        row = work.connection.execute(sa.select(_CLUB).where(_CLUB.c.id == club_id).with_for_update()).one()
        before = {key: getattr(row, key) for key in values if getattr(row, key) != values[key]}
        if not before:
            return
        work.connection.execute(sa.update(_CLUB).where(_CLUB.c.id == club_id).values(**values))
        after = {key: values[key] for key in before}
        audit.write(work.connection, club_id, "club.changed", at=now, by_id=player_id, before=before, after=after)
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


def find(connection: Connection, slug: str) -> ClubNow:
    """The club at an address; NoSuchClub."""
    return _club(connection, _CLUB.c.slug == slug)


def get(connection: Connection, club_id: int) -> ClubNow:
    """The club with a number; NoSuchClub."""
    return _club(connection, _CLUB.c.id == club_id)


def _club(connection: Connection, which: Any) -> ClubNow:
    row = connection.execute(_clubs().where(which)).first()
    if row is None:
        raise NoSuchClub
    return ClubNow(*row)


def _clubs() -> Any:
    count = (
        sa.select(sa.func.count())
        .where(_MEMBER.c.club_id == _CLUB.c.id, _MEMBER.c.status == "member")
        .correlate(_CLUB)
        .scalar_subquery()
    )
    return sa.select(
        _CLUB.c.id, _CLUB.c.slug, _CLUB.c.name, _CLUB.c.about, _CLUB.c.language, _CLUB.c.zone, _CLUB.c.join_version,
        count.label("members"),
    )  # fmt: skip


def lock(connection: Connection, club_id: int) -> None:
    """Have who belongs to a club, and as what, to oneself until the transaction ends; others may still write acts."""
    connection.execute(sa.select(_CLUB.c.id).where(_CLUB.c.id == club_id).with_for_update(key_share=True)).first()


def all_clubs(connection: Connection, most: int = 200) -> list[ClubNow]:
    """The clubs of this server, by name."""
    return [ClubNow(*row) for row in connection.execute(_clubs().order_by(_CLUB.c.name).limit(most))]


def clubs_of(connection: Connection, player_id: int) -> list[tuple[ClubNow, str]]:
    """The clubs that a player belongs to, with the role in each."""
    rows = connection.execute(
        _clubs()
        .add_columns(_MEMBER.c.role)
        .join(_MEMBER, _MEMBER.c.club_id == _CLUB.c.id)
        .where(_MEMBER.c.player_id == player_id, _MEMBER.c.status == "member")
        .order_by(_CLUB.c.name)
    )
    return [(ClubNow(*row[:-1]), row[-1]) for row in rows]
