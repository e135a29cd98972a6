"""What follows for later rounds when a result behind them changes.

A draft was made from the results as they stood: it is thrown away, to be paired anew. A published round of a knock-out
follows: the game of somebody who is out now counts for nobody, and who goes through instead gets a game. What else has
been published stays; a ruling has to say what becomes of its games.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from app.leagues import audit, brackets, matches, outcomes, round_rows
from app.leagues.pure.model import VOID
from app.leagues.tables import EventStatus, RoundStatus
from app.play import results

if TYPE_CHECKING:
    from app.games.work import Work
    from app.leagues.pure.knockout import Bracket
    from app.leagues.tables import Event, EventRound, Match

BY_SCHEDULE = frozenset({"round_robin", "ladder"})
"""The formats in which no result has a say in who meets whom."""


def result_changed(
    work: Work,
    event: Event,
    changed: EventRound,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    by_id: int,
    now: datetime,
) -> int:
    """Let later rounds follow a result of this one that is another one now (`verdicts.snapshot`); how many drafts are
    gone."""
    if event.format in BY_SCHEDULE or all(before[key] == after[key] for key in ("ended", "points")):
        return 0
    division_id, after_round = changed.division_id, changed.number
    if event.format == "stages" and division_id != event.divisions[0].id:
        after_round = 0
        division_id = event.divisions[0].id  # groups go by schedule; the finals follow from them
    drafts = round_rows.drafts_of(work.session, division_id)
    for draft in drafts:
        matches.discard(work.session, event, draft, by_id, now)
    published_follow(work, event, division_id, after_round, by_id, now)
    return len(drafts)


def published_follow(work: Work, event: Event, division_id: int, number: int, by_id: int | None, now: datetime) -> int:
    """Let the published rounds of a knock-out that come after this one follow its bracket as it is now; how many games
    have begun."""
    if event.format not in ("knockout", "stages") or event.status != EventStatus.RUNNING:
        return 0
    drawn = brackets.bracket_of(work.session, event, event.division(division_id))
    if drawn is None:
        return 0
    begun = 0
    for round in round_rows.rounds_of(work.session, division_id):
        if round.status == RoundStatus.PUBLISHED and round.number > number:
            begun += _follow(work, event, round, drawn, by_id, now)
    return begun


def _follow(work: Work, event: Event, round: EventRound, drawn: Bracket, by_id: int | None, now: datetime) -> int:
    """The same for one round: whose opponent is another one now, and who is out."""
    session = work.session
    out = {
        decision.loser
        for match in drawn.matches
        if match.round < round.number and (decision := drawn.decisions[match.number]).over
    }
    drawn_now = drawn.pair_round(round.number).pairings
    pairs = {frozenset(game.seats) for game in drawn_now}
    wrong = [match for match in round.open_matches if _players(match) not in pairs and out & _players(match)]
    if wrong:
        matches.lock_games(session, [match.game_id for match in wrong if match.game_id is not None])
    for match in wrong:
        _call_off(work, match, now)
    # A game that a ruling of its own lets not count is left to that ruling, unless who sits in it changes.
    there = {_players(match) for match in round.matches if match.ended != VOID or not wrong}
    due = [game for game in drawn_now if frozenset(game.seats) not in there]
    last = max(match.number for match in round.matches)
    for at, game in enumerate(due, last + 1):
        matches.write_match(session, round.id, at, game.seats, matches.why_of(game), game.leg)
    if not wrong and not due:
        return 0
    added = round_rows.get(session, round.id).matches[-len(due) :] if due else []
    matches.start_matches(work, event, round.number, added, now)
    about, kept = audit.round_of(round.number, round.division_id), {"games": len(due)}
    act = "round.followed"
    audit.write(session, event.club_id, act, at=now, by_id=by_id, event_id=event.id, subject=about, after=kept)
    return len(due)


def _players(match: Match) -> frozenset[int]:
    return frozenset(seat.entry_id for seat in match.seats)


def _call_off(work: Work, match: Match, now: datetime) -> None:
    """The match counts for nobody; its players are told where its game still runs."""
    if match.game_id is not None:
        game = work.store.load(match.game_id, for_writing=True)
        if not game.is_over:
            results.void(work, game, now)
    outcomes.settle(work.session, match.id, VOID, "ruling", [Fraction(0)] * len(match.seats), now)
