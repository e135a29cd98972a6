"""Imports a club's own spreadsheet: members with the club's notes on them, or the tables of seasons played elsewhere.

Its columns are given a meaning, previewed, and only then imported.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from app.base.i18n import LANGUAGES
from app.base.numbers import whole
from app.base.refusals import Conflict, NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit, clubs, members, notes
from app.leagues.clubs.acting import ClubActing
from app.leagues.clubs.members import BadLines, WantedMember
from app.leagues.pure.term_kinds import read_points
from app.leagues.seasons import headings, sheets
from app.leagues.seasons.sheets import Spreadsheet
from app.leagues.tables import Member, MemberStatus, PastPlace, Role
from app.people.accounts import find, read_label
from app.people.tables import Player
from engine.kernel.refusals import Unreadable
from engine.kernel.text import N_, Text

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.base.database import Database

MEMBERS, SEASONS = "members", "seasons"
MEANINGS: dict[str, dict[str, str]] = {
    MEMBERS: {
        "address": N_("email address"),
        "name": N_("name, or family name"),
        "first": N_("first name"),
        "middle": N_("prefix of the family name"),
        "rating": N_("rating"),
        "division": N_("division of last season"),
        "place": N_("place of last season"),
        "language": N_("language"),
        "role": N_("role"),
        "note": N_("note, for organisers only"),
        "own1": N_("own column 1, for organisers only"),
        "own2": N_("own column 2, for organisers only"),
        "own3": N_("own column 3, for organisers only"),
    },
    SEASONS: {
        "season": N_("season"),
        "division": N_("division"),
        "place": N_("place"),
        "name": N_("name, or family name"),
        "first": N_("first name"),
        "middle": N_("prefix of the family name"),
        "address": N_("email address"),
        "points": N_("points"),
    },
}
"""The possible columns of a list of members, and of a list of tables."""
NEEDED = {MEMBERS: ("address",), SEASONS: ("season", "place", "name")}
_BROKEN = re.compile(r"#(N/A|N/D|REF!|NAME\?|NOM\?|VALUE!|VALEUR!|DIV/0!|NUM!|NULL!|SPILL!|CALC!)")
"""What a cell shows if there is no value."""
_PLACE = re.compile(r"[=#]?(\d{1,4})\D{0,3}", re.ASCII)
_TONGUES = {"english": "en", "anglais": "en", "french": "fr", "français": "fr", "francais": "fr", "spanish": "es",
            "español": "es", "espanol": "es", "italian": "it", "italiano": "it"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlaceRead:
    """A line of a table of an earlier season. `player_id` is a member with this name or address."""

    line: int
    season: str
    division: str
    place: int
    name: str
    player_id: int | None
    points: str


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What would be imported: people with their notes, or places; and what is wrong in which line."""

    kind: str
    people: tuple[WantedMember, ...] = ()
    kept: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """The complaints by line."""
    places: tuple[PlaceRead, ...] = ()
    complaints: tuple[tuple[int, Text], ...] = ()
    known: frozenset[int] = frozenset()
    """The lines of people who already belong to the club or are invited."""
    notes: tuple[Text, ...] = ()
    """Further remarks: columns that are left out, extra addresses beside the one that is used."""


# -- looking ------------------------------------------------------------------------------------------


class GivenList(NamedTuple):
    """A sheet to import."""

    kind: str
    """What it is a list of, as `MEANINGS`."""
    sheet: Spreadsheet
    columns: Sequence[str]
    """What its columns are; empty for one that is left out."""


def guessed(sheet: Spreadsheet, kind: str) -> list[str]:
    """Return what the columns probably are; unknown columns of a list of members become the club's own, as long as
    there are any left.
    """
    found = sheets.guess(sheet, list(MEANINGS[kind]))
    if kind == MEMBERS:
        free = [name for name in notes.OWN if name not in found]
        for n, what in enumerate(found):
            cells = [cells[n] for _, cells in sheet.rows if cells[n]]
            if not what and free and cells and not headings.is_numbering(sheet.heading[n], cells):
                found[n] = free.pop(0)
    return found


def look(database: Database, club_id: int, by_id: int, given: GivenList) -> ImportPreview:
    """Return what would be imported from a list. Writes nothing.

    Raises NotAllowed, and NotAccepted for an impossible choice of columns.
    """
    with database.read() as session:
        clubs.need(session, club_id, by_id, Role.ORGANISER)
        return _read(session, club_id, given)


