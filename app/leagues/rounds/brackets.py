"""Knock-outs of an event: the current bracket, the next round, and deciding games of drawn matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlmodel import Session

from app.base.words.refusals import NotAccepted
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries, lifecycle, matches, round_rows
from app.leagues.pure.model import VOID, Competitor, Pairing, Result, Round
from app.leagues.pure.pairing.knockout import Bracket, BracketMatch, Decision
from app.leagues.results import outcomes
from app.leagues.tables import STILL_IN, Competition, CompetitionRound, CompetitionStatus, Division, Match, RoundStatus
from engine.kernel.text import Counted, Text


def bracket(event: Competition, order: Sequence[Competitor], results: Sequence[Result]) -> Bracket:
    """Return the bracket of these entrants, in the order of seeds, by the event's terms."""
    lots = sorted((entrant.id for entrant in order), key=event.lot)
    return Bracket(order, results, event.terms, lots=lots)


def pair(event: Competition, order: Sequence[Competitor], results: Sequence[Result], number: int) -> Round:
    """Return the games of a round of a knock-out. Raises NotAccepted after the final."""
    drawn = bracket(event, order, results)
    if number > drawn.rounds:
        raise NotAccepted("round.last", lifecycle.all_paired(drawn.rounds))
    return drawn.pair_round(number)


def bracket_of(session: Session, event: Competition, division: Division) -> Bracket | None:
    """Return the bracket of a division; None if it has none, or none yet."""
    if event.started_at is None or not event.plays_in(division).has_bracket:
        return None
    if event.finals:
        order = finalists(session, event, round_rows.final_seeds(session, division.id))
    else:
        people = entries.entrants(session, event.id, division_id=division.id)
        order = tuple(one.as_competitor() for one in people if one.seed)
    return bracket(event, order, outcomes.results_of(session, division.id)) if len(order) > 1 else None


def finalists(session: Session, event: Competition, seeds: Sequence[int]) -> tuple[Competitor, ...]:
    """Return the entrants who go through, as the finals count them: rounds begin at 1 again, without players who have
    left."""
    people = {one.id: one for one in entries.entrants(session, event.id)}
    return tuple(
        replace(
            one.as_competitor(),
            joined=1,
            withdrawn_after=None if one.status in STILL_IN else 0,
            away=frozenset(),
            byes=frozenset(),
        )
        for one in (people[entrant] for entrant in seeds)
    )


# -- deciding games -----------------------------------------------------------------------------------


def missing_games(session: Session, event: Competition, round: CompetitionRound) -> tuple[Pairing, ...]:
    """Return the deciding games that a round needs and does not have yet."""
    drawn = bracket_of(session, event, event.division(round.division_id))
    if drawn is None:
        return ()
    there = {frozenset(seat.entry_id for seat in match.seats) for match in round.open_matches}
    return tuple(game for game in drawn.extra_games(round.number) if frozenset(game.seats) not in there)


def add_extra(acting: Acting, round: CompetitionRound) -> int:
    """Start a deciding game for each drawn match of a round, which is locked; return how many. Pressed twice it acts
    once. Raises NotAccepted."""
    session, event = acting.session, acting.event
    if round.status != RoundStatus.PUBLISHED:
        raise NotAccepted("round.not_published", Text("Only a round that is being played has deciding games."))
    games = missing_games(session, event, round)
    if not games:
        return 0
    number = max(match.number for match in round.matches)
    for at, game in enumerate(games, 1):
        matches.write_match(session, round.id, number + at, game.seats, matches.why_of(game), game.leg)
    added = round_rows.get(session, round.id).matches[-len(games) :]
    matches.start_matches(acting.work, event, round.number, added, acting.now)
    acting.write("round.extra", audit.round_of(round.number, round.division_id), after={"games": len(games)})
    return len(games)


# -- matches without a winner -------------------------------------------------------------------------


def undecided(session: Session, event: Competition, played: Sequence[CompetitionRound]) -> list[Match]:
    """Return the games of these rounds of one division that do not count, so that nobody goes through.

    A ruling has to name the winner or order a new game. Returns None if the event does not run.
    """
    drawn = bracket_of(session, event, event.division(played[0].division_id)) if played else None
    if drawn is None or event.status != CompetitionStatus.RUNNING:
        return []
    found = []
    for round in played:
        running = {frozenset(seat.entry_id for seat in match.seats) for match in round.open_matches}
        stuck = {
            frozenset(decision.players)
            for match in drawn.matches
            if match.round == round.number
            and (decision := drawn.decisions[match.number]).players.count(None) == 0
            and not decision.over
            and not decision.needs_extra
        } - running
        found += [
            match
            for match in round.matches
            if match.ended == VOID and frozenset(seat.entry_id for seat in match.seats) in stuck
        ]
    return found


def need_winners(session: Session, event: Competition, played: Sequence[CompetitionRound]) -> None:
    """Raise NotAccepted if a match of these rounds of one division has no winner yet and no game in progress."""
    if games := [game for round in played for game in missing_games(session, event, round)]:
        raise NotAccepted("round.drawn", Text("{n} matches are drawn: deciding games come first.", n=len(games)))
    if stuck := undecided(session, event, played):
        no_winner = Counted(
            "{n} game does not count, so that nobody goes through yet; see the page that runs the event.",
            "{n} games do not count, so that nobody goes through yet; see the page that runs the event.",
            n=len(stuck),
        )
        raise NotAccepted("round.undecided", no_winner)


# -- for pages ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slot:
    """A match of the bracket as a page shows it: how it stands, and its games."""

    match: BracketMatch
    decision: Decision
    games: tuple[Result, ...]


def slots(drawn: Bracket) -> list[list[Slot]]:
    """Return the matches of a bracket, round by round."""
    found: list[list[Slot]] = []
    for match in drawn.matches:
        decision = drawn.decisions[match.number]
        if match.round > len(found):
            found.append([])
        games = tuple(
            game for game in drawn.results if game.round == match.round and set(game.seats) == set(decision.players)
        )
        found[-1].append(Slot(match, decision, games))
    return found
