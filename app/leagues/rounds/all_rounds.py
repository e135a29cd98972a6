"""All rounds of a round robin at once, as in correspondence chess: previewed, then paired and published in one act,
with one mail to each player that names all the games.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.base.words.refusals import Conflict, NotAccepted
from app.games.work import Work
from app.leagues.clubs.acting import Acting
from app.leagues.events import lifecycle, matches, round_rows
from app.leagues.pure.model import Round
from app.leagues.pure.pairing.tasks import Task
from app.leagues.rounds import pairing, publish_preview, round_loop, schedule
from app.leagues.tables import Competition, CompetitionStatus, Division, Entrant
from app.people import accounts
from app.people.tables import Player
from engine.kernel.text import Text


@dataclass(frozen=True, slots=True)
class GamesOfOne:
    """What one player gets when all rounds begin."""

    name: str
    games: int
    mail: bool
    """The mail that names all the games; not for players who want no news or have no address."""
    turns: int
    """Turn mails for games in which the player moves first; not for players who want none."""


@dataclass(frozen=True, slots=True)
class RoundsAhead:
    """All unpublished rounds of an event, as they would be published now."""

    parts: Sequence[tuple[Division, Sequence[Round]]]
    """The divisions that have some, the highest first."""
    names: Mapping[int, str]
    """By entrant."""
    players: Sequence[GamesOfOne]
    ends: datetime | None
    """The end of all rounds by the terms of the event; None if they do not say."""
    drawn: bool
    """Chance decides who moves first, and so who gets a turn mail."""

    @property
    def games(self) -> int:
        return sum(len(round.pairings) for _, rounds in self.parts for round in rounds)

    @property
    def seen(self) -> str:
        """Return a token that identifies these pairings."""
        return _seen(self.parts)


Left = Sequence[tuple[Division, Sequence[Entrant], Sequence[Round]]]
"""The divisions with unpublished rounds that can all begin: who is in the table, and the rounds."""


def left(session: Session, event: Competition) -> Left:
    """Return all rounds of an event that could begin at once; empty for one that does not run or has no such rounds."""
    if event.status != CompetitionStatus.RUNNING or event.boards:
        return ()
    found = []
    for division in event.divisions:
        if event.plays_in(division).is_laid_out:
            people = schedule.people(session, event, division)
            order = [entrant.as_competitor() for entrant in people]
            if rounds := schedule.rest(session, event, order, round_rows.rounds_of(session, division.id)):
                found.append((division, people, rounds))
    return found


def _need_left(session: Session, event: Competition) -> Left:
    """Return what is left of an event; raise NotAccepted if nothing can begin at once."""
    if event.boards or not any(event.plays_in(division).is_laid_out for division in event.divisions):
        raise NotAccepted(
            "rounds.format", Text("Only a round robin, or a group, without teams can begin all its rounds at once.")
        )
    if event.status != CompetitionStatus.RUNNING:
        raise NotAccepted("event.not_running", Text("The event is not running."))
    found = left(session, event)
    if not found:
        there = round_rows.rounds_of(session, event.divisions[-1].id)
        raise NotAccepted("round.last", lifecycle.all_paired(len(there)))
    if any(pairing.open_job(session, division.id) is not None for division, _, _ in found):
        raise pairing.at_work()
    return found


def foresee(session: Session, event: Competition, now: datetime) -> RoundsAhead:
    """Return what beginning all rounds of an event would do now. Changes nothing. Raises NotAccepted."""
    found = _need_left(session, event)
    asked = select(Player).where(col(Player.id).in_({one.player_id for _, people, _ in found for one in people}))
    accounts = {player.id: player for player in session.exec(asked)}
    opens = publish_preview.first_to_move(event, 2)
    players = []
    for _, people, rounds in found:
        for entrant in people:
            mine = [pair.seats for round in rounds for pair in round.pairings if entrant.id in pair.seats]
            who = accounts.get(entrant.player_id)
            if not mine or who is None:
                continue
            reached = bool(who.address) and who.erased_at is None
            first = sum(opens is not None and seats[opens] == entrant.id for seats in mine)
            turns = first if reached and who.mail_turns else 0
            players.append(GamesOfOne(entrant.name, len(mine), reached and who.mail_news, turns))
    names = {one.id: one.name for _, people, _ in found for one in people}
    parts = [(division, rounds) for division, _, rounds in found]
    return RoundsAhead(parts, names, players, _usual_end(session, event, found, now), opens is None)


def _usual_end(session: Session, event: Competition, found: Left, now: datetime) -> datetime | None:
    """Return when rounds that begin together end: as the last of them does that begins now."""
    return round_loop.usual_end(session, event, max(rounds[-1].number for _, _, rounds in found), now)


def begin(acting: Acting, *, seen: str | None = None, until: datetime | None = None) -> int:
    """Pair and publish all remaining rounds of an event, which is locked; return how many games start.

    Existing drafts are replaced.

    `seen` (`RoundsAhead.seen`) ensures that these are the pairings that were previewed. `until`: when they end; None is
    the end of `foresee`. Raises NotAccepted.
    """
    session, event, now = acting.session, acting.event, acting.now
    found = _need_left(session, event)
    if until is not None and until <= now:
        raise round_loop.end_passed()
    if seen is not None and seen != _seen([(division, rounds) for division, _, rounds in found]):
        raise Conflict("rounds.changed", Text("The rounds have changed meanwhile; look at them again."))
    ends = until or _usual_end(session, event, found, now)
    games = 0
    for division, people, rounds in found:
        for draft in round_rows.drafts_of(session, division.id):
            matches.delete_draft(session, draft.id)
        games += sum(_publish(acting, division, round, ends) for round in rounds)
        _tell(acting.work, event, division, rounds, people, now)
    return games


def _seen(parts: Sequence[tuple[Division, Sequence[Round]]]) -> str:
    pairings = [
        (division.id, one.number, [pair.seats for pair in one.pairings], [bye.entrant for bye in one.byes])
        for division, rounds in parts
        for one in rounds
    ]
    return hashlib.sha256(repr(pairings).encode()).hexdigest()[:16]


def _publish(acting: Acting, division: Division, round: Round, ends: datetime | None) -> int:
    made = round_loop.keep_draft(acting, division.id, Task(round.number, made=round), round, None)
    return round_loop.put_out(acting, round_rows.get(acting.session, made, lock=True), ends, tells=False)


def _tell(
    work: Work, event: Competition, division: Division, left: Sequence[Round], people: Sequence[Entrant], now: datetime
) -> None:
    """Mail all the games to each player, once."""
    playing = {entrant for round in left for pair in round.pairings for entrant in pair.seats}
    first, last = left[0].number, left[-1].number
    details = {"event": event.id, "division": division.id, "rounds": [first, last]}
    told = accounts.addresses(work.session, [one.player_id for one in people if one.id in playing])
    work.outbox.tell(told, "event_round", f"event_rounds:{division.id}:{first}", details, now)
