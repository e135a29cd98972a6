"""The round loop: pair, review and edit, publish, close.

A round is published only when an organiser says so or sets an hour, or its event's autopilot does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import Conflict, NotAccepted
from app.games.work import Work
from app.leagues.clubs import audit, club_rights
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries, lifecycle, matches, round_rows
from app.leagues.events.term_words import BYE_NAMES
from app.leagues.pure.model import BYES, Bye, Pairing, RejectedOpponent, Round
from app.leagues.pure.pairing.tasks import Task
from app.leagues.pure.why import Reason
from app.leagues.rounds import brackets, following, length, pairing, seeding, stages
from app.leagues.tables import (
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Division,
    Entrant,
    EntrantStatus,
    Role,
    RoundStatus,
)
from app.leagues.teams import rosters, team_rounds
from engine.kernel.text import Counted, Text, quoted

# -- the start ----------------------------------------------------------------------------------------


def start(acting: Acting) -> None:
    """End sign-up and number the players: by the last season if the terms say so, by rating, then by lot. The event is
    locked; starting again changes nothing.

    Raises NotAccepted for a division with fewer than two players, or players without a division.
    """
    session, event = acting.session, acting.event
    if event.status == CompetitionStatus.RUNNING:
        return
    playing = [entrant for entrant in entries.entrants(session, event.id) if entrant.status == EntrantStatus.ENTERED]
    without = ", ".join(entrant.name for entrant in playing if entrant.division_id is None)
    if without:
        text = Text("Give everybody who plays a division first: {names}", names=without)
        raise NotAccepted("event.undivided", text)
    least = event.title.least_seats
    for division in event.divisions:
        count = sum(entrant.division_id == division.id for entrant in playing)
        if count < least:
            raise NotAccepted(
                "event.too_few",
                Counted(
                    "{division} has {n} player; {least} are needed.",
                    "{division} has {n} players; {least} are needed.",
                    n=count,
                    division=division.name,
                    least=least,
                ),
            )
    order = seeding.order_by_terms(session, event, playing)
    for seed, entrant in enumerate(order, 1):
        session.exec(sa.update(Entrant).where(col(Entrant.id) == entrant.id).values(seed=seed))
    if event.finals:
        stages.deal(session, event, order)
    if event.boards:
        rosters.start(session, event)
    lifecycle.set_status(acting, CompetitionStatus.RUNNING)


def put_into_divisions(acting: Acting, placed: Mapping[int, int]) -> None:
    """Put entrants of an event, which is locked, into divisions before the start: numbers of entrants to numbers of
    divisions. Raises NotAccepted.
    """
    session, event = acting.session, acting.event
    if event.status not in (CompetitionStatus.DRAFT, CompetitionStatus.SIGN_UP):
        raise Conflict("event.started", Text("The event has started; this stays as it is."))
    known = {division.id for division in event.divisions}
    if not set(placed.values()) <= known:
        raise NotAccepted("event.division", Text("The event has no such division."))
    for entry_id, division_id in placed.items():
        here = sa.and_(col(Entrant.id) == entry_id, col(Entrant.event_id) == event.id)
        session.exec(sa.update(Entrant).where(here).values(division_id=division_id))
    acting.write("event.divided", after={str(entrant): division for entrant, division in placed.items()})


# -- pairing ------------------------------------------------------------------------------------------


def next_task(session: Session, event: Competition, division_id: int) -> tuple[Task, CompetitionRound | None]:
    """Return the data from which the next round of a division is paired, and its existing draft. Raises NotAccepted."""
    if event.status != CompetitionStatus.RUNNING:
        raise NotAccepted("event.not_running", Text("The event is not running."))
    there = round_rows.rounds_of(session, division_id, drafts=True)
    drafts = [each for each in there if each.status == RoundStatus.DRAFT]
    number = len(there) - len(drafts) + 1
    task = pairing.next_task(session, event, event.division(division_id), there, number)
    return task, drafts[0] if drafts else None


def event_of_division(session: Session, division_id: int) -> int:
    """Return the event a division belongs to. Raises NoSuchCompetition."""
    found = session.scalar(sa.select(col(Division.event_id)).where(col(Division.id) == division_id))
    if found is None:
        raise lifecycle.NoSuchCompetition(division_id)
    return int(found)


def keep_draft(acting: Acting, division_id: int, task: Task, paired: Round, draft: CompetitionRound | None) -> int:
    """Write a round that was worked out as the draft, in the caller's transaction; the number of its row."""
    session, event, now = acting.session, acting.event, acting.now
    warnings = team_rounds.named(session, event, paired.warnings) if event.boards else paired.warnings
    why: dict[str, Any] = {"warnings": matches.data_of(warnings), "totals": dict(paired.totals)}
    if task.seeds:
        why["order"] = list(task.seeds)
    if draft is None:
        made = CompetitionRound(event_id=event.id, division_id=division_id, number=paired.number, why=why, made_at=now)
        session.add(made)
        session.flush()
        round_id = made.id
    else:
        round_id = draft.id
        matches.delete_matches(session, round_id)
        # The hour set for the old draft no longer applies: nobody has reviewed the new one.
        again = {"version": col(CompetitionRound.version) + 1, "publish_at": None, "due_at": None}
        values = {"why": why, "made_at": now, **again}
        session.exec(sa.update(CompetitionRound).where(col(CompetitionRound.id) == round_id).values(**values))
    if event.boards:
        paired = team_rounds.write(session, event, round_id, paired)
        team_rounds.ask_captains(session, event, round_id, task.number, now)
    else:
        matches.write_matches(session, event, round_id, paired.pairings, paired.byes)
    acting.write(
        "round.paired",
        audit.round_of(task.number, division_id),
        after={"matches": len(paired.pairings), "byes": len(paired.byes)},
    )
    return round_id


