"""Rulings of an event: claims by players, the file for those who decide, decisions with a reason, and appeals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from app.base.stored.columns import columns_of
from app.base.stored.database import Database
from app.base.words.refusals import Conflict, NoSuch, NotAccepted, NotAllowed
from app.base.words.speech import Voice
from app.games.store import GameNow, GameStore, NoSuchGame
from app.games.tables import DecisionMade
from app.games.work import Work
from app.leagues.clubs import audit
from app.leagues.clubs.acting import Acting, ActRequest
from app.leagues.events import lifecycle, round_rows, two_clubs
from app.leagues.pure.terms import APPEAL_DAYS
from app.leagues.rounds import following
from app.leagues.rulings import applying, opening
from app.leagues.rulings.applying import Verdict
from app.leagues.tables import (
    About,
    Audit,
    Competition,
    CompetitionRound,
    CompetitionStatus,
    Entrant,
    Match,
    MatchSeat,
    RoundStatus,
    Ruling,
    RulingDecision,
    RulingStatus,
)
from app.people.tables import Player
from app.play.lists import scores
from app.play.turn.turns import said_of
from app.post.kept import ledger
from app.time import pending
from engine.kernel.text import N_, Text

LISTED = 200
TAKEN_BACK = (RulingDecision.DISMISSED, RulingDecision.VOID, RulingDecision.RESULT)
"""Decisions that can be undone when the game is over: they started nothing."""
UNDOES = "ruling.undoes"
"""Why a decision is refused until its maker knows which games it ends."""
ONLY_CONCERNED = Text("A ruling is shown to the players of the game and to those who can rule.")


class NoSuchRuling(NoSuch):
    """The event has no ruling with this number."""

    sentence = N_("There is nothing at this address.")


@dataclass(frozen=True, slots=True)
class RulingFile:
    """What a person needs to know to decide, with nothing that favours a side."""

    ruling: Ruling
    event: Competition
    round: int
    match: Match
    game: GameNow | None
    sees_secrets: bool
    """Whether the reader may see what was hidden: not if they play in the event."""
    log: Sequence[tuple[datetime, str]]
    """What everybody could see happen, in sentences."""
    orders: Sequence[Any]
    """What the seats sent, word for word (seat, number, orders, made_at); empty while secrets stay hidden."""
    clock: Sequence[Any]
    """The game's log of time."""
    mails: Sequence[ledger.MailOnRecord]
    """Mails about the game and their delivery: kind, name, state, made_at, sent_at, attempts, last_error."""
    names: Mapping[int, str]
    """The names of the people in the ruling, by number."""
    scores: Mapping[str, int]
    """The public points of the game, by seat."""
    said: Mapping[int, str]
    """What the players say about it, by player."""

    @property
    def sides(self) -> set[int]:
        """Return the players of the match."""
        return {seat.player_id for seat in self.match.seats}


# -- looking ------------------------------------------------------------------------------------------


def find(session: Session, event_id: int, ruling_id: int, *, lock: bool = False) -> Ruling:
    """Return the row of a ruling. Raises NoSuchRuling."""
    asked = select(Ruling).where(col(Ruling.id) == ruling_id, col(Ruling.event_id) == event_id)
    row = session.exec(asked.with_for_update() if lock else asked).first()
    if row is None or row.match_id is None:
        raise NoSuchRuling(ruling_id)
    return row


def of_event(session: Session, event_id: int) -> Sequence[Any]:
    """Return the rulings of an event with the numbers of round and game, open ones first, then the newest."""
    waits = sa.case((col(Ruling.status).in_(opening.WAITING), 0), else_=1)
    return session.execute(
        sa.select(
            *columns_of(Ruling),
            col(CompetitionRound.number).label("round"),
            col(Match.number).label("table"),
            col(Match.game_id),
        )
        .join(Match, col(Match.id) == col(Ruling.match_id))
        .join(CompetitionRound, col(CompetitionRound.id) == col(Match.round_id))
        .where(col(Ruling.event_id) == event_id)
        .order_by(waits, col(Ruling.id).desc())
        .limit(LISTED)
    ).all()


def waiting_in(session: Session, round_id: int) -> int:
    """Count the rulings and appeals about games of a round that wait for a decision."""
    here = sa.and_(col(Match.round_id) == round_id, col(Ruling.status).in_(opening.WAITING))
    counted = select(sa.func.count()).select_from(Ruling).join(Match, col(Match.id) == col(Ruling.match_id))
    return session.exec(counted.where(here)).one()


