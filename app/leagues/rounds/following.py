"""Updates later rounds when an earlier result changes.

A draft was made from the old results: it is thrown away, to be paired again. A published round of a knock-out follows:
the game of an eliminated player counts for nobody, and the player who goes through instead gets a game. So do finals
whose groups have changed, as long as nobody has moved in them; else the organisers are told. Everything else that has
been published stays; a ruling has to settle its games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.events import matches, round_rows
from app.leagues.pure.model import VOID, Bye, Pairing
from app.leagues.pure.pairing.knockout import Bracket
from app.leagues.results import outcomes
from app.leagues.rounds import brackets, finals
from app.leagues.tables import CompetitionRound, CompetitionStatus, Match, RoundStatus
from app.play.agreed import results


def result_changed(
    acting: Acting, changed: CompetitionRound, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[Match]:
    """Let later rounds follow a result of this one that is another one now (`applying.snapshot`); return the matches
    whose running games that ends."""
    event, plays = acting.event, acting.event.plays
    if not (plays.by_round or plays.has_bracket) or all(before[key] == after[key] for key in ("ended", "points")):
        return []
    division_id, after_round = changed.division_id, changed.number
    if event.finals and division_id != event.finals.id:  # groups go by schedule; the finals follow from them
        division_id, after_round = event.finals.id, 0
    for draft in round_rows.drafts_of(acting.session, division_id):
        matches.discard(acting, draft)
    return published_follow(acting, division_id, after_round)


def published_follow(acting: Acting, division_id: int, number: int) -> list[Match]:
    """Let the published rounds of a knock-out that come after this one follow its bracket as it is now; return the
    matches whose running games that ends."""
    event = acting.event
    if not event.plays.has_bracket or event.status != CompetitionStatus.RUNNING:
        return []
    if event.finals and (number == 0 or division_id != event.finals.id):
        return _finals_follow(acting)
    drawn = brackets.bracket_of(acting.session, event, event.division(division_id))
    if drawn is None:
        return []
    later = [
        round
        for round in round_rows.rounds_of(acting.session, division_id)
        if round.status == RoundStatus.PUBLISHED and round.number > number
    ]
    return [match for round in later for match in _follow(acting, round, drawn)]


def _follow(acting: Acting, round: CompetitionRound, drawn: Bracket) -> list[Match]:
    """The same for one round: whose opponent is another one now, and who is out."""
    out = {
        decision.loser
        for match in drawn.matches
        if match.round < round.number and (decision := drawn.decisions[match.number]).over
    }
    drawn_now = drawn.pair_round(round.number).pairings
    pairs = {frozenset(game.seats) for game in drawn_now}
    wrong = [match for match in round.open_matches if _players(match) not in pairs and out & _players(match)]
    return _play_instead(acting, round, wrong, drawn_now)


def _play_instead(
    acting: Acting,
    round: CompetitionRound,
    wrong: Sequence[Match],
    drawn: Sequence[Pairing],
    byes: Sequence[Bye] = (),
) -> list[Match]:
    """Call games of a round off and begin those of its bracket (`drawn`) that are not there, with new byes; return the
    matches whose games ran."""
    work, event, now = acting.work, acting.event, acting.now
    session = work.session
    if wrong:
        matches.lock_games(session, [match.game_id for match in wrong if match.game_id is not None])
    ran = [match for match in wrong if _call_off(acting, match)]
    # A game annulled by a ruling of its own is left to that ruling, unless its players change.
    there = {_players(match) for match in round.matches if match.ended != VOID or not wrong}
    due = [game for game in drawn if frozenset(game.seats) not in there]
    if not wrong and not due and not byes:
        return []
    last = max(match.number for match in round.matches)
    made = set(matches.write_matches(session, event, round.id, due, byes, last))
    added = [match for match in round_rows.get(session, round.id).matches if match.id in made]
    matches.start_matches(work, event, round.number, added, now)
    acting.write("round.followed", audit.round_of(round.number, round.division_id), after={"games": len(due)})
    return ran


def _finals_follow(acting: Acting) -> list[Match]:
    """Let the finals follow tables of groups that have changed since they were published; return as above.
    Where a move has been made in the finals they stay, and the organisers are told."""
    session, event = acting.session, acting.event
    if games := finals.games(session, event):
        matches.lock_games(session, games)  # so that nobody moves in the meantime
    found = finals.behind(session, event)
    if found is None:
        return []
    division = event.divisions[0]
    if found.begun:
        act = acting.write("finals.stay", audit.round_of(1, division.id), after={"games": len(found.begun)})
        details = {"event": event.id, "act": finals.FINALS, "division": division.id, "number": 0, "version": 0}
        organisers = club_rights.organisers(session, event.club_id)
        acting.work.outbox.tell(organisers, "event_asks", f"finals:{act}", details, acting.now)
        return []
    round = round_rows.rounds_of(session, division.id)[0]
    order = sa.update(CompetitionRound).where(col(CompetitionRound.id) == round.id)
    session.execute(order.values(why=round.why | {"order": list(found.seeds)}))
    drawn = brackets.bracket_of(session, event, division)
    assert drawn is not None
    made = drawn.pair_round(round.number)
    pairs = {frozenset(game.seats) for game in made.pairings}
    wrong = [match for match in round.open_matches if _players(match) not in pairs]
    free = {match.seats[0].entry_id: match.id for match in round.matches if match.is_bye}
    frees = {bye.entrant for bye in made.byes}
    matches.delete_some(session, [number for entrant, number in free.items() if entrant not in frees])
    new = [bye for bye in made.byes if bye.entrant not in free]
    return _play_instead(acting, round, wrong, made.pairings, new)


def _players(match: Match) -> frozenset[int]:
    return frozenset(seat.entry_id for seat in match.seats)


def _call_off(acting: Acting, match: Match) -> bool:
    """Annul the match; its players are told if its game still runs, and so is the caller."""
    game = None if match.game_id is None else acting.work.store.load(match.game_id, for_writing=True)
    runs = game is not None and not game.is_over
    if game is not None and runs:
        results.void(acting.work, game, acting.now, corrects=acting.event.name)
    outcomes.settle(acting.session, match.id, VOID, "ruling", [Fraction(0)] * len(match.seats), acting.now)
    return runs