# -- review and edit ----------------------------------------------------------------------------------


def edit(
    acting: Acting,
    round: CompetitionRound,
    seated: Sequence[Sequence[int]],
    free: Sequence[tuple[int, str]],
    reason: str,
) -> None:
    """Seat a draft, which is locked, by hand: entrants in the order of seats for each match, and byes as (entrant,
    kind).

    Everybody who was in the draft has to be in it once. Raises NotAccepted.
    """
    session, event, reason = acting.session, acting.event, audit.read_reason(reason)
    _judge_seats(event, round, seated, free)
    before = {"seats": [[seat.entry_id for seat in match.seats] for match in round.matches]}
    matches.delete_matches(session, round.id)
    pairings, byes = _by_hand(round, seated, free, Reason("pair.by_hand", by=acting.by_id, reason=reason))
    matches.write_matches(session, event, round.id, pairings, byes)
    values = {"version": round.version + 1}
    session.exec(sa.update(CompetitionRound).where(col(CompetitionRound.id) == round.id).values(**values))
    acting.write(
        "round.edited",
        audit.round_of(round.number, round.division_id),
        reason=reason,
        before=before,
        after={"seats": [list(seats) for seats in seated]},
    )


def _judge_seats(
    event: Competition, round: CompetitionRound, seated: Sequence[Sequence[int]], free: Sequence[tuple[int, str]]
) -> None:
    """Raise NotAccepted if a draft cannot be seated like this."""
    if event.boards:
        raise NotAccepted("round.teams", Text("Boards of teams are filled by their line-ups; change those instead."))
    everybody = sorted(seat.entry_id for match in round.matches for seat in match.seats)
    given = sorted([who for seats in seated for who in seats] + [who for who, _ in free])
    if given != everybody:
        raise NotAccepted("round.everybody", Text("Everybody of the round sits in one place, once."))
    sizes = event.sizes
    if any(len(seats) not in sizes for seats in seated):
        raise NotAccepted("round.sizes", Text("A game of this event has {sizes} seats.", sizes=tuple(map(str, sizes))))
    if any(kind not in BYES for _, kind in free):
        raise NotAccepted("round.bye", Text("The kinds of bye are {known}.", known=quoted(BYE_NAMES)))


def _by_hand(
    round: CompetitionRound, seated: Sequence[Sequence[int]], free: Sequence[tuple[int, str]], why: Reason
) -> tuple[list[Pairing], list[Bye]]:
    """Return a draft as seated by hand; unchanged games and byes keep their reasons, the others have this one."""
    kept = {(*(seat.entry_id for seat in match.seats), match.ended): match for match in round.matches}
    pairings, legs = [], Counter[frozenset[int]]()
    for table, seats in enumerate(seated, 1):
        legs[frozenset(seats)] += 1
        leg = legs[frozenset(seats)]
        same = kept.get((*seats, ""))
        if same is None:
            pairings.append(Pairing(tuple(seats), table, (why,), leg=leg))
        else:
            rejected = tuple(RejectedOpponent(opponent, against) for opponent, against in same.rejected)
            pairings.append(Pairing(tuple(seats), table, same.reasons, rejected, leg))
    byes = []
    for who, kind in free:
        same = kept.get((who, kind))
        byes.append(Bye(who, kind, (why,) if same is None else same.reasons))
    return pairings, byes


