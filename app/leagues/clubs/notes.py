"""What those who run a club record about its members: a note, up to three columns of their own, and what an imported
list said.

Nobody else sees any of it; members have it in the file of all that the server keeps about them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.database import Database
from app.base.words.refusals import NotAccepted
from app.base.words.texts import not_too_long, read_text
from app.games.work import Work
from app.leagues.clubs import club_rights
from app.leagues.clubs.acting import ClubActing
from app.leagues.tables import Club, Member, MemberNote, MemberStatus, Role
from engine.kernel.text import Text

OWN = ("own1", "own2", "own3")
LONGEST_NOTE, LONGEST_OWN, LONGEST_HEADING = 2000, 200, 40
LEAST_RATING, MOST_RATING = 1, 9999
SORTS = ("name", "since", "rating", "place", *OWN)


@dataclass(frozen=True, slots=True)
class MemberWithNote:
    """A member with the organisers' note, which is empty if there is none."""

    member: Member
    note: MemberNote


def of_members(
    session: Session, club_id: int, *, search: str = "", role: str = "", status: str = "", sort: str = "name"
) -> list[MemberWithNote]:
    """Return the members and invited people of a club whose name, address or note contains all words of `search`, with
    this role and status.

    They are ordered by `sort`; those without a value come last.
    """
    here = sa.and_(col(MemberNote.club_id) == col(Member.club_id), col(MemberNote.player_id) == col(Member.player_id))
    asked = (
        select(Member, MemberNote)
        .outerjoin(MemberNote, here)
        .where(col(Member.club_id) == club_id, col(Member.status) != MemberStatus.LEFT)
        .order_by(col(Member.name), col(Member.player_id))
    )
    found = [
        MemberWithNote(member, note or MemberNote(club_id=club_id, player_id=member.player_id))
        for member, note in session.exec(asked)
        if role in ("", member.role) and status in ("", member.status)
    ]
    words = search.lower().split()
    found = [one for one in found if all(word in _text(one) for word in words)]
    if sort == "since":
        return sorted(found, key=lambda one: one.member.since, reverse=True)
    if sort == "rating":
        return sorted(found, key=lambda one: -(one.note.rating or 0))
    if sort == "place":
        return sorted(found, key=lambda one: (one.note.place is None, one.note.division, one.note.place))
    if sort in OWN:
        return sorted(found, key=lambda one: (not getattr(one.note, sort), getattr(one.note, sort).lower()))
    return sorted(found, key=lambda one: one.member.name.lower())


def _text(one: MemberWithNote) -> str:
    note = one.note
    parts = (one.member.name, one.member.address, note.note, note.division, note.own1, note.own2, note.own3)
    return "\n".join(parts).lower()


def rating_of(session: Session, club_id: int, player_id: int) -> float | None:
    """Return the rating of a player on the club's own list; None if there is none."""
    here = col(MemberNote.club_id) == club_id, col(MemberNote.player_id) == player_id
    found: float | None = session.scalar(sa.select(col(MemberNote.rating)).where(*here))
    return found


def keep(
    database: Database, club_id: int, by_id: int, player_id: int, *, note: str, own: Sequence[str], rating: str
) -> None:
    """Store a note, the three columns and the club's rating of a member; an empty text clears a field.

    Raises NotAllowed, NotAccepted.
    """
    values = {
        "note": read_text(note, LONGEST_NOTE),
        **{name: not_too_long(" ".join(text.split()), LONGEST_OWN) for name, text in zip(OWN, own, strict=True)},
        "rating": read_rating(rating),
    }
    with Work(database) as work:
        club_rights.need(work.session, club_id, by_id, Role.ORGANISER)
        belongs = sa.select(col(Member.id)).where(
            col(Member.club_id) == club_id,
            col(Member.player_id) == player_id,
            col(Member.status) != MemberStatus.LEFT,
        )
        if work.session.scalar(belongs) is None:
            raise NotAccepted("club.no_member", Text("This player does not belong to the club."))
        write(work.session, club_id, player_id, values)


