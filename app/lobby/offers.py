"""Standing offers: each matches players who want the same kind of game, again and again.

Offers that match become games automatically: when one is made, and by the timetable, which also notices when a game has
ended. Each game is one transaction that locks the offers of its kind, so two processes never make it twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from app.base.process.jobs import job
from app.base.stored import failing
from app.base.stored.database import Database
from app.base.words.refusals import NoSuch, NotAccepted
from app.clocks.pace import write_pace
from app.clocks.presets import preset
from app.games import seeds
from app.games.tables import Game, GameStatus
from app.games.work import Work
from app.lobby import open_games, strengths
from app.lobby.strengths import NEW, Strength
from app.lobby.tables import OfferGame, StandingOffer
from app.people import blocks, sanctions
from app.people.tables import Player
from app.play.lists.reliability import NOT_THEIR_FAULT
from app.play.turn import starting
from app.time.tables import ClockNote, Leave, NoteKind
from app.titles.registry import TITLES
from engine.kernel.text import Text
from engine.kernel.title import Title

MOST_OFFERS, MOST_AT_ONCE = 10, 20
USUAL_PACE = "three-days"
"""When no pace is given."""


@dataclass(frozen=True, slots=True)
class OfferNow:
    """An offer as it stands."""

    terms: StandingOffer
    name: str
    """Its player's."""
    running: int
    """The number of its running games."""
    strength: Strength
    """The strength of its player in games of this kind."""

    @property
    def player_id(self) -> int:
        return self.terms.player_id

    @property
    def has_room(self) -> bool:
        return not self.terms.is_paused and self.running < self.terms.at_once


# -- looking ------------------------------------------------------------------------------------------


def of_player(session: Session, player_id: int) -> list[OfferNow]:
    """Return a player's own offers."""
    return _read(session, select(StandingOffer).where(col(StandingOffer.player_id) == player_id))


def listed(session: Session, reader_id: int | None, most: int = 50) -> list[OfferNow]:
    """Return others' waiting offers, without those of players whom a block keeps from the reader."""
    waiting = select(StandingOffer).where(col(StandingOffer.is_paused).is_(False))
    found = [one for one in _read(session, waiting) if one.has_room and one.player_id != reader_id]
    apart = blocks.among(session, [reader_id, *(one.player_id for one in found)])
    return [one for one in found if frozenset((reader_id, one.player_id)) not in apart][:most]


def _read(session: Session, asked: SelectOfScalar[StandingOffer]) -> list[OfferNow]:
    rows = [row for row in session.exec(asked.order_by(col(StandingOffer.id))).all() if row.title in TITLES]
    ids = [row.id for row in rows]
    counted = (
        sa.select(col(OfferGame.offer_id), sa.func.count())
        .join(Game, col(Game.id) == col(OfferGame.game_id))
        .where(col(OfferGame.offer_id).in_(ids), col(Game.status) == GameStatus.RUNNING)
        .group_by(col(OfferGame.offer_id))
    )
    running = {offer_id: count for offer_id, count in session.execute(counted)}
    who = {row.player_id for row in rows}
    names = dict(session.exec(select(Player.id, Player.name).where(col(Player.id).in_(who))).all())
    strong = strengths.of_players(session, who)
    return [
        OfferNow(
            row,
            names[row.player_id],
            running.get(row.id, 0),
            strong.get((row.player_id, row.title, row.players == 2), NEW),
        )
        for row in rows
    ]


# -- making, pausing, ending --------------------------------------------------------------------------


def make(database: Database, terms: StandingOffer) -> None:
    """Store an offer, and begin the games that follow from it. Raises NotAccepted."""
    title, now = starting.find_title(terms.title), terms.since
    if not title.least_seats <= terms.players <= title.most_seats:
        why = Text("This game is for {least} to {most} players.", least=title.least_seats, most=title.most_seats)
        raise NotAccepted("players.number", why)
    if terms.pace and preset(terms.pace) is None:
        raise NotAccepted("pace.unknown", Text("Choose a pace of the list."))
    if terms.weakest is not None and terms.strongest is not None and terms.weakest > terms.strongest:
        raise NotAccepted("weakest.range", Text("The least strength should not be above the greatest."))
    title.read_options(terms.options)
    with database.write() as session:
        player_id = terms.player_id
        session.exec(select(Player.id).where(col(Player.id) == player_id).with_for_update(key_share=True)).one()
        sanctions.need_free(session, player_id, now)
        mine = sa.select(sa.func.count()).where(col(StandingOffer.player_id) == player_id)
        if (session.scalar(mine) or 0) >= MOST_OFFERS:
            raise NotAccepted("offer.many", Text("You have {n} offers already; end one first.", n=MOST_OFFERS))
        session.add(terms)
    match(database, now)


