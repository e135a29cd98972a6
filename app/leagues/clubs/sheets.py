"""Reads a table from CSV, or from cells pasted as text: a heading and rows, with a guess for each heading."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.base.words.bounds import csv_rows, few_lines
from app.base.words.refusals import NotAccepted
from app.base.words.texts import said
from app.leagues.clubs import headings
from engine.kernel.text import Text

MARKS = ";,\t|"
LINES_ABOVE = 10
"""How many lines are searched for the heading of a list."""
MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 2000, 40, 1000
_MARKUP = re.compile(r"\s*<(!doctype|html|head|body|table|meta|\?xml)\b", re.IGNORECASE)
"""What some programs save as `.xls`."""
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How files of spreadsheet programs begin, today's and those of old Excel."""
_COUNT = re.compile(r"^\s*(?:\d{1,4}[.)]|[-–—•*])\s+")
"""What a list writes in front of a line: its number, or a dash."""
_DASHES = ("-", "–", "—", ":")


@dataclass(frozen=True, slots=True)
class Spreadsheet:
    """A heading, and the rows below it, each with the number of its line in the file."""

    heading: tuple[str, ...]
    """Empty texts if the list has none."""
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    text: str = field(default="", compare=False)
    """What it was read from, which a page keeps between the preview and the confirmation."""
    notes: tuple[Text, ...] = field(default=(), compare=False)
    """Remarks on how it was read."""


def read(content: bytes) -> Spreadsheet:
    """Return the table in a file of CSV with any usual separator (`decoded`). Raises NotAccepted."""
    return read_text(decoded(content))


def decoded(content: bytes) -> str:
    """Return the text of a file in UTF-8, in UTF-16, or else in Windows-1252. Raises NotAccepted."""
    if content.startswith(_WORKBOOKS):
        raise NotAccepted(
            "sheet.workbook",
            Text("This is a workbook. Copy its cells and paste them into the form, or save the sheet as CSV."),
        )
    start, coding = content[:2000], "utf-8-sig"
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        coding = "utf-16"
    elif start.count(0) > len(start) // 4:  # every other byte of plain letters
        coding = "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
    for one in (coding, "cp1252") if coding == "utf-8-sig" else (coding,):
        try:
            return said(content.decode(one))
        except UnicodeDecodeError:
            continue
    raise NotAccepted("sheet.coding", Text("The letters of this file cannot be read; save it as CSV in UTF-8."))


def read_text(text: str) -> Spreadsheet:
    """Return the table in a text, with the separator that makes the most even one. Raises NotAccepted."""
    whole_text = text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    few_lines(text)
    if "\0" in text or _MARKUP.match(text):
        raise NotAccepted("sheet.coding", Text("This file is not a text; save the list as CSV."))
    if people := headings.in_one_line(text):
        return _sheet([(1, [one]) for one in people], whole_text)
    skipped = 0
    if text[:4].lower() == "sep=":
        mark, text, skipped = text[4:5], text.partition("\n")[2], 1
    else:
        mark = max(MARKS, key=lambda one: _evenness(text, one))
    is_of_people = bool(headings.addresses(text.lstrip("\n").partition("\n")[0]))
    rows: list[tuple[int, list[str]]] = []
    line = 0
    try:
        for end, cells in csv_rows(text, mark or ","):
            if any(cells):
                rows.append((line + 1 + skipped, cells))
            line = end
    except csv.Error:
        if not is_of_people:
            raise NotAccepted(
                "sheet.quotes", Text("The quotes of line {line} do not match.", line=line + 1 + skipped)
            ) from None
        rows = []
    is_plain = bool(rows) and all(len(cells) == 1 for _, cells in rows) and not headings.is_known(rows[0][1][0])
    if is_plain or (is_of_people and not _is_even(rows)):
        each = read_people(text)
        has_names = any(one["name"] for _, one in each)
        rows = [(n, [one["name"], one["address"]] if has_names else [one["address"]]) for n, one in each]
    return _sheet(rows, whole_text, has_heading=not is_plain)


def _is_even(rows: Sequence[tuple[int, Sequence[str]]]) -> bool:
    """Whether all addresses stand in one column, beside others: a table, else each line is a person."""
    places = {n for _, cells in rows for n, cell in enumerate(cells) if headings.addresses(cell)}
    return len(places) == 1 and max(len(cells) for _, cells in rows) > 1


