"""What a round is worked out from, and the drawing of lots; below the formats that make rounds."""

from __future__ import annotations

from dataclasses import dataclass

from app.leagues.pure import swiss
from app.leagues.pure import table_rounds as tables
from app.leagues.pure.matching import Progress
from app.leagues.pure.model import Competitor, Result, Round
from app.leagues.pure.swiss_weights import PAIRED_BY, SwissTerms
from app.leagues.pure.table_search import TableTerms

LONG = 40
"""Up to so many players are matched or seated while somebody waits for the page; more are a job (`pairing_jobs`)."""


@dataclass(frozen=True, slots=True)
class Task:
    """A round to be paired, with all that follows into it. Equal tasks give equal rounds. In an event of teams it is
    teams that are paired (`app.leagues.teams.team_rounds` fills their boards)."""

    number: int
    order: tuple[Competitor, ...] = ()
    results: tuple[Result, ...] = ()
    blocks: frozenset[frozenset[int]] = frozenset()
    lots: tuple[int, ...] = ()
    last: bool = False
    swiss: SwissTerms = PAIRED_BY["sides"]
    tables: TableTerms | None = None
    """None: two play against each other, by the Swiss system."""
    made: Round | None = None
    """The round itself where a schedule or a bracket gives it, so that nothing is left to be worked out."""
    seeds: tuple[int, ...] = ()
    """For the first round of finals: who plays them, in the order of seeds."""

    @property
    def is_long(self) -> bool:
        """Whether working it out is too much for the answer to a button: more than `LONG` to be matched or seated."""
        return self.made is None and sum(one.is_paired_in(self.number) for one in self.order) > LONG

    def work_out(self, progress: Progress | None = None) -> Round:
        """The round, with a reason for each pairing."""
        if self.made is not None:
            return self.made
        if self.tables is None:
            return swiss.pair_round(
                self.order,
                self.results,
                self.number,
                terms=self.swiss,
                blocks=self.blocks,
                last=self.last,
                progress=progress,
            )
        return tables.pair_round(
            self.order,
            self.results,
            self.number,
            terms=self.tables,
            lots=self.lots,
            blocks=self.blocks,
            progress=progress,
        )
