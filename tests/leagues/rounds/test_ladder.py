"""Challenges on a ladder: who may challenge, the answers, and the effect of the result on the order."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import select

from app.base.stored.database import Database
from app.base.stored.mail_tables import OutboxMail
from app.base.words.refusals import NotAccepted
from app.games.store import GameStore
from app.games.work import Work
from app.leagues.changes import leaving
from app.leagues.events import lifecycle, round_rows
from app.leagues.rounds import ladder
from app.people import blocks
from app.play.agreed import results
from app.post.inbound import port
from tests.support import pressed
from tests.support.databases import ON_SQLITE
from tests.support.events import event, people, read
from tests.support.ladder import challenge, entrant, ladder_game, now_at, order, played
from tests.support.tables import NOW

_MAIL = OutboxMail.__table__  # type: ignore[attr-defined]
LATER = NOW + timedelta(days=1)


@pytest.mark.parametrize(("on_win", "after"), [("takes", [0, 3, 1, 2, 4]), ("swaps", [0, 3, 2, 1, 4])])
@ON_SQLITE
def test_a_challenger_who_wins_moves_up(database: Database, on_win: str, after: list[int]) -> None:
    who = people(database, 5)
    now = event(database, who, "ladder", on_win=on_win)
    top = order(database, now.id)
    assert sorted(top) == sorted(who)
    one = challenge(database, now.id, top[3], top[1])
    asked = read(database, lambda c: c.scalars(sa.select(_MAIL.c.player_id).where(_MAIL.c.kind == "challenge")).all())
    assert list(asked) == [top[1]]
    game = ladder.answer(database, one.round.id, ladder.stamp(one.round.made_at), top[1], accepts=True, now=NOW)
    assert game is not None and not read(database, lambda c: GameStore(c).load(game)).is_over
    with pytest.raises(NotAccepted, match=r"ladder\.answered"):
        ladder.answer(database, one.round.id, ladder.stamp(one.round.made_at), top[1], accepts=True, now=NOW)
    assert order(database, now.id) == top, "as long as it is played"
    results.resign(database, game, top[1], now=NOW)
    assert order(database, now.id) == [top[at] for at in after]
    there = now_at(database, now.id)
    assert not there.challenges and [change.why.code for change in there.changes] == [f"ladder.{on_win}"]
    closed = read(database, lambda c: round_rows.rounds_of(c, now.divisions[0].id))
    assert [round.status for round in closed] == ["closed"], "its round closes by itself"


def test_a_challenge_is_answered_by_a_reply(sqlite_database: Database) -> None:
    """Club review, F18."""
    now = event(sqlite_database, people(sqlite_database, 3), "ladder")
    top = order(sqlite_database, now.id)
    challenge(sqlite_database, now.id, top[2], top[1])
    takes = port.question("challenge")
    assert takes is not None
    with Work(sqlite_database) as work:
        [mail] = work.session.exec(select(OutboxMail).where(OutboxMail.kind == "challenge")).all()
        assert "the game has begun" in repr(takes(work, mail, is_yes=True, now=NOW).said)
    assert [one.round.status for one in now_at(sqlite_database, now.id).challenges] == ["published"]


def test_a_challenger_who_loses_stays(sqlite_database: Database) -> None:
    who = people(sqlite_database, 3)
    now = event(sqlite_database, who, "ladder")
    top = order(sqlite_database, now.id)
    played(sqlite_database, now.id, top[2], top[0], loser=top[2])
    assert order(sqlite_database, now.id) == top
    with pytest.raises(NotAccepted, match=r"ladder\.no"):
        challenge(sqlite_database, now.id, top[2], top[0], LATER)
    challenge(sqlite_database, now.id, top[2], top[0], NOW + timedelta(days=14))


def test_who_may_challenge_whom(sqlite_database: Database) -> None:
    who = people(sqlite_database, 6)
    now = event(sqlite_database, who, "ladder", reach=2)
    top = order(sqlite_database, now.id)
    game = ladder_game(sqlite_database, now.id, top[3], top[1])
    results.resign(sqlite_database, game, top[3], now=NOW)  # players who have met can block each other
    blocks.settle(sqlite_database, top[1], top[3], ["block"], now=NOW)
    there = now_at(sqlite_database, now.id)
    me = entrant(there, top[3])
    why = {at: there.why_not(me, entrant(there, top[at])) for at in range(6)}
    assert why[2] is None and all(why[at] is not None for at in (0, 1, 3, 4, 5))
    assert "reach is" in str(why[0]) and "do not play" in str(why[1])
    for at in (0, 1, 4):
        with pytest.raises(NotAccepted, match=r"ladder\.no"):
            challenge(sqlite_database, now.id, top[3], top[at])
    challenge(sqlite_database, now.id, top[3], top[2])
    with pytest.raises(NotAccepted, match=r"ladder\.no"):
        challenge(sqlite_database, now.id, top[4], top[2])
    with pytest.raises(NotAccepted, match=r"ladder\.no"):
        pressed.challenge(sqlite_database, now.id, top[4], 10**6, now=NOW)
    with pytest.raises(NotAccepted, match=r"ladder\.not_on"):
        pressed.challenge(sqlite_database, now.id, 10**6, me, now=NOW)


def test_declined_taken_back_and_lapsed(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who, "ladder")
    top = order(sqlite_database, now.id)
    for by in (top[1], top[2]):
        one = challenge(sqlite_database, now.id, top[2], top[1])
        made = ladder.stamp(one.round.made_at)
        with pytest.raises(NotAccepted, match=r"ladder\.not_yours"):
            ladder.answer(sqlite_database, one.round.id, made, top[3], accepts=False, now=NOW)
        with pytest.raises(NotAccepted, match=r"ladder\.not_yours"):
            ladder.answer(sqlite_database, one.round.id, made, top[2], accepts=True, now=NOW)
        assert ladder.answer(sqlite_database, one.round.id, made, by, accepts=False, now=NOW) is None
        assert not now_at(sqlite_database, now.id).challenges
    kinds = read(sqlite_database, lambda c: c.scalars(sa.select(_MAIL.c.kind).order_by(_MAIL.c.id)).all())
    assert [kind for kind in kinds if kind.startswith("challenge")].count("challenge_declined") == 1
    old = challenge(sqlite_database, now.id, top[2], top[1], LATER)
    after = LATER + timedelta(days=3, seconds=1)
    with pytest.raises(NotAccepted, match=r"ladder\.answered"):
        ladder.answer(sqlite_database, old.round.id, ladder.stamp(old.round.made_at), top[1], accepts=True, now=after)
    challenge(sqlite_database, now.id, top[3], top[1], after)
    there = now_at(sqlite_database, now.id, after)
    assert [one.challenger for one in there.challenges] == [entrant(there, top[3])], "the lapsed one holds nobody up"


def test_late_entries_begin_at_the_bottom_and_who_leaves_is_off(sqlite_database: Database) -> None:
    who = people(sqlite_database, 4)
    now = event(sqlite_database, who[:3], "ladder")
    top = order(sqlite_database, now.id)
    played(sqlite_database, now.id, top[2], top[0], loser=top[0])
    pressed.sign_up(sqlite_database, now.id, who[3], by_id=who[0], now=NOW)
    assert order(sqlite_database, now.id) == [top[2], top[0], top[1], who[3]]
    challenge(sqlite_database, now.id, top[1], top[0], LATER)
    leaving.withdraw(sqlite_database, now.id, top[0], who[0], reason="gone", now=LATER)
    assert not now_at(sqlite_database, now.id, LATER).challenges, "who has gone answers nothing"
    assert order(sqlite_database, now.id) == [top[2], top[1], who[3]]


def test_the_end_of_a_ladder(sqlite_database: Database) -> None:
    who = people(sqlite_database, 3)
    now = event(sqlite_database, who, "ladder")
    top = order(sqlite_database, now.id)
    one = challenge(sqlite_database, now.id, top[1], top[0])
    game = ladder.answer(sqlite_database, one.round.id, ladder.stamp(one.round.made_at), top[0], accepts=True, now=NOW)
    with pytest.raises(NotAccepted, match=r"event\.rounds_open"):
        pressed.finish(sqlite_database, now.id, who[0], now=NOW)
    results.resign(sqlite_database, game or 0, top[0], now=NOW)
    challenge(sqlite_database, now.id, top[2], top[0], LATER)
    pressed.finish(sqlite_database, now.id, who[0], now=LATER)
    assert read(sqlite_database, lambda c: lifecycle.get(c, now.id)).status == "over"
    with pytest.raises(NotAccepted, match=r"ladder\.not_running"):
        challenge(sqlite_database, now.id, top[2], top[0], LATER)
