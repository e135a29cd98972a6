"""A club's own list of members, as a spreadsheet or as lines: its columns are given a meaning, previewed, and taken.

Ratings, divisions, places and notes that stand in it are kept for those who run the club.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sqlmodel import Session

from app.base.stored.database import Database
from app.base.words.i18n import LANGUAGES
from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.leagues.clubs import club_rights, headings, members, notes
from app.leagues.clubs.acting import ClubActing
from app.leagues.clubs.members import BadLines, WantedMember
from app.leagues.clubs.sheets import Spreadsheet
from app.leagues.tables import Member, Role
from app.people.accounts import find, read_label
from engine.kernel.text import N_, Text

MEANINGS: dict[str, str] = {
    "address": N_("Email address"),
    "name": N_("Name, or family name"),
    "first": N_("First name"),
    "middle": N_("Prefix of the family name"),
    "rating": N_("Rating"),
    "division": N_("Division of last season"),
    "place": N_("Place of last season"),
    "language": N_("Language"),
    "role": N_("Role"),
    "note": N_("Note, for organisers only"),
    "own1": N_("Own column 1, for organisers only"),
    "own2": N_("Own column 2, for organisers only"),
    "own3": N_("Own column 3, for organisers only"),
}
"""What the columns of a list can be."""
_BROKEN = re.compile(r"#(N/A|N/D|REF!|NAME\?|NOM\?|VALUE!|VALEUR!|DIV/0!|NUM!|NULL!|SPILL!|CALC!)")
"""What a cell shows if there is no value."""
_PLACE = re.compile(r"[=#]?(\d{1,4})\D{0,3}", re.ASCII)
_TONGUES = {"english": "en", "anglais": "en", "french": "fr", "français": "fr", "francais": "fr", "spanish": "es",
            "español": "es", "espanol": "es", "italian": "it", "italiano": "it"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListPreview:
    """What would be taken: people with what the list says of them; and what is wrong in which line."""

    people: tuple[WantedMember, ...] = ()
    kept: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """By line: what is stored of a person beside the address."""
    complaints: tuple[tuple[int, Text], ...] = ()
    known: Mapping[int, Member] = field(default_factory=dict)
    """By line: who belongs to the club already, or is invited."""
    notes: tuple[Text, ...] = ()
    """Further remarks: columns that are left out, extra addresses beside the one that is used."""


# -- looking ------------------------------------------------------------------------------------------


class GivenList(NamedTuple):
    """A list of people, and what its columns are; empty for one that is left out."""

    sheet: Spreadsheet
    columns: Sequence[str]


def seen(given: GivenList) -> str:
    """Return a token that identifies a list and its columns, as they were previewed."""
    return hashlib.sha256(repr((given.sheet.heading, given.sheet.rows, list(given.columns))).encode()).hexdigest()[:16]


def guessed(sheet: Spreadsheet) -> GivenList:
    """Return a list with what its columns probably are; unknown ones become the club's own, as long as any are left."""
    found = headings.guess(sheet.heading, [cells for _, cells in sheet.rows], list(MEANINGS))
    free = [name for name in notes.OWN if name not in found]
    for n, what in enumerate(found):
        cells = [cells[n] for _, cells in sheet.rows if cells[n]]
        if not what and free and cells and not headings.is_numbering(sheet.heading[n], cells):
            found[n] = free.pop(0)
    return GivenList(sheet, found)


def look(database: Database, club_id: int, by_id: int, given: GivenList) -> ListPreview:
    """Return what would be imported from a list. Writes nothing.

    Raises NotAllowed, and NotAccepted for an impossible choice of columns.
    """
    with database.read() as session:
        club_rights.need(session, club_id, by_id, Role.DEPUTY)
        return _read(session, club_id, given)


def _read(session: Session, club_id: int, given: GivenList) -> ListPreview:
    sheet, columns = given
    meant = [what for what in columns if what]
    if not set(meant) <= set(MEANINGS) or len(columns) != len(sheet.heading):
        raise NotAccepted("sheet.columns", Text("Choose again what the columns are."))
    if twice := [what for what in MEANINGS if meant.count(what) > 1]:
        same = tuple(Text(MEANINGS[what]) for what in twice)
        raise NotAccepted("sheet.twice", Text("Two columns are the same: {what}. Leave one out.", what=same))
    if not {"address", "name"} & set(meant):
        raise NotAccepted("sheet.missing", Text("Say which column has the email addresses."))
    rows: list[tuple[int, dict[str, str]]] = []
    unreadable: list[tuple[int, Text]] = []
    for line, cells in sheet.rows:
        row = {what: cell for what, cell in zip(columns, cells, strict=True) if what}
        if broken := [cell for cell in row.values() if _BROKEN.fullmatch(cell)]:
            what = Text("“{given}” is an error of the spreadsheet, not a value.", given=broken[0])
            unreadable.append((line, what))
        else:
            rows.append((line, _whole_name(row)))
    found = _people(session, club_id, rows)
    complaints = sorted([*found.complaints, *unreadable], key=lambda one: one[0])
    return replace(found, complaints=tuple(complaints), notes=(*found.notes, *_left_out(sheet, columns)))