def _read(session: Session, club_id: int, given: GivenList) -> ImportPreview:
    kind, sheet, columns = given
    meant = [what for what in columns if what]
    if kind not in MEANINGS or not set(meant) <= set(MEANINGS[kind]) or len(columns) != len(sheet.heading):
        raise NotAccepted("sheet.columns", Text("Choose again what the columns are."))
    if twice := [what for what in MEANINGS[kind] if meant.count(what) > 1]:
        same = tuple(Text(MEANINGS[kind][what]) for what in twice)
        raise NotAccepted("sheet.twice", Text("Two columns are the same: {what}. Leave one out.", what=same))
    if missing := [what for what in NEEDED[kind] if what not in meant]:
        these = tuple(Text(MEANINGS[kind][what]) for what in missing)
        raise NotAccepted("sheet.missing", Text("Say which columns are these: {what}.", what=these))
    rows: list[tuple[int, dict[str, str]]] = []
    unreadable: list[tuple[int, Text]] = []
    for line, cells in sheet.rows:
        row = {what: cell for what, cell in zip(columns, cells, strict=True) if what}
        if broken := [cell for cell in row.values() if _BROKEN.fullmatch(cell)]:
            what = Text("“{given}” is an error of the spreadsheet, not a value.", given=broken[0])
            unreadable.append((line, what))
        else:
            rows.append((line, _whole_name(row)))
    found = _members(session, club_id, rows) if kind == MEMBERS else _seasons(session, club_id, rows)
    complaints = sorted([*found.complaints, *unreadable], key=_by_line)
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
    said = Text("Left out: {names}. A club has at most {n} columns of its own.", names=names, n=len(notes.OWN))
    return [said] if names else []


def _members(session: Session, club_id: int, rows: Sequence[tuple[int, dict[str, str]]]) -> ImportPreview:
    kept: dict[int, dict[str, Any]] = {}
    complaints: list[tuple[int, Text]] = []
    good: list[tuple[int, dict[str, str]]] = []
    for line, row in rows:
        try:
            kept[line] = _kept(row)
            tongue, role = row.get("language", "").lower(), row.get("role", "").lower()
            language = tongue if tongue in LANGUAGES else _TONGUES.get(tongue, tongue)
            good.append((line, {**row, "language": language, "role": role}))
        except NotAccepted as no:
            complaints.append((line, no.why))
    people, wrong = members.read_wanted(good)
    there = {one.address.lower(): one.player_id for one in members.members(session, club_id)}
    known = frozenset(one.line for one in people if one.address.lower() in there)
    several = tuple(
        Text("Line {n} has further addresses, which get no mail: {others}.", n=line, others=row["others"])
        for line, row in good
        if row.get("others")
    )
    return ImportPreview(MEMBERS, tuple(people), kept, (), (*complaints, *wrong), known, several)


def _by_line(complaint: tuple[int, Text]) -> int:
    return complaint[0]


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


def _seasons(session: Session, club_id: int, rows: Sequence[tuple[int, dict[str, str]]]) -> ImportPreview:
    there = members_by_name(session, club_id)
    known_seasons = set(session.scalars(sa.select(col(PastPlace.season)).where(col(PastPlace.club_id) == club_id)))
    places: list[PlaceRead] = []
    complaints: list[tuple[int, Text]] = []
    seen: dict[tuple[str, str, str], int] = {}
    for line, row in rows:
        try:
            name = read_label(row["name"])
            season = read_label(row["season"])
            if season in known_seasons:
                raise NotAccepted(
                    "sheet.season", Text("The club has tables of the season “{name}” already.", name=season)
                )
            found = named(there, row.get("address", "")) | named(there, name)
            player = found.pop() if len(found) == 1 else None
            division = read_label(row["division"]) if row.get("division") else ""
            one = PlaceRead(line, season, division, _place(row["place"]), name, player, _points(row.get("points", "")))
        except NotAccepted as no:
            complaints.append((line, no.why))
            continue
        before = seen.setdefault((season, division, name.lower()), line)
        if before != line:
            complaints.append((line, Text("This player stands in line {line} already.", line=before)))
        else:
            places.append(one)
    return ImportPreview(SEASONS, (), {}, tuple(places), tuple(complaints))


def members_by_name(session: Session, club_id: int) -> dict[str, list[int]]:
    """Return the members of a club by address and by each spelling of their name; several can share a name."""
    rows = session.execute(
        sa.select(col(Player.id), col(Player.address), col(Player.name))
        .join(Member, col(Member.player_id) == col(Player.id))
        .where(col(Member.club_id) == club_id, col(Member.status) != MemberStatus.LEFT, col(Player.erased_at).is_(None))
    )
    found: dict[str, list[int]] = {}
    for row in rows:
        for key in {row.address.lower(), *_spellings(row.name)}:
            found.setdefault(key, []).append(row.id)
    return found


def named(known: Mapping[str, Sequence[int]], name: str) -> set[int]:
    """Return the members of `members_by_name` with this name: “Quill, Ada” is also “Ada Quill” and “Quill Ada”."""
    return {player for key in _spellings(name) for player in known.get(key, ())}


def _spellings(name: str) -> set[str]:
    family, comma, first = unicodedata.normalize("NFC", name).lower().partition(",")
    parts = ([family, first], [first, family]) if comma else ([family],)
    return {" ".join(" ".join(words).split()) for words in parts}