def locked(work: Work, round_id: int, by_id: int, now: datetime) -> tuple[Acting, CompetitionRound]:
    """Return a round, locked, for a deputy who acts in it. Raises NoSuchRound, NotAllowed."""
    round = round_rows.get(work.session, round_id, lock=True)
    return Acting(work, lifecycle.need(work.session, round.event_id, by_id, Role.DEPUTY), by_id, now), round


def lock_draft(work: Work, round_id: int, by_id: int, version: int, now: datetime) -> tuple[Acting, CompetitionRound]:
    """A draft, locked with its event, for a person who prepares its rounds. Raises NoSuchRound, NotAllowed,
    NotAccepted."""
    session = work.session
    event_id = session.exec(select(CompetitionRound.event_id).where(col(CompetitionRound.id) == round_id)).first()
    if event_id is None:
        raise round_rows.NoSuchRound(round_id)
    # Lock the event before the round, as leaving does: else a round could start with a player who has left.
    event = lifecycle.get(session, event_id, lock=True)
    role = club_rights.role_in(session, event, by_id)
    round = round_rows.get(session, round_id, lock=True)
    club_rights.judge(role, Role.DEPUTY)
    if round.status != RoundStatus.DRAFT:
        raise Conflict("round.published", Text("This has been done already."))
    if round.version != version:
        raise Conflict("round.changed", Text("This has been changed meanwhile; look at it again."))
    return Acting(work, event, by_id, now), round


# -- publishing and closing ---------------------------------------------------------------------------


def publish(acting: Acting, round: CompetitionRound, *, until: datetime | None = None) -> int:
    """Start all games of a draft, which is locked, and tell everybody; return how many games.

    `until`: when the round ends; None is after the days of the event's terms, if it has any. Raises NotAccepted.
    """
    if until is not None and until <= acting.now:
        raise end_passed()
    return put_out(acting, round, until)


def end_passed() -> NotAccepted:
    """Return the refusal of a round's end that has passed."""
    return NotAccepted("round.until", Text("The end of a round lies in the future."))


def usual_end(session: Session, event: Competition, number: int, now: datetime) -> datetime | None:
    """Return when a round published now ends: on the date that the terms of its event name, if it is in the future,
    else after their days."""
    named = length.dated(event.terms, number, club_rights.get(session, event.club_id).zone)
    if named is not None and named > now:
        return named
    return now + timedelta(days=event.terms.round_days) if event.terms.round_days else None


def put_out(acting: Acting, round: CompetitionRound, until: datetime | None = None, *, tells: bool = True) -> int:
    """Publish a draft in the caller's transaction, who has locked and judged it; how many games have started. Without
    `tells` no mail of the round is written."""
    work, event, now = acting.work, acting.event, acting.now
    named = until or round.due_at
    due = named if named is not None and named > now else usual_end(work.session, event, round.number, now)
    values = {"status": RoundStatus.PUBLISHED, "published_at": now, "publish_at": None, "due_at": due}
    work.session.exec(sa.update(CompetitionRound).where(col(CompetitionRound.id) == round.id).values(**values))
    started = matches.start_matches(work, event, round.number, round.matches, now, tells=tells)
    if event.boards:
        team_rounds.tell_byes(work, round.id, now)
    acting.write("round.published", audit.round_of(round.number, round.division_id), after={"games": started})
    return started


def close(acting: Acting, round: CompetitionRound) -> None:
    """Close a round, which is locked and whose games are over: its results stand, and the next one can be paired.

    Closing again changes nothing. Raises NotAccepted, which names the games that still run.
    """
    if round.status == RoundStatus.CLOSED:
        return
    if round.status == RoundStatus.DRAFT:
        raise NotAccepted("round.draft", Text("This round has not been published."))
    if running := [str(match.game_id) for match in round.open_matches]:
        raise NotAccepted(
            "round.games",
            Counted(
                "{n} game still runs: {games}. Wait, or open a ruling for it.",
                "{n} games still run: {games}. Wait, or open a ruling for each.",
                n=len(running),
                games=tuple(running[:12]),
            ),
        )
    brackets.need_winners(acting.session, acting.event, [round])
    acting.session.exec(
        sa.update(CompetitionRound)
        .where(col(CompetitionRound.id) == round.id)
        .values(status=RoundStatus.CLOSED, closed_at=acting.now)
    )
    acting.write("round.closed", audit.round_of(round.number, round.division_id))
    following.published_follow(acting, round.division_id, round.number)
