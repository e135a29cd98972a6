"""The log of a game for its page: the newest turn first, each in its own order, with clock events in between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from markupsafe import Markup

from app.base.words.speech import Voice
from app.games.steps import Step
from app.games.store import GameNow
from app.play.turn.sentences import paragraph, run_on
from app.play.turn.turns import said_of


@dataclass(frozen=True, slots=True)
class LogParagraph:
    """Log entries of one moment in sentences, keyed by the last of them, or with entry None a clock event."""

    entry: int | None
    at: datetime
    said: Sequence[str]
    turn: int

    @property
    def paragraph(self) -> Markup:
        """The sentences as a page shows them."""
        return paragraph(self.said)


@dataclass(frozen=True, slots=True)
class LogTurn:
    """What happened in one turn, in order; turn 0 is the opening."""

    turn: int
    told: Sequence[LogParagraph]


def game_log(
    game: GameNow,
    steps: Iterable[tuple[int, datetime, Step]],
    of_time: Sequence[tuple[datetime, str]],
    shown: tuple[int, int],
    seat: str | None,
    voice: Voice,
) -> list[LogTurn]:
    """Return the turns that contain the entries `shown` (after the first, up to the last) as the seat saw them, newest
    first.

    `of_time` is the log of time, newest first: clock events before the first or after the last entry shown are on other
    pages.
    """
    told = [
        LogParagraph(number, at, said, step.turn)
        for number, at, step in steps
        if (said := said_of(game, step.told(game.title), seat, voice))
    ]
    first = told[0].at if told and shown[0] > 0 else datetime.min.replace(tzinfo=UTC)
    last = told[-1].at if told and shown[1] < game.entries else datetime.max.replace(tzinfo=UTC)
    told += [LogParagraph(None, at, [text], 0) for at, text in reversed(of_time) if first <= at <= last]
    told.sort(key=lambda one: one.at)
    turn, dated = told[0].turn if told else 0, []
    for one in told:
        turn = one.turn if one.entry is not None else turn
        dated.append((turn, one))
    groups = groupby(dated, key=lambda pair: pair[0])
    return [LogTurn(number, _at_once([one for _, one in group], voice)) for number, group in groups][::-1]


def _at_once(told: Iterable[LogParagraph], voice: Voice) -> list[LogParagraph]:
    """Tell together what was sealed together."""
    found: list[LogParagraph] = []
    for (at, of_time), group in groupby(told, key=lambda one: (one.at, one.entry is None)):
        entries = list(group)
        if of_time:
            found += entries
        else:
            said = run_on([sentence for one in entries for sentence in one.said], voice)
            found.append(LogParagraph(entries[-1].entry, at, said, entries[-1].turn))
    return found