def options_of(title: Title, edition: str) -> dict[str, Any]:
    """Return the options of an offer: only the edition, if it matters."""
    return {title.option_fields({})[0].name: edition} if edition else {}


def pause(database: Database, player_id: int, offer_id: int, *, paused: bool, now: datetime) -> None:
    """Pause an offer, or resume it; its games go on. Raises NoSuch."""
    with database.write() as session:
        mine = col(StandingOffer.id) == offer_id, col(StandingOffer.player_id) == player_id
        if session.execute(sa.update(StandingOffer).where(*mine).values(is_paused=paused, since=now)).rowcount != 1:  # type: ignore[attr-defined]
            raise NoSuch
    if not paused:
        match(database, now)


def end(database: Database, player_id: int, offer_id: int) -> None:
    """Delete an offer; its games go on. Raises NoSuch."""
    with database.write() as session:
        mine = col(StandingOffer.id) == offer_id, col(StandingOffer.player_id) == player_id
        if session.execute(sa.delete(StandingOffer).where(*mine)).rowcount != 1:  # type: ignore[attr-defined]
            raise NoSuch


# -- matching -----------------------------------------------------------------------------------------


@job("match offers", every=5, did="games begun of standing offers")
def match(database: Database, now: datetime) -> int:
    """Begin all games that follow from the current offers; return how many."""
    with database.read() as session:
        kinds = _kinds(session)
    begun = failing.over(
        database,
        "offers",
        kinds,
        lambda kind: f"{kind[0]} of {kind[1]}",
        lambda kind: _begin_all(database, kind, now),
        now,
    )
    return sum(begun)


def _begin_all(database: Database, kind: tuple[str, int], now: datetime) -> int:
    begun = 0
    while (found := _begin_one(database, kind, now)) is not None:
        begun += found
    return begun


def _kinds(session: Session) -> list[tuple[str, int]]:
    """Return the titles and numbers of players with enough offers."""
    asked = (
        sa.select(col(StandingOffer.title), col(StandingOffer.players))
        .where(col(StandingOffer.is_paused).is_(False))
        .group_by(col(StandingOffer.title), col(StandingOffer.players))
        .having(sa.func.count(col(StandingOffer.player_id).distinct()) >= col(StandingOffer.players))
    )
    return sorted((title, players) for title, players in session.execute(asked) if title in TITLES)


def _begin_one(database: Database, kind: tuple[str, int], now: datetime) -> bool | None:
    """Begin a game of this kind if offers match; None if none do. Offers that cannot become a game are paused."""
    with database.read() as session:  # usually nothing matches, and then nobody is held up
        if not _fitting(session, kind, now):
            return None
    with Work(database) as work:
        held = sa.select(col(StandingOffer.id)).where(_of(kind)).order_by(col(StandingOffer.id)).with_for_update()
        work.session.execute(held).all()
        work.session.execute(sa.update(StandingOffer).where(_of(kind), _is_absent()).values(is_paused=True))
        found = _fitting(work.session, kind, now)
        before = failing.known(work.session, "offers")
        is_begun = False
        if found:
            first, *others = [f"offer {one.terms.id}" for one in found]
            with failing.spared(work.session, "offers", first, now, before, *others):
                _begin(work, found, now)
                is_begun = True
        return is_begun if found else None


def _of(kind: tuple[str, int]) -> sa.ColumnElement[bool]:
    return sa.and_(
        col(StandingOffer.title) == kind[0],
        col(StandingOffer.players) == kind[1],
        col(StandingOffer.is_paused).is_(False),
    )


