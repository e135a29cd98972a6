"""How much of a list is read at most, measured before it is understood: in memory a cell is fifty times as large."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from app.base.words.refusals import NotAccepted
from engine.kernel.text import Text

LONGEST_LIST = 1_000_000
"""Characters."""
MOST_LINES, MOST_CELLS = 40_000, 1_000
"""Lines of a list, and cells of a line, with the empty ones; the readers of lists take fewer."""


def few_lines(text: str) -> Sequence[str]:
    """Return the lines of a pasted list. NotAccepted if it is too much."""
    why = Text("Your text has {n} characters; the limit is {most}.", n=len(text), most=LONGEST_LIST)
    _need(len(text), LONGEST_LIST, why)
    lines = text.splitlines()
    _need(len(lines), MOST_LINES, Text("The list has {n} lines; the limit is {most}.", n=len(lines), most=MOST_LINES))
    return lines


def csv_rows(text: str, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Return the rows of CSV, each with the number of its last line. NotAccepted if it is too much; `csv.Error` if its
    quotes do not match."""
    for line in few_lines(text):
        cells = line.count(mark) + 1
        why = Text("A line of the list has {n} cells; the limit is {most}.", n=cells, most=MOST_CELLS)
        _need(cells, MOST_CELLS, why)
    reader = csv.reader(io.StringIO(text), delimiter=mark, strict=True)
    for cells_of_row in reader:
        yield reader.line_num, cells_of_row


def _need(n: int, most: int, why: Text) -> None:
    if n > most:
        raise NotAccepted("list.long", why)