def _points(given: str) -> str:
    if not given:
        return ""
    text = given.replace(",", ".").replace("½", ".5").removesuffix(".0")
    text = f"0{text}" if text.startswith(".") else text
    try:
        read_points("points", text)
    except Unreadable:
        raise NotAccepted(
            "past.points", Text("“{given}” is not a number of points such as 1, 0.5 or 1/3.", given=given[:20])
        ) from None
    return text[:12]


# -- taking -------------------------------------------------------------------------------------------


def take(
    database: Database,
    club_id: int,
    by_id: int,
    given: GivenList,
    *,
    skip: bool = False,
    now: datetime,
) -> tuple[int, int]:
    """Import a list; return how many of its lines were imported, and how many people were invited.

    All or nothing: BadLines names every bad line, unless those are to be left out (`skip`). Existing members get no
    mail; what the list says about them is stored. Raises NotAllowed, NotAccepted.
    """
    with Work(database) as work:
        session = work.session
        acting = clubs.allowed(work, club_id, by_id, Role.ORGANISER, now)
        clubs.lock(session, club_id)
        found = _read(session, club_id, given)
        if found.complaints and not skip:
            raise BadLines(found.complaints)
        if not found.people and not found.places:
            raise NotAccepted("list.empty", Text("The list has no lines that could be taken."))
        invited = 0
        if given.kind == MEMBERS:
            invited = members.invite_all(acting, found.people)
            _keep(acting, found, given)
        else:
            _write_places(acting, found.places)
    return len(found.people) + len(found.places), invited


def _keep(acting: ClubActing, found: ImportPreview, given: GivenList) -> None:
    session, club_id = acting.session, acting.club_id
    club = clubs.get(session, club_id)
    headings = {
        what: heading[: notes.LONGEST_HEADING] or what
        for what, heading in zip(given.columns, given.sheet.heading, strict=True)
        if what in notes.OWN and not getattr(club, what)
    }
    notes.write_headings(acting, headings)
    for one in found.people:
        values = found.kept[one.line]
        player = find(session, one.address)
        if values and player is not None and player.id is not None:
            notes.write(session, club_id, player.id, dict(values))


def _write_places(acting: ClubActing, places: Sequence[PlaceRead]) -> None:
    levels: dict[str, dict[str, int]] = {}
    for one in places:
        its = levels.setdefault(one.season, {})
        its.setdefault(one.division, len(its) + 1)
    acting.session.add_all(
        PastPlace(
            club_id=acting.club_id,
            season=one.season,
            division=one.division,
            level=levels[one.season][one.division],
            place=one.place,
            name="" if one.player_id else one.name,
            player_id=one.player_id,
            points=one.points,
            taken_at=acting.now,
        )
        for one in places
    )
    acting.session.flush()
    for season in levels:
        after = {"players": sum(one.season == season for one in places)}
        acting.write("season.imported", audit.named(season), after=after)


def forget_season(database: Database, club_id: int, by_id: int, season: str, *, now: datetime) -> None:
    """Remove the tables of an imported season, so that a better list can be imported.

    Raises NotAllowed; Conflict if there are none.
    """
    with Work(database) as work:
        acting = clubs.allowed(work, club_id, by_id, Role.ORGANISER, now)
        gone = sa.delete(PastPlace).where(col(PastPlace.club_id) == club_id, col(PastPlace.season) == season)
        if not work.session.execute(gone).rowcount:  # type: ignore[attr-defined]
            raise Conflict("sheet.gone", Text("These tables have been taken out already."))
        acting.write("season.forgotten", audit.named(season))


# -- reading ------------------------------------------------------------------------------------------


def seasons_of(session: Session, club_id: int) -> list[str]:
    """Return the imported seasons in the order of their import."""
    asked = sa.select(col(PastPlace.season)).where(col(PastPlace.club_id) == club_id)
    return list(session.scalars(asked.group_by(col(PastPlace.season)).order_by(sa.func.min(col(PastPlace.id)))))


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """A line of a table: `name` is empty for a former player."""

    place: int
    name: str
    player_id: int | None
    points: str


def tables_of(session: Session, club_id: int) -> dict[str, dict[str, list[ImportedLine]]]:
    """Return the imported tables: by season, then by division, the highest first."""
    asked = (
        sa.select(PastPlace, col(Player.name))
        .outerjoin(Player, col(Player.id) == col(PastPlace.player_id))
        .where(col(PastPlace.club_id) == club_id)
        .order_by(col(PastPlace.level), col(PastPlace.place), col(PastPlace.id))
    )
    found: dict[str, dict[str, list[ImportedLine]]] = {season: {} for season in reversed(seasons_of(session, club_id))}
    for row, name in session.execute(asked).all():
        line = ImportedLine(row.place, name or row.name, row.player_id, row.points)
        found[row.season].setdefault(row.division, []).append(line)
    return found