def _is_absent() -> sa.ColumnElement[bool]:
    """Return the condition that the player was late by their own fault in a game of an offer, and so gets no more."""
    return sa.exists().where(
        col(OfferGame.offer_id) == col(StandingOffer.id),
        col(ClockNote.game_id) == col(OfferGame.game_id),
        col(ClockNote.player_id) == col(StandingOffer.player_id),
        col(ClockNote.kind) == NoteKind.TIMEOUT,
        col(ClockNote.cause).not_in(NOT_THEIR_FAULT),
        col(ClockNote.at) >= col(StandingOffer.since),
    )


def _fitting(session: Session, kind: tuple[str, int], now: datetime) -> list[OfferNow]:
    """Return offers that make a game together, those with the fewest games first; empty if there are none."""
    away = sa.exists().where(
        col(Leave.player_id) == col(StandingOffer.player_id), col(Leave.from_at) <= now, col(Leave.to_at) > now
    )
    live = [
        one
        for one in _read(
            session,
            select(StandingOffer).where(
                _of(kind), ~away, ~_is_absent(), ~failing.rests("offers", "offer", col(StandingOffer.id), now)
            ),
        )
        if one.has_room
    ]
    if len(live) < kind[1]:
        return []
    apart = blocks.among(session, [one.player_id for one in live]) | _playing(session, kind)
    live.sort(key=lambda one: (one.running, one.terms.id))
    for at, first in enumerate(live):
        found = _complete([first], live[at + 1 :], kind[1], apart)
        if found:
            return found
    return []


def _complete(
    chosen: list[OfferNow], others: Sequence[OfferNow], players: int, apart: set[frozenset[int]]
) -> list[OfferNow]:
    """Return these with as many of the others as make a game; empty if impossible."""
    if len(chosen) == players:
        return chosen
    for at, one in enumerate(others):
        if all(_fit(one, other, apart) for other in chosen):
            found = _complete([*chosen, one], others[at + 1 :], players, apart)
            if found:
                return found
    return []


def _fit(one: OfferNow, other: OfferNow, apart: set[frozenset[int]]) -> bool:
    mine, theirs = one.terms, other.terms
    return (
        one.player_id != other.player_id
        and frozenset((one.player_id, other.player_id)) not in apart
        and mine.is_rated == theirs.is_rated
        and (not mine.edition or not theirs.edition or mine.edition == theirs.edition)
        and (not mine.pace or not theirs.pace or mine.pace == theirs.pace)
        and _is_strong_enough(mine, other.strength.rating)
        and _is_strong_enough(theirs, one.strength.rating)
    )


def _is_strong_enough(terms: StandingOffer, strength: int) -> bool:
    return (terms.weakest is None or strength >= terms.weakest) and (
        terms.strongest is None or strength <= terms.strongest
    )


def _playing(session: Session, kind: tuple[str, int]) -> set[frozenset[int]]:
    """Return the pairs of players who already play a game of their offers: one at a time is enough."""
    asked = (
        sa.select(col(OfferGame.game_id), col(StandingOffer.player_id))
        .join(StandingOffer, col(StandingOffer.id) == col(OfferGame.offer_id))
        .join(Game, col(Game.id) == col(OfferGame.game_id))
        .where(col(Game.status) == GameStatus.RUNNING, col(Game.title) == kind[0])
    )
    games: dict[int, set[int]] = {}
    for game_id, player_id in session.execute(asked):
        games.setdefault(game_id, set()).add(player_id)
    return {frozenset((one, other)) for there in games.values() for one in there for other in there if one != other}


def _begin(work: Work, offers: Sequence[OfferNow], now: datetime) -> None:
    terms = offers[0].terms
    title = TITLES[terms.title]
    edition = next((one.terms.edition for one in offers if one.terms.edition), "")
    named = preset(next((one.terms.pace for one in offers if one.terms.pace), USUAL_PACE))
    assert named is not None
    game = Game(
        title=terms.title,
        options=title.keep_options(title.read_options(options_of(title, edition))),
        pace=write_pace(named.pace),
        drawn=True,
        is_rated=terms.is_rated,
        created_at=now,
    )
    seats = zip(title.seats, [one.player_id for one in offers], strict=False)
    game_id = work.store.make(game, list(seats))
    seeds.bind(work.session, game_id, now)
    work.session.execute(sa.insert(OfferGame), [{"offer_id": one.terms.id, "game_id": game_id} for one in offers])
    open_games.start_if_full(work, game_id, now, of_offers=True)