def read_people(text: str, first: int = 1) -> list[tuple[int, dict[str, str]]]:
    """Return the people of a list without a heading, with their lines: a name and an address, in any order, as mail
    programs, tables and people write them. NotAccepted where they are too many."""
    found = []
    for number, line in enumerate(few_lines(text.lstrip("\ufeff")), first):
        parts = [part.strip(" \"'") for part in re.split(r"[,;\t<>]", _COUNT.sub("", line))]
        if any(parts):
            address, name = _told_apart(parts)
            found.append((number, {"address": address, "name": name}))
    if len(found) > MOST_ROWS:
        raise _too_long(len(found))
    return found


def _told_apart(parts: Sequence[str]) -> tuple[str, str]:
    """Return the address among the parts of a line, and the rest as the name; two in one part stay there as they are,
    and are refused."""
    written = next((part for part in parts if "@" in part), "")
    words = written.split()
    addresses = [word for word in words if "@" in word]
    if len(addresses) != 1:
        return written, " ".join(part for part in parts if part and part != written)
    beside = " ".join(word for word in words if word not in addresses and word not in _DASHES)
    name = " ".join(beside if part == written else part for part in parts)
    return addresses[0].strip("()[]:"), " ".join(name.split()).rstrip(" :")


def _evenness(text: str, mark: str) -> tuple[int, int]:
    """Measure how well a separator fits: how many of the first lines have the most common number of cells, times that
    number.
    """
    widths: Counter[int] = Counter()
    try:
        for _, cells in zip(range(40), csv.reader(io.StringIO(text), delimiter=mark), strict=False):
            if any(cell.strip() for cell in cells):
                widths[len(cells)] += 1
    except csv.Error:
        return 0, 0
    width, often = max(widths.items(), key=lambda one: (one[0] > 1, one[1]), default=(1, 0))
    return (often if width > 1 else 0), width


def _sheet(rows: Sequence[tuple[int, Sequence[str]]], text: str, *, has_heading: bool = True) -> Spreadsheet:
    """Return the rows from the heading on.

    The heading is the first early line with two known headings, else the first with at least two filled cells, or the
    very first. A line with an address is never a heading; the list then has none.
    """
    filled = [(line, cells) for line, cells in rows if any(map(str.strip, cells))]
    if len(filled) > 2 * MOST_ROWS:  # lines above the heading
        raise _too_long(len(filled) - 1)
    there = [(line, [_clean(cell) for cell in cells]) for line, cells in filled]
    there = [(line, cells) for line, cells in there if any(cells)]
    known = (n for n, (_, cells) in enumerate(there[:LINES_ABOVE]) if headings.is_heading(cells))
    filled_twice = (n for n, (_, cells) in enumerate(there) if sum(map(bool, cells)) > 1)
    at = next(known, next(filled_twice, 0)) if has_heading else 0
    notes: tuple[Text, ...] = ()
    if there and (not has_heading or any(map(headings.addresses, there[at][1]))):
        notes = (Text("The list has no heading, so its first line is read like the others."),)
        at = next(n for n, (_, cells) in enumerate(there) if any(map(headings.addresses, cells))) if has_heading else 0
        there.insert(at, (0, []))
    if len(there) <= at + 1:
        raise NotAccepted("list.empty", Text("The list has no lines below its heading."))
    if len(there) - at - 1 > MOST_ROWS:
        raise _too_long(len(there) - at - 1)
    width = max(len(_trimmed(cells)) for _, cells in there[at:])
    if width > MOST_COLUMNS:
        used = [n for n in range(width) if any(cells[n : n + 1] not in ([], [""]) for _, cells in there[at + 1 :])]
        there = [(line, [cells[n] if n < len(cells) else "" for n in used]) for line, cells in there]
        width = len(used)
    if width > MOST_COLUMNS:
        raise NotAccepted(
            "sheet.wide", Text("The table has {n} columns; the limit is {most}.", n=width, most=MOST_COLUMNS)
        )
    whole_rows = [(line, tuple([*cells, *[""] * width][:width])) for line, cells in there[at:]]
    return Spreadsheet(whole_rows[0][1], tuple(whole_rows[1:]), text, notes)


def _too_long(n: int) -> NotAccepted:
    return NotAccepted("list.long", Text("The list has {n} lines; the limit is {most}.", n=n, most=MOST_ROWS))


def _clean(cell: str) -> str:
    """Return a cell on one line, without unprintable characters."""
    plain = cell
    if not cell.isprintable():
        plain = "".join(c if c.isprintable() else "" if unicodedata.category(c) == "Cf" else " " for c in cell)
    return " ".join(plain.split())[:LONGEST_CELL]


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    end = len(cells)
    while end and not cells[end - 1]:
        end -= 1
    return cells[:end]
