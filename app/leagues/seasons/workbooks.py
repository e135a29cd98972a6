"""Reads the visible cells of a workbook (XLSX): no hidden sheet, row or column, and missing values are reported."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import IO, TYPE_CHECKING, Any, cast

from app.base.refusals import NotAccepted
from engine.kernel.text import Counted, Text, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_UNPACKED = 30_000_000
"""Bytes of an unpacked workbook."""
MOST_COLUMNS_SEEN = 400
NO_VALUE = "#FORMULA!"
"""Stands for a formula without a stored value."""
BROKEN = re.compile(r"#(N/A|N/D|REF!|NAME\?|NOM\?|VALUE!|VALEUR!|DIV/0!|NUM!|NULL!|SPILL!|CALC!|FORMULA!)")
"""What a cell shows if there is no value."""


@dataclass(slots=True)
class _Unseen:
    """What a sheet hides, by numbers from 1, and its formulas without a value."""

    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    formulas: set[tuple[int, int]] = field(default_factory=set)

    def clean(self, line: int, cells: Sequence[str]) -> list[str]:
        """Return the visible cells of a row."""
        if line in self.rows:
            return [""] * len(cells)
        return [
            "" if at in self.columns else NO_VALUE if (line, at) in self.formulas else cell
            for at, cell in enumerate(cells, 1)
        ]

    def notes(self, lost: int) -> list[Text | Counted]:
        """Return the remarks on the sheet; `lost` rows would have belonged to the table."""
        said: list[Text | Counted] = []
        if lost:
            said.append(Counted("{n} hidden row is left out.", "{n} hidden rows are left out.", n=lost))
        if self.columns:
            said.append(Text("Hidden columns are left out."))
        return said


def read(content: bytes, name: str, most_rows: int) -> tuple[list[tuple[int, list[str]]], list[Text | Counted]]:
    """Return the numbered rows of the sheet called `name`, else of the first visible one with a table, and the remarks
    on them.

    Raises NotAccepted.
    """
    import openpyxl  # noqa: PLC0415  7 MiB and its pictures, for who never sends a workbook

    broken = NotAccepted("sheet.workbook", Text("This workbook cannot be read; save it as .xlsx once more, or as CSV."))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            if sum(part.file_size for part in packed.infolist()) > LARGEST_UNPACKED:
                raise NotAccepted("list.large", Text("The file is too large."))
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
    except NotAccepted:
        raise
    except Exception:  # the zip, XML and sheet readers have no common error for damaged files
        raise broken from None
    try:
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        if name and name not in book.sheetnames:
            known = quoted([sheet.title for sheet in shown])
            raise NotAccepted(
                "sheet.name", Text("There is no sheet “{name}”; there are {known}.", name=name, known=known)
            )
        for sheet in [book[name]] if name else shown:
            rows, notes = _rows(sheet, most_rows)
            if sum(any(cells) for _, cells in rows) > 1 or name:
                return rows, notes
    except NotAccepted:
        raise
    except Exception:
        raise broken from None
    finally:
        book.close()
    return [], []


def _rows(sheet: Any, most: int) -> tuple[list[tuple[int, list[str]]], list[Text | Counted]]:  # noqa: ANN401  openpyxl has no types
    with sheet._get_source() as source:
        unseen = _unseen(cast("IO[bytes]", source))
    rows, lost = [], 0
    for line, values in enumerate(sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS_SEEN, max_row=most), 1):
        cells = [_cell(value) for value in values]
        rows.append((line, unseen.clean(line, cells)))
        lost += line in unseen.rows and any(cells)
    return rows, unseen.notes(lost)


def _unseen(source: IO[bytes]) -> _Unseen:
    """Return what a sheet hides: marked as hidden, or without height or width."""
    found, row, column = _Unseen(), 0, 0
    for event, part in ElementTree.iterparse(source, ("start", "end")):
        tag = part.tag.rpartition("}")[2]
        if event == "start" and tag == "row":
            row, column = int(part.get("r") or row + 1), 0
            if part.get("hidden") in ("1", "true") or part.get("ht") in ("0", "0.0"):
                found.rows.add(row)
        elif event == "start" and tag == "c":
            column = _column(part.get("r", "")) or column + 1
        elif event == "end" and tag == "c":
            parts = {child.tag.rpartition("}")[2]: child.text for child in part}
            if "f" in parts and not parts.get("v"):
                found.formulas.add((row, column))
        elif event == "end" and tag == "col" and (part.get("hidden") in ("1", "true") or part.get("width") == "0"):
            found.columns |= set(range(int(part.get("min", 1)), min(int(part.get("max", 1)), MOST_COLUMNS_SEEN) + 1))
        if event == "end" and tag == "row":
            part.clear()
    return found


def _column(reference: str) -> int:
    """Return the number of the column of a cell such as AB12."""
    number = 0
    for letter in reference.rstrip("0123456789"):
        number = number * 26 + ord(letter) - 64
    return number


def _cell(value: object) -> str:
    """Return a cell of a workbook as people read it."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if not (value.hour or value.minute) else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)
