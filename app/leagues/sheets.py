"""A table out of whatever file a spreadsheet has saved: bytes become a heading and rows, and each heading a guess."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from app.base.numbers import whole
from app.base.refusals import NotAccepted
from engine.kernel.text import Text, quoted

MARKS = ";,\t|"
MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 2000, 40, 1000
LARGEST_UNPACKED = 30_000_000
"""Bytes of a workbook once it is unpacked."""
_ZIP = b"PK\x03\x04"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, slots=True)
class Spreadsheet:
    """A heading, and the rows below it, each with the number of its line in the file."""

    heading: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]

    def written(self) -> str:
        """As a text that `reread` takes: what a page keeps between the preview and the confirmation."""
        into = io.StringIO()
        sheet = csv.writer(into, lineterminator="\n")
        sheet.writerow(["", *self.heading])
        sheet.writerows([line, *cells] for line, cells in self.rows)
        return into.getvalue()


def read(content: bytes, name: str = "") -> Spreadsheet:
    """The table in a file: CSV in any usual encoding and separator, or XLSX (the sheet called `name`, else the first
    with a table). NotAccepted says what it is instead."""
    if content.startswith(_ZIP):
        return _sheet(_workbook(content, name))
    if content.startswith(_OLD_EXCEL):
        raise NotAccepted("sheet.old", Text("This is a file of an old Excel (.xls). Save it as .xlsx or as CSV."))
    return read_text(decoded(content))


def read_text(text: str) -> Spreadsheet:
    """The table in a text of lines; the separator is the one that makes the most even table. NotAccepted."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise NotAccepted("sheet.coding", Text("This file is neither a text nor an .xlsx workbook."))
    skipped = 0
    if text[:4].lower() == "sep=":
        mark, text, skipped = text[4:5], text.partition("\n")[2], 1
    else:
        mark = max(MARKS, key=lambda one: _evenness(text, one))
    rows: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO(text), delimiter=mark or ",", strict=True)
    line = 0
    try:
        for cells in reader:
            if any(cells):
                rows.append((line + 1 + skipped, cells))
            line = reader.line_num
    except csv.Error:
        raise NotAccepted(
            "sheet.quotes", Text("The quotes of line {line} do not match.", line=reader.line_num + skipped)
        ) from None
    return _sheet(rows)


def _evenness(text: str, mark: str) -> tuple[int, int]:
    """How well a separator fits: how many of the first lines have the commonest number of cells, times that number."""
    widths: Counter[int] = Counter()
    try:
        for _, cells in zip(range(40), csv.reader(io.StringIO(text), delimiter=mark), strict=False):
            if any(cell.strip() for cell in cells):
                widths[len(cells)] += 1
    except csv.Error:
        return 0, 0
    width, often = max(widths.items(), key=lambda one: (one[0] > 1, one[1]), default=(1, 0))
    return (often if width > 1 else 0), width


def decoded(content: bytes) -> str:
    """The text of a file in UTF-8 or UTF-16, with or without a mark at its beginning, or in Windows-1252."""
    for mark, coding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            return _try(content, (coding,))
    start = content[:2000]
    if start.count(0) > len(start) // 4:  # every other byte of plain letters
        return _try(content, ("utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be",))
    return _try(content, ("utf-8", "cp1252"))


def _try(content: bytes, codings: Sequence[str]) -> str:
    for coding in codings:
        try:
            return content.decode(coding)
        except UnicodeDecodeError:
            continue
    raise NotAccepted(
        "sheet.coding", Text("The letters of this file cannot be read; save it as CSV in UTF-8, or as .xlsx.")
    )


def _workbook(content: bytes, name: str) -> list[tuple[int, list[str]]]:
    import openpyxl  # noqa: PLC0415  7 MiB and its pictures, for who never sends a workbook

    broken = NotAccepted("sheet.workbook", Text("This workbook cannot be read; save it as .xlsx once more, or as CSV."))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if sum(part.file_size for part in packed.infolist()) > LARGEST_UNPACKED:
                raise NotAccepted("list.large", Text("The file is too large."))
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    except NotAccepted:
        raise
    except Exception:  # what a damaged file makes of the readers of zip, XML and sheets has no common name
        raise broken from None
    try:
        names = book.sheetnames
        if name and name not in names:
            raise NotAccepted(
                "sheet.name", Text("There is no sheet “{name}”; there are {known}.", name=name, known=quoted(names))
            )
        for sheet in [book[name]] if name else book.worksheets:
            rows = [
                (line, [_cell(value) for value in cells])
                for line, cells in enumerate(
                    sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS + 1, max_row=MOST_ROWS + 50), 1
                )
            ]
            if sum(any(cells) for _, cells in rows) > 1 or name:
                return rows
    except NotAccepted:
        raise
    except Exception:
        raise broken from None
    finally:
        book.close()
    return []