def not_final(session: Session, event_id: int, now: datetime) -> Sequence[Ruling]:
    """Return the rulings of an event that wait for a decision, and those that could still be appealed against."""
    appealable = sa.and_(col(Ruling.status) == RulingStatus.DECIDED, col(Ruling.appeal_until) >= now)
    live = sa.or_(col(Ruling.status).in_(opening.WAITING), appealable)
    asked = select(Ruling).where(col(Ruling.event_id) == event_id, col(Ruling.match_id).is_not(None), live)
    return session.exec(asked).all()


def is_final(row: Ruling, now: datetime) -> bool:
    """Whether no appeal or decision can change it any more."""
    if row.status == RulingStatus.DECIDED:
        return row.appeal_until is not None and now > row.appeal_until
    return row.status in (RulingStatus.FINAL, RulingStatus.WITHDRAWN)


def round_of(session: Session, match_id: int) -> CompetitionRound:
    """Return the round of a match."""
    round_id = session.scalar(sa.select(col(Match.round_id)).where(col(Match.id) == match_id))
    return round_rows.get(session, round_id or 0)


def match_of(session: Session, match_id: int) -> tuple[int, Match]:
    """Return the number of the round and the match itself."""
    round = round_of(session, match_id)
    return round.number, next(match for match in round.matches if match.id == match_id)


def match_in(session: Session, event_id: int, match_id: int) -> tuple[int, Match]:
    """Return `match_of` for a match of this event whose round is published. Raises NoSuchCompetition for any other."""
    asked = sa.select(col(CompetitionRound.event_id), col(CompetitionRound.status)).join(
        Match, col(Match.round_id) == col(CompetitionRound.id)
    )
    row = session.execute(asked.where(col(Match.id) == match_id)).first()
    if row is None or row.event_id != event_id or row.status == RoundStatus.DRAFT:
        raise lifecycle.NoSuchCompetition(event_id)
    return match_of(session, match_id)


def who_played(session: Session, match_id: int) -> set[int]:
    """Return the players of a match, including those who handed over their seat."""
    rows = session.execute(
        sa.select(col(MatchSeat.entry_id), col(MatchSeat.played_by)).where(col(MatchSeat.match_id) == match_id)
    ).all()
    there = {row.entry_id for row in rows} | {held[0] for row in rows for held in row.played_by}
    return set(session.scalars(sa.select(col(Entrant.player_id)).where(col(Entrant.id).in_(there))))


def may_decide(session: Session, row: Ruling, event: Competition, player_id: int | None) -> bool:
    """Whether this player can decide a waiting ruling."""
    if player_id is None or row.status not in opening.WAITING:
        return False
    before = _decided_before(row)
    if player_id in before or not two_clubs.rules_in(session, event, player_id, before):
        return False
    return player_id not in who_played(session, row.match_id)


def _decided_before(row: Ruling) -> set[int]:
    """Return who made the decision that is appealed against."""
    return {row.decided_by} if row.status == RulingStatus.APPEALED and row.decided_by is not None else set()


def may_appeal(session: Session, row: Ruling, player_id: int | None, now: datetime) -> bool:
    """Whether this player can appeal now."""
    if player_id is None or row.status != RulingStatus.DECIDED or is_final(row, now):
        return False
    return player_id in opening.players_of(session, row.match_id)


def packet(session: Session, event_id: int, ruling_id: int, reader_id: int, voice: Voice) -> RulingFile:
    """Return the file of a ruling as an organiser or referee sees it. Raises NoSuchRuling. Changes nothing."""
    row = find(session, event_id, ruling_id)
    event = lifecycle.get(session, event_id)
    number, match = match_of(session, row.match_id)
    neutral = opening.is_neutral(session, event_id, reader_id)
    people = {row.opened_by, row.decided_by, row.appealed_by, row.final_by} - {None}
    asked_names = sa.select(col(Player.id), col(Player.name)).where(col(Player.id).in_(people))
    names = {who.id: who.name for who in session.execute(asked_names)}
    words = {int(who): text for who, text in row.details.get("said", {}).items()}
    try:
        game = GameStore(session).load(match.game_id or 0)
    except NoSuchGame:
        return RulingFile(row, event, number, match, None, neutral, (), (), (), (), names, {}, words)
    log = [
        (at, sentence)
        for _, at, step in GameStore(session).log(game.title, game.id)
        for sentence in said_of(game, step.told(game.title), None, voice)
    ]
    orders: Sequence[Any] = ()
    if neutral:
        asked = sa.select(
            col(DecisionMade.seat), col(DecisionMade.number), col(DecisionMade.orders), col(DecisionMade.made_at)
        )
        sent = asked.where(col(DecisionMade.game_id) == game.id, col(DecisionMade.orders).is_not(None))
        orders = session.execute(sent.order_by(col(DecisionMade.number).desc()).limit(LISTED)).all()
    mails = ledger.of_game(session, game.id, LISTED)
    clock = pending.events(session, game.id)
    counted = scores.points(game.view(None))
    return RulingFile(
        row, event, number, match, game, neutral, log[-LISTED:], orders, clock, mails, names, counted, words
    )


