"""The input of a pairing, and the drawing of lots; independent of the formats that make rounds."""

from __future__ import annotations

from dataclasses import dataclass

from app.leagues.pure.model import Competitor, Result, Round
from app.leagues.pure.pairing import swiss
from app.leagues.pure.pairing import table_rounds as tables
from app.leagues.pure.pairing.matching import Progress
from app.leagues.pure.pairing.swiss_weights import USUAL, SwissTerms
from app.leagues.pure.pairing.table_search import TableTerms

LONG = 40
"""Up to this many players are matched or seated within a request; larger pairings are a job (`pairing_jobs`)."""


@dataclass(frozen=True, slots=True)
class Task:
    """A round to be paired, with everything that affects it. Equal tasks give equal rounds.

    In an event of teams it is teams that are paired (`app.leagues.teams.team_rounds` fills their boards).
    """

    number: int
    order: tuple[Competitor, ...] = ()
    results: tuple[Result, ...] = ()
    blocks: frozenset[frozenset[int]] = frozenset()
    lots: tuple[int, ...] = ()
    last: bool = False
    swiss: SwissTerms = USUAL
    tables: TableTerms | None = None
    """None: two play against each other, by the Swiss system."""
    made: Round | None = None
    """The round itself if a schedule or a bracket determines it, so that nothing needs to be computed."""
    seeds: tuple[int, ...] = ()
    """For the first round of finals: its players, in the order of seeds."""

    @property
    def is_long(self) -> bool:
        """Whether pairing takes too long for one request: more than `LONG` players to be matched or seated."""
        return self.made is None and sum(one.is_paired_in(self.number) for one in self.order) > LONG

    def work_out(self, progress: Progress | None = None) -> Round:
        """Return the round, with a reason for each pairing."""
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