def write(session: Session, club_id: int, player_id: int, values: dict[str, Any]) -> None:
    """Write some columns of a note; the others stay."""
    here = col(MemberNote.club_id) == club_id, col(MemberNote.player_id) == player_id
    row = session.exec(select(MemberNote).where(*here).with_for_update()).first()
    row = row or MemberNote(club_id=club_id, player_id=player_id)
    for name, value in values.items():
        setattr(row, name, value)
    session.add(row)
    session.flush()


_RATING = re.compile(
    r"(?:[^\W\d_]{0,4}[.:~]?|[~±])(?P<rating>[0-9]{1,5}(?:\.[0-9]{0,11})?)"
    r"(?:[?*]|/?[^\W\d_]{1,4}[0-9]{0,3}|[-–/][0-9]{1,3}|\([^()]*\))*"
)
"""A rating with what federations write around it: its kind (1820 F), games or an index (1643/12, 1501P7, 1643-45)."""
_UNRATED = re.compile(r"[\W_]*|[\W_]*[^\W\d_](?:[^\W\d_]|[./ -]){1,11}", re.ASCII | re.IGNORECASE)


def read_rating(given: str) -> float | None:
    """Read a rating as people write it: 1643, 1 643, 1643,5, 1820 F.

    Returns None for an empty one, for 0, and for text without a number such as - or UNR. Raises NotAccepted.
    """
    text = re.sub(r"(?<=^[0-9])[.,'’](?=[0-9]{3}$)", "", "".join(given.split())).replace(",", ".")
    if _UNRATED.fullmatch(given):
        return None
    found = _RATING.fullmatch(text)
    rating = float(found["rating"]) if found else -1.0
    if not rating:
        return None
    if not LEAST_RATING <= rating <= MOST_RATING:
        raise NotAccepted(
            "rating.number",
            Text(
                "“{given}” is not a rating; a rating is a number from {least} to {most}.",
                given=given[:20],
                least=LEAST_RATING,
                most=MOST_RATING,
            ),
        )
    return rating


def name_columns(database: Database, club_id: int, by_id: int, headings: Sequence[str], *, now: datetime) -> None:
    """Give the club's own columns their headings; an empty heading hides its column. Raises NotAllowed, NotAccepted."""
    values = {
        name: not_too_long(" ".join(text.split()), LONGEST_HEADING) for name, text in zip(OWN, headings, strict=True)
    }
    with Work(database) as work:
        write_headings(club_rights.allowed(work, club_id, by_id, Role.ORGANISER, now), values)


def write_headings(acting: ClubActing, values: dict[str, str]) -> None:
    """As `name_columns`, in a transaction of the caller's."""
    here = col(Club.id) == acting.club_id
    club = acting.session.exec(select(Club).where(here).with_for_update()).one()
    changed = {name: text for name, text in values.items() if getattr(club, name) != text}
    if changed:
        acting.session.exec(sa.update(Club).where(here).values(**changed))
        # Members read the trail, and the headings are not for them.
        acting.write("club.columns")


def as_csv(club: Club, people: Sequence[MemberWithNote]) -> str:
    """Return the members as a CSV table that the import accepts."""
    own = [name for name in OWN if getattr(club, name)]
    into = io.StringIO()
    sheet = csv.writer(into)
    sheet.writerow(
        ["address", "name", "role", "status", "since", "rating", "division", "place", "note"]
        + [plain(getattr(club, name)) for name in own]
    )
    for one in people:
        member, note = one.member, one.note
        cells = [member.address, member.name, member.role, member.status, f"{member.since:%Y-%m-%d}"]
        rating = "" if note.rating is None else f"{note.rating:g}"
        place = "" if note.place is None else str(note.place)
        cells += [rating, note.division, place, note.note, *(getattr(note, name) for name in own)]
        sheet.writerow([plain(cell) for cell in cells])
    return into.getvalue()


def plain(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
