"""Compares the accepted answers of players with those that the server has stored and played, line by line."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlmodel import Session

from app.games.tables import DecisionMade, LogCause, LogEntry
from app.play.turn.playing import END
from bench.trials.storm.ledger import Ledger


@dataclass(frozen=True)
class Entry:
    """The compared part of a log entry."""

    game: int
    number: int
    decision: int
    turn: int
    seat: str | None
    cause: str
    line: str | None


@dataclass
class Misplayed:
    """The findings; empty if all is well."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)


def entries_in(session: Session) -> list[Entry]:
    """Return the log of all games, in order."""
    read = sa.select(
        LogEntry.game_id,
        LogEntry.number,
        LogEntry.decision,
        LogEntry.turn,
        LogEntry.seat,
        LogEntry.cause,
        LogEntry.line,
    ).order_by(LogEntry.game_id, LogEntry.number)
    return [Entry(*row) for row in session.execute(read)]


def compare(ledger: Ledger, made: Sequence[DecisionMade], entries: Sequence[Entry], since_game: int) -> Misplayed:
    """Check that each accepted answer is stored, each stored answer was sent, and its entries are its lines, once and
    in order.

    Where the server answered in between (forced decisions, standing orders), the later lines of an answer belong to
    later decisions; so an answer's entries are those after the answer before it, up to its `last_entry`. Games up to
    `since_game` existed before: of those only accepted answers are compared.
    """
    found = Misplayed()
    rows = {(row.game_id, row.number): row for row in made}
    logs: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        logs[entry.game].append(entry)
    ends: dict[int, list[int]] = defaultdict(list)
    for row in sorted(made, key=lambda row: row.last_entry):
        ends[row.game_id].append(row.last_entry)
    found.lost += _lost_answers(ledger, rows, logs)
    explained = set()
    for (game, number), row in sorted(rows.items()):
        if game <= since_game or not row.orders:
            continue
        where = f"decision {number} of game {game}"
        at = bisect_left(ends[game], row.last_entry)
        after = ends[game][at - 1] if at else 0
        own = [one for one in logs[game] if after < one.number <= row.last_entry and one.cause == LogCause.SEAT]
        explained.update((game, one.number) for one in own)
        played, lines = [one.line for one in own], row.orders.split("\n")[: row.played]
        if played == lines[:-1] and own and _is_end_unplayed(lines[-1], own[-1], logs[game][row.last_entry :]):
            lines.pop()
        if played != lines:
            kind = found.lost if len(played) < len(lines) else found.doubled
            kind.append(f"{where}: {lines!r} were taken, {played!r} played")
        if not any(sent.is_in(row.orders) for sent in ledger.tried[game, number]):
            found.invented.append(f"nobody has sent {row.orders!r} for {where}")
    for game, log in sorted(logs.items()):
        if [one.number for one in log] != list(range(1, len(log) + 1)):
            found.lost.append(f"the entries of game {game} are {[one.number for one in log]}")
        if game > since_game:
            found.invented += [
                f"entry {one.number} of game {game}, {one.line!r}, answers nothing that was sent"
                for one in log
                if one.cause == LogCause.SEAT and (game, one.number) not in explained
            ]
    return found


def _lost_answers(
    ledger: Ledger, rows: Mapping[tuple[int, int], DecisionMade], logs: Mapping[int, Sequence[Entry]]
) -> Iterator[str]:
    """Yield accepted answers that are not stored, or stored differently."""
    for sent in sorted(ledger.accepted, key=lambda one: (one.game, one.number, one.orders)):
        kept = rows.get((sent.game, sent.number))
        where = f"decision {sent.number} of game {sent.game}"
        if kept is None:
            yield f"{where} is not there"
        elif not sent.is_in(kept.orders):
            yield f"{where} has other orders: {kept.orders!r}, not {sent.orders!r}"
        elif not any(one.decision == sent.number and one.cause == LogCause.SEAT for one in logs[sent.game]):
            yield f"{where} is not in the log"


def _is_end_unplayed(line: str, last: Entry, following: Sequence[Entry]) -> bool:
    """Whether the last line ends a turn that had ended already, or that ends automatically once another seat has
    answered.

    Neither has an entry of the seat's, and the seat is not the next to play in this turn.
    """
    then = next(iter(following), None)
    goes_on = then is not None and (then.turn, then.seat, then.cause) == (last.turn, last.seat, LogCause.SEAT)
    return line.lower() == END and not goes_on