# -- claiming and appealing ---------------------------------------------------------------------------


def claim(database: Database, event_id: int, match_id: int, player_id: int, text: str, *, now: datetime) -> int:
    """Ask for a ruling, as a player of the match, or about a recorded result as an organiser who does not play in the
    event.

    Returns its number, or that of the one already waiting. Raises NotAllowed, NotAccepted.
    """
    text = audit.read_reason(text)
    with Work(database) as work:
        event = lifecycle.get(work.session, event_id)
        _, match = match_in(work.session, event_id, match_id)
        if player_id not in opening.players_of(work.session, match_id):
            need_neutral(work.session, event, match, player_id)
        if event.status not in (CompetitionStatus.RUNNING, CompetitionStatus.OVER):
            raise NotAccepted("event.not_running", Text("The event is not running."))
        return opening.open_ruling(work, match_id, by_id=player_id, claim=text, now=now)[0]


def say(database: Database, event_id: int, ruling_id: int, player_id: int, text: str, *, now: datetime) -> None:
    """Record a player's comments on their match before a ruling, and mail them to the others and to who decides; a
    later text replaces the earlier one.

    Raises NoSuchRuling, NotAllowed, and NotAccepted once it is decided.
    """
    text = audit.read_reason(text)
    with Work(database) as work:
        event, row = _own(work.session, event_id, ruling_id, player_id)
        if row.status not in opening.WAITING:
            raise Conflict("ruling.decided", Text("This has been done already."))
        said = {**row.details.get("said", {}), str(player_id): text}
        here = sa.update(Ruling).where(col(Ruling.id) == ruling_id)
        work.session.exec(here.values(details={**row.details, "said": said}))
        act = Acting(work, event, player_id, now).write(
            "ruling.said", audit.match(row.match_id), reason=text, after={"ruling": ruling_id}
        )
        opening.tell(work, row, f"said:{player_id}:{act}", now, but=(player_id,))


def _own(session: Session, event_id: int, ruling_id: int, player_id: int) -> tuple[Competition, Ruling]:
    """Return a ruling about one of this player's matches, locked, and its event. Raises NoSuchRuling, NotAllowed."""
    row = find(session, event_id, ruling_id, lock=True)
    event = lifecycle.get(session, event_id)
    if player_id not in opening.players_of(session, row.match_id):
        raise NotAllowed("claim.own", Text("Only the players of a game can ask for a ruling about it."))
    return event, row


def need_neutral(session: Session, event: Competition, match: Match, player_id: int, *, running: bool = False) -> None:
    if not two_clubs.rules_in(session, event, player_id):
        raise NotAllowed("claim.own", Text("Only the players of a game can ask for a ruling about it."))
    if not opening.is_neutral(session, event.id, player_id):
        raise NotAllowed(
            "correct.plays",
            Text("You play in this event; results are corrected by an organiser or a referee who does not."),
        )
    if not match.ended and not (running and match.game_id):
        raise NotAccepted(
            "correct.open", Text("This game has no result yet; what can be done stands where the event is run.")
        )
    if match.is_bye:
        raise NotAccepted("correct.bye", Text("This is a bye, not a game; there is nothing to rule about."))


def appeal(database: Database, event_id: int, ruling_id: int, player_id: int, text: str, *, now: datetime) -> None:
    """Appeal against a decision before its deadline; a different person is asked to decide.

    Appealing again changes nothing.

    Raises NoSuchRuling, NotAllowed, NotAccepted.
    """
    text = audit.read_reason(text)
    with Work(database) as work:
        event, row = _own(work.session, event_id, ruling_id, player_id)
        if row.status == RulingStatus.APPEALED:
            return
        if row.status != RulingStatus.DECIDED:
            raise NotAccepted("appeal.none", Text("There is no decision that could be appealed against."))
        if is_final(row, now):
            raise NotAccepted("appeal.late", Text("The time to appeal is over; the decision is final."))
        values = {"status": RulingStatus.APPEALED, "appealed_by": player_id, "appeal": text}
        work.session.exec(sa.update(Ruling).where(col(Ruling.id) == ruling_id).values(**values))
        Acting(work, event, player_id, now).write(
            "ruling.appealed", audit.match(row.match_id), reason=text, after={"ruling": ruling_id}
        )
        opening.tell(work, row, "appealed", now, but=(row.decided_by or 0,))


