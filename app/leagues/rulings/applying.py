"""What a ruling does to a match and its game, and how a match is restored to its earlier state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from app.base.words.numbers import whole
from app.base.words.refusals import NotAccepted
from app.base.words.speech import Voice
from app.games.store import GameNow
from app.games.tables import DecisionMade, LogCause
from app.games.work import Work
from app.leagues.clubs.acting import Acting
from app.leagues.events import matches
from app.leagues.pure.model import DOUBLE_FORFEIT, PLAYED, VOID, WALKOVER, plain_points
from app.leagues.pure.standings import said_value
from app.leagues.pure.term_kinds import read_points
from app.leagues.results import outcomes
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Match,
    MatchSeat,
    RoundStatus,
    RulingDecision,
    Source,
)
from app.leagues.teams import team_rounds
from app.overdue import late_seat
from app.play.agreed import results
from app.play.turn.turns import play_of
from app.time import open_cases, pending
from app.time.tables import CaseKind, CaseRuling, NoteCause, NoteKind
from engine.kernel.refusals import Refusal, Unreadable
from engine.kernel.text import N_, Text

DECISIONS = tuple(one.value for one in RulingDecision)
DECISION_NAMES: dict[str, str] = {
    RulingDecision.DISMISSED: N_("nothing is changed"),
    RulingDecision.EXTENSION: N_("more time"),
    RulingDecision.FORFEIT: N_("the game is lost for one side"),
    RulingDecision.RESULT: N_("the result is set"),
    RulingDecision.VOID: N_("the game does not count"),
    RulingDecision.REPLAY: N_("the game is played again"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision with its details: days (EXTENSION), the place that loses (FORFEIT), points (RESULT)."""

    decision: RulingDecision
    days: int = 0
    place: int | None = None
    points: tuple[Fraction, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return it as stored in the row of the ruling."""
        return {"days": self.days, "place": self.place, "points": [str(one) for one in self.points]}


def read_verdict(typed: str, days: str, place: str, points: Sequence[str], seats: int) -> Verdict:
    """Read a decision as typed. Raises NotAccepted, which says what is missing."""
    if typed not in DECISIONS:
        raise NotAccepted("case.ruling", Text("Choose one of what is offered."))
    decision = RulingDecision(typed)
    if decision == RulingDecision.EXTENSION:
        return Verdict(decision, days=late_seat.read_days(days))
    if decision == RulingDecision.FORFEIT:
        side = whole(place, most=seats - 1)
        if side is None:
            raise NotAccepted("ruling.side", Text("Choose which side loses the game."))
        return Verdict(decision, place=side)
    if decision == RulingDecision.RESULT:
        try:
            given = tuple(read_points("points", plain_points(one)) for one in points)
        except Unreadable:
            given = ()
        if len(given) != seats:
            raise NotAccepted("ruling.points", Text("Give points such as 1, ½ or 1/3 for every side."))
        return Verdict(decision, points=given)
    return Verdict(decision)


def in_words(voice: Voice, decision: str, details: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a decision in words: who loses, or the points that are set, beside `names`, those of the seats in order.

    `details` are those of the ruling, or of the first decision if it was appealed against.
    """
    verdict = details.get("verdict") or {}
    points, place = verdict.get("points"), verdict.get("place")
    if decision == RulingDecision.FORFEIT and place is not None and place < len(names):
        return voice.gettext("the game is lost for {name}", name=names[place])
    if decision != RulingDecision.RESULT or not points:
        return voice.gettext(DECISION_NAMES[decision])
    said = [said_value("points", Fraction(one)) for one in points]
    result = " – ".join(f"{name}\N{NO-BREAK SPACE}{given}" for name, given in zip(names, said, strict=True))
    return voice.gettext("the result is set, {result}", result=result)


def snapshot(match: Match) -> dict[str, Any]:
    """Return the state of a match as plain data for the trail."""
    return {
        "ended": match.ended,
        "source": match.source,
        "game": match.game_id,
        "points": [None if seat.points is None else str(seat.points) for seat in match.seats],
        "scores": [seat.score for seat in match.seats],
        "by_time": [seat.by_time for seat in match.seats],
    }


def restore(session: Session, match_id: int, before: Mapping[str, Any], now: datetime) -> None:
    """Restore the earlier result of a match. It counts as a new one, so that ratings follow."""
    here = sa.update(Match).where(col(Match.id) == match_id)
    values = {"ended": before["ended"], "source": before["source"], "ended_at": now if before["ended"] else None}
    session.execute(here.values(**values))
    for place, points in enumerate(before["points"]):
        seat = sa.update(MatchSeat).where(col(MatchSeat.match_id) == match_id, col(MatchSeat.place) == place)
        values = {"points": points, "score": before["scores"][place], "by_time": before["by_time"][place]}
        session.execute(seat.values(**values))


# -- carrying out -------------------------------------------------------------------------------------


def carry_out(acting: Acting, match: Match, game: GameNow | None, verdict: Verdict, reason: str) -> None:
    """Carry out a decision in the transaction of the caller, who has locked the game.

    Raises NotAccepted if the decision does not fit the game's current state.
    """
    work, event, now = acting.work, acting.event, acting.now
    runs = game is not None and not game.is_over
    if verdict.decision == RulingDecision.EXTENSION:
        owed = pending.owed(work.session, game.id) if game is not None and runs else None
        if owed is None:
            raise NotAccepted("ruling.over", Text("The game waits for nobody, so that no time can be given."))
        seconds = verdict.days * 86400
        by_id = acting.by_id
        pending.note(work.session, owed, NoteKind.EXTENSION, NoteCause.ORGANISER, now, by_id=by_id, seconds=seconds)
        late_seat.grant(work, owed, seconds, now)
    elif verdict.decision == RulingDecision.FORFEIT:
        _forfeit(acting, match, game, verdict.place or 0, reason)
    elif verdict.decision == RulingDecision.RESULT:
        _check_points(event, verdict.points)
        _stop(work, game, now)
        ending = _ending(work.session, match, verdict.points)
        outcomes.settle(work.session, match.id, ending, "ruling", verdict.points, now)
    elif verdict.decision == RulingDecision.VOID:
        _stop(work, game, now)
        outcomes.settle(work.session, match.id, VOID, "ruling", [Fraction(0)] * len(match.seats), now)
    elif verdict.decision == RulingDecision.REPLAY:
        _replay(work, event, match, game, now)
    if event.boards:
        team_rounds.tell_when_over(work, match.id, now)


def _check_points(event: Competition, points: Sequence[Fraction]) -> None:
    """Refuse more points for a game than the terms give for one; a typing error would decide the event."""
    terms = event.terms
    most = max(terms.worth[:3]) if len(points) == 2 else max(terms.places[len(points)])
    if max(points) > most:
        raise NotAccepted(
            "ruling.most",
            Text(
                "In the standings a game of this event brings at most {most}; the points of the board do not belong"
                " here.",
                most=said_value("points", most),
            ),
        )


def _stop(work: Work, game: GameNow | None, now: datetime) -> None:
    """End a game that still runs without a result."""
    if game is not None and not game.is_over:
        results.void(work, game, now, tells=False)


def _ending(session: Session, match: Match, points: Sequence[Fraction]) -> str:
    """Return what kind of ending these points count as.

    A game in which a decision was made, or in which both get points, was played; otherwise one side or both have lost
    without playing.
    """
    gaining = sum(given > 0 for given in points)
    begun = sa.exists(sa.select(col(DecisionMade.game_id)).where(col(DecisionMade.game_id) == match.game_id))
    if len(points) > 2 or gaining > 1 or session.scalar(sa.select(begun)):
        return PLAYED
    return WALKOVER if gaining else DOUBLE_FORFEIT


def _forfeit(acting: Acting, match: Match, game: GameNow | None, place: int, reason: str) -> None:
    work, event, now = acting.work, acting.event, acting.now
    session, runs = work.session, game is not None and not game.is_over
    if len(match.seats) > 2 and not runs:
        raise NotAccepted("ruling.table", Text("This game of several is over; set its result instead."))
    if game is not None and runs:
        seat = game.seats[place].seat
        case, owed = open_cases.running(session, game.id), pending.owed(session, game.id)
        if case is not None and owed is not None and case.kind == CaseKind.TIME and case.seat == seat == owed.seat:
            late_seat.end_by_time(work, game, owed, case, CaseRuling.FORFEIT, acting.by_id, now, reason)
            session.exec(
                sa.update(Match).where(col(Match.id) == match.id, col(Match.ended) != "").values(source=Source.RULING)
            )
            return
    if len(match.seats) == 2:
        points = [event.terms.worth.loss if seat.place == place else event.terms.worth.win for seat in match.seats]
        outcomes.settle(session, match.id, _ending(session, match, points), "ruling", points, now)
    if game is not None and runs:
        play = play_of(game)
        try:
            play.resign(game.seats[place].seat, LogCause.RULING)
        except Refusal as no:
            raise NotAccepted(no.code, no.why) from None
        play.answer_what_needs_no_asking()
        results.end_or_go_on(work, game, play, None, now)


def _replay(work: Work, event: Competition, match: Match, game: GameNow | None, now: datetime) -> None:
    if event.status != CompetitionStatus.RUNNING:
        raise NotAccepted("event.not_running", Text("The event is not running."))
    _stop(work, game, now)
    nothing = [None] * len(match.seats)
    before = {"ended": "", "source": "", "points": nothing, "scores": nothing, "by_time": [False] * len(nothing)}
    restore(work.session, match.id, before, now)
    round_id = sa.select(col(Match.round_id)).where(col(Match.id) == match.id).scalar_subquery()
    closed = sa.update(CompetitionRound).where(
        col(CompetitionRound.id) == round_id, col(CompetitionRound.status) == RoundStatus.CLOSED
    )
    work.session.execute(closed.values(status=RoundStatus.PUBLISHED, closed_at=None))
    matches.start_game(work, event, match, now)