def _cell(value: object) -> str:
    """A cell of a workbook as people read it."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if not (value.hour or value.minute) else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def _sheet(rows: Sequence[tuple[int, Sequence[str]]]) -> Spreadsheet:
    """Rows from the heading on: the first line in which at least two cells are filled, or the first of all."""
    filled = [(line, cells) for line, cells in rows if any(map(str.strip, cells))]
    if len(filled) > 2 * MOST_ROWS:  # whatever stands above the heading
        raise _too_long(len(filled) - 1)
    there = [(line, [_clean(cell) for cell in cells]) for line, cells in filled]
    there = [(line, cells) for line, cells in there if any(cells)]
    at = next((n for n, (_, cells) in enumerate(there) if sum(map(bool, cells)) > 1), 0)
    if len(there) <= at + 1:
        raise NotAccepted("list.empty", Text("The list has no lines below its heading."))
    if len(there) - at - 1 > MOST_ROWS:
        raise _too_long(len(there) - at - 1)
    width = max(len(_trimmed(cells)) for _, cells in there[at:])
    if width > MOST_COLUMNS:
        raise NotAccepted(
            "sheet.wide", Text("The table has {n} columns; the limit is {most}.", n=width, most=MOST_COLUMNS)
        )
    whole_rows = [(line, tuple([*cells, *[""] * width][:width])) for line, cells in there[at:]]
    return Spreadsheet(whole_rows[0][1], tuple(whole_rows[1:]))


def _too_long(n: int) -> NotAccepted:
    return NotAccepted("list.long", Text("The list has {n} lines; the limit is {most}.", n=n, most=MOST_ROWS))


def _clean(cell: str) -> str:
    """A cell on one line, without what does not print."""
    plain = cell if cell.isprintable() else "".join(c if c.isprintable() else " " for c in cell)
    return " ".join(plain.split())[:LONGEST_CELL]


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    end = len(cells)
    while end and not cells[end - 1]:
        end -= 1
    return cells[:end]


def reread(text: str) -> Spreadsheet:
    """What `Spreadsheet.written` wrote. NotAccepted for anything else."""
    lost = NotAccepted("sheet.lost", Text("The table has been lost on the way; choose the file once more."))
    try:
        found = list(csv.reader(io.StringIO(text.replace("\r\n", "\n")), strict=True))
    except csv.Error:
        raise lost from None
    width = len(found[0]) if found else 0
    lines = [whole(cells[0], least=1) if cells else None for cells in found[1:]]
    if not 1 < width <= MOST_COLUMNS + 1 or not 1 < len(found) <= MOST_ROWS + 1 or None in lines:
        raise lost
    if any(len(cells) != width for cells in found):
        raise lost
    rows = tuple((line or 0, tuple(cells[1:])) for line, cells in zip(lines, found[1:], strict=True))
    return Spreadsheet(tuple(found[0][1:]), rows)


# -- what a column is ---------------------------------------------------------------------------------

_WORDS = {
    "address": "email emailaddress mail mailaddress address courriel adressemail adresseemail adressecourriel"
    " correo correoelectronico direcciondecorreo posta postaelettronica indirizzoemail indirizzomail",
    "first": "firstname givenname forename prenom prenoms",
    "name": "name fullname player member playername nom joueur joueuse membre nomprenom nombre jugador jugadora socio"
    " socia miembro nome giocatore giocatrice nomecognome surname lastname familyname apellido apellidos cognome",
    "rating": "rating elo cote eloclub puntuacionelo valoracion indice punteggioelo strength",
    "division": "division divisione group groupe grupo gruppo girone class classe league liga ligue lega",
    "place": "place rank position lastplace lastseason classement rang placement dernieresaison derniereplace puesto"
    " posicion ultimopuesto posto posizione classifica ultimaposizione finish standing",
    "season": "season saison temporada stagione year annee ano anno",
    "points": "points pts score puntos punti punkte",
    "language": "language langue idioma lingua",
    "role": "role rol ruolo",
    "note": "note notes remark remarks comment comments remarque remarques commentaire nota notas observaciones"
    " comentario commenti osservazioni",
}
_MEANS = {word: what for what, words in _WORDS.items() for word in words.split()}
_SURNAMES = frozenset(["surname", "lastname", "familyname", "apellido", "apellidos", "cognome"])
_MAIL = re.compile(r"\S+@\S+\.\S+")


def guess(sheet: Spreadsheet, possible: Sequence[str]) -> list[str]:
    """For each column what it probably is, of what is `possible`; empty where nothing fits. A column of addresses is
    known by what stands in it, whatever its heading; nothing is guessed twice."""
    plain = [_plain(cell) for cell in sheet.heading]
    found = [_MEANS.get(word, "") for word in plain]
    if _SURNAMES & set(plain):
        found = [
            "first" if word in ("nombre", "nombres", "nome", "nom", "name") else what
            for word, what in zip(plain, found, strict=True)
        ]
    for column in range(len(found)):
        cells = [cells[column] for _, cells in sheet.rows if cells[column]]
        if cells and 2 * sum(bool(_MAIL.fullmatch(cell)) for cell in cells) > len(cells):
            found = ["" if what == "address" else what for what in found]
            found[column] = "address"
            break
    seen: set[str] = set()
    for column, what in enumerate(found):
        if what not in possible or what in seen:
            found[column] = ""
        seen.add(found[column])
    return found


def _plain(heading: str) -> str:
    """A heading in small letters, without accents, spaces and signs."""
    letters = unicodedata.normalize("NFKD", heading.lower())
    return "".join(c for c in letters if c.isalnum() and not unicodedata.combining(c))