# -- setting a result -----------------------------------------------------------------------------------


def set_result(
    database: Database, event_id: int, match_id: int, points: Sequence[str], asked: ActRequest, *, now: datetime
) -> int | None:
    """Set the points of a game, as a ruling that is asked for and decided at once: one reason, one mail to each player,
    and they can appeal. A game that still runs ends. Return the number of the ruling, or None if the button was pressed
    before.

    Raises NoSuchCompetition; NotAllowed for players of the event and those who cannot rule; NotAccepted.
    """
    reason = audit.read_reason(asked.reason)
    with Work(database) as work:
        session = work.session
        event = lifecycle.get(session, event_id, lock=True)
        _, match = match_in(session, event_id, match_id)
        if audit.was_done(session, asked.token):
            return None
        need_neutral(session, event, match, asked.by_id, running=True)
        verdict = applying.read_verdict(RulingDecision.RESULT, "", "", points, len(match.seats))
        wanted = Ruling(match_id=match_id, opened_by=asked.by_id, claim=reason, opened_at=now, details={})
        ruling, _ = opening.opened(work, wanted)
        decide(work, event_id, ruling.id, verdict, asked, now=now)
        return ruling.id


# -- deciding -----------------------------------------------------------------------------------------


def decide(work: Work, event_id: int, ruling_id: int, verdict: Verdict, asked: ActRequest, *, now: datetime) -> bool:
    """Decide a ruling, or the appeal against it, and tell both sides; return False if the button was pressed before.

    Raises NoSuchRuling; NotAllowed without the role, in your own game, or for the author of a decision that is appealed
    against; NotAccepted if it has been decided, the verdict is incomplete, or it ends games of later rounds and who
    asks does not know (`sure`).
    """
    by_id, reason, token = asked.by_id, audit.read_reason(asked.reason), asked.token
    session = work.session
    row = find(session, event_id, ruling_id)
    # The event first: if two rulings concern one bracket, the second must see what the first did to it. Then the
    # game before the ruling, the order of a player who moves in it.
    event = lifecycle.get(session, event_id, lock=True)
    two_clubs.need_ruler(session, event, by_id, _decided_before(row))
    _, match = match_of(session, row.match_id)
    game = None if match.game_id is None else work.store.load(match.game_id, for_writing=True)
    row = find(session, event_id, ruling_id, lock=True)
    if audit.was_done(session, token):
        return False
    _need_other(session, row, by_id)
    if row.status == RulingStatus.APPEALED and by_id == row.decided_by:
        raise NotAllowed("ruling.again", Text("Somebody else than who decided has to rule on the appeal."))
    if row.status not in opening.WAITING:
        raise Conflict("ruling.decided", Text("This has been done already."))
    _, match = match_of(session, row.match_id)
    before = applying.snapshot(match)
    acting = Acting(work, event, by_id, now)
    applying.carry_out(acting, match, game, verdict, reason)
    final = row.status == RulingStatus.APPEALED
    _, after = match_of(session, row.match_id)
    ends = _follow(acting, after, before)
    if ends and not asked.sure:
        games = tuple(" – ".join(seat.name for seat in one.seats) for one in ends)
        raise NotAccepted(
            UNDOES, Text("Other players meet then, so a game that runs ends without a result: {games}.", games=games)
        )
    undoable = not final and verdict.decision in TAKEN_BACK and (game is None or game.is_over)
    done = {"ruling": ruling_id, "decision": verdict.decision, "undoable": undoable, **applying.snapshot(after)}
    values = _values(acting, row, verdict, reason, before)
    session.exec(sa.update(Ruling).where(col(Ruling.id) == ruling_id).values(**values))
    acting.write(
        "ruling.final" if row.status == RulingStatus.APPEALED else "ruling.decided",
        audit.match(row.match_id),
        reason=reason,
        before=before,
        after=done,
        once=token,
    )
    what = "final" if row.status == RulingStatus.APPEALED else f"decided:{now:%Y%m%dT%H%M%S}"
    opening.tell(work, row, what, now, judges=False)
    return True