def _whole_name(row: dict[str, str]) -> dict[str, str]:
    """Return a row with the parts of its name joined, and only the address of a cell that has more."""
    if {"first", "middle"} & row.keys():
        parts = (row.pop("first", ""), row.pop("middle", ""), row.get("name", ""))
        row["name"] = " ".join(filter(None, parts))
    if found := headings.addresses(row.get("address", "")):
        row["name"] = row.get("name") or headings.named_beside(row["address"])
        row["address"], row["others"] = found[0], ", ".join(dict.fromkeys(found[1:]))
    return row


def _left_out(sheet: Spreadsheet, columns: Sequence[str]) -> list[Text]:
    """Return the remarks on columns that are ignored although they have content."""
    names = tuple(
        sheet.heading[n] or Text("column {n}", n=n + 1)
        for n, what in enumerate(columns)
        if not what and any(cells[n] for _, cells in sheet.rows)
    )
    said = Text("Left out: {names}; a club has at most {n} columns of its own.", names=names, n=len(notes.OWN))
    return [said] if names else []


def _people(session: Session, club_id: int, rows: Sequence[tuple[int, dict[str, str]]]) -> ListPreview:
    kept: dict[int, dict[str, Any]] = {}
    complaints: list[tuple[int, Text]] = []
    good: list[tuple[int, dict[str, str]]] = []
    there = {one.player_id: one for one in members.members(session, club_id)}
    called = club_rights.by_name(there.values())
    for line, row in rows:
        try:
            kept[line] = _kept(row)
            row["address"] = row.get("address") or _address_of(row.get("name", ""), called, there)
            tongue, role = row.get("language", "").lower(), row.get("role", "").lower()
            language = tongue if tongue in LANGUAGES else _TONGUES.get(tongue, tongue)
            good.append((line, {**row, "language": language, "role": role}))
        except NotAccepted as no:
            complaints.append((line, no.why))
    people, wrong = members.read_wanted(good)
    by_address = {one.address.lower(): one for one in there.values()}
    known = {one.line: by_address[one.address.lower()] for one in people if one.address.lower() in by_address}
    several = tuple(
        Text("Line {n} has further addresses, which get no mail: {others}.", n=line, others=row["others"])
        for line, row in good
        if row.get("others")
    )
    return ListPreview(tuple(people), kept, (*complaints, *wrong), known, several)


def _address_of(name: str, called: Mapping[str, set[int]], there: Mapping[int, Member]) -> str:
    """Return the address of the one member with this name, for a line without one. Raises NotAccepted."""
    found = called.get(name.casefold(), set())
    if len(found) != 1:
        raise NotAccepted(
            "list.name", Text("Not one member is called “{name}”: write the address too.", name=name[:60])
        )
    return there[min(found)].address


def _kept(row: Mapping[str, str]) -> dict[str, Any]:
    """Return what is stored about a person besides the address; nothing for columns that the list does not have."""
    values: dict[str, Any] = {name: row[name][: notes.LONGEST_OWN] for name in notes.OWN if name in row}
    if "note" in row:
        values["note"] = row["note"][: notes.LONGEST_NOTE]
    if "rating" in row:
        values["rating"] = notes.read_rating(row["rating"])
    if "division" in row:
        values["division"] = read_label(row["division"]) if row["division"] else ""
    if "place" in row:
        values["place"] = _place(row["place"]) if row["place"] else None
    return values


def _place(given: str) -> int:
    """Read a place as people write it: 3, 3., 3rd, =3, 1er."""
    found = _PLACE.fullmatch(given.strip())
    place = whole(found[1], least=1) if found else None
    if place is None:
        raise NotAccepted("sheet.place", Text("“{given}” is not a place such as 3.", given=given[:20]))
    return place


# -- taking -------------------------------------------------------------------------------------------


def take(acting: ClubActing, given: GivenList, *, skip: bool = False) -> tuple[ListPreview, int]:
    """Invite the people of a list who do not belong to the club, and store what it says of all, for an organiser; a
    deputy can take a list of members only. Return what was taken, and how many people were invited.

    All or nothing: BadLines names every bad line, unless those are to be left out (`skip`), and the first invitation
    over the day's limit. Raises NotAllowed, NotAccepted.
    """
    session, club_id = acting.session, acting.club_id
    club_rights.lock(session, club_id)
    found = _read(session, club_id, given)
    if found.complaints and not skip:
        raise BadLines(found.complaints)
    if not found.people:
        raise NotAccepted("list.empty", Text("The list has no lines that could be taken."))
    outside = [one for one in found.people if one.line not in found.known]
    invited = members.invite_all(acting, outside) if outside else 0
    if club_rights.may(club_rights.role_of(session, club_id, acting.by_id), Role.ORGANISER):
        _keep(acting, found, given)
    return found, invited


def _keep(acting: ClubActing, found: ListPreview, given: GivenList) -> None:
    session, club_id = acting.session, acting.club_id
    club = club_rights.get(session, club_id)
    named = {
        what: heading[: notes.LONGEST_HEADING] or what
        for what, heading in zip(given.columns, given.sheet.heading, strict=True)
        if what in notes.OWN and not getattr(club, what)
    }
    notes.write_headings(acting, named)
    for one in found.people:
        values = found.kept[one.line]
        player = find(session, one.address)
        if values and player is not None and player.id is not None:
            notes.write(session, club_id, player.id, dict(values))
