"""Steps of an event that are taken back: a round that was published, the start, the end. Each says whom it mails."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.words.refusals import Conflict, NotAccepted
from app.games.tables import DecisionMade
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting
from app.leagues.events import entries, matches, round_rows
from app.leagues.seasons import again
from app.leagues.tables import (
    STILL_IN,
    Audit,
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Entrant,
    Match,
    RoundStatus,
)
from app.people import accounts
from app.play.agreed import results
from engine.kernel.text import Text

MAIL = "event_back"


def may_unpublish(session: Session, event: Competition, round: CompetitionRound) -> bool:
    """Whether a published round can be a draft again: it is the last one, and nothing has been decided in it."""
    there = round_rows.rounds_of(session, round.division_id, drafts=True)
    if event.status != CompetitionStatus.RUNNING or event.plays.by_challenge or there[-1].id != round.id:
        return False
    if round.status != RoundStatus.PUBLISHED or any(one.ended and not one.is_bye for one in round.matches):
        return False
    games = [one.game_id for one in round.matches if one.game_id]
    moved = sa.select(col(DecisionMade.game_id)).where(col(DecisionMade.game_id).in_(games))
    return session.execute(moved.limit(1)).first() is None


def unpublish(acting: Acting, round: CompetitionRound) -> None:
    """Make a published round, which is locked with its event, a draft again: its games end, and a mail tells all its
    players. Raises Conflict."""
    session, now = acting.session, acting.now
    games = [one.game_id for one in round.matches if one.game_id]
    matches.lock_games(session, games)
    if not may_unpublish(session, acting.event, round):
        raise Conflict("round.begun", Text("Somebody has moved in this round, or a later one is there, so it stays."))
    for game_id in games:
        results.void(acting.work, acting.work.store.load(game_id, for_writing=True), now, tells=False)
    session.exec(sa.update(Match).where(col(Match.round_id) == round.id).values(game_id=None))
    draft = {"status": RoundStatus.DRAFT, "version": round.version + 1, "made_at": now}
    draft |= dict.fromkeys(("published_at", "publish_at", "due_at"))
    session.exec(sa.update(CompetitionRound).where(col(CompetitionRound.id) == round.id).values(**draft))
    act = acting.write("round.unpublished", audit.round_of(round.number, round.division_id))
    players = {seat.player_id for match in round.matches for seat in match.seats}
    _tell(acting, players, act, {"round": round.id, "number": round.number})


def to_sign_up(acting: Acting) -> None:
    """Open sign-up again for an event, which is locked and of which no round has been published; nobody is told, since
    nobody was told of its start. Raises NotAccepted."""
    session, event = acting.session, acting.event
    if event.status == CompetitionStatus.SIGN_UP:
        return
    rounds = [one for part in event.divisions for one in round_rows.rounds_of(session, part.id, drafts=True)]
    if event.boards or event.finals or any(one.status != RoundStatus.DRAFT for one in rounds):
        raise NotAccepted(
            "event.published", Text("Sign-up opens again only before the first round, without teams and groups.")
        )
    for one in rounds:
        matches.discard(acting, one)
    session.exec(sa.update(Entrant).where(col(Entrant.event_id) == event.id).values(seed=0))
    _set(acting, CompetitionStatus.RUNNING, CompetitionStatus.SIGN_UP, started_at=None, sign_up_until=None)


def reopen(acting: Acting) -> None:
    """Let an event, which is locked and over, go on; a mail tells its players. Raises NotAccepted once the next season
    is drafted."""
    session, event = acting.session, acting.event
    if event.status == CompetitionStatus.RUNNING:
        return
    if again.next_event(session, event) is not None:
        raise NotAccepted("event.followed", Text("There is a sketch of the next season; throw that away first."))
    act = _set(acting, CompetitionStatus.OVER, CompetitionStatus.RUNNING, ended_at=None)
    kept = select(Audit.id).where(col(Audit.event_id) == event.id, audit.IS_FINAL)
    for standings in session.exec(kept).all():
        audit.mark_undone(session, standings, act or 0)
    there = entries.entrants(session, event.id)
    _tell(acting, (one.player_id for one in there if one.status in STILL_IN), act, {})


def _set(acting: Acting, before: CompetitionStatus, after: CompetitionStatus, **values: Any) -> int | None:  # noqa: ANN401
    here = sa.and_(col(Competition.id) == acting.event.id, col(Competition.status) == before)
    if acting.session.exec(sa.update(Competition).where(here).values(status=after, **values)).rowcount != 1:
        raise Conflict("event.status", Text("This has been done already."))
    return acting.write("event.back", before={"status": before}, after={"status": after})


def _tell(acting: Acting, players: Iterable[int], act: int | None, about: dict[str, Any]) -> None:
    told = accounts.addresses(acting.session, set(players))
    details = {"event": acting.event.id, "by": acting.by_id, **about}
    acting.work.outbox.tell(told, MAIL, f"{MAIL}:{act}", details, acting.now)