def _need_other(session: Session, row: Ruling, by_id: int) -> None:
    if by_id in who_played(session, row.match_id):
        raise NotAllowed("ruling.own", Text("Nobody rules in a game of their own; somebody else has to."))


def _follow(acting: Acting, after: Match, before: Mapping[str, Any]) -> list[Match]:
    changed = acting.session.get_one(CompetitionRound, after.round_id)
    return following.result_changed(acting, changed, before, applying.snapshot(after))


def _values(acting: Acting, row: Ruling, verdict: Verdict, reason: str, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a decision, or that of the appeal against it, changes in the row of a ruling."""
    details = {**row.details, "verdict": verdict.as_data(), "before": before}
    values: dict[str, Any] = {"decision": verdict.decision, "details": details, "reason": reason}
    if row.status == RulingStatus.APPEALED:
        details["first"] = {"decision": row.decision, "reason": row.reason, "verdict": row.details.get("verdict")}
        return values | {"status": RulingStatus.FINAL, "final_by": acting.by_id, "final_at": acting.now}
    until = acting.now + timedelta(days=APPEAL_DAYS)
    decided = {"decided_by": acting.by_id, "decided_at": acting.now, "appeal_until": until}
    return values | {"status": RulingStatus.DECIDED, **decided}


def decided_by_act(session: Session, row: Ruling, now: datetime) -> int | None:
    """Return the act of the trail by which a ruling was decided, if it can still be undone; else None."""
    if row.status != RulingStatus.DECIDED or is_final(row, now):
        return None
    asked = select(Audit).where(
        col(Audit.event_id) == row.event_id,
        col(Audit.act) == "ruling.decided",
        col(Audit.about) == About.MATCH,
        col(Audit.about_number) == row.match_id,
        col(Audit.undone_by).is_(None),
    )
    for act in session.exec(asked.order_by(col(Audit.id).desc())):
        if act.after and act.after.get("ruling") == row.id and act.after.get("undoable"):
            return act.id
    return None


def undo(
    database: Database, event_id: int, ruling_id: int, asked: ActRequest, *, undoes: int | None = None, now: datetime
) -> bool:
    """Undo a decision that is not final, or the one of this act: the ruling waits again, and the match is restored.

    Returns False if the button was pressed before. Raises NotAllowed, NotAccepted.
    """
    by_id, reason, token = asked.by_id, audit.read_reason(asked.reason), asked.token
    with Work(database) as work:
        session = work.session
        two_clubs.need_ruler(session, lifecycle.get(session, event_id), by_id)
        undoes = undoes or decided_by_act(session, find(session, event_id, ruling_id), now)
        if audit.was_done(session, token):
            return False
        if undoes is None:
            raise NotAccepted("undo.unknown", Text("This cannot be undone."))
        act = audit.find(session, undoes)
        event = lifecycle.get(session, event_id, lock=True)
        row = find(session, event_id, ruling_id, lock=True)
        if act is None or act.undone_by is not None or audit.was_done(session, token):
            return False
        _need_other(session, row, by_id)
        if row.status != RulingStatus.DECIDED or is_final(row, now):
            raise NotAccepted("undo.final", Text("This ruling is final or appealed against, so it stays."))
        if not (act.after or {}).get("undoable"):
            raise NotAccepted(
                "undo.game", Text("This ruling has moved or ended a running game, which cannot be taken back.")
            )
        _, stood = match_of(session, row.match_id)
        there = applying.snapshot(stood)
        applying.restore(session, row.match_id, row.details["before"], now)
        _, after = match_of(session, row.match_id)
        acting = Acting(work, event, by_id, now)
        _follow(acting, after, there)
        values: dict[str, Any] = dict.fromkeys(("decision", "decided_by", "decided_at", "appeal_until"))
        kept = {key: row.details[key] for key in ("round_end", "said") if key in row.details}
        values |= {"status": RulingStatus.OPEN, "reason": "", "details": kept}
        session.exec(sa.update(Ruling).where(col(Ruling.id) == ruling_id).values(**values))
        number = acting.write(
            "ruling.undone",
            audit.match(row.match_id),
            reason=reason,
            before={"act": undoes},
            after={"ruling": ruling_id},
            once=token,
        )
        if number is not None:
            audit.mark_undone(session, undoes, number)
        opening.tell(work, row, f"undone:{now:%Y%m%dT%H%M%S}", now, judges=False)
        return True
